/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Benchmark instances by the short label in a benchmark's name:
 *   ta029            Taillard's
 *   r9x5             a random flowshop of 9 jobs on 5 machines, always the same
 *   15Q              15 queens
 *   crane15 tsmat14  an ATSP of that many cities from our generators (atsp.h). Its seed is chosen
 *                    so that the tree is about as large as the paper's, or 1 for other sizes */
#ifndef COPRA_TREE_SEARCH_LABELS_H
#define COPRA_TREE_SEARCH_LABELS_H

#include "datasets/atsp/atsp.h"
#include "datasets/flowshop/flowshop.h"

/* 15 for "15Q", 0 for other labels. */
int label_queens(const char *label);
bool label_is_random(const char *label);
bool label_is_atsp(const char *label);

int label_flowshop(struct flowshop *f, const char *label, struct err *e);
int label_atsp(struct atsp *a, const char *label, struct err *e);

/* The optimum. Random instances: by brute force or from a table of results of our searches; others:
 * the known optimum if it is proved (flowshop_is_proved). 0: not known. */
int label_optimum(const struct flowshop *f, const char *label, int64_t *optimum, struct err *e);
/* Paths that cost no more than the optimal tour, root included (search.h); 0: not counted. */
uint64_t label_atsp_tree(const char *label);

#endif
