/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The multi-core tree searches against published counts, brute force and a plain recursive counter.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/tree-search/flowshop/fsp_cpu.h"
#include "algorithms/tree-search/nqueens/queens_cpu.h"
#include "algorithms/tree-search/task_team.h"
#include "algorithms/helbecque-pool/pool_search.h"
#include "datasets/flowshop/flowshop.h"
#include "tests/unit/tree-search/small_searches.h"
#include "algorithms/tree-search/flowshop/fsp_greedy.h"

/* ---- the team ---- */

enum { TASKS = 3000 };

struct skewed {
	_Atomic int done[TASKS];
	_Atomic int taken;
};

/* Member 0 works only after the others have done all tasks except one. */
static void skewed_work(struct task_member *m)
{
	struct skewed *s = m->team->work_context;
	uint64_t from, count;

	if (m->id == 0)
		task_team_divide(m->team, TASKS);
	task_team_barrier(m->team);
	while (m->id == 0 && m->team->threads > 1 && atomic_load(&s->taken) < TASKS - 1)
		;
	while ((count = task_team_take(m, 7, &from))) {
		for (uint64_t i = from; i < from + count; i++)
			atomic_fetch_add(&s->done[i], 1);
		atomic_fetch_add(&s->taken, (int)count);
	}
}

static void task_team_steals_without_loss(void **state)
{
	struct search_request r = { .threads = 4, .seed = 1 };
	struct search_outcome o = { 0 };
	struct skewed *s = calloc(1, sizeof(*s));
	struct task_team t;
	struct err e;

	(void)state;
	assert_non_null(s);
	assert_int_equal(task_team_create(&t, &r, &e), 0);
	task_team_run(&t, skewed_work, s);
	task_team_report(&t, &o);
	assert_true(t.threads == 1 || o.steals_done > 0);
	for (int i = 0; i < TASKS; i++)
		assert_int_equal(atomic_load(&s->done[i]), 1);
	task_team_destroy(&t);
	free(s);
}

/* ---- N-Queens ---- */

static void queens_match_published_counts(void **state)
{
	static const struct {
		int n;
		uint64_t solutions, explored;
	} known[] = {
		{ 1, 1, 1 },
		{ 2, 0, 2 },
		{ 3, 0, 5 },
		{ 4, 2, 16 },
		{ 5, 10, 53 },
		{ 6, 4, 152 },
		{ 7, 40, 551 },
		{ 8, 92, 2056 },
		{ 10, 724, 35538 },
		{ 12, 14200, 856188 },
		{ 13, 73712, 4674889 },
		{ 17, 95815104, 8017021931 } /* wider than 16 bits; omitted in sanitized builds
						because it is the slowest */
	};
	const size_t count = sizeof(known) / sizeof(known[0]) - SANITIZED;

	(void)state;
	for (size_t i = 0; i < count; i++) {
		for (int threads = 1; threads <= (known[i].n > 13 ? 1 : 4); threads++) {
			struct search_request r = { .queens = known[i].n, .threads = threads };
			struct search_outcome o;
			struct err e;
			uint64_t sum = 0;

			assert_int_equal(queens_cpu(&r, &o, &e), 0);
			assert_true(o.complete);
			assert_true(o.solutions == known[i].solutions);
			assert_true(o.explored == known[i].explored);
			for (int w = 0; w < o.workers; w++)
				sum += o.worker_explored[w];
			assert_true(sum == o.explored);
			search_outcome_free(&o);
		}
	}
}

static void a_stopped_queens_search_is_reported_as_incomplete(void **state)
{
	static const volatile sig_atomic_t raised = 1;
	struct search_request r = { .queens = 20, .threads = 2, .stop = &raised };
	struct search_outcome o;
	struct err e;

	(void)state;
	assert_int_equal(queens_cpu(&r, &o, &e), ERR_LIMIT);
	assert_false(o.complete);
	r.stop = NULL;
	stopped_by_time(queens_cpu, &r, &o, &e);
	assert_true(o.explored > 0);
	assert_int_equal(o.decomposed, 0); /* not counted: some explored nodes are still open */
	assert_non_null(strstr(e.text, "the time limit"));
	r.queens = 27;
	assert_int_equal(queens_cpu(&r, &o, &e), ERR_UNSUPPORTED);
	assert_non_null(strstr(e.text, "27"));
}

/* ---- flowshop: a plain recursive counter with bounds of its own ---- */

