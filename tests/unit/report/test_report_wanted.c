/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The list of wanted rows: ranks, repetitions, and seeds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/base/outfile.h"
#include "harness/report/wanted.h"

static char folder[] = "/tmp/test_report_wanted_XXXXXX";

static void write_paper_file(const char *name, const char *text)
{
	char path[128];
	struct err e = { 0 };
	snprintf(path, sizeof(path), "%s/t/%s", folder, name);
	assert_int_equal(outfile_write(path, text, strlen(text), &e), 0);
}

/* Checks the list that a machine of one GPU wants of these names. */
static void check_wanted(const char *claims, const char *tables, const char *names,
			 const char *expected)
{
	const struct results none = { 0 };
	const long has[CLAIM_NEEDS] = { [NEED_GPUS] = 1, [NEED_CORES] = 1, [NEED_NODES] = 1 };
	char list[2048] = "";
	struct paper p;
	struct err e = { 0 };
	FILE *in = tmpfile(), *out = tmpfile();
	assert_true(in && out);
	write_paper_file("claims.txt", claims);
	write_paper_file("tables.csv", tables);
	if (paper_load(&p, folder, "t", &none, &e))
		fail_msg("%s", e.text);
	fputs(names, in);
	rewind(in);
	assert_int_equal(wanted_write(&p, has, in, out, &e), 0);
	rewind(out);
	list[fread(list, 1, sizeof(list) - 1, out)] = '\0';
	assert_string_equal(list, expected);
	fclose(in);
	fclose(out);
	paper_free(&p);
}

static const char no_tables[] = "table,entry,heading,expression,format\n";

static void seeds_of_a_mean_share_five_runs(void **state)
{
	(void)state;
	check_wanted("claim A\nwhere s\nsays c\nkind measured\ndecided times\n"
		     "test mean(\"t/two/seed:*\") > mean(\"t/one/seed:1\")\n",
		     no_tables, "t/one/seed:1\nt/two/seed:1\nt/two/seed:2\n",
		     "1 5 t/one/seed:1\n1 3 t/two/seed:1\n1 3 t/two/seed:2\n");
	/* a claim that reads each seed by itself needs five runs of each */
	check_wanted("claim A\nwhere s\nsays c\nkind measured\ndecided times\n"
		     "test all(i in {1, 2}, mean(\"t/two/seed:{i}\") > 0)\n",
		     no_tables, "t/two/seed:1\nt/two/seed:2\n",
		     "1 5 t/two/seed:1\n1 5 t/two/seed:2\n");
}

static void the_first_five_seeds_are_wanted(void **state)
{
	static const char names[] = "t/e/seed:1\nt/e/seed:2\nt/e/seed:3\nt/e/seed:4\n"
				    "t/e/seed:5\nt/e/seed:6\nt/e/seed:10\n";
	(void)state;
	/* also of a count that is read beside a time */
	check_wanted("claim A\nwhere s\nsays c\nkind measured\ndecided times\n"
		     "test mean(\"t/e/seed:*\") > mean(\"t/*/seed:*\", nodes)\n",
		     no_tables, names,
		     "1 1 t/e/seed:1\n1 1 t/e/seed:2\n1 1 t/e/seed:3\n1 1 t/e/seed:4\n"
		     "1 1 t/e/seed:5\n5 1 t/e/seed:10\n5 1 t/e/seed:6\n");
	/* a claim decided by counts wants all of them */
	check_wanted("claim A\nwhere s\nsays c\nkind measured\ndecided counts\n"
		     "test mean(\"t/e/seed:*\", nodes) > 1\n",
		     no_tables, names,
		     "2 1 t/e/seed:1\n2 1 t/e/seed:10\n2 1 t/e/seed:2\n2 1 t/e/seed:3\n"
		     "2 1 t/e/seed:4\n2 1 t/e/seed:5\n2 1 t/e/seed:6\n");
	/* tables want the same seeds as claims on times, with the experiment's repetitions */
	check_wanted("",
		     "table,entry,heading,expression,format\na,title,T,,\na,rows,n,n in {1},\n"
		     "a,column,c,\"mean(\"\"t/e/seed:*\"\")\",seconds\n",
		     names,
		     "4 0 t/e/seed:1\n4 0 t/e/seed:2\n4 0 t/e/seed:3\n4 0 t/e/seed:4\n"
		     "4 0 t/e/seed:5\n5 0 t/e/seed:10\n5 0 t/e/seed:6\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seeds_of_a_mean_share_five_runs),
		cmocka_unit_test(the_first_five_seeds_are_wanted),
	};
	char command[128];
	if (!mkdtemp(folder))
		return 1;
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) == 0 ? failed : 1;
}
