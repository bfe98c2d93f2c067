/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The expression language: values, errors, and verdicts on claims. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/report/claims.h"
#include "harness/report/data/results.h"

/* Two sizes, two seeds, three repetitions; seconds of seed 2 are twice those of seed 1. */
static double fast1[] = { 1, 2, 9 }, fast2[] = { 4, 4, 4 }, fast3[] = { 10, 20, 30 };
static double slow1[] = { 100 }, slow2[] = { 300 };
static double noisy[] = { 1, 3, 1, 3, 1, 3, 1, 3 };
static double often[] = { 10, 10, 11, 12, 12 };
static double work[] = { 50, 60, 70 };
static double ones[] = { 1, 1, 1, 1, 1 };
static double nodes[] = { 7 };
static struct result_counter counters[] = { { (char *)"cells", work } };
static struct result_counter simulated[] = { { (char *)"simulated", ones } };
static struct result_counter counted[] = { { (char *)"nodes", nodes } };
static struct result_bench benches[] = {
	{ .name = (char *)"t/e/fast/n:10/seed:1",
	  .runs = 3,
	  .seconds = fast1,
	  .counters = 1,
	  .counter = counters },
	{ .name = (char *)"t/e/fast/n:10/seed:2", .runs = 3, .seconds = fast2 },
	{ .name = (char *)"t/e/fast/n:200/seed:1", .runs = 3, .seconds = fast3 },
	{ .name = (char *)"t/e/noisy/n:10", .runs = 8, .seconds = noisy },
	{ .name = (char *)"t/e/slow/n:10/seed:1",
	  .runs = 1,
	  .seconds = slow1,
	  .counters = 1,
	  .counter = counted },
	{ .name = (char *)"t/e/slow/n:10/seed:2", .runs = 1, .seconds = slow2 },
	{ .name = (char *)"t/e/often/n:1", .runs = 5, .seconds = often },
	{ .name = (char *)"t/e/toy/n:1", .runs = 5, .seconds = often, .file = 1 },
	{ .name = (char *)"t/e/sim/n:1", .runs = 5, .seconds = often, .file = 2 },
	{ .name = (char *)"t/e/cluster/n:1",
	  .runs = 5,
	  .seconds = often,
	  .counters = 1,
	  .counter = simulated },
};
static struct result_skip skips[] = { { .name = (char *)"t/e/gpu/n:10/gpus:1",
					.message = (char *)"no NVIDIA driver" } };
static struct result_fact facts[] = { { (char *)"gpu_count", (char *)"2" },
				      { (char *)"cpu_cores", (char *)"4" },
				      { (char *)"copra_threads", (char *)"2" } };
static struct result_fact sim_facts[] = { { (char *)"copra_device", (char *)"sim" } };
static struct result_file files[] = { { .scale = (char *)"paper", .facts = 3, .fact = facts },
				      { .scale = (char *)"smoke" },
				      { .scale = (char *)"paper", .facts = 1, .fact = sim_facts } };
static const struct result_set set = {
	.target = (char *)"t",
	.machine = (char *)"m",
	.benches = 6,
	.bench = benches,
	.skips = 1,
	.skip = skips,
	.files = 3,
	.file = files,
};
/* The same with the rows after them. */
static const struct result_set judged = {
	.target = (char *)"t",
	.machine = (char *)"m",
	.benches = 10,
	.bench = benches,
	.skips = 1,
	.skip = skips,
	.files = 3,
	.file = files,
};
static char *paper_cells[] = { (char *)"n",    (char *)"speed", (char *)"10",
			       (char *)"12.5", (char *)"200",   (char *)"" };
static int paper_lines[] = { 1, 2, 3 };
static struct expr_printed_table paper = { (char *)"table1",
					   { .path = (char *)"p",
					     .columns = 2,
					     .rows = 2,
					     .cells = paper_cells,
					     .count = 6,
					     .lines = paper_lines } };
static char *simulated_cells[] = { (char *)"case", (char *)"simulated_s", (char *)"a/8",
				   (char *)"7.5" };
static struct expr_printed_table simulation = { (char *)"table1",
						{ .path = (char *)"s",
						  .columns = 2,
						  .rows = 1,
						  .cells = simulated_cells,
						  .count = 4,
						  .lines = paper_lines } };
static const struct expr_printed papers = { 1, 1, &paper, &simulation };

static struct expr_value compute(const char *source, enum expr_type type,
				 const struct expr_terms *terms)
{
	struct expr *p;
	struct expr_world *w;
	struct expr_value v;
	struct err e = { 0 };
	if (expr_parse(&p, source, terms, NULL, 0, type, &e))
		fail_msg("%s: %s", source, e.text);
	assert_int_equal(expr_world_create(&w, &set, &papers, &e), 0);
	assert_int_equal(expr_eval(p, w, NULL, NULL, NULL, &v, &e), 0);
	expr_world_destroy(w);
	expr_destroy(p);
	return v;
}

/* The evidence of a comparison: "2 s against 600 s". */
static void compared(char *out, size_t size, const char *source)
{
	struct expr *p;
	struct expr_world *w;
	struct expr_value v;
	struct expr_trace trace = { 0 };
	struct err e = { 0 };
	if (expr_parse(&p, source, NULL, NULL, 0, EXPR_TRUTH, &e))
		fail_msg("%s: %s", source, e.text);
	assert_int_equal(expr_world_create(&w, &set, &papers, &e), 0);
	assert_int_equal(expr_eval(p, w, NULL, NULL, &trace, &v, &e), 0);
	assert_false(v.missing);
	snprintf(out, size, "%s%s", text_get(&trace.first_failed), text_get(&trace.last_held));
	expr_trace_free(&trace);
	expr_world_destroy(w);
	expr_destroy(p);
}

