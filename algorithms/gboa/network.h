/* A Bayesian network of binary variables, and the tables that sampling needs. Plain arrays: the
 * same on host and device. */
#ifndef COPRA_GBOA_NETWORK_H
#define COPRA_GBOA_NETWORK_H

#include <stdint.h>

#include "harness/base/error.h"
#include "harness/base/hd.h"
#include "algorithms/gboa/boa.h"
#include "algorithms/gboa/data.h"
#include "algorithms/gboa/random.h"

struct boa_network {
	int32_t n, k;
	/* Ranks: variables are sampled in the order of their ranks, parents have lower ones. The
	 * permutation of the generation (BOA_PERMUTED), or a topological order, the lowest index
	 * first among those whose parents are placed (BOA_SEARCHED). */
	int32_t *rank;         /* n */
	int32_t *parent_count; /* n, each 0 .. k */
	int32_t *parents; /* n x k: of variable v from v * k on, in the order they were added */
	/* thresholds[v << k | a], for configurations a < 2^parent_count[v], whose bit r is the
	 * value of the parent added as number r; 0 .. BOA_ONE, see random.h. Others are not set. */
	uint32_t *thresholds; /* n << k */
};

int boa_network_create(struct boa_network *b, int32_t n, int32_t k, struct err *e);
void boa_network_destroy(struct boa_network *b); /* of zeros too */

/* The probability of a one where `ones` of `all` had one, as a threshold: rounded to the nearest,
 * halves up. 0 <= ones <= all < 2^31. */
HD uint32_t boa_threshold(uint32_t ones, uint32_t all, enum boa_smoothing smoothing)
{
	uint64_t above = ones, below = all;

	if (smoothing == BOA_SMOOTH_LAPLACE) {
		above += 1;
		below += 2;
	}
	return below == 0 ? BOA_ONE / 2 : (uint32_t)((above * BOA_ONE + below / 2) / below);
}

#endif
