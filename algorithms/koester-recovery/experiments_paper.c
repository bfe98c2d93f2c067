/* The paper's tables, figures and equations. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/koester-recovery/case.h"
#include "harness/base/clock.h"
#include "harness/base/hash.h"

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
	TRACK_MODEL_CASE,
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
	TRACK_MODEL_CASE,
};

/* "Increasing the number of iterations will (approximately) result in a linear scale." */
static int setup_iterations(struct bench_case *c, struct err *e)
{
	return track_model_case_setup_several(c, (uint32_t)bench_int(c, "iterations"), e);
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
	.exists = track_model_case_exists,
	.setup = setup_iterations,
	.run = track_model_case_run,
	.check = track_model_case_check,
	.teardown = track_model_case_teardown,
	.uses_device = bench_uses_device,
	.estimate = track_model_case_estimate,
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
	TRACK_MODEL_CASE,
};

/* ==== Tables III and IV, every way of recovery, and the case that no GPU could hold ==== */

#define KIB BENCH_AXIS_INT("kib", BENCH_INTS(2), BENCH_INTS(32, 64, 128), BENCH_SAME)

/* Limits the bytes of a layer on cores: 17 are kept if all are stored. */
static bool fits_scale(const struct bench_case *c)
{
	double bytes = (double)bench_int(c, "states") * (double)bench_int(c, "kib") * 1024;
	double most = bench_scale(c) == BENCH_PAPER ? 1e9 : 1e8;

	return bench_gpus_fit(c) && (bench_uses_device(c) || bytes <= most);
}

/* A quick run has one number of states, the larger one on devices. */
static bool tables_exist(const struct bench_case *c)
{
	bool few = bench_int(c, "states") < 16384;

	return fits_scale(c) && (bench_scale(c) != BENCH_QUICK || few != bench_uses_device(c));
}

static struct track_recovery_case default_case(const struct bench_case *c)
{
	bool smoke = bench_scale(c) == BENCH_SMOKE;

	return (struct track_recovery_case){
		.states = (uint32_t)bench_int(c, "states"),
		.state_bytes = (uint32_t)bench_int(c, "kib") << 10,
		.load = smoke ? 2 : 10,
		.archive = { .recovery = track_case_recovery(c), .distance = 1, .adapt = 2 },
		.from_layer = TRACK_CASE_LAYERS - 1,
		.to_layer = TRACK_CASE_LAYERS - 1,
	};
}

/* ---- Table III ---- */

static struct track_recovery_case table3_case(const struct bench_case *c)
{
	struct track_recovery_case p = default_case(c);

	p.archive.cache = strcmp(bench_text(c, "cache"), "on") == 0;
	p.whole = true;
	return p;
}

/* If all layers are stored, a cache adds nothing. The two engines need the same memory: a quick run
 * has one of them. */
static bool table3_exists(const struct bench_case *c)
{
	if (bench_scale(c) == BENCH_QUICK && bench_variant(c) == SOLVE_PUBLISHED)
		return false;
	return tables_exist(c) && (track_case_recovery(c) == TRACK_RECOVERY_REPLAY ||
				   strcmp(bench_text(c, "cache"), "off") == 0);
}

static int setup_table3(struct bench_case *c, struct err *e)
{
	struct track_recovery_case p = table3_case(c);

	return track_recovery_case_setup(c, &p, e);
}

static double estimate_table3(const struct bench_case *c)
{
	struct track_recovery_case p = table3_case(c);

	return track_recovery_case_estimate(c, &p);
}

static const struct bench_axis table3_axes[] = {
	BENCH_VARIANTS("cpu", "published", "tuned"),
	BENCH_FIXED_NAMED("recovery", "replay", "gpu"),
	BENCH_AXIS_NAMED("cache", BENCH_TEXTS("off"), BENCH_TEXTS("on", "off"), BENCH_SAME),
	BENCH_AXIS_INT("states", BENCH_INTS(64), BENCH_INTS(512, 16384),
		       BENCH_INTS(512, 16384, 65536)),
	KIB,
	BENCH_GPUS(0, 1),
	BENCH_AXIS_END
};
BENCHMARK(table3) = {
	.name = "koester-recovery/table3",
	.summary = "Table III: memory of 16 iterations and a recovery, compared with the equations",
	.axes = table3_axes,
	.exists = table3_exists,
	.setup = setup_table3,
	TRACK_RECOVERY_CASE,
	.estimate = estimate_table3,
};

