/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Result files: the same bytes are read as Google Benchmark's JSON, as a list of skipped cases, and
 * as peak rates. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/data/results.h"
#include "tests/fuzz/fuzz.h"

static void check_bench(const struct result_set *s, const struct result_bench *b)
{
	double sum = 0;

	FUZZ_CHECK(b->name[0] && b->label && b->file < s->files && b->runs >= 1);
	for (size_t i = 0; i < b->runs; i++)
		FUZZ_CHECK(b->seconds[i] >= 0);
	for (size_t i = 0; i < b->counters; i++)
		for (size_t k = 0; k < b->runs; k++) /* every run can be read */
			sum += isnan(b->counter[i].values[k]) ? 1 : 0;
	FUZZ_CHECK(sum <= (double)(b->counters * b->runs));
}

static void check_set(const struct result_set *s)
{
	for (size_t i = 0; i < s->benches; i++)
		check_bench(s, &s->bench[i]);
	for (size_t i = 0; i < s->skips; i++)
		FUZZ_CHECK(s->skip[i].name && s->skip[i].message);
	for (size_t i = 0; i < s->files; i++)
		for (size_t k = 0; k < s->file[i].facts; k++)
			FUZZ_CHECK(result_fact(&s->file[i], s->file[i].fact[k].name) != NULL);
}

FUZZ_READER(results)
{
	struct results r = { .sets = 1, .set = calloc(1, sizeof(*r.set)) };
	const char *path = fuzz_file(data, size);
	struct err e = { 0 };
	bool read;

	FUZZ_CHECK(r.set != NULL);
	read = fuzz_status(results_read(r.set, RESULTS_ROWS, path, "quick", &e), &e);
	if (read) /* the same file at a smaller scale is ignored */
		FUZZ_CHECK(results_read(r.set, RESULTS_ROWS, path, "smoke", &e) == 0);
	if (read)
		check_set(r.set);
	fuzz_status(results_read(r.set, RESULTS_SKIPS, path, "", &e), &e);
	fuzz_status(results_read(r.set, RESULTS_PEAKS, path, "", &e), &e);
	results_free(&r);
}
