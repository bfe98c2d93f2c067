/* Where states lie and work runs: the cores of the host, or one device. Everything of the tracker
 * is written once over this. Work on a device is asynchronous, in the order of the place's stream;
 * work on the host is done when the call returns. */
#ifndef COPRA_KOESTER_RECOVERY_STATES_PLACE_H
#define COPRA_KOESTER_RECOVERY_STATES_PLACE_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/koester-recovery/ops.h"
#include "harness/base/error.h"
#include "harness/base/team.h"
#include "harness/device/device.h"

/* Opens streams; d NULL: the host. The pool is the caller's. */
int track_place_open(struct track_place *p, struct dev *d, struct team *pool, uint64_t limit,
		     struct err *e);
void track_place_close(struct track_place *p);

/* Memory of the place, aligned to 256 bytes, counted in used and peak. ERR_MEMORY, naming both
 * figures, above the limit or above what is there. track_free needs the bytes that were asked
 * for. */
int track_alloc(struct track_place *p, void **out, size_t bytes, struct err *e);
void track_free(struct track_place *p, void *memory, size_t bytes);

/* Copies in the order of the place's work (memcpy on the host). */
int track_to(struct track_place *p, void *there, const void *host, size_t bytes, struct err *e);
int track_from(struct track_place *p, void *host, const void *there, size_t bytes, struct err *e);
int track_fill(struct track_place *p, void *there, int byte, size_t bytes, struct err *e);
int track_sync(struct track_place *p, struct err *e);

/* The places of a run: what --variant, --device, --gpus and --threads say. */

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

/* Copies of states, scans and the choice of the best for a place. */
extern const struct track_common track_common_host;
const struct track_common *track_common_of(const struct track_place *p);

#endif
