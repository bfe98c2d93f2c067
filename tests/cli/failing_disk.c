/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded by test_shared_folder.sh: a shared file system without a lock service, where files can
 * be lost. Every flock() fails with ENOLCK. Opening for reading, and renaming, a file whose path
 * contains STALE_NAME fails with ESTALE. */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

static bool stale(const char *path)
{
	const char *name = getenv("STALE_NAME");

	errno = ESTALE;
	return name && *name && strstr(path, name);
}

int flock(int fd, int operation)
{
	(void)fd;
	(void)operation;
	errno = ENOLCK;
	return -1;
}

int rename(const char *from, const char *to)
{
	int (*next)(const char *, const char *);

	*(void **)&next = dlsym(RTLD_NEXT, "rename");
	return stale(to) ? -1 : next(from, to);
}

FILE *fopen(const char *path, const char *mode)
{
	FILE *(*next)(const char *, const char *);

	*(void **)&next = dlsym(RTLD_NEXT, "fopen");
	return mode[0] == 'r' && stale(path) ? NULL : next(path, mode);
}
