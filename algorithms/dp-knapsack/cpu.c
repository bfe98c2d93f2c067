/* The multi-core baseline: plan, passes, engine, and the items by checkpoints. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "algorithms/dp-knapsack/cpu_engine.h"
#include "algorithms/dp-knapsack/cpu_items.h"
#include "harness/base/host_memory.h"
#include "algorithms/dp-knapsack/value_bound.h"

struct solver {
	const struct kp_request *request;
	struct kp_plan plan;
	struct kp_engine engine;
	const struct kp_cells *cells;
	struct kp_step *steps;
	int64_t step_count;
	struct kp_field field;
	struct kp_checkpoint *checkpoint; /* want_items */
	int64_t checkpoint_count, checkpoint_bytes;
	char *store; /* of all checkpoints */
	struct kp_saved *saved;
	uint8_t *bits; /* instead of checkpoints: decisions of all single items */
	struct kp_pass *pass;
	int64_t pass_count;
	int64_t budget;
};

/* 32-bit cells where no value, and no profit added to one, comes near their end. */
static int choose_cells(struct solver *s, struct err *e)
{
	int64_t bound, largest = 0;
	int status = kp_value_bound(s->request->instance, KP_CELLS_32_BOUND / 2, &bound, e);

	for (int64_t i = 0; i < s->plan.n; i++)
		largest = s->plan.profit[i] > largest ? s->plan.profit[i] : largest;
	if (!status && (bound >= KP_CELLS_64_BOUND || largest >= KP_CELLS_64_BOUND - bound))
		return err_set(e, ERR_INPUT, "the values of %s come too near to 64 bits",
			       s->request->instance->name);
	s->cells = largest < KP_CELLS_32_BOUND && bound < KP_CELLS_32_BOUND - largest ?
			   &kp_cells_32 :
			   &kp_cells_64;
	return status;
}

static int make_steps(struct solver *s, struct kp_answer *a, struct err *e)
{
	a->form = s->request->form == KP_AUTO ? kp_plan_form(&s->plan) : s->request->form;
	s->steps = malloc((size_t)(s->plan.n + 1) * sizeof(*s->steps));
	if (!s->steps)
		return err_set(e, ERR_MEMORY, "no memory for %" PRId64 " steps", s->plan.n);
	s->step_count = kp_cpu_steps(&s->plan, a->form, s->steps);
	return 0;
}

/* A copy of the array costs about as much as COPY passes of single items; with m checkpoints the
 * windows cost 1/m of the forward run. The sum is least at sqrt(passes / COPY). */
static int64_t best_checkpoints(const struct solver *s)
{
	enum { COPY = 10 };
	double passes = (double)kp_pass_room(s->steps, s->step_count) *
			(s->plan.n > s->step_count ? 3.5 : 1.0);
	int64_t most = (int64_t)sqrt(passes / COPY);

	most = most > 3 ? most : 3;
	return most < s->step_count - 1 ? most : s->step_count - 1;
}

/* Windows do not shrink when the items of a segment outweigh the capacity: everything would be
 * computed again. Then one bit a cell and item is better, where it fits. */
static int plan_bits(struct solver *s, struct kp_answer *a, struct err *e)
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
	/* a third stays for the windows */
	int64_t share = s->budget / 3 * 2, offset = 0;

	if (most < 1 || s->bits)
		return 0;
	s->checkpoint = malloc((size_t)most * sizeof(*s->checkpoint));
	s->saved = malloc((size_t)most * sizeof(*s->saved));
	if (!s->checkpoint || !s->saved)
		return err_set(e, ERR_MEMORY, "no memory for %" PRId64 " checkpoints", most);
	s->checkpoint_count = kp_plan_checkpoints(&s->plan, s->steps, s->step_count, most,
						  (int64_t)s->cells->bytes, share, s->checkpoint);
	for (int64_t i = 0; i < s->checkpoint_count; i++)
		s->checkpoint_bytes += s->checkpoint[i].cells * (int64_t)s->cells->bytes;
	s->store = malloc((size_t)s->checkpoint_bytes + 1);
	if (!s->store)
		return err_set(e, ERR_MEMORY, "no memory for checkpoints (%" PRId64 " bytes)",
			       s->checkpoint_bytes);
	for (int64_t i = 0; i < s->checkpoint_count; i++) {
		const struct kp_checkpoint *c = &s->checkpoint[i];

		s->saved[i] = (struct kp_saved){ c->step, c->lo, c->lo + c->cells - 1,
						 s->store + offset };
		offset += c->cells * (int64_t)s->cells->bytes;
	}
	return 0;
}

