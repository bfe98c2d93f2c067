/* A device that bounds chunks of nodes: buffers, tables, and two chunks under way at a time, so
 * that the device works while its host thread branches. A chunk goes over once, its answer comes
 * back as one bit a child, all through pinned memory.
 *
 * (The authors' code copies 88-byte nodes and 4 bytes a child from and to pageable memory and waits
 * for each step. Records, masks, pinned buffers and the second chunk change what the copies cost,
 * not what is offloaded: min(size, M) nodes from the back of a host pool, whenever it holds m.) */
#ifndef COPRA_HELBECQUE_POOL_OFFLOAD_H
#define COPRA_HELBECQUE_POOL_OFFLOAD_H

#include "harness/device/device.h"
#include "kernels/helbecque-pool/published.h"
#include "algorithms/helbecque-pool/evaluator.h"

enum { OFFLOAD_CHUNKS = 2 };

struct pool_offload_chunk {
	struct dev_stream *stream;
	size_t capacity;       /* nodes */
	size_t count;          /* nodes under way; 0: the chunk is free */
	unsigned char *nodes;  /* pinned: parents */
	uint32_t *masks;       /* pinned: their surviving children, after pool_offload_wait */
	unsigned char *device; /* one block: what `kernel_chunk` and `bounds` point to */
	struct pool_chunk kernel_chunk;
	struct pool_bounds bounds;
};

struct pool_offload {
	struct dev *dev;
	const struct pool_evaluator *problem;
	void *tables, *step;       /* on the device */
	struct pool_bounds bounds; /* what all chunks share */
	size_t most;               /* nodes that a chunk can ever hold */
	struct pool_offload_chunk chunk[OFFLOAD_CHUNKS];
};

/* `want`: nodes that a chunk is to hold at most; offload.most says what the device's memory
 * allows. */
int pool_offload_open(struct pool_offload *o, struct dev *d, const struct pool_evaluator *problem,
		      size_t want, struct err *e);
void pool_offload_close(struct pool_offload *o);

/* Makes room for `count` nodes (at most `most` are given room for). The chunk is free. */
int pool_offload_reserve(struct pool_offload *o, struct pool_offload_chunk *c, size_t count,
			 struct err *e);
/* Starts on the first `count` > 0 entries of c->nodes; returns at once. */
int pool_offload_start(struct pool_offload *o, struct pool_offload_chunk *c, size_t count,
		       int32_t ub, struct err *e);
/* Waits; c->masks is filled. The chunk stays taken until its owner sets c->count to 0. */
int pool_offload_wait(struct pool_offload_chunk *c, struct err *e);

#endif
