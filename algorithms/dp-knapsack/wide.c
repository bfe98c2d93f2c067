/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Knapsacks of large capacity whose weights are of the order of C (the hard instances of Jooken,
 * Leyman, De Causmaecker 2022): C up to 1e8 and beyond, where f itself fills the device's memory.
 *
 * The weights are too large for a tile of shared memory and too different to form classes. So the
 * speed is limited by device memory, and the method minimises accesses to it:
 *   - One array is updated in place. The cells of a stretch no longer than w read only cells below
 *     the stretch. Hence one launch updates a stretch in parallel, and the stretches of an item run
 *     downwards.
 *   - A launch applies two items: f(c), f(c-a), f(c-b) and f(c-a-b) give both at once.
 *   - Items are sorted by ascending weight. Cells above the sum W_k of the first k weights all hold
 *     the sum of the first k profits; they are neither stored nor read. Toth's rule trims from
 *     below.
 *   - Light items, which have many stretches, alternate between the array and a second, short one.
 * Cells are int32 if a bound on f(C) fits, else int64: (C+1) * 4 or 8 bytes on one device.
 *
 * Several devices: each keeps a range of capacities twice (f_{k-1} and f_k) and reads f(c - w) from
 * its neighbours' memory (peer access). Events order the steps; the host moves no data.
 *
 * Items: one decision bit per cell and item if that fits the budget. Otherwise the items are
 * halved, the f of both halves give the best split of the capacity, and each half is solved again
 * (Hirschberg 1975), which takes about twice the work and two arrays. The items are always found on
 * the first device. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/dp-knapsack/pacing.h"
#include "algorithms/dp-knapsack/plan.h"
#include "harness/base/clock.h"
#include "harness/device/device.h"
#include "kernels/dp-knapsack/wide.h"

/* ---- one device ---- */

/* The state of one solve. */
struct solve {
	const struct dp_request *request;
	struct dp_plan plan; /* items by ascending weight */
	size_t cell;         /* bytes of a value of f: 4 or 8 */
	double deadline;
	double cells_done, bytes_floor;
	int64_t memory; /* device bytes allocated */
};

/* A subproblem: f over the plan's items [first, first + count) for the capacities [low, capacity].
 */
struct problem {
	int64_t first, count, capacity, low;
};

/* A pass over one or two items. Afterwards cells [live, hi] hold their values; [lo, hi] may change.
 * Before it, cells up to `top` are stored, and all above have the value `full`. */
struct pass {
	int64_t item;
	int items;
	int64_t live, lo, hi, top, full;
	bool alternate; /* moving from one array to the other is better than updating in place */
	int64_t bits;   /* the first word of its decision bits */
	int64_t bits_first, bits_row;
};

struct passes {
	struct pass *pass;
	int64_t count;
	int64_t bits_words;   /* of the decision bits of all passes */
	int64_t spare_wanted; /* cells of the second array, so that all passes run at their best */
	int64_t spare_needed; /* cells of it without which some pass cannot run */
};

/* The device memory of a run. `cells` holds f(0..capacity); `spare` holds the first spare_cells
 * cells of another array. */
struct memory {
	void *cells, *spare;
	int64_t spare_cells;
	uint32_t *bits; /* NULL: no decisions are kept */
};

/* One device, its stream and the memory allocated on it. */
struct session {
	struct dev *device;
	struct dev_stream *stream;
	struct dev_event *begin, *end;
	struct dp_pace pace;
	struct memory memory; /* freed by session_close */
};

static int session_open(struct session *s, struct dev *d, struct err *e)
{
	memset(s, 0, sizeof(*s));
	s->device = d;
	int status = dev_stream_create(d, &s->stream, e);
	if (!status)
		status = dev_event_create(d, &s->begin, e);
	if (!status)
		status = dev_event_create(d, &s->end, e);
	return status ? status : dp_pace_open(&s->pace, s->stream, e);
}