struct plain {
	const struct flowshop *f;
	enum fsp_bound bound;
	enum fsp_branching branching;
	int64_t ub;
	uint64_t explored, decomposed, leaves;
};

struct plain_node {
	int prefix[16], suffix[16], prefixes, suffixes; /* suffix[0] is the last job of all */
	bool placed[16];
};

static int64_t time_of(const struct plain *p, int k, int j)
{
	return p->f->time[k * p->f->jobs + j];
}

/* The time when machine k is free after the prefix; for an empty prefix, the earliest start of any
 * job on k. */
static int64_t plain_front(const struct plain *p, const struct plain_node *x, int k)
{
	int64_t at[16] = { 0 }, least = INT64_MAX;

	for (int i = 0; i < x->prefixes; i++) {
		for (int q = 0; q <= k; q++) {
			int64_t ready = q && at[q - 1] > at[q] ? at[q - 1] : at[q];

			at[q] = ready + time_of(p, q, x->prefix[i]);
		}
	}
	if (x->prefixes)
		return at[k];
	for (int j = 0; j < p->f->jobs; j++) {
		int64_t sum = 0;

		for (int q = 0; q < k; q++)
			sum += time_of(p, q, j);
		least = sum < least ? sum : least;
	}
	return least;
}

static int64_t plain_back(const struct plain *p, const struct plain_node *x, int k)
{
	int m = p->f->machines;
	int64_t at[16] = { 0 }, least = INT64_MAX;

	for (int i = 0; i < x->suffixes; i++) {
		for (int q = m - 1; q >= k; q--) {
			int64_t ready = q < m - 1 && at[q + 1] > at[q] ? at[q + 1] : at[q];

			at[q] = ready + time_of(p, q, x->suffix[i]);
		}
	}
	if (x->suffixes)
		return at[k];
	for (int j = 0; j < p->f->jobs; j++) {
		int64_t sum = 0;

		for (int q = k + 1; q < m; q++)
			sum += time_of(p, q, j);
		least = sum < least ? sum : least;
	}
	return least;
}

/* The makespan of the remaining jobs on two machines u < v with lags, in Johnson's order, which is
 * found by sorting. */
static int64_t plain_pair(const struct plain *p, const struct plain_node *x, int u, int v)
{
	int order[16], n = 0;
	int64_t lag[16] = { 0 }, t0 = plain_front(p, x, u), t1 = plain_front(p, x, v);

	for (int j = 0; j < p->f->jobs; j++) {
		int at = n;

		if (x->placed[j])
			continue;
		for (int q = u + 1; q < v; q++)
			lag[j] += time_of(p, q, j);
		/* j goes before i when min(a_j, b_i) < min(a_i, b_j) */
		for (; at > 0; at--) {
			int i = order[at - 1];
			int64_t aj = time_of(p, u, j) + lag[j], bj = time_of(p, v, j) + lag[j];
			int64_t ai = time_of(p, u, i) + lag[i], bi = time_of(p, v, i) + lag[i];
			bool first_j = aj < bj, first_i = ai < bi;

			if (!(first_j != first_i ? first_j : first_j ? aj < ai : bj > bi))
				break;
			order[at] = i;
		}
		order[at] = j;
		n++;
	}
	for (int i = 0; i < n; i++) {
		t0 += time_of(p, u, order[i]);
		t1 = (t0 + lag[order[i]] > t1 ? t0 + lag[order[i]] : t1) + time_of(p, v, order[i]);
	}
	t0 += plain_back(p, x, u);
	t1 += plain_back(p, x, v);
	return t0 > t1 ? t0 : t1;
}

static int64_t plain_bound(const struct plain *p, const struct plain_node *x)
{
	int64_t bound = 0;

	for (int k = 0; k < p->f->machines; k++) {
		int64_t one = plain_front(p, x, k) + plain_back(p, x, k);

		for (int j = 0; j < p->f->jobs; j++)
			one += x->placed[j] ? 0 : time_of(p, k, j);
		bound = one > bound ? one : bound;
	}
	for (int u = 0; u < p->f->machines && p->bound == FSP_LB2; u++) {
		for (int v = u + 1; v < p->f->machines; v++) {
			int64_t pair = plain_pair(p, x, u, v);

			bound = pair > bound ? pair : bound;
		}
	}
	return bound;
}

static struct plain_node plain_child(const struct plain_node *x, int j, bool at_end)
{
	struct plain_node c = *x;

	c.placed[j] = true;
	if (at_end)
		c.suffix[c.suffixes++] = j;
	else
		c.prefix[c.prefixes++] = j;
	return c;
}

