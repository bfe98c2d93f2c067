/* Learning on the host: a network and its tables from data.
 *
 * Greedy, by the K2 metric (k2.h). Of the variables that may still become a parent of v, the one of
 * the greatest gain is added, the lowest index of equal ones, while that gain is above 0 and v has
 * fewer than k parents. BOA_PERMUTED  u may be a parent of v where rank[u] < rank[v]; variables do
 * not depend on each other (Figure 4 of the paper) BOA_SEARCHED  of all edges (u, v) that close no
 * cycle the one of the greatest gain is added, of equal ones the lowest v, then the lowest u, until
 * none has a gain (Pelikan's simple BOA) */
#ifndef COPRA_GBOA_LEARN_H
#define COPRA_GBOA_LEARN_H

#include "harness/base/team.h"
#include "algorithms/gboa/boa.h"
#include "algorithms/gboa/data.h"
#include "algorithms/gboa/k2.h"
#include "algorithms/gboa/limit.h"
#include "algorithms/gboa/network.h"

/* What learning keeps between generations. */
struct boa_learner;

/* serial: counts individual by individual as the paper does, from bytes; one thread. Otherwise
 * ours: words, popcounts, Moebius increments, by the threads of `w`, which must outlive the learner
 * (NULL: the caller alone). `count` is that of the data. */
int boa_learner_create(struct boa_learner **l, int32_t n, int32_t count,
		       const struct boa_options *o, bool serial, struct team *w, struct err *e);
void boa_learner_destroy(struct boa_learner *l);
/* Learning ends with ERR_LIMIT, its network unfinished, once `limit`, which must outlive the
 * learner, is reached. A network of many variables takes minutes. */
void boa_learner_limit(struct boa_learner *l, const struct boa_limit *limit);

/* BOA_PERMUTED reads b->rank, BOA_SEARCHED writes it. Fills parents and thresholds. */
int boa_learn(struct boa_learner *l, const struct boa_data *d, struct boa_network *b,
	      struct err *e);
/* The variables of ranks first .. last - 1 alone: the host's share where a device has the others.
 * BOA_PERMUTED. */
int boa_learn_some(struct boa_learner *l, const struct boa_data *d, struct boa_network *b,
		   int32_t first, int32_t last, struct err *e);
/* Thresholds alone, for a network whose parents are known. Plain counting. */
void boa_fill_thresholds(const struct boa_data *d, enum boa_smoothing smoothing,
			 struct boa_network *b);

/* rank[v] for all v: the permutation of a generation (random.h). */
int boa_permutation(uint64_t seed, uint32_t generation, int32_t n, int32_t *rank, struct err *e);

#endif
