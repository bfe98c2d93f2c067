/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The page about solved instances: the tables of `copra campaign` (results/campaigns/NAME and
 * <local>/<machine>/campaign) and the proof files of `copra prove` (results/proofs). */
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
#include "harness/report/data/csv.h"
#include "harness/report/format.h"

/* ---- campaigns ---- */

static const char *const columns[] = { "instance", "best known", "source", "ours",
				       "bound",    "status",     "nodes",  "seconds",
				       "GPUs",     "proof file", "note" };
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]), TEXTS = 3, STATUS = 5 };

static int campaign_sheet(const struct csv *table, const int *column, struct doc *d, struct err *e)
{
	struct sheet s;
	int status = sheet_create(&s, "Campaign", COLUMNS, table->rows, e);
	if (status)
		return status;
	status = sheet_headings(&s, columns, TEXTS, e);
	s.left[COLUMNS - 2] = s.left[COLUMNS - 1] = true;
	for (size_t row = 0; row < table->rows && !status; row++)
		for (size_t i = 0; i < COLUMNS && !status; i++)
			status = sheet_put(&s, row, i, csv_cell(table, row, column[i]), e);
	if (!status)
		doc_sheet(d, &s);
	sheet_free(&s);
	return status;
}

/* Shows the table of one campaign. A file that cannot be read is reported in the document. */
static int campaign(const char *path, const char *title, struct doc *d, struct err *e)
{
	struct csv table = { 0 };
	struct err problem = { 0 };
	int column[COLUMNS];
	size_t solved = 0;
	int status = csv_read(&table, path, &problem);
	doc_heading(d, 3, NULL, title);
	for (size_t i = 0; i < COLUMNS && !status; i++)
		if ((column[i] = csv_column(&table, columns[i])) < 0)
			status = err_set(&problem, ERR_INPUT, "%s: no column '%s'", path,
					 columns[i]);
	if (status) {
		csv_free(&table);
		if (status == ERR_MEMORY)
			return err_set(e, status, "%s", problem.text);
		doc_paragraph(d, TONE_BAD, "Left out: %s", problem.text);
		return 0;
	}
	for (size_t row = 0; row < table.rows; row++)
		solved += !strcmp(csv_cell(&table, row, column[STATUS]), "optimal");
	doc_paragraph(d, TONE_PLAIN, "%zu of %zu solved.", solved, table.rows);
	status = campaign_sheet(&table, column, d, e);
	csv_free(&table);
	return status;
}

/* The campaigns below a folder: <folder>/<name><inside>/campaign.csv. */
static int campaigns_below(const char *folder, const char *inside, size_t *count, struct doc *d,
			   struct err *e)
{
	struct dirent **names;
	int status = 0, found = scandir(folder, &names, host_visible, alphasort);
	for (int i = 0; i < found; i++) {
		char path[PATH_MAX];
		if (!status)
			status = text_path(path, e, "%s/%s%s/campaign.csv", folder,
					   names[i]->d_name, inside);
		if (!status && access(path, F_OK) == 0) {
			++*count;
			status = campaign(path, names[i]->d_name, d, e);
		}
		free(names[i]);
	}
	if (found >= 0)
		free(names);
	return status;
}

/* ---- proof files ---- */

/* What a list has of an instance. */
struct listed {
	const char *instance; /* looked for */
	long best, lower;     /* 0: not in the list */
	bool ours;            /* the only proof known is that of copra */
	char source[128];
};

static int match_row(void *ctx, const char *const *cell, struct err *e)
{
	struct listed *l = ctx;
	(void)e;
	if (strcmp(cell[0], l->instance) && strcmp(cell[1], l->instance))
		return 0;
	l->best = strtol(cell[2], NULL, 10);
	l->lower = strtol(cell[3], NULL, 10);
	l->ours = !strncmp(cell[4], "proved by copra", strlen("proved by copra"));
	snprintf(l->source, sizeof(l->source), *cell[5] ? "%s (%s)" : "%s", cell[4], cell[5]);
	return 0;
}

