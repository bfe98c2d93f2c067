/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/depth-first/dfs_levels.h"

#include <math.h>
#include <stdlib.h>

#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/depth-first/dfs_cpu.h"
#include "algorithms/tree-search/flowshop/fsp_pair_tests.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"
#include "datasets/atsp/atsp.h"
#include "harness/base/clock.h"
#include "harness/base/rng.h"
#include "kernels/gmys-ivm/factoradic.h"
#include "kernels/tree-search/atsp.h"
#include "kernels/tree-search/queens.h"

/* A node of the sample. */
union node {
	struct dfs_cpu_node flowshop;
	struct queens_masks queens;
	struct {
		int32_t cost;
		int last;
		uint64_t open[DFS_CPU_WORDS]; /* items that are not on the path */
	} atsp;
};

/* A child of a node of the sample. */
struct draw {
	int parent, job; /* or column, or item */
	bool at_end;
	double weight; /* the nodes of its class that its parent stood for */
	double priority;
};

/* Of the nodes of one depth and class. Those that were drawn stand for different numbers of nodes:
 * their weights. */
struct stratum {
	double nodes;                  /* estimated */
	double sampled;                /* weights of nodes that were expanded or pruned */
	double pruned;                 /* of these, by machine pairs: not part of the tree */
	double children[DFS_CLASSES];  /* of these, by class */
	int drawn;                     /* nodes */
	double threshold;              /* the largest priority that was dropped; 0: none */
	double weight;                 /* of all drawn */
	struct draw draw[DFS_SAMPLED]; /* how to make them */
};

struct sampler;

/* A problem. */
struct tree {
	int64_t (*root)(const struct sampler *s, union node *root); /* its bound */
	/* Offers the children of a node that survive to the next depth. */
	void (*expand)(struct sampler *s, int depth, struct stratum *t, int parent);
	void (*place)(const struct sampler *s, const union node *from, const struct draw *child,
		      union node *to);
};

struct sampler {
	const struct search_request *request;
	const struct tree *tree;
	const struct fsp_pair_tests *pairs; /* or NULL */
	struct dfs_levels *levels;
	int64_t first_ub;
	double level_seconds, end; /* clock_wall(): the time for the sample has passed */
	struct fsp_tables tables;
	const struct dfs_cpu_kernel *kernel;
	void *kernel_tables, *scratch;
	union node *node[2];     /* of this depth and the next, [class][DFS_SAMPLED] */
	struct stratum *stratum; /* [depth][class] */
	struct dfs_cpu_bounds bounds;
	struct rng rng;
};

static int open_flowshop(struct sampler *s, struct err *e)
{
	const struct flowshop *f = s->request->flowshop;
	int status = fsp_tables_make(&s->tables, f, FSP_ALL_PAIRS, e);

	if (status)
		return status;
	s->kernel = dfs_cpu_kernel_of(f);
	s->kernel_tables = task_team_alloc(s->kernel->tables_bytes(&s->tables));
	s->scratch = task_team_alloc(s->kernel->scratch_bytes(&s->tables));
	if (!s->kernel_tables || !s->scratch)
		return err_set(e, ERR_MEMORY, "no memory for a sample of the tree");
	s->kernel->tables_make(&s->tables, s->kernel_tables);
	s->kernel->scratch_make(&s->tables, s->scratch);
	return 0;
}

static int open_sampler(struct sampler *s, struct err *e)
{
	size_t bytes = DFS_CLASSES * DFS_SAMPLED * sizeof(**s->node);

	s->rng = rng_seeded(s->request->seed);
	s->node[0] = malloc(bytes);
	s->node[1] = malloc(bytes);
	s->stratum = calloc((size_t)(s->levels->jobs + 1) * DFS_CLASSES, sizeof(*s->stratum));
	if (!s->node[0] || !s->node[1] || !s->stratum)
		return err_set(e, ERR_MEMORY, "no memory for a sample of the tree");
	return s->request->flowshop ? open_flowshop(s, e) : 0;
}

static void close_sampler(struct sampler *s)
{
	free(s->kernel_tables);
	free(s->scratch);
	free(s->node[0]);
	free(s->node[1]);
	free(s->stratum);
	if (s->request->flowshop)
		fsp_tables_free(&s->tables);
}

