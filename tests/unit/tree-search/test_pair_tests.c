/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Machine pairs of a depth-first search on cores: their bounds, and searches that choose some as
 * soon as they have a sample. */
#include "algorithms/tree-search/flowshop/fsp_pair_tests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/depth-first/dfs_cpu.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"
#include "harness/base/rng.h"
#include "tests/unit/base/temporary_folder.h"
#include "tests/unit/tree-search/small_searches.h"

/* ---- the bound ---- */

enum { ORDERS_OF = 6 }; /* jobs left whose orders are all tried */

/* A random node of the tree, and its jobs: [0, prefix) and [jobs - suffix, jobs) are placed. */
struct place {
	struct dfs_cpu_node node;
	int64_t order[FSP_PAIR_TESTS_JOBS];
};

static void random_place(const struct fsp_tables *t, int left, struct rng *g, struct place *p)
{
	struct dfs_cpu_node next;

	for (int j = 0; j < t->jobs; j++) {
		int other = (int)rng_below(g, (uint64_t)j + 1);

		p->order[j] = p->order[other];
		p->order[other] = j;
	}
	dfs_cpu_root(t, &p->node);
	while (p->node.left > left) {
		bool at_end = rng_below(g, 2);
		int at = at_end ? t->jobs - 1 - p->node.suffix : p->node.prefix;

		dfs_cpu_place(t, &p->node, at_end, (int)p->order[at], &next);
		p->node = next;
	}
}

/* The least makespan with the jobs from..to - 1 in any order (Heap's algorithm). */
static int64_t best_completion(const struct flowshop *f, int64_t *order, int from, int to)
{
	int64_t best = to - from < 2 ? flowshop_makespan(f, order) : INT64_MAX;

	for (int i = from; to - from >= 2 && i < to; i++) {
		int64_t x = order[from], least;

		order[from] = order[i];
		order[i] = x;
		least = best_completion(f, order, from + 1, to);
		best = least < best ? least : best;
		order[i] = order[from];
		order[from] = x;
	}
	return best;
}

static void check_bounds(const struct flowshop *f, const struct fsp_tables *t, struct place *p)
{
	uint8_t left[FSP_PAIR_TESTS_JOBS];
	struct fsp_pair pair;
	int64_t best = INT64_MAX;

	for (int j = 0; j < t->jobs; j++)
		left[j] = p->node.set[0] >> j & 1;
	if (p->node.left <= ORDERS_OF)
		best = best_completion(f, p->order, p->node.prefix, t->jobs - p->node.suffix);
	for (int i = 0; i < t->pairs; i++) {
		int32_t bound;

		fsp_pair_prepare(&pair, t, i);
		bound = fsp_pair_bound(&pair, p->node.set[0], p->node.front, p->node.back);
		assert_int_equal(bound, fsp_lb2_pair(t, i, p->node.front, p->node.back, left));
		assert_true(bound <= best);
	}
}

static void a_pair_bounds_nodes_as_lb2_does(void **state)
{
	static const int jobs[] = { 1, 5, 6, 30, 33, 64 };
	struct rng g = rng_seeded(1);

	(void)state;
	for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++) {
		struct fsp_tables t;
		struct flowshop f;

		small_flowshop(&f, jobs[i], 6, 99, (int)i);
		assert_int_equal(fsp_tables_make(&t, &f, FSP_ALL_PAIRS, NULL), 0);
		for (int left = 1; left <= jobs[i]; left += left < ORDERS_OF ? 1 : 3) {
			struct place p;

			random_place(&t, left, &g, &p);
			check_bounds(&f, &t, &p);
		}
		fsp_tables_free(&t);
		flowshop_free(&f);
	}
}

/* ---- the choice ---- */

/* The nodes of the sample that a pair prunes. */
static int pruned_by(const struct fsp_tables *t, const struct place *sample, int pair, int64_t ub)
{
	struct fsp_pair x;
	int count = 0;

	fsp_pair_prepare(&x, t, pair);
	for (int i = 0; i < FSP_PAIR_TESTS_SAMPLE; i++)
		count += fsp_pair_bound(&x, sample[i].node.set[0], sample[i].node.front,
					sample[i].node.back) >= ub;
	return count;
}

/* Chooses pairs by the sample. Returns the most nodes that a pair prunes; *chosen: those that the
 * first chosen one prunes, 0 if none was chosen. */
static int choose(const struct fsp_tables *t, const struct place *sample, int64_t ub, int *chosen)
{
	struct fsp_pair_tests *p;
	int most = 0;

	assert_int_equal(fsp_pair_tests_create(&p, t, 1e-9, NULL), 0);
	for (int i = 0; i < FSP_PAIR_TESTS_SAMPLE; i++)
		fsp_pair_tests_see(p, sample[i].node.set[0], sample[i].node.front,
				   sample[i].node.back);
	fsp_pair_tests_choose(p, ub);
	*chosen = p->count ? pruned_by(t, sample, p->use[0].pair, ub) : 0;
	fsp_pair_tests_destroy(p);
	for (int pair = 0; pair < t->pairs; pair++) {
		int count = pruned_by(t, sample, pair, ub);

		most = count > most ? count : most;
	}
	return most;
}

