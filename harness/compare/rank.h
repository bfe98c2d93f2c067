/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Tests whether one build is slower than another, from the ranks of process launches.
 *
 * Launches of both builds come in blocks: a few of each, close in time, in randomised order
 * (gate.h). Whatever affects the whole machine (clock, temperature, other users) affects a block as
 * a whole. So each value is first taken relative to the median of its block. Then all values are
 * ranked together and U counts, as in the test of Mann and Whitney, the pairs in which the new
 * build is the slower one. The variance of U is that of permuting the labels within each block, so
 * the test is valid for any distribution of the noise: Hodges and Lehmann, "Rank methods for
 * combination of independent experiments in analysis of variance", Annals of Mathematical
 * Statistics 33 (1962). With all values in one block it is the plain Mann-Whitney test. The ratio
 * is the median over all pairs (Hodges and Lehmann 1963). Its confidence interval contains the
 * ratios that the test does not reject (Moses 1965). */
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

/* The result before any comparison. */
#define RANK_UNKNOWN                                                                               \
	{                                                                                          \
		.ratio = NAN, .high = INFINITY, .p = 1                                             \
	}
struct rank_result {
	size_t olds, news; /* values used; blocks that lack one of the builds are left out */
	double old_median, new_median; /* seconds, each build on its own */
	/* Typical times of both builds, in seconds, whose quotient is `ratio`. old_typical is the
	 * median of all values after those of the new build are divided by the ratio; new_typical
	 * is that median times the ratio. */
	double old_typical, new_typical;
	double ratio;     /* new / old: 1.05 is 5 % slower */
	double low, high; /* confidence interval of the ratio */
	double p;         /* two-sided p-value of the hypothesis that the builds are equally fast */
};

/* Compares the builds; `level` is the confidence level of the interval, for example 0.99. Reorders
 * the values. ERR_USAGE if no block has both builds or a value is not a positive, finite time. */
int rank_compare(struct rank_value *values, size_t count, double level, struct rank_result *out,
		 struct err *e);

/* Replaces each p-value of a family by the lowest false-discovery rate at which it is rejected:
 * Benjamini and Hochberg, Journal of the Royal Statistical Society B 57 (1995). */
int rank_adjust(double *p, size_t count, struct err *e);

#endif
