/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Tests of verdicts, sessions, rows, families, launches, and the study of the gate. */
#include "harness/compare/gate_study.h"

#include <jansson.h>
#include <math.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "harness/compare/launch.h"
#include "harness/compare/family.h"
#include "harness/compare/rows.h"
#include "harness/compare/gate.h"
#include "harness/compare/folders.h"

/* ---- the study, at a small size ---- */

static void promises_hold_on_every_noise(void **state)
{
	(void)state;
	for (int kind = 0; kind < STUDY_NOISE_KINDS; kind++)
		for (int slower = 0; slower < 2; slower++) {
			struct study_row row;

			assert_int_equal(study_simulate(&row, (enum study_noise_kind)kind,
							slower ? 1.05 : 1, 40, 20,
							200 + (uint64_t)kind, NULL),
					 0);
			assert_int_equal(row.trials, 40);
			if (!study_holds(&row))
				fail_msg("%s, %s: %d slower, %d faster, %d same, %d ambiguous",
					 row.what, slower ? "5 % more" : "the same",
					 row.verdicts[GATE_SLOWER], row.verdicts[GATE_FASTER],
					 row.verdicts[GATE_SAME], row.verdicts[GATE_AMBIGUOUS]);
			if (!slower && !row.hopeless)
				assert_true(row.verdicts[GATE_SAME] >= 38);
		}
}

/* A slowdown of 1 % is below the floor and is not reported, so the study must fail. */
static void study_reports_a_broken_promise(void **state)
{
	struct study_row row;

	(void)state;
	assert_int_equal(study_simulate(&row, STUDY_NORMAL, 1.01, 20, 20, 3, NULL), 0);
	assert_false(study_holds(&row));
	assert_int_equal(study_simulate(&row, STUDY_NORMAL, 1 / 1.05, 20, 20, 3, NULL), 0);
	assert_true(row.verdicts[GATE_FASTER] >= 19);
	assert_false(study_holds(&row)); /* alarms */
}

/* ---- sessions ---- */

struct script {
	struct study_noise noise;
	double factor[GATE_BUILDS];
	enum gate_build order[600];
	int launches, stop_after;
	volatile sig_atomic_t stop;
};

static int scripted(void *ctx, const struct gate_session *s, enum gate_build build, int block,
		    double *seconds, struct err *e)
{
	struct script *c = ctx;

	(void)block;
	(void)e;
	c->order[c->launches++] = build;
	for (size_t i = 0; i < s->count; i++)
		seconds[i] = study_noise_launch(&c->noise, c->factor[build]);
	c->stop = c->launches == c->stop_after;
	return 0;
}

static struct gate_session session_of(struct script *c, struct gate_bench *bench)
{
	struct gate_session s = { .bench = bench,
				  .count = 1,
				  .rule = GATE_RULE,
				  .least = 5,
				  .most = 20,
				  .seed = 9,
				  .sample = scripted,
				  .ctx = c,
				  .stop = &c->stop };

	*bench = (struct gate_bench){ 0 };
	study_noise_start(&c->noise, STUDY_NORMAL, 4);
	return s;
}

static enum gate_verdict verdict_of(struct gate_session *s, char *reason)
{
	enum gate_verdict v;

	assert_int_equal(gate_session_run(s, NULL), 0);
	assert_int_equal(gate_judge(&s->bench->now, 1, &s->rule, NULL), 0);
	v = s->bench->now.verdict;
	strcpy(reason, s->bench->now.reason);
	gate_samples_free(&s->bench->samples);
	return v;
}

