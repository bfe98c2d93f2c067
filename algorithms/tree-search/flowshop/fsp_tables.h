/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Tables of a flowshop instance for the node evaluation of kernels/tree-search/fsp.h. */
#ifndef COPRA_TREE_SEARCH_FLOWSHOP_FSP_TABLES_H
#define COPRA_TREE_SEARCH_FLOWSHOP_FSP_TABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "datasets/flowshop/flowshop.h"
#include "harness/base/error.h"
#include "kernels/tree-search/fsp.h"

/* Fills *t with one allocation that holds all arrays. ERR_MEMORY. */
int fsp_tables_make(struct fsp_tables *t, const struct flowshop *f, enum fsp_pairs pairs,
		    struct err *e);
void fsp_tables_free(struct fsp_tables *t);

/* For copies in other memory: the block that holds all arrays, and the tables with pointers into a
 * copy of the block at `block`. */
const void *fsp_tables_block(const struct fsp_tables *t, size_t *bytes);
struct fsp_tables fsp_tables_moved(const struct fsp_tables *t, const void *block);

/* The steps of LB2, [pair * jobs + position in Johnson's order], to be freed with free(). NULL if
 * there is no memory for them or no pair. */
struct fsp_step *fsp_steps_make(const struct fsp_tables *t, size_t *bytes);

/* Whether every makespan, bound and partial sum is below 2^16 - 1. Each is at most the sum along a
 * path of n + m - 1 operations. */
bool fsp_fits_16_bits(const struct flowshop *f);

/* The lower bound of the root: LB1, or LB2 over the pairs of the tables. */
int32_t fsp_root_bound(const struct fsp_tables *t, enum fsp_bound bound);

#endif
