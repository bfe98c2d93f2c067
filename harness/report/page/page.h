/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The pages of the report, in two forms: report.html, one self-contained file without scripts or
 * network access that follows the reader's light or dark mode, and Markdown, README.md with one
 * file per chapter. The sections are written once, into a document
 * (harness/report/document/document.h), which produces either form. */
#ifndef COPRA_REPORT_PAGE_PAGE_H
#define COPRA_REPORT_PAGE_PAGE_H

#include "harness/report/data/sources.h"
#include "harness/report/document/document.h"
#include "harness/report/paper.h"

/* The contents of the report. */
struct page {
	const struct paper *papers;
	size_t count;
	const struct results *results;
	const char *folder; /* the folder that holds papers/, recorded/ and studies/ */
	const char *local;  /* the folder of local results */
	const char *out;    /* the output folder, which also holds the drawings (export.h) */
	bool here;          /* the report includes measurements of results/local */
};

/* ---- sections ---- */

/* page.c: the first page. Summary, machines, index of the papers' tables and figures. */
int page_overview(const struct page *p, struct doc *d, struct err *e);
/* gain.c: the picture on the first page, for each machine that measured a table `gain`
 * (table/tables.h). gain_export writes its data and gnuplot scripts below <out>/plots. */
int gain_export(const struct page *p, const char *plots, struct err *e);
int gain_section(const struct page *p, struct doc *d, struct err *e);
/* chapter.c: the chapter of one paper: verdicts, findings, tables, figures, roofline, energy,
 * environment. */
int page_chapter(const struct page *p, const struct paper *paper, struct doc *d, struct err *e);
/* proofs.c: the time to a proof from nothing, from the rows of scripts/prove.sh. proofs_export
 * writes the data and gnuplot scripts of its figures below <out>/plots. */
int proofs_export(const struct page *p, const char *plots, struct err *e);
int page_proofs(const struct page *p, struct doc *d, struct err *e);
/* solved.c: the tables of campaigns and the proof files of flowshops. */
int page_solved(const struct page *p, struct doc *d, struct err *e);
/* gate.c: the last comparisons of `make compare`, and studies of the gate's error rates. */
int page_gate(const struct page *p, struct doc *d, struct err *e);
/* appendix.c: every claim of a paper with its evidence, every row, and the skipped benchmarks. */
int page_appendix(const struct paper *paper, struct doc *d, struct err *e);

/* ---- page.c: shared by the sections ---- */

extern const enum doc_tone page_verdict_tones[VERDICTS];

/* The parts of a section that differ by machine. What the user's own machine measured comes first;
 * in HTML, what recorded machines measured is folded below it. Begin with { 0 }. */
struct page_fold {
	bool here, open;
};
/* Call these before the part of each machine, local machines first, and after the last one. */
void page_fold(struct page_fold *f, const struct result_set *set, struct doc *d);
void page_fold_end(struct page_fold *f, struct doc *d);
/* Writes the line above measurements of a machine: the machine, what the rows were measured with
 * (NULL: the measurements have no rows), and the GPUs. */
void page_origin(const struct result_set *set, const struct sources *s, struct doc *d);
/* The same for the benchmarks for which `read` is true; NULL: all of the set. Fails only if memory
 * runs out. */
int page_origin_of(const struct result_set *set, const bool *read, struct doc *d, struct err *e);
/* Writes a level-2 heading with the anchor "<target>-<part>". */
void page_heading(const struct paper *paper, struct doc *d, const char *part, const char *heading);

/* Writes <out>/plots/<name>.<slug of the set>.dat and the script that draws it with
 * plots/<name>.gp. `settings`: lines of the script, each with its end. */
int page_figure_save(const struct page *p, const struct result_set *set, const char *plots,
		     const char *name, const struct text *data, const char *settings,
		     struct err *e);

/* Append a link (text.h) to a claim's evidence, "gmys-ivm-claims#claim-gmys-ivm-T1", and to a
 * benchmark in the appendix of rows, whose anchor is the part after '#'. */
void page_claim_link(struct text *out, const struct paper *paper, const struct claim *c);
void page_row_link(struct text *out, const struct result_set *set, size_t bench);

#endif
