/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "datasets/landscape/landscape_clauses.h"
#include "tests/fuzz/fuzz.h"

FUZZ_READER(maxsat)
{
	struct clauses c;
	enum clauses_verdict verdict;
	struct err e = { 0 };

	if (!fuzz_status(clauses_read(&c, fuzz_file(data, size), &e), &e)) {
		FUZZ_CHECK(!c.weight && !c.start && !c.literal);
		return;
	}
	FUZZ_CHECK(c.n >= 1 && c.count >= 1 && c.start[0] == 0);
	for (int32_t i = 0; i < c.count; i++) {
		FUZZ_CHECK(c.weight[i] >= CLAUSE_HARD);
		FUZZ_CHECK(c.start[i] <= c.start[i + 1]);
	}
	FUZZ_CHECK(c.start[c.count] == c.literals);
	for (int32_t i = 0; i < c.literals; i++)
		FUZZ_CHECK(c.literal[i] != 0 && abs(c.literal[i]) <= c.n);
	FUZZ_CHECK(!clauses_refute(&c, &verdict, &e) && verdict <= CLAUSES_REFUTED);
	clauses_free(&c);
}
