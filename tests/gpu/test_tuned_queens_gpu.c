/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* N-Queens on CUDA devices: published counts up to 17 queens in both modes, on one device and on
 * all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "algorithms/helbecque-pool/pool_search.h"
#include "tests/gpu/cuda_devices.h"

static void check(struct search_request r, uint64_t explored, uint64_t solutions)
{
	struct search_outcome o;
	struct err e = { 0 };

	r.devices = &devices;
	if (pool_tuned_queens(&r, &o, &e))
		fail_msg("%d queens, %d devices: %s", r.queens, r.gpus, e.text);
	printf("%d queens, %s, %d devices%s, forms %#x: %.3f ms, set up in %.3f ms, %d parts\n",
	       r.queens, r.solutions_only ? "solutions" : "all placements", o.workers,
	       r.no_stealing ? ", fixed shares" : "", r.forms, o.seconds_search * 1e3,
	       o.seconds_setup * 1e3, (int)o.offloads);
	assert_int_equal(o.solutions, solutions);
	if (!r.solutions_only)
		assert_int_equal(o.explored, explored);
}

static void counts_match_published_on_one_and_all_devices(void **state)
{
	static const struct {
		int queens;
		uint64_t explored, solutions;
	} known[] = {
		{ 8, 2056, 92 },
		{ 10, 35538, 724 },
		{ 12, 856188, 14200 },
		{ 13, 4674889, 73712 },
		{ 14, 27358552, 365596 },
		{ 15, 171129071, 2279184 },
		{ 16, 1141190302, 14772512 },
		{ 17, 8017021931, 95815104 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		for (int how = 0; how < 4; how++)
			for (int gpus = 1; gpus <= devices.count; gpus *= 2)
				check((struct search_request){ .queens = known[i].queens,
							       .gpus = gpus,
							       .solutions_only = how & 1,
							       .no_stealing = how & 2 },
				      known[i].explored, known[i].solutions);
}

static void every_form_has_the_published_counts(void **state)
{
	static const unsigned form[] = { SEARCH_NO_SYMMETRY, SEARCH_BY_LISTS, SEARCH_NO_REFILL,
					 SEARCH_NO_SYMMETRY | SEARCH_NO_REFILL,
					 SEARCH_NO_SYMMETRY | SEARCH_NO_REFILL | SEARCH_BY_LISTS };

	(void)state;
	for (size_t i = 0; i < sizeof(form) / sizeof(*form); i++)
		for (int gpus = 1; gpus <= devices.count; gpus *= 2) {
			struct search_request r = { .queens = 15, .gpus = gpus, .forms = form[i] };

			check(r, 171129071, 2279184);
			r.queens = 17;
			check(r, 8017021931, 95815104);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_match_published_on_one_and_all_devices),
		cmocka_unit_test(every_form_has_the_published_counts),
	};

	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
