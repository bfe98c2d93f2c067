/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Tables of the report: result files, missing values, output formats, plots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/base/outfile.h"
#include "harness/report/table/tables.h"
#include "harness/report/format.h"
#include "harness/report/document/document.h"
#include "harness/report/data/results.h"
#include "harness/report/paper.h"

static char folder[] = "/tmp/test_report_tables_XXXXXX";

static const char *write_file(const char *name, const char *text)
{
	static char path[PATH_MAX];
	struct err e = { 0 };
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (outfile_write(path, text, strlen(text), &e))
		fail_msg("%s", e.text);
	return path;
}

#define ROW(name, extra)                                                                           \
	"{\"name\":\"" name "\",\"run_type\":\"iteration\",\"real_time\":2500,"                    \
	"\"cpu_time\":1,\"time_unit\":\"ms\"" extra "}"
#define FILE_OF(rows)                                                                              \
	"{\"context\":{\"date\":\"2026-01-02T03:04:05+00:00\",\"gpu_0_name\":\"G\","               \
	"\"caches\":[{\"size\":32}]},\"benchmarks\":[" rows "]}"

static void opened_gpus_are_counted(void **state)
{
	struct result_fact of_host[] = { { (char *)"gpu_0_name", (char *)"G" },
					 { (char *)"gpu_1_name", (char *)"G" },
					 { (char *)"gpu_count", (char *)"2" },
					 { (char *)"copra_gpus", (char *)"1" } };
	struct result_file file = { .facts = 4, .fact = of_host };
	const struct result_set set = { .files = 1, .file = &file };
	struct text one = { 0 }, both = { 0 };
	(void)state;
	assert_int_equal(results_gpus(&set), 1);
	results_gpu_text(&set, &one);
	assert_string_equal(text_get(&one), "1 of 2 × G");
	file.facts = 3; /* a program that does not report the number of opened GPUs */
	assert_int_equal(results_gpus(&set), 2);
	results_gpu_text(&set, &both);
	assert_string_equal(text_get(&both), "2 × G");
	text_free(&one);
	text_free(&both);
}

static size_t lines_of(const struct text *t)
{
	size_t count = 0;
	for (const char *at = text_get(t); (at = strchr(at, '\n')); at++)
		count++;
	return count;
}

static void result_files_of_all_scales_are_loaded(void **state)
{
	struct results r;
	struct err e = { 0 };
	(void)state;
	/* a benchmark of the larger scale replaces the one of the smaller scale */
	write_file("local/m1/t/paper/bench.json", FILE_OF(ROW("t/a/n:0", ",\"threads\":1")));
	write_file(
		"local/m1/t/quick/bench.json",
		FILE_OF(ROW("t/a/n:0", "") "," ROW(
			"t/a/n:1",
			",\"cells\":7,\"label\":\"L\"") "," ROW("t/a/n:1",
								",\"joules\":3") ","
										 "{\"name\":\"t/a/"
										 "n:1_mean\",\"run_"
										 "type\":"
										 "\"aggregate\","
										 "\"real_time\":1,"
										 "\"time_unit\":"
										 "\"ms\"}"));
	/* toy sizes are ignored if there are real ones */
	write_file("local/m1/t/smoke/bench.json", FILE_OF(ROW("t/a/n:00", "")));
	write_file("local/m0/t/smoke/bench.json", FILE_OF(ROW("t/a/n:00", "")));
	write_file("local/m1/t/quick/bench.skipped.json",
		   FILE_OF("{\"name\":\"t/a/n:9\",\"error_occurred\":true,\"error_message\":\"no "
			   "GPU\","
			   "\"skipped\":true},{\"name\":\"t/a/n:8\",\"error_occurred\":true,"
			   "\"error_message\":\"wrong answer\"}"));
	write_file("local/m1/ceilings.json", "{\"date\":\"D\",\"cpu_copy\":1.5e10}");
	write_file("recorded/m2/t/paper/bench.json", FILE_OF(ROW("t/a/n:1", "")));
	write_file("recorded/m2/u/paper/bench.json", "{\"benchmarks\":[{\"name\":\"u\"");
	char local[PATH_MAX], recorded[PATH_MAX];
	snprintf(local, sizeof(local), "%s/local", folder);
	snprintf(recorded, sizeof(recorded), "%s/recorded", folder);
	assert_int_equal(results_load(&r, local, recorded, &e), 0);

	assert_int_equal(lines_of(&r.problems), 1);
	assert_non_null(strstr(text_get(&r.problems), "recorded/m2/u/paper/bench.json:1:"));
	assert_int_equal(r.sets, 3);
	assert_int_equal(r.set[0].benches, 1);
	const struct result_set *set = &r.set[1];
	assert_string_equal(set->machine, "m1");
	assert_false(set->recorded);
	assert_int_equal(set->benches, 2);
	assert_string_equal(set->bench[0].name, "t/a/n:0");
	const struct result_bench *b = &set->bench[1];
	assert_int_equal(b->runs, 2);
	assert_string_equal(b->label, "L");
	assert_true(b->seconds[1] == 2.5);
	assert_true(result_values(b, "cells")[0] == 7 && result_values(b, "cells")[1] != 7);
	assert_true(result_values(b, "joules")[1] == 3);
	assert_null(result_values(b, "cpu_time"));
	assert_null(result_values(&set->bench[0], "threads"));
	assert_int_equal(set->skips, 2);
	assert_false(set->skip[0].failed);
	assert_true(set->skip[1].failed);
	assert_string_equal(set->skip[1].message, "wrong answer");
	assert_string_equal(result_fact(&set->file[0], "caches.0.size"), "32");
	assert_string_equal(set->file[0].date, "2026-01-02T03:04:05+00:00");
	assert_string_equal(result_fact(&set->peaks, "cpu_copy"), "15000000000");
	assert_true(r.set[2].recorded);
	assert_null(r.set[2].peaks.path);
	results_free(&r);
}

