#include "algorithms/dp-knapsack/tuned_items.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"

enum { MOST_CHECKPOINTS = 128 };

/* The work's state: where the forward passes are kept and where the way back has come to. */
struct way {
	struct tuned_team *team;
	const struct kp_plan *plan;
	struct tuned_schedule *forward;
	struct tuned_step *steps;
	int64_t step_count;
	struct kp_checkpoint point[MOST_CHECKPOINTS];
	int64_t points;
	int64_t size;        /* bytes of a cell */
	int64_t budget;      /* bytes of cells on one device */
	int64_t position[2]; /* capacity and value where the way back stands */
	uint8_t *taken;
};

static void live_after(const struct way *w, const struct tuned_step *s, int64_t *low, int64_t *high)
{
	kp_plan_live(w->plan, s->first + s->count * s->unit, low, high);
}

static int64_t padded(int64_t cells)
{
	return (cells + 63) / 64 * 64;
}

/* ---- the budget ---- */

static int find_budget(struct way *w, struct err *e)
{
	int64_t asked = w->team->request->memory_budget;
	struct dev_info info;
	int rc = 0;

	w->budget = INT64_MAX;
	for (int d = 0; !rc && d < w->team->count; d++) {
		rc = dev_get_info(w->team->dev[d], &info, e);
		if (!rc && (int64_t)(info.memory_free / 2) < w->budget)
			w->budget = (int64_t)(info.memory_free / 2);
	}
	if (asked > 0)
		w->budget = asked / w->team->count;
	return rc;
}

/* Cells that the first device, which has a part of every pass, needs to keep its live cells of all.
 */
static double keep_all_cells(const struct way *w)
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

/* The plan's checkpoint functions speak of kp_step. */
static struct kp_step *plain_steps(const struct way *w)
{
	struct kp_step *out = malloc((size_t)(w->step_count + 1) * sizeof(*out));

	for (int64_t k = 0; out && k < w->step_count; k++)
		out[k] = (struct kp_step){ .weight = w->steps[k].weight,
					   .first = w->steps[k].first,
					   .count = w->steps[k].count * w->steps[k].unit };
	return out;
}

static int64_t first_item(const struct way *w, int64_t step)
{
	return step < w->step_count ? w->steps[step].first : w->plan->n;
}

/* Cells of the windows of items [begin, end), all passes kept; a pass of a fused segment may hold a
 * single item. */
static double window_cells(const struct way *w, int64_t begin, int64_t end)
{
	const struct kp_plan *p = w->plan;
	double cells = 0;
	int64_t item = begin;

	while (item < end) {
		int64_t next = item + 1, low, high, width;

		while (next < end && p->weight[next] == p->weight[item] && next - item < 16)
			next++;
		kp_plan_live(p, next, &low, &high);
		width = p->sum_weight[end] - p->sum_weight[next] + 1;
		width = width < high - low + 1 ? width : high - low + 1;
		cells += (double)padded(width) + 64;
		item = next;
	}
	return cells;
}

