/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The sub-commands `solve` and `list` of sample-target. */
#ifndef COPRA_SCRIPTS_NEW_TARGET_ALGORITHMS_SAMPLE_TARGET_SOLVE_H
#define COPRA_SCRIPTS_NEW_TARGET_ALGORITHMS_SAMPLE_TARGET_SOLVE_H

#include "harness/bench/solve.h"

extern const struct solve_spec sample_target_solve_spec;
int sample_target_list(struct err *e);

#endif
