/* A whole comparison: of two builds, or of two result files.
 *
 * Both functions print the table and write the files. They return 0, or ERR_FAILED with a message
 * if a benchmark is slower or fails in the new build. */
#ifndef COPRA_COMPARE_COMPARISON_H
#define COPRA_COMPARE_COMPARISON_H

#include "harness/compare/settings.h"

int compare_builds(struct settings *s, const struct environment *env,
		   const volatile sig_atomic_t *stop, struct err *e);
int compare_files(struct settings *s, struct err *e);

#endif
