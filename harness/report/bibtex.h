/* The little of BibTeX that a reference needs: one entry, its fields in braces. */
#ifndef COPRA_REPORT_BIBTEX_H
#define COPRA_REPORT_BIBTEX_H

#include "harness/report/text.h"

/* Loads <folder>/papers/<target>/paper.bib; where there is none, `out` stays empty. */
int bibtex_load(struct text *out, const char *folder, const char *target, struct err *e);
/* Appends the value of a field, without braces; nothing where the entry lacks it. */
void bibtex_field(const char *entry, const char *field, struct text *out);
/* Appends "authors: title. where, year." */
void bibtex_reference(const char *entry, struct text *out);

#endif
