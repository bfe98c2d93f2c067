/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The sub-commands `solve` and `list` of gmys-ivm. */
#ifndef COPRA_GMYS_IVM_SOLVE_H
#define COPRA_GMYS_IVM_SOLVE_H

#include "harness/bench/solve.h"

extern const struct solve_spec ivm_solve_spec;
int ivm_list(struct err *e);

#endif
