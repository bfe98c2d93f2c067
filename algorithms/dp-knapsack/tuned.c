/* kp_solve_tuned: chooses form and cell width, runs the passes, finds the items on the way back. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "algorithms/dp-knapsack/knapsack_dp.h"
#include "algorithms/dp-knapsack/tuned_items.h"
#include "algorithms/dp-knapsack/tuned_run.h"
#include "algorithms/dp-knapsack/wide.h"

/* The form to run, or KP_AUTO where none of the forms' kernels can hold the plan. */
static int choose(const struct tuned_team *t, const struct kp_plan *p, enum kp_form asked,
		  struct tuned_shape *shape, enum kp_form *form, struct err *e)
{
	enum kp_form wish = asked == KP_AUTO ? kp_plan_form(p) : asked;
	/* a chain shorter than this wastes the registers of its thread */
	bool short_chains = p->capacity / 16 < p->max_weight;
	int rc;

	if (asked == KP_AUTO && wish != KP_FUSED && short_chains)
		wish = KP_FUSED;
	rc = tuned_team_shape(t, wish, tuned_needs_64(p), shape, e);
	*form = !rc && tuned_fits(p, wish, shape) ? wish : KP_AUTO;
	return rc;
}

/* Forward without items: two or three arrays take turns. */
static int value_only(struct tuned_team *t, const struct kp_plan *p, struct tuned_schedule *s,
		      struct kp_answer *a, struct err *e)
{
	struct tuned_step *steps = NULL;
	int64_t count = 0;
	int64_t stride = (p->capacity + 1 + 63) / 64 * 64;
	int rc = tuned_steps(p, s->form, &s->shape, &steps, &count, e);

	for (int64_t k = 0; !rc && k < count; k++) {
		struct kp_pass *rows;
		int64_t low, high;

		kp_plan_live(p, steps[k].first + steps[k].count * steps[k].unit, &low, &high);
		rc = tuned_schedule_add(s, &steps[k], low, high, &rows, e);
		for (int d = 0; !rc && d < t->count; d++)
			rows[d].store = k % tuned_arrays(t->count) * stride;
	}
	if (!rc)
		rc = tuned_team_cells(
			t, tuned_arrays(t->count) * stride * (s->shape.cells_64 ? 8 : 4), e);
	if (!rc)
		rc = tuned_team_run(t, s, 0, &a->seconds_search, e);
	if (!rc)
		rc = tuned_team_value(t, s, p->capacity, &a->value, e);
	free(steps);
	return rc;
}

static int solve_planned(const struct kp_request *r, struct tuned_team *t, const struct kp_plan *p,
			 const struct tuned_shape *shape, enum kp_form form, struct kp_answer *a,
			 struct err *e)
{
	struct tuned_schedule s;
	int rc;

	tuned_schedule_init(&s, p, form, shape);
	if (r->want_items)
		rc = tuned_items(t, p, &s, a, e);
	else
		rc = p->n ? value_only(t, p, &s, a, e) : 0;
	a->value += p->base_value;
	a->form = form;
	a->cells_done += s.cells_done;
	a->bytes_floor = s.bytes;
	a->exchanges = t->count > 1 ? (int)s.pass_count : 0;
	a->memory_peak = t->peak;
	tuned_schedule_destroy(&s);
	return rc;
}

int kp_solve_tuned(const struct kp_request *r, struct kp_answer *a, struct err *e)
{
	double begin = clock_wall();
	struct tuned_team team;
	struct tuned_shape shape;
	struct kp_plan plan;
	enum kp_form form = KP_AUTO;
	int rc;

	*a = (struct kp_answer){ .value = 0 };
	rc = kp_plan_create(&plan, r->instance, e);
	if (rc)
		return rc;
	rc = tuned_team_open(&team, r, e);
	if (!rc)
		rc = choose(&team, &plan, r->form, &shape, &form, e);
	if (!rc && form != KP_AUTO)
		rc = solve_planned(r, &team, &plan, &shape, form, a, e);
	tuned_team_close(&team);
	kp_plan_destroy(&plan);
	if (!rc && form == KP_AUTO)
		return kp_wide_solve(r, a, e);
	if (rc) {
		kp_answer_free(a);
		return rc;
	}
	a->cells = kp_toth_cells(r->instance);
	a->seconds_total = clock_wall() - begin;
	return 0;
}
