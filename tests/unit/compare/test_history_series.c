/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The history: reading lines and dates, building and ordering series, and the output about them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/bench/samples.h"
#include "harness/compare/history/show.h"
#include "harness/compare/history/series.h"
#include "harness/base/outfile.h"
#include "tests/unit/base/temporary_folder.h"

static const char *place(const char *name)
{
	static char path[16][128];
	static int next;
	char *p = path[next++ % 16];

	snprintf(p, sizeof(path[0]), "%s/%s", folder, name);
	return p;
}

static void write_file(const char *path, const char *text)
{
	struct err e;

	assert_int_equal(outfile_write(path, text, strlen(text), &e), 0);
}

/* Whether the text up to the end of its first line contains `words`. */
static bool line_has(const char *text, const char *words)
{
	const char *found = strstr(text, words);

	return found && (size_t)(found - text) < strcspn(text, "\n");
}

static struct samples_run run_of(const char *commit, const char *date)
{
	return (struct samples_run){ .source = "compare",
				     .date = date,
				     .commit = commit,
				     .machine = "m",
				     .host = "h",
				     .build = "b",
				     .compiler = "gcc 12",
				     .device = "cpu",
				     .threads = 2,
				     .sampling = "launch" };
}

static void append(const char *path, const struct samples_run *run, const char *name,
		   double seconds)
{
	const double samples[] = { seconds, 0.99 * seconds, 1.01 * seconds };
	const struct samples_bench b = { name, samples, 3 };
	struct err e;

	assert_int_equal(samples_append(path, run, &b, 1, NULL, &e), 0);
}

static struct entries load(const char *path)
{
	struct entries all;
	struct err e;

	assert_int_equal(entries_load(&all, path, &e), 0);
	return all;
}

static struct series_list build(const struct entries *all, struct series_setting setting)
{
	struct series_list list;
	struct err e;

	setting.test = change_test_default;
	assert_int_equal(series_build(&list, all, &setting, &e), 0);
	return list;
}

static void written_lines_are_read_back(void **state)
{
	const char *path = place("back.jsonl");
	struct samples_run run = run_of("c1", "2026-11-22T11:00:00+01:00");
	struct entries all;

	(void)state;
	run.dirty = true;
	run.driver = "580 \"x\"\n";
	append(path, &run, "t/a/\xc3\xa9", 0.5);
	all = load(path);
	assert_int_equal(all.count, 1);
	assert_int_equal(all.problems.length, 0);
	assert_string_equal(all.entry[0].name, "t/a/\xc3\xa9");
	assert_string_equal(all.entry[0].driver, "580 \"x\"\n");
	assert_string_equal(all.entry[0].scale, "");
	assert_true(all.entry[0].dirty);
	assert_int_equal(all.entry[0].threads, 2);
	assert_int_equal(all.entry[0].time, 1795341600); /* 10:00 UTC */
	assert_int_equal(all.entry[0].samples, 3);
	assert_true(all.entry[0].seconds[1] == 0.99 * 0.5);
	entries_free(&all);
	all = load(place("nowhere.jsonl"));
	assert_int_equal(all.count, 0);
	entries_free(&all);
}

/* Each bad line is reported with its number. The good lines around it are kept, and an incomplete
 * last line is ignored. */
