/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The experiments of the paper: Table I (Figure 7 is drawn from its rows) and the complexity model
 * of section V-A. Two more experiments use the paper's settings: how often they solve the problem,
 * which the paper does not report, and the time of a whole generation. */
#include <math.h>
#include <string.h>

#include "algorithms/gboa/case.h"
#include "harness/base/flags.h"

/* The number of runs that fit into the seconds of a case, 1 to `most`. */
static int runs_within(const struct boa_plan *p, double seconds, int most)
{
	double runs = floor(seconds / boa_plan_run(p, 1, 1));

	return runs < 1 ? 1 : runs > most ? most : (int)runs;
}

/* ---- Table I ---- */

/* The mean of 20 runs, as in the paper; of fewer if runs are long. `tuned` uses --engine auto. */
static struct boa_plan plan_table1(const struct bench_case *c)
{
	static const double seconds[] = { 0.05, 1, 5 };
	struct boa_plan p = boa_plan_default(c);

	boa_plan_trap(&p, bench_int(c, "n"));
	p.population = (int32_t)bench_int(c, "population");
	p.generations = (int32_t)bench_int(c, "generations");
	p.singly = true;
	p.runs = runs_within(&p, seconds[bench_scale(c)], 20);
	return p;
}

/* All variants run the first 2 generations. They run 200 generations only if that does not take
 * hours. */
static bool table1_exists(const struct bench_case *c)
{
	static const double most[] = { 1, 12, 60 };
	struct boa_plan p = plan_table1(c);
	double seconds = boa_plan_run(&p, 1, 1);

	if (!bench_gpus_fit(c))
		return false;
	return seconds <= most[bench_scale(c)] ||
	       (bench_scale(c) == BENCH_PAPER && bench_int(c, "generations") <= 2);
}

BOA_PLANNED(table1)

static const struct bench_axis table1_axes[] = {
	BENCH_VARIANTS("sboa", "pboa", "cpu", "published", "tuned"),
	BENCH_AXIS_INT("n", BENCH_INTS(20, 30), BENCH_INTS(50, 100, 200, 400, 1000),
		       BENCH_INTS(50, 100, 200, 400, 600, 800, 1000)),
	BENCH_AXIS_INT("population", BENCH_INTS(256), BENCH_INTS(4800), BENCH_SAME),
	BENCH_AXIS_INT("generations", BENCH_INTS(2), BENCH_INTS(2, 200), BENCH_SAME),
	BENCH_GPUS(0, 1),
	BENCH_AXIS_END
};
BENCHMARK(table1) = {
	.name = "gboa/table1",
	.summary = "Table I and Figure 7: time of a run by n, N = 4800; 200 generations, or the "
		   "first 2",
	.axes = table1_axes,
	.exists = table1_exists,
	.setup = setup_table1,
	BOA_CASE,
	.estimate = estimate_table1,
};

/* ---- the complexity of section V-A ---- */

/* One of n, N, k and the threads varies; the others have the middle value of the scale. */
static const struct {
	int64_t n, population, k;
} middle[] = { { 20, 256, 2 }, { 100, 4800, 3 }, { 200, 4800, 3 } };

static int64_t middle_threads(const struct bench_case *c)
{
	return strcmp(bench_text(c, "variant"), "published") == 0 ? 480 : 1;
}

static struct boa_plan plan_model(const struct bench_case *c)
{
	struct boa_plan p = boa_plan_default(c);
	int threads = (int)bench_int(c, "threads");

	boa_plan_trap(&p, bench_int(c, "n"));
	p.population = (int32_t)bench_int(c, "population");
	p.max_parents = (int32_t)bench_int(c, "k");
	p.generations = 2;
	p.engine = BOA_GRID;
	p.time_of = BOA_TIME_GENERATION;
	p.threads = bench_uses_device(c) ? 0 : threads;
	p.block_threads = bench_uses_device(c) ? threads : 0;
	return p;
}

/* `threads` are those of a block for `published` and those of the host for `cpu`. They do not vary
 * for `pboa` and `tuned`. */
static bool has_threads(const struct bench_case *c)
{
	const char *v = bench_text(c, "variant");
	int64_t threads = bench_int(c, "threads");

	if (strcmp(v, "published") == 0)
		return threads >= 32;
	return strcmp(v, "cpu") == 0 ? threads < 32 : threads == 1;
}

static bool model_exists(const struct bench_case *c)
{
	enum bench_scale s = bench_scale(c);
	int varied = (bench_int(c, "n") != middle[s].n) +
		     (bench_int(c, "population") != middle[s].population) +
		     (bench_int(c, "k") != middle[s].k) +
		     (bench_int(c, "threads") != middle_threads(c));

	/* serial learning of 1,000 variables takes about 20 s per generation */
	if (bench_int(c, "n") == 1000 && strcmp(bench_text(c, "variant"), "pboa") == 0)
		return false;
	return bench_gpus_fit(c) && varied <= 1 && has_threads(c);
}

BOA_PLANNED(model)

