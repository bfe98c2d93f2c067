/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Verification of flowshop searches: trees of known size, and checks of an outcome by code that the
 * search does not use. */
#ifndef COPRA_TREE_SEARCH_FLOWSHOP_FSP_VERIFY_H
#define COPRA_TREE_SEARCH_FLOWSHOP_FSP_VERIFY_H

#include "algorithms/tree-search/search.h"

/* A tree whose size is known. */
struct fsp_tree {
	const char *instance;
	enum fsp_bound bound; /* LB2: over all pairs of machines */
	enum fsp_branching branching;
	int32_t ub; /* the initial bound: nodes with bound >= ub are pruned, and no schedule is
		       below it */
	uint64_t decomposed; /* root included; explored nodes (search.h) are one less */
};

/* NULL if the tree has not been counted. */
const struct fsp_tree *fsp_tree(const char *instance, enum fsp_bound bound,
				enum fsp_branching branching, int64_t ub);
/* The tree from the instance's best known makespan. */
const struct fsp_tree *fsp_tree_at_best(const char *instance, enum fsp_bound bound,
					enum fsp_branching branching);

/* Evaluates schedules from the instance and compares counts and optima with known ones. ERR_FAILED
 * names the first error. Contradicting an optimum that copra or a paper proved is an error; a
 * difference from a value that is only listed is not. *verified: the answer was confirmed, not
 * merely not contradicted: by a schedule of makespan `best`, or a tree of known size. A search that
 * was given a known optimum does not confirm it by agreeing with it. k: the known values of the
 * instance (flowshop_known_of), or NULL. */
int fsp_verify(const struct search_request *r, const struct search_outcome *o,
	       const struct flowshop_known *k, bool *verified, struct err *e);

#endif
