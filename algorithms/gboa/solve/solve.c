/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gboa/solve/solve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/gboa/rungs.h"
#include "algorithms/gboa/runs.h"
#include "algorithms/gboa/solve/options.h"
#include "algorithms/tree-search/cluster/world.h"
#include "harness/base/clock.h"

enum { THREADS_MAX = 256, RUNS_MAX = 1000000 };

static int copy_solution(const struct boa_run *run, int32_t n, struct solve_result *r,
			 struct err *e)
{
	r->solution = malloc((size_t)n * sizeof(*r->solution));
	if (!r->solution)
		return err_set(e, ERR_MEMORY, "no memory for a solution of %d bits", n);
	for (int32_t v = 0; v < n; v++)
		r->solution[v] = run->bits[v];
	r->solution_length = (size_t)n;
	r->solution_unit = "bits";
	return 0;
}

/* ---- the note and the figures ---- */

/* Reports the hard and soft clauses of the best assignment. */
static void show_clauses(const struct landscape *l, const uint8_t *bits, int feasible_runs,
			 struct solve_result *r)
{
	struct landscape_clauses c;

	if (!landscape_count_clauses(l, bits, &c))
		return;
	solve_extra_figure(r, "hard_clauses", l->hard);
	solve_extra_figure(r, "hard_violated", c.hard_violated);
	if (l->hard)
		solve_extra_figure(r, "feasible_runs", feasible_runs);
	if (c.hard_violated) {
		solve_note_line(r, "clauses    %d hard, the best found violates %d", l->hard,
				c.hard_violated);
		return;
	}
	solve_extra_figure(r, "soft_cost", (double)c.soft_violated);
	if (!l->hard)
		solve_note_line(r, "clauses    soft cost %" PRId64 " (%" PRId64 " satisfied)",
				c.soft_violated, c.soft_satisfied);
	else
		solve_note_line(r,
				"clauses    %d hard, 0 violated; soft cost %" PRId64 " (%" PRId64
				" satisfied)",
				l->hard, c.soft_violated, c.soft_satisfied);
}

/* Reports, for example, "27 of 30 runs (95 %: 0.744 to 0.965)", and the means of a run. A run that
 * a limit ended cannot be distinguished from one that converged, so it counts as a failure. */
static void show_runs(const struct boa_summary *s, const struct landscape *l, bool stopped,
		      struct solve_result *r)
{
	if (l->optimum_known)
		solve_note_line(
			r,
			"success    %d of %d run%s (95 %%: %.3f to %.3f%s); optimum %" PRId64
			" by %s",
			s->successes, s->began, s->began == 1 ? "" : "s", s->success.low,
			s->success.high, stopped ? "; runs cut off count as failures" : "",
			landscape_objective(l, l->optimum), l->optimum_by);
	solve_note_line(r, "a run      %.1f generations, %.0f evaluations", s->generations,
			s->evaluations);
}

static void figures(const struct boa_task *t, const struct boa_trials *trials,
		    const struct boa_summary *s, struct solve_result *r)
{
	struct measure all[BOA_MEASURES];

	solve_node_figure(r, "evaluations", s->evaluations * s->began);
	solve_node_figure(r, "generations", s->generations * s->began);
	solve_node_figure(r, "edges", s->edges * s->began);
	solve_extra_figure(r, "population", t->options.population);
	solve_extra_figure(r, "selected", t->options.selected);
	solve_extra_figure(r, "runs", s->began);
	if (t->landscape.optimum_known) {
		solve_extra_figure(
			r, "optimum",
			(double)landscape_objective(&t->landscape, t->landscape.optimum));
		solve_extra_figure(r, "successes", s->successes);
		solve_extra_figure(r, "success_low", s->success.low);
		solve_extra_figure(r, "success_high", s->success.high);
	}
	solve_extra_figure(r, "mean_generations", s->generations);
	solve_extra_figure(r, "mean_evaluations", s->evaluations);
	solve_extra_figure(r, "terms", t->landscape.terms);
	solve_extra_figure(r, "solved_terms_share", s->solved);
	solve_measures(r, all, boa_measures(&trials->times, 1, all));
}

/* ---- the result ---- */

static void name_result(const struct boa_task *t, struct solve_result *r)
{
	snprintf(r->problem, sizeof(r->problem), "%s", t->problem);
	snprintf(r->instance, sizeof(r->instance), "%s", t->landscape.name);
}

/* Reports that the hard clauses contradict each other. That was proved when the instance was
 * loaded, so no search is made. */
static void present_proof(const struct boa_task *t, struct solve_result *r)
{
	const struct landscape *l = &t->landscape;

	name_result(t, r);
	r->status = SOLVE_INFEASIBLE;
	r->verified = l->infeasible_twice;
	solve_extra_figure(r, "hard_clauses", l->hard);
	solve_extra_figure(r, "hard_violated", l->hard_violated);
	solve_note_line(r,
			"clauses    %d hard; every assignment violates at least %d (proved by "
			"%s)",
			l->hard, l->hard_violated, l->infeasible_by);
}

/* The best string violates a hard clause or the capacity. That does not prove that every string
 * does. */
static int present_infeasible(const struct landscape *l, const struct boa_run *best,
			      struct solve_result *r, struct err *e)
{
	struct landscape_clauses c;

