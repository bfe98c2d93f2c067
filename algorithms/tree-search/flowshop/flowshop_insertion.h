/* The best place of a job in a partial order, by Taillard's acceleration (EJOR 47, 1990): all n + 1
 * places in O(n m) instead of O(n^2 m). Shared by the heuristics; private to
 * algorithms/problems/. */
#ifndef COPRA_TREE_SEARCH_FLOWSHOP_FLOWSHOP_INSERTION_H
#define COPRA_TREE_SEARCH_FLOWSHOP_FLOWSHOP_INSERTION_H

#include "algorithms/tree-search/flowshop/flowshop.h"

struct insertion {
	int jobs, machines;
	int32_t *time;  /* [job * machines + machine] */
	int32_t *ahead; /* [place * machines + machine]: when the jobs before are done there */
	int32_t *after; /* the same from the end: what the jobs from the place on still need */
};

/* ERR_MEMORY. */
int insertion_make(struct insertion *s, const struct flowshop *f, struct err *e);
void insertion_free(struct insertion *s);

/* The least makespan of `order` (count jobs) with `job` put in, and the first place that gives
 * it. */
int32_t insertion_best(struct insertion *s, const int *order, int count, int job, int *place);

/* Makespan of count jobs in that order. */
int32_t insertion_makespan(struct insertion *s, const int *order, int count);

/* order[place] = job, the rest moved up; and the other way round. count: jobs there before. */
void insertion_put(int *order, int count, int place, int job);
int insertion_take(int *order, int count, int place);

#endif
