/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Algorithm 2 of Boyer, El Baz, Elkihel: one CPU thread per GPU for the whole run, one kernel per
 * item. Missing values are exchanged through the CPU's memory; share.h says which cells.
 *
 * What the paper leaves open:
 *   - "f_input_d := f_output_d" copies the cells that the step computed. The paper's kernel writes
 *     no others, so if only the pointers changed places, cells below w_k would be one step old.
 *     The request's swap_arrays changes places nevertheless, with a kernel that carries them.
 *   - The kind of CPU memory. Pinned memory is not mentioned, so it is pageable unless the request
 *     says `pinned`.
 *   - How a thread waits in Synchronize(); see struct barrier. Threads are not bound to cores. */

#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/dp-knapsack/plan.h"
#include "algorithms/dp-knapsack/pacing.h"
#include "algorithms/dp-knapsack/share.h"
#include "harness/base/clock.h"
#include "harness/base/team.h"
#include "kernels/dp-knapsack/published.h"

/* ---- Synchronize() ---- */

/* A barrier that also agrees on a status. A waiting thread spins until the others have arrived:
 * steps last microseconds, and a thread that sleeps is late by a different time whenever it wakes.
 * If the process may not use more cores than there are threads, the thread that is waited for may
 * need this core; then a waiting thread yields after a bounded time. */
struct barrier {
	int size;
	bool crowded; /* no core for each thread and one more */
	atomic_int waiting;
	atomic_uint generation;
	atomic_int worst;  /* of those that have arrived */
	atomic_int agreed; /* in the last generation; written only by its last arrival */
};

enum { SPINS_BEFORE_YIELD = 500 };

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static void barrier_init(struct barrier *t, int size)
{
	cpu_set_t cores;

	t->size = size;
	t->crowded = sched_getaffinity(0, sizeof(cores), &cores) || CPU_COUNT(&cores) <= size;
	atomic_init(&t->waiting, 0);
	atomic_init(&t->generation, 0);
	atomic_init(&t->worst, 0);
	atomic_init(&t->agreed, 0);
}

static void report(struct barrier *t, int status)
{
	int seen = atomic_load(&t->worst);
	while (seen == 0 || seen == ERR_LIMIT)
		if (atomic_compare_exchange_weak(&t->worst, &seen, status))
			return;
}

/* Waits for all `size` threads and returns the same value to all of them: 0 if each passed status
 * 0, else a status that one of them passed (an error takes precedence over ERR_LIMIT). What any
 * thread wrote before the barrier is visible to all threads after it. */
static int synchronise(struct barrier *t, int status)
{
	if (t->size == 1)
		return status;
	if (status)
		report(t, status);
	unsigned generation = atomic_load(&t->generation);
	if (atomic_fetch_add(&t->waiting, 1) == t->size - 1) {
		/* No other thread can arrive again before the generation changes, nor read `agreed`
		 * late: its next writer needs all threads to arrive first. */
		atomic_store(&t->agreed, atomic_exchange(&t->worst, 0));
		atomic_store(&t->waiting, 0);
		atomic_fetch_add(&t->generation, 1);
		return atomic_load(&t->agreed);
	}
	for (int spin = 0; atomic_load(&t->generation) == generation; spin += t->crowded)
		if (spin < SPINS_BEFORE_YIELD)
			pause_briefly();
		else
			sched_yield();
	return atomic_load(&t->agreed);
}

/* ---- the algorithm ---- */

struct run {
	const struct dp_request *request;
	int gpus;
	size_t cell;     /* bytes of a value of f */
	char *exchange;  /* f(0..C) in memory of the CPU; NULL with one GPU */
	double deadline; /* 0 = none */
	struct barrier barrier;
};

struct worker {
	struct run *run;
	int id;
	struct dev *device;
	struct dev_stream *stream;
	struct dev_event *begin, *end;
	struct dp_pace pace;
	void *input, *output;
	struct dp_share plan; /* of the last step */
	double cells, seconds;
	int exchanges;
	int64_t value; /* f(C), set on the device that owns it */
	int status;
	struct err error;
};