static void evidence_shows_units(void **state)
{
#define FAST "median(\"t/e/fast/n:10/seed:1\")"
#define CELLS "median(\"t/e/fast/n:10/seed:1\", cells)"
#define SLOW "median(\"t/e/slow/n:10/seed:1\")"
	static const struct {
		const char *source, *evidence;
	} cases[] = {
		{ FAST " < 600",
		  "2 s against 600 s" }, /* the unit is that of the number it is compared with */
		{ FAST " < paper(\"table1\", \"speed\", 10)", "2 s against 12.5 s" },
		{ SLOW " / " FAST " >= 14.7", "50 against 14.7" },
		{ CELLS " / " FAST " > 1", "30 /s against 1 /s" },
		{ CELLS " > 1", "60 against 1" },
		{ "within(" FAST ", " SLOW ", 0.1)", "2 s against 100 s" },
		{ FAST " - 1 < " SLOW " + " FAST, "1 s against 102 s" },
		{ "3 * " FAST " < " SLOW, "6 s against 100 s" },
		{ "1000 * " FAST " < 5000", "2000 against 5000" }, /* may be milliseconds */
		{ "log(" FAST ") < 5", "0.6931 against 5" },
		{ "first(" FAST ", 1) < 5", "2 s against 5 s" },
		{ "largest(s in {1, 2}, median(\"t/e/fast/n:10/seed:{s}\")) < 5",
		  "4 s against 5 s" },
		{ "monotone(s in {1, 2}, median(\"t/e/fast/n:10/seed:{s}\"), 0)",
		  "s = 2: 2 s against 4 s" },
		{ "count(\"t/e/fast/*\") = 3", "3 against 3" },
	};
	char said[200];
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		compared(said, sizeof(said), cases[i].source);
		assert_string_equal(said, cases[i].evidence);
	}
}

/* The evidence of a comparison over one benchmark "b", whose time and counter are 7. */
static void compared_with_counter(char *out, size_t size, const char *counter, const char *source)
{
	double seven[] = { 7 };
	char name[32];
	struct result_counter one = { name, seven };
	struct result_bench bench = {
		.name = (char *)"b", .runs = 1, .seconds = seven, .counters = 1, .counter = &one
	};
	const struct result_set small = {
		.target = (char *)"t", .machine = (char *)"m", .benches = 1, .bench = &bench
	};
	struct expr *p;
	struct expr_world *world;
	struct expr_trace trace = { 0 };
	struct expr_value v;
	struct err e = { 0 };
	snprintf(name, sizeof(name), "%s", counter);
	assert_int_equal(expr_parse(&p, source, NULL, NULL, 0, EXPR_TRUTH, &e), 0);
	assert_int_equal(expr_world_create(&world, &small, NULL, &e), 0);
	assert_int_equal(expr_eval(p, world, NULL, NULL, &trace, &v, &e), 0);
	snprintf(out, size, "%s", text_get(&trace.last_held));
	expr_trace_free(&trace);
	expr_world_destroy(world);
	expr_destroy(p);
}

