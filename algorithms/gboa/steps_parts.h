/* Inside steps*.c: what a step works on, and its plain and its wide form. */
#ifndef COPRA_GBOA_STEPS_PARTS_H
#define COPRA_GBOA_STEPS_PARTS_H

#include <stdlib.h>

#include "algorithms/gboa/fitness.h"
#include "algorithms/gboa/steps.h"

struct boa_sampling {
	const struct boa_network *network;
	const int32_t *order; /* variables by rank */
	uint64_t seed;
	uint32_t generation;
	size_t row; /* words of a variable */
	uint32_t *words;
	size_t stride;
};

struct boa_evaluation {
	struct fitness_view view; /* of host memory */
	const uint32_t *words;
	size_t stride;
	int32_t count;
	int32_t *fitness;
};

void boa_gather_plain(const struct boa_data *from, const int32_t *positions, int32_t count,
		      uint32_t *to, size_t to_stride);
void boa_sample_plain(const struct boa_sampling *s);
void boa_evaluate_plain(const struct boa_evaluation *v);

void boa_gather_wide(const struct boa_data *from, const int32_t *positions, int32_t count,
		     uint32_t *to, size_t to_stride, struct team *w);
void boa_sample_wide(struct boa_sampling *s, struct team *w);
void boa_evaluate_wide(struct boa_evaluation *v, struct team *w);

#endif
