/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Flowshop on all cores, with vector units: the CPU baseline of the tree-search targets. */
#ifndef COPRA_TREE_SEARCH_FLOWSHOP_FSP_CPU_H
#define COPRA_TREE_SEARCH_FLOWSHOP_FSP_CPU_H

#include "algorithms/tree-search/search.h"

/* A search_fn for either bound, any branching and any size: by job set (sets_cpu.h) if that search
 * supports the request and has enough memory, else depth first (dfs_cpu.h). No checkpoints. */
int fsp_cpu(const struct search_request *r, struct search_outcome *o, struct err *e);

/* The add-maxes of the bounds of such a search, on 16-bit lanes; 0: not known. A bound takes one
 * for each machine to append the job, and one for each entry of the front with the machine's sum or
 * with the table of the job set (sets_cpu.h); depth first with LB2, one for each pair of machines
 * u <= v (dfs_cpu_sets.c). */
double fsp_cpu_operations(const struct search_request *r, const struct search_outcome *o);

#endif
