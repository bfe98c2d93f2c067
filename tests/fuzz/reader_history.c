/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The history of measurements: a file that people may edit, and that runs append to. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/samples.h"
#include "harness/compare/history/series.h"
#include "harness/base/outfile.h"
#include "tests/fuzz/fuzz.h"

static size_t lines_of(const uint8_t *data, size_t size)
{
	size_t lines = 0;

	for (size_t i = 0; i < size; i++)
		lines += data[i] == '\n';
	return lines;
}

/* The lines can be shown, whatever they contain. */
static void use(const struct entries *all)
{
	/* few permutations suffice: only reading is tested */
	const struct series_setting setting = {
		.floor = 0.03, .test = { .level = 0.1, .permutations = 19, .least = 2, .seed = 1 }
	};
	struct series_list list;
	struct err e = { 0 };
	char *text = NULL;
	size_t length = 0, points = 0;
	FILE *out = open_memstream(&text, &length);

	FUZZ_CHECK(out && entries_write_sql(out, all, &e) == 0);
	fclose(out);
	free(text);
	FUZZ_CHECK(series_build(&list, all, &setting, &e) == 0);
	for (size_t i = 0; i < list.count; i++)
		points += list.series[i].points + list.series[i].older;
	FUZZ_CHECK(points == all->count);
	series_free(&list);
}

/* An appended line can be read back and does not remove a complete line, whatever the file
 * contains. */
static void append(const struct entries *before)
{
	const double seconds = 0.5;
	const struct samples_bench b = { "t/appended", &seconds, 1 };
	const struct samples_run run = { .source = "fuzz", .date = "2026-11-22T10:00:00Z" };
	const char *path = fuzz_scratch();
	struct entries all;
	struct err e = { 0 };
	size_t added;

	FUZZ_CHECK(samples_append(path, &run, &b, 1, &added, &e) == 0);
	FUZZ_CHECK(entries_load(&all, path, &e) == 0);
	FUZZ_CHECK(all.count == before->count + added);
	FUZZ_CHECK(!added || strcmp(all.entry[all.count - 1].name, "t/appended") == 0);
	entries_free(&all);
}

FUZZ_READER(history)
{
	struct entries all;
	struct err e = { 0 };

	FUZZ_CHECK(outfile_write(fuzz_scratch(), data, size, &e) == 0);
	if (!fuzz_status(entries_load(&all, fuzz_scratch(), &e), &e))
		return;
	FUZZ_CHECK(all.count + lines_of((const uint8_t *)text_get(&all.problems),
					all.problems.length) ==
		   lines_of(data, size));
	for (size_t i = 0; i < all.count; i++)
		FUZZ_CHECK(all.entry[i].samples > 0 && all.entry[i].seconds[0] > 0);
	use(&all);
	append(&all);
	entries_free(&all);
}
