/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/compare/result.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/outfile.h"
#include "harness/report/format.h"
#include "harness/compare/rows.h"

/* The order of the verdicts in the tables: the most urgent first. */
static const enum gate_verdict order[GATE_VERDICTS] = { GATE_SLOWER, GATE_AMBIGUOUS, GATE_FASTER,
							GATE_SAME };

/* ---- pieces of text ---- */

static void add_change(struct text *t, double ratio)
{
	if (!isfinite(ratio) || ratio <= 0)
		text_add(t, "?");
	else if (ratio >= 10)
		text_add(t, "x%.0f", ratio);
	else
		text_add(t, "%+.1f %%", 100 * (ratio - 1));
}

static void add_interval(struct text *t, const struct rank_result *test)
{
	text_add(t, "[");
	add_change(t, test->low);
	text_add(t, ", ");
	add_change(t, test->high);
	text_add(t, "]");
}

static void add_seconds(struct text *t, double seconds)
{
	char shown[64];

	if (!(seconds > 0)) { /* no sample */
		text_add(t, "?");
		return;
	}
	format_number(shown, sizeof(shown), FORMAT_SECONDS_FINE, seconds);
	text_add(t, "%s", shown);
}

/* The control that differs most, over all benchmarks; NULL if none was tested. */
static const struct gate_judgement *worst_control(const struct gate_result *r)
{
	const struct gate_judgement *worst = NULL;

	for (size_t t = 0; t < r->targets; t++)
		for (size_t i = 0; i < r->target[t].session.count; i++) {
			const struct gate_judgement *j = &r->target[t].session.bench[i].now;

			if (j->control.olds && (!worst || fabs(log(j->control.ratio)) >
								  fabs(log(worst->control.ratio))))
				worst = j;
		}
	return worst;
}

static size_t control_failures(const struct gate_result *r)
{
	size_t count = 0;

	for (size_t t = 0; t < r->targets; t++)
		for (size_t i = 0; i < r->target[t].session.count; i++)
			count += r->target[t].session.bench[i].now.control_failed;
	return count;
}

/* Advises how to get fewer AMBIGUOUS verdicts. */
static void add_advice(struct text *t, const struct gate_result *r)
{
	if (2 * r->verdicts[GATE_AMBIGUOUS] <= r->compared)
		return;
	if (r->parameters)
		text_add(t,
			 "Most are AMBIGUOUS: a quieter machine or more launches (--launches=%d) "
			 "would help.\n",
			 100);
	else
		text_add(t,
			 "Most are AMBIGUOUS: a quieter machine or more repetitions "
			 "(--benchmark_repetitions=%d) would help.\n",
			 20);
}

/* Explains the rule of gate_judge. */
static void add_rule(struct text *t, const struct gate_rule *rule)
{
	double floor = 100 * rule->floor, detect = 100 * rule->detect;

	text_add(t, "change: the median of new / old over all pairs of samples. old and new: "
		    "typical times with that ratio.\n");
	text_add(t,
		 "SLOWER, FASTER: the change is at least %g %% (a ratio of %.4g or %.4g) and "
		 "significant (rank test, false discovery rate %g %%). The interval may "
		 "reach below %g %%.\n",
		 floor, 1 + rule->floor, 1 / (1 + rule->floor), 100 * rule->rate, floor);
	text_add(t,
		 "SAME: the change is smaller, and the interval lies within %g %% (ratios of "
		 "%.4g to %.4g). AMBIGUOUS: neither of these, or the A/A control failed, or there "
		 "are too few samples.\n",
		 detect, 1 / (1 + rule->detect), 1 + rule->detect);
}

static void add_summary(struct text *t, const struct gate_result *r)
{
	const struct gate_judgement *worst = worst_control(r);

	text_add(t, "%zu benchmarks: %zu slower, %zu faster, %zu same, %zu ambiguous", r->compared,
		 r->verdicts[GATE_SLOWER], r->verdicts[GATE_FASTER], r->verdicts[GATE_SAME],
		 r->verdicts[GATE_AMBIGUOUS]);
	if (r->failed)
		text_add(t, ", %zu failed in the new build", r->failed);
	text_add(t, ".%s\n", r->complete ? "" : " INCOMPLETE: interrupted or failed.");
	add_advice(t, r);
	add_rule(t, &r->rule);
	if (worst) {
		text_add(t, "A/A control (the %s build against itself): at most ",
			 r->control == GATE_OLD_AGAIN ? "old" : "new");
		add_change(t, worst->control.ratio);
		text_add(t, "; it failed for %zu of %zu benchmarks.", control_failures(r),
			 r->compared);
	}
	text_add(t, "\n");
}

