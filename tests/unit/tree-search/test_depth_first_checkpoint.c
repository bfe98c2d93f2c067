/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoints of the depth-first flowshop search on simulated devices: runs that are stopped
 * anywhere and resumed on other devices count the whole tree exactly once. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/depth-first/dfs_cpu.h"
#include "algorithms/tree-search/depth-first/dfs_search.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/tree-search/small_searches.h"
#include "tests/unit/base/temporary_folder.h"

/* ---- running ---- */

struct tree {
	struct search_request request;
	uint64_t decomposed, explored;
	int64_t best;
};

/* The tree from its optimum, and the counts of an undisturbed run. */
static struct tree whole_tree(const struct flowshop *f, enum fsp_bound bound,
			      enum fsp_branching branching, int64_t ub)
{
	struct tree t = {
		.request = { .flowshop = f, .bound = bound, .branching = branching, .ub = ub }
	};
	struct dev_set devices;
	struct search_outcome o;
	struct err e = { 0 };

	open_devices(&devices, 1, "order", 1);
	t.request.devices = &devices;
	if (dfs_search(&t.request, &o, &e))
		fail_msg("%s", e.text);
	t.decomposed = o.decomposed;
	t.explored = o.explored;
	t.best = o.best;
	search_outcome_free(&o);
	dev_set_close(&devices);
	return t;
}

/* One run of at most `seconds` on `count` devices (0: on two threads), resumed from the file unless
 * `first`. Returns its status. */
static int run_for(const struct tree *t, const char *path, bool first, double seconds, int count,
		   int64_t memory, struct search_outcome *o)
{
	struct checkpoint_plan plan = { .write = path,
					.period = 0.001,
					.resume = first ? NULL : path };
	struct search_request r = t->request;
	struct dev_set devices;
	struct err e = { 0 };
	int status;

	open_devices(&devices, count ? count : 1, "random", count);
	r.devices = &devices;
	r.time_limit = seconds;
	r.memory = memory;
	r.checkpoint = &plan;
	r.threads = 2;
	status = count ? dfs_search(&r, o, &e) : dfs_cpu(&r, o, &e);
	if (status && status != ERR_LIMIT)
		fail_msg("%s", e.text);
	dev_set_close(&devices);
	return status;
}

static void check_whole(const struct tree *t, const struct search_outcome *o)
{
	assert_true(o->complete);
	assert_int_equal(o->best, t->best);
	assert_int_equal(o->decomposed, t->decomposed);
	assert_int_equal(o->explored, t->explored);
}

static void check_finished_file(const struct tree *t, const char *path)
{
	struct checkpoint c;
	struct err e = { 0 };

	assert_int_equal(checkpoint_read(&c, path, &e), 0);
	assert_int_equal(c.count, 0);
	assert_int_equal(c.decomposed, t->decomposed);
	checkpoint_free(&c);
}

/* Stops and resumes until the tree is searched. Returns the number of stops. */
static int stop_and_go(const struct tree *t, const char *path, int seed)
{
	int stops = 0, status;

	do {
		struct search_outcome o;
		/* longer and longer, so that a slow machine finishes too */
		double seconds = 1e-4 * (1 + stops / 10) * (1 + rand_r((unsigned *)&seed) % 20);
		int count = 1 + rand_r((unsigned *)&seed) % 3;

		status = run_for(t, path, !stops, seconds, count, seed % 2 ? 0 : 60000, &o);
		if (!status)
			check_whole(t, &o);
		else
			assert_true(o.decomposed < t->decomposed && o.lower_bound <= t->best);
		stops += status != 0;
		search_outcome_free(&o);
	} while (status);
	check_finished_file(t, path);
	return stops;
}

/* ---- tests ---- */

static void counts_add_up_over_many_stops(void **state)
{
	char path[128];
	int stops = 0, wanted = UNDER_TSAN ? 8 : SANITIZED ? 20 : 100;

	(void)state;
	snprintf(path, sizeof(path), "%s/stops", folder);
	for (int seed = 1; stops < wanted; seed++) {
		char name[64];
		struct flowshop f;
		struct tree t;
		int64_t optimum;

		snprintf(name, sizeof(name), "random:9x%d:%d:%d", 3 + seed % 9,
			 seed % 4 ? 60 : 999999, seed);
		f = loaded_flowshop(name);
		assert_int_equal(flowshop_brute_force(&f, &optimum, NULL, NULL), 0);
		t = whole_tree(&f, (enum fsp_bound)(seed % 2), (enum fsp_branching)(seed % 3),
			       optimum);
		if (t.decomposed >
		    1) /* otherwise the root's bound is already a proof, at any stop */
			stops += stop_and_go(&t, path, seed);
		flowshop_free(&f);
		assert_true(seed < 2000);
	}
	printf("%d stops\n", stops);
}

/* Trees of 20 to 200 jobs, so with moves of one byte and of two. Every second run is on cores,
 * which make the fronts and backs of the open nodes from their orders: an order with a wrong job or
 * side would change the count. */
