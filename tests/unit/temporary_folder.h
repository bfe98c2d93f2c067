/* A folder of one's own for tests that write files: set-up and teardown of a cmocka group. Include
 * after <cmocka.h>. */
#ifndef COPRA_TESTS_TEMPORARY_FOLDER_H
#define COPRA_TESTS_TEMPORARY_FOLDER_H

#include <stdio.h>
#include <stdlib.h>

static char folder[] = "/tmp/copra-test-XXXXXX";

static inline int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof command, "rm -r %s", folder);
	return system(command);
}

#endif
