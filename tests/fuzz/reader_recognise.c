/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Recognition of formats: what a reader accepts is recognised as such. */
#include <string.h>

#include "datasets/atsp/atsp.h"
#include "datasets/flowshop/flowshop.h"
#include "datasets/knapsack/knapsack.h"
#include "datasets/recognise.h"
#include "tests/fuzz/fuzz.h"

static void check_texts(const struct recognised *r)
{
	struct recognise_message what = { .used = 0 }, advice = { .used = 0 };

	FUZZ_CHECK(r->forms < 1u << FORMS);
	recognise_describe(&what, r, "times");
	FUZZ_CHECK((r->forms != 0) == (what.used > 0) && !what.full);
	recognise_advise(&advice, r, "add");
	FUZZ_CHECK(advice.used > 0 && !advice.full);
	for (int i = 0; i < FORMS; i++) {
		bool there = r->forms & 1u << i;

		FUZZ_CHECK(there == (r->form[i].what[0] != '\0'));
		FUZZ_CHECK(there == (r->form[i].why[0] != '\0'));
		FUZZ_CHECK(memchr(r->form[i].what, '\0', sizeof(r->form[i].what)) != NULL);
	}
}

static void check_flowshops(const struct recognised *r, const char *path)
{
	struct flowshop f;

	if (flowshop_load(&f, path, NULL) == 0)
		FUZZ_CHECK(r->forms & FORMS_FLOWSHOP);
	flowshop_free(&f);
	/* a single number, or a board without blanks, is not called a matrix */
	if (flowshop_load_as(&f, path, FLOWSHOP_JOBS_BY_MACHINES, NULL) == 0 &&
	    f.jobs * f.machines > 1 && !(r->forms & FORMS_SAMEGAME)) {
		bool sized = r->forms & 1u << FORM_SIZED_MATRIX;
		struct recognised_size size = sized ? r->sized : r->matrix;

		FUZZ_CHECK(r->forms & FORMS_MATRIX);
		FUZZ_CHECK(size.rows == f.jobs && size.columns == f.machines);
		FUZZ_CHECK(!sized || !r->reverse);
	}
	flowshop_free(&f);
}

FUZZ_READER(recognise)
{
	const char *path = fuzz_file(data, size);
	struct recognised r;
	struct knapsack k;
	struct atsp a;
	struct err e = { 0 };

	if (!fuzz_status(recognise(&r, path, &e), &e))
		return;
	check_texts(&r);
	check_flowshops(&r, path);
	if (knapsack_load(&k, path, NULL) == 0)
		FUZZ_CHECK(r.forms & FORMS_KNAPSACK);
	knapsack_free(&k);
	if (atsp_load(&a, path, NULL) == 0)
		FUZZ_CHECK(r.forms & FORMS_ATSP);
	atsp_free(&a);
}
