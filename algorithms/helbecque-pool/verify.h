/* Counts that a search of this target leaves out. */
#ifndef COPRA_HELBECQUE_POOL_VERIFY_H
#define COPRA_HELBECQUE_POOL_VERIFY_H

#include "algorithms/tree-search/search.h"

/* The outcome's `decomposed`; where a search of N-Queens does not count it, from its other counts:
 * the root and every placement but the complete ones. 0: not known. */
uint64_t pool_decomposed(const struct search_request *r, const struct search_outcome *o);

#endif
