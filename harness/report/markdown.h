/* The little Markdown that findings are written in, to HTML: paragraphs, "## " headings (shown as
 * h4), "- " items (continued by indented lines), **strong**, *emphasis*, `code`. Nothing else has a
 * meaning; all text is escaped. */
#ifndef COPRA_REPORT_MARKDOWN_H
#define COPRA_REPORT_MARKDOWN_H

#include "text.h"

void markdown_html(const char *source, struct text *out);

#endif
