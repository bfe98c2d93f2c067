/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The optimum of a landscape by trying all strings. */
#ifndef COPRA_TESTS_UNIT_DATASETS_ALL_STRINGS_H
#define COPRA_TESTS_UNIT_DATASETS_ALL_STRINGS_H

#include "datasets/landscape/landscape.h"

/* The best value of all 2^n strings, by the oracle; n <= 24. `bits` (may be NULL) receives the
 * first of the best strings. */
static inline int64_t best_of_all_strings(const struct landscape *l, uint8_t *bits)
{
	uint8_t x[24] = { 0 };
	uint32_t best_string = 0;
	int64_t best = INT64_MIN;

	for (uint32_t s = 0; s < UINT32_C(1) << l->n; s++) {
		int64_t f;

		for (int32_t v = 0; v < l->n; v++)
			x[v] = s >> v & 1;
		f = landscape_evaluate(l, x);
		if (f > best) {
			best = f;
			best_string = s;
		}
	}
	for (int32_t v = 0; bits && v < l->n; v++)
		bits[v] = best_string >> v & 1;
	return best;
}

#endif