/* Ties: MaxSum chooses the back, MinBranch the front. */
static bool plain_at_end(const struct plain *p, const struct plain_node *x)
{
	int64_t sum = 0, more = 0;

	if (p->branching == FSP_FORWARD)
		return false;
	for (int j = 0; j < p->f->jobs; j++) {
		struct plain_node b, e;
		int64_t bound_b, bound_e;

		if (x->placed[j])
			continue;
		b = plain_child(x, j, false);
		e = plain_child(x, j, true);
		bound_b = plain_bound(p, &b);
		bound_e = plain_bound(p, &e);
		sum += bound_b - bound_e;
		more += (bound_b >= p->ub) - (bound_e >= p->ub);
	}
	if (p->branching == FSP_MAXSUM)
		return sum <= 0;
	return more ? more < 0 : sum < 0;
}

static void plain_search(struct plain *p, const struct plain_node *x)
{
	bool at_end = plain_at_end(p, x);

	p->decomposed++;
	for (int j = 0; j < p->f->jobs; j++) {
		struct plain_node c;

		if (x->placed[j])
			continue;
		c = plain_child(x, j, at_end);
		if (plain_bound(p, &c) >= p->ub)
			continue;
		if (c.prefixes + c.suffixes == p->f->jobs) {
			p->leaves++;
			continue;
		}
		p->explored++;
		plain_search(p, &c);
	}
}

static bool is_schedule(const struct flowshop *f, const struct search_outcome *o)
{
	return o->order && flowshop_makespan(f, o->order) == o->best;
}

/* Nothing improves on the optimum, so the tree does not depend on the order of the search. */
static void check_tree(const struct flowshop *f, int64_t optimum, enum fsp_bound bound,
		       enum fsp_branching branching)
{
	struct plain p = { .f = f, .bound = bound, .branching = branching, .ub = optimum };
	struct plain_node root = { .prefixes = 0 };

	plain_search(&p, &root);
	assert_int_equal(p.leaves, 0);
	for (int threads = 1; threads <= 4; threads++) {
		struct search_request r = { .flowshop = f,
					    .bound = bound,
					    .branching = branching,
					    .ub = optimum,
					    .threads = threads,
					    .no_stealing = threads == 3,
					    .private_incumbent = threads == 4 };
		struct search_outcome o;
		struct err e;
		uint64_t sum = 0;

		assert_int_equal(fsp_cpu(&r, &o, &e), 0);
		for (int w = 0; w < o.workers; w++)
			sum += o.worker_explored[w];
		if (o.explored != p.explored || o.decomposed != p.decomposed || sum != o.explored)
			fail_msg("%s bound %d branching %d threads %d: %llu explored, %llu",
				 f->name, (int)bound, (int)branching, threads,
				 (unsigned long long)o.explored, (unsigned long long)p.explored);
		assert_int_equal(o.leaves, 0);
		assert_int_equal(o.best, optimum);
		assert_int_equal(o.lower_bound, optimum);
		assert_null(o.order);
		search_outcome_free(&o);
	}
}

/* Without a bound and from one above the optimum, the search finds a schedule with the optimal
 * makespan. */
static void check_optimum(const struct flowshop *f, int64_t optimum, enum fsp_bound bound,
			  enum fsp_branching branching)
{
	for (int way = 0; way < 4; way++) {
		struct search_request r = { .flowshop = f,
					    .bound = bound,
					    .branching = branching,
					    .ub = way % 2 ? optimum + 1 : SEARCH_NO_UB,
					    .private_incumbent = way == 2,
					    .threads = 1 + way };
		struct search_outcome o;
		struct err e;

		assert_int_equal(fsp_cpu(&r, &o, &e), 0);
		assert_true(o.complete);
		assert_int_equal(o.best, optimum);
		assert_true(is_schedule(f, &o));
		assert_true(o.leaves > 0);
		search_outcome_free(&o);
	}
}

static void check_instance(const char *name)
{
	struct flowshop f;
	struct err e;
	int64_t optimum;

	assert_int_equal(flowshop_load(&f, name, &e), 0);
	assert_int_equal(flowshop_brute_force(&f, &optimum, NULL, &e), 0);
	for (int bound = FSP_LB1; bound <= FSP_LB2; bound++) {
		for (int branching = FSP_FORWARD; branching <= FSP_MINBRANCH; branching++) {
			check_tree(&f, optimum, (enum fsp_bound)bound,
				   (enum fsp_branching)branching);
			check_optimum(&f, optimum, (enum fsp_bound)bound,
				      (enum fsp_branching)branching);
		}
	}
	flowshop_free(&f);
}

