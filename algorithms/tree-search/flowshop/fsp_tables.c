/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/flowshop/fsp_tables.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/checked.h"

_Static_assert((int)FSP_MAX_JOBS == (int)FLOWSHOP_MAX_JOBS &&
		       (int)FSP_MAX_MACHINES == (int)FLOWSHOP_MAX_MACHINES,
	       "the node evaluation supports every instance");

/* The block holds time, head, tail, total, pair_u, pair_v, johnson and lag, in this order. */

static size_t block_values(const struct fsp_tables *t)
{
	size_t n = (size_t)t->jobs, m = (size_t)t->machines, pairs = (size_t)t->pairs;

	return n * m + 3 * m + 2 * pairs + 2 * pairs * n;
}

struct fsp_tables fsp_tables_moved(const struct fsp_tables *t, const void *block)
{
	size_t n = (size_t)t->jobs, m = (size_t)t->machines, pairs = (size_t)t->pairs;
	struct fsp_tables moved = *t;

	moved.time = block;
	moved.head = moved.time + n * m;
	moved.tail = moved.head + m;
	moved.total = moved.tail + m;
	moved.pair_u = moved.total + m;
	moved.pair_v = moved.pair_u + pairs;
	moved.johnson = moved.pair_v + pairs;
	moved.lag = moved.johnson + pairs * n;
	return moved;
}

const void *fsp_tables_block(const struct fsp_tables *t, size_t *bytes)
{
	*bytes = block_values(t) * sizeof(*t->time);
	return t->time;
}

/* The writable address of a table in the block, which is still being filled. */
static int32_t *filled(int32_t *block, const struct fsp_tables *t, const int32_t *table)
{
	return block + (table - t->time);
}

static void fill_machines(const struct fsp_tables *t, const struct flowshop *f, int32_t *block)
{
	int32_t *time = block, *head = filled(block, t, t->head);
	int32_t *tail = filled(block, t, t->tail), *total = filled(block, t, t->total);
	int n = t->jobs, m = t->machines;

	for (int k = 0; k < m; k++) {
		head[k] = tail[k] = INT32_MAX;
		total[k] = 0;
	}
	for (int j = 0; j < n; j++) {
		int32_t before = 0, behind = 0;

		for (int k = 0; k < m; k++) {
			head[k] = before < head[k] ? before : head[k];
			time[j * m + k] = f->time[k * n + j];
			total[k] += time[j * m + k];
			before += time[j * m + k];
		}
		for (int k = m - 1; k >= 0; k--) {
			tail[k] = behind < tail[k] ? behind : tail[k];
			behind += time[j * m + k];
		}
	}
}

static int count_pairs(int machines, enum fsp_pairs pairs)
{
	return pairs == FSP_ALL_PAIRS ? machines * (machines - 1) / 2 : machines - 1;
}

static void fill_pairs(const struct fsp_tables *t, enum fsp_pairs pairs, int32_t *block)
{
	int32_t *u = filled(block, t, t->pair_u), *v = filled(block, t, t->pair_v);
	int count = 0;

	for (int a = 0; a < t->machines; a++) {
		for (int b = a + 1; b < t->machines; b++) {
			if ((pairs == FSP_LAST_PAIRS && b != t->machines - 1) ||
			    (pairs == FSP_ADJACENT_PAIRS && b != a + 1))
				continue;
			u[count] = a;
			v[count++] = b;
		}
	}
}

struct rank {
	int64_t key;
	int32_t job;
};

static int compare_ranks(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->job > y->job) - (x->job < y->job);
}

/* Johnson's rule: first the jobs that are shorter on the first machine, by increasing time there,
 * then the others by decreasing time on the second machine. All keys of the others are above all
 * keys of the first. */
static int64_t johnson_key(int64_t first, int64_t second)
{
	return first < second ? first : (INT64_C(1) << 32) - second;
}

static void fill_orders(const struct fsp_tables *t, int32_t *block, struct rank *ranks)
{
	int32_t *johnson = filled(block, t, t->johnson), *lag = filled(block, t, t->lag);
	int n = t->jobs, m = t->machines;

	for (int pair = 0; pair < t->pairs; pair++) {
		int u = t->pair_u[pair], v = t->pair_v[pair];

		for (int j = 0; j < n; j++) {
			const int32_t *p = &t->time[j * m];
			int64_t between = 0;

			for (int k = u + 1; k < v; k++)
				between += p[k];
			lag[pair * n + j] = (int32_t)between;
			ranks[j].key = johnson_key(p[u] + between, p[v] + between);
			ranks[j].job = j;
		}
		qsort(ranks, (size_t)n, sizeof(*ranks), compare_ranks);
		for (int i = 0; i < n; i++)
			johnson[pair * n + i] = ranks[i].job;
	}
}

int fsp_tables_make(struct fsp_tables *t, const struct flowshop *f, enum fsp_pairs pairs,
		    struct err *e)
{
	struct rank *ranks = malloc((size_t)f->jobs * sizeof(*ranks));
	int32_t *block;

	*t = (struct fsp_tables){ .jobs = f->jobs,
				  .machines = f->machines,
				  .pairs = count_pairs(f->machines, pairs) };
	block = calloc(block_values(t), sizeof(*block));
	if (!ranks || !block) {
		free(ranks);
		free(block);
		return err_set(e, ERR_MEMORY, "no memory for the tables of %s", f->name);
	}
	*t = fsp_tables_moved(t, block);
	fill_machines(t, f, block);
	fill_pairs(t, pairs, block);
	fill_orders(t, block, ranks);
	free(ranks);
	return 0;
}

void fsp_tables_free(struct fsp_tables *t)
{
	free((void *)t->time);
	*t = (struct fsp_tables){ .jobs = 0 };
}

struct fsp_step *fsp_steps_make(const struct fsp_tables *t, size_t *bytes)
{
	size_t steps;

	if (t->pairs < 1 || !checked_mul_size((size_t)t->pairs, (size_t)t->jobs, &steps) ||
	    !checked_mul_size(steps, sizeof(struct fsp_step), bytes))
		return NULL;

	struct fsp_step *step = malloc(*bytes);

	for (size_t i = 0; step && i < steps; i++) {
		size_t pair = i / (size_t)t->jobs;
		int j = t->johnson[i];
		const int32_t *times = &t->time[(size_t)j * (size_t)t->machines];

		step[i] = (struct fsp_step){ .job = j,
					     .u_time = times[t->pair_u[pair]],
					     .v_time = times[t->pair_v[pair]],
					     .lag = t->lag[pair * (size_t)t->jobs + (size_t)j] };
	}
	return step;
}

int32_t fsp_root_bound(const struct fsp_tables *t, enum fsp_bound bound)
{
	uint8_t left[FLOWSHOP_MAX_JOBS];

	if (bound == FSP_LB1)
		return fsp_lb1(t->head, t->total, t->tail, t->machines);
	memset(left, 1, sizeof(left));
	return fsp_lb2(t, t->head, t->total, t->tail, left, INT32_MAX);
}

bool fsp_fits_16_bits(const struct flowshop *f)
{
	int64_t longest = 0;

	for (int i = 0; i < f->jobs * f->machines; i++)
		longest = f->time[i] > longest ? f->time[i] : longest;
	return longest * (f->jobs + f->machines) < UINT16_MAX;
}
