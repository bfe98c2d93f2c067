/* What a checkpoint says of its search: the one name of an instance and of the rule of its tree. */
#ifndef COPRA_TREE_SEARCH_CHECKPOINT_KEY_H
#define COPRA_TREE_SEARCH_CHECKPOINT_KEY_H

#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/search.h"

/* first_ub: the bound that the search begins with, the request's or that of its start; 0 of
 * N-Queens. */
void checkpoint_key_of(const struct search_request *r, int64_t first_ub,
		       struct checkpoint_key *key);

#endif