static void malformed_rows_are_refused(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "[]", "no array 'benchmarks'" },
		{ FILE_OF("{\"real_time\":1,\"time_unit\":\"s\"}"), "row 0: a row has no name" },
		{ FILE_OF("{\"name\":\"a\",\"time_unit\":\"s\"}"), "a: no real_time" },
		{ FILE_OF("{\"name\":\"a\",\"real_time\":1,\"time_unit\":\"h\"}"),
		  "a: no real_time" },
		{ FILE_OF("{\"name\":\"a\",\"real_time\":-1,\"time_unit\":\"s\"}"), "negative" },
		{ FILE_OF("{\"name\":\"a\",\"real_time\":NaN,\"time_unit\":\"s\"}"),
		  "invalid token" },
		{ FILE_OF("{\"name\":\"a\",\"name\":\"b\"}"), "duplicate" },
		{ "", "'[' or '{' expected" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct results r;
		struct err e = { 0 };
		write_file("bad/local/m/t/quick/bench.json", cases[i].text);
		char bad[PATH_MAX];
		snprintf(bad, sizeof(bad), "%s/bad/local", folder);
		assert_int_equal(results_load(&r, bad, "nowhere", &e), 0);
		if (lines_of(&r.problems) != 1 || !strstr(text_get(&r.problems), cases[i].message))
			fail_msg("%s: %s", cases[i].text, text_get(&r.problems));
		results_free(&r);
	}
}

static double seconds1[] = { 1, 1, 1 }, seconds2[] = { 2, 2.5, 3 };
static struct result_bench benches[] = {
	{ .name = (char *)"t/a/n:10", .runs = 3, .seconds = seconds1 },
	{ .name = (char *)"t/a/n:30", .runs = 3, .seconds = seconds2 },
	{ .name = (char *)"t/b/n:30", .runs = 3, .seconds = seconds1 },
};
static struct result_skip skips[] = {
	{ .name = (char *)"t/c/n:30",
	  .message = (char *)"needs 9 GPUs, 1 given",
	  .why = { SKIP_NEEDS_GPUS, 9, 1 } },
	{ .name = (char *)"t/e/n:40", .message = (char *)"no room" },
	{ .name = (char *)"t/f/n:50",
	  .message = (char *)"5 h",
	  .why = { SKIP_TOO_LONG, 18000, 60 } },
	{ .name = (char *)"t/f/n:60",
	  .message = (char *)"6 h",
	  .why = { SKIP_TOO_LONG, 21600, 60 } },
};
static const struct result_set set = { .target = (char *)"t",
				       .machine = (char *)"m",
				       .benches = 3,
				       .bench = benches,
				       .skips = 4,
				       .skip = skips };

