/* Many runs on all devices: what runs where, and the way there and back. The kernels: batch.h. */
#include "algorithms/gboa/tuned_batch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/base/clock.h"
#include "harness/device/settle.h"
#include "algorithms/gboa/fitness.h"
#include "algorithms/gboa/k2.h"
#include "algorithms/gboa/limit.h"
#include "algorithms/gboa/tuned_batch_plan.h"

/* A device and its runs, first .. first + plan.runs - 1. */
struct part {
	struct dev *dev;
	struct dev_stream *stream;
	const struct batch_kernels *kernels;
	struct batch_plan plan;
	struct batch_memory memory;
	int threads, clusters, first;
	int32_t *data; /* the landscape's */
	uint32_t *table;
	unsigned *ticket, *halt;      /* halt: pinned, or NULL */
	struct batch_result *results; /* on the host, and what follows */
	uint8_t *bits;
	uint32_t *words;
	int32_t *fitness;
};

struct batch {
	const struct boa_setup *setup;
	const struct batch_shape *shape;
	struct boa_run *runs;
	struct k2_table table;
	struct part part[DEV_MAX];
	int parts, count, on_host; /* the host has the last so many runs */
	/* the watcher ends all kernels when the stop flag or the time says so */
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
	if (!batch_plan_make(&t->plan, b->setup->landscape, b->setup->options, cluster, &t->threads,
			     shared))
		return false;
	*status = t->kernels->resident(t->stream, &t->plan, t->threads, &t->clusters, e);
	return !*status && t->clusters > 0;
}

/* The largest cluster of which the device has one for each run; where there are more runs than
 * that, the smallest that fits: clusters cost barriers and gain time of a run alone. */
static int choose_shape(const struct batch *b, struct part *t, int runs, struct err *e)
{
	struct dev_info info;
	int status = dev_get_info(t->dev, &info, e), smallest = 0;

	for (int cluster = BATCH_CLUSTER_MAX; !status && cluster >= 1; cluster /= 2) {
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
		"shared memory of a block, or of up to %d together: take the engine grid or large",
		b->setup->landscape->n, b->setup->options->population, info.shared_per_block,
		BATCH_CLUSTER_MAX);
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
	struct batch_memory *m = &t->memory;
	void *p[8] = { NULL }, *halt = NULL;
	const size_t bytes[8] = { data,
				  table,
				  sizeof(unsigned),
				  runs * sizeof(struct batch_result),
				  runs * n,
				  b->runs->words ? words * sizeof(uint32_t) : 0,
				  b->runs->fitness ? fitness * sizeof(int32_t) : 0,
				  b->shape->clocks ? BATCH_PHASES * sizeof(unsigned long long) :
						     0 };
	int status = 0;

	for (int i = 0; i < 8 && !status; i++)
		status = bytes[i] ? dev_alloc(t->dev, &p[i], bytes[i], e) : 0;
	/* what fill() does not: all is copied back, also of runs that the time limit does not let
	 * begin */
	for (int i = 2; i < 8 && !status; i++)
		status = bytes[i] ? dev_fill(t->stream, p[i], 0, bytes[i], e) : 0;
	t->data = p[0];
	t->table = p[1];
	t->ticket = p[2];
	*m = (struct batch_memory){ .ln_factorial = p[1],
				    .results = p[3],
				    .bits = p[4],
				    .words = p[5],
				    .fitness = p[6],
				    .ticket = p[2],
				    .clocks = p[7] };
	if (!status && can_be_stopped(b))
		status = dev_host_alloc(t->dev, &halt, sizeof(unsigned), e);
	if (status)
		return status;
	m->halt = t->halt = halt;
	if (halt)
		*t->halt = 0;
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
	return dev_settle(t->stream, status, e);
}

static int open_part(struct batch *b, struct part *t, struct dev *dev, int first, int runs,
		     struct err *e)
{
#if COPRA_HAVE_CUDA
	t->kernels = dev_backend_of(dev) == DEV_CUDA ? &batch_kernels_cuda : &batch_kernels_sim;
#else
	t->kernels = &batch_kernels_sim;
#endif
	t->dev = dev;
	t->stream = dev_default_stream(dev);
	t->first = first;
	int status = choose_shape(b, t, runs, e);

	t->plan.runs = runs;
	t->plan.seed = b->setup->options->seed + (uint64_t)first;
	t->clusters = t->clusters < runs ? t->clusters : runs;
	if (!status)
		status = allocate(t, b, e);
	t->plan.fitness.data = t->data;
	return status ? status : fill(t, b, e);
}

static void close_part(struct part *t)
{
	const struct batch_memory *m = &t->memory;
	void *const on_device[] = { t->data, t->table, t->ticket,  m->results,
				    m->bits, m->words, m->fitness, m->clocks };

	for (size_t i = 0; i < sizeof(on_device) / sizeof(*on_device); i++)
		dev_free(t->dev, on_device[i]);
	if (t->halt)
		dev_host_free(t->dev, t->halt);
	free(t->results);
	free(t->bits);
	free(t->words);
	free(t->fitness);
}

/* ---- the watcher ---- */

static void end_kernels(const struct batch *b)
{
	for (int i = 0; i < b->parts; i++)
		__atomic_store_n(b->part[i].halt, 1, __ATOMIC_RELEASE);
}

