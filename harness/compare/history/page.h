/* What `make history` shows. */
#ifndef COPRA_COMPARE_HISTORY_PAGE_H
#define COPRA_COMPARE_HISTORY_PAGE_H

#include "harness/compare/history/listing.h"
#include "harness/compare/history/series.h"

enum { PAGE_PLOTS = 200 }; /* at most so many drawings, those with changes first */

/* On the terminal: the changes, and the table of all where it is short or `all` is asked for. */
int page_print(const struct series_list *list, bool all, struct text *t, struct err *e);
/* <folder>/history.html, history.md and plots/<benchmark>.svg. */
int page_files(const struct series_list *list, const struct series_setting *setting,
	       const char *folder, struct err *e);

#endif
