/* The same open work of a flowshop tree in its two forms (checkpoint.h): intervals of factoradics,
 * and nodes with their open children. */
#ifndef COPRA_GMYS_IVM_IVM_COVER_H
#define COPRA_GMYS_IVM_IVM_COVER_H

#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/interrupt.h"
#include "algorithms/gmys-ivm/ivm_problem.h"

/* Intervals of the nodes ([count][n + 4], as in a checkpoint) and children that are open:
 * *interval, malloc'ed
 * [*intervals][2][n], in the order of the nodes, children in neighbouring cells together. Nodes
 * that who starts with them counts again are taken off *decomposed. ERR_INPUT where a node is none
 * of this tree; ERR_MEMORY; ERR_LIMIT: `i` (NULL: none) was due, nodes deep in a large tree take
 * their time. */
int ivm_cover_nodes(const struct ivm_problem *p, const uint16_t *node, uint64_t count,
		    const struct interrupt *i, uint16_t **interval, uint64_t *intervals,
		    uint64_t *decomposed, struct err *e);

/* Nodes whose open children are all that the intervals ([count][2][n]) hold and that is not pruned
 * at `best`: *node, malloc'ed [*nodes][n + 4]. What had to be decomposed for it is added to
 * *decomposed; leaves are none among it. At most 2 n nodes an interval. ERR_MEMORY. */
int ivm_cover_intervals(const struct ivm_problem *p, const uint16_t *interval, uint64_t count,
			int32_t best, uint16_t **node, uint64_t *nodes, uint64_t *decomposed,
			struct err *e);

/* Work of the tree of `p` into the form `form`; on an error `c` is as it was. */
int ivm_cover_convert(struct checkpoint *c, const struct ivm_problem *p, enum checkpoint_form form,
		      const struct interrupt *i, struct err *e);
/* checkpoint_read and checkpoint_matches; then the work is in the form wanted, whichever it had in
 * the file. ERR_INPUT names the file. ERR_LIMIT: `c` is as in the file, and to be freed. */
int ivm_cover_read(struct checkpoint *c, const char *path, const struct checkpoint_key *key,
		   const struct ivm_problem *p, enum checkpoint_form form,
		   const struct interrupt *i, struct err *e);

#endif
