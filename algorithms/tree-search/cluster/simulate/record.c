/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Records the flowshop trees that simulated clusters search: `record INSTANCE NODES STRIDE FILE`.
 *
 * The program does what the search of Helbecque et al. 2025 does with NODES compute nodes of 8
 * GPUs (section 3.1), one pool after another and without a clock: breadth first from the root until
 * m * 8 * NODES nodes are pending, two cyclic distributions to 8 * NODES pools, each of which is
 * searched in chunks of at most M from the back while it has m nodes or more, and depth first
 * through what the pools leave. Bound: LB2 over all pairs of machines; initial bound: the optimum.
 *
 * FILE (text): the number of children of each node of the breadth-first part, in its order, and the
 * exact number of explored nodes at and below each node that is pending at its end; 0 if it was not
 * searched, because only about one in STRIDE is. Breadth-first parts for fewer nodes are prefixes
 * of it. Standard output: what the breadth-first parts and the leftover cost.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/tree-search/flowshop/fsp_tables.h"
#include "datasets/flowshop/flowshop.h"
#include "harness/base/hash.h"

enum {
	JOBS = 20,
	MACHINES = 20,
	LANES = 32 /* >= MACHINES */,
	GPUS = 8,
	LEAST = 50,
	CHUNK = 500000
};

struct node {
	int16_t front[LANES];
	uint32_t left; /* bit j: job j is not scheduled */
	uint32_t unit; /* node of the frontier above it */
};

static struct {
	struct fsp_tables t;
	int16_t (*sums)[LANES]; /* E[set][machine] of fsp.h */
	int32_t ub;
	uint64_t nodes, bounds; /* explored; evaluated */
} tree;

struct list {
	struct node *at;
	size_t first, count, room;
};

static void push(struct list *l, const struct node *n)
{
	if (l->count == l->room) {
		l->room = l->room ? 2 * l->room : 1024;
		l->at = realloc(l->at, l->room * sizeof(*l->at));
		if (!l->at)
			exit(fprintf(stderr, "record: no memory\n") > 0);
	}
	l->at[l->count++] = *n;
}

/* E[left] for one set: fsp.h, "LB2 by set". */
static void add_set(uint32_t left)
{
	const struct fsp_tables *t = &tree.t;
	int32_t e[MACHINES];

	for (int u = 0; u < MACHINES; u++) {
		e[u] = t->tail[u];
		for (int j = 0; j < JOBS; j++)
			e[u] += left >> j & 1 ? t->time[j * MACHINES + u] : 0;
	}
	for (int p = 0; p < t->pairs; p++) {
		int u = t->pair_u[p], v = t->pair_v[p];
		int32_t t0 = 0, t1 = 0, x;

		for (int i = 0; i < JOBS; i++) {
			int j = t->johnson[p * JOBS + i];

			if (!(left >> j & 1))
				continue;
			t0 += t->time[j * MACHINES + u];
			x = t0 + t->lag[p * JOBS + j];
			t1 = (x > t1 ? x : t1) + t->time[j * MACHINES + v];
		}
		x = t1 + t->tail[v];
		e[u] = x > e[u] ? x : e[u];
	}
	for (int u = 0; u < MACHINES; u++)
		tree.sums[left][u] = (int16_t)e[u];
}

/* Appends the children of n that are explored. Returns their number. */
static int expand(const struct node *n, struct list *out)
{
	struct node child = { .unit = n->unit };
	bool root = n->left == (1u << JOBS) - 1;
	int kept = 0;

	for (int j = 0; j < JOBS; j++) {
		const int32_t *p = tree.t.time + j * MACHINES;
		const int16_t *e;
		int32_t at = 0;
		int16_t lb = 0;

		if (!(n->left >> j & 1))
			continue;
		child.left = n->left & ~(1u << j);
		e = tree.sums[child.left];
		for (int k = 0; k < MACHINES; k++) {
			int32_t front = root ? 0 : n->front[k];

			at = (at > front ? at : front) + p[k];
			child.front[k] = (int16_t)at;
		}
		for (int k = 0; k < LANES; k++) {
			int16_t x = (int16_t)(child.front[k] + e[k]);

			lb = x > lb ? x : lb;
		}
		tree.bounds++;
		if (lb >= tree.ub || !child.left)
			continue;
		push(out, &child);
		kept++;
	}
	tree.nodes += (uint64_t)kept;
	return kept;
}

static uint64_t *sizes; /* of the units */