static void verdicts_follow_the_true_change(void **state)
{
	static const struct {
		double old, again, new;
		enum gate_verdict verdict;
		const char *reason;
	} cases[] = {
		{ 1, 1, 1, GATE_SAME, "" },
		{ 1, 1, 1.01, GATE_SAME, "" },
		{ 1, 1, 1.08, GATE_SLOWER, "" },
		{ 1, 1, 0.92, GATE_FASTER, "" },
		{ 1, 1, 3, GATE_SLOWER, "" },
		{ 1, 1.1, 1, GATE_AMBIGUOUS, "A/A control failed" },
		{ 1, 1.1, 1.3, GATE_AMBIGUOUS, "A/A control failed" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct script c = { .factor = { cases[i].old, cases[i].again, cases[i].new } };
		struct gate_bench bench;
		struct gate_session s = session_of(&c, &bench);
		char reason[160];

		assert_int_equal(verdict_of(&s, reason), cases[i].verdict);
		assert_int_equal(strncmp(reason, cases[i].reason, strlen(cases[i].reason)), 0);
		assert_int_equal(*reason == 0, *cases[i].reason == 0);
	}
}

static void too_noisy_is_ambiguous(void **state)
{
	struct script c = { .factor = { 1, 1, 1 } };
	struct gate_bench bench;
	struct gate_session s = session_of(&c, &bench);
	char reason[160];

	(void)state;
	study_noise_start(&c.noise, STUDY_HEAVY, 8);
	assert_int_equal(verdict_of(&s, reason), GATE_AMBIGUOUS);
	assert_non_null(strstr(reason, "too noisy"));
	assert_int_equal(s.blocks, 20);
	s = session_of(&c, &bench);
	s.most = s.least = 1;
	assert_int_equal(verdict_of(&s, reason), GATE_AMBIGUOUS);
	assert_non_null(strstr(reason, "too few samples"));
}

/* The floor applies to the estimate, the test to the hypothesis of no change: see gate.h. */
static void floor_applies_to_the_estimate_and_rate_to_q(void **state)
{
	static const struct {
		double ratio, low, high, p;
		enum gate_verdict verdict;
	} cases[] = {
		{ 1.033, 1.017, 1.048, 1e-4, GATE_SLOWER },    /* reaches below the floor */
		{ 1.033, 1.017, 1.048, 0.01, GATE_AMBIGUOUS }, /* may be chance */
		{ 1.029, 1.017, 1.048, 1e-9, GATE_SAME }, /* significant, but below the floor */
		{ 1.029, 1.017, 1.051, 1e-9, GATE_AMBIGUOUS }, /* may be 5 % */
		{ 1 / 1.031, 0.96, 0.98, 1e-4, GATE_FASTER },
		{ 1 / 1.029, 0.96, 0.98, 1e-4, GATE_SAME },
	};
	const struct gate_rule rule = GATE_RULE;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct gate_judgement j = GATE_UNTESTED;

		j.test = (struct rank_result){ .olds = 20,
					       .news = 20,
					       .ratio = cases[i].ratio,
					       .low = cases[i].low,
					       .high = cases[i].high,
					       .p = cases[i].p };
		assert_int_equal(gate_judge(&j, 1, &rule, NULL), 0);
		assert_int_equal(j.verdict, cases[i].verdict);
	}
}

/* Too few samples for SLOWER are too few for SAME too: otherwise the gate could never fail. */
static void too_few_samples_give_no_verdict(void **state)
{
	static const struct {
		size_t olds, news;
		double ratio;
		enum gate_verdict verdict;
	} cases[] = {
		{ 6, 6, 2, GATE_AMBIGUOUS }, { 6, 6, 1, GATE_AMBIGUOUS }, { 7, 7, 2, GATE_SLOWER },
		{ 7, 7, 0.5, GATE_FASTER },  { 7, 7, 1, GATE_SAME },      { 5, 20, 2, GATE_SLOWER },
	};
	struct gate_rule rule = GATE_RULE;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct gate_judgement j = GATE_UNTESTED;
		double ratio = cases[i].ratio;

		j.test = (struct rank_result){ .olds = cases[i].olds,
					       .news = cases[i].news,
					       .ratio = ratio,
					       .low = 0.99 * ratio,
					       .high = 1.01 * ratio,
					       .p = ratio == 1 ? 1 : 0.001 };
		assert_int_equal(gate_judge(&j, 1, &rule, NULL), 0);
		assert_int_equal(j.verdict, cases[i].verdict);
		if (j.verdict == GATE_AMBIGUOUS)
			assert_string_equal(j.reason, "too few samples: 6 old, 6 new; "
						      "7 of each are needed");
	}
	assert_int_equal(gate_samples_needed(&rule), 7);
	rule.rate = 2.0 / 924;
	assert_int_equal(gate_samples_needed(&rule), 6);
	rule.rate = 0.05;
	assert_int_equal(gate_samples_needed(&rule), 4); /* p >= 2 / 70; 2 / 20 is above the rate */
}

