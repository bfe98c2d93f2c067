/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The sub-commands `solve` and `list` of helbecque-pool. */
#ifndef COPRA_HELBECQUE_POOL_SOLVE_H
#define COPRA_HELBECQUE_POOL_SOLVE_H

#include "harness/bench/solve.h"

extern const struct solve_spec pool_solve_spec;
int pool_list(struct err *e);

#endif
