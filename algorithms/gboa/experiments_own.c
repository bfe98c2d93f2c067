/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Our own experiments, beyond the paper: the ladder from published to tuned, many concurrent runs,
 * sizes that no GPU of 2009 could hold, CPU and GPU together, several GPUs, other problems, and
 * decision graphs. */
#include <stdio.h>
#include <string.h>

#include "algorithms/gboa/case.h"
#include "algorithms/gboa/rungs.h"

/* ---- the ladder ---- */

static struct boa_plan plan_ladder(const struct bench_case *c)
{
	struct boa_plan p = boa_plan_default(c);

	boa_plan_trap(&p, bench_int(c, "n"));
	p.population = (int32_t)bench_int(c, "population");
	p.generations = (int32_t)bench_int(c, "generations");
	p.rung = solve_rung_find(boa_rungs, NULL, bench_text(c, "rung"));
	p.time_of = BOA_TIME_GENERATION;
	return p;
}

/* Every rung has one variant. Only those of the engine large divide a run among devices. */
static bool ladder_exists(const struct bench_case *c)
{
	struct boa_plan p = plan_ladder(c);
	struct boa_setup s = { .variant = p.variant };

	boa_rung_apply(p.rung, &s);
	return p.variant == p.rung->variant && (bench_int(c, "gpus") == 1 || s.engine == BOA_LARGE);
}

BOA_PLANNED(ladder)

static const struct bench_axis ladder_axes[] = {
	BENCH_VARIANTS("published", "tuned"),
	BENCH_FIXED_NAMED("rung", "literal", "groups", "words", "host-words", "cores", "device",
			  "tensor-cores", "one-kernel", "tuned"),
	BENCH_AXIS_INT("n", BENCH_INTS(20), BENCH_INTS(100, 1000), BENCH_SAME),
	BENCH_AXIS_INT("population", BENCH_INTS(256), BENCH_INTS(4800), BENCH_SAME),
	BENCH_AXIS_INT("generations", BENCH_INTS(3), BENCH_INTS(20), BENCH_SAME),
	BENCH_AXIS_INT("gpus", BENCH_INTS(1), BENCH_INTS(1, 2), BENCH_SAME),
	BENCH_AXIS_END
};
BENCHMARK(ladder) = {
	.name = "gboa/ladder",
	.summary = "From the paper's gBOA to the tuned one, an idea at a time: a generation",
	.axes = ladder_axes,
	.exists = ladder_exists,
	.setup = setup_ladder,
	BOA_CASE,
	.estimate = estimate_ladder,
	.repetitions = { 1, 3, 5 },
};

/* ---- batch ---- */

static struct boa_plan plan_batch(const struct bench_case *c)
{
	struct boa_plan p = boa_plan_default(c);

	boa_plan_trap(&p, bench_int(c, "n"));
	p.population = (int32_t)bench_int(c, "population");
	p.runs = (int)bench_int(c, "runs");
	p.stop = true;
	p.engine = BOA_BATCH;
	p.time_of = BOA_TIME_ALL;
	return p;
}

static bool batch_exists(const struct bench_case *c)
{
	static const double most[] = { 1, 5, 30 };
	struct boa_plan p = plan_batch(c);

	return bench_gpus_fit(c) && boa_plan_seconds(&p, 1, 1) <= most[bench_scale(c)];
}

BOA_PLANNED(batch)

static const struct bench_axis batch_axes[] = {
	BENCH_VARIANTS("cpu", "tuned"),
	BENCH_AXIS_INT("n", BENCH_INTS(15), BENCH_INTS(30, 60), BENCH_INTS(30, 60, 100)),
	BENCH_AXIS_INT("population", BENCH_INTS(256), BENCH_INTS(4800), BENCH_SAME),
	BENCH_AXIS_INT("runs", BENCH_INTS(5), BENCH_INTS(50, 500, 5000),
		       BENCH_INTS(1, 20, 200, 2000, 20000)),
	BENCH_GPUS(0, 1),
	BENCH_AXIS_END
};
BENCHMARK(batch) = {
	.name = "gboa/batch",
	.summary = "Concurrent independent runs, each to its optimum: runs/s",
	.axes = batch_axes,
	.exists = batch_exists,
	.setup = setup_batch,
	BOA_CASE,
	.estimate = estimate_batch,
	.repetitions = { 1, 1, 3 },
};

/* ---- large ---- */

/* generations:1000 means that a run continues to its end. */
static struct boa_plan plan_large(const struct bench_case *c)
{
	struct boa_plan p = boa_plan_default(c);

	boa_plan_trap(&p, bench_int(c, "n"));
	p.population = (int32_t)bench_int(c, "population");
	p.generations = (int32_t)bench_int(c, "generations");
	p.stop = p.generations >= 1000;
	p.engine = BOA_LARGE;
	p.time_of = p.stop ? BOA_TIME_RUN : BOA_TIME_GENERATION;
	return p;
}

