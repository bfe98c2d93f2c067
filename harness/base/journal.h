/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A journal: lines of text that are only appended. Each batch is forced to the disk before
 * journal_append() returns, so what is in the journal survives a kill, a crash and a full disk. A
 * last line that one of these cut off is ignored, and removed when the next lines are appended.
 *
 * A journal has one writer. Locks keep others away. Where a file system has none, a writer that
 * finds the file changed stops, so no two append to one journal. */
#ifndef COPRA_BASE_JOURNAL_H
#define COPRA_BASE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"

struct journal;

/* Keeps and reads an existing journal if `resume`; otherwise starts an empty one. */
int journal_open(struct journal **out, const char *path, bool resume, struct err *e);
void journal_close(struct journal *j); /* NULL allowed */

/* Returns the next of the lines found at opening, without its line end; NULL after the last.
 * *cursor starts at 0. Empty lines are left out. NULs, of which a crash can leave blocks, end a
 * line. */
const char *journal_next(struct journal *j, size_t *cursor);

/* Appends `text`, which consists of whole lines. ERR_IO if another process has written to the file
 * since it was opened or appended to. */
int journal_append(struct journal *j, const char *text, size_t length, struct err *e);

#endif
