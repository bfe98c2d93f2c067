/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The experiment `sizing`: finds the population that traps need by bisection, for different numbers
 * of variables. */
#include <math.h>
#include <stdlib.h>

#include "algorithms/gboa/case.h"
#include "algorithms/gboa/sizing/size_search.h"
#include "harness/base/hash.h"

enum { START = 256 };

struct sizing_case {
	struct landscape landscape;
	struct boa_options options;
	struct boa_setup setup;
	struct boa_size_request request;
	struct boa_size_outcome outcome;
};

static struct boa_plan plan_sizing(const struct bench_case *c)
{
	struct boa_plan p = boa_plan_default(c);

	boa_plan_trap(&p, bench_int(c, "n"));
	p.population = START;
	p.stop = true;
	p.runs = (int)bench_int(c, "runs");
	return p;
}

static void sizing_teardown(struct bench_case *c)
{
	struct sizing_case *x = bench_data(c);

	boa_size_outcome_destroy(&x->outcome);
	landscape_free(&x->landscape);
	free(x);
}

static void prepare(struct sizing_case *x, const struct bench_case *c, const struct boa_plan *p)
{
	boa_defaults(&x->options);
	x->options.generations = p->generations;
	x->options.stop_at_optimum = x->options.stop_converged = true;
	x->setup = (struct boa_setup){
		.landscape = &x->landscape,
		.options = &x->options,
		.variant = p->variant,
		.threads = bench_setting(c)->threads,
		.devices = &bench_setting(c)->devices,
		.gpus = (int)bench_int(c, "gpus"),
		.stop = bench_setting(c)->stop,
		.engine = BOA_AUTO,
	};
	x->request = (struct boa_size_request){
		.setup = &x->setup,
		.runs = p->runs,
		.needed = p->runs,
		.repeats = (int)bench_int(c, "repeats"),
		.from = START,
		.to = bench_scale(c) == BENCH_SMOKE ? 2 * START : 1 << 18,
		.precision = 0.1,
	};
}

static int sizing_setup(struct bench_case *c, struct err *e)
{
	struct boa_plan p = plan_sizing(c);
	struct sizing_case *x;
	int status = boa_case_check_machine(c, &p, e);

	if (status)
		return status;
	x = bench_new_data(c, sizeof(*x), e);
	if (!x)
		return ERR_MEMORY;
	prepare(x, c, &p);
	status = landscape_load(&x->landscape, p.problem, p.instance, e);
	if (status)
		sizing_teardown(c);
	return status;
}

static int sizing_run(struct bench_case *c, struct err *e)
{
	struct sizing_case *x = bench_data(c);
	uint64_t hash = HASH_INIT;
	int status, runs = 0;

	boa_size_outcome_destroy(&x->outcome);
	status = boa_size_search(&x->request, &x->outcome, e);
	if (status)
		return status;
	for (int i = 0; i < x->outcome.count; i++) {
		const struct boa_size_point *p = &x->outcome.points[i];

		runs += p->runs;
		hash = hash_u64(hash_u64(hash, (uint64_t)p->population), (uint64_t)p->successes);
	}
	bench_set_seconds(c, x->outcome.seconds);
	bench_work(c, runs, "runs");
	bench_output_hash(c, hash);
	if (x->outcome.population > 0) {
		bench_counter(c, "population_needed", x->outcome.population, BENCH_COUNT);
		bench_counter(c, "evaluations", x->outcome.evaluations, BENCH_COUNT);
	}
	bench_label(c, "%.0f individuals, %d populations tried", x->outcome.population,
		    x->outcome.count);
	return 0;
}

/* True if `found` follows from the points: either it succeeded and a population just below it
 * failed (all runs must succeed, so one failure is enough), or the largest population failed. */
static bool follows(const struct sizing_case *x, int32_t found)
{
	const struct boa_size_request *q = &x->request;
	bool enough = false, below = found == 64;

	for (int i = 0; i < x->outcome.count; i++) {
		const struct boa_size_point *p = &x->outcome.points[i];
		bool failed = p->successes < p->runs;
		double near = fmax(64 + p->population, (1 + q->precision) * p->population);

		if (found == 0 && p->population == q->to && failed)
			return true;
		if (p->population == found && p->successes >= q->needed)
			enough = true;
		if (p->population < found && found <= near && failed)
			below = true;
	}
	return enough && below;
}

