/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct outfile {
	FILE *stream;
	char *path;      /* the target, links resolved */
	char *temporary; /* NULL: the target is written directly */
	char *shown;     /* the path as given, for messages */
};

static int io_error(struct err *e, const char *what, const char *path, int reason)
{
	return err_set(e, ERR_IO, "cannot %s %s: %s", what, path, strerror(reason));
}

static void release(struct outfile *o)
{
	free(o->path);
	free(o->temporary);
	free(o->shown);
	free(o);
}

/* The folder of a path, to be freed: "a/b" -> "a", "b" -> ".", "/b" -> "/". */
static char *parent_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	if (slash == path)
		return strdup("/");
	return strndup(path, (size_t)(slash - path));
}

/* Makes one folder; an existing one is fine. 0 or errno. */
static int make_one(const char *path)
{
	struct stat st;

	if (mkdir(path, 0777) == 0)
		return 0;
	if (errno == EEXIST && stat(path, &st) == 0)
		return S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
	return errno;
}

int outfile_make_directories(const char *path, struct err *e)
{
	char *copy = strdup(path);
	int status = 0, reason = 0;

	if (!copy)
		return err_set(e, ERR_MEMORY, "no memory for a path");
	for (char *p = copy + 1; *copy && *p && reason == 0; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		reason = make_one(copy);
		if (reason == 0)
			*p = '/';
	}
	if (reason == 0)
		reason = make_one(copy);
	if (reason != 0)
		status = io_error(e, "make the folder", copy, reason);
	free(copy);
	return status;
}

int outfile_make_parent(const char *path, struct err *e)
{
	char *folder = parent_of(path);
	int status;

	if (!folder)
		return err_set(e, ERR_MEMORY, "no memory for a path");
	status = outfile_make_directories(folder, e);
	free(folder);
	return status;
}

/* Creates the temporary beside o->path; the process' umask applies as to any new file. */
static int create_temporary(struct outfile *o)
{
	int fd = -1;

	for (int attempt = 0; attempt < 100; attempt++) {
		free(o->temporary);
		if (asprintf(&o->temporary, "%s.%ld-%d.tmp", o->path, (long)getpid(), attempt) <
		    0) {
			o->temporary = NULL;
			errno = ENOMEM;
			return -1;
		}
		fd = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0 || errno != EEXIST)
			break; /* EEXIST: another writer owns it, or a killed process left it */
	}
	return fd;
}

static int open_temporary(struct outfile *o, struct err *e)
{
	struct stat st;
	int fd = create_temporary(o), reason = 0;

	if (fd < 0)
		return io_error(e, "write", o->shown, errno);
	if (stat(o->path, &st) == 0 && fchmod(fd, st.st_mode & 07777) != 0)
		reason = errno;
	if (reason == 0) {
		o->stream = fdopen(fd, "w");
		reason = o->stream ? 0 : errno;
	}
	if (reason != 0) {
		close(fd);
		unlink(o->temporary);
		return io_error(e, "write", o->shown, reason);
	}
	return 0;
}

static int open_direct(struct outfile *o, struct err *e)
{
	o->stream = fopen(o->path, "we");
	return o->stream ? 0 : io_error(e, "write", o->shown, errno);
}

int outfile_open(struct outfile **out, const char *path, struct err *e)
{
	struct outfile *o;
	struct stat st;
	int status;

	*out = NULL;
	if (!path || !*path)
		return err_set(e, ERR_IO, "cannot write a file without a name");
	status = outfile_make_parent(path, e);
	if (status)
		return err_prefix(e, "%s", path);
	o = calloc(1, sizeof(*o));
	if (!o)
		return err_set(e, ERR_MEMORY, "no memory to write %s", path);
	o->shown = strdup(path);
	o->path = realpath(path, NULL); /* NULL when there is no such file yet */
	if (!o->path)
		o->path = strdup(path);
	if (!o->shown || !o->path)
		status = err_set(e, ERR_MEMORY, "no memory to write %s", path);
	else if (stat(o->path, &st) == 0 && S_ISDIR(st.st_mode))
		status = io_error(e, "write", path, EISDIR);
	else if (stat(o->path, &st) == 0 && !S_ISREG(st.st_mode))
		status = open_direct(o, e);
	else
		status = open_temporary(o, e);
	if (status) {
		release(o);
		return status;
	}
	*out = o;
	return 0;
}

FILE *outfile_stream(struct outfile *o)
{
	return o->stream;
}

/* Flushes, forces to the disk, closes. 0 or errno of the first failure. */
static int close_stream(struct outfile *o)
{
	int reason = 0;

	if (fflush(o->stream) != 0)
		reason = errno;
	else if (ferror(o->stream))
		reason = EIO; /* an earlier write failed; its errno is lost */
	else if (o->temporary && fsync(fileno(o->stream)) != 0)
		reason = errno;
	if (fclose(o->stream) != 0 && reason == 0)
		reason = errno;
	return reason;
}

