/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* IVM on the host against a plain recursive search, written here, on small random instances of each
 * problem: partitions of [0, n!) explored in any order, random stealing, and intervals that are
 * taken and started again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/gmys-ivm/explorers/explorer.h"
#include "algorithms/gmys-ivm/ivm_cover.h"
#include "datasets/atsp/atsp.h"
#include "harness/base/rng.h"
#include "tests/unit/base/sanitized.h"
#include "tests/unit/tree-search/small_flowshops.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"

enum { TRIALS = SANITIZED ? 600 : 4000, ITEMS_MAX = 9, MACHINES_MAX = 10 };

/* ---- a random instance ---- */

struct small {
	struct search_request r;
	struct flowshop flowshop;
	struct atsp atsp;
	int32_t cost[ITEMS_MAX * ITEMS_MAX];
};

static void small_queens(struct small *s, struct rng *r)
{
	s->r.queens = (int)rng_between(r, 1, 9);
	s->r.half_board = true;
}

static void small_atsp(struct small *s, struct rng *r)
{
	int cities = (int)rng_between(r, 2, 8), most = rng_below(r, 3) ? 99 : 3;

	s->atsp.cities = cities;
	s->atsp.cost = s->cost;
	for (int i = 0; i < cities * cities; i++)
		s->cost[i] = i % (cities + 1) ? (int32_t)rng_between(r, 0, most) : 0;
	s->r.atsp = &s->atsp;
}

static void small_shop(struct small *s, struct rng *r)
{
	int jobs = (int)rng_between(r, 1, 8), machines = (int)rng_between(r, 1, MACHINES_MAX);

	s->flowshop = random_flowshop(jobs, machines, rng_below(r, 3) ? 99 : 4,
				      (int)rng_between(r, 1, 1 << 20));
	s->r.flowshop = &s->flowshop;
	s->r.bound = rng_below(r, 2) ? FSP_LB2 : FSP_LB1;
	s->r.branching = (enum fsp_branching)rng_below(r, 3);
}

static void small_make(struct small *s, struct rng *r)
{
	memset(s, 0, sizeof(*s));
	s->r.ub = SEARCH_NO_UB;
	switch (rng_below(r, 4)) {
	case 0:
		small_queens(s, r);
		break;
	case 1:
		small_atsp(s, r);
		break;
	default:
		small_shop(s, r);
	}
}

static void small_free(struct small *s)
{
	if (s->r.flowshop)
		flowshop_free(&s->flowshop);
}

/* ---- the plain search: by definitions, everything anew at each node ---- */

struct plain {
	const struct small *s;
	struct fsp_tables t;
	int n, placed_front, placed_back;
	int front[ITEMS_MAX],
		back[ITEMS_MAX]; /* items; only two-sided flowshop uses the back, too */
	int64_t best, first_ub;
	struct ivm_counts counts;
};

static bool plain_open(const struct plain *s, int item)
{
	for (int i = 0; i < s->placed_front; i++)
		if (s->front[i] == item)
			return false;
	for (int i = 0; i < s->placed_back; i++)
		if (s->back[i] == item)
			return false;
	return true;
}

static int64_t flowshop_bound(const struct plain *s)
{
	const struct fsp_tables *t = &s->t;
	int32_t front[MACHINES_MAX], back[MACHINES_MAX], rem[MACHINES_MAX];
	uint8_t left[ITEMS_MAX];
	int m = t->machines;

	for (int k = 0; k < m; k++) {
		front[k] = s->placed_front ? 0 : t->head[k];
		back[k] = s->placed_back ? 0 : t->tail[k];
		rem[k] = 0;
	}
	for (int i = 0; i < s->placed_front; i++)
		fsp_append(t->time + s->front[i] * m, front, front, m);
	for (int i = 0; i < s->placed_back; i++)
		fsp_prepend(t->time + s->back[i] * m, back, back, m);
	for (int j = 0; j < t->jobs; j++) {
		left[j] = plain_open(s, j);
		for (int k = 0; k < m && left[j]; k++)
			rem[k] += t->time[j * m + k];
	}
	return s->s->r.bound == FSP_LB1 ? fsp_lb1(front, rem, back, m) :
					  fsp_lb2(t, front, rem, back, left, INT32_MAX);
}

