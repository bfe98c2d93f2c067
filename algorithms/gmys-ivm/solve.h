/* The sub-commands `solve` and `list` of gmys-ivm. */
#ifndef COPRA_GMYS_IVM_SOLVE_H
#define COPRA_GMYS_IVM_SOLVE_H

#include "harness/bench/solve.h"
#include "algorithms/gmys-ivm/ivm_search.h"

extern const struct solve_spec ivm_solve_spec;
int ivm_list(struct err *e);

/* The search of a variant. */
ivm_search_fn *ivm_search(enum solve_variant v);

#endif
