/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Two-sided branching by job set on CUDA devices: published node counts of 20 x 20 instances with
 * two memory budgets, and optima from heuristic bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "algorithms/tree-search/by-set/sets_search.h"
#include "tests/gpu/sets_forms_gpu.h"
#include "algorithms/tree-search/flowshop/fsp_greedy.h"

/* Gmys et al. 2017, Table 1 prints these in millions: LB2, MaxSum, from the optimum. */
static const struct {
	const char *name;
	int64_t optimum;
	uint64_t decomposed;
} tree[] = {
	{ "ta030", 2178, 1648102 },   { "ta029", 2237, 6778450 },  { "ta028", 2200, 8088505 },
	{ "ta022", 2099, 22068771 },  { "ta024", 2223, 40067821 }, { "ta021", 2297, 41417881 },
	{ "ta025", 2291, 41440440 },  { "ta027", 2273, 57111463 }, { "ta026", 2226, 71376390 },
	{ "ta023", 2326, 140848940 },
};

static struct search_request request_of(const struct flowshop *f, enum fsp_branching rule,
					int64_t ub)
{
	return (struct search_request){
		.flowshop = f, .bound = FSP_LB2, .branching = rule, .ub = ub, .devices = &devices
	};
}

static struct flowshop loaded(const char *name)
{
	struct flowshop f;
	struct err e = { 0 };

	if (flowshop_load(&f, name, &e))
		fail_msg("%s", e.text);
	return f;
}

static struct search_outcome searched(const struct search_request *r)
{
	struct search_outcome o;
	struct err e = { 0 };

	if (sets_search(r, true, &o, &e))
		fail_msg("%s: %s", r->flowshop->name, e.text);
	assert_true(o.complete);
	return o;
}

static void trees_have_published_counts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(tree) / sizeof(*tree); i++) {
		struct flowshop f = loaded(tree[i].name);
		struct search_request r = request_of(&f, FSP_MAXSUM, tree[i].optimum);
		struct search_outcome o = searched(&r);

		assert_int_equal(o.decomposed, tree[i].decomposed);
		assert_int_equal(o.leaves, 0);
		assert_int_equal(o.best, tree[i].optimum);
		search_outcome_free(&o);
		flowshop_free(&f);
	}
}

static void counts_match_in_little_memory(void **state)
{
	static const int64_t memory[] = { (int64_t)1 << 30, (int64_t)1 << 27 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct flowshop f = loaded(tree[3].name);
		struct search_request r = request_of(&f, FSP_MAXSUM, tree[3].optimum);

		r.memory = memory[i];
		struct search_outcome o = searched(&r);

		assert_int_equal(o.decomposed, tree[3].decomposed);
		assert_true(o.memory_peak <= (uint64_t)memory[i]);
		search_outcome_free(&o);
		flowshop_free(&f);
	}
}

static void every_form_has_the_published_counts(void **state)
{
	(void)state;
	for (size_t i = 3; i < sizeof(tree) / sizeof(*tree); i += 6) {
		struct flowshop f = loaded(tree[i].name);

		expect_all_forms(request_of(&f, FSP_MAXSUM, tree[i].optimum), tree[i].decomposed);
		flowshop_free(&f);
	}
}

static void the_optimum_is_found_from_neh(void **state)
{
	static const enum fsp_branching rules[] = { FSP_MAXSUM, FSP_MINBRANCH };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct flowshop f = loaded(tree[i].name);
		int64_t order[20];
		struct err e = { 0 };
		struct search_request r = request_of(&f, rules[i], fsp_neh(&f, order, &e));

		r.start = order;
		struct search_outcome o = searched(&r);

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
		cmocka_unit_test(counts_match_in_little_memory),
		cmocka_unit_test(every_form_has_the_published_counts),
		cmocka_unit_test(the_optimum_is_found_from_neh),
	};

	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