static int64_t plain_bound(const struct plain *s)
{
	if (s->s->r.flowshop)
		return flowshop_bound(s);
	int64_t cost = 0;
	int last = 0;

	for (int i = 0; i < s->placed_front && s->s->r.atsp; i++) {
		cost += s->s->cost[last * s->s->atsp.cities + s->front[i] + 1];
		last = s->front[i] + 1;
	}
	if (s->s->r.atsp)
		return s->placed_front == s->n ? cost + s->s->cost[last * s->s->atsp.cities] : cost;
	for (int i = 0; i < s->placed_front; i++)
		for (int j = 0; j < i; j++)
			cost += abs(s->front[i] - s->front[j]) == i - j;
	return cost;
}

static int64_t plain_child(struct plain *s, int item, bool back)
{
	if (back)
		s->back[s->placed_back++] = item;
	else
		s->front[s->placed_front++] = item;
	int64_t bound = plain_bound(s);

	s->placed_back -= back;
	s->placed_front -= !back;
	return bound;
}

static bool plain_side(struct plain *s)
{
	int64_t sum[2] = { 0, 0 };
	int reached[2] = { 0, 0 };

	if (!s->s->r.flowshop || s->s->r.branching == FSP_FORWARD)
		return false;
	for (int side = 0; side < 2; side++) {
		for (int j = 0; j < s->n; j++) {
			if (!plain_open(s, j))
				continue;
			int64_t bound = plain_child(s, j, side);

			sum[side] += bound;
			reached[side] += bound >= s->first_ub;
		}
	}
	if (s->s->r.branching == FSP_MAXSUM)
		return sum[1] >= sum[0];
	if (reached[0] != reached[1])
		return reached[1] > reached[0];
	return sum[1] > sum[0];
}

static bool plain_keeps(const struct plain *s, int64_t bound)
{
	if (s->s->r.flowshop)
		return bound < s->best;
	return s->s->r.atsp ? bound <= s->best : bound == 0;
}

static void plain_leaf(struct plain *s, int first, int64_t value)
{
	if (!s->s->r.flowshop && !s->s->r.atsp) {
		s->counts.solutions += 2 * first + 1 == s->n ? 1 : 2;
		return;
	}
	s->counts.leaves++;
	s->best = value < s->best ? value : s->best;
}

static void plain_search(struct plain *s);

static void plain_visit(struct plain *s, int item, bool back, int64_t bound)
{
	if (back)
		s->back[s->placed_back++] = item;
	else
		s->front[s->placed_front++] = item;
	if (s->placed_front + s->placed_back == s->n)
		plain_leaf(s, s->front[0], bound);
	else
		plain_search(s);
	s->placed_back -= back;
	s->placed_front -= !back;
}

/* Like IVM, it prunes when a node is decomposed, not again when a child is visited. */
static void plain_search(struct plain *s)
{
	bool queens = !s->s->r.flowshop && !s->s->r.atsp, back = plain_side(s);
	bool root = s->placed_front + s->placed_back == 0, keep[ITEMS_MAX];
	int64_t bound[ITEMS_MAX];

	s->counts.decomposed += !queens || !root;
	for (int item = 0; item < s->n; item++) {
		keep[item] = plain_open(s, item) && !(queens && root && item >= (s->n + 1) / 2);
		if (!keep[item])
			continue;
		bound[item] = plain_child(s, item, back);
		keep[item] = plain_keeps(s, bound[item]);
	}
	for (int item = 0; item < s->n; item++) {
		if (keep[item])
			plain_visit(s, item, back, bound[item]);
	}
}

/* Searches from the upper bound `ub`. MinBranch uses the first_ub of the problem. */
static struct plain plain_run(const struct small *s, const struct ivm_problem *p, int64_t ub)
{
	struct plain x = { .s = s, .n = p->n, .best = ub, .first_ub = p->first_ub };

	if (s->r.flowshop)
		assert_int_equal(fsp_tables_make(&x.t, &s->flowshop, FSP_ALL_PAIRS, NULL), 0);
	plain_search(&x);
	if (s->r.flowshop)
		fsp_tables_free(&x.t);
	return x;
}

static void same_counts(const struct ivm_counts *a, const struct ivm_counts *b)
{
	assert_int_equal(a->decomposed, b->decomposed);
	assert_int_equal(a->leaves, b->leaves);
	assert_int_equal(a->solutions, b->solutions);
}