static void small_flowshops_match_plain_counts_and_brute_force(void **state)
{
	static const char *const sizes[] = { "1x1:9",   "1x4:9",       "2x1:9",     "3x2:5",
					     "5x1:7",   "6x3:20",      "7x5:99",    "8x4:30",
					     "7x10:99", "6x6:3000000", "7x3:40000", "8x2:3" };
	char name[64];

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (int seed = 1; seed <= 3; seed++) {
			snprintf(name, sizeof(name), "random:%s:%d", sizes[i], seed);
			check_instance(name);
		}
	}
}

static void compare_searches(const struct search_request *r, uint64_t explored, const char *what)
{
	struct search_outcome o;
	struct err e;

	if (fsp_cpu(r, &o, &e))
		fail_msg("%s: %s", what, e.text);
	if (o.explored != explored)
		fail_msg("%s: %llu explored, not %llu", what, (unsigned long long)o.explored,
			 (unsigned long long)explored);
	search_outcome_free(&o);
}

/* More jobs than a vector has lanes, than the search by set allows, or than one cell of a path
 * holds. The count of a subtree must not depend on the number of threads. */
static void wide_flowshops_match_plain_counts(void **state)
{
	static const char *const names[] = { "random:40x5:99:1", "random:70x4:60:2",
					     "random:30x3:30000:3" };
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct flowshop f;
		int64_t order[100], ub;
		struct search_outcome o;

		assert_int_equal(flowshop_load(&f, names[i], &e), 0);
		ub = fsp_neh(&f, order, &e);
		for (int branching = FSP_FORWARD; branching <= FSP_MINBRANCH; branching++) {
			struct search_request r = { .flowshop = &f,
						    .bound = FSP_LB2,
						    .ub = ub,
						    .start = order,
						    .threads = 2,
						    .time_limit = 0.1,
						    .branching = (enum fsp_branching)branching };
			int status = fsp_cpu(&r, &o, &e);

			assert_true(status == 0 || status == ERR_LIMIT);
			assert_true(is_schedule(&f, &o));
			assert_true(o.best <= ub && o.lower_bound <= o.best);
			assert_true(o.complete == (status == 0));
			search_outcome_free(&o);
		}
		flowshop_free(&f);
	}
}

/* The published counts of the second smallest tree in Table 1 of Helbecque et al., and of the same
 * tree with Gmys' branching rule. */
static void flowshop_trees_match_published_counts(void **state)
{
	struct flowshop f;
	struct err e;
	struct search_request r = { .flowshop = &f, .bound = FSP_LB2, .ub = 2178, .threads = 2 };

	(void)state;
	if (SANITIZED)
		skip();
	assert_int_equal(flowshop_load(&f, "ta030", &e), 0);
	compare_searches(&r, 13228600, "ta030 forward");
	r.bound = FSP_LB1;
	r.branching = FSP_MINBRANCH;
	compare_searches(&r, 2415778, "ta030 minbranch");
	flowshop_free(&f);
}

/* Returns the number of steals, or 1 if only one thread could be created. */
static uint64_t stolen(const struct search_request *r, const struct search_outcome *alone)
{
	struct search_outcome o;
	struct err e;
	uint64_t steals;

	assert_int_equal(fsp_cpu(r, &o, &e), 0);
	assert_int_equal(o.explored, alone->explored);
	assert_int_equal(o.decomposed, alone->decomposed);
	steals = o.workers > 1 ? o.steals_done : 1;
	search_outcome_free(&o);
	return steals;
}

static void flowshop_stealing_gives_the_same_counts(void **state)
{
	struct flowshop f;
	struct err e;
	int64_t order[20];

	(void)state;
	/* several time slices long, or one thread would do it all on a single core */
	assert_int_equal(flowshop_load(&f, "random:15x20:99:5", &e), 0);
	for (int bound = FSP_LB1; bound <= FSP_LB2; bound++) {
		struct search_request r = { .flowshop = &f,
					    .bound = (enum fsp_bound)bound,
					    .branching = FSP_MAXSUM,
					    .ub = fsp_neh(&f, order, &e),
					    .threads = 1 };
		struct search_outcome o;
		uint64_t steals = 0;

		assert_int_equal(fsp_cpu(&r, &o, &e), 0);
		r.ub = o.best; /* the tree from the optimum is the same for any threads */
		search_outcome_free(&o);
		assert_int_equal(fsp_cpu(&r, &o, &e), 0);
		r.threads = 3;
		/* a small tree may be complete before another thread asks for work */
		for (int trial = 0; trial < 2000 && steals == 0; trial++)
			steals = stolen(&r, &o);
		assert_true(steals > 0);
		search_outcome_free(&o);
	}
	flowshop_free(&f);
}

