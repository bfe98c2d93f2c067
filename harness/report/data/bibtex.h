/* Turns a BibTeX entry into a reference. Reads one entry whose field values are in braces. */
#ifndef COPRA_REPORT_DATA_BIBTEX_H
#define COPRA_REPORT_DATA_BIBTEX_H

#include "harness/report/text.h"

/* Appends "authors: title. journal or proceedings, year.", without fields that the entry lacks. */
void bibtex_reference(const char *entry, struct text *out);

#endif
