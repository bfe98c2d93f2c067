/* Tables I and II: the time of one iteration. */
#include "algorithms/koester-recovery/experiment_model.h"

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
	return model_case_setup_several(c, (uint32_t)bench_int(c, "iterations"), e);
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
	.summary = "Several iterations without a wait between them (section V)",
	.axes = iterations_axes,
	.manual_time = true,
	.unit = "ms",
	TRACK_MIN_TIME,
	.exists = model_case_exists,
	.setup = setup_iterations,
	.run = model_case_run,
	.check = model_case_check,
	.teardown = model_case_teardown,
	.uses_device = bench_uses_device,
	.estimate = model_case_estimate,
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
