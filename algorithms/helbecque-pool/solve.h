/* The sub-commands `solve` and `list` of helbecque-pool. */
#ifndef COPRA_POOL_SOLVE_H
#define COPRA_POOL_SOLVE_H

#include "../../harness/solve.h"
#include "../problems/search.h"

extern const struct solve_spec pool_solve_spec;
int pool_list(struct err *e);

/* The search of a variant. */
search_fn *pool_search(enum solve_variant v);

#endif
