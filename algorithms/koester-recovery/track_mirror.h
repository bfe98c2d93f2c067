/* A copy of the history in a device's memory, from which it traces paths itself: every entry goes to
 * the device once, instead of a plan at every recovery. The history may grow in between, never be
 * cut or change its sources. */
#ifndef COPRA_TRACK_MIRROR_H
#define COPRA_TRACK_MIRROR_H

#include "history.h"
#include "track_ops.h"

struct track_mirror;

int track_mirror_create(struct track_mirror **out, struct track_place *p, struct err *e);
void track_mirror_destroy(struct track_mirror *m);

/* The paths of targets (in layers from down_to to history's last; arrays [count] in host memory) from
 * layer down_to on: *path and *start_slot lie on the place until the next call; *steps is the sum of
 * all paths' steps. ERR_UNSUPPORTED where a path could jump past down_to: see
 * track_mirror_reaches. Waits for the place's work. */
int track_mirror_trace(struct track_mirror *m, const struct history *h,
		       const struct history_node *targets, uint32_t count, uint32_t down_to,
		       struct track_path *path, const uint32_t **start_slot, uint64_t *steps,
		       struct err *e);
/* Does every path from layer `top` and below that comes from above down_to touch down_to? */
bool track_mirror_reaches(const struct history *h, uint32_t top, uint32_t down_to);

#endif