/* A benchmark interrupted before its first sample must not make the discovery of others easier. */
static void benchmarks_without_samples_count_as_no_discovery(void **state)
{
	struct gate_judgement family[] = { GATE_UNTESTED, GATE_UNTESTED, GATE_UNTESTED };
	const struct gate_rule rule = GATE_RULE;

	(void)state;
	family[1].test = (struct rank_result){
		.olds = 20, .news = 20, .ratio = 1.1, .low = 1.08, .high = 1.12, .p = 0.001
	};
	assert_int_equal(gate_judge(family, 3, &rule, NULL), 0);
	assert_int_equal(family[0].verdict, GATE_AMBIGUOUS);
	assert_false(family[0].control_failed);
	assert_int_equal(strncmp(family[0].reason, "too few samples", 15), 0);
	assert_true(fabs(family[1].q - 0.003) < 1e-12);
	assert_int_equal(
		family[1].verdict,
		GATE_AMBIGUOUS); /* 0.001 is significant alone, but not in a family of three */
}

/* Each block is mirrored and has each build twice. Over all blocks every build takes every place.
 */
static void blocks_are_mirrored_and_randomised(void **state)
{
	struct script c = { .factor = { 1, 1, 1 } };
	struct gate_bench bench;
	struct gate_session s = session_of(&c, &bench);
	int places[GATE_BUILDS][3] = { { 0 } };
	char reason[160];

	(void)state;
	s.least = s.most = 60;
	verdict_of(&s, reason);
	assert_int_equal(c.launches, 360);
	for (int block = 0; block < 60; block++) {
		const enum gate_build *o = &c.order[6 * block];

		for (int i = 0; i < 3; i++) {
			assert_int_equal(o[i], o[5 - i]);
			places[o[i]][i]++;
		}
		assert_int_equal((1 << o[0]) | (1 << o[1]) | (1 << o[2]), 7);
	}
	for (int build = 0; build < GATE_BUILDS; build++)
		for (int i = 0; i < 3; i++)
			assert_in_range(places[build][i], 8, 32);
}

static void sessions_end_when_settled_or_interrupted(void **state)
{
	struct script c = { .factor = { 1, 1, 1.5 } };
	struct gate_bench bench;
	struct gate_session s = session_of(&c, &bench);
	struct err e = { 0 };
	char reason[160];

	(void)state;
	assert_int_equal(verdict_of(&s, reason), GATE_SLOWER);
	assert_in_range(s.blocks, 5, 9);
	c.launches = 0;
	c.stop_after = 14; /* two blocks, and two launches of the third */
	s = session_of(&c, &bench);
	assert_int_equal(gate_session_run(&s, &e), ERR_LIMIT);
	assert_int_equal(c.launches, 14);
	assert_int_equal(s.blocks, 2);
	assert_int_equal(bench.samples.count, 14);
	assert_true(bench.now.test.olds >= 8 && bench.now.test.news >= 4);
	gate_samples_free(&bench.samples);
}

/* Recorded old rows: the new build is launched twice as often, against these values. */
static void recorded_rows_replace_the_old_build(void **state)
{
	struct script c = { .factor = { NAN, 1, 1 } };
	struct gate_bench bench;
	struct gate_session s = session_of(&c, &bench);
	char reason[160];

	(void)state;
	s.control = GATE_NEW_AGAIN;
	for (int i = 0; i < 20; i++)
		assert_int_equal(
			gate_samples_add(&bench.samples,
					 (struct gate_value){ study_noise_launch(&c.noise, 0.8), 0,
							      GATE_OLD },
					 NULL),
			0);
	assert_int_equal(verdict_of(&s, reason), GATE_SLOWER);
	for (int i = 0; i < c.launches; i++)
		assert_int_not_equal(c.order[i], GATE_OLD);
	assert_true(bench.now.test.news == 2 * bench.now.control.news);
}