static void session_close(struct session *s)
{
	if (s->stream)
		(void)dev_stream_sync(s->stream, NULL);
	dev_free(s->device, s->memory.cells);
	dev_free(s->device, s->memory.spare);
	dev_free(s->device, s->memory.bits);
	dp_pace_close(&s->pace);
	if (s->begin)
		dev_event_destroy(s->begin);
	if (s->end)
		dev_event_destroy(s->end);
	if (s->stream)
		dev_stream_destroy(s->stream);
}

static int alloc(struct solve *w, struct dev *d, void **out, int64_t bytes, struct err *e)
{
	int status = dev_alloc(d, out, (size_t)bytes, e);
	if (!status)
		w->memory += bytes;
	return status;
}

/* ---- passes on one device ---- */

enum { WORD = 32 };
/* In place, a pass takes one launch per stretch of its smaller weight. A launch takes as long as
 * copying CELLS_A_LAUNCH cells. If that costs more than carrying the cells below the weight from
 * array to array, the latter is better. Stretches below LEAST_STRETCH cannot end on whole words of
 * bits. */
static const int64_t CELLS_A_LAUNCH = 1500000;
static const int64_t LEAST_STRETCH = 2 * WORD;

/* Whether two items may share a pass. The weight of the lighter one bounds the stretches of both,
 * so it must not be much smaller. An item that needs the spare array is not joined with one that
 * does not. */
static bool alike(int64_t light, int64_t heavy)
{
	return heavy <= 2 * light && (light >= LEAST_STRETCH || heavy < LEAST_STRETCH);
}

static struct pass plan_pass(const struct dp_plan *plan, const struct problem *q, int64_t item,
			     int most)
{
	int64_t end = q->first + q->count, weight = plan->weight[item];
	bool two = most == 2 && item + 1 < end && alike(weight, plan->weight[item + 1]);
	struct pass p = { .item = item, .items = two ? 2 : 1 };
	int64_t before = plan->sum_weight[item] - plan->sum_weight[q->first];
	int64_t after = plan->sum_weight[item + p.items] - plan->sum_weight[q->first];
	int64_t later = plan->sum_weight[end] - plan->sum_weight[item + p.items];
	p.top = dp_min(q->capacity, before);
	p.hi = dp_min(q->capacity, after);
	p.full = plan->sum_profit[item] - plan->sum_profit[q->first];
	p.live = dp_max(0, q->low - later);
	/* include cells above all those stored, if the weight skips some */
	p.lo = dp_max(p.live, dp_min(weight, p.top + 1));
	int64_t stretches = (p.hi + 1 - p.lo) / weight;
	p.alternate = weight < LEAST_STRETCH || stretches > weight / CELLS_A_LAUNCH + 1;
	p.bits_first = (p.alternate ? p.live : p.lo) / WORD * WORD;
	p.bits_row = (p.hi - p.bits_first) / WORD + 1;
	return p;
}

static int passes_create(struct passes *p, const struct solve *w, const struct problem *problem,
			 struct err *e)
{
	memset(p, 0, sizeof(*p));
	p->pass = malloc((size_t)dp_max(problem->count, 1) * sizeof(*p->pass));
	if (!p->pass)
		return err_set(e, ERR_MEMORY, "no memory to plan %lld passes",
			       (long long)problem->count);
	int64_t item = problem->first;
	while (item < problem->first + problem->count) {
		struct pass *next = &p->pass[p->count++];
		*next = plan_pass(&w->plan, problem, item, 2);
		next->bits = p->bits_words;
		p->bits_words += next->items * next->bits_row;
		if (next->alternate)
			p->spare_wanted = dp_max(p->spare_wanted, next->hi + 1);
		if (w->plan.weight[item] < LEAST_STRETCH)
			p->spare_needed = dp_max(p->spare_needed, next->hi + 1);
		item += next->items;
	}
	return 0;
}

static double bytes_floor_of(const struct pass *p, size_t cell)
{
	return 2 * (double)(p->hi + 1 - p->lo) * (double)cell;
}

static void passes_destroy(struct passes *p)
{
	free(p->pass);
	memset(p, 0, sizeof(*p));
}

