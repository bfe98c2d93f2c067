/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/compare/rank.h"

#include <math.h>
#include <stdlib.h>

#include "harness/base/checked.h"
#include "harness/base/stats.h"

/* One value while it is ranked. */
struct item {
	double aligned; /* log seconds minus the median of its block */
	double rank;
	int block;
	bool of_new;
};

static int by_block(const void *a, const void *b)
{
	const struct rank_value *x = a, *y = b;

	return (x->block > y->block) - (x->block < y->block);
}

static int by_aligned(const void *a, const void *b)
{
	double x = ((const struct item *)a)->aligned, y = ((const struct item *)b)->aligned;

	return (x > y) - (x < y);
}

static int item_by_block(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return (x->block > y->block) - (x->block < y->block);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static size_t end_of_block(const struct rank_value *v, size_t first, size_t count)
{
	size_t last = first;

	while (last < count && v[last].block == v[first].block)
		last++;
	return last;
}

/* Stores the aligned values of the blocks that have both builds and returns their number. `room`
 * is scratch for the logarithms of one block. */
static size_t align(const struct rank_value *v, size_t count, struct item *items, double *room)
{
	size_t used = 0;

	for (size_t first = 0, last; first < count; first = last) {
		size_t news = 0;
		double centre;

		last = end_of_block(v, first, count);
		for (size_t i = first; i < last; i++) {
			room[i - first] = log(v[i].seconds);
			news += v[i].of_new;
		}
		if (news == 0 || news == last - first)
			continue;
		centre = stat_median(room, last - first);
		for (size_t i = first; i < last; i++)
			items[used++] = (struct item){ .aligned = room[i - first] - centre,
						       .block = v[i].block,
						       .of_new = v[i].of_new };
	}
	return used;
}

/* Sets the mid-ranks. Leaves the items sorted by block. */
static void rank(struct item *items, size_t count)
{
	qsort(items, count, sizeof(*items), by_aligned);
	for (size_t first = 0, last; first < count; first = last) {
		for (last = first; last < count && items[last].aligned == items[first].aligned;)
			last++;
		for (size_t i = first; i < last; i++)
			items[i].rank = 0.5 * ((double)first + 1 + (double)last);
	}
	qsort(items, count, sizeof(*items), item_by_block);
}

/* The sum of the new build's ranks: its difference from the expectation, and its variance under
 * permutation of the labels within each block. */
static void rank_sum(const struct item *items, size_t count, double *excess, double *variance)
{
	*excess = *variance = 0;
	for (size_t first = 0, last; first < count; first = last) {
		double news = 0, n, mean = 0, squares = 0, sum = 0;

		for (last = first; last < count && items[last].block == items[first].block; last++)
			mean += items[last].rank;
		n = (double)(last - first);
		mean /= n;
		for (size_t i = first; i < last; i++) {
			double d = items[i].rank - mean;

			squares += d * d;
			sum += items[i].of_new ? d : 0;
			news += items[i].of_new;
		}
		*excess += sum;
		*variance += news * (n - news) / (n * (n - 1)) * squares;
	}
}

static double p_value(double excess, double variance)
{
	double distance = fabs(excess) - 0.5; /* continuity correction */

	if (!(variance > 0) || distance <= 0)
		return 1;
	return fmin(1, 2 * stat_normal_cdf(-distance / sqrt(variance)));
}

/* All differences new - old, ascending. The caller frees them. */
static double *differences(const struct item *items, size_t count, size_t pairs)
{
	double *d = malloc(pairs * sizeof(*d));
	size_t n = 0;

	for (size_t i = 0; d && i < count; i++)
		for (size_t j = 0; j < count && items[i].of_new; j++)
			if (!items[j].of_new)
				d[n++] = items[i].aligned - items[j].aligned;
	if (d)
		qsort(d, n, sizeof(*d), ascending);
	return d;
}

/* The interval uses the variance of the ranks after the estimated shift is removed. Otherwise the
 * difference to be measured would itself inflate the variance. */
static void set_interval(struct item *items, size_t count, const double *d, size_t pairs,
			 double level, struct rank_result *out)
{
	double shift = log(out->ratio), excess, variance, least, z;
	size_t cut;

	for (size_t i = 0; i < count; i++)
		items[i].aligned -= items[i].of_new ? shift : 0;
	rank(items, count);
	rank_sum(items, count, &excess, &variance);
	z = stat_normal_quantile(0.5 + level / 2);
	least = 0.5 * (double)pairs - z * sqrt(variance);
	cut = least > 1 ? (size_t)least : 0;
	out->low = exp(d[cut]);
	out->high = exp(d[pairs - 1 - cut]);
	if (least < 1) /* too few values for the level: the interval is open */
		out->low = 0, out->high = INFINITY;
}

static int estimate(struct item *items, size_t count, double level, struct rank_result *out,
		    struct err *e)
{
	size_t pairs;
	double *d;

	if (!checked_mul_size(out->olds, out->news, &pairs) || pairs > SIZE_MAX / sizeof(*d))
		return err_set(e, ERR_MEMORY, "too many samples to compare");
	d = differences(items, count, pairs);
	if (!d)
		return err_set(e, ERR_MEMORY, "no memory to compare %zu samples", count);
	out->ratio = exp(0.5 * (d[(pairs - 1) / 2] + d[pairs / 2]));
	set_interval(items, count, d, pairs, level, out);
	free(d);
	return 0;
}

/* For a single block: the exact distribution if the samples are small. */
static int plain_p_value(const struct item *items, size_t count, double *room, double *p,
			 struct err *e)
{
	struct stat_rank_test test;
	size_t news = 0, olds = 0;
	int status;

	for (size_t i = 0; i < count; i++)
		if (items[i].of_new)
			room[news++] = items[i].aligned;
	for (size_t i = 0; i < count; i++)
		if (!items[i].of_new)
			room[news + olds++] = items[i].aligned;
	status = stat_mann_whitney(room, news, room + news, olds, &test, e);
	*p = status ? 1 : test.p;
	return status;
}

static void set_medians(const struct rank_value *v, size_t count, double *room,
			struct rank_result *out)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (v[i].of_new)
			room[n++] = v[i].seconds;
	out->new_median = stat_median(room, n);
	n = 0;
	for (size_t i = 0; i < count; i++)
		if (!v[i].of_new)
			room[n++] = v[i].seconds;
	out->old_median = stat_median(room, n);
}

