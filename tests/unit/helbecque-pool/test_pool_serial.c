/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The serial search against brute force, a plain search written here, and published counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "algorithms/helbecque-pool/evaluator.h"
#include "harness/base/rng.h"
#include "tests/unit/tree-search/small_searches.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"

static void queens_match_published_counts(void **state)
{
	static const struct {
		int n;
		uint64_t explored, solutions;
	} known[] = { { 1, 1, 1 },     { 2, 2, 0 },        { 3, 5, 0 },
		      { 8, 2056, 92 }, { 10, 35538, 724 }, { 12, 856188, 14200 } };

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct search_request r = { .queens = known[i].n };
		struct search_outcome o;

		assert_int_equal(pool_search_serial(&r, &o, NULL), 0);
		assert_true(o.complete);
		assert_int_equal(o.explored, known[i].explored);
		assert_int_equal(o.solutions, known[i].solutions);
		assert_int_equal(o.decomposed, known[i].explored - known[i].solutions + 1);
	}
}

static void optimum_is_found_without_an_incumbent(void **state)
{
	(void)state;
	for (int seed = 1; seed <= 12; seed++) {
		struct flowshop f;
		int64_t optimum;

		small_flowshop(&f, 1 + seed % 8, 1 + seed * 5 % 9, seed % 3 ? 99 : 3, seed);
		assert_int_equal(flowshop_brute_force(&f, &optimum, NULL, NULL), 0);
		for (int b = 0; b < 6; b++) {
			struct search_request r = { .flowshop = &f,
						    .bound = b % 2 ? FSP_LB2 : FSP_LB1,
						    .branching = (enum fsp_branching)(b / 2),
						    .ub = SEARCH_NO_UB };
			struct search_outcome o;

			assert_int_equal(pool_search_serial(&r, &o, NULL), 0);
			assert_int_equal(o.best, optimum);
			assert_int_equal(o.lower_bound, optimum);
			check_schedule(&f, &o);
			assert_true(o.leaves > 0);
			search_outcome_free(&o);
		}
		flowshop_free(&f);
	}
}

/* ---- another search, with bounds that share nothing with the first but the tables ---- */

struct plain {
	const struct fsp_tables *t;
	const struct search_request *r;
	uint64_t explored, decomposed;
	int placed_front, placed_back, front[12], back[12];
};

static void times_of(const struct plain *s, int32_t *front, int32_t *back, int32_t *rem,
		     uint8_t *left)
{
	const struct fsp_tables *t = s->t;
	int m = t->machines;

	for (int j = 0; j < t->jobs; j++)
		left[j] = 1;
	for (int k = 0; k < m; k++) {
		front[k] = s->placed_front ? 0 : t->head[k];
		back[k] = s->placed_back ? 0 : t->tail[k];
		rem[k] = t->total[k];
	}
	for (int i = 0; i < s->placed_front + s->placed_back; i++) {
		int b = i - s->placed_front, j = b < 0 ? s->front[i] : s->back[b];

		left[j] = 0;
		for (int k = 0; k < m; k++)
			rem[k] -= t->time[j * m + k];
		if (b < 0)
			fsp_append(t->time + j * m, front, front, m);
		else
			fsp_prepend(t->time + j * m, back, back, m);
	}
}

static int32_t plain_bound(const struct plain *s)
{
	int32_t front[20], back[20], rem[20];
	uint8_t left[12];

	times_of(s, front, back, rem, left);
	int32_t lb = fsp_lb1(front, rem, back, s->t->machines);
	int32_t pairs =
		s->r->bound == FSP_LB2 ? fsp_lb2(s->t, front, rem, back, left, INT32_MAX) : 0;

	return pairs > lb ? pairs : lb;
}

static int32_t child_bound(struct plain *s, int job, bool back)
{
	if (back)
		s->back[s->placed_back++] = job;
	else
		s->front[s->placed_front++] = job;
	int32_t lb = plain_bound(s);

	s->placed_back -= back;
	s->placed_front -= !back;
	return lb;
}

static bool plain_side(const struct plain *s, const int32_t bound[2][12], const uint8_t *left)
{
	int64_t sum[2] = { 0, 0 };
	int reach[2] = { 0, 0 };

	for (int j = 0; j < s->t->jobs; j++) {
		for (int side = 0; left[j] && side < 2; side++) {
			sum[side] += bound[side][j];
			reach[side] += bound[side][j] >= s->r->ub;
		}
	}
	if (s->r->branching == FSP_FORWARD)
		return false;
	if (s->r->branching == FSP_MINBRANCH)
		return reach[1] != reach[0] ? reach[1] > reach[0] : sum[1] > sum[0];
	return sum[1] >= sum[0];
}

