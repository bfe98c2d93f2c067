/* What every ATSP search can say of the optimum before it is done. */
#ifndef COPRA_TREE_SEARCH_ATSP_ATSP_BOUND_H
#define COPRA_TREE_SEARCH_ATSP_ATSP_BOUND_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every tour leaves every city: the sum of the cheapest arcs out of them. cost[from * cities + to]
 * as in struct atsp, whose tours fit 31 bits. */
int32_t atsp_root_bound(const int32_t *cost, int cities);

#ifdef __cplusplus
}
#endif
#endif
