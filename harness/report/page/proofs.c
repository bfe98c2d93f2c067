/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The page about the time to a proof from nothing: for each machine with a file proofs.jsonl of
 * scripts/prove.sh, the share of solved instances against time, and a table of all runs. */
#include "harness/report/page/page.h"

#include <dirent.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/host.h"
#include "harness/base/json_file.h"
#include "harness/report/format.h"

/* The runs of a machine. jansson keeps the order in which members were added. */
struct runs {
	json_t *solvers;      /* title of the solver and its devices -> instance -> last row */
	json_t *instances;    /* instance -> its first row */
	struct text problems; /* lines that could not be read */
};

static double number_of(const json_t *row, const char *key)
{
	return json_number_value(json_object_get(row, key)); /* 0 if it is not a number */
}

static bool has(const json_t *row, const char *key)
{
	return json_is_number(json_object_get(row, key));
}

static bool is(const json_t *row, const char *status)
{
	return !strcmp(json_text(row, "status"), status);
}

/* A proof counts if its schedule was verified and it came within the limit. */
static bool is_solved(const json_t *row)
{
	return is(row, "optimal") && json_is_true(json_object_get(row, "verified")) &&
	       number_of(row, "seconds") <= number_of(row, "limit");
}

/* "copra, 2 × NVIDIA H200" or "copra, 8 threads". */
static void add_title(const json_t *row, struct text *out)
{
	const json_t *devices = json_object_get(row, "devices");
	const char *first = json_string_value(json_array_get(devices, 0));
	text_add(out, "%s, ", json_text(row, "solver"));
	if (number_of(row, "gpus") > 0)
		text_add(out, "%.0f × %s", number_of(row, "gpus"), first ? first : "GPU");
	else
		text_add(out, "%.0f thread%s", number_of(row, "threads"),
			 number_of(row, "threads") > 1 ? "s" : "");
}

/* ---- reading ---- */

static int add_row(struct runs *r, json_t *row, struct err *e)
{
	const char *instance = json_text(row, "instance");
	struct text title = { 0 };
	add_title(row, &title);
	int status = text_ok(&title, e);
	json_t *solver = status ? NULL : json_object_get(r->solvers, text_get(&title));
	if (!status && !solver) {
		solver = json_object();
		if (json_object_set_new(r->solvers, text_get(&title), solver))
			status = err_set(e, ERR_MEMORY, "out of memory");
	}
	text_free(&title);
	if (!status && (json_object_set(solver, instance, row) ||
			(!json_object_get(r->instances, instance) &&
			 json_object_set(r->instances, instance, row))))
		status = err_set(e, ERR_MEMORY, "out of memory");
	return status;
}

static bool is_row(const json_t *row)
{
	return *json_text(row, "instance") && *json_text(row, "solver") &&
	       *json_text(row, "status") && has(row, "seconds") && has(row, "limit") &&
	       number_of(row, "seconds") > 0;
}

static int read_line(struct runs *r, const char *path, const char *line, size_t length,
		     size_t number, struct err *e)
{
	char problem[PATH_MAX + 64];
	json_t *row = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
	int status = 0;
	if (is_row(row)) {
		status = add_row(r, row, e);
	} else {
		snprintf(problem, sizeof(problem), "%s: line %zu is not a run", path, number);
		text_add_problem(&r->problems, problem);
	}
	json_decref(row);
	return status;
}

static void free_runs(struct runs *r)
{
	json_decref(r->solvers);
	json_decref(r->instances);
	text_free(&r->problems);
}

static int read_runs(struct runs *r, const char *path, struct err *e)
{
	struct text file = { 0 };
	size_t number = 0;
	*r = (struct runs){ .solvers = json_object(), .instances = json_object() };
	int status = r->solvers && r->instances ? text_load(&file, path, e) :
						  err_set(e, ERR_MEMORY, "out of memory");
	const char *at = text_get(&file);
	for (size_t length; *at && !status; at += length + (at[length] == '\n')) {
		length = strcspn(at, "\n");
		status = read_line(r, path, at, length, ++number, e);
	}
	text_free(&file);
	return status;
}

