#include "algorithms/gmys-ivm/pair_bound.h"

#include <stdlib.h>
#include <string.h>

#define NO_JOB (INT32_MIN / 2) /* below all sums, whatever is added or taken off */

int pair_bound_open(struct pair_bound *b, const struct ivm_problem *p, struct err *e)
{
	size_t n = (size_t)p->n, m = (size_t)p->tables.machines;
	int32_t *memory = calloc((2 * m + 5) * n, sizeof(*memory));

	memset(b, 0, sizeof(*b));
	if (!memory)
		return err_set(e, ERR_MEMORY, "no memory for the bounds of %d jobs", p->n);
	b->own[0] = memory;
	b->own[1] = b->own[0] + m * n;
	b->without = b->own[1] + m * n;
	b->greatest = b->without + n;
	b->value = b->greatest + n;
	b->job = b->value + n;
	b->cell = b->job + n;
	return 0;
}

void pair_bound_close(struct pair_bound *b)
{
	free(b->own[0]);
	memset(b, 0, sizeof(*b));
}

/* Times of the children on one side, and their LB1 (a limit of 0 keeps ivm_child to that). */
static void begin_side(struct pair_bound *b, const struct ivm_problem *p, const int16_t *row,
		       int cells, const struct ivm_scratch *s, bool back)
{
	int n = p->n, m = p->tables.machines;

	for (int c = 0; c < cells; c++) {
		int job = ivm_item(row[c]);

		b->cell[job] = c;
		s->bound[back * n + c] = ivm_child_flowshop(p, s, job, back, 0, s->child);
		for (int k = 0; k < m; k++)
			b->own[back][k * n + c] = s->child[k];
	}
}

static void without_each(struct pair_bound *b, const struct fsp_tables *t, int pair,
			 const struct ivm_scratch *s)
{
	int n = t->jobs, m = t->machines, count = 0;
	const int32_t *u = t->time + t->pair_u[pair], *v = t->time + t->pair_v[pair];
	const int32_t *order = t->johnson + (size_t)pair * (size_t)n;
	const int32_t *lag = t->lag + (size_t)pair * (size_t)n;
	int32_t before = 0, behind = s->rem[t->pair_v[pair]], greatest = NO_JOB;

	for (int i = 0; i < n; i++) {
		int j = order[i];
		int32_t value;

		if (!s->left[j])
			continue;
		before += u[j * m];
		value = before + lag[j] + behind;
		behind -= v[j * m];
		b->job[count] = j;
		b->greatest[count] = greatest;
		b->value[count++] = value;
		greatest = value > greatest ? value : greatest;
	}
	greatest = NO_JOB;
	while (count--) {
		int j = b->job[count];
		int32_t x = b->greatest[count] - v[j * m], y = greatest - u[j * m];

		b->without[b->cell[j]] = x > y ? x : y;
		greatest = b->value[count] > greatest ? b->value[count] : greatest;
	}
}

/* bound = max(bound, own + without + other), by cell */
static void lift(int32_t *restrict bound, const int32_t *restrict own,
		 const int32_t *restrict without, int32_t other, int cells)
{
	for (int c = 0; c < cells; c++) {
		int32_t x = own[c] + without[c] + other;

		bound[c] = x > bound[c] ? x : bound[c];
	}
}

int32_t pair_bound_row(struct pair_bound *b, const struct ivm_problem *p, const struct ivm *v,
		       const struct ivm_scratch *s, int32_t best, struct ivm_counts *counts)
{
	const struct fsp_tables *t = &p->tables;
	int n = p->n, cells = n - *v->level, sides = ivm_sides(p);
	const int16_t *row = v->matrix + *v->level * n;

	ivm_node_decode(p, v, s);
	for (int back = 0; back < sides; back++)
		begin_side(b, p, row, cells, s, back);
	for (int pair = 0; pair < t->pairs; pair++) {
		int x = t->pair_u[pair], y = t->pair_v[pair];

		without_each(b, t, pair, s);
		lift(s->bound, b->own[0] + x * n, b->without, s->back[y], cells);
		if (sides == 2)
			lift(s->bound + n, b->own[1] + y * n, b->without, s->front[x], cells);
	}
	return ivm_side_and_prune(p, v, s, best, counts);
}
