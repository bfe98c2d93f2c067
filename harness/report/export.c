/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/report/export.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/outfile.h"
#include "harness/report/data/sources.h"
#include "harness/report/table/roofline.h"

static const struct {
	const char *extension;
	enum text_kind kind;
} formats[] = { { "md", TEXT_MARKDOWN }, { "tex", TEXT_LATEX }, { "csv", TEXT_CSV } };

static int save_as(const struct text *t, const char *out, const char *target, const char *sub,
		   const char *name, const char *extension, struct err *e)
{
	char path[PATH_MAX];
	int status = text_path(path, e, "%s/%s/%s%s.%s", out, target, sub, name, extension);
	return status ? status : text_save(t, path, e);
}

/* ---- tables ---- */

static void caption(const struct sheet *s, const char *origin, enum text_kind kind, struct text *t)
{
	if (kind == TEXT_MARKDOWN) {
		text_add(t, "## ");
		text_add_escaped(t, s->title, kind);
		text_add(t, "\n\n");
		text_add_escaped(t, origin, kind);
		text_add(t, "\n\n");
	} else if (kind == TEXT_LATEX) {
		text_add(t, "%% %s; %s\n", s->title, origin);
	}
}

static int save_sheet(const struct sheet *s, const char *origin, const char *out,
		      const char *target, const char *name, struct err *e)
{
	int status = 0;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]) && !status; i++) {
		struct text t = { 0 };
		caption(s, origin, formats[i].kind, &t);
		sheet_write(s, &t, formats[i].kind);
		status = save_as(&t, out, target, "", name, formats[i].extension, e);
		text_free(&t);
	}
	return status;
}

static int table_name(char *name, size_t size, const struct table *t, const struct result_set *set,
		      struct err *e)
{
	struct text slug = { 0 };
	results_slug(set, &slug);
	int long_name = snprintf(name, size, "%s.%s", t->id, text_get(&slug)) >= (int)size;
	text_free(&slug);
	return long_name ? err_set(e, ERR_IO, "%s: the name is too long", set->machine) : 0;
}

void export_plot_path(struct text *path, const struct paper *paper, const char *figure,
		      const struct result_set *set)
{
	text_add(path, "%s/plots/%s.", paper->target, figure);
	if (set)
		results_slug(set, path);
	else
		text_add(path, "simulated");
}

/* The data and script of a figure, their paths, and the path of its drawing. */
struct figure {
	struct text data, script;
	char data_path[PATH_MAX], script_path[PATH_MAX], svg_path[PATH_MAX];
};

/* Removes an old drawing, which may show other data. */
static int figure_begin(struct figure *f, const struct paper *paper, const char *name,
			const struct result_set *set, const char *out, struct err *e)
{
	struct text path = { 0 }; /* below `out`, without extension */
	int status;
	*f = (struct figure){ .data_path = "" };
	export_plot_path(&path, paper, name, set);
	if (!(status = text_path(f->data_path, e, "%s/%s.dat", out, text_get(&path))) &&
	    !(status = text_path(f->script_path, e, "%s/%s.gp", out, text_get(&path))) &&
	    !(status = text_path(f->svg_path, e, "%s/%s.svg", out, text_get(&path))))
		unlink(f->svg_path);
	text_free(&path);
	return status;
}

static int figure_end(struct figure *f, int status, struct err *e)
{
	if (!status)
		status = text_save(&f->data, f->data_path, e);
	if (!status)
		status = text_save(&f->script, f->script_path, e);
	text_free(&f->data);
	text_free(&f->script);
	return status;
}

static int emit_plot(const struct paper *paper, const struct grid *g, const struct result_set *set,
		     const char *out, const char *plots, struct err *e)
{
	struct figure f;
	int status = figure_begin(&f, paper, g->table->id, set, out, e);
	grid_plot(g, &(struct plot_paths){ plots, f.data_path, f.svg_path }, &f.data, &f.script);
	return figure_end(&f, status, e);
}

static int save_roofline(const struct paper *paper, const struct roofline *r,
			 const struct result_set *set, const char *out, const char *plots,
			 struct err *e)
{
	struct figure f;
	int status = figure_begin(&f, paper, "roofline", set, out, e);
	roofline_plot(r, &(struct plot_paths){ plots, f.data_path, f.svg_path }, &f.data,
		      &f.script);
	return figure_end(&f, status, e);
}

static int save_intensity(const struct paper *paper, const struct roofline *r,
			  const struct result_set *set, const char *out, const char *plots,
			  struct err *e)
{
	struct figure f;
	int status = figure_begin(&f, paper, "intensity", set, out, e);
	roofline_plot_intensity(r, &(struct plot_paths){ plots, f.data_path, f.svg_path }, &f.data,
				&f.script);
	return figure_end(&f, status, e);
}

