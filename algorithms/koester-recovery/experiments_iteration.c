/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The paper's experiments that iterate: Tables I and II, several iterations and GPUs, Figure 5,
 * Equation (1); and the path of Figure 4. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/koester-recovery/case.h"
#include "algorithms/koester-recovery/problems/verify.h"
#include "harness/base/clock.h"
#include "harness/base/hash.h"

/* ==== the measured case: iterations of the synthetic model ==== */

/* Axes: schedule, load (L), states (S), P, F (both in percent). */

enum { BEAM_MOST = 1024, SAMPLES = 4 /* states checked in each layer */ };

struct model_case {
	struct track_places places;
	struct track_synthetic_run run;
	uint32_t iterations; /* of one timed run */
};

static bool schedule_is(const struct bench_case *c, const char *name)
{
	return strcmp(bench_text(c, "schedule"), name) == 0;
}

/* The set-up for the values of the axes. A layer keeps a sixteenth of the states, at most 1,024.
 * Schedules:
 *   printed  as the paper's times imply; P has no effect
 *   literal  Algorithm 2; a state waits after a step with probability P
 *   fitted   Algorithm 2 with probability 9 %, which gives the breaks of the printed times
 *   each     a state is assigned as soon as it waits, which it does with probability P */
static struct track_synthetic_setup model_setting(const struct bench_case *c)
{
	struct track_synthetic_setup s = track_synthetic_setup_default();

	s.states = (uint32_t)bench_int(c, "states");
	s.beam = s.states < 16 * BEAM_MOST ? (s.states + 15) / 16 : BEAM_MOST;
	s.model.load = (uint32_t)bench_int(c, "load");
	s.model.break_probability =
		schedule_is(c, "fitted") ? 0.09 : (double)bench_int(c, "P") / 100;
	s.fill_rate = (double)bench_int(c, "F") / 100;
	s.schedule = schedule_is(c, "printed") ? TRACK_SYNTHETIC_PRINTED :
		     schedule_is(c, "each")    ? TRACK_SYNTHETIC_EACH :
						 TRACK_SYNTHETIC_TOGETHER;
	s.engine = track_case_engine(c);
	s.stop = bench_setting(c)->stop;
	return s;
}

/* Mean number of assignments of a state in an evaluation. */
static double assignments_of(const struct track_synthetic_setup *s)
{
	bool certain;

	switch (s->schedule) {
	case TRACK_SYNTHETIC_PRINTED:
		return __builtin_popcount(track_synthetic_breaks(s) |
					  UINT32_C(1) << (s->look_ahead - 1));
	case TRACK_SYNTHETIC_EACH:
		return 1 + s->model.break_probability * s->look_ahead;
	default:
		return 1 + track_synthetic_many_breaks(s, 0, &certain);
	}
}

/* Multiply-adds of one product of matrices. */
static double product_of(const struct track_synthetic_options *m)
{
	return (double)m->rows * m->columns * m->columns;
}

/* Multiply-adds of one iteration. */
static double model_work(const struct bench_case *c, const struct track_synthetic_setup *s)
{
	double evaluated = s->look_ahead + s->model.load * assignments_of(s);

	(void)c;
	return product_of(&s->model) * (s->states * evaluated + s->beam * (1.0 + s->model.load));
}

static double model_estimate(const struct bench_case *c)
{
	struct track_synthetic_setup s = model_setting(c);

	return track_case_seconds(c, model_work(c, &s), 2.0 * s.states * s.model.state_bytes);
}

/* Leaves out cases that add nothing or take minutes on cores. P has no effect on the printed and
 * fitted schedules: one value of P is enough for fitted, and in quick runs for printed. serial runs
 * only the printed schedule, with one P. Schedule `each` has no fill rate. */
static bool model_exists(const struct bench_case *c)
{
	static const double most[][BENCH_SCALES] = {
		/* multiply-adds */
		[SOLVE_SERIAL] = { 1e9, 3e9, 2e10 },
		[SOLVE_CPU] = { 1e9, 1e11, 1e12 },
		[SOLVE_PUBLISHED] = { 1e9, 1e12, 3e12 },
		[SOLVE_TUNED] = { 1e9, 1e12, 3e12 },
	};
	enum solve_variant v = bench_variant(c);
	struct track_synthetic_setup s = model_setting(c);

	if (!bench_gpus_fit(c) || model_work(c, &s) > most[v][bench_scale(c)])
		return false;
	if (schedule_is(c, "each") && bench_int(c, "F") > 0)
		return false;
	if (bench_int(c, "P") == 30 &&
	    (v == SOLVE_SERIAL || schedule_is(c, "fitted") ||
	     (schedule_is(c, "printed") && bench_scale(c) == BENCH_QUICK)))
		return false;
	return v != SOLVE_SERIAL || schedule_is(c, "printed");
}

