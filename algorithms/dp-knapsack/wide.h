/* Knapsacks of large capacity whose weights are of the order of C (the hard instances of Jooken,
 * Leyman, De Causmaecker 2022): C up to 1e8 and beyond, where f itself fills the device's memory.
 *
 * The weights are too large for a tile of shared memory and too different to form classes. So the
 * speed is limited by device memory, and the method minimises accesses to it:
 *   - One array is updated in place. The cells of a stretch no longer than w read only cells below
 *     the stretch. Hence one launch updates a stretch in parallel, and the stretches of an item run
 *     downwards.
 *   - A launch applies two items: f(c), f(c-a), f(c-b) and f(c-a-b) give both at once.
 *   - Items are sorted by ascending weight. Cells above the sum W_k of the first k weights all hold
 *     the sum of the first k profits; they are neither stored nor read. Toth's rule trims from
 *     below.
 *   - Light items, which have many stretches, alternate between the array and a second, short one.
 * Cells are int32 if a bound on f(C) fits, else int64: (C+1) * 4 or 8 bytes on one device.
 *
 * Several devices: each keeps a range of capacities twice (f_{k-1} and f_k) and reads f(c - w) from
 * its neighbours' memory (peer access). Events order the steps; the host moves no data.
 *
 * Items: one decision bit per cell and item if that fits the budget. Otherwise the items are
 * halved, the f of both halves give the best split of the capacity, and each half is solved again
 * (Hirschberg 1975), which takes about twice the work and two arrays. The items are always found on
 * the first device. */
#ifndef COPRA_DP_KNAPSACK_WIDE_H
#define COPRA_DP_KNAPSACK_WIDE_H

#include "algorithms/dp-knapsack/dp.h"

/* As dp_solve_tuned, but `form` is ignored. ERR_MEMORY names the bytes needed and those free. */
int dp_solve_wide(const struct dp_request *r, struct dp_answer *a, struct err *e);

#endif
