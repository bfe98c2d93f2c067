/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/estimate/tree_estimate.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/tree-search/depth-first/dfs_cpu.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"
#include "harness/base/clock.h"
#include "harness/base/rng.h"

enum { NODES = TREE_ESTIMATE_CLASSES * TREE_ESTIMATE_DRAWN };

/* A child of a node of the sample. */
struct child {
	int parent, job, class;
	bool at_end;
	double weight;
};

struct sampler {
	const struct search_request *request;
	struct fsp_tables tables;
	const struct dfs_cpu_kernel *kernel;
	void *kernel_tables, *scratch;
	int drawn;                    /* nodes of a class, at most TREE_ESTIMATE_DRAWN */
	int64_t range;                /* of room: that of the root */
	struct dfs_cpu_node *node[2]; /* [NODES] of this depth and of the next */
	double weight[2][NODES];
	int nodes;           /* of this depth */
	struct child *child; /* of them, and of one class */
	int children, room;
	struct dfs_cpu_bounds bounds;
	struct rng rng;
};

/* A sample makes at most about 10^9 steps of bounds, if 8 nodes of a class allow that. */
static int nodes_of_a_class(const struct flowshop *f)
{
	double steps = 0.5 * f->jobs * f->jobs * f->machines * TREE_ESTIMATE_CLASSES;
	double drawn = 1e9 / steps;

	return drawn > TREE_ESTIMATE_DRAWN ? TREE_ESTIMATE_DRAWN : drawn < 8 ? 8 : (int)drawn;
}

static int open_sampler(struct sampler *s, const struct search_request *r, struct err *e)
{
	int status = fsp_tables_make(&s->tables, r->flowshop, FSP_ALL_PAIRS, e);

	if (status)
		return status;
	s->request = r;
	s->drawn = nodes_of_a_class(r->flowshop);
	s->kernel = dfs_cpu_kernel_of(r->flowshop);
	s->kernel_tables = task_team_alloc(s->kernel->tables_bytes(&s->tables));
	s->scratch = task_team_alloc(s->kernel->scratch_bytes(&s->tables));
	s->room = NODES * r->flowshop->jobs;
	s->child = malloc((size_t)s->room * sizeof(*s->child));
	for (int i = 0; i < 2; i++)
		s->node[i] = malloc(NODES * sizeof(**s->node));
	if (!s->kernel_tables || !s->scratch || !s->child || !s->node[0] || !s->node[1])
		return err_set(e, ERR_MEMORY, "no memory for a sample of the tree");
	s->kernel->tables_make(&s->tables, s->kernel_tables);
	s->kernel->scratch_make(&s->tables, s->scratch);
	s->range = r->ub - fsp_root_bound(&s->tables, r->bound);
	return 0;
}

static void close_sampler(struct sampler *s)
{
	free(s->kernel_tables);
	free(s->scratch);
	free(s->child);
	free(s->node[0]);
	free(s->node[1]);
	fsp_tables_free(&s->tables);
}

/* Bounds the children of a node and keeps those that the search would visit. */
static void expand(struct sampler *s, int parent)
{
	const struct search_request *r = s->request;
	const struct dfs_cpu_node *node = &s->node[0][parent];
	bool at_end;

	if (node->left == 1)
		return;
	s->kernel->bound(&s->tables, s->kernel_tables, s->scratch, node, r->bound,
			 r->branching != FSP_FORWARD, INT32_MAX, &s->bounds);
	at_end = dfs_cpu_at_end(r->branching, r->ub, &s->bounds);
	for (int i = 0; i < s->bounds.count; i++) {
		int64_t bound = (at_end ? s->bounds.end : s->bounds.begin)[i];
		int64_t class = TREE_ESTIMATE_CLASSES * (r->ub - bound - 1) / s->range;

		if (bound < r->ub)
			s->child[s->children++] = (struct child){ parent, s->bounds.job[i],
								  class < TREE_ESTIMATE_CLASSES ?
									  (int)class :
									  TREE_ESTIMATE_CLASSES - 1,
								  at_end, s->weight[0][parent] };
	}
}