static void model_teardown(struct bench_case *c)
{
	struct model_case *m = bench_data(c);

	track_synthetic_run_close(&m->run);
	track_places_close(&m->places);
	free(m);
}

/* A timed run makes `iterations` iterations. */
static int model_setup_several(struct bench_case *c, uint32_t iterations, struct err *e)
{
	struct track_synthetic_setup s = model_setting(c);
	double bytes = 3.0 * s.states * s.model.state_bytes;
	struct model_case *m;
	int status = track_case_check_machine(c, model_work(c, &s), bytes, false, e);

	if (status)
		return status;
	m = bench_new_data(c, sizeof(*m), e);
	if (!m)
		return ERR_MEMORY;
	m->iterations = iterations;
	status = track_case_places(c, false, 0, &m->places, e);
	if (!status)
		status = track_synthetic_run_open(&m->run, &s, &m->places, e);
	if (status)
		model_teardown(c);
	return status;
}

static int model_setup(struct bench_case *c, struct err *e)
{
	return model_setup_several(c, 1, e);
}

/* Multiply-adds that the tracker made between `before` and `after`. */
static double work_between(const struct track_synthetic_run *r, const struct track_figures *before,
			   const struct track_figures *after)
{
	double executions = (double)(after->executions - before->executions);
	double assignments = (double)(after->assignments - before->assignments);

	return product_of(&r->setup.model) * (executions + assignments * r->setup.model.load);
}

static int model_run(struct bench_case *c, struct err *e)
{
	struct model_case *m = bench_data(c);
	struct track_figures before, after;
	double began, work;
	int status;

	track_figures(m->run.tracker, &before);
	began = clock_wall();
	status = track_synthetic_run_iterate(&m->run, m->iterations, e);
	bench_set_seconds(c, clock_wall() - began);
	if (status)
		return status;
	track_figures(m->run.tracker, &after);
	work = work_between(&m->run, &before, &after);
	bench_work(c, work, "multiply_adds");
	bench_counter(c, "breaks", (double)after.breaks, BENCH_COUNT);
	bench_counter(c, "assigned", (double)(after.assignments - before.assignments), BENCH_COUNT);
	bench_counter(c, "memory_peak", (double)track_places_peak(&m->places), BENCH_COUNT);
	bench_counter(c, "history_bytes", (double)after.history_bytes, BENCH_COUNT);
	track_report_demands(c, bench_variant(c), &m->places, work, 0);
	bench_label(c, "%u steps, breaks %u", m->run.setup.look_ahead, (unsigned)after.breaks);
	return 0;
}

/* Hash of the last layer of the history: sources, successors and ratings. */
static void report_hash(struct bench_case *c, const struct track_synthetic_run *r)
{
	const struct track_history *h = track_history(r->tracker);
	struct track_node n = { track_layer(r->tracker), 0 };
	uint32_t source, successor, rating;
	uint64_t hash = hash_u64(HASH_INIT, n.layer);

	for (; n.slot < track_history_count(h, n.layer); n.slot++) {
		track_history_get(h, n, &source, &successor, &rating);
		hash = hash_u64(hash_u64(hash, (uint64_t)source << 32 | successor), rating);
	}
	bench_output_hash(c, hash);
}

static int model_check(struct bench_case *c, struct err *e)
{
	struct model_case *m = bench_data(c);
	int status = track_synthetic_verify_counts(&m->run, e);

	report_hash(c, &m->run);
	return status ? status : track_synthetic_verify(&m->run, SAMPLES, e);
}

#define MODEL_CASE                                                                                 \
	.manual_time = true, .unit = "ms", TRACK_MIN_TIME, .exists = model_exists,                 \
	.setup = model_setup, .run = model_run, .check = model_check, .teardown = model_teardown,  \
	.uses_device = bench_uses_device, .estimate = model_estimate

/* ==== Tables I and II ==== */

#define ALL_SCHEDULES BENCH_TEXTS("printed", "literal", "fitted", "each")
#define STATES                                                                                     \
	BENCH_AXIS_INT("states", BENCH_INTS(128), BENCH_INTS(16384), BENCH_INTS(16384, 65536))

