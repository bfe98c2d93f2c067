/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Hierarchical BOA (hBOA): decision graphs as local structures, and restricted tournament
 * replacement, which keeps niches apart. The model BOA_TREES of boa.h.
 *
 * Pelikan, Goldberg, "Escaping hierarchical traps with competent genetic algorithms", GECCO 2001;
 * Pelikan, "Hierarchical Bayesian Optimization Algorithm", Springer 2005. Where these leave a
 * choice:
 *
 *   Population 0 is that of all models. Every individual has a slot 0 .. N - 1.
 *   Then, for each generation g = 0, 1, ...
 *   1. Stop if a stopping rule applies.
 *   2. Hold `selected` tournaments. The contestants of tournament j are the slots
 *      hboa_contestant(j, 0), (j, 1), ..., drawn with replacement. The fittest wins;
 *      ties: the first drawn.
 *   3. Stop if all selected individuals are alike and `stop_converged` is set.
 *   4. Learn a decision graph for each variable v. Its splits test variables of lower
 *      rank in the permutation of g, so variables are learned independently. (Pelikan and
 *      Laury, "Order or not", MEDAL 2006005, found that a random order costs very little.)
 *   5. Sample boa_offspring() offspring from the same random numbers as all models, and
 *      evaluate them.
 *   6. For i = 0, 1, ...: offspring i draws the slots hboa_window_slot(i, 0) .. (i, W - 1),
 *      with replacement, and finds the individual with the fewest differing bits (ties:
 *      the first drawn). It takes that slot if it is fitter. Earlier offspring are
 *      already in place.
 *
 * The option `replacement` only determines the number of offspring; `max_parents` is ignored. W is
 * hboa_window().
 *
 * The graph of v is built greedily from one leaf that holds all individuals. The operator with the
 * greatest gain is applied. Ties: splits before merges, then the lowest leaf, then the lowest
 * variable (split) or second leaf (merge). It ends when no gain is above 0, or at HBOA_SPLITS_MAX
 * splits.
 *
 *   split  Leaf l is split by u: l keeps the individuals with u = 0, and a new leaf with the
 *          next number gets the others. Gain: K2 of the two leaves minus K2 of the one, minus half
 * of ln(selected), since one more parameter is stored (Friedman, Goldszmidt 1996). merge  Leaves l
 * < m are merged: l gets all individuals, and the last leaf gets the number m. Gain: K2 of the one
 * minus K2 of the two, plus half of ln(selected). Only with the option `merges`. trap5 of 60
 * variables (N = 1600) was solved in 11 of 30 runs with merges and in 23 of 30 without: merges join
 * leaves of a group of variables before later splits can separate them.
 *
 * No leaf is empty, because a split that moves no individual, or all, has a gain below 0. */
#ifndef COPRA_GBOA_HBOA_HBOA_H
#define COPRA_GBOA_HBOA_HBOA_H

#include "algorithms/gboa/boa.h"

boa_runs_function hboa_runs;       /* serial, cpu and tuned */
boa_runs_function hboa_tuned_runs; /* on devices; see kernels/gboa/hboa.h */

#endif
