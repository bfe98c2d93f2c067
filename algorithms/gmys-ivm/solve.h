/* The sub-commands `solve` and `list` of gmys-ivm. */
#ifndef COPRA_IVM_SOLVE_H
#define COPRA_IVM_SOLVE_H

#include "../../harness/solve.h"
#include "ivm_search.h"

extern const struct solve_spec ivm_solve_spec;
int ivm_list(struct err *e);

/* The search of a variant. */
ivm_search_fn *ivm_search(enum solve_variant v);

#endif