static const struct bench_axis table1_axes[] = {
	BENCH_ALL_VARIANTS,
	BENCH_AXIS_NAMED("schedule", BENCH_TEXTS("printed", "literal"), BENCH_SAME, ALL_SCHEDULES),
	BENCH_AXIS_INT("load", BENCH_INTS(2), BENCH_INTS(10), BENCH_SAME),
	STATES,
	BENCH_AXIS_INT("P", BENCH_INTS(70), BENCH_INTS(30, 70), BENCH_SAME),
	BENCH_AXIS_INT("F", BENCH_INTS(0, 60), BENCH_INTS(0, 30, 60, 100), BENCH_SAME),
	BENCH_GPUS(0, 1),
	BENCH_AXIS_END
};
BENCHMARK(table1) = {
	.name = "koester-recovery/table1",
	.summary = "Table I: one iteration by states, probability and fill rate, L = 10",
	.axes = table1_axes,
	MODEL_CASE,
};

static const struct bench_axis table2_axes[] = {
	BENCH_ALL_VARIANTS,
	BENCH_AXIS_NAMED("schedule", BENCH_TEXTS("printed"), BENCH_SAME, ALL_SCHEDULES),
	BENCH_AXIS_INT("load", BENCH_INTS(4), BENCH_INTS(100), BENCH_INTS(100, 1000)),
	STATES,
	BENCH_FIXED_INT("P", 70),
	BENCH_AXIS_INT("F", BENCH_INTS(60), BENCH_INTS(0, 30, 60, 100), BENCH_SAME),
	BENCH_GPUS(0, 1),
	BENCH_AXIS_END
};
BENCHMARK(table2) = {
	.name = "koester-recovery/table2",
	.summary = "Table II: one iteration by load and fill rate",
	.axes = table2_axes,
	MODEL_CASE,
};

/* "Increasing the number of iterations will (approximately) result in a linear scale." */
static int setup_iterations(struct bench_case *c, struct err *e)
{
	return model_setup_several(c, (uint32_t)bench_int(c, "iterations"), e);
}

static const struct bench_axis iterations_axes[] = {
	BENCH_VARIANTS("cpu", "published", "tuned"),
	BENCH_AXIS_INT("iterations", BENCH_INTS(4), BENCH_INTS(1, 16), BENCH_INTS(1, 4, 16)),
	BENCH_FIXED_NAMED("schedule", "printed"),
	BENCH_AXIS_INT("load", BENCH_INTS(2), BENCH_INTS(10), BENCH_SAME),
	BENCH_AXIS_INT("states", BENCH_INTS(128), BENCH_INTS(16384), BENCH_SAME),
	BENCH_FIXED_INT("P", 70),
	BENCH_FIXED_INT("F", 60),
	BENCH_GPUS(0, 1),
	BENCH_AXIS_END
};
BENCHMARK(iterations) = {
	.name = "koester-recovery/iterations",
	.summary = "Several iterations without synchronisation between them (section V)",
	.axes = iterations_axes,
	.manual_time = true,
	.unit = "ms",
	TRACK_MIN_TIME,
	.exists = model_exists,
	.setup = setup_iterations,
	.run = model_run,
	.check = model_check,
	.teardown = model_teardown,
	.uses_device = bench_uses_device,
	.estimate = model_estimate,
};

static const struct bench_axis gpus_axes[] = {
	BENCH_VARIANTS("published", "tuned"),
	BENCH_FIXED_NAMED("schedule", "printed"),
	BENCH_AXIS_INT("load", BENCH_INTS(2), BENCH_INTS(100), BENCH_INTS(10, 100, 1000)),
	BENCH_AXIS_INT("states", BENCH_INTS(128), BENCH_INTS(65536), BENCH_INTS(65536, 1048576)),
	BENCH_FIXED_INT("P", 70),
	BENCH_FIXED_INT("F", 60),
	BENCH_AXIS_INT("gpus", BENCH_INTS(1, 2), BENCH_SAME, BENCH_INTS(1, 2, 4)),
	BENCH_AXIS_END
};
BENCHMARK(gpus) = {
	.name = "koester-recovery/gpus",
	.summary = "One iteration on several GPUs, each holding a part of the states",
	.axes = gpus_axes,
	MODEL_CASE,
};

/* ==== Figure 5: the fill rate ==== */

