/* The places of a run: what --variant, --device, --gpus and --threads say. */
#ifndef COPRA_KOESTER_RECOVERY_SOLVE_PLACES_H
#define COPRA_KOESTER_RECOVERY_SOLVE_PLACES_H

#include "harness/base/team.h"
#include "algorithms/koester-recovery/archive.h"

/* The words of --recovery and of the axis of that name, in the order of enum track_recovery; ended
 * by NULL. */
extern const char *const track_recovery_words[RECOVERIES + 1];

struct track_places {
	struct team *pool;
	struct track_place place[DEV_MAX];
	struct track_place *at[DEV_MAX]; /* those that work */
	int count;                       /* of `at` */
	int opened;                      /* of `place` */
	struct track_place *peer;        /* one more device, that only keeps states; NULL: none */
};

/* The first `gpus` devices of the set (0: the host, with `threads` threads), each with at most
 * `limit` bytes (0: none but the memory); `peer`: the next device of the set is opened too.
 * ERR_UNSUPPORTED where the set has fewer. */
int track_places_open(struct track_places *p, const struct dev_set *devices, int gpus, bool peer,
		      int threads, uint64_t limit, struct err *e);
void track_places_close(struct track_places *p);

/* Bytes that could be held on the places now, and the bytes held at most so far. */
int track_places_free(const struct track_places *p, uint64_t *bytes, struct err *e);
uint64_t track_places_peak(const struct track_places *p);

#endif