static void add_sides(struct text *t, const struct gate_result *r, const char *before)
{
	text_add(t, "%sold: %s, revision %s\n", before, r->old.what,
		 *r->old.revision ? r->old.revision : "unknown");
	text_add(t, "%snew: %s, revision %s\n", before, r->new.what,
		 *r->new.revision ? r->new.revision : "unknown");
}

/* ---- one line per benchmark ---- */

typedef void line_of(struct text *t, const char *name, const struct gate_judgement *j);

/* Sorted by verdict, then in the order of the targets. */
static void each_benchmark(const struct gate_result *r, struct text *t, line_of *line)
{
	for (int v = 0; v < GATE_VERDICTS; v++)
		for (size_t k = 0; k < r->targets; k++)
			for (size_t i = 0; i < r->target[k].session.count; i++) {
				const struct gate_bench *b = &r->target[k].session.bench[i];

				if (b->now.verdict == order[v])
					line(t, b->name, &b->now);
			}
}

/* The number of UTF-8 continuation bytes: printf's field widths count bytes, not characters. */
static int extra_bytes(const struct text *t)
{
	int n = 0;

	for (const char *c = text_get(t); *c; c++)
		n += (*c & 0xc0) == 0x80;
	return n;
}

static void plain_line(struct text *t, const char *name, const struct gate_judgement *j)
{
	struct text change = { 0 }, interval = { 0 }, times = { 0 };

	add_change(&change, j->test.ratio);
	add_interval(&interval, &j->test);
	add_seconds(&times, j->test.old_typical);
	text_add(&times, " -> ");
	add_seconds(&times, j->test.new_typical);
	text_add(t, "%-9s %9s  %-20s  %-*s %s", gate_verdict_names[j->verdict], text_get(&change),
		 text_get(&interval), 24 + extra_bytes(&times), text_get(&times), name);
	if (*j->reason)
		text_add(t, " (%s)", j->reason);
	text_add(t, "\n");
	text_free(&change);
	text_free(&interval);
	text_free(&times);
}

static void markdown_line(struct text *t, const char *name, const struct gate_judgement *j)
{
	bool loud = j->verdict == GATE_SLOWER || j->verdict == GATE_FASTER;

	text_add(t, "| %s%s%s | ", loud ? "**" : "", gate_verdict_names[j->verdict],
		 loud ? "**" : "");
	text_add_escaped(t, name, TEXT_MARKDOWN);
	text_add(t, " | ");
	add_seconds(t, j->test.old_typical);
	text_add(t, " | ");
	add_seconds(t, j->test.new_typical);
	text_add(t, " | ");
	add_change(t, j->test.ratio);
	text_add(t, " | ");
	add_interval(t, &j->test);
	text_add(t, " | ");
	add_change(t, j->control.ratio);
	text_add(t, " | %zu, %zu | ", j->test.olds, j->test.news);
	text_add_escaped(t, j->reason, TEXT_MARKDOWN);
	text_add(t, " |\n");
}

static void add_omitted(struct text *t, const struct gate_result *r, const char *before)
{
	for (size_t k = 0; k < r->targets; k++)
		for (size_t i = 0; i < r->target[k].omitted_count; i++)
			text_add(t, "%s%s: %s: %s\n", before,
				 r->target[k].omitted[i].failed ? "FAILED" : "not compared",
				 r->target[k].omitted[i].name, r->target[k].omitted[i].reason);
}

void result_print(const struct gate_result *r)
{
	struct text t = { 0 };

	add_sides(&t, r, "");
	text_add(&t, "%-9s %9s  %-20s  %-24s %s\n", "verdict", "change", "99 % interval",
		 "old -> new", "benchmark");
	each_benchmark(r, &t, plain_line);
	add_omitted(&t, r, "");
	add_summary(&t, r);
	if (*r->weaker)
		text_add(&t, "%s\n", r->weaker);
	if (*r->remark)
		text_add(&t, "%s\n", r->remark);
	fputs(text_get(&t), stdout);
	text_free(&t);
}

