/* Instance files of tests/data, and what a reader says of a bad one. Include after <cmocka.h>. */
#ifndef COPRA_TESTS_INSTANCE_FILES_H
#define COPRA_TESTS_INSTANCE_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../harness/error.h"

/* Good until the next call. */
static inline const char *data(const char *name)
{
	static char path[256];
	const char *root = getenv("COPRA_TEST_DATA");

	snprintf(path, sizeof(path), "%s/%s", root ? root : "tests/data", name);
	return path;
}

/* One line that holds `words` and names the file's line; line 0: none is to be named. */
static inline void check_refusal(const struct err *e, const char *file, int line,
				 const char *words)
{
	char place[160];

	snprintf(place, sizeof(place), "%s:%d: ", file, line);
	if (!strstr(e->text, words))
		fail_msg("%s: '%s' does not say '%s'", file, e->text, words);
	if (line && !strstr(e->text, place))
		fail_msg("%s: '%s' does not name line %d", file, e->text, line);
	assert_null(strchr(e->text, '\n'));
}

#endif
