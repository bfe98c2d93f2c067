/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The depth-first flowshop search on simulated devices, against a plain counter and against all
 * orders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/helbecque-pool/pool_search.h"
#include "algorithms/tree-search/depth-first/dfs_search.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/tree-search/small_searches.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"
#include "algorithms/tree-search/flowshop/fsp_greedy.h"

/* ---- the plain counter ---- */

enum { PLAIN_JOBS = 12 };

struct plain {
	const struct flowshop *f;
	enum fsp_bound bound;
	enum fsp_branching branching;
	int64_t ub;
	uint64_t explored, decomposed, leaves;
};

static int64_t plain_time(const struct plain *p, int job, int machine)
{
	return p->f->time[machine * p->f->jobs + job];
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Earliest completion of the prefix on `machine`; for an empty prefix the least head of all
 * jobs. */
static int64_t plain_front(const struct plain *p, const int *jobs, int count, int machine)
{
	int64_t end[FLOWSHOP_MAX_MACHINES] = { 0 }, least = INT64_MAX;

	for (int j = 0; !count && j < p->f->jobs; j++) {
		int64_t head = 0;

		for (int k = 0; k < machine; k++)
			head += plain_time(p, j, k);
		least = head < least ? head : least;
	}
	for (int i = 0; i < count; i++) {
		for (int k = 0; k <= machine; k++)
			end[k] = larger(end[k], k ? end[k - 1] : 0) + plain_time(p, jobs[i], k);
	}
	return count ? end[machine] : least;
}

/* The same from the end; jobs[0] is the last job of the order. */
static int64_t plain_back(const struct plain *p, const int *jobs, int count, int machine)
{
	int last = p->f->machines - 1;
	int64_t end[FLOWSHOP_MAX_MACHINES + 1] = { 0 }, least = INT64_MAX;

	for (int j = 0; !count && j < p->f->jobs; j++) {
		int64_t tail = 0;

		for (int k = last; k > machine; k--)
			tail += plain_time(p, j, k);
		least = tail < least ? tail : least;
	}
	for (int i = 0; i < count; i++) {
		for (int k = last; k >= machine; k--)
			end[k] = larger(end[k], end[k + 1]) + plain_time(p, jobs[i], k);
	}
	return count ? end[machine] : least;
}

/* Two machines with lags, the jobs of `left` in Johnson's order: repeatedly selects the next
 * job. */
static int64_t plain_pair(const struct plain *p, const bool *left, int u, int v, int64_t t0,
			  int64_t t1, int64_t after_u, int64_t after_v)
{
	bool open[PLAIN_JOBS];

	memcpy(open, left, sizeof(open));
	for (;;) {
		int next = -1;
		int64_t next_lag = 0, next_key = 0;

		for (int j = 0; j < p->f->jobs; j++) {
			int64_t lag = 0, a, b, key;

			if (!open[j])
				continue;
			for (int k = u + 1; k < v; k++)
				lag += plain_time(p, j, k);
			a = plain_time(p, j, u) + lag;
			b = plain_time(p, j, v) + lag;
			key = a < b ? a : (INT64_C(1) << 40) - b;
			if (next < 0 || key < next_key) {
				next = j;
				next_key = key;
				next_lag = lag;
			}
		}
		if (next < 0)
			return larger(t0 + after_u, t1 + after_v);
		open[next] = false;
		t0 += plain_time(p, next, u);
		t1 = larger(t1, t0 + next_lag) + plain_time(p, next, v);
	}
}

static int64_t plain_bound(const struct plain *p, const int *front, int fronts, const int *back,
			   int backs, const bool *left)
{
	int m = p->f->machines;
	int64_t bound = 0;

	for (int k = 0; k < m; k++) {
		int64_t sum = plain_front(p, front, fronts, k) + plain_back(p, back, backs, k);

		for (int j = 0; j < p->f->jobs; j++)
			sum += left[j] ? plain_time(p, j, k) : 0;
		bound = larger(bound, sum);
	}
	for (int u = 0; p->bound == FSP_LB2 && u < m; u++) {
		for (int v = u + 1; v < m; v++)
			bound = larger(bound,
				       plain_pair(p, left, u, v, plain_front(p, front, fronts, u),
						  plain_front(p, front, fronts, v),
						  plain_back(p, back, backs, u),
						  plain_back(p, back, backs, v)));
	}
	return bound;
}

/* front and back have room for one more job */
static void plain_count(struct plain *p, int *front, int fronts, int *back, int backs, bool *left)
{
	int64_t by_front[PLAIN_JOBS], by_back[PLAIN_JOBS], difference = 0;
	int n = p->f->jobs, cut = 0, side;

	p->decomposed++;
	for (int j = 0; j < n; j++) {
		if (!left[j])
			continue;
		left[j] = false;
		front[fronts] = back[backs] = j;
		by_front[j] = plain_bound(p, front, fronts + 1, back, backs, left);
		by_back[j] = plain_bound(p, front, fronts, back, backs + 1, left);
		left[j] = true;
		difference += by_front[j] - by_back[j];
		cut += (by_front[j] >= p->ub) - (by_back[j] >= p->ub);
	}
	if (p->branching == FSP_FORWARD)
		side = 0;
	else if (p->branching == FSP_MAXSUM)
		side = difference <= 0;
	else
		side = cut ? cut < 0 : difference < 0;
	for (int j = 0; j < n; j++) {
		if (!left[j] || (side ? by_back[j] : by_front[j]) >= p->ub)
			continue;
		if (fronts + backs + 1 == n) {
			p->leaves++;
			continue;
		}
		p->explored++;
		left[j] = false;
		if (side)
			back[backs] = j;
		else
			front[fronts] = j;
		plain_count(p, front, fronts + !side, back, backs + side, left);
		left[j] = true;
	}
}

static struct plain plain_search(const struct flowshop *f, enum fsp_bound bound,
				 enum fsp_branching branching, int64_t ub)
{
	struct plain p = { .f = f, .bound = bound, .branching = branching, .ub = ub };
	int front[PLAIN_JOBS + 1], back[PLAIN_JOBS + 1];
	bool left[PLAIN_JOBS];

	assert_true(f->jobs <= PLAIN_JOBS);
	for (int j = 0; j < PLAIN_JOBS; j++)
		left[j] = j < f->jobs;
	plain_count(&p, front, 0, back, 0, left);
	return p;
}

/* ---- running ---- */

static int64_t optimum_of(const struct flowshop *f)
{
	int64_t optimum;

	assert_int_equal(flowshop_brute_force(f, &optimum, NULL, NULL), 0);
	return optimum;
}

static struct search_outcome search(const struct search_request *r)
{
	struct search_outcome o;
	struct err e = { 0 };

	if (dfs_search(r, &o, &e))
		fail_msg("%s", e.text);
	assert_true(o.complete);
	assert_int_equal(o.lower_bound, o.best);
	return o;
}

static void check_counts(const struct flowshop *f, const struct dev_set *devices, int64_t ub,
			 int64_t memory)
{
	for (int bound = FSP_LB1; bound <= FSP_LB2; bound++) {
		for (int branching = FSP_FORWARD; branching <= FSP_MINBRANCH; branching++) {
			struct plain p = plain_search(f, (enum fsp_bound)bound,
						      (enum fsp_branching)branching, ub);
			struct search_request r = {
				.flowshop = f,
				.bound = (enum fsp_bound)bound,
				.branching = (enum fsp_branching)branching,
				.ub = ub,
				.devices = devices,
				.memory = memory,
			};
			struct search_outcome o = search(&r);

			assert_int_equal(o.best, ub);
			assert_null(o.order);
			assert_int_equal(o.decomposed, p.decomposed);
			assert_int_equal(o.explored, p.explored);
			assert_int_equal(o.leaves, 0);
			assert_int_equal(p.leaves, 0);
			search_outcome_free(&o);
		}
	}
}

static void check_optimum(const struct flowshop *f, const struct dev_set *devices, int64_t optimum,
			  int64_t ub, const int64_t *start, enum fsp_bound bound,
			  enum fsp_branching branching)
{
	struct search_request r = { .flowshop = f,
				    .bound = bound,
				    .branching = branching,
				    .ub = ub,
				    .start = start,
				    .devices = devices };
	struct search_outcome o = search(&r);

	assert_int_equal(o.best, optimum);
	assert_non_null(o.order);
	assert_int_equal(flowshop_makespan(f, o.order), optimum);
	search_outcome_free(&o);
}

/* ---- tests ---- */

static void counts_match_serial_at_the_optimum(void **state)
{
	static const char *const names[] = {
		"random:7x3:20:1", "random:8x5:99:2",  "random:8x11:9:3",
		"random:5x2:5:4",  "random:6x1:30:5",  "random:2x4:30:6",
		"random:1x3:30:7", "random:7x22:50:8", "random:7x16:50:9",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct flowshop f = loaded_flowshop(names[i]);
		struct dev_set devices;

		open_devices(&devices, 1 + (int)i % 3, i % 2 ? "random" : "order", (int)i + 1);
		check_counts(&f, &devices, optimum_of(&f), 0);
		dev_set_close(&devices);
		flowshop_free(&f);
	}
}

/* Known counts of a 50 x 20 instance below its optimum, with LB1 and MinBranch. */
static void ta056_trees_have_known_counts(void **state)
{
	static const struct {
		int64_t ub;
		uint64_t decomposed;
	} known[] = { { 3560, 42 }, { 3590, 405 }, { 3620, 8042 } };
	struct flowshop f = loaded_flowshop("ta056");
	struct dev_set devices;

	(void)state;
	open_devices(&devices, 2, "random", 3);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct search_request r = { .flowshop = &f,
					    .bound = FSP_LB1,
					    .ub = known[i].ub,
					    .branching = FSP_MINBRANCH,
					    .devices = &devices };
		struct search_outcome o = search(&r);

		assert_int_equal(o.decomposed, known[i].decomposed);
		assert_int_equal(o.explored, known[i].decomposed - 1);
		search_outcome_free(&o);
	}
	dev_set_close(&devices);
	flowshop_free(&f);
}

