/* Algorithm 2 of Boyer, El Baz, Elkihel: one CPU thread a GPU for the whole run, one kernel an
 * item, missing values exchanged through the CPU's memory. published_share.h says which cells. */
#include <limits.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/team.h"
#include "kernels/dp-knapsack/published.h"
#include "algorithms/dp-knapsack/knapsack_dp.h"
#include "algorithms/dp-knapsack/pacing.h"
#include "algorithms/dp-knapsack/published_share.h"
#include "algorithms/dp-knapsack/published_team.h"
#include "algorithms/dp-knapsack/value_bound.h"

struct run {
	const struct kp_request *request;
	int gpus;
	size_t cell;     /* bytes of a value of f */
	char *exchange;  /* f(0..C) in pinned memory of the CPU; NULL with one GPU */
	double deadline; /* 0 = none */
	struct kp_team team;
};

struct worker {
	struct run *run;
	int id;
	struct dev *device;
	struct dev_stream *stream;
	struct dev_event *begin, *end;
	struct kp_pace pace;
	void *input, *output;
	struct kp_share plan; /* of the last step done */
	double cells, seconds;
	int exchanges;
	int64_t value; /* f(C), on the device that owns it */
	int status;
	struct err error;
};

static int copy_ranges(struct worker *w, const struct kp_range *range, int count, bool to_cpu)
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

/* GPU_to_CPU_com(), Synchronize(), CPU_to_GPU_com(), Synchronize() */
static int exchange(struct worker *w, const struct kp_share *next)
{
	struct kp_range range[KP_SHARE_RANGES];
	int status = copy_ranges(w, range, kp_share_sent(&w->plan, next, w->id, range), true);
	status = kp_team_sync(&w->run->team, status);
	if (status)
		return status;
	int count = kp_share_received(&w->plan, next, w->id, range);
	w->exchanges += count > 0;
	return kp_team_sync(&w->run->team, copy_ranges(w, range, count, false));
}

static int compute(struct worker *w, const struct kp_share *next, int64_t profit)
{
	struct kp_range computed = kp_share_computed(next, w->id);
	struct kp_published_step step = {
		.input = w->input,
		.output = w->output,
		.cells_64 = w->run->cell == sizeof(int64_t),
		.first = kp_share_owned(next, w->id).from,
		.cmin = computed.from,
		.cmax = computed.to,
		.weight = next->weight,
		.profit = profit,
	};
	int status = kp_published_kernels_for(w->device)->step(w->stream, &step, &w->error);
	if (status)
		return status;
	w->cells += (double)(computed.to - computed.from);
	return kp_pace_queued(&w->pace, step.cmax - step.first, &w->error);
}

/* The first GPU's thread speaks for all. */
static int stop_asked(struct worker *w, int64_t k)
{
	const struct kp_request *r = w->run->request;
	if (w->id != 0)
		return 0;
	return kp_pace_check(r, w->run->deadline, k, r->instance->n, &w->error);
}

static int step(struct worker *w, int64_t k, int64_t weights_after)
{
	const struct knapsack *inst = w->run->request->instance;
	struct kp_team *team = &w->run->team;
	int status = kp_team_sync(team, stop_asked(w, k));
	struct kp_share next;
	if (status ||
	    !kp_share_step(&next, w->run->gpus, inst->capacity, inst->weight[k], weights_after))
		return status;
	if (w->run->gpus > 1)
		status = exchange(w, &next);
	if (status)
		return status;
	status = kp_team_sync(team, compute(w, &next, inst->profit[k]));
	if (status)
		return status;
	void *f = w->input; /* f_input := f_output */
	w->input = w->output;
	w->output = f;
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
	status = kp_team_sync(&w->run->team, status);
	for (int64_t k = 0; !status && k < inst->n; k++) {
		weights_after -= inst->weight[k];
		status = step(w, k, weights_after);
	}
	if (status && status != ERR_LIMIT)
		return status;
	int failed = dev_event_record(w->end, w->stream, &w->error);
	if (!failed)
		failed = dev_event_elapsed(w->begin, w->end, &w->seconds, &w->error);
	if (!failed && w->id == kp_share_last_owner(&w->plan))
		failed = read_value(w);
	return failed ? failed : status;
}

