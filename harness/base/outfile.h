/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Atomic output files: complete or unchanged.
 *
 * The text goes to a temporary file beside the target. outfile_commit() flushes it, forces it to
 * the disk, renames it to the target and forces the folder to the disk. A crash, a full disk or an
 * abort at any moment leaves the old file unchanged. A target that exists and is not a regular file
 * (a pipe, /dev/stdout) is written directly. Symbolic links are followed. Missing folders are
 * created.
 *
 * Every error is ERR_IO and names the file and the reason. */
#ifndef COPRA_BASE_OUTFILE_H
#define COPRA_BASE_OUTFILE_H

#include <stddef.h>
#include <stdio.h>

#include "harness/base/error.h"

struct outfile;

int outfile_open(struct outfile **out, const char *path, struct err *e);
/* The stream to write to. Errors of single writes may be ignored; commit reports them. */
FILE *outfile_stream(struct outfile *o);
/* Both free `o`. outfile_abort(NULL) is allowed. */
int outfile_commit(struct outfile *o, struct err *e);
void outfile_abort(struct outfile *o);

/* Appends `length` bytes to the file in one write and forces them to the disk before it returns.
 * For journals: each line that was reported as written survives a kill. */
int outfile_append(const char *path, const void *data, size_t length, struct err *e);
/* For a file with one writer that knows its content. If the file has another size or end by now,
 * another process writes to it: ERR_IO, and nothing is changed. outfile_continue() appends to a
 * file of `size` bytes; outfile_cut() removes the last bytes, `tail`, and keeps `keep`. */
int outfile_continue(const char *path, size_t size, const void *data, size_t length, struct err *e);
int outfile_cut(const char *path, size_t keep, const void *tail, size_t length, struct err *e);

/* Opens, writes and commits. */
int outfile_write(const char *path, const void *data, size_t length, struct err *e);

/* Creates a folder and its parents, as mkdir -p does; or those that contain the file `path`. */
int outfile_make_directories(const char *path, struct err *e);
int outfile_make_parent(const char *path, struct err *e);

/* Reads a whole file of at most `limit` bytes into *text (caller frees), NUL-terminated.
 * ERR_INPUT, naming file and reason, if it cannot be read or is longer. */
int outfile_read(const char *path, size_t limit, char **text, size_t *length, struct err *e);

#endif
