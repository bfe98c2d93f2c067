/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Hierarchical BOA on devices (kernels/gboa/hboa.h). Runs are divided among the devices. Each
 * device makes as many concurrent runs as its memory holds. The host only checks every few
 * generations whether all runs have ended. */
#include <stdlib.h>
#include <string.h>

#include "algorithms/gboa/boa/network.h"
#include "algorithms/gboa/boa/steps.h"
#include "algorithms/gboa/hboa/hboa.h"
#include "algorithms/gboa/hboa/tournaments.h"
#include "harness/base/clock.h"
#include "harness/device/device.h"
#include "kernels/gboa/hboa.h"

/* LEARNERS: number of blocks that learn, more than fit on a device at once. */
enum { CHECK_EVERY = 8, ARRAYS_MAX = 24, RUNS_MAX = 65535, LEARNERS = 1056 };
/* Masks of leaves are kept in shared memory if they need at most this number of bytes, so that a
 * multiprocessor holds at least two blocks. */
static const size_t shared_masks_most = 64 << 10;

/* The runs of one device. */
struct device_runs {
	const struct boa_setup *setup;
	struct dev *dev;
	struct dev_stream *stream;
	const struct hboa_kernels *kernels;
	struct hboa_arguments t; /* t.runs: number of runs on the device now */
	void *array[ARRAYS_MAX]; /* device memory, to be freed */
	int arrays;
	int32_t room;              /* maximum number of concurrent runs */
	struct hboa_progress *run; /* room: copy on the host */
	uint32_t *words;           /* row x population: of one run */
	int first, end, now; /* runs of this device: first .. end - 1; `now` is the first of those
				on the device at present */
	int32_t asked;       /* generations launched */
	bool busy;
};

/* ---- memory ---- */

static int allocate(struct device_runs *p, void *pointer, size_t count, size_t size, struct err *e)
{
	void *memory = NULL;
	int status = dev_alloc(p->dev, &memory, count * size, e);

	if (!status)
		p->array[p->arrays++] = memory;
	memcpy(pointer, &memory, sizeof(memory));
	return status;
}

/* Bytes for one run. */
static size_t bytes_of(const struct hboa_arguments *t)
{
	size_t n = (size_t)t->n, row = (size_t)t->row * sizeof(uint32_t);
	size_t population = (size_t)t->population, offspring = (size_t)t->offspring;

	return sizeof(struct hboa_progress) + row +
	       population * (row + sizeof(int32_t) + 2 * sizeof(uint64_t)) +
	       offspring * (row + 4 * sizeof(int32_t) + sizeof(struct hboa_nearest)) +
	       n * (2 * sizeof(int32_t) + sizeof(struct hboa_graph) + (size_t)t->selected / 8);
}

static int allocate_arrays(struct device_runs *p, struct err *e)
{
	struct hboa_arguments *t = &p->t;
	size_t runs = (size_t)p->room, n = runs * (size_t)t->n, row = (size_t)t->row;
	size_t population = runs * (size_t)t->population, offspring = runs * (size_t)t->offspring;
	int status = allocate(p, &t->run, runs, sizeof(*t->run), e);

	if (!status)
		status = allocate(p, &t->rows, population * row, sizeof(uint32_t), e);
	if (!status)
		status = allocate(p, &t->offspring_rows, offspring * row, sizeof(uint32_t), e);
	if (!status)
		status = allocate(p, &t->fitness, population, sizeof(int32_t), e);
	if (!status)
		status = allocate(p, &t->offspring_fitness, offspring, sizeof(int32_t), e);
	if (!status)
		status = allocate(p, &t->best_row, runs * row, sizeof(uint32_t), e);
	if (!status)
		status = allocate(p, &t->rank, n, sizeof(int32_t), e);
	if (!status)
		status = allocate(p, &t->order, n, sizeof(int32_t), e);
	if (!status)
		status = allocate(p, &t->data, n * boa_words(t->selected), sizeof(uint32_t), e);
	if (!status)
		status = allocate(p, &t->graph, n, sizeof(*t->graph), e);
	if (!status)
		status = allocate(p, &t->near, offspring, sizeof(*t->near), e);
	if (!status)
		status = allocate(p, &t->target, offspring, sizeof(int32_t), e);
	if (!status)
		status = allocate(p, &t->head, 2 * population, sizeof(uint64_t), e);
	return status ? status : allocate(p, &t->next, 2 * offspring, sizeof(int32_t), e);
}