static struct dp_wide_launch launch_of(const struct pass *p, const struct solve *w,
				       const struct memory *m)
{
	struct dp_wide_launch l = { .cells_64 = w->cell == sizeof(int64_t),
				    .items = p->items,
				    .top = p->top,
				    .full = p->full,
				    .bits_first = p->bits_first,
				    .bits_row = p->bits_row };
	if (m->bits)
		l.bits = m->bits + p->bits;
	for (int i = 0; i < p->items; i++) {
		l.weight[i] = w->plan.weight[p->item + i];
		l.profit[i] = w->plan.profit[p->item + i];
	}
	return l;
}

static int run_in_place(const struct pass *p, struct dp_wide_launch *l, void *f,
			const struct dp_wide_kernels *kernels, struct dev_stream *s, struct err *e)
{
	l->in = l->below = l->out = f;
	l->end = p->hi + 1;
	while (l->end > p->lo) {
		/* stretches start on whole words of decision bits, except the lowest one */
		l->lo = (l->end - l->weight[0] + WORD - 1) / WORD * WORD;
		if (l->lo < p->lo)
			l->lo = p->lo;
		int status = kernels->pass(s, l, e);
		if (status)
			return status;
		l->end = l->lo;
	}
	return 0;
}

/* Moves f from the spare array, which is too short for the pass, to the full one. */
static int leave_spare(const struct pass *p, int64_t live, const struct solve *w,
		       const struct memory *m, struct dev_stream *s, struct err *e)
{
	size_t offset = (size_t)live * w->cell, bytes = (size_t)(p->top + 1 - live) * w->cell;
	return dev_copy_on(s, (char *)m->cells + offset, (const char *)m->spare + offset, bytes, e);
}

static int run_pass(const struct pass *p, int64_t live_before, const struct solve *w,
		    const struct memory *m, struct dev_stream *s, void **f, struct err *e)
{
	const struct dp_wide_kernels *kernels = dp_wide_kernels_for(dev_stream_device(s));
	struct dp_wide_launch l = launch_of(p, w, m);
	if (p->alternate && p->hi < m->spare_cells) {
		l.in = l.below = *f;
		l.out = *f = *f == m->cells ? m->spare : m->cells;
		l.lo = p->live;
		l.end = p->hi + 1;
		return kernels->pass(s, &l, e);
	}
	if (*f == m->spare && p->hi >= m->spare_cells) {
		int status = leave_spare(p, live_before, w, m, s, e);
		if (status)
			return status;
		*f = m->cells;
	}
	return run_in_place(p, &l, *f, kernels, s, e);
}

static int passes_run(const struct passes *p, struct solve *w, const struct memory *m,
		      struct dp_pace *pace, void **f, struct err *e)
{
	*f = m->cells;
	int status = dev_fill(pace->stream, m->cells, 0, w->cell, e); /* f_0(0) */
	int64_t live_before = 0;
	for (int64_t i = 0; !status && i < p->count; i++) {
		const struct pass *pass = &p->pass[i];
		double cells = (double)(pass->hi + 1 - pass->lo);
		status = dp_pace_check(w->request, w->deadline, pass->item, w->plan.n, e);
		if (!status)
			status = run_pass(pass, live_before, w, m, pace->stream, f, e);
		if (!status)
			status = dp_pace_queued(pace, pass->hi + 1 - pass->live, e);
		live_before = pass->live;
		w->cells_done += cells * pass->items;
		w->bytes_floor += bytes_floor_of(pass, w->cell);
	}
	return status;
}

