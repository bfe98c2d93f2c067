/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Flowshop bounds against plain computations: all orders of the unscheduled jobs, and bounds by
 * their definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/base/rng.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"

enum { MOST_JOBS = 64, MOST_MACHINES = 20 };

/* A node and the values for its bounds, from the instance by definition. */
struct node {
	const struct flowshop *f;
	int prefix[MOST_JOBS], rest[MOST_JOBS], suffix[MOST_JOBS]; /* in the order of processing */
	int prefixes, suffixes, rests;
	uint8_t left[MOST_JOBS];
	uint64_t set;
	int32_t front[MOST_MACHINES], back[MOST_MACHINES], rem[MOST_MACHINES];
};

static int32_t at(const struct flowshop *f, int job, int machine)
{
	return f->time[machine * f->jobs + job];
}

static int32_t larger(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

/* Sum of a job's times on machines from..to-1. */
static int32_t stretch(const struct flowshop *f, int job, int from, int to)
{
	int32_t sum = 0;

	for (int k = from; k < to; k++)
		sum += at(f, job, k);
	return sum;
}

static void define_front(struct node *x)
{
	const struct flowshop *f = x->f;

	for (int k = 0; k < f->machines; k++) {
		x->front[k] = x->prefixes ? 0 : INT32_MAX;
		for (int j = 0; j < f->jobs && !x->prefixes; j++)
			if (stretch(f, j, 0, k) < x->front[k])
				x->front[k] = stretch(f, j, 0, k);
	}
	for (int i = 0; i < x->prefixes; i++)
		for (int k = 0; k < f->machines; k++)
			x->front[k] = larger(x->front[k], k ? x->front[k - 1] : 0) +
				      at(f, x->prefix[i], k);
}

static void define_back(struct node *x)
{
	const struct flowshop *f = x->f;
	int m = f->machines;

	for (int k = 0; k < m; k++) {
		x->back[k] = x->suffixes ? 0 : INT32_MAX;
		for (int j = 0; j < f->jobs && !x->suffixes; j++)
			if (stretch(f, j, k + 1, m) < x->back[k])
				x->back[k] = stretch(f, j, k + 1, m);
	}
	for (int i = x->suffixes - 1; i >= 0; i--)
		for (int k = m - 1; k >= 0; k--)
			x->back[k] = larger(x->back[k], k < m - 1 ? x->back[k + 1] : 0) +
				     at(f, x->suffix[i], k);
}

static void define(struct node *x)
{
	memset(x->left, 0, sizeof(x->left));
	memset(x->rem, 0, sizeof(x->rem));
	x->set = 0;
	for (int i = 0; i < x->rests; i++) {
		x->left[x->rest[i]] = 1;
		x->set |= UINT64_C(1) << x->rest[i];
		for (int k = 0; k < x->f->machines; k++)
			x->rem[k] += at(x->f, x->rest[i], k);
	}
	define_front(x);
	define_back(x);
}

static void draw_node(struct node *x, const struct flowshop *f, struct rng *r, bool forward)
{
	int order[MOST_JOBS], n = f->jobs;

	for (int i = 0; i < n; i++) {
		int j = (int)rng_below(r, (uint64_t)i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	*x = (struct node){ .f = f };
	x->prefixes = (int)rng_below(r, (uint64_t)n + 1);
	x->suffixes = forward ? 0 : (int)rng_below(r, (uint64_t)(n - x->prefixes) + 1);
	x->rests = n - x->prefixes - x->suffixes;
	memcpy(x->prefix, order, (size_t)x->prefixes * sizeof(*order));
	memcpy(x->rest, order + x->prefixes, (size_t)x->rests * sizeof(*order));
	memcpy(x->suffix, order + n - x->suffixes, (size_t)x->suffixes * sizeof(*order));
	define(x);
}

static struct flowshop draw_instance(struct rng *r, int most_jobs, int t)
{
	struct flowshop f;
	struct err e = { 0 };
	int jobs = (int)rng_between(r, 1, most_jobs), machines = (int)rng_between(r, 1, 6);
	/* small times make ties, large ones use all 31 bits */
	const int most_time[] = { 4, 99, INT32_MAX / (jobs * machines) };
	char name[64];

	snprintf(name, sizeof(name), "random:%dx%d:%d:%d", jobs, machines, most_time[t % 3], t);
	if (flowshop_load(&f, name, &e))
		fail_msg("%s", e.text);
	return f;
}

static void make_tables(struct fsp_tables *t, const struct flowshop *f, enum fsp_pairs pairs)
{
	struct err e = { 0 };

	if (fsp_tables_make(t, f, pairs, &e))
		fail_msg("%s", e.text);
}

/* ---- minima over all orders of x->rest ---- */

typedef int64_t order_value(const struct node *x, int u, int v);

static int64_t least(struct node *x, int fixed, order_value *value, int u, int v)
{
	int64_t best = INT64_MAX;

	if (fixed == x->rests)
		return value(x, u, v);
	for (int i = fixed; i < x->rests; i++) {
		int here = x->rest[fixed], there = x->rest[i];
		int64_t y;

		x->rest[fixed] = there;
		x->rest[i] = here;
		y = least(x, fixed + 1, value, u, v);
		best = y < best ? y : best;
		x->rest[fixed] = here;
		x->rest[i] = there;
	}
	return best;
}

/* Only the two machines; every job is delayed by its lag between them. */
static int64_t pair_value(const struct node *x, int u, int v)
{
	int32_t t0 = x->front[u], t1 = x->front[v];

	for (int i = 0; i < x->rests; i++) {
		t0 += at(x->f, x->rest[i], u);
		t1 = larger(t1, t0 + stretch(x->f, x->rest[i], u + 1, v)) + at(x->f, x->rest[i], v);
	}
	return larger(t0 + x->back[u], t1 + x->back[v]);
}

static int64_t whole_value(const struct node *x, int u, int v)
{
	int64_t order[MOST_JOBS];
	int n = 0;

	(void)u;
	(void)v;
	for (int i = 0; i < x->prefixes; i++)
		order[n++] = x->prefix[i];
	for (int i = 0; i < x->rests; i++)
		order[n++] = x->rest[i];
	for (int i = 0; i < x->suffixes; i++)
		order[n++] = x->suffix[i];
	return flowshop_makespan(x->f, order);
}

static int32_t lb1(const struct node *x)
{
	return fsp_lb1(x->front, x->rem, x->back, x->f->machines);
}

static int32_t lb2(const struct node *x, const struct fsp_tables *t, int32_t stop_at)
{
	return fsp_lb2(t, x->front, x->rem, x->back, x->left, stop_at);
}

static void bounds_match_plain_definitions(void **state)
{
	struct rng r = rng_seeded(1);

	(void)state;
	for (int t = 0; t < 400; t++) {
		struct flowshop f = draw_instance(&r, 6, t);
		struct fsp_tables tables;
		struct node x;
		int64_t one = 0, most = 0;

		make_tables(&tables, &f, FSP_ALL_PAIRS);
		draw_node(&x, &f, &r, false);
		for (int k = 0; k < f.machines; k++)
			one = larger((int32_t)one, x.front[k] + x.rem[k] + x.back[k]);
		assert_int_equal(lb1(&x), one);
		for (int i = 0; i < tables.pairs; i++) {
			int u = tables.pair_u[i], v = tables.pair_v[i];
			int64_t value = least(&x, 0, pair_value, u, v);

			assert_true(u >= 0 && u < v && v < f.machines);
			assert_int_equal(fsp_lb2_pair(&tables, i, x.front, x.back, x.left), value);
			most = value > most ? value : most;
		}
		assert_int_equal(lb2(&x, &tables, INT32_MAX), tables.pairs ? most : one);
		fsp_tables_free(&tables);
		flowshop_free(&f);
	}
}

static void bounds_never_exceed_a_completion(void **state)
{
	struct rng r = rng_seeded(2);
	int exact = 0;

	(void)state;
	for (int t = 0; t < 400; t++) {
		struct flowshop f = draw_instance(&r, 7, t);
		int64_t optimum, weaker;
		struct node x;

		draw_node(&x, &f, &r, t % 2);
		optimum = least(&x, 0, whole_value, 0, 0);
		weaker = lb1(&x);
		for (int pairs = FSP_ADJACENT_PAIRS; pairs >= FSP_ALL_PAIRS; pairs--) {
			struct fsp_tables tables;
			int64_t bound;

			make_tables(&tables, &f, (enum fsp_pairs)pairs);
			bound = lb2(&x, &tables, INT32_MAX);
			assert_true(bound <= optimum);
			if (x.rests == 0)
				assert_int_equal(bound, optimum);
			if (pairs == FSP_ALL_PAIRS) {
				assert_true(bound >= weaker);
				exact += bound == optimum && x.rests > 1;
			}
			weaker = bound > weaker ? bound : weaker;
			fsp_tables_free(&tables);
		}
		if (x.rests == 0)
			assert_int_equal(lb1(&x), optimum);
		flowshop_free(&f);
	}
	assert_true(exact > 40); /* a bound that is never reached would pass all the checks above */
}

static void root_bounds_never_exceed_the_optimum(void **state)
{
	struct rng r = rng_seeded(3);

	(void)state;
	for (int t = 0; t < 60; t++) {
		struct flowshop f = draw_instance(&r, 7, t);
		struct fsp_tables tables;
		struct err e = { 0 };
		uint8_t left[MOST_JOBS];
		int64_t optimum;
		int32_t bound;

		memset(left, 1, sizeof(left));
		make_tables(&tables, &f, FSP_ALL_PAIRS);
		assert_int_equal(flowshop_brute_force(&f, &optimum, NULL, &e), 0);
		bound = fsp_lb2(&tables, tables.head, tables.total, tables.tail, left, INT32_MAX);
		assert_int_equal(fsp_root_bound(&tables, FSP_LB2), bound);
		assert_true(bound <= optimum);
		bound = fsp_lb1(tables.head, tables.total, tables.tail, f.machines);
		assert_int_equal(fsp_root_bound(&tables, FSP_LB1), bound);
		assert_true(bound <= fsp_root_bound(&tables, FSP_LB2));
		fsp_tables_free(&tables);
		flowshop_free(&f);
	}
}

static void early_exit_prunes_the_same_nodes(void **state)
{
	struct rng r = rng_seeded(4);
	int cut = 0;

	(void)state;
	for (int t = 0; t < 400; t++) {
		struct flowshop f = draw_instance(&r, 12, t);
		struct fsp_tables tables;
		struct node x;
		int32_t whole;

		make_tables(&tables, &f, FSP_ALL_PAIRS);
		draw_node(&x, &f, &r, false);
		whole = lb2(&x, &tables, INT32_MAX);
		for (int32_t at_least = whole - 2; at_least <= whole + 1; at_least++) {
			int32_t value = lb2(&x, &tables, at_least);

			assert_true(value <= whole);
			assert_int_equal(value >= at_least, whole >= at_least);
			cut += value < whole;
		}
		fsp_tables_free(&tables);
		flowshop_free(&f);
	}
	assert_true(cut > 0);
}

/* The row E[U] of fsp.h by definition: `left` is U, bit j for job j, at most 64 jobs. `row` gets
 * `machines` values. An empty set gives row[u] = 0 for u = m-1 and INT32_MIN / 2 elsewhere. */
static void set_row(const struct fsp_tables *t, uint64_t left, int32_t *row)
{
	int m = t->machines;

	for (int u = 0; u < m; u++) {
		int32_t rem = 0;

		for (int j = 0; j < t->jobs; j++)
			rem += (left >> j & 1) ? t->time[j * m + u] : 0;
		row[u] = left ? rem + t->tail[u] : (u == m - 1 ? 0 : INT32_MIN / 2);
	}
	for (int pair = 0; left && pair < t->pairs; pair++) {
		int u = t->pair_u[pair], v = t->pair_v[pair];
		int32_t t0 = 0, t1 = 0, x;

		for (int i = 0; i < t->jobs; i++) {
			int j = t->johnson[pair * t->jobs + i];

			if (!(left >> j & 1))
				continue;
			t0 += t->time[j * m + u];
			x = t0 + t->lag[pair * t->jobs + j];
			t1 = (x > t1 ? x : t1) + t->time[j * m + v];
		}
		x = t1 + t->tail[v];
		row[u] = x > row[u] ? x : row[u];
	}
}

/* LB2 as a lookup by set: max_u front[u] + E[U][u]. */
static int32_t by_row(const struct node *x, const struct fsp_tables *t)
{
	int32_t row[MOST_MACHINES], most = INT32_MIN;

	set_row(t, x->set, row);
	for (int u = 0; u < t->machines; u++)
		most = larger(most, x->front[u] + row[u]);
	return most;
}

static void lb2_by_set_matches_lb2(void **state)
{
	struct rng r = rng_seeded(5);

	(void)state;
	for (int t = 0; t < 600; t++) {
		struct flowshop f = draw_instance(&r, t % 2 ? 64 : 8, t);
		struct fsp_tables tables;
		struct node x;

		make_tables(&tables, &f, FSP_ALL_PAIRS);
		draw_node(&x, &f, &r, true);
		if (x.rests)
			assert_int_equal(by_row(&x, &tables), lb2(&x, &tables, INT32_MAX));
		else
			assert_int_equal(by_row(&x, &tables), x.front[f.machines - 1]);
		fsp_tables_free(&tables);
		flowshop_free(&f);
	}
}

static void the_row_of_the_empty_set_gives_the_makespan(void **state)
{
	struct flowshop f = { .jobs = 0 };
	struct fsp_tables tables;
	struct err e = { 0 };
	int32_t row[5];

	(void)state;
	assert_int_equal(flowshop_load(&f, "random:4x5:99", &e), 0);
	make_tables(&tables, &f, FSP_ALL_PAIRS);
	set_row(&tables, 0, row);
	assert_int_equal(row[4], 0);
	for (int u = 0; u < 4; u++)
		assert_int_equal(row[u], INT32_MIN / 2);
	fsp_tables_free(&tables);
	flowshop_free(&f);
}

static void lb2_by_set_matches_lb2_at_20x20(void **state)
{
	struct rng r = rng_seeded(6);
	struct fsp_tables tables;
	struct flowshop f;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(flowshop_load(&f, "ta029", &e), 0);
	make_tables(&tables, &f, FSP_ALL_PAIRS);
	assert_int_equal(tables.pairs, 190);
	for (int t = 0; t < 300; t++) {
		struct node x;

		draw_node(&x, &f, &r, true);
		if (x.rests)
			assert_int_equal(by_row(&x, &tables), lb2(&x, &tables, INT32_MAX));
	}
	fsp_tables_free(&tables);
	flowshop_free(&f);
}

/* The same schedules seen from the end: machines and orders are reversed. */
static struct flowshop turned_instance(const struct flowshop *f)
{
	size_t n = (size_t)f->jobs, m = (size_t)f->machines;
	struct flowshop turned = { .jobs = f->jobs, .machines = f->machines };

	turned.time = calloc(n * m, sizeof(*turned.time));
	assert_non_null(turned.time);
	for (size_t k = 0; k < m; k++)
		memcpy(&turned.time[k * n], &f->time[(m - 1 - k) * n], n * sizeof(*f->time));
	return turned;
}

static void turn_node(struct node *y, const struct node *x, const struct flowshop *turned)
{
	*y = (struct node){
		.f = turned, .prefixes = x->suffixes, .suffixes = x->prefixes, .rests = x->rests
	};
	memcpy(y->rest, x->rest, sizeof(y->rest));
	for (int i = 0; i < x->suffixes; i++)
		y->prefix[i] = x->suffix[x->suffixes - 1 - i];
	for (int i = 0; i < x->prefixes; i++)
		y->suffix[i] = x->prefix[x->prefixes - 1 - i];
	define(y);
}

static void reversed_instances_have_the_same_bounds(void **state)
{
	struct rng r = rng_seeded(7);

	(void)state;
	for (int t = 0; t < 300; t++) {
		struct flowshop f = draw_instance(&r, 12, t), turned = turned_instance(&f);
		struct fsp_tables tables, turned_tables;
		struct node x, y;

		make_tables(&tables, &f, FSP_ALL_PAIRS);
		make_tables(&turned_tables, &turned, FSP_ALL_PAIRS);
		draw_node(&x, &f, &r, false);
		turn_node(&y, &x, &turned);
		assert_int_equal(lb1(&x), lb1(&y));
		assert_int_equal(lb2(&x, &tables, INT32_MAX), lb2(&y, &turned_tables, INT32_MAX));
		fsp_tables_free(&turned_tables);
		fsp_tables_free(&tables);
		flowshop_free(&turned);
		flowshop_free(&f);
	}
}

static void append_and_prepend_build_front_and_back(void **state)
{
	static const int32_t zero[MOST_MACHINES];
	struct rng r = rng_seeded(8);

	(void)state;
	for (int t = 0; t < 200; t++) {
		struct flowshop f = draw_instance(&r, 12, t);
		int32_t front[MOST_MACHINES], back[MOST_MACHINES];
		size_t bytes = (size_t)f.machines * sizeof(*front);
		struct fsp_tables tables;
		struct node x;

		make_tables(&tables, &f, FSP_LAST_PAIRS);
		draw_node(&x, &f, &r, false);
		memcpy(front, x.prefixes ? zero : tables.head, bytes);
		memcpy(back, x.suffixes ? zero : tables.tail, bytes);
		for (int i = 0; i < x.prefixes; i++)
			fsp_append(&tables.time[x.prefix[i] * f.machines], front, front,
				   f.machines);
		for (int i = x.suffixes - 1; i >= 0; i--)
			fsp_prepend(&tables.time[x.suffix[i] * f.machines], back, back, f.machines);
		assert_memory_equal(front, x.front, bytes);
		assert_memory_equal(back, x.back, bytes);
		fsp_tables_free(&tables);
		flowshop_free(&f);
	}
}

static void tables_hold_the_requested_pairs(void **state)
{
	static const int expected[] = {
		[FSP_ALL_PAIRS] = 10, [FSP_LAST_PAIRS] = 4, [FSP_ADJACENT_PAIRS] = 4
	};
	struct flowshop f;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(flowshop_load(&f, "random:9x5:99", &e), 0);
	for (int pairs = FSP_ALL_PAIRS; pairs <= FSP_ADJACENT_PAIRS; pairs++) {
		struct fsp_tables t;
		bool seen[5][5] = { { false } };

		make_tables(&t, &f, (enum fsp_pairs)pairs);
		assert_int_equal(t.pairs, expected[pairs]);
		for (int i = 0; i < t.pairs; i++) {
			assert_in_range(t.pair_v[i], t.pair_u[i] + 1, 4);
			assert_false(seen[t.pair_u[i]][t.pair_v[i]]);
			seen[t.pair_u[i]][t.pair_v[i]] = true;
			if (pairs == FSP_LAST_PAIRS)
				assert_int_equal(t.pair_v[i], 4);
			if (pairs == FSP_ADJACENT_PAIRS)
				assert_int_equal(t.pair_v[i], t.pair_u[i] + 1);
		}
		fsp_tables_free(&t);
	}
	flowshop_free(&f);
}

static void moved_tables_hold_the_same_values(void **state)
{
	struct rng r = rng_seeded(9);
	struct fsp_tables tables, moved;
	struct flowshop f;
	struct err e = { 0 };
	struct node x;
	size_t bytes;
	int32_t bound;
	void *copy;

	(void)state;
	assert_int_equal(flowshop_load(&f, "random:40x12:99", &e), 0);
	make_tables(&tables, &f, FSP_ALL_PAIRS);
	fsp_tables_block(&tables, &bytes);
	copy = malloc(bytes);
	assert_non_null(copy);
	memcpy(copy, fsp_tables_block(&tables, &bytes), bytes);
	moved = fsp_tables_moved(&tables, copy);
	draw_node(&x, &f, &r, false);
	bound = lb2(&x, &tables, INT32_MAX);
	assert_ptr_equal(moved.lag + moved.pairs * moved.jobs, (char *)copy + bytes);
	fsp_tables_free(&tables); /* the moved tables must not refer to the original */
	assert_int_equal(lb2(&x, &moved, INT32_MAX), bound);
	free(copy);
	flowshop_free(&f);
}

/* Sums of 2^31 - 1: bounds and steps must not overflow (the sanitizers check). */
static void sums_near_31_bits_do_not_overflow(void **state)
{
	static const char *const names[] = { "random:500x60:71400", "random:64x20:1660000" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct fsp_tables t;
		struct flowshop f;
		struct err e = { 0 };
		uint8_t left[500];
		int32_t bound;

		memset(left, 1, sizeof(left));
		assert_int_equal(flowshop_load(&f, names[i], &e), 0);
		make_tables(&t, &f, FSP_ALL_PAIRS);
		bound = fsp_lb2(&t, t.head, t.total, t.tail, left, INT32_MAX);
		assert_true(bound > 0);
		assert_true(bound >= fsp_lb1(t.head, t.total, t.tail, f.machines));
		fsp_tables_free(&t);
		flowshop_free(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_match_plain_definitions),
		cmocka_unit_test(bounds_never_exceed_a_completion),
		cmocka_unit_test(root_bounds_never_exceed_the_optimum),
		cmocka_unit_test(early_exit_prunes_the_same_nodes),
		cmocka_unit_test(lb2_by_set_matches_lb2),
		cmocka_unit_test(the_row_of_the_empty_set_gives_the_makespan),
		cmocka_unit_test(lb2_by_set_matches_lb2_at_20x20),
		cmocka_unit_test(reversed_instances_have_the_same_bounds),
		cmocka_unit_test(append_and_prepend_build_front_and_back),
		cmocka_unit_test(tables_hold_the_requested_pairs),
		cmocka_unit_test(moved_tables_hold_the_same_values),
		cmocka_unit_test(sums_near_31_bits_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
