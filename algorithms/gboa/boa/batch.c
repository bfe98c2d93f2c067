/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gboa/boa/engines.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/gboa/boa/network.h"
#include "algorithms/gboa/boa/steps.h"
#include "harness/base/clock.h"
#include "harness/device/device.h"
#include "kernels/gboa/batch.h"

/* ---- the plan: sizes and positions in shared memory ---- */

static int check_options(const struct boa_options *o, struct err *e)
{
	if (o->max_parents > BOA_BATCH_PARENTS_MAX)
		return err_set(e, ERR_UNSUPPORTED,
			       "batched runs support at most %d parents, not %d",
			       BOA_BATCH_PARENTS_MAX, o->max_parents);
	if (o->selected > BOA_BATCH_SELECTED_MAX || o->population > BOA_BATCH_POPULATION_MAX)
		return err_set(
			e, ERR_UNSUPPORTED,
			"batched runs support at most %d selected individuals of a population of "
			"at most %d, not %d of %d",
			BOA_BATCH_SELECTED_MAX, BOA_BATCH_POPULATION_MAX, o->selected,
			o->population);
	return 0;
}

static int planes_of(const struct landscape *l)
{
	uint32_t range = (uint32_t)l->greatest - (uint32_t)l->least;
	int planes = 0;

	for (; range; range >>= 1)
		planes++;
	return planes;
}

