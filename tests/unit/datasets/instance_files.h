/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Instance files of tests/data, and checks of a reader on bad files and on arbitrary bytes. Include
 * after cmocka.h. */
#ifndef COPRA_TESTS_UNIT_DATASETS_INSTANCE_FILES_H
#define COPRA_TESTS_UNIT_DATASETS_INSTANCE_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/error.h"
#include "harness/base/rng.h"

/* Valid until the next call. */
static inline const char *data(const char *name)
{
	static char path[256];
	const char *root = getenv("COPRA_TEST_DATA");

	snprintf(path, sizeof(path), "%s/%s", root ? root : "tests/data", name);
	return path;
}

/* Checks that the message is one line that contains `words` and names the file's line; line 0: no
 * line is to be named. */
static inline void check_refusal(const struct err *e, const char *file, int line, const char *words)
{
	char place[160];

	snprintf(place, sizeof(place), "%s:%d: ", file, line);
	if (!strstr(e->text, words))
		fail_msg("%s: '%s' does not say '%s'", file, e->text, words);
	if (line && !strstr(e->text, place))
		fail_msg("%s: '%s' does not name line %d", file, e->text, line);
	assert_null(strchr(e->text, '\n'));
}

/* Loads a file or a known name with the reader under test and frees the result. After an error it
 * checks that the result is empty. */
typedef int instance_reader(const char *name, struct err *e);

struct bad_file {
	const char *file;
	int line; /* of the first thing wrong; 0: none is named */
	const char *words;
};

static inline void check_bad_files(const char *folder_of_data, const struct bad_file *bad,
				   size_t count, instance_reader *read)
{
	for (size_t i = 0; i < count; i++) {
		char name[128];
		struct err e = { 0 };

		snprintf(name, sizeof(name), "%s/%s", folder_of_data, bad[i].file);
		if (read(data(name), &e) != ERR_INPUT)
			fail_msg("%s was not refused", name);
		check_refusal(&e, bad[i].file, bad[i].line, bad[i].words);
	}
}

static inline void check_bad_names(const char *const *names, size_t count, instance_reader *load)
{
	for (size_t i = 0; i < count; i++) {
		struct err e = { 0 };

		if (load(names[i], &e) != ERR_INPUT)
			fail_msg("%s was not refused", names[i]);
		if (!strstr(e.text, names[i]))
			fail_msg("'%s' does not name %s", e.text, names[i]);
	}
}

/* Reads 2000 damaged files at `path`: `good` with random characters of `bytes` inserted, every
 * other one cut. Each must be accepted or refused with its name in the message. Returns the number
 * accepted. */
static inline int check_damaged_files(const char *path, const char *good, const char *bytes,
				      size_t byte_count, uint64_t seed, instance_reader *read)
{
	size_t whole = strlen(good);
	struct rng r = rng_seeded(seed);
	char text[512];
	int accepted = 0;

	assert_true(whole < sizeof(text));
	for (int t = 0; t < 2000; t++) {
		size_t length = (size_t)rng_between(&r, 1, (int64_t)whole);
		FILE *out = fopen(path, "w");
		struct err e = { 0 };
		int status;

		memcpy(text, good, whole);
		if (t % 2)
			length = whole;
		for (int i = 0; i < 1 + t % 3; i++)
			text[rng_below(&r, length)] = bytes[rng_below(&r, byte_count)];
		assert_non_null(out);
		assert_int_equal(fwrite(text, 1, length, out), length);
		assert_int_equal(fclose(out), 0);
		status = read(path, &e);
		assert_true(status == 0 || (status == ERR_INPUT && strstr(e.text, path)));
		accepted += status == 0;
	}
	return accepted;
}

#endif
