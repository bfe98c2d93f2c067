/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Chooses m and M while the search runs, which the paper leaves as future work (section 6).
 *
 * m, the smallest chunk worth an offload, is the number of nodes that the host can bound in the
 * fixed time of an offload. Both are measured on the root before the search: the fastest of a few
 * offloads of the root alone, and bounding its children on the host. m is at least
 * POOL_TUNER_LEAST, so that a theft (half of 2m) is worth its lock and each GPU starts with several
 * nodes, and at most POOL_TUNER_LEAST_MOST.
 *
 * M, the largest chunk, is found by a hill climb over powers of two. It starts where the slower
 * part, LB2 on the device or branching on the host, was measured to be near its best. The criterion
 * is the number of nodes taken from the pool plus children put there, per second of wall time.
 * Counting only the nodes taken would favour a size that shrinks the pool while it is tried.
 * Counting only the children would favour one that grows it.
 *
 * A window is at least POOL_TUNER_CHUNKS full chunks and POOL_TUNER_SECONDS. Shorter windows
 * measure the transient of a change of size more than its effect. Windows of the current size and
 * of a neighbour alternate (duel.h), larger sizes first. Neighbours get at most the share
 * POOL_TUNER_SHARE of all time and of POOL_TUNER_CREDIT_SECONDS, so that a search of few windows
 * hardly tries any. After both neighbours have lost, the current size is kept for a while, each
 * time twice as long. A pool that never fills a chunk leaves M unchanged.
 *
 * A chunk of large nodes could take seconds and delay a stop as long; pool_tuner_limit bounds M. */
#ifndef COPRA_HELBECQUE_POOL_TUNER_H
#define COPRA_HELBECQUE_POOL_TUNER_H

#include "algorithms/helbecque-pool/offload.h"
#include "algorithms/tree-search/duel.h"

enum {
	POOL_TUNER_LEAST = 8,
	POOL_TUNER_LEAST_MOST = 1024,
	POOL_TUNER_START = 1 << 15, /* used if branching is slower: a chunk and its children fit
				       into the L2 cache */
	POOL_TUNER_START_PAIRS = 1 << 16, /* used if LB2 is slower: enough to fill the device */
	POOL_TUNER_SMALLEST = 1 << 10,
	POOL_TUNER_LIMIT_LEAST = 64,
	POOL_TUNER_GREATEST = 1 << 20,
	POOL_TUNER_CHUNKS = 4,
	POOL_TUNER_PATIENCE = 16, /* windows, initially */
	POOL_TUNER_PATIENCE_MOST = 512,
};
#define POOL_TUNER_SECONDS 6e-3
#define POOL_TUNER_STEPS                                                                           \
	(INT64_C(1) << 36) /* of Johnson passes or prefixes in a chunk: about 50 ms */
#define POOL_TUNER_STEPS_SIM (INT64_C(1) << 23) /* the same time on a simulated device */
#define POOL_TUNER_CLEAR 0.05
#define POOL_TUNER_SHARE 0.1
#define POOL_TUNER_CREDIT_SECONDS 0.4

struct pool_tuner {
	size_t M;           /* for the next chunk */
	size_t least, most; /* limits of M; equal: fixed */

	/* the window: work since `begin`; restarted by a chunk of another size */
	double begin, work;
	int chunks, others;

	double opened, last; /* when the first and the last chunk were reported */
	double trying;       /* seconds spent with neighbours */

	/* climb */
	size_t present;
	double rate;      /* of the last window of the current size */
	double neighbour; /* of the neighbour's window after it; 0: not measured yet */
	struct duel duel;
	bool up;            /* the neighbour is larger */
	int failed;         /* neighbours in a row that lost */
	int patience, wait; /* windows for which the current size is kept; those still left */
};

/* The largest chunk allowed for `problem`, in nodes. */
size_t pool_tuner_limit(const struct pool_evaluator *problem, enum dev_backend backend);
/* start: the initial M; most: the capacity of a chunk. fixed > 0: M is min(fixed, most). */
void pool_tuner_open(struct pool_tuner *t, int64_t fixed, size_t start, size_t most);
/* Reports a chunk that was bounded and branched. `work`: its `count` nodes plus the children they
 * left; `now`: clock_wall. */
void pool_tuner_chunk(struct pool_tuner *t, size_t count, uint64_t work, double now);

/* Measures m as described above. */
int pool_tuner_least(struct pool_offload *o, struct pool_evaluator *v, int32_t ub, size_t *m,
		     struct err *e);

#endif
