/* Between results.c (what lies where) and results_json.c (what a file says). */
#ifndef COPRA_REPORT_RESULTS_PRIVATE_H
#define COPRA_REPORT_RESULTS_PRIVATE_H

#include "harness/report/results.h"

/* Each reads one kind of file into the set; only rows use the scale.
 *
 * Rows: benchmarks that an earlier file of the set has are left out. */
int results_read_rows(struct result_set *set, const char *path, const char *scale, struct err *e);
/* What a *.skipped.json lists. */
int results_read_skips(struct result_set *set, const char *path, const char *scale, struct err *e);
/* The numbers of a ceilings.json. */
int results_read_ceilings(struct result_set *set, const char *path, const char *scale,
			  struct err *e);

#endif
