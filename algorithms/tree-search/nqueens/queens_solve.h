/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The command `solve` on N-Queens. */
#ifndef COPRA_TREE_SEARCH_NQUEENS_QUEENS_SOLVE_H
#define COPRA_TREE_SEARCH_NQUEENS_QUEENS_SOLVE_H

#include "algorithms/tree-search/search_target.h"

/* Counts the placements of --instance queens; see search_solve. */
int queens_solve(const struct solve_options *o, const struct search_request *q,
		 const struct search_target *t, struct solve_result *r, struct err *e);

#endif
