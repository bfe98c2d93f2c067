/* The experiments of the paper that one machine can run: Tables 1, 2, 4, 5 and 7. Figures 9, 10 and
 * 11 are computed from the rows of table1 and table2, and of table5 and table7. */
#include <string.h>

#include "algorithms/helbecque-pool/case.h"

#define FLOWSHOPS                                                                                  \
	"ta029", "ta030", "ta022", "ta027", "ta023", "ta028", "ta025", "ta026", "ta024", "ta021"
#define SEVERAL_GPUS BENCH_AXIS_INT("gpus", BENCH_INTS(2), BENCH_INTS(2, 4, 8), BENCH_SAME)

static int setup_default(struct bench_case *c, struct err *e)
{
	struct pool_case p = pool_case_default(c);

	return pool_case_setup(c, &p, e);
}

static const struct bench_axis table1_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("r9x5", "r9x8"), BENCH_TEXTS(FLOWSHOPS),
			BENCH_SAME),
	BENCH_ALL_VARIANTS, BENCH_GPUS(0, 1), BENCH_AXIS_END
};
BENCHMARK(table1) = {
	.name = "helbecque-pool/table1",
	.summary = "Table 1 and Figure 10: flowshop from the optimum: exact trees and times",
	.axes = table1_axes,
	.exists = pool_case_exists,
	.setup = setup_default,
	POOL_CASE,
	.estimate = pool_case_estimate,
};

static const struct bench_axis table2_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("8Q", "10Q"),
			BENCH_TEXTS("12Q", "13Q", "14Q", "15Q", "16Q", "17Q", "18Q"),
			BENCH_TEXTS("15Q", "16Q", "17Q", "18Q", "19Q")),
	BENCH_ALL_VARIANTS, BENCH_GPUS(0, 1), BENCH_AXIS_END
};
BENCHMARK(table2) = {
	.name = "helbecque-pool/table2",
	.summary = "Table 2 and Figure 9: N-Queens: exact trees, solutions and times",
	.axes = table2_axes,
	.exists = pool_case_exists,
	.setup = setup_default,
	POOL_CASE,
	.estimate = pool_case_estimate,
};

/* ---- Table 4 ---- */

/* m:0 with M:0 is the automatic choice. */
static bool sweep_exists(const struct bench_case *c)
{
	return pool_case_exists(c) && (bench_int(c, "m") == 0) == (bench_int(c, "M") == 0);
}

static int setup_sweep(struct bench_case *c, struct err *e)
{
	struct pool_case p = pool_case_default(c);

	p.m = bench_int(c, "m");
	p.M = bench_int(c, "M");
	return pool_case_setup(c, &p, e);
}

static const struct bench_axis table4_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("r9x5"), BENCH_TEXTS("ta030"), BENCH_SAME),
	BENCH_VARIANTS("published"),
	BENCH_AXIS_INT("m", BENCH_INTS(0, 5, 20), BENCH_INTS(0, 10, 50, 100),
		       BENCH_INTS(0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100)),
	BENCH_AXIS_INT("M", BENCH_INTS(0, 50, 500), BENCH_INTS(0, 50000, 200000, 500000),
		       BENCH_INTS(0, 50000, 100000, 200000, 300000, 400000, 500000, 600000)),
	BENCH_GPUS(1),
	BENCH_AXIS_END
};
BENCHMARK(table4) = {
	.name = "helbecque-pool/table4",
	.summary =
		"Table 4: the paper's algorithm for given m and M; m:0/M:0 is the automatic choice",
	.axes = table4_axes,
	.exists = sweep_exists,
	.setup = setup_sweep,
	POOL_CASE,
	.estimate = pool_case_estimate,
};

/* Tests whether the paper's choice also holds for other instances. Only M varies; m is that of the
 * paper. */
static int setup_calibration(struct bench_case *c, struct err *e)
{
	struct pool_case p = pool_case_default(c);

	p.M = bench_int(c, "M");
	p.m = !p.M ? 0 : p.m ? p.m : POOL_PAPER_M;
	return pool_case_setup(c, &p, e);
}

static const struct bench_axis calibration_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("r9x5"), BENCH_TEXTS("ta029", "14Q"),
			BENCH_TEXTS("ta029", "ta022", "15Q")),
	BENCH_VARIANTS("published"),
	BENCH_AXIS_INT("M", BENCH_INTS(0, 50, 500),
		       BENCH_INTS(0, 10000, 50000, 200000, 500000, 1000000), BENCH_SAME),
	BENCH_GPUS(1), BENCH_AXIS_END
};
BENCHMARK(calibration) = {
	.name = "helbecque-pool/calibration",
	.summary = "The automatic choice of m and M (M:0) against the best of a sweep",
	.axes = calibration_axes,
	.exists = pool_case_exists,
	.setup = setup_calibration,
	POOL_CASE,
	.estimate = pool_case_estimate,
	.repetitions = { 1, 3, 5 },
};

/* ---- several GPUs ---- */

#define SCALING_INSTANCES                                                                          \
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("r9x5", "8Q"),                                     \
			BENCH_TEXTS("15Q", "17Q", "18Q", "ta029", "ta030", "ta022", "ta027",       \
				    "ta026", "ta024", "ta021"),                                    \
			BENCH_TEXTS("15Q", "16Q", "17Q", "18Q", "19Q", FLOWSHOPS))

static const struct bench_axis table5_axes[] = { SCALING_INSTANCES,
						 BENCH_VARIANTS("published", "tuned"), SEVERAL_GPUS,
						 BENCH_AXIS_END };
BENCHMARK(table5) = {
	.name = "helbecque-pool/table5",
	.summary = "Table 5: scaling over GPUs; its base, one GPU, is in table1 and table2",
	.axes = table5_axes,
	.exists = pool_case_exists,
	.setup = setup_default,
	POOL_CASE,
	.estimate = pool_case_estimate,
};

/* Runs only with all GPUs of the machine, as in the paper: 8, 4 or 2. */
static int setup_no_stealing(struct bench_case *c, struct err *e)
{
	struct pool_case p = pool_case_default(c);
	int64_t gpus = bench_int(c, "gpus"), given = bench_setting(c)->devices.count;

	if (2 * gpus <= given && 2 * gpus <= 8)
		return bench_skip(c, (struct skip){ SKIP_FEWER_GPUS, (double)gpus, (double)given },
				  e, "measured with more of the %d GPUs given", (int)given);
	p.no_stealing = true;
	return pool_case_setup(c, &p, e);
}

static const struct bench_axis table7_axes[] = { SCALING_INSTANCES,
						 BENCH_VARIANTS("published", "tuned"),
						 BENCH_FIXED_NAMED("stealing", "off"), SEVERAL_GPUS,
						 BENCH_AXIS_END };
BENCHMARK(table7) = {
	.name = "helbecque-pool/table7",
	.summary = "Table 7 and Figure 11: without work stealing; with it see table5",
	.axes = table7_axes,
	.exists = pool_case_exists,
	.setup = setup_no_stealing,
	POOL_CASE,
	.estimate = pool_case_estimate,
};
