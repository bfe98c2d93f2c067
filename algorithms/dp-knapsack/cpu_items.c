#include "algorithms/dp-knapsack/cpu_items.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = 16 };

struct lookup {
	const struct kp_trace *trace;
	const struct kp_saved *saved;
};

static int64_t constant_above(const struct kp_trace *t, const struct kp_saved *s)
{
	return t->plan->sum_profit[t->steps[s->step].first];
}

static int64_t saved_value(void *ctx, int64_t c)
{
	const struct lookup *l = ctx;
	const struct kp_saved *s = l->saved;

	if (c > s->hi)
		return constant_above(l->trace, s);
	return c < s->lo ? l->trace->cells->lowest : l->trace->cells->get(s->values, s->hi - c);
}

/* One step: read off how many of its items the path takes. */
static int one_step(struct kp_trace *t, const struct kp_saved *from, struct kp_path *path,
		    struct err *e)
{
	const struct kp_step *s = &t->steps[from->step];
	struct lookup l = { t, from };
	int64_t j = kp_plan_taken(t->plan, s, path->c, path->value, saved_value, &l);

	if (j < 0)
		return err_set(e, ERR_FAILED,
			       "no path through step %" PRId64 " at capacity %" PRId64, from->step,
			       path->c);
	kp_plan_mark(t->plan, s, j, t->taken);
	path->step = from->step;
	path->c -= j * s->weight;
	path->value = saved_value(&l, path->c);
	return 0;
}

/* A window of capacities c - last .. c over the steps from `from` to the path's. */
struct window {
	struct kp_field field;
	struct kp_saved piece[PIECES]; /* inner boundaries */
	int pieces;
	struct kp_pass *pass;
	int64_t pass_count, last, bytes;
	char *store; /* of all pieces */
};

static int64_t item_at(const struct kp_trace *t, int64_t step)
{
	return t->steps[step - 1].first + t->steps[step - 1].count;
}

/* At most `most` inner boundaries about equally many items apart; the bytes of their values. */
static int64_t choose_pieces(const struct kp_trace *t, const struct kp_saved *from,
			     const struct kp_path *path, int most, struct window *w)
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
			(struct kp_saved){ .step = b, .lo = path->c - reach, .hi = path->c };
		bytes += (reach + 1) * (int64_t)t->cells->bytes;
	}
	return bytes;
}

/* As many pieces as the budget allows, at least one. */
static int plan_window(struct kp_trace *t, const struct kp_saved *from, const struct kp_path *path,
		       struct window *w, struct err *e)
{
	int64_t steps = path->step - from->step, need = 0;
	int64_t guard = kp_steps_guard(t->steps + from->step, steps);
	int64_t reach = t->plan->sum_weight[item_at(t, path->step)] -
			t->plan->sum_weight[t->steps[from->step].first];
	int most = steps - 1 < PIECES ? (int)(steps - 1) : PIECES;

	w->last = reach < path->c ? reach : path->c;
	for (; most > 0; most--) {
		int64_t saved = choose_pieces(t, from, path, most, w);

		need = kp_field_bytes(t->cells, w->last, guard) + saved;
		if (t->used + need > t->budget)
			continue;
		w->bytes = need;
		t->used += need;
		t->peak = t->used > t->peak ? t->used : t->peak;
		w->store = malloc((size_t)saved);
		if (!w->store)
			return err_set(e, ERR_MEMORY, "no memory for %" PRId64 " bytes", saved);
		return kp_field_create(&w->field, t->cells, w->last, guard, e);
	}
	return err_set(e, ERR_MEMORY,
		       "returning the items needs %" PRId64
		       " bytes of memory for checkpoints, %" PRId64 " are allowed",
		       t->used + need, t->budget);
}

/* The values of `from`, as far as the window reaches. */
static void fill_window(const struct kp_trace *t, const struct kp_saved *from, int64_t c,
			struct window *w)
{
	const struct kp_cells *cells = t->cells;
	int64_t above = c > from->hi ? c - from->hi : 0; /* constant ones */
	int64_t end = c - from->lo;                      /* last defined one */

	above = above < w->last + 1 ? above : w->last + 1;
	end = end < w->last ? end : w->last;
	cells->fill(w->field.g, 0, above, constant_above(t, from));
	if (end >= above && from->values)
		memcpy(kp_field_at(&w->field, above),
		       (const char *)from->values + (size_t)(from->hi - (c - above)) * cells->bytes,
		       (size_t)(end - above + 1) * cells->bytes);
	end = end < above ? above - 1 : end;
	cells->fill(w->field.g, end + 1, w->last + 1, cells->lowest);
}

/* The steps before the last inner boundary, with a save at each boundary. */
static int window_passes(const struct kp_trace *t, const struct kp_saved *from,
			 const struct kp_path *path, struct window *w, struct err *e)
{
	int64_t last_step = w->piece[w->pieces - 1].step, at = from->step, offset = 0;
	int64_t room = kp_pass_room(t->steps + at, last_step - at) + w->pieces;

	w->pass = malloc((size_t)room * sizeof(*w->pass));
	if (!w->pass)
		return err_set(e, ERR_MEMORY, "no memory for %" PRId64 " passes", room);
	for (int i = 0; i < w->pieces; i++) {
		struct kp_saved *s = &w->piece[i];

		w->pass_count +=
			kp_passes(t->plan, t->steps + at, s->step - at, item_at(t, path->step),
				  w->last, false, w->pass + w->pass_count);
		s->values = w->store + offset;
		w->pass[w->pass_count++] = kp_pass_save(0, s->hi - s->lo, s->values);
		offset += (s->hi - s->lo + 1) * (int64_t)t->cells->bytes;
		at = s->step;
	}
	return 0;
}

static void window_free(struct kp_trace *t, struct window *w)
{
	kp_field_destroy(&w->field);
	free(w->store);
	free(w->pass);
	t->used -= w->bytes;
}

static int compute_window(struct kp_trace *t, const struct kp_saved *from,
			  const struct kp_path *path, struct window *w, struct err *e)
{
	int status = plan_window(t, from, path, w, e);

	if (!status) {
		fill_window(t, from, path->c, w);
		status = window_passes(t, from, path, w, e);
	}
	if (!status)
		status = kp_engine_run(t->engine, &w->field, w->pass, w->pass_count, false, e);
	if (!status)
		t->cells_done += kp_passes_cells(w->pass, w->pass_count);
	return status;
}

int kp_trace_back(struct kp_trace *t, const struct kp_saved *from, struct kp_path *path,
		  struct err *e)
{
	struct window w = { .pieces = 0 };
	int status;

	if (path->step == from->step)
		return 0;
	if (path->step == from->step + 1)
		return one_step(t, from, path, e);
	status = compute_window(t, from, path, &w, e);
	for (int i = w.pieces - 1; i >= 0 && !status; i--)
		status = kp_trace_back(t, &w.piece[i], path, e);
	if (!status)
		status = kp_trace_back(t, from, path, e);
	window_free(t, &w);
	return status;
}
