/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "datasets/evaluate.h"

#include <inttypes.h>
#include <stdlib.h>

int evaluate_knapsack(const struct knapsack *k, const int64_t *solution, size_t length,
		      int64_t *objective, struct err *e)
{
	uint8_t *taken = calloc((size_t)k->n, 1);
	int64_t weight;
	int status = taken ? 0 : err_set(e, ERR_MEMORY, "no memory for %" PRId64 " items", k->n);

	for (size_t i = 0; i < length && !status; i++) {
		if (solution[i] < 0 || solution[i] >= k->n || taken[solution[i]])
			status = err_set(e, ERR_INPUT,
					 "position %" PRId64 " does not exist or is chosen twice",
					 solution[i]);
		else
			taken[solution[i]] = 1;
	}
	if (!status) {
		knapsack_evaluate(k, taken, objective, &weight);
		if (weight > k->capacity)
			status = err_set(e, ERR_INPUT,
					 "the items weigh %" PRId64 ", the capacity is %" PRId64,
					 weight, k->capacity);
	}
	free(taken);
	return status;
}

static int check_length(size_t length, int64_t expected, struct err *e)
{
	if (length == (size_t)expected)
		return 0;
	return err_set(e, ERR_INPUT, "%zu values, expected %" PRId64, length, expected);
}

static int check_order(int64_t value, const char *what, struct err *e)
{
	return value < 0 ? err_set(e, ERR_INPUT, "the solution is not an order of all %s", what) :
			   0;
}

int evaluate_flowshop(const struct flowshop *f, const int64_t *solution, size_t length,
		      int64_t *objective, struct err *e)
{
	int status = check_length(length, f->jobs, e);

	if (status)
		return status;
	*objective = flowshop_makespan(f, solution);
	return check_order(*objective, "jobs", e);
}

int evaluate_atsp(const struct atsp *a, const int64_t *solution, size_t length, int64_t *objective,
		  struct err *e)
{
	int status = check_length(length, a->cities, e);

	if (status)
		return status;
	*objective = atsp_tour_cost(a, solution);
	return check_order(*objective, "cities", e);
}

int evaluate_landscape(const struct landscape *l, const int64_t *solution, size_t length,
		       int64_t *objective, struct err *e)
{
	int status = check_length(length, l->n, e);
	uint8_t *bits = status ? NULL : malloc((size_t)l->n);

	if (!status && !bits)
		status = err_set(e, ERR_MEMORY, "no memory for %d variables", l->n);
	for (int32_t v = 0; !status && v < l->n; v++) {
		if (solution[v] != 0 && solution[v] != 1)
			status = err_set(e, ERR_INPUT, "the value of variable %d is not 0 or 1", v);
		else
			bits[v] = (uint8_t)solution[v];
	}
	if (!status && !landscape_feasible(l, bits))
		status = err_set(e, ERR_INPUT, "the solution violates a hard constraint");
	if (!status)
		*objective = landscape_objective(l, landscape_evaluate(l, bits));
	free(bits);
	return status;
}
