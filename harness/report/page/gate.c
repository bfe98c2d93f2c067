/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The page about the regression gate: the last comparison of `make compare` on each machine, and
 * studies of the error rates from results/studies. */
#include "harness/report/page/page.h"

#include <dirent.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/host.h"
#include "harness/base/json_file.h"
#include "harness/report/format.h"

static double number_of(const json_t *o, const char *key)
{
	const json_t *n = json_object_get(o, key);
	return json_is_number(n) ? json_number_value(n) : NAN;
}

/* NULL if there is no such file. A file that cannot be read is reported in the document. */
static json_t *load(const char *path, struct doc *d)
{
	struct err e;
	json_t *root;
	if (access(path, F_OK) != 0)
		return NULL;
	if (json_file_read(&root, path, &e))
		doc_paragraph(d, TONE_BAD, "%s", e.text);
	return root;
}

static void format_change(char *out, size_t size, double ratio)
{
	if (!isfinite(ratio))
		snprintf(out, size, "?");
	else
		snprintf(out, size, "%+.1f %%", 100 * (ratio - 1));
}

/* ---- the last comparison ---- */

static const char *const verdicts[] = { "SLOWER", "AMBIGUOUS", "FASTER", "SAME" };
enum { VERDICT_KINDS = sizeof(verdicts) / sizeof(verdicts[0]) };

static int put_seconds(struct sheet *s, size_t row, size_t column, double seconds, struct err *e)
{
	char shown[64] = "?";
	if (seconds > 0 && isfinite(seconds))
		format_number(shown, sizeof(shown), FORMAT_SECONDS_FINE, seconds);
	return sheet_put(s, row, column, shown, e);
}

/* The time of one side of the ratio; files of earlier versions have only medians. */
static double compared_time(const json_t *b, const char *side)
{
	char typical[32], median[32];
	snprintf(typical, sizeof(typical), "%s_typical", side);
	snprintf(median, sizeof(median), "%s_median", side);
	double value = number_of(b, typical);
	return isnan(value) ? number_of(b, median) : value;
}

static int put_benchmark(struct sheet *s, size_t row, const json_t *b, struct err *e)
{
	const json_t *control = json_object_get(b, "control");
	char shown[3][32], low[32], high[32];
	int status;
	format_change(shown[0], sizeof(shown[0]), number_of(b, "ratio"));
	format_change(low, sizeof(low), number_of(b, "low"));
	format_change(high, sizeof(high), number_of(b, "high"));
	format_change(shown[1], sizeof(shown[1]), number_of(control, "ratio"));
	if ((status = sheet_put(s, row, 0, json_text(b, "name"), e)) ||
	    (status = sheet_put(s, row, 1, json_text(b, "verdict"), e)) ||
	    (status = put_seconds(s, row, 2, compared_time(b, "old"), e)) ||
	    (status = put_seconds(s, row, 3, compared_time(b, "new"), e)) ||
	    (status = sheet_put(s, row, 4, shown[0], e)) ||
	    (status = sheet_print(s, row, 5, e, "%s to %s", low, high)) ||
	    (status = sheet_put(s, row, 6, shown[1], e)))
		return status;
	return sheet_put(s, row, 7, json_text(b, "reason"), e);
}

/* Ordered by verdict, slower ones first. */
static int benchmarks(const json_t *list, struct doc *d, struct err *e)
{
	static const char *const headings[] = { "benchmark", "verdict",       "old",     "new",
						"change",    "99 % interval", "control", "reason" };
	enum { COLUMNS = sizeof(headings) / sizeof(headings[0]) };
	struct sheet sheet;
	const json_t *b;
	size_t row = 0, i;
	int status = sheet_create(&sheet, "Comparison", COLUMNS, json_array_size(list), e);
	if (status)
		return status;
	status = sheet_headings(&sheet, headings, 2, e);
	sheet.left[COLUMNS - 1] = true;
	for (size_t v = 0; v < VERDICT_KINDS; v++)
		json_array_foreach(list, i,
				   b) if (!status && !strcmp(json_text(b, "verdict"), verdicts[v]))
			status = put_benchmark(&sheet, row++, b, e);
	sheet.rows = row; /* unknown verdicts have no row */
	if (!status && row)
		doc_sheet(d, &sheet);
	sheet.rows = json_array_size(list);
	sheet_free(&sheet);
	return status;
}

static size_t count_verdict(const json_t *list, const char *verdict)
{
	const json_t *b;
	size_t n = 0, i;
	json_array_foreach(list, i, b) n += !strcmp(json_text(b, "verdict"), verdict);
	return n;
}

static int comparison(const json_t *r, struct doc *d, struct err *e)
{
	const json_t *list = json_object_get(r, "benchmarks"), *old = json_object_get(r, "old");
	const json_t *new = json_object_get(r, "new"), *left = json_object_get(r, "left_out"), *l;
	size_t slower = count_verdict(list, "SLOWER"), i;
	doc_paragraph(d, slower ? TONE_BAD : TONE_PLAIN,
		      "On %s, %.10s: %zu benchmarks, %zu slower, %zu faster, %zu the same, %zu "
		      "ambiguous.%s Old: %s, revision %s. New: %s, revision %s.",
		      json_text(r, "machine"), json_text(r, "date"), json_array_size(list), slower,
		      count_verdict(list, "FASTER"), count_verdict(list, "SAME"),
		      count_verdict(list, "AMBIGUOUS"),
		      json_is_true(json_object_get(r, "complete")) ?
			      "" :
			      " The comparison is incomplete.",
		      json_text(old, "what"), json_text(old, "revision"), json_text(new, "what"),
		      json_text(new, "revision"));
	if (*json_text(r, "weaker"))
		doc_paragraph(d, TONE_UNSURE, "%s", json_text(r, "weaker"));
	if (*json_text(r, "remark"))
		doc_paragraph(d, TONE_NOTE, "%s", json_text(r, "remark"));
	int status = benchmarks(list, d, e);
	json_array_foreach(left, i, l)
		doc_paragraph(d, json_is_true(json_object_get(l, "failed")) ? TONE_BAD : TONE_NOTE,
			      "Not compared: %s: %s", json_text(l, "name"), json_text(l, "reason"));
	return status;
}