/* Deep in this tree, four batches of sets have 30,000 parents. One thread expands whole
 * batches, and several threads divide them. */
static void large_batches_of_sets_are_divided_without_loss(void **state)
{
	struct flowshop f;
	struct err e;
	struct search_request r = { .flowshop = &f, .bound = FSP_LB2, .ub = 4373 };

	(void)state;
	assert_int_equal(flowshop_load(&f, "random:12x60:99:2", &e), 0);
	for (r.threads = 1; r.threads <= 4; r.threads++)
		compare_searches(&r, 150496, "random:12x60:99:2");
	flowshop_free(&f);
}

/* With any memory limit, the search gives the right count or refuses. Too little memory for the
 * search by set is no reason to refuse: depth-first search needs only one path per thread. */
static void little_memory_gives_the_same_tree_or_an_error(void **state)
{
	struct flowshop f;
	struct err e;
	int64_t order[20], ub;
	struct search_request r = { .flowshop = &f, .bound = FSP_LB2, .threads = 2 };
	struct search_outcome o;
	int done = 0;
	uint64_t explored;

	(void)state;
	assert_int_equal(flowshop_load(&f, "random:12x6:99:4", &e), 0);
	r.ub = SEARCH_NO_UB;
	ub = fsp_neh(&f, order, &e);
	r.ub = ub;
	r.start = order;
	assert_int_equal(fsp_cpu(&r, &o, &e), 0);
	r.ub = o.best;
	search_outcome_free(&o);
	assert_int_equal(fsp_cpu(&r, &o, &e), 0);
	explored = o.explored;
	search_outcome_free(&o);
	for (r.memory = 1000; r.memory < 1 << 27; r.memory *= 3) {
		int status = fsp_cpu(&r, &o, &e);
		bool by_sets = r.memory >= 4 << 12;

		assert_true(status == 0 || (status == ERR_MEMORY && by_sets));
		assert_true(status ? o.explored <= explored : o.explored == explored);
		assert_true(status || !by_sets || o.memory_peak <= (uint64_t)r.memory);
		done += by_sets && status == 0;
		search_outcome_free(&o);
	}
	assert_true(done > 0);
	flowshop_free(&f);
}

static void a_stopped_flowshop_search_keeps_a_valid_bound(void **state)
{
	static const volatile sig_atomic_t raised = 1;
	struct flowshop f;
	struct err e;

	(void)state;
	assert_int_equal(flowshop_load(&f, "ta021", &e), 0);
	for (int branching = FSP_FORWARD; branching <= FSP_MINBRANCH; branching++) {
		struct search_request r = { .flowshop = &f,
					    .bound = FSP_LB2,
					    .ub = SEARCH_NO_UB,
					    .branching = (enum fsp_branching)branching,
					    .threads = 2,
					    .stop = &raised };
		struct search_outcome o;

		assert_int_equal(fsp_cpu(&r, &o, &e), ERR_LIMIT);
		assert_false(o.complete);
		assert_true(o.lower_bound > 0 && o.lower_bound <= 2297);
		search_outcome_free(&o);
		r.stop = NULL;
		r.time_limit = 0.05;
		assert_int_equal(fsp_cpu(&r, &o, &e), ERR_LIMIT);
		assert_true(o.lower_bound > 0 && o.lower_bound <= 2297);
		assert_true(!o.order || is_schedule(&f, &o));
		search_outcome_free(&o);
	}
	flowshop_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(task_team_steals_without_loss),
		cmocka_unit_test(queens_match_published_counts),
		cmocka_unit_test(a_stopped_queens_search_is_reported_as_incomplete),
		cmocka_unit_test(small_flowshops_match_plain_counts_and_brute_force),
		cmocka_unit_test(wide_flowshops_match_plain_counts),
		cmocka_unit_test(flowshop_trees_match_published_counts),
		cmocka_unit_test(flowshop_stealing_gives_the_same_counts),
		cmocka_unit_test(large_batches_of_sets_are_divided_without_loss),
		cmocka_unit_test(little_memory_gives_the_same_tree_or_an_error),
		cmocka_unit_test(a_stopped_flowshop_search_keeps_a_valid_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
