/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A document that is written through one interface, as HTML or as Markdown.
 *
 *     doc_page(d, "gmys-ivm", "gmys-ivm");
 *     doc_heading(d, 2, "gmys-ivm-tables", "Tables and figures");
 *     doc_open(d, DOC_PARAGRAPH, TONE_NOTE);
 *     doc_print(d, "See ");
 *     doc_link(d, "gmys-ivm-claims#claim-gmys-ivm-T1", "claim T1");
 *     doc_close(d);
 *
 * HTML is one file. Markdown is one file per page, because web sites truncate long files. A link is
 * "page#anchor" or "page". Anchors consist of letters, digits, '-' and '.', and are unique in the
 * whole document. All text is escaped here. Errors are remembered and returned by doc_finish. */
#ifndef COPRA_REPORT_DOCUMENT_DOCUMENT_H
#define COPRA_REPORT_DOCUMENT_DOCUMENT_H

#include "harness/report/document/sheet.h"
#include "harness/report/text.h"

enum doc_tone {
	TONE_PLAIN,
	TONE_NOTE,
	TONE_GOOD,
	TONE_BAD,
	TONE_UNSURE,
	TONE_OPEN,
	TONE_HERE,
	TONE_RECORDED,
	TONES
};
enum doc_block { DOC_PARAGRAPH, DOC_LIST, DOC_ITEM, DOC_DETAILS, DOC_BLOCKS };
enum doc_span { DOC_STRONG, DOC_EMPHASIS, DOC_CODE, DOC_SPANS };

struct doc;

/* `kind`: TEXT_HTML or TEXT_MARKDOWN. Files are written to `folder`: report.html; README.md and
 * <page>.md. */
int doc_create(struct doc **out, enum text_kind kind, const char *folder, struct err *e);
/* If `status` is 0, writes the last page and returns 0 or the first error of writing a file;
 * otherwise returns `status`. Frees the document in either case. */
int doc_finish(struct doc *d, int status, struct err *e);
/* The kind given to doc_create, for text that suits only one of them. */
enum text_kind doc_kind(const struct doc *d);

/* Begins a page; the first one is "README". */
void doc_page(struct doc *d, const char *name, const char *title);
/* Level 2 to 4; the anchor may be NULL. */
void doc_heading(struct doc *d, int level, const char *anchor, const char *text);

/* Blocks contain text and spans. A list holds items; an item may hold a list. In DOC_DETAILS, the
 * text up to doc_summary_end is shown while the block is folded; other blocks may follow inside. */
void doc_open(struct doc *d, enum doc_block block, enum doc_tone tone);
void doc_summary_end(struct doc *d);
void doc_close(struct doc *d);

/* These append text to the open block: formatted, in a span, or as a link to `link`. A link is not
 * allowed in a summary. */
void doc_print(struct doc *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
void doc_span(struct doc *d, enum doc_span span, enum doc_tone tone, const char *s);
void doc_link(struct doc *d, const char *link, const char *s);
/* A paragraph of plain text. */
void doc_paragraph(struct doc *d, enum doc_tone tone, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Appends a table. */
void doc_sheet(struct doc *d, const struct sheet *s);
/* A block of preformatted text. */
void doc_pre(struct doc *d, const char *s);
/* The drawing <folder>/<path>.svg. `prefix` makes its ids unique in the HTML page. ERR_INPUT if the
 * file is not an SVG drawing; if there is none, a paragraph says so. */
int doc_figure(struct doc *d, const char *path, const char *prefix, const char *caption,
	       struct err *e);

/* Converts text in a small subset of Markdown, used by findings and notes: paragraphs and items in
 * the given tone, "## " headings (shown at level 4), "- " items (continued by indented lines),
 * **strong**, *emphasis*, `code`. */
void doc_markdown(struct doc *d, enum doc_tone tone, const char *source);

/* The style sheet of report.html. */
extern const char doc_style[];

#endif
