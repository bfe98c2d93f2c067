/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/world.h"

#include <stdlib.h>

#include "harness/report/expression/tree.h"
#include "tests/fuzz/fuzz.h"

const struct result_set *small_results(void)
{
	static double seconds[] = { 1, 1.5, 2 }, nodes[] = { 7, 7, 8 };
	static struct result_counter counter[] = { { "nodes", nodes } };
	static struct result_bench bench[] = {
		{ .name = "t/e/a/cpu/n:1/seed:1",
		  .label = "",
		  .runs = 3,
		  .seconds = seconds,
		  .counters = 1,
		  .counter = counter },
		{ .name = "t/e/a/cpu/n:1/seed:2",
		  .label = "",
		  .runs = 2,
		  .seconds = seconds,
		  .counters = 1,
		  .counter = counter },
		{ .name = "t/e/a/cpu/n:2", .label = "", .runs = 2, .seconds = seconds },
		{ .name = "t/e/a/tuned/n:2", .label = "", .runs = 1, .seconds = seconds },
	};
	static struct result_set set = {
		.target = "t", .machine = "m", .benches = 4, .bench = bench
	};

	return &set;
}

const struct expr_terms *small_terms(void)
{
	static struct expr_term term[] = {
		{ .name = "twice", .params = 1, .param = { { "a", EXPR_NUMBER } } },
		{ .name = "time", .params = 1, .param = { { "form", EXPR_TEXT } } },
	};
	static struct expr_terms terms = { .count = 0, .term = term };
	struct err e;

	if (terms.count)
		return &terms;
	FUZZ_CHECK(expr_parse(&term[0].body, "2 * a", &terms, term[0].param, 1, EXPR_NUMBER, &e) ==
		   0);
	FUZZ_CHECK(expr_parse(&term[1].body, "median(\"t/e/*/{form}/*\")", &terms, term[1].param, 1,
			      EXPR_NUMBER, &e) == 0);
	terms.count = 2;
	return &terms;
}

bool small_expression(const struct expr *p)
{
	int over = 0;

	for (size_t i = 0; i < p->nodes; i++)
		over += p->node[i].op >= OP_ALL && p->node[i].op <= OP_SMALLEST;
	return over <= 2 && p->nodes <= 60;
}
