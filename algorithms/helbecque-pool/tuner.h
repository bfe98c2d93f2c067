/* m and M chosen while the search runs: what the paper leaves as future work (section 6).
 *
 * m, the least chunk worth an offload: where the fixed cost of an offload is what the host needs for as many
 * nodes. Both are measured on the root before the search: an offload of it alone (the least of a few), and
 * its children bounded on the host. Not below TUNER_LEAST, so that a theft (half of 2m) is worth its lock
 * and each GPU begins with some nodes, nor above TUNER_LEAST_MOST.
 *
 * M, the greatest chunk: a hill climb over powers of two from TUNER_START nodes on. What is compared is
 * children bounded per second of wall time, the device's and the host's work together, over windows of at
 * least TUNER_CHUNKS chunks and TUNER_SECONDS that were all full. A neighbour's window lies between two of
 * the present size and is compared with their mean, so that a drift of the tree does not decide; it must be
 * TUNER_GAIN better. After both neighbours have failed the present size is kept for a while, each time twice
 * as long: what probing costs falls under 1 %. A pool that never fills a chunk leaves M alone. */
#ifndef COPRA_HELBECQUE_TUNER_H
#define COPRA_HELBECQUE_TUNER_H

#include "offload.h"

enum {
	TUNER_LEAST = 8,
	TUNER_LEAST_MOST = 1024,
	TUNER_START = 1 << 15,
	TUNER_SMALLEST = 1 << 10,
	TUNER_GREATEST = 1 << 21,
	TUNER_CHUNKS = 4,
	TUNER_PATIENCE = 4,        /* windows, at first */
	TUNER_PATIENCE_MOST = 512,
};
#define TUNER_SECONDS 2e-3
#define TUNER_GAIN 1.01

struct tuner {
	size_t M;          /* to be used for the next chunk */
	size_t least, most; /* it stays between; equal: fixed */

	/* window: what was done since `begin`; it begins anew with each chunk of another size */
	double begin, children;
	int chunks, others;

	/* climb: windows at present, neighbour, present size */
	size_t present;
	double rate;       /* of the window before the neighbour's */
	double neighbour;  /* rate of its window, 0: not yet measured */
	bool up;           /* which neighbour */
	int failed;        /* neighbours in a row that were no better */
	int patience, wait; /* windows to keep the present size for, and how many of them are left */
};

/* `most`: what a chunk can hold. fixed > 0: M is that, at most `most`. */
void tuner_open(struct tuner *t, int64_t fixed, size_t most);
/* A chunk of `count` nodes with `children` children was bounded and branched; `now` by clock_wall. */
void tuner_chunk(struct tuner *t, size_t count, uint64_t children, double now);

/* m as above. */
int tuner_least(struct offload *o, struct evaluator *v, int32_t ub, size_t *m, struct err *e);

#endif
