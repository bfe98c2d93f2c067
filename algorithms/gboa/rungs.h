/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The ladder from the paper's gBOA to the tuned one. All rungs make the same run bit by bit. */
#ifndef COPRA_GBOA_RUNGS_H
#define COPRA_GBOA_RUNGS_H

#include "algorithms/gboa/boa.h"
#include "harness/bench/solve.h"

/* From "literal" to "tuned", ended by a NULL name. */
extern const struct solve_rung boa_rungs[];

/* Sets variant, engine and form of the setup to those of a rung of boa_rungs. */
void boa_rung_apply(const struct solve_rung *r, struct boa_setup *s);

#endif
