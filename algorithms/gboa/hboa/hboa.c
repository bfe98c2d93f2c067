/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gboa/hboa/hboa.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/gboa/boa/host.h"
#include "algorithms/gboa/boa/steps.h"
#include "algorithms/gboa/hboa/learn_graphs.h"
#include "algorithms/gboa/hboa/tournaments.h"
#include "harness/base/clock.h"

/* Memory for runs that follow one another. */
struct group {
	struct boa_group_setup view;
	bool plain;
	struct hboa_learner *learner;
	struct hboa_tournaments *tournaments;
	struct hboa_model model;
	struct hboa_rows population, offspring;
	int32_t *fitness, *offspring_fitness, *slots;
	uint32_t *words;    /* n x boa_words(population): populations by variable */
	uint32_t *selected; /* n x boa_words(selected) */
};

/* The state of a run. */
struct state {
	struct group *p;
	struct boa_run *run;
	struct boa_times *times;
	int number;
	uint64_t seed;
	const struct boa_limit *limit;
	bool ended; /* the selected are all alike */
};

static void close_group(void *group)
{
	struct group *p = group;

	if (!p)
		return;
	hboa_learner_destroy(p->learner);
	hboa_tournaments_destroy(p->tournaments);
	hboa_model_destroy(&p->model);
	hboa_rows_destroy(&p->population);
	hboa_rows_destroy(&p->offspring);
	free(p->fitness);
	free(p->offspring_fitness);
	free(p->slots);
	free(p->words);
	free(p->selected);
	free(p);
}

static int allocate(struct group *p, struct err *e)
{
	const struct boa_options *o = p->view.setup->options;
	int32_t n = p->view.setup->landscape->n, offspring = boa_offspring(o);
	int status = hboa_learner_create(&p->learner, n, o->selected, o, p->plain, p->view.team, e);

	if (!status)
		status = hboa_tournaments_create(&p->tournaments, n, o, p->plain, p->view.team, e);
	if (!status)
		status = hboa_model_create(&p->model, n, e);
	if (!status)
		status = hboa_rows_create(&p->population, n, o->population, e);
	if (!status)
		status = hboa_rows_create(&p->offspring, n, offspring, e);
	if (status)
		return status;
	p->fitness = malloc((size_t)o->population * sizeof(int32_t));
	p->offspring_fitness = malloc((size_t)offspring * sizeof(int32_t));
	p->slots = malloc((size_t)o->selected * sizeof(int32_t));
	p->words = malloc((size_t)n * boa_words(o->population) * sizeof(uint32_t));
	p->selected = malloc((size_t)n * boa_words(o->selected) * sizeof(uint32_t));
	if (!p->fitness || !p->offspring_fitness || !p->slots || !p->words || !p->selected)
		return err_set(e, ERR_MEMORY, "no memory for a population of %d", o->population);
	return 0;
}

static int open_group(const struct boa_group_setup *v, void **group, struct err *e)
{
	struct group *p = calloc(1, sizeof(*p));

	*group = p;
	if (!p)
		return err_set(e, ERR_MEMORY, "no memory for a run");
	p->view = *v;
	p->plain = v->setup->variant == SOLVE_SERIAL;
	return allocate(p, e);
}

static double lap(double *from)
{
	double now = clock_wall(), passed = now - *from;

	*from = now;
	return passed;
}

/* Evaluates the individuals in p->words and updates the best of the run; ties: the first. */
static void evaluate(struct state *s, int32_t count, int32_t *fitness)
{
	const struct landscape *l = s->p->view.setup->landscape;
	struct boa_data d = { l->n, count, boa_words(count), s->p->words };
	struct boa_run *run = s->run;
	int32_t best = 0;

	boa_evaluate(l, d.words, d.stride, count, fitness, s->p->plain, s->p->view.team);
	for (int32_t i = 1; i < count; i++)
		best = fitness[i] > fitness[best] ? i : best;
	if (fitness[best] <= run->best)
		return;
	run->best = fitness[best];
	run->optimum = l->optimum_known && run->best == l->optimum;
	for (int32_t v = 0; v < l->n; v++)
		run->bits[v] = (uint8_t)boa_bit(&d, v, best);
}

static void begin_run(struct state *s)
{
	struct group *p = s->p;
	int32_t n = p->population.n, count = p->population.count;
	double begin = clock_wall();

	s->run->best = INT32_MIN;
	s->run->optimum = false;
	s->run->generations = 0;
	s->run->edges = 0;
	boa_first_population(s->seed, n, count, boa_words(count), p->words);
	hboa_rows_from(&p->population, p->words, boa_words(count), p->view.team);
	s->times->sample += lap(&begin);
	evaluate(s, count, p->fitness);
	s->times->evaluate += lap(&begin);
}