/* Memory of the blocks that learn: counts, and masks of leaves if shared memory is too small. */
static int allocate_learners(struct device_runs *p, const struct dev_info *info, struct err *e)
{
	struct hboa_arguments *t = &p->t;
	size_t masks = boa_words(t->selected) * sizeof(uint32_t), counts = sizeof(*t->counts);
	size_t room = (size_t)p->room, blocks, most = info->memory_free / 8 / room;
	bool shared = p->kernels->learn_shared(t) <= shared_masks_most &&
		      p->kernels->learn_shared(t) <= info->shared_per_block;
	int status;

	counts *= HBOA_LEAVES_MAX * (size_t)t->n;
	masks *= shared ? 0 : HBOA_LEAVES_MAX;
	blocks = ((size_t)LEARNERS - 1) / room + 1;
	blocks = blocks < most / (counts + masks) ? blocks : most / (counts + masks);
	blocks = blocks < 1 ? 1 : blocks < (size_t)t->n ? blocks : (size_t)t->n;
	t->learners = (int32_t)blocks;
	status = allocate(p, &t->counts, blocks * room * counts, 1, e);
	if (status || shared)
		return status;
	return allocate(p, &t->masks, blocks * room * masks, 1, e);
}

static int copy_tables(struct device_runs *p, struct err *e)
{
	const struct landscape *l = p->setup->landscape;
	struct boa_k2_table table;
	void *ln_factorial, *data = NULL;
	size_t bytes = ((size_t)p->t.selected + 2) * sizeof(uint32_t);
	int status = boa_k2_table_create(&table, p->t.selected, e);

	if (status)
		return status;
	status = allocate(p, &ln_factorial, bytes, 1, e);
	if (!status)
		status = dev_copy_to(p->stream, ln_factorial, table.at, bytes, e);
	if (!status && l->data_count)
		status = allocate(p, &data, l->data_count, sizeof(int32_t), e);
	if (!status && l->data_count)
		status = dev_copy_to(p->stream, data, l->data, l->data_count * sizeof(int32_t), e);
	status = dev_drain(p->stream, status, e);
	boa_k2_table_destroy(&table);
	p->t.ln_factorial = ln_factorial;
	p->t.landscape = boa_landscape_fitness(l, data);
	return status;
}

static struct hboa_arguments sizes(const struct boa_setup *s)
{
	const struct boa_options *o = s->options;
	const struct landscape *l = s->landscape;

	return (struct hboa_arguments){
		.n = l->n,
		.population = o->population,
		.selected = o->selected,
		.offspring = boa_offspring(o),
		.tournament = o->tournament,
		.window = hboa_window(o, l->n),
		.merges = o->merges,
		.smoothing = o->smoothing,
		.stop_at_optimum = o->stop_at_optimum && l->optimum_known,
		.optimum = l->optimum,
		.stop_converged = o->stop_converged,
		.row = 2 * ((l->n + 63) / 64),
	};
}

/* Uses at most half of the free memory; the rest is left for other users and for the blocks that
 * learn. */
static int choose_room(struct device_runs *p, struct dev_info *info, struct err *e)
{
	int status = dev_get_info(p->dev, info, e);

	if (status)
		return status;
	size_t room = info->memory_free / 2 / bytes_of(&p->t), runs = (size_t)(p->end - p->first);

	if (p->kernels->sample_shared(&p->t) > info->shared_per_block)
		return err_set(e, ERR_UNSUPPORTED,
			       "%d variables: sampling needs %zu bytes of shared memory per block, "
			       "the device has %zu",
			       p->t.n, p->kernels->sample_shared(&p->t), info->shared_per_block);
	room = room < 1 ? 1 : room < runs ? room : runs;
	p->room = room < RUNS_MAX ? (int32_t)room : RUNS_MAX;
	return 0;
}

