/* The report as a reader sees it: report.html (one self-contained file: no network, no script,
 * light and dark as the reader's system asks) and its Markdown twin, README.md with a file a
 * chapter. Every section is written once, into a document (doc.h). */
#ifndef COPRA_REPORT_PAGE_H
#define COPRA_REPORT_PAGE_H

#include "harness/report/doc.h"
#include "harness/report/study.h"

/* What the sections show. */
struct page {
	const struct study *studies;
	size_t count;
	const struct results *results;
	const char *folder; /* where papers/, local/ and recorded/ lie */
	const char *out;    /* where the report goes, and its drawings are (emit.h) */
	bool here;          /* local measurements are shown too */
};

/* Writes both. A drawing that is missing is named as missing. */
int page_write(const struct page *p, struct err *e);

/* ---- sections, each in its own file ---- */

/* The first page: ten lines, and a line a paper. */
int page_first(const struct page *p, struct doc *d, struct err *e);
/* The papers' own tables and figures, and where each stands. */
int page_index(const struct page *p, struct doc *d, struct err *e);
/* What `make compare` last found: page_gate.c. */
int page_gate(const struct page *p, struct doc *d, struct err *e);
/* What was reproduced of one paper, and what was found. */
int page_paper(const struct page *p, const struct study *s, struct doc *d, struct err *e);
int page_tables(const struct study *s, struct doc *d, struct err *e);
int page_roofline(const struct study *s, struct doc *d, struct err *e);
int page_energy(const struct study *s, struct doc *d, struct err *e);
int page_environment(const struct study *s, struct doc *d, struct err *e);
int page_skipped(const struct study *s, struct doc *d);
int page_claims(const struct study *s, struct doc *d, struct err *e);
int page_rows(const struct study *s, struct doc *d, struct err *e);
int page_cite(const struct page *p, const struct study *s, struct doc *d, struct err *e);
int page_cite_copra(const struct page *p, struct doc *d, struct err *e);

/* The style sheet of report.html. */
extern const char page_style[];

#endif