/* Repeats runs at the population found with another variant; all must succeed, as they did in the
 * search. */
static int repeat_found(struct bench_case *c, const struct sizing_case *x, struct err *e)
{
	struct boa_plan p = plan_sizing(c);
	struct boa_setup s = x->setup;
	struct boa_options o = x->options;
	struct boa_summary summary = { .successes = 0 };
	struct boa_trials again;
	int status, count;

	o.population = p.population = x->outcome.found[0];
	o.selected = o.population / 2;
	s.options = &o;
	s.variant = boa_plan_reference(&p);
	s.threads = s.variant == SOLVE_SERIAL ? 1 : bench_setting(c)->threads;
	s.devices = NULL;
	s.gpus = 0;
	count = o.population ? boa_case_repeatable(c, &p, p.runs) : 0;
	bench_counter(c, "compared", count, BENCH_COUNT);
	if (count == 0)
		return 0;
	status = boa_trials_create(&again, x->landscape.n, count, e);
	if (!status)
		status = boa_trials_run(&again, &s, e);
	if (!status)
		boa_trials_sum_up(&again, &x->landscape, &o, &summary);
	if (!status && summary.successes != count)
		status = err_set(e, ERR_FAILED,
				 "%s, population %d: %s solves %d of %d runs, not all",
				 x->landscape.name, o.population, solve_variant_name(s.variant),
				 summary.successes, count);
	boa_trials_destroy(&again);
	return status;
}

/* Each run was verified when it was made. This checks that the answer follows from the runs. */
static int sizing_check(struct bench_case *c, struct err *e)
{
	const struct sizing_case *x = bench_data(c);

	for (int r = 0; r < x->outcome.ended; r++)
		if (!follows(x, x->outcome.found[r]))
			return err_set(
				e, ERR_FAILED,
				"%s: the result of repeat %d, %d, does not follow from its runs",
				x->landscape.name, r, x->outcome.found[r]);
	return repeat_found(c, x, e);
}

static double sizing_estimate(const struct bench_case *c)
{
	struct boa_plan p = plan_sizing(c);

	p.population = (int32_t)(bench_int(c, "n") * 100);
	p.runs *= (int)bench_int(c, "repeats") * 8;
	return boa_case_estimate(c, &p);
}

static const struct bench_axis sizing_axes[] = {
	BENCH_AXIS_TEXT("variant", BENCH_TEXTS("cpu", "tuned"), BENCH_SAME, BENCH_SAME),
	BENCH_AXIS_INT("n", BENCH_INTS(10), BENCH_INTS(20, 30, 40, 60),
		       BENCH_INTS(30, 60, 90, 120, 150, 200, 300)),
	BENCH_AXIS_INT("runs", BENCH_INTS(3), BENCH_INTS(10), BENCH_INTS(30)),
	BENCH_AXIS_INT("repeats", BENCH_INTS(1), BENCH_SAME, BENCH_INTS(1)),
	BENCH_AXIS_INT("gpus", BENCH_INTS(0, 1), BENCH_SAME, BENCH_SAME),
	BENCH_AXIS_END
};

/* Skips more than 90 variables on cores, because they take minutes. */
static bool sizing_exists(const struct bench_case *c)
{
	return bench_gpus_fit(c) && (bench_uses_device(c) || bench_int(c, "n") <= 90);
}

BENCHMARK(sizing) = {
	.name = "gboa/sizing",
	.summary = "The population that traps need for 30 of 30 runs, by bisection",
	.axes = sizing_axes,
	.exists = sizing_exists,
	.manual_time = true,
	.unit = "ms",
	BOA_MIN_TIME,
	.setup = sizing_setup,
	.run = sizing_run,
	.check = sizing_check,
	.teardown = sizing_teardown,
	.uses_device = bench_uses_device,
	.estimate = sizing_estimate,
};