static uint64_t explored_by_all(const struct search_outcome *o)
{
	uint64_t sum = 0;

	for (int i = 0; i < o->workers; i++)
		sum += o->worker_explored[i];
	return sum;
}

/* Searches on three devices. Returns whether each of them searched a part. */
static bool all_take_part(const struct flowshop *f, const struct dev_set *devices, bool stealing)
{
	struct search_request r = { .flowshop = f,
				    .bound = FSP_LB1,
				    .ub = 3635,
				    .branching = FSP_MINBRANCH,
				    .devices = devices,
				    .no_stealing = !stealing,
				    .private_incumbent = stealing };
	struct search_outcome o = search(&r);
	bool all = true;

	assert_int_equal(o.decomposed, 90044);
	assert_int_equal(o.workers, 3);
	assert_int_equal(explored_by_all(&o), o.explored);
	assert_in_range(o.steals_done, 0, o.steals_tried);
	if (!stealing)
		assert_int_equal(o.steals_done, 2);
	for (int i = 0; i < 3; i++)
		all = all && o.worker_explored[i] > 0;
	if (all)
		assert_in_range(o.steals_done, 2, o.steals_tried);
	search_outcome_free(&o);
	return all;
}

/* On busy cores the thread of a device may begin when the tree has been searched. */
static void several_devices_share_the_tree(void **state)
{
	enum { ATTEMPTS = 10 };
	struct flowshop f = loaded_flowshop("ta056");
	struct dev_set devices;
	int attempt = 0;

	(void)state;
	open_devices(&devices, 3, "random", 11);
	assert_true(all_take_part(&f, &devices, false));
	while (!all_take_part(&f, &devices, true))
		assert_true(++attempt < ATTEMPTS);
	dev_set_close(&devices);
	flowshop_free(&f);
}

