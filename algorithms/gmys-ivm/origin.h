/* Where any search by intervals begins, from the root or from a checkpoint; and what it gives back,
 * as a checkpoint or as the outcome. */
#ifndef COPRA_GMYS_IVM_ORIGIN_H
#define COPRA_GMYS_IVM_ORIGIN_H

#include "algorithms/tree-search/interrupt.h"
#include "algorithms/gmys-ivm/ivm_problem.h"

struct ivm_origin {
	int n;
	uint64_t count;
	uint16_t *interval;       /* [count][2][n] */
	struct ivm_counts counts; /* of the runs before */
	double seconds;
	int64_t first_ub; /* of the checkpoint's key */
	int32_t best;     /* least value known, IVM_NONE: none */
	bool known;       /* `order` has it */
	uint16_t *order;  /* [n] items */
	double begin;     /* of this run's search; clock_wall */
};

/* Best: the request's ub and start, or, without, the jobs by their numbers (flowshop,
 * search_start), nothing (ATSP); or what the checkpoint has, where it is less, schedule or not:
 * what was cut off at it is not open, and a search from more would prove too much. A checkpoint's
 * nodes become intervals. ERR_INPUT, ERR_MEMORY; on an error too, ivm_origin_close. ERR_LIMIT: `i`
 * was due before all nodes were intervals; there are none then, the plan's file is written with the
 * work as it was, and the outcome can be told. */
int ivm_origin_open(struct ivm_origin *o, const struct ivm_problem *p,
		    const struct search_request *r, const struct interrupt *i, struct err *e);
void ivm_origin_close(struct ivm_origin *o);

/* The caller has the intervals elsewhere now: frees them. */
void ivm_origin_taken(struct ivm_origin *o);

/* `value` and its order, a schedule, or a tour from city 0 on (NULL: none is at hand), become the
 * best known where they are less, or as little and no order is known. */
void ivm_origin_offer(struct ivm_origin *o, const struct ivm_problem *p, int64_t value,
		      const int64_t *order);

/* Writes the plan's file: these intervals ([count][2][n]) are open, `counts` were made in this run.
 */
int ivm_origin_write(const struct ivm_origin *o, const struct search_request *r,
		     struct ivm_counts counts, uint16_t *interval, uint64_t count, struct err *e);

/* Counts, best, order, bound of the outcome. ERR_MEMORY. */
int ivm_origin_answer(const struct ivm_origin *o, const struct ivm_problem *p,
		      struct ivm_counts counts, bool complete, struct search_outcome *out,
		      struct err *e);

#endif
