/* The population that a problem needs: the smallest that succeeds in so many of so many runs, found
 * by doubling and bisection (Sastry 2001, as Pelikan and all who compare such algorithms by size).
 */
#ifndef COPRA_GBOA_SIZE_SEARCH_H
#define COPRA_GBOA_SIZE_SEARCH_H

#include "algorithms/gboa/boa.h"

struct size_request {
	const struct boa_setup *setup; /* its options' population and selected are not looked at */
	int runs, needed;              /* `needed` of `runs` runs reach the optimum: a success */
	int repeats;                   /* independent searches, of other seeds */
	int32_t from, to;              /* populations, multiples of 64 */
	double precision;              /* ends where success <= (1 + precision) failure */
	/* Called after each population; may be NULL. */
	void (*progress)(void *context, int repeat, int32_t population, int successes);
	void *context;
};

/* One population, all repeats that tried it together. */
struct size_point {
	int32_t population;
	int runs, successes;
	double generations, evaluations; /* means a run */
	double seconds;                  /* of all runs */
};

struct size_outcome {
	struct size_point *points; /* rising populations */
	int count, capacity;
	int32_t *found; /* of each repeat that ended: 0 where `to` is not enough */
	int ended;
	double population;  /* mean over the repeats that found one; 0 where none did */
	double evaluations; /* a run's, in the mean, at the populations found */
	double seconds;     /* of all runs */
};

/* ERR_USAGE: the optimum is not known, or the request cannot be. ERR_LIMIT: what was found so far
 * is there. The caller destroys the outcome, also after an error. Every run is verified. */
int size_search(const struct size_request *q, struct size_outcome *out, struct err *e);
void size_outcome_destroy(struct size_outcome *out);

#endif