/* ---- Table IV ---- */

/* Tens of GiB of host memory are for paper scale. A quick run keeps few states there, and none on
 * cores, where it is the same as other memory. */
static bool table4_exists(const struct bench_case *c)
{
	enum track_recovery r = track_case_recovery(c);
	bool on_host = r == TRACK_RECOVERY_PINNED || r == TRACK_RECOVERY_HOST;
	bool few = bench_int(c, "states") < 16384;

	if (!fits_scale(c) || bench_scale(c) != BENCH_QUICK)
		return fits_scale(c);
	return bench_uses_device(c) ? few || !on_host : few && !on_host;
}

static int setup_table4(struct bench_case *c, struct err *e)
{
	struct track_recovery_case p = default_case(c);

	return track_recovery_case_setup(c, &p, e);
}

static double estimate_table4(const struct bench_case *c)
{
	struct track_recovery_case p = default_case(c);

	return track_recovery_case_estimate(c, &p);
}

static const struct bench_axis table4_axes[] = {
	BENCH_VARIANTS("cpu", "published", "tuned"),
	BENCH_AXIS_NAMED("recovery", BENCH_TEXTS("replay", "gpu"),
			 BENCH_TEXTS("replay", "gpu", "pinned", "host"), BENCH_SAME),
	BENCH_AXIS_INT("states", BENCH_INTS(64), BENCH_INTS(512, 16384), BENCH_SAME),
	KIB,
	BENCH_GPUS(0, 1),
	BENCH_AXIS_END
};
BENCHMARK(table4) = {
	.name = "koester-recovery/table4",
	.summary = "Table IV: recovery of all states by replay of 15 iterations, or from storage",
	.axes = table4_axes,
	.exists = table4_exists,
	.setup = setup_table4,
	TRACK_RECOVERY_CASE,
	.estimate = estimate_table4,
};

static const struct bench_axis big_axes[] = {
	BENCH_VARIANTS("published", "tuned"),
	BENCH_FIXED_NAMED("recovery", "replay", "gpu"),
	BENCH_AXIS_INT("states", BENCH_INTS(128), BENCH_INTS(65536), BENCH_SAME),
	BENCH_AXIS_INT("kib", BENCH_INTS(2), BENCH_INTS(128), BENCH_SAME),
	BENCH_GPUS(1),
	BENCH_AXIS_END
};
BENCHMARK(big) = {
	.name = "koester-recovery/big",
	.summary = "65,536 states of 128 KiB on one GPU: 24 GiB, 136 GiB if all were stored",
	.axes = big_axes,
	.exists = fits_scale,
	.setup = setup_table4,
	TRACK_RECOVERY_CASE,
	.estimate = estimate_table4,
};

/* ---- every way of recovery ---- */

/* `budget`: for multistage, percent of all layers for kept states on the device, and the same in
 * pinned memory. `distance`: for checkpoint and adaptive. */
static struct track_recovery_case recoveries_case(const struct bench_case *c)
{
	struct track_recovery_case p = default_case(c);
	double all = (double)p.states * p.state_bytes * TRACK_CASE_LAYERS;
	uint64_t budget = (uint64_t)(all * (double)bench_int(c, "budget") / 100);

	p.from_layer = 1;
	p.to_layer = TRACK_CASE_LAYERS;
	p.scattered = true;
	p.archive.cache = strcmp(bench_text(c, "cache"), "on") == 0;
	if (bench_int(c, "distance") > 0)
		p.archive.distance = (uint32_t)bench_int(c, "distance");
	if (p.archive.recovery == TRACK_RECOVERY_MULTISTAGE) {
		p.archive.budget[TRACK_TIER_DEVICE] = p.archive.budget[TRACK_TIER_PINNED] = budget;
		p.archive.budget[TRACK_TIER_PEER] = p.archive.budget[TRACK_TIER_PAGEABLE] =
			1; /* none */
	}
	return p;
}

