/* The target's sub-commands: solve, size and list. */
#ifndef COPRA_GBOA_SOLVE_H
#define COPRA_GBOA_SOLVE_H

#include "harness/bench/solve.h"

extern const struct solve_spec boa_solve_spec;
/* What --problem is where it is not given, told by its address from the same word given. */
extern const char boa_default_problem[];

/* `size`: the population a problem needs, by bisection. */
int boa_size_main(int argc, char **argv);

int boa_list(struct err *e);

#endif