static void set_typical(const struct rank_value *v, size_t count, double *room,
			struct rank_result *out)
{
	for (size_t i = 0; i < count; i++)
		room[i] = v[i].seconds / (v[i].of_new ? out->ratio : 1);
	out->old_typical = stat_median(room, count);
	out->new_typical = out->old_typical * out->ratio;
}

static int compare(struct item *items, size_t count, double *room, double level,
		   struct rank_result *out, struct err *e)
{
	double excess, variance;
	int status = 0;

	for (size_t i = 0; i < count; i++)
		out->news += items[i].of_new;
	out->olds = count - out->news;
	if (count == 0)
		return err_set(e, ERR_USAGE, "no block of launches has both builds");
	rank(items, count);
	rank_sum(items, count, &excess, &variance);
	out->p = p_value(excess, variance);
	if (items[0].block == items[count - 1].block)
		status = plain_p_value(items, count, room, &out->p, e);
	return status ? status : estimate(items, count, level, out, e);
}

int rank_compare(struct rank_value *values, size_t count, double level, struct rank_result *out,
		 struct err *e)
{
	struct item *items;
	double *room;
	int status = 0;

	*out = (struct rank_result){ .ratio = 1, .high = INFINITY, .p = 1 };
	if (count == 0)
		return err_set(e, ERR_USAGE, "no samples to compare");
	for (size_t i = 0; i < count; i++)
		if (!isfinite(values[i].seconds) || values[i].seconds <= 0)
			return err_set(e, ERR_USAGE, "a sample is not a positive time");
	items = calloc(count + 1, sizeof(*items));
	room = calloc(count + 1, sizeof(*room));
	if (!items || !room)
		status = err_set(e, ERR_MEMORY, "no memory to compare %zu samples", count);
	if (status == 0) {
		qsort(values, count, sizeof(*values), by_block);
		set_medians(values, count, room, out);
		status = compare(items, align(values, count, items, room), room, level, out, e);
	}
	if (status == 0)
		set_typical(values, count, room, out);
	free(items);
	free(room);
	return status;
}

struct placed {
	double p;
	size_t at;
};

static int by_p(const void *a, const void *b)
{
	double x = ((const struct placed *)a)->p, y = ((const struct placed *)b)->p;

	return (x > y) - (x < y);
}

int rank_adjust(double *p, size_t count, struct err *e)
{
	struct placed *order = malloc((count + 1) * sizeof(*order));
	double least = 1;

	if (!order)
		return err_set(e, ERR_MEMORY, "no memory for a family of %zu", count);
	for (size_t i = 0; i < count; i++)
		order[i] = (struct placed){ p[i], i };
	qsort(order, count, sizeof(*order), by_p);
	for (size_t i = count; i-- > 0;) {
		least = fmin(least, order[i].p * (double)count / (double)(i + 1));
		p[order[i].at] = least;
	}
	free(order);
	return 0;
}
