/* The little Markdown that findings and notes are written in, into a document: paragraphs, "## "
 * headings (shown at level 4), "- " items (continued by indented lines), **strong**, *emphasis*,
 * `code`. Nothing else has a meaning. */
#ifndef COPRA_REPORT_MARKDOWN_H
#define COPRA_REPORT_MARKDOWN_H

#include "harness/report/doc.h"

void markdown_write(struct doc *d, const char *source);
/* Without blocks: what stands inside a paragraph. */
void markdown_spans(struct doc *d, const char *source, size_t length);

#endif