struct visit {
	const struct page *page;
	const char *plots; /* for proofs_export */
	struct doc *doc;   /* for page_proofs */
	struct page_fold fold;
	size_t machines; /* so far */
};
typedef int visit_runs(struct visit *v, const struct result_set *set, const struct runs *r,
		       struct err *e);

static int visit_machine(struct visit *v, const char *folder, const struct result_set *set,
			 visit_runs *visit, struct err *e)
{
	char path[PATH_MAX];
	struct runs r;
	int status = text_path(path, e, "%s/%s/proofs.jsonl", folder, set->machine);
	if (status || access(path, F_OK) != 0)
		return status;
	v->machines++;
	if (!(status = read_runs(&r, path, e)))
		status = visit(v, set, &r, e);
	free_runs(&r);
	return status;
}

/* Visits every machine that has runs, local ones first. */
static int visit_machines(struct visit *v, visit_runs *visit, struct err *e)
{
	char recorded_folder[PATH_MAX];
	int status = text_path(recorded_folder, e, "%s/recorded", v->page->folder);
	for (int recorded = !v->page->here; recorded < 2 && !status; recorded++) {
		const char *folder = recorded ? recorded_folder : v->page->local;
		struct dirent **names;
		int found = scandir(folder, &names, host_visible, alphasort);
		for (int i = 0; i < found; i++) {
			const struct result_set set = { .machine = names[i]->d_name,
							.recorded = recorded };
			if (!status)
				status = visit_machine(v, folder, &set, visit, e);
			free(names[i]);
		}
		if (found >= 0)
			free(names);
	}
	return status;
}

/* ---- the curves ---- */

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The longest limit of a solver's runs. */
static double limit_of(json_t *solver)
{
	double most = 0;
	const char *instance;
	json_t *row;
	json_object_foreach(solver, instance, row)
	{
		if (number_of(row, "limit") > most)
			most = number_of(row, "limit");
	}
	return most;
}

/* The sorted times of a solver's proofs. The caller frees `at`. */
struct times {
	double *at;
	size_t count;
};

static int find_times(struct times *t, json_t *solver, struct err *e)
{
	const char *instance;
	json_t *row;
	*t = (struct times){ malloc((json_object_size(solver) + 1) * sizeof(*t->at)), 0 };
	if (!t->at)
		return err_set(e, ERR_MEMORY, "out of memory");
	json_object_foreach(solver, instance, row)
	{
		if (is_solved(row))
			t->at[t->count++] = number_of(row, "seconds");
	}
	qsort(t->at, t->count, sizeof(*t->at), by_value);
	return 0;
}

static size_t solved_within(const struct times *t, double seconds)
{
	size_t count = 0;
	while (count < t->count && t->at[count] <= seconds)
		count++;
	return count;
}

/* Appends a block of lines "seconds share" to the data, and the curve's title to the settings. */
static int put_curve(const struct runs *r, json_t *solver, const char *title, size_t number,
		     struct text *data, struct text *settings, struct err *e)
{
	double all = (double)json_object_size(r->instances), share = 0;
	struct times t;
	int status = find_times(&t, solver, e);
	text_add(data, "0.01 0\n");
	for (size_t i = 0; i < t.count && !status; i++) {
		share = 100 * (double)(i + 1) / all;
		text_add(data, "%.6g %.6g\n", t.at[i], share);
	}
	text_add(data, "%.6g %.6g\n\n\n", limit_of(solver), share);
	text_add(settings, "title_%zu = \"", number);
	text_add_escaped(settings, title, TEXT_GNUPLOT);
	text_add(settings, "\"\n");
	free(t.at);
	return status;
}

