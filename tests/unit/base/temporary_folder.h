/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A temporary folder for tests that write files: set-up and teardown of a cmocka group. Include
 * after <cmocka.h>. */
#ifndef COPRA_TESTS_UNIT_BASE_TEMPORARY_FOLDER_H
#define COPRA_TESTS_UNIT_BASE_TEMPORARY_FOLDER_H

#include <stdio.h>
#include <stdlib.h>

static char folder[64];

/* In memory if possible, so that tests that write hundreds of files do not wait for a disk. */
static inline int make_folder(void **state)
{
	static const char *const places[] = { "/dev/shm", "/tmp" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		snprintf(folder, sizeof(folder), "%s/copra-test-XXXXXX", places[i]);
		if (mkdtemp(folder))
			return 0;
	}
	return -1;
}

static inline int remove_folder(void **state)
{
	char command[80];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

#endif
