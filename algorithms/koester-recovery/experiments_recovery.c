/* Tables III and IV, every way of recovery, and the case that no GPU could hold. */
#include <string.h>

#include "algorithms/koester-recovery/experiment_recovery.h"

#define KIB BENCH_AXIS_INT("kib", BENCH_INTS(2), BENCH_INTS(32, 64, 128), BENCH_SAME)

/* Bytes of a layer on cores: 17 are kept where all are stored. */
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

static struct recovery_case default_case(const struct bench_case *c)
{
	bool smoke = bench_scale(c) == BENCH_SMOKE;

	return (struct recovery_case){
		.states = (uint32_t)bench_int(c, "states"),
		.state_bytes = (uint32_t)bench_int(c, "kib") << 10,
		.load = smoke ? 2 : 10,
		.archive = { .recovery = track_case_recovery(c), .distance = 1, .adapt = 2 },
		.from_layer = RECOVERY_LAYERS - 1,
		.to_layer = RECOVERY_LAYERS - 1,
	};
}

/* ---- Table III ---- */

static struct recovery_case table3_case(const struct bench_case *c)
{
	struct recovery_case p = default_case(c);

	p.archive.cache = strcmp(bench_text(c, "cache"), "on") == 0;
	p.whole = true;
	return p;
}

/* Storing all, a cache has nothing to add. The two engines hold the same: once in a quick run. */
static bool table3_exists(const struct bench_case *c)
{
	if (bench_scale(c) == BENCH_QUICK && bench_variant(c) == SOLVE_PUBLISHED)
		return false;
	return tables_exist(c) && (track_case_recovery(c) == RECOVERY_REPLAY ||
				   strcmp(bench_text(c, "cache"), "off") == 0);
}

static int setup_table3(struct bench_case *c, struct err *e)
{
	struct recovery_case p = table3_case(c);

	return recovery_case_setup(c, &p, e);
}

static double estimate_table3(const struct bench_case *c)
{
	struct recovery_case p = table3_case(c);

	return recovery_case_estimate(c, &p);
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
	.summary = "Table III: memory of 16 iterations and a recovery, against the equations",
	.axes = table3_axes,
	.exists = table3_exists,
	.setup = setup_table3,
	RECOVERY_CASE,
	.estimate = estimate_table3,
};

/* ---- Table IV ---- */

/* Tens of GiB of host memory are for the paper's scale: a quick run keeps few states there, and on
 * cores none, where it is memory like any other. */
static bool table4_exists(const struct bench_case *c)
{
	enum track_recovery r = track_case_recovery(c);
	bool on_host = r == RECOVERY_PINNED || r == RECOVERY_HOST;
	bool few = bench_int(c, "states") < 16384;

	if (!fits_scale(c) || bench_scale(c) != BENCH_QUICK)
		return fits_scale(c);
	return bench_uses_device(c) ? few || !on_host : few && !on_host;
}

static int setup_table4(struct bench_case *c, struct err *e)
{
	struct recovery_case p = default_case(c);

	return recovery_case_setup(c, &p, e);
}

static double estimate_table4(const struct bench_case *c)
{
	struct recovery_case p = default_case(c);

	return recovery_case_estimate(c, &p);
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
	.summary = "Table IV: recovery of all states over 15 iterations, or from where they lie",
	.axes = table4_axes,
	.exists = table4_exists,
	.setup = setup_table4,
	RECOVERY_CASE,
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
	RECOVERY_CASE,
	.estimate = estimate_table4,
};

/* ---- every way ---- */

/* `budget`: of multistage, percent of all layers for kept states on the device, and as much again
 * in pinned memory. `distance`: of checkpoint and adaptive. */
static struct recovery_case recoveries_case(const struct bench_case *c)
{
	struct recovery_case p = default_case(c);
	double all = (double)p.states * p.state_bytes * RECOVERY_LAYERS;
	uint64_t budget = (uint64_t)(all * (double)bench_int(c, "budget") / 100);

	p.from_layer = 1;
	p.to_layer = RECOVERY_LAYERS;
	p.scattered = true;
	p.archive.cache = strcmp(bench_text(c, "cache"), "on") == 0;
	if (bench_int(c, "distance") > 0)
		p.archive.distance = (uint32_t)bench_int(c, "distance");
	if (p.archive.recovery == RECOVERY_MULTISTAGE) {
		p.archive.budget[TIER_DEVICE] = p.archive.budget[TIER_PINNED] = budget;
		p.archive.budget[TIER_PEER] = p.archive.budget[TIER_PAGEABLE] = 1; /* none */
	}
	return p;
}

static bool recoveries_exist(const struct bench_case *c)
{
	enum track_recovery r = track_case_recovery(c);
	bool steps = r == RECOVERY_CHECKPOINT || r == RECOVERY_ADAPTIVE;
	bool cached = strcmp(bench_text(c, "cache"), "on") == 0;

	if (steps != (bench_int(c, "distance") > 0) ||
	    (r == RECOVERY_MULTISTAGE) != (bench_int(c, "budget") > 0) ||
	    (cached && r != RECOVERY_REPLAY) || (r == RECOVERY_PEER && !bench_uses_device(c)))
		return false;
	if (bench_scale(c) == BENCH_SMOKE && !bench_uses_device(c) && r != RECOVERY_MULTISTAGE)
		return false; /* the same code, on devices that are simulated: there all are run */
	return fits_scale(c);
}

static int setup_recoveries(struct bench_case *c, struct err *e)
{
	struct recovery_case p = recoveries_case(c);

	return recovery_case_setup(c, &p, e);
}

static double estimate_recoveries(const struct bench_case *c)
{
	struct recovery_case p = recoveries_case(c);

	return recovery_case_estimate(c, &p);
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
	.summary = "Every way of recovery: mean time of all states of a layer, and the bytes kept",
	.axes = recoveries_axes,
	.exists = recoveries_exist,
	.setup = setup_recoveries,
	RECOVERY_CASE,
	.estimate = estimate_recoveries,
};
