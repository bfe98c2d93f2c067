/* What several sections of the report need. */
#ifndef COPRA_REPORT_PAGE_PARTS_H
#define COPRA_REPORT_PAGE_PARTS_H

#include "harness/report/page.h"

extern const enum doc_tone verdict_tones[VERDICTS];

/* The line that a machine's figures stand under. */
void page_origin(const struct result_set *set, struct doc *d);
/* Of a section of the target, with the anchor "<target>-<part>". */
void page_heading(const struct study *s, struct doc *d, const char *part, const char *heading);
/* The first value of a fact in the machine's files, or "". */
const char *page_fact(const struct result_set *set, const char *name);

size_t count_verdicts(const struct study *s, const struct study_machine *m, enum verdict v);
/* The machine that decided most claims, NULL where there is none. */
const struct study_machine *best_machine(const struct study *s);
/* A claim's verdict on the machine that decided most, or where that could not tell, on another. */
enum verdict claim_verdict(const struct study *s, size_t claim);
/* Of how many claims is this the verdict; class NULL = any. */
size_t count_claims(const struct study *s, enum verdict v, const char *class);
size_t count_findings(const struct study *s);

/* "gmys-ivm-claims#claim-gmys-ivm-T1" */
void claim_link(struct text *out, const struct study *s, const struct claim *c);
/* "gmys-ivm#gmys-ivm-table1" */
void table_link(struct text *out, const struct study *s, const struct table *t);
/* The anchor of a benchmark in the appendix of rows, and its number there. */
void row_anchor(struct text *out, const struct result_set *set, size_t bench);
void row_link(struct text *out, const struct result_set *set, size_t bench);

/* A cell from parts: text, and a link that is taken over (may be empty). */
int page_cell(struct sheet *s, size_t row, size_t column, struct err *e, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
int page_cell_link(struct sheet *s, size_t row, size_t column, struct text *link, struct err *e);
int page_headings(struct sheet *s, const char *const *names, size_t count, size_t left,
		  struct err *e);

#endif
