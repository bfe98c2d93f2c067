/* Our own experiments, beyond the paper: symmetry of the board, little memory, solving from
 * scratch. */
#include <math.h>
#include <string.h>

#include "algorithms/helbecque-pool/case.h"

static int setup_symmetry(struct bench_case *c, struct err *e)
{
	struct pool_case p = pool_case_default(c);

	p.solutions_only = true;
	return pool_case_setup(c, &p, e);
}

static const struct bench_axis symmetry_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("8Q", "10Q"),
			BENCH_TEXTS("14Q", "15Q", "17Q", "18Q"),
			BENCH_TEXTS("15Q", "16Q", "17Q", "18Q", "19Q", "20Q")),
	BENCH_VARIANTS("cpu", "tuned"),
	BENCH_AXIS_INT("gpus", BENCH_INTS(0, 1), BENCH_INTS(0, 1, 2, 4, 8), BENCH_SAME),
	BENCH_AXIS_END
};
BENCHMARK(symmetry) = {
	.name = "helbecque-pool/symmetry",
	.summary = "N-Queens, solutions only: gain from the symmetry of the board",
	.axes = symmetry_axes,
	.exists = pool_case_exists,
	.setup = setup_symmetry,
	POOL_CASE,
	.estimate = pool_case_estimate,
};

/* ---- little memory ---- */

/* On CPU cores, the larger trees would take an hour per budget. */
static bool memory_exists(const struct bench_case *c)
{
	return pool_case_exists(c) &&
	       (bench_uses_device(c) || strncmp(bench_text(c, "instance"), "ta02", 4) != 0);
}

static int setup_memory(struct bench_case *c, struct err *e)
{
	struct pool_case p = pool_case_default(c);

	p.memory = bench_int(c, "mib") << 20;
	return pool_case_setup(c, &p, e);
}

static const struct bench_axis memory_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("r9x5"), BENCH_TEXTS("ta030", "ta024"),
			BENCH_TEXTS("ta030", "ta024", "ta021")),
	BENCH_VARIANTS("cpu", "tuned"),
	BENCH_AXIS_INT("mib", BENCH_INTS(0, 1), BENCH_INTS(0, 16, 64, 256, 1024, 8192), BENCH_SAME),
	BENCH_GPUS(0, 1), BENCH_AXIS_END
};
BENCHMARK(memory) = {
	.name = "helbecque-pool/memory",
	.summary = "Flowshop with a given amount of memory for open nodes in MiB (0: chosen)",
	.axes = memory_axes,
	.exists = memory_exists,
	.setup = setup_memory,
	POOL_CASE,
	.estimate = pool_case_estimate,
};

/* ---- from scratch to a proof, or to the time limit ---- */

static bool is_of_paper(const struct bench_case *c)
{
	return strncmp(bench_text(c, "instance"), "ta02", 4) == 0 ||
	       strcmp(bench_text(c, "instance"), "ta030") == 0;
}

/* 20 x 20 uses the paper's bound. 50 and 100 jobs use one-machine bounds and branching from both
 * ends, which are more efficient for these instances (Gmys, Mezmaz, Melab, Tuyttens 2020). */
static int setup_solving(struct bench_case *c, struct err *e)
{
	struct pool_case p = pool_case_default(c);

	p.from_scratch = (double)bench_int(c, "limit");
	if (!is_of_paper(c)) {
		p.bound = FSP_LB1;
		p.branching = FSP_MINBRANCH;
	}
	return pool_case_setup(c, &p, e);
}

static double estimate_solving(const struct bench_case *c)
{
	double limit = (double)bench_int(c, "limit");

	return is_of_paper(c) ? fmin(limit, 1 + 2 * pool_case_estimate(c)) : limit;
}

static const struct bench_axis solving_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("r9x5"),
			BENCH_TEXTS("ta029", "ta030", "ta042", "ta071", "ta073"),
			BENCH_TEXTS("ta021", "ta022", "ta023", "ta024", "ta025", "ta026", "ta027",
				    "ta028", "ta029", "ta030", "ta041", "ta042", "ta043", "ta044",
				    "ta045", "ta046", "ta047", "ta048", "ta049", "ta050", "ta071",
				    "ta072", "ta073", "ta074", "ta075", "ta076", "ta077", "ta078",
				    "ta079", "ta080")),
	BENCH_VARIANTS("cpu", "tuned"),
	BENCH_AXIS_INT("limit", BENCH_INTS(2), BENCH_INTS(5), BENCH_INTS(60)), BENCH_GPUS(0, 1),
	BENCH_AXIS_END
};
BENCHMARK(solving) = {
	.name = "helbecque-pool/solving",
	.summary = "Flowshop from scratch, 20x20, 50x10, 100x10: proofs, or bounds at a time limit",
	.axes = solving_axes,
	.exists = bench_gpus_fit,
	.setup = setup_solving,
	POOL_CASE,
	.estimate = estimate_solving,
};