static void add_markdown(struct text *t, const struct gate_result *r)
{
	text_add(t, "# Comparison of two builds\n\n");
	add_sides(t, r, "- ");
	text_add(t, "- machine: %s (%s)\n\n", r->machine, r->cpu);
	add_summary(t, r);
	if (*r->weaker)
		text_add(t, "\n**%s**\n", r->weaker);
	if (*r->remark)
		text_add(t, "\n%s\n", r->remark);
	text_add(t, "\n| verdict | benchmark | old | new | change | 99 %% interval | control | "
		    "launches "
		    "old, new | reason |\n|---|---|---:|---:|---:|---|---:|---:|---|\n");
	each_benchmark(r, t, markdown_line);
	text_add(t, "\n");
	add_omitted(t, r, "- ");
}

/* ---- JSON ---- */

/* JSON has no infinity: an open interval has no such member. */
static void set_real(json_t *o, const char *key, double value)
{
	if (isfinite(value))
		json_object_set_new(o, key, json_real(value));
}

/* A path may not be valid UTF-8, and a message may be cut within a character. */
static json_t *json_of_text(const char *text)
{
	json_t *string = json_string(text);
	char *ascii = string ? NULL : strdup(text);

	for (char *c = ascii; c && *c; c++)
		if (*c & 0x80)
			*c = '?';
	if (ascii)
		string = json_string(ascii);
	free(ascii);
	return string;
}

static json_t *json_of_test(const struct rank_result *t)
{
	json_t *o = json_pack("{sI sI}", "old_samples", (json_int_t)t->olds, "new_samples",
			      (json_int_t)t->news);

	set_real(o, "old_median", t->old_median);
	set_real(o, "new_median", t->new_median);
	set_real(o, "old_typical", t->old_typical);
	set_real(o, "new_typical", t->new_typical);
	set_real(o, "ratio", t->ratio);
	set_real(o, "low", t->low);
	set_real(o, "high", t->high);
	set_real(o, "p", t->p);
	return o;
}

static json_t *json_of_bench(const struct gate_target *t, const struct gate_bench *b)
{
	json_t *o = json_of_test(&b->now.test);

	json_object_set_new(o, "name", json_string(b->name));
	json_object_set_new(o, "target", json_string(t->name));
	json_object_set_new(o, "verdict", json_string(gate_verdict_names[b->now.verdict]));
	json_object_set_new(o, "reason", json_string(b->now.reason));
	json_object_set_new(o, "control", json_of_test(&b->now.control));
	set_real(o, "q", b->now.q);
	return o;
}

static json_t *json_of_parameters(const struct launch_parameters *p)
{
	return p ? json_pack("{ss ss sI ss sI ss}", "scale", p->scale, "device", p->device,
			     "threads", (json_int_t)p->threads, "min_time", p->min_time,
			     "repetitions", (json_int_t)p->repetitions, "arguments", p->arguments) :
		   json_object();
}

static json_t *json_of_result(const struct gate_result *r)
{
	char date[40];
	json_t *o, *rows = json_array(), *omitted = json_array();

	rows_date(date, sizeof(date));
	for (size_t k = 0; k < r->targets; k++) {
		const struct gate_target *t = &r->target[k];

		for (size_t i = 0; i < t->session.count; i++)
			json_array_append_new(rows, json_of_bench(t, &t->session.bench[i]));
		for (size_t i = 0; i < t->omitted_count; i++)
			json_array_append_new(
				omitted, json_pack("{ss so sb}", "name", t->omitted[i].name,
						   "reason", json_of_text(t->omitted[i].reason),
						   "failed", (int)t->omitted[i].failed));
	}
	o = json_pack("{si ss ss ss ss sb s{so ss} s{so ss} ss ss ss s{sf sf sf sf} so so so}",
		      "schema", 1, "date", date, "machine", r->machine, "host", r->host, "cpu",
		      r->cpu, "complete", (int)r->complete, "old", "what",
		      json_of_text(r->old.what), "revision", r->old.revision, "new", "what",
		      json_of_text(r->new.what), "revision", r->new.revision, "control",
		      r->control == GATE_OLD_AGAIN ? "old again" : "new again", "weaker", r->weaker,
		      "remark", r->remark, "rule", "floor", r->rule.floor, "detect", r->rule.detect,
		      "level", r->rule.level, "rate", r->rule.rate, "parameters",
		      json_of_parameters(r->parameters), "benchmarks", rows, "left_out", omitted);
	return o;
}

