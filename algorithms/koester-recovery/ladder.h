/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The ladder of this target: recoveries of the synthetic model, from the paper's algorithm to the
 * variant tuned. */
#ifndef COPRA_KOESTER_RECOVERY_LADDER_H
#define COPRA_KOESTER_RECOVERY_LADDER_H

#include "algorithms/koester-recovery/problems/synthetic.h"
#include "harness/bench/solve.h"

/* Ended by a NULL name. The problem is "synthetic". */
extern const struct solve_rung track_rungs[];

/* Sets engine, form and plans for a rung of the table. */
void track_rung_apply(const struct solve_rung *r, struct track_synthetic_setup *s);

#endif
