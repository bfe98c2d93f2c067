/* The schedule that a search starts from. */
#ifndef COPRA_TREE_SEARCH_FLOWSHOP_FLOWSHOP_START_H
#define COPRA_TREE_SEARCH_FLOWSHOP_FLOWSHOP_START_H

#include "datasets/flowshop/flowshop.h"

enum fsp_start {
	FSP_START_NONE,
	FSP_START_NEH, /* Nawaz, Enscore, Ham 1983 */
	FSP_START_IG,  /* iterated greedy from there, Ruiz and Stuetzle 2007 */
};

/* order gets `jobs` entries, *makespan its value. Iterated greedy runs for `seconds`, or until
 * *stop, or until the makespan is that of the one-machine bound. FSP_START_NONE is not allowed. */
int fsp_start(enum fsp_start kind, const struct flowshop *f, double seconds, uint64_t seed,
	      const volatile int *stop, int64_t *order, int64_t *makespan, struct err *e);

/* Seconds of iterated greedy that suit the size: 1 from 20 x 20 on, less below. */
double fsp_start_seconds(const struct flowshop *f);

#endif
