/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/helbecque-pool/evaluator.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/tree-search/flowshop/fsp_tables.h"
#include "kernels/tree-search/queens.h"

int pool_bounder_open(struct pool_bounder *b, const struct flowshop *f, enum fsp_bound bound,
		      struct err *e)
{
	size_t m = (size_t)f->machines;

	memset(b, 0, sizeof(*b));
	int status = fsp_tables_make(&b->tables, f, FSP_ALL_PAIRS, e);

	if (status)
		return status;
	b->bound = bound;
	b->words = (f->jobs + 31) / 32;
	b->left = calloc((size_t)b->words, sizeof(*b->left));
	b->zero = calloc(3 * m, sizeof(*b->zero));
	if (bound == FSP_LB2)
		b->step = fsp_steps_make(&b->tables, &b->step_bytes);
	if (b->left && b->zero && (b->step || bound == FSP_LB1 || !b->tables.pairs)) {
		b->child = b->zero + m;
		b->rem = b->child + m;
		return 0;
	}
	pool_bounder_close(b);
	return err_set(e, ERR_MEMORY, "no memory for the bounds of %d jobs on %d machines", f->jobs,
		       f->machines);
}

void pool_bounder_close(struct pool_bounder *b)
{
	fsp_tables_free(&b->tables);
	free(b->left);
	free(b->zero);
	free(b->step);
	memset(b, 0, sizeof(*b));
}

int32_t pool_bounder_value(const struct pool_bounder *b, const int32_t *front, const int32_t *rem,
			   const int32_t *back, int32_t stop_at)
{
	const struct fsp_tables *t = &b->tables;
	int32_t lb = b->step && b->pairs_only ? 0 : fsp_lb1(front, rem, back, t->machines);

	for (int pair = 0; b->step && pair < t->pairs && lb < stop_at; pair++) {
		const struct fsp_step *row = &b->step[(size_t)pair * (size_t)t->jobs];
		int u = t->pair_u[pair], v = t->pair_v[pair];
		int32_t t0 = front[u], t1 = front[v];

		if (b->words == 1)
			fsp_steps_run_32(row, t->jobs, b->left[0], &t0, &t1);
		else
			fsp_steps_run(row, t->jobs, b->left, 1, &t0, &t1);
		t0 += back[u];
		t1 += back[v];
		lb = t0 > lb ? t0 : lb;
		lb = t1 > lb ? t1 : lb;
	}
	return lb;
}

/* Removes `job` from the set and the sums, computes the bound, and puts it back. */
static int32_t without(struct pool_bounder *b, int job, const int32_t *front, const int32_t *rem,
		       const int32_t *back, int32_t stop_at)
{
	const int32_t *p = pool_bounder_times(b, job);

	for (int k = 0; k < b->tables.machines; k++)
		b->rem[k] = rem[k] - p[k];
	pool_bounder_flip(b, job);
	int32_t lb = pool_bounder_value(b, front, b->rem, back, stop_at);

	pool_bounder_flip(b, job);
	return lb;
}

int32_t pool_bounder_append(struct pool_bounder *b, int job, const int32_t *front,
			    const int32_t *rem, const int32_t *back, int32_t stop_at)
{
	fsp_append(pool_bounder_times(b, job), front, b->child, b->tables.machines);
	return without(b, job, b->child, rem, back, stop_at);
}

int32_t pool_bounder_prepend(struct pool_bounder *b, int job, const int32_t *front,
			     const int32_t *rem, const int32_t *back, int32_t stop_at)
{
	fsp_prepend(pool_bounder_times(b, job), back, b->child, b->tables.machines);
	return without(b, job, front, rem, b->child, stop_at);
}

static int open_queens(struct pool_evaluator *v, int n, struct err *e)
{
	if (n < 1 || n > QUEENS_MAX)
		return err_set(e, ERR_UNSUPPORTED, "%d queens: the number must be between 1 and %d",
			       n, QUEENS_MAX);
	v->format = pool_node_format_of(n, n, false);
	v->queens = true;
	return 0;
}

static int open_flowshop(struct pool_evaluator *v, const struct search_request *r, struct err *e)
{
	const struct flowshop *f = r->flowshop;
	int status;

	if (r->branching != FSP_FORWARD)
		return err_set(e, ERR_UNSUPPORTED, "the published algorithm branches forward only");
	v->format = pool_node_format_of(f->jobs, f->jobs - 1, !(r->forms & SEARCH_BIT_MASKS));
	status = pool_bounder_open(&v->bounder, f, r->bound, e);
	if (status)
		return status;
	v->bounder.pairs_only = !(r->forms & SEARCH_LB1_FIRST);
	v->front = malloc(2 * (size_t)f->machines * sizeof(*v->front));
	if (!v->front) {
		pool_bounder_close(&v->bounder);
		return err_set(e, ERR_MEMORY, "no memory for %d machines", f->machines);
	}
	v->rem = v->front + f->machines;
	return 0;
}

int pool_evaluator_open(struct pool_evaluator *v, const struct search_request *r, struct err *e)
{
	memset(v, 0, sizeof(*v));
	v->forms = r->forms;
	v->count_operations = r->count_operations && r->flowshop;
	return r->flowshop ? open_flowshop(v, r, e) : open_queens(v, r->queens, e);
}

void pool_evaluator_close(struct pool_evaluator *v)
{
	if (v->queens)
		return;
	pool_bounder_close(&v->bounder);
	free(v->front);
}

/* Computes the times of the prefix, the sums and the set from the permutation of the node. */
static void replay(struct pool_evaluator *v, const unsigned char *node, int depth)
{
	struct pool_bounder *b = &v->bounder;
	int m = b->tables.machines;

	memset(v->front, 0, (size_t)m * sizeof(*v->front));
	memcpy(v->rem, b->tables.total, (size_t)m * sizeof(*v->rem));
	memset(b->left, 0, (size_t)b->words * sizeof(*b->left));
	for (int i = 0; i < v->format.n; i++) {
		int job = pool_node_id(&v->format, node, i);
		const int32_t *p = pool_bounder_times(b, job);

		if (i >= depth) {
			pool_bounder_flip(b, job);
			continue;
		}
		fsp_append(p, v->front, v->front, m);
		for (int k = 0; k < m; k++)
			v->rem[k] -= p[k];
	}
}

void pool_evaluator_children(struct pool_evaluator *v, const unsigned char *node, int32_t ub,
			     uint32_t *mask)
{
	int depth = pool_node_depth(node);

	memset(mask, 0, (size_t)v->format.words * sizeof(*mask));
	if (!v->queens)
		replay(v, node, depth);
	for (int i = depth; i < v->format.n; i++) {
		int id = pool_node_id(&v->format, node, i);
		bool survives = v->queens ? queens_safe(node + v->format.ids, depth, id) :
					    pool_bounder_append(&v->bounder, id, v->front, v->rem,
								v->bounder.tables.tail, ub) < ub;

		mask[i / 32] |= (uint32_t)survives << (i % 32);
	}
}

int32_t pool_evaluator_makespan(const struct pool_evaluator *v, const unsigned char *node,
				int32_t *front)
{
	int m = v->bounder.tables.machines;

	memset(front, 0, (size_t)m * sizeof(*front));
	for (int i = 0; i < v->format.n; i++)
		fsp_append(pool_bounder_times(&v->bounder, pool_node_id(&v->format, node, i)),
			   front, front, m);
	return front[m - 1];
}