/* Looks in the lists beside the proofs: vfr.csv, and known.csv for the instances of Taillard. */
static int find_listed(struct listed *l, const char *folder, const char *instance, struct err *e)
{
	static const char *const lists[] = { "vfr.csv", "known.csv" };
	static const char *const names[] = { "instance",    "?file",  "best_known",
					     "lower_bound", "source", "?source_date",
					     NULL };
	char path[PATH_MAX];
	int status = 0;
	*l = (struct listed){ .instance = instance };
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]) && !status && !l->best; i++)
		if (!(status = text_path(path, e, "%s/%s", folder, lists[i])))
			status = csv_read_rows(path, names, match_row, l, e);
	return status;
}

static const char *judge(const struct listed *l, long bound, bool schedule)
{
	if (!l->best)
		return "in none of the lists";
	if (bound > l->best)
		return "CONTRADICTION: the list has a shorter schedule";
	if (bound < l->lower)
		return schedule ? "CONTRADICTION: below the lower bound of the list" :
				  "below the known bound";
	if (bound == l->best && l->lower == l->best)
		return l->ours ? "proved by copra before" : "confirmed";
	if (schedule)
		return bound < l->best ? "new schedule and proof" : "new proof";
	if (bound == l->lower)
		return "known bound";
	return bound < l->best ? "new lower bound" : "new proof of the listed makespan";
}

/* "2 x NVIDIA H100", "8 threads of AMD EPYC", or the number of runs. */
static void counted_on(const json_t *runs, struct text *out)
{
	const json_t *run = json_array_get(runs, json_array_size(runs) - 1);
	const json_t *devices = json_object_get(run, "devices");
	const char *first = json_string_value(json_array_get(devices, 0));
	if (json_array_size(runs) > 1)
		text_add(out, "%zu runs; last: ", json_array_size(runs));
	if (json_array_size(devices))
		text_add(out, "%zu × %s", json_array_size(devices), first ? first : "GPU");
	else
		text_add(out, "%" JSON_INTEGER_FORMAT " threads of %s",
			 json_integer_value(json_object_get(run, "threads")),
			 json_text(run, "cpu"));
}

static bool is_proof(const json_t *p)
{
	return !strcmp(json_text(p, "format"), "copra-flowshop-proof-1") &&
	       *json_text(p, "instance") && json_is_integer(json_object_get(p, "bound")) &&
	       json_is_integer(json_object_get(p, "nodes")) &&
	       json_array_size(json_object_get(p, "runs"));
}

static long long integer(const json_t *p, const char *key)
{
	return json_integer_value(json_object_get(p, key));
}

static int put_proof(struct sheet *s, size_t row, const char *folder, const char *file,
		     const json_t *p, struct err *e)
{
	const json_t *runs = json_object_get(p, "runs"), *run;
	const bool schedule = json_is_array(json_object_get(p, "schedule"));
	const char *instance = json_text(p, "instance");
	char time[32];
	struct text on = { 0 };
	struct listed l;
	double seconds = 0;
	size_t i;
	int status = find_listed(&l, folder, instance, e);
	json_array_foreach(runs, i, run)
	{
		seconds += json_number_value(json_object_get(run, "seconds"));
	}
	format_number(time, sizeof(time), FORMAT_SECONDS, seconds);
	counted_on(runs, &on);
	run = json_array_get(runs, json_array_size(runs) - 1);
	if (!status && !(status = text_ok(&on, e)) &&
	    !(status = sheet_put(s, row, 0, instance, e)) &&
	    !(status = sheet_print(s, row, 1, e, "%lld x %lld", integer(p, "jobs"),
				   integer(p, "machines"))) &&
	    !(status = sheet_print(s, row, 2, e, "%s%lld", schedule ? "" : "≥ ",
				   integer(p, "bound"))) &&
	    (!l.best || !(status = sheet_print(s, row, 3, e, "%ld, %s", l.best, l.source))) &&
	    !(status = sheet_put(s, row, 4, judge(&l, (long)integer(p, "bound"), schedule), e)) &&
	    !(status = sheet_print(s, row, 5, e, "%lld", integer(p, "nodes"))) &&
	    !(status = sheet_put(s, row, 6, text_get(&on), e)) &&
	    !(status = sheet_put(s, row, 7, time, e)) &&
	    !(status =
		      sheet_print(s, row, 8, e, "%.7s%s", json_text(run, "revision"),
				  json_is_true(json_object_get(run, "dirty")) ? ", modified" : "")))
		status = sheet_put(s, row, 9, file, e);
	text_free(&on);
	return status;
}

