/* The target's sub-commands: `solve` of pfsp, samegame and synthetic, and `list`. */
#ifndef COPRA_KOESTER_RECOVERY_SOLVE_H
#define COPRA_KOESTER_RECOVERY_SOLVE_H

#include "harness/bench/solve.h"

extern const struct solve_spec track_solve_spec;

int track_list(struct err *e);

#endif
