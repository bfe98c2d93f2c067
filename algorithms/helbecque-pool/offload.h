/* Offloads chunks of nodes to a device that bounds them: buffers, tables, and two chunks in flight,
 * so that the device works while its host thread branches. Each chunk is copied once, and its
 * result comes back as one bit per child, all through pinned memory.
 *
 * (The authors' code copies 88-byte nodes and 4 bytes per child to and from pageable memory, and
 * waits for each step. Compact nodes, masks, pinned buffers and the second chunk change the cost of
 * the copies, not what is offloaded: min(size, M) nodes from the back of a pool that holds at least
 * m.) */
#ifndef COPRA_HELBECQUE_POOL_OFFLOAD_H
#define COPRA_HELBECQUE_POOL_OFFLOAD_H

#include "harness/device/device.h"
#include "kernels/helbecque-pool/published.h"
#include "algorithms/helbecque-pool/evaluator.h"

enum { POOL_OFFLOAD_CHUNKS = 2 };

struct pool_offload_chunk {
	struct dev_stream *stream;
	size_t capacity;       /* nodes */
	size_t count;          /* nodes in flight; 0: the chunk is free */
	unsigned char *nodes;  /* pinned: parents */
	uint32_t *masks;       /* pinned: their surviving children, valid after pool_offload_wait */
	unsigned char *device; /* one block that `kernel_chunk` and `bounds` point into */
	struct pool_chunk kernel_chunk;
	struct pool_bounds bounds;
};

struct pool_offload {
	struct dev *dev;
	const struct pool_evaluator *problem;
	void *tables, *step;       /* on the device */
	struct pool_bounds bounds; /* shared by all chunks */
	size_t most;               /* upper limit of the nodes in a chunk */
	struct pool_offload_chunk chunk[POOL_OFFLOAD_CHUNKS];
};

/* `want`: the largest chunk that the caller will use. o->most is less if the device's memory does
 * not allow it. */
int pool_offload_open(struct pool_offload *o, struct dev *d, const struct pool_evaluator *problem,
		      size_t want, struct err *e);
void pool_offload_close(struct pool_offload *o);

/* Makes room for min(count, o->most) nodes in a free chunk. */
int pool_offload_reserve(struct pool_offload *o, struct pool_offload_chunk *c, size_t count,
			 struct err *e);
/* Starts bounding the first `count` > 0 entries of c->nodes, and returns at once. */
int pool_offload_start(struct pool_offload *o, struct pool_offload_chunk *c, size_t count,
		       int32_t ub, struct err *e);
/* Waits for c->masks. The chunk is in use until its owner sets c->count to 0. */
int pool_offload_wait(struct pool_offload_chunk *c, struct err *e);

#endif
