/* The least number of population counts of learning, which gives the lower bound on the time of a
 * row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "algorithms/gboa/case.h"

/* Passes over all pairs in one generation. */
static double passes(enum boa_model model, double edges_a_variable)
{
	struct boa_options o;
	enum { N = 11, PAIRS = 55 };
	struct boa_work f = { &o, N, 1, N * edges_a_variable };

	boa_defaults(&o);
	o.model = model;
	o.selected = 640;
	return boa_least_popcounts(&f) / (PAIRS * 10);
}

static void tables_need_more_passes_than_graphs(void **state)
{
	(void)state;
	/* a network without edges can follow from the counts of single variables */
	assert_float_equal(passes(BOA_PERMUTED, 0), 0, 1e-9);
	/* q parents: counts with the newest parent, for all configurations of the earlier ones */
	assert_float_equal(passes(BOA_PERMUTED, 1), 1, 1e-9);
	assert_float_equal(passes(BOA_PERMUTED, 2), 2, 1e-9);
	assert_float_equal(passes(BOA_PERMUTED, 3), 5, 1e-9);
	assert_float_equal(passes(BOA_PERMUTED, 2.5), 3.5, 1e-9);
	/* a split reads the individuals of one leaf */
	assert_float_equal(passes(BOA_TREES, 0.5), 0.5, 1e-9);
	assert_float_equal(passes(BOA_TREES, 5.3), 1, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_need_more_passes_than_graphs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
