/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The depth-first flowshop search on CUDA devices: known counts, known optima, limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/depth-first/dfs_search.h"
#include "tests/gpu/cuda_devices.h"
#include "algorithms/tree-search/flowshop/fsp_greedy.h"

static struct search_outcome search(const char *name, struct search_request *r, int expected)
{
	struct flowshop f;
	struct search_outcome o;
	struct err e = { .code = 0 };

	assert_int_equal(flowshop_load(&f, name, &e), 0);
	r->flowshop = &f;
	r->devices = &devices;
	if (dfs_search(r, &o, &e) != expected)
		fail_msg("%s: %s", name, e.text);
	printf("%s, %d devices: %.3f ms, %.3f G nodes/s, %llu rounds, %llu steals\n", name,
	       o.workers, o.seconds_search * 1e3, (double)o.decomposed / o.seconds_search / 1e9,
	       (unsigned long long)o.offloads, (unsigned long long)o.steals_done);
	if (o.order)
		assert_int_equal(flowshop_makespan(&f, o.order), o.best);
	flowshop_free(&f);
	return o;
}

static void trees_have_known_counts(void **state)
{
	static const struct {
		const char *name;
		enum fsp_bound bound;
		enum fsp_branching branching;
		int64_t ub;
		uint64_t decomposed;
	} known[] = {
		{ "ta030", FSP_LB1, FSP_MINBRANCH, 2178, 2415779 },
		{ "ta030", FSP_LB2, FSP_MAXSUM, 2178, 1648102 },
		{ "ta030", FSP_LB2, FSP_FORWARD, 2178, 13228601 },
		{ "ta029", FSP_LB2, FSP_FORWARD, 2237, 9499308 },
		{ "ta021", FSP_LB1, FSP_MINBRANCH, 2297, 461634463 },
		{ "ta056", FSP_LB1, FSP_MINBRANCH, 3640, 285385 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		for (int gpus = 1; gpus <= devices.count; gpus *= 2) {
			struct search_request r = { .bound = known[i].bound,
						    .ub = known[i].ub,
						    .branching = known[i].branching,
						    .gpus = gpus };
			struct search_outcome o = search(known[i].name, &r, 0);

			assert_int_equal(o.decomposed, known[i].decomposed);
			assert_int_equal(o.explored, known[i].decomposed - 1);
			search_outcome_free(&o);
		}
	}
}

/* Every node but the root was explored, and is decomposed or pruned: the bound never changes. A
 * fast device may end the tree before a pair is chosen. */
static void machine_pairs_keep_the_proof_of_ta021(void **state)
{
	(void)state;
	for (int gpus = 1; gpus <= devices.count; gpus *= 2) {
		struct search_request r = { .bound = FSP_LB1,
					    .branching = FSP_MINBRANCH,
					    .ub = 2297,
					    .gpus = gpus,
					    .pairs = true,
					    .pairs_seconds = 1e-9 };
		struct search_outcome o = search("ta021", &r, 0);

		printf("%llu nodes pruned by pairs\n", (unsigned long long)o.cut);
		assert_true(o.complete && o.best == 2297);
		assert_int_equal(o.explored + 1, o.decomposed + o.cut);
		if (o.cut)
			assert_true(o.decomposed + o.cut < 461634463);
		else
			assert_int_equal(o.decomposed, 461634463);
		search_outcome_free(&o);
	}
}

static void the_optimum_is_found_from_neh(void **state)
{
	struct search_request r = { .bound = FSP_LB1, .branching = FSP_MINBRANCH };
	struct search_outcome o;
	struct flowshop f;
	int64_t order[20];
	struct err e;

	(void)state;
	assert_int_equal(flowshop_load(&f, "ta011", &e), 0);
	r.ub = fsp_neh(&f, order, &e);
	r.start = order;
	flowshop_free(&f);
	o = search("ta011", &r, 0);
	assert_int_equal(o.best, 1582);
	assert_non_null(o.order);
	search_outcome_free(&o);
}

static void time_limits_are_kept(void **state)
{
	struct search_request r = {
		.bound = FSP_LB1, .branching = FSP_MINBRANCH, .ub = 3679, .time_limit = 0.5
	};
	struct search_outcome o = search("ta056", &r, ERR_LIMIT);

	(void)state;
	assert_false(o.complete);
	assert_true(o.seconds_total < 1);
	assert_in_range(o.lower_bound, 3500, 3679);
	search_outcome_free(&o);
}

/* Stopped repeatedly, and resumed each time on another number of devices. */
static void counts_add_up_over_stops(void **state)
{
	char path[] = "/tmp/copra-deep-XXXXXX";
	int file = mkstemp(path), status = ERR_LIMIT, runs = 0;
	uint64_t decomposed = 0;

	(void)state;
	assert_true(file >= 0);
	close(file);
	while (status == ERR_LIMIT) {
		struct checkpoint_plan plan = { .write = path,
						.period = 0.002,
						.resume = runs ? path : NULL };
		struct search_request r = { .bound = FSP_LB1,
					    .branching = FSP_MINBRANCH,
					    .ub = 3660,
					    .gpus = 1 + runs % devices.count,
					    .checkpoint = &plan,
					    .time_limit = runs < 5 ? 0.001 : 0 };
		struct search_outcome o;

		status = runs < 5 ? ERR_LIMIT : 0;
		o = search("ta056", &r, status);
		decomposed = o.decomposed;
		search_outcome_free(&o);
		runs++;
	}
	assert_int_equal(decomposed, 97139666);
	unlink(path);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(trees_have_known_counts),
		cmocka_unit_test(machine_pairs_keep_the_proof_of_ta021),
		cmocka_unit_test(the_optimum_is_found_from_neh),
		cmocka_unit_test(time_limits_are_kept),
		cmocka_unit_test(counts_add_up_over_stops),
	};

	if (dev_cuda_unavailable()) {
		printf("skipped: %s\n", dev_cuda_unavailable());
		return 0;
	}
	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