static int copy_ranges(struct worker *w, const struct dp_range *range, int count, bool to_cpu)
{
	for (int i = 0; i < count; i++) {
		size_t offset = (size_t)range[i].from * w->run->cell;
		size_t bytes = (size_t)(range[i].to - range[i].from) * w->run->cell;
		char *cpu = w->run->exchange + offset, *gpu = (char *)w->input + offset;
		int status = to_cpu ? dev_copy_from(w->stream, cpu, gpu, bytes, &w->error) :
				      dev_copy_to(w->stream, gpu, cpu, bytes, &w->error);
		if (status)
			return status;
	}
	return count ? dev_stream_sync(w->stream, &w->error) : 0;
}

/* GPU_to_CPU_com(), Synchronize(), CPU_to_GPU_com(), Synchronize(). GPU_to_CPU_com() waits for the
 * kernel of the step before, as a copy does that follows it. */
static int exchange(struct worker *w, const struct dp_share *next)
{
	struct dp_range range[DP_SHARE_RANGES];
	int status = copy_ranges(w, range, dp_share_sent(&w->plan, next, w->id, range), true);
	status = synchronise(&w->run->barrier, status);
	if (status)
		return status;
	int count = dp_share_received(&w->plan, next, w->id, range);
	w->exchanges += count > 0;
	return synchronise(&w->run->barrier, copy_ranges(w, range, count, false));
}

/* f_input := f_output. The two arrays differ only in the cells that were computed. With
 * swap_arrays they change places; the kernel has then also carried the cells that it did not
 * compute. */
static int assign(struct worker *w, struct dp_range computed)
{
	size_t at = (size_t)computed.from * w->run->cell;
	void *f = w->input;

	if (!w->run->request->swap_arrays)
		return computed.from >= computed.to ?
			       0 :
			       dev_copy_on(w->stream, (char *)w->input + at, (char *)w->output + at,
					   (size_t)(computed.to - computed.from) * w->run->cell,
					   &w->error);
	w->input = w->output;
	w->output = f;
	return 0;
}

static int compute(struct worker *w, const struct dp_share *next, int64_t profit)
{
	struct dp_range computed = dp_share_computed(next, w->id);
	struct dp_published_step step = {
		.input = w->input,
		.output = w->output,
		.cells_64 = w->run->cell == sizeof(int64_t),
		.first = w->run->request->swap_arrays ? dp_share_owned(next, w->id).from :
							computed.from,
		.cmin = computed.from,
		.cmax = computed.to,
		.weight = next->weight,
		.profit = profit,
	};
	int status = dp_published_kernels_for(w->device)->step(w->stream, &step, &w->error);
	if (status)
		return status;
	w->cells += (double)(computed.to - computed.from);
	status = assign(w, computed);
	return status ? status : dp_pace_queued(&w->pace, step.cmax - step.first, &w->error);
}

/* Only the first GPU's thread checks. */
static int stop_asked(struct worker *w, int64_t k)
{
	const struct dp_request *r = w->run->request;
	if (w->id != 0)
		return 0;
	return dp_pace_check(r, w->run->deadline, k, r->instance->n, &w->error);
}

static int step(struct worker *w, int64_t k, int64_t weights_after)
{
	const struct knapsack *inst = w->run->request->instance;
	struct barrier *barrier = &w->run->barrier;
	int status = synchronise(barrier, stop_asked(w, k));
	struct dp_share next;
	if (status ||
	    !dp_share_step(&next, w->run->gpus, inst->capacity, inst->weight[k], weights_after))
		return status;
	if (w->run->gpus > 1)
		status = exchange(w, &next);
	if (status)
		return status;
	status = synchronise(barrier, compute(w, &next, inst->profit[k]));
	if (status)
		return status;
	w->plan = next;
	return 0;
}