/* Makes a child a node of the next depth. */
static void take(struct sampler *s, const struct child *c, double weight, int *nodes)
{
	dfs_cpu_place(&s->tables, &s->node[0][c->parent], c->at_end, c->job, &s->node[1][*nodes]);
	s->weight[1][(*nodes)++] = weight;
}

/* Takes all children of a class or, if there are too many, those at `drawn` evenly spaced points of
 * their weights, one after the other, from a random first point. */
static void draw(struct sampler *s, int class, int *nodes)
{
	double sum = 0, step, next, at = 0;
	int count = 0, left = s->drawn; /* rounding must not make it more */

	for (int i = 0; i < s->children; i++) {
		if (s->child[i].class == class) {
			sum += s->child[i].weight;
			count++;
		}
	}
	step = sum / s->drawn;
	next = rng_unit(&s->rng) * step;
	for (int i = 0, points = 0; i < s->children; i++, points = 0) {
		const struct child *c = &s->child[i];

		if (c->class != class)
			continue;
		if (count <= s->drawn) {
			take(s, c, c->weight, nodes);
			continue;
		}
		at += c->weight;
		for (; next < at && left > 0; next += step, left--)
			points++;
		if (points)
			take(s, c, points * step, nodes);
	}
}

/* The sum of all weights. */
static double sample(struct sampler *s, uint64_t seed)
{
	double sum = 0;

	s->rng = rng_seeded(seed);
	dfs_cpu_root(&s->tables, &s->node[0][0]);
	s->weight[0][0] = 1;
	for (s->nodes = 1; s->nodes;) {
		struct dfs_cpu_node *swap = s->node[0];
		int nodes = 0;

		s->children = 0;
		for (int i = 0; i < s->nodes; i++) {
			sum += s->weight[0][i];
			expand(s, i);
		}
		if (sum > TREE_ESTIMATE_MOST) /* before weights overflow */
			return TREE_ESTIMATE_MOST;
		for (int c = 0; c < TREE_ESTIMATE_CLASSES; c++)
			draw(s, c, &nodes);
		s->node[0] = s->node[1];
		s->node[1] = swap;
		memcpy(s->weight[0], s->weight[1], sizeof(s->weight[0]));
		s->nodes = nodes;
	}
	return sum;
}

/* Sample i is in group i % groups. */
static void summarise(struct tree_estimate *x, const double *nodes)
{
	int groups = x->samples < TREE_ESTIMATE_GROUPS ? x->samples : TREE_ESTIMATE_GROUPS;
	double sum = 0; /* less than 4096 times MOST, so finite */

	for (int g = 0; g < groups; g++) {
		double of_group = 0, mean;
		int count = 0;

		for (int i = g; i < x->samples; i += groups, count++)
			of_group += nodes[i];
		mean = of_group / count;
		x->low = !g || mean < x->low ? mean : x->low;
		x->high = !g || mean > x->high ? mean : x->high;
		sum += of_group;
	}
	x->nodes = sum / x->samples;
}

int tree_estimate(struct tree_estimate *x, const struct search_request *r, int samples,
		  double seconds, struct err *e)
{
	double begin = clock_wall(), *nodes = malloc(TREE_ESTIMATE_SAMPLES_MAX * sizeof(*nodes));
	struct sampler *s = calloc(1, sizeof(*s));
	int status = s && nodes ? open_sampler(s, r, e) :
				  err_set(e, ERR_MEMORY, "no memory for a sample of the tree");

	*x = (struct tree_estimate){ .samples = 0 };
	if (!status && s->range <= 0) /* the root counts in any case */
		*x = (struct tree_estimate){ .samples = 1, .nodes = 1, .low = 1, .high = 1 };
	while (!status && s->range > 0 && x->samples < samples &&
	       x->samples < TREE_ESTIMATE_SAMPLES_MAX &&
	       (!x->samples || clock_wall() - begin < seconds)) {
		nodes[x->samples] = sample(s, r->seed + (uint64_t)x->samples);
		x->samples++;
	}
	if (!status && s->range > 0)
		summarise(x, nodes);
	x->seconds = clock_wall() - begin;
	if (s)
		close_sampler(s);
	free(s);
	free(nodes);
	return status;
}
