/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/report/table/tables.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/world.h"

static bool small(const struct table *t)
{
	bool all = t->axes <= 2 && t->columns <= 4;

	for (size_t i = 0; i < t->axes; i++)
		all = all && small_expression(t->set[i]);
	for (size_t i = 0; i < t->columns; i++)
		all = all && small_expression(t->column[i].expression);
	return all;
}

/* The cells of a table, and everything written from them. */
static void fill(struct table *t)
{
	const struct tables one = { 1, t };
	const struct plot_paths paths = { "p", "d", "s" };
	struct grid *g;
	struct sheet s;
	struct text data = { 0 }, script = { 0 };
	struct err e = { 0 };

	if (!fuzz_status(grids_fill(&g, &one, small_results(), NULL, &e), &e))
		return;
	FUZZ_CHECK(grid_sheet(g, &s, &e) == 0);
	sheet_free(&s);
	if (g->has_plot)
		grid_plot(g, &paths, &data, &script);
	FUZZ_CHECK(text_ok(&data, &e) == 0 && text_ok(&script, &e) == 0);
	text_free(&data);
	text_free(&script);
	grids_free(g, 1);
}

FUZZ_READER(tables)
{
	struct tables all;
	struct err e = { 0 };

	if (!fuzz_status(tables_read(&all, fuzz_file(data, size), small_terms(), &e), &e)) {
		FUZZ_CHECK(!all.table && all.count == 0);
		return;
	}
	for (size_t i = 0; i < all.count; i++)
		if (small(&all.table[i]))
			fill(&all.table[i]);
	tables_free(&all);
}
