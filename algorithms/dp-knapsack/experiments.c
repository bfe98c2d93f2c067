/* The experiments: Table I, Figure 5, the chosen items, the correlation classes, and instances that
 * are hard for branch and bound. */
#include <stdio.h>
#include <string.h>

#include "algorithms/dp-knapsack/case.h"

/* The members that all experiments share. */
#define DP_CASE                                                                                    \
	.manual_time = true, .unit = "ms", .exists = dp_case_exists, .run = dp_case_run,           \
	.check = dp_case_check, .teardown = dp_case_teardown, .uses_device = bench_uses_device

#define FORMS BENCH_FIXED_NAMED("form", "item", "fused", "class", "merged")
#define GPUS BENCH_AXIS_INT("gpus", BENCH_INTS(0, 1, 2), BENCH_INTS(0, 1, 2, 4), BENCH_SAME)
#define SEEDS                                                                                      \
	BENCH_AXIS_INT("seed", BENCH_INTS(1), BENCH_INTS(1, 2, 3),                                 \
		       BENCH_INTS(1, 2, 3, 4, 5, 6, 7, 8, 9, 10))
#define ONE_SEED BENCH_FIXED_INT("seed", 1)
#define BOYER BENCH_FIXED_TEXT("instance", "boyer")

enum { NAME_BYTES = 64 };

static const char *boyer_name(const struct bench_case *c, char name[NAME_BYTES])
{
	snprintf(name, NAME_BYTES, "boyer:%lld:%lld", (long long)bench_int(c, "n"),
		 (long long)bench_int(c, "seed"));
	return name;
}

static int setup_value(struct bench_case *c, struct err *e)
{
	char name[NAME_BYTES];

	return dp_case_setup(c, boyer_name(c, name), false, e);
}

static int setup_items(struct bench_case *c, struct err *e)
{
	char name[NAME_BYTES];

	return dp_case_setup(c, boyer_name(c, name), true, e);
}

/* Weights are 500 on average and C is half of their sum. */
static double estimate_boyer(const struct bench_case *c)
{
	double n = (double)bench_int(c, "n");

	return dp_case_estimate(c, n, 250 * n);
}

static const struct bench_axis table1_axes[] = {
	BOYER,
	BENCH_ALL_VARIANTS,
	FORMS,
	BENCH_AXIS_INT("n", BENCH_INTS(200, 400), BENCH_INTS(10000, 20000),
		       BENCH_INTS(10000, 20000, 30000, 40000, 50000, 60000, 70000, 80000, 90000)),
	SEEDS,
	GPUS,
	BENCH_AXIS_END
};
BENCHMARK(table1) = {
	.name = "dp-knapsack/table1",
	.summary = "Table I: speed-up over one core against the number of items",
	.axes = table1_axes,
	.setup = setup_value,
	DP_CASE,
	.estimate = estimate_boyer,
};

static const struct bench_axis fig5_axes[] = {
	BOYER,
	BENCH_ALL_VARIANTS,
	FORMS,
	BENCH_AXIS_INT("n", BENCH_INTS(300), BENCH_INTS(30000), BENCH_INTS(100000)),
	BENCH_AXIS_INT("seed", BENCH_INTS(1), BENCH_SAME,
		       BENCH_INTS(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)),
	GPUS,
	BENCH_AXIS_END
};
BENCHMARK(fig5) = {
	.name = "dp-knapsack/fig5",
	.summary = "Figure 5: processing time, for the size that Table I leaves out",
	.axes = fig5_axes,
	.setup = setup_value,
	DP_CASE,
	.estimate = estimate_boyer,
};

static int setup_linearity(struct bench_case *c, struct err *e)
{
	char name[NAME_BYTES];

	return dp_case_setup_part(c, boyer_name(c, name), (double)bench_int(c, "percent") / 100, e);
}

static double estimate_linearity(const struct bench_case *c)
{
	return estimate_boyer(c) * (double)bench_int(c, "percent") / 100;
}

static const struct bench_axis linearity_axes[] = {
	BOYER,
	BENCH_VARIANTS("serial"),
	BENCH_FIXED_NAMED("form", "item"),
	BENCH_AXIS_INT("n", BENCH_INTS(400), BENCH_INTS(5000), BENCH_INTS(10000)),
	BENCH_FIXED_INT("percent", 10, 25, 50, 100),
	ONE_SEED,
	BENCH_GPUS(0),
	BENCH_AXIS_END
};
BENCHMARK(linearity) = {
	.name = "dp-knapsack/linearity",
	.summary = "Whether serial times can be extrapolated from a part of the items",
	.axes = linearity_axes,
	.setup = setup_linearity,
	DP_CASE,
	.estimate = estimate_linearity,
	.repetitions = { 1, 3, 3 },
};