/* ---- explorers ---- */

static struct ivm_explorer opened(const struct ivm_problem *p, int32_t best)
{
	struct ivm_explorer x;

	assert_int_equal(ivm_explorer_open(&x, p, NULL), 0);
	x.best = best;
	return x;
}

static void check_found(const struct small *s, const struct ivm_explorer *x)
{
	int64_t order[ITEMS_MAX + 1], cost = 0;

	if (!x->found)
		return;
	ivm_problem_solution(&x->problem, x->order, order);
	if (s->r.flowshop) {
		assert_int_equal(flowshop_makespan(&s->flowshop, order), x->found_value);
		return;
	}
	for (int i = 0, c = s->atsp.cities; i < c; i++)
		cost += s->cost[order[i] * c + order[(i + 1) % c]];
	assert_int_equal(cost, x->found_value);
}

static void whole(const struct ivm_problem *p, uint16_t *first, uint16_t *last)
{
	ivm_problem_interval(p, first, last);
}

static int32_t limit(int64_t value)
{
	return value < INT32_MAX ? (int32_t)value : INT32_MAX;
}

/* Follows random paths in the tree of LB2. Bounding all children of a node together gives the same
 * values as bounding them one by one. */
static void fast_lb2_of_all_children_equals_the_plain_bound(void **state)
{
	struct rng r = rng_seeded(5);

	(void)state;
	for (int trial = 0; trial < TRIALS; trial++) {
		struct small s = { .r = { .ub = SEARCH_NO_UB } };
		struct ivm_problem p;
		int32_t bound[2 * ITEMS_MAX];

		small_shop(&s, &r);
		s.r.bound = FSP_LB2;
		assert_int_equal(ivm_problem_make(&p, &s.r, NULL), 0);
		struct ivm_explorer x = opened(&p, IVM_NONE);
		uint16_t first[ITEMS_MAX], last[ITEMS_MAX];

		whole(&p, first, last);
		for (ivm_explorer_start(&x, first, last); p.tables.pairs; ivm_branch(&x.v)) {
			int cells = p.n - *x.v.level;
			struct ivm_counts counts = { 0, 0, 0 };

			ivm_bound_row(&p, &x.v, &x.scratch, IVM_NONE, &counts);
			memcpy(bound, x.scratch.bound, sizeof(bound[0]) * 2 * (size_t)p.n);
			memset(x.scratch.bound, 0, sizeof(bound[0]) * 2 * (size_t)p.n);
			ivm_explorer_bound(&x, IVM_NONE, &counts);
			for (int i = 0; i < ivm_sides(&p); i++)
				assert_memory_equal(x.scratch.bound + i * p.n, bound + i * p.n,
						    sizeof(bound[0]) * (size_t)cells);
			if (cells == 1)
				break;
			x.v.position[*x.v.level] = (uint16_t)rng_below(&r, (uint64_t)cells);
		}
		ivm_explorer_close(&x);
		ivm_problem_free(&p);
		small_free(&s);
	}
}

/* One explorer against the plain search, without a bound and with one at, above or below the
 * optimum. Both visit nodes in the same order, so the counts are equal although the best value
 * changes on the way. */
static void one_explorer_counts_as_plain_search(void **state)
{
	struct rng r = rng_seeded(1);

	(void)state;
	for (int trial = 0; trial < TRIALS; trial++) {
		struct small s;
		struct ivm_problem p;
		uint16_t first[ITEMS_MAX], last[ITEMS_MAX];

		small_make(&s, &r);
		assert_int_equal(ivm_problem_make(&p, &s.r, NULL), 0);
		whole(&p, first, last);
		struct plain none = plain_run(&s, &p, INT32_MAX);

		for (int i = -1; i < 3; i++) {
			int64_t ub = i < 0 ? INT32_MAX : none.best + i - 1;
			struct plain x = plain_run(&s, &p, ub);
			struct ivm_explorer v = opened(&p, limit(ub));

			ivm_explorer_start(&v, first, last);
			while (v.exploring)
				ivm_explorer_step(&v);
			same_counts(&v.counts, &x.counts);
			assert_int_equal(v.best, limit(x.best));
			assert_int_equal(v.found, x.best < ub);
			check_found(&s, &v);
			ivm_explorer_close(&v);
		}
		ivm_problem_free(&p);
		small_free(&s);
	}
}

