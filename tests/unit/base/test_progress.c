/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The progress display: plain lines in a pipe, one redrawn line on a terminal. */
#include "harness/base/progress.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void expect_duration(double seconds, const char *expected)
{
	char text[32];

	progress_duration(seconds, text, sizeof(text));
	assert_string_equal(text, expected);
}

static void durations_are_printed_in_two_units(void **state)
{
	(void)state;
	expect_duration(0, "0.0 s");
	expect_duration(0.84, "0.8 s");
	expect_duration(9.96, "10 s");
	expect_duration(59.6, "1 m 00 s");
	expect_duration(185, "3 m 05 s");
	expect_duration(7620, "2 h 07 m");
	expect_duration(3 * 86400 + 4 * 3600, "3 d 04 h");
	expect_duration(-1, "?");
	expect_duration(1e300, "?");
}

static size_t count(const char *text, char c)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == c;
	return n;
}

/* A progress that writes to memory. */
struct written {
	char *text;
	size_t size;
	FILE *f;
	struct progress *p;
};

static void begin(struct written *w, const char *title, double total)
{
	*w = (struct written){ 0 };
	w->f = open_memstream(&w->text, &w->size);
	assert_non_null(w->f);
	assert_int_equal(progress_create(&w->p, w->f, title, total, NULL), 0);
}

/* Ends the display; the text is then complete. */
static void end(struct written *w)
{
	progress_destroy(w->p);
	fclose(w->f);
}

static void plain_output_has_few_lines(void **state)
{
	struct written w;

	(void)state;
	begin(&w, "table1", 1000);
	for (int i = 0; i <= 1000; i++)
		progress_update(w.p, i, "n:10000");
	end(&w);
	assert_null(strchr(w.text, '\r'));
	assert_null(strchr(w.text, '\033'));
	assert_in_range(count(w.text, '\n'), 8, 14); /* one per 10 %, and the last */
	assert_non_null(strstr(w.text, "table1:   0 %, n:10000\n"));
	assert_non_null(strstr(w.text, "table1: done in "));
	free(w.text);
}

static void early_end_is_not_called_done(void **state)
{
	struct written w;

	(void)state;
	begin(&w, "x", 10);
	progress_update(w.p, 4, NULL);
	progress_update(w.p, 3, NULL); /* never goes back */
	end(&w);
	assert_non_null(strstr(w.text, "x: ended at 40 % after"));
	assert_null(strstr(w.text, "30 %"));
	free(w.text);
}

static void terminal_output_is_one_line(void **state)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	char text[4096] = "";
	struct progress *p;
	struct err e;
	FILE *f;
	ssize_t n;

	(void)state;
	if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0 || !ptsname(master))
		skip();
	f = fopen(ptsname(master), "w");
	if (!f)
		skip();
	assert_int_equal(progress_create(&p, f, "fig5", 100, &e), 0);
	progress_update(p, 50,
			"a benchmark whose name is so long that it does not fit into the "
			"line of any terminal that is 80 columns wide");
	n = read(master, text, sizeof(text) - 1);
	assert_true(n > 0);
	text[n] = '\0';
	assert_null(strchr(text, '\n'));
	assert_true(text[0] == '\r');
	assert_true(strlen(text) <= 80 + strlen("\r\033[K"));
	progress_clear(p); /* makes room for other output, once */
	progress_clear(p);
	progress_destroy(p);
	fclose(f);
	close(master);
}

static void progress_of_a_part_shows_the_whole(void **state)
{
	struct written w;

	(void)state;
	begin(&w, "all", 1000);
	progress_continue(w.p, 400,
			  3600); /* 400 of 1000 in an hour: an hour and a half for the rest */
	progress_update(w.p, 400, "x");
	end(&w);
	assert_string_equal(w.text, "all:  40 %, 1 h 30 m left, x\n"); /* and no last line */
	free(w.text);
}

static void without_a_stream_nothing_is_printed(void **state)
{
	struct progress *p;
	struct err e;

	(void)state;
	assert_int_equal(progress_create(&p, NULL, "x", 0, &e), 0);
	progress_update(p, 1, "y");
	progress_clear(p);
	progress_destroy(p);
	progress_destroy(NULL);
	progress_update(NULL, 1, "y");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations_are_printed_in_two_units),
		cmocka_unit_test(plain_output_has_few_lines),
		cmocka_unit_test(early_end_is_not_called_done),
		cmocka_unit_test(terminal_output_is_one_line),
		cmocka_unit_test(progress_of_a_part_shows_the_whole),
		cmocka_unit_test(without_a_stream_nothing_is_printed),
	};

	return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
