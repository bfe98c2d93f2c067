/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The command `solve` of gboa. */
#ifndef COPRA_GBOA_SOLVE_SOLVE_H
#define COPRA_GBOA_SOLVE_SOLVE_H

#include "harness/bench/solve.h"

extern const struct solve_spec boa_solve_spec;

#endif