static int emit_roofline(const struct paper *paper, const struct result_set *set, const char *out,
			 const char *plots, struct err *e)
{
	struct roofline r;
	int status = roofline_find(&r, set, e);
	if (status)
		return status;
	if (r.count)
		status = save_roofline(paper, &r, set, out, plots, e);
	if (r.works && !status)
		status = save_intensity(paper, &r, set, out, plots, e);
	roofline_free(&r);
	return status;
}

static int emit_table(const struct paper *paper, const struct grid *g, const struct result_set *set,
		      const char *out, const char *plots, struct err *e)
{
	char name[NAME_MAX];
	struct sheet sheet;
	struct text origin = { 0 };
	if (!g->measured)
		return 0;
	int status = table_name(name, sizeof(name), g->table, set, e);
	if (!status)
		status = grid_sheet(g, &sheet, e);
	if (!status) {
		status = sources_origin(set, g->read, &origin, e);
		if (!status)
			status = save_sheet(&sheet, text_get(&origin), out, paper->target, name, e);
		sheet_free(&sheet);
	}
	if (!status && g->has_plot)
		status = emit_plot(paper, g, set, out, plots, e);
	text_free(&origin);
	return status;
}

/* Writes a table of simulated numbers, and its plot. */
static int emit_simulated(const struct paper *paper, size_t table, const char *out,
			  const char *plots, struct err *e)
{
	const struct grid *g = &paper->printed_grid[table];
	char name[NAME_MAX];
	struct sheet sheet;
	struct text origin = { 0 };
	if (!g->table->simulated || !g->rows)
		return 0;
	snprintf(name, sizeof(name), "%.200s.simulated", g->table->id);
	text_add(&origin, "SIMULATED, decides no claim; ");
	paper_simulated_origin(paper, &origin);
	int status = grid_sheet(g, &sheet, e);
	if (!status) {
		status = save_sheet(&sheet, text_get(&origin), out, paper->target, name, e);
		sheet_free(&sheet);
	}
	if (!status && g->has_plot)
		status = emit_plot(paper, g, NULL, out, plots, e);
	text_free(&origin);
	return status;
}

/* Writes a table that no machine has measured: the paper's numbers, and why ours are missing. */
static int emit_untested(const struct paper *paper, size_t table, const char *out, struct err *e)
{
	const struct grid *g = &paper->printed_grid[table];
	char name[NAME_MAX];
	struct sheet sheet;
	struct text origin = { 0 };
	if (!g->table->place || g->table->simulated || !g->rows || paper->measured[table])
		return 0;
	snprintf(name, sizeof(name), "%.200s.paper", g->table->id);
	text_add(&origin, "The paper's own numbers. NOT TESTED: %s",
		 g->table->never ? g->table->never : "not measured on any machine");
	int status = grid_sheet(g, &sheet, e);
	if (!status) {
		status = save_sheet(&sheet, text_get(&origin), out, paper->target, name, e);
		sheet_free(&sheet);
	}
	text_free(&origin);
	return status;
}

/* ---- claims ---- */

static const char *const claim_headings[] = { "id",      "where",     "claim", "kind",
					      "verdict", "judged by", "reason" };
enum { ID, WHERE, SAYS, KIND, VERDICT, JUDGE, REASON, CLAIM_COLUMNS };

static int claim_row(const struct paper *paper, struct sheet *sheet, size_t row, struct err *e)
{
	const struct claim *c = &paper->claims.claim[row];
	const struct paper_machine *judge = paper->judge[row];
	enum verdict verdict = paper_verdict(paper, row);
	struct text reason = { 0 };
	paper_reason(paper, row, &reason);
	const char *const texts[CLAIM_COLUMNS] = { c->id,
						   c->where,
						   c->says,
						   claim_kind_names[c->kind],
						   verdict_names[verdict],
						   c->kind == CLAIM_ARITHMETIC ? "the paper" :
						   judge ? judge->set->machine :
							   "",
						   text_get(&reason) };
	int status = 0;
	for (size_t i = 0; i < CLAIM_COLUMNS && !status; i++) {
		sheet_at(sheet, row, i)->mark = i == ID || i == KIND ? "tight" : NULL;
		status = sheet_put(sheet, row, i, texts[i], e);
	}
	sheet_at(sheet, row, VERDICT)->mark = verdict_marks[verdict];
	for (size_t i = 0; i < paper->machines && !status; i++) {
		if (c->kind == CLAIM_ARITHMETIC)
			continue;
		verdict = paper->machine[i].judgement[row].verdict;
		sheet_at(sheet, row, CLAIM_COLUMNS + i)->mark = verdict_marks[verdict];
		status = sheet_put(sheet, row, CLAIM_COLUMNS + i, verdict_names[verdict], e);
	}
	text_free(&reason);
	return status;
}

