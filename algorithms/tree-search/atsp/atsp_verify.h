/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Verification of ATSP searches by code that the search does not use. */
#ifndef COPRA_TREE_SEARCH_ATSP_ATSP_VERIFY_H
#define COPRA_TREE_SEARCH_ATSP_ATSP_VERIFY_H

#include "algorithms/tree-search/search.h"

/* Evaluates the tour from the instance; up to 16 cities the optimum is computed by dynamic
 * programming. ERR_FAILED names the first error. *verified: the outcome holds a tour of cost
 * `best`. */
int atsp_verify(const struct search_request *r, const struct search_outcome *o, bool *verified,
		struct err *e);

#endif
