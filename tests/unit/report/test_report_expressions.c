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
static double work[] = { 50, 60, 70 };
static double nodes[] = { 7 };
static struct result_counter counters[] = { { (char *)"cells", work } };
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
};
static struct result_skip skips[] = { { .name = (char *)"t/e/gpu/n:10/gpus:1",
					.message = (char *)"no NVIDIA driver" } };
static struct result_fact facts[] = { { (char *)"gpu_count", (char *)"2" } };
static struct result_file files[] = { { .facts = 1, .fact = facts } };
static const struct result_set set = {
	.target = (char *)"t",
	.machine = (char *)"m",
	.benches = 6,
	.bench = benches,
	.skips = 1,
	.skip = skips,
	.files = 1,
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
static const struct expr_printed papers = { 1, &paper };

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
	assert_int_equal(expr_eval(p, w, NULL, 0, NULL, &v, &e), 0);
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
	assert_int_equal(expr_eval(p, w, NULL, 0, &trace, &v, &e), 0);
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
	assert_int_equal(expr_eval(p, world, NULL, 0, &trace, &v, &e), 0);
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
static char predicates_path[sizeof(path) + 4];

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

static void check_verdict(const char *predicate, enum verdict expected, const char *needs)
{
	struct claim c = { .id = (char *)"X", .tolerance = 0.1 };
	const struct expr_param tolerance = { "tolerance", EXPR_NUMBER };
	struct expr_world *w;
	struct judgement j;
	struct err e = { 0 };
	if (expr_parse(&c.predicate, predicate, NULL, &tolerance, 1, EXPR_TRUTH, &e))
		fail_msg("%s: %s", predicate, e.text);
	assert_int_equal(expr_world_create(&w, &set, &papers, &e), 0);
	assert_int_equal(claim_judge(&c, w, &set, &j, &e), 0);
	if (j.verdict != expected || !strstr(text_get(&j.needs), needs))
		fail_msg("%s: %s (%g), needs '%s'", predicate, verdict_names[j.verdict],
			 j.agreement, text_get(&j.needs));
	judgement_free(&j);
	expr_world_destroy(w);
	expr_destroy(c.predicate);
}

static void claims_get_a_verdict(void **state)
{
	(void)state;
	check_verdict("mean(\"t/e/fast/n:200/*\") > 5", VERDICT_CONFIRMED, "");
	check_verdict("mean(\"t/e/fast/n:200/*\") > 500", VERDICT_REFUTED, "");
	/* repetitions alternate between 1 and 3 seconds, so the median is on either side of 2 */
	check_verdict("mean(\"t/e/noisy/*\") < 2.1", VERDICT_AMBIGUOUS, "");
	check_verdict("mean(\"t/e/noisy/*\") < 3.1", VERDICT_CONFIRMED, "");
	/* not repeated: the instances are resampled */
	check_verdict("mean(\"t/e/slow/*\") > 150", VERDICT_AMBIGUOUS, "");
	check_verdict("mean(\"t/e/slow/*\") > 99", VERDICT_CONFIRMED, "");
	/* only instances that have the counter are resampled */
	check_verdict("mean(\"t/e/slow/*\", nodes) = 7", VERDICT_CONFIRMED, "");
	/* measured once: assumed to be accurate to 5 % */
	check_verdict("mean(\"t/e/slow/n:10/seed:1\") > 99", VERDICT_AMBIGUOUS, "");
	check_verdict("mean(\"t/e/slow/n:10/seed:1\") > 94", VERDICT_CONFIRMED, "");
	check_verdict("within(mean(\"t/e/fast/n:10/seed:2\"), 4.2, tolerance)", VERDICT_CONFIRMED,
		      "");
	check_verdict("mean(\"t/e/gpu/n:10/gpus:1*\") > 1", VERDICT_NOT_TESTED, "no NVIDIA driver");
	check_verdict("mean(\"t/e/gpu/n:10/gpus:3*\") > 1", VERDICT_NOT_TESTED,
		      "needs 3 CUDA devices\n");
	check_verdict("mean(\"t/e/gpu/n:10/gpus:1*\", nodes) > 1", VERDICT_NOT_TESTED,
		      "no NVIDIA driver\nno row: t/e/gpu/n:10/gpus:1* : nodes\n");
	check_verdict("mean(\"t/e/fast/n:77/*\") > 1", VERDICT_NOT_TESTED,
		      "no row: t/e/fast/n:77/*");
	check_verdict("mean(\"t/e/slow/*\", joules) > 1", VERDICT_NOT_TESTED, "joules");
}

/* Checks the needs listed for a claim that was not tested. */
static void check_needs(const char *predicate, const char *needs)
{
	struct claim c = { .id = (char *)"X" };
	struct expr_world *w;
	struct judgement j;
	struct err e = { 0 };
	assert_int_equal(expr_parse(&c.predicate, predicate, NULL, NULL, 0, EXPR_TRUTH, &e), 0);
	assert_int_equal(expr_world_create(&w, &set, &papers, &e), 0);
	assert_int_equal(claim_judge(&c, w, &set, &j, &e), 0);
	assert_int_equal(j.verdict, VERDICT_NOT_TESTED);
	assert_string_equal(text_get(&j.needs), needs);
	judgement_free(&j);
	expr_world_destroy(w);
	expr_destroy(c.predicate);
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
	for (unsigned i = 0; i < 50; i++) {
		assert_int_equal(expr_eval(p, w, NULL, i, NULL, &v, &e), 0);
		assert_true(v.number == 0);
	}
	expr_world_destroy(w);
	expr_destroy(p);
}

/* Reads claims.csv and predicates.txt with these contents. */
static int read_claims(struct claims *claims, const char *table, const char *blocks, struct err *e)
{
	struct text t = { 0 };
	struct err own = { 0 };
	int status;
	write_file(table);
	text_add(&t, "%s", blocks);
	assert_int_equal(text_save(&t, predicates_path, &own), 0);
	text_free(&t);
	status = claims_read(claims, path, predicates_path, NULL, e);
	unlink(predicates_path);
	return status;
}

static void malformed_claims_are_refused(void **state)
{
	static const struct {
		const char *line, *message;
	} cases[] = {
		{ "A,s,text,shap,,", ":2: unknown class 'shap'" },
		{ "A,s,text,shape,x,", ":2: tolerance 'x'" },
		{ "A,s,text,shape,-1,", ":2: tolerance '-1'" },
		{ "A,s,text,shape,nan,", ":2: tolerance 'nan'" },
		{ "A,s,,shape,,", ":2: the field 'claim' is empty" },
		{ "A,s,t,shape,,\nA,s,t,shape,,", ":3: duplicate claim 'A'" },
		{ "A,s,t,shape,,theirs", ":2: unknown origin 'theirs' (paper or ours)" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct claims claims;
		struct err e = { 0 };
		char text[256];
		snprintf(text, sizeof(text), "id,section,claim,class,tolerance,origin\n%s\n",
			 cases[i].line);
		if (read_claims(&claims, text, "A: 1 < 2\n", &e) != ERR_INPUT ||
		    !strstr(e.text, path) || !strstr(e.text, cases[i].message))
			fail_msg("%s: '%s'", cases[i].line, e.text);
	}
	struct claims claims;
	struct err e = { 0 };
	assert_int_equal(read_claims(&claims, "id,section,claim,class\n", "", &e), ERR_INPUT);
	assert_non_null(strstr(e.text, "no column 'tolerance'"));
}

static const char two_claims[] = "id,section,claim,class,tolerance,origin\n"
				 "A,s,t,shape,,\nB,s,t,shape,0.1,ours\n";

static void predicates_may_have_several_lines(void **state)
{
	struct claims claims;
	struct err e = { 0 };
	(void)state;
	if (read_claims(&claims, two_claims,
			"# comment\nB:\r\n    1 <\r\n\n\ttolerance  \n# comment\n    + 1\nA: 1 < 2",
			&e))
		fail_msg("%s", e.text);
	assert_int_equal(claims.count, 2);
	assert_string_equal(claims.claim[0].source, "1 < 2");
	assert_string_equal(claims.claim[1].source, "1 < tolerance + 1");
	assert_true(!claims.claim[0].ours && claims.claim[1].ours);
	claims_free(&claims);
}

static void malformed_predicates_are_refused(void **state)
{
	static const struct {
		const char *blocks, *message;
	} cases[] = {
		{ "", ": no predicate of 'A'" },
		{ "A: 1 < 2\n", ": no predicate of 'B'" },
		{ "A: 1 < 2\n\nB:\n  1 <\n", ":3: predicate of 'B': column 4: " },
		{ "B: 1 < 2\nA: tolerance < 2\n", ":2: predicate of 'A': column 1: unknown name" },
		{ "A: 1 < 2\nA: 1 < 2\n", ":2: duplicate predicate of 'A'" },
		{ "\nC: 1 < 2\n", ":2: claims.csv has no claim 'C'" },
		{ "A 1 < 2\n", ":1: expected '<claim>:'" },
		{ "  1 < 2\n", ":1: an indented line before the first claim" },
		{ "A:\nB: 1 < 2\n", ":1: predicate of 'A': column 1: unexpected end" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct claims claims;
		struct err e = { 0 };
		if (read_claims(&claims, two_claims, cases[i].blocks, &e) != ERR_INPUT ||
		    !strstr(e.text, predicates_path) || !strstr(e.text, cases[i].message))
			fail_msg("%s: '%s'", cases[i].blocks, e.text);
		assert_true(!claims.claim && claims.count == 0);
	}
}

static void patterns_select_names(void **state)
{
	struct name_capture c;
	(void)state;
	assert_true(name_match("a/*/c", "a/b/b/c", NULL));
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
		cmocka_unit_test(malformed_terms_are_refused),
		cmocka_unit_test(claims_get_a_verdict),
		cmocka_unit_test(needs_list_only_what_is_missing),
		cmocka_unit_test(a_replicate_has_one_sample_per_benchmark),
		cmocka_unit_test(malformed_claims_are_refused),
		cmocka_unit_test(predicates_may_have_several_lines),
		cmocka_unit_test(malformed_predicates_are_refused),
	};
	int made = mkstemp(path);
	if (made < 0)
		return 1;
	close(made);
	snprintf(predicates_path, sizeof(predicates_path), "%s.txt", path);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