/* Bytes of checkpoints, alternating arrays and the largest window. */
static double checkpointed_cells(const struct way *w, double *window)
{
	double cells = (double)tuned_arrays(w->team->count) * (double)padded(w->plan->capacity + 1);

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

/* As many checkpoints as fit beside the windows they leave. */
static int choose_checkpoints(struct way *w, struct err *e)
{
	struct kp_step *plain = plain_steps(w);
	double least = -1, window;

	if (!plain)
		return err_set(e, ERR_MEMORY, "no memory for the steps");
	for (int64_t most = MOST_CHECKPOINTS; most > 0; most -= 1 + most / 8) {
		double bytes;

		w->points = kp_plan_checkpoints(w->plan, plain, w->step_count, most, w->size,
						INT64_MAX, w->point);
		bytes = checkpointed_cells(w, &window) * (double)w->size;
		least = least < 0 || bytes < least ? bytes : least;
		if (bytes <= (double)w->budget) {
			free(plain);
			return 0;
		}
	}
	free(plain);
	return err_set(e, ERR_MEMORY,
		       "the chosen items need %.0f bytes on each device, the budget is %lld", least,
		       (long long)w->budget);
}

/* ---- the way back ---- */

static int mark(struct way *w, const struct tuned_step *steps, int64_t count, const int32_t *units,
		struct err *e)
{
	for (int64_t k = count - 1; k >= 0; k--) {
		struct kp_step run = { .first = steps[k].first };

		if (units[k] < 0)
			return err_set(e, ERR_FAILED,
				       "no number of items of weight %lld explains the value at "
				       "capacity %lld",
				       (long long)steps[k].weight, (long long)w->position[0]);
		kp_plan_mark(w->plan, &run, units[k] * steps[k].unit, w->taken);
	}
	return 0;
}

static int trace(struct way *w, const struct tuned_schedule *s, int64_t first,
		 const struct tuned_step *steps, struct err *e)
{
	int64_t count = s->pass_count - first;
	int32_t *units = malloc((size_t)(count + 1) * sizeof(*units));
	int rc;

	if (!units)
		return err_set(e, ERR_MEMORY, "no memory for the way back");
	rc = tuned_team_trace(w->team, s, first, steps, w->position, units, e);
	if (!rc)
		rc = mark(w, steps, count, units, e);
	free(units);
	return rc;
}

/* ---- everything kept ---- */

static int add_kept(struct tuned_schedule *s, const struct tuned_step *step, int64_t low,
		    int64_t high, int64_t at[KP_TUNED_GPUS], struct err *e)
{
	struct kp_pass *rows;
	int rc = tuned_schedule_add(s, step, low, high, &rows, e);

	for (int d = 0; !rc && d < s->shape.devices; d++) {
		rows[d].store = at[d] - rows[d].low;
		at[d] += padded(rows[d].cells);
	}
	return rc;
}

static int64_t largest(const int64_t at[KP_TUNED_GPUS])
{
	int64_t most = 0;

	for (int d = 0; d < KP_TUNED_GPUS; d++)
		most = at[d] > most ? at[d] : most;
	return most;
}

static int forward_kept(struct way *w, struct kp_answer *a, struct err *e)
{
	struct tuned_schedule *s = w->forward;
	int64_t at[KP_TUNED_GPUS] = { 0 };
	int rc = 0;

	for (int64_t k = 0; !rc && k < w->step_count; k++) {
		int64_t low, high;

		live_after(w, &w->steps[k], &low, &high);
		rc = add_kept(s, &w->steps[k], low, high, at, e);
	}
	if (!rc)
		rc = tuned_team_cells(w->team, largest(at) * w->size, e);
	return rc ? rc : tuned_team_run(w->team, s, 0, &a->seconds_search, e);
}

/* ---- checkpoints ---- */

static int forward_checkpointed(struct way *w, struct kp_answer *a, struct err *e)
{
	struct tuned_schedule *s = w->forward;
	int64_t arrays = tuned_arrays(w->team->count);
	int64_t stride = padded(w->plan->capacity + 1), at = arrays * stride;
	int64_t next = 0;
	double window, cells = checkpointed_cells(w, &window);
	int rc = 0;

	for (int64_t k = 0; !rc && k < w->step_count; k++) {
		struct kp_pass *rows;
		int64_t low, high, store = k % arrays * stride;

		live_after(w, &w->steps[k], &low, &high);
		if (next < w->points && w->point[next].step == k + 1) {
			next++;
			store = at - low;
			at += padded(high - low + 1);
		}
		rc = tuned_schedule_add(s, &w->steps[k], low, high, &rows, e);
		for (int d = 0; !rc && d < s->shape.devices; d++)
			rows[d].store = store;
	}
	if (!rc)
		rc = tuned_team_cells(w->team, (int64_t)cells * w->size, e);
	return rc ? rc : tuned_team_run(w->team, s, 0, &a->seconds_search, e);
}

/* The steps by which a segment is run again. */
static int segment_steps(const struct way *w, const struct tuned_shape *shape, int64_t begin,
			 int64_t end, struct tuned_step **out, int64_t *count, struct err *e)
{
	if (w->forward->form == KP_FUSED)
		return tuned_class_steps(w->plan, shape, first_item(w, begin), first_item(w, end),
					 out, count, e);
	*count = end - begin;
	*out = malloc((size_t)(*count + 1) * sizeof(**out));
	if (!*out)
		return err_set(e, ERR_MEMORY, "no memory for a segment");
	memcpy(*out, w->steps + begin, (size_t)*count * sizeof(**out));
	return 0;
}

static int segment_passes(struct way *w, struct tuned_schedule *s, const struct tuned_step *steps,
			  int64_t count, int64_t last_item, struct err *e)
{
	const int64_t *sum = w->plan->sum_weight;
	int64_t stride = padded(w->plan->capacity + 1), at[KP_TUNED_GPUS];
	int64_t kept = tuned_arrays(w->team->count) * stride;
	int rc = 0;

	for (int64_t i = 0; i < w->points; i++)
		kept += padded(w->point[i].cells);
	for (int d = 0; d < KP_TUNED_GPUS; d++)
		at[d] = kept;
	for (int64_t k = 0; !rc && k < count; k++) {
		int64_t low, high, reach;

		live_after(w, &steps[k], &low, &high);
		reach = w->position[0] -
			(sum[last_item] - sum[steps[k].first + steps[k].count * steps[k].unit]);
		high = high < w->position[0] ? high : w->position[0];
		low = reach > 0 ? reach : 0;
		rc = add_kept(s, &steps[k], low < high ? low : high, high, at, e);
	}
	return rc;
}

/* Runs steps begin .. end - 1 again from the checkpoint before them and goes back through them. */
static int segment_back(struct way *w, int64_t begin, int64_t end, struct kp_answer *a,
			struct err *e)
{
	enum kp_form form = w->forward->form == KP_FUSED ? KP_CLASS : w->forward->form;
	struct tuned_schedule s;
	struct tuned_shape shape;
	struct tuned_step *steps = NULL;
	int64_t count = 0;
	double seconds = 0;
	int resumed = begin > 0;
	int rc = tuned_team_shape(w->team, form, w->forward->shape.cells_64, &shape, e);

	if (rc)
		return rc;
	tuned_schedule_init(&s, w->plan, form, &shape);
	rc = segment_steps(w, &shape, begin, end, &steps, &count, e);
	if (!rc && resumed)
		rc = tuned_schedule_resume(&s, w->forward->pass + (begin - 1) * shape.devices, e);
	if (!rc)
		rc = segment_passes(w, &s, steps, count, first_item(w, end), e);
	if (!rc)
		rc = tuned_team_run(w->team, &s, resumed, &seconds, e);
	if (!rc)
		rc = trace(w, &s, resumed, steps, e);
	a->cells_done += s.cells_done;
	free(steps);
	tuned_schedule_destroy(&s);
	return rc;
}

static int back_checkpointed(struct way *w, struct kp_answer *a, struct err *e)
{
	int rc = 0;

	for (int64_t i = w->points; !rc && i >= 0; i--)
		rc = segment_back(w, i ? w->point[i - 1].step : 0,
				  i < w->points ? w->point[i].step : w->step_count, a, e);
	return rc;
}

/* ---- */

static int walk(struct way *w, struct kp_answer *a, struct err *e)
{
	struct tuned_schedule *s = w->forward;
	bool keep = s->form != KP_FUSED && keep_all_cells(w) * (double)w->size <= (double)w->budget;
	double begin;
	int rc = keep ? 0 : choose_checkpoints(w, e);

	if (!rc)
		rc = keep ? forward_kept(w, a, e) : forward_checkpointed(w, a, e);
	begin = clock_wall();
	if (!rc)
		rc = tuned_team_value(w->team, s, w->plan->capacity, &a->value, e);
	w->position[0] = w->plan->capacity;
	w->position[1] = a->value;
	if (!rc)
		rc = keep ? trace(w, s, 0, w->steps, e) : back_checkpointed(w, a, e);
	if (!rc && w->position[1] != 0)
		rc = err_set(e, ERR_FAILED, "the way back ends with %lld of the value unexplained",
			     (long long)w->position[1]);
	a->seconds_items = clock_wall() - begin;
	return rc;
}

int tuned_items(struct tuned_team *t, const struct kp_plan *p, struct tuned_schedule *s,
		struct kp_answer *a, struct err *e)
{
	struct way w = { .team = t, .plan = p, .forward = s, .size = s->shape.cells_64 ? 8 : 4 };
	int rc = 0;

	a->taken = calloc((size_t)p->instance->n, 1);
	if (!a->taken)
		return err_set(e, ERR_MEMORY, "no memory for %lld items",
			       (long long)p->instance->n);
	w.taken = a->taken;
	kp_plan_mark_always(p, a->taken);
	if (!p->n)
		return 0;
	rc = find_budget(&w, e);
	if (!rc)
		rc = tuned_steps(p, s->form, &s->shape, &w.steps, &w.step_count, e);
	if (!rc)
		rc = walk(&w, a, e);
	free(w.steps);
	return rc;
}
