/* What a checkpoint says of its search: the one name of an instance and of the rule of its tree. */
#ifndef COPRA_PROBLEMS_CHECKPOINT_KEY_H
#define COPRA_PROBLEMS_CHECKPOINT_KEY_H

#include "checkpoint.h"
#include "search.h"

/* first_ub: the bound that the search begins with, the request's or that of its start; 0 of
 * N-Queens. */
void checkpoint_key_of(const struct search_request *r, int64_t first_ub,
		       struct checkpoint_key *key);

#endif