static void devices_and_cores_take_turns(void **state)
{
	static const struct {
		const char *name;
		int64_t ub;
	} trees[] = { { "ta030", 2120 },
		      { "ta056", 3615 },
		      { "ta081", 6045 },
		      { "taillard:200x20:1", 11278 } };
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/turns", folder);
	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
		struct flowshop f = loaded_flowshop(trees[i].name);
		struct tree t = whole_tree(&f, FSP_LB1, FSP_MINBRANCH, trees[i].ub);
		int runs = 0, status;

		do {
			struct search_outcome o;
			double seconds = runs < 8 ? 0.002 * (1 + runs) : 0;
			int devices = runs % 2 ? 0 : 1 + runs % 3;

			status = run_for(&t, path, !runs, seconds, devices, 0, &o);
			if (!status)
				check_whole(&t, &o);
			search_outcome_free(&o);
			runs++;
		} while (status);
		check_finished_file(&t, path);
		printf("%s: %d runs\n", trees[i].name, runs);
		flowshop_free(&f);
	}
}

/* A process that is killed at any moment leaves a state that can be resumed. */
static void counts_add_up_after_kills(void **state)
{
	struct flowshop f = loaded_flowshop("ta056");
	struct tree t = whole_tree(&f, FSP_LB1, FSP_MINBRANCH, 3620);
	struct search_outcome o;
	char path[128];
	int kills = SANITIZED ? 3 : 12;

	(void)state;
	snprintf(path, sizeof(path), "%s/kills", folder);
	for (int i = 0; i < kills; i++) {
		pid_t child = fork();

		assert_true(child >= 0);
		if (!child) {
			run_for(&t, path, access(path, F_OK) != 0, 0, 1 + i % 3, 0, &o);
			_exit(0);
		}
		usleep((useconds_t)(1000 * (1 + i * 7 % 40)));
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	assert_int_equal(run_for(&t, path, access(path, F_OK) != 0, 0, 2, 0, &o), 0);
	check_whole(&t, &o);
	search_outcome_free(&o);
	check_finished_file(&t, path);
	flowshop_free(&f);
}

/* Without an initial schedule: the best schedule found and its order survive stops. */
static void resumed_searches_keep_the_best_schedule(void **state)
{
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/schedules", folder);
	for (int seed = 1; seed <= 6; seed++) {
		char name[64];
		struct flowshop f;
		int64_t optimum;
		int status, runs = 0;

		snprintf(name, sizeof(name), "random:9x%d:50:%d", 2 + seed, seed);
		f = loaded_flowshop(name);
		assert_int_equal(flowshop_brute_force(&f, &optimum, NULL, NULL), 0);
		do {
			struct tree t = { .request = { .flowshop = &f,
						       .ub = SEARCH_NO_UB,
						       .bound = (enum fsp_bound)(seed % 2),
						       .branching = FSP_MINBRANCH } };
			struct search_outcome o;

			status = run_for(&t, path, !runs, runs < 6 ? 1e-3 : 0, 1 + runs % 3, 0, &o);
			assert_int_equal(flowshop_makespan(&f, o.order), o.best);
			if (!status)
				assert_int_equal(o.best, optimum);
			search_outcome_free(&o);
			runs++;
		} while (status);
		flowshop_free(&f);
	}
}

static void checkpoints_of_other_searches_are_refused(void **state)
{
	struct flowshop f = loaded_flowshop("ta056"), other = loaded_flowshop("ta051");
	struct tree t = whole_tree(&f, FSP_LB1, FSP_MINBRANCH, 3590);
	struct checkpoint_plan plan = { .resume = NULL };
	struct search_request r = t.request;
	struct dev_set devices;
	struct search_outcome o;
	volatile sig_atomic_t stop = 1;
	struct err e = { 0 };
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/refuses", folder);
	run_for(&t, path, true, 0, 1, 0, &o);
	search_outcome_free(&o);
	open_devices(&devices, 1, "order", 1);
	plan.resume = path;
	r.devices = &devices;
	r.checkpoint = &plan;
	r.branching = FSP_FORWARD;
	assert_int_equal(dfs_search(&r, &o, &e), ERR_INPUT);
	search_outcome_free(&o);
	r.branching = FSP_MINBRANCH;
	r.flowshop = &other;
	assert_int_equal(dfs_search(&r, &o, &e), ERR_INPUT);
	search_outcome_free(&o);
	plan.resume = "/proc/nothing/here";
	assert_int_equal(dfs_search(&r, &o, &e), ERR_INPUT);
	search_outcome_free(&o);
	plan = (struct checkpoint_plan){ .write = "/proc/nothing/here" };
	assert_int_equal(dfs_search(&r, &o, &e), 0); /* its answer is kept */
	assert_true(o.complete);
	search_outcome_free(&o);
	r.flowshop = &f;
	r.ub = SEARCH_NO_UB;
	r.stop = &stop;
	assert_int_equal(dfs_search(&r, &o, &e), ERR_IO);
	search_outcome_free(&o);
	dev_set_close(&devices);
	flowshop_free(&f);
	flowshop_free(&other);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_add_up_over_many_stops),
		cmocka_unit_test(devices_and_cores_take_turns),
		cmocka_unit_test(counts_add_up_after_kills),
		cmocka_unit_test(resumed_searches_keep_the_best_schedule),
		cmocka_unit_test(checkpoints_of_other_searches_are_refused),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
