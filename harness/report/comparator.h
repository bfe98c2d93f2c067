/* Other people's solvers, timed by hyperfine, as rows of a result file. */
#ifndef COPRA_REPORT_COMPARATOR_H
#define COPRA_REPORT_COMPARATOR_H

#include "../error.h"

/* Reads hyperfine's --export-json of one command and puts its runs, one row each, named `benchmark`
 * and labelled `label`, into the result file `out` (made if missing; rows of the same name are
 * replaced). The times are of whole processes: start, reading the instance, solving. */
int comparator_add(const char *out, const char *hyperfine, const char *benchmark, const char *label,
		   struct err *e);

#endif