static const struct bench_axis fill_axes[] = {
	BENCH_AXIS_TEXT("variant", BENCH_TEXTS("cpu", "published", "tuned"),
			BENCH_TEXTS("cpu", "tuned"), BENCH_TEXTS("cpu", "published", "tuned")),
	BENCH_FIXED_NAMED("schedule", "literal", "each"),
	BENCH_AXIS_INT("load", BENCH_INTS(2), BENCH_INTS(10), BENCH_INTS(10, 100)),
	BENCH_AXIS_INT("states", BENCH_INTS(128), BENCH_INTS(16384), BENCH_INTS(65536)),
	BENCH_AXIS_INT("P", BENCH_INTS(30), BENCH_INTS(9, 30), BENCH_INTS(9, 30, 70)),
	BENCH_AXIS_INT("F", BENCH_INTS(0), BENCH_INTS(0, 45, 60, 100),
		       BENCH_INTS(0, 10, 20, 30, 35, 40, 45, 50, 55, 60, 67, 75, 90, 100)),
	BENCH_GPUS(0, 1),
	BENCH_AXIS_END
};
BENCHMARK(fill) = {
	.name = "koester-recovery/fill",
	.summary = "Figure 5: time and breaks of one iteration against the fill rate",
	.axes = fill_axes,
	MODEL_CASE,
};

/* ==== Equation (1) ==== */

enum { EVALUATIONS = 500 };

struct equation {
	struct track_places places;
	struct track_synthetic_run run;
	double share; /* share of steps that ended in a break, not counting the last step of each
			 evaluation */
};

/* With F = 0, a step ends in a break if any state waits. The probability of a break is the P of
 * Equation (1). */
static struct track_synthetic_setup equation_setup_of(const struct bench_case *c)
{
	struct track_synthetic_setup s = track_synthetic_setup_default();

	s.states = s.beam = (uint32_t)bench_int(c, "states");
	s.model.rows = s.model.columns = 4;
	s.model.load = 1;
	s.model.state_bytes = 64;
	s.model.break_probability = (double)bench_int(c, "P") / 100;
	s.schedule = TRACK_SYNTHETIC_TOGETHER;
	s.fill_rate = 0;
	s.engine = track_case_engine(c);
	s.stop = bench_setting(c)->stop;
	return s;
}

static void equation_teardown(struct bench_case *c)
{
	struct equation *q = bench_data(c);

	track_synthetic_run_close(&q->run);
	track_places_close(&q->places);
	free(q);
}

static int equation_setup(struct bench_case *c, struct err *e)
{
	struct track_synthetic_setup s = equation_setup_of(c);
	struct equation *q = bench_new_data(c, sizeof(*q), e);
	int status;

	if (!q)
		return ERR_MEMORY;
	status = track_case_places(c, false, 0, &q->places, e);
	if (!status)
		status = track_synthetic_run_open(&q->run, &s, &q->places, e);
	if (status)
		equation_teardown(c);
	return status;
}

static int equation_run(struct bench_case *c, struct err *e)
{
	struct equation *q = bench_data(c);
	double states = (double)bench_int(c, "states"), p = (double)bench_int(c, "P") / 100;
	uint32_t steps = q->run.setup.look_ahead - 1;
	double began = clock_wall();
	uint64_t broken = 0;
	struct track_figures f;
	int status = 0;

	for (int i = 0; !status && i < EVALUATIONS; i++) {
		status = track_synthetic_run_iterate(&q->run, 1, e);
		track_figures(q->run.tracker, &f);
		broken += f.breaks - 1;
	}
	bench_set_seconds(c, clock_wall() - began);
	q->share = (double)broken / ((double)EVALUATIONS * steps);
	bench_work(c, (double)EVALUATIONS * (steps + 1), "steps");
	bench_output_hash(c, hash_u64(HASH_INIT, broken));
	bench_counter(c, "broken", q->share, BENCH_COUNT);
	bench_counter(c, "printed", 1 - pow(p, states), BENCH_COUNT);
	bench_counter(c, "mended", 1 - pow(1 - p, states), BENCH_COUNT);
	return status;
}

/* Steps are independent, so the share has the standard deviation of a binomial distribution. */
static int equation_check(struct bench_case *c, struct err *e)
{
	const struct equation *q = bench_data(c);
	double p = (double)bench_int(c, "P") / 100;
	double expected = 1 - pow(1 - p, (double)bench_int(c, "states"));
	double trials = EVALUATIONS * 7.0;
	double sigma = sqrt(expected * (1 - expected) / trials);

	if (fabs(q->share - expected) > 6 * sigma + 1 / trials)
		return err_set(e, ERR_FAILED, "%.4f of the steps ended in a break; expected: %.4f",
			       q->share, expected);
	return 0;
}

