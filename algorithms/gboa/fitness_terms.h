/* Sums of tables, weights of clauses, items of a knapsack: fitness.h; data as landscape_data.h
 * says. */
#ifndef COPRA_GBOA_FITNESS_TERMS_H
#define COPRA_GBOA_FITNESS_TERMS_H

#include "algorithms/gboa/fitness_view.h"

HD int32_t fitness_additive(const struct fitness_view *f, const uint32_t *column, size_t stride,
			    uint32_t bit)
{
	int32_t k = f->parameter, sum = 0;

	for (int32_t t = 0; t < f->terms; t++) {
		const int32_t *term = f->data + landscape_additive_term(k, t);
		uint32_t row = 0;

		for (int32_t i = 0; i < k; i++)
			row |= fitness_bit(column, stride, term[1 + i], bit) << i;
		sum += f->data[(size_t)term[0] + row];
	}
	return sum;
}

HD int32_t fitness_maxsat(const struct fitness_view *f, const uint32_t *column, size_t stride,
			  uint32_t bit)
{
	int32_t sum = 0;

	for (int32_t t = 0; t < f->terms; t++) {
		int32_t end = f->data[t + 1];
		uint32_t satisfied = 0;

		for (int32_t i = f->data[t] + 1; i < end && !satisfied; i++) {
			int32_t literal = f->data[i];

			satisfied = fitness_bit(column, stride, literal >> 1, bit) ^
				    (uint32_t)(literal & 1);
		}
		sum += satisfied ? f->data[f->data[t]] : 0;
	}
	return sum;
}

/* The profit, or minus the weight above the capacity. */
HD int32_t fitness_knapsack(const struct fitness_view *f, const uint32_t *column, size_t stride,
			    uint32_t bit)
{
	int32_t profit = 0, weight = 0;

	for (int32_t v = 0; v < f->n; v++) {
		const int32_t *item = f->data + landscape_knapsack_item(v);
		int32_t taken = -(int32_t)fitness_bit(column, stride, v, bit);

		profit += item[0] & taken;
		weight += item[1] & taken;
	}
	return weight <= f->data[0] ? profit : f->data[0] - weight;
}

#endif
