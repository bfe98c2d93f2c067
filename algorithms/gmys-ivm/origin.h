/* Where a search by intervals begins, from the root or from a checkpoint; and what it gives back, as a
 * checkpoint or as the outcome. */
#ifndef COPRA_IVM_ORIGIN_H
#define COPRA_IVM_ORIGIN_H

#include "ivm_problem.h"

struct checkpoint;

struct ivm_origin {
	int n;
	uint64_t count;
	uint16_t *interval;       /* [count][2][n] */
	struct ivm_counts counts; /* of the runs before */
	double seconds;
	int64_t first_ub;         /* of the checkpoint's key */
	int32_t best;             /* least value known, IVM_NONE: none */
	bool known;               /* `order` has it */
	uint16_t *order;          /* [n] items */
	double begin;             /* of this run; clock_wall */
};

/* Best: the request's ub and start, or, without, the jobs by their numbers (flowshop, search_start),
 * nothing (ATSP); or what the checkpoint has, where it is less. A checkpoint's nodes become intervals.
 * ERR_INPUT, ERR_MEMORY. */
int ivm_origin_open(struct ivm_origin *o, const struct ivm_problem *p,
		    const struct search_request *r, struct err *e);
void ivm_origin_close(struct ivm_origin *o);

/* Writes the plan's file: intervals `from` .. count - 1 are open, `counts` were made in this run. */
int ivm_origin_write(const struct ivm_origin *o, const struct search_request *r,
		     struct ivm_counts counts, uint64_t from, struct err *e);

/* Counts, best, order, bound of the outcome. ERR_MEMORY. */
int ivm_origin_answer(const struct ivm_origin *o, const struct ivm_problem *p,
		      struct ivm_counts counts, bool complete, struct search_outcome *out,
		      struct err *e);

#endif
