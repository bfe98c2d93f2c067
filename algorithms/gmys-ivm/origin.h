/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The origin of a search by intervals, the root or a checkpoint, and the results of the search: a
 * checkpoint or the outcome. */
#ifndef COPRA_GMYS_IVM_ORIGIN_H
#define COPRA_GMYS_IVM_ORIGIN_H

#include "algorithms/gmys-ivm/ivm_problem.h"
#include "algorithms/tree-search/search.h"

struct ivm_origin {
	int n;
	uint64_t count;
	uint16_t *interval;       /* [count][2][n] */
	struct ivm_counts counts; /* of previous runs */
	double seconds;           /* of previous runs */
	int64_t first_ub;         /* for the key of the checkpoint */
	int32_t best;             /* least value known, IVM_NONE: none */
	bool known;               /* `order` has this value */
	uint16_t *order;          /* [n] items */
	double begin;             /* of this run's search; clock_wall */
};

/* The best value is the request's ub with its start. If there is none, it is the schedule by job
 * numbers (flowshop, search_start), or nothing (ATSP). A checkpoint's best replaces it if it is
 * less, even without a schedule: what was pruned at that value is no longer open, so a larger value
 * would be a wrong proof. The nodes of a checkpoint are converted to intervals.
 *
 * ERR_INPUT; ERR_MEMORY. ERR_LIMIT: `i` was due before all nodes were converted. There are no
 * intervals then; the plan's file is written with the unchanged work, `left` gets it, and the
 * outcome can be reported. After an error, too, call ivm_origin_close. */
int ivm_origin_open(struct ivm_origin *o, const struct ivm_problem *p,
		    const struct search_request *r, const struct interrupt *i, struct err *e);
void ivm_origin_close(struct ivm_origin *o);

/* Frees the intervals, which the caller has copied. */
void ivm_origin_taken(struct ivm_origin *o);

/* Offers a schedule, or a tour from city 0 on, of value `value` (order NULL: not available). It
 * becomes the best if it is less, or equal and no order is known. */
void ivm_origin_offer(struct ivm_origin *o, const struct ivm_problem *p, int64_t value,
		      const int64_t *order);

/* Writes the file of the request's checkpoint plan (checkpoint_store). The intervals
 * ([count][2][n]) are open, `counts` are those of this run. */
int ivm_origin_write(const struct ivm_origin *o, const struct search_request *r,
		     struct ivm_counts counts, uint16_t *interval, uint64_t count, struct err *e);
/* The same at the end of the search (checkpoint_store_last). Also stores the state in the plan's
 * `left`. */
int ivm_origin_end(const struct ivm_origin *o, const struct search_request *r,
		   struct ivm_counts counts, uint16_t *interval, uint64_t count, struct err *e);

/* Sets the counts, best value, order and bound of the outcome. ERR_MEMORY. */
int ivm_origin_answer(const struct ivm_origin *o, const struct ivm_problem *p,
		      struct ivm_counts counts, bool complete, struct search_outcome *out,
		      struct err *e);

#endif
