/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The target's sub-commands: `solve` of pfsp, samegame and synthetic, and `list`. */
#ifndef COPRA_KOESTER_RECOVERY_SOLVE_H
#define COPRA_KOESTER_RECOVERY_SOLVE_H

#include "harness/bench/bench.h"
#include "harness/bench/solve.h"

extern const struct solve_spec track_solve_spec;

/* The target with both sub-commands, for copra_main. */
extern const struct target track_target;

#endif
