#include "tests/fuzz/world.h"

#include <stdlib.h>

#include "harness/report/predicate_private.h"
#include "tests/fuzz/fuzz.h"

const struct result_set *small_results(void)
{
	static double seconds[] = { 1, 1.5, 2 }, nodes[] = { 7, 7, 8 };
	static struct result_counter counter[] = { { "nodes", nodes } };
	static struct result_bench bench[] = {
		{ "t/e/a/cpu/n:1", "", 0, 3, seconds, 1, counter },
		{ "t/e/a/cpu/n:2", "", 0, 2, seconds, 1, counter },
		{ "t/e/a/tuned/n:2", "", 0, 1, seconds, 0, NULL },
	};
	static struct result_set set = {
		.target = "t", .machine = "m", .benches = 3, .bench = bench
	};

	return &set;
}

const struct pred_terms *small_terms(void)
{
	static struct pred_term term[] = {
		{ .name = "twice", .params = 1, .param = { { "a", PRED_NUMBER } } },
		{ .name = "time", .params = 1, .param = { { "form", PRED_TEXT } } },
	};
	static struct pred_terms terms = { .count = 0, .term = term };
	struct err e;

	if (terms.count)
		return &terms;
	FUZZ_CHECK(pred_parse(&term[0].body, "2 * a", &terms, term[0].param, 1, PRED_NUMBER, &e) ==
		   0);
	FUZZ_CHECK(pred_parse(&term[1].body, "median(\"t/e/*/{form}/*\")", &terms, term[1].param, 1,
			      PRED_NUMBER, &e) == 0);
	terms.count = 2;
	return &terms;
}

bool small_expression(const struct pred *p)
{
	int over = 0;

	for (size_t i = 0; i < p->nodes; i++)
		over += p->node[i].op >= OP_ALL && p->node[i].op <= OP_SMALLEST;
	return over <= 2 && p->nodes <= 60;
}