static const char definition[] =
	"table,entry,heading,expression,format\n"
	"x,title,A & B | C,,\n"
	"x,note,first,,\n"
	"x,note,second,,\n"
	"x,rows,n,\"n in {10, 20, 30}\",\n"
	"x,paper,theirs,\"first(1 / (n - 20), 1 / 0) * 0 + 4\",factor\n"
	"x,column,a_1,\"mean(\"\"t/a/n:{n}\"\")\",seconds\n"
	"x,aside,a / b,\"mean(\"\"t/a/n:{n}\"\") / mean(\"\"t/b/n:{n}\"\")\",factor\n"
	"x,column,never,\"mean(\"\"t/c/n:{n}\"\") / mean(\"\"t/a/n:{n}\"\")\",seconds\n"
	"x,column,nowhere,\"mean(\"\"t/d/n:{n}\"\")\",seconds\n"
	"x,plot,\"sec \"\"s\"\"\",lines,logy\n";

/* Reads the file tables.csv with this text, which defines one table, and fills it. */
static struct grid *fill(struct tables *tables, const char *text)
{
	static const struct expr_printed none = { 0 };
	struct grid *g;
	struct err e = { 0 };
	if (tables_read(tables, write_file("tables.csv", text), NULL, &e))
		fail_msg("%s", e.text);
	assert_int_equal(tables->count, 1);
	assert_int_equal(grids_fill(&g, tables, &set, &none, &e), 0);
	return g;
}

static void check_text(const struct sheet *s, enum text_kind kind, const char *expected)
{
	struct text t = { 0 };
	sheet_write(s, &t, kind);
	assert_string_equal(text_get(&t), expected);
	text_free(&t);
}

static void tables_are_written_in_every_format(void **state)
{
	struct tables tables;
	struct sheet s;
	struct err e = { 0 };
	(void)state;
	struct grid *g = fill(&tables, definition);
	assert_string_equal(tables.table[0].notes, "first\n\nsecond\n\n");
	assert_true(g->measured);
	assert_int_equal(g->rows, 2); /* n = 20 has no value, measured or printed in the paper */
	assert_int_equal(grid_sheet(g, &s, &e), 0);
	assert_string_equal(text_get(&g->missing),
			    "needs 9 GPUs (never); not part of these runs (nowhere)");
	check_text(&s, TEXT_CSV, "n,theirs,a_1,a / b\n10,4,1,\n30,4,2.5,2.5\n");
	check_text(&s, TEXT_MARKDOWN,
		   "| n | theirs | a\\_1 | a / b |\n|--:|--:|--:|--:|\n"
		   "| 10 | 4.00 | 1.00 s |  |\n| 30 | 4.00 | 2.50 s | 2.50 |\n");
	check_text(&s, TEXT_LATEX,
		   "\\begin{tabular}{rrrr}\n\\toprule\nn & theirs & a\\_1 & a / b \\\\\n\\midrule\n"
		   "10 & 4.00 & 1.00 s &  \\\\\n30 & 4.00 & 2.50 s & 2.50 \\\\\n\\bottomrule\n"
		   "\\end{tabular}\n");
	struct text html = { 0 };
	sheet_write(&s, &html, TEXT_HTML);
	assert_non_null(strstr(text_get(&html), "<td class=\"paper\">4.00</td>"));
	assert_non_null(strstr(text_get(&html), "title=\"95 % interval: 2.00 s to 3.00 s\""));
	text_free(&html);
	sheet_free(&s);
	grids_free(g, 1);
	tables_free(&tables);
}

static const char *why(const char *lines)
{
	static char line[256];
	char text[1024];
	struct tables tables;
	snprintf(text, sizeof(text), "table,entry,heading,expression,format\n%s", lines);
	struct grid *g = fill(&tables, text);
	snprintf(line, sizeof(line), "%s", text_get(&g->missing));
	grids_free(g, 1);
	tables_free(&tables);
	return line;
}