static int worker_open(struct worker *w, struct err *e)
{
	size_t bytes = ((size_t)w->run->request->instance->capacity + 1) * w->run->cell;
	kp_share_start(&w->plan, w->run->gpus, w->run->request->instance->capacity);
	int status = dev_stream_create(w->device, &w->stream, e);
	if (!status)
		status = kp_pace_open(&w->pace, w->stream, e);
	if (!status)
		status = dev_event_create(w->device, &w->begin, e);
	if (!status)
		status = dev_event_create(w->device, &w->end, e);
	if (!status)
		status = dev_alloc(w->device, &w->input, bytes, e);
	if (!status)
		status = dev_alloc(w->device, &w->output, bytes, e);
	/* f_output needs no start value: a cell is read only after a step has written it. */
	if (!status)
		status = dev_fill(w->stream, w->input, 0, bytes, e);
	return status ? status : dev_stream_sync(w->stream, e);
}

static void worker_close(struct worker *w)
{
	if (w->stream)
		(void)dev_stream_sync(w->stream, NULL);
	dev_free(w->device, w->input);
	dev_free(w->device, w->output);
	kp_pace_close(&w->pace);
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
	/* All threads end with the same status; one that caused it has the text. */
	for (int i = 0; i < run->gpus; i++)
		if (w[i].status && w[i].error.code)
			return err_set(e, w[i].error.code, "%s", w[i].error.text);
	return w[0].status;
}

/* Refuses before anything is allocated; sets the width of a cell. */
static int check(struct run *run, struct err *e)
{
	const struct kp_request *r = run->request;
	if (r->want_items)
		return err_set(e, ERR_UNSUPPORTED,
			       "the published algorithm returns the value only, not the items");
	if (!r->devices || run->gpus < 1 || run->gpus > r->devices->count)
		return err_set(e, ERR_DEVICE, "%d GPUs asked for, %d there", run->gpus,
			       r->devices ? r->devices->count : 0);
	int64_t bound;
	int status = kp_value_bound(r->instance, INT32_MAX, &bound, e);
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

static void collect(const struct run *run, const struct worker *w, struct kp_answer *a)
{
	int64_t bytes = (run->request->instance->capacity + 1) * (int64_t)run->cell;
	a->form = KP_FUSED;
	a->value = w[kp_share_last_owner(&w[0].plan)].value;
	a->memory_peak = 2 * bytes * run->gpus;
	for (int i = 0; i < run->gpus; i++) {
		a->cells += w[i].cells;
		if (w[i].seconds > a->seconds_search)
			a->seconds_search = w[i].seconds;
		if (w[i].exchanges > a->exchanges)
			a->exchanges = w[i].exchanges;
	}
	a->cells_done = a->cells;
	a->bytes_floor = 2 * (double)run->cell * a->cells;
}

static int solve(struct run *run, struct kp_answer *a, struct err *e)
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
	void *cpu = NULL;
	size_t bytes = ((size_t)run->request->instance->capacity + 1) * run->cell;
	if (!status && run->gpus > 1)
		status = dev_host_alloc(set->dev[0], &cpu, bytes, e);
	run->exchange = cpu;
	if (!status) {
		status = run_threads(run, w, e);
		if (!status || status == ERR_LIMIT)
			collect(run, w, a);
	}
	while (opened > 0)
		worker_close(&w[--opened]);
	if (cpu)
		dev_host_free(set->dev[0], cpu);
	return status;
}

int kp_solve_published(const struct kp_request *r, struct kp_answer *a, struct err *e)
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
	kp_team_init(&run.team, run.gpus);
	status = solve(&run, a, e);
	a->seconds_total = clock_wall() - begin;
	return status;
}