/* 65,535 variables (the largest multiple of 5 up to the paper's 2^16) run with one population only.
 */
static bool large_exists(const struct bench_case *c)
{
	static const double most[] = { 1, 3, 30 };
	struct boa_plan p = plan_large(c);
	bool most_variables = bench_int(c, "n") == 65535;

	return bench_gpus_fit(c) && most_variables == (p.population == 65536) &&
	       boa_plan_run(&p, 16, 1) <= most[bench_scale(c)];
}

BOA_PLANNED(large)

static const struct bench_axis large_axes[] = {
	BENCH_VARIANTS("cpu", "tuned"),
	BENCH_AXIS_INT("n", BENCH_INTS(40), BENCH_INTS(500), BENCH_INTS(1000, 5000, 65535)),
	BENCH_AXIS_INT("population", BENCH_INTS(512), BENCH_INTS(19200),
		       BENCH_INTS(65536, 200000, 800000)),
	BENCH_AXIS_INT("generations", BENCH_INTS(2), BENCH_SAME, BENCH_INTS(3, 1000)),
	BENCH_AXIS_INT("gpus", BENCH_INTS(0, 1, 2), BENCH_SAME, BENCH_INTS(0, 1, 2, 4)),
	BENCH_AXIS_END
};
BENCHMARK(large) = {
	.name = "gboa/large",
	.summary = "Many variables and individuals on all GPUs: a generation, or a whole run",
	.axes = large_axes,
	.exists = large_exists,
	.setup = setup_large,
	BOA_CASE,
	.estimate = estimate_large,
};

/* Whole runs on one GPU and on two, with the plan of gboa/large. */
static const struct bench_axis two_gpus_axes[] = {
	BENCH_VARIANTS("tuned"),
	BENCH_AXIS_INT("n", BENCH_INTS(40), BENCH_INTS(500, 1000),
		       BENCH_INTS(500, 1000, 2000, 3000, 5000, 10000)),
	BENCH_AXIS_INT("population", BENCH_INTS(512), BENCH_INTS(19200), BENCH_INTS(200000)),
	BENCH_AXIS_INT("generations", BENCH_INTS(2), BENCH_INTS(1000), BENCH_SAME),
	BENCH_GPUS(1, 2),
	BENCH_AXIS_END
};
BENCHMARK(two_gpus) = {
	.name = "gboa/two-gpus",
	.summary = "The same run on one GPU and on two: from which size the second pays",
	.axes = two_gpus_axes,
	.exists = bench_gpus_fit,
	.setup = setup_large,
	BOA_CASE,
	.estimate = estimate_large,
};

/* ---- CPU and GPU together ---- */

/* `published` divides the variables of a generation, `tuned` the runs of a batch. The batch has the
 * same size at quick and paper scale, because the benchmark's name does not contain it. */
static struct boa_plan plan_together(const struct bench_case *c)
{
	const int batch = bench_scale(c) == BENCH_SMOKE ? 6 : 5000;
	struct boa_plan p = boa_plan_default(c);
	bool runs = p.variant == SOLVE_TUNED;

	boa_plan_trap(&p, bench_int(c, "n"));
	p.population = (int32_t)bench_int(c, "population");
	p.host_share = (double)bench_int(c, "percent") / 100;
	if (!runs)
		p.generations = 5;
	p.stop = runs;
	p.runs = runs ? batch : 1;
	p.engine = BOA_BATCH;
	p.time_of = runs ? BOA_TIME_ALL : BOA_TIME_GENERATION;
	return p;
}

/* Runs of a batch must be short. */
static bool together_exists(const struct bench_case *c)
{
	bool is_short = bench_int(c, "n") <= 60;

	return bench_scale(c) == BENCH_SMOKE ||
	       is_short == (strcmp(bench_text(c, "variant"), "tuned") == 0);
}

BOA_PLANNED(together)

static const struct bench_axis together_axes[] = {
	BENCH_VARIANTS("published", "tuned"),
	BENCH_AXIS_INT("n", BENCH_INTS(15), BENCH_INTS(60, 200), BENCH_INTS(60, 200, 1000)),
	BENCH_AXIS_INT("population", BENCH_INTS(256), BENCH_INTS(4800), BENCH_SAME),
	BENCH_AXIS_INT("percent", BENCH_INTS(0, 50), BENCH_INTS(0, 10, 50),
		       BENCH_INTS(0, 1, 2, 5, 10, 25, 50, 75)),
	BENCH_GPUS(1),
	BENCH_AXIS_END
};
BENCHMARK(together) = {
	.name = "gboa/together",
	.summary = "CPU and GPU together: the cores take a percentage of the variables, or at most "
		   "that of the runs",
	.axes = together_axes,
	.exists = together_exists,
	.setup = setup_together,
	BOA_CASE,
	.estimate = estimate_together,
	.repetitions = { 1, 1, 3 },
};

