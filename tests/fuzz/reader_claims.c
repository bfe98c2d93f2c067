/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Claims, and their judgement by the results of tests/fuzz/world.c. */
#include <math.h>
#include <string.h>

#include "harness/report/claims.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/world.h"

FUZZ_READER(claims)
{
	struct claims all;
	struct err e = { 0 };
	if (!fuzz_status(claims_read(&all, fuzz_file(data, size), small_terms(), &e), &e)) {
		FUZZ_CHECK(!all.claim && all.count == 0);
		return;
	}
	for (size_t i = 0; i < all.count; i++) {
		const struct claim *c = &all.claim[i];
		FUZZ_CHECK(c->id[0] && c->says[0] && c->test);
		FUZZ_CHECK(isnan(c->tolerance) || c->tolerance >= 0);
		FUZZ_CHECK((c->decided == DECIDED_NOTHING) == (c->kind == CLAIM_ARITHMETIC));
		FUZZ_CHECK(!c->parts || c->hardware);
	}
	claims_free(&all);
}
