/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Flowshop searches by job set on CUDA devices without single ideas: the counts stay, the times are
 * printed. Include after <cmocka.h>. */
#ifndef COPRA_TESTS_GPU_SETS_FORMS_GPU_H
#define COPRA_TESTS_GPU_SETS_FORMS_GPU_H

#include <stdio.h>

#include "algorithms/tree-search/by-set/sets_search.h"
#include "tests/gpu/cuda_devices.h"

static inline void expect_form(struct search_request r, unsigned forms, uint64_t decomposed)
{
	double least = 1e9;

	r.forms = forms;
	for (int i = 0; i < 3; i++) {
		struct search_outcome o;
		struct err e = { 0 };

		if (sets_search(&r, r.branching != FSP_FORWARD, &o, &e))
			fail_msg("%s: %s", r.flowshop->name, e.text);
		assert_int_equal(o.decomposed, decomposed);
		assert_int_equal(o.best, r.ub);
		least = o.seconds_search < least ? o.seconds_search : least;
		search_outcome_free(&o);
	}
	printf("%s, %d devices, forms %#x: %.3f ms\n", r.flowshop->name, r.gpus, forms,
	       least * 1e3);
}

/* `r` from the optimum, in all forms, on one device and on all. */
static inline void expect_all_forms(struct search_request r, uint64_t decomposed)
{
	static const unsigned form[] = { 0, SEARCH_NODES_ALONE, SEARCH_ONE_NODE };

	for (r.gpus = 1; r.gpus <= devices.count; r.gpus *= 2)
		for (size_t i = 0; i < sizeof(form) / sizeof(*form); i++)
			expect_form(r, form[i], decomposed);
}

#endif