static bool recoveries_exist(const struct bench_case *c)
{
	enum track_recovery r = track_case_recovery(c);
	bool steps = r == TRACK_RECOVERY_CHECKPOINT || r == TRACK_RECOVERY_ADAPTIVE;
	bool cached = strcmp(bench_text(c, "cache"), "on") == 0;

	if (steps != (bench_int(c, "distance") > 0) ||
	    (r == TRACK_RECOVERY_MULTISTAGE) != (bench_int(c, "budget") > 0) ||
	    (cached && r != TRACK_RECOVERY_REPLAY) ||
	    (r == TRACK_RECOVERY_PEER && !bench_uses_device(c)))
		return false;
	if (bench_scale(c) == BENCH_SMOKE && !bench_uses_device(c) &&
	    r != TRACK_RECOVERY_MULTISTAGE)
		return false; /* the same code; simulated devices run all of them */
	return fits_scale(c);
}

static int setup_recoveries(struct bench_case *c, struct err *e)
{
	struct track_recovery_case p = recoveries_case(c);

	return track_recovery_case_setup(c, &p, e);
}

static double estimate_recoveries(const struct bench_case *c)
{
	struct track_recovery_case p = recoveries_case(c);

	return track_recovery_case_estimate(c, &p);
}

static const struct bench_axis recoveries_axes[] = {
	BENCH_VARIANTS("cpu", "tuned"),
	BENCH_FIXED_NAMED("recovery", "replay", "gpu", "pinned", "host", "peer", "checkpoint",
			  "adaptive", "multistage"),
	BENCH_FIXED_NAMED("cache", "off", "on"),
	BENCH_AXIS_INT("distance", BENCH_INTS(0, 4), BENCH_INTS(0, 4, 8, 16),
		       BENCH_INTS(0, 1, 2, 4, 8, 16)),
	BENCH_AXIS_INT("budget", BENCH_INTS(0, 25), BENCH_SAME, BENCH_INTS(0, 10, 25, 50)),
	BENCH_AXIS_INT("states", BENCH_INTS(64), BENCH_INTS(512), BENCH_INTS(16384)),
	BENCH_AXIS_INT("kib", BENCH_INTS(2), BENCH_INTS(32), BENCH_SAME),
	BENCH_GPUS(0, 1),
	BENCH_AXIS_END
};
BENCHMARK(recoveries) = {
	.name = "koester-recovery/recoveries",
	.summary = "Every way of recovery: mean time for all states of a layer, and the bytes kept",
	.axes = recoveries_axes,
	.exists = recoveries_exist,
	.setup = setup_recoveries,
	TRACK_RECOVERY_CASE,
	.estimate = estimate_recoveries,
};

/* ==== Figure 5, Equation (1) and Figure 4 ==== */

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
	TRACK_MODEL_CASE,
};

/* ---- Equation (1) ---- */

enum { EVALUATIONS = 500 };

struct equation {
	struct track_places places;
	struct track_synthetic_run run;
	double share; /* share of steps, without the last of each evaluation, that ended in a break
		       */
};

/* With F = 0, a step ends in a break if any state waits: its probability is the P of Equation (1).
 */
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
	s.stop = bench_stop(c);
	return s;
}

static void equation_teardown(struct bench_case *c)
{
	struct equation *q = bench_data(c);

	track_synthetic_run_close(&q->run);
	track_places_close(&q->places);
	free(q);
	bench_set_data(c, NULL);
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
	.summary =
		"Equation (1): probability that any of S states waits, compared with its readings",
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
	struct track_history *h = NULL;
	int status = track_history_create(&h, 1, false, 0, e);

	for (int i = 0; !status && i < 3; i++)
		status = track_history_add(h, count[i], source[i], successor[i], rating, e);
	if (status && h)
		track_history_destroy(h);
	else
		bench_set_data(c, h);
	return status;
}

static int figure4_run(struct bench_case *c, struct err *e)
{
	const struct track_history *h = bench_data(c);
	struct track_node path[4];
	uint64_t hash = HASH_INIT;
	double began = clock_wall();
	uint32_t length = track_history_trace(h, (struct track_node){ 3, 0 }, 0, path, 4);

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
	struct track_node path[4];
	uint32_t length = track_history_trace(bench_data(c), expected[3], 0, path, 4);

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

static void figure4_teardown(struct bench_case *c)
{
	track_history_destroy(bench_data(c));
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
