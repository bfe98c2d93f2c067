/* The same open work of a flowshop tree in its two forms (checkpoint.h): intervals of factoradics, and
 * nodes with their open children. */
#ifndef COPRA_IVM_COVER_H
#define COPRA_IVM_COVER_H

#include "ivm_problem.h"

/* Intervals of the children that the nodes ([count][n + 4], as in a checkpoint) have open:
 * *interval, malloc'ed [*intervals][2][n], sorted, neighbours made one. Nodes that who starts with
 * them counts again are taken off *decomposed. ERR_INPUT where a node is none of this tree;
 * ERR_MEMORY. */
int ivm_cover_nodes(const struct ivm_problem *p, const uint16_t *node, uint64_t count,
		    uint16_t **interval, uint64_t *intervals, uint64_t *decomposed, struct err *e);

/* Nodes whose open children are all that the intervals ([count][2][n]) hold and that is not pruned at
 * `best`: *node, malloc'ed [*nodes][n + 4]. What had to be decomposed for it is added to *decomposed;
 * leaves are none among it. At most 2 n nodes an interval. ERR_MEMORY. */
int ivm_cover_intervals(const struct ivm_problem *p, const uint16_t *interval, uint64_t count,
			int32_t best, uint16_t **node, uint64_t *nodes, uint64_t *decomposed,
			struct err *e);

#endif
