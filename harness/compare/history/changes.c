/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/compare/history/changes.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/rng.h"
#include "harness/base/stats.h"

const struct change_test change_test_default = {
	.level = 0.01, .permutations = 999, .least = 3, .seed = 1
};

/* Workspace for one series and its permutations. */
struct search {
	size_t n;
	double *x; /* scaled, to avoid cancellation in sums of distances */
	double *permuted;
	double *sums; /* sums of distances, (n + 1)^2 values: see fill_sums */
	size_t *edge; /* the first points of the segments found so far, and n */
	size_t edges;
	size_t least;
	struct rng rng;
};

struct split {
	double q; /* negative if there is no split */
	size_t at;
};

static double pairs(double n)
{
	return n * (n - 1) / 2;
}

/* Q of two adjacent segments with nx and ny points, from the sums of distances between the segments
 * and within each (Matteson and James, section 2.1). */
static double statistic(double between, double within_x, double nx, double within_y, double ny)
{
	double energy = 2 * between / (nx * ny) - within_x / pairs(nx) - within_y / pairs(ny);

	return nx * ny / (nx + ny) * energy;
}

/* sums[i][j]: the sum of the distances |x[a] - x[b]| over all a < i and b < j, so that the sum over
 * a rectangle of pairs takes four look-ups. */
static void fill_sums(double *sums, const double *x, size_t n)
{
	size_t width = n + 1;

	memset(sums, 0, width * sizeof(*sums));
	for (size_t i = 0; i < n; i++) {
		double row = 0;

		sums[(i + 1) * width] = 0;
		for (size_t j = 0; j < n; j++) {
			row += fabs(x[i] - x[j]);
			sums[(i + 1) * width + j + 1] = sums[i * width + j + 1] + row;
		}
	}
}

static double rectangle(const double *sums, size_t width, size_t i0, size_t i1, size_t j0,
			size_t j1)
{
	return sums[i1 * width + j1] - sums[i0 * width + j1] - sums[i1 * width + j0] +
	       sums[i0 * width + j0];
}

/* The best split of x[0..n): the values before `at` against those from `at` to some end. The end
 * need not be n, because a later change would hide this one. */
static struct split best_split(double *sums, const double *x, size_t n, size_t least)
{
	struct split best = { .q = -1 };
	size_t width = n + 1;

	if (n < 2 * least)
		return best;
	fill_sums(sums, x, n);
	for (size_t at = least; at + least <= n; at++) {
		double before = rectangle(sums, width, 0, at, 0, at) / 2;

		for (size_t end = at + least; end <= n; end++) {
			double q = statistic(
				rectangle(sums, width, 0, at, at, end), before, (double)at,
				rectangle(sums, width, at, end, at, end) / 2, (double)(end - at));
			if (q > best.q)
				best = (struct split){ .q = q, .at = at };
		}
	}
	return best;
}

/* The best split of any segment. */
static struct split best_of_all(struct search *s, const double *x)
{
	struct split best = { .q = -1 };

	for (size_t i = 0; i + 1 < s->edges; i++) {
		size_t first = s->edge[i];
		struct split one = best_split(s->sums, x + first, s->edge[i + 1] - first, s->least);

		if (one.q > best.q)
			best = (struct split){ .q = one.q, .at = first + one.at };
	}
	return best;
}

static void shuffle(double *x, size_t n, struct rng *rng)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = (size_t)rng_below(rng, i);
		double kept = x[i - 1];

		x[i - 1] = x[j];
		x[j] = kept;
	}
}

/* The p-value of `found`: the share of permutations, each within the segments, whose best split is
 * at least as good. Stops early once p exceeds the level. */
static double p_value(struct search *s, struct split found, const struct change_test *test)
{
	double all = test->permutations + 1;
	int as_good = 1;

	memcpy(s->permuted, s->x, s->n * sizeof(*s->x));
	for (int r = 0; r < test->permutations && as_good <= test->level * all; r++) {
		for (size_t i = 0; i + 1 < s->edges; i++)
			shuffle(s->permuted + s->edge[i], s->edge[i + 1] - s->edge[i], &s->rng);
		/* the margin is for rounding: sums depend slightly on the order of the values */
		as_good += best_of_all(s, s->permuted).q >= found.q * (1 - 1e-9);
	}
	return as_good / all;
}

static void insert(struct search *s, struct change *out, struct change new_one)
{
	size_t i = s->edges - 1; /* edge[i] will be the new edge, and out[i - 1] its change */

	for (; s->edge[i - 1] > new_one.at; i--) {
		s->edge[i] = s->edge[i - 1];
		out[i - 1] = out[i - 2];
	}
	s->edge[i] = new_one.at;
	out[i - 1] = new_one;
	s->edges++;
	s->edge[s->edges - 1] = s->n;
}

static void find_all(struct search *s, const struct change_test *test, struct change *out)
{
	for (;;) {
		struct split found = best_of_all(s, s->x);
		struct change c = { .at = found.at };

		if (found.q <= 0)
			return;
		c.p = p_value(s, found, test);
		if (c.p > test->level)
			return;
		insert(s, out, c);
	}
}

static int check(const double *x, size_t n, const struct change_test *test, struct err *e)
{
	if (test->least < 2 || test->permutations < 1 || !(test->level > 0 && test->level < 1))
		return err_set(e, ERR_USAGE, "change points: invalid parameters of the test");
	for (size_t i = 0; i < n; i++)
		if (!isfinite(x[i]))
			return err_set(e, ERR_INPUT, "change points: value %zu is not finite", i);
	return 0;
}

/* Scales the values to [-1, 1] around the first one. False if all values are equal. */
static bool scale(double *to, const double *x, size_t n)
{
	double most = 0;

	for (size_t i = 0; i < n; i++)
		most = fmax(most, fabs(x[i] - x[0]));
	for (size_t i = 0; i < n && most > 0; i++)
		to[i] = (x[i] - x[0]) / most;
	return most > 0 && isfinite(most);
}

size_t change_points_needed(const struct change_test *test)
{
	size_t n = 2 * test->least;

	while (stat_least_p(n / 2, n - n / 2) > test->level)
		n++;
	return n;
}

int change_points(const double *x, size_t n, const struct change_test *test, struct change *out,
		  size_t *count, struct err *e)
{
	struct search s = {
		.n = n, .edges = 2, .least = test->least, .rng = rng_seeded(test->seed)
	};
	int status = check(x, n, test, e);

	*count = 0;
	if (status || n < 2 * test->least)
		return status;
	s.x = calloc(2 * n, sizeof(*s.x));
	s.sums = calloc(n + 1, (n + 1) * sizeof(*s.sums));
	s.edge = calloc(n + 2, sizeof(*s.edge));
	if (!s.x || !s.sums || !s.edge) {
		status = err_set(e, ERR_MEMORY, "no memory for the changes of %zu points", n);
	} else if (scale(s.x, x, n)) {
		s.permuted = s.x + n;
		s.edge[1] = n;
		find_all(&s, test, out);
		*count = s.edges - 2;
	}
	free(s.x);
	free(s.sums);
	free(s.edge);
	return status;
}
