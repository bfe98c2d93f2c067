#include "algorithms/tree-search/flowshop/flowshop_steps.h"

#include <stdlib.h>

#include "harness/base/checked.h"

struct fsp_step *fsp_steps_make(const struct fsp_tables *t, size_t *bytes)
{
	size_t steps;

	if (t->pairs < 1 || !checked_mul_size((size_t)t->pairs, (size_t)t->jobs, &steps) ||
	    !checked_mul_size(steps, sizeof(struct fsp_step), bytes))
		return NULL;

	struct fsp_step *step = malloc(*bytes);

	for (size_t i = 0; step && i < steps; i++) {
		size_t pair = i / (size_t)t->jobs;
		int j = t->johnson[i];
		const int32_t *times = &t->time[(size_t)j * (size_t)t->machines];

		step[i] = (struct fsp_step){ .job = j,
					     .u_time = times[t->pair_u[pair]],
					     .v_time = times[t->pair_v[pair]],
					     .lag = t->lag[pair * (size_t)t->jobs + (size_t)j] };
	}
	return step;
}
