/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/compare/folders.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/outfile.h"
#include "harness/report/text.h"

static int copy_bytes(int from, int to)
{
	char *bytes = malloc(1 << 20);
	ssize_t n = bytes ? 1 : -1;

	while (n > 0 && (n = read(from, bytes, 1 << 20)) > 0)
		for (ssize_t done = 0, once; done < n; done += once)
			if ((once = write(to, bytes + done, (size_t)(n - done))) < 0) {
				free(bytes);
				return -1;
			}
	free(bytes);
	return n < 0 ? -1 : fsync(to);
}

int folder_copy_program(const char *from, const char *to, struct err *e)
{
	int in, out, status = outfile_make_parent(to, e), bad;

	if (status)
		return status;
	in = open(from, O_RDONLY | O_CLOEXEC);
	if (in < 0)
		return err_set(e, ERR_INPUT, "cannot read %s: %s", from, strerror(errno));
	unlink(to); /* a running program cannot be written to */
	out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0777);
	bad = out < 0 || copy_bytes(in, out);
	if (bad)
		status = err_set(e, ERR_IO, "cannot write %s: %s", to, strerror(errno));
	close(in);
	if (out >= 0 && close(out) && status == 0)
		status = err_set(e, ERR_IO, "cannot write %s: %s", to, strerror(errno));
	return status;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

int folder_remove(const char *path, struct err *e)
{
	if (access(path, F_OK) != 0 && errno == ENOENT)
		return 0;
	if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS))
		return err_set(e, ERR_IO, "cannot remove %s: %s", path, strerror(errno));
	return 0;
}

int folder_remove_file(const char *folder, const char *name, struct err *e)
{
	char path[PATH_MAX];
	int status = text_path(path, e, "%s/%s", folder, name);

	if (status == 0 && unlink(path) && errno != ENOENT && errno != ENOTDIR)
		status = err_set(e, ERR_IO, "cannot remove %s: %s", path, strerror(errno));
	return status;
}

int folder_replace(const char *fresh, const char *path, struct err *e)
{
	char old[PATH_MAX];
	int status = text_path(old, e, "%s.old", path);

	if (status == 0)
		status = folder_remove(old, e);
	if (status)
		return status;
	if (rename(path, old) && errno != ENOENT)
		return err_set(e, ERR_IO, "cannot rename %s: %s", path, strerror(errno));
	if (rename(fresh, path))
		return err_set(e, ERR_IO, "cannot rename %s: %s", fresh, strerror(errno));
	return folder_remove(old, e);
}

int folder_lock(const char *path, struct err *e)
{
	int status = outfile_make_parent(path, e), fd;

	if (status)
		return status;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return err_set(e, ERR_IO, "cannot write %s: %s", path, strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return 0; /* also on a file system without locks */
	close(fd);
	return err_set(e, ERR_USAGE, "another baseline or comparison is running (%s)", path);
}