static void plain_search(struct plain *s)
{
	int32_t front[20], back[20], rem[20], bound[2][12];
	uint8_t left[12];
	int open = s->t->jobs - s->placed_front - s->placed_back;

	s->decomposed++;
	times_of(s, front, back, rem, left);
	for (int j = 0; j < s->t->jobs; j++) {
		for (int side = 0; left[j] && side < 2; side++)
			bound[side][j] = child_bound(s, j, side);
	}
	bool side = plain_side(s, (const int32_t(*)[12])bound, left);

	for (int j = 0; j < s->t->jobs && open > 1; j++) {
		if (!left[j] || bound[side][j] >= s->r->ub)
			continue;
		s->explored++;
		if (side)
			s->back[s->placed_back++] = j;
		else
			s->front[s->placed_front++] = j;
		plain_search(s);
		s->placed_back -= side;
		s->placed_front -= !side;
	}
}

static void trees_match_a_plain_search(void **state)
{
	uint64_t nodes = 0;

	(void)state;
	for (int seed = 1; seed <= 8; seed++) {
		struct flowshop f;
		struct fsp_tables t;
		int64_t optimum;

		small_flowshop(&f, 6 + seed % 3, 1 + seed % 6, 99, seed);
		assert_int_equal(flowshop_brute_force(&f, &optimum, NULL, NULL), 0);
		assert_int_equal(fsp_tables_make(&t, &f, FSP_ALL_PAIRS, NULL), 0);
		for (int b = 0; b < 6; b++) {
			struct search_request r = { .flowshop = &f,
						    .bound = b % 2 ? FSP_LB2 : FSP_LB1,
						    .branching = (enum fsp_branching)(b / 2),
						    .ub = optimum };
			struct search_outcome o;
			struct plain s = { .t = &t, .r = &r };

			plain_search(&s);
			assert_int_equal(pool_search_serial(&r, &o, NULL), 0);
			assert_int_equal(o.explored, s.explored);
			assert_int_equal(o.decomposed, s.decomposed);
			assert_int_equal(o.leaves, 0);
			assert_int_equal(o.best, optimum);
			assert_null(o.order);
			nodes += o.explored;
		}
		fsp_tables_free(&t);
		flowshop_free(&f);
	}
	assert_true(nodes > 1000);
}

static void bounder_matches_the_bound_of_the_tables(void **state)
{
	struct rng rng = rng_seeded(5);

	(void)state;
	for (int trial = 0; trial < 40; trial++) {
		struct flowshop f;
		struct pool_bounder b;
		int32_t front[8], rem[8] = { 0 };
		uint8_t left[70] = { 0 };

		small_flowshop(&f, trial % 2 ? 20 : 70, 1 + trial % 8, 99, trial);
		assert_int_equal(pool_bounder_open(&b, &f, FSP_LB2, NULL), 0);
		for (int j = 0; j < f.jobs; j++) {
			left[j] = (uint8_t)rng_below(&rng, 2);
			if (left[j])
				pool_bounder_flip(&b, j);
			for (int k = 0; left[j] && k < f.machines; k++)
				rem[k] += f.time[k * f.jobs + j];
		}
		for (int k = 0; k < f.machines; k++)
			front[k] = (int32_t)rng_below(&rng, 500);
		int32_t lb1 = fsp_lb1(front, rem, b.tables.tail, f.machines);
		int32_t lb2 = fsp_lb2(&b.tables, front, rem, b.tables.tail, left, INT32_MAX);

		assert_int_equal(pool_bounder_value(&b, front, rem, b.tables.tail, INT32_MAX),
				 lb2 > lb1 ? lb2 : lb1);
		pool_bounder_close(&b);
		flowshop_free(&f);
	}
}

static void a_taillard_tree_matches_its_published_count(void **state)
{
	struct flowshop f;
	struct search_request r = { .flowshop = &f, .branching = FSP_MINBRANCH, .ub = 2178 };
	struct search_outcome o;

	(void)state;
	if (SANITIZED)
		skip();
	assert_int_equal(flowshop_load(&f, "ta030", NULL), 0);
	assert_int_equal(pool_search_serial(&r, &o, NULL), 0);
	assert_int_equal(o.decomposed, 2415779);
	flowshop_free(&f);
}