/* ---- several GPUs ---- */

static bool by_runs(const struct bench_case *c)
{
	return strcmp(bench_text(c, "by"), "runs") == 0;
}

/* One size at all scales but smoke: the name does not contain it, and ratios must not mix two
 * sizes. */
static struct boa_plan plan_devices(const struct bench_case *c)
{
	static const struct {
		int runs;
		int64_t n;
		int32_t population;
	} sizes[2][2] = {
		/* by runs, by variables */
		{ { 6, 15, 256 }, { 1, 40, 512 } },
		{ { 40000, 60, 4800 }, { 1, 5000, 200000 } },
	};
	struct boa_plan p = boa_plan_default(c);
	bool runs = by_runs(c);
	int size = bench_scale(c) == BENCH_SMOKE ? 0 : 1, way = runs ? 0 : 1;

	boa_plan_trap(&p, sizes[size][way].n);
	p.population = sizes[size][way].population;
	p.runs = sizes[size][way].runs;
	if (!runs)
		p.generations = 3;
	p.stop = runs;
	p.engine = runs ? BOA_BATCH : BOA_LARGE;
	p.time_of = runs ? BOA_TIME_ALL : BOA_TIME_GENERATION;
	return p;
}

BOA_PLANNED(devices)

static const struct bench_axis devices_axes[] = {
	BENCH_VARIANTS("tuned"), BENCH_FIXED_NAMED("by", "runs", "variables"),
	BENCH_AXIS_INT("gpus", BENCH_INTS(1, 2), BENCH_SAME, BENCH_INTS(1, 2, 4)), BENCH_AXIS_END
};
BENCHMARK(devices) = {
	.name = "gboa/devices",
	.summary = "The same work on 1, 2 and 4 GPUs: many runs, or the variables of one",
	.axes = devices_axes,
	.exists = bench_gpus_fit,
	.setup = setup_devices,
	BOA_CASE,
	.estimate = estimate_devices,
	.repetitions = { 1, 1, 3 },
};

/* ---- other problems, and decision graphs ---- */

static struct boa_plan plan_problems(const struct bench_case *c)
{
	struct boa_plan p = boa_plan_default(c);
	const char *instance = bench_text(c, "instance"), *colon = strchr(instance, ':');

	snprintf(p.problem, sizeof(p.problem), "%.*s", (int)(colon - instance), instance);
	snprintf(p.instance, sizeof(p.instance), "%s", colon + 1);
	p.model = strcmp(bench_text(c, "model"), "hboa") == 0 ? BOA_TREES : BOA_PERMUTED;
	p.population = (int32_t)bench_int(c, "population");
	p.runs = (int)bench_int(c, "runs");
	p.stop = true;
	p.time_of = BOA_TIME_ALL;
	return p;
}

BOA_PLANNED(problems)

static const struct bench_axis problems_axes[] = {
	BENCH_AXIS_TEXT("instance",
			BENCH_TEXTS("trap5:15", "overlap3:15", "htrap:9", "nk:12:3:1", "ising:4:1",
				    "maxsat:planted:12:40:1", "knapsack:boyer:12:1", "onemax:12"),
			BENCH_TEXTS("trap5:60", "overlap5:61", "htrap:27", "nk:20:4:1", "ising:6:1",
				    "maxsat:planted:40:160:1", "knapsack:boyer:30:1", "onemax:60"),
			BENCH_TEXTS("trap5:60", "trap5:100", "overlap3:61", "overlap5:61",
				    "htrap:81", "htrap:243", "nk:24:5:1", "ising:8:1", "ising:10:1",
				    "maxsat:planted:60:240:1", "knapsack:boyer:50:1",
				    "onemax:100")),
	BENCH_FIXED_NAMED("model", "pboa", "hboa"),
	BENCH_VARIANTS("cpu", "tuned"),
	BENCH_AXIS_INT("population", BENCH_INTS(128), BENCH_INTS(4800), BENCH_SAME),
	BENCH_AXIS_INT("runs", BENCH_INTS(2), BENCH_INTS(5), BENCH_INTS(30)),
	BENCH_GPUS(0, 1),
	BENCH_AXIS_END
};
BENCHMARK(problems) = {
	.name = "gboa/problems",
	.summary = "Every kind of problem, with BOA and with hierarchical BOA",
	.axes = problems_axes,
	.exists = bench_gpus_fit,
	.setup = setup_problems,
	BOA_CASE,
	.estimate = estimate_problems,
};