/* Stacks so small that steps become narrow, and memory too small for any search. */
static void counts_match_serial_in_little_memory(void **state)
{
	struct flowshop small = loaded_flowshop("random:8x5:99:2"),
			large = loaded_flowshop("ta056");
	struct dev_set devices;
	struct search_request r = { .flowshop = &large,
				    .bound = FSP_LB1,
				    .ub = 3590,
				    .branching = FSP_MINBRANCH,
				    .devices = &devices,
				    .memory = 140000 };
	struct search_outcome o;
	struct err e;

	(void)state;
	open_devices(&devices, 2, "random", 7);
	check_counts(&small, &devices, optimum_of(&small), 60000);
	o = search(&r);
	assert_int_equal(o.decomposed, 405);
	search_outcome_free(&o);
	r.memory = 1000;
	assert_int_equal(dfs_search(&r, &o, &e), ERR_MEMORY);
	search_outcome_free(&o);
	dev_set_close(&devices);
	flowshop_free(&small);
	flowshop_free(&large);
}

static void stopped_searches_return_a_lower_bound(void **state)
{
	volatile sig_atomic_t stop = 1;
	struct flowshop f = loaded_flowshop("ta056");
	struct dev_set devices;

	(void)state;
	open_devices(&devices, 2, "random", 9);
	for (int bound = FSP_LB1; bound <= FSP_LB2; bound++) {
		struct search_request r = { .flowshop = &f,
					    .bound = (enum fsp_bound)bound,
					    .branching = FSP_FORWARD,
					    .ub = SEARCH_NO_UB,
					    .devices = &devices,
					    .stop = bound ? &stop : NULL,
					    .time_limit = bound ? 0 : 0.2 };
		struct search_outcome o;
		struct err e;

		assert_int_equal(dfs_search(&r, &o, &e), ERR_LIMIT);
		assert_false(o.complete);
		assert_in_range(o.lower_bound, 3400, 3679);
		assert_true(o.best >= 3679);
		assert_int_equal(flowshop_makespan(&f, o.order), o.best);
		if (bound)
			assert_in_range(o.decomposed, 0, 10000);
		search_outcome_free(&o);
	}
	dev_set_close(&devices);
	flowshop_free(&f);
}