static int export_machine(struct visit *v, const struct result_set *set, const struct runs *r,
			  struct err *e)
{
	struct text data = { 0 }, settings = { 0 };
	const char *title;
	json_t *solver;
	double first = 1, last = 1;
	size_t number = 0;
	int status = 0;
	json_object_foreach(r->solvers, title, solver)
	{
		struct times t = { 0 };
		if (!status && !(status = find_times(&t, solver, e)) &&
		    !(status = put_curve(r, solver, title, ++number, &data, &settings, e))) {
			first = t.count && t.at[0] < first ? t.at[0] : first;
			last = limit_of(solver) > last ? limit_of(solver) : last;
		}
		free(t.at);
	}
	text_add(&settings, "series = %zu\nx_low = %.6g\nx_high = %.6g\n", number, first, last);
	if (!status && number && !(status = text_ok(&settings, e)))
		status = page_figure_save(v->page, set, v->plots, "proofs", &data,
					  text_get(&settings), e);
	text_free(&data);
	text_free(&settings);
	return status;
}

int proofs_export(const struct page *p, const char *plots, struct err *e)
{
	struct visit v = { .page = p, .plots = plots };
	return visit_machines(&v, export_machine, e);
}

/* ---- the tables ---- */

static const double marks[] = { 1, 10, 30, 60 }; /* seconds */
enum { MARKS = sizeof(marks) / sizeof(marks[0]) };

static int put_solver(struct sheet *s, size_t row, const char *title, json_t *solver, size_t all,
		      struct err *e)
{
	json_t *any = json_object_iter_value(json_object_iter(solver));
	double limit = limit_of(solver);
	struct times t;
	int status = find_times(&t, solver, e);
	if (!status && !(status = sheet_put(s, row, 0, title, e)))
		status = sheet_put(s, row, 1, json_text(any, "version"), e);
	for (size_t i = 0; i < MARKS && !status; i++)
		if (limit >= marks[i])
			status = sheet_print(s, row, 2 + i, e, "%zu", solved_within(&t, marks[i]));
	if (!status && !(status = sheet_print(s, row, 2 + MARKS, e, "%zu of %zu", t.count, all)))
		status = sheet_print(s, row, 3 + MARKS, e, "%.0f s", limit);
	free(t.at);
	return status;
}

static int solver_table(const struct runs *r, struct doc *d, struct err *e)
{
	static const char *const headings[] = { "solver", "version", "1 s",    "10 s",
						"30 s",   "60 s",    "solved", "limit" };
	enum { COLUMNS = sizeof(headings) / sizeof(headings[0]) };
	size_t row = 0;
	struct sheet sheet;
	const char *title;
	json_t *solver;
	int status =
		sheet_create(&sheet, "Solved instances", COLUMNS, json_object_size(r->solvers), e);
	if (status)
		return status;
	status = sheet_headings(&sheet, headings, 2, e);
	json_object_foreach(r->solvers, title, solver)
	{
		if (!status)
			status = put_solver(&sheet, row++, title, solver,
					    json_object_size(r->instances), e);
	}
	if (!status)
		doc_sheet(d, &sheet);
	sheet_free(&sheet);
	return status;
}

/* "9.39 s" for a proof, otherwise the best makespan and its gap. */
static int put_run(struct sheet *s, size_t row, size_t column, const json_t *run, struct err *e)
{
	char seconds[32];
	double best = number_of(run, "objective");
	if (!run)
		return sheet_put(s, row, column, "not run", e);
	if (is(run, "wrong") || is(run, "failed"))
		return sheet_put(s, row, column, is(run, "wrong") ? "WRONG" : "failed", e);
	format_number(seconds, sizeof(seconds), FORMAT_SECONDS, number_of(run, "seconds"));
	if (is_solved(run))
		return sheet_put(s, row, column, seconds, e);
	if (is(run, "optimal"))
		return sheet_print(s, row, column, e, "%s, after the limit", seconds);
	if (best > 0 && has(run, "bound"))
		return sheet_print(s, row, column, e, "%.0f, gap %.1f %%", best,
				   100 * (best - number_of(run, "bound")) / best);
	return best > 0 ? sheet_print(s, row, column, e, "%.0f", best) :
			  sheet_put(s, row, column, "no schedule", e);
}