static struct stratum *stratum_of(const struct sampler *s, int depth, int class)
{
	return &s->stratum[depth * DFS_CLASSES + class];
}

/* Offers a node to its sample: the nodes with the largest priorities (priority sampling: Duffield,
 * Lund, Thorup, 2007). */
static void offer(struct sampler *s, struct stratum *to, struct draw child)
{
	int at = to->drawn;

	child.priority = child.weight / (1 - rng_unit(&s->rng));
	if (at < DFS_SAMPLED) {
		to->draw[to->drawn++] = child;
		return;
	}
	if (child.priority > to->threshold) {
		at = 0;
		for (int i = 1; i < DFS_SAMPLED; i++)
			if (to->draw[i].priority < to->draw[at].priority)
				at = i;
		if (child.priority > to->draw[at].priority) {
			to->threshold = to->draw[at].priority;
			to->draw[at] = child;
		} else {
			to->threshold = child.priority;
		}
	}
}

/* The nodes that a node of the sample stands for. */
static double weight_of(const struct stratum *t, int node)
{
	const struct draw *d = &t->draw[node % DFS_SAMPLED];

	return d->weight > t->threshold ? d->weight : t->threshold;
}

static void keep(struct sampler *s, int depth, struct stratum *t, int class, struct draw child)
{
	double weight = weight_of(t, child.parent);

	t->children[class] += weight;
	child.weight = weight * t->nodes / t->weight;
	offer(s, stratum_of(s, depth + 1, class), child);
}

/* ---- flowshop ---- */

static int64_t root_flowshop(const struct sampler *s, union node *root)
{
	dfs_cpu_root(&s->tables, &root->flowshop);
	return fsp_root_bound(&s->tables, s->request->bound);
}

static void expand_flowshop(struct sampler *s, int depth, struct stratum *t, int parent)
{
	const struct dfs_cpu_node *node = &s->node[0][parent].flowshop;
	const struct search_request *r = s->request;
	bool at_end;

	if (s->pairs &&
	    fsp_pair_tests_prune(s->pairs, node->set[0], node->front, node->back, s->levels->ub)) {
		t->pruned += weight_of(t, parent);
		return;
	}
	s->kernel->bound(&s->tables, s->kernel_tables, s->scratch, node, r->bound,
			 r->branching != FSP_FORWARD, INT32_MAX, &s->bounds);
	at_end = dfs_cpu_at_end(r->branching, s->first_ub, &s->bounds);
	for (int i = 0; i < s->bounds.count; i++) {
		int64_t bound = (at_end ? s->bounds.end : s->bounds.begin)[i];

		if (bound < s->levels->ub)
			keep(s, depth, t, dfs_levels_class(s->levels, bound),
			     (struct draw){
				     .parent = parent, .job = s->bounds.job[i], .at_end = at_end });
	}
}

static void place_flowshop(const struct sampler *s, const union node *from,
			   const struct draw *child, union node *to)
{
	dfs_cpu_place(&s->tables, &from->flowshop, child->at_end, child->job, &to->flowshop);
}

/* ---- N-Queens ---- */

static int64_t root_queens(const struct sampler *s, union node *root)
{
	(void)s;
	root->queens = (struct queens_masks){ 0, 0, 0 };
	return 0;
}

static void expand_queens(struct sampler *s, int depth, struct stratum *t, int parent)
{
	uint32_t full = queens_full(depth ? s->levels->jobs : s->levels->root_children);
	uint32_t open = queens_open_columns(s->node[0][parent].queens, full);

	for (; open; open &= open - 1)
		keep(s, depth, t, (int)rng_below(&s->rng, DFS_CLASSES),
		     (struct draw){ .parent = parent, .job = __builtin_ctz(open) });
}

static void place_queens(const struct sampler *s, const union node *from, const struct draw *child,
			 union node *to)
{
	(void)s;
	to->queens = queens_put(from->queens, UINT32_C(1) << child->job);
}

/* ---- ATSP ---- */

static int64_t root_atsp(const struct sampler *s, union node *root)
{
	*root = (union node){ .atsp.cost = 0 };
	for (int i = 0; i < s->levels->jobs; i++)
		root->atsp.open[i / 64] |= UINT64_C(1) << i % 64;
	return 0;
}

