/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Iterated greedy in threads, before a tree search and beside it. Beside a search, better
 * schedules go to the search through an exchange, and those of the search become the start of the
 * heuristic. */
#ifndef COPRA_TREE_SEARCH_FLOWSHOP_FSP_IMPROVE_H
#define COPRA_TREE_SEARCH_FLOWSHOP_FSP_IMPROVE_H

#include <signal.h>

#include "algorithms/tree-search/exchange.h"
#include "datasets/flowshop/flowshop.h"

enum { FSP_IMPROVE_THREADS_MAX = 64 };

struct fsp_improve_plan {
	const struct flowshop *flowshop;
	struct exchange *exchange; /* holds a schedule; fsp_improve() ignores it */
	int threads;               /* 1 .. FSP_IMPROVE_THREADS_MAX, with different seeds */
	double share;              /* of its time that each thread works, 0 < share <= 1 */
	int64_t target;            /* the threads end at a schedule of this makespan or less */
	uint64_t seed;
};

struct fsp_improver;
/* The plan is copied. Fewer threads may be created if the system has no more. ERR_MEMORY. */
int fsp_improver_start(struct fsp_improver **out, const struct fsp_improve_plan *p, struct err *e);
/* Ends the threads after their present step. NULL: nothing to do. */
void fsp_improver_stop(struct fsp_improver *i);

/* Improves `order` in place: runs the threads of the plan for `seconds`, or until *stop (may be
 * NULL) is set or the makespan reaches the target. With `settle` it also ends when the last gain is
 * long past: after 0.1 s and three times the time from the start to that gain. If *stop is set
 * before the call, `order` stays as it is. Returns the makespan, or an error: ERR_USAGE if `order`
 * is not a permutation, ERR_MEMORY. */
int64_t fsp_improve(const struct fsp_improve_plan *p, int64_t *order, double seconds, bool settle,
		    const volatile sig_atomic_t *stop, struct err *e);

#endif
