/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Warps of the depth-first device search that take nodes from others within a round. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/base/sanitized.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/tree-search/flowshop_subtrees.h"
#include "tests/unit/tree-search/small_flowshops.h"

/* Trees of ta056 by MinBranch, as counted by the search on cores. */
static const struct tree {
	enum fsp_bound bound;
	int64_t ub;
	uint64_t decomposed;
} lb1_tree = { FSP_LB1, 3590, 405 },
  lb2_tree = { FSP_LB2, UNDER_TSAN ? 3590 : 3600, UNDER_TSAN ? 228 : 584 };

struct limits {
	int64_t memory;
	int32_t most_batches, least_shared, most_shared, patience;
};

static void set_limits(struct dfs_round *r, const struct limits *l)
{
	r->least_batches = 1;
	r->most_batches = l->most_batches;
	r->least_shared = l->least_shared;
	r->most_shared = l->most_shared;
	r->patience = l->patience;
}

/* The number of warps that decomposed nodes. */
static int busy_warps(struct dfs_device *d)
{
	size_t bytes = (size_t)d->world.warps * sizeof(struct dfs_tally);
	struct dfs_tally *tally = malloc(bytes);
	int busy = 0;

	assert_non_null(tally);
	assert_int_equal(dev_copy_from(d->stream, tally, d->world.tally, bytes, NULL), 0);
	assert_int_equal(dev_stream_sync(d->stream, NULL), 0);
	for (int i = 0; i < d->world.warps; i++)
		busy += tally[i].decomposed > 0;
	free(tally);
	return busy;
}

/* Rounds of the last search that ended because a warp had used its budget. */
static int rounds_spent;

/* Searches the tree in rounds with these limits and checks its counts. Returns the number of
 * rounds. *busy: the warps that took part in the first. */
static int count_rounds(const struct tree *tree, const struct limits *l, const char *schedule,
			int seed, int *busy)
{
	struct flowshop f = loaded_flowshop("ta056");
	struct dev_set devices;
	struct search_request r = { .flowshop = &f,
				    .bound = tree->bound,
				    .branching = FSP_MINBRANCH,
				    .ub = tree->ub,
				    .memory = l->memory };
	struct dfs_findings found;
	struct dfs_mail *mail;
	struct dfs_device d;
	struct dfs_job j;
	struct err e = { 0 };
	int rounds = 0;

	open_devices(&devices, 1, schedule, seed);
	r.devices = &devices;
	assert_int_equal(dfs_job_make(&j, &r, 0, seed % 2, &e), 0);
	assert_int_equal(dev_host_alloc(devices.dev[0], (void **)&mail, sizeof(*mail), &e), 0);
	*mail = (struct dfs_mail){ .best = INT32_MAX };
	assert_int_equal(dfs_device_open(&d, devices.dev[0], &j, mail, 1, 0, &e), 0);
	put_root(&d, &j);
	rounds_spent = 0;
	do {
		set_limits(&d.round, l);
		assert_int_equal(dfs_device_round(&d, (int32_t)j.ub, &e), 0);
		*busy = rounds++ ? *busy : busy_warps(&d);
		rounds_spent += d.seen->spent;
	} while (d.seen->entries);
	assert_int_equal(dfs_device_findings(&d, &found, &e), 0);
	assert_int_equal(found.tally.decomposed, tree->decomposed);
	assert_int_equal(found.tally.explored, tree->decomposed - 1);
	assert_int_equal(found.tally.cut, 0);
	dfs_device_close(&d);
	dev_host_free(devices.dev[0], mail);
	dfs_job_free(&j);
	dev_set_close(&devices);
	flowshop_free(&f);
	return rounds;
}

/* ---- tests ---- */

static void idle_warps_get_work_within_a_round(void **state)
{
	static const char *const schedules[] = { "random", "order", "reverse" };
	const struct limits endless = { 0, INT32_MAX, 4, 64, INT32_MAX };
	int busy;

	(void)state;
	for (int i = 0; i < (UNDER_TSAN ? 1 : 3); i++) {
		assert_int_equal(count_rounds(&lb1_tree, &endless, schedules[i], i + 1, &busy), 1);
		assert_true(busy > 1);
		assert_int_equal(rounds_spent, 0);
		assert_int_equal(count_rounds(&lb2_tree, &endless, schedules[i], i + 1, &busy), 1);
		assert_true(busy > 1);
		assert_int_equal(rounds_spent, 0);
	}
}

/* Stacks are so small that the gaps of given entries fill them. */
static void small_stacks_share_small_parts(void **state)
{
	const struct limits small = { 400000, INT32_MAX, 2, 3, 16 };
	int busy;

	(void)state;
	for (int seed = 1; seed <= (UNDER_TSAN ? 1 : 2); seed++) {
		count_rounds(&lb1_tree, &small, "random", seed, &busy);
		count_rounds(&lb2_tree, &small, "random", seed, &busy);
	}
}

/* Rounds end while warps ask others. */
static void short_rounds_lose_nothing(void **state)
{
	const struct limits brief = { 0, 3, 2, 64, 1 };
	int busy;

	(void)state;
	for (int seed = 1; seed <= (UNDER_TSAN ? 1 : 2); seed++) {
		assert_true(count_rounds(&lb1_tree, &brief, "random", seed, &busy) > 1);
		assert_true(rounds_spent > 0);
		assert_true(count_rounds(&lb2_tree, &brief, "random", seed, &busy) > 1);
		assert_true(rounds_spent > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_warps_get_work_within_a_round),
		cmocka_unit_test(small_stacks_share_small_parts),
		cmocka_unit_test(short_rounds_lose_nothing),
	};

	return cmocka_run_group_tests_name("depth_first_sharing", tests, NULL, NULL);
}
