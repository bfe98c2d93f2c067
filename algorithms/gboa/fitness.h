/* Fitness of individuals packed by variable (data.h): one definition for host and device.
 *
 * A view is plain data; `data` points into host or device memory. fitness_of() evaluates the one
 * individual at `bit` of a column of words: words[v * stride] for variable v. Lanes of a warp take the
 * 32 bits of a column, so that every load is one word for all of them. */
#ifndef COPRA_BOA_FITNESS_H
#define COPRA_BOA_FITNESS_H

#include <stddef.h>
#include <stdint.h>

#include "../../datasets/landscape.h"
#include "../../harness/hd.h"

struct fitness_view {
	int32_t kind; /* enum landscape_kind */
	int32_t n, parameter, terms;
	int32_t least, greatest;
	const int32_t *data;
};

static inline struct fitness_view fitness_view_of(const struct landscape *l, const int32_t *data)
{
	struct fitness_view f = { (int32_t)l->kind, l->n, l->parameter, l->terms, l->least,
				  l->greatest, data };

	return f;
}

HD uint32_t fitness_bit(const uint32_t *column, size_t stride, int32_t variable, uint32_t bit)
{
	return column[(size_t)variable * stride] >> bit & 1;
}

HD int32_t fitness_trap(const struct fitness_view *f, const uint32_t *column, size_t stride,
			uint32_t bit)
{
	int32_t k = f->parameter, sum = 0;

	for (int32_t v = 0; v < f->n; v += k) {
		int32_t ones = 0;

		for (int32_t i = 0; i < k; i++)
			ones += (int32_t)fitness_bit(column, stride, v + i, bit);
		sum += ones == k ? k : k - 1 - ones;
	}
	return sum;
}

HD int32_t fitness_of(const struct fitness_view *f, const uint32_t *column, size_t stride,
		      uint32_t bit)
{
	switch (f->kind) {
	case LANDSCAPE_TRAP:
		return fitness_trap(f, column, stride, bit);
	default:
		return 0;
	}
}

#endif
