/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/cluster/world.h"
#include "algorithms/tree-search/atsp/atsp_solve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/atsp/atsp.h"
#include "datasets/recognise.h"
#include "harness/base/clock.h"
#include "algorithms/tree-search/atsp/atsp_start.h"
#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/search.h"

/* One run on one instance. */
struct task {
	const struct solve_options *o;
	const struct search_target *target;
	struct atsp a;
	struct search_request q;
	struct search_outcome out;
	bool asks_optimum, resumed;
	int64_t pruned_from; /* bound of the earlier run */
	int64_t useless_ub;  /* --ub if it is above pruned_from, else 0 */
	int64_t *tour;       /* best tour of this run, of cost `cost`, if has_tour */
	int64_t cost;
	bool has_tour;
	int64_t *past; /* tour of the earlier run, NULL: none */
	int64_t past_cost;
	struct interrupt until; /* of the whole run */
};

/* ---- the request ---- */

static int read_ub(struct task *t, struct err *e)
{
	const char *text = t->o->ub;

	if (!text || strcmp(text, "none") == 0)
		return 0;
	if (strcmp(text, "opt") == 0) {
		if (t->a.cities > ATSP_HELD_KARP_MAX)
			return err_set(e, ERR_USAGE,
				       "--ub opt: the optimum can be computed for at "
				       "most %d cities, but %s has %d",
				       ATSP_HELD_KARP_MAX, t->a.name, t->a.cities);
		t->asks_optimum = true;
		return 0;
	}
	if (flag_parse_int(&t->q.ub, text, NULL) || t->q.ub < 0 || t->q.ub >= SEARCH_NO_UB)
		return err_set(e, ERR_USAGE, "--ub: '%s' is not opt, none or a cost of 0 to %d",
			       text, SEARCH_NO_UB - 1);
	return 0;
}

/* Copies the tour of the checkpoint, because a search from a lower bound discards it. */
static int keep_past(struct task *t, const struct checkpoint *c, struct err *e)
{
	int n = t->a.cities;

	if (!c->order || c->key.items != n - 1)
		return 0;
	t->past = calloc((size_t)n, sizeof(*t->past));
	if (!t->past)
		return err_set(e, ERR_MEMORY, "no memory for a tour");
	for (int i = 1; i < n; i++)
		t->past[i] = c->order[i - 1] + 1;
	t->past_cost = atsp_tour_cost(&t->a, t->past);
	return 0;
}

static bool resumes(const struct task *t)
{
	return t->q.checkpoint && t->q.checkpoint->resume;
}

/* Without --ub the bound is that of the first run. Its tour is in the checkpoint. */
static int read_resumed(struct task *t, struct err *e)
{
	struct checkpoint c;
	int status;

	if (!resumes(t))
		return 0;
	status = checkpoint_read(&c, t->q.checkpoint->resume, e);
	if (status)
		return status;
	if (!t->o->ub) {
		t->resumed = true;
		t->q.ub = c.key.first_ub;
	}
	t->pruned_from = checkpoint_bound(&c);
	t->useless_ub = t->o->ub && t->q.ub > t->pruned_from ? t->q.ub : 0;
	status = checkpoint_spares(&c, t->q.checkpoint, t->q.ub, e);
	if (!status)
		status = keep_past(t, &c, e);
	checkpoint_free(&c);
	return status;
}

static void adopt(struct task *t)
{
	t->has_tour = true;
	if (t->cost > t->q.ub)
		return;
	t->q.ub = t->cost;
	t->q.start = t->tour;
}

static int find_start(struct task *t, bool wanted, struct solve_result *r, struct err *e)
{
	double begin = clock_wall(), used;
	int status;

	if (world_is_helper())
		return 0;
	if (t->asks_optimum)
		status = atsp_held_karp(&t->a, t->o->stop, &t->cost, t->tour, e);
	else if (wanted)
		status = atsp_start(&t->a, &t->until, t->tour, &t->cost, e);
	else
		return 0;
	if (status)
		return status;
	used = clock_wall() - begin;
	adopt(t);
	watch_incumbent(t->q.watch, t->cost);
	search_spend(&t->q, used);
	r->seconds_total += used;
	solve_extra_figure(r, "start_cost", (double)t->cost);
	solve_extra_figure(r, "start_seconds", used);
	return 0;
}

/* Tells the watch the bound of the root and the tour of the checkpoint. */
static void show_state(const struct task *t)
{
	int64_t bound = atsp_root_bound(t->a.cost, t->a.cities);

	watch_bound(t->q.watch, bound < t->q.ub ? bound : t->q.ub);
	if (t->past && t->past_cost >= 0)
		watch_incumbent(t->q.watch, t->past_cost);
}

static int prepare(struct task *t, const char *start, struct solve_result *r, struct err *e)
{
	static const char *const starts[] = { "local", "none", NULL };
	int none, status = flag_choose(&none, "start", start, starts, e);

	t->q.atsp = &t->a;
	if (!status)
		status = read_ub(t, e);
	if (!status)
		status = t->target->refuse(t->target->context, &t->q, e);
	if (!status)
		status = read_resumed(t, e);
	if (!status)
		show_state(t);
	return status ? status : find_start(t, start ? !none : !t->resumed, r, e);
}

/* ---- the result ---- */

/* Chooses the best tour of this run: from the search, the start or the earlier run. If the search
 * was stopped without one, the local search provides one. */
