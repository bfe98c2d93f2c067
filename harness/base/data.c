/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/base/data.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/build.h"

/* The folder of the running program. Returns false if the system does not tell it. */
static bool program_folder(char *folder, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", folder, size - 1);
	char *slash;

	if (length <= 0 || (size_t)length >= size - 1)
		return false;
	folder[length] = '\0';
	slash = strrchr(folder, '/');
	if (!slash)
		return false;
	slash[slash == folder] = '\0'; /* "/" keeps its slash */
	return true;
}

/* The data folder of an installed program; false if there is none. */
static bool installed_data(char *data, size_t size)
{
	char folder[PATH_MAX], path[2 * PATH_MAX], *resolved;
	bool fits;

	if (!program_folder(folder, sizeof(folder)))
		return false;
	snprintf(path, sizeof(path), "%s/%s", folder, build_info()->data);
	resolved = realpath(path, NULL);
	if (!resolved)
		return false;
	fits = strlen(resolved) < size;
	if (fits)
		strcpy(data, resolved);
	free(resolved);
	return fits;
}

bool data_installed(char *folder, size_t size)
{
	char data[PATH_MAX];

	return installed_data(data, sizeof(data)) && program_folder(folder, size);
}

int data_path(char *path, size_t size, const char *name, struct err *e)
{
	const char *given = getenv("COPRA_DATA");
	char data[PATH_MAX];
	int n;

	if (given && *given)
		n = snprintf(path, size, "%s/%s", given, name);
	else if (installed_data(data, sizeof(data)))
		n = snprintf(path, size, "%s/%s", data, name);
	else
		n = snprintf(path, size, "%s", name);
	if (n < 0 || (size_t)n >= size)
		return err_set(e, ERR_USAGE, "the path of the data folder is too long: %s%s",
			       given && *given ? "COPRA_DATA=" : "",
			       given && *given ? given : name);
	return 0;
}
