/* N-Queens and ATSP on a device, below lists of nodes: the trees of
 * algorithms/gmys-ivm/ivm_search.h.
 *
 * A list of nodes of any depths is given more rows, all nodes at once, until it is long enough, and
 * then searched depth first, a node a lane. Nodes of few rows are not given more of them, and none
 * that comes from outside may have less than INTERVAL_LEAST_LEFT rows open. */
#ifndef COPRA_KERNELS_GMYS_IVM_INTERVALS_H
#define COPRA_KERNELS_GMYS_IVM_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

#include "harness/device/device.h"

enum {
	INTERVAL_ITEMS = 32,     /* greatest n: items are bits of a word */
	INTERVAL_LEAST_LEFT = 4, /* open items of a node that gets children in a list */
	INTERVAL_STAGES = 32     /* lists of one piece of work, the first included */
};

/*           N-Queens                                   ATSP
 *   a       columns taken; all bits from N on are set  items open
 *   b       diagonals under attack, moving up          the last item of the path
 *   c       the same, moving down                      its cost
 *   d       0                                          number of its root in the first list */
struct ivm_interval_node {
	uint32_t a, b, c, d;
};

/* What a piece of work leaves on the device. Begins as zeros, but for better, best and nodes[0].
 *
 *   children   kept ones of all nodes expanded or searched: N-Queens placements, solutions
 * included; ATSP paths with cities left leaves     N-Queens: solutions; ATSP: tours with cost <=
 * best better     ATSP: cost << 32 | number in the list searched, of the least tour below `best`;
 * begins as all ones best       ATSP: least cost known, below INT32_MAX */
struct ivm_interval_control {
	unsigned long long children, leaves, better;
	int32_t best;
	uint32_t nodes[INTERVAL_STAGES]; /* of the lists */
	uint32_t ticket;
};

/* Tables of an instance (ATSP), one block of words in device memory, copied to shared memory.
 *
 *   cost       [rows][33]: arcs between items; column 32: back to city 0
 *   threshold  [rows][65]: ascending, INT32_MAX behind the last, of which there are at most 62
 *   mask       [rows][65][2]: by the number of thresholds <= slack: the items whose arc from the
 * row's item the slack pays; those of them from which it pays one more arc
 *
 * Strides are odd: lanes at different items read different banks. There are rows for lanes that
 * idle. */
struct atsp_shape {
	int rows;
	int threshold, mask; /* where they begin, in words */
	int words;           /* multiple of 4 */
};

enum { ATSP_COLUMNS = INTERVAL_ITEMS + 1, ATSP_RANKS = 65, ATSP_IDLE_BITS = 20 };

static inline struct atsp_shape atsp_shape_of(int items)
{
	struct atsp_shape s;

	s.rows = items > ATSP_IDLE_BITS ? items : ATSP_IDLE_BITS;
	s.threshold = (s.rows * ATSP_COLUMNS + 3) / 4 * 4;
	s.mask = s.threshold + (s.rows * ATSP_RANKS + 3) / 4 * 4;
	s.words = s.mask + (2 * s.rows * ATSP_RANKS + 3) / 4 * 4;
	return s;
}

/* One piece of work. */
struct ivm_interval_work {
	int items;                            /* N; cities - 1 */
	const uint32_t *table;                /* ATSP, device memory */
	struct ivm_interval_node *list[2];    /* stage i in list[i % 2] */
	uint32_t target;                      /* a list so long is searched */
	struct ivm_interval_control *control; /* device memory */
};

struct ivm_interval_kernels {
	/* Stage `stage` -> stage + 1; nothing where it or one before has reached the target. The
	 * other list has room for all children of target - 1 nodes. */
	int (*expand)(struct dev_stream *s, const struct ivm_interval_work *w, int stage,
		      int blocks, struct err *e);
	/* Everything below the nodes of `stage`, of which none has more than `rows` items open. */
	int (*search)(struct dev_stream *s, const struct ivm_interval_work *w, int stage, int rows,
		      int blocks, struct err *e);
	/* Blocks of search that run at once. */
	int (*blocks)(struct dev_stream *s, const struct ivm_interval_work *w, int rows,
		      int *blocks, struct err *e);
};

enum { INTERVAL_BLOCK = 128 }; /* threads of all kernels */

#ifdef __cplusplus
extern "C" {
#endif
extern const struct ivm_interval_kernels ivm_queens_kernels_sim, ivm_atsp_kernels_sim;
#if COPRA_HAVE_CUDA
extern const struct ivm_interval_kernels ivm_queens_kernels_cuda, ivm_atsp_kernels_cuda;
#endif
#ifdef __cplusplus
}
#endif
#endif
