/* Whole processes, timed by hyperfine, as rows of a result file: other people's solvers, and our
 * programs from their start to their end. */
#ifndef COPRA_REPORT_COMPARATOR_H
#define COPRA_REPORT_COMPARATOR_H

#include <stdbool.h>

#include "harness/base/error.h"

struct comparator {
	const char *out;       /* the result file, made if missing */
	const char *benchmark; /* what the rows are called; rows of the same name are replaced */
	const char *label;     /* the command that was timed */
	/* What tells one build from another, where the program is one of ours: rows of another
	 * build do not stay in the file. NULL for other people's. */
	const char *identity;
};

/* Reads hyperfine's --export-json of one command and adds its runs, one row each. */
int comparator_add(const struct comparator *c, const char *hyperfine, struct err *e);
/* Is the benchmark in the file, by this build? */
int comparator_has(const struct comparator *c, bool *has, struct err *e);

#endif
