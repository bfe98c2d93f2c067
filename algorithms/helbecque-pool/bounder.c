#include "algorithms/helbecque-pool/bounder.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"

#include <stdlib.h>
#include <string.h>

int bounder_make(struct bounder *b, const struct flowshop *f, enum fsp_bound bound, struct err *e)
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
	bounder_free(b);
	return err_set(e, ERR_MEMORY, "no memory for the bounds of %d jobs on %d machines", f->jobs,
		       f->machines);
}

void bounder_free(struct bounder *b)
{
	fsp_tables_free(&b->tables);
	free(b->left);
	free(b->zero);
	free(b->step);
	memset(b, 0, sizeof(*b));
}

int32_t bounder_value(const struct bounder *b, const int32_t *front, const int32_t *rem,
		      const int32_t *back, int32_t stop_at)
{
	const struct fsp_tables *t = &b->tables;
	int32_t lb = fsp_lb1(front, rem, back, t->machines);

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

/* Takes `job` out of the set and the sums, bounds, puts it back. */
static int32_t without(struct bounder *b, int job, const int32_t *front, const int32_t *rem,
		       const int32_t *back, int32_t stop_at)
{
	const int32_t *p = bounder_times(b, job);

	for (int k = 0; k < b->tables.machines; k++)
		b->rem[k] = rem[k] - p[k];
	bounder_flip(b, job);
	int32_t lb = bounder_value(b, front, b->rem, back, stop_at);

	bounder_flip(b, job);
	return lb;
}

int32_t bounder_append(struct bounder *b, int job, const int32_t *front, const int32_t *rem,
		       const int32_t *back, int32_t stop_at)
{
	fsp_append(bounder_times(b, job), front, b->child, b->tables.machines);
	return without(b, job, b->child, rem, back, stop_at);
}

int32_t bounder_prepend(struct bounder *b, int job, const int32_t *front, const int32_t *rem,
			const int32_t *back, int32_t stop_at)
{
	fsp_prepend(bounder_times(b, job), back, b->child, b->tables.machines);
	return without(b, job, front, rem, b->child, stop_at);
}
