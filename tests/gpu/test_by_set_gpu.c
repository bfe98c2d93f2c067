/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The search by job set on a CUDA device: published node counts of 20 x 20 instances, with two
 * memory budgets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "algorithms/tree-search/by-set/sets_search.h"
#include "tests/gpu/sets_forms_gpu.h"
#include "algorithms/tree-search/flowshop/fsp_greedy.h"

/* Helbecque et al. 2025, Table 1: LB2, forward, from the optimum. */
static const struct {
	const char *name;
	int64_t optimum;
	uint64_t explored;
} tree[] = {
	{ "ta029", 2237, 9499307 },
	{ "ta030", 2178, 13228600 },
	{ "ta022", 2099, 14561974 },
	{ "ta028", 2200, 196916205 },
};

static struct search_request request_of(const struct flowshop *f, int64_t ub, int64_t memory)
{
	return (struct search_request){ .flowshop = f,
					.bound = FSP_LB2,
					.branching = FSP_FORWARD,
					.ub = ub,
					.devices = &devices,
					.memory = memory };
}

static void trees_have_published_counts(void **state)
{
	static const int64_t memory[] = { 0, (int64_t)1 << 30 };

	(void)state;
	for (size_t i = 0; i < sizeof(tree) / sizeof(*tree); i++) {
		struct flowshop f;
		struct err e = { 0 };

		assert_int_equal(flowshop_load(&f, tree[i].name, &e), 0);
		for (size_t k = 0; k < sizeof(memory) / sizeof(*memory); k++) {
			struct search_request r = request_of(&f, tree[i].optimum, memory[k]);
			struct search_outcome o;

			if (sets_search(&r, false, &o, &e))
				fail_msg("%s: %s", tree[i].name, e.text);
			assert_true(o.complete);
			assert_int_equal(o.explored, tree[i].explored);
			assert_int_equal(o.decomposed, tree[i].explored + 1);
			assert_int_equal(o.best, tree[i].optimum);
			assert_true(!memory[k] || o.memory_peak <= (uint64_t)memory[k]);
			search_outcome_free(&o);
		}
		flowshop_free(&f);
	}
}

static void every_form_has_the_published_counts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(tree) / sizeof(*tree); i += 3) {
		struct flowshop f;
		struct err e = { 0 };

		assert_int_equal(flowshop_load(&f, tree[i].name, &e), 0);
		expect_all_forms(request_of(&f, tree[i].optimum, 0), tree[i].explored + 1);
		flowshop_free(&f);
	}
}

static void the_optimum_is_found_from_neh(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct flowshop f;
		struct err e = { 0 };
		struct search_outcome o;

		assert_int_equal(flowshop_load(&f, tree[i].name, &e), 0);
		int64_t order[20];
		struct search_request r = request_of(&f, fsp_neh(&f, order, &e), 0);

		r.start = order;
		if (sets_search(&r, false, &o, &e))
			fail_msg("%s: %s", tree[i].name, e.text);
		assert_int_equal(o.best, tree[i].optimum);
		assert_int_equal(flowshop_makespan(&f, o.order), tree[i].optimum);
		search_outcome_free(&o);
		flowshop_free(&f);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(trees_have_published_counts),
		cmocka_unit_test(every_form_has_the_published_counts),
		cmocka_unit_test(the_optimum_is_found_from_neh),
	};

	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
