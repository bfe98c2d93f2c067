/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The dealer of a search by intervals (tuned_intervals.c): all devices take their work from it. It
 * keeps the open intervals, the counts and the best tour, which a checkpoint holds.
 *
 * A piece of work is an interval of factoradic numbers. When it is handed out, the host walks
 * through its tree down to a depth where subtrees are small enough. Nodes above this depth are
 * counted here. Nodes at this depth whose subtree lies completely in the interval become roots for
 * a device. A node belongs to the interval that has the number of its leftmost leaf (ivm.h).
 * The counts of a piece are added only when the whole piece is done. Until then its interval is
 * open, and a search that resumes from a checkpoint written in the meantime repeats it. */
#ifndef COPRA_GMYS_IVM_INTERVALS_TUNED_DEALER_H
#define COPRA_GMYS_IVM_INTERVALS_TUNED_DEALER_H

#include <pthread.h>

#include "algorithms/gmys-ivm/origin.h"
#include "algorithms/tree-search/balance.h"
#include "algorithms/tree-search/depth-first/dfs_levels.h"
#include "datasets/atsp/atsp.h"
#include "kernels/gmys-ivm/intervals.h"

/* The tree of a search. */
struct ivm_tree {
	const struct atsp *atsp; /* NULL: N-Queens, half a board */
	int n;                   /* items, at most IVM_INTERVAL_ITEMS */
};

enum { IVM_INTERVAL_START = IVM_INTERVAL_ITEMS /* city 0, at which an empty path ends */ };

static inline int ivm_interval_city(int item)
{
	return item == IVM_INTERVAL_START ? 0 : item + 1;
}

struct ivm_interval {
	uint16_t first[IVM_INTERVAL_ITEMS], last[IVM_INTERVAL_ITEMS];
};

enum { IVM_PIECE_ROOTS = 1 << 14 };

struct ivm_piece {
	struct ivm_interval interval;
	struct ivm_counts counts; /* of the nodes above the roots; at the end of all nodes */
	int weight;               /* N-Queens: solutions on the whole board per solution here */
	int count, depth;         /* number of roots; their least depth */
	struct ivm_interval_node root[IVM_PIECE_ROOTS];
	uint8_t path[IVM_PIECE_ROOTS][IVM_INTERVAL_ITEMS]; /* items of each root */
	double nodes, ratio; /* expected nodes below the roots; the dealer's ratio at that time */
	double level[IVM_INTERVAL_ITEMS + 1]; /* estimated nodes of the whole tree by depth */
	int64_t best; /* when it was handed out; at the end the best tour found, if less */
	uint8_t tour[IVM_INTERVAL_ITEMS];
};

struct ivm_dealer {
	struct ivm_tree tree;
	struct ivm_problem problem; /* the same instance for `origin` */
	const struct search_request *request;
	double piece_most, piece_least; /* limits for the nodes of a piece */
	int takers;                     /* pieces in progress at the same time */

	pthread_mutex_t lock;
	struct ivm_interval *open; /* [opened], ascending, with room for one more: intervals not yet
				      handed out; the first is cut next */
	size_t opened;
	struct ivm_interval *taken; /* [takers] in progress */
	int under_way;
	struct ivm_origin origin; /* its best is the current one */
	struct ivm_counts counts; /* of this run */
	struct balance balance;   /* of lengths, modulo IVM_FACTORADIC_MODULUS, without `left` */
	double level[IVM_INTERVAL_ITEMS + 1]; /* estimated nodes by depth */
	double all;                           /* their sum */
	double ratio;                         /* nodes found per expected node, smoothed */
	struct dfs_gauge gauge;               /* of what is left */
	double written;                       /* time of the last checkpoint; clock_wall */
	int status;                           /* of writing checkpoints */
	struct err error;
};

/* Starts with the whole tree, or with what the request's checkpoint left. `tour`, of cost `best`,
 * is an additional start tour of the caller (NULL: none). Errors: those of ivm_origin_open. After
 * an error, too, call ivm_dealer_close. */
int ivm_dealer_open(struct ivm_dealer *f, const struct ivm_tree *t, const struct search_request *r,
		    int64_t best, const int64_t *tour, int takers, struct err *e);
void ivm_dealer_close(struct ivm_dealer *f);

/* Hands out the next piece. Returns false if none is left. A piece without roots must be finished,
 * too. */
bool ivm_dealer_take(struct ivm_dealer *f, struct ivm_piece *p);
/* Finishes a piece with `nodes` nodes below its roots. Writes a checkpoint when one is due. */
void ivm_dealer_finish(struct ivm_dealer *f, const struct ivm_piece *p, double nodes);

/* The following two are for the time after all devices have ended. */

/* The lengths of all intervals: initial; popped, of finished pieces; dropped, beyond the half
 * board; left, open or in progress. */
struct balance ivm_dealer_balance(const struct ivm_dealer *f);

/* Writes or keeps the last checkpoint, of what is open or in progress, as the request asks. Reports
 * the error of an earlier checkpoint. ERR_MEMORY, ERR_IO. */
int ivm_dealer_write_last(struct ivm_dealer *f, struct err *e);

#endif
