/* A plain table that can be shown on a terminal, in Markdown and in HTML. */
#ifndef COPRA_COMPARE_HISTORY_LISTING_H
#define COPRA_COMPARE_HISTORY_LISTING_H

#include "harness/report/text.h"

enum { LISTING_COLUMNS = 10 };
enum listing_form { LISTING_TERMINAL, LISTING_MARKDOWN, LISTING_HTML };

struct listing {
	const char *const *heading; /* ended by NULL */
	const char *align;          /* a letter a column: l words, t a short word, r a number */
	char *(*row)[LISTING_COLUMNS];
	size_t rows;
};

/* A new row, its cells in the order of the headings, ended by NULL; copied. */
int listing_add(struct listing *l, const char *const *cells, struct err *e);
void listing_write(const struct listing *l, enum listing_form form, struct text *t);
void listing_free(struct listing *l);

#endif
