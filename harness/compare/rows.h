/* Rows of Google Benchmark's JSON, as samples. */
#ifndef COPRA_COMPARE_ROWS_H
#define COPRA_COMPARE_ROWS_H

#include <jansson.h>

#include "harness/base/error.h"

/* Seconds of a row, or NaN where it is no measurement (an aggregate, an error, a skipped case). */
double row_seconds(const json_t *row);
const char *row_name(const json_t *row); /* run_name, or name; "" where it has none */

/* Calls found() once for every benchmark of a launch, with the fastest of its repetitions: what
 * slows a repetition down is mostly not the program (Chen and Revels, "Robust benchmarking in noisy
 * environments", 2016). How launches differ is the statistics' matter. */
int rows_of_launch(const json_t *document, int (*found)(void *ctx, json_t *row, struct err *e),
		   void *ctx, struct err *e);

/* A document with these rows (an array, whose reference it takes); one repetition a launch, so that
 * Google Benchmark's compare.py reads it as repetitions. */
json_t *rows_document(json_t *context, json_t *rows);
/* The row as the launch-th sample, in block `block` (-1: none). */
json_t *rows_sample(const json_t *row, int block, size_t launch);

int json_read(json_t **out, const char *path, struct err *e);
/* Atomically; takes no reference. */
int json_save(const json_t *value, const char *path, struct err *e);
/* Text member, "" where there is none. */
const char *json_text(const json_t *object, const char *key);

/* A regular expression that matches exactly these names. To be freed; NULL when memory is short. */
char *rows_filter(const char *const *names, size_t count);

#endif
