/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The multi-core baseline: plan, passes, engine, and the items by checkpoints. */
#include "algorithms/dp-knapsack/cpu_engine.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/dp-knapsack/plan.h"
#include "algorithms/dp-knapsack/reachable.h"
#include "harness/base/clock.h"
#include "harness/base/host.h"

/* ---- steps and passes ---- */

enum { CLASS_ITEMS = 4, WINDOW_ITEMS = 4 };

static int64_t single_items(struct dp_step step, struct dp_step *steps)
{
	for (int64_t i = 0; i < step.count; i++)
		steps[i] = (struct dp_step){ step.weight, step.first + i, 1, true };
	return step.count;
}

/* Whether items of this weight are too heavy for chains and windows: the guard would be nearly as
 * large as the field. */
static bool heavy(const struct dp_plan *p, int64_t weight)
{
	return weight > p->capacity / 32;
}

/* Kinds of one weight that are too small for a window of their own form one class. */
static int64_t merged_steps(const struct dp_plan *p, struct dp_step *steps)
{
	int64_t made = 0;

	for (int64_t i = 0; i < p->kind_count; i++) {
		struct dp_step *before = made ? &steps[made - 1] : NULL;
		struct dp_step kind = p->kinds[i];

		if (heavy(p, kind.weight)) {
			made += single_items(kind, &steps[made]);
		} else if (before && before->weight == kind.weight && kind.count < WINDOW_ITEMS &&
			   (!before->uniform || before->count < WINDOW_ITEMS)) {
			before->count += kind.count;
			before->uniform = false;
		} else {
			steps[made++] = kind;
		}
	}
	return made;
}

/* Makes the steps that the form applies. `steps` has room for p->n. Classes that would need too
 * large a guard become single items. Returns the number of steps. */
static int64_t form_steps(const struct dp_plan *p, enum dp_form form, struct dp_step *steps)
{
	int64_t made = 0;

	if (form == DP_MERGED)
		return merged_steps(p, steps);
	for (int64_t i = 0; i < p->class_count; i++) {
		struct dp_step step = p->classes[i];

		if (form == DP_FUSED || heavy(p, step.weight)) {
			made += single_items(step, &steps[made]);
			continue;
		}
		step.uniform = false; /* item by item, even if they are identical */
		steps[made++] = step;
	}
	return made;
}

/* The next part of a step with `left` items left. A class is split into chains of 8, 4 and 2 and
 * single items; a uniform one into windows. */
static int64_t next_part(const struct dp_step *s, int64_t left, enum dp_pass_kind *kind)
{
	static const int chains[] = { DP_CHAIN, 4, 2 };

	if (s->uniform && s->count >= WINDOW_ITEMS) {
		*kind = DP_PASS_WINDOW;
		return left < DP_WINDOW ? left : DP_WINDOW;
	}
	*kind = DP_PASS_CHAIN;
	for (int i = 0; i < 3 && s->count >= CLASS_ITEMS; i++) {
		if (left >= chains[i])
			return chains[i];
	}
	*kind = DP_PASS_ROW;
	return 1;
}

/* The largest number of passes that `count` steps need. */
static int64_t pass_room(const struct dp_step *steps, int64_t count)
{
	int64_t room = 0;

	for (int64_t i = 0; i < count; i++) {
		enum dp_pass_kind kind;

		for (int64_t left = steps[i].count; left > 0; room++)
			left -= next_part(&steps[i], left, &kind);
	}
	return room;
}

/* The number of guard cells that a field needs for the steps. */
static int64_t steps_guard(const struct dp_step *steps, int64_t count)
{
	int64_t guard = 0;

	for (int64_t i = 0; i < count; i++) {
		enum dp_pass_kind kind;
		int64_t n = next_part(&steps[i], steps[i].count, &kind);

		if (kind != DP_PASS_ROW && (n + 1) * steps[i].weight > guard)
			guard = (n + 1) * steps[i].weight;
	}
	return guard + 2 * DP_CELL_SLACK;
}

/* Makes the passes for `count` steps out of a range that ends with item items_end - 1. `passes` has
 * room for pass_room() of them. Returns their number. The passes are for a field of the cells
 * d = 0..last, where d = 0 is the capacity of the path after item items_end - 1. With
 * `from_nothing` it is the field of the whole instance: it starts undefined, both trims apply, and
 * cells become defined as the passes reach them. Otherwise all of 0..last is defined. */
