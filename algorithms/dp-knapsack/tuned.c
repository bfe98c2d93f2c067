/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* dp_solve_tuned: chooses form and cell width, runs the passes, and finds the items by a traceback.
 *
 * The chosen items. If memory suffices, every pass writes to a separate array instead of
 * alternating between two. Then f after every pass is available, at no cost in time. Otherwise some
 * passes are kept as checkpoints. During the traceback each segment between two checkpoints is run
 * again, keeping every pass. From capacity c at its end only the cells from c down to c - (weight
 * of the segment's later items) can matter, so little is computed twice. A fused segment is run
 * again by weight classes. The traceback itself is one small kernel per segment
 * (kernels/dp-knapsack/tuned_trace.cu). */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/dp-knapsack/reachable.h"
#include "algorithms/dp-knapsack/tuned.h"
#include "harness/base/clock.h"

/* ---- the launch ---- */

/* The launch shape that suits the form's kernels on these devices. */
static int choose_shape(const struct dp_tuned_devices *t, enum dp_form form, bool cells_64,
			struct dp_tuned_shape *shape, struct err *e)
{
	enum { PAIRS_COMPUTE = 9 }; /* the first to do two add-max of 16 bits at once */
	/* both measured on an H200, docs/lab-notes/dp-knapsack.md */
	const int64_t ROUNDS = 2;
	const double PATH = 1.25;
	struct dev_info info;
	int status = dev_get_info(t->dev[0], &info, e);
	int64_t small = cells_64 ? 1 : 2; /* a thread holds half as many 64-bit cells */

	if (status)
		return status;
	*shape = (struct dp_tuned_shape){
		.threads = (int)(DP_TUNED_THREADS / 2 * small),
		.blocks = info.sm_count,
		.devices = t->count,
		.cells_a_device = 1 << 20,
		.fused_items = t->request->single_items ? 1 : DP_TUNED_FUSED_ITEMS,
		.fused_rounds = ROUNDS,
		.path = PATH,
		.cells_64 = cells_64,
		.pairs = form != DP_MERGED && !cells_64 && !t->request->single_cells &&
			 (info.backend == DEV_SIM || info.compute_major >= PAIRS_COMPUTE),
	};
	if (form == DP_MERGED && t->count == 1) {
		/* bound by memory: with two blocks per multiprocessor one reads while the other
		 * computes */
		shape->threads = DP_TUNED_THREADS / 2;
		shape->blocks *= cells_64 ? 1 : 2;
	}
	if (info.backend == DEV_SIM) {
		shape->threads = 64;
		shape->cells_a_device = 256;
		shape->fused_rounds = 1;
		shape->path = 0;
	}
	return 0;
}

/* ---- the chosen items ---- */

enum { MOST_CHECKPOINTS = 128 };

/* The state of the reconstruction: what the forward passes kept, and the position of the traceback.
 */
struct traceback {
	struct dp_tuned_devices *team;
	const struct dp_plan *plan;
	struct dp_schedule *forward;
	struct dp_tuned_step *steps;
	int64_t step_count;
	struct dp_checkpoint point[MOST_CHECKPOINTS];
	int64_t points;
	int64_t size;        /* bytes of a cell */
	int64_t budget;      /* bytes available for cells on one device */
	int64_t position[2]; /* capacity and value at the current position */
	uint8_t *taken;
};

static void live_after(const struct traceback *w, const struct dp_tuned_step *s, int64_t *low,
		       int64_t *high)
{
	dp_plan_live(w->plan, s->first + s->count * s->unit, low, high);
}

static int64_t padded(int64_t cells)
{
	return (cells + 63) / 64 * 64;
}

/* ---- the budget ---- */

static int find_budget(struct traceback *w, struct err *e)
{
	int64_t asked = w->team->request->memory_budget;
	struct dev_info info;
	int status = 0;

	w->budget = INT64_MAX;
	for (int d = 0; !status && d < w->team->count; d++) {
		status = dev_get_info(w->team->dev[d], &info, e);
		if (!status && (int64_t)(info.memory_free / 2) < w->budget)
			w->budget = (int64_t)(info.memory_free / 2);
	}
	if (asked > 0)
		w->budget = asked / w->team->count;
	return status;
}

/* The number of cells that the first device, which takes part in every pass, needs to keep its live
 * cells of all passes. */
static double keep_all_cells(const struct traceback *w)
{
	double cells = 0;

	for (int64_t k = 0; k < w->step_count; k++) {
		int64_t low, high, share;

		live_after(w, &w->steps[k], &low, &high);
		share = (high - low + 1) / w->forward->shape.cells_a_device;
		share = share < 1 ? 1 : share < w->team->count ? share : w->team->count;
		cells += (double)padded((high - low) / share + 1) + 64;
	}
	return cells;
}

/* Converts the steps to dp_step for the plan's checkpoint functions. */
static struct dp_step *plain_steps(const struct traceback *w)
{
	struct dp_step *out = malloc((size_t)(w->step_count + 1) * sizeof(*out));

	for (int64_t k = 0; out && k < w->step_count; k++)
		out[k] = (struct dp_step){ .weight = w->steps[k].weight,
					   .first = w->steps[k].first,
					   .count = w->steps[k].count * w->steps[k].unit };
	return out;
}

static int64_t first_item(const struct traceback *w, int64_t step)
{
	return step < w->step_count ? w->steps[step].first : w->plan->n;
}

/* The number of cells of the windows of items [begin, end) if all passes are kept. In a fused
 * segment a pass may hold a single item. */
static double window_cells(const struct traceback *w, int64_t begin, int64_t end)
{
	const struct dp_plan *p = w->plan;
	double cells = 0;
	int64_t item = begin;

	while (item < end) {
		int64_t next = item + 1, low, high, width;

		while (next < end && p->weight[next] == p->weight[item] && next - item < 16)
			next++;
		dp_plan_live(p, next, &low, &high);
		width = p->sum_weight[end] - p->sum_weight[next] + 1;
		width = width < high - low + 1 ? width : high - low + 1;
		cells += (double)padded(width) + 64;
		item = next;
	}
	return cells;
}

/* The number of cells of the checkpoints, the alternating arrays and the largest window. */
static double checkpointed_cells(const struct traceback *w, double *window)
{
	double cells =
		(double)dp_tuned_arrays(w->team->count) * (double)padded(w->plan->capacity + 1);

	*window = 0;
	for (int64_t i = 0; i <= w->points; i++) {
		int64_t begin = i ? w->point[i - 1].step : 0;
		int64_t end = i < w->points ? w->point[i].step : w->step_count;
		double one = window_cells(w, first_item(w, begin), first_item(w, end));

		*window = one > *window ? one : *window;
		if (i < w->points)
			cells += (double)padded(w->point[i].cells) + 64;
	}
	return cells + *window;
}

/* The number of checkpoints that costs least time. With S segments about n W / (2 S) cells are
 * computed again, and each segment costs as much as this many passes over `cells_a_device` cells:
 * 0.2 ms on an H200, in which the devices wait for the host. */
static int64_t quickest(const struct traceback *w)
{
	enum { SEGMENT_PASSES = 2000 };
	const struct dp_plan *p = w->plan;
	double again = (double)p->n * (double)p->sum_weight[p->n] / 2;
	double one = (double)SEGMENT_PASSES * (double)w->forward->shape.cells_a_device;

	return (int64_t)fmin(fmax(sqrt(again / one) - 1, 1), MOST_CHECKPOINTS);
}

/* Places at most `most` checkpoints. Returns the bytes that they and all else need. */
static double place_checkpoints(struct traceback *w, const struct dp_step *plain, int64_t most)
{
	double window;

	w->points = dp_plan_checkpoints(w->plan, plain, w->step_count, most, w->size, INT64_MAX,
					w->point);
	return checkpointed_cells(w, &window) * (double)w->size;
}

/* Chooses the quickest number of checkpoints. If they do not fit beside the windows between them,
 * tries fewer, and then more, whose windows are smaller. */
static int choose_checkpoints(struct traceback *w, struct err *e)
{
	struct dp_step *plain = plain_steps(w);
	int64_t first = quickest(w), most = first;
	double budget = (double)w->budget, bytes, least;

	if (!plain)
		return err_set(e, ERR_MEMORY, "no memory for the steps");
	least = bytes = place_checkpoints(w, plain, first);
	while (bytes > budget && (most -= 1 + most / 8) > 0) {
		bytes = place_checkpoints(w, plain, most);
		least = fmin(least, bytes);
	}
	for (most = first; bytes > budget && most < MOST_CHECKPOINTS;) {
		most += 1 + most / 8;
		most = most < MOST_CHECKPOINTS ? most : MOST_CHECKPOINTS;
		bytes = place_checkpoints(w, plain, most);
		least = fmin(least, bytes);
	}
	free(plain);
	if (bytes <= budget)
		return 0;
	return err_set(e, ERR_MEMORY,
		       "the chosen items need %.0f bytes on each device, but the budget is %lld",
		       least, (long long)w->budget);
}

/* ---- the traceback ---- */

static int mark(struct traceback *w, const struct dp_tuned_step *steps, int64_t count,
		const int32_t *units, struct err *e)
{
	for (int64_t k = count - 1; k >= 0; k--) {
		struct dp_step run = { .first = steps[k].first };

		if (units[k] < 0)
			return err_set(e, ERR_FAILED,
				       "no number of items of weight %lld explains the value at "
				       "capacity %lld",
				       (long long)steps[k].weight, (long long)w->position[0]);
		dp_plan_mark(w->plan, &run, units[k] * steps[k].unit, w->taken);
	}
	return 0;
}

static int trace(struct traceback *w, const struct dp_schedule *s, int64_t first,
		 const struct dp_tuned_step *steps, struct err *e)
{
	int64_t count = s->pass_count - first;
	int32_t *units = malloc((size_t)(count + 1) * sizeof(*units));
	int status;

	if (!units)
		return err_set(e, ERR_MEMORY, "no memory for the traceback");
	status = dp_tuned_trace_back(w->team, s, first, steps, w->position, units, e);
	if (!status)
		status = mark(w, steps, count, units, e);
	free(units);
	return status;
}

/* ---- everything kept ---- */

static int add_kept(struct dp_schedule *s, const struct dp_tuned_step *step, int64_t low,
		    int64_t high, int64_t at[DP_TUNED_GPUS], struct err *e)
{
	struct dp_tuned_pass *rows;
	int status = dp_schedule_add(s, step, low, high, &rows, e);

	for (int d = 0; !status && d < s->shape.devices; d++) {
		rows[d].store = at[d] - rows[d].low;
		at[d] += padded(rows[d].cells);
	}
	return status;
}

static int64_t largest(const int64_t at[DP_TUNED_GPUS])
{
	int64_t most = 0;

	for (int d = 0; d < DP_TUNED_GPUS; d++)
		most = at[d] > most ? at[d] : most;
	return most;
}

static int forward_kept(struct traceback *w, struct dp_answer *a, struct err *e)
{
	struct dp_schedule *s = w->forward;
	int64_t at[DP_TUNED_GPUS] = { 0 };
	int status = 0;

	for (int64_t k = 0; !status && k < w->step_count; k++) {
		int64_t low, high;

		live_after(w, &w->steps[k], &low, &high);
		status = add_kept(s, &w->steps[k], low, high, at, e);
	}
	s->cells = largest(at);
	return status ? status :
			dp_tuned_run_passes(w->team, s, 0, &a->seconds_search, &a->value, e);
}

/* ---- checkpoints ---- */

static int forward_checkpointed(struct traceback *w, struct dp_answer *a, struct err *e)
{
	struct dp_schedule *s = w->forward;
	int64_t arrays = dp_tuned_arrays(w->team->count);
	int64_t stride = padded(w->plan->capacity + 1), at = arrays * stride;
	int64_t next = 0;
	double window, cells = checkpointed_cells(w, &window);
	int status = 0;

	for (int64_t k = 0; !status && k < w->step_count; k++) {
		struct dp_tuned_pass *rows;
		int64_t low, high, store = k % arrays * stride;

		live_after(w, &w->steps[k], &low, &high);
		if (next < w->points && w->point[next].step == k + 1) {
			next++;
			store = at - low;
			at += padded(high - low + 1);
		}
		status = dp_schedule_add(s, &w->steps[k], low, high, &rows, e);
		for (int d = 0; !status && d < s->shape.devices; d++)
			rows[d].store = store;
	}
	s->cells = (int64_t)cells;
	return status ? status :
			dp_tuned_run_passes(w->team, s, 0, &a->seconds_search, &a->value, e);
}

/* Makes the steps with which a segment is run again. */
static int segment_steps(const struct traceback *w, const struct dp_tuned_shape *shape,
			 int64_t begin, int64_t end, struct dp_tuned_step **out, int64_t *count,
			 struct err *e)
{
	if (w->forward->form == DP_FUSED)
		return dp_tuned_steps(w->plan, DP_CLASS, shape, first_item(w, begin),
				      first_item(w, end), out, count, e);
	*count = end - begin;
	*out = malloc((size_t)(*count + 1) * sizeof(**out));
	if (!*out)
		return err_set(e, ERR_MEMORY, "no memory for a segment");
	memcpy(*out, w->steps + begin, (size_t)*count * sizeof(**out));
	return 0;
}

static int segment_passes(struct traceback *w, struct dp_schedule *s,
			  const struct dp_tuned_step *steps, int64_t count, int64_t last_item,
			  struct err *e)
{
	const int64_t *sum = w->plan->sum_weight;
	int64_t stride = padded(w->plan->capacity + 1), at[DP_TUNED_GPUS];
	int64_t kept = dp_tuned_arrays(w->team->count) * stride;
	int status = 0;

	for (int64_t i = 0; i < w->points; i++)
		kept += padded(w->point[i].cells);
	for (int d = 0; d < DP_TUNED_GPUS; d++)
		at[d] = kept;
	for (int64_t k = 0; !status && k < count; k++) {
		int64_t low, high, reach;

		live_after(w, &steps[k], &low, &high);
		reach = w->position[0] -
			(sum[last_item] - sum[steps[k].first + steps[k].count * steps[k].unit]);
		high = high < w->position[0] ? high : w->position[0];
		low = reach > 0 ? reach : 0;
		status = add_kept(s, &steps[k], low < high ? low : high, high, at, e);
	}
	return status;
}

/* Runs the steps begin .. end - 1 again from the checkpoint before them and traces back through
 * them. */
static int segment_back(struct traceback *w, int64_t begin, int64_t end, struct dp_answer *a,
			struct err *e)
{
	enum dp_form form = w->forward->form == DP_FUSED ? DP_CLASS : w->forward->form;
	struct dp_schedule s = { .plan = w->plan, .form = form };
	struct dp_tuned_shape shape;
	struct dp_tuned_step *steps = NULL;
	int64_t count = 0;
	double seconds = 0;
	int resumed = begin > 0;
	int status = choose_shape(w->team, form, w->forward->shape.cells_64, &shape, e);

	if (status)
		return status;
	s.shape = shape;
	status = segment_steps(w, &shape, begin, end, &steps, &count, e);
	if (!status && resumed)
		status = dp_schedule_resume(&s, w->forward->pass + (begin - 1) * shape.devices, e);
	if (!status)
		status = segment_passes(w, &s, steps, count, first_item(w, end), e);
	if (!status)
		status = dp_tuned_run_passes(w->team, &s, resumed, &seconds, NULL, e);
	if (!status)
		status = trace(w, &s, resumed, steps, e);
	a->cells_done += s.cells_done;
	a->cells_paired += s.cells_paired;
	free(steps);
	dp_schedule_destroy(&s);
	return status;
}

static int back_checkpointed(struct traceback *w, struct dp_answer *a, struct err *e)
{
	int status = 0;

	for (int64_t i = w->points; !status && i >= 0; i--)
		status = segment_back(w, i ? w->point[i - 1].step : 0,
				      i < w->points ? w->point[i].step : w->step_count, a, e);
	return status;
}

/* ---- forward run and traceback ---- */

static int walk(struct traceback *w, struct dp_answer *a, struct err *e)
{
	struct dp_schedule *s = w->forward;
	bool keep = s->form != DP_FUSED && keep_all_cells(w) * (double)w->size <= (double)w->budget;
	double begin;
	int status = keep ? 0 : choose_checkpoints(w, e);

	if (!status)
		status = keep ? forward_kept(w, a, e) : forward_checkpointed(w, a, e);
	begin = clock_wall();
	w->position[0] = w->plan->capacity;
	w->position[1] = a->value;
	if (!status)
		status = keep ? trace(w, s, 0, w->steps, e) : back_checkpointed(w, a, e);
	if (!status && w->position[1] != 0)
		status = err_set(
			e, ERR_FAILED,
			"the reconstruction of the items leaves %lld of the value unexplained",
			(long long)w->position[1]);
	a->seconds_items = clock_wall() - begin;
	return status;
}

/* Runs the empty schedule's form over the whole plan and sets value (without base_value), taken,
 * seconds_search and seconds_items, within the request's memory budget. ERR_MEMORY names the bytes
 * that would suffice. */
static int items_back(struct dp_tuned_devices *t, const struct dp_plan *p, struct dp_schedule *s,
		      struct dp_answer *a, struct err *e)
{
	struct traceback w = {
		.team = t, .plan = p, .forward = s, .size = s->shape.cells_64 ? 8 : 4
	};
	int status = 0;

	a->taken = calloc((size_t)p->instance->n, 1);
	if (!a->taken)
		return err_set(e, ERR_MEMORY, "no memory for %lld items",
			       (long long)p->instance->n);
	w.taken = a->taken;
	dp_plan_mark_always(p, a->taken);
	if (!p->n)
		return 0;
	status = find_budget(&w, e);
	if (!status)
		status = dp_tuned_steps(p, s->form, &s->shape, 0, p->n, &w.steps, &w.step_count, e);
	if (!status)
		status = walk(&w, a, e);
	free(w.steps);
	return status;
}

/* ---- the solver ---- */

/* Chooses the form to run; DP_AUTO if no form's kernels can hold the plan. */
static int choose(const struct dp_tuned_devices *t, const struct dp_plan *p, enum dp_form asked,
		  struct dp_tuned_shape *shape, enum dp_form *form, struct err *e)
{
	enum dp_form wish = asked == DP_AUTO ? dp_plan_form(p) : asked;
	bool needs_64 = p->sum_profit[p->n] >= (int64_t)1 << 30; /* beyond what 32-bit cells hold */
	/* shorter chains waste the registers of their threads */
	bool short_chains = p->capacity / 16 < p->max_weight;
	int status;

	if (asked == DP_AUTO && wish != DP_FUSED && short_chains)
		wish = DP_FUSED;
	status = choose_shape(t, wish, needs_64, shape, e);
	*form = !status && dp_tuned_fits(p, wish, shape) ? wish : DP_AUTO;
	return status;
}

/* ---- the devices that pay ---- */

/* The cell updates of Algorithm 1 from which a second GPU saves more than it takes to open, 0.12 s
 * (two H100s, docs/lab-notes/koester-recovery.md). Table I and Figure 5 on H200s (h200-x4 of
 * results/recorded, revision c80b83cb) end at 1.9e12 updates, 100,000 items, where two GPUs save 91
 * ms by fused, 38 by class and 10 by merged. What they save at up to 100,000 items, extended by a
 * parabola (fused, class) or a line (merged), reaches 0.12 s here (docs/lab-notes/dp-knapsack.md).
 * The experiment dp-knapsack/two-gpus measures these sizes, too. */
static const double least_cells[] = {
	[DP_FUSED] = 2.3e12, [DP_CLASS] = 5.8e12, [DP_MERGED] = 1.14e14
};

bool dp_tuned_pays(const struct dp_request *r, enum dp_form form)
{
	double least = r->paying_cells > 0 ? r->paying_cells : least_cells[form];

	return r->devices->count > 1 && dp_toth_cells(r->instance) >= least;
}

/* Opens the devices and chooses the form. With as_pays, the first device decides whether the others
 * pay. If they cannot be opened, or cannot reach one another, it works alone. */
static int open_team(struct dp_tuned_devices *t, const struct dp_request *r,
		     const struct dp_plan *p, double begin, struct dp_tuned_shape *shape,
		     enum dp_form *form, struct err *e)
{
	bool first = r->as_pays && !r->gpus;
	int status = dp_tuned_open(t, r, first, begin, e);

	if (!status)
		status = choose(t, p, r->form, shape, form, e);
	if (status || !first || *form == DP_AUTO || !dp_tuned_pays(r, *form))
		return status;
	dp_tuned_close(t);
	(void)dev_set_start(r->devices, DP_TUNED_GPUS);
	if (dp_tuned_open(t, r, false, begin, NULL))
		status = dp_tuned_open(t, r, true, begin, e);
	return status ? status : choose(t, p, r->form, shape, form, e);
}

/* The forward run without items: the passes alternate between two or three arrays. */
static int value_only(struct dp_tuned_devices *t, const struct dp_plan *p, struct dp_schedule *s,
		      struct dp_answer *a, struct err *e)
{
	struct dp_tuned_step *steps = NULL;
	int64_t count = 0;
	int64_t stride = (p->capacity + 1 + 63) / 64 * 64;
	int status = dp_tuned_steps(p, s->form, &s->shape, 0, p->n, &steps, &count, e);

	for (int64_t k = 0; !status && k < count; k++) {
		struct dp_tuned_pass *rows;
		int64_t low, high;

		dp_plan_live(p, steps[k].first + steps[k].count * steps[k].unit, &low, &high);
		high = s->constant_cells ? p->capacity : high;
		status = dp_schedule_add(s, &steps[k], low, high, &rows, e);
		for (int d = 0; !status && d < t->count; d++)
			rows[d].store = k % dp_tuned_arrays(t->count) * stride;
	}
	s->cells = dp_tuned_arrays(t->count) * stride;
	if (!status)
		status = dp_tuned_run_passes(t, s, 0, &a->seconds_search, &a->value, e);
	free(steps);
	return status;
}

static int solve_planned(const struct dp_request *r, struct dp_tuned_devices *t,
			 const struct dp_plan *p, const struct dp_tuned_shape *shape,
			 enum dp_form form, struct dp_answer *a, struct err *e)
{
	struct dp_schedule s = { .plan = p,
				 .form = form,
				 .shape = *shape,
				 .constant_cells = r->constant_cells && !r->want_items };
	int status;

	if (r->want_items)
		status = items_back(t, p, &s, a, e);
	else
		status = p->n ? value_only(t, p, &s, a, e) : 0;
	a->value += p->base_value;
	a->form = form;
	a->cells_done += s.cells_done;
	a->cells_paired += s.cells_paired;
	a->bytes_floor = s.bytes;
	a->exchanges = t->count > 1 ? (int)s.pass_count : 0;
	a->memory_peak = t->peak;
	dp_schedule_destroy(&s);
	return status;
}

/* The request with the time that its limit leaves. */
static struct dp_request with_time_left(const struct dp_request *r, double begin)
{
	struct dp_request left = *r;

	if (r->time_limit > 0)
		left.time_limit = fmax(begin + r->time_limit - clock_wall(), 1e-6);
	return left;
}

/* Solves an instance that the kernels of no form hold. */
static int solve_otherwise(const struct dp_request *r, double begin, struct dp_answer *a,
			   struct err *e)
{
	struct dp_request left = with_time_left(r, begin);
	bool solved = false;
	int status = r->form == DP_AUTO ? dp_try_reachable(&left, a, &solved, e) : 0;

	if (status || solved)
		return status;
	left = with_time_left(r, begin);
	return dp_solve_wide(&left, a, e);
}

int dp_solve_tuned(const struct dp_request *r, struct dp_answer *a, struct err *e)
{
	double begin = clock_wall();
	struct dp_tuned_devices team;
	struct dp_tuned_shape shape;
	struct dp_plan plan;
	enum dp_form form = DP_AUTO;
	int status;

	*a = (struct dp_answer){ .value = 0 };
	if (r->form == DP_REACHABLE)
		return dp_solve_reachable(r, a, e);
	status = dp_plan_create(&plan, r->instance, e);
	if (status)
		return status;
	status = open_team(&team, r, &plan, begin, &shape, &form, e);
	a->devices = status ? 0 : team.count;
	if (!status && form != DP_AUTO)
		status = solve_planned(r, &team, &plan, &shape, form, a, e);
	if (team.first_pass > 0)
		a->seconds_prepare = team.first_pass - begin;
	dp_tuned_close(&team);
	dp_plan_destroy(&plan);
	if (!status && form == DP_AUTO)
		return solve_otherwise(r, begin, a, e);
	if (status) {
		dp_answer_free(a);
		return status;
	}
	a->cells = dp_toth_cells(r->instance);
	a->seconds_total = clock_wall() - begin;
	return 0;
}