static int passes_trace(const struct passes *p, const struct solve *w, const struct memory *m,
			struct dev_stream *s, int64_t c, uint8_t *taken, struct err *e)
{
	for (int64_t i = p->count - 1; i >= 0; i--) {
		const struct pass *pass = &p->pass[i];
		uint32_t word[2] = { 0, 0 };
		c = dp_min(c, pass->hi);
		if (c < pass->lo)
			continue;
		const uint32_t *at = m->bits + pass->bits + (c - pass->bits_first) / WORD;
		int status = 0;
		for (int j = 0; !status && j < pass->items; j++)
			status = dev_copy_from(s, &word[j], at + j * pass->bits_row, sizeof(*word),
					       e);
		status = dev_drain(s, status, e);
		if (status)
			return status;
		for (int j = 0; j < pass->items; j++)
			if (word[j] >> (c - pass->bits_first) % WORD & 1)
				taken[pass->item + j] = 1;
		for (int j = 0; j < pass->items; j++)
			if (taken[pass->item + j])
				c -= w->plan.weight[pass->item + j];
		if (c < 0)
			return err_set(e, ERR_FAILED, "the decision bits lead below capacity 0");
	}
	return 0;
}

static int read_value(const struct solve *w, struct dev_stream *s, const void *f, int64_t c,
		      int64_t *value, struct err *e)
{
	int32_t narrow = 0;
	bool is_64 = w->cell == sizeof(int64_t);
	int status = dev_copy_from(s, is_64 ? (void *)value : &narrow,
				   (const char *)f + (size_t)c * w->cell, w->cell, e);
	status = dev_drain(s, status, e);
	if (!is_64)
		*value = narrow;
	return status;
}

/* ---- several devices ---- */

/* Each device has a range of capacities in two arrays that swap at every item. Step k of a device
 * reads f_{k-1} from itself and from lower devices and overwrites f_{k-2}, which others may still
 * be reading in their step k-1. So it waits for step k-1 of all devices. */

struct part {
	struct session session;
	struct dev_event *done[2]; /* of even and of odd steps */
	void *f[2];
	int64_t first, end; /* capacities [first, end) */
};

struct parts {
	struct part part[DEV_MAX];
	int count;
};

static int open_part(struct part *p, struct solve *w, struct dev *d, struct err *e)
{
	int64_t bytes = (p->end - p->first) * (int64_t)w->cell;
	struct dev_info info;
	int status = session_open(&p->session, d, e);
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
		status = alloc(w, d, &p->session.memory.cells, bytes, e);
	if (!status)
		status = alloc(w, d, &p->session.memory.spare, bytes, e);
	p->f[0] = p->session.memory.cells;
	p->f[1] = p->session.memory.spare;
	return status;
}

static int open_parts(struct parts *ps, struct solve *w, int gpus, struct err *e)
{
	const struct dev_set *set = w->request->devices;
	int64_t cells = w->plan.capacity + 1, each = (cells + gpus - 1) / gpus;
	int status = 0;
	for (int g = 0; !status && g < gpus && g * each < cells; g++) {
		struct part *p = &ps->part[ps->count++];
		p->first = g * each;
		p->end = dp_min(p->first + each, cells);
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
		session_close(&ps->part[g].session);
	}
}

/* Computes the cells [lo, end) of part g: one launch for each part that holds f(c - w), and one for
 * c < w. */
static int launch_part(const struct parts *ps, int g, struct dp_wide_launch *l, int64_t lo,
		       int64_t end, int from, struct err *e)
{
	const struct part *own = &ps->part[g];
	struct dev_stream *s = own->session.stream;
	const struct dp_wide_kernels *kernels = dp_wide_kernels_for(own->session.device);
	l->in = l->below = own->f[from];
	l->out = own->f[!from];
	l->in_first = l->below_first = own->first;
	l->lo = lo;
	l->end = dp_min(end, l->weight[0]);
	int status = kernels->pass(s, l, e);
	for (int source = 0; !status && source <= g; source++) {
		const struct part *below = &ps->part[source];
		l->below = below->f[from];
		l->below_first = below->first;
		l->lo = dp_max(lo, below->first + l->weight[0]);
		l->end = dp_min(end, below->end + l->weight[0]);
		status = kernels->pass(s, l, e);
	}
	return status;
}

