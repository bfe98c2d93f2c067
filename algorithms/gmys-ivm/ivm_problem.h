/* The three problems as a permutation tree: what an explorer needs of its instance, on the host and (in
 * its moved form) on a device; and the bounding of a row, the one definition for serial, threads and
 * both modes of the GPU. */
#ifndef COPRA_IVM_PROBLEM_H
#define COPRA_IVM_PROBLEM_H

#include "../../datasets/atsp.h"
#include "../problems/atsp.h"
#include "../problems/flowshop.h"
#include "../problems/queens.h"
#include "../problems/search.h"
#include "ivm.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ivm_kind { IVM_FLOWSHOP, IVM_QUEENS, IVM_ATSP };

/* Plain data; pointers into one block (ivm_problem_block), so that a kernel takes a moved copy. */
struct ivm_problem {
	enum ivm_kind kind;
	int n;                       /* items of the permutation */
	/* flowshop */
	struct fsp_tables tables;    /* tables.pairs = 0: LB1 */
	enum fsp_branching branching;
	int32_t first_ub;            /* of MinBranch */
	/* ATSP */
	int cities;
	const int32_t *cost;
};

/* ERR_MEMORY. */
int ivm_problem_make(struct ivm_problem *p, const struct search_request *r, struct err *e);
void ivm_problem_free(struct ivm_problem *p);
const void *ivm_problem_block(const struct ivm_problem *p, size_t *bytes);
struct ivm_problem ivm_problem_moved(const struct ivm_problem *p, const void *block);

/* The whole tree as one interval: [0, n!) but for N-Queens, whose first digit ends at (N+1)/2 - 1. */
void ivm_problem_interval(const struct ivm_problem *p, uint16_t *first, uint16_t *last);

/* What one bounded row adds to the counts; the root of N-Queens (level 0) adds no decomposed. */
struct ivm_counts {
	uint64_t decomposed, leaves, solutions;
};

#ifdef __cplusplus
}
#endif
#endif