static void missing_columns_have_reasons(void **state)
{
	(void)state;
	/* a table without measurements has the rows of the skipped cases */
	assert_string_equal(why("x,title,T,,\nx,rows,n,\"n in axis(\"\"t/e/n:(*)\"\")\",\n"
				"x,column,c,\"mean(\"\"t/e/n:{n}\"\")\",factor\n"),
			    "no room");
	/* cases that differ only in their predicted times share one reason */
	assert_string_equal(why("x,title,T,,\nx,rows,n,\"n in axis(\"\"t/f/n:(*)\"\")\",\n"
				"x,column,c,\"mean(\"\"t/f/n:{n}\"\")\",factor\n"),
			    "longer than 60 s (--copra_longest)");
	assert_string_equal(
		why("x,title,T,,\nx,place,Table 9,needs a moon,\nx,rows,n,n in {30},\n"
		    "x,paper,p,n,factor\nx,column,c,\"mean(\"\"t/c/n:{n}\"\")\",factor\n"),
		"needs a moon");
	assert_string_equal(why("x,title,T,,\nx,rows,n,n in {30},\n"
				"x,column,c,\"mean(\"\"t/a/n:{n}\"\")\",factor\n"
				"x,column,d,\"mean(\"\"t/a/n:{n}\"\", joules)\",factor\n"),
			    "not recorded (d)");
	assert_string_equal(why("x,title,T,,\nx,rows,n,n in {30},\n"
				"x,column,c,\"mean(\"\"t/a/n:{n}\"\")\",factor\n"),
			    "");
}

static void sentences_show_the_values_that_there_are(void **state)
{
	static const char lines[] =
		"table,entry,heading,expression,format\n"
		"x,title,T,,\nx,rows,n,n in {30},\n"
		"x,column,c,\"mean(\"\"t/a/n:{n}\"\")\",factor\n"
		"x,sentence,From {} on.,\"smallest(s in axis(\"\"t/a/n:(*)\"\"), "
		"if(mean(\"\"t/a/n:{s}\"\") > 1, 1000 * s))\",count\n"
		"x,sentence,Never {}.,\"mean(\"\"t/d/n:30\"\")\",count\n"
		"x,sentence,It took {}.,\"mean(\"\"t/b/n:30\"\")\",seconds\n";
	struct tables tables;
	(void)state;
	struct grid *g = fill(&tables, lines);
	assert_string_equal(text_get(&g->sentences), "From 30,000 on. It took 1.00 s.");
	assert_true(g->read[1] && g->read[2]);
	grids_free(g, 1);
	tables_free(&tables);
}

static const struct plot_paths paths = { "plots", "d \"q\".dat", "o.svg" };

static void plots_have_data_and_a_script(void **state)
{
	struct tables tables;
	struct text data = { 0 }, t = { 0 };
	(void)state;
	struct grid *g = fill(&tables, definition);
	assert_true(g->has_plot);
	grid_plot(g, &paths, &data, &t);
	assert_string_equal(text_get(&data), "\"n\" \"theirs\" low high \"a_1\" low high\n"
					     "10 4 4 4 1 1 1\n30 4 4 4 2.5 2 3\n");
	assert_non_null(strstr(text_get(&t), "paper_1 = 1; family_1 = 5; member_1 = 1; "
					     "title_1 = \"theirs\"\n"));
	assert_non_null(strstr(text_get(&t), "paper_2 = 0; family_2 = 0; member_2 = 1; "
					     "title_2 = \"a_1\"\nseries = 2\n"));
	assert_non_null(strstr(text_get(&t),
			       "rows = 2\nunit = \"factor\"\nx_low = 10\nx_high = 30\n"
			       "x_marks = \"'10' 10, '30' 30\"\ny_low = 1\ny_high = 4\n"));
	assert_non_null(strstr(text_get(&t), "y_label = \"sec s\"\n"));
	assert_non_null(strstr(text_get(&t), "data = \"d q.dat\"\n"));
	assert_non_null(strstr(text_get(&t), "load \"plots/lines.gp\"\n"));
	text_free(&data);
	text_free(&t);
	grids_free(g, 1);
	tables_free(&tables);
}

