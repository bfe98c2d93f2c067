/* Rooflines: each row with a floor (peaks.h), as the share of the machine's ceiling that it
 * reached. The least time that its work can take there lies across, the share upwards; a launch's
 * latency is the slanting roof on the left, 100 % the flat one. */
#ifndef COPRA_REPORT_ROOFLINE_H
#define COPRA_REPORT_ROOFLINE_H

#include "harness/report/bench_name.h"
#include "harness/report/study.h"

struct roof_point {
	size_t bench;        /* index in the set */
	double floor, share; /* seconds; 1 = the ceiling */
	enum variant variant;
	char ceiling[24]; /* the one that decides: "gpu_copy" */
};

struct roofline {
	size_t count;
	struct roof_point *point;
	double launch; /* seconds, 0 where it is not known */
};

int roofline_find(struct roofline *r, const struct result_set *set, struct err *e);
/* How many rows lie above their ceiling, of those whose ceiling is one of bytes, and of the others.
 */
void roofline_above(const struct roofline *r, size_t *bytes, size_t *others);
void roofline_free(struct roofline *r);

/* gnuplot data, a block a variant, and the script that draws it into `svg`. */
void roofline_data(const struct roofline *r, struct text *out);
void roofline_script(const struct roofline *r, const char *plots, const char *data, const char *svg,
		     const char *title, struct text *out);

#endif
