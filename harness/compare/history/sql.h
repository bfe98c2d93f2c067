/* The history as an SQLite database, for questions of one's own. */
#ifndef COPRA_COMPARE_HISTORY_SQL_H
#define COPRA_COMPARE_HISTORY_SQL_H

#include <stdio.h>

#include "harness/compare/history/entries.h"

/* Writes the statements that make tables `run` (a line of the history) and `sample` in an empty
 * database; all in one transaction. */
int sql_write(FILE *out, const struct entries *all, struct err *e);

#endif
