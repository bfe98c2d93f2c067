/* Is one build slower than another? Ranks of process launches, block by block.
 *
 * Launches of both builds come in blocks: a few of each, close in time, in an order drawn by lot
 * (session.h). What moves the whole machine (its clock, its temperature, its other users) moves a
 * block as a whole, so each value is first taken relative to the median of its block; then all are
 * ranked together and U counts, as Mann and Whitney's does, the pairs in which the new build is the
 * slower one. Its variance is that of dealing the labels again within each block, so that the test
 * holds whatever the noise is like: Hodges and Lehmann, "Rank methods for combination of
 * independent experiments in analysis of variance", Annals of Mathematical Statistics 33 (1962).
 * With all values in one block it is the plain test of Mann and Whitney. The ratio is the median
 * over all pairs (Hodges and Lehmann 1963), its interval the one of those that the test does not
 * refuse (Moses 1965). */
#ifndef COPRA_COMPARE_RANK_H
#define COPRA_COMPARE_RANK_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"

struct rank_value {
	double seconds; /* > 0 */
	int block;
	bool of_new;
};

/* of values that were not compared */
#define RANK_UNKNOWN                                                                               \
	{                                                                                          \
		.ratio = NAN, .high = INFINITY, .p = 1                                             \
	}
struct rank_result {
	size_t olds, news; /* values used; a block that lacks one of the builds is left out */
	double old_median, new_median; /* seconds, each build on its own */
	/* Typical seconds of both builds whose quotient is `ratio`: the median of all values, those
	 * of the new build divided by the ratio, and that median times the ratio. */
	double old_typical, new_typical;
	double ratio;     /* new / old: 1.05 is 5 % slower */
	double low, high; /* interval of the ratio at the level asked for */
	double p;         /* two-sided: that nothing but chance made them differ */
};

/* The values are reordered. ERR_USAGE where no block has both builds or a value is no time. */
int rank_compare(struct rank_value *values, size_t count, double level, struct rank_result *out,
		 struct err *e);

/* p-values of a family, each replaced by the least false-discovery rate at which it would count:
 * Benjamini and Hochberg, Journal of the Royal Statistical Society B 57 (1995). */
int rank_adjust(double *p, size_t count, struct err *e);

#endif
