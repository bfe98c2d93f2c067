/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Recognition of the format of a file from its content. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "datasets/recognise.h"
#include "tests/unit/datasets/instance_files.h"
#include "tests/unit/base/temporary_folder.h"

#define SET(form) (1u << FORM_##form)

static unsigned forms_of(const char *path, struct recognised *r)
{
	struct err e = { 0 };

	if (recognise(r, path, &e))
		fail_msg("%s: %s", path, e.text);
	for (int i = 0; i < FORMS; i++) {
		bool there = r->forms & 1u << i;

		assert_true(there == (r->form[i].what[0] != '\0'));
		assert_true(there == (r->form[i].why[0] != '\0'));
	}
	return r->forms;
}

static void files_of_all_formats_are_recognised(void **state)
{
	static const struct {
		const char *file;
		unsigned forms;
	} files[] = {
		{ "flowshop_taillard.txt", SET(TAILLARD) },
		{ "flowshop_crlf_no_newline.txt", SET(TAILLARD) },
		{ "flowshop_vfr.txt", SET(VFR) },
		{ "knapsack_indexed.txt", SET(KNAPSACK_INDEXED) },
		{ "knapsack_from_one_no_newline.txt", SET(KNAPSACK_INDEXED) },
		{ "knapsack_crlf.txt", SET(KNAPSACK_PAIRS) | SET(MATRIX) },
		{ "knapsack_plain.txt", SET(KNAPSACK_PAIRS) | SET(MATRIX) },
		{ "atsp_plain.txt", SET(ATSP) },
		{ "atsp_any_order.txt", SET(ATSP) },
		{ "atsp_crlf_no_name.txt", SET(ATSP) },
		{ "maxsat_plain.cnf", SET(CNF) },
		{ "maxsat_blanks_crlf_no_newline.cnf", SET(CNF) },
		{ "maxsat_top.wcnf", SET(WCNF) },
		{ "maxsat_weights.wcnf", SET(WCNF) },
		{ "maxsat_2022.wcnf", SET(WCNF) },
		{ "samegame_plain.txt", SET(SAMEGAME) },
		{ "samegame_blanks_crlf_no_newline.txt", SET(SAMEGAME) | SET(MATRIX) },
		{ "matrix_jobs_by_machines.txt", SET(MATRIX) },
		{ "matrix_machines_by_jobs.csv", SET(MATRIX) },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct recognised r;
		unsigned forms = forms_of(data(files[i].file), &r);

		if (forms != files[i].forms)
			fail_msg("%s: set %#x, expected %#x", files[i].file, forms, files[i].forms);
	}
}

static const char *in_folder(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static unsigned forms_of_text(const char *text, size_t length, struct recognised *r)
{
	const char *path = in_folder("text");
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_int_equal(fwrite(text, 1, length, out), length);
	assert_int_equal(fclose(out), 0);
	return forms_of(path, r);
}

static void ambiguous_texts_have_all_their_formats(void **state)
{
	static const struct {
		const char *text;
		unsigned forms;
	} texts[] = {
		{ "", 0 },
		{ "\n \n", 0 },
		{ "7\n", 0 },
		{ "some words\nmore of them\n", 0 },
		{ "1 2\n3\n", 0 },
		{ "1.5 2\n3 4\n", 0 },
		{ "7 8\n9 17\n", SET(MATRIX) },
		{ "7,8 # c\n\n9 ,17", SET(MATRIX) },
		{ "3 10\n1 8\n2 9\n3 7\n", SET(KNAPSACK_PAIRS) | SET(MATRIX) },
		{ "3 1\n0 8\n0 9\n0 7\n", SET(VFR) | SET(KNAPSACK_PAIRS) | SET(MATRIX) },
		{ "1223\n1123\n", SET(SAMEGAME) },
		{ "12 3\n11 2\n", SET(MATRIX) },
		{ "NAME: x\nTYPE: CVRP\nDIMENSION: 5\n", 0 },
		{ "TYPE : TSP\n", SET(ATSP) },
		{ "DIMENSION: 5\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\n", SET(ATSP) },
		{ "c\nh 1 -2 0\n5 1 2 0\n", SET(WCNF) },
		{ "p col 3 3\n", 0 },
		{ "99999999999999999999999 1\n2 3\n", SET(MATRIX) },
		{ "2 3\n17 8 9\n1 2 3\n", SET(SIZED_MATRIX) },
		{ "# c\n2,3 # c\n\n17,8,9\n1,2,3\n", SET(SIZED_MATRIX) },
		{ "3 2\n17 8 9\n1 2 3\n", SET(SIZED_MATRIX) },
		{ "1 1\n7\n", SET(SIZED_MATRIX) },
		{ "2 2\n17 8\n1 2\n", SET(KNAPSACK_PAIRS) | SET(MATRIX) | SET(SIZED_MATRIX) },
		{ "2 3\n17 8\n1 2\n3 4\n", SET(MATRIX) | SET(SIZED_MATRIX) },
		{ "2 3\n17 8\n1 2\n", SET(KNAPSACK_PAIRS) | SET(MATRIX) },
		{ "1 2\n17 8\n", SET(KNAPSACK_PAIRS) | SET(MATRIX) },
		{ "2 4\n17 8 9\n1 2 3\n", 0 },
		{ "2 3 0\n17 8 9 1\n1 2 3 4\n", 0 },
	};
	struct recognised r;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		unsigned forms = forms_of_text(texts[i].text, strlen(texts[i].text), &r);

		if (forms != texts[i].forms)
			fail_msg("'%s': set %#x, expected %#x", texts[i].text, forms,
				 texts[i].forms);
	}
	assert_int_equal(forms_of_text("7 8\n9 \0 5\n", 10, &r), 0);
	assert_int_equal(forms_of_text("70 8 1\n9 5 4\n", 13, &r), SET(MATRIX));
	assert_int_equal(r.matrix.rows, 2);
	assert_int_equal(r.matrix.columns, 3);
}

