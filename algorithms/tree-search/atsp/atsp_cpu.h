/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* ATSP on all cores, with vector units: the CPU baseline of the tree-search targets. */
#ifndef COPRA_TREE_SEARCH_ATSP_ATSP_CPU_H
#define COPRA_TREE_SEARCH_ATSP_ATSP_CPU_H

#include "algorithms/tree-search/search.h"

/* A search_fn for any size. Checkpoints hold intervals of paths (kernels/gmys-ivm/ivm.h). The start
 * of the request and the order of the outcome are tours from city 0. Without a bound it starts from
 * the tour in the order of the cities' numbers. */
int atsp_cpu(const struct search_request *r, struct search_outcome *o, struct err *e);

#endif