static int is_json(const struct dirent *f)
{
	const char *end = strrchr(f->d_name, '.');
	return host_visible(f) && end && !strcmp(end, ".json");
}

/* The proofs of a folder that can be read; the others are reported in the document. */
static int proof_table(const char *folder, struct dirent **names, int found, struct doc *d,
		       struct err *e)
{
	static const char *const headings[] = { "instance", "size",  "makespan",   "best known",
						"result",   "nodes", "counted on", "time",
						"revision", "file" };
	enum { HEADINGS = sizeof(headings) / sizeof(headings[0]) };
	struct sheet s;
	size_t rows = 0;
	int status = sheet_create(&s, "Proof files", HEADINGS, (size_t)found, e);
	if (status)
		return status;
	status = sheet_headings(&s, headings, 5, e);
	s.left[6] = s.left[8] = s.left[9] = true;
	for (int i = 0; i < found && !status; i++) {
		char path[PATH_MAX];
		struct err problem = { 0 };
		json_t *p = NULL;
		if ((status = text_path(path, e, "%s/%s", folder, names[i]->d_name)))
			break;
		if (json_file_read(&p, path, &problem))
			doc_paragraph(d, TONE_BAD, "Left out: %s", problem.text);
		else if (!is_proof(p))
			doc_paragraph(d, TONE_BAD, "Left out: %s is not a proof", path);
		else
			status = put_proof(&s, rows++, folder, names[i]->d_name, p, e);
		json_decref(p);
	}
	s.rows = rows;
	if (!status)
		doc_sheet(d, &s);
	s.rows = (size_t)found;
	sheet_free(&s);
	return status;
}

static int proof_files(const struct page *p, struct doc *d, struct err *e)
{
	char folder[PATH_MAX];
	struct dirent **names;
	int status = text_path(folder, e, "%s/proofs", p->folder);
	int found = status ? -1 : scandir(folder, &names, is_json, alphasort);
	doc_heading(d, 2, "solved-files", "Proof files of flowshops");
	if (found > 0)
		status = proof_table(folder, names, found, d, e);
	else if (!status)
		doc_paragraph(d, TONE_NOTE, "There are none.");
	for (int i = 0; i < found; i++)
		free(names[i]);
	if (found >= 0)
		free(names);
	return status;
}

int page_solved(const struct page *p, struct doc *d, struct err *e)
{
	char folder[PATH_MAX];
	size_t count = 0;
	int status;
	doc_page(d, "solved", "Solved instances");
	doc_paragraph(
		d, TONE_NOTE,
		"Permutation flowshops, makespan, and 0-1 knapsacks, profit. A result is compared "
		"with the list that its row "
		"names, as of the date of that list, and is new only against it: proofs that no "
		"list has instance by instance are not known here. Instances are compared by "
		"name; copra verify also compares their numbers.");
	doc_heading(d, 2, "solved-campaigns", "Campaigns");
	doc_paragraph(d, TONE_NOTE,
		      "Made by copra campaign, which evaluates every schedule and every choice of "
		      "items with copra verify. Nodes of flowshops: those of the search that found "
		      "the schedule and proved it, which depend on when schedules were found. The "
		      "note says if the campaign counted a tree twice. Nodes of knapsacks: the "
		      "cells computed. Paths of proof files begin in the folder of the campaign.");
	status = text_path(folder, e, "%s/campaigns", p->folder);
	if (!status && p->here)
		status = campaigns_below(p->local, "/campaign", &count, d, e);
	if (!status)
		status = campaigns_below(folder, "", &count, d, e);
	if (!status && !count)
		doc_paragraph(d, TONE_NOTE, "There are none.");
	return status ? status : proof_files(p, d, e);
}
