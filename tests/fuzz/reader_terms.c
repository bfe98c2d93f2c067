/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/report/expression/expression.h"
#include "tests/fuzz/fuzz.h"

FUZZ_READER(terms)
{
	struct expr_terms t;
	struct err e = { 0 };

	if (!fuzz_status(expr_terms_read(&t, fuzz_file(data, size), &e), &e))
		return;
	for (size_t i = 0; i < t.count; i++)
		FUZZ_CHECK(t.term[i].body && t.term[i].params <= EXPR_PARAMS);
	expr_terms_free(&t);
}
