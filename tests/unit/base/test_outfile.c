/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Output files: they are complete or unchanged, and errors name the file and the reason. */
#include "harness/base/outfile.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include "tests/unit/base/temporary_folder.h"

static const char *in_folder(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void assert_content(const char *path, const char *expected)
{
	char *text;
	size_t length;
	struct err e;

	if (outfile_read(path, 1 << 20, &text, &length, &e) != 0)
		fail_msg("%s", e.text);
	assert_string_equal(text, expected);
	assert_int_equal(length, strlen(expected));
	free(text);
}

static int files_in(const char *path)
{
	char command[300], line[32] = "";
	FILE *p;

	snprintf(command, sizeof(command), "ls -A '%s' | wc -l", path);
	p = popen(command, "r");
	assert_non_null(p);
	assert_non_null(fgets(line, sizeof(line), p));
	pclose(p);
	return atoi(line);
}

static void commit_makes_folders_and_replaces_the_file(void **state)
{
	struct outfile *o;
	struct err e;
	const char *path = in_folder("deep/er/result.json");

	(void)state;
	assert_int_equal(outfile_write(path, "old", 3, &e), 0);
	assert_int_equal(outfile_open(&o, path, &e), 0);
	fputs("new text", outfile_stream(o));
	assert_content(path, "old"); /* until the commit */
	assert_int_equal(outfile_commit(o, &e), 0);
	assert_content(path, "new text");
	assert_int_equal(files_in(in_folder("deep/er")), 1);
}

static void abort_keeps_the_old_file(void **state)
{
	struct outfile *o;
	struct err e;
	const char *path = in_folder("abort/kept");

	(void)state;
	assert_int_equal(outfile_write(path, "old", 3, &e), 0);
	assert_int_equal(outfile_open(&o, path, &e), 0);
	fputs("half", outfile_stream(o));
	outfile_abort(o);
	outfile_abort(NULL);
	assert_content(path, "old");
	assert_int_equal(files_in(in_folder("abort")), 1);
}

static void mode_and_links_are_kept(void **state)
{
	struct err e;
	struct stat st;
	char target[256];

	(void)state;
	snprintf(target, sizeof(target), "%s", in_folder("target"));
	assert_int_equal(outfile_write(target, "1", 1, &e), 0);
	assert_int_equal(chmod(target, 0640), 0);
	assert_int_equal(symlink("target", in_folder("link")), 0);
	assert_int_equal(outfile_write(in_folder("link"), "22", 2, &e), 0);
	assert_content(target, "22");
	assert_int_equal(lstat(in_folder("link"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(target, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
}

static void full_device_is_reported(void **state)
{
	struct outfile *o;
	struct err e;

	(void)state;
	if (access("/dev/full", W_OK) != 0)
		skip();
	assert_int_equal(outfile_open(&o, "/dev/full", &e), 0);
	fputs("text", outfile_stream(o));
	assert_int_equal(outfile_commit(o, &e), ERR_IO);
	assert_non_null(strstr(e.text, "/dev/full"));
	assert_non_null(strstr(e.text, "No space left"));
	assert_int_equal(outfile_append("/dev/full", "x", 1, &e), ERR_IO);
	assert_non_null(strstr(e.text, "No space left"));
	assert_true(access("/dev/full", F_OK) == 0); /* written directly, not replaced */
}

/* In a child process with a file size limit of 100 bytes, the old text stays, no temporary file is
 * left, and a failed append removes its partial text. */
static int limited_child(const char *path)
{
	struct rlimit limit = { 100, 100 };
	char text[4000];
	struct err e;

	memset(text, 'x', sizeof(text));
	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
		return 10;
	if (outfile_write(path, text, sizeof(text), &e) != ERR_IO || !strstr(e.text, path))
		return 11;
	if (outfile_append(path, text, sizeof(text), &e) != ERR_IO || !strstr(e.text, "too large"))
		return 12;
	return 0;
}

static void failed_write_keeps_the_old_file(void **state)
{
	struct err e;
	const char *path = in_folder("limited/file");
	int child_status;
	pid_t child;

	(void)state;
	assert_int_equal(outfile_write(path, "old", 3, &e), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		_exit(limited_child(path));
	assert_int_equal(waitpid(child, &child_status, 0), child);
	assert_int_equal(WEXITSTATUS(child_status), 0);
	assert_content(path, "old");
	assert_int_equal(files_in(in_folder("limited")), 1);
}

static void appended_text_follows_what_is_there(void **state)
{
	struct err e;
	const char *path = in_folder("journal/lines.jsonl");

	(void)state;
	assert_int_equal(outfile_append(path, "one\n", 4, &e), 0);
	assert_int_equal(outfile_append(path, "two\n", 4, &e), 0);
	assert_content(path, "one\ntwo\n");
}

static void expect_refused(const char *path, const char *reason)
{
	struct outfile *o;
	struct err e = { 0 };

	assert_int_equal(outfile_open(&o, path, &e), ERR_IO);
	assert_null(o);
	assert_non_null(strstr(e.text, reason));
	assert_non_null(strstr(e.text, path));
}

static void targets_that_cannot_be_written_are_reported(void **state)
{
	struct outfile *o;
	struct err e;

	(void)state;
	assert_int_equal(outfile_open(&o, "", &e), ERR_IO);
	expect_refused(folder, "Is a directory");
	assert_int_equal(outfile_write(in_folder("plain"), "", 0, &e), 0);
	expect_refused(in_folder("plain/below"), "Not a directory");
	expect_refused("/proc/copra/result.json", "/proc/copra");
}

static void files_above_the_limit_are_refused(void **state)
{
	struct err e;
	char *text = NULL;
	size_t length;

	(void)state;
	assert_int_equal(outfile_write(in_folder("ten"), "0123456789", 10, &e), 0);
	assert_int_equal(outfile_read(in_folder("ten"), 10, &text, &length, &e), 0);
	free(text);
	assert_int_equal(outfile_read(in_folder("ten"), 9, &text, &length, &e), ERR_INPUT);
	assert_int_equal(outfile_read(in_folder("none"), 9, &text, &length, &e), ERR_INPUT);
	assert_non_null(strstr(e.text, "No such file"));
	assert_int_equal(outfile_read(folder, 9, &text, &length, &e), ERR_INPUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commit_makes_folders_and_replaces_the_file),
		cmocka_unit_test(abort_keeps_the_old_file),
		cmocka_unit_test(mode_and_links_are_kept),
		cmocka_unit_test(full_device_is_reported),
		cmocka_unit_test(failed_write_keeps_the_old_file),
		cmocka_unit_test(appended_text_follows_what_is_there),
		cmocka_unit_test(targets_that_cannot_be_written_are_reported),
		cmocka_unit_test(files_above_the_limit_are_refused),
	};

	return cmocka_run_group_tests_name("outfile", tests, make_folder, remove_folder);
}
