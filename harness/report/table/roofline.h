/* Roofline plots. Each row that has a lower bound on its time is a point: the horizontal axis is
 * the lower bound, and the vertical axis is the share of the machine's peak rate that the row
 * reached. The launch latency is the slanted roof on the left; 100 % is the flat roof. */
#ifndef COPRA_REPORT_TABLE_ROOFLINE_H
#define COPRA_REPORT_TABLE_ROOFLINE_H

#include "harness/report/data/names.h"
#include "harness/report/data/results.h"

struct roof_point {
	size_t bench; /* index in the set */
	double bound; /* lower bound on the time, in seconds */
	double share; /* of the peak rate; 1 means that the row reached it */
	enum variant variant;
	char peak[24]; /* the peak rate that the bound comes from: "gpu_copy" */
};

struct roofline {
	size_t count;
	struct roof_point *point;
	double launch; /* launch latency in seconds, 0 if unknown */
};

/* Finds the rows of a set that have a lower bound. Fails only if memory runs out. */
int roofline_find(struct roofline *r, const struct result_set *set, struct err *e);
/* Counts the rows with a share above 1: those whose peak rate counts bytes, and the others. */
void roofline_above(const struct roofline *r, size_t *bytes, size_t *others);
void roofline_free(struct roofline *r);

/* Append the gnuplot data, one block per variant, and the script that draws the file `data` into
 * `svg` with plots/roofline.gp from the folder `plots`. */
void roofline_data(const struct roofline *r, struct text *out);
void roofline_script(const struct roofline *r, const char *plots, const char *data, const char *svg,
		     const char *title, struct text *out);

#endif
