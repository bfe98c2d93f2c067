/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The published algorithm on CUDA devices: the paper's tree of ta030 and the placements of 14
 * queens, on every number of devices, with shared and private incumbents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/helbecque-pool/ladder.h"
#include "algorithms/helbecque-pool/pool_search.h"
#include "tests/gpu/cuda_devices.h"

/* The search on `gpus` devices; every node is counted once, by the device that offloaded it or by
 * the host before and after. */
static struct search_outcome search(const char *what, struct search_request r, int gpus)
{
	uint64_t of_workers = 0;
	struct search_outcome o;
	struct err e = { 0 };

	r.devices = &devices;
	r.gpus = gpus;
	if (pool_search(SOLVE_PUBLISHED)(&r, &o, &e))
		fail_msg("%s, %d devices: %s", what, gpus, e.text);
	printf("%s, %s incumbent, %d devices: %.3f ms, %d chunks, %d steals\n", what,
	       r.private_incumbent ? "private" : "shared", o.workers, o.seconds_search * 1e3,
	       (int)o.offloads, (int)o.steals_done);
	assert_true(o.complete);
	assert_int_equal(o.workers, gpus);
	assert_true(o.offloads >= 1);
	for (int i = 0; i < gpus; i++)
		of_workers += o.worker_explored[i];
	assert_in_range(of_workers, 1, o.explored);
	return o;
}

static void tree_of_ta030_matches_the_paper(void **state)
{
	struct flowshop f;
	struct err e = { 0 };

	(void)state;
	if (flowshop_load(&f, "ta030", &e))
		fail_msg("%s", e.text);
	for (int private = 0; private <= 1; private ++) {
		for (int gpus = 1; gpus <= devices.count; gpus++) {
			struct search_request r = { .flowshop = &f,
						    .bound = FSP_LB2,
						    .ub = 2178,
						    .branching = FSP_FORWARD,
						    .private_incumbent = private };
			struct search_outcome o = search("ta030", r, gpus);

			assert_int_equal(o.explored, 13228600);
			assert_int_equal(o.decomposed, 13228601);
			assert_int_equal(o.best, 2178);
			assert_null(o.order);
			search_outcome_free(&o);
		}
	}
	flowshop_free(&f);
}

static void placements_of_14_queens_match_published_counts(void **state)
{
	(void)state;
	for (int private = 0; private <= 1; private ++) {
		for (int gpus = 1; gpus <= devices.count; gpus++) {
			struct search_request r = { .queens = 14, .private_incumbent = private };
			struct search_outcome o = search("14 queens", r, gpus);

			assert_int_equal(o.explored, 27358552);
			assert_int_equal(o.solutions, 365596);
			search_outcome_free(&o);
		}
	}
}

/* Every rung of the ladders on all devices. */
static void rungs_have_the_counts_of_the_paper(void **state)
{
	struct flowshop f;
	struct err e = { 0 };

	(void)state;
	if (flowshop_load(&f, "ta029", &e))
		fail_msg("%s", e.text);
	for (const struct solve_rung *rung = pool_rungs; rung->name; rung++) {
		bool queens = strcmp(rung->problem, "nqueens") == 0;
		struct search_request r = { .bound = FSP_LB2, .ub = 2237, .devices = &devices };
		struct search_outcome o;

		if (queens)
			r.queens = 14;
		else
			r.flowshop = &f;
		assert_int_equal(pool_rung_request(rung->name, &r, NULL), 0);
		if (pool_search(rung->variant)(&r, &o, &e))
			fail_msg("%s: %s", rung->name, e.text);
		printf("%s, %s: %.3f ms\n", rung->problem, rung->name, o.seconds_search * 1e3);
		assert_true(o.complete);
		assert_int_equal(o.explored, queens ? 27358552 : 9499307);
		assert_int_equal(o.solutions, queens ? 365596 : 0);
		search_outcome_free(&o);
	}
	flowshop_free(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(tree_of_ta030_matches_the_paper),
		cmocka_unit_test(placements_of_14_queens_match_published_counts),
		cmocka_unit_test(rungs_have_the_counts_of_the_paper),
	};

	if (dev_cuda_unavailable()) {
		printf("skipped: %s\n", dev_cuda_unavailable());
		return 0;
	}
	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