/* Calls show() for every file <folder>/<name><rest> that can be read. */
static int each_file(const char *folder, const char *rest, struct doc *d, size_t *shown,
		     int (*show)(const json_t *root, struct doc *d, struct err *e), struct err *e)
{
	struct dirent **names;
	int status = 0, found = scandir(folder, &names, host_visible, alphasort);
	for (int i = 0; i < found; i++) {
		char path[PATH_MAX];
		json_t *root = NULL;
		if (!status)
			status = text_path(path, e, "%s/%s%s", folder, names[i]->d_name, rest);
		if (!status)
			root = load(path, d);
		if (root) {
			status = show(root, d, e);
			++*shown;
		}
		json_decref(root);
		free(names[i]);
	}
	if (found >= 0)
		free(names);
	return status;
}

/* ---- studies ---- */

static int put_study(struct sheet *s, size_t row, const json_t *r, struct err *e)
{
	static const char *const counts[] = { "trials", "slower", "faster", "same", "ambiguous" };
	int status = sheet_put(s, row, 0, json_text(r, "noise"), e);
	if (!status)
		status = sheet_put(s, row, 1,
				   number_of(r, "slowdown") > 1 ? "5 % more work" : "the same", e);
	for (size_t i = 0; i < 5 && !status; i++)
		status = sheet_print(s, row, 2 + i, e, "%.0f", number_of(r, counts[i]));
	if (!status)
		status = sheet_print(s, row, 7, e, "%.1f", number_of(r, "launches"));
	if (!status)
		status = sheet_put(s, row, 8,
				   json_is_true(json_object_get(r, "kept")) ? "kept" : "NOT KEPT",
				   e);
	return status;
}

static int study_table(const json_t *rows, struct doc *d, struct err *e)
{
	static const char *const headings[] = { "noise",     "new build", "trials",
						"SLOWER",    "FASTER",    "SAME",
						"AMBIGUOUS", "launches",  "promise" };
	enum { COLUMNS = sizeof(headings) / sizeof(headings[0]) };
	struct sheet sheet;
	const json_t *r;
	size_t i;
	int status = sheet_create(&sheet, "Study", COLUMNS, json_array_size(rows), e);
	if (status)
		return status;
	status = sheet_headings(&sheet, headings, 2, e);
	json_array_foreach(rows, i, r) if (!status) status = put_study(&sheet, i, r, e);
	if (!status)
		doc_sheet(d, &sheet);
	sheet_free(&sheet);
	return status;
}

static void real_machine(const json_t *root, struct doc *d)
{
	doc_open(d, DOC_PARAGRAPH, TONE_PLAIN);
	doc_print(d,
		  "On a real machine (%s, %s, %.0f processors, load %.1f at the start; %.10s). "
		  "Command: ",
		  json_text(root, "machine"), json_text(root, "cpu"), number_of(root, "cpus"),
		  number_of(root, "load_at_start"), json_text(root, "date"));
	doc_span(d, DOC_CODE, TONE_PLAIN, json_text(root, "command"));
	doc_close(d);
}

static int study(const json_t *root, struct doc *d, struct err *e)
{
	if (!strcmp(json_text(root, "kind"), "real"))
		real_machine(root, d);
	else
		doc_paragraph(
			d, TONE_PLAIN,
			"On simulated noise. Under heavy noise, AMBIGUOUS is the correct verdict.");
	return study_table(json_object_get(root, "rows"), d, e);
}

int page_gate(const struct page *p, struct doc *d, struct err *e)
{
	char folder[PATH_MAX];
	size_t shown = 0, studies = 0;
	int status = 0;
	doc_page(d, "gate", "Regression gate");
	doc_heading(d, 2, "gate-last", "Last comparison");
	doc_paragraph(
		d, TONE_NOTE,
		"make baseline stores a build. make compare launches the stored build and the new "
		"build in random order, many times. Each process launch is one sample. SLOWER and "
		"FASTER: the change is at least 3 %%, and a "
		"rank test rejects the hypothesis of no change; the interval may extend below 3 "
		"%%. SAME: the change is smaller, and the interval excludes a change of 5 %%. "
		"AMBIGUOUS: none of these, or the A/A control (the old build against itself) "
		"failed.");
	if (p->here)
		status =
			each_file(p->local, "/gate/compare/compare.json", d, &shown, comparison, e);
	if (!shown)
		doc_paragraph(d, TONE_NOTE, "%s",
			      p->here ? "Nothing has been compared on this machine yet." :
					"Comparisons are specific to a machine. They appear in the "
					"report that make report writes on that machine.");
	doc_heading(d, 2, "gate-studies", "Error rates");
	doc_paragraph(d, TONE_NOTE,
		      "Each study repeats the comparison of a build with one that does 5 %% more "
		      "work, and of a build with itself. "
		      "The gate promises to detect the slower build in at least 95 of 100 trials, "
		      "and to raise a false alarm (SLOWER or FASTER) for the same build in at most "
		      "2 of 100. Launches: the average number per comparison, for each build under "
		      "test (old, new, A/A control).");
	if (!status)
		status = text_path(folder, e, "%s/studies", p->folder);
	if (!status)
		status = each_file(folder, "", d, &studies, study, e);
	return status;
}
