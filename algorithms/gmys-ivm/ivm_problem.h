/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Makes the struct ivm_problem that explorers on the host and on devices work on: the instance of a
 * search as a permutation tree. kernels/gmys-ivm/ivm_bound.h evaluates its nodes. */
#ifndef COPRA_GMYS_IVM_IVM_PROBLEM_H
#define COPRA_GMYS_IVM_IVM_PROBLEM_H

#include "algorithms/tree-search/search.h"
#include "kernels/gmys-ivm/ivm_bound.h"

/* The request's instance must outlive the problem. ERR_MEMORY; ERR_UNSUPPORTED for more than
 * QUEENS_MAX queens. */
int ivm_problem_make(struct ivm_problem *p, const struct search_request *r, struct err *e);
void ivm_problem_free(struct ivm_problem *p);
/* The block that the problem's pointers point into, to be copied to a device. N-Queens has none:
 * NULL and 0 bytes. */
const void *ivm_problem_block(const struct ivm_problem *p, size_t *bytes);
/* The same problem with its pointers moved to a copy of the block. */
struct ivm_problem ivm_problem_moved(const struct ivm_problem *p, const void *block);

/* The whole tree as one interval: 0 .. n! - 1. For N-Queens (half a board) the first digit ends at
 * (N+1)/2 - 1. */
void ivm_problem_interval(const struct ivm_problem *p, uint16_t *first, uint16_t *last);
/* A permutation of the n items as the order of an outcome: jobs, columns, or all cities from city 0
 * on. */
void ivm_problem_solution(const struct ivm_problem *p, const uint16_t *items, int64_t *order);

/* A lower bound on the whole tree: LB1 or LB2 (flowshop), atsp_root_bound, 0 (N-Queens). */
int32_t ivm_problem_root_bound(const struct ivm_problem *p);

#endif
