/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The experiments: one for each table or figure of the paper. harness/bench/bench.h is the manual.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/bench/bench.h"
#include "harness/machine/peaks.h"
#include "harness/base/hash.h"
#include "algorithms/sample-target/search.h"

struct experiment {
	struct sample_target_instance instance;
	struct sample_target_request request;
	struct sample_target_answer answer;
	int64_t optimum;
};

enum { SIMULATED = 14 }; /* simulated devices get at most this many numbers */

static void teardown(struct bench_case *c)
{
	free(bench_data(c));
}

static int prepare(struct bench_case *c, struct experiment *x, struct err *e)
{
	char name[64];
	int status;

	x->request = (struct sample_target_request){ .instance = &x->instance,
						     .variant = bench_variant(c),
						     .threads = bench_setting(c)->threads,
						     .devices = &bench_setting(c)->devices,
						     .gpus = (int)bench_int(c, "gpus"),
						     .stop = bench_setting(c)->stop };
	snprintf(name, sizeof(name), "random:%" PRId64 ":%" PRId64, bench_int(c, "n"),
		 bench_int(c, "seed"));
	status = sample_target_load(&x->instance, name, e);
	if (!status)
		status = bench_need_machine(c, bench_int(c, "gpus"), x->instance.n > SIMULATED, e);
	return status ? status : sample_target_oracle(&x->instance, &x->optimum, e);
}

static int setup(struct bench_case *c, struct err *e)
{
	struct experiment *x = bench_new_data(c, sizeof(*x), e);
	int status = x ? prepare(c, x, e) : ERR_MEMORY;

	if (status && x)
		teardown(c);
	return status;
}

/* The operations of the row and the lower bound on its time: an assignment takes at least an
 * addition and a minimum. */
static void report_demands(struct bench_case *c, const struct experiment *x)
{
	bool one = x->request.variant == SOLVE_SERIAL || x->request.threads == 1;
	struct peak_demand demand = { bench_uses_device(c) ? PEAK_GPU_ADD_MAX :
				      one                  ? PEAK_CPU_ADD_MAX_1 :
							     PEAK_CPU_ADD_MAX,
				      x->answer.tried /
					      (bench_uses_device(c) ? x->request.gpus : 1) };

	bench_demands(c, &demand, 1);
}

static int run(struct bench_case *c, struct err *e)
{
	struct experiment *x = bench_data(c);
	int status = sample_target_search(&x->request, &x->answer, e);

	if (status)
		return status;
	bench_set_seconds(c, x->answer.seconds);
	bench_work(c, x->answer.tried, "assignments");
	bench_counter(c, "tried", x->answer.tried, BENCH_COUNT);
	bench_output_hash(c, hash_bytes(HASH_INIT, x->answer.heap,
					(size_t)x->instance.n * sizeof(*x->answer.heap)));
	report_demands(c, x);
	return 0;
}

static int check(struct bench_case *c, struct err *e)
{
	const struct experiment *x = bench_data(c);
	int64_t again = sample_target_evaluate(&x->instance, x->answer.heap);

	if (x->answer.difference != x->optimum || again != x->optimum)
		return err_set(e, ERR_FAILED,
			       "the reported difference is %" PRId64
			       ", that of the heaps is %" PRId64 ", but the optimum is %" PRId64,
			       x->answer.difference, again, x->optimum);
	return 0;
}

/* Assumes 2e8 assignments/s on a core, and a GPU as fast as 100 cores. */
static double estimate(const struct bench_case *c)
{
	double cores = bench_uses_device(c)          ? 100 :
		       bench_variant(c) == SOLVE_CPU ? bench_setting(c)->threads :
						       1;

	return 0.1 + exp2((double)bench_int(c, "n") - 1) / 2e8 / cores;
}

static const struct bench_axis table1_axes[] = {
	BENCH_FIXED_TEXT("instance", "random"),
	BENCH_ALL_VARIANTS,
	BENCH_AXIS_INT("n", BENCH_INTS(10, 12), BENCH_INTS(16, 20), BENCH_INTS(20, 24, 28)),
	BENCH_FIXED_INT("seed", 1),
	BENCH_AXIS_INT("gpus", BENCH_INTS(0, 1), BENCH_INTS(0, 1, 2, 4), BENCH_SAME),
	BENCH_AXIS_END
};
BENCHMARK(table1) = {
	.name = "sample-target/table1",
	.summary = "Table I: time by number of numbers",
	.axes = table1_axes,
	.manual_time = true,
	.unit = "ms",
	.exists = bench_gpus_fit,
	.setup = setup,
	.run = run,
	.check = check,
	.teardown = teardown,
	.uses_device = bench_uses_device,
	.estimate = estimate,
};