/* All steps, with a save at each checkpoint. */
static int make_passes(struct solver *s, struct err *e)
{
	int64_t capacity = s->plan.capacity, at = 0;
	int64_t room = kp_pass_room(s->steps, s->step_count) + s->checkpoint_count;

	s->pass = malloc((size_t)(room + 1) * sizeof(*s->pass));
	if (!s->pass)
		return err_set(e, ERR_MEMORY, "no memory for %" PRId64 " passes", room);
	for (int64_t i = 0; i <= s->checkpoint_count; i++) {
		int64_t end = i < s->checkpoint_count ? s->saved[i].step : s->step_count;

		s->pass_count += kp_passes(&s->plan, s->steps + at, end - at, s->plan.n, capacity,
					   true, s->pass + s->pass_count);
		if (i < s->checkpoint_count)
			s->pass[s->pass_count++] =
				kp_pass_save(capacity - s->saved[i].hi, capacity - s->saved[i].lo,
					     s->saved[i].values);
		at = end;
	}
	for (int64_t i = 0; s->bits && i < s->pass_count; i++)
		s->pass[i].bits = item_bits(s, s->pass[i].first);
	return 0;
}

static int forward(struct solver *s, struct kp_answer *a, struct err *e)
{
	double start = clock_wall();
	int64_t guard = kp_steps_guard(s->steps, s->step_count);
	int status = make_passes(s, e);

	if (!status)
		status = kp_field_create(&s->field, s->cells, s->plan.capacity, guard, e);
	if (status)
		return status;
	a->memory_peak += kp_field_bytes(s->cells, s->plan.capacity, guard) + s->checkpoint_bytes;
	s->cells->fill(s->field.g, 0, s->pass_count ? 0 : 1, 0); /* no items: f is 0 */
	status = kp_engine_run(&s->engine, &s->field, s->pass, s->pass_count, true, e);
	a->seconds_search = clock_wall() - start;
	a->cells_done = kp_passes_cells(s->pass, s->pass_count);
	if (!status)
		a->value = s->plan.base_value + s->cells->get(s->field.g, 0);
	return status;
}

/* Reads the path off the decisions. Passes are in the items' order, one an item. */
static void read_bits(struct solver *s, struct kp_answer *a)
{
	int64_t d = 0; /* capacity left below the whole */

	for (int64_t i = s->plan.n - 1; i >= 0; i--) {
		const struct kp_pass *p = &s->pass[i];
		int64_t bit = d - p->low / 8 * 8;

		if (d < p->low || d > p->high) {
			/* above the sum of the weights so far everything is taken */
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

static int backward(struct solver *s, struct kp_answer *a, struct err *e)
{
	double start = clock_wall();
	struct kp_trace t = { .engine = &s->engine,
			      .plan = &s->plan,
			      .steps = s->steps,
			      .cells = s->cells,
			      .budget = s->budget - s->checkpoint_bytes,
			      .taken = a->taken };
	struct kp_path path = { s->step_count, s->plan.capacity, a->value - s->plan.base_value };
	struct kp_saved nothing = { .step = 0, .lo = 0, .hi = 0, .values = NULL };
	int status = 0;

	s->engine.progress = NULL;
	kp_field_destroy(&s->field);
	kp_plan_mark_always(&s->plan, a->taken);
	if (s->bits) {
		read_bits(s, a);
		a->seconds_items = clock_wall() - start;
		return 0;
	}
	for (int64_t i = s->checkpoint_count - 1; i >= 0 && !status; i--)
		status = kp_trace_back(&t, &s->saved[i], &path, e);
	nothing.hi = -1; /* f_0 is 0 everywhere: constant above nothing */
	if (!status)
		status = kp_trace_back(&t, &nothing, &path, e);
	a->seconds_items = clock_wall() - start;
	a->cells_done += t.cells_done;
	if (s->checkpoint_bytes + t.peak > a->memory_peak)
		a->memory_peak = s->checkpoint_bytes + t.peak;
	return status;
}

static int solve(struct solver *s, struct kp_answer *a, struct err *e)
{
	const struct kp_request *r = s->request;
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

int kp_solve_cpu(const struct kp_request *r, struct kp_answer *a, struct err *e)
{
	struct solver s = { .request = r, .cells = &kp_cells_64 };
	double start = clock_wall();
	int status;

	*a = (struct kp_answer){ .cells = kp_toth_cells(r->instance) };
	status = kp_plan_create(&s.plan, r->instance, e);
	if (status)
		return status;
	kp_engine_init(&s.engine, &s.plan, r);
	status = solve(&s, a, e);
	/* a cache as large as the table would read and write it once */
	a->bytes_floor = 2.0 * (double)(s.plan.capacity + 1) * (double)s.cells->bytes;
	kp_field_destroy(&s.field);
	free(s.checkpoint);
	free(s.saved);
	free(s.store);
	free(s.bits);
	free(s.pass);
	free(s.steps);
	kp_plan_destroy(&s.plan);
	if (status)
		kp_answer_free(a);
	a->seconds_total = clock_wall() - start;
	return status;
}
