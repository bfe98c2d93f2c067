/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Machine pairs of the depth-first search on simulated devices: the tests of the kernels against
 * plain bounds, the samples, and searches that choose pairs as soon as they have a sample. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/tree-search/depth-first/dfs_cpu.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"
#include "tests/unit/base/temporary_folder.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/tree-search/flowshop_subtrees.h"
#include "tests/unit/tree-search/small_searches.h"

/* ---- a tree with fixed pairs ---- */

struct pruned_tree {
	struct plain_tree plain;
	const struct fsp_tables *tables;
	int pair[DFS_TESTS], pairs;
	uint64_t pruned;
};

static bool is_pruned(const struct pruned_tree *t, const struct plain_node *x)
{
	uint8_t left[FLOWSHOP_MAX_JOBS];

	for (int j = 0; j < t->plain.f->jobs; j++)
		left[j] = x->left[j];
	for (int i = 0; i < t->pairs; i++)
		if (fsp_lb2_pair(t->tables, t->pair[i], x->front, x->back, left) >= t->plain.ub)
			return true;
	return false;
}

static void count_tree(struct pruned_tree *t, const struct plain_node *x)
{
	struct plain_tree *p = &t->plain;
	int survivors[FLOWSHOP_MAX_JOBS], count;
	struct plain_node *child;
	bool at_end;

	if (is_pruned(t, x)) {
		t->pruned++;
		return;
	}
	if (p->decomposed == p->limit) {
		p->over = true;
		return;
	}
	p->decomposed++;
	count = plain_survivors(p, x, survivors, &at_end);
	if (x->prefix + x->suffix == p->f->jobs - 1) {
		p->leaves += (uint64_t)count;
		return;
	}
	p->explored += (uint64_t)count;
	child = malloc(sizeof(*child));
	assert_non_null(child);
	for (int i = 0; i < count && !p->over; i++) {
		plain_child(p->f, x, survivors[i], at_end, child);
		count_tree(t, child);
	}
	free(child);
}

/* The pair with the largest bound of the root. */
static int best_at_root(const struct fsp_tables *t)
{
	uint8_t left[FLOWSHOP_MAX_JOBS];
	int32_t most = 0;
	int best = 0;

	memset(left, 1, sizeof(left));
	for (int pair = 0; pair < t->pairs; pair++) {
		int32_t bound = fsp_lb2_pair(t, pair, t->head, t->tail, left);

		best = bound > most ? pair : best;
		most = bound > most ? bound : most;
	}
	return best;
}

/* Pairs, and a bound for which the tree with them is neither tiny nor large. Returns false if there
 * is none. */
static bool a_pruned_tree(const struct fsp_tables *tables, const struct flowshop *f, int seed,
			  struct pruned_tree *t)
{
	struct plain_node *root = malloc(sizeof(*root));
	uint64_t least = SANITIZED ? 50 : 400, most = SANITIZED ? 2000 : 20000;
	unsigned random = (unsigned)seed;

	assert_non_null(root);
	plain_root(f, root);
	*t = (struct pruned_tree){ .tables = tables, .pairs = 1 + seed % DFS_TESTS };
	for (int i = 0; i < t->pairs; i++)
		t->pair[i] = i ? rand_r(&random) % tables->pairs : best_at_root(tables);
	t->plain = (struct plain_tree){ .f = f, .ub = fsp_root_bound(tables, FSP_LB1) };
	do {
		t->pruned = 0;
		t->plain = (struct plain_tree){ .f = f,
						.branching = (enum fsp_branching)(seed % 3),
						.ub = t->plain.ub + 1,
						.limit = most };
		count_tree(t, root);
	} while (!t->plain.over && (t->plain.decomposed < least || !t->pruned));
	free(root);
	return !t->plain.over;
}

/* A device for a request, and what it needs. */
struct desk {
	struct dev_set devices;
	struct dfs_job job;
	struct dfs_mail *mail;
	struct dfs_device device;
	struct search_request request;
};

static void open_desk(struct desk *k, const struct flowshop *f, enum fsp_branching rule, int64_t ub,
		      int seed)
{
	struct err e = { 0 };

	open_devices(&k->devices, 1, "random", seed);
	k->request = (struct search_request){ .flowshop = f,
					      .bound = FSP_LB1,
					      .branching = rule,
					      .ub = ub,
					      .devices = &k->devices,
					      .pairs = true,
					      .pairs_seconds = 1e-9 };
	assert_int_equal(dfs_job_make(&k->job, &k->request, 0, seed % 2, &e), 0);
	assert_int_equal(dev_host_alloc(k->devices.dev[0], (void **)&k->mail, sizeof(*k->mail), &e),
			 0);
	*k->mail = (struct dfs_mail){ .best = INT32_MAX };
	assert_int_equal(dfs_device_open(&k->device, k->devices.dev[0], &k->job, k->mail, 1, 0, &e),
			 0);
	assert_non_null(k->device.pairs);
	put_root(&k->device, &k->job);
}

