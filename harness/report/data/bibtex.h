/* Reads one BibTeX entry whose field values are in braces: enough to print a reference. */
#ifndef COPRA_REPORT_DATA_BIBTEX_H
#define COPRA_REPORT_DATA_BIBTEX_H

#include "harness/report/text.h"

/* Loads <folder>/papers/<target>/paper.bib; `out` stays empty if there is no such file. */
int bibtex_load(struct text *out, const char *folder, const char *target, struct err *e);
/* Appends "authors: title. where, year.", without fields that the entry lacks. */
void bibtex_reference(const char *entry, struct text *out);

#endif
