/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Replays the corpora of tests/fuzz/corpus as a unit test: every reader of this program reads every
 * file of its folder, in full and truncated at several places. Does not need clang. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/base/outfile.h"
#include "tests/fuzz/fuzz.h"

enum { LARGEST = 1 << 20, CUTS = 16 };

static int visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* A copy that ends exactly where the bytes end, so that a sanitizer detects reads beyond them. */
static void take(const struct fuzz_reader *r, const char *text, size_t length)
{
	uint8_t *bytes = malloc(length + !length);

	assert_non_null(bytes);
	memcpy(bytes, text, length);
	r->read(bytes, length);
	free(bytes);
}

static void replay_file(const struct fuzz_reader *r, const char *path)
{
	struct err e;
	size_t length;
	char *text;

	assert_int_equal(outfile_read(path, LARGEST, &text, &length, &e), 0);
	for (size_t cut = 0; cut <= CUTS; cut++)
		take(r, text, length * cut / CUTS);
	free(text);
}

static void replay(void **state)
{
	const struct fuzz_reader *r = *state;
	struct dirent **files;
	char path[512];
	int count, accepted = fuzz_accepted();

	snprintf(path, sizeof(path), "tests/fuzz/corpus/%s", r->name);
	count = scandir(path, &files, visible, alphasort);
	assert_true(count > 0); /* a reader without a corpus is not tested */
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "tests/fuzz/corpus/%s/%.200s", r->name,
			 files[i]->d_name);
		replay_file(r, path);
		free(files[i]);
	}
	free(files);
	assert_true(fuzz_accepted() > accepted); /* at least one input is accepted */
}

int main(void)
{
	struct CMUnitTest tests[64];
	size_t count = 0;

	for (const struct fuzz_reader *r = fuzz_readers(); r && count < 64; r = r->next)
		tests[count++] = (struct CMUnitTest){ .name = r->name,
						      .test_func = replay,
						      .initial_state = (void *)(uintptr_t)r };
	return _cmocka_run_group_tests("readers", tests, count, NULL, NULL);
}