/* A file system that cannot sync a folder (EINVAL) still keeps the rename. */
static int sync_folder(const char *path)
{
	char *folder = parent_of(path);
	int fd, reason = 0;

	if (!folder)
		return ENOMEM;
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(folder);
	if (fd < 0)
		return errno == EACCES ? 0 : errno; /* a folder that may be written but not read */
	if (fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP)
		reason = errno;
	close(fd);
	return reason;
}

int outfile_commit(struct outfile *o, struct err *e)
{
	int reason = close_stream(o), status = 0;

	if (reason == 0 && o->temporary && rename(o->temporary, o->path) != 0)
		reason = errno;
	if (reason != 0) {
		if (o->temporary)
			unlink(o->temporary);
	} else if (o->temporary) {
		reason = sync_folder(o->path);
	}
	if (reason != 0)
		status = io_error(e, "write", o->shown, reason);
	release(o);
	return status;
}

void outfile_abort(struct outfile *o)
{
	if (!o)
		return;
	fclose(o->stream);
	if (o->temporary)
		unlink(o->temporary);
	release(o);
}

static int write_all(int fd, const char *data, size_t length)
{
	while (length > 0) {
		ssize_t n = write(fd, data, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		data += n;
		length -= (size_t)n;
	}
	return 0;
}

/* Removes the part of the text that was written before the failure. */
static int append_to(int fd, const char *data, size_t length)
{
	struct stat st;
	int reason;

	if (fstat(fd, &st) != 0)
		return errno;
	reason = write_all(fd, data, length);
	if (reason == 0 && fsync(fd) != 0 && errno != EINVAL)
		reason = errno;
	if (reason != 0 && S_ISREG(st.st_mode) && ftruncate(fd, st.st_size) != 0)
		reason = errno;
	return reason;
}

/* 0, an errno, or CHANGED if the file has another size. */
enum { CHANGED = -1 };

static int check_size(int fd, size_t size)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return errno;
	return st.st_size == (off_t)size ? 0 : CHANGED;
}

static int end_append(int fd, const char *path, int reason, struct err *e)
{
	if (close(fd) != 0 && reason == 0)
		reason = errno;
	if (reason == CHANGED)
		return err_set(e, ERR_IO,
			       "%s has changed: another process writes to it, so this one stops",
			       path);
	return reason ? io_error(e, "append to", path, reason) : 0;
}

int outfile_append(const char *path, const void *data, size_t length, struct err *e)
{
	int fd, status = outfile_make_parent(path, e);

	if (status)
		return err_prefix(e, "%s", path);
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return io_error(e, "append to", path, errno);
	return end_append(fd, path, append_to(fd, data, length), e);
}

int outfile_continue(const char *path, size_t size, const void *data, size_t length, struct err *e)
{
	int fd, reason, status = outfile_make_parent(path, e);

	if (status)
		return err_prefix(e, "%s", path);
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | (size > 0 ? 0 : O_CREAT), 0666);
	if (fd < 0)
		return io_error(e, "append to", path, errno);
	reason = check_size(fd, size);
	return end_append(fd, path, reason ? reason : append_to(fd, data, length), e);
}

int outfile_cut(const char *path, size_t keep, const void *tail, size_t length, struct err *e)
{
	char *now = malloc(length + 1);
	int fd, reason;

	if (!now)
		return err_set(e, ERR_MEMORY, "no memory to read %s", path);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		free(now);
		return io_error(e, "append to", path, errno);
	}
	reason = check_size(fd, keep + length);
	if (reason == 0 && (pread(fd, now, length, (off_t)keep) != (ssize_t)length ||
			    memcmp(now, tail, length) != 0))
		reason = CHANGED;
	if (reason == 0 && ftruncate(fd, (off_t)keep) != 0)
		reason = errno;
	free(now);
	return end_append(fd, path, reason, e);
}

int outfile_write(const char *path, const void *data, size_t length, struct err *e)
{
	struct outfile *o;
	int status = outfile_open(&o, path, e);

	if (status)
		return status;
	if (length && fwrite(data, 1, length, outfile_stream(o)) != length) {
		status = io_error(e, "write", path, errno);
		outfile_abort(o);
		return status;
	}
	return outfile_commit(o, e);
}

int outfile_read(const char *path, size_t limit, char **text, size_t *length, struct err *e)
{
	FILE *f = fopen(path, "re");
	size_t used = 0, capacity = 4096;
	char *data = NULL;
	int status = 0;

	if (!f)
		return err_set(e, ERR_INPUT, "cannot read %s: %s", path, strerror(errno));
	for (;;) {
		char *larger = realloc(data, capacity + 1);

		if (!larger) {
			status = err_set(e, ERR_MEMORY, "no memory to read %s", path);
			break;
		}
		data = larger;
		used += fread(data + used, 1, capacity - used, f);
		if (used < capacity || used > limit)
			break;
		capacity *= 2;
	}
	if (!status && ferror(f))
		status = err_set(e, ERR_INPUT, "cannot read %s: %s", path, strerror(errno));
	if (!status && used > limit)
		status = err_set(e, ERR_INPUT, "%s is longer than %zu bytes", path, limit);
	fclose(f);
	if (status) {
		free(data);
		return status;
	}
	data[used] = '\0';
	*text = data;
	if (length)
		*length = used;
	return 0;
}
