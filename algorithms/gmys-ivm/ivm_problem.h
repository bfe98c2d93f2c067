/* The three problems as a permutation tree: what an explorer needs of its instance, on the host and
 * (in its moved form) on a device. Bounding is in ivm_bound.h. */
#ifndef COPRA_GMYS_IVM_IVM_PROBLEM_H
#define COPRA_GMYS_IVM_IVM_PROBLEM_H

#include "datasets/atsp/atsp.h"
#include "kernels/tree-search/atsp.h"
#include "kernels/tree-search/fsp.h"
#include "kernels/tree-search/queens.h"
#include "algorithms/tree-search/search.h"
#include "algorithms/gmys-ivm/ivm.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ivm_kind { IVM_FLOWSHOP, IVM_QUEENS, IVM_ATSP };

/* Plain data; pointers into one block (ivm_problem_block), so that a kernel takes a moved copy. The
 * instance must outlive it. */
struct ivm_problem {
	enum ivm_kind kind;
	int n; /* items of the permutation */
	/* flowshop */
	struct fsp_tables tables; /* tables.pairs = 0: LB1 */
	enum fsp_branching branching;
	int32_t first_ub; /* of MinBranch: the request's ub, or what search_start gives */
	/* ATSP */
	int cities;
	const int32_t *cost;
};

/* ERR_MEMORY; ERR_UNSUPPORTED: more than QUEENS_MAX queens. */
int ivm_problem_make(struct ivm_problem *p, const struct search_request *r, struct err *e);
void ivm_problem_free(struct ivm_problem *p);
/* N-Queens has none: NULL and 0 bytes. */
const void *ivm_problem_block(const struct ivm_problem *p, size_t *bytes);
struct ivm_problem ivm_problem_moved(const struct ivm_problem *p, const void *block);

/* The whole tree as one interval: [0, n!) but for N-Queens, whose first digit ends at (N+1)/2 - 1.
 */
void ivm_problem_interval(const struct ivm_problem *p, uint16_t *first, uint16_t *last);
/* A permutation of the n items as an outcome's order: jobs, columns, or all cities from city 0 on.
 */
void ivm_problem_solution(const struct ivm_problem *p, const uint16_t *items, int64_t *order);

/* Of the root, no open node is below it: flowshop's LB1 or LB2, atsp_root_bound, 0 of N-Queens. */
int32_t ivm_problem_root_bound(const struct ivm_problem *p);

/* What one bounded row adds to the counts; the root of N-Queens (level 0) adds no decomposed. */
struct ivm_counts {
	uint64_t decomposed, leaves, solutions;
};
static inline void ivm_counts_add(struct ivm_counts *sum, const struct ivm_counts *n)
{
	sum->decomposed += n->decomposed;
	sum->leaves += n->leaves;
	sum->solutions += n->solutions;
}

#ifdef __cplusplus
}
#endif
#endif
