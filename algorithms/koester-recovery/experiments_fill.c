/* Figure 5, Equation (1) and Figure 4: the fill rate between the paper's values, how often a step
 * is broken off, and the example of a path in the history. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/hash.h"
#include "algorithms/koester-recovery/experiment_model.h"

/* ---- the fill rate ---- */

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

/* ---- Equation (1) ---- */

enum { EVALUATIONS = 500 };

struct equation {
	struct track_places places;
	struct synthetic_run run;
	double share; /* of the steps, the last of each evaluation left out, that were broken off */
};

/* With F = 0 a step is broken off when any state waits: so often is the P of Equation (1). */
static struct synthetic_setup equation_setup_of(const struct bench_case *c)
{
	struct synthetic_setup s = synthetic_setup_default();

	s.states = s.beam = (uint32_t)bench_int(c, "states");
	s.model.rows = s.model.columns = 4;
	s.model.load = 1;
	s.model.state_bytes = 64;
	s.model.break_probability = (double)bench_int(c, "P") / 100;
	s.schedule = SYNTHETIC_TOGETHER;
	s.fill_rate = 0;
	s.engine = track_case_engine(c);
	s.stop = bench_stop(c);
	return s;
}

static void equation_teardown(struct bench_case *c)
{
	struct equation *q = bench_data(c);

	synthetic_run_close(&q->run);
	track_places_close(&q->places);
	free(q);
	bench_set_data(c, NULL);
}

static int equation_setup(struct bench_case *c, struct err *e)
{
	struct synthetic_setup s = equation_setup_of(c);
	struct equation *q = bench_new_data(c, sizeof(*q), e);
	int status;

	if (!q)
		return ERR_MEMORY;
	status = track_case_places(c, false, 0, &q->places, e);
	if (!status)
		status = synthetic_run_open(&q->run, &s, &q->places, e);
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
		status = synthetic_run_iterate(&q->run, 1, e);
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

/* Steps are independent: so often with a standard deviation of a binomial. */
static int equation_check(struct bench_case *c, struct err *e)
{
	const struct equation *q = bench_data(c);
	double p = (double)bench_int(c, "P") / 100;
	double expected = 1 - pow(1 - p, (double)bench_int(c, "states"));
	double trials = EVALUATIONS * 7.0;
	double sigma = sqrt(expected * (1 - expected) / trials);

	if (fabs(q->share - expected) > 6 * sigma + 1 / trials)
		return err_set(e, ERR_FAILED,
			       "%.4f of the steps were broken off, expected are "
			       "%.4f",
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
	.summary = "Equation (1): how often some state of S waits, against its readings",
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

/* ---- Figure 4 ---- */

/* The tree: 1; its children 2, 3, 4; theirs 5, 6, 7 (of 2) and 8 (of 4); 9 of 7 and 10 of 8.
 * The figure's path is 1, 2, 7, 9. */
static int figure4_setup(struct bench_case *c, struct err *e)
{
	static const uint32_t source[][4] = { { 0, 0, 0 }, { 0, 0, 0, 2 }, { 2, 3 } };
	static const uint32_t successor[][4] = { { 0, 1, 2 }, { 0, 1, 2, 0 }, { 0, 1 } };
	static const uint32_t rating[4] = { 40, 30, 20, 10 }, count[] = { 3, 4, 2 };
	struct history *h = NULL;
	int status = history_create(&h, 1, false, 0, e);

	for (int i = 0; !status && i < 3; i++)
		status = history_add(h, count[i], source[i], successor[i], rating, e);
	if (status && h)
		history_destroy(h);
	else
		bench_set_data(c, h);
	return status;
}

static int figure4_run(struct bench_case *c, struct err *e)
{
	const struct history *h = bench_data(c);
	struct history_node path[4];
	uint64_t hash = HASH_INIT;
	double began = clock_wall();
	uint32_t length = history_trace(h, (struct history_node){ 3, 0 }, 0, path, 4);

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
	static const struct history_node expected[] = { { 0, 0 }, { 1, 0 }, { 2, 2 }, { 3, 0 } };
	struct history_node path[4];
	uint32_t length = history_trace(bench_data(c), expected[3], 0, path, 4);

	if (length != 4)
		return err_set(e, ERR_FAILED, "a path of %" PRIu32 " nodes, the figure has 4",
			       length);
	for (int i = 0; i < 4; i++) {
		if (path[i].layer != expected[i].layer || path[i].slot != expected[i].slot)
			return err_set(e, ERR_FAILED, "node %d of the path is not the figure's",
				       i + 1);
	}
	return 0;
}

static void figure4_teardown(struct bench_case *c)
{
	history_destroy(bench_data(c));
	bench_set_data(c, NULL);
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
