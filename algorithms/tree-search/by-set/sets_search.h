/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The flowshop search by job set on devices, LB2 by all pairs: forward branching
 * (kernels/tree-search/sets.h explains how it works) or, with `two_sided`, MaxSum and MinBranch
 * (kernels/tree-search/twosided.h).
 *
 * Levels that outgrow the memory are searched in slices. ERR_MEMORY only if not even the smallest
 * possible search fits. Without a bound the search starts from the jobs in the order of their
 * numbers (search_start). Devices that run out of nodes receive some from the others. */
#ifndef COPRA_TREE_SEARCH_BY_SET_SETS_SEARCH_H
#define COPRA_TREE_SEARCH_BY_SET_SETS_SEARCH_H

#include "algorithms/tree-search/search.h"

/* Whether the search supports the request: LB2; forward branching (two_sided: MaxSum or MinBranch);
 * numbers of jobs and machines, and times, within the limits of sets.h (two_sided: twosided.h). */
bool sets_search_supports(const struct search_request *r, bool two_sided);
/* As a search_fn. ERR_UNSUPPORTED for unsupported requests and without a device. */
int sets_search(const struct search_request *r, bool two_sided, struct search_outcome *o,
		struct err *e);

#endif
