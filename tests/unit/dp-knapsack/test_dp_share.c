/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The paper's load balancing on plain arrays: stale cells hold poison, and the exchanged cells are
 * compared with those that a device reads and does not own. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/dp-knapsack/share.h"
#include "harness/base/rng.h"

enum { CELLS = 200, ITEMS = 40, STALE = INT_MIN };

struct device {
	int in[CELLS], out[CELLS];
};

static bool inside(struct dp_range r, int64_t c)
{
	return r.from <= c && c < r.to;
}

static bool in_list(const struct dp_range *list, int count, int64_t c)
{
	for (int i = 0; i < count; i++)
		if (inside(list[i], c))
			return true;
	return false;
}

static void check_list(const struct dp_range *list, int count)
{
	assert_in_range(count, 0, DP_SHARE_RANGES);
	for (int i = 0; i < count; i++) {
		assert_true(list[i].from < list[i].to);
		if (i > 0)
			assert_true(list[i - 1].to < list[i].from);
	}
}

static void exchange(struct device *d, const struct dp_share *prev, const struct dp_share *next)
{
	int cpu[CELLS];
	struct dp_range range[DP_SHARE_RANGES];
	for (int c = 0; c < CELLS; c++)
		cpu[c] = STALE;
	for (int gpu = 0; gpu < next->gpus; gpu++) {
		int count = dp_share_sent(prev, next, gpu, range);
		check_list(range, count);
		for (int64_t c = 0; c <= next->capacity; c++)
			if (in_list(range, count, c)) {
				assert_true(inside(dp_share_owned(prev, gpu), c));
				cpu[c] = d[gpu].in[c];
			}
	}
	for (int gpu = 0; gpu < next->gpus; gpu++) {
		int count = dp_share_received(prev, next, gpu, range);
		check_list(range, count);
		struct dp_range computed = dp_share_computed(next, gpu);
		struct dp_range own = dp_share_owned(next, gpu);
		for (int64_t c = 0; c <= next->capacity; c++) {
			bool reads = inside(own, c) || inside(computed, c + next->weight);
			bool missing = reads && !inside(dp_share_owned(prev, gpu), c);
			assert_int_equal(in_list(range, count, c), missing);
			if (missing) {
				assert_int_not_equal(cpu[c], STALE);
				d[gpu].in[c] = cpu[c];
			}
		}
	}
}

static void compute(struct device *d, const struct dp_share *p, int gpu, int profit)
{
	struct dp_range own = dp_share_owned(p, gpu), computed = dp_share_computed(p, gpu);
	for (int64_t c = 0; c <= p->capacity; c++)
		d->out[c] = STALE;
	for (int64_t c = own.from; c < own.to; c++) {
		assert_int_not_equal(d->in[c], STALE);
		d->out[c] = d->in[c];
		if (!inside(computed, c))
			continue;
		assert_true(c >= p->weight);
		int with = d->in[c - p->weight];
		assert_int_not_equal(with, STALE);
		if (d->out[c] < with + profit)
			d->out[c] = with + profit;
	}
	memcpy(d->in, d->out, sizeof(d->in));
}

/* Each live cell has one owner. */
static void check_owners(const struct dp_share *p)
{
	for (int64_t c = 0; c <= p->capacity; c++) {
		int owners = 0;
		for (int gpu = 0; gpu < p->gpus; gpu++)
			owners += inside(dp_share_owned(p, gpu), c);
		assert_int_equal(owners, c >= p->first);
	}
}

static int plain(int n, int capacity, const int *weight, const int *profit)
{
	int f[CELLS] = { 0 };
	for (int k = 0; k < n; k++)
		for (int c = capacity; c >= weight[k]; c--)
			if (f[c - weight[k]] + profit[k] > f[c])
				f[c] = f[c - weight[k]] + profit[k];
	return f[capacity];
}

static void run(int gpus, int n, int capacity, const int *weight, const int *profit)
{
	static struct device d[DEV_MAX];
	struct dp_share plan, next;
	int64_t after = 0;
	for (int k = 0; k < n; k++)
		after += weight[k];
	memset(d, 0, sizeof(d));
	dp_share_start(&plan, gpus, capacity);
	for (int k = 0; k < n; k++) {
		after -= weight[k];
		if (!dp_share_step(&next, gpus, capacity, weight[k], after)) {
			assert_true(weight[k] > capacity);
			continue;
		}
		check_owners(&next);
		if (plan.everywhere)
			for (int gpu = 0; gpu < gpus; gpu++) {
				struct dp_range none[DP_SHARE_RANGES];
				assert_int_equal(dp_share_received(&plan, &next, gpu, none), 0);
			}
		else
			exchange(d, &plan, &next);
		for (int gpu = 0; gpu < gpus; gpu++)
			compute(&d[gpu], &next, gpu, profit[k]);
		plan = next;
	}
	assert_int_equal(d[dp_share_last_owner(&plan)].in[capacity],
			 plain(n, capacity, weight, profit));
}

static void exchanges_are_exactly_the_missing_cells(void **state)
{
	(void)state;
	struct rng r = rng_seeded(7);
	for (int trial = 0; trial < 400; trial++) {
		int weight[ITEMS], profit[ITEMS];
		int n = (int)rng_between(&r, 1, ITEMS);
		int capacity = (int)rng_between(&r, 0, CELLS - 1);
		int heaviest = (int)rng_between(&r, 1, trial % 3 ? 20 : 2 * CELLS);
		for (int k = 0; k < n; k++) {
			weight[k] = trial % 5 ? (int)rng_between(&r, 0, heaviest) : heaviest;
			profit[k] = (int)rng_between(&r, 0, 100);
		}
		run(1 + trial % 7, n, capacity, weight, profit);
	}
}

static void shares_are_those_of_the_paper(void **state)
{
	(void)state;
	struct dp_share p;
	/* C = 100, w_k = 7, 60 to come: L_k = c_k = 40, dT = ceil(61 / 4) = 16 */
	assert_true(dp_share_step(&p, 4, 100, 7, 60));
	assert_int_equal(p.c_k, 40);
	assert_int_equal(p.per_gpu, 16);
	assert_int_equal(dp_share_computed(&p, 0).from, 40);
	assert_int_equal(dp_share_computed(&p, 0).to, 56);
	assert_int_equal(dp_share_computed(&p, 3).from, 88);
	assert_int_equal(dp_share_computed(&p, 3).to, 101);
	/* nothing dead yet: GPU 1 also carries [0, 7) */
	assert_true(dp_share_step(&p, 2, 100, 7, 500));
	assert_int_equal(p.c_k, 7);
	assert_int_equal(dp_share_owned(&p, 0).from, 0);
	assert_int_equal(dp_share_computed(&p, 0).from, 7);
	assert_false(dp_share_step(&p, 2, 100, 101, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_are_those_of_the_paper),
		cmocka_unit_test(exchanges_are_exactly_the_missing_cells),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
