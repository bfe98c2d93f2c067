/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/base/journal.h"
#include "harness/base/outfile.h"

struct place {
	char folder[64], path[96];
};

static int make_place(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	snprintf(p->folder, sizeof(p->folder), "/tmp/copra-journal-XXXXXX");
	if (!mkdtemp(p->folder))
		return -1;
	snprintf(p->path, sizeof(p->path), "%s/j.jsonl", p->folder);
	*state = p;
	return 0;
}

static int remove_place(void **state)
{
	struct place *p = *state;

	unlink(p->path);
	rmdir(p->folder);
	free(p);
	return 0;
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "ab");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	assert_int_equal(fclose(f), 0);
}

static void appended_lines_are_read_back(void **state)
{
	struct place *p = *state;
	struct journal *j;
	struct err e;
	size_t cursor = 0;

	assert_int_equal(journal_open(&j, p->path, true, &e), 0);
	assert_null(journal_next(j, &cursor));
	assert_int_equal(journal_append(j, "one\ntwo\n", 8, &e), 0);
	journal_close(j);
	assert_int_equal(journal_open(&j, p->path, true, &e), 0);
	cursor = 0;
	assert_string_equal(journal_next(j, &cursor), "one");
	assert_string_equal(journal_next(j, &cursor), "two");
	assert_null(journal_next(j, &cursor));
	journal_close(j);
}

static void torn_line_is_dropped_and_the_next_starts_anew(void **state)
{
	struct place *p = *state;
	struct journal *j;
	struct err e;
	size_t cursor = 0;

	put(p->path, "whole\n{\"torn\": tr");
	assert_int_equal(journal_open(&j, p->path, true, &e), 0);
	assert_string_equal(journal_next(j, &cursor), "whole");
	assert_null(journal_next(j, &cursor));
	assert_int_equal(journal_append(j, "next\n", 5, &e), 0);
	journal_close(j);
	assert_int_equal(journal_open(&j, p->path, true, &e), 0);
	cursor = 0;
	assert_string_equal(journal_next(j, &cursor), "whole");
	assert_string_equal(journal_next(j, &cursor), "next");
	journal_close(j);
}

static void journal_of_one_torn_line_is_empty(void **state)
{
	struct place *p = *state;
	struct journal *j;
	struct stat st;
	struct err e;
	size_t cursor = 0;

	put(p->path, "no end");
	assert_int_equal(journal_open(&j, p->path, true, &e), 0);
	assert_null(journal_next(j, &cursor));
	assert_int_equal(stat(p->path, &st), 0);
	assert_int_equal(st.st_size, 6); /* a reader does not change it */
	assert_int_equal(journal_append(j, "x\n", 2, &e), 0);
	journal_close(j);
	assert_int_equal(stat(p->path, &st), 0);
	assert_int_equal(st.st_size, 2);
}

static void without_resume_the_journal_starts_empty(void **state)
{
	struct place *p = *state;
	struct journal *j;
	struct err e;
	size_t cursor = 0;

	put(p->path, "old\n");
	assert_int_equal(journal_open(&j, p->path, false, &e), 0);
	assert_null(journal_next(j, &cursor));
	assert_int_equal(journal_append(j, "new\n", 4, &e), 0);
	journal_close(j);
	assert_int_equal(journal_open(&j, p->path, true, &e), 0);
	assert_string_equal(journal_next(j, &cursor), "new");
	journal_close(j);
}

static void lines_after_a_block_of_nuls_are_read(void **state)
{
	static const char text[] = "one\n\0\0\0\0two\nthr\0\0ee\n\0\0";
	struct place *p = *state;
	struct journal *j;
	struct err e;
	size_t cursor = 0;

	assert_int_equal(outfile_write(p->path, text, sizeof(text) - 1, &e), 0);
	assert_int_equal(journal_open(&j, p->path, true, &e), 0);
	assert_string_equal(journal_next(j, &cursor), "one");
	assert_string_equal(journal_next(j, &cursor), "two");
	assert_string_equal(journal_next(j, &cursor), "thr");
	assert_string_equal(journal_next(j, &cursor), "ee");
	assert_null(journal_next(j, &cursor));
	journal_close(j);
}

/* Two writers without a lock: the second to append stops, and the lines of the first stay. */
static void second_writer_is_refused(void **state)
{
	static const char *const first[] = { "", "old\n", "old\ntorn" };
	struct place *p = *state;

	for (int i = 0; i < 3; i++) {
		struct journal *a, *b;
		struct err e;
		char *text;

		unlink(p->path);
		if (i > 0)
			put(p->path, first[i]);
		assert_int_equal(journal_open(&a, p->path, true, &e), 0);
		assert_int_equal(journal_open(&b, p->path, true, &e), 0);
		assert_int_equal(journal_append(a, "one\n", 4, &e), 0);
		assert_int_equal(journal_append(b, "two\n", 4, &e), ERR_IO);
		assert_non_null(strstr(e.text, p->path));
		assert_non_null(strstr(e.text, "another process writes to it"));
		assert_int_equal(journal_append(b, "two\n", 4, &e), ERR_IO);
		assert_int_equal(journal_append(a, "three\n", 6, &e), 0);
		journal_close(a);
		journal_close(b);
		assert_int_equal(outfile_read(p->path, 100, &text, NULL, &e), 0);
		assert_string_equal(text, i > 0 ? "old\none\nthree\n" : "one\nthree\n");
		free(text);
	}
}

static void removed_journal_is_not_begun_anew(void **state)
{
	struct place *p = *state;
	struct journal *j;
	struct err e;

	put(p->path, "old\n");
	assert_int_equal(journal_open(&j, p->path, true, &e), 0);
	assert_int_equal(unlink(p->path), 0);
	assert_int_equal(journal_append(j, "new\n", 4, &e), ERR_IO);
	assert_int_not_equal(access(p->path, F_OK), 0);
	journal_close(j);
}

static void folder_is_not_a_journal(void **state)
{
	struct place *p = *state;
	struct journal *j;
	struct err e = { 0 };

	assert_true(journal_open(&j, p->folder, true, &e) < 0);
	assert_null(j);
	assert_non_null(strstr(e.text, p->folder));
}

#define AT_PLACE(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		AT_PLACE(appended_lines_are_read_back),
		AT_PLACE(torn_line_is_dropped_and_the_next_starts_anew),
		AT_PLACE(journal_of_one_torn_line_is_empty),
		AT_PLACE(without_resume_the_journal_starts_empty),
		AT_PLACE(lines_after_a_block_of_nuls_are_read),
		AT_PLACE(second_writer_is_refused),
		AT_PLACE(removed_journal_is_not_begun_anew),
		AT_PLACE(folder_is_not_a_journal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
