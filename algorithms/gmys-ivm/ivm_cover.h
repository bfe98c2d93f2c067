/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Converts the open work of a flowshop tree between its two forms (checkpoint.h): intervals of
 * factoradic numbers, and nodes with their open children. */
#ifndef COPRA_GMYS_IVM_IVM_COVER_H
#define COPRA_GMYS_IVM_IVM_COVER_H

#include "algorithms/gmys-ivm/ivm_problem.h"
#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/search.h"

/* Converts the work of a checkpoint of the tree of `p` to `form`. On an error `c` is unchanged.
 *
 * Nodes become intervals in the order of the nodes, with adjacent children in one interval. Nodes
 * that the next owners of the intervals count again are subtracted from c->decomposed. ERR_INPUT if
 * a node is not in this tree; ERR_LIMIT if `i` (NULL: none) was due: deep nodes of a large tree
 * take their time.
 *
 * Intervals become nodes whose open children are all that the intervals hold and that is not pruned
 * at c->best. The nodes that had to be decomposed for this are added to c->decomposed; none of them
 * is a leaf. An interval gives at most 2 n nodes. ERR_MEMORY. */
int ivm_cover_convert(struct checkpoint *c, const struct ivm_problem *p, enum checkpoint_form form,
		      const struct interrupt *i, struct err *e);
/* checkpoint_read, checkpoint_matches and ivm_cover_convert. ERR_INPUT names the file. On ERR_LIMIT
 * `c` is as in the file, and the caller frees it. */
int ivm_cover_read(struct checkpoint *c, const char *path, const struct checkpoint_key *key,
		   const struct ivm_problem *p, enum checkpoint_form form,
		   const struct interrupt *i, struct err *e);
/* The same for a copy of `from`. */
int ivm_cover_copy(struct checkpoint *c, const struct checkpoint *from,
		   const struct checkpoint_key *key, const struct ivm_problem *p,
		   enum checkpoint_form form, const struct interrupt *i, struct err *e);

#endif