static int step_part(struct parts *ps, int g, const struct solve *w, const struct pass *pass,
		     int64_t step, struct err *e)
{
	struct part *own = &ps->part[g];
	int from = (int)(step % 2), status = 0;
	for (int other = 0; !status && step > 0 && other < ps->count; other++)
		if (other != g)
			status = dev_stream_wait(own->session.stream, ps->part[other].done[!from],
						 e);
	struct dp_wide_launch l = { .cells_64 = w->cell == sizeof(int64_t),
				    .items = 1,
				    .top = pass->top,
				    .full = pass->full,
				    .weight = { w->plan.weight[pass->item] },
				    .profit = { w->plan.profit[pass->item] } };
	int64_t lo = dp_max(pass->live, own->first), end = dp_min(pass->hi + 1, own->end);
	if (!status && lo < end)
		status = launch_part(ps, g, &l, lo, end, from, e);
	if (!status)
		status = dev_event_record(own->done[from], own->session.stream, e);
	if (!status && lo < end)
		status = dp_pace_queued(&own->session.pace, end - lo, e);
	return status;
}

static int recursion(struct parts *ps, struct solve *w, struct err *e)
{
	struct problem all = { 0, w->plan.n, w->plan.capacity, w->plan.capacity };
	int status = dev_fill(ps->part[0].session.stream, ps->part[0].f[0], 0, w->cell, e);
	for (int64_t k = 0; !status && k < w->plan.n; k++) {
		struct pass pass = plan_pass(&w->plan, &all, k, 1);
		status = dp_pace_check(w->request, w->deadline, k, w->plan.n, e);
		for (int g = 0; !status && g < ps->count; g++)
			status = step_part(ps, g, w, &pass, k, e);
		w->cells_done += (double)(pass.hi + 1 - pass.lo);
		w->bytes_floor += bytes_floor_of(&pass, w->cell);
	}
	return status;
}

static int timed(struct parts *ps, struct solve *w, struct dp_answer *a, struct err *e)
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
	return read_value(w, last->session.stream, last->f[w->plan.n % 2],
			  w->plan.capacity - last->first, &a->value, e);
}

static int several_devices(struct solve *w, int gpus, struct dp_answer *a, struct err *e)
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

/* ---- the chosen items ---- */

/* From decision bits if they fit the budget, else by halving the items (D. S. Hirschberg, "A linear
 * space algorithm for computing maximal common subsequences", CACM 18, 1975): f of the first half
 * and f of the second give the best split of the capacity. */

struct items {
	struct solve *solve;
	struct session session;
	void *second; /* like memory.cells; NULL if all bits fit */
	uint32_t *bits;
	int64_t bits_words;   /* room for decision bits */
	int64_t *best;        /* device memory: DP_WIDE_BEST_BLOCKS values, then the same number of
				 capacities */
	uint8_t *taken;       /* of the plan's items */
	double begin, search; /* clock at the start; seconds until f(C) is known */
	int64_t value;        /* f(C); negative until it is known */
};

static void found(struct items *x, int64_t value)
{
	if (x->value >= 0)
		return;
	x->value = value;
	x->search = clock_wall() - x->begin;
}

static int by_bits(struct items *x, const struct passes *p, int64_t capacity, struct err *e)
{
	struct memory m = x->session.memory;
	void *f;
	m.bits = x->bits;
	int status = passes_run(p, x->solve, &m, &x->session.pace, &f, e);
	int64_t value;
	if (!status)
		status = read_value(x->solve, x->session.stream, f, capacity, &value, e);
	if (status)
		return status;
	found(x, value);
	return passes_trace(p, x->solve, &m, x->session.stream, capacity, x->taken, e);
}

/* Computes f of one half; the result is always in `cells`. */
static int half(struct items *x, const struct problem *q, void *cells, struct err *e)
{
	struct memory m = x->session.memory;
	struct passes p;
	void *f = NULL;
	m.cells = cells;
	m.bits = NULL;
	int status = passes_create(&p, x->solve, q, e);
	if (status)
		return status;
	status = passes_run(&p, x->solve, &m, &x->session.pace, &f, e);
	if (!status && f != cells) {
		int64_t top = p.pass[p.count - 1].hi;
		status = dev_copy_on(x->session.stream, cells, f,
				     (size_t)(top + 1) * x->solve->cell, e);
	}
	passes_destroy(&p);
	return status;
}

