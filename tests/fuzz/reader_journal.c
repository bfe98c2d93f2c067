/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Journals of `bench`: whatever the file contains, a case is done and has rows, or is pending. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/bench_journal.h"
#include "harness/bench/runner.h"
#include "harness/base/journal.h"
#include "tests/fuzz/fuzz.h"

enum { CASES = 2 };

static void check_case(const struct bench_case *c)
{
	FUZZ_CHECK(c->outcome == BENCH_DONE || c->outcome == BENCH_PENDING);
	FUZZ_CHECK(c->outcome == BENCH_PENDING || c->row_count > 0);
	FUZZ_CHECK(c->row_count <= c->row_capacity);
	for (int i = 0; i < c->row_count; i++) {
		FUZZ_CHECK(c->rows[i].run_name == c->name);
		FUZZ_CHECK(c->outcome == BENCH_PENDING || c->rows[i].repetitions == c->row_count);
		FUZZ_CHECK(c->rows[i].repetition_index == i);
		FUZZ_CHECK(c->rows[i].real_seconds > 0 && c->rows[i].iterations >= 1);
		FUZZ_CHECK(strlen(c->rows[i].label) < sizeof(c->rows[i].label));
		FUZZ_CHECK(c->rows[i].counters.count <= BENCH_COUNTERS);
	}
}

FUZZ_READER(journal)
{
	struct bench_case cases[CASES] = { 0 };
	struct bench_plan plan = { .cases = cases, .count = CASES };
	struct journal *j;
	struct err e = { 0 };
	int foreign;

	for (int i = 0; i < CASES; i++)
		snprintf(cases[i].name, sizeof(cases[i].name), "t/e/%c", 'a' + i);
	if (!fuzz_status(journal_open(&j, fuzz_file(data, size), true, &e), &e))
		return;
	FUZZ_CHECK(bench_journal_load(j, "0123456789abcdef", &plan, &foreign, &e) == 0);
	journal_close(j);
	for (int i = 0; i < CASES; i++) {
		check_case(&cases[i]);
		free(cases[i].rows);
	}
}
