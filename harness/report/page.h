/* report.html: one self-contained page. Well-formed XML, no network, no script; style and drawings
 * inside; light and dark as the reader's system asks. */
#ifndef COPRA_REPORT_PAGE_H
#define COPRA_REPORT_PAGE_H

#include "study.h"

/* Drawings are taken from where emit.h says; one that is missing is named as missing. */
int page_write(const struct study *studies, size_t count, const struct results *r, const char *out,
	       struct err *e);

/* The style sheet. */
extern const char page_style[];

#endif
