#include "algorithms/helbecque-pool/evaluator.h"

#include <stdlib.h>

#include "kernels/tree-search/queens.h"

static int open_queens(struct evaluator *v, int n, struct err *e)
{
	if (n < 1 || n > QUEENS_MAX)
		return err_set(e, ERR_UNSUPPORTED, "%d queens: 1 to %d are taken", n, QUEENS_MAX);
	v->format = node_format_of(n, n);
	v->queens = true;
	return 0;
}

static int open_flowshop(struct evaluator *v, const struct search_request *r, struct err *e)
{
	const struct flowshop *f = r->flowshop;
	int status;

	if (r->branching != FSP_FORWARD)
		return err_set(e, ERR_UNSUPPORTED, "the published algorithm branches forward only");
	v->format = node_format_of(f->jobs, f->jobs - 1);
	status = bounder_make(&v->bounder, f, r->bound, e);
	if (status)
		return status;
	v->front = malloc(2 * (size_t)f->machines * sizeof(*v->front));
	if (!v->front) {
		bounder_free(&v->bounder);
		return err_set(e, ERR_MEMORY, "no memory for %d machines", f->machines);
	}
	v->rem = v->front + f->machines;
	return 0;
}

int evaluator_open(struct evaluator *v, const struct search_request *r, struct err *e)
{
	memset(v, 0, sizeof(*v));
	return r->flowshop ? open_flowshop(v, r, e) : open_queens(v, r->queens, e);
}

void evaluator_close(struct evaluator *v)
{
	if (v->queens)
		return;
	bounder_free(&v->bounder);
	free(v->front);
}

/* Prefix, sums and set of the node, from its permutation. */
static void replay(struct evaluator *v, const unsigned char *node, int depth)
{
	struct bounder *b = &v->bounder;
	int m = b->tables.machines;

	memset(v->front, 0, (size_t)m * sizeof(*v->front));
	memcpy(v->rem, b->tables.total, (size_t)m * sizeof(*v->rem));
	memset(b->left, 0, (size_t)b->words * sizeof(*b->left));
	for (int i = 0; i < v->format.n; i++) {
		int job = node_id(&v->format, node, i);
		const int32_t *p = bounder_times(b, job);

		if (i >= depth) {
			bounder_flip(b, job);
			continue;
		}
		fsp_append(p, v->front, v->front, m);
		for (int k = 0; k < m; k++)
			v->rem[k] -= p[k];
	}
}

void evaluator_children(struct evaluator *v, const unsigned char *node, int32_t ub, uint32_t *mask)
{
	int depth = node_depth(node);

	memset(mask, 0, (size_t)v->format.words * sizeof(*mask));
	if (!v->queens)
		replay(v, node, depth);
	for (int i = depth; i < v->format.n; i++) {
		int id = node_id(&v->format, node, i);
		bool survives = v->queens ? queens_safe(node + NODE_IDS, depth, id) :
					    bounder_append(&v->bounder, id, v->front, v->rem,
							   v->bounder.tables.tail, ub) < ub;

		mask[i / 32] |= (uint32_t)survives << (i % 32);
	}
}

int32_t evaluator_makespan(const struct evaluator *v, const unsigned char *node, int32_t *front)
{
	int m = v->bounder.tables.machines;

	memset(front, 0, (size_t)m * sizeof(*front));
	for (int i = 0; i < v->format.n; i++)
		fsp_append(bounder_times(&v->bounder, node_id(&v->format, node, i)), front, front,
			   m);
	return front[m - 1];
}
