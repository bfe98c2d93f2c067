/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/fuzz.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct fuzz_reader *readers;

void fuzz_register(struct fuzz_reader *r)
{
	r->next = readers;
	readers = r;
}

const struct fuzz_reader *fuzz_readers(void)
{
	return readers;
}

void fuzz_check(bool holds, const char *condition, const char *file, int line)
{
	if (holds)
		return;
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
	abort();
}

static int accepted;

int fuzz_accepted(void)
{
	return accepted;
}

bool fuzz_status(int status, const struct err *e)
{
	if (status == 0) {
		accepted++;
		return true;
	}
	FUZZ_CHECK(status == ERR_INPUT || status == ERR_USAGE || status == ERR_UNSUPPORTED);
	FUZZ_CHECK(status == e->code);
	FUZZ_CHECK(e->text[0] != '\0');
	FUZZ_CHECK(memchr(e->text, '\0', sizeof(e->text)) != NULL);
	return false;
}

const char *fuzz_file(const uint8_t *data, size_t size)
{
	static int fd = -1;
	static char path[32];

	if (fd < 0) {
		fd = memfd_create("fuzz", MFD_CLOEXEC);
		FUZZ_CHECK(fd >= 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	FUZZ_CHECK(ftruncate(fd, 0) == 0);
	FUZZ_CHECK(pwrite(fd, data, size, 0) == (ssize_t)size);
	return path;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	FUZZ_CHECK(text != NULL);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

static char folder[PATH_MAX];

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

static void remove_folder(void)
{
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Uses a folder in memory if there is one, because each file is forced to the disk. */
const char *fuzz_scratch(void)
{
	static char path[PATH_MAX + 8];

	if (!folder[0]) {
		snprintf(folder, sizeof(folder), "%s/copra-fuzz-XXXXXX",
			 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
		FUZZ_CHECK(mkdtemp(folder) != NULL);
		atexit(remove_folder);
		snprintf(path, sizeof(path), "%s/file", folder);
	}
	return path;
}