static int64_t add_passes(const struct dp_plan *p, const struct dp_step *steps, int64_t count,
			  int64_t items_end, int64_t last, bool from_nothing,
			  struct dp_pass *passes)
{
	int64_t made = 0;

	for (int64_t i = 0; i < count; i++) {
		int64_t first = steps[i].first, left = steps[i].count;

		while (left > 0) {
			struct dp_pass *a = &passes[made++];
			int64_t n = next_part(&steps[i], left, &a->kind);

			a->weight = steps[i].weight;
			a->first = first;
			a->count = n;
			a->reach = n * a->weight;
			a->save = NULL;
			a->bits = NULL;
			first += n;
			left -= n;
			a->low = from_nothing ? dp_max(0, last - p->sum_weight[first]) : 0;
			a->high = dp_min(last, p->sum_weight[items_end] - p->sum_weight[first]);
			if (a->kind == DP_PASS_ROW)
				a->high = dp_min(a->high, last - a->weight);
		}
	}
	return made;
}

/* The number of cell updates that the passes perform. A window counts once per cell, whatever its
 * number of items. */
static double passes_cells(const struct dp_pass *passes, int64_t count)
{
	double cells = 0;

	for (int64_t i = 0; i < count; i++) {
		const struct dp_pass *a = &passes[i];
		int64_t each = a->kind == DP_PASS_CHAIN ? a->count : 1;

		if (a->kind != DP_PASS_SAVE && a->high >= a->low)
			cells += (double)(a->high - a->low + 1) * (double)each;
	}
	return cells;
}

/* A pass that saves the cells d = low..high to `save` at this point of the list. */
static struct dp_pass save_pass(int64_t low, int64_t high, void *save)
{
	return (struct dp_pass){ .kind = DP_PASS_SAVE, .low = low, .high = high, .save = save };
}

/* ---- the chosen items ----
 *
 * From checkpoints, backwards. Between two checkpoints only the window of capacities that a path
 * can reach is computed again, with its own checkpoints, until a single step is left. The values
 * before and after that step show how many of its items are taken. */

enum { PIECES = 16 /* most inner checkpoints of a window */ };

/* Values f_b(c) at a step boundary: those for c = hi, hi - 1, .. lo in `values`; constant above hi.
 */
struct saved {
	int64_t step, lo, hi;
	void *values;
};

struct trace {
	const struct dp_engine *engine;
	const struct dp_plan *plan;
	const struct dp_step *steps;
	const struct dp_cells *cells;
	int64_t budget; /* bytes for windows and their checkpoints */
	int64_t used, peak;
	uint8_t *taken; /* flags by position in the instance */
	double cells_done;
};

/* The position of the path: boundary `step`, capacity c, value f_step(c). */
struct path {
	int64_t step, c, value;
};

struct lookup {
	const struct trace *trace;
	const struct saved *saved;
};

static int64_t constant_above(const struct trace *t, const struct saved *s)
{
	return t->plan->sum_profit[t->steps[s->step].first];
}

static int64_t saved_value(void *ctx, int64_t c)
{
	const struct lookup *l = ctx;
	const struct saved *s = l->saved;

	if (c > s->hi)
		return constant_above(l->trace, s);
	return c < s->lo ? l->trace->cells->lowest : l->trace->cells->get(s->values, s->hi - c);
}

/* Handles a single step: determines how many of its items the path takes. */
static int one_step(struct trace *t, const struct saved *from, struct path *path, struct err *e)
{
	const struct dp_step *s = &t->steps[from->step];
	struct lookup l = { t, from };
	int64_t j = dp_plan_taken(t->plan, s, path->c, path->value, saved_value, &l);

	if (j < 0)
		return err_set(e, ERR_FAILED,
			       "no path through step %" PRId64 " at capacity %" PRId64, from->step,
			       path->c);
	dp_plan_mark(t->plan, s, j, t->taken);
	path->step = from->step;
	path->c -= j * s->weight;
	path->value = saved_value(&l, path->c);
	return 0;
}

/* The window of capacities c - last .. c, over the steps from `from` to that of the path. */
struct window {
	struct dp_field field;
	struct saved piece[PIECES]; /* checkpoints at inner boundaries */
	int pieces;
	struct dp_pass *pass;
	int64_t pass_count, last, bytes;
	char *store; /* the values of all pieces */
};

static int64_t item_at(const struct trace *t, int64_t step)
{
	return t->steps[step - 1].first + t->steps[step - 1].count;
}

