/* What a user sees of progress: plain lines in a pipe, one redrawn line on a terminal. */
#include "harness/progress.h"

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

	progress_duration(seconds, text, sizeof text);
	assert_string_equal(text, expected);
}

static void test_durations(void **state)
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

static void test_plain_lines_are_few(void **state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	struct progress *p;
	struct err e;

	(void)state;
	assert_non_null(f);
	assert_int_equal(progress_create(&p, f, "table1", 1000, &e), 0);
	for (int i = 0; i <= 1000; i++)
		progress_update(p, i, "n:10000");
	progress_destroy(p);
	fclose(f);
	assert_null(strchr(text, '\r'));
	assert_null(strchr(text, '\033'));
	assert_in_range(count(text, '\n'), 8, 14); /* one a tenth, and the last */
	assert_non_null(strstr(text, "table1:   0 %, n:10000\n"));
	assert_non_null(strstr(text, "table1: done in "));
	free(text);
}

static void test_an_early_end_is_not_called_done(void **state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	struct progress *p;
	struct err e;

	(void)state;
	assert_int_equal(progress_create(&p, f, "x", 10, &e), 0);
	progress_update(p, 4, NULL);
	progress_update(p, 3, NULL); /* never goes back */
	progress_destroy(p);
	fclose(f);
	assert_non_null(strstr(text, "x: ended at 40 % after"));
	assert_null(strstr(text, "30 %"));
	free(text);
}

static void test_a_terminal_has_one_line(void **state)
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
	progress_update(p, 50, "a benchmark whose name is so long that it does not fit into the "
			       "line of any terminal that is 80 columns wide");
	n = read(master, text, sizeof text - 1);
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

static void test_a_part_shows_the_whole(void **state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	struct progress *p;
	struct err e;

	(void)state;
	assert_non_null(f);
	assert_int_equal(progress_create(&p, f, "all", 1000, &e), 0);
	progress_continue(p, 400, 3600); /* 400 of 1000 in an hour: an hour and a half for the rest */
	progress_update(p, 400, "x");
	progress_destroy(p);
	fclose(f);
	assert_string_equal(text, "all:  40 %, 1 h 30 m left, x\n"); /* and no last line */
	free(text);
}

static void test_quiet(void **state)
{
	struct progress *p;
	struct err e;

	(void)state;
	assert_int_equal(progress_create(&p, NULL, "x", 0, &e), 0);
	progress_update(p, 1, "y");
	progress_set_total(p, 2);
	progress_clear(p);
	progress_destroy(p);
	progress_destroy(NULL);
	progress_update(NULL, 1, "y");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_durations),
		cmocka_unit_test(test_plain_lines_are_few),
		cmocka_unit_test(test_an_early_end_is_not_called_done),
		cmocka_unit_test(test_a_terminal_has_one_line),
		cmocka_unit_test(test_a_part_shows_the_whole),
		cmocka_unit_test(test_quiet),
	};

	return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
