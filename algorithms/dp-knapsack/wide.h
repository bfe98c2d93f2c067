/* Knapsacks of large capacity whose weights are of the order of C (the hard instances of Jooken,
 * Leyman, De Causmaecker 2022): C up to 1e8 and beyond, where f itself fills the device's memory.
 *
 * Weights are too wide for a tile of shared memory and too different to form classes, so the work
 * is bound by device memory, and what counts is to touch it rarely:
 *   - one array, updated in place: the cells of a stretch no longer than w read only cells below
 * the stretch, hence a stretch is one parallel launch and the stretches of an item run downwards;
 *   - two items a launch: f(c), f(c-a), f(c-b), f(c-a-b) give both at once;
 *   - items by ascending weight, so that cells above the sum W_k of the first k weights, which all
 *     hold the sum of the first k profits, are neither stored nor read; Toth's rule from below;
 *   - light items (many stretches) alternate between the array and a second, short one.
 * Cells are int32 where a bound on f(C) fits, else int64: (C+1) * 4 or 8 bytes on one device.
 *
 * On several devices each keeps a range of capacities twice (f_{k-1} and f_k) and reads f(c - w)
 * from its neighbours' memory (peer access); events order the steps, the host moves no data.
 *
 * Items: one decision bit a cell and item where that fits the budget; else the items are halved,
 * f of both halves meets in the best split of the capacity, and each half is solved again
 * (Hirschberg 1975): about twice the work, two arrays. Always on the first device. */
#ifndef COPRA_DP_KNAPSACK_WIDE_H
#define COPRA_DP_KNAPSACK_WIDE_H

#include "algorithms/dp-knapsack/knapsack_dp.h"

/* As kp_solve_tuned; `form` is ignored. ERR_MEMORY names the bytes needed and those free. */
int kp_wide_solve(const struct kp_request *r, struct kp_answer *a, struct err *e);

#endif