static int put_instance(struct sheet *s, size_t row, const struct runs *r, const char *name,
			const json_t *run, struct err *e)
{
	const char *title;
	json_t *solver;
	size_t column = 2;
	int status = sheet_put(s, row, 0, name, e);
	if (!status)
		status = sheet_print(s, row, 1, e, "%.0f x %.0f", number_of(run, "jobs"),
				     number_of(run, "machines"));
	json_object_foreach(r->solvers, title, solver)
	{
		if (!status)
			status = put_run(s, row, column++, json_object_get(solver, name), e);
	}
	return status;
}

static int instance_table(const struct runs *r, struct doc *d, struct err *e)
{
	struct sheet sheet;
	const char *name;
	json_t *value;
	size_t column = 2, row = 0;
	int status = sheet_create(&sheet, "Runs", 2 + json_object_size(r->solvers),
				  json_object_size(r->instances), e);
	if (status)
		return status;
	if (!(status = sheet_heading(&sheet, 0, "instance", true, e)))
		status = sheet_heading(&sheet, 1, "size", true, e);
	json_object_foreach(r->solvers, name, value)
	{
		if (!status)
			status = sheet_heading(&sheet, column++, name, false, e);
	}
	json_object_foreach(r->instances, name, value)
	{
		if (!status)
			status = put_instance(&sheet, row++, r, name, value, e);
	}
	if (!status)
		doc_sheet(d, &sheet);
	sheet_free(&sheet);
	return status;
}

/* "RECORDED on h200-x1 · revision 8e3ee57, 2026-11-26", from the last run of copra. */
static void origin(const struct result_set *set, const struct runs *r, struct doc *d)
{
	struct text machine = { 0 };
	const json_t *last = NULL;
	const char *name;
	json_t *solver, *row;
	json_object_foreach(r->solvers, name, solver)
	{
		json_object_foreach(solver, name, row) last = row;
	}
	results_machine(set, &machine);
	doc_paragraph(d, set->recorded ? TONE_RECORDED : TONE_HERE, "%s · revision %.7s, %s",
		      text_get(&machine), json_text(last, "revision"), json_text(last, "date"));
	text_free(&machine);
}

static void problems(const struct runs *r, struct doc *d)
{
	const char *at = text_get(&r->problems);
	for (const char *end; (end = strchr(at, '\n')); at = end + 1)
		doc_paragraph(d, TONE_BAD, "Left out: %.*s", (int)(end - at), at);
}

static int show_machine(struct visit *v, const struct result_set *set, const struct runs *r,
			struct err *e)
{
	struct text path = { 0 };
	char prefix[32];
	page_fold(&v->fold, set, v->doc);
	problems(r, v->doc);
	if (!json_object_size(r->solvers))
		return 0;
	origin(set, r, v->doc);
	text_add(&path, "plots/proofs.");
	results_slug(set, &path);
	snprintf(prefix, sizeof(prefix), "proofs-%zu", v->machines);
	int status = text_ok(&path, e);
	if (!status)
		status = doc_figure(v->doc, text_get(&path), prefix,
				    "Share of instances solved against time", e);
	if (!status && !(status = solver_table(r, v->doc, e)))
		status = instance_table(r, v->doc, e);
	text_free(&path);
	return status;
}

int page_proofs(const struct page *p, struct doc *d, struct err *e)
{
	struct visit v = { .page = p, .doc = d };
	doc_page(d, "proofs", "Time to a proof from nothing");
	doc_paragraph(
		d, TONE_NOTE,
		"Permutation flowshops, makespan. Each solver gets the instance and nothing else: "
		"no known value and no schedule. The time is that of the whole process, from its "
		"start to its end with the proof. Every schedule was evaluated by copra verify; a "
		"bound above any verified schedule makes a run WRONG, and it does not count. The "
		"curve is the share of all instances that a solver has solved by a time; runs that "
		"are missing or failed count as not solved. A run without a proof is shown with "
		"its "
		"best makespan and, if the solver gives a lower bound, the gap. make proofs "
		"measures "
		"these rows.");
	int status = visit_machines(&v, show_machine, e);
	page_fold_end(&v.fold, d);
	if (!v.machines)
		doc_paragraph(d, TONE_NOTE, "Nothing has been measured yet.");
	return status;
}