static void bad_lines_are_left_out_and_reported(void **state)
{
	static const char *const bad[] = {
		"", "x", "{}", "[1]", "{\"schema\": 2}", "{\"id\": \"1\", \"id\": \"1\"}",
	};
	static const char good[] =
		"{\"id\": \"1\", \"schema\": 1, \"source\": \"s\", \"date\": \"%s\", \"commit\": "
		"\"c\", "
		"\"dirty\": false, \"machine\": \"m\", \"host\": \"\", \"build\": \"\", "
		"\"compiler\": \"\", \"driver\": \"\", \"scale\": \"\", \"device\": \"\", "
		"\"threads\": %s, \"sampling\": \"\", \"parameters\": \"\", \"name\": \"%s\", "
		"\"seconds\": %s}\n";
	static const struct {
		const char *date, *threads, *name, *seconds;
	} wrong[] = {
		{ "yesterday", "1", "n", "[1]" },
		{ "1-1-1T1:1:1+                1: 1x", "1", "n", "[1]" },
		{ "2026-11-22T10:00:00Q", "1", "n", "[1]" },
		{ "2026-11-22T10:00:00Z", "-1", "n", "[1]" },
		{ "2026-11-22T10:00:00Z", "\"1\"", "n", "[1]" },
		{ "2026-11-22T10:00:00Z", "1", "", "[1]" },
		{ "2026-11-22T10:00:00Z", "1", "n", "[]" },
		{ "2026-11-22T10:00:00Z", "1", "n", "[0]" },
		{ "2026-11-22T10:00:00Z", "1", "n", "[1, \"2\"]" },
		{ "2026-11-22T10:00:00Z", "1", "n", "7" },
	};
	enum { BAD = sizeof(bad) / sizeof(*bad), WRONG = sizeof(wrong) / sizeof(*wrong) };
	char text[16384];
	size_t used = 0;
	struct entries all;

	(void)state;
#define LINE(...) used += (size_t)snprintf(text + used, sizeof(text) - used, __VA_ARGS__)
	LINE(good, "2026-11-22T10:00:00", "1", "first", "[1]");
	for (size_t i = 0; i < BAD; i++)
		LINE("%s\n", bad[i]);
	for (size_t i = 0; i < WRONG; i++)
		LINE(good, wrong[i].date, wrong[i].threads, wrong[i].name, wrong[i].seconds);
	LINE(good, "2026-11-22T10:00:00-02:30", "1", "last", "[1]");
	LINE("{\"id\": \"torn");
#undef LINE
	write_file(place("bad.jsonl"), text);
	all = load(place("bad.jsonl"));
	assert_int_equal(all.count, 2);
	assert_string_equal(all.entry[0].name, "first");
	assert_string_equal(all.entry[1].name, "last");
	assert_int_equal(all.entry[1].time - all.entry[0].time, 2 * 3600 + 30 * 60);
	const char *problem[BAD + WRONG], *at = text_get(&all.problems);
	size_t problems = 0;
	for (; *at; at += strcspn(at, "\n") + 1) {
		assert_in_range(problems, 0, BAD + WRONG - 1);
		problem[problems++] = at;
	}
	assert_int_equal(problems, BAD + WRONG);
	assert_true(line_has(problem[0], "bad.jsonl:2: "));
	assert_true(line_has(problem[BAD], "'yesterday' is not a date"));
	assert_true(line_has(problem[BAD + 1], "'1-1-1T1:1:1+ "));
	entries_free(&all);
}

static void series_separate_what_cannot_be_compared(void **state)
{
	const char *path = place("like.jsonl");
	struct samples_run run = run_of("c1", "2026-11-22T10:00:00Z"), other;
	struct series_list list;
	struct entries all;

	(void)state;
	append(path, &run, "t/a", 1);
	append(path, &run, "t/b", 1);
#define DIFFERENT(member, value)                                                                   \
	other = run;                                                                               \
	other.member = value;                                                                      \
	append(path, &other, "t/a", 1);
	DIFFERENT(machine, "m2")
	DIFFERENT(device, "cuda")
	DIFFERENT(threads, 4)
	DIFFERENT(scale, "paper")
	DIFFERENT(sampling, "repetition")
	DIFFERENT(parameters, "-x")
	DIFFERENT(commit, "c2")
	DIFFERENT(compiler, "gcc 13")
	DIFFERENT(host, "h2")
	DIFFERENT(build, "b2")
	DIFFERENT(driver, "580")
#undef DIFFERENT
	all = load(path);
	assert_int_equal(all.count, 13);
	list = build(&all, (struct series_setting){ 0 });
	assert_int_equal(list.count, 8);
	for (size_t i = 0; i < list.count; i++)
		assert_int_equal(list.series[i].points, i ? 1 : 6);
	series_free(&list);
	list = build(&all, (struct series_setting){ .filter = "/(b|z)$" });
	assert_int_equal(list.count, 1);
	assert_string_equal(list.series[0].point[0].entry->name, "t/b");
	series_free(&list);
	entries_free(&all);
}