static int32_t cost_of(const struct sampler *s, const union node *from, int item)
{
	const struct atsp *a = s->request->atsp;

	return from->atsp.cost + a->cost[from->atsp.last * a->cities + item + 1];
}

static void expand_atsp(struct sampler *s, int depth, struct stratum *t, int parent)
{
	const union node *from = &s->node[0][parent];

	for (int i = 0; i < s->levels->jobs; i++) {
		int32_t cost;

		if (!(from->atsp.open[i / 64] >> i % 64 & 1))
			continue;
		cost = cost_of(s, from, i);
		if (cost < s->levels->ub)
			keep(s, depth, t, dfs_levels_class(s->levels, cost),
			     (struct draw){ .parent = parent, .job = i });
	}
}

static void place_atsp(const struct sampler *s, const union node *from, const struct draw *child,
		       union node *to)
{
	*to = *from;
	to->atsp.cost = cost_of(s, from, child->job);
	to->atsp.last = child->job + 1;
	to->atsp.open[child->job / 64] &= ~(UINT64_C(1) << child->job % 64);
}

/* ---- all of them ---- */

static const struct tree flowshop_tree = { root_flowshop, expand_flowshop, place_flowshop };
static const struct tree queens_tree = { root_queens, expand_queens, place_queens };
static const struct tree atsp_tree = { root_atsp, expand_atsp, place_atsp };

/* Expands a node of the sample. The children of nodes of the last depth are leaves. */
static void expand(struct sampler *s, int depth, struct stratum *t, int parent)
{
	t->sampled += weight_of(t, parent);
	if (depth + 1 < s->levels->jobs)
		s->tree->expand(s, depth, t, parent);
}

/* Makes the nodes that were drawn for the next depth, in random order. */
static void descend(struct sampler *s, int depth)
{
	union node *next = s->node[1];

	for (int c = 0; c < DFS_CLASSES; c++) {
		struct stratum *t = stratum_of(s, depth, c);

		for (int i = 0; i < t->drawn; i++) {
			int other = (int)rng_below(&s->rng, (uint64_t)i + 1);
			struct draw d = t->draw[other];

			t->draw[other] = t->draw[i];
			t->draw[i] = d;
		}
		for (int i = 0; i < t->drawn; i++) {
			t->weight += weight_of(t, i);
			s->tree->place(s, &s->node[0][t->draw[i].parent], &t->draw[i],
				       &next[c * DFS_SAMPLED + i]);
		}
	}
	s->node[1] = s->node[0];
	s->node[0] = next;
}

/* Expands the samples of a depth, one node of each class in turn: what time is left for is a
 * sample, too, because the nodes are in random order. Returns false if bounds are too slow for one
 * node of each class. */
static bool expand_depth(struct sampler *s, int depth)
{
	double end = clock_wall() + s->level_seconds;

	for (int i = 0; i < DFS_SAMPLED && (!i || clock_wall() < end); i++) {
		for (int c = 0; c < DFS_CLASSES; c++) {
			struct stratum *t = stratum_of(s, depth, c);

			if (clock_wall() >= s->end)
				return false;
			if (i < t->drawn)
				expand(s, depth, t, c * DFS_SAMPLED + i);
		}
	}
	for (int c = 0; c < DFS_CLASSES; c++) {
		const struct stratum *t = stratum_of(s, depth, c);

		for (int to = 0; t->sampled > 0 && to < DFS_CLASSES; to++)
			stratum_of(s, depth + 1, to)->nodes +=
				t->nodes * t->children[to] / t->sampled;
	}
	return true;
}

/* The subtrees of a depth, from those of the next. Classes without a sample get the size of the
 * next one with less room for children, or 1. */
static void size_depth(const struct sampler *s, int depth)
{
	struct dfs_levels *l = s->levels;
	double sum = 0, nodes = 0, size = 1;

	for (int c = 0; c < DFS_CLASSES; c++) {
		const struct stratum *t = stratum_of(s, depth, c);

		if (t->sampled > 0)
			size = 1 - t->pruned / t->sampled;
		for (int to = 0; t->sampled > 0 && depth + 1 < l->jobs && to < DFS_CLASSES; to++)
			size += t->children[to] / t->sampled * l->by_class[depth + 1][to];
		l->by_class[depth][c] = size;
		sum += t->nodes * size;
		nodes += t->nodes;
	}
	l->below[depth] = nodes > 0 ? sum / nodes : 1;
}