/* The optimum. N-Queens has no objective. */
static int32_t tight(const struct small *s, const struct ivm_problem *p)
{
	return limit(plain_run(s, p, INT32_MAX).best);
}

enum { PIECES = 12 };

static void any_partition_in_any_order_counts_every_node_once(void **state)
{
	struct rng r = rng_seeded(2);

	(void)state;
	for (int trial = 0; trial < TRIALS; trial++) {
		uint16_t piece[PIECES][2][ITEMS_MAX];
		struct small s;
		struct ivm_problem p;
		int count = 1;

		small_make(&s, &r);
		assert_int_equal(ivm_problem_make(&p, &s.r, NULL), 0);
		int32_t best = trial % 8 ? tight(&s, &p) : INT32_MAX;
		struct plain x = plain_run(&s, &p, best);
		struct ivm_counts sum = { 0, 0, 0 };

		whole(&p, piece[0][0], piece[0][1]);
		while (count < PIECES && rng_below(&r, 20)) {
			uint16_t(*cut)[ITEMS_MAX] = piece[rng_below(&r, (uint64_t)count)];
			int parts = (int)rng_between(&r, 2, 50);

			memcpy(piece[count], cut, sizeof(piece[count]));
			count += ivm_factoradic_split(cut[0], cut[1], p.n,
						      (int)rng_between(&r, 1, parts - 1), parts,
						      cut[1], piece[count][0]);
		}
		for (; count; count--) {
			struct ivm_explorer v = opened(&p, best);
			uint64_t i = rng_below(&r, (uint64_t)count);

			ivm_explorer_start(&v, piece[i][0], piece[i][1]);
			while (v.exploring)
				ivm_explorer_step(&v);
			best = v.best;
			ivm_counts_add(&sum, &v.counts);
			check_found(&s, &v);
			ivm_explorer_close(&v);
			memcpy(piece[i], piece[count - 1], sizeof(piece[i]));
		}
		if (trial % 8)
			same_counts(&sum, &x.counts);
		assert_int_equal(best, limit(x.best));
		ivm_problem_free(&p);
		small_free(&s);
	}
}

enum { TEAM = 5 };

/* Gives an EMPTY thief work of a victim in one of the possible ways, at random. */
static void random_steal(struct rng *r, struct ivm_explorer *victim, struct ivm_explorer *thief)
{
	uint16_t first[ITEMS_MAX], last[ITEMS_MAX];
	int parts = (int)rng_between(r, 2, 9), kept = (int)rng_between(r, 1, parts - 1);
	bool got;

	if (thief->exploring || victim == thief)
		return;
	thief->best = victim->best < thief->best ? victim->best : thief->best;
	switch (rng_below(r, 8)) {
	case 0:
		got = ivm_explorer_take(victim, first, last);
		break;
	case 1:
	case 2:
		got = ivm_explorer_split(victim, kept, parts, first, last);
		break;
	default:
		ivm_explorer_share(victim, thief, kept, parts);
		return;
	}
	if (got)
		ivm_explorer_start(thief, first, last);
}

static bool any_explores(const struct ivm_explorer *team)
{
	for (int i = 0; i < TEAM; i++) {
		if (team[i].exploring)
			return true;
	}
	return false;
}

static void steals_at_any_moment_count_every_node_once(void **state)
{
	struct rng r = rng_seeded(3);

	(void)state;
	for (int trial = 0; trial < TRIALS; trial++) {
		struct ivm_explorer team[TEAM];
		uint16_t first[ITEMS_MAX], last[ITEMS_MAX];
		struct small s;
		struct ivm_problem p;
		struct ivm_counts sum = { 0, 0, 0 };

		small_make(&s, &r);
		assert_int_equal(ivm_problem_make(&p, &s.r, NULL), 0);
		int32_t best = trial % 8 ? tight(&s, &p) : INT32_MAX;
		struct plain x = plain_run(&s, &p, best);

		for (int i = 0; i < TEAM; i++)
			team[i] = opened(&p, best);
		whole(&p, first, last);
		ivm_explorer_start(&team[0], first, last);
		while (any_explores(team)) {
			struct ivm_explorer *some = &team[rng_below(&r, TEAM)];

			for (uint64_t i = rng_below(&r, 6); i; i--)
				ivm_explorer_step(some);
			random_steal(&r, &team[rng_below(&r, TEAM)], &team[rng_below(&r, TEAM)]);
		}
		for (int i = 0; i < TEAM; i++) {
			check_found(&s, &team[i]);
			best = team[i].best < best ? team[i].best : best;
			ivm_counts_add(&sum, &team[i].counts);
			ivm_explorer_close(&team[i]);
		}
		if (trial % 8)
			same_counts(&sum, &x.counts);
		assert_int_equal(best, limit(x.best));
		ivm_problem_free(&p);
		small_free(&s);
	}
}

