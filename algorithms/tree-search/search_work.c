/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/search_work.h"

#include <stdatomic.h>

#include "datasets/atsp/atsp.h"
#include "kernels/tree-search/queens.h"
#include "kernels/tree-search/sets.h"
#include "kernels/tree-search/twosided.h"

enum { STEP = 3, END_OF_PASS = 2, SIDES = 2 };

/* ---- flowshop ---- */

static double pairs_of(double machines)
{
	return machines * (machines - 1) / 2;
}

double search_work_ivm(const struct flowshop *f, const uint64_t *by_children, bool packed)
{
	double m = f->machines, sum = 0;

	for (int k = 1; k <= f->jobs && k <= SEARCH_PROFILE; k++) {
		double path = (f->jobs - k) * 2 * m; /* fronts or backs, and sums */
		double child = (packed ? m : 4 * m) + pairs_of(m) * (STEP * (k - 1) + END_OF_PASS);

		sum += (double)by_children[k] * (path + SIDES * k * child);
	}
	return sum;
}

double search_work_ivm_bytes(const struct flowshop *f, const uint64_t *by_children)
{
	enum { ROW = 2 * sizeof(int16_t), MAPPING = 2 * sizeof(uint32_t) };
	enum { BOUNDS = SIDES * 2 * sizeof(int32_t) };
	double children = 0;

	for (int k = 1; k <= f->jobs && k <= SEARCH_PROFILE; k++)
		children += (double)by_children[k] * k;
	return (ROW + MAPPING + BOUNDS) * children;
}

/* In wide_siblings, a forward step takes 5 operations and a backward step 5; then each bound takes
 * a sum of three values and a maximum. */
double search_work_deep(const struct flowshop *f, const uint64_t *by_children)
{
	enum { FEW = 4, BOTH_STEPS = 10, BOUND = 3 };
	double m = f->machines, sum = 0;

	for (int k = 1; k <= f->jobs && k <= SEARCH_PROFILE; k++) {
		double pass = k == 1  ? 0 :
			      k > FEW ? BOTH_STEPS * k + SIDES * BOUND * k :
					k * (STEP * (k - 1) + SIDES * BOUND);

		sum += (double)by_children[k] * (2 * m + SIDES * k * 3 * m + pairs_of(m) * pass);
	}
	return sum;
}

double search_work_sets(enum fsp_branching branching, const struct search_outcome *o)
{
	const double machines = SETS_MACHINES;
	double child = branching == FSP_FORWARD ? machines : pairs_of(machines) + 2 * machines;

	return (double)o->evaluated * child + (double)o->explored * machines;
}

double search_work_sets_bytes(enum fsp_branching branching, const struct search_outcome *o)
{
	double row = 4 * (branching == FSP_FORWARD ? SETS_NARROW_WORDS : TWOSIDED_ROW_WORDS);

	return row * ((double)o->explored + (double)o->decomposed);
}

/* ---- N-Queens ---- */

struct placements {
	int n;
	uint32_t full;
	_Atomic uint64_t at[QUEENS_MAX + 1];
};

static void count_below(const struct placements *p, struct queens_masks q, int depth, uint64_t *at)
{
	uint32_t open = queens_open_columns(q, p->full);

	at[depth + 1] += (uint64_t)__builtin_popcount(open);
	for (; depth + 1 < p->n && open; open &= open - 1)
		count_below(p, queens_put(q, open & (0 - open)), depth + 1, at);
}

/* Task i: the first queen in column i / n, the second in column i % n. */
static void count_tasks(void *context, uint64_t from, uint64_t to, int thread)
{
	struct placements *p = context;
	uint64_t at[QUEENS_MAX + 1] = { 0 }, n = (uint64_t)p->n;
	const struct queens_masks empty = { 0, 0, 0 };

	(void)thread;
	for (uint64_t i = from; i < to; i++) {
		struct queens_masks q = queens_put(empty, UINT32_C(1) << i / n);
		uint32_t bit = UINT32_C(1) << i % n;

		if (!(queens_open_columns(q, p->full) & bit))
			continue;
		at[2]++;
		if (p->n > 2)
			count_below(p, queens_put(q, bit), 2, at);
	}
	for (int d = 2; d <= p->n; d++)
		p->at[d] += at[d];
}

void search_work_placements(int n, bool half_board, struct team *team, uint64_t *placements)
{
	int firsts = half_board ? (n + 1) / 2 : n;
	struct placements p = { .n = n, .full = queens_full(n) };

	team_for(team, (uint64_t)firsts * (uint64_t)n, 1, count_tasks, &p);
	placements[0] = 1;
	placements[1] = (uint64_t)firsts;
	for (int d = 2; d <= n; d++)
		placements[d] = p.at[d];
}

double search_work_ivm_queens(int n, const uint64_t *placements, bool one_pass)
{
	double sum = 0;

	for (int d = 1; d < n; d++)
		sum += (double)placements[d] * (5.0 * (one_pass ? 1 : d) + 3.0 * (n - d));
	return sum;
}

double search_work_ivm_queens_bytes(int n, const uint64_t *placements)
{
	double cells = 0;

	for (int d = 1; d < n; d++)
		cells += (double)placements[d] * (n - d);
	return 2 * sizeof(int16_t) * cells;
}

double search_work_cores_queens(int n, double nodes)
{
	enum { INSTRUCTIONS = 11, OF_ADD_MAX = 2 };

	return nodes * INSTRUCTIONS / OF_ADD_MAX / (n <= 16 ? 2 : 1);
}

double search_work_lanes(const struct search_outcome *o)
{
	/* the complete boards of the half board stand for all: one of two, or the middle column */
	return 9 * ((double)o->decomposed + (double)o->solutions / 2);
}

double search_work_pairs(int n, const uint64_t *placements, unsigned forms)
{
	enum { LISTED = 7, LIST = 2 * 19, PAIR = 32, ORBIT = 4 };
	double sum = 0;

	if (forms & SEARCH_BY_LISTS) {
		for (int d = LISTED; d < n; d++)
			sum += LIST * (double)placements[d];
		return sum;
	}
	for (int d = n; d >= 2; d -= 2)
		sum += PAIR * (double)placements[d];
	return forms & SEARCH_NO_SYMMETRY ? sum : sum / ORBIT;
}

/* ---- on cores ---- */

double search_work_cores_bytes(const struct search_request *r)
{
	double order;

	if (r->queens)
		return sizeof(uint64_t);
	order = r->atsp ? r->atsp->cities : r->flowshop->jobs;
	return sizeof(int32_t) * order * (1 + (r->atsp ? order : r->flowshop->machines));
}