static void close_desk(struct desk *k)
{
	dfs_device_close(&k->device);
	dev_host_free(k->devices.dev[0], k->mail);
	dfs_job_free(&k->job);
	dev_set_close(&k->devices);
}

static void check_tree(const struct pruned_tree *t, int seed)
{
	struct dfs_findings found;
	struct err e = { 0 };
	struct desk k;

	open_desk(&k, t->plain.f, t->plain.branching, t->plain.ub, seed);
	for (int i = 0; i < t->pairs; i++)
		fsp_pair_prepare(&k.device.pairs->use[i], t->tables, t->pair[i]);
	k.device.pairs->count = t->pairs;
	assert_int_equal(dfs_device_use_pairs(&k.device, &e), 0);
	do
		assert_int_equal(dfs_device_round(&k.device, (int32_t)k.job.ub, &e), 0);
	while (k.device.seen->entries);
	assert_int_equal(dfs_device_findings(&k.device, &found, &e), 0);
	if (!found.tally.leaves) { /* otherwise the bound has improved */
		assert_int_equal(found.tally.decomposed, t->plain.decomposed);
		assert_int_equal(found.tally.explored, t->plain.explored);
		assert_int_equal(found.tally.pruned, t->pruned);
	}
	assert_int_equal(found.tally.explored + 1,
			 found.tally.decomposed + found.tally.pruned + found.tally.cut);
	assert_int_equal(found.tally.leaves > 0, t->plain.leaves > 0);
	free(found.order);
	close_desk(&k);
}

/* Each size of the kernels, and values that need 32 bits. */
static void nodes_are_pruned_as_by_plain_bounds(void **state)
{
	static const struct {
		int jobs, machines, most;
	} sizes[] = {
		{ 12, 2, 99 },  { 12, 10, 99 }, { 13, 16, 99 },   { 14, 20, 99 },
		{ 30, 15, 99 }, { 32, 20, 99 }, { 33, 5, 99 },    { 40, 16, 99 },
		{ 64, 20, 99 }, { 12, 30, 99 }, { 34, 40, 99 },   { 12, 60, 99 },
		{ 34, 60, 99 }, { 12, 70, 99 }, { 12, 8, 99999 }, { 36, 6, 99999 },
	};
	int checked = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		for (int seed = 1; seed <= (SANITIZED ? 1 : 4); seed++) {
			struct pruned_tree t;
			struct fsp_tables tables;
			struct flowshop f;

			small_flowshop(&f, sizes[i].jobs, sizes[i].machines, sizes[i].most,
				       seed + (int)i);
			assert_int_equal(fsp_tables_make(&tables, &f, FSP_ALL_PAIRS, NULL), 0);
			if (a_pruned_tree(&tables, &f, seed, &t)) {
				check_tree(&t, seed);
				checked++;
			}
			fsp_tables_free(&tables);
			flowshop_free(&f);
		}
	}
	printf("%d trees\n", checked);
	assert_true(checked >= (SANITIZED ? 5 : 26));
}

/* ---- samples ---- */

/* Whether node i of the sample is this child of the root. */
static bool is_child(const struct desk *k, int i, const struct plain_node *root, int job,
		     bool at_end, struct plain_node *child)
{
	const struct fsp_pair_tests *p = k->device.pairs;
	size_t m = (size_t)k->job.tables.machines;
	const int32_t *edges = p->edges + (size_t)i * 2 * m;

	plain_child(k->request.flowshop, root, job, at_end, child);
	return memcmp(edges, child->front, m * sizeof(*edges)) == 0 &&
	       memcmp(edges + m, child->back, m * sizeof(*edges)) == 0;
}

/* After one step from the root: the open nodes are some of its children, at one end. */
static void samples_are_open_nodes(void **state)
{
	struct plain_node *root = malloc(sizeof(*root)), *child = malloc(sizeof(*child));
	int seen[2] = { 0, 0 };

	(void)state;
	assert_non_null(root);
	assert_non_null(child);
	for (int seed = 1; seed <= 12; seed++) {
		int jobs = 20 + 3 * seed;
		struct flowshop f = random_flowshop(jobs, 4 + 5 * (seed % 4), 99, seed);
		struct err e = { 0 };
		struct desk k;

		open_desk(&k, &f, FSP_MINBRANCH, 20000, seed);
		k.device.round.least_batches = k.device.round.most_batches = 1;
		assert_int_equal(dfs_device_round(&k.device, (int32_t)k.job.ub, &e), 0);
		assert_int_equal(k.device.seen->entries, jobs);
		assert_int_equal(dfs_device_choose_pairs(&k.device, &e), 0);
		assert_in_range(k.device.pairs->sampled, 1, jobs);
		plain_root(&f, root);
		for (int i = 0; i < k.device.pairs->sampled; i++) {
			uint64_t all = ~UINT64_C(0) >> (64 - jobs);
			uint64_t out = all & ~k.device.pairs->set[i];
			int job = __builtin_ctzll(out);
			bool front = is_child(&k, i, root, job, false, child);

			assert_int_equal(__builtin_popcountll(out), 1);
			assert_true(front || is_child(&k, i, root, job, true, child));
			seen[!front]++;
		}
		close_desk(&k);
		flowshop_free(&f);
	}
	assert_true(seen[0] > 0 && seen[1] > 0);
	free(root);
	free(child);
}