/* The cut considers only digits l and l + 1. So, if nothing is pruned, a share has the requested
 * size up to about one cell of row l. */
static void shares_have_the_requested_size(void **state)
{
	struct rng r = rng_seeded(6);
	struct flowshop f = random_flowshop(9, 2, 99, 3);
	struct search_request q = { .flowshop = &f, .ub = SEARCH_NO_UB };
	struct ivm_problem p;
	uint16_t first[9], last[9];
	int again;

	(void)state;
	assert_int_equal(ivm_problem_make(&p, &q, NULL), 0);
	for (int trial = 0; trial < 500; trial++) {
		struct ivm_explorer a = opened(&p, IVM_NONE), b = opened(&p, IVM_NONE);
		int parts = (int)rng_between(&r, 2, 4), kept = (int)rng_between(&r, 1, parts - 1);

		for (int i = 0; i < 9; i++) {
			first[i] = (uint16_t)rng_below(&r, (uint64_t)(9 - i));
			last[i] = (uint16_t)rng_below(&r, (uint64_t)(9 - i));
		}
		first[0] = (uint16_t)rng_below(&r, 3);
		last[0] = (uint16_t)rng_between(&r, 4, 8);
		ivm_explorer_start(&a, first, last);
		double all = ivm_factoradic_fraction(first, last, 9);

		assert_true(ivm_explorer_share(&a, &b, kept, parts));
		assert_true(ivm_interval(&b.v, first, last, &again));
		double given = ivm_factoradic_fraction(first, last, 9), cell = 1.0 / 9;

		assert_true(given > all * (parts - kept) / parts - cell);
		assert_true(given < all * (parts - kept) / parts + cell);
		ivm_explorer_close(&a);
		ivm_explorer_close(&b);
	}
	ivm_problem_free(&p);
	flowshop_free(&f);
}

/* Explores a part of the interval and takes the rest. */
static bool random_rest(struct rng *r, struct ivm_explorer *x, uint16_t *interval)
{
	const uint16_t *whole_first = interval;
	int n = x->v.n, parts = (int)rng_between(r, 2, 50);

	ivm_explorer_start(x, whole_first, interval + n);
	for (uint64_t i = rng_below(r, rng_below(r, 2) ? 8 : 200); i && x->exploring; i--)
		ivm_explorer_step(x);
	if (!ivm_explorer_take(x, interval, interval + n))
		return false;
	if (rng_below(r, 2)) { /* keep only the left part, which can end anywhere */
		uint16_t right[2][ITEMS_MAX];

		memcpy(right[1], interval + n, (size_t)n * sizeof(*interval));
		if (ivm_factoradic_split(interval, interval + n, n,
					 (int)rng_between(r, 1, parts - 1), parts, interval + n,
					 right[0])) {
			ivm_explorer_start(x, right[0], right[1]);
			while (x->exploring)
				ivm_explorer_step(x);
		}
	}
	return true;
}

static void explore_all(struct ivm_explorer *x, const uint16_t *interval, uint64_t count)
{
	int n = x->v.n;

	for (uint64_t i = 0; i < count; i++, interval += 2 * n) {
		ivm_explorer_start(x, interval, interval + n);
		while (x->exploring)
			ivm_explorer_step(x);
	}
}

/* Replaces some nodes that have one open child by this child, whose bound was checked before. node:
 * [count][n + 4]. */
static void children_themselves(struct rng *r, uint16_t *node, uint64_t count, int n)
{
	for (; count; count--, node += n + 4) {
		uint16_t *job = node + 4, child = job[node[0]];

		if (node[2] != 1 || node[0] + node[1] + 1 == n || rng_below(r, 2))
			continue;
		if (node[3]) { /* move the job from after the prefix to before the suffix */
			int place = n - 1 - node[1];

			memmove(job + node[0], job + node[0] + 1,
				(size_t)(place - node[0]) * sizeof(*job));
			job[place] = child;
		}
		node[node[3] ? 1 : 0]++;
		node[2] = 0;
		node[3] = 0;
	}
}

