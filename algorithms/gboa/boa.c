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
		return err_set(e, ERR_USAGE, "%d variables: 1 to %d can be had", n,
			       BOA_VARIABLES_MAX);
	if (o->population < 64 || o->population > BOA_POPULATION_MAX || o->population % 64)
		return err_set(e, ERR_USAGE, "a population of %d: it is a multiple of 64, 64 to %d",
			       o->population, BOA_POPULATION_MAX);
	if (o->selected < 32 || o->selected > most || o->selected % 32)
		return err_set(e, ERR_USAGE, "%d selected of %d: it is a multiple of 32, 32 to %d",
			       o->selected, o->population, most);
	if (o->max_parents < 0 || o->max_parents > BOA_PARENTS_MAX)
		return err_set(e, ERR_USAGE, "%d parents: 0 to %d can be had", o->max_parents,
			       BOA_PARENTS_MAX);
	if (o->generations < 0)
		return err_set(e, ERR_USAGE, "%d generations", o->generations);
	if (o->model == BOA_TREES && (o->tournament < 1 || o->tournament > 64))
		return err_set(e, ERR_USAGE, "tournaments of %d: 1 to 64 can be had",
			       o->tournament);
	if (o->model == BOA_TREES && (o->window < 0 || o->window > o->population))
		return err_set(e, ERR_USAGE, "a window of %d: at most the population's %d",
			       o->window, o->population);
	return 0;
}

/* Whether runs are faster in shared memory, each by a few blocks, than one after the other by a
 * whole device: measured on one H200. The simulated device has no use for clusters of one run. */
static bool batch_pays(const struct boa_setup *s, int count, double bits)
{
	if (count > 8 || dev_backend_of(s->devices->dev[0]) == DEV_SIM)
		return count > 8;
	return bits <= (count > 1 ? 2e6 : 7e5);
}

static int auto_runs(const struct boa_setup *s, struct boa_run *runs, int count,
		     struct boa_times *times, struct err *e)
{
	double bits = (double)s->landscape->n * s->options->population;

	int status = ERR_UNSUPPORTED; /* of what does not fit: the next one then */

	if (bits <= 3e7 && batch_pays(s, count, bits))
		status = boa_batch_runs(s, runs, count, times, e);
	if (bits <= 3e7 && status == ERR_UNSUPPORTED)
		status = boa_grid_runs(s, runs, count, times, e);
	if (status == ERR_UNSUPPORTED)
		status = boa_large_runs(s, runs, count, times, e);
	return status;
}

static boa_runs_function *tuned_engine(const struct boa_setup *s)
{
	switch (s->engine) {
	case BOA_GRID:
		return boa_grid_runs;
	case BOA_BATCH:
		return boa_batch_runs;
	case BOA_LARGE:
		return boa_large_runs;
	default:
		return auto_runs;
	}
}

void boa_times_add(struct boa_times *sum, const struct boa_times *t)
{
	sum->total += t->total;
	sum->select += t->select;
	sum->learn += t->learn;
	sum->sample += t->sample;
	sum->evaluate += t->evaluate;
	sum->transfer += t->transfer;
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

int boa_run(const struct boa_setup *s, struct boa_run *runs, int count, struct boa_times *times,
	    struct err *e)
{
	int status = boa_check_options(s->options, s->landscape->n, e);

	if (status)
		return status;
	*times = (struct boa_times){ 0 };
	if (s->options->model == BOA_TREES)
		return hboa_runs(s, runs, count, times, e);
	if (s->variant == SOLVE_SERIAL || s->variant == SOLVE_CPU)
		return boa_host_runs(s, runs, count, times, e);
	if (s->options->model == BOA_SEARCHED)
		return err_set(e, ERR_USAGE,
			       "sBOA is sequential: it runs as --variant serial alone");
	if (!s->devices || s->devices->count < 1)
		return err_set(e, ERR_DEVICE,
			       "published and tuned run on a device, and none is open");
	if (s->variant == SOLVE_PUBLISHED)
		return boa_published_runs(s, runs, count, times, e);
	return tuned_engine(s)(s, runs, count, times, e);
}
