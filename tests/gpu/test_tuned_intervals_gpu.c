/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* N-Queens and ATSP by intervals on CUDA devices: published counts up to 18 queens, ATSP against
 * the multi-core search, on one device and on all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "algorithms/gmys-ivm/ivm_search.h"
#include "algorithms/tree-search/atsp/atsp_cpu.h"
#include "datasets/atsp/atsp.h"
#include "tests/gpu/cuda_devices.h"

static struct search_outcome search(struct search_request r, const char *name)
{
	struct search_outcome o;
	struct err e = { 0 };

	r.devices = &devices;
	if (ivm_tuned_intervals(&r, &o, &e))
		fail_msg("%s, %d devices: %s", name, r.gpus, e.text);
	printf("%s, %d devices: %.3f ms, set up in %.3f ms, %d pieces, %.1f Gn/s\n", name,
	       o.workers, o.seconds_search * 1e3, o.seconds_setup * 1e3, (int)o.offloads,
	       (double)o.decomposed / o.seconds_search * 1e-9);
	assert_true(o.complete);
	return o;
}

static void boards_match_published_counts(void **state)
{
	static const struct {
		int queens;
		uint64_t decomposed, solutions;
	} known[] = {
		{ 15, 90634737, 2279184 },
		{ 16, 563208895, 14772512 },
		{ 17, 4224112370, 95815104 },
		{ 18, 29349876933, 666090624 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		for (int gpus = 1; gpus <= devices.count; gpus *= 2) {
			struct search_request r = { .queens = known[i].queens,
						    .half_board = true,
						    .gpus = gpus };
			struct search_outcome o;
			char name[16];

			snprintf(name, sizeof(name), "%d queens", r.queens);
			o = search(r, name);
			assert_int_equal(o.decomposed, known[i].decomposed);
			assert_int_equal(o.solutions, known[i].solutions);
		}
}

static void every_form_has_the_published_counts(void **state)
{
	static const unsigned form[] = { SEARCH_NO_SHARING, SEARCH_NO_REFILL };

	(void)state;
	for (size_t i = 0; i < sizeof(form) / sizeof(*form); i++) {
		struct search_request r = { .queens = 17, .half_board = true, .forms = form[i] };
		struct search_outcome o =
			search(r, i ? "17 queens, lanes wait" : "17 queens, lanes share nothing");

		assert_int_equal(o.decomposed, 4224112370);
		assert_int_equal(o.solutions, 95815104);
	}
}

/* Searches from the optimum, and from the heuristic start tour. */
static void check_atsp(const struct atsp *a, int64_t optimum, const int64_t *tour)
{
	struct search_request r = { .atsp = a, .ub = optimum, .start = tour, .threads = 16 };
	struct search_outcome cpu, o;
	struct err e = { 0 };

	if (atsp_cpu(&r, &cpu, &e))
		fail_msg("%s: %s", a->name, e.text);
	for (r.gpus = 1; r.gpus <= devices.count; r.gpus *= 2) {
		o = search(r, a->name);
		assert_int_equal(o.decomposed, cpu.decomposed);
		assert_int_equal(o.leaves, cpu.leaves);
		assert_int_equal(o.best, optimum);
		search_outcome_free(&o);
	}
	search_outcome_free(&cpu);
	r = (struct search_request){ .atsp = a, .ub = SEARCH_NO_UB };
	o = search(r, a->name);
	assert_int_equal(o.best, optimum);
	assert_int_equal(atsp_tour_cost(a, o.order), optimum);
	search_outcome_free(&o);
}

static void atsp_counts_match_the_multi_core_search(void **state)
{
	static const char *const name[] = { "crane:12:1", "crane:16:1",       "crane:17:2",
					    "tsmat:14:1", "random:20:1000:1", "random:33:1000:1" };

	(void)state;
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		struct atsp a;
		int64_t optimum, tour[ATSP_HELD_KARP_MAX];
		struct err e = { 0 };

		assert_int_equal(atsp_load(&a, name[i], &e), 0);
		if (a.cities > ATSP_HELD_KARP_MAX) { /* a ring of arcs of cost 0; almost all other
							nodes are pruned */
			struct search_request r = { .atsp = &a };
			struct search_outcome o;

			for (int k = 0; k < a.cities; k++)
				a.cost[k * a.cities + (k + 1) % a.cities] = 0;
			o = search(r, a.name);
			assert_true(o.leaves >= 1);
			search_outcome_free(&o);
		} else {
			assert_int_equal(atsp_held_karp(&a, NULL, &optimum, tour, &e), 0);
			check_atsp(&a, optimum, tour);
		}
		atsp_free(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boards_match_published_counts),
		cmocka_unit_test(every_form_has_the_published_counts),
		cmocka_unit_test(atsp_counts_match_the_multi_core_search),
	};

	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
