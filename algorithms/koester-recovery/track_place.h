/* Where states lie and work runs: the cores of the host, or one device. Everything of the tracker
 * is written once over this. Work on a device is asynchronous, in the order of the place's stream;
 * work on the host is done when the call returns. */
#ifndef COPRA_KOESTER_RECOVERY_TRACK_PLACE_H
#define COPRA_KOESTER_RECOVERY_TRACK_PLACE_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/device/device.h"
#include "harness/base/error.h"
#include "algorithms/koester-recovery/track_state.h"

struct team; /* threads of the host, harness/base/team.h */

struct track_place {
	struct dev *device;        /* NULL: the host */
	struct dev_stream *stream; /* of the work; NULL on the host */
	struct dev_stream *copies; /* a second one, for copies beside the work; NULL on the
				      host */
	struct team *pool;         /* the host's threads; also given to device places, for what
					    the host does for them (host pruning, plans) */
	const volatile sig_atomic_t *stop; /* what loops over states on the host heed while it is
					set: they end early with ERR_LIMIT; NULL: none */
	uint64_t limit;                    /* bytes that may be held at once; 0: only the memory */
	uint64_t used, peak;               /* bytes held now, and at most so far */
};

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

#endif
