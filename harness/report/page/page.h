/* The pages of the report: report.html (one self-contained file: no network, no script, light or
 * dark as the reader's system asks) and Markdown, README.md with a file per chapter. Each section
 * is written once, into a document (harness/report/document/document.h). */
#ifndef COPRA_REPORT_PAGE_PAGE_H
#define COPRA_REPORT_PAGE_PAGE_H

#include "harness/report/document/document.h"
#include "harness/report/paper.h"

/* What the sections show. */
struct page {
	const struct paper *papers;
	size_t count;
	const struct results *results;
	const char *folder; /* of papers/, local/ and recorded/ */
	const char *out;    /* where the report is written and its drawings are (export.h) */
	bool here;          /* local measurements are shown too */
};

/* ---- sections ---- */

/* overview.c: the first page. Summary, machines, index of the papers' tables and figures. */
int page_overview(const struct page *p, struct doc *d, struct err *e);
/* chapter.c: one paper, from verdicts and findings to its tables, figures and environment. */
int page_chapter(const struct page *p, const struct paper *paper, struct doc *d, struct err *e);
/* resources.c, sections of a chapter: distance from the peak rates, and energy. */
int page_roofline(const struct paper *paper, struct doc *d, struct err *e);
int page_energy(const struct paper *paper, struct doc *d, struct err *e);
/* gate.c: the last comparisons of `make compare`, and studies of its error rates. */
int page_gate(const struct page *p, struct doc *d, struct err *e);
/* appendix.c: every claim with its evidence, every row, and what was skipped. */
int page_appendix(const struct paper *paper, struct doc *d, struct err *e);

/* ---- shared by the sections: page.c ---- */

extern const enum doc_tone page_verdict_tones[VERDICTS];

/* The line above a machine's figures: origin and GPUs. */
void page_origin(const struct result_set *set, struct doc *d);
/* A heading of the paper, with the anchor "<target>-<part>". */
void page_heading(const struct paper *paper, struct doc *d, const char *part, const char *heading);

/* Links and anchors: "gmys-ivm-claims#claim-gmys-ivm-T1", "gmys-ivm#gmys-ivm-table1", and a
 * benchmark in the appendix of rows. */
void page_claim_link(struct text *out, const struct paper *paper, const struct claim *c);
void page_table_link(struct text *out, const struct paper *paper, const struct table *t);
void page_row_anchor(struct text *out, const struct result_set *set, size_t bench);
void page_row_link(struct text *out, const struct result_set *set, size_t bench);

#endif
