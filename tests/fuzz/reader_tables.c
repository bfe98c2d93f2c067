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
static void fill(const struct table *t)
{
	struct expr_world *w;
	struct grid g;
	struct sheet s;
	struct text out = { 0 };
	struct err e = { 0 };

	FUZZ_CHECK(expr_world_create(&w, small_results(), NULL, &e) == 0);
	if (fuzz_status(grid_fill(&g, t, w, &e), &e)) {
		FUZZ_CHECK(grid_sheet(&g, &s, &out, &e) == 0);
		sheet_free(&s);
		if (grid_has_plot(&g))
			grid_plot_script(&g, "p", "d", "s", "t", &out);
		grid_plot_data(&g, &out);
		FUZZ_CHECK(text_ok(&out, &e) == 0);
		text_free(&out);
		grid_free(&g);
	}
	expr_world_destroy(w);
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
