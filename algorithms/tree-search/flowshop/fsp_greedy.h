/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Flowshop heuristics: NEH and iterated greedy. */
#ifndef COPRA_TREE_SEARCH_FLOWSHOP_FSP_GREEDY_H
#define COPRA_TREE_SEARCH_FLOWSHOP_FSP_GREEDY_H

#include <stdatomic.h>
#include <stdbool.h>

#include "datasets/flowshop/flowshop.h"

/* NEH (Nawaz, Enscore, Ham: "A heuristic algorithm for the m-machine, n-job flow-shop sequencing
 * problem", Omega 11, 1983) with Taillard's acceleration. order gets `jobs` entries. Returns the
 * makespan, or an error (negative). */
int64_t fsp_neh(const struct flowshop *f, int64_t *order, struct err *e);

/* Iterated greedy (Ruiz, Stuetzle: "A simple and effective iterated greedy algorithm for the
 * permutation flowshop scheduling problem", EJOR 177, 2007), in steps. The order after k steps
 * depends only on the initial order and the seed. */
struct fsp_greedy;

/* Starts from `order`. A step ends early when *over (may be NULL) is set. ERR_USAGE if `order` is
 * not a permutation, ERR_MEMORY. */
int fsp_greedy_create(struct fsp_greedy **out, const struct flowshop *f, const int64_t *order,
		      uint64_t seed, const atomic_bool *over, struct err *e);
void fsp_greedy_destroy(struct fsp_greedy *g);
/* Goes on from another permutation. */
void fsp_greedy_from(struct fsp_greedy *g, const int64_t *order);
/* Removes some jobs, inserts them again and improves the schedule. Returns the least makespan so
 * far. */
int64_t fsp_greedy_step(struct fsp_greedy *g);
/* Copies the schedule of that makespan. */
void fsp_greedy_best(const struct fsp_greedy *g, int64_t *order);

#endif