/* Tick marks are strings in single quotes, in a string in double quotes. */
static void plots_quote_the_texts_of_rows(void **state)
{
	static const char lines[] = "table,entry,heading,expression,format\n"
				    "x,title,T,,\n"
				    "x,rows,v,\"v in {\"\"it's\"\", \"\"`a`\\b'\"\"}\",\n"
				    "x,column,c,\"mean(\"\"t/a/n:30\"\")\",seconds\n"
				    "x,plot,s,lines,logy\n";
	struct tables tables;
	struct text data = { 0 }, t = { 0 };
	(void)state;
	struct grid *g = fill(&tables, lines);
	grid_plot(g, &paths, &data, &t);
	assert_string_equal(text_get(&data), "\"v\" \"c\" low high\n\"it's\" 2.5 2 3\n"
					     "\"ab'\" 2.5 2 3\n");
	assert_non_null(strstr(text_get(&t), "x_marks = \"'it''s' 0, 'ab''' 1\"\n"));
	text_free(&data);
	text_free(&t);
	grids_free(g, 1);
	tables_free(&tables);
}

/* Simulated numbers fill a table and its plot, and count as measured by no machine. */
static void simulated_columns_are_not_measured(void **state)
{
	static char *cells[] = { (char *)"case", (char *)"s", (char *)"1",
				 (char *)"6",    (char *)"2", (char *)"8" };
	static int lines[] = { 1, 2, 3 };
	struct expr_printed_table simulation = { (char *)"t",
						 { .path = (char *)"t.csv",
						   .columns = 2,
						   .rows = 2,
						   .cells = cells,
						   .count = 6,
						   .lines = lines } };
	const struct expr_printed printed = { .simulations = 1, .simulation = &simulation };
	struct tables tables;
	struct sheet s;
	struct grid *g;
	struct err e = { 0 };
	(void)state;
	const char *path = write_file(
		"tables.csv",
		"table,entry,heading,expression,format\nx,title,SIMULATED,,\n"
		"x,rows,n,\"n in {1, 2, 3}\",\n"
		"x,simulated,\"s, SIMULATED\",\"simulated(\"\"t\"\", \"\"s\"\", n)\",plain\n"
		"x,plot,s,lines,linear\n");
	assert_int_equal(tables_read(&tables, path, NULL, &e), 0);
	assert_true(tables.table[0].simulated);
	assert_int_equal(grids_fill(&g, &tables, &set, &printed, &e), 0);
	assert_false(g->measured);
	assert_true(g->has_plot);
	assert_int_equal(grid_sheet(g, &s, &e), 0);
	check_text(&s, TEXT_CSV, "n,\"s, SIMULATED\"\n1,6\n2,8\n");
	sheet_free(&s);
	grids_free(g, 1);
	tables_free(&tables);
}

static void steps_divide_by_the_row_above(void **state)
{
	static const char lines[] = "table,entry,heading,expression,format\n"
				    "x,title,T,,\n"
				    "x,rows,p,\"p in {1, 2}\",\n"
				    "x,rows,n,\"n in {8, 4, 2}\",\n"
				    "x,column,time,n * p,seconds\n"
				    "x,step,step,n * p,factor\n";
	static const double expected[] = { NAN, 2, 2, NAN, 2, 2 };
	struct tables tables;
	(void)state;
	struct grid *g = fill(&tables, lines);
	assert_int_equal(g->rows, 6);
	for (size_t row = 0; row < 6; row++) {
		const struct table_cell *cell = &g->cell[row * 2 + 1];
		if (isnan(expected[row]))
			assert_true(isnan(cell->value));
		else
			assert_true(cell->value == expected[row]);
	}
	grids_free(g, 1);
	tables_free(&tables);
}

static void series_name_the_colour_of_a_column(void **state)
{
	static const char lines[] = "table,entry,heading,expression,format,series\n"
				    "x,title,T,,,\nx,rows,n,\"n in {10, 30}\",,\n"
				    "x,paper,theirs,n + 0,factor,a_1\n"
				    "x,paper,alone,n + 1,factor,\n"
				    "x,column,own,\"mean(\"\"t/b/n:{n}\"\")\",seconds,\n"
				    "x,column,a_1,\"mean(\"\"t/a/n:{n}\"\")\",seconds,tuned\n"
				    "x,plot,s,lines,logy,\n";
	struct tables tables;
	struct text data = { 0 }, t = { 0 };
	(void)state;
	struct grid *g = fill(&tables, lines);
	grid_plot(g, &paths, &data, &t);
	assert_non_null(strstr(text_get(&t), "paper_1 = 1; family_1 = 4; member_1 = 1; "));
	assert_non_null(strstr(text_get(&t), "paper_2 = 1; family_2 = 5; member_2 = 1; "));
	assert_non_null(strstr(text_get(&t), "paper_3 = 0; family_3 = 0; member_3 = 1; "));
	assert_non_null(strstr(text_get(&t), "paper_4 = 0; family_4 = 4; member_4 = 1; "));
	text_free(&data);
	text_free(&t);
	grids_free(g, 1);
	tables_free(&tables);
}