static void *watch(void *context)
{
	const long interval = 2000000; /* ns: what a limit may be late */
	struct batch *b = context;
	struct timespec next;

	pthread_mutex_lock(&b->lock);
	while (!b->over && !boa_limit_reached(&b->limit)) {
		clock_gettime(CLOCK_REALTIME, &next);
		next.tv_nsec += interval;
		if (next.tv_nsec >= 1000000000) {
			next.tv_nsec -= 1000000000;
			next.tv_sec++;
		}
		pthread_cond_timedwait(&b->done, &b->lock, &next);
	}
	bool end = !b->over;

	pthread_mutex_unlock(&b->lock);
	if (end)
		end_kernels(b);
	return NULL;
}

static int start_watcher(struct batch *b, struct err *e)
{
	const struct boa_setup *s = b->setup;

	b->limit = boa_limit_from(s, clock_wall());
	if (!b->parts || !can_be_stopped(b))
		return 0;
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->done, NULL);
	b->watching = pthread_create(&b->watcher, NULL, watch, b) == 0;
	if (b->watching)
		return 0;
	pthread_cond_destroy(&b->done);
	pthread_mutex_destroy(&b->lock);
	return err_set(e, ERR_FAILED, "no thread to watch the time");
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

/* Asks for what a part brings. Copies to ordinary memory wait for the kernel: they come after all
 * parts, and the host's runs, have begun. */
static int fetch_part(struct part *t, struct err *e)
{
	size_t runs = (size_t)t->plan.runs, n = (size_t)t->plan.n;
	size_t words = runs * n * (size_t)t->plan.population;
	const struct batch_memory *m = &t->memory;
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

static int launch_part(const struct part *t, struct err *e)
{
	return t->kernels->run(t->stream, &t->plan, &t->memory, t->threads, t->clusters, e);
}

static int run_on_host(const struct batch *b, struct err *e)
{
	struct boa_options o = *b->setup->options;
	struct boa_setup s = *b->setup;
	struct boa_times times = { 0 };
	int first = b->count - b->on_host;

	if (!b->on_host)
		return 0;
	o.seed += (uint64_t)first;
	s.options = &o;
	s.variant = SOLVE_CPU;
	s.threads = s.threads > 0 ? s.threads : 1;
	return boa_host_runs(&s, b->runs + first, b->on_host, &times, e);
}

static void hand_out(const struct batch *b, const struct part *t, int r)
{
	const struct landscape *l = b->setup->landscape;
	const struct batch_result *from = &t->results[r];
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

/* Waits for a part; where all were started takes what it brought, and counts runs that the limit
 * ended into *ended. */
static int end_part(const struct batch *b, struct part *t, bool started, int *ended, struct err *e)
{
	int status = started ? fetch_part(t, e) : 0, waited;

	waited = dev_stream_sync(t->stream, status ? NULL : e);
	status = status ? status : waited;
	for (int r = 0; started && !status && r < t->plan.runs; r++) {
		hand_out(b, t, r);
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
	for (int i = 0; i < b->parts; i++) { /* all of them: nothing runs on when this returns */
		int one = end_part(b, &b->part[i], started, &ended, status ? &other : e);

		status = status ? status : one;
	}
	end_watcher(b);
	if (status)
		return status;
	if (host && host != ERR_LIMIT)
		return err_set(e, host, "%s", host_error.text);
	if (host || ended)
		return err_set(e, ERR_LIMIT, "stopped with %d runs of %d unfinished on the devices",
			       ended, b->count - b->on_host);
	return 0;
}

static int add_clocks(struct batch *b, struct err *e)
{
	unsigned long long sums[BATCH_PHASES];
	int status = 0;

	for (int i = 0; b->shape->clocks && !status && i < b->parts; i++) {
		struct part *t = &b->part[i];

		status = dev_copy_from(t->stream, sums, t->memory.clocks, sizeof(sums), e);
		status = dev_settle(t->stream, status, e);
		for (int phase = 0; !status && phase < BATCH_PHASES; phase++)
			b->shape->clocks[phase] += sums[phase];
	}
	return status;
}

/* Runs are divided in equal parts. */
static int open_parts(struct batch *b, struct err *e)
{
	const struct boa_setup *s = b->setup;
	int count = b->count - b->on_host, devices = s->devices->count;
	int status = count ? k2_table_create(&b->table, s->options->selected, e) : 0;

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

int boa_batch_runs_shaped(const struct boa_setup *s, const struct batch_shape *shape,
			  struct boa_run *runs, int count, struct boa_times *times, struct err *e)
{
	double begin = clock_wall();
	struct batch b = { .setup = s, .shape = shape, .runs = runs, .count = count };
	int status = batch_plan_check(s->landscape, s->options, e);

	if (!status && (!s->devices || s->devices->count == 0))
		status = err_set(e, ERR_DEVICE, "batched runs need a device");
	b.on_host = (int)(s->host_share * count + 0.5);
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
	k2_table_destroy(&b.table);
	return status;
}

int boa_batch_runs(const struct boa_setup *s, struct boa_run *runs, int count,
		   struct boa_times *times, struct err *e)
{
	return boa_batch_runs_shaped(s, &(struct batch_shape){ 0 }, runs, count, times, e);
}