/* A pool until it has fewer than LEAST nodes, which go to `rest`. Returns the number of chunks. */
static uint64_t search_pool(struct list *pool, struct list *chunk, struct list *rest)
{
	uint64_t chunks = 0;

	while (pool->count >= LEAST) {
		size_t take = pool->count < CHUNK ? pool->count : CHUNK;

		chunk->count = 0;
		for (size_t i = pool->count - take; i < pool->count; i++)
			push(chunk, &pool->at[i]);
		pool->count -= take;
		for (size_t i = 0; i < take; i++)
			sizes[chunk->at[i].unit] += (uint64_t)expand(&chunk->at[i], pool);
		chunks++;
	}
	for (size_t i = 0; i < pool->count; i++)
		push(rest, &pool->at[i]);
	pool->count = 0;
	return chunks;
}

static bool selected(size_t unit, int stride)
{
	return hash_u64(HASH_INIT, unit) % (uint64_t)stride == 0;
}

static void depth_first(struct list *l)
{
	while (l->count) {
		struct node n = l->at[--l->count];

		sizes[n.unit] += (uint64_t)expand(&n, l);
	}
}

static size_t breadth_first(struct list *queue, size_t pending, FILE *out, int nodes)
{
	struct node root = { .left = (1u << JOBS) - 1 };
	size_t popped = 0;
	int next = 1;

	push(queue, &root);
	fprintf(out, "children");
	while (queue->count - queue->first < pending && queue->first < queue->count) {
		struct node n = queue->at[queue->first++];

		fprintf(out, "%s%d", popped++ % 40 ? " " : "\n", expand(&n, queue));
		for (;
		     next <= nodes && queue->count - queue->first >= (size_t)(LEAST * GPUS * next);
		     next *= 2)
			printf("start %d %zu %" PRIu64 "\n", next, popped, tree.bounds);
	}
	fprintf(out, "\n");
	return queue->count - queue->first;
}

/* All subtrees of the frontier that the stride selects. */
static void search_frontier(const struct list *queue, size_t pending, int nodes, int stride)
{
	struct list pool = { 0 }, chunk = { 0 }, rest = { 0 };
	uint64_t start = tree.nodes, chunks = 0, before;
	size_t pools = (size_t)(GPUS * nodes);

	for (size_t p = 0; p < pools; p++) {
		for (size_t u = p; u < pending; u += pools) {
			if (selected(u, stride))
				push(&pool, &queue->at[queue->first + u]);
		}
		chunks += search_pool(&pool, &chunk, &rest);
	}
	before = tree.nodes;
	tree.bounds = 0;
	printf("pools %zu explored %" PRIu64 " chunks %" PRIu64 "\n", pools, before - start,
	       chunks);
	printf("left %zu", rest.count);
	depth_first(&rest);
	printf(" nodes %" PRIu64 " bounds %" PRIu64 "\n", tree.nodes - before, tree.bounds);
	printf("explored %" PRIu64 "\n", tree.nodes);
	free(pool.at);
	free(chunk.at);
	free(rest.at);
}

static int load(const char *name, struct err *e)
{
	const struct flowshop_known *known;
	struct flowshop f;
	int status = flowshop_load(&f, name, e);

	if (status)
		return status;
	known = flowshop_known_of(&f);
	if (f.jobs != JOBS || f.machines != MACHINES || !known)
		return err_set(e, ERR_USAGE, "%s: not a known instance of 20 x 20", name);
	tree.ub = known->upper;
	status = fsp_tables_make(&tree.t, &f, FSP_ALL_PAIRS, e);
	tree.sums = calloc((size_t)1 << JOBS, sizeof(*tree.sums));
	if (!status && !tree.sums)
		status = err_set(e, ERR_MEMORY, "no memory for the tables");
	for (uint32_t set = 0; !status && set < 1u << JOBS; set++)
		add_set(set);
	return status;
}

int main(int argc, char **argv)
{
	int nodes = argc == 5 ? atoi(argv[2]) : 0, stride = argc == 5 ? atoi(argv[3]) : 0;
	struct list queue = { 0 };
	struct err e = { 0 };
	size_t pending;
	FILE *out;

	if (nodes < 1 || stride < 1)
		return fprintf(stderr, "usage: record INSTANCE NODES STRIDE FILE\n"), 2;
	out = load(argv[1], &e) ? NULL : fopen(argv[4], "w");
	if (!out)
		return fprintf(stderr, "record: %s\n", e.code ? e.text : argv[4]), 1;
	pending = breadth_first(&queue, (size_t)LEAST * GPUS * (size_t)nodes, out, nodes);
	sizes = calloc(pending + 1, sizeof(*sizes));
	if (!sizes)
		return fprintf(stderr, "record: no memory\n"), 1;
	for (size_t u = 0; u < pending; u++)
		queue.at[queue.first + u].unit = (uint32_t)u;
	search_frontier(&queue, pending, nodes, stride);
	fprintf(out, "sizes");
	for (size_t u = 0; u < pending; u++)
		fprintf(out, "%s%" PRIu64, u % 16 ? " " : "\n",
			selected(u, stride) ? sizes[u] + 1 : 0);
	fprintf(out, "\n");
	return fclose(out) ? 1 : 0;
}