static int sample(struct sampler *s, struct err *e)
{
	struct dfs_levels *l = s->levels;
	union node first;
	int64_t root = s->tree->root(s, &first);
	struct stratum *first_class;
	int class;

	l->range = l->ub > root ? l->ub - root : 1;
	class = dfs_levels_class(l, root < l->ub ? root : l->ub - 1);
	first_class = stratum_of(s, 0, class);
	first_class->nodes = first_class->weight = first_class->draw[0].weight = 1;
	first_class->drawn = 1;
	s->node[0][class * DFS_SAMPLED] = first;
	for (int depth = 0; depth < l->jobs; depth++) {
		if (depth)
			descend(s, depth);
		if (!expand_depth(s, depth))
			return err_set(e, ERR_LIMIT, "the bounds are too slow for a sample");
	}
	for (int depth = l->jobs - 1; depth >= 0; depth--)
		size_depth(s, depth);
	return 0;
}

static int make_levels(struct dfs_levels *l, const struct search_request *r,
		       const struct fsp_pair_tests *pairs, int64_t first_ub, int64_t ub,
		       double seconds, struct err *e)
{
	struct sampler *s = calloc(1, sizeof(*s));
	int status;

	l->jobs = r->flowshop ? r->flowshop->jobs : r->atsp ? r->atsp->cities - 1 : r->queens;
	l->root_children = !r->flowshop && !r->atsp && r->half_board ? (l->jobs + 1) / 2 : l->jobs;
	l->ub = r->flowshop ? ub : r->atsp ? ub + 1 : 1;
	l->before = NULL;
	if (!s)
		return err_set(e, ERR_MEMORY, "no memory for a sample of the tree");
	s->request = r;
	s->tree = r->flowshop ? &flowshop_tree : r->atsp ? &atsp_tree : &queens_tree;
	s->levels = l;
	s->pairs = pairs;
	s->first_ub = first_ub;
	s->level_seconds = seconds / l->jobs;
	status = open_sampler(s, e);
	s->end = clock_wall() + 2 * seconds;
	if (!status)
		status = sample(s, e);
	close_sampler(s);
	free(s);
	return status;
}

int dfs_levels_make(struct dfs_levels *l, const struct search_request *r, int64_t first_ub,
		    int64_t ub, double seconds, struct err *e)
{
	return make_levels(l, r, NULL, first_ub, ub, seconds, e);
}

double dfs_levels_open(const struct dfs_levels *l, const uint32_t *open)
{
	double sum = 0;

	for (int depth = 0; depth < l->jobs; depth++)
		sum += open[depth] * l->below[depth];
	return sum;
}

double dfs_levels_record(const struct dfs_levels *l, const uint16_t *record)
{
	int depth = record[RECORD_PREFIX] + record[RECORD_SUFFIX] + (record[RECORD_OPEN] > 0);

	return depth < l->jobs ? record_nodes(record) * l->below[depth] : record_nodes(record);
}

double dfs_levels_records(const struct dfs_levels *l, const uint16_t *work, uint64_t from,
			  uint64_t end)
{
	size_t stride = checkpoint_stride(CHECKPOINT_NODES, l->jobs);
	double sum = 0;

	for (uint64_t i = from; i < end; i++)
		sum += dfs_levels_record(l, work + i * stride);
	return sum;
}

/* The average size of a child of a decomposed node of this depth, pruned children included. */
static double size_of_child(const struct dfs_levels *l, int depth)
{
	int children = depth ? l->jobs - depth : l->root_children;

	return (l->below[depth] - 1) / children;
}

/* The part of the subtree of a child of depth `depth` that begins with the number `first`. */
static double right_of(const struct dfs_levels *l, const uint16_t *first, int depth)
{
	double sum = 0;
	int end = l->jobs;

	while (end > depth && !first[end - 1])
		end--;
	for (; depth < end; depth++)
		sum += (l->jobs - 1 - depth - first[depth]) * size_of_child(l, depth);
	return sum + size_of_child(l, depth - 1);
}