/* A node outgrows shared memory and takes long by itself. */
static void the_largest_instance_stops_in_time(void **state)
{
	struct flowshop f = loaded_flowshop("taillard:500x60:3");
	struct dev_set devices;
	struct search_request r = { .flowshop = &f,
				    .bound = FSP_LB2,
				    .branching = FSP_FORWARD,
				    .ub = SEARCH_NO_UB,
				    .devices = &devices };
	struct search_outcome o;
	struct err e;

	(void)state;
	open_devices(&devices, 1, "order", 1);
	stopped_by_time(dfs_search, &r, &o, &e);
	assert_int_equal(flowshop_makespan(&f, o.order), o.best);
	assert_in_range(o.lower_bound, 1, o.best);
	assert_true(o.decomposed > 0);
	search_outcome_free(&o);
	dev_set_close(&devices);
	flowshop_free(&f);
}

static void unsupported_requests_are_refused(void **state)
{
	struct flowshop f = loaded_flowshop("random:3x3:9:1");
	struct dev_set devices;
	struct search_request r = { .flowshop = &f, .ub = SEARCH_NO_UB, .devices = &devices };
	struct search_outcome o;
	struct err e;

	(void)state;
	open_devices(&devices, 1, "order", 1);
	r.gpus = 2;
	assert_int_equal(dfs_search(&r, &o, &e), ERR_USAGE);
	r.gpus = 0;
	r.ub = -1;
	assert_int_equal(dfs_search(&r, &o, &e), ERR_USAGE);
	r.flowshop = NULL;
	assert_int_equal(dfs_search(&r, &o, &e), ERR_USAGE);
	dev_set_close(&devices);
	flowshop_free(&f);
}

/* Times of 20 bits do not fit 16-bit pairs. */
static void counts_match_serial_with_32_bit_times(void **state)
{
	struct flowshop f = loaded_flowshop("random:7x4:999999:1");
	struct dev_set devices;

	(void)state;
	open_devices(&devices, 2, "random", 5);
	check_counts(&f, &devices, optimum_of(&f), 0);
	dev_set_close(&devices);
	flowshop_free(&f);
}

static void the_optimum_is_found_from_any_start(void **state)
{
	(void)state;
	for (int seed = 1; seed <= (UNDER_TSAN ? 3 : 6); seed++) {
		char name[64];
		struct flowshop f;
		struct dev_set devices;
		int64_t optimum;
		enum fsp_branching branching = (enum fsp_branching)(seed % 3);
		enum fsp_bound bound = (enum fsp_bound)(seed % 2);

		snprintf(name, sizeof(name), "random:8x%d:%d:%d", 1 + seed, seed * 30, seed);
		f = loaded_flowshop(name);
		optimum = optimum_of(&f);
		open_devices(&devices, 1 + seed % 3, "random", seed);
		check_optimum(&f, &devices, optimum, SEARCH_NO_UB, NULL, bound, branching);
		check_optimum(&f, &devices, optimum, optimum + 1, NULL, bound, branching);
		check_optimum(&f, &devices, optimum, 20000, NULL, bound, branching);
		dev_set_close(&devices);
		flowshop_free(&f);
	}
}

/* Every size that the kernels distinguish, against the serial search, with a ub that leaves a small
 * tree. */