/* Chooses at most `most` inner boundaries evenly spaced by number of items. Returns the bytes of
 * their values. */
static int64_t choose_pieces(const struct trace *t, const struct saved *from,
			     const struct path *path, int most, struct window *w)
{
	int64_t begin = t->steps[from->step].first, end = item_at(t, path->step), bytes = 0;

	w->pieces = 0;
	for (int64_t b = from->step + 1; b < path->step && w->pieces < most; b++) {
		int64_t due = begin + (w->pieces + 1) * (end - begin) / (most + 1);
		int64_t reach = t->plan->sum_weight[end] - t->plan->sum_weight[t->steps[b].first];

		bool last_chance = w->pieces == 0 && b == path->step - 1;

		if (t->steps[b].first < due && !last_chance)
			continue;
		reach = reach < w->last ? reach : w->last;
		w->piece[w->pieces++] =
			(struct saved){ .step = b, .lo = path->c - reach, .hi = path->c };
		bytes += (reach + 1) * (int64_t)t->cells->bytes;
	}
	return bytes;
}

/* Plans as many pieces as the budget allows, at least one. */
static int plan_window(struct trace *t, const struct saved *from, const struct path *path,
		       struct window *w, struct err *e)
{
	int64_t steps = path->step - from->step, need = 0;
	int64_t guard = steps_guard(t->steps + from->step, steps);
	int64_t reach = t->plan->sum_weight[item_at(t, path->step)] -
			t->plan->sum_weight[t->steps[from->step].first];
	int most = steps - 1 < PIECES ? (int)(steps - 1) : PIECES;

	w->last = reach < path->c ? reach : path->c;
	for (; most > 0; most--) {
		int64_t saved = choose_pieces(t, from, path, most, w);

		need = dp_field_bytes(t->cells, w->last, guard) + saved;
		if (t->used + need > t->budget)
			continue;
		w->bytes = need;
		t->used += need;
		t->peak = t->used > t->peak ? t->used : t->peak;
		w->store = malloc((size_t)saved);
		if (!w->store)
			return err_set(e, ERR_MEMORY, "no memory for %" PRId64 " bytes", saved);
		return dp_field_create(&w->field, t->cells, w->last, guard, e);
	}
	return err_set(e, ERR_MEMORY,
		       "returning the items needs %" PRId64
		       " bytes of memory for checkpoints, %" PRId64 " are allowed",
		       t->used + need, t->budget);
}

/* Fills the window with the values of `from`. */
static void fill_window(const struct trace *t, const struct saved *from, int64_t c,
			struct window *w)
{
	const struct dp_cells *cells = t->cells;
	int64_t above = c > from->hi ? c - from->hi : 0; /* cells with the constant value */
	int64_t end = c - from->lo;                      /* the last defined cell */

	above = above < w->last + 1 ? above : w->last + 1;
	end = end < w->last ? end : w->last;
	cells->fill(w->field.g, 0, above, constant_above(t, from));
	if (end >= above && from->values)
		memcpy(dp_field_at(&w->field, above),
		       (const char *)from->values + (size_t)(from->hi - (c - above)) * cells->bytes,
		       (size_t)(end - above + 1) * cells->bytes);
	end = end < above ? above - 1 : end;
	cells->fill(w->field.g, end + 1, w->last + 1, cells->lowest);
}

/* Makes the passes of the steps before the last inner boundary, with a save at each boundary. */
static int window_passes(const struct trace *t, const struct saved *from, const struct path *path,
			 struct window *w, struct err *e)
{
	int64_t last_step = w->piece[w->pieces - 1].step, at = from->step, offset = 0;
	int64_t room = pass_room(t->steps + at, last_step - at) + w->pieces;

	w->pass = malloc((size_t)room * sizeof(*w->pass));
	if (!w->pass)
		return err_set(e, ERR_MEMORY, "no memory for %" PRId64 " passes", room);
	for (int i = 0; i < w->pieces; i++) {
		struct saved *s = &w->piece[i];

		w->pass_count +=
			add_passes(t->plan, t->steps + at, s->step - at, item_at(t, path->step),
				   w->last, false, w->pass + w->pass_count);
		s->values = w->store + offset;
		w->pass[w->pass_count++] = save_pass(0, s->hi - s->lo, s->values);
		offset += (s->hi - s->lo + 1) * (int64_t)t->cells->bytes;
		at = s->step;
	}
	return 0;
}

