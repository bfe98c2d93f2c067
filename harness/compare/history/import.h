/* Result files (Google Benchmark JSON, as bench and reproduce write) into the history. */
#ifndef COPRA_COMPARE_HISTORY_IMPORT_H
#define COPRA_COMPARE_HISTORY_IMPORT_H

#include <stddef.h>

#include "harness/base/error.h"

struct result_file; /* harness/report/data/results.h */
struct history_run; /* ../history.h */

/* What the context of a result file says of its run; texts point into the file. The caller adds
 * source and sampling. */
void import_run(struct history_run *run, const struct result_file *file);

/* Appends every benchmark of the result file `path` that `history` lacks; its samples are the
 * repetitions. *added: how many lines. Times of zero, and builds with a sanitizer, have no place in
 * a history: the first are left out, the second are ERR_INPUT. */
int import_file(const char *history, const char *path, const char *source, const char *sampling,
		size_t *added, struct err *e);

#endif