/* Searches from a start schedule. The start is returned if nothing is better. */
static void a_start_schedule_is_kept(void **state)
{
	struct flowshop f;
	int64_t order[8], optimum;

	(void)state;
	small_flowshop(&f, 8, 5, 99, 3);
	assert_int_equal(flowshop_brute_force(&f, &optimum, order, NULL), 0);
	struct search_request r = {
		.flowshop = &f, .bound = FSP_LB2, .ub = optimum, .start = order
	};
	struct search_outcome o;

	assert_int_equal(pool_search_serial(&r, &o, NULL), 0);
	check_schedule(&f, &o);
	assert_int_equal(o.best, optimum);
	assert_memory_equal(o.order, order, sizeof(order));
	search_outcome_free(&o);
	flowshop_free(&f);
}

static void stop_flag_and_time_limit_end_the_search(void **state)
{
	volatile sig_atomic_t stop = 1;
	struct flowshop f;
	struct err e = { 0 };

	(void)state;
	small_flowshop(&f, SANITIZED ? 100 : 500, 60, 99, 1);
	struct search_request r = { .flowshop = &f, .ub = SEARCH_NO_UB, .stop = &stop };
	struct search_outcome o;

	assert_int_equal(pool_search_serial(&r, &o, &e), ERR_LIMIT);
	assert_int_equal(o.explored, 0);
	assert_true(o.lower_bound > 0);
	search_outcome_free(&o);
	r.stop = NULL;
	stopped_by_time(pool_search_serial, &r, &o, &e);
	assert_true(o.decomposed > 0);
	assert_true(o.lower_bound > 0 && o.lower_bound <= o.best);
	search_outcome_free(&o);
	flowshop_free(&f);
	r = (struct search_request){ .queens = 20 };
	stopped_by_time(pool_search_serial, &r, &o, &e);
	assert_true(o.explored > 0);
	/* the children along the path are counted, but not decomposed */
	assert_true(o.decomposed > 0 && o.decomposed + 20 * 19 / 2 >= o.explored - o.solutions);
	r = (struct search_request){ .queens = 20, .stop = &stop };
	assert_int_equal(pool_search_serial(&r, &o, &e), ERR_LIMIT);
	assert_int_equal(o.decomposed, 0);
}

/* The lower bound of a stopped search holds for its open nodes and does not exceed the optimum. */
static void a_stopped_search_keeps_a_valid_bound(void **state)
{
	(void)state;
	for (int seed = 1; seed <= 4; seed++) {
		struct flowshop f;

		small_flowshop(&f, 9, 20, 99, seed);
		struct search_request r = { .flowshop = &f,
					    .ub = SEARCH_NO_UB,
					    .time_limit = 1e-4 };
		struct search_outcome o;
		int64_t optimum;

		assert_int_equal(flowshop_brute_force(&f, &optimum, NULL, NULL), 0);
		int status = pool_search_serial(&r, &o, NULL);

		assert_true(status == 0 || status == ERR_LIMIT);
		assert_true(o.lower_bound <= optimum);
		assert_true(o.best >= optimum);
		search_outcome_free(&o);
		flowshop_free(&f);
	}
}

static void too_many_queens_are_refused(void **state)
{
	struct search_outcome o;

	(void)state;
	assert_int_equal(pool_search_serial(&(struct search_request){ .queens = 33 }, &o, NULL),
			 ERR_UNSUPPORTED);
	assert_int_equal(pool_search_serial(&(struct search_request){ .queens = 0 }, &o, NULL),
			 ERR_UNSUPPORTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queens_match_published_counts),
		cmocka_unit_test(optimum_is_found_without_an_incumbent),
		cmocka_unit_test(trees_match_a_plain_search),
		cmocka_unit_test(bounder_matches_the_bound_of_the_tables),
		cmocka_unit_test(a_taillard_tree_matches_its_published_count),
		cmocka_unit_test(a_start_schedule_is_kept),
		cmocka_unit_test(stop_flag_and_time_limit_end_the_search),
		cmocka_unit_test(a_stopped_search_keeps_a_valid_bound),
		cmocka_unit_test(too_many_queens_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