static void matrices_are_described_with_their_formats(void **state)
{
	static const struct {
		const char *text, *what, *advice;
	} cases[] = {
		{ "17 8 9\n1 2 3\n", "a plain matrix of 2 x 3 times",
		  "add --format jobs-by-machines or --format machines-by-jobs" },
		{ "2 3\n17 8 9\n1 2 3\n",
		  "a plain matrix of 2 x 3 times with its size in the first line",
		  "add --format jobs-by-machines or --format machines-by-jobs" },
		{ "3 2\n17 8 9\n1 2 3\n",
		  "a plain matrix of 2 x 3 times with its size in reverse order in the first line",
		  "add --format jobs-by-machines or --format machines-by-jobs after correcting "
		  "the first line" },
		{ "2 2\n17 8\n1 2\n",
		  "a knapsack file or a plain matrix of 3 x 2 times or one of 2 x 2 with its size "
		  "in the first line",
		  "add --format jobs-by-machines or --format machines-by-jobs, which reads the "
		  "first line as the size" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct recognise_message what = { .used = 0 }, advice = { .used = 0 };
		struct recognised r;

		forms_of_text(cases[i].text, strlen(cases[i].text), &r);
		recognise_describe(&what, &r, "times");
		assert_string_equal(what.text, cases[i].what);
		recognise_advise(&advice, &r, "add");
		assert_string_equal(advice.text, cases[i].advice);
	}
}

/* Files longer than RECOGNISE_BYTES: the beginning decides, and the sizes of matrices are unknown.
 */
static void the_beginning_of_a_large_file_decides(void **state)
{
	enum { LINES = RECOGNISE_BYTES / 8 + 100 };
	struct recognised r;
	char *text = malloc((size_t)LINES * 8 + 64);
	size_t used;

	(void)state;
	assert_non_null(text);
	used = (size_t)sprintf(text, "%d 55\n", LINES);
	for (int i = 0; i < LINES; i++)
		used += (size_t)sprintf(text + used, "777 %d\n", 100 + i % 800);
	assert_true(used > RECOGNISE_BYTES);
	assert_int_equal(forms_of_text(text, used, &r), SET(KNAPSACK_PAIRS));
	memcpy(text, "p cnf  ", 7);
	assert_int_equal(forms_of_text(text, used, &r), SET(CNF));
	free(text);
}

static void missing_and_special_files_are_errors(void **state)
{
	struct recognised r;
	struct err e = { 0 };
	const char *fifo = in_folder("fifo");

	(void)state;
	assert_int_equal(recognise(&r, data("does_not_exist.txt"), &e), ERR_INPUT);
	assert_non_null(strstr(e.text, "does_not_exist.txt"));
	assert_int_equal(recognise(&r, data("."), &e), ERR_INPUT);
	assert_non_null(strstr(e.text, "not a regular file"));
	assert_int_equal(mkfifo(fifo, 0600), 0); /* nobody writes into it: must not wait */
	assert_int_equal(recognise(&r, fifo, &e), ERR_INPUT);
	assert_int_equal(r.forms, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_of_all_formats_are_recognised),
		cmocka_unit_test(ambiguous_texts_have_all_their_formats),
		cmocka_unit_test(matrices_are_described_with_their_formats),
		cmocka_unit_test(the_beginning_of_a_large_file_decides),
		cmocka_unit_test(missing_and_special_files_are_errors),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