static int open_device(struct device_runs *p, const struct boa_setup *s, struct dev *dev, int first,
		       int end, struct err *e)
{
	struct dev_info info;
	int status;

	*p = (struct device_runs){ .setup = s,
				   .dev = dev,
				   .kernels = hboa_kernels_for(dev),
				   .t = sizes(s),
				   .first = first,
				   .end = end,
				   .now = first };
	if (first == end)
		return 0;
	status = dev_stream_create(dev, &p->stream, e);
	if (!status)
		status = choose_room(p, &info, e);
	if (!status)
		status = allocate_arrays(p, e);
	if (!status)
		status = allocate_learners(p, &info, e);
	if (!status)
		status = copy_tables(p, e);
	if (status)
		return status;
	p->run = malloc((size_t)p->room * sizeof(*p->run));
	p->words = malloc((size_t)p->t.row * (size_t)p->t.population * sizeof(uint32_t));
	if (!p->run || !p->words)
		return err_set(e, ERR_MEMORY, "no memory for %d runs", p->room);
	return 0;
}

static void close_device(struct device_runs *p)
{
	for (int i = 0; i < p->arrays; i++)
		dev_free(p->dev, p->array[i]);
	if (p->stream)
		dev_stream_destroy(p->stream);
	free(p->run);
	free(p->words);
}

/* ---- runs ---- */

/* Starts population 0 of the next runs. */
static int begin_runs(struct device_runs *p, struct err *e)
{
	int left = p->end - p->now;
	int status;

	p->t.runs = left < p->room ? left : p->room;
	p->asked = 0;
	p->busy = true;
	for (int32_t r = 0; r < p->t.runs; r++)
		p->run[r] = (struct hboa_progress){
			.seed = p->setup->options->seed + (uint64_t)(p->now + r),
			.best = INT32_MIN,
		};
	status = dev_copy_to(p->stream, p->t.run, p->run, (size_t)p->t.runs * sizeof(*p->run), e);
	if (!status)
		status = dev_fill(
			p->stream, p->t.head, 0,
			2 * (size_t)p->t.runs * (size_t)p->t.population * sizeof(uint64_t), e);
	return status ? status : p->kernels->first(p->stream, &p->t, e);
}

static int launch_generations(struct device_runs *p, struct err *e)
{
	int32_t left = p->setup->options->generations - p->asked;
	int32_t some = left < CHECK_EVERY ? left : CHECK_EVERY;
	int status = 0;

	for (int32_t g = 0; !status && g < some; g++)
		status = p->kernels->generation(p->stream, &p->t, e);
	p->asked += some;
	if (!status)
		status = dev_copy_from(p->stream, p->run, p->t.run,
				       (size_t)p->t.runs * sizeof(*p->run), e);
	return status;
}

/* A run stops changing once it is done or its selected are alike. */
static bool all_ended(const struct device_runs *p)
{
	if (p->asked == p->setup->options->generations)
		return true;
	for (int32_t r = 0; r < p->t.runs; r++)
		if (!p->run[r].done && p->run[r].generations == p->asked)
			return false;
	return true;
}

static int fetch_words(struct device_runs *p, int32_t r, struct boa_run *to, struct err *e)
{
	size_t words = (size_t)p->t.row * (size_t)p->t.population;
	struct hboa_rows rows = { p->t.n, p->t.population, (size_t)p->t.row / 2, NULL };
	int status = dev_copy_from(p->stream, p->words, p->t.rows + (size_t)r * words,
				   words * sizeof(uint32_t), e);

	status = dev_drain(p->stream, status, e);
	/* pairs of 32-bit words, the low one first, are the 64-bit words here */
	rows.words = (uint64_t *)(void *)p->words;
	if (!status)
		hboa_rows_to(&rows, NULL, rows.count, to->words, boa_words(rows.count), NULL);
	return status;
}