static int read_value(struct worker *w)
{
	const char *at =
		(const char *)w->input + (size_t)w->run->request->instance->capacity * w->run->cell;
	int32_t narrow = 0;
	bool wide = w->run->cell == sizeof(int64_t);
	int status = dev_copy_from(w->stream, wide ? (void *)&w->value : &narrow, at, w->run->cell,
				   &w->error);
	if (!status)
		status = dev_stream_sync(w->stream, &w->error);
	if (!status && !wide)
		w->value = narrow;
	return status;
}

static int recursion(struct worker *w)
{
	const struct knapsack *inst = w->run->request->instance;
	int64_t weights_after = inst->sum_weight;
	int status = dev_event_record(w->begin, w->stream, &w->error);
	status = synchronise(&w->run->barrier, status);
	for (int64_t k = 0; !status && k < inst->n; k++) {
		weights_after -= inst->weight[k];
		status = step(w, k, weights_after);
	}
	if (status && status != ERR_LIMIT)
		return status;
	int failed = dev_event_record(w->end, w->stream, &w->error);
	if (!failed)
		failed = dev_event_elapsed(w->begin, w->end, &w->seconds, &w->error);
	if (!failed && w->id == dp_share_last_owner(&w->plan))
		failed = read_value(w);
	return failed ? failed : status;
}

static int worker_open(struct worker *w, struct err *e)
{
	size_t bytes = ((size_t)w->run->request->instance->capacity + 1) * w->run->cell;
	dp_share_start(&w->plan, w->run->gpus, w->run->request->instance->capacity);
	int status = dev_stream_create(w->device, &w->stream, e);
	if (!status)
		status = dp_pace_open(&w->pace, w->stream, e);
	if (!status)
		status = dev_event_create(w->device, &w->begin, e);
	if (!status)
		status = dev_event_create(w->device, &w->end, e);
	if (!status)
		status = dev_alloc(w->device, &w->input, bytes, e);
	if (!status)
		status = dev_alloc(w->device, &w->output, bytes, e);
	if (!status)
		status = dev_fill(w->stream, w->input, 0, bytes, e);
	if (!status)
		status = dev_fill(w->stream, w->output, 0, bytes, e);
	return status ? status : dev_stream_sync(w->stream, e);
}

static void worker_close(struct worker *w)
{
	if (w->stream)
		(void)dev_stream_sync(w->stream, NULL);
	dev_free(w->device, w->input);
	dev_free(w->device, w->output);
	dp_pace_close(&w->pace);
	if (w->begin)
		dev_event_destroy(w->begin);
	if (w->end)
		dev_event_destroy(w->end);
	if (w->stream)
		dev_stream_destroy(w->stream);
}

static void work(void *argument)
{
	struct worker *w = argument;
	w->status = recursion(w);
}

static int run_threads(struct run *run, struct worker *w, struct err *e)
{
	int status = team_run_all(work, w, sizeof(*w), run->gpus, e);
	if (status)
		return status;
	/* All threads end with the same status; the one that caused it has the message. */
	for (int i = 0; i < run->gpus; i++)
		if (w[i].status && w[i].error.code)
			return err_set(e, w[i].error.code, "%s", w[i].error.text);
	return w[0].status;
}

