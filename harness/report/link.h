/* Links inside a report: "page#anchor" or "page" (doc.h), as each format writes them. A link with
 * "://" in it goes outside. */
#ifndef COPRA_REPORT_LINK_H
#define COPRA_REPORT_LINK_H

#include "harness/report/text.h"

void link_open(struct text *out, const char *link, enum text_kind kind);
void link_close(struct text *out, const char *link, enum text_kind kind);

#endif