double dfs_levels_interval(const struct dfs_levels *l, const uint16_t *first, const uint16_t *last)
{
	static const uint16_t zeros[CHECKPOINT_MAX_ITEMS];
	int n = l->jobs, depth = 0;

	while (depth < n - 1 && first[depth] == last[depth])
		depth++;
	if (depth == n - 1)
		return 0;
	if (ivm_factoradic_is_first(first + depth, n - depth) && depth)
		return size_of_child(l, depth - 1) *
		       ivm_factoradic_fraction(zeros, last + depth, n - depth);
	return right_of(l, first, depth + 1) +
	       (last[depth] - first[depth] - 1) * size_of_child(l, depth) +
	       size_of_child(l, depth) *
		       ivm_factoradic_fraction(zeros, last + depth + 1, n - depth - 1);
}

double dfs_levels_intervals(const struct dfs_levels *l, const uint16_t *work, uint64_t from,
			    uint64_t end)
{
	size_t n = (size_t)l->jobs;
	double sum = 0;

	for (uint64_t i = from; i < end; i++)
		sum += dfs_levels_interval(l, work + 2 * n * i, work + 2 * n * i + n);
	return sum;
}

/* ---- what is left of a search ---- */

#define FIRST_SECONDS 0.5
#define NEXT_SECONDS 5.0
#define SAMPLE_PART 0.01   /* of the seconds to the next sample: the seconds for that */
#define SAMPLE_LONGEST 0.4 /* seconds for a sample: a thread that samples does nothing else */

void dfs_gauge_start(struct dfs_gauge *g, const struct search_request *r, int64_t first_ub)
{
	*g = (struct dfs_gauge){ .request = r, .first_ub = first_ub, .pause = NEXT_SECONDS };
	atomic_flag_clear(&g->sampling);
	g->due = clock_wall() + FIRST_SECONDS;
}

void dfs_gauge_open(struct dfs_gauge *g, const struct search_request *r, int64_t first_ub,
		    int workers, uint64_t past)
{
	bool part = r->checkpoint && r->checkpoint->left; /* of a search of several processes */

	dfs_gauge_start(g, r, first_ub);
	if (part || !r->watch) {
		g->request = NULL;
		return;
	}
	if (past)
		g->due = clock_wall();
	watch_estimates(r->watch, workers, past);
}

void dfs_gauge_close(struct dfs_gauge *g)
{
	struct dfs_levels *l = atomic_load(&g->levels);

	while (l) {
		struct dfs_levels *before = l->before;

		free(l);
		l = before;
	}
	*g = (struct dfs_gauge){ .request = NULL };
}

double dfs_gauge_sample_seconds(const struct dfs_gauge *g)
{
	return fmin(SAMPLE_PART * g->pause, SAMPLE_LONGEST);
}

/* By one thread at a time. Without memory or time for it, nothing new is shown until a later sample
 * with more time. */
static void sample_again(struct dfs_gauge *g, int64_t best, const struct fsp_pair_tests *pairs)
{
	struct dfs_levels *before = atomic_load(&g->levels), *l;
	bool begins = pairs && pairs->count && !g->pruned;

	if (clock_wall() < g->due || (before && best == g->best && !begins))
		return;
	l = malloc(sizeof(*l));
	if (!l || make_levels(l, g->request, pairs, g->first_ub, best, dfs_gauge_sample_seconds(g),
			      NULL)) {
		free(l);
		g->pause *= 2;
		g->due = clock_wall() + g->pause;
		return;
	}
	l->before = before;
	g->best = best;
	g->pruned = pairs && pairs->count;
	g->pause = dfs_gauge_sample_seconds(g) / SAMPLE_PART;
	g->due = clock_wall() + g->pause;
	atomic_store(&g->levels, l);
}

const struct dfs_levels *dfs_gauge_levels_with(struct dfs_gauge *g, int64_t best,
					       const struct fsp_pair_tests *pairs)
{
	if (!g->request)
		return NULL;
	if (!atomic_flag_test_and_set(&g->sampling)) {
		sample_again(g, best, pairs);
		atomic_flag_clear(&g->sampling);
	}
	return atomic_load(&g->levels);
}

const struct dfs_levels *dfs_gauge_levels(struct dfs_gauge *g, int64_t best)
{
	return dfs_gauge_levels_with(g, best, NULL);
}
