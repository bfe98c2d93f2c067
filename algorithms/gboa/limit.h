/* What ends a call before its time: the stop flag or the time limit of its setup. */
#ifndef COPRA_GBOA_LIMIT_H
#define COPRA_GBOA_LIMIT_H

#include "harness/base/clock.h"
#include "algorithms/gboa/boa.h"

struct boa_limit {
	const volatile sig_atomic_t *stop; /* may be NULL */
	double deadline;                   /* clock_wall; 0 = none */
};

/* `begin`: when the time limit began to run. */
static inline struct boa_limit boa_limit_from(const struct boa_setup *s, double begin)
{
	return (struct boa_limit){ s->stop, s->time_limit > 0 ? begin + s->time_limit : 0 };
}

static inline bool boa_limit_reached(const struct boa_limit *l)
{
	return (l->stop && *l->stop) || (l->deadline > 0 && clock_wall() >= l->deadline);
}

#endif
