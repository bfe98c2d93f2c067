/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The published algorithm on CUDA devices: the counts of the paper's Tables 1 and 2 in both modes,
 * with every strategy of stealing, several T, and one or more devices, in the literal form and in
 * the faster ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/gmys-ivm/ivm_search.h"
#include "algorithms/gmys-ivm/ladder.h"
#include "datasets/atsp/atsp.h"
#include "tests/gpu/cuda_devices.h"

static const unsigned forms[] = { 0,
				  SEARCH_ONE_LAUNCH,
				  SEARCH_SHORT_STEPS,
				  SEARCH_PACKED_LB2,
				  SEARCH_STAGED,
				  SEARCH_ONE_PASS,
				  IVM_FAST_FORMS };
enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

/* The literal form executes all rounds after every expansion. */
static void check_rounds(const struct ivm_request *r, const struct ivm_outcome *o)
{
	struct ivm_victim_rule v = ivm_victims_make(r->victims, o->ivms);
	const struct ivm_victim_window w = { 0, 1 };

	if (r->common.forms & SEARCH_ONE_LAUNCH || r->victims == IVM_ADAPT)
		assert_true(o->inside_rounds > 0);
	else
		assert_int_equal(o->inside_rounds,
				 (uint64_t)ivm_victims_rounds(&v, &w) * o->expansions);
}

static struct ivm_outcome search(const char *what, struct ivm_request r, int gpus)
{
	struct ivm_outcome o;
	struct err e = { 0 };

	r.common.devices = &devices;
	r.common.gpus = gpus;
	if (ivm_search(SOLVE_PUBLISHED, &r, &o, &e))
		fail_msg("%s, %d devices: %s", what, gpus, e.text);
	printf("%s, T %d, mode %d, rule %d, trigger %lld, forms %x, %d devices: %.3f ms, "
	       "%llu expansions, %llu rounds\n",
	       what, o.ivms, (int)o.mode, (int)r.victims, (long long)o.trigger, r.common.forms,
	       gpus, o.common.seconds_search * 1e3, (unsigned long long)o.expansions,
	       (unsigned long long)o.inside_rounds);
	assert_true(o.common.complete);
	if (gpus == 1)
		check_rounds(&r, &o);
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
						     .branching = FSP_MAXSUM,
						     .forms = forms[i % FORMS] },
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

/* Only an expansion with SEARCH_SHORT_STEPS ends if the trigger is T and one IVM has all work. */
static void placements_of_15_queens_match_table_2(void **state)
{
	static const int triggers[] = { -1, 0, 64, 1000, 1 << 20 };

	(void)state;
	for (int i = 0; i < 10; i++) {
		struct ivm_request r = { .common = { .queens = 15,
						     .half_board = true,
						     .forms = i % 5 == 4 ? IVM_FAST_FORMS :
									   forms[i % FORMS] },
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
	for (int i = 0; i < 2 * FORMS; i++) {
		struct ivm_request r = {
			.common = { .atsp = &a, .ub = optimum, .forms = forms[i / 2] },
			.mode = i % 2 ? IVM_PTE : IVM_PTE_PEB,
			.ivms = 4096 << i % 4
		};
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

/* Every rung of the ladders, on one device and on all. */
static void rungs_have_the_counts_of_the_paper(void **state)
{
	struct flowshop f;
	struct err e = { 0 };

	(void)state;
	if (flowshop_load(&f, "ta030", &e))
		fail_msg("%s", e.text);
	for (const struct solve_rung *rung = ivm_rungs; rung->name; rung++)
		for (int gpus = 1; gpus <= devices.count; gpus++) {
			bool queens = strcmp(rung->problem, "nqueens") == 0;
			struct ivm_request r = { .common = { .flowshop = queens ? NULL : &f,
							     .queens = queens ? 15 : 0,
							     .half_board = queens,
							     .bound = FSP_LB2,
							     .branching = FSP_MAXSUM,
							     .ub = 2178,
							     .devices = &devices,
							     .gpus = gpus } };
			struct ivm_outcome o;

			assert_int_equal(ivm_rung_request(rung->name, &r.common, NULL), 0);
			if (ivm_search(rung->variant, &r, &o, &e))
				fail_msg("%s: %s", rung->name, e.text);
			printf("%s, %s, %d devices: %.3f ms\n", rung->problem, rung->name, gpus,
			       o.common.seconds_search * 1e3);
			assert_true(o.common.complete);
			assert_int_equal(o.common.decomposed, queens ? 90634737 : 1648102);
			assert_int_equal(o.common.solutions, queens ? 2279184 : 0);
			ivm_outcome_free(&o);
		}
	flowshop_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tree_of_ta030_matches_table_1),
		cmocka_unit_test(placements_of_15_queens_match_table_2),
		cmocka_unit_test(tours_of_crane_match_table_2),
		cmocka_unit_test(rungs_have_the_counts_of_the_paper),
	};

	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