static void the_pair_that_prunes_most_is_chosen_if_it_pays(void **state)
{
	struct place *sample = malloc(FSP_PAIR_TESTS_SAMPLE * sizeof(*sample));
	struct rng g = rng_seeded(2);
	int on = 0, off = 0;
	struct fsp_tables t;
	struct flowshop f;

	(void)state;
	assert_non_null(sample);
	small_flowshop(&f, 20, 8, 99, 1);
	assert_int_equal(fsp_tables_make(&t, &f, FSP_ALL_PAIRS, NULL), 0);
	for (int i = 0; i < FSP_PAIR_TESTS_SAMPLE; i++)
		random_place(&t, 10 + i % 8, &g, &sample[i]);
	for (int64_t ub = 1000; ub < 2500; ub += 25) {
		int chosen, most = choose(&t, sample, ub, &chosen);

		assert_int_equal(chosen, most > 0.3 * FSP_PAIR_TESTS_SAMPLE ? most : 0);
		on += chosen > 0;
		off += chosen == 0;
	}
	assert_true(on > 5 && off > 5);
	free(sample);
	fsp_tables_free(&t);
	flowshop_free(&f);
}

/* ---- searches ---- */

enum { SEEDS = UNDER_TSAN ? 8 : 24 };

static void search(const struct search_request *r, struct search_outcome *o)
{
	struct err e = { 0 };
	int status = dfs_cpu(r, o, &e);

	if (status && status != ERR_LIMIT)
		fail_msg("%s", e.text);
}

static struct search_request request_of(const struct flowshop *f, int seed)
{
	static const enum fsp_branching rules[] = { FSP_MINBRANCH, FSP_FORWARD, FSP_MAXSUM };

	return (struct search_request){ .flowshop = f,
					.bound = FSP_LB1,
					.branching = rules[seed % 3],
					.ub = SEARCH_NO_UB,
					.threads = 1,
					.seed = (uint64_t)seed };
}

/* The instances differ in how much the pairs prune. */
static void a_flowshop_for_pairs(struct flowshop *f, int seed)
{
	small_flowshop(f, 9 + seed % 4, 5 + seed % 8, 99, seed);
}

static void pairs_leave_the_optimum(void **state)
{
	uint64_t cut = 0;

	(void)state;
	for (int seed = 0; seed < SEEDS; seed++) {
		struct search_outcome lb1, o;
		struct search_request r;
		struct flowshop f;

		a_flowshop_for_pairs(&f, seed);
		r = request_of(&f, seed);
		search(&r, &lb1);
		assert_int_equal(lb1.cut, 0);
		r.pairs = true;
		r.pairs_seconds = 1e-9;
		r.threads = seed % 2 ? 3 : 1;
		search(&r, &o);
		assert_true(o.complete);
		assert_int_equal(o.best, lb1.best);
		assert_int_equal(o.lower_bound, lb1.best);
		check_schedule(&f, &o);
		cut += o.cut;
		search_outcome_free(&o);
		r.ub = lb1.best; /* the proof alone */
		search(&r, &o);
		assert_true(o.complete && o.best == lb1.best);
		cut += o.cut;
		search_outcome_free(&o);
		search_outcome_free(&lb1);
		flowshop_free(&f);
	}
	assert_true(cut > 0);
}

/* One run that stops after `limit` nodes (0: none), continued from the file unless `first`. */
static bool run_for(struct search_request r, const char *path, bool first, uint64_t limit,
		    struct search_outcome *o)
{
	struct checkpoint_plan plan = { .write = path,
					.period = 1000,
					.resume = first ? NULL : path };

	r.checkpoint = &plan;
	assert_int_equal(watch_create(&r.watch, limit, NULL), 0);
	search(&r, o);
	watch_destroy(r.watch);
	return o->complete;
}

static void stopped_searches_find_the_optimum(void **state)
{
	char path[96];
	uint64_t cut = 0;
	int stops = 0;

	(void)state;
	snprintf(path, sizeof(path), "%s/state", folder);
	for (int seed = 0; seed < SEEDS; seed++) {
		struct search_outcome lb1, o;
		struct search_request r;
		struct flowshop f;
		bool complete;

		a_flowshop_for_pairs(&f, seed);
		r = request_of(&f, seed);
		search(&r, &lb1);
		/* the first run is one of LB1 alone */
		complete = run_for(r, path, true, lb1.decomposed / 8 + 1, &o);
		r.pairs = true;
		r.pairs_seconds = 1e-9;
		for (int run = 0; !complete; run++, stops++) {
			search_outcome_free(&o);
			r.threads = 1 + 2 * (run % 2);
			complete =
				run_for(r, path, false, run < 3 ? lb1.decomposed / 4 + 1 : 0, &o);
			cut += o.cut;
		}
		assert_int_equal(o.best, lb1.best);
		check_schedule(&f, &o);
		search_outcome_free(&o);
		search_outcome_free(&lb1);
		flowshop_free(&f);
	}
	assert_true(stops > SEEDS && cut > 0);
}

/* Its counts would not be those of its tree. */
static void lb1_does_not_continue_a_search_with_pairs(void **state)
{
	struct checkpoint_plan plan = { .write = NULL };
	struct search_outcome o;
	struct search_request r;
	struct err e = { 0 };
	struct flowshop f;
	char path[96];

	(void)state;
	snprintf(path, sizeof(path), "%s/pairs", folder);
	a_flowshop_for_pairs(&f, 3);
	r = request_of(&f, 3);
	r.pairs = true;
	run_for(r, path, true, 20, &o);
	search_outcome_free(&o);
	r.pairs = false;
	r.checkpoint = &plan;
	plan.resume = path;
	assert_int_equal(dfs_cpu(&r, &o, &e), ERR_INPUT);
	assert_non_null(strstr(e.text, "tree is lb1-pairs-minbranch, not lb1-minbranch"));
	search_outcome_free(&o);
	flowshop_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pair_bounds_nodes_as_lb2_does),
		cmocka_unit_test(the_pair_that_prunes_most_is_chosen_if_it_pays),
		cmocka_unit_test(pairs_leave_the_optimum),
		cmocka_unit_test(stopped_searches_find_the_optimum),
		cmocka_unit_test(lb1_does_not_continue_a_search_with_pairs),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