static void window_free(struct trace *t, struct window *w)
{
	dp_field_destroy(&w->field);
	free(w->store);
	free(w->pass);
	t->used -= w->bytes;
}

static int compute_window(struct trace *t, const struct saved *from, const struct path *path,
			  struct window *w, struct err *e)
{
	int status = plan_window(t, from, path, w, e);

	if (!status) {
		fill_window(t, from, path->c, w);
		status = window_passes(t, from, path, w, e);
	}
	if (!status)
		status = dp_engine_run(t->engine, &w->field, w->pass, w->pass_count, false, e);
	if (!status)
		t->cells_done += passes_cells(w->pass, w->pass_count);
	return status;
}

/* Follows the path from path->step back to the boundary of `from` and marks the items it takes. */
static int trace_back(struct trace *t, const struct saved *from, struct path *path, struct err *e)
{
	struct window w = { .pieces = 0 };
	int status;

	if (path->step == from->step)
		return 0;
	if (path->step == from->step + 1)
		return one_step(t, from, path, e);
	status = compute_window(t, from, path, &w, e);
	for (int i = w.pieces - 1; i >= 0 && !status; i--)
		status = trace_back(t, &w.piece[i], path, e);
	if (!status)
		status = trace_back(t, from, path, e);
	window_free(t, &w);
	return status;
}

/* ---- the solver ---- */

struct solver {
	const struct dp_request *request;
	struct dp_plan plan;
	struct dp_engine engine;
	const struct dp_cells *cells;
	struct dp_step *steps;
	int64_t step_count;
	struct dp_field field;
	struct dp_checkpoint *checkpoint; /* want_items */
	int64_t checkpoint_count, checkpoint_bytes;
	char *store; /* the values of all checkpoints */
	struct saved *saved;
	uint8_t *bits; /* used instead of checkpoints: one decision bit per cell and item */
	struct dp_pass *pass;
	int64_t pass_count;
	int64_t budget;
};

/* Chooses 32-bit cells if neither a value nor a value plus a profit comes near their limit. */
static int choose_cells(struct solver *s, struct err *e)
{
	int64_t bound, largest = 0;
	int status = dp_value_bound(s->request->instance, DP_CELLS_32_BOUND / 2, &bound, e);

	for (int64_t i = 0; i < s->plan.n; i++)
		largest = s->plan.profit[i] > largest ? s->plan.profit[i] : largest;
	if (!status && (bound >= DP_CELLS_64_BOUND || largest >= DP_CELLS_64_BOUND - bound))
		return err_set(e, ERR_INPUT, "the values of %s are too large for 64-bit cells",
			       s->request->instance->name);
	s->cells = largest < DP_CELLS_32_BOUND && bound < DP_CELLS_32_BOUND - largest ?
			   &dp_cells_32 :
			   &dp_cells_64;
	return status;
}

static int make_steps(struct solver *s, struct dp_answer *a, struct err *e)
{
	a->form = s->request->form == DP_AUTO ? dp_plan_form(&s->plan) : s->request->form;
	s->steps = malloc((size_t)(s->plan.n + 1) * sizeof(*s->steps));
	if (!s->steps)
		return err_set(e, ERR_MEMORY, "no memory for %" PRId64 " steps", s->plan.n);
	s->step_count = form_steps(&s->plan, a->form, s->steps);
	return 0;
}

/* The number of checkpoints with the least cost. A copy of the array costs about as much as COPY
 * passes of single items. With m checkpoints the windows cost 1/m of the forward run. The sum is
 * minimal at sqrt(passes / COPY). */
static int64_t best_checkpoints(const struct solver *s)
{
	enum { COPY = 10 };
	double passes = (double)pass_room(s->steps, s->step_count) *
			(s->plan.n > s->step_count ? 3.5 : 1.0);
	int64_t most = (int64_t)sqrt(passes / COPY);

	most = most > 3 ? most : 3;
	return most < s->step_count - 1 ? most : s->step_count - 1;
}

/* If the items of a segment outweigh the capacity, its window is no smaller than the array, and
 * everything would be computed again. Then one bit per cell and item is better, if it fits the
 * budget. */
static int plan_bits(struct solver *s, struct dp_answer *a, struct err *e)
{
	double heavy = (double)s->plan.sum_weight[s->plan.n] /
		       ((double)s->plan.capacity * (double)best_checkpoints(s));
	double bytes = (double)s->plan.n * (double)(s->plan.capacity / 8 + 2);

	if (s->step_count != s->plan.n || heavy < 0.25 || bytes > (double)s->budget)
		return 0;
	s->bits = calloc((size_t)bytes, 1);
	if (!s->bits)
		return err_set(e, ERR_MEMORY, "no memory for the decisions (%.4g bytes)", bytes);
	a->memory_peak = (int64_t)bytes;
	return 0;
}

