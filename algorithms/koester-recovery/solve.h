/* The target's sub-commands: `solve` of pfsp, samegame and synthetic, and `list`. */
#ifndef COPRA_TRACK_SOLVE_H
#define COPRA_TRACK_SOLVE_H

#include "../../harness/solve.h"

extern const struct solve_spec track_solve_spec;

int track_list(struct err *e);

#endif
