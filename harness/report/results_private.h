/* Between results.c (what lies where) and results_json.c (what a file says). */
#ifndef COPRA_REPORT_RESULTS_PRIVATE_H
#define COPRA_REPORT_RESULTS_PRIVATE_H

#include "results.h"

/* Adds the rows of one result file to the set; benchmarks that an earlier file of the set has are
 * left out. */
int results_read_rows(struct result_set *set, const char *path, const char *scale, struct err *e);
/* Adds what a *.skipped.json lists. A missing file lists nothing. */
int results_read_skips(struct result_set *set, const char *path, struct err *e);

#endif
