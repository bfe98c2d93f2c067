/* The published algorithm on CUDA devices: the counts of the paper's Tables 1 and 2 in both modes,
 * with every strategy of stealing, several T, and one or more devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "algorithms/gmys-ivm/ivm_search.h"
#include "datasets/atsp/atsp.h"
#include "tests/gpu/cuda_devices.h"

static struct ivm_outcome search(const char *what, struct ivm_request r, int gpus)
{
	struct ivm_outcome o;
	struct err e = { 0 };

	r.common.devices = &devices;
	r.common.gpus = gpus;
	if (ivm_search(SOLVE_PUBLISHED, &r, &o, &e))
		fail_msg("%s, %d devices: %s", what, gpus, e.text);
	printf("%s, T %d, mode %d, rule %d, trigger %lld, %d devices: %.3f ms\n", what, o.ivms,
	       (int)o.mode, (int)r.victims, (long long)o.trigger, gpus,
	       o.common.seconds_search * 1e3);
	assert_true(o.common.complete);
	return o;
}

static void tree_of_ta030_matches_table_1(void **state)
{
	struct flowshop f;
	struct err e = { 0 };

	(void)state;
	if (flowshop_load(&f, "ta030", &e))
		fail_msg("%s", e.text);
	for (int i = 0; i < 12; i++) {
		struct ivm_request r = { .common = { .flowshop = &f,
						     .bound = FSP_LB2,
						     .ub = 2178,
						     .branching = FSP_MAXSUM },
					 .mode = i % 4 == 3 ? IVM_PTE : IVM_PTE_PEB,
					 .ivms = 2048 << i % 3,
					 .victims = i % 2 ? IVM_ADAPT : IVM_HYPERCUBE };

		for (int gpus = 1; gpus <= devices.count; gpus++) {
			struct ivm_outcome o = search("ta030", r, gpus);

			assert_int_equal(o.common.decomposed, 1648102);
			assert_int_equal(o.common.best, 2178);
			ivm_outcome_free(&o);
		}
	}
	flowshop_free(&f);
}

static void placements_of_15_queens_match_table_2(void **state)
{
	static const int triggers[] = { -1, 0, 64, 1000, 1 << 20 };

	(void)state;
	for (int i = 0; i < 10; i++) {
		struct ivm_request r = { .common = { .queens = 15, .half_board = true },
					 .mode = i == 9 ? IVM_PTE_PEB : IVM_PTE,
					 .ivms = 4096 << i % 5,
					 .trigger = triggers[i % 5],
					 .victims = i % 2 ? IVM_RING : IVM_HYPERCUBE };

		for (int gpus = 1; gpus <= devices.count; gpus++) {
			struct ivm_outcome o = search("15 queens", r, gpus);

			assert_int_equal(o.common.decomposed, 90634737);
			assert_int_equal(o.common.solutions, 2279184);
			ivm_outcome_free(&o);
		}
	}
}

/* Both modes count the same tours. */
static void tours_of_crane_match_table_2(void **state)
{
	struct atsp a;
	struct err e = { 0 };
	int64_t optimum;
	uint64_t decomposed = 0, leaves = 0;

	(void)state;
	if (atsp_load(&a, "crane:13:1", &e) || atsp_held_karp(&a, NULL, &optimum, NULL, &e))
		fail_msg("%s", e.text);
	for (int i = 0; i < 4; i++) {
		struct ivm_request r = { .common = { .atsp = &a, .ub = optimum },
					 .mode = i % 2 ? IVM_PTE : IVM_PTE_PEB,
					 .ivms = 4096 << i };
		struct ivm_outcome o = search("crane:13:1", r, 1);

		assert_true(i == 0 || o.common.decomposed == decomposed);
		assert_true(i == 0 || o.common.leaves == leaves);
		assert_true(o.common.leaves > 0);
		decomposed = o.common.decomposed;
		leaves = o.common.leaves;
		ivm_outcome_free(&o);
	}
	atsp_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tree_of_ta030_matches_table_1),
		cmocka_unit_test(placements_of_15_queens_match_table_2),
		cmocka_unit_test(tours_of_crane_match_table_2),
	};

	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
