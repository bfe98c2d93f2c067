/* The trees of N-Queens (half board) and ATSP on the host, node by node as in the kernels
 * (kernels/gmys-ivm/intervals.h). */
#ifndef COPRA_GMYS_IVM_INTERVALS_TUNED_TREE_H
#define COPRA_GMYS_IVM_INTERVALS_TUNED_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "datasets/atsp/atsp.h"
#include "kernels/gmys-ivm/intervals.h"

enum { IVM_INTERVAL_START = IVM_INTERVAL_ITEMS /* city 0, at which an empty path ends */ };

struct ivm_tree {
	const struct atsp *atsp; /* NULL: N-Queens */
	int n;                   /* items, at most IVM_INTERVAL_ITEMS */
};

struct ivm_interval_node ivm_tree_root(const struct ivm_tree *t);
/* The open items as bits. In ascending order they are the digits of the next row. */
uint32_t ivm_tree_open(const struct ivm_tree *t, const struct ivm_interval_node *node);
/* Makes the child that takes `item`. Returns whether it is kept. The cost of a child with the last
 * item is that of the tour. */
bool ivm_tree_child(const struct ivm_tree *t, int64_t best, const struct ivm_interval_node *node,
		    int item, struct ivm_interval_node *child);

/* ATSP: the table of struct atsp_shape, malloc'ed. NULL if there is no memory. */
uint32_t *ivm_tree_table(const struct ivm_tree *t);

/* Estimates the nodes of each depth by random descents (Knuth 1975). N-Queens: of the half board.
 */
void ivm_tree_estimate(const struct ivm_tree *t, int64_t best,
		       double nodes[IVM_INTERVAL_ITEMS + 1]);

/* ATSP: finds the items, in order, of a path of cost `cost` that goes from `from` (an item or
 * IVM_INTERVAL_START) through all of `items` and ends with `to`. to < 0: the path closes the tour,
 * whose last arc is included in the cost. Returns false if there is none. */
bool ivm_tree_path(const struct ivm_tree *t, int from, uint32_t items, int to, int64_t cost,
		   uint8_t *path);

#endif