static int32_t least_of(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

static int32_t greatest_of(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

static int32_t parts(int32_t whole, int32_t part)
{
	return (whole + part - 1) / part;
}

/* The stride of rows: a multiple of 16 words, such that neighbouring rows begin 16 banks apart. */
static int32_t learned_stride(int32_t steps)
{
	return (steps | 1) * BOA_BATCH_STEP;
}

static void set_sizes(struct boa_batch_plan *p, const struct landscape *l,
		      const struct boa_options *o, int cluster)
{
	*p = (struct boa_batch_plan){
		.fitness = boa_landscape_fitness(l, NULL),
		.n = l->n,
		.k = o->max_parents,
		.generations = o->generations,
		.optimum = l->optimum,
		.stop_at_optimum = o->stop_at_optimum && l->optimum_known,
		.stop_converged = o->stop_converged,
		.laplace = o->smoothing == BOA_SMOOTH_LAPLACE,
		.planes = planes_of(l),
		.population = o->population / 32,
		.selected = o->selected / 32,
		.offspring = boa_offspring(o) / 32,
		.individuals = o->selected,
		.cluster = cluster,
	};
	p->kept = o->replacement == BOA_REPLACE_ALL ? 0 : p->selected;
	p->steps = parts(p->selected, BOA_BATCH_STEP);
	p->selected_stride = learned_stride(p->steps);
	p->offspring_stride = p->offspring | 1;
	while (1 << p->cluster_log < cluster)
		p->cluster_log++;
	p->rows = parts(p->n, cluster);
	p->slots = parts(parts(p->n, BOA_BATCH_GROUP), cluster) * BOA_BATCH_GROUP;
	if (cluster > 1) {
		p->slice = parts(p->offspring, cluster);
		p->slice_stride = p->slice | 1;
	}
}

/* A warp samples 8 words at a time. If most warps of a block would be idle, each thread samples
 * items instead (batch.cu). */
static void choose_threads(struct boa_batch_plan *p, int *threads)
{
	const int32_t most_warps = 10;
	int32_t tasks = parts(p->cluster > 1 ? p->slice : p->offspring, 8), warps;

	p->by_items = p->cluster > 1 && tasks < 4;
	if (!*threads) {
		warps = p->by_items ? least_of(parts(p->n * p->slice, 32), 32) :
				      parts(tasks, parts(tasks, p->cluster > 1 ? 32 : most_warps));
		*threads = 32 * greatest_of(warps, p->cluster > 1 ? 8 : 2);
	}
	*threads = greatest_of(*threads, parts(p->population, 32 * BOA_BATCH_WORDS) * 32);
}

/* Reserves `words` words at *end and returns their position; *end stays a multiple of 4. */
static int32_t reserve(size_t *end, int64_t words)
{
	size_t at = *end;

	*end = (at + (size_t)words + 3) / 4 * 4;
	return (int32_t)at;
}

static void set_places(struct boa_batch_plan *p)
{
	int64_t n = p->n, items = p->cluster > 1 ? n * p->slice : 0;
	int64_t slots = 15 * (int64_t)p->slots, masks = BOA_BATCH_MASKS * (int64_t)p->population;
	int64_t records = 8 * n, splits = 3 * (int64_t)p->population;
	size_t end = (size_t)(n * p->selected_stride);

	p->at_offspring = reserve(&end, (int64_t)p->rows * p->offspring_stride);
	p->at_slice = reserve(&end, p->cluster > 1 ? n * p->slice_stride : 0);
	p->at_coins = reserve(&end, p->by_items ? items << BOA_BATCH_PARENTS_MAX : 0);
	p->at_planes = reserve(&end, (int64_t)p->planes * p->population);
	p->at_order = reserve(&end, (n + 1) / 2);
	p->at_keys = reserve(&end, n);
	p->at_slots = reserve(&end, slots > masks ? slots : masks);
	p->at_records = reserve(&end, records > splits ? records : splits);
	p->at_control =
		reserve(&end, BOA_BATCH_CONTROL + BOA_BATCH_SUMS + (p->population + 31) / 32);
	p->at_table = reserve(&end, ((int64_t)p->individuals + 2) << p->copies_log);
	p->shared_bytes = end * sizeof(uint32_t);
}

static bool make_plan(struct boa_batch_plan *p, const struct landscape *l,
		      const struct boa_options *o, int cluster, int *threads, size_t shared)
{
	const int most_copies_log = 4;

	set_sizes(p, l, o, cluster);
	choose_threads(p, threads);
	set_places(p);
	if (p->by_items && p->shared_bytes > shared) {
		p->by_items = false;
		set_places(p);
	}
	if (p->shared_bytes > shared)
		return false;
	/* A block that has a multiprocessor to itself spreads copies of its table over the
	 * banks. */
	while (cluster > 1 && p->copies_log < most_copies_log && p->shared_bytes <= shared) {
		p->copies_log++;
		set_places(p);
	}
	if (p->shared_bytes > shared) {
		p->copies_log--;
		set_places(p);
	}
	return true;
}

/* ---- devices ---- */

/* A device and its runs, first .. first + plan.runs - 1. */
struct part {
	struct dev *dev;
	struct dev_stream *stream;
	const struct boa_batch_kernels *kernels;
	struct boa_batch_plan plan;
	struct boa_batch_memory memory;
	int threads, clusters, first;
	int on_host, taken, limit; /* runs that the host may make (the last ones), and has taken;
				      those from `limit` on are made */
	bool fetched;              /* the results are on the host */
	int32_t *data;             /* of the landscape */
	uint32_t *table;
	unsigned *ticket;
	unsigned *device_limit;           /* pinned, or NULL */
	struct boa_batch_result *results; /* this and the following members are on the host */
	uint8_t *bits;
	uint32_t *words;
	int32_t *fitness;
};

struct batch {
	const struct boa_setup *setup;
	const struct boa_batch_shape *shape;
	struct boa_run *runs;
	struct boa_k2_table table;
	struct part part[DEV_MAX];
	int parts, count, on_host; /* on_host: number of runs that the host may make */
	bool *made;                /* by the host, of each run */
	int next;                  /* the part of which the host takes a run next */
	volatile sig_atomic_t host_stop;
	pthread_mutex_t queue_lock;
	/* The watcher thread ends all kernels when the stop flag or the time limit is reached. */
	pthread_t watcher;
	pthread_mutex_t lock;
	pthread_cond_t done;
	bool watching, over;
	struct boa_limit limit;
};

/* ---- the shape ---- */

static bool fits(struct part *t, const struct batch *b, int cluster, size_t shared, int *status,
		 struct err *e)
{
	t->threads = b->shape->threads;
	if (!make_plan(&t->plan, b->setup->landscape, b->setup->options, cluster, &t->threads,
		       shared))
		return false;
	*status = t->kernels->resident(t->stream, &t->plan, t->threads, &t->clusters, e);
	return !*status && t->clusters > 0;
}

/* Chooses the largest cluster size at which all runs are resident on the device at once. If there
 * is none, chooses the smallest size that a run fits into: clusters cost barriers and only shorten
 * a single run. */
static int choose_shape(const struct batch *b, struct part *t, int runs, struct err *e)
{
	struct dev_info info;
	int status = dev_get_info(t->dev, &info, e), smallest = 0;

	for (int cluster = BOA_BATCH_CLUSTER_MAX; !status && cluster >= 1; cluster /= 2) {
		if (b->shape->cluster && cluster != b->shape->cluster)
			continue;
		if (!fits(t, b, cluster, info.shared_per_block, &status, e))
			continue;
		if (t->clusters >= runs)
			return 0;
		smallest = cluster;
	}
	if (status || (smallest && fits(t, b, smallest, info.shared_per_block, &status, e)) ||
	    status)
		return status;
	return err_set(
		e, ERR_UNSUPPORTED,
		"batched runs of %d variables and %d individuals do not fit into the %zu bytes of "
		"shared memory of a block, or of up to %d blocks: use --engine grid or large",
		b->setup->landscape->n, b->setup->options->population, info.shared_per_block,
		BOA_BATCH_CLUSTER_MAX);
}

/* ---- memory ---- */

static bool can_be_stopped(const struct batch *b)
{
	return b->setup->stop || b->setup->time_limit > 0;
}

static int allocate(struct part *t, const struct batch *b, struct err *e)
{
	size_t runs = (size_t)t->plan.runs, n = (size_t)t->plan.n;
	size_t words = runs * n * (size_t)t->plan.population;
	size_t fitness = runs * (size_t)b->setup->options->population;
	const struct landscape *l = b->setup->landscape;
	size_t data = l->data_count * sizeof(int32_t);
	size_t table = ((size_t)t->plan.individuals + 2) * sizeof(uint32_t);
	struct boa_batch_memory *m = &t->memory;
	void *p[8] = { NULL }, *limit = NULL;
	const size_t bytes[8] = { data,
				  table,
				  sizeof(unsigned),
				  runs * sizeof(struct boa_batch_result),
				  runs * n,
				  b->runs->words ? words * sizeof(uint32_t) : 0,
				  b->runs->fitness ? fitness * sizeof(int32_t) : 0,
				  b->shape->clocks ? BOA_BATCH_PHASES * sizeof(unsigned long long) :
						     0 };
	int status = 0;

	for (int i = 0; i < 8 && !status; i++)
		status = bytes[i] ? dev_alloc(t->dev, &p[i], bytes[i], e) : 0;
	/* clear the arrays that fill() does not set: all results are copied back, even those of
	 * runs that never begin */
	for (int i = 2; i < 8 && !status; i++)
		status = bytes[i] ? dev_fill(t->stream, p[i], 0, bytes[i], e) : 0;
	t->data = p[0];
	t->table = p[1];
	t->ticket = p[2];
	*m = (struct boa_batch_memory){ .ln_factorial = p[1],
					.results = p[3],
					.bits = p[4],
					.words = p[5],
					.fitness = p[6],
					.ticket = p[2],
					.clocks = p[7] };
	if (!status && (can_be_stopped(b) || t->on_host))
		status = dev_host_alloc(t->dev, &limit, sizeof(unsigned), e);
	if (status)
		return status;
	m->limit = t->device_limit = limit;
	if (limit)
		*t->device_limit = (unsigned)runs;
	t->results = malloc(bytes[3]);
	t->bits = malloc(bytes[4]);
	t->words = bytes[5] ? malloc(bytes[5]) : NULL;
	t->fitness = bytes[6] ? malloc(bytes[6]) : NULL;
	if (!t->results || !t->bits || (bytes[5] && !t->words) || (bytes[6] && !t->fitness))
		return err_set(e, ERR_MEMORY, "no memory for the results of %zu runs", runs);
	return 0;
}

static int fill(struct part *t, const struct batch *b, struct err *e)
{
	const struct landscape *l = b->setup->landscape;
	int status = dev_copy_to(t->stream, t->table, b->table.at,
				 ((size_t)t->plan.individuals + 2) * sizeof(uint32_t), e);

	if (!status && t->data)
		status = dev_copy_to(t->stream, t->data, l->data, l->data_count * sizeof(int32_t),
				     e);
	return dev_drain(t->stream, status, e);
}

/* Of a batch of few runs, the host makes none: its threads would start too late. */
static int runs_for_host(const struct batch *b, int resident, int runs)
{
	const int waves = 4;

	return runs > waves * resident ? (int)(b->setup->host_share * runs + 0.5) : 0;
}

static int open_part(struct batch *b, struct part *t, struct dev *dev, int first, int runs,
		     struct err *e)
{
	t->kernels = boa_batch_kernels_for(dev);
	t->dev = dev;
	t->stream = dev_default_stream(dev);
	t->first = first;
	int status = choose_shape(b, t, runs, e);

	t->plan.runs = runs;
	t->plan.seed = b->setup->options->seed + (uint64_t)first;
	t->limit = runs;
	t->on_host = runs_for_host(b, t->clusters, runs);
	t->plan.limit_period = t->on_host ? 2000000 : 20000000; /* 1 ms, 10 ms */
	b->on_host += t->on_host;
	t->clusters = t->clusters < runs ? t->clusters : runs;
	if (!status)
		status = allocate(t, b, e);
	t->plan.fitness.data = t->data;
	return status ? status : fill(t, b, e);
}

static void close_part(struct part *t)
{
	const struct boa_batch_memory *m = &t->memory;
	void *const on_device[] = { t->data, t->table, t->ticket,  m->results,
				    m->bits, m->words, m->fitness, m->clocks };

	for (size_t i = 0; i < sizeof(on_device) / sizeof(*on_device); i++)
		dev_free(t->dev, on_device[i]);
	if (t->device_limit)
		dev_host_free(t->dev, t->device_limit);
	free(t->results);
	free(t->bits);
	free(t->words);
	free(t->fitness);
}

/* ---- the watcher ---- */

static void end_kernels(struct batch *b)
{
	pthread_mutex_lock(&b->queue_lock);
	for (int i = 0; i < b->parts; i++) {
		b->part[i].limit = 0;
		__atomic_store_n(b->part[i].device_limit, 0, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&b->queue_lock);
}

static void *watch(void *context)
{
	const double interval = 0.002; /* seconds: how late a limit may take effect */
	struct batch *b = context;

	pthread_mutex_lock(&b->lock);
	while (!b->over && !boa_limit_reached(&b->limit))
		clock_cond_wait(&b->done, &b->lock, interval);
	bool end = !b->over;

	pthread_mutex_unlock(&b->lock);
	if (end) {
		end_kernels(b);
		__atomic_store_n(&b->host_stop, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static int start_watcher(struct batch *b, struct err *e)
{
	const struct boa_setup *s = b->setup;

	b->limit = boa_limit_from(s, clock_wall());
	if (!b->parts || !can_be_stopped(b))
		return 0;
	pthread_mutex_init(&b->lock, NULL);
	clock_cond_init(&b->done);
	b->watching = pthread_create(&b->watcher, NULL, watch, b) == 0;
	if (b->watching)
		return 0;
	pthread_cond_destroy(&b->done);
	pthread_mutex_destroy(&b->lock);
	return err_set(e, ERR_FAILED, "cannot start a thread to watch the time limit");
}

static void end_watcher(struct batch *b)
{
	if (!b->watching)
		return;
	pthread_mutex_lock(&b->lock);
	b->over = true;
	pthread_cond_signal(&b->done);
	pthread_mutex_unlock(&b->lock);
	pthread_join(b->watcher, NULL);
	pthread_cond_destroy(&b->done);
	pthread_mutex_destroy(&b->lock);
}

/* ---- the runs ---- */

static int launch_part(const struct part *t, struct err *e)
{
	return t->kernels->run(t->stream, &t->plan, &t->memory, t->threads, t->clusters, e);
}

/* Queues the copies of a part's results. A copy to ordinary memory waits for the kernel, so this is
 * called after all parts and the host's runs have started. */
static int fetch_part(struct part *t, struct err *e)
{
	size_t runs = (size_t)t->plan.runs, n = (size_t)t->plan.n;
	size_t words = runs * n * (size_t)t->plan.population;
	const struct boa_batch_memory *m = &t->memory;
	int status =
		dev_copy_from(t->stream, t->results, m->results, runs * sizeof(*t->results), e);

	if (!status)
		status = dev_copy_from(t->stream, t->bits, m->bits, runs * n, e);
	if (!status && t->words)
		status = dev_copy_from(t->stream, t->words, m->words, words * sizeof(uint32_t), e);
	if (!status && t->fitness)
		status = dev_copy_from(t->stream, t->fitness, m->fitness,
				       runs * 32 * (size_t)t->plan.population * sizeof(int32_t), e);
	return status;
}

/* ---- the host's share ---- */

/* The host makes runs beside the devices, the last ones of each part, and devices begin no run that
 * the host has finished. They do begin runs that the host is still making, and when they have
 * ended, the host stops. So a batch never takes longer than the devices alone take. A run that both
 * make is the same. */

static int take_run(void *context)
{
	struct batch *b = context;
	int run = -1;

	pthread_mutex_lock(&b->queue_lock);
	for (int i = 0; run < 0 && i < b->parts; i++) {
		struct part *t = &b->part[b->next];

		b->next = (b->next + 1) % b->parts;
		if (t->taken < t->on_host)
			run = t->first + t->plan.runs - ++t->taken;
	}
	pthread_mutex_unlock(&b->queue_lock);
	return __atomic_load_n(&b->host_stop, __ATOMIC_RELAXED) ? -1 : run;
}

static void finish_run(void *context, int run)
{
	struct batch *b = context;
	int i = 0;

	while (run >= b->part[i].first + b->part[i].plan.runs)
		i++;
	struct part *t = &b->part[i];

	pthread_mutex_lock(&b->queue_lock);
	b->made[run] = true;
	while (t->limit > 0 && b->made[t->first + t->limit - 1])
		t->limit--;
	__atomic_store_n(t->device_limit, (unsigned)t->limit, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&b->queue_lock);
}

static void *await_devices(void *context)
{
	struct batch *b = context;

	for (int i = 0; i < b->parts; i++) {
		struct err ignored = { 0 }; /* end_part() reports it */

		(void)dev_stream_sync(b->part[i].stream, &ignored);
	}
	__atomic_store_n(&b->host_stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < b->parts; i++) { /* while the host's threads end */
		struct part *t = &b->part[i];
		struct err ignored = { 0 };
		int status = fetch_part(t, &ignored);

		t->fetched = !dev_drain(t->stream, status, &ignored);
	}
	return NULL;
}

static int run_on_host(struct batch *b, struct err *e)
{
	const struct boa_host_queue queue = { take_run, finish_run, b };
	struct boa_setup s = *b->setup;
	struct boa_times times = { 0 };
	pthread_t waiting;

	if (!b->on_host)
		return 0;
	if (pthread_create(&waiting, NULL, await_devices, b))
		return err_set(e, ERR_FAILED, "cannot start a thread to wait for the devices");
	s.queue = &queue;
	s.stop = &b->host_stop;
	s.time_limit = 0;
	s.variant = SOLVE_CPU;
	s.threads = s.threads > 0 ? s.threads : 1;
	int status = boa_host_runs(&s, b->runs, b->on_host, &times, e);

	pthread_join(waiting, NULL);
	return status;
}

/* ---- results ---- */

static void copy_run(const struct batch *b, const struct part *t, int r)
{
	const struct landscape *l = b->setup->landscape;
	const struct boa_batch_result *from = &t->results[r];
	struct boa_run *to = &b->runs[t->first + r];
	size_t n = (size_t)l->n, words = n * (size_t)t->plan.population;
	size_t population = (size_t)b->setup->options->population;

	if (from->begun) {
		memcpy(to->bits, t->bits + (size_t)r * n, n);
		to->best = from->best;
		to->generations = from->generations;
		to->edges = from->edges;
		if (t->words)
			memcpy(to->words, t->words + (size_t)r * words, words * sizeof(uint32_t));
		if (t->fitness)
			memcpy(to->fitness, t->fitness + (size_t)r * population,
			       population * sizeof(int32_t));
	} else {
		boa_not_begun(l, to);
	}
	to->optimum = l->optimum_known && to->best == l->optimum;
}

/* Waits for a part. If all parts started, copies its results and adds to *ended the number of runs
 * that the limit ended. */
static int end_part(const struct batch *b, struct part *t, bool started, int *ended, struct err *e)
{
	int status = started && !t->fetched ? fetch_part(t, e) : 0, waited;

	waited = dev_stream_sync(t->stream, status ? NULL : e);
	status = status ? status : waited;
	for (int r = 0; started && !status && r < t->plan.runs; r++) {
		if (b->made[t->first + r])
			continue;
		copy_run(b, t, r);
		*ended += !t->results[r].begun || t->results[r].halted;
	}
	return status;
}

static int run_all(struct batch *b, struct err *e)
{
	int status = start_watcher(b, e), host = 0, ended = 0;
	struct err host_error = { 0 }, other = { 0 };

	for (int i = 0; !status && i < b->parts; i++)
		status = launch_part(&b->part[i], e);
	bool started = !status;

	if (started)
		host = run_on_host(b, &host_error);
	for (int i = 0; i < b->parts;
	     i++) { /* wait for all parts: no kernel may run after the return */
		int one = end_part(b, &b->part[i], started, &ended, status ? &other : e);

		status = status ? status : one;
	}
	end_watcher(b);
	if (status)
		return status;
	if (host)
		return err_set(e, host, "%s", host_error.text);
	if (ended)
		return err_set(e, ERR_LIMIT, "stopped with %d runs of %d unfinished", ended,
			       b->count);
	return 0;
}

static int add_clocks(struct batch *b, struct err *e)
{
	unsigned long long sums[BOA_BATCH_PHASES];
	int status = 0;

	for (int i = 0; b->shape->clocks && !status && i < b->parts; i++) {
		struct part *t = &b->part[i];

		status = dev_copy_from(t->stream, sums, t->memory.clocks, sizeof(sums), e);
		status = dev_drain(t->stream, status, e);
		for (int phase = 0; !status && phase < BOA_BATCH_PHASES; phase++)
			b->shape->clocks[phase] += sums[phase];
	}
	return status;
}

/* Divides the runs equally among the devices. */
static int open_parts(struct batch *b, struct err *e)
{
	const struct boa_setup *s = b->setup;
	int count = b->count, devices = s->devices->count;
	int status = boa_k2_table_create(&b->table, s->options->selected, e);

	if (s->gpus > 0 && s->gpus < devices)
		devices = s->gpus;
	if (devices > count)
		devices = count;
	for (int i = 0; i < devices && !status; i++) {
		int first = (int)((int64_t)count * i / devices);
		int last = (int)((int64_t)count * (i + 1) / devices);

		b->parts++;
		status = open_part(b, &b->part[i], s->devices->dev[i], first, last - first, e);
	}
	return status;
}

int boa_batch_runs(const struct boa_setup *s, struct boa_run *runs, int count,
		   struct boa_times *times, struct err *e)
{
	double begin = clock_wall();
	struct batch b = { .setup = s, .shape = &s->batch, .runs = runs, .count = count };
	int status = check_options(s->options, e);

	if (!status && (!s->devices || s->devices->count == 0))
		status = err_set(e, ERR_DEVICE, "batched runs need a device");
	pthread_mutex_init(&b.queue_lock, NULL);
	b.made = calloc((size_t)count, sizeof(*b.made));
	if (!status && !b.made)
		status = err_set(e, ERR_MEMORY, "no memory for %d runs", count);
	if (!status)
		status = open_parts(&b, e);
	times->set_up = clock_wall() - begin;
	begin = clock_wall();
	if (!status)
		status = run_all(&b, e);
	times->total = clock_wall() - begin;
	if (!status)
		status = add_clocks(&b, e);
	for (int i = 0; i < b.parts; i++)
		close_part(&b.part[i]);
	pthread_mutex_destroy(&b.queue_lock);
	free(b.made);
	boa_k2_table_destroy(&b.table);
	return status;
}
