/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The report contains every table and figure with results of the five papers, and shows the paper's
 * numbers even if nothing was measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/report/paper.h"

/* From the captions of the papers, without figures that only illustrate. */
static const struct expected {
	const char *target, *places[13];
} papers[] = {
	{ "dp-knapsack", { "Table I", "Figure 5" } },
	{ "helbecque-pool",
	  { "Table 1", "Table 2", "Table 3", "Table 4", "Table 5", "Table 6", "Table 7", "Table 8",
	    "Figure 9", "Figure 10", "Figure 11", "Figure 12" } },
	{ "gmys-ivm", { "Table 1", "Table 2", "Table 3", "Figure 3", "Figure 4", "Figure 5" } },
	{ "koester-recovery", { "Table I", "Table II", "Table III", "Table IV" } },
	{ "gboa", { "Table I", "Figure 7" } },
};
enum { PAPERS = sizeof(papers) / sizeof(papers[0]), ALL = 26 };

static void load(struct paper *s, const char *target)
{
	static const struct results nothing = { 0 };
	struct err e = { 0 };
	if (paper_load(s, "results/papers", target, &nothing, &e))
		fail_msg("%s", e.text);
}

static size_t tables_at(const struct paper *s, const char *place)
{
	size_t count = 0;
	for (size_t i = 0; i < s->tables.count; i++)
		count += s->tables.table[i].place && !strcmp(s->tables.table[i].place, place);
	return count;
}

static bool is_known(const struct expected *p, const char *place)
{
	for (size_t i = 0; p->places[i]; i++)
		if (!strcmp(p->places[i], place))
			return true;
	return false;
}

static void all_26_places_are_in_the_report(void **state)
{
	size_t all = 0;
	(void)state;
	for (size_t p = 0; p < PAPERS; p++) {
		struct paper s;
		load(&s, papers[p].target);
		for (size_t i = 0; papers[p].places[i]; i++, all++)
			if (!tables_at(&s, papers[p].places[i]))
				fail_msg("%s: no %s", papers[p].target, papers[p].places[i]);
		for (size_t i = 0; i < s.tables.count; i++) {
			const char *place = s.tables.table[i].place;
			if (place && !is_known(&papers[p], place))
				fail_msg("%s: the paper has no %s", papers[p].target, place);
		}
		paper_free(&s);
	}
	assert_int_equal(all, ALL);
}

/* The title of a table begins with its place. Titles of tables without a place do not name one. */
static void titles_name_their_places(void **state)
{
	(void)state;
	for (size_t p = 0; p < PAPERS; p++) {
		struct paper s;
		load(&s, papers[p].target);
		for (size_t i = 0; i < s.tables.count; i++) {
			const struct table *t = &s.tables.table[i];
			bool named =
				!strncmp(t->title, "Table ", 6) || !strncmp(t->title, "Figure ", 7);
			if (t->place && strncmp(t->title, t->place, strlen(t->place)) != 0)
				fail_msg("%s: the title '%s' does not begin with %s", s.target,
					 t->title, t->place);
			if (!t->place && named)
				fail_msg("%s: '%s' has no place", s.target, t->title);
		}
		paper_free(&s);
	}
}

/* Without measurements, the paper's tables have all their rows, with the numbers of the paper. */
static void papers_figures_are_shown_without_measurements(void **state)
{
	static const struct {
		const char *target, *table;
		size_t rows;
	} cases[] = {
		{ "dp-knapsack", "table1", 9 },       { "gboa", "speedup", 2 },
		{ "gmys-ivm", "table1", 10 },         { "gmys-ivm", "table2", 14 },
		{ "gmys-ivm", "table3", 4 },          { "helbecque-pool", "table1", 10 },
		{ "helbecque-pool", "table2", 5 },    { "helbecque-pool", "table3", 6 },
		{ "helbecque-pool", "table4", 10 },   { "helbecque-pool", "table5", 13 },
		{ "helbecque-pool", "table6", 6 },    { "helbecque-pool", "table7", 13 },
		{ "helbecque-pool", "table8", 6 },    { "helbecque-pool", "figure9", 3 },
		{ "helbecque-pool", "figure10", 10 }, { "koester-recovery", "table1", 16 },
		{ "koester-recovery", "table2", 16 }, { "koester-recovery", "table3", 12 },
		{ "koester-recovery", "table4", 3 },  { "helbecque-pool", "figure11", 1 },
		{ "helbecque-pool", "figure12", 1 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct paper s;
		load(&s, cases[i].target);
		size_t k = 0;
		while (k < s.tables.count && strcmp(s.tables.table[k].id, cases[i].table) != 0)
			k++;
		assert_in_range(k, 0, s.tables.count - 1);
		if (s.printed_grid[k].rows != cases[i].rows)
			fail_msg("%s %s: %zu rows, not %zu", cases[i].target, cases[i].table,
				 s.printed_grid[k].rows, cases[i].rows);
		assert_false(s.printed_grid[k].measured);
		paper_free(&s);
	}
}

/* Every plot has its script in plots/. */
static void plots_have_scripts(void **state)
{
	size_t plots = 0;
	(void)state;
	for (size_t p = 0; p < PAPERS; p++) {
		struct paper s;
		load(&s, papers[p].target);
		for (size_t i = 0; i < s.tables.count; i++) {
			char path[256];
			if (!s.tables.table[i].plot_script)
				continue;
			snprintf(path, sizeof(path), "plots/%s.gp", s.tables.table[i].plot_script);
			if (access(path, R_OK) != 0)
				fail_msg("%s: no %s", s.tables.table[i].id, path);
			plots++;
		}
		paper_free(&s);
	}
	assert_in_range(plots, 15, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_26_places_are_in_the_report),
		cmocka_unit_test(titles_name_their_places),
		cmocka_unit_test(papers_figures_are_shown_without_measurements),
		cmocka_unit_test(plots_have_scripts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