static uint8_t *item_bits(const struct solver *s, int64_t item)
{
	return s->bits + (size_t)item * (size_t)(s->plan.capacity / 8 + 2);
}

static int plan_checkpoints(struct solver *s, struct err *e)
{
	int64_t most = best_checkpoints(s);
	/* a third remains for the windows */
	int64_t share = s->budget / 3 * 2, offset = 0;

	if (most < 1 || s->bits)
		return 0;
	s->checkpoint = malloc((size_t)most * sizeof(*s->checkpoint));
	s->saved = malloc((size_t)most * sizeof(*s->saved));
	if (!s->checkpoint || !s->saved)
		return err_set(e, ERR_MEMORY, "no memory for %" PRId64 " checkpoints", most);
	s->checkpoint_count = dp_plan_checkpoints(&s->plan, s->steps, s->step_count, most,
						  (int64_t)s->cells->bytes, share, s->checkpoint);
	for (int64_t i = 0; i < s->checkpoint_count; i++)
		s->checkpoint_bytes += s->checkpoint[i].cells * (int64_t)s->cells->bytes;
	s->store = malloc((size_t)s->checkpoint_bytes + 1);
	if (!s->store)
		return err_set(e, ERR_MEMORY, "no memory for checkpoints (%" PRId64 " bytes)",
			       s->checkpoint_bytes);
	for (int64_t i = 0; i < s->checkpoint_count; i++) {
		const struct dp_checkpoint *c = &s->checkpoint[i];

		s->saved[i] =
			(struct saved){ c->step, c->lo, c->lo + c->cells - 1, s->store + offset };
		offset += c->cells * (int64_t)s->cells->bytes;
	}
	return 0;
}

/* Makes the passes of all steps, with a save at each checkpoint. */
static int make_passes(struct solver *s, struct err *e)
{
	int64_t capacity = s->plan.capacity, at = 0;
	int64_t room = pass_room(s->steps, s->step_count) + s->checkpoint_count;

	s->pass = malloc((size_t)(room + 1) * sizeof(*s->pass));
	if (!s->pass)
		return err_set(e, ERR_MEMORY, "no memory for %" PRId64 " passes", room);
	for (int64_t i = 0; i <= s->checkpoint_count; i++) {
		int64_t end = i < s->checkpoint_count ? s->saved[i].step : s->step_count;

		s->pass_count += add_passes(&s->plan, s->steps + at, end - at, s->plan.n, capacity,
					    true, s->pass + s->pass_count);
		if (i < s->checkpoint_count)
			s->pass[s->pass_count++] =
				save_pass(capacity - s->saved[i].hi, capacity - s->saved[i].lo,
					  s->saved[i].values);
		at = end;
	}
	for (int64_t i = 0; s->bits && i < s->pass_count; i++)
		s->pass[i].bits = item_bits(s, s->pass[i].first);
	return 0;
}

static int forward(struct solver *s, struct dp_answer *a, struct err *e)
{
	double start = clock_wall();
	int64_t guard = steps_guard(s->steps, s->step_count);
	int status = make_passes(s, e);

	if (!status)
		status = dp_field_create(&s->field, s->cells, s->plan.capacity, guard, e);
	if (status)
		return status;
	a->memory_peak += dp_field_bytes(s->cells, s->plan.capacity, guard) + s->checkpoint_bytes;
	s->cells->fill(s->field.g, 0, s->pass_count ? 0 : 1, 0); /* without items, f is 0 */
	status = dp_engine_run(&s->engine, &s->field, s->pass, s->pass_count, true, e);
	a->seconds_search = clock_wall() - start;
	a->cells_done = passes_cells(s->pass, s->pass_count);
	if (!status)
		a->value = s->plan.base_value + s->cells->get(s->field.g, 0);
	return status;
}