	r->status = SOLVE_LIMIT;
	if (!landscape_count_clauses(l, best->bits, &c))
		return err_set(e, ERR_LIMIT,
			       "no selection that fits was found: the best weighs %d "
			       "more than the capacity",
			       -best->best);
	return err_set(e, ERR_LIMIT,
		       "no assignment found satisfies all %d hard clauses: the best "
		       "violates %d (%s)",
		       l->hard, c.hard_violated,
		       l->optimum_known ? "an assignment that satisfies all exists" :
					  "not proved infeasible");
}

static int present(const struct boa_task *t, const struct boa_trials *trials, bool stopped,
		   struct solve_result *r, struct err *e)
{
	struct boa_summary s;
	const struct boa_run *best;

	boa_trials_sum_up(trials, &t->landscape, &t->options, &s);
	if (s.best < 0)
		return err_set(e, ERR_LIMIT, "stopped before anything was found");
	best = &trials->runs[s.best];
	name_result(t, r);
	r->seconds_search = trials->times.total;
	figures(t, trials, &s, r);
	show_clauses(&t->landscape, best->bits, s.feasible, r);
	show_runs(&s, &t->landscape, stopped, r);
	r->has_bound = t->landscape.optimum_known; /* certified, see landscape.h */
	if (r->has_bound)
		r->bound = landscape_objective(&t->landscape, t->landscape.optimum);
	if (!landscape_feasible(&t->landscape, best->bits))
		return present_infeasible(&t->landscape, best, r, e);
	r->status = best->optimum ? SOLVE_OPTIMAL : stopped ? SOLVE_LIMIT : SOLVE_FEASIBLE;
	if (stopped)
		r->status = SOLVE_LIMIT;
	r->has_objective = true;
	r->objective = landscape_objective(&t->landscape, best->best);
	r->verified = true;
	return copy_solution(best, trials->n, r, e);
}

static int run_and_present(const struct boa_task *t, struct boa_trials *trials,
			   struct solve_result *r, struct err *e)
{
	struct err limit = { 0 };
	int ended = boa_trials_share(trials, &t->setup, e), status;

	if (ended && ended != ERR_LIMIT)
		return ended;
	if (ended && e)
		limit = *e;
	status = boa_trials_verify(trials, &t->landscape, e);
	if (!status)
		status = present(t, trials, ended != 0, r, e);
	if (!status && ended && e)
		*e = limit;
	return status ? status : ended;
}

static int search(const struct boa_task *t, int runs, struct solve_result *r, struct err *e)
{
	struct boa_trials trials;
	int status = boa_trials_create(&trials, t->landscape.n, runs, e);

	if (!status)
		status = run_and_present(t, &trials, r, e);
	boa_trials_destroy(&trials);
	world_size(&r->ranks, &r->machines);
	return status;
}

/* With as_pays only the first device has started. If one of those that pay cannot start, those
 * before it do the work. Of several ranks, each makes only a part of the runs: it takes all. */
static void take_devices(struct boa_task *t, int runs, struct solve_result *r)
{
	int paying = t->landscape.infeasible ? 1 :
		     world_place()           ? t->setup.devices->count :
					       boa_paying_devices(&t->setup, runs);

	t->setup.gpus = dev_set_start(t->setup.devices, paying);
	r->devices_used = (1u << t->setup.gpus) - 1;
}

static int run(const struct solve_options *common, struct solve_result *r, struct err *e)
{
	const struct boa_solve_options *o = (const struct boa_solve_options *)common;
	double began = clock_wall();
	struct boa_task t;
	int status, runs;

	if (o->runs == 0 || o->runs > RUNS_MAX)
		return err_set(e, ERR_USAGE, "--runs must be between 1 and %d", RUNS_MAX);
	runs = o->runs > 0 ? (int)o->runs : 1;
	status = boa_task_open(&t, o, e);
	if (status)
		return status;
	status = solve_await_devices(&common->devices, r, e);
	if (!status && common->as_pays)
		take_devices(&t, runs, r);
	t.setup.time_limit = solve_time_left(common); /* the start of devices took some of it */
	if (!status && t.landscape.infeasible)
		present_proof(&t, r);
	else if (!status)
		status = search(&t, runs, r, e);
	boa_task_close(&t);
	r->seconds_total = clock_wall() - began - r->seconds_await;
	return status;
}

static const struct flag flags[] = {
	BOA_FLAG("population", FLAG_COUNT, population, "N", "individuals, a multiple of 64 (4800)"),
	BOA_FLAG("selected", FLAG_COUNT, selected, "M",
		 "the fittest individuals to learn from, a multiple of 32 (half)"),
	BOA_COMMON_FLAGS,
	BOA_FLAG("stop", FLAG_TEXT, stop, "either|optimum|converged|generations",
		 "when to end a run early: at the known optimum or when all are alike (either)"),
	BOA_FLAG("runs", FLAG_COUNT, runs, "R",
		 "independent runs with seeds SEED, SEED + 1, ... (1)"),
	FLAG_END,
};

const struct solve_spec boa_solve_spec = {
	.problem = boa_default_problem,
	.instances = "a size (60), or an instance that `list` describes; trap5:60 names both",
	.flags = flags,
	.options_size = sizeof(struct boa_solve_options),
	.defaults = boa_solve_defaults,
	.begins_on_one = true,
	.rungs = boa_rungs,
	.threads_max = THREADS_MAX,
	.run = run,
};
