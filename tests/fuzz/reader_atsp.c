/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "datasets/atsp/atsp.h"
#include "tests/fuzz/fuzz.h"

/* No tour overflows 31 bits. */
static void check_costs(const struct atsp *a)
{
	int64_t greatest = 0;

	FUZZ_CHECK(a->cities >= 2 && a->cities <= ATSP_MAX_CITIES);
	for (int i = 0; i < a->cities * a->cities; i++) {
		FUZZ_CHECK(a->cost[i] >= 0);
		greatest = a->cost[i] > greatest ? a->cost[i] : greatest;
	}
	for (int i = 0; i < a->cities; i++)
		FUZZ_CHECK(a->cost[i * a->cities + i] == 0);
	FUZZ_CHECK(greatest * a->cities <= INT32_MAX);
}

FUZZ_READER(atsp)
{
	struct atsp a, again;
	struct err e = { 0 };

	if (!fuzz_status(atsp_load(&a, fuzz_file(data, size), &e), &e)) {
		FUZZ_CHECK(a.cost == NULL);
		return;
	}
	check_costs(&a);
	FUZZ_CHECK(atsp_write(&a, fuzz_scratch(), &e) == 0);
	FUZZ_CHECK(atsp_load(&again, fuzz_scratch(), &e) == 0);
	FUZZ_CHECK(atsp_hash(&a) == atsp_hash(&again));
	atsp_free(&a);
	atsp_free(&again);
}