int result_save(const struct gate_result *r, const char *folder, struct err *e)
{
	char path[PATH_MAX];
	struct text t = { 0 };
	json_t *json = json_of_result(r);
	int status = text_path(path, e, "%s/compare.json", folder);

	if (status == 0)
		status = json_file_save(json, path, e);
	json_decref(json);
	add_markdown(&t, r);
	if (status == 0)
		status = text_path(path, e, "%s/compare.md", folder);
	if (status == 0)
		status = text_save(&t, path, e);
	text_free(&t);
	return status;
}

/* ---- JUnit XML ---- */

/* XML 1.0 excludes most control characters, and a message may be cut within a character. */
static void add_xml(struct text *t, const char *s)
{
	json_t *utf8 = json_string(s); /* NULL if it is not */

	for (; *s; s++) {
		char one[2] = { *s, '\0' };
		unsigned char c = (unsigned char)*s;

		if (c < ' ' || c == 0x7f || (!utf8 && c > 0x7f))
			one[0] = '?';
		text_add_escaped(t, one, TEXT_HTML);
	}
	json_decref(utf8);
}

static void add_case(struct text *t, const char *target, const char *name)
{
	text_add(t, "    <testcase classname=\"");
	add_xml(t, *target ? target : "files");
	text_add(t, "\" name=\"");
	add_xml(t, name);
	text_add(t, "\"");
}

/* Ends a case with an element that has a message. */
static void add_outcome(struct text *t, const char *element, const char *message)
{
	text_add(t, "><%s message=\"", element);
	add_xml(t, message);
	text_add(t, "\"/></testcase>\n");
}

static void add_bench_case(struct text *t, const char *target, const struct gate_bench *b)
{
	const struct gate_judgement *j = &b->now;
	struct text why = { 0 };

	add_case(t, target, b->name);
	if (j->verdict != GATE_SLOWER && j->verdict != GATE_AMBIGUOUS) {
		text_add(t, "/>\n");
		return;
	}
	text_add(&why, "%s ", gate_verdict_names[j->verdict]);
	add_change(&why, j->test.ratio);
	text_add(&why, ", 99 %% interval ");
	add_interval(&why, &j->test);
	text_add(&why, ", ");
	add_seconds(&why, j->test.old_typical);
	text_add(&why, " -> ");
	add_seconds(&why, j->test.new_typical);
	if (*j->reason)
		text_add(&why, " (%s)", j->reason);
	add_outcome(t, j->verdict == GATE_SLOWER ? "failure" : "skipped", text_get(&why));
	text_free(&why);
}

static void add_suite(struct text *t, const struct gate_target *target)
{
	for (size_t i = 0; i < target->session.count; i++)
		add_bench_case(t, target->name, &target->session.bench[i]);
	for (size_t i = 0; i < target->omitted_count; i++) {
		const struct gate_omitted *o = &target->omitted[i];

		add_case(t, target->name, o->name);
		add_outcome(t, o->failed ? "error" : "skipped", o->reason);
	}
}

int result_save_junit(const struct gate_result *r, const char *path, struct err *e)
{
	struct text t = { 0 };
	int status;

	text_add(&t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "
		     "name=\"copra-compare\">\n");
	for (size_t k = 0; k < r->targets; k++) {
		text_add(&t, "  <testsuite name=\"");
		add_xml(&t, *r->target[k].name ? r->target[k].name : "files");
		text_add(&t, "\">\n");
		add_suite(&t, &r->target[k]);
		text_add(&t, "  </testsuite>\n");
	}
	if (!r->complete) {
		text_add(&t, "  <testsuite name=\"comparison\">\n");
		add_case(&t, "comparison", "complete");
		add_outcome(&t, "error", "interrupted or failed");
		text_add(&t, "  </testsuite>\n");
	}
	text_add(&t, "</testsuites>\n");
	status = text_save(&t, path, e);
	text_free(&t);
	return status;
}
