/* The experiments. One a table or figure of the paper; harness/bench/bench.h is the manual. */
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

enum { SIMULATED = 14 }; /* numbers that a simulated device is asked for at most */

static enum solve_variant variant_of(const struct bench_case *c)
{
	enum solve_variant v = SOLVE_TUNED;

	solve_variant_from(bench_text(c, "variant"), &v);
	return v;
}

static bool uses_device(const struct bench_case *c)
{
	return variant_of(c) >= SOLVE_PUBLISHED;
}

/* gpus:0 is what needs none. */
static bool exists(const struct bench_case *c)
{
	return (bench_int(c, "gpus") > 0) == uses_device(c);
}

static void teardown(struct bench_case *c)
{
	free(bench_data(c));
	bench_set_data(c, NULL);
}

static int prepare(struct bench_case *c, struct experiment *x, struct err *e)
{
	char name[64];
	int status;

	x->request = (struct sample_target_request){ .instance = &x->instance,
						     .variant = variant_of(c),
						     .threads = bench_threads(c),
						     .devices = bench_devices(c),
						     .gpus = (int)bench_int(c, "gpus"),
						     .stop = bench_stop(c) };
	snprintf(name, sizeof(name), "random:%" PRId64 ":%" PRId64, bench_int(c, "n"),
		 bench_int(c, "seed"));
	status = sample_target_load(&x->instance, name, e);
	if (!status && uses_device(c))
		status = bench_need_gpus(c, bench_int(c, "gpus"), e);
	if (!status && uses_device(c) && bench_devices(c)->backend == DEV_SIM &&
	    x->instance.n > SIMULATED)
		status = bench_skip(c, (struct skip){ .reason = SKIP_TOO_LARGE_TO_SIMULATE }, e,
				    "too large to simulate");
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

/* An assignment takes an addition and a minimum at least. */
static void report_floor(struct bench_case *c, const struct experiment *x)
{
	bool one = x->request.variant == SOLVE_SERIAL || x->request.threads == 1;
	struct peak_demand demand = { uses_device(c) ? PEAK_GPU_ADD_MAX :
				      one            ? PEAK_CPU_ADD_MAX_1 :
						       PEAK_CPU_ADD_MAX,
				      x->answer.tried / (uses_device(c) ? x->request.gpus : 1) };
	enum peak limit;
	double floor = peaks_lower_bound(bench_peaks(c), &demand, 1, &limit);

	if (floor > 0)
		bench_lower_bound(c, floor, peaks_name(limit));
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
	report_floor(c, x);
	return 0;
}

static int check(struct bench_case *c, struct err *e)
{
	const struct experiment *x = bench_data(c);
	int64_t again = sample_target_evaluate(&x->instance, x->answer.heap);

	if (x->answer.difference != x->optimum || again != x->optimum)
		return err_set(e, ERR_FAILED,
			       "difference %" PRId64 ", of the heaps %" PRId64
			       ", the optimum is %" PRId64,
			       x->answer.difference, again, x->optimum);
	return 0;
}

/* Assignments a second of a slow core; a GPU is taken for a hundred of them. */
static double estimate(const struct bench_case *c)
{
	double cores = uses_device(c) ? 100 : variant_of(c) == SOLVE_CPU ? bench_threads(c) : 1;

	return 0.1 + exp2((double)bench_int(c, "n") - 1) / 2e8 / cores;
}

static const struct bench_axis table1_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("random"), BENCH_SAME, BENCH_SAME),
	BENCH_AXIS_TEXT("variant", BENCH_TEXTS("serial", "cpu", "published", "tuned"), BENCH_SAME,
			BENCH_SAME),
	BENCH_AXIS_INT("n", BENCH_INTS(10, 12), BENCH_INTS(16, 20), BENCH_INTS(20, 24, 28)),
	BENCH_AXIS_INT("seed", BENCH_INTS(1), BENCH_SAME, BENCH_SAME),
	BENCH_AXIS_INT("gpus", BENCH_INTS(0, 1), BENCH_INTS(0, 1, 2, 4), BENCH_SAME),
	BENCH_AXIS_END
};
BENCHMARK(table1) = {
	.name = "sample-target/table1",
	.summary = "Table I: time against the number of numbers",
	.axes = table1_axes,
	.manual_time = true,
	.unit = "ms",
	.exists = exists,
	.setup = setup,
	.run = run,
	.check = check,
	.teardown = teardown,
	.uses_device = uses_device,
	.estimate = estimate,
};
