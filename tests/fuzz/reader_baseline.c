/* What make baseline keeps: the file that says what it is of, and result files as make compare
 * takes them for rows of a build, from the same bytes. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/compare/baseline.h"
#include "harness/compare/target.h"
#include "harness/base/outfile.h"
#include "tests/fuzz/fuzz.h"

/* A folder; the scratch itself is a file of other readers. */
static const char *folder(void)
{
	static char path[PATH_MAX - 64];

	snprintf(path, sizeof(path), "%s.baseline", fuzz_scratch());
	return path;
}

/* Of the machine "m", whose host is "h". */
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
		FUZZ_CHECK(baseline_complete(&b, &s, &e) ==
			   0); /* nothing was given that could differ */
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

/* A build compared with itself has all its benchmarks; what is saved comes back. */
static void read_rows(const uint8_t *data, size_t size)
{
	struct gate_target t = { .name = "t" };
	struct arm again = { 0 };
	struct err e = { 0 };
	char path[PATH_MAX];
	const char **names = NULL;
	size_t count = 0;

	if (!fuzz_status(arm_load(&t.arm[GATE_OLD], fuzz_file(data, size), &e), &e))
		return;
	FUZZ_CHECK(arm_load(&t.arm[GATE_NEW], fuzz_file(data, size), &e) == 0);
	FUZZ_CHECK(arm_names(&t.arm[GATE_OLD], &names, &count, &e) == 0);
	FUZZ_CHECK(target_match(&t, NULL, &e) == 0);
	FUZZ_CHECK(t.session.count == count && t.lefts == 0);
	check_samples(&t.session);
	FUZZ_CHECK(arm_save(&t.arm[GATE_OLD], folder(), "t", "old", &e) == 0);
	snprintf(path, sizeof(path), "%s/t.old.json", folder());
	FUZZ_CHECK(arm_load(&again, path, &e) == 0);
	FUZZ_CHECK(json_array_size(again.rows) == json_array_size(t.arm[GATE_OLD].rows));
	free(names);
	arm_free(&again);
	target_free(&t);
}

FUZZ_READER(baseline)
{
	read_baseline(data, size);
	read_rows(data, size);
}