static int best_split(struct items *x, int64_t capacity, int64_t lo, int64_t hi, int64_t *at,
		      struct err *e)
{
	int64_t host[2 * DP_WIDE_BEST_BLOCKS];
	struct dp_wide_best b = { .cells_64 = x->solve->cell == sizeof(int64_t),
				  .a = x->session.memory.cells,
				  .b = x->second,
				  .capacity = capacity,
				  .lo = lo,
				  .hi = hi,
				  .value = x->best,
				  .at = x->best + DP_WIDE_BEST_BLOCKS };
	struct dev_stream *s = x->session.stream;
	int blocks;
	int status = dp_wide_kernels_for(x->session.device)->best(s, &b, &blocks, e);
	if (!status)
		status = dev_copy_from(s, host, x->best, sizeof(host), e);
	status = dev_drain(s, status, e);
	if (status)
		return status;
	int best = 0;
	for (int i = 1; i < blocks; i++)
		if (host[i] > host[best])
			best = i;
	*at = host[DP_WIDE_BEST_BLOCKS + best];
	found(x, host[best]);
	return 0;
}

/* One or two items, each of which fits, but not both. */
static void by_hand(struct items *x, int64_t first, int64_t count)
{
	const int64_t *profit = x->solve->plan.profit;
	int64_t best = count == 2 && profit[first + 1] > profit[first] ? first + 1 : first;
	x->taken[best] = 1;
	found(x, profit[best]);
}

static int choose(struct items *x, int64_t first, int64_t count, int64_t capacity, struct err *e);

static int by_halves(struct items *x, int64_t first, int64_t count, int64_t capacity, struct err *e)
{
	const int64_t *sum = x->solve->plan.sum_weight;
	int64_t middle = first + count / 2, end = first + count, at;
	int64_t light = sum[middle] - sum[first], heavy = sum[end] - sum[middle];
	/* the other half can use no more capacity than its total weight */
	int64_t lo = dp_max(0, capacity - heavy), hi = dp_min(capacity, light);
	struct problem a = { first, middle - first, capacity, lo };
	struct problem b = { middle, end - middle, capacity, capacity - hi };
	int status = half(x, &a, x->session.memory.cells, e);
	if (!status)
		status = half(x, &b, x->second, e);
	if (!status)
		status = best_split(x, capacity, lo, hi, &at, e);
	if (!status)
		status = choose(x, first, middle - first, at, e);
	if (!status)
		status = choose(x, middle, end - middle, capacity - at, e);
	return status;
}

static int choose(struct items *x, int64_t first, int64_t count, int64_t capacity, struct err *e)
{
	const struct dp_plan *plan = &x->solve->plan;
	while (count > 0 && plan->weight[first + count - 1] > capacity)
		count--;
	if (plan->sum_weight[first + count] - plan->sum_weight[first] <= capacity) {
		memset(x->taken + first, 1, (size_t)count);
		return 0;
	}
	if (count <= 2) {
		by_hand(x, first, count);
		return 0;
	}
	struct problem q = { first, count, capacity, capacity };
	struct passes p;
	int status = passes_create(&p, x->solve, &q, e);
	if (status)
		return status;
	bool fits = p.bits_words <= x->bits_words;
	if (fits)
		status = by_bits(x, &p, capacity, e);
	passes_destroy(&p);
	return fits ? status : by_halves(x, first, count, capacity, e);
}

/* Allocates what the budget allows: all bits, or a second array and as many bits as fit beside it.
 */
