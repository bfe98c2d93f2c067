/* Roofline plots. Each row that has a lower bound on its time is a point: the horizontal axis is
 * the lower bound, and the vertical axis is the share of the machine's peak rate that the row
 * reached. The launch latency is the slanted roof on the left; 100 % is the flat roof. */
#ifndef COPRA_REPORT_TABLE_ROOFLINE_H
#define COPRA_REPORT_TABLE_ROOFLINE_H

#include "harness/report/data/results.h"
#include "harness/report/table/tables.h"

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
	/* the rows with a share above 1: those whose peak rate counts bytes, and the others */
	size_t above_bytes, above_others;
};

/* Finds the rows of a set that have a lower bound. Fails only if memory runs out. */
int roofline_find(struct roofline *r, const struct result_set *set, struct err *e);
void roofline_free(struct roofline *r);

/* Appends the gnuplot data, one block per variant, and the script that draws them with
 * plots/roofline.gp. */
void roofline_plot(const struct roofline *r, const struct plot_paths *paths, struct text *data,
		   struct text *script);

#endif
