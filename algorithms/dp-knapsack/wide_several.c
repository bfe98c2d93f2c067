/* Several devices, each with a range of capacities in two arrays that change places at every item.
 * Step k of a device reads f_{k-1} of itself and of lower devices, and overwrites f_{k-2}, which
 * others may still have read in their step k-1: it waits for step k-1 of all. */
#include <string.h>

#include "kernels/dp-knapsack/wide.h"
#include "algorithms/dp-knapsack/minmax.h"
#include "algorithms/dp-knapsack/wide_run.h"

struct part {
	struct wide_session session;
	struct dev_event *done[2]; /* of even and odd steps */
	void *f[2];
	int64_t first, end; /* capacities [first, end) */
};

struct parts {
	struct part part[DEV_MAX];
	int count;
};

static int open_part(struct part *p, struct wide_solve *w, struct dev *d, struct err *e)
{
	int64_t bytes = (p->end - p->first) * (int64_t)w->cell;
	struct dev_info info;
	int status = wide_session_open(&p->session, d, e);
	for (int i = 0; !status && i < 2; i++)
		status = dev_event_create(d, &p->done[i], e);
	if (!status)
		status = dev_get_info(d, &info, e);
	if (!status && 2 * bytes > (int64_t)info.memory_free)
		status = err_set(e, ERR_MEMORY,
				 "a GPU's part of C = %lld needs %lld bytes, but %s has %zu free",
				 (long long)w->plan.capacity, (long long)(2 * bytes), info.name,
				 info.memory_free);
	if (!status)
		status = wide_alloc(w, d, &p->session.memory.cells, bytes, e);
	if (!status)
		status = wide_alloc(w, d, &p->session.memory.spare, bytes, e);
	p->f[0] = p->session.memory.cells;
	p->f[1] = p->session.memory.spare;
	return status;
}

static int open_parts(struct parts *ps, struct wide_solve *w, int gpus, struct err *e)
{
	const struct dev_set *set = w->request->devices;
	int64_t cells = w->plan.capacity + 1, each = (cells + gpus - 1) / gpus;
	int status = 0;
	for (int g = 0; !status && g < gpus && g * each < cells; g++) {
		struct part *p = &ps->part[ps->count++];
		p->first = g * each;
		p->end = min64(p->first + each, cells);
		status = open_part(p, w, set->dev[g], e);
		for (int lower = 0; !status && lower < g; lower++)
			status = dev_enable_peer(set->dev[g], set->dev[lower], e);
	}
	return status;
}

static void close_parts(struct parts *ps)
{
	for (int g = 0; g < ps->count; g++)
		if (ps->part[g].session.stream)
			(void)dev_stream_sync(ps->part[g].session.stream, NULL);
	for (int g = ps->count - 1; g >= 0; g--) {
		for (int i = 0; i < 2; i++)
			if (ps->part[g].done[i])
				dev_event_destroy(ps->part[g].done[i]);
		wide_session_close(&ps->part[g].session);
	}
}

/* The cells [lo, end) of part g: one launch for each part that f(c - w) lies on, one for c < w. */
static int launch_part(const struct parts *ps, int g, struct kp_wide_pass *l, int64_t lo,
		       int64_t end, int from, struct err *e)
{
	const struct part *own = &ps->part[g];
	struct dev_stream *s = own->session.stream;
	const struct kp_wide_kernels *kernels = kp_wide_kernels_for(own->session.device);
	l->in = l->below = own->f[from];
	l->out = own->f[!from];
	l->in_first = l->below_first = own->first;
	l->lo = lo;
	l->end = min64(end, l->weight[0]);
	int status = kernels->pass(s, l, e);
	for (int source = 0; !status && source <= g; source++) {
		const struct part *below = &ps->part[source];
		l->below = below->f[from];
		l->below_first = below->first;
		l->lo = max64(lo, below->first + l->weight[0]);
		l->end = min64(end, below->end + l->weight[0]);
		status = kernels->pass(s, l, e);
	}
	return status;
}

static int step_part(struct parts *ps, int g, const struct wide_solve *w,
		     const struct wide_pass *pass, int64_t step, struct err *e)
{
	struct part *own = &ps->part[g];
	int from = (int)(step % 2), status = 0;
	for (int other = 0; !status && step > 0 && other < ps->count; other++)
		if (other != g)
			status = dev_stream_wait(own->session.stream, ps->part[other].done[!from],
						 e);
	struct kp_wide_pass l = { .cells_64 = w->cell == sizeof(int64_t),
				  .items = 1,
				  .top = pass->top,
				  .full = pass->full,
				  .weight = { w->plan.weight[pass->item] },
				  .profit = { w->plan.profit[pass->item] } };
	int64_t lo = max64(pass->live, own->first), end = min64(pass->hi + 1, own->end);
	if (!status && lo < end)
		status = launch_part(ps, g, &l, lo, end, from, e);
	if (!status)
		status = dev_event_record(own->done[from], own->session.stream, e);
	if (!status && lo < end)
		status = kp_pace_queued(&own->session.pace, end - lo, e);
	return status;
}

static int recursion(struct parts *ps, struct wide_solve *w, struct err *e)
{
	struct wide_problem all = { 0, w->plan.n, w->plan.capacity, w->plan.capacity };
	int status = dev_fill(ps->part[0].session.stream, ps->part[0].f[0], 0, w->cell, e);
	for (int64_t k = 0; !status && k < w->plan.n; k++) {
		struct wide_pass pass = wide_pass_plan(&w->plan, &all, k, 1);
		status = kp_pace_check(w->request, w->deadline, k, w->plan.n, e);
		for (int g = 0; !status && g < ps->count; g++)
			status = step_part(ps, g, w, &pass, k, e);
		w->cells_done += (double)(pass.hi + 1 - pass.lo);
		w->bytes_floor += wide_bytes_floor(&pass, w->cell);
	}
	return status;
}

static int timed(struct parts *ps, struct wide_solve *w, struct kp_answer *a, struct err *e)
{
	int status = 0;
	for (int g = 0; !status && g < ps->count; g++)
		status = dev_event_record(ps->part[g].session.begin, ps->part[g].session.stream, e);
	if (!status)
		status = recursion(ps, w, e);
	for (int g = 0; !status && g < ps->count; g++)
		status = dev_event_record(ps->part[g].session.end, ps->part[g].session.stream, e);
	for (int g = 0; !status && g < ps->count; g++) {
		double seconds;
		status = dev_event_elapsed(ps->part[g].session.begin, ps->part[g].session.end,
					   &seconds, e);
		if (!status && seconds > a->seconds_search)
			a->seconds_search = seconds;
	}
	if (status)
		return status;
	const struct part *last = &ps->part[ps->count - 1];
	return wide_value(w, last->session.stream, last->f[w->plan.n % 2],
			  w->plan.capacity - last->first, &a->value, e);
}

int wide_several_devices(struct wide_solve *w, int gpus, struct kp_answer *a, struct err *e)
{
	struct parts ps;
	memset(&ps, 0, sizeof(ps));
	int status = open_parts(&ps, w, gpus, e);
	if (!status)
		status = timed(&ps, w, a, e);
	close_parts(&ps);
	a->exchanges = ps.count > 1 && !status ? (int)w->plan.n : 0;
	return status;
}