static struct boa_data select_parents(struct state *s)
{
	struct group *p = s->p;
	const struct boa_options *o = p->view.setup->options;
	size_t stride = boa_words(o->selected);

	hboa_select(o, s->seed, (uint32_t)s->run->generations, p->fitness, p->slots, p->view.team);
	hboa_rows_to(&p->population, p->slots, o->selected, p->selected, stride, p->view.team);
	return (struct boa_data){ p->population.n, o->selected, stride, p->selected };
}

static void watch(struct state *s, const struct boa_data *selected)
{
	const struct boa_setup *setup = s->p->view.setup;
	int32_t count = boa_offspring(setup->options);
	struct boa_data offspring = { setup->landscape->n, count, boa_words(count), s->p->words };
	struct boa_generation g = { s->number,  s->run->generations,     selected,    NULL,
				    &offspring, s->p->offspring_fitness, s->run->best };

	if (!setup->watch)
		return;
	pthread_mutex_lock(s->p->view.watch_lock);
	setup->watch(setup->watch_context, &g);
	pthread_mutex_unlock(s->p->view.watch_lock);
}

/* Steps 2 to 6 of hboa.h. */
static int generation(struct state *s, struct err *e)
{
	struct group *p = s->p;
	uint32_t g = (uint32_t)s->run->generations;
	int32_t count = p->offspring.count;
	size_t stride = boa_words(count);
	double begin = clock_wall();
	struct boa_data selected = select_parents(s);

	s->ended = p->view.setup->options->stop_converged && boa_all_alike(&selected);
	s->times->select += lap(&begin);
	if (s->ended)
		return 0;
	int status = hboa_set_order(&p->model, s->seed, g, e);

	if (status)
		return status;
	hboa_learn(p->learner, &selected, &p->model, s->limit);
	if (boa_limit_reached(s->limit))
		return err_set(e, ERR_LIMIT, "stopped in generation %" PRIu32 " of run %d", g + 1,
			       s->number + 1);
	s->run->edges += hboa_edges(&p->model);
	s->times->learn += lap(&begin);
	hboa_sample(&p->model, s->seed, g, count, p->words, stride, p->plain, p->view.team);
	s->times->sample += lap(&begin);
	evaluate(s, count, p->offspring_fitness);
	s->times->evaluate += lap(&begin);
	watch(s, &selected);
	begin = clock_wall();
	hboa_rows_from(&p->offspring, p->words, stride, p->view.team);
	hboa_replace(p->tournaments, s->seed, g, &p->population, p->fitness, &p->offspring,
		     p->offspring_fitness);
	s->times->select += lap(&begin);
	s->run->generations++;
	return 0;
}

static void copy_results(const struct state *s)
{
	const struct group *p = s->p;
	int32_t count = p->population.count;

	if (s->run->words)
		hboa_rows_to(&p->population, NULL, count, s->run->words, boa_words(count),
			     p->view.team);
	if (s->run->fitness)
		memcpy(s->run->fitness, p->fitness, (size_t)count * sizeof(int32_t));
}

static int run_in_group(void *group, const struct boa_limit *limit, struct boa_run *run, int number,
			struct boa_times *times, struct err *e)
{
	struct group *p = group;
	const struct boa_options *o = p->view.setup->options;
	struct state s = { .p = p,
			   .run = run,
			   .times = times,
			   .number = number,
			   .limit = limit,
			   .seed = o->seed + (uint64_t)number };
	int status = 0;

	begin_run(&s);
	while (!status && !s.ended && run->generations < o->generations &&
	       !(o->stop_at_optimum && run->optimum)) {
		if (boa_limit_reached(limit))
			status = err_set(e, ERR_LIMIT, "stopped after %d generations of run %d",
					 run->generations, number + 1);
		else
			status = generation(&s, e);
	}
	copy_results(&s);
	return status;
}

static int host_runs(const struct boa_setup *s, struct boa_run *runs, int count,
		     struct boa_times *times, struct err *e)
{
	static const struct boa_group_type type = { open_group, run_in_group, close_group };

	return boa_concurrent_runs(&type, s, runs, count, times, e);
}

int hboa_runs(const struct boa_setup *s, struct boa_run *runs, int count, struct boa_times *times,
	      struct err *e)
{
	switch (s->variant) {
	case SOLVE_SERIAL:
	case SOLVE_CPU:
		return host_runs(s, runs, count, times, e);
	case SOLVE_TUNED:
		if (!s->devices || !s->devices->count)
			return err_set(e, ERR_UNSUPPORTED, "tuned hierarchical BOA needs a device");
		return hboa_tuned_runs(s, runs, count, times, e);
	default:
		return err_set(e, ERR_UNSUPPORTED,
			       "hierarchical BOA is not in the paper: use "
			       "--variant serial, cpu or tuned");
	}
}
