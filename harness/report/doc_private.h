/* Between doc.c and what writes one format. */
#ifndef COPRA_REPORT_DOC_PRIVATE_H
#define COPRA_REPORT_DOC_PRIVATE_H

#include <limits.h>

#include "harness/report/doc.h"

enum { DOC_DEPTH = 12 };

struct doc_level {
	enum doc_block block;
	enum doc_tone tone;
};

struct doc {
	const struct doc_ops *ops;
	const char *folder;
	char page[NAME_MAX];
	struct text out;
	struct err error; /* the first one of a page's file */
	size_t depth;
	struct doc_level level[DOC_DEPTH];
	bool summary; /* within the summary of details */
	size_t spans;
	enum doc_span span[DOC_DEPTH];
	enum doc_tone span_tone[DOC_DEPTH];
};

struct doc_ops {
	enum text_kind kind;
	bool file_a_page;
	void (*begin)(struct doc *d);
	void (*finish)(struct doc *d);
	void (*page)(struct doc *d, const char *name, const char *title);
	void (*heading)(struct doc *d, int level, const char *anchor, const char *text);
	void (*open)(struct doc *d, const struct doc_level *l);
	void (*summary_end)(struct doc *d);
	void (*close)(struct doc *d, const struct doc_level *l);
	void (*text)(struct doc *d, const char *s);
	void (*span_open)(struct doc *d, enum doc_span span, enum doc_tone tone);
	void (*span_close)(struct doc *d, enum doc_span span, enum doc_tone tone);
	void (*sheet)(struct doc *d, const struct sheet *s);
	void (*pre)(struct doc *d, const char *s);
	int (*figure)(struct doc *d, const char *path, const char *prefix, const char *caption,
		      struct err *e);
};

extern const struct doc_ops doc_html, doc_markdown;
extern const char *const doc_tones[TONES]; /* names, as the style sheet has them */

/* Number of lists around the present block. */
size_t doc_lists(const struct doc *d);
bool doc_in_code(const struct doc *d);

#endif
