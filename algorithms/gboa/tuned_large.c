/* The engine of large runs: many variables and individuals, a few launches for each step of a
 * generation, on all devices. The host waits once a generation, for what the rules of stopping
 * need: some 15 microseconds, where a generation that is worth this engine takes milliseconds. */
#include "algorithms/gboa/tuned_large.h"

#include <stdlib.h>

#include "harness/base/clock.h"
#include "harness/device/settle.h"

/* ---- times ---- */

static int mark(struct large *l, int32_t generation, enum large_mark m, struct err *e)
{
	return dev_event_record(l->mark[generation & 1][m], l->device[0].stream, e);
}

static int add_seconds(struct large *l, int32_t generation, enum large_mark from,
		       enum large_mark to, double *sum, struct err *e)
{
	double seconds = 0;
	int status = dev_event_elapsed(l->mark[generation & 1][from], l->mark[generation & 1][to],
				       &seconds, e);

	*sum += seconds;
	return status;
}

/* Of a generation that has been sampled and evaluated. */
static int add_generation(struct large *l, int32_t generation, struct boa_times *t, struct err *e)
{
	int status = add_seconds(l, generation, LARGE_SELECTED, LARGE_LEARNED, &t->learn, e);

	if (!status)
		status = add_seconds(l, generation, LARGE_LEARNED, LARGE_SAMPLED, &t->sample, e);
	if (!status)
		status =
			add_seconds(l, generation, LARGE_SAMPLED, LARGE_EVALUATED, &t->evaluate, e);
	return status;
}

/* ---- one run ---- */

/* The selection of a generation, and what the rules of stopping ask, in l->status. */
static int select_and_look(struct large *l, int32_t generation, bool last, struct boa_times *t,
			   struct err *e)
{
	struct large_device *d = &l->device[0];
	int status = mark(l, generation, LARGE_BEGIN, e);

	if (!status && !last)
		status = large_select(l, (uint32_t)generation, e);
	if (!status)
		status = mark(l, generation, LARGE_SELECTED, e);
	if (!status)
		status = dev_copy_from(d->stream, l->status, d->status, sizeof(*l->status), e);
	status = dev_settle(d->stream, status, e);
	if (!status)
		status = add_seconds(l, generation, LARGE_BEGIN, LARGE_SELECTED, &t->select, e);
	if (!status && generation > 0)
		status = add_generation(l, generation - 1, t, e);
	return status;
}

/* Steps 4 to 7. */
static int breed(struct large *l, int32_t generation, struct err *e)
{
	int status = large_learn(l, e);

	if (!status)
		status = mark(l, generation, LARGE_LEARNED, e);
	if (!status)
		status = large_sample(l, (uint32_t)generation, e);
	if (!status)
		status = mark(l, generation, LARGE_SAMPLED, e);
	if (!status)
		status = large_evaluate(l, e);
	return status ? status : mark(l, generation, LARGE_EVALUATED, e);
}

static int32_t best_of(const struct large *l)
{
	return (int32_t)((uint32_t)l->setup->landscape->greatest - l->status->best_rating);
}

static int generations(struct large *l, struct boa_run *run, int number, struct boa_times *t,
		       struct err *e)
{
	const struct boa_options *o = l->setup->options;
	const struct landscape *f = l->setup->landscape;

	for (int32_t g = 0;; g++) {
		bool last = g == o->generations;
		int status = select_and_look(l, g, last, t, e);

		run->generations = g;
		if (status)
			return status;
		run->best = best_of(l);
		run->optimum = f->optimum_known && run->best == f->optimum;
		if (last || (o->stop_at_optimum && run->optimum))
			return 0;
		if (boa_limit_reached(&l->limit))
			return err_set(e, ERR_LIMIT, "stopped after %d generations of run %d", g,
				       number + 1);
		if (o->stop_converged && !l->status->differ)
			return 0;
		status = breed(l, g, e);
		if (status)
			return status;
	}
}

/* ---- what comes out ---- */

static int add_edges(struct large *l, struct boa_run *run, struct err *e)
{
	int status = 0;

	run->edges = 0;
	for (int i = 0; !status && i < l->devices; i++) {
		struct large_device *d = &l->device[i];

		status = dev_copy_from(d->stream, l->status, d->status, sizeof(*l->status), e);
		status = dev_settle(d->stream, status, e);
		run->edges += (int64_t)l->status->edges;
	}
	return status;
}

static int hand_out_fitness(struct large *l, struct boa_run *run, struct err *e)
{
	struct large_device *d = &l->device[0];
	size_t count = (size_t)l->setup->options->population;
	uint32_t greatest = (uint32_t)l->setup->landscape->greatest;
	int status = dev_copy_from(d->stream, run->fitness, d->rating[l->kept ? l->now : 0],
				   count * sizeof(int32_t), e);

	status = dev_settle(d->stream, status, e);
	for (size_t i = 0; !status && i < count; i++)
		run->fitness[i] = (int32_t)(greatest - (uint32_t)run->fitness[i]);
	return status;
}

