/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/base/journal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/outfile.h"

/* Far more than any run writes: a limit for files that are not journals. */
static const size_t journal_most = (size_t)1 << 30;

struct journal {
	char *path;
	char *text; /* the lines read when it was opened, with NUL for line ends; NULL if none */
	size_t length;
	size_t size, whole; /* of the file, and of its whole lines; a torn line may follow them */
};

/* A torn line stays in the file until the next lines are appended: a reader may be looking at the
 * journal of a process that is writing a line. */
static int read_lines(struct journal *j, struct err *e)
{
	const char *end;
	int status;

	if (access(j->path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	status = outfile_read(j->path, journal_most, &j->text, &j->size, e);
	if (status)
		return status;
	end = memrchr(j->text, '\n', j->size);
	j->length = j->whole = end ? (size_t)(end - j->text) + 1 : 0;
	for (size_t i = 0; i < j->length; i++)
		if (j->text[i] == '\n')
			j->text[i] = '\0';
	return 0;
}

static int start_empty(struct journal *j, struct err *e)
{
	if (unlink(j->path) && errno != ENOENT)
		return err_set(e, ERR_IO, "%s: %s", j->path, strerror(errno));
	return 0;
}

int journal_open(struct journal **out, const char *path, bool resume, struct err *e)
{
	struct journal *j = calloc(1, sizeof(*j));
	int status;

	*out = NULL;
	if (!j || !(j->path = strdup(path))) {
		free(j);
		return err_set(e, ERR_MEMORY, "no memory for the journal");
	}
	status = resume ? read_lines(j, e) : start_empty(j, e);
	if (status) {
		journal_close(j);
		return status;
	}
	*out = j;
	return 0;
}

void journal_close(struct journal *j)
{
	if (!j)
		return;
	free(j->text);
	free(j->path);
	free(j);
}

const char *journal_next(struct journal *j, size_t *cursor)
{
	const char *line;

	while (*cursor < j->length && !j->text[*cursor])
		(*cursor)++;
	if (*cursor >= j->length)
		return NULL;
	line = j->text + *cursor;
	*cursor += strlen(line) + 1;
	return line;
}

int journal_append(struct journal *j, const char *text, size_t length, struct err *e)
{
	int status = 0;

	if (j->whole < j->size)
		status = outfile_cut(j->path, j->whole, j->text + j->whole, j->size - j->whole, e);
	if (status == 0) {
		j->size = j->whole;
		status = outfile_continue(j->path, j->size, text, length, e);
	}
	if (status == 0)
		j->size = j->whole += length;
	return status;
}
