/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gboa/boa.h"

#include <stddef.h>
#include <string.h>

const char *const boa_engine_words[] = { "auto", "grid", "batch", "large", NULL };

void boa_defaults(struct boa_options *o)
{
	*o = (struct boa_options){
		.model = BOA_PERMUTED,
		.population = 4800,
		.selected = 2400,
		.max_parents = 3,
		.generations = 200,
		.replacement = BOA_REPLACE_WORST,
		.smoothing = BOA_SMOOTH_NONE,
		.seed = 1,
		.tournament = 2,
	};
}

int boa_check_options(const struct boa_options *o, int32_t n, struct err *e)
{
	int32_t most = o->replacement == BOA_REPLACE_ALL ? o->population : o->population - 32;

	if (n < 1 || n > BOA_VARIABLES_MAX)
		return err_set(e, ERR_USAGE, "%d variables: must be between 1 and %d", n,
			       BOA_VARIABLES_MAX);
	if (o->population < 64 || o->population > BOA_POPULATION_MAX || o->population % 64)
		return err_set(e, ERR_USAGE,
			       "a population of %d: must be a multiple of 64, 64 to %d",
			       o->population, BOA_POPULATION_MAX);
	if (o->selected < 32 || o->selected > most || o->selected % 32)
		return err_set(e, ERR_USAGE,
			       "%d selected of %d: must be a multiple of 32, 32 to %d", o->selected,
			       o->population, most);
	if (o->max_parents < 0 || o->max_parents > BOA_PARENTS_MAX)
		return err_set(e, ERR_USAGE, "%d parents: must be between 0 and %d", o->max_parents,
			       BOA_PARENTS_MAX);
	if (o->generations < 0)
		return err_set(e, ERR_USAGE, "%d generations: must be at least 0", o->generations);
	if (o->model == BOA_TREES && (o->tournament < 1 || o->tournament > 64))
		return err_set(e, ERR_USAGE, "tournaments of %d: must be between 1 and 64",
			       o->tournament);
	if (o->model == BOA_TREES && (o->window < 0 || o->window > o->population))
		return err_set(e, ERR_USAGE,
			       "a window of %d: must be between 0 and the population, %d",
			       o->window, o->population);
	return 0;
}

void boa_times_add(struct boa_times *sum, const struct boa_times *t)
{
	sum->total += t->total;
	sum->select += t->select;
	sum->learn += t->learn;
	sum->sample += t->sample;
	sum->evaluate += t->evaluate;
	sum->transfer += t->transfer;
	sum->count += t->count;
	sum->gain += t->gain;
	sum->max += t->max;
	sum->set_up += t->set_up;
}

void boa_not_begun(const struct landscape *l, struct boa_run *run)
{
	memset(run->bits, 0, (size_t)l->n);
	run->best = INT32_MIN;
	run->optimum = false;
	run->generations = 0;
	run->edges = 0;
}