static uint16_t *copy_of(const uint16_t *digits, int count)
{
	uint16_t *copy = malloc((size_t)count * sizeof(*copy));

	assert_non_null(copy);
	return memcpy(copy, digits, (size_t)count * sizeof(*copy));
}

static void converted(struct checkpoint *c, const struct ivm_problem *p, enum checkpoint_form form)
{
	assert_int_equal(ivm_cover_convert(c, p, form, NULL, NULL), 0);
	assert_int_equal(c->form, form);
}

/* Converts open work from intervals to nodes and back. Together with the nodes counted before and
 * during the conversion, every node is counted once. */
static void intervals_and_nodes_convert_to_the_same_work(void **state)
{
	struct rng r = rng_seeded(4);
	uint64_t seen = 0;

	(void)state;
	for (int trial = 0; trial < TRIALS; trial++) {
		struct small s = { .r = { .ub = SEARCH_NO_UB } };
		struct ivm_problem p;
		uint16_t rest[2 * ITEMS_MAX];

		small_shop(&s, &r);
		assert_int_equal(ivm_problem_make(&p, &s.r, NULL), 0);
		int32_t best = trial % 4 ? tight(&s, &p) : INT32_MAX;
		struct ivm_explorer x = opened(&p, best);
		struct plain all = plain_run(&s, &p, best);

		whole(&p, rest, rest + p.n);
		if (random_rest(&r, &x, rest)) {
			struct checkpoint c = { .form = CHECKPOINT_INTERVALS,
						.count = 1,
						.work = copy_of(rest, 2 * p.n),
						.decomposed = x.counts.decomposed,
						.best = best };

			converted(&c, &p, CHECKPOINT_NODES);
			assert_in_range(c.count, 0, 2 * p.n);
			children_themselves(&r, c.work, c.count, p.n);
			seen += c.count;
			converted(&c, &p, CHECKPOINT_INTERVALS);
			x.counts.decomposed = c.decomposed;
			explore_all(&x, c.work, c.count);
			free(c.work);
		}
		if (trial % 4) /* otherwise the best value changes during the search */
			assert_int_equal(x.counts.decomposed, all.counts.decomposed);
		assert_int_equal(x.best, all.best);
		ivm_explorer_close(&x);
		ivm_problem_free(&p);
		small_free(&s);
	}
	assert_true(seen > (uint64_t)TRIALS / 2);
}

static void nodes_of_another_tree_are_refused(void **state)
{
	struct flowshop f = random_flowshop(5, 3, 99, 7);
	struct search_request q = { .flowshop = &f, .branching = FSP_FORWARD, .ub = SEARCH_NO_UB };
	const uint16_t node[9] = { 0, 1, 2, 1, 0, 1, 2, 3, 4 };
	struct checkpoint c = { .form = CHECKPOINT_NODES, .count = 1, .work = copy_of(node, 9) };
	struct ivm_problem p;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(ivm_problem_make(&p, &q, NULL), 0);
	assert_int_equal(ivm_cover_convert(&c, &p, CHECKPOINT_INTERVALS, NULL, &e), ERR_INPUT);
	assert_non_null(strstr(e.text, "open node 1 is not in the tree of this search"));
	c.work[1] = 0;
	assert_int_equal(ivm_cover_convert(&c, &p, CHECKPOINT_INTERVALS, NULL, &e), ERR_INPUT);
	assert_int_equal(c.form, CHECKPOINT_NODES);
	c.work[3] = 0;
	converted(&c, &p, CHECKPOINT_INTERVALS);
	assert_int_equal(c.count, 1);
	free(c.work);
	ivm_problem_free(&p);
	flowshop_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fast_lb2_of_all_children_equals_the_plain_bound),
		cmocka_unit_test(one_explorer_counts_as_plain_search),
		cmocka_unit_test(any_partition_in_any_order_counts_every_node_once),
		cmocka_unit_test(steals_at_any_moment_count_every_node_once),
		cmocka_unit_test(shares_have_the_requested_size),
		cmocka_unit_test(intervals_and_nodes_convert_to_the_same_work),
		cmocka_unit_test(nodes_of_another_tree_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
