/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "harness/report/expression/expression.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/world.h"

static void evaluate(const struct expr *p)
{
	struct expr_world *w;
	struct expr_trace trace = { 0 };
	struct expr_value argument = { .type = EXPR_NUMBER, .number = 0.1 }, value;
	struct err e = { 0 };

	FUZZ_CHECK(expr_world_create(&w, small_results(), NULL, &e) == 0);
	for (unsigned replicate = 0; replicate < 3; replicate++) {
		const struct expr_sample sample = { replicate, replicate > 1 };
		if (fuzz_status(expr_eval(p, w, &argument, replicate ? &sample : NULL,
					  replicate ? NULL : &trace, &value, &e),
				&e))
			FUZZ_CHECK(value.type == EXPR_TRUTH || value.type == EXPR_NUMBER);
	}
	expr_trace_free(&trace);
	expr_world_destroy(w);
}

static void read_as(const char *text, enum expr_type type)
{
	static const struct expr_param parameter[] = { { "tolerance", EXPR_NUMBER } };
	struct expr *p;
	struct err e = { 0 };

	if (!fuzz_status(expr_parse(&p, text, small_terms(), parameter, 1, type, &e), &e)) {
		FUZZ_CHECK(p == NULL);
		return;
	}
	if (type != EXPR_SET && small_expression(p))
		evaluate(p);
	expr_destroy(p);
}

FUZZ_READER(predicate)
{
	char *text = fuzz_text(data, size);

	read_as(text, EXPR_TRUTH);
	read_as(text, EXPR_NUMBER);
	read_as(text, EXPR_SET);
	free(text);
}
