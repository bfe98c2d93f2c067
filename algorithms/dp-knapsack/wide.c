#include "algorithms/dp-knapsack/wide.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "algorithms/dp-knapsack/value_bound.h"
#include "algorithms/dp-knapsack/wide_run.h"

/* The full array, and as much of the spare one as is wanted and free. */
static int allocate(struct wide_session *s, struct wide_solve *w, const struct wide_passes *p,
		    struct err *e)
{
	struct dev_info info;
	int status = dev_get_info(s->device, &info, e);
	if (status)
		return status;
	int64_t cell = (int64_t)w->cell, free = (int64_t)info.memory_free / cell;
	int64_t cells = w->plan.capacity + 1;
	if (cells > free || p->spare_needed > free - cells)
		return err_set(e, ERR_MEMORY,
			       "C = %lld needs %.0f bytes on the GPU (%d-byte values), but %s has "
			       "%zu free",
			       (long long)w->plan.capacity,
			       ((double)cells + (double)p->spare_needed) * (double)cell, (int)cell,
			       info.name, info.memory_free);
	/* a sixteenth stays free: allocators and contexts take more than they are asked for */
	int64_t rest = free - cells - free / 16;
	int64_t spare = p->spare_wanted < rest ? p->spare_wanted : rest;
	if (spare < p->spare_needed)
		spare = p->spare_needed;
	status = wide_alloc(w, s->device, &s->memory.cells, cells * cell, e);
	if (!status && spare > 0)
		status = wide_alloc(w, s->device, &s->memory.spare, spare * cell, e);
	s->memory.spare_cells = spare;
	return status;
}

static int run(struct wide_session *s, struct wide_solve *w, const struct wide_passes *p,
	       struct kp_answer *a, struct err *e)
{
	void *f;
	int status = allocate(s, w, p, e);
	if (!status)
		status = dev_event_record(s->begin, s->stream, e);
	if (!status)
		status = wide_passes_run(p, w, &s->memory, &s->pace, &f, e);
	if (!status)
		status = dev_event_record(s->end, s->stream, e);
	if (!status)
		status = dev_event_elapsed(s->begin, s->end, &a->seconds_search, e);
	if (!status)
		status = wide_value(w, s->stream, f, w->plan.capacity, &a->value, e);
	return status;
}

int wide_single_device(struct wide_solve *w, struct kp_answer *a, struct err *e)
{
	struct wide_problem all = { 0, w->plan.n, w->plan.capacity, w->plan.capacity };
	struct wide_passes passes;
	struct wide_session s;
	int status = wide_passes_create(&passes, w, &all, e);
	if (status)
		return status;
	status = wide_session_open(&s, w->request->devices->dev[0], e);
	if (!status)
		status = run(&s, w, &passes, a, e);
	wide_session_close(&s);
	wide_passes_destroy(&passes);
	return status;
}

/* All items fit: nothing to compute. */
static void take_all(const struct wide_solve *w, struct kp_answer *a, uint8_t *taken)
{
	a->value = w->plan.sum_profit[w->plan.n];
	if (taken)
		memset(taken, 1, (size_t)w->plan.n);
}

static int with_plan(struct wide_solve *w, int gpus, struct kp_answer *a, struct err *e)
{
	const struct kp_request *r = w->request;
	uint8_t *taken = NULL;
	if (r->want_items) {
		taken = calloc((size_t)w->plan.n + 1, 1);
		a->taken = calloc((size_t)r->instance->n, 1);
		if (!taken || !a->taken) {
			free(taken);
			return err_set(e, ERR_MEMORY, "no memory for the items chosen");
		}
	}
	int status = 0;
	if (w->plan.sum_weight[w->plan.n] <= w->plan.capacity)
		take_all(w, a, taken);
	else if (r->want_items)
		status = wide_with_items(w, a, taken, e);
	else if (gpus == 1)
		status = wide_single_device(w, a, e);
	else
		status = wide_several_devices(w, gpus, a, e);
	if (!status && taken) {
		for (int64_t i = 0; i < w->plan.n; i++)
			if (taken[i])
				a->taken[w->plan.item[i]] = 1;
		kp_plan_mark_always(&w->plan, a->taken);
	}
	free(taken);
	a->value += status ? 0 : w->plan.base_value;
	return status;
}

int kp_wide_solve(const struct kp_request *r, struct kp_answer *a, struct err *e)
{
	double begin = clock_wall();
	memset(a, 0, sizeof(*a));
	a->form = KP_FUSED;
	int there = r->devices ? r->devices->count : 0, gpus = r->gpus > 0 ? r->gpus : there;
	if (gpus < 1 || gpus > there)
		return err_set(e, ERR_DEVICE, "%d GPUs asked for, %d there", gpus, there);
	struct wide_solve w = { .request = r,
				.deadline = r->time_limit > 0 ? begin + r->time_limit : 0 };
	int64_t bound;
	int status = kp_value_bound(r->instance, INT32_MAX, &bound, e);
	if (status)
		return status;
	w.cell = bound > INT32_MAX ? sizeof(int64_t) : sizeof(int32_t);
	status = kp_plan_create(&w.plan, r->instance, e);
	if (status)
		return status;
	status = with_plan(&w, gpus, a, e);
	if (status) {
		free(a->taken);
		a->taken = NULL;
	}
	kp_plan_destroy(&w.plan);
	a->cells = kp_toth_cells(r->instance);
	a->cells_done = w.cells_done;
	a->bytes_floor = w.bytes_floor;
	a->memory_peak = w.memory;
	a->seconds_total = clock_wall() - begin;
	return status;
}