static void invalid_rules_are_refused(void **state)
{
	struct gate_rule r = GATE_RULE;

	(void)state;
	assert_int_equal(gate_rule_check(&r, NULL), 0);
	r.detect = r.floor;
	assert_int_equal(gate_rule_check(&r, NULL), ERR_USAGE);
	r = (struct gate_rule)GATE_RULE;
	r.floor = 0;
	assert_int_equal(gate_rule_check(&r, NULL), ERR_USAGE);
	r.floor = NAN;
	assert_int_equal(gate_rule_check(&r, NULL), ERR_USAGE);
}

/* ---- rows ---- */

static const char results[] =
	"{\"context\": {}, \"benchmarks\": ["
	"{\"name\": \"a\", \"run_name\": \"a\", \"run_type\": \"iteration\", \"real_time\": 30,"
	" \"time_unit\": \"us\"},"
	"{\"name\": \"a\", \"run_name\": \"a\", \"run_type\": \"iteration\", \"real_time\": 20,"
	" \"time_unit\": \"us\"},"
	"{\"name\": \"a_mean\", \"run_name\": \"a\", \"run_type\": \"aggregate\", \"real_time\": 1,"
	" \"time_unit\": \"us\"},"
	"{\"name\": \"b\", \"real_time\": 2, \"time_unit\": \"s\"},"
	"{\"name\": \"c\", \"error_occurred\": true, \"real_time\": 2, \"time_unit\": \"s\"},"
	"{\"name\": \"d\", \"real_time\": 0, \"time_unit\": \"s\"},"
	"{\"name\": \"e\", \"real_time\": 1, \"time_unit\": \"weeks\"}]}";

/* A temporary folder on a file system that allows programs to be run, unlike some /dev/shm. */
static char folder[] = "/tmp/copra-test-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return folder_remove(folder, NULL);
}

/* Writes a program in the temporary folder. Returns its path, valid until the next call. */
static const char *written_program(const char *name, const char *body)
{
	static char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "#!/bin/sh\n%s\n", body);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, 0755), 0);
	return path;
}

static void collect(void *ctx, const char *name, double seconds)
{
	assert_int_equal(json_object_set_new(ctx, name, json_real(seconds)), 0);
}

static void fastest_repetition_counts(void **state)
{
	static const struct launch_parameters parameters = { .scale = "smoke",
							     .device = "cpu",
							     .min_time = "0.001s",
							     .repetitions = 2,
							     .arguments = "" };
	char body[2048];
	json_t *found = json_object();
	struct build_rows rows = { 0 };
	struct build_launch l = {
		.launch = { .parameters = &parameters }, .block = 3, .found = collect, .ctx = found
	};

	(void)state;
	snprintf(body, sizeof(body), "cat <<'END'\n%s\nEND", results);
	l.launch.program = written_program("target", body);
	assert_int_equal(rows_launch(&rows, &l, NULL), 0);
	assert_int_equal(json_object_size(found), 2);
	assert_true(fabs(json_real_value(json_object_get(found, "a")) - 20e-6) < 1e-15);
	assert_true(json_real_value(json_object_get(found, "b")) == 2);
	assert_int_equal(json_array_size(rows.rows), 2);
	assert_int_equal(rows.launches, 1);
	assert_false(l.failed);
	rows_free(&rows);
	json_decref(found);
}

static void filter_matches_only_its_names(void **state)
{
	const char *names[] = { "t/a.b/n:1", "t/x+(y)[z]|{2}^$\\*?" };
	char *filter = rows_filter(names, 2);
	regex_t regex;

	(void)state;
	assert_non_null(filter);
	assert_int_equal(regcomp(&regex, filter, REG_EXTENDED | REG_NOSUB), 0);
	assert_int_equal(regexec(&regex, names[0], 0, NULL, 0), 0);
	assert_int_equal(regexec(&regex, names[1], 0, NULL, 0), 0);
	assert_int_not_equal(regexec(&regex, "t/aXb/n:1", 0, NULL, 0), 0);
	assert_int_not_equal(regexec(&regex, "t/a.b/n:10", 0, NULL, 0), 0);
	assert_int_not_equal(regexec(&regex, "/t/a.b/n:1", 0, NULL, 0), 0);
	regfree(&regex);
	free(filter);
}

/* ---- families ---- */