/* ---- searches ---- */

enum { SEEDS = SANITIZED ? 4 : 18 };

static int search(const struct search_request *request, int devices, int seed,
		  struct search_outcome *o)
{
	struct search_request r = *request;
	struct dev_set set;
	struct err e = { 0 };
	int status;

	open_devices(&set, devices ? devices : 1, "random", seed);
	r.devices = &set;
	r.threads = 2;
	status = devices ? dfs_search(&r, o, &e) : dfs_cpu(&r, o, &e);
	if (status && status != ERR_LIMIT)
		fail_msg("%s", e.text);
	dev_set_close(&set);
	return status;
}

static struct search_request request_of(const struct flowshop *f, int seed)
{
	static const enum fsp_branching rules[] = { FSP_MINBRANCH, FSP_FORWARD, FSP_MAXSUM };

	return (struct search_request){
		.flowshop = f, .bound = FSP_LB1, .branching = rules[seed % 3], .ub = SEARCH_NO_UB
	};
}

/* The instances differ in how much the pairs prune. */
static void a_flowshop_for_pairs(struct flowshop *f, int seed)
{
	small_flowshop(f, 11 + seed % 4, 5 + seed % 8, 99, seed);
}

static void pairs_leave_the_optimum(void **state)
{
	uint64_t cut = 0, found_cut = 0;

	(void)state;
	for (int seed = 0; seed < SEEDS; seed++) {
		struct search_outcome lb1, o;
		struct search_request r;
		struct flowshop f;

		a_flowshop_for_pairs(&f, seed);
		r = request_of(&f, seed);
		search(&r, 0, seed, &lb1);
		r.pairs = true;
		r.pairs_seconds = 1e-9;
		search(&r, 1 + seed % 3, seed, &o);
		assert_true(o.complete);
		assert_int_equal(o.best, lb1.best);
		assert_int_equal(o.lower_bound, lb1.best);
		check_schedule(&f, &o);
		found_cut += o.cut;
		search_outcome_free(&o);
		r.ub = lb1.best; /* the proof alone */
		search(&r, 1 + seed % 3, seed, &o);
		assert_true(o.complete && o.best == lb1.best);
		assert_int_equal(o.explored + 1, o.decomposed + o.cut);
		cut += o.cut;
		search_outcome_free(&o);
		r.pairs = false;
		search(&r, 1 + seed % 3, seed, &o);
		assert_int_equal(o.cut, 0);
		search_outcome_free(&o);
		search_outcome_free(&lb1);
		flowshop_free(&f);
	}
	printf("%d and %d nodes pruned\n", (int)found_cut, (int)cut);
	assert_true(cut > 0);
}

/* Runs from the optimum that stop after some nodes, on devices and cores in turn. Every node but
 * the root was explored, and is decomposed or pruned in one of the runs. */
static void counts_add_up_over_stops(void **state)
{
	char path[96];
	uint64_t all_cut = 0;
	int stops = 0;

	(void)state;
	snprintf(path, sizeof(path), "%s/state", folder);
	for (int seed = 0; seed < SEEDS || (!all_cut && seed < 100); seed++) {
		struct search_outcome lb1, o;
		struct search_request r;
		struct flowshop f;
		uint64_t cut = 0;
		int run = 0, status;

		a_flowshop_for_pairs(&f, seed);
		r = request_of(&f, seed);
		search(&r, 0, seed, &lb1);
		r.ub = lb1.best;
		r.pairs = true;
		r.pairs_seconds = 1e-9;
		do {
			struct checkpoint_plan plan = { .write = path,
							.period = 0.001,
							.resume = run ? path : NULL };
			struct search_request mine = r;

			mine.checkpoint = &plan;
			mine.time_limit = run < 8 ? 0.002 * (run + 1) : 0;
			status = search(&mine, (run + seed) % 4, seed + run, &o);
			cut += o.cut;
			if (!status) {
				assert_true(o.complete);
				assert_int_equal(o.best, lb1.best);
				assert_int_equal(o.explored + 1, o.decomposed + cut);
			}
			search_outcome_free(&o);
			run++;
		} while (status);
		stops += run - 1;
		all_cut += cut;
		search_outcome_free(&lb1);
		flowshop_free(&f);
	}
	printf("%d stops, %d nodes pruned\n", stops, (int)all_cut);
	assert_true(stops > 0 && all_cut > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_are_pruned_as_by_plain_bounds),
		cmocka_unit_test(samples_are_open_nodes),
		cmocka_unit_test(pairs_leave_the_optimum),
		cmocka_unit_test(counts_add_up_over_stops),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
