#include "algorithms/dp-knapsack/wide_run.h"

#include <stdlib.h>
#include <string.h>

#include "harness/device/device.h"
#include "kernels/dp-knapsack/wide.h"
#include "algorithms/dp-knapsack/minmax.h"

enum { WORD = 32 };
/* In place, a pass is one launch a stretch of its least weight. A launch takes as long as copying
 * CELLS_A_LAUNCH cells; where that is more than carrying the cells below the weight from array to
 * array, the latter is better. Below LEAST_STRETCH stretches cannot end on whole words of bits. */
static const int64_t CELLS_A_LAUNCH = 1500000;
static const int64_t LEAST_STRETCH = 2 * WORD;

/* Two items are alike when the lighter one, which bounds the stretches of both, is not much so; and
 * an item that needs the spare array is not joined with one that does not. */
static bool alike(int64_t light, int64_t heavy)
{
	return heavy <= 2 * light && (light >= LEAST_STRETCH || heavy < LEAST_STRETCH);
}

struct wide_pass wide_pass_plan(const struct kp_plan *plan, const struct wide_problem *q,
				int64_t item, int most)
{
	int64_t end = q->first + q->count, weight = plan->weight[item];
	bool two = most == 2 && item + 1 < end && alike(weight, plan->weight[item + 1]);
	struct wide_pass p = { .item = item, .items = two ? 2 : 1 };
	int64_t before = plan->sum_weight[item] - plan->sum_weight[q->first];
	int64_t after = plan->sum_weight[item + p.items] - plan->sum_weight[q->first];
	int64_t later = plan->sum_weight[end] - plan->sum_weight[item + p.items];
	p.top = min64(q->capacity, before);
	p.hi = min64(q->capacity, after);
	p.full = plan->sum_profit[item] - plan->sum_profit[q->first];
	p.live = max64(0, q->low - later);
	/* also the cells that were above all stored ones, where the weight skips some */
	p.lo = max64(p.live, min64(weight, p.top + 1));
	int64_t stretches = (p.hi + 1 - p.lo) / weight;
	p.alternate = weight < LEAST_STRETCH || stretches > weight / CELLS_A_LAUNCH + 1;
	p.bits_first = (p.alternate ? p.live : p.lo) / WORD * WORD;
	p.bits_row = (p.hi - p.bits_first) / WORD + 1;
	return p;
}

int wide_passes_create(struct wide_passes *p, const struct wide_solve *w,
		       const struct wide_problem *problem, struct err *e)
{
	memset(p, 0, sizeof(*p));
	p->pass = malloc((size_t)max64(problem->count, 1) * sizeof(*p->pass));
	if (!p->pass)
		return err_set(e, ERR_MEMORY, "no memory to plan %lld passes",
			       (long long)problem->count);
	int64_t item = problem->first;
	while (item < problem->first + problem->count) {
		struct wide_pass *next = &p->pass[p->count++];
		*next = wide_pass_plan(&w->plan, problem, item, 2);
		next->bits = p->bits_words;
		p->bits_words += next->items * next->bits_row;
		if (next->alternate)
			p->spare_wanted = max64(p->spare_wanted, next->hi + 1);
		if (w->plan.weight[item] < LEAST_STRETCH)
			p->spare_needed = max64(p->spare_needed, next->hi + 1);
		item += next->items;
	}
	return 0;
}

double wide_bytes_floor(const struct wide_pass *p, size_t cell)
{
	return 2 * (double)(p->hi + 1 - p->lo) * (double)cell;
}

void wide_passes_destroy(struct wide_passes *p)
{
	free(p->pass);
	memset(p, 0, sizeof(*p));
}

static struct kp_wide_pass launch_of(const struct wide_pass *p, const struct wide_solve *w,
				     const struct wide_memory *m)
{
	struct kp_wide_pass l = { .cells_64 = w->cell == sizeof(int64_t),
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

static int run_in_place(const struct wide_pass *p, struct kp_wide_pass *l, void *f,
			const struct kp_wide_kernels *kernels, struct dev_stream *s, struct err *e)
{
	l->in = l->below = l->out = f;
	l->end = p->hi + 1;
	while (l->end > p->lo) {
		/* stretches start on whole words of decision bits, the lowest one apart */
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

/* Moves f from the spare array, too short for the pass, to the full one. */
static int leave_spare(const struct wide_pass *p, int64_t live, const struct wide_solve *w,
		       const struct wide_memory *m, struct dev_stream *s, struct err *e)
{
	size_t offset = (size_t)live * w->cell, bytes = (size_t)(p->top + 1 - live) * w->cell;
	return dev_copy_on(s, (char *)m->cells + offset, (const char *)m->spare + offset, bytes, e);
}

static int run_pass(const struct wide_pass *p, int64_t live_before, const struct wide_solve *w,
		    const struct wide_memory *m, struct dev_stream *s, void **f, struct err *e)
{
	const struct kp_wide_kernels *kernels = kp_wide_kernels_for(dev_stream_device(s));
	struct kp_wide_pass l = launch_of(p, w, m);
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

int wide_passes_run(const struct wide_passes *p, struct wide_solve *w, const struct wide_memory *m,
		    struct kp_pace *pace, void **f, struct err *e)
{
	*f = m->cells;
	int status = dev_fill(pace->stream, m->cells, 0, w->cell, e); /* f_0(0) */
	int64_t live_before = 0;
	for (int64_t i = 0; !status && i < p->count; i++) {
		const struct wide_pass *pass = &p->pass[i];
		double cells = (double)(pass->hi + 1 - pass->lo);
		status = kp_pace_check(w->request, w->deadline, pass->item, w->plan.n, e);
		if (!status)
			status = run_pass(pass, live_before, w, m, pace->stream, f, e);
		if (!status)
			status = kp_pace_queued(pace, pass->hi + 1 - pass->live, e);
		live_before = pass->live;
		w->cells_done += cells * pass->items;
		w->bytes_floor += wide_bytes_floor(pass, w->cell);
	}
	return status;
}

int wide_passes_trace(const struct wide_passes *p, const struct wide_solve *w,
		      const struct wide_memory *m, struct dev_stream *s, int64_t c, uint8_t *taken,
		      struct err *e)
{
	for (int64_t i = p->count - 1; i >= 0; i--) {
		const struct wide_pass *pass = &p->pass[i];
		uint32_t word[2] = { 0, 0 };
		c = min64(c, pass->hi);
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

int wide_value(const struct wide_solve *w, struct dev_stream *s, const void *f, int64_t c,
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