static int choose_tour(struct task *t, struct err *e)
{
	int status = 0;

	if (t->out.order) {
		memcpy(t->tour, t->out.order, (size_t)t->a.cities * sizeof(*t->tour));
		t->cost = t->out.best;
		t->has_tour = true;
	} else if (!t->has_tour && !t->out.complete) {
		status = atsp_start(&t->a, &t->until, t->tour, &t->cost, e);
		t->has_tour = !status;
	}
	if (!status && t->past && t->past_cost >= 0 && (!t->has_tour || t->past_cost < t->cost)) {
		memcpy(t->tour, t->past, (size_t)t->a.cities * sizeof(*t->tour));
		t->cost = t->past_cost;
		t->has_tour = true;
	}
	if (!status && t->has_tour &&
	    (t->tour[0] != 0 || atsp_tour_cost(&t->a, t->tour) != t->cost))
		return err_set(e, ERR_FAILED, "%s: the tour does not cost %" PRId64, t->a.name,
			       t->cost);
	if (!status && t->has_tour && t->cost < t->out.lower_bound)
		return err_set(e, ERR_FAILED,
			       "%s: a tour of %" PRId64 " was found, but the "
			       "search claims that none costs less than %" PRId64,
			       t->a.name, t->cost, t->out.lower_bound);
	return status;
}

/* A search from a bound also visits tours of exactly that cost. If it found no tour at all, every
 * tour costs more. */
static bool met_none(const struct task *t)
{
	return t->out.complete && !t->out.order && !t->out.leaves;
}

static enum solve_status status_of(const struct task *t)
{
	int64_t least = t->out.best + (met_none(t) ? 1 : 0);

	if (!t->out.complete)
		return SOLVE_LIMIT;
	return t->has_tour && t->cost <= least ? SOLVE_OPTIMAL : SOLVE_PROVED;
}

static void remark(const struct task *t, struct solve_result *r)
{
	char at_hand[64] = "";

	if (t->has_tour)
		snprintf(at_hand, sizeof(at_hand), "; the best one found costs %" PRId64, t->cost);
	else if (!met_none(t) && !resumes(t))
		snprintf(at_hand, sizeof(at_hand),
			 "; some tours cost exactly that, but none was kept");
	if (r->status == SOLVE_LIMIT)
		solve_note_line(r, "stopped: at most %" PRId64 " above the optimum",
				t->cost - t->out.lower_bound);
	else if (r->status == SOLVE_PROVED)
		solve_note_line(r, "proved: no tour costs %s%" PRId64 "%s%s",
				met_none(t) ? "" : "less than ", t->out.best,
				met_none(t) ? " or less" : "", at_hand);
	if (t->useless_ub)
		solve_note_line(r, SEARCH_USELESS_UB, t->useless_ub, t->pruned_from);
}

/* Moves the tour to the result, unless it costs more than the proved bound. */
static void hand_over(struct task *t, struct solve_result *r)
{
	if (r->status == SOLVE_PROVED)
		return;
	r->has_objective = true;
	r->objective = t->cost;
	r->solution = t->tour;
	r->solution_length = (size_t)t->a.cities;
	r->solution_unit = "cities";
	t->tour = NULL;
}

static int present(struct task *t, struct solve_result *r, struct err *e)
{
	bool verified;
	int status = search_verify(&t->q, &t->out, &verified, e);

	if (!status)
		status = choose_tour(t, e);
	if (status)
		return status;
	r->status = status_of(t);
	r->verified = r->status == SOLVE_PROVED ? verified : t->has_tour;
	r->has_bound = true;
	r->bound = r->status == SOLVE_OPTIMAL ? t->cost : t->out.lower_bound;
	solve_extra_figure(r, "lower_bound", (double)r->bound);
	t->target->figures(t->target->context, &t->q, &t->out, r);
	remark(t, r);
	hand_over(t, r);
	return 0;
}

static int run(struct task *t, const char *start, struct solve_result *r, struct err *e)
{
	int status, wrong;

	t->tour = malloc((size_t)t->a.cities * sizeof(*t->tour));
	if (!t->tour)
		return err_set(e, ERR_MEMORY, "no memory for a tour");
	t->until = interrupt_from(&t->q);
	status = prepare(t, start, r, e);
	if (status == ERR_LIMIT) /* stopped before the search: only this bound is known */
		t->out.lower_bound = atsp_root_bound(t->a.cost, t->a.cities);
	if (!status)
		status = search_target_run(t->target, &t->q, &t->out, r, e);
	if (status == 0 || status == ERR_LIMIT) {
		wrong = present(t, r, e);
		status = wrong ? wrong : status;
	}
	search_outcome_free(&t->out);
	free(t->tour);
	free(t->past);
	return status;
}

int atsp_solve_instance(const struct solve_options *o, const char *start,
			const struct search_request *q, const struct search_target *target,
			const struct atsp *a, struct solve_result *r, struct err *e)
{
	struct task t = { .o = o, .target = target, .a = *a, .q = *q };

	return run(&t, start, r, e);
}

int atsp_solve(const struct solve_options *o, const char *start, const struct search_request *q,
	       const struct search_target *target, struct solve_result *r, struct err *e)
{
	struct atsp a;
	int status = atsp_load(&a, o->instance, e);

	if (status) {
		recognise_hint(o->target, o->instance, FORMS_ATSP, e);
		return status;
	}
	snprintf(r->instance, sizeof(r->instance), "%s", a.name);
	status = atsp_solve_instance(o, start, q, target, &a, r, e);
	atsp_free(&a);
	return status;
}
