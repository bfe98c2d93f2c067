/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A few results and terms, over which expressions are parsed and evaluated. */
#ifndef COPRA_TESTS_FUZZ_WORLD_H
#define COPRA_TESTS_FUZZ_WORLD_H

#include "harness/report/expression/expression.h"

const struct result_set *small_results(void);
/* Terms twice(a: number) = 2 a, and time(form: text). */
const struct expr_terms *small_terms(void);
/* Whether it is evaluated quickly: a set over a set over a set may take very long. */
bool small_expression(const struct expr *p);

#endif
