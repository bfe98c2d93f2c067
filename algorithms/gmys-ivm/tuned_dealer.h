/* Where all devices of a search take their work, and where its open intervals, counts and best tour
 * are kept: what a checkpoint holds.
 *
 * A piece is an interval of factoradics. Handed out, it is walked through on the host down to a
 * depth where subtrees are small enough; nodes above are counted here, those at that depth that lie
 * whole in the interval become roots for a device. A node counts where the number of its leftmost
 * leaf lies (ivm.h). Nothing of a piece is added to the counts before all of it is done: until then
 * its interval is open, and a checkpoint that is written meanwhile has it done again. */
#ifndef COPRA_GMYS_IVM_TUNED_DEALER_H
#define COPRA_GMYS_IVM_TUNED_DEALER_H

#include <pthread.h>

#include "algorithms/tree-search/balance.h"
#include "algorithms/tree-search/checkpoint.h"
#include "kernels/gmys-ivm/factoradic.h"
#include "algorithms/gmys-ivm/origin.h"
#include "algorithms/gmys-ivm/tuned_tree.h"

struct interval {
	uint16_t first[INTERVAL_ITEMS], last[INTERVAL_ITEMS];
};

enum { PIECE_ROOTS = 1 << 14 };

struct ivm_piece {
	struct interval interval;
	struct ivm_counts counts; /* of the nodes above the roots; at the end of all */
	int weight;               /* N-Queens: solutions of the whole board for each one here */
	int count, depth;         /* roots; least depth of them */
	struct ivm_interval_node root[PIECE_ROOTS];
	uint8_t path[PIECE_ROOTS][INTERVAL_ITEMS]; /* items of each root */
	double nodes, ratio;              /* expected below the roots; the farm's ratio then */
	double level[INTERVAL_ITEMS + 1]; /* nodes by depth of the whole tree, estimated */
	int64_t best; /* when it was handed out; at the end: the best tour found in
			 it, if below */
	uint8_t tour[INTERVAL_ITEMS];
};

struct ivm_dealer {
	struct ivm_tree tree;
	struct ivm_problem problem; /* the same as origin takes it */
	const struct search_request *request;
	double piece_most, piece_least; /* nodes that a piece should have: between these */
	int takers;                     /* pieces under way at once */

	pthread_mutex_t lock;
	struct interval *open; /* not handed out yet: ascending, `opened` of them, room for one
				  more; the first is cut next */
	size_t opened;
	struct interval *taken; /* [takers] under way */
	int under_way;
	struct ivm_origin origin; /* its best is that of now */
	struct ivm_counts counts; /* of this run */
	struct balance balance;   /* of lengths, modulo FACTORADIC_MODULUS, but for what is left */
	double level[INTERVAL_ITEMS + 1]; /* nodes by depth, estimated */
	double all;                       /* their sum */
	double ratio;                     /* nodes seen a node expected, smoothed */
	double written;                   /* last checkpoint; clock_wall */
	int status;                       /* of writing one */
	struct err error;
};

/* The whole tree, or what the request's checkpoint left. `tour` of cost `best`: another one to
 * begin with, of the caller's own; or NULL. Errors: ivm_origin_open's; ivm_dealer_close then
 * too. */
int ivm_dealer_open(struct ivm_dealer *f, const struct ivm_tree *t, const struct search_request *r,
		    int64_t best, const int64_t *tour, int takers, struct err *e);
void ivm_dealer_close(struct ivm_dealer *f);

/* Fills in the next piece; false when none is left. A piece may have no roots: finish it all the
 * same. */
bool ivm_dealer_take(struct ivm_dealer *f, struct ivm_piece *p);
/* `nodes`: seen below the roots. Writes a checkpoint when one is due. */
void ivm_dealer_finish(struct ivm_dealer *f, const struct ivm_piece *p, double nodes);
/* Nodes of the whole tree, estimated. */
double ivm_dealer_nodes(struct ivm_dealer *f);

/* The lengths of all intervals: those it began with, of pieces finished, beyond the half board
 * (dropped), and left: open or under way. */
struct balance ivm_dealer_balance(struct ivm_dealer *f);
/* The length of one. */
uint64_t ivm_interval_length(const struct interval *in, int n);

/* Whatever is still open or under way. ERR_MEMORY, ERR_IO. */
int ivm_dealer_write(struct ivm_dealer *f, struct err *e);

#endif