static void unknown_series_are_refused(void **state)
{
	static const struct {
		const char *lines, *message;
	} cases[] = {
		{ "x,column,c,n,factor,fast\n", ":4: unknown series 'fast' (serial, cpu" },
		{ "x,column,c,n,factor,other\n", ":4: unknown series 'other'" },
		{ "x,paper,p,n,factor,c\n", "table 'x': series 'c' of 'p' is not the heading" },
		{ "x,paper,p,n,factor,c\nx,aside,c,n,factor,\n", "series 'c' of 'p'" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tables tables;
		struct err e = { 0 };
		char text[256];
		snprintf(text, sizeof(text),
			 "table,entry,heading,expression,format,series\nx,title,T,,,\n"
			 "x,rows,n,n in {1},,\n%s",
			 cases[i].lines);
		const char *path = write_file("bad.csv", text);
		if (tables_read(&tables, path, NULL, &e) != ERR_INPUT || !strstr(e.text, path) ||
		    !strstr(e.text, cases[i].message))
			fail_msg("%s: '%s'", cases[i].lines, e.text);
	}
}

static void malformed_tables_are_refused(void **state)
{
	static const struct {
		const char *lines, *message;
	} cases[] = {
		{ "x,title,T,,\n", "table 'x' has no entry 'rows'" },
		{ "x,title,T,,\nx,title,T,,\n", ":3: the table has a second title" },
		{ "x,thing,T,,\n", ":2: unknown entry 'thing' (" },
		{ "x,sentence,S,1,count\n", ":2: a sentence needs exactly one {}" },
		{ "x,sentence,{} and {},1,count\n", ":2: a sentence needs exactly one {}" },
		{ "x,sentence,{},1,weight\n", ":2: unknown format 'weight'" },
		{ "x,sentence,{},n,count\n", ":2: column 1: unknown name" },
		{ "x,rows,n,n of {1},\n", ":2: expected '<name> in <set>'" },
		{ "x,rows,n,n in {1,\n", ":2:" },
		{ "x,rows,n,n in {1},\nx,column,c,m,factor\n", ":3: column 1: unknown name" },
		{ "x,rows,n,n in {1},\nx,column,c,n,metres\n", ":3: unknown format 'metres'" },
		{ "x,rows,n,n in {1},\nx,column,c,n < 1,factor\n",
		  ":3: column 6: expected a number" },
		{ "x,rows,n,n in {1},\nx,column,c,n,factor\nx,rows,m,m in {1},\n",
		  ":4: rows must come" },
		{ "x,plot,y,lines,log\n", ":2: unknown scale 'log' of a plot" },
		{ "x,plot,y,../x,logy\n", ":2: the name of a plot script" },
		{ "x,title,T,,\ny,title,T,,\nx,note,N,,\n",
		  ":4: the lines of table 'x' are not adjacent" },
		{ "X,title,T,,\n", ":2: the table name 'X'" },
		{ "x,place,,,\n", ":2: a place needs a name" },
		{ "x,place,A,,\nx,place,B,,\n", ":3: the table has a second place" },
		{ "x,rows,n,n in {1},\nx,column,SIMULATED,\"simulated(\"\"t\"\", \"\"s\"\", "
		  "n)\",factor\n",
		  ":3: simulated values are for simulated columns only" },
		{ "x,rows,n,\"n in {simulated(\"\"t\"\", \"\"s\"\", 1)}\",\n",
		  ":2: simulated values are for simulated columns only" },
		{ "x,title,SIMULATED,,\nx,rows,n,n in {1},\nx,simulated,time,n,factor\n",
		  "the heading of a simulated column, 'time', lacks the word SIMULATED" },
		{ "x,title,T,,\nx,rows,n,n in {1},\nx,simulated,SIMULATED,n,factor\n",
		  "the title lacks the word SIMULATED" },
		{ "x,title,SIMULATED,,\nx,rows,n,n in {1},\nx,simulated,SIMULATED,n,factor\n"
		  "x,column,here,n,factor\n",
		  "table 'x' has simulated columns beside measured ones" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tables tables;
		struct err e = { 0 };
		char text[512];
		snprintf(text, sizeof(text), "table,entry,heading,expression,format\n%s",
			 cases[i].lines);
		const char *path = write_file("bad.csv", text);
		if (tables_read(&tables, path, NULL, &e) != ERR_INPUT || !strstr(e.text, path) ||
		    !strstr(e.text, cases[i].message))
			fail_msg("%s: '%s'", cases[i].lines, e.text);
	}
}

static void numbers_have_three_significant_digits(void **state)
{
	static const struct {
		const char *format;
		double value;
		const char *shown;
	} cases[] = {
		{ "seconds", 12.34, "12.3 s" },
		{ "seconds", 0.00834, "8.34 ms" },
		{ "seconds", 7200, "7200 s" },
		{ "seconds", 0.0000021, "2.10 µs" },
		{ "seconds", 4.41e-8, "44.1 ns" },
		{ "seconds", 0, "0 s" },
		{ "factor", 14.7, "14.7" },
		{ "factor", 0.0123, "0.0123" },
		{ "factor", 1234.4, "1234" },
		{ "rate", 1.99e12, "1.99 T/s" },
		{ "rate", 262e6, "262 M/s" },
		{ "percent", 0.0523, "5.23 %" },
		{ "joules", 1530, "1.53 kJ" },
		{ "bytes", 3221225472.0, "3.00 GiB" },
		{ "count", 90000, "90,000" },
		{ "flag", 1, "yes" },
		{ "flag", 0, "no" },
		{ "plain", 12.86, "12.86" },
		{ "plain", 9, "9" },
		{ "factor", 0.52, "0.520" },
		{ "factor", 0.9996, "1.00" },
		{ "factor", 143415.2, "143,415" },
		{ "factor", 9999.6, "10,000" },
		{ "percent", 0, "0 %" },
		{ "bytes", 902.0 * 1024, "902 KiB" },
		{ "factor", 0.09996, "0.100" },
		{ "joules", 0, "0 J" },
		{ "factor", 99.96, "100" },
		{ "seconds", 0.9996, "1.00 s" },
	};
	char out[64];
	(void)state;
	assert_int_equal(format_by_name("metres"), FORMAT_UNKNOWN);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		format_number(out, sizeof(out), format_by_name(cases[i].format), cases[i].value);
		assert_string_equal(out, cases[i].shown);
	}
	format_unit(out, sizeof(out), 12.43e9, "B/s");
	assert_string_equal(out, "12.4 GB/s");
	format_unit(out, sizeof(out), 2.8e-6, "s");
	assert_string_equal(out, "2.80 µs");
	format_number(out, sizeof(out), FORMAT_GROUPED, 90000);
	assert_string_equal(out, "90,000");
	format_number(out, sizeof(out), FORMAT_GROUPED, 1234567);
	assert_string_equal(out, "1,234,567");
	format_number(out, sizeof(out), FORMAT_GROUPED, 400);
	assert_string_equal(out, "400");
	format_number(out, sizeof(out), FORMAT_GROUPED, 10000.5);
	assert_string_equal(out, "10000.5");
}

/* Saves a document with one page named "page" and checks its contents after the heading. */
static void check_saved(struct doc *d, const char *contents)
{
	bool html = doc_kind(d) == TEXT_HTML;
	const char *heading = html ? "<h1 id=\"page\">P</h1>\n" : "# P\n\n";
	struct text t = { 0 };
	struct err e = { 0 };
	char path[PATH_MAX];
	assert_int_equal(doc_finish(d, 0, &e), 0);
	snprintf(path, sizeof(path), "%s/%s", folder, html ? "report.html" : "page.md");
	assert_int_equal(text_load(&t, path, &e), 0);
	const char *at = strstr(text_get(&t), heading);
	assert_non_null(at);
	at += strlen(heading);
	assert_memory_equal(at, contents, strlen(contents));
	assert_string_equal(at + strlen(contents), html ? "</body>\n</html>\n" : "");
	text_free(&t);
	unlink(path);
}

static void markdown_becomes_blocks_and_spans(void **state)
{
	static const struct {
		enum text_kind kind;
		const char *shown;
	} cases[] = {
		{ TEXT_HTML,
		  "<h4>A &amp; B</h4>\n"
		  "<p>some <strong>bold <em>em</em> &lt;x&gt;</strong> <code>a*b*</code> "
		  "2 * 3 more</p>\n<ul><li>one on</li>\n<li>two</li>\n</ul>\n" },
		{ TEXT_MARKDOWN, "#### A & B\n\nsome **bold *em* &lt;x>** `a*b*` 2 \\* 3 more\n\n"
				 "- one on\n- two\n\n" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct doc *d;
		struct err e = { 0 };
		assert_int_equal(doc_create(&d, cases[i].kind, folder, &e), 0);
		doc_page(d, "page", "P");
		doc_markdown(d, TONE_PLAIN,
			     "# A & B\nsome **bold *em* <x>** `a*b*` 2 * 3\nmore\n\n"
			     "- one\n  on\n- two\n");
		check_saved(d, cases[i].shown);
	}
}

static void ids_of_drawings_are_unique_in_a_page(void **state)
{
	struct doc *d;
	struct err e = { 0 };
	(void)state;
	write_file("a.svg", "<?xml version=\"1.0\"?>\n<svg><path id='p'/>"
			    "<use xlink:href='#p'/><g fill=\"url(#p)\"/></svg>\nrest");
	assert_int_equal(doc_create(&d, TEXT_HTML, folder, &e), 0);
	doc_page(d, "page", "P");
	assert_int_equal(doc_figure(d, "a", "f", "caption", &e), 0);
	check_saved(d, "<div class=\"plot\"><svg><path id='f-p'/><use xlink:href='#f-p'/>"
		       "<g fill=\"url(#f-p)\"/></svg>\n</div>\n");
}

static void truncated_drawings_are_refused(void **state)
{
	struct doc *d;
	struct err e = { 0 };
	(void)state;
	write_file("b.svg", "<svg>cut off");
	assert_int_equal(doc_create(&d, TEXT_HTML, folder, &e), 0);
	int status = doc_figure(d, "b", "f", "caption", &e);
	assert_int_equal(doc_finish(d, status, &e), ERR_INPUT);
	assert_non_null(strstr(e.text, "b.svg"));
}

static void text_is_escaped_for_each_format(void **state)
{
	static const struct {
		enum text_kind kind;
		const char *shown;
	} cases[] = {
		{ TEXT_PLAIN, "a<b&\"c|_%\\" },
		{ TEXT_HTML, "a&lt;b&amp;&quot;c|_%\\" },
		{ TEXT_MARKDOWN, "a&lt;b&\"c\\|\\_%\\\\" },
		{ TEXT_LATEX, "a\\textless{}b\\&\"c\\textbar{}\\_\\%\\textbackslash{}" },
		{ TEXT_CSV, "\"a<b&\"\"c|_%\\\"" },
		{ TEXT_GNUPLOT, "a<b&c|_%" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text t = { 0 };
		text_add_escaped(&t, "a<b&\"c|_%\\", cases[i].kind);
		assert_string_equal(text_get(&t), cases[i].shown);
		text_free(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(result_files_of_all_scales_are_loaded),
		cmocka_unit_test(opened_gpus_are_counted),
		cmocka_unit_test(malformed_rows_are_refused),
		cmocka_unit_test(tables_are_written_in_every_format),
		cmocka_unit_test(missing_columns_have_reasons),
		cmocka_unit_test(sentences_show_the_values_that_there_are),
		cmocka_unit_test(plots_have_data_and_a_script),
		cmocka_unit_test(plots_quote_the_texts_of_rows),
		cmocka_unit_test(simulated_columns_are_not_measured),
		cmocka_unit_test(steps_divide_by_the_row_above),
		cmocka_unit_test(series_name_the_colour_of_a_column),
		cmocka_unit_test(unknown_series_are_refused),
		cmocka_unit_test(malformed_tables_are_refused),
		cmocka_unit_test(numbers_have_three_significant_digits),
		cmocka_unit_test(markdown_becomes_blocks_and_spans),
		cmocka_unit_test(ids_of_drawings_are_unique_in_a_page),
		cmocka_unit_test(truncated_drawings_are_refused),
		cmocka_unit_test(text_is_escaped_for_each_format),
	};
	char command[128];
	if (!mkdtemp(folder))
		return 1;
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) == 0 ? failed : 1;
}
