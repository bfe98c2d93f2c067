/* The files that a run leaves: results, skipped cases, other formats, journal. */
#ifndef COPRA_BENCH_BENCH_OUTPUT_H
#define COPRA_BENCH_BENCH_OUTPUT_H

#include "harness/bench/bench_options.h"
#include "harness/base/journal.h"

/* FILE.json -> "FILE" + suffix; another ending is cut as well, so that bench.csv and bench.json
 * share bench.skipped.json. ERR_USAGE when too long. */
int bench_output_beside(char *path, size_t size, const char *out, const char *suffix,
			struct err *e);

/* Is `out` a file that can have others beside it, not /dev/stdout or a pipe? (Also for a folder's
 * name, which is then refused as a file.) */
bool bench_output_is_file(const char *out);

/* Before hours of measuring: can the file be written at all? Leaves what is there alone. */
int bench_output_check(const struct bench_options *o, struct err *e);

/* Writes everything asked for, each file whole or not at all. The first error is returned, the
 * other files are still written. */
int bench_output_write(const struct bench_options *o, const struct reporter_view *v, struct err *e);

#endif