static int fetch_best(struct device_runs *p, int32_t r, struct boa_run *to, struct err *e)
{
	const struct landscape *l = p->setup->landscape;
	size_t row = (size_t)p->t.row;
	int status = dev_copy_from(p->stream, p->words, p->t.best_row + (size_t)r * row,
				   row * sizeof(uint32_t), e);

	status = dev_drain(p->stream, status, e);
	if (status)
		return status;
	for (int32_t v = 0; v < l->n; v++)
		to->bits[v] = p->words[v / 32] >> v % 32 & 1;
	to->best = p->run[r].best;
	to->optimum = l->optimum_known && to->best == l->optimum;
	to->generations = p->run[r].generations;
	to->edges = p->run[r].edges;
	return 0;
}

static int fetch_runs(struct device_runs *p, struct boa_run *runs, struct err *e)
{
	size_t population = (size_t)p->t.population;
	int status = 0;

	for (int32_t r = 0; !status && r < p->t.runs; r++) {
		struct boa_run *to = &runs[p->now + r];

		status = fetch_best(p, r, to, e);
		if (!status && to->words)
			status = fetch_words(p, r, to, e);
		if (!status && to->fitness)
			status = dev_copy_from(p->stream, to->fitness,
					       p->t.fitness + (size_t)r * population,
					       population * sizeof(int32_t), e);
	}
	status = dev_drain(p->stream, status, e);
	p->now += p->t.runs;
	p->busy = false;
	return status;
}

/* One round over all devices: busy devices continue, others start their next runs. *left: set if
 * some runs have not ended. Once the limit is reached, no more runs start. */
static int run_round(struct device_runs *device, int devices, bool limit, struct boa_run *runs,
		     bool *left, struct err *e)
{
	int status = 0;

	*left = false;
	for (int i = 0; !status && i < devices; i++) {
		struct device_runs *p = &device[i];

		if (p->now == p->end)
			continue;
		*left = true;
		for (; limit && !p->busy && p->now < p->end; p->now++)
			boa_not_begun(p->setup->landscape, &runs[p->now]);
		if (!p->busy && !limit)
			status = begin_runs(p, e);
		if (!p->busy)
			continue;
		if (!status && limit)
			status = dev_copy_from(p->stream, p->run, p->t.run,
					       (size_t)p->t.runs * sizeof(*p->run), e);
		else if (!status)
			status = launch_generations(p, e);
	}
	for (int i = 0; !status && i < devices; i++) {
		struct device_runs *p = &device[i];

		if (!p->busy)
			continue;
		status = dev_stream_sync(p->stream, e);
		if (!status && (limit || all_ended(p)))
			status = fetch_runs(p, runs, e);
	}
	return status;
}

static int run_all(struct device_runs *device, int devices, const struct boa_setup *s,
		   struct boa_run *runs, struct boa_times *times, struct err *e)
{
	double begin = clock_wall();
	struct boa_limit l = boa_limit_from(s, begin);
	bool left = true, limit = false, cut = false;
	int status = 0;

	while (!status && left) {
		limit = limit || boa_limit_reached(&l);
		status = run_round(device, devices, limit, runs, &left, e);
		cut |= limit && left;
	}
	times->total = clock_wall() - begin;
	return !status && cut ? err_set(e, ERR_LIMIT, "stopped before all runs had ended") : status;
}

int hboa_tuned_runs(const struct boa_setup *s, struct boa_run *runs, int count,
		    struct boa_times *times, struct err *e)
{
	double begin = clock_wall();
	int all = s->devices->count, devices = s->gpus > 0 && s->gpus < all ? s->gpus : all;
	int status = 0;
	struct device_runs device[DEV_MAX] = { { 0 } };

	for (int i = 0; !status && i < devices; i++)
		status = open_device(&device[i], s, s->devices->dev[i],
				     (int)((int64_t)count * i / devices),
				     (int)((int64_t)count * (i + 1) / devices), e);
	times->set_up = clock_wall() - begin;
	if (!status)
		status = run_all(device, devices, s, runs, times, e);
	for (int i = 0; i < devices; i++)
		close_device(&device[i]);
	return status;
}
