/* A journal: lines of text that are only ever appended, each batch forced to the disk before
 * journal_append() returns. What is in it survives a kill, a crash and a full disk; a last line
 * that was cut off by one of these is passed over, and cut when the journal next gets lines. */
#ifndef COPRA_BASE_JOURNAL_H
#define COPRA_BASE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"

struct journal;

/* With `resume`, keeps and reads what is there; else starts an empty one. */
int journal_open(struct journal **out, const char *path, bool resume, struct err *e);
void journal_close(struct journal *j); /* NULL allowed */

/* The lines found when it was opened, without their ends; NULL after the last. *cursor starts 0. */
const char *journal_next(struct journal *j, size_t *cursor);

/* `text` is whole lines. */
int journal_append(struct journal *j, const char *text, size_t length, struct err *e);

#endif
