/* sBOA has no second variant to be compared with. What can be told of a network of its first
 * generation: it has edges, no cycle, no more than k parents each, and by a score of its own
 * (doubles, individual by individual) it gains at least what pBOA's gains from the same
 * individuals, in whatever order that happens to choose. A learner that finds too few edges, and is
 * fast by that, fails. */
#ifndef COPRA_GBOA_EXPERIMENT_SEARCHED_H
#define COPRA_GBOA_EXPERIMENT_SEARCHED_H

#include "algorithms/gboa/boa.h"

/* By the setup's options, on traps of at most 50 variables: a case may have more, and takes minutes
 * then. ERR_FAILED says what is wrong. */
int boa_check_searched(const struct boa_setup *s, struct err *e);

#endif
