/* Tables of the search by sets: numbers of sets, Johnson's orders as steps. */
#include <stdlib.h>
#include <string.h>

#include "algorithms/tree-search/flowshop/fsp_tables.h"
#include "algorithms/tree-search/by-set/sets_search.h"

enum { NARROW_UB = 4096 };

static uint32_t choose(int n, int k)
{
	uint64_t c = 1;

	if (k < 0 || k > n)
		return 0;
	for (int i = 1; i <= k; i++)
		c = c * (uint64_t)(n - k + i) / (uint64_t)i;
	return (uint32_t)c;
}

/* Sets of a level are in the order of their high parts, then of their low parts. */
static void fill_numbers(struct sets_tables *t)
{
	uint32_t used[SETS_JOBS + 1] = { 0 };

	for (int d = 0; d <= t->jobs; d++) {
		uint32_t sets = choose(t->jobs, d), number = t->level_first[d];

		t->level_first[d + 1] = number + sets;
		t->widest = sets > t->widest ? sets : t->widest;
		for (uint32_t high = 0; high < 1u << t->high_bits; high++) {
			t->high[((uint32_t)d << t->high_bits) + high] = number;
			number += choose(t->low_bits, d - __builtin_popcount(high));
		}
	}
	for (uint32_t low = 0; low < 1u << t->low_bits; low++)
		t->low[low] = used[__builtin_popcount(low)]++;
}

static void fill_steps(struct sets_tables *t, const struct fsp_tables *p)
{
	for (int pair = 0; pair < p->pairs; pair++) {
		int u = p->pair_u[pair], v = p->pair_v[pair];
		struct sets_step *step = t->step + (u * SETS_MACHINES + v) * t->jobs;

		for (int i = 0; i < t->jobs; i++) {
			int j = p->johnson[pair * p->jobs + i];
			const int32_t *time = p->time + j * p->machines;

			step[i].what = (uint32_t)(32 * j) |
				       (uint32_t)(time[u] + p->lag[pair * p->jobs + j]) << 16;
			step[i].drift = (uint32_t)(time[u] - time[v]);
		}
	}
}

static void fill_times(struct sets_tables *t, const struct fsp_tables *p)
{
	for (int j = 0; j < t->jobs; j++)
		for (int k = 0; k < p->machines; k++)
			t->time[j * SETS_MACHINES + k] = (uint32_t)p->time[j * p->machines + k];
	for (int k = 0; k < p->machines; k++)
		t->tail[k] = (uint32_t)p->tail[k];
}

/* Heads and tails; machines that are not there come after the last one, so they have its head. */
static void fill_root(struct sets_tables *t, const struct fsp_tables *p)
{
	for (int k = 0; k < SETS_MACHINES; k++) {
		int at = SETS_MACHINES - 1 - k;
		uint32_t head = (uint32_t)p->head[k < p->machines ? k : p->machines - 1];

		t->root[k / 2] |= head << k % 2 * 16;
		t->root[SETS_MACHINES / 2 + at / 2] |= t->tail[k] << at % 2 * 16;
	}
}

static void choose_form(struct sets_tables *t, enum fsp_branching rule, int64_t ub)
{
	t->rule = rule;
	t->first_ub = (uint32_t)ub;
	t->two_sided = rule != FSP_FORWARD;
	t->wide = !t->two_sided && ub > NARROW_UB;
	t->row_words = t->two_sided ? TWOSIDED_ROW_WORDS :
		       t->wide      ? SETS_WIDE_WORDS :
				      SETS_NARROW_WORDS;
	t->bound_words = t->two_sided ? TWOSIDED_BOUND_WORDS : SETS_MACHINES / 2;
}

int sets_tables_make(struct sets_tables *t, const struct flowshop *f, enum fsp_branching rule,
		     int64_t ub, struct err *e)
{
	struct fsp_tables p;
	int rc = fsp_tables_make(&p, f, FSP_ALL_PAIRS, e);

	if (rc)
		return rc;
	*t = (struct sets_tables){ .jobs = f->jobs,
				   .low_bits = (f->jobs + 1) / 2,
				   .high_bits = f->jobs / 2 };
	choose_form(t, rule, ub);
	t->low_count = (size_t)1 << t->low_bits;
	t->high_count = (size_t)(t->jobs + 1) << t->high_bits;
	t->low = calloc(t->low_count, sizeof(*t->low));
	t->high = calloc(t->high_count, sizeof(*t->high));
	t->time = calloc((size_t)t->jobs * SETS_MACHINES, sizeof(*t->time));
	t->step = calloc((size_t)t->jobs * SETS_MACHINES * SETS_MACHINES, sizeof(*t->step));
	if (t->low && t->high && t->time && t->step) {
		fill_numbers(t);
		fill_steps(t, &p);
		fill_times(t, &p);
		if (t->two_sided)
			fill_root(t, &p);
		t->root_bound = fsp_root_bound(&p, FSP_LB2);
	} else {
		sets_tables_free(t);
		rc = err_set(e, ERR_MEMORY, "no memory for the tables of %s", f->name);
	}
	fsp_tables_free(&p);
	return rc;
}

void sets_tables_free(struct sets_tables *t)
{
	free(t->low);
	free(t->high);
	free(t->time);
	free(t->step);
	memset(t, 0, sizeof(*t));
}