/* Checks the request before anything is allocated. Sets the width of a cell. */
static int check(struct run *run, struct err *e)
{
	const struct dp_request *r = run->request;
	if (r->want_items)
		return err_set(e, ERR_UNSUPPORTED,
			       "the published algorithm returns the value only, not the items");
	if (!r->devices || run->gpus < 1 || run->gpus > r->devices->count)
		return err_set(e, ERR_DEVICE, "%d GPUs requested, but %d available", run->gpus,
			       r->devices ? r->devices->count : 0);
	int64_t bound;
	int status = dp_value_bound(r->instance, INT32_MAX, &bound, e);
	if (status)
		return status;
	run->cell = bound > INT32_MAX ? sizeof(int64_t) : sizeof(int32_t);
	double need = 2.0 * ((double)r->instance->capacity + 1) * (double)run->cell;
	for (int i = 0; i < run->gpus; i++) {
		struct dev_info info;
		status = dev_get_info(r->devices->dev[i], &info, e);
		if (status)
			return status;
		if (need > (double)info.memory_free)
			return err_set(e, ERR_MEMORY,
				       "the published algorithm keeps f(0..C) twice on each GPU: "
				       "%.0f bytes for C = %lld, but %s has %zu free",
				       need, (long long)r->instance->capacity, info.name,
				       info.memory_free);
	}
	return 0;
}

static void collect(const struct run *run, const struct worker *w, struct dp_answer *a)
{
	int64_t bytes = (run->request->instance->capacity + 1) * (int64_t)run->cell;
	a->form = DP_FUSED;
	a->value = w[dp_share_last_owner(&w[0].plan)].value;
	a->memory_peak = 2 * bytes * run->gpus;
	for (int i = 0; i < run->gpus; i++) {
		a->cells += w[i].cells;
		if (w[i].seconds > a->seconds_search)
			a->seconds_search = w[i].seconds;
		if (w[i].exchanges > a->exchanges)
			a->exchanges = w[i].exchanges;
	}
	a->cells_done = a->cells;
	/* the step reads and writes each cell; so does the copy */
	a->bytes_floor = (run->request->swap_arrays ? 2 : 4) * (double)run->cell * a->cells;
}

/* The memory of the CPU through which the devices exchange cells. Its pages are touched here and
 * not by the first exchange that uses them. */
static int exchange_open(struct run *run, struct err *e)
{
	size_t bytes = ((size_t)run->request->instance->capacity + 1) * run->cell;
	void *cpu = NULL;
	int status = 0;

	if (run->request->pinned)
		status = dev_host_alloc(run->request->devices->dev[0], &cpu, bytes, e);
	else if (!(cpu = malloc(bytes)))
		status = err_set(e, ERR_MEMORY, "no memory for an exchange of %zu bytes", bytes);
	if (!status)
		memset(cpu, 0, bytes);
	run->exchange = cpu;
	return status;
}

static void exchange_close(struct run *run)
{
	if (!run->request->pinned)
		free(run->exchange);
	else if (run->exchange)
		dev_host_free(run->request->devices->dev[0], run->exchange);
}

static int solve(struct run *run, struct dp_answer *a, struct err *e)
{
	struct worker w[DEV_MAX];
	memset(w, 0, sizeof(w));
	const struct dev_set *set = run->request->devices;
	int status = 0, opened = 0;
	while (!status && opened < run->gpus) {
		w[opened].run = run;
		w[opened].id = opened;
		w[opened].device = set->dev[opened];
		status = worker_open(&w[opened++], e);
	}
	if (!status && run->gpus > 1)
		status = exchange_open(run, e);
	if (!status) {
		status = run_threads(run, w, e);
		if (!status || status == ERR_LIMIT)
			collect(run, w, a);
	}
	while (opened > 0)
		worker_close(&w[--opened]);
	exchange_close(run);
	return status;
}

int dp_solve_published(const struct dp_request *r, struct dp_answer *a, struct err *e)
{
	double begin = clock_wall();
	memset(a, 0, sizeof(*a));
	struct run run = { .request = r,
			   .gpus = r->gpus > 0 ? r->gpus :
				   r->devices  ? r->devices->count :
						 0,
			   .deadline = r->time_limit > 0 ? begin + r->time_limit : 0 };
	int status = check(&run, e);
	if (status)
		return status;
	barrier_init(&run.barrier, run.gpus);
	status = solve(&run, a, e);
	a->seconds_total = clock_wall() - begin;
	return status;
}
