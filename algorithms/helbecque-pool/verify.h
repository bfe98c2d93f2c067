/* Is an outcome right? Everything that can be told without the code that searched: schedules are
 * evaluated from the instance, counts and optima compared with what is published. */
#ifndef COPRA_HELBECQUE_POOL_VERIFY_H
#define COPRA_HELBECQUE_POOL_VERIFY_H

#include "algorithms/tree-search/search.h"

/* ERR_FAILED with the first thing wrong. *verified: the answer was confirmed, not merely not
 * contradicted: a schedule of makespan `best`, or a count that is published. That a search agrees
 * with a known optimum confirms nothing where it was given that optimum. */
int pool_verify(const struct search_request *r, const struct search_outcome *o, bool *verified,
		struct err *e);

/* The outcome's `decomposed`; where a search of N-Queens does not count it, from its other counts:
 * the root and every placement but the complete ones. 0: not known. */
uint64_t pool_decomposed(const struct search_request *r, const struct search_outcome *o);

#endif