/* Reads the path from the decision bits. There is one pass per item, in the order of the items. */
static void read_bits(struct solver *s, struct dp_answer *a)
{
	int64_t d = 0; /* capacity used so far */

	for (int64_t i = s->plan.n - 1; i >= 0; i--) {
		const struct dp_pass *p = &s->pass[i];
		int64_t bit = d - p->low / 8 * 8;

		if (d < p->low || d > p->high) {
			/* above the sum of the weights so far, everything is taken */
			if (d < p->low) {
				a->taken[s->plan.item[i]] = 1;
				d += p->weight;
			}
			continue;
		}
		if (p->bits[bit / 8] >> bit % 8 & 1) {
			a->taken[s->plan.item[i]] = 1;
			d += p->weight;
		}
	}
}

static int backward(struct solver *s, struct dp_answer *a, struct err *e)
{
	double start = clock_wall();
	struct trace t = { .engine = &s->engine,
			   .plan = &s->plan,
			   .steps = s->steps,
			   .cells = s->cells,
			   .budget = s->budget - s->checkpoint_bytes,
			   .taken = a->taken };
	struct path path = { s->step_count, s->plan.capacity, a->value - s->plan.base_value };
	struct saved nothing = { .step = 0, .lo = 0, .hi = 0, .values = NULL };
	int status = 0;

	dp_field_destroy(&s->field);
	dp_plan_mark_always(&s->plan, a->taken);
	if (s->bits) {
		read_bits(s, a);
		a->seconds_items = clock_wall() - start;
		return 0;
	}
	for (int64_t i = s->checkpoint_count - 1; i >= 0 && !status; i--)
		status = trace_back(&t, &s->saved[i], &path, e);
	nothing.hi = -1; /* f_0 is 0 everywhere: constant above an empty range */
	if (!status)
		status = trace_back(&t, &nothing, &path, e);
	a->seconds_items = clock_wall() - start;
	a->cells_done += t.cells_done;
	if (s->checkpoint_bytes + t.peak > a->memory_peak)
		a->memory_peak = s->checkpoint_bytes + t.peak;
	return status;
}

static int solve(struct solver *s, struct dp_answer *a, struct err *e)
{
	const struct dp_request *r = s->request;
	int status;

	if ((status = choose_cells(s, e)) || (status = make_steps(s, a, e)))
		return status;
	if (r->want_items) {
		a->taken = calloc((size_t)r->instance->n, 1);
		if (!a->taken)
			return err_set(e, ERR_MEMORY, "no memory for the chosen items");
		s->budget = r->memory_budget ? r->memory_budget : host_memory_available() / 2;
		if ((status = plan_bits(s, a, e)) || (status = plan_checkpoints(s, e)))
			return status;
	}
	status = forward(s, a, e);
	if (!status && r->want_items)
		status = backward(s, a, e);
	return status;
}

/* Takes threads and limits from the request, and the sizes of the caches from the machine. */
static struct dp_engine engine_for(const struct dp_plan *p, const struct dp_request *r)
{
	return (struct dp_engine){
		.plan = p,
		.threads = r->threads > 0 ? r->threads : 1,
		.cache_first = host_cache_bytes(1, 32 << 10),
		.cache_second = host_cache_bytes(2, 1 << 20),
		.stop = r->stop,
		.deadline = r->time_limit > 0 ? clock_wall() + r->time_limit : 0,
	};
}

int dp_solve_cpu(const struct dp_request *r, struct dp_answer *a, struct err *e)
{
	struct solver s = { .request = r, .cells = &dp_cells_64 };
	struct dp_request on_cores = *r;
	double start = clock_wall();
	int status;

	on_cores.devices = NULL;
	if (r->form == DP_REACHABLE)
		return dp_solve_reachable(&on_cores, a, e);
	if (r->form == DP_AUTO) {
		bool solved;

		status = dp_try_reachable(&on_cores, a, &solved, e);
		if (status || solved)
			return status;
	}
	*a = (struct dp_answer){ .cells = dp_toth_cells(r->instance) };
	status = dp_plan_create(&s.plan, r->instance, e);
	if (status)
		return status;
	s.engine = engine_for(&s.plan, r);
	if (r->time_limit > 0) /* of which the form reachable may have used a part */
		s.engine.deadline = start + r->time_limit;
	status = solve(&s, a, e);
	/* with a cache as large as the table, it is read and written once */
	a->bytes_floor = 2.0 * (double)(s.plan.capacity + 1) * (double)s.cells->bytes;
	dp_field_destroy(&s.field);
	free(s.checkpoint);
	free(s.saved);
	free(s.store);
	free(s.bits);
	free(s.pass);
	free(s.steps);
	dp_plan_destroy(&s.plan);
	if (status)
		dp_answer_free(a);
	a->seconds_total = clock_wall() - start;
	return status;
}
