#include "solve.h"

#include <stdio.h>
#include <stdlib.h>

#include "../../harness/clock.h"
#include "measured.h"
#include "solve_options.h"
#include "trials.h"

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

/* "27 of 30 runs (95 %: 0.744 to 0.965)", and what a run took. A run that a limit cut off cannot be told
 * from one that converged: it counts as a failure. */
static void write_note(const struct boa_summary *s, const struct landscape *l, bool stopped,
		       char *note, size_t size)
{
	int used = 0;

	if (l->optimum_known)
		used = snprintf(note, size, "success    %d of %d run%s (95 %%: %.3f to %.3f%s); "
				"optimum %d by %s\n", s->successes, s->began,
				s->began == 1 ? "" : "s", s->success.low, s->success.high,
				stopped ? "; runs cut off count as failures" : "",
				l->optimum, l->optimum_by);
	if (used >= 0 && (size_t)used < size)
		snprintf(note + used, size - (size_t)used,
			 "a run      %.1f generations, %.0f evaluations", s->generations,
			 s->evaluations);
}

static void figures(const struct boa_task *t, const struct boa_trials *trials,
		    const struct boa_summary *s, struct solve_result *r)
{
	struct measure all[BOA_MEASURED];

	solve_node_figure(r, "evaluations", s->evaluations * s->began);
	solve_node_figure(r, "generations", s->generations * s->began);
	solve_node_figure(r, "edges", s->edges * s->began);
	solve_extra_figure(r, "population", t->options.population);
	solve_extra_figure(r, "selected", t->options.selected);
	solve_extra_figure(r, "runs", s->began);
	if (t->landscape.optimum_known) {
		solve_extra_figure(r, "optimum", t->landscape.optimum);
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

static int present(const struct boa_task *t, const struct boa_trials *trials, bool stopped,
		   struct solve_result *r, struct err *e)
{
	struct boa_summary s;
	const struct boa_run *best;

	boa_trials_sum_up(trials, &t->landscape, &t->options, &s);
	if (s.best < 0)
		return err_set(e, ERR_LIMIT, "stopped before anything was found");
	best = &trials->runs[s.best];
	snprintf(r->problem, sizeof(r->problem), "%s", t->problem);
	snprintf(r->instance, sizeof(r->instance), "%s", t->landscape.name);
	r->status = best->optimum ? SOLVE_OPTIMAL : stopped ? SOLVE_LIMIT : SOLVE_FEASIBLE;
	if (stopped)
		r->status = SOLVE_LIMIT;
	r->has_objective = true;
	r->objective = best->best;
	r->verified = true;
	r->seconds_search = trials->times.total;
	figures(t, trials, &s, r);
	write_note(&s, &t->landscape, stopped, r->note, sizeof(r->note));
	return copy_solution(best, trials->n, r, e);
}

static int run_and_present(const struct boa_task *t, struct boa_trials *trials,
			   struct solve_result *r, struct err *e)
{
	struct err limit = { 0 };
	int ended = boa_trials_run(trials, &t->setup, e), status;

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

static int run(const struct solve_options *common, struct solve_result *r, struct err *e)
{
	const struct boa_solve_options *o = (const struct boa_solve_options *)common;
	double began = clock_wall();
	struct boa_trials trials = { .n = 0 };
	struct boa_task t;
	int status;

	if (o->runs == 0 || o->runs > RUNS_MAX)
		return err_set(e, ERR_USAGE, "--runs: 1 to %d", RUNS_MAX);
	status = boa_task_open(&t, o, e);
	if (status)
		return status;
	status = boa_trials_create(&trials, t.landscape.n, o->runs > 0 ? (int)o->runs : 1, e);
	if (!status)
		status = run_and_present(&t, &trials, r, e);
	boa_trials_destroy(&trials);
	boa_task_close(&t);
	r->seconds_total = clock_wall() - began;
	return status;
}

static const struct flag flags[] = {
	BOA_FLAG("population", FLAG_COUNT, population, "N",
		 "individuals, a multiple of 64 (4800)"),
	BOA_FLAG("selected", FLAG_COUNT, selected, "M",
		 "the fittest that are learned from, a multiple of 32 (half)"),
	BOA_COMMON_FLAGS,
	BOA_FLAG("stop", FLAG_TEXT, stop, "either|optimum|converged|generations",
		 "ends a run early: at the known optimum or when all are alike (either)"),
	BOA_FLAG("runs", FLAG_COUNT, runs, "R",
		 "independent runs, of seeds SEED, SEED + 1, ... (1)"),
	FLAG_END,
};

const char boa_default_problem[] = "trap5";

const struct solve_spec boa_solve_spec = {
	.problem = boa_default_problem,
	.instances = "a size (60), or what `list` says of the problem; trap5:60 names both",
	.flags = flags,
	.options_size = sizeof(struct boa_solve_options),
	.defaults = boa_solve_defaults,
	.threads_max = THREADS_MAX,
	.run = run,
};
