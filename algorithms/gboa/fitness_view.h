/* What fitness functions are given: fitness.h. */
#ifndef COPRA_GBOA_FITNESS_VIEW_H
#define COPRA_GBOA_FITNESS_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "datasets/landscape/landscape.h"
#include "datasets/landscape/landscape_data.h"
#include "harness/base/hd.h"

struct fitness_view {
	int32_t kind; /* enum landscape_kind */
	int32_t n, parameter, terms;
	int32_t least, greatest;
	const int32_t *data;
};

static inline struct fitness_view fitness_view_of(const struct landscape *l, const int32_t *data)
{
	struct fitness_view f = { (int32_t)l->kind, l->n,        l->parameter, l->terms,
				  l->least,         l->greatest, data };

	return f;
}

HD uint32_t fitness_bit(const uint32_t *column, size_t stride, int32_t variable, uint32_t bit)
{
	return column[(size_t)variable * stride] >> bit & 1;
}

#endif