static const struct bench_axis model_axes[] = {
	BENCH_VARIANTS("pboa", "cpu", "published", "tuned"),
	BENCH_AXIS_INT("n", BENCH_INTS(20, 40), BENCH_INTS(50, 100, 200),
		       BENCH_INTS(50, 100, 200, 400, 1000)),
	BENCH_AXIS_INT("population", BENCH_INTS(256), BENCH_INTS(2432, 4800, 9600),
		       BENCH_INTS(2432, 4800, 9600, 19200)),
	BENCH_AXIS_INT("k", BENCH_INTS(2), BENCH_INTS(1, 2, 3, 4), BENCH_INTS(1, 2, 3, 4, 5)),
	BENCH_AXIS_INT("threads", BENCH_INTS(1, 480), BENCH_INTS(1, 2, 32, 128, 480),
		       BENCH_INTS(1, 2, 4, 8, 16, 32, 64, 128, 256, 480, 960)),
	BENCH_GPUS(0, 1),
	BENCH_AXIS_END
};
BENCHMARK(model) = {
	.name = "gboa/model",
	.summary = "Section V-A: time of a generation by n, N, k and threads (of a block; of cpu)",
	.axes = model_axes,
	.exists = model_exists,
	.setup = setup_model,
	BOA_CASE,
	.estimate = estimate_model,
	.repetitions = { 1, 3, 5 },
};

/* ---- quality ---- */

static struct boa_plan plan_quality(const struct bench_case *c)
{
	struct boa_plan p = boa_plan_default(c);

	boa_plan_trap(&p, bench_int(c, "n"));
	p.population = (int32_t)bench_int(c, "population");
	p.stop = true;
	p.runs = (int)bench_int(c, "runs");
	p.time_of = BOA_TIME_ALL;
	return p;
}

/* Skips populations far too large or too small for n; 4800 is the paper's. */
static bool quality_exists(const struct bench_case *c)
{
	static const double most[] = { 1, 10, 60 };
	double need = 20 * pow((double)bench_int(c, "n"), 1.35);
	double population = (double)bench_int(c, "population");
	struct boa_plan p = plan_quality(c);

	if (!bench_gpus_fit(c) || boa_plan_seconds(&p, 1, 1) > most[bench_scale(c)])
		return false;
	return bench_scale(c) == BENCH_SMOKE || population == 4800 ||
	       (population >= need / 4 && population <= 4 * need);
}

BOA_PLANNED(quality)

static const struct bench_axis quality_axes[] = {
	BENCH_VARIANTS("cpu", "tuned"),
	BENCH_AXIS_INT("n", BENCH_INTS(15), BENCH_INTS(30, 60, 100, 150, 200),
		       BENCH_INTS(30, 60, 80, 90, 100, 120, 150, 200, 400, 600, 800, 1000)),
	BENCH_AXIS_INT(
		"population", BENCH_INTS(256, 512), BENCH_INTS(1600, 3200, 4800, 9600, 19200),
		BENCH_INTS(832, 1600, 3200, 4800, 6400, 9600, 12800, 19200, 38400, 76800, 153600)),
	BENCH_AXIS_INT("runs", BENCH_INTS(4), BENCH_INTS(10), BENCH_INTS(30)),
	BENCH_GPUS(0, 1),
	BENCH_AXIS_END
};
BENCHMARK(quality) = {
	.name = "gboa/quality",
	.summary = "Success rate and blocks solved by n and N (not in the paper)",
	.axes = quality_axes,
	.exists = quality_exists,
	.setup = setup_quality,
	BOA_CASE,
	.estimate = estimate_quality,
};

/* ---- a generation ---- */

static struct boa_plan plan_generation(const struct bench_case *c)
{
	struct boa_plan p = boa_plan_default(c);

	boa_plan_trap(&p, bench_int(c, "n"));
	p.population = (int32_t)bench_int(c, "population");
	p.generations = (int32_t)bench_int(c, "generations");
	flag_choose(&p.engine, "engine", bench_text(c, "engine"), boa_engine_words, NULL);
	p.time_of = BOA_TIME_GENERATION;
	return p;
}

/* Only `tuned` has the axis `engine`: grid uses a whole device, batch a cluster of blocks (for runs
 * that fit into one). */
static bool generation_exists(const struct bench_case *c)
{
	struct boa_plan p = plan_generation(c);

	if (!bench_gpus_fit(c) || (p.variant == SOLVE_TUNED) != (p.engine != BOA_AUTO))
		return false;
	return p.engine != BOA_BATCH || bench_int(c, "n") <= 400;
}

BOA_PLANNED(generation)

static const struct bench_axis generation_axes[] = {
	BENCH_VARIANTS("cpu", "published", "tuned"),
	BENCH_FIXED_NAMED("engine", "auto", "grid", "batch"),
	BENCH_AXIS_INT("n", BENCH_INTS(20), BENCH_INTS(60, 100, 400),
		       BENCH_INTS(60, 100, 400, 1000, 2000)),
	BENCH_AXIS_INT("population", BENCH_INTS(256), BENCH_INTS(4800), BENCH_SAME),
	BENCH_AXIS_INT("generations", BENCH_INTS(3), BENCH_INTS(20), BENCH_SAME),
	BENCH_GPUS(0, 1),
	BENCH_AXIS_END
};
BENCHMARK(generation) = {
	.name = "gboa/generation",
	.summary = "A whole generation of one run: select, learn, sample, evaluate (first 20)",
	.axes = generation_axes,
	.exists = generation_exists,
	.setup = setup_generation,
	BOA_CASE,
	.estimate = estimate_generation,
	.repetitions = { 1, 3, 5 },
};