static double equation_estimate(const struct bench_case *c)
{
	return 0.1 + 0.002 * (double)bench_int(c, "states");
}

static const struct bench_axis equation_axes[] = {
	BENCH_VARIANTS("cpu"),
	BENCH_AXIS_INT("states", BENCH_INTS(8), BENCH_INTS(1, 8, 64),
		       BENCH_INTS(1, 2, 4, 8, 16, 32, 64, 256)),
	BENCH_AXIS_INT("P", BENCH_INTS(30), BENCH_INTS(9, 30), BENCH_INTS(1, 9, 30)), BENCH_GPUS(0),
	BENCH_AXIS_END
};
BENCHMARK(equation1) = {
	.name = "koester-recovery/equation1",
	.summary = "Equation (1): probability that any of S states waits, measured and computed",
	.axes = equation_axes,
	.manual_time = true,
	.unit = "ms",
	TRACK_MIN_TIME,
	.setup = equation_setup,
	.run = equation_run,
	.check = equation_check,
	.teardown = equation_teardown,
	.estimate = equation_estimate,
};

/* ==== Figure 4 ==== */

struct figure4 {
	struct track_history *history;
};

static void figure4_teardown(struct bench_case *c)
{
	struct figure4 *f = bench_data(c);

	track_history_destroy(f->history);
	free(f);
}

/* The tree: node 1 has the children 2, 3 and 4; node 2 has 5, 6 and 7; node 4 has 8; node 7 has 9;
 * node 8 has 10. The figure's path is 1, 2, 7, 9. */
static int figure4_setup(struct bench_case *c, struct err *e)
{
	static const uint32_t source[][4] = { { 0, 0, 0 }, { 0, 0, 0, 2 }, { 2, 3 } };
	static const uint32_t successor[][4] = { { 0, 1, 2 }, { 0, 1, 2, 0 }, { 0, 1 } };
	static const uint32_t rating[4] = { 40, 30, 20, 10 }, count[] = { 3, 4, 2 };
	struct figure4 *f = bench_new_data(c, sizeof(*f), e);
	int status = f ? track_history_create(&f->history, 1, false, 0, e) : ERR_MEMORY;

	for (int i = 0; !status && i < 3; i++)
		status =
			track_history_add(f->history, count[i], source[i], successor[i], rating, e);
	if (status && f)
		figure4_teardown(c);
	return status;
}

static int figure4_run(struct bench_case *c, struct err *e)
{
	const struct figure4 *f = bench_data(c);
	struct track_node path[4];
	uint64_t hash = HASH_INIT;
	double began = clock_wall();
	uint32_t length = track_history_trace(f->history, (struct track_node){ 3, 0 }, 0, path, 4);

	(void)e;
	bench_set_seconds(c, clock_wall() - began);
	for (uint32_t i = 0; i < length && i < 4; i++)
		hash = hash_u64(hash, (uint64_t)path[i].layer << 32 | path[i].slot);
	bench_output_hash(c, hash);
	bench_work(c, length, "nodes");
	bench_counter(c, "path", length, BENCH_COUNT);
	return 0;
}

static int figure4_check(struct bench_case *c, struct err *e)
{
	static const struct track_node expected[] = { { 0, 0 }, { 1, 0 }, { 2, 2 }, { 3, 0 } };
	const struct figure4 *f = bench_data(c);
	struct track_node path[4];
	uint32_t length = track_history_trace(f->history, expected[3], 0, path, 4);

	if (length != 4)
		return err_set(e, ERR_FAILED, "the path has %" PRIu32 " nodes; the figure's has 4",
			       length);
	for (int i = 0; i < 4; i++) {
		if (path[i].layer != expected[i].layer || path[i].slot != expected[i].slot)
			return err_set(e, ERR_FAILED, "node %d of the path differs from the figure",
				       i + 1);
	}
	return 0;
}

static const struct bench_axis figure4_axes[] = { BENCH_VARIANTS("serial"), BENCH_AXIS_END };
BENCHMARK(figure4) = {
	.name = "koester-recovery/figure4",
	.summary = "Figure 4: the path 1, 2, 7, 9 traced in the history",
	.axes = figure4_axes,
	.manual_time = true,
	.unit = "ns",
	TRACK_MIN_TIME,
	.setup = figure4_setup,
	.run = figure4_run,
	.check = figure4_check,
	.teardown = figure4_teardown,
};