static size_t families(const char *wanted)
{
	struct family *f;
	size_t count;

	assert_int_equal(family_find(&f, &count, folder, folder, wanted, ".", NULL), 0);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(f[i].filter, ".");
	family_free(f, count);
	return count;
}

/* The temporary folder serves as the folder of programs and as results/papers. */
static void target_lists_match_whole_words(void **state)
{
	struct family *f;
	size_t count;

	(void)state;
	written_program("gboa", "");
	written_program("gboa2", "");
	written_program("a", "");
	remove(written_program("target", ""));
	assert_int_equal(families(NULL), 3);
	assert_int_equal(families("  "), 3);
	assert_int_equal(families("a,gboa"), 2);
	assert_int_equal(families("a gboa2"), 2);
	assert_int_equal(families("gboa"), 1);
	assert_int_equal(family_find(&f, &count, folder, folder, "gb", ".", NULL), ERR_USAGE);
	assert_int_equal(count, 0);
}

/* ---- launched programs ---- */

static void launched_programs_are_captured_and_stopped(void **state)
{
	char *good[] = { (char[]){ "/bin/sh" }, (char[]){ "-c" },
			 (char[]){ "echo $COPRA_X; echo no >&2; exit 3" }, NULL };
	char *dies[] = { (char[]){ "/bin/sh" }, (char[]){ "-c" }, (char[]){ "kill -9 $$" }, NULL };
	char *absent[] = { (char[]){ "/nowhere/at/all" }, NULL };
	char *hangs[] = { (char[]){ "/bin/sleep" }, (char[]){ "60" }, NULL };
	char *leaves[] = { (char[]){ "/bin/sh" }, (char[]){ "-c" },
			   (char[]){ "sleep 600 & echo $!" }, NULL };
	volatile sig_atomic_t stop = 1;
	struct launch_output c;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(launch_program(&c, good, "COPRA_X=yes", 60, NULL, &e), 0);
	assert_string_equal(text_get(&c.out), "yes\n");
	assert_string_equal(text_get(&c.err), "no\n");
	assert_int_equal(c.exit, 3);
	launch_output_free(&c);
	assert_int_equal(launch_program(&c, dies, NULL, 60, NULL, &e), 0);
	assert_int_equal(c.exit, 128 + 9);
	launch_output_free(&c);
	assert_int_equal(launch_program(&c, absent, NULL, 60, NULL, &e), 0);
	assert_int_equal(c.exit, 127);
	assert_non_null(strstr(text_get(&c.err), "/nowhere/at/all"));
	launch_output_free(&c);
	assert_int_equal(launch_program(&c, hangs, NULL, 0.01, NULL, &e), ERR_FAILED);
	assert_int_equal(c.exit, 128 + 15);
	launch_output_free(&c);
	assert_int_equal(launch_program(&c, hangs, NULL, 60, &stop, &e), ERR_LIMIT);
	launch_output_free(&c);
	/* a process that it started keeps its outputs open and keeps running */
	assert_int_equal(launch_program(&c, leaves, NULL, 300, NULL, &e), 0);
	assert_int_equal(c.exit, 0);
	assert_int_equal(kill(atoi(text_get(&c.out)), SIGKILL), 0);
	launch_output_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(promises_hold_on_every_noise),
		cmocka_unit_test(study_reports_a_broken_promise),
		cmocka_unit_test(verdicts_follow_the_true_change),
		cmocka_unit_test(too_noisy_is_ambiguous),
		cmocka_unit_test(floor_applies_to_the_estimate_and_rate_to_q),
		cmocka_unit_test(too_few_samples_give_no_verdict),
		cmocka_unit_test(benchmarks_without_samples_count_as_no_discovery),
		cmocka_unit_test(blocks_are_mirrored_and_randomised),
		cmocka_unit_test(sessions_end_when_settled_or_interrupted),
		cmocka_unit_test(recorded_rows_replace_the_old_build),
		cmocka_unit_test(invalid_rules_are_refused),
		cmocka_unit_test(fastest_repetition_counts),
		cmocka_unit_test(filter_matches_only_its_names),
		cmocka_unit_test(target_lists_match_whole_words),
		cmocka_unit_test(launched_programs_are_captured_and_stopped),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