static int allocate_items(struct items *x, const struct passes *p, struct err *e)
{
	struct solve *w = x->solve;
	struct memory *m = &x->session.memory;
	struct dev_info info;
	int status = dev_get_info(x->session.device, &info, e);
	if (status)
		return status;
	int64_t array = (w->plan.capacity + 1) * (int64_t)w->cell;
	int64_t spare = dp_max(p->spare_needed, 0) * (int64_t)w->cell;
	int64_t free = (int64_t)info.memory_free, rest = free - array - spare;
	int64_t budget = w->request->memory_budget > 0 ? w->request->memory_budget : rest / 2;
	int64_t bits = p->bits_words * (int64_t)sizeof(uint32_t);
	bool halves = bits > budget;
	int64_t wanted = halves ? array : bits;
	if (wanted > budget || wanted > rest)
		return err_set(e, ERR_MEMORY,
			       "the items for C = %lld need %lld bytes in addition to %lld bytes "
			       "for f, but %s "
			       "has %zu free and the budget is %lld",
			       (long long)w->plan.capacity, (long long)dp_min(bits, array),
			       (long long)(array + spare), info.name, info.memory_free,
			       (long long)dp_max(budget, 0));
	if (halves)
		bits = (dp_min(budget, rest) - array) / 2;
	/* beyond what is needed, the spare array only improves speed */
	int64_t left = free - free / 16 - array - wanted - (halves ? bits : 0);
	spare = dp_max(spare, dp_min(left, p->spare_wanted * (int64_t)w->cell));
	m->spare_cells = spare / (int64_t)w->cell;
	x->bits_words = bits / (int64_t)sizeof(uint32_t);
	struct dev *d = x->session.device;
	status = alloc(w, d, &m->cells, array, e);
	if (!status && spare > 0)
		status = alloc(w, d, &m->spare, spare, e);
	if (!status && halves)
		status = alloc(w, d, &x->second, array, e);
	if (!status && x->bits_words > 0)
		status = alloc(w, d, (void **)&x->bits, bits, e);
	if (!status)
		status = alloc(w, d, (void **)&x->best,
			       2 * DP_WIDE_BEST_BLOCKS * (int64_t)sizeof(int64_t), e);
	return status;
}

static int check_value(const struct items *x, struct err *e)
{
	const struct dp_plan *plan = &x->solve->plan;
	int64_t value = 0;
	for (int64_t i = 0; i < plan->n; i++)
		value += x->taken[i] ? plan->profit[i] : 0;
	if (value == x->value)
		return 0;
	return err_set(e, ERR_FAILED, "the chosen items have value %lld, but f(C) = %lld",
		       (long long)value, (long long)x->value);
}

static int run_items(struct items *x, struct dp_answer *a, struct err *e)
{
	const struct dp_plan *plan = &x->solve->plan;
	struct problem all = { 0, plan->n, plan->capacity, plan->capacity };
	struct passes p;
	int status = passes_create(&p, x->solve, &all, e);
	if (status)
		return status;
	status = allocate_items(x, &p, e);
	passes_destroy(&p);
	x->value = -1;
	x->begin = clock_wall();
	if (!status)
		status = choose(x, 0, plan->n, plan->capacity, e);
	if (status)
		return status;
	a->seconds_search = x->search;
	a->seconds_items = clock_wall() - x->begin - x->search;
	a->value = x->value;
	return check_value(x, e);
}

static int with_items(struct solve *w, struct dp_answer *a, uint8_t *taken, struct err *e)
{
	struct items x = { .solve = w, .taken = taken };
	int status = session_open(&x.session, w->request->devices->dev[0], e);
	if (!status)
		status = run_items(&x, a, e);
	if (x.session.stream)
		(void)dev_stream_sync(x.session.stream, NULL);
	dev_free(x.session.device, x.second);
	dev_free(x.session.device, x.bits);
	dev_free(x.session.device, x.best);
	session_close(&x.session);
	return status;
}

/* ---- the solver ---- */

/* Allocates the full array and as much of the spare one as is wanted and free. */
static int allocate_arrays(struct session *s, struct solve *w, const struct passes *p,
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
	/* leave a sixteenth free: allocators and contexts take more than is requested */
	int64_t rest = free - cells - free / 16;
	int64_t spare = p->spare_wanted < rest ? p->spare_wanted : rest;
	if (spare < p->spare_needed)
		spare = p->spare_needed;
	status = alloc(w, s->device, &s->memory.cells, cells * cell, e);
	if (!status && spare > 0)
		status = alloc(w, s->device, &s->memory.spare, spare * cell, e);
	s->memory.spare_cells = spare;
	return status;
}

