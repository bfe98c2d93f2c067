/* m and M chosen while the search runs: what the paper leaves as future work (section 6).
 *
 * m, the least chunk worth an offload: where the fixed cost of an offload is what the host needs
 * for as many nodes. Both are measured on the root before the search: an offload of it alone (the
 * least of a few), and its children bounded on the host. Not below TUNER_LEAST, so that a theft
 * (half of 2m) is worth its lock and each GPU begins with some nodes, nor above TUNER_LEAST_MOST.
 *
 * M, the greatest chunk: a hill climb over powers of two, from where the slower part, bounds by
 * pairs on the device or branching on the host, was seen to be near its best. What is compared is
 * nodes taken from the pool and children put there per second of wall time: taken alone they favour
 * a size that shrinks the pool while it is tried, put alone one that grows it. A window is at least
 * TUNER_CHUNKS chunks and TUNER_SECONDS that were all full; shorter ones see the transient of a
 * change of size more than its effect. Windows of the present size and of a neighbour alternate;
 * each of the neighbour's is divided by the mean of the two beside it, so that a drift of the tree
 * does not decide. The neighbour wins where TUNER_PAIRS ratios or more have a mean above 1 +
 * TUNER_GAIN by more than its standard error, loses where the mean is below after as many, or in
 * any case after TUNER_PAIRS_MOST. After both neighbours have lost, the present size is kept for a
 * while, each time twice as long: what probing costs falls under 1 %. A pool that never fills a
 * chunk leaves M alone.
 *
 * A chunk of large nodes would take seconds, and a stop as long: pool_tuner_limit bounds what is
 * chosen. */
#ifndef COPRA_HELBECQUE_POOL_TUNER_H
#define COPRA_HELBECQUE_POOL_TUNER_H

#include "algorithms/helbecque-pool/offload.h"

enum {
	TUNER_LEAST = 8,
	TUNER_LEAST_MOST = 1024,
	TUNER_START = 1 << 15,       /* branching decides: a chunk and its children fit the L2 */
	TUNER_START_PAIRS = 1 << 17, /* LB2 decides: enough to fill the device */
	TUNER_SMALLEST = 1 << 10,
	TUNER_LIMIT_LEAST = 64,
	TUNER_GREATEST = 1 << 20,
	TUNER_CHUNKS = 4,
	TUNER_PAIRS = 2,
	TUNER_PAIRS_MOST = 8,
	TUNER_PATIENCE = 4, /* windows, at first */
	TUNER_PATIENCE_MOST = 512,
};
#define TUNER_SECONDS 10e-3
#define TUNER_STEPS (INT64_C(1) << 36) /* of Johnson passes or prefixes in a chunk: some 50 ms */
#define TUNER_STEPS_SIM (INT64_C(1) << 23) /* as long on a simulated device */
#define TUNER_GAIN 0.005

struct pool_tuner {
	size_t M;           /* to be used for the next chunk */
	size_t least, most; /* it stays between; equal: fixed */

	/* window: what was done since `begin`; it begins anew with each chunk of another size */
	double begin, work;
	int chunks, others;

	/* climb */
	size_t present;
	double rate;         /* of the last window of the present size */
	double neighbour;    /* of the neighbour's after it, 0: not yet measured */
	double sum, squares; /* of the ratios so far, less 1 */
	int pairs;
	bool up;            /* which neighbour */
	int failed;         /* neighbours in a row that lost */
	int patience, wait; /* windows to keep the present size for, and how many are left */
};

/* Nodes of `problem` that a chunk should not exceed. */
size_t pool_tuner_limit(const struct pool_evaluator *problem, enum dev_backend backend);
/* start: M at first; `most`: what a chunk can hold. fixed > 0: M is that, at most `most`. */
void pool_tuner_open(struct pool_tuner *t, int64_t fixed, size_t start, size_t most);
/* A chunk of `count` nodes, `work` with the children that it left, was bounded and branched; `now`
 * by clock_wall. */
void pool_tuner_chunk(struct pool_tuner *t, size_t count, uint64_t work, double now);

/* m as above. */
int pool_tuner_least(struct pool_offload *o, struct pool_evaluator *v, int32_t ub, size_t *m,
		     struct err *e);

#endif