static void check_order(const struct series *s, const char *const *commits, size_t count)
{
	assert_int_equal(s->points, count);
	for (size_t i = 0; i < count; i++) {
		char commit[16];

		snprintf(commit, sizeof(commit), "%.8s%s", s->point[i].entry->commit,
			 s->point[i].entry->dirty ? "+" : "");
		assert_string_equal(commit, commits[i]);
	}
}

/* Runs measured in another order than the commits, for example in a bisection. */
static void points_follow_the_order_of_commits(void **state)
{
	static const char a[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
			  b[] = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
			  c[] = "cccccccccccccccccccccccccccccccccccccccc";
	static const char *const by_commit[] = { "bbbbbbbb", "aaaaaaaa", "aaaaaaaa", "aaaaaaaa+" };
	static const char *const by_date[] = { "aaaaaaaa+", "aaaaaaaa", "bbbbbbbb", "cccccccc",
					       "aaaaaaaa" };
	const char *path = place("order.jsonl");
	struct samples_run dirty = run_of(a, "2026-11-22T10:00:00Z"),
			   first = run_of(a, "2026-11-22T10:00:01Z"),
			   older = run_of(b, "2026-11-22T10:00:02Z"),
			   stranger = run_of(c, "2026-11-22T10:00:03Z"),
			   again = run_of(a, "2026-11-22T10:00:04Z");
	struct commits commits;
	struct series_list list;
	struct entries all;
	struct err e;
	char text[200];

	(void)state;
	dirty.dirty = true;
	append(path, &again, "t/a", 5);
	append(path, &dirty, "t/a", 1);
	append(path, &first, "t/a", 2);
	append(path, &older, "t/a", 3);
	append(path, &stranger, "t/a", 4);
	all = load(path);
	list = build(&all, (struct series_setting){ 0 });
	check_order(&list.series[0], &by_date[1], 4);
	assert_int_equal(list.dirty, 1);
	series_free(&list);
	list = build(&all, (struct series_setting){ .dirty = true });
	check_order(&list.series[0], by_date, 5);
	assert_int_equal(list.dirty, 0);
	series_free(&list);

	snprintf(text, sizeof(text), "no commit\n%s first\n%s\n", b, a);
	write_file(place("commits"), text);
	assert_int_equal(commits_load(&commits, place("commits"), &e), 0);
	assert_int_equal(commits.count, 2);
	list = build(&all, (struct series_setting){ .dirty = true, .commits = &commits });
	check_order(&list.series[0], by_commit, 4);
	assert_int_equal(list.strangers, 1);
	series_free(&list);
	commits_free(&commits);
	entries_free(&all);
}

static void has(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("no '%s' in:\n%s", words, text);
}

/* Times of 24 runs: 2 % slower from the 8th run on, 20 % slower from the 16th on. */
static struct entries stairs(const char *path)
{
	for (int i = 0; i < 24; i++) {
		struct samples_run run;
		char date[40];

		snprintf(date, sizeof(date), "2026-11-22T10:00:%02dZ", i);
		run = run_of(i < 16 ? "older" : "newer", date);
		run.compiler = i < 16 ? "gcc 12" : "gcc 13";
		run.driver = i < 8 ? "1" : "2";
		append(path, &run, "t/<a>",
		       (i < 8  ? 1 :
			i < 16 ? 1.02 :
				 1.224) *
			       (1 + 0.0001 * (i % 3) + 1e-9 * i));
	}
	return load(path);
}

static void changes_below_the_floor_are_not_shown(void **state)
{
	struct entries all = stairs(place("floor.jsonl"));
	struct series_list list = build(&all, (struct series_setting){ .floor = 0.01 });
	const struct series *s = &list.series[0];
	struct text shown = { 0 };
	struct err e;
	char text[64];

	(void)state;
	assert_int_equal(s->shifts, 2);
	assert_int_equal(s->shift[0].at, 8);
	assert_int_equal(s->shift[1].at, 16);
	assert_true(shift_ratio(&s->shift[0]) > 1.0195 && shift_ratio(&s->shift[0]) < 1.0205);
	point_differences(text, sizeof(text), &s->point[7], &s->point[8]);
	assert_string_equal(text, "driver");
	point_differences(text, sizeof(text), &s->point[7], &s->point[16]);
	assert_string_equal(text, "compiler, driver");
	assert_int_equal(show_print(&list, false, &shown, &e), 0);
	has(text_get(&shown), "+20.0 %");
	text_free(&shown);
	series_free(&list);

	list = build(&all, (struct series_setting){ .floor = 0.03 });
	assert_int_equal(list.series[0].shifts, 1);
	assert_int_equal(list.series[0].shift[0].at, 16);
	/* the segments on both sides of the small change are one */
	assert_true(list.series[0].shift[0].before > 1 && list.series[0].shift[0].before < 1.02);
	series_free(&list);
	entries_free(&all);
}

static void long_series_keep_their_latest_points(void **state)
{
	enum { MORE = 7 };
	struct samples_bench b[SERIES_MOST_POINTS + MORE];
	double seconds[SERIES_MOST_POINTS + MORE];
	struct samples_run run = run_of("c", "2026-11-22T10:00:00Z");
	const char *path = place("long.jsonl");
	struct series_list list;
	struct entries all;
	struct err e;

	(void)state;
	for (size_t i = 0; i < SERIES_MOST_POINTS + MORE; i++) {
		seconds[i] = 1 + 1e-6 * (double)i;
		b[i] = (struct samples_bench){ "t/a", &seconds[i], 1 };
	}
	assert_int_equal(samples_append(path, &run, b, SERIES_MOST_POINTS + MORE, NULL, &e), 0);
	all = load(path);
	list = build(&all, (struct series_setting){ .floor = 0.03 });
	assert_int_equal(list.series[0].points, SERIES_MOST_POINTS);
	assert_int_equal(list.series[0].older, MORE);
	assert_true(list.series[0].point[0].median == seconds[MORE]);
	series_free(&list);
	entries_free(&all);
}

static char *file_text(const char *path)
{
	struct err e;
	char *text;
	size_t length;

	assert_int_equal(outfile_read(path, 1 << 22, &text, &length, &e), 0);
	return text;
}

static void the_page_shows_changes_and_plots(void **state)
{
	struct entries all = stairs(place("page.jsonl"));
	struct series_setting setting = { .floor = 0.03, .test = change_test_default };
	struct series_list list = build(&all, setting);
	struct text t = { 0 };
	struct err e;
	char *page, out[128];

	(void)state;
	snprintf(out, sizeof(out), "%s", place("out"));
	assert_int_equal(show_print(&list, false, &t, &e), 0);
	has(text_get(&t), "1 benchmark, 24 runs; 1 changed, 1 of them slower");
	has(text_get(&t), "+21.2 %  older  newer ");
	text_free(&t);
	assert_int_equal(show_files(&list, &setting, out, &e), 0);
	page = file_text(place("out/history.html"));
	has(page, "t/&lt;a&gt;");
	assert_null(strstr(page, "t/<a>"));
	has(page, "class=\"slow\"");
	has(page, "+21.2 %");
	free(page);
	page = file_text(place("out/history.md"));
	has(page, "](plots/t-a-");
	free(page);
	series_free(&list);
	entries_free(&all);
}

static void series_with_too_few_runs_are_reported(void **state)
{
	const char *path = place("few.jsonl");
	struct entries all;
	struct series_list list;
	struct text t = { 0 };
	struct samples_run run;
	char date[40];
	struct err e;

	(void)state;
	for (int i = 0; i < 10; i++) {
		snprintf(date, sizeof(date), "2026-11-22T10:00:%02dZ", i);
		run = run_of("c", date);
		append(path, &run, "t/ten", 1 + 0.001 * i);
		if (i < 2)
			append(path, &run, "t/two", 1 + i);
		run.dirty = true;
		append(path, &run, "t/two", 1 + 0.01 * i);
	}
	all = load(path);
	list = build(&all, (struct series_setting){ .floor = 0.03 });
	assert_int_equal(show_print(&list, false, &t, &e), 0);
	has(text_get(&t), "2 benchmarks, 12 runs; 0 changed, 0 of them slower at the last change; "
			  "1 has too few runs to detect a change (at least 10 are needed).");
	has(text_get(&t), "Left out because of uncommitted changes: 10 (--dirty shows them).");
	has(text_get(&t), "  too few runs  ");
	text_free(&t);
	series_free(&list);
	entries_free(&all);
}

static void an_invalid_filter_is_refused(void **state)
{
	struct entries all = { 0 };
	struct series_list list;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(series_build(&list, &all, &(struct series_setting){ .filter = "(" }, &e),
			 ERR_USAGE);
	has(e.text, "'('");
}

static void result_files_are_imported_once(void **state)
{
	static const char file[] =
		"{\"context\": {\"date\": \"2026-11-22T10:00:00+00:00\", \"host_name\": \"h\", "
		"\"caches\": [], \"copra_revision\": \"abc\", \"copra_dirty\": %d, "
		"\"copra_machine\": \"m\", \"copra_threads\": 2, \"sanitizer\": \"%s\"},\n"
		"\"benchmarks\": ["
		"{\"name\": \"t/a\", \"run_name\": \"t/a\", \"run_type\": \"iteration\", "
		"\"real_time\": 2, \"cpu_time\": 2, \"time_unit\": \"ms\"}, "
		"{\"name\": \"t/a\", \"run_name\": \"t/a\", \"run_type\": \"iteration\", "
		"\"real_time\": 3, \"cpu_time\": 2, \"time_unit\": \"ms\"}, "
		"{\"name\": \"t/zero\", \"run_name\": \"t/zero\", \"run_type\": \"iteration\", "
		"\"real_time\": 0, \"cpu_time\": 2, \"time_unit\": \"ms\"}]}\n";
	const char *history = place("import.jsonl");
	char text[2048];
	struct entries all;
	struct err e = { 0 };
	size_t added;

	(void)state;
	snprintf(text, sizeof(text), file, 1, "none");
	write_file(place("bench.json"), text);
	assert_int_equal(
		entries_import(history, place("bench.json"), "reproduce", "repetition", &added, &e),
		0);
	assert_int_equal(added, 1);
	assert_int_equal(
		entries_import(history, place("bench.json"), "reproduce", "repetition", &added, &e),
		0);
	assert_int_equal(added, 0);
	snprintf(text, sizeof(text), file, 0, "thread");
	write_file(place("bench.json"), text);
	assert_int_equal(
		entries_import(history, place("bench.json"), "reproduce", "repetition", &added, &e),
		ERR_INPUT);
	has(e.text, "sanitizers");
	write_file(place("bench.json"), "{\"benchmarks\": 1}");
	assert_int_equal(
		entries_import(history, place("bench.json"), "reproduce", "repetition", &added, &e),
		ERR_INPUT);
	all = load(history);
	assert_int_equal(all.count, 1);
	assert_string_equal(all.entry[0].commit, "abc");
	assert_true(all.entry[0].dirty);
	assert_int_equal(all.entry[0].samples, 2);
	assert_true(all.entry[0].seconds[1] == 3 * 1e-3);
	entries_free(&all);
}

static void sql_has_every_run_and_sample(void **state)
{
	const char *path = place("sql.jsonl");
	struct samples_run run = run_of("c'; DROP TABLE run; --", "2026-11-22T10:00:00Z");
	struct entries all;
	struct err e;
	char *text;
	FILE *out;

	(void)state;
	append(path, &run, "t/a", 0.5);
	all = load(path);
	out = fopen(place("index.sql"), "w");
	assert_non_null(out);
	assert_int_equal(entries_write_sql(out, &all, &e), 0);
	fclose(out);
	entries_free(&all);
	text = file_text(place("index.sql"));
	has(text, "'c''; DROP TABLE run; --'");
	has(text, "INSERT INTO sample VALUES (1,0,0.5),(1,1,0.495),(1,2,0.505);");
	has(text, ",1,1795341600,0,2,3,0.5,0.495);");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(written_lines_are_read_back),
		cmocka_unit_test(bad_lines_are_left_out_and_reported),
		cmocka_unit_test(series_separate_what_cannot_be_compared),
		cmocka_unit_test(points_follow_the_order_of_commits),
		cmocka_unit_test(changes_below_the_floor_are_not_shown),
		cmocka_unit_test(long_series_keep_their_latest_points),
		cmocka_unit_test(the_page_shows_changes_and_plots),
		cmocka_unit_test(series_with_too_few_runs_are_reported),
		cmocka_unit_test(an_invalid_filter_is_refused),
		cmocka_unit_test(result_files_are_imported_once),
		cmocka_unit_test(sql_has_every_run_and_sample),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