static const struct bench_axis items_axes[] = {
	BOYER,
	BENCH_VARIANTS("cpu", "tuned"),
	BENCH_FIXED_NAMED("form", "fused", "class", "merged"),
	BENCH_AXIS_INT("n", BENCH_INTS(200, 400), BENCH_INTS(10000, 20000),
		       BENCH_INTS(10000, 50000, 100000)),
	ONE_SEED,
	BENCH_GPUS(0, 1),
	BENCH_AXIS_END
};
BENCHMARK(items) = {
	.name = "dp-knapsack/items",
	.summary = "Returning the chosen items: the cost of the reconstruction",
	.axes = items_axes,
	.setup = setup_items,
	DP_CASE,
	.estimate = estimate_boyer,
};

static int setup_correlation(struct bench_case *c, struct err *e)
{
	char name[96];

	snprintf(name, sizeof(name), "correlation:%s:%lld:%lld", bench_text(c, "class"),
		 (long long)bench_int(c, "n"), (long long)bench_int(c, "seed"));
	return dp_case_setup(c, name, false, e);
}

static const struct bench_axis correlation_axes[] = {
	BENCH_FIXED_TEXT("class", "strong", "weak", "uncorrelated", "inverse", "subset-sum"),
	BENCH_ALL_VARIANTS,
	BENCH_FIXED_NAMED("form", "item", "fused", "class"),
	BENCH_AXIS_INT("n", BENCH_INTS(200), BENCH_INTS(10000), BENCH_INTS(10000)),
	ONE_SEED,
	BENCH_GPUS(0, 1),
	BENCH_AXIS_END
};
BENCHMARK(correlation) = {
	.name = "dp-knapsack/correlation",
	.summary =
		"Section IV: the type of correlation does not matter to dense dynamic programming",
	.axes = correlation_axes,
	.setup = setup_correlation,
	DP_CASE,
	.estimate = estimate_boyer,
	.repetitions = { 1, 3, 3 },
};

/* Jooken's generator. Labels replace the instances' names because a benchmark's name must not
 * contain colons. */
static const struct hard_instance {
	const char *label, *name;
	double n, capacity;
} hard_instances[] = {
	{ "n60-c1e4", "hard:60:10000:4:0.3:0.01:50", 60, 1e4 },
	{ "n400-c1e6", "hard:400:1000000:10:0.3:0.0001:300", 400, 1e6 },
	{ "n600-c1e7", "hard:600:10000000:10:0.3:0.0001:300", 600, 1e7 },
	{ "n400-c1e8", "hard:400:100000000:10:0.3:0:300", 400, 1e8 },
	{ "n1200-c1e8", "hard:1200:100000000:10:0.3:1e-5:100", 1200, 1e8 },
};

static const struct hard_instance *hard_of(const struct bench_case *c)
{
	const struct hard_instance *h = hard_instances;

	while (strcmp(h->label, bench_text(c, "instance")) != 0)
		h++;
	return h;
}

static int setup_hard(struct bench_case *c, struct err *e)
{
	return dp_case_setup(c, hard_of(c)->name, true, e);
}

static double estimate_hard(const struct bench_case *c)
{
	return dp_case_estimate(c, hard_of(c)->n, 6 * hard_of(c)->capacity);
}

static const struct bench_axis hard_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("n60-c1e4"), BENCH_TEXTS("n400-c1e6", "n600-c1e7"),
			BENCH_TEXTS("n400-c1e6", "n600-c1e7", "n400-c1e8", "n1200-c1e8")),
	BENCH_VARIANTS("cpu", "tuned"), BENCH_FIXED_NAMED("form", "fused"),
	BENCH_AXIS_INT("gpus", BENCH_INTS(0, 1), BENCH_INTS(0, 1, 2, 4), BENCH_SAME), BENCH_AXIS_END
};
BENCHMARK(hard) = {
	.name = "dp-knapsack/hard",
	.summary = "Instances hard for branch and bound (Jooken et al. 2022), large capacities",
	.axes = hard_axes,
	.setup = setup_hard,
	DP_CASE,
	.estimate = estimate_hard,
};