static void larger_instances_match_serial(void **state)
{
	static const struct {
		const char *name;
		enum fsp_bound bound;
		enum fsp_branching branching;
		int64_t above; /* ub minus the bound of the root */
	} cases[] = {
		{ "taillard:40x50:5", FSP_LB1, FSP_MINBRANCH, 480 },
		{ "taillard:70x60:5", FSP_LB1, FSP_MINBRANCH, 420 },
		{ "taillard:80x35:77", FSP_LB1, FSP_MINBRANCH, 140 },
		{ "taillard:40x35:3", FSP_LB1, FSP_MAXSUM, 60 },
		{ "taillard:40x16:3", FSP_LB1, FSP_MINBRANCH, 145 },
		{ "ta101", FSP_LB1, FSP_MINBRANCH, 130 },
		{ "ta071", FSP_LB1, FSP_MAXSUM, 11 },
		{ "taillard:300x60:3", FSP_LB1, FSP_MINBRANCH, 160 },
		{ "taillard:70x20:3", FSP_LB2, FSP_MINBRANCH, 160 },
		{ "taillard:70x20:3", FSP_LB2, FSP_FORWARD, 150 },
		{ "taillard:500x20:3", FSP_LB2, FSP_MINBRANCH, 50 },
		{ "taillard:400x60:3", FSP_LB1, FSP_MINBRANCH, 160 },
	};
	struct dev_set devices;

	(void)state;
	open_devices(&devices, 1, "random", 12);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i += UNDER_TSAN ? 4 : 1) {
		struct flowshop f = loaded_flowshop(cases[i].name);
		struct search_request r = { .flowshop = &f,
					    .bound = cases[i].bound,
					    .branching = cases[i].branching,
					    .devices = &devices };
		struct search_outcome deep, serial;
		struct fsp_tables t;
		struct err e;

		assert_int_equal(fsp_tables_make(&t, &f, FSP_ALL_PAIRS, &e), 0);
		r.ub = fsp_lb1(t.head, t.total, t.tail, t.machines) + cases[i].above;
		fsp_tables_free(&t);
		assert_int_equal(pool_search_serial(&r, &serial, &e), 0);
		assert_int_equal(serial.best, r.ub);
		deep = search(&r);
		assert_int_equal(deep.best, r.ub);
		assert_int_equal(deep.explored, serial.explored);
		assert_int_equal(deep.decomposed, serial.decomposed);
		assert_true(deep.explored > 1);
		search_outcome_free(&deep);
		search_outcome_free(&serial);
		flowshop_free(&f);
	}
	dev_set_close(&devices);
}

/* The caller decides where a search starts: without ub it runs no heuristic. */
static void without_a_bound_no_heuristic_is_run(void **state)
{
	struct flowshop f = loaded_flowshop("random:8x5:99:2");
	struct search_request r = { .flowshop = &f, .bound = FSP_LB1, .branching = FSP_FORWARD };
	struct search_outcome from_neh, from_nothing;
	struct dev_set devices;
	int64_t order[8];
	struct err e;

	(void)state;
	open_devices(&devices, 1, "order", 1);
	r.devices = &devices;
	r.ub = fsp_neh(&f, order, &e);
	from_neh = search(&r);
	r.ub = SEARCH_NO_UB;
	from_nothing = search(&r);
	assert_true(from_nothing.explored > from_neh.explored);
	assert_int_equal(from_nothing.best, from_neh.best);
	assert_int_equal(flowshop_makespan(&f, from_nothing.order), from_nothing.best);
	search_outcome_free(&from_neh);
	search_outcome_free(&from_nothing);
	dev_set_close(&devices);
	flowshop_free(&f);
}

/* A known name with other times: the known optimum proves nothing. */
static void a_known_name_with_other_times_proves_nothing(void **state)
{
	struct flowshop f = loaded_flowshop("random:8x5:99:2");
	struct dev_set devices;
	int64_t optimum = optimum_of(&f);

	(void)state;
	open_devices(&devices, 1, "random", 4);
	snprintf(f.name, sizeof(f.name), "ta001");
	assert_true(optimum + 1 < flowshop_known("ta001")->upper);
	check_optimum(&f, &devices, optimum, optimum + 1, NULL, FSP_LB1, FSP_MINBRANCH);
	dev_set_close(&devices);
	flowshop_free(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_match_serial_at_the_optimum),
		cmocka_unit_test(counts_match_serial_with_32_bit_times),
		cmocka_unit_test(several_devices_share_the_tree),
		cmocka_unit_test(counts_match_serial_in_little_memory),
		cmocka_unit_test(stopped_searches_return_a_lower_bound),
		cmocka_unit_test(the_largest_instance_stops_in_time),
		cmocka_unit_test(unsupported_requests_are_refused),
		cmocka_unit_test(ta056_trees_have_known_counts),
		cmocka_unit_test(the_optimum_is_found_from_any_start),
		cmocka_unit_test(without_a_bound_no_heuristic_is_run),
		cmocka_unit_test(a_known_name_with_other_times_proves_nothing),
		cmocka_unit_test(larger_instances_match_serial),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