static int run_single(struct session *s, struct solve *w, const struct passes *p,
		      struct dp_answer *a, struct err *e)
{
	void *f;
	int status = allocate_arrays(s, w, p, e);
	if (!status)
		status = dev_event_record(s->begin, s->stream, e);
	if (!status)
		status = passes_run(p, w, &s->memory, &s->pace, &f, e);
	if (!status)
		status = dev_event_record(s->end, s->stream, e);
	if (!status)
		status = dev_event_elapsed(s->begin, s->end, &a->seconds_search, e);
	if (!status)
		status = read_value(w, s->stream, f, w->plan.capacity, &a->value, e);
	return status;
}

static int single_device(struct solve *w, struct dp_answer *a, struct err *e)
{
	struct problem all = { 0, w->plan.n, w->plan.capacity, w->plan.capacity };
	struct passes passes;
	struct session s;
	int status = passes_create(&passes, w, &all, e);
	if (status)
		return status;
	status = session_open(&s, w->request->devices->dev[0], e);
	if (!status)
		status = run_single(&s, w, &passes, a, e);
	session_close(&s);
	passes_destroy(&passes);
	return status;
}

/* All items fit, so there is nothing to compute. */
static void take_all(const struct solve *w, struct dp_answer *a, uint8_t *taken)
{
	a->value = w->plan.sum_profit[w->plan.n];
	if (taken)
		memset(taken, 1, (size_t)w->plan.n);
}

static int with_plan(struct solve *w, int gpus, struct dp_answer *a, struct err *e)
{
	const struct dp_request *r = w->request;
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
		status = with_items(w, a, taken, e);
	else if (gpus == 1)
		status = single_device(w, a, e);
	else
		status = several_devices(w, gpus, a, e);
	if (!status && taken) {
		for (int64_t i = 0; i < w->plan.n; i++)
			if (taken[i])
				a->taken[w->plan.item[i]] = 1;
		dp_plan_mark_always(&w->plan, a->taken);
	}
	free(taken);
	a->value += status ? 0 : w->plan.base_value;
	return status;
}

/* How many of the first `gpus` devices start and reach those before them; at least 1. */
static int usable_devices(const struct dev_set *set, int gpus)
{
	int count = dev_set_start(set, gpus);
	for (int g = 1; g < count; g++)
		for (int lower = 0; lower < g; lower++)
			if (dev_enable_peer(set->dev[g], set->dev[lower], NULL))
				return g;
	return count > 1 ? count : 1;
}

int dp_solve_wide(const struct dp_request *r, struct dp_answer *a, struct err *e)
{
	double begin = clock_wall();
	memset(a, 0, sizeof(*a));
	a->form = DP_FUSED;
	int there = r->devices ? r->devices->count : 0, gpus = r->gpus > 0 ? r->gpus : there;
	if (gpus < 1 || gpus > there)
		return err_set(e, ERR_DEVICE, "%d GPUs requested, but %d available", gpus, there);
	struct solve w = { .request = r,
			   .deadline = r->time_limit > 0 ? begin + r->time_limit : 0 };
	int64_t bound;
	int status = dp_value_bound(r->instance, INT32_MAX, &bound, e);
	if (status)
		return status;
	if (r->as_pays && !r->gpus)
		gpus = usable_devices(r->devices, r->want_items ? 1 : gpus);
	a->devices = r->want_items ? 1 : gpus; /* the items are found on the first */
	w.cell = bound > INT32_MAX ? sizeof(int64_t) : sizeof(int32_t);
	status = dp_plan_create(&w.plan, r->instance, e);
	if (status)
		return status;
	status = with_plan(&w, gpus, a, e);
	if (status) {
		free(a->taken);
		a->taken = NULL;
	}
	dp_plan_destroy(&w.plan);
	a->cells = dp_toth_cells(r->instance);
	a->cells_done = w.cells_done;
	a->bytes_floor = w.bytes_floor;
	a->memory_peak = w.memory;
	a->seconds_total = clock_wall() - begin;
	return status;
}