static void units_follow_from_counter_names(void **state)
{
	static const struct {
		const char *counter, *source, *evidence;
	} cases[] = {
		{ "-", "max(\"b\") > 0", "7 s against 0 s" },
		{ "learn_seconds", "max(\"b\", learn_seconds) > 0", "7 s against 0 s" },
		{ "joules", "max(\"b\", joules) > 0", "7 J against 0 J" },
		{ "device_bytes", "max(\"b\", device_bytes) > 0", "7 B against 0 B" },
		{ "history_bytes_search", "max(\"b\", history_bytes_search) > 0",
		  "7 B against 0 B" },
		{ "memory_peak", "max(\"b\", memory_peak) > 0", "7 B against 0 B" },
		{ "nodes_per_second", "max(\"b\", nodes_per_second) > 0", "7 /s against 0 /s" },
		{ "runs_a_second", "max(\"b\", runs_a_second) > 0", "7 /s against 0 /s" },
		{ "explored", "max(\"b\", explored) > 0", "7 against 0" },
		{ "learn_share", "max(\"b\", learn_share) > 0", "7 against 0" },
		{ "kilobytes", "max(\"b\", kilobytes) > 0", "7 against 0" },
		{ "joules", "max(\"b\", joules) / max(\"b\") > 0", "1 W against 0 W" },
		{ "joules", "max(\"b\", joules) + max(\"b\") > 0", "14 against 0" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char evidence[64];
		compared_with_counter(evidence, sizeof(evidence), cases[i].counter,
				      cases[i].source);
		assert_string_equal(evidence, cases[i].evidence);
	}
}

static void numbers_are_computed(void **state)
{
	static const struct {
		const char *source;
		double value; /* NaN: missing */
	} cases[] = {
		{ "1 + 2 * 3 - 4 / 2", 5 },
		{ "-(1 - 3) * 2", 4 },
		{ "8 / 4 / 2", 1 },
		{ "1e3 + .5", 1000.5 },
		{ "1 / 0", NAN },
		{ "median(\"t/e/fast/n:10/seed:1\")", 2 },
		{ "mean(\"t/e/fast/n:10/seed:*\")", 3 }, /* of the medians 2 and 4 */
		{ "mean(\"t/e/fast/n:10*\")", 3 },
		{ "min(\"*\")", 2 }, /* of the medians 2, 4, 20, 2, 100, 300 */
		{ "max(\"*\")", 300 },
		{ "sum(\"t/e/slow/*\")", 400 },
		{ "median(\"*\")", 12 },
		{ "count(\"t/e/slow/*\")", 2 },
		{ "count(\"nothing\")", 0 },
		{ "mean(\"nothing\")", NAN },
		{ "mean(\"nothing\") + 1", NAN },
		{ "mean(\"*\", cells)", 60 }, /* benchmarks without the counter are left out */
		{ "mean(\"t/e/slow/*\", cells)", NAN },
		{ "mean(\"*\", \"cells\")", 60 },
		{ "smallest(v in {\"ell\"}, mean(\"*\", \"c{v}s\"))", 60 },
		{ "mean(\"*\", \"cell\")", NAN },
		{ "first(mean(\"nothing\"), 7)", 7 },
		{ "first(mean(\"nothing\"), 1 / 0)", NAN },
		{ "paper(\"table1\", \"speed\", 10)", 12.5 },
		{ "paper(\"table1\", \"speed\", 200)", NAN }, /* an empty cell */
		{ "paper(\"table1\", \"speed\", 11)", NAN },
		{ "paper(\"table1\", \"other\", 10)", NAN },
		{ "paper(\"table2\", \"speed\", 10)", NAN },
		{ "largest(n in {8}, simulated(\"table1\", \"simulated_s\", \"a/{n}\"))", 7.5 },
		{ "simulated(\"table1\", \"simulated_s\", \"a/9\")", NAN },
		{ "simulated(\"table1\", \"speed\", 10)", NAN }, /* that of the paper */
		{ "paper(\"table1\", \"simulated_s\", \"a/8\")", NAN },
		{ "largest(n in {10, 200}, mean(\"t/e/fast/n:{n}/*\"))", 20 },
		{ "smallest(n in {10, 200, 3000}, mean(\"t/e/fast/n:{n}/*\"))", 3 },
		{ "largest(n in axis(\"t/e/fast/n:(*)/*\"), n)", 200 },
		{ "smallest(n in {7, 1 + 2, 5}, n)", 3 },
		{ "largest(n in {1..2 step 0.25}, n)", 2 },
		{ "largest(n in axis(\"t/e/fast/n:(*)/*\") + {500}, n)", 500 },
		{ "smallest(v in names(\"t/e/(*)/n:10/seed:1\"), mean(\"t/e/{v}/n:10/*\"))", 3 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct expr_value v = compute(cases[i].source, EXPR_NUMBER, NULL);
		if (v.missing != (bool)isnan(cases[i].value) ||
		    (!v.missing && fabs(v.number - cases[i].value) > 1e-12))
			fail_msg("%s: %s%g", cases[i].source, v.missing ? "missing " : "",
				 v.number);
	}
}

static void truth_values_are_decided(void **state)
{
	enum { NO, YES, MISSING };
	static const struct {
		const char *source;
		int outcome;
	} cases[] = {
		{ "1 < 2 and 2 <= 2 and 3 > 2 and 2 >= 2 and 1 = 1 and 1 != 2", YES },
		{ "1 < 1 or 1 > 1 or 1 != 1", NO },
		{ "not 1 = 2 and not not 1 = 1", YES },
		{ "1 = 2 and 1 = 1 or 1 = 1", YES }, /* and binds tighter */
		{ "mean(\"nothing\") > 1", MISSING },
		{ "mean(\"nothing\") > 1 and 1 = 2", NO },
		{ "mean(\"nothing\") > 1 or 1 = 1", YES },
		{ "mean(\"nothing\") > 1 and 1 = 1", MISSING },
		{ "not mean(\"nothing\") > 1", MISSING },
		{ "within(14, 14.7, 0.05)", YES },
		{ "within(13.9, 14.7, 0.05)", NO },
		{ "within(-14, -14.7, 0.05)", YES },
		{ "within(log(8) / log(2), 3, 1e-12)", YES },
		{ "log(0) < 1", MISSING },
		{ "log(-1) < 1", MISSING },
		{ "if(1 < 2, 3) = 3", YES },
		{ "if(1 > 2, 3) = 3", MISSING },
		{ "if(mean(\"nothing\") > 1, 3) = 3", MISSING },
		{ "if(1 < 2, mean(\"nothing\")) = 3", MISSING },
		{ "smallest(n in {1..9 step 1}, if(n * n > 10, n)) = 4", YES },
		{ "all(n in {1, 2, 3}, n < 4)", YES },
		{ "all(n in {1, 2, 3}, n < 3)", NO },
		{ "all(n in {10, 11}, mean(\"t/e/fast/n:{n}/*\") > 1)", MISSING },
		{ "all(n in {11, 10}, mean(\"t/e/fast/n:{n}/*\") > 4)", NO },
		{ "any(n in {10, 11}, mean(\"t/e/fast/n:{n}/*\") > 1)", YES },
		{ "any(n in {10, 11}, mean(\"t/e/fast/n:{n}/*\") > 4)", MISSING },
		{ "all(n in axis(\"nothing/(*)\"), n > 0)",
		  MISSING }, /* an empty set of measurements has no truth value */
		{ "monotone(n in {1, 2, 3}, n * n, 0)", YES },
		{ "monotone(n in {1, 2, 3}, 10 - n, 0)", NO },
		{ "monotone(n in {100, 99}, n, 0.02)", YES },
		{ "monotone(n in {100, 97}, n, 0.02)", NO },
		{ "monotone(n in {-3, -2}, n, 0)", YES },
		{ "monotone(n in {10, 11, 200}, mean(\"t/e/fast/n:{n}/*\"), 0)", MISSING },
		{ "all(n in {1, 2}, all(m in {3, 4}, n < m))", YES },
		{ "all(n in axis(\"t/e/fast/n:(*)/*\"), n = 10 or n = 200)", YES },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct expr_value v = compute(cases[i].source, EXPR_TRUTH, NULL);
		int outcome = v.missing ? MISSING : v.truth ? YES : NO;
		if (outcome != cases[i].outcome)
			fail_msg("%s: %d", cases[i].source, outcome);
	}
}

static void malformed_expressions_are_refused(void **state)
{
	static const struct {
		const char *source, *message;
	} cases[] = {
		{ "", "column 1: unexpected end" },
		{ "1 <", "column 4: unexpected end" },
		{ "1 < 2 3", "column 7: expected the end" },
		{ "1 < 2 < 3", "column 7: expected the end" },
		{ "(1 < 2", "column 7: expected ')'" },
		{ "1 + 2", "expected a truth value" },
		{ "1 and 2 = 2", "expected a truth value" },
		{ "(1 = 1) + 1 = 2", "expected a number" },
		{ "not 1", "expected a truth value" },
		{ "speed > 1", "column 1: unknown name" },
		{ "median(x) > 1", "expected a text in quotes" },
		{ "mean(\"a) > 1", "column 6: the text has no closing quote" },
		{ "mean(\"a{n}\") > 1", "unknown variable in braces" },
		{ "mean(\"a{n\") > 1", "a brace in the text is not closed" },
		{ "mean(\"a(*)\") > 1", "(*) is not allowed in a statistic" },
		{ "mean(\"a\", ) > 1", "expected the name of a counter" },
		{ "mean(\"a\", cells, x) > 1", "expected ')'" },
		{ "mean(\"a\", \"b{n}\") > 1", "unknown variable in braces" },
		{ "within(1, 2)", "expected ','" },
		{ "log(1, 2) = 0", "expected ')'" },
		{ "if(1, 2) = 0", "expected a truth value" },
		{ "within(1, 2, 3, 4)", "expected ')'" },
		{ "all(n in {1, \"a\"}, n > 0)", "mixes numbers and texts" },
		{ "all(n in {}, n > 0)", "expected a number" },
		{ "all(n in {1..9}, n > 0)", "expected 'step'" },
		{ "all(n in {9..1 step 1}, n > 0)", "rising range" },
		{ "all(n in {1..9 step 0}, n > 0)", "positive step" },
		{ "all(n in {1..1000000 step 1}, n > 0)", "more than 1000" },
		{ "all(n in 3, n > 0)", "expected a set" },
		{ "all(n {1}, n > 0)", "expected 'in'" },
		{ "all(n in {1}, n)", "expected a truth value" },
		{ "all(n in {1}, all(n in {2}, n > 0))", "already exists" },
		{ "all(n in axis(\"a/*\"), n > 0)", "exactly one (*)" },
		{ "all(n in axis(\"(*)/(*)\"), n > 0)", "exactly one (*)" },
		{ "all(v in {\"a\"}, v > 0)", "expected a number" },
		{ "all(n in {1} + {\"a\"}, n > 0)", "mixes numbers and texts" },
		{ "all(n in {1}, n > 0) and n > 0", "unknown name" },
		{ "1x > 0", "a number must not be followed by letters" },
		{ "1e999 > 0", "not a number" },
		{ "1 @ 2", "unexpected character" },
		{ "paper(\"a\", 1, 2) > 0", "expected a text" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct expr *p = NULL;
		struct err e = { 0 };
		int status = expr_parse(&p, cases[i].source, NULL, NULL, 0, EXPR_TRUTH, &e);
		if (status != ERR_INPUT || p || !strstr(e.text, cases[i].message))
			fail_msg("%s: %d, '%s'", cases[i].source, status, e.text);
	}
}

static void deep_nesting_is_refused(void **state)
{
	enum { DEPTH = 100000 };
	char *source = malloc(DEPTH + 1);
	struct expr *p = NULL;
	struct err e = { 0 };
	(void)state;
	assert_non_null(source);
	memset(source, '(', DEPTH);
	source[DEPTH] = '\0';
	assert_int_equal(expr_parse(&p, source, NULL, NULL, 0, EXPR_TRUTH, &e), ERR_INPUT);
	assert_non_null(strstr(e.text, "nested too deeply"));
	free(source);
}

/* ---- terms and claims, from files ---- */

static char path[] = "/tmp/test_report_expressions_XXXXXX";

static void write_file(const char *text)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fputs(text, f) >= 0, 1);
	assert_int_equal(fclose(f), 0);
}

static void terms_are_named_expressions(void **state)
{
	struct expr_terms terms;
	struct err e = { 0 };
	(void)state;
	write_file("term,expression,meaning\n"
		   "\"time(v: text, n)\",\"mean(\"\"t/e/{v}/n:{n}/*\"\")\",seconds\n"
		   "\"ratio(n)\",\"time(\"\"slow\"\", n) / time(\"\"fast\"\", n)\",\n"
		   "\"quick(n)\",\"time(\"\"fast\"\", n) < 10\",\n");
	if (expr_terms_read(&terms, path, &e))
		fail_msg("%s", e.text);
	struct expr_value v = compute("ratio(10)", EXPR_NUMBER, &terms);
	assert_false(v.missing);
	assert_true(fabs(v.number - 200.0 / 3) < 1e-12);
	assert_true(compute("ratio(200)", EXPR_NUMBER, &terms).missing);
	assert_true(compute("quick(10) and not quick(200)", EXPR_TRUTH, &terms).truth);
	/* the variable of a set may be an argument */
	v = compute("largest(k in {\"fast\", \"slow\"}, time(k, 10))", EXPR_NUMBER, &terms);
	assert_true(fabs(v.number - 200) < 1e-12);
	expr_terms_free(&terms);
}

/* A term hides no simulated value from the check of claims. */
static void simulated_values_are_found_in_terms(void **state)
{
	struct expr_terms terms;
	struct expr *p;
	struct err e = { 0 };
	(void)state;
	write_file("term,expression,meaning\n"
		   "inner(n),\"simulated(\"\"table1\"\", \"\"simulated_s\"\", n)\",s\n"
		   "outer(n),inner(n) + 1,s\nplain(n),n + 1,s\n");
	if (expr_terms_read(&terms, path, &e))
		fail_msg("%s", e.text);
	assert_int_equal(expr_parse(&p, "outer(1) > 2", &terms, NULL, 0, EXPR_TRUTH, &e), 0);
	assert_true(expr_reads_simulated(p));
	expr_destroy(p);
	assert_int_equal(expr_parse(&p, "plain(1) > 2", &terms, NULL, 0, EXPR_TRUTH, &e), 0);
	assert_false(expr_reads_simulated(p));
	expr_destroy(p);
	expr_terms_free(&terms);
}

static void malformed_terms_are_refused(void **state)
{
	static const struct {
		const char *line, *message;
	} cases[] = {
		{ "mean,1,", "the name 'mean' is already in use" },
		{ "a,1,\na,2,", ":3: the name 'a' is already in use" },
		{ "a b,1,", "is not a term: expected name or name(" },
		{ "a(,1,", "is not a term: expected name or name(" },
		{ "a(n: number),1,", "is not a term: expected name or name(" },
		{ "\"a(n, n)\",1,", "already exists" },
		{ "a,b,", "unknown name" },
		{ "a,a + 1,", "unknown name" }, /* no recursion */
		{ "a,,", "unexpected end" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct expr_terms terms;
		struct err e = { 0 };
		char text[256];
		snprintf(text, sizeof(text), "term,expression,meaning\n%s\n", cases[i].line);
		write_file(text);
		if (expr_terms_read(&terms, path, &e) != ERR_INPUT || !strstr(e.text, path) ||
		    !strstr(e.text, cases[i].message))
			fail_msg("%s: '%s'", cases[i].line, e.text);
	}
}

/* A measured claim without needs; its expressions are those of the tests. */
static struct claim make_claim(const char *test, const char *hardware, enum claim_decided decided)
{
	struct claim c = { .id = (char *)"X", .tolerance = 0.1, .decided = decided };
	const struct expr_param tolerance = { "tolerance", EXPR_NUMBER };
	struct err e = { 0 };
	if (expr_parse(&c.test, test, NULL, &tolerance, 1, EXPR_TRUTH, &e) ||
	    (hardware && expr_parse(&c.hardware, hardware, NULL, &tolerance, 1, EXPR_TRUTH, &e)))
		fail_msg("%s: %s", test, e.text);
	return c;
}

/* Judges the claim and releases its expressions. */
static void check_judgement(struct claim *c, enum verdict expected, const char *needs)
{
	struct expr_world *w;
	struct judgement j;
	struct err e = { 0 };
	assert_int_equal(expr_world_create(&w, &judged, &papers, &e), 0);
	assert_int_equal(claim_judge(c, w, &judged, &j, &e), 0);
	if (j.verdict != expected || !strstr(text_get(&j.needs), needs))
		fail_msg("%s (%g), needs '%s'", verdict_names[j.verdict], j.agreement,
			 text_get(&j.needs));
	assert_int_equal(j.gap != GAP_NONE, expected == VERDICT_NOT_TESTED);
	judgement_free(&j);
	expr_world_destroy(w);
	expr_destroy(c->test);
	expr_destroy(c->reliable);
	expr_destroy(c->hardware);
}

static void check_verdict(const char *test, enum verdict expected, const char *needs)
{
	struct claim c = make_claim(test, NULL, DECIDED_TIMES);
	check_judgement(&c, expected, needs);
}

static void claims_get_a_verdict(void **state)
{
	(void)state;
	check_verdict("mean(\"t/e/often/n:1\") > 5", VERDICT_REPRODUCED, "");
	check_verdict("mean(\"t/e/often/n:1\") > 500", VERDICT_NOT_REPRODUCED, "");
	/* repetitions alternate between 1 and 3 seconds, so the median is on either side of 2 */
	check_verdict("mean(\"t/e/noisy/*\") < 2.1", VERDICT_INCONCLUSIVE, "");
	check_verdict("mean(\"t/e/noisy/*\") < 3.1", VERDICT_REPRODUCED, "");
	check_verdict("within(mean(\"t/e/often/n:1\"), 11, tolerance)", VERDICT_REPRODUCED, "");
	check_verdict("mean(\"t/e/gpu/n:10/gpus:1*\") > 1", VERDICT_NOT_TESTED, "no NVIDIA driver");
	check_verdict("mean(\"t/e/gpu/n:10/gpus:3*\") > 1", VERDICT_NOT_TESTED,
		      "needs 3 CUDA devices\n");
	check_verdict("mean(\"t/e/gpu/n:10/gpus:1*\", nodes) > 1", VERDICT_NOT_TESTED,
		      "no NVIDIA driver\nno row: t/e/gpu/n:10/gpus:1* : nodes\n");
	check_verdict("mean(\"t/e/fast/n:77/*\") > 1", VERDICT_NOT_TESTED,
		      "no row: t/e/fast/n:77/*");
	check_verdict("mean(\"t/e/slow/*\", joules) > 1", VERDICT_NOT_TESTED, "joules");
}

static void times_need_five_runs_and_counts_one(void **state)
{
	struct claim c;
	(void)state;
	check_verdict("mean(\"t/e/slow/n:10/seed:1\") > 1", VERDICT_NOT_TESTED,
		      "needs 5 runs, has 1: t/e/slow/n:10/seed:1\n");
	check_verdict("mean(\"t/e/fast/*/seed:1\") > 1", VERDICT_NOT_TESTED,
		      "needs 5 runs, has 3: t/e/fast/n:10/seed:1\n"
		      "needs 5 runs, has 3: t/e/fast/n:200/seed:1\n");
	c = make_claim("mean(\"t/e/slow/*\", nodes) = 7", NULL, DECIDED_COUNTS);
	check_judgement(&c, VERDICT_REPRODUCED, "");
	/* benchmarks of one run are not resampled: 100 and 300 have the mean 200 */
	c = make_claim("mean(\"t/e/slow/*\") > 150", NULL, DECIDED_COUNTS);
	check_judgement(&c, VERDICT_REPRODUCED, "");
	/* beside a time, a count is read from one run; alone, it is what varies */
	check_verdict("mean(\"t/e/often/n:1\") > mean(\"t/e/slow/*\", nodes)", VERDICT_REPRODUCED,
		      "");
	check_verdict("mean(\"t/e/slow/*\", nodes) = 7", VERDICT_NOT_TESTED,
		      "needs 5 runs, has 1: t/e/slow/n:10/seed:1\n");
}

/* Rows t/e/<variant>/n:1/seed:<1...>/gpus:1 of one run each; tuned takes half of the time of
 * published. */
enum { SEEDS = 5 };
struct seeds {
	char names[2 * SEEDS][48];
	double seconds[2 * SEEDS];
	struct result_bench bench[2 * SEEDS];
	struct result_set set;
};

static void make_seeds(struct seeds *s, size_t seeds)
{
	static const double seconds[SEEDS] = { 2, 2, 2, 2, 22 };
	static const char *const variants[] = { "published", "tuned" };
	*s = (struct seeds){ .set = { .target = (char *)"t", .machine = (char *)"m" } };
	for (size_t v = 0; v < 2; v++)
		for (size_t i = 0; i < seeds; i++) {
			size_t at = s->set.benches++;
			snprintf(s->names[at], sizeof(s->names[at]), "t/e/%s/n:1/seed:%zu/gpus:1",
				 variants[v], i + 1);
			s->seconds[at] = seconds[i] / (double)(v + 1);
			s->bench[at] = (struct result_bench){ .name = s->names[at],
							      .runs = 1,
							      .seconds = &s->seconds[at] };
		}
	s->set.bench = s->bench;
}

static void check_seeds(size_t seeds, const char *test, enum claim_decided decided,
			enum verdict expected, const char *needs)
{
	struct claim c = make_claim(test, NULL, decided);
	struct expr_world *w;
	struct judgement j;
	struct seeds s;
	struct err e = { 0 };
	make_seeds(&s, seeds);
	assert_int_equal(expr_world_create(&w, &s.set, NULL, &e), 0);
	assert_int_equal(claim_judge(&c, w, &s.set, &j, &e), 0);
	if (j.verdict != expected || strcmp(text_get(&j.needs), needs) != 0)
		fail_msg("%s: %s (%g), needs '%s'", test, verdict_names[j.verdict], j.agreement,
			 text_get(&j.needs));
	judgement_free(&j);
	expr_world_destroy(w);
	expr_destroy(c.test);
}

static void runs_of_seeds_that_are_read_together_count_together(void **state)
{
	(void)state;
	check_seeds(5, "mean(\"t/e/tuned/n:1/seed:*\") < 12", DECIDED_TIMES, VERDICT_REPRODUCED,
		    "");
	check_seeds(4, "mean(\"t/e/tuned/n:1/seed:*\") < 12", DECIDED_TIMES, VERDICT_NOT_TESTED,
		    "needs 5 runs, has 4 of 4 seeds: t/e/tuned/n:1/seed:*/gpus:1\n");
	/* seeds of two variants are two groups */
	check_seeds(4, "mean(\"t/e/*/n:1/seed:*\") < 12", DECIDED_TIMES, VERDICT_NOT_TESTED,
		    "needs 5 runs, has 4 of 4 seeds: t/e/published/n:1/seed:*/gpus:1\n"
		    "needs 5 runs, has 4 of 4 seeds: t/e/tuned/n:1/seed:*/gpus:1\n");
	/* a seed that is read by itself needs runs of its own */
	check_seeds(5, "mean(\"t/e/tuned/n:1/seed:1/*\") < 12", DECIDED_TIMES, VERDICT_NOT_TESTED,
		    "needs 5 runs, has 1: t/e/tuned/n:1/seed:1/gpus:1\n");
}

static void samples_draw_seeds(void **state)
{
	(void)state;
	/* the mean of 6 needs seed 5, which a third of the samples lack */
	check_seeds(5, "mean(\"t/e/published/n:1/seed:*\") > 3", DECIDED_TIMES,
		    VERDICT_INCONCLUSIVE, "");
	/* counts are judged on the instances that were measured */
	check_seeds(5, "mean(\"t/e/published/n:1/seed:*\") > 3", DECIDED_COUNTS, VERDICT_REPRODUCED,
		    "");
	/* variants draw the same seeds, so that their ratio is of the same instances */
	check_seeds(5,
		    "within(mean(\"t/e/published/n:1/seed:*\") / mean(\"t/e/tuned/n:1/seed:*\"), "
		    "2, 0.001)",
		    DECIDED_TIMES, VERDICT_REPRODUCED, "");
}

static void seeds_are_parts_of_names(void **state)
{
	(void)state;
	assert_int_equal(name_seed("t/e/n:1/seed:12/gpus:1"), 12);
	assert_int_equal(name_seed("t/e/n:1/seed:3"), 3);
	assert_int_equal(name_seed("t/e/n:1/seed:x"), -1);
	assert_int_equal(name_seed("t/e/seeds:1"), -1);
	assert_true(name_same_family("t/e/seed:1/gpus:1", "t/e/seed:10/gpus:1"));
	assert_false(name_same_family("t/e/seed:1/gpus:1", "t/e/seed:1/gpus:2"));
	assert_false(name_same_family("t/e/seed:1", "t/f/seed:1"));
	assert_false(name_same_family("t/e/n:1", "t/e/n:2"));
	assert_true(name_same_family("t/e/n:1", "t/e/n:1"));
}

static void toy_and_simulated_rows_decide_nothing(void **state)
{
	(void)state;
	check_verdict("mean(\"t/e/toy/n:1\") > 1", VERDICT_NOT_TESTED,
		      "scale smoke: t/e/toy/n:1\n");
	check_verdict("mean(\"t/e/cluster/n:1\") > 1", VERDICT_NOT_TESTED,
		      "simulated: t/e/cluster/n:1\n");
	check_verdict("mean(\"t/e/sim/n:1\") > 1", VERDICT_NOT_TESTED, "simulated: t/e/sim/n:1\n");
}

static void a_machine_below_the_needs_does_not_judge(void **state)
{
	/* the machine has two GPUs, four cores, of which two were used, and one node */
	static const struct {
		long needs[CLAIM_NEEDS];
		enum verdict verdict;
		const char *text;
	} cases[] = {
		{ { 2, 2, 1 }, VERDICT_REPRODUCED, "" },
		{ { 3, 0, 0 }, VERDICT_NOT_TESTED, "needs 3 GPUs; this machine has 2\n" },
		{ { 0, 3, 0 }, VERDICT_NOT_TESTED, "needs 3 cores; this machine has 2\n" },
		{ { 0, 0, 2 }, VERDICT_NOT_TESTED, "needs 2 nodes; this machine has 1\n" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct claim c = make_claim("mean(\"t/e/often/n:1\") > 5", NULL, DECIDED_TIMES);
		memcpy(c.needs, cases[i].needs, sizeof(c.needs));
		check_judgement(&c, cases[i].verdict, cases[i].text);
	}
}

static void hardware_explains_what_does_not_carry_over(void **state)
{
	static const struct {
		const char *test, *hardware;
		enum verdict verdict;
	} cases[] = {
		{ "mean(\"t/e/often/n:1\") > 500", "mean(\"t/e/noisy/*\") < 3.1",
		  VERDICT_NOT_CARRIED_OVER },
		{ "mean(\"t/e/often/n:1\") > 500", "mean(\"t/e/noisy/*\") > 3.1",
		  VERDICT_NOT_REPRODUCED },
		{ "mean(\"t/e/often/n:1\") > 500", "mean(\"t/e/noisy/*\") < 2.1",
		  VERDICT_INCONCLUSIVE },
		{ "mean(\"t/e/often/n:1\") > 500", "mean(\"t/e/none\") > 1", VERDICT_NOT_TESTED },
		{ "mean(\"t/e/often/n:1\") > 500", "mean(\"t/e/slow/*\") > 1", VERDICT_NOT_TESTED },
		{ "mean(\"t/e/often/n:1\") > 5", "mean(\"t/e/none\") > 1", VERDICT_REPRODUCED },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct claim c = make_claim(cases[i].test, cases[i].hardware, DECIDED_TIMES);
		check_judgement(&c, cases[i].verdict, "");
	}
}

static void unsteady_measurements_are_inconclusive(void **state)
{
	static const struct {
		const char *test, *reliable;
		enum verdict verdict;
	} cases[] = {
		{ "mean(\"t/e/often/n:1\") > 5", "max(\"t/e/noisy/*\") < 1", VERDICT_INCONCLUSIVE },
		{ "mean(\"t/e/often/n:1\") > 500", "max(\"t/e/noisy/*\") < 1",
		  VERDICT_INCONCLUSIVE },
		{ "mean(\"t/e/often/n:1\") > 5", "max(\"t/e/noisy/*\") > 1", VERDICT_REPRODUCED },
		{ "mean(\"t/e/often/n:1\") > 500", "max(\"t/e/noisy/*\") > 1",
		  VERDICT_NOT_REPRODUCED },
		{ "mean(\"t/e/often/n:1\") > 5", "mean(\"t/e/none\") > 1", VERDICT_NOT_TESTED },
		{ "mean(\"t/e/none\") > 5", "max(\"t/e/noisy/*\") < 1", VERDICT_NOT_TESTED },
		/* the rule of five runs is for the rows of the test alone */
		{ "mean(\"t/e/often/n:1\") > 5", "mean(\"t/e/slow/*\") > 1e-9",
		  VERDICT_REPRODUCED },
	};
	const struct expr_param tolerance = { "tolerance", EXPR_NUMBER };
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct claim c = make_claim(cases[i].test, NULL, DECIDED_TIMES);
		struct err e = { 0 };
		assert_int_equal(expr_parse(&c.reliable, cases[i].reliable, NULL, &tolerance, 1,
					    EXPR_TRUTH, &e),
				 0);
		check_judgement(&c, cases[i].verdict, "");
	}
}

static void arithmetic_is_consistent_or_not(void **state)
{
	struct claim c =
		make_claim("paper(\"table1\", \"speed\", 10) = 12.5", NULL, DECIDED_NOTHING);
	(void)state;
	c.kind = CLAIM_ARITHMETIC;
	check_judgement(&c, VERDICT_CONSISTENT, "");
	c = make_claim("paper(\"table1\", \"speed\", 10) = 13", NULL, DECIDED_NOTHING);
	c.kind = CLAIM_ARITHMETIC;
	check_judgement(&c, VERDICT_INCONSISTENT, "");
	c = make_claim("paper(\"table1\", \"speed\", 200) = 13", NULL, DECIDED_NOTHING);
	c.kind = CLAIM_ARITHMETIC;
	check_judgement(&c, VERDICT_NOT_TESTED, "the paper's table");
}

/* Checks the needs listed for a claim that was not tested. */
static void check_needs(const char *predicate, const char *needs)
{
	struct claim c = { .id = (char *)"X", .decided = DECIDED_COUNTS };
	struct expr_world *w;
	struct judgement j;
	struct err e = { 0 };
	assert_int_equal(expr_parse(&c.test, predicate, NULL, NULL, 0, EXPR_TRUTH, &e), 0);
	assert_int_equal(expr_world_create(&w, &judged, &papers, &e), 0);
	assert_int_equal(claim_judge(&c, w, &judged, &j, &e), 0);
	assert_int_equal(j.verdict, VERDICT_NOT_TESTED);
	assert_string_equal(text_get(&j.needs), needs);
	judgement_free(&j);
	expr_world_destroy(w);
	expr_destroy(c.test);
}

static void needs_list_only_what_is_missing(void **state)
{
	(void)state;
	/* the machine has two devices, so they are not the reason */
	check_needs("mean(\"t/e/gpu/n:10/gpus:2*\") > 1", "no row: t/e/gpu/n:10/gpus:2*\n");
	/* a missing alternative is not needed if another one has a value */
	check_needs("first(mean(\"a\"), mean(\"t/e/fast/n:10/*\")) > mean(\"b\")", "no row: b\n");
	check_needs("first(mean(\"a\"), mean(\"b\")) > 1", "no row: a\n");
}

static void a_replicate_has_one_sample_per_benchmark(void **state)
{
	struct expr *p;
	struct expr_world *w;
	struct expr_value v;
	struct err e = { 0 };
	(void)state;
	/* rows named twice have the same sample, so that x - x is 0 */
	assert_int_equal(expr_parse(&p, "mean(\"t/e/noisy/*\") - mean(\"t/*/noisy/n:10\")", NULL,
				    NULL, 0, EXPR_NUMBER, &e),
			 0);
	assert_int_equal(expr_world_create(&w, &set, &papers, &e), 0);
	for (unsigned i = 1; i <= 50; i++) {
		const struct expr_sample sample = { i, true };
		assert_int_equal(expr_eval(p, w, NULL, &sample, NULL, &v, &e), 0);
		assert_true(v.number == 0);
	}
	expr_world_destroy(w);
	expr_destroy(p);
}

/* Reads claims.txt with these contents. */
static int read_claims(struct claims *claims, const char *text, struct err *e)
{
	write_file(text);
	return claims_read(claims, path, NULL, e);
}

static void claims_are_blocks(void **state)
{
	struct claims claims;
	struct err e = { 0 };
	struct text needs = { 0 };
	(void)state;
	if (read_claims(&claims,
			"# comment\n\nclaim A\nwhere 4.4\nsays \"at least one\"\nkind measured\n"
			"decided times\nneeds gpus 8, cores 16\ntolerance 0.1: the paper rounds\n"
			"test\tmean(\"a\")\r\n    <\n\n# inside\n\ttolerance  \n    + 1\n"
			"hardware mean(\"b\") > 1\n"
			"reason {2 * 3} times, {largest(n in {1, 2}, n)} and {mean(\"c\")}.\n"
			"claim B\nsays x\nkind ours\ntest 1 < 2\nwhere here\ndecided counts\n"
			"claim C\nsays x\nkind arithmetic\ntest 1 < 2\nwhere here",
			&e))
		fail_msg("%s", e.text);
	assert_int_equal(claims.count, 3);
	const struct claim *a = &claims.claim[0], *b = &claims.claim[1];
	assert_string_equal(a->says, "\"at least one\"");
	assert_string_equal(a->source, "mean(\"a\") < tolerance + 1");
	assert_string_equal(a->tolerance_reason, "the paper rounds");
	assert_true(a->tolerance == 0.1 && isnan(b->tolerance));
	assert_true(a->kind == CLAIM_MEASURED && b->kind == CLAIM_OURS);
	assert_true(a->decided == DECIDED_TIMES && b->decided == DECIDED_COUNTS);
	assert_int_equal(claims.claim[2].decided, DECIDED_NOTHING);
	claim_needs_text(a, &needs);
	assert_string_equal(text_get(&needs), "8 GPUs, 16 cores");
	text_free(&needs);
	assert_int_equal(a->parts, 4);
	assert_string_equal(a->part[1].text, " times, ");
	assert_null(a->part[3].value);
	claims_free(&claims);
}

static void a_reason_quotes_measured_values(void **state)
{
	struct claims claims;
	struct expr_world *w;
	struct judgement j;
	struct err e = { 0 };
	(void)state;
	assert_int_equal(read_claims(&claims,
				     "claim A\nwhere 4\nsays x\nkind measured\ndecided times\n"
				     "test mean(\"t/e/often/n:1\") > 500\nhardware 1 < 2\n"
				     "reason {mean(\"t/e/often/n:1\") / 3} s, {1e6} and "
				     "{mean(\"t/none\")}.\n",
				     &e),
			 0);
	assert_int_equal(expr_world_create(&w, &judged, &papers, &e), 0);
	assert_int_equal(claim_judge(&claims.claim[0], w, &judged, &j, &e), 0);
	assert_int_equal(j.verdict, VERDICT_NOT_CARRIED_OVER);
	assert_string_equal(text_get(&j.reason), "3.67 s, 1000000 and (not measured).");
	judgement_free(&j);
	expr_world_destroy(w);
	claims_free(&claims);
}

static void malformed_claims_are_refused(void **state)
{
	/* after "claim A" (line 1), "where s" and "says t" */
	static const struct {
		const char *rest, *message;
	} cases[] = {
		{ "", ":1:7: claim 'A' has no field 'kind'" },
		{ "kind ours\n", ":1:7: claim 'A' has no field 'test'" },
		{ "kind theirs\ntest 1 < 2\n", ":4:6: unknown kind (measured, " },
		{ "kind ours\ntest 1 < 2\n", ":1:7: a claim is decided by 'counts' or" },
		{ "kind ours\ndecided time\ntest 1 < 2\n", ":5:9: a claim is decided by" },
		{ "kind arithmetic\ndecided times\ntest 1 < 2\n", ":5:9: arithmetic is decided" },
		{ "kind arithmetic\ntest mean(\"a\") < 2\n", ":5:6: arithmetic reads no rows" },
		{ "kind arithmetic\ntest 1 < 2\nhardware 1 < 2\n", ":6:10: arithmetic does not" },
		{ "kind arithmetic\ntest 1 < 2\nreliable 1 < 2\n", ":6:10: arithmetic does not" },
		{ "kind ours\ndecided counts\ntest 1 < 2\nreliable 1 <\n", ":7:13: unexpected" },
		{ "kind ours\ndecided counts\ntest mean(\"a\") < 2\n", ":6:6: decided by counts" },
		{ "kind ours\ndecided counts\ntest 1 <\n   2 +\n", ":7:7: unexpected end" },
		{ "kind ours\ndecided counts\ntest tolerance < 1\n", ":6:6: unknown name" },
		{ "kind ours\ndecided counts\ntest 1 < 2\nneeds gpus\n", ":7:7: expected gpus" },
		{ "kind ours\ndecided counts\ntest 1 < 2\nneeds cores 2, gpus 0\n",
		  ":7:16: expected gpus" },
		{ "kind ours\ndecided counts\ntest 1 < 2\nneeds cores 2,\n", ":7:15: expected" },
		{ "kind ours\ndecided counts\ntest 1 < 2\nneeds cores 2, cores 3\n",
		  ":7:16: expected" },
		{ "kind ours\ndecided counts\ntest 1 < 2\ntolerance x\n", ":7:11: the tolerance" },
		{ "kind ours\ndecided counts\ntest 1 < 2\ntolerance -1\n", ":7:11: the tolerance" },
		{ "kind ours\ndecided counts\ntest 1 < 2\ntolerance nan\n",
		  ":7:11: the tolerance" },
		{ "kind ours\ndecided counts\ntest 1 < 2\nreason x\n", ":7:8: a reason needs" },
		{ "kind ours\ndecided counts\ntest 1 < 2\nhardware 1 < 2\nreason x {1\n",
		  ":8:10: no closing brace" },
		{ "kind ours\ndecided counts\ntest 1 < 2\nhardware 1 < 2\nreason x\n  {1 +}\n",
		  ":9:7: unexpected end" },
		{ "kind ours\ndecided times\ntest 0 <\n  simulated(\"a\", \"b\", 1)\n",
		  ":6:6: simulated values decide no claim" },
		{ "kind ours\ndecided counts\ntest 1 < 2\nhardware simulated(\"a\", \"b\", 1) < "
		  "1\n",
		  ":7:10: simulated values decide no claim" },
		{ "kind ours\ndecided counts\ntest 1 < 2\nhardware 1 < 2\n"
		  "reason x {simulated(\"a\", \"b\", 1)}\n",
		  ":8:" },
		{ "section x\n", ":4:1: unknown field 'section' (claim, where, " },
		{ "says x\n", ":4:1: this field is given twice" },
		{ "kind\n", ":4:5: the field has no value" },
	};
	struct claims claims;
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = { 0 };
		char text[256];
		snprintf(text, sizeof(text), "claim A\nwhere s\nsays t\n%s", cases[i].rest);
		if (read_claims(&claims, text, &e) != ERR_INPUT || !strstr(e.text, path) ||
		    !strstr(e.text, cases[i].message))
			fail_msg("%s: '%s'", cases[i].rest, e.text);
		assert_true(!claims.claim && claims.count == 0);
	}
	struct err e = { 0 };
	assert_int_equal(read_claims(&claims, "  where s\n", &e), ERR_INPUT);
	assert_non_null(strstr(e.text, ":1:3: an indented line before the first field"));
	assert_int_equal(read_claims(&claims, "where s\n", &e), ERR_INPUT);
	assert_non_null(strstr(e.text, ":1:1: a field before the first block"));
#define BLOCK "claim A\nwhere s\nsays t\nkind arithmetic\ntest 1 < 2\n"
	assert_int_equal(read_claims(&claims, BLOCK BLOCK, &e), ERR_INPUT);
	assert_non_null(strstr(e.text, ":6:7: a second claim 'A'"));
}

static void patterns_select_names(void **state)
{
	struct name_capture c;
	(void)state;
	assert_true(name_match("a/*/c", "a/b/b/c", NULL));
	/* rows of several ranks are not mixed with those of one process */
	assert_false(name_match("a/*/manual_time", "a/b/nodes:1/ranks:2/manual_time", NULL));
	assert_true(name_match("a/*/ranks:(*)/*", "a/b/nodes:1/ranks:2/manual_time", &c));
	assert_int_equal(*c.at, '2');
	assert_true(name_match("a*", "a", NULL));
	assert_false(name_match("a/*/c", "a/c", NULL));
	assert_false(name_match("a", "ab", NULL));
	assert_false(name_match("ab", "a", NULL));
	assert_true(name_match("*/n:(*)/*", "x/n:12/y", &c));
	assert_int_equal(c.length, 2);
	assert_memory_equal(c.at, "12", 2);
	assert_false(name_match("x/(*)", "x/a/b", &c));
	assert_false(name_match("x/(*)", "x/", &c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_select_names),
		cmocka_unit_test(evidence_shows_units),
		cmocka_unit_test(units_follow_from_counter_names),
		cmocka_unit_test(numbers_are_computed),
		cmocka_unit_test(truth_values_are_decided),
		cmocka_unit_test(malformed_expressions_are_refused),
		cmocka_unit_test(deep_nesting_is_refused),
		cmocka_unit_test(terms_are_named_expressions),
		cmocka_unit_test(simulated_values_are_found_in_terms),
		cmocka_unit_test(malformed_terms_are_refused),
		cmocka_unit_test(claims_get_a_verdict),
		cmocka_unit_test(times_need_five_runs_and_counts_one),
		cmocka_unit_test(runs_of_seeds_that_are_read_together_count_together),
		cmocka_unit_test(samples_draw_seeds),
		cmocka_unit_test(seeds_are_parts_of_names),
		cmocka_unit_test(toy_and_simulated_rows_decide_nothing),
		cmocka_unit_test(a_machine_below_the_needs_does_not_judge),
		cmocka_unit_test(hardware_explains_what_does_not_carry_over),
		cmocka_unit_test(unsteady_measurements_are_inconclusive),
		cmocka_unit_test(arithmetic_is_consistent_or_not),
		cmocka_unit_test(claims_are_blocks),
		cmocka_unit_test(a_reason_quotes_measured_values),
		cmocka_unit_test(needs_list_only_what_is_missing),
		cmocka_unit_test(a_replicate_has_one_sample_per_benchmark),
		cmocka_unit_test(malformed_claims_are_refused),
	};
	int made = mkstemp(path);
	if (made < 0)
		return 1;
	close(made);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
