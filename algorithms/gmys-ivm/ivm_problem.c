/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gmys-ivm/ivm_problem.h"

#include <string.h>

#include "algorithms/tree-search/atsp/atsp_start.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"
#include "datasets/atsp/atsp.h"

static int make_flowshop(struct ivm_problem *p, const struct search_request *r, struct err *e)
{
	const struct flowshop *f = r->flowshop;
	int64_t order[FLOWSHOP_MAX_JOBS], first_ub = r->ub;
	/* LB1 needs no pairs: the smallest tables are made and their pairs are hidden */
	int status = fsp_tables_make(&p->tables, f,
				     r->bound == FSP_LB2 ? FSP_ALL_PAIRS : FSP_ADJACENT_PAIRS, e);

	if (status)
		return status;
	if (r->bound == FSP_LB1)
		p->tables.pairs = 0;
	if (first_ub == SEARCH_NO_UB) { /* what search_start starts from */
		for (int j = 0; j < f->jobs; j++)
			order[j] = j;
		first_ub = flowshop_makespan(f, order);
	}
	p->kind = IVM_FLOWSHOP;
	p->n = f->jobs;
	p->branching = r->branching;
	p->first_ub = (int32_t)(first_ub < INT32_MAX ? first_ub : INT32_MAX);
	return 0;
}

int ivm_problem_make(struct ivm_problem *p, const struct search_request *r, struct err *e)
{
	memset(p, 0, sizeof(*p));
	if (r->flowshop)
		return make_flowshop(p, r, e);
	if (r->atsp) {
		p->kind = IVM_ATSP;
		p->n = r->atsp->cities - 1;
		p->cities = r->atsp->cities;
		p->cost = r->atsp->cost;
		return 0;
	}
	if (r->queens < 1 || r->queens > QUEENS_MAX)
		return err_set(e, ERR_UNSUPPORTED, "%d queens: the number must be between 1 and %d",
			       r->queens, QUEENS_MAX);
	p->kind = IVM_QUEENS;
	p->n = r->queens;
	return 0;
}

void ivm_problem_free(struct ivm_problem *p)
{
	if (p->kind == IVM_FLOWSHOP)
		fsp_tables_free(&p->tables);
	memset(p, 0, sizeof(*p));
}

const void *ivm_problem_block(const struct ivm_problem *p, size_t *bytes)
{
	*bytes = 0;
	if (p->kind == IVM_FLOWSHOP)
		return fsp_tables_block(&p->tables, bytes);
	if (p->kind == IVM_ATSP)
		*bytes = (size_t)p->cities * (size_t)p->cities * sizeof(*p->cost);
	return p->cost;
}

struct ivm_problem ivm_problem_moved(const struct ivm_problem *p, const void *block)
{
	struct ivm_problem moved = *p;

	if (p->kind == IVM_FLOWSHOP)
		moved.tables = fsp_tables_moved(&p->tables, block);
	else if (p->kind == IVM_ATSP)
		moved.cost = block;
	return moved;
}

void ivm_problem_interval(const struct ivm_problem *p, uint16_t *first, uint16_t *last)
{
	memset(first, 0, (size_t)p->n * sizeof(*first));
	ivm_factoradic_last(last, p->n);
	if (p->kind == IVM_QUEENS)
		last[0] = (uint16_t)((p->n + 1) / 2 - 1);
}

void ivm_problem_solution(const struct ivm_problem *p, const uint16_t *items, int64_t *order)
{
	int shift = p->kind == IVM_ATSP;

	if (shift)
		order[0] = 0;
	for (int i = 0; i < p->n; i++)
		order[i + shift] = items[i] + shift;
}

int32_t ivm_problem_root_bound(const struct ivm_problem *p)
{
	if (p->kind == IVM_FLOWSHOP)
		return fsp_root_bound(&p->tables, p->tables.pairs ? FSP_LB2 : FSP_LB1);
	return p->kind == IVM_ATSP ? atsp_root_bound(p->cost, p->cities) : 0;
}
