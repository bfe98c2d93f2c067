/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Searches of parts of a flowshop tree with the depth-first device engine: a subtree, given as a
 * checkpoint whose open work is one node, and the nodes on the way to a known schedule. Include
 * after <cmocka.h>. */
#ifndef COPRA_TESTS_UNIT_TREE_SEARCH_FLOWSHOP_SUBTREES_H
#define COPRA_TESTS_UNIT_TREE_SEARCH_FLOWSHOP_SUBTREES_H

#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/depth-first/dfs_checkpoint.h"
#include "algorithms/tree-search/depth-first/dfs_search.h"
#include "tests/unit/tree-search/plain_flowshop_tree.h"

/* The node that the next search resumes from. */
static struct plain_node subtree_root;

/* The reader of a checkpoint_plan: one record that lists no children. */
static inline int read_subtree(struct checkpoint *c, const struct search_request *r, struct err *e)
{
	const struct plain_node *x = &subtree_root;
	int n = r->flowshop->jobs, at = x->prefix;
	uint16_t *record = calloc(checkpoint_stride(CHECKPOINT_NODES, n), sizeof(*record));

	*c = (struct checkpoint){
		.form = CHECKPOINT_NODES, .count = 1, .best = r->ub, .work = record
	};
	if (!record)
		return err_set(e, ERR_MEMORY, "no memory for a record");
	checkpoint_key_of(r, r->ub, &c->key);
	record[0] = (uint16_t)x->prefix;
	record[1] = (uint16_t)x->suffix;
	record += 4;
	for (int i = 0; i < n; i++)
		if (i < x->prefix || i >= n - x->suffix)
			record[i] = (uint16_t)x->order[i];
	for (int j = 0; j < n; j++)
		if (x->left[j])
			record[at++] = (uint16_t)j;
	return 0;
}

/* Searches the subtree of `x` with the other fields of `request`. */
static inline struct search_outcome search_subtree(const struct plain_node *x,
						   const struct search_request *request)
{
	struct checkpoint_plan plan = { .resume = "a subtree", .read = read_subtree };
	struct search_request r = *request;
	struct search_outcome o;
	struct err e = { 0 };

	subtree_root = *x;
	r.checkpoint = &plan;
	if (dfs_search(&r, &o, &e))
		fail_msg("%s", e.text);
	return o;
}

/* Replaces `x` by a child with a random job at a random end, until `left` jobs are unscheduled. */
static inline void descend_anywhere(const struct flowshop *f, struct plain_node *x, int left,
				    unsigned *seed)
{
	struct plain_node *child = malloc(sizeof(*child));

	assert_non_null(child);
	while (f->jobs - x->prefix - x->suffix > left) {
		int job = rand_r(seed) % f->jobs;

		if (!x->left[job])
			continue;
		plain_child(f, x, job, rand_r(seed) % 2, child);
		*x = *child;
	}
	free(child);
}

/* Puts the root on a stack. */
static inline void put_root(struct dfs_device *d, const struct dfs_job *j)
{
	uint32_t *packet = calloc((size_t)d->world.row_words + 4, sizeof(*packet));
	struct checkpoint c;
	struct err e = { 0 };

	assert_non_null(packet);
	plain_root(j->request->flowshop, &subtree_root);
	assert_int_equal(read_subtree(&c, j->request, &e), 0);
	struct dfs_reserve reserve = { .work = c.work, .count = c.count };

	assert_int_equal(dfs_reserve_take(&reserve, j, packet, 1), 1);
	assert_int_equal(dfs_device_put(d, packet, 1, &e), 0);
	checkpoint_free(&c);
	free(packet);
}

/* Whether the child of `x` with `job` at this end is an open node after one step from `x`. */
static inline bool child_is_open(struct dfs_device *d, const struct dfs_job *j,
				 const struct plain_node *x, int job, bool at_end)
{
	struct search_request r = { .flowshop = j->request->flowshop,
				    .bound = FSP_LB1,
				    .branching = j->request->branching,
				    .ub = j->ub };
	uint32_t *packet = calloc((size_t)d->world.row_words + 4, sizeof(*packet));
	struct checkpoint c;
	struct dfs_part part;
	struct err e = { 0 };
	bool open = false;
	int32_t bound;

	assert_non_null(packet);
	subtree_root = *x;
	assert_int_equal(read_subtree(&c, &r, &e), 0);
	struct dfs_reserve reserve = { .work = c.work, .count = c.count };

	assert_int_equal(dfs_reserve_take(&reserve, j, packet, 1), 1);
	assert_int_equal(dfs_device_put(d, packet, 1, &e), 0);
	d->round.least_batches = d->round.most_batches = 1;
	assert_int_equal(dfs_device_round(d, (int32_t)j->ub, &e), 0);
	assert_int_equal(dfs_device_copy(d, &part, &e), 0);
	for (int warp = 0, k = 0; warp < part.warps; warp++) {
		for (int end = k + part.entry_count[warp]; k < end; k++)
			open = open || ((int)(part.entries[k] & DFS_NO_JOB) == job &&
					(part.entries[k] >> DFS_JOB_BITS & 1) == at_end);
	}
	assert_int_equal(dfs_device_survey(d, &bound, &e), 0);
	dfs_part_free(&part);
	checkpoint_free(&c);
	free(packet);
	return open;
}

/* Follows a schedule of makespan V from the root with ub = V + 1: each of its nodes must stay
 * open. */
static inline void follow_schedule(const struct flowshop *f, const int64_t *order, int64_t makespan,
				   const struct dev_set *devices)
{
	struct search_request r = { .flowshop = f,
				    .bound = FSP_LB1,
				    .branching = FSP_MINBRANCH,
				    .ub = makespan + 1,
				    .devices = devices,
				    .memory = 4 << 20 };
	struct plain_tree t = { .f = f, .branching = r.branching, .ub = r.ub };
	struct plain_node *x = malloc(sizeof(*x)), *child = malloc(sizeof(*child));
	int *survivors = malloc((size_t)f->jobs * sizeof(*survivors));
	struct dfs_mail *mail;
	struct dfs_device d;
	struct dfs_job j;
	struct err e = { 0 };

	assert_non_null(x);
	assert_non_null(child);
	assert_non_null(survivors);
	assert_int_equal(dfs_job_make(&j, &r, 0, true, &e), 0);
	assert_int_equal(dev_host_alloc(devices->dev[0], (void **)&mail, sizeof(*mail), &e), 0);
	*mail = (struct dfs_mail){ .best = INT32_MAX };
	assert_int_equal(dfs_device_open(&d, devices->dev[0], &j, mail, 1, 0, &e), 0);
	plain_root(f, x);
	while (x->prefix + x->suffix < f->jobs - 1) {
		bool at_end;

		assert_true(plain_survivors(&t, x, survivors, &at_end) > 0);
		int job = (int)order[at_end ? f->jobs - 1 - x->suffix : x->prefix];

		if (!child_is_open(&d, &j, x, job, at_end))
			fail_msg("%s: job %d at depth %d was pruned", f->name, job,
				 x->prefix + x->suffix);
		plain_child(f, x, job, at_end, child);
		*x = *child;
	}
	dfs_device_close(&d);
	dev_host_free(devices->dev[0], mail);
	dfs_job_free(&j);
	free(survivors);
	free(child);
	free(x);
}

#endif
