/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Reads the same bytes as a baseline.json and as a result file of a build. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/compare/baseline.h"
#include "harness/compare/target.h"
#include "harness/base/outfile.h"
#include "tests/fuzz/fuzz.h"

/* Returns a separate folder, because other readers use the scratch path as a file. */
static const char *folder(void)
{
	static char path[PATH_MAX - 64];

	snprintf(path, sizeof(path), "%s.baseline", fuzz_scratch());
	return path;
}

/* A baseline of machine "m" and host "h". */
static void read_baseline(const uint8_t *data, size_t size)
{
	static const struct environment env = { .machine = "m", .host_hash = "h" };
	struct settings s = { .bin = "bin", .papers = "papers" };
	struct baseline b;
	struct err e = { 0 };
	char path[PATH_MAX];
	const char *filter;

	setenv("COPRA_RESULTS", folder(), 1);
	snprintf(path, sizeof(path), "%s/m/gate/default/baseline.json", folder());
	FUZZ_CHECK(outfile_write(path, data, size, &e) == 0);
	if (fuzz_status(baseline_load(&b, &s, &env, &e), &e)) {
		FUZZ_CHECK(baseline_complete(&b, &s, &e) == 0); /* no given value can differ */
		FUZZ_CHECK(s.launch.scale && s.launch.device && s.launch.min_time &&
			   s.launch.arguments);
		(void)baseline_family(&b, "t", &filter);
	}
	baseline_free(&b);
}

static void check_samples(const struct gate_session *s)
{
	for (size_t i = 0; i < s->count; i++)
		FUZZ_CHECK(s->bench[i].name[0] != '\0');
}

/* A build compared with itself has all its benchmarks. Saved rows can be loaded again. */
static void read_rows(const uint8_t *data, size_t size)
{
	struct gate_target t = { .name = "t" };
	struct build_rows again = { 0 };
	struct err e = { 0 };
	char path[PATH_MAX];
	const char **names = NULL;
	size_t count = 0;

	if (!fuzz_status(rows_load(&t.build[GATE_OLD], fuzz_file(data, size), &e), &e))
		return;
	FUZZ_CHECK(rows_load(&t.build[GATE_NEW], fuzz_file(data, size), &e) == 0);
	FUZZ_CHECK(rows_names(&t.build[GATE_OLD], &names, &count, &e) == 0);
	FUZZ_CHECK(target_match(&t, NULL, &e) == 0);
	FUZZ_CHECK(t.session.count == count && t.omitted_count == 0);
	check_samples(&t.session);
	FUZZ_CHECK(rows_save(&t.build[GATE_OLD], folder(), "t", "old", &e) == 0);
	snprintf(path, sizeof(path), "%s/t.old.json", folder());
	FUZZ_CHECK(rows_load(&again, path, &e) == 0);
	FUZZ_CHECK(json_array_size(again.rows) == json_array_size(t.build[GATE_OLD].rows));
	free(names);
	rows_free(&again);
	target_free(&t);
}

FUZZ_READER(baseline)
{
	read_baseline(data, size);
	read_rows(data, size);
}