int export_claims_sheet(const struct paper *paper, struct sheet *sheet, struct err *e)
{
	int status = sheet_create(sheet, "Claims", CLAIM_COLUMNS + paper->machines,
				  paper->claims.count, e);
	if (status)
		return status;
	for (size_t i = 0; i < CLAIM_COLUMNS && !status; i++)
		status = sheet_heading(sheet, i, claim_headings[i], true, e);
	for (size_t i = 0; i < paper->machines && !status; i++) {
		struct text origin = { 0 };
		results_origin(paper->machine[i].set, &origin);
		status = sheet_heading(sheet, CLAIM_COLUMNS + i, text_get(&origin), true, e);
		text_free(&origin);
	}
	for (size_t row = 0; row < paper->claims.count && !status; row++)
		status = claim_row(paper, sheet, row, e);
	if (status)
		sheet_free(sheet);
	return status;
}

static int emit_claims(const struct paper *paper, const char *out, struct err *e)
{
	struct sheet sheet;
	int status = export_claims_sheet(paper, &sheet, e);
	if (status)
		return status;
	status = save_sheet(&sheet, "", out, paper->target, "claims", e);
	sheet_free(&sheet);
	return status;
}

/* ---- the rows that claims read ---- */

enum { RUNS_NAME, RUNS_HAS, RUNS_NEEDS, RUNS_CLAIMS, RUNS_COLUMNS };

static int runs_row(const struct paper *paper, const struct paper_machine *m, size_t bench,
		    struct sheet *sheet, size_t row, struct err *e)
{
	struct text claims = { 0 };
	for (size_t i = 0; i < paper->claims.count; i++)
		if (m->read[i * m->set->benches + bench])
			text_add(&claims, "%s%s", claims.length ? " " : "",
				 paper->claims.claim[i].id);
	int status = sheet_put(sheet, row, RUNS_NAME, m->set->bench[bench].name, e);
	if (!status)
		status = sheet_print(sheet, row, RUNS_HAS, e, "%zu", m->set->bench[bench].runs);
	if (!status)
		status = sheet_print(sheet, row, RUNS_NEEDS, e, "%zu", m->needed[bench]);
	if (!status)
		status = sheet_put(sheet, row, RUNS_CLAIMS, text_get(&claims), e);
	text_free(&claims);
	return status;
}

static int runs_sheet(const struct paper *paper, const struct paper_machine *m, struct sheet *sheet,
		      struct err *e)
{
	static const char *const headings[RUNS_COLUMNS] = { "row", "runs", "needed", "claims" };
	size_t rows = 0, row = 0;
	for (size_t i = 0; i < m->set->benches; i++)
		rows += m->needed[i] > 0;
	int status =
		sheet_create(sheet, "Runs of the rows that claims read", RUNS_COLUMNS, rows, e);
	if (status)
		return status;
	status = sheet_headings(sheet, headings, 1, e);
	for (size_t i = 0; i < m->set->benches && !status; i++)
		if (m->needed[i])
			status = runs_row(paper, m, i, sheet, row++, e);
	if (status)
		sheet_free(sheet);
	return status;
}

static int runs_origin(const struct paper_machine *m, struct text *out, struct err *e)
{
	bool *read = calloc(m->set->benches + 1, sizeof(*read));
	if (!read)
		return err_set(e, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < m->set->benches; i++)
		read[i] = m->needed[i] > 0;
	int status = sources_origin(m->set, read, out, e);
	free(read);
	return status;
}

static int emit_runs(const struct paper *paper, const struct paper_machine *m, const char *out,
		     struct err *e)
{
	struct text name = { 0 }, origin = { 0 };
	struct sheet sheet;
	int status = runs_sheet(paper, m, &sheet, e);
	if (status)
		return status;
	text_add(&name, "runs.");
	results_slug(m->set, &name);
	status = runs_origin(m, &origin, e);
	if (!status)
		status = save_sheet(&sheet, text_get(&origin), out, paper->target, text_get(&name),
				    e);
	sheet_free(&sheet);
	text_free(&name);
	text_free(&origin);
	return status;
}

int export_files(const struct paper *paper, const char *out, const char *plots, struct err *e)
{
	char folder[PATH_MAX];
	int status = text_path(folder, e, "%s/%s/plots", out, paper->target);
	if (!status)
		status = outfile_make_directories(folder, e);
	if (!status)
		status = emit_claims(paper, out, e);
	for (size_t i = 0; i < paper->machines && !status; i++) {
		status = emit_runs(paper, &paper->machine[i], out, e);
		if (!status)
			status = emit_roofline(paper, paper->machine[i].set, out, plots, e);
		for (size_t k = 0; k < paper->tables.count && !status; k++)
			status = emit_table(paper, &paper->machine[i].grid[k],
					    paper->machine[i].set, out, plots, e);
	}
	for (size_t k = 0; k < paper->tables.count && !status; k++) {
		status = emit_untested(paper, k, out, e);
		if (!status)
			status = emit_simulated(paper, k, out, plots, e);
	}
	return status;
}