/* Rows of `words` words, row r that of variable order[r], go to columns first .. of the run's. */
static void place_rows(const struct large *l, const uint32_t *from, size_t stride, size_t words,
		       const int32_t *rank, uint32_t *to)
{
	size_t row = (size_t)l->setup->options->population / 32;

	for (size_t v = 0; v < (size_t)l->n; v++)
		for (size_t w = 0; w < words; w++)
			to[v * row + w] = from[(rank ? (size_t)rank[v] : v) * stride + w];
}

static int hand_out_kept(struct large *l, struct boa_run *run, uint32_t *room, int32_t *rank,
			 struct err *e)
{
	struct large_device *d = &l->device[0];
	size_t n = (size_t)l->n;
	int status = dev_copy_from(d->stream, room, d->x[l->now], n * l->stride * sizeof(*room), e);

	if (!status)
		status = dev_copy_from(d->stream, rank, d->rank[l->now], n * sizeof(*rank), e);
	status = dev_settle(d->stream, status, e);
	if (!status)
		place_rows(l, room, l->stride, (size_t)l->kept / 32, rank, run->words);
	return status;
}

static int hand_out_part(struct large *l, struct boa_run *run, uint32_t *room,
			 const struct large_part *part, struct err *e)
{
	struct large_device *d = &l->device[0];
	size_t words = (size_t)part->count;
	int status = 0;

	if (!words)
		return 0;
	status = dev_copy_from(d->stream, room, part->words, (size_t)l->n * words * sizeof(*room),
			       e);
	status = dev_settle(d->stream, status, e);
	if (!status)
		place_rows(l, room, words, words, NULL, run->words + l->kept / 32 + part->first);
	return status;
}

static int hand_out_words(struct large *l, struct boa_run *run, struct err *e)
{
	size_t most = l->stride > (size_t)l->offspring / 32 ? l->stride : (size_t)l->offspring / 32;
	uint32_t *room = malloc((size_t)l->n * most * sizeof(*room));
	int32_t *rank = malloc((size_t)l->n * sizeof(*rank));
	int status = 0;

	if (!room || !rank)
		status = err_set(e, ERR_MEMORY, "no memory for a population of %d individuals",
				 l->setup->options->population);
	if (!status && l->kept)
		status = hand_out_kept(l, run, room, rank, e);
	for (int i = 0; !status && i < l->devices; i++)
		status = hand_out_part(l, run, room, &l->device[0].part[i], e);
	free(room);
	free(rank);
	return status;
}

static int hand_out(struct large *l, struct boa_run *run, struct err *e)
{
	struct large_device *d = &l->device[0];
	int status = add_edges(l, run, e);

	if (!status)
		status = dev_copy_from(d->stream, run->bits, d->bits, (size_t)l->n, e);
	status = dev_settle(d->stream, status, e);
	if (!status && run->fitness)
		status = hand_out_fitness(l, run, e);
	if (!status && run->words)
		status = hand_out_words(l, run, e);
	return status;
}

static int one_run(struct large *l, struct boa_run *run, int number, const int32_t *numbers,
		   struct boa_times *t, struct err *e)
{
	struct err limit = { 0 };

	l->seed = l->setup->options->seed + (uint64_t)number;
	double begin = clock_wall();
	int status = large_begin(l, numbers, &limit);

	if (!status)
		status = generations(l, run, number, t, &limit);
	int rc = status && status != ERR_LIMIT ? err_set(e, status, "%s", limit.text) :
						 large_wait(l, e);

	t->total += clock_wall() - begin;
	if (!rc)
		rc = hand_out(l, run, e);
	if (rc)
		boa_not_begun(l->setup->landscape, run); /* its string is lost with the device */
	return rc || !status ? rc : err_set(e, status, "%s", limit.text);
}

/* ---- all runs ---- */

static int check(const struct boa_setup *s, struct err *e)
{
	const struct landscape *f = s->landscape;

	if (!s->devices || s->devices->count == 0)
		return err_set(e, ERR_DEVICE, "tuned needs a device");
	if ((int64_t)f->greatest - f->least >= UINT32_MAX)
		return err_set(e, ERR_UNSUPPORTED, "%s: values from %d to %d are too far apart",
			       f->name, f->least, f->greatest);
	return 0;
}

int large_runs_within(const struct boa_setup *s, struct boa_run *runs, int count,
		      struct boa_times *times, size_t panel_bytes, struct err *e)
{
	struct large l;
	double begin = clock_wall();
	int status = check(s, e);

	if (!status)
		status = large_create(&l, s, panel_bytes, e);
	if (status)
		return status;
	int32_t *numbers = malloc((size_t)l.n * sizeof(*numbers));

	if (!numbers)
		status = err_set(e, ERR_MEMORY, "no memory for %d numbers", l.n);
	for (int32_t v = 0; !status && v < l.n; v++)
		numbers[v] = v;
	times->set_up = clock_wall() - begin;
	l.limit = boa_limit_from(s, clock_wall());
	for (int r = 0; r < count; r++) {
		if (status)
			boa_not_begun(s->landscape, &runs[r]);
		else
			status = one_run(&l, &runs[r], r, numbers, times, e);
	}
	free(numbers);
	large_destroy(&l);
	return status;
}

int boa_large_runs(const struct boa_setup *s, struct boa_run *runs, int count,
		   struct boa_times *times, struct err *e)
{
	return large_runs_within(s, runs, count, times, 0, e);
}
