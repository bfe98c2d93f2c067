/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Several processes (ranks) that measure the cases of a target together, each on its own
 * processors. Rank 0 runs the plan, checks and writes, as a process alone does. The others follow:
 * they call setup(), run() and teardown() of the case that rank 0 names, at the same time. What
 * run() does on each rank, and how results reach rank 0, is the target's matter.
 *
 * A case that cannot be set up on one of the ranks is skipped, with the reason of that rank. If
 * run() fails on rank 0, the others abandon it. If it fails on another rank alone, all ranks end,
 * because rank 0 may wait for it forever; rows that were stored in the journal stay. */
#ifndef COPRA_BENCH_RANKS_H
#define COPRA_BENCH_RANKS_H

#include "harness/base/error.h"

enum bench_order { BENCH_SET_UP, BENCH_RUN, BENCH_TEAR_DOWN, BENCH_END };
enum { BENCH_ORDER_NAME = 256 };

/* The ranks of this program and the functions that carry orders. All return 0 or an error of the
 * transport, after which the ranks cannot go on. */
struct bench_ranks {
	int rank, ranks; /* ranks > 1 */
	int nodes;       /* machines that have ranks */

	/* Rank 0. Sends an order for the case `name` (BENCH_END: "") to all others. */
	int (*order)(enum bench_order order, const char *name, struct err *e);
	/* Waits for all answers to the last order. Returns the first failure among them, whose text
	 * names the rank and its node. */
	int (*answers)(struct err *e);
	/* Lets the others end the run() that they are in. */
	int (*abandon)(struct err *e);

	/* The other ranks. Waits for an order. */
	int (*next)(enum bench_order *order, char name[BENCH_ORDER_NAME], struct err *e);
	/* Answers an order with the result of its function. Fails with that result if run() failed
	 * and rank 0 does not abandon it. */
	int (*answer)(int status, const struct err *problem, struct err *e);
};

struct bench_case;
struct bench_plan;

/* Rank 0: setup(), run() or teardown() of the case, on all ranks at the same time. A case without
 * ranks (bench_setting): on this process. After a failed setup() no rank is set up. */
int bench_on_ranks(struct bench_case *c, enum bench_order order, struct err *e);

/* The other ranks: follows the orders of rank 0 until the end. The plan must have all cases of
 * rank 0's. */
int bench_follow(struct bench_plan *plan, const struct bench_ranks *ranks, struct err *e);

#endif
