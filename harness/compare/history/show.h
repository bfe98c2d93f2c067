/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The output of `copra-history show`, on the terminal and as files. */
#ifndef COPRA_COMPARE_HISTORY_SHOW_H
#define COPRA_COMPARE_HISTORY_SHOW_H

#include "harness/compare/history/series.h"
#include "harness/report/text.h"

enum { SHOW_PLOTS = 200 }; /* the most drawings on a page; series with changes come first */

/* For the terminal: the changes, and the table of all series if it is short or `all` is set. */
int show_print(const struct series_list *list, bool all, struct text *t, struct err *e);
/* Writes <folder>/history.html, history.md and plots/<benchmark>.svg. */
int show_files(const struct series_list *list, const struct series_setting *setting,
	       const char *folder, struct err *e);

#endif
