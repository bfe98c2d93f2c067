/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The experiments of the paper: Tables 1 to 3 and Figures 3 to 5. The times by phase and the
 * speed-ups are computed from the rows of table1 and table2. */
#include <string.h>

#include "algorithms/gmys-ivm/case.h"

#define FLOWSHOPS                                                                                  \
	"ta030", "ta029", "ta028", "ta022", "ta024", "ta021", "ta025", "ta027", "ta026", "ta023"
#define ALL_GPUS                                                                                   \
	BENCH_AXIS_INT("gpus", BENCH_INTS(0, 1, 2), BENCH_INTS(0, 1, 2, 4),                        \
		       BENCH_INTS(0, 1, 2, 3, 4))
#define IVMS BENCH_INTS(512, 1024, 2048, 4096, 8192, 16384, 32768)

static int setup_default(struct bench_case *c, struct err *e)
{
	struct ivm_case p = ivm_case_default(c);

	return ivm_case_setup(c, &p, e);
}

/* ---- Tables 1 and 2 ---- */

static const struct bench_axis table1_axes[] = { BENCH_AXIS_TEXT(
							 "instance", BENCH_TEXTS("r9x8", "r12x8"),
							 BENCH_TEXTS(FLOWSHOPS), BENCH_SAME),
						 BENCH_ALL_VARIANTS, ALL_GPUS, BENCH_AXIS_END };
BENCHMARK(table1) = {
	.name = "gmys-ivm/table1",
	.summary = "Table 1: flowshop from the optimum: exact trees and times",
	.axes = table1_axes,
	.exists = ivm_case_exists,
	.setup = setup_default,
	IVM_CASE,
	.estimate = ivm_case_estimate,
	.repetitions = { 1, 1, 3 },
};

static const struct bench_axis table2_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("8Q", "crane8", "tsmat8"),
			BENCH_TEXTS("13Q", "14Q", "15Q", "16Q", "17Q", "crane14", "crane15",
				    "crane16", "tsmat13", "tsmat14"),
			BENCH_TEXTS("15Q", "16Q", "17Q", "18Q", "19Q", "crane15", "crane16",
				    "crane17", "crane18", "crane19", "tsmat14", "tsmat15",
				    "tsmat16", "tsmat17")),
	BENCH_ALL_VARIANTS, ALL_GPUS, BENCH_AXIS_END
};
BENCHMARK(table2) = {
	.name = "gmys-ivm/table2",
	.summary = "Table 2: N-Queens on half a board and ATSP: exact trees and times",
	.axes = table2_axes,
	.exists = ivm_case_exists,
	.setup = setup_default,
	IVM_CASE,
	.estimate = ivm_case_estimate,
	.repetitions = { 1, 1, 3 },
};

/* ---- Table 3: GPUs and cores together ---- */

static bool table3_exists(const struct bench_case *c)
{
	return ivm_case_exists(c) &&
	       (bench_int(c, "explorers") > 0 || strcmp(bench_text(c, "hybrid"), "steal") == 0);
}

static int setup_hybrid(struct bench_case *c, struct err *e)
{
	struct ivm_case p = ivm_case_default(c);

	p.explorers = (int)bench_int(c, "explorers");
	p.hybrid = strcmp(bench_text(c, "hybrid"), "farmer") == 0 ? IVM_FARMER : IVM_STEAL;
	p.steal_parts = strcmp(bench_text(c, "hybrid"), "steal200") == 0 ? 200 : 0;
	p.runs = (int)bench_int(c, "runs");
	return ivm_case_setup(c, &p, e);
}

static double estimate_runs(const struct bench_case *c)
{
	return (double)bench_int(c, "runs") * ivm_case_estimate(c);
}

static const struct bench_axis table3_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("r12x8"), BENCH_TEXTS("ta028", "16Q"),
			BENCH_TEXTS("ta028", "17Q")),
	BENCH_VARIANTS("published"),
	BENCH_AXIS_INT("explorers", BENCH_INTS(0, 2), BENCH_INTS(0, 16), BENCH_SAME),
	BENCH_FIXED_NAMED("hybrid", "steal", "steal200", "farmer"),
	BENCH_AXIS_INT("runs", BENCH_INTS(2), BENCH_INTS(5), BENCH_INTS(40)),
	BENCH_AXIS_INT("gpus", BENCH_INTS(1, 2), BENCH_INTS(1, 4), BENCH_SAME),
	BENCH_AXIS_END
};
BENCHMARK(table3) = {
	.name = "gmys-ivm/table3",
	.summary = "Table 3: GPUs with and without CPU explorers, many runs; stealing and farmer",
	.axes = table3_axes,
	.exists = table3_exists,
	.setup = setup_hybrid,
	IVM_CASE,
	.estimate = estimate_runs,
};

/* ---- Figures 3 and 4: T and the trigger ---- */

/* These experiments measure rates, so a part of the tree is enough. */
static double sweep_stops_after(const struct bench_case *c)
{
	return bench_scale(c) == BENCH_SMOKE ? 0 : bench_scale(c) == BENCH_PAPER ? 1 : 0.5;
}

static double estimate_sweep(const struct bench_case *c)
{
	double stop = sweep_stops_after(c), all = ivm_case_estimate(c);

	return stop > 0 && stop < all ? stop + 0.1 : all;
}

/* With many IVMs the beginning, in which most are empty, is not like the rest: the whole tree at
 * paper scale. */
static double fig3_stops_after(const struct bench_case *c)
{
	bool whole = bench_scale(c) == BENCH_PAPER && bench_int(c, "ivms") >= 4096;

	return whole ? 0 : sweep_stops_after(c);
}

static double estimate_fig3(const struct bench_case *c)
{
	return fig3_stops_after(c) > 0 ? estimate_sweep(c) : ivm_case_estimate(c);
}

/* The case with the number of IVMs that the row names, and the paper's trigger for it. */
static int setup_ivms(struct bench_case *c, enum ivm_victims victims, double stop_after,
		      struct err *e)
{
	struct ivm_case p = ivm_case_default(c);

	p.ivms = (int)bench_int(c, "ivms");
	p.trigger = p.ivms / 10;
	p.victims = victims;
	p.stop_after = stop_after;
	return ivm_case_setup(c, &p, e);
}

static int setup_fig3(struct bench_case *c, struct err *e)
{
	bool adapt = strcmp(bench_text(c, "strategy"), "adapt") == 0;

	return setup_ivms(c, adapt ? IVM_ADAPT : IVM_HYPERCUBE, fig3_stops_after(c), e);
}

static const struct bench_axis fig3_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("r9x8", "8Q"), BENCH_TEXTS("ta022", "16Q"),
			BENCH_TEXTS("ta021", "17Q")),
	BENCH_VARIANTS("published"),
	BENCH_FIXED_NAMED("strategy", "hypercube", "adapt"),
	BENCH_AXIS_INT("ivms", BENCH_INTS(32, 64), IVMS, BENCH_SAME),
	BENCH_AXIS_INT("gpus", BENCH_INTS(1), BENCH_INTS(1, 4), BENCH_INTS(1, 2, 4)),
	BENCH_AXIS_END
};
BENCHMARK(fig3) = {
	.name = "gmys-ivm/fig3",
	.summary = "Figure 3: nodes/s against T, for Hypercube and Adapt",
	.axes = fig3_axes,
	.exists = ivm_case_exists,
	.setup = setup_fig3,
	IVM_CASE,
	.estimate = estimate_fig3,
};

static int setup_fig4(struct bench_case *c, struct err *e)
{
	struct ivm_case p = ivm_case_default(c);
	int64_t trigger = bench_int(c, "trigger");

	p.trigger = trigger > 0 ? trigger : -1;
	p.stop_after = sweep_stops_after(c);
	return ivm_case_setup(c, &p, e);
}

static const struct bench_axis fig4_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("crane8"), BENCH_TEXTS("crane15", "crane16"),
			BENCH_TEXTS("crane16", "crane17")),
	BENCH_VARIANTS("published"),
	BENCH_AXIS_INT("trigger", BENCH_INTS(0, 8), BENCH_INTS(0, 1, 100, 1000, 3277, 8000, 12000),
		       BENCH_INTS(0, 1, 10, 100, 250, 500, 1000, 2000, 3277, 5000, 8000, 12000)),
	BENCH_AXIS_INT("gpus", BENCH_INTS(1), BENCH_INTS(1, 2, 4), BENCH_INTS(1, 2, 3, 4)),
	BENCH_AXIS_END
};
BENCHMARK(fig4) = {
	.name = "gmys-ivm/fig4",
	.summary = "Figure 4: nodes/s against the trigger; 0: work is shared after every step",
	.axes = fig4_axes,
	.exists = ivm_case_exists,
	.setup = setup_fig4,
	IVM_CASE,
	.estimate = estimate_sweep,
};

/* ---- section 3.3: the share of busy IVMs with T = 1,000 ---- */

static int setup_busy(struct bench_case *c, struct err *e)
{
	return setup_ivms(c, IVM_ADAPT, ivm_case_default(c).stop_after, e);
}

static const struct bench_axis busy_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("r9x8"), BENCH_TEXTS("ta022"),
			BENCH_TEXTS("ta021")),
	BENCH_VARIANTS("published"),
	BENCH_AXIS_INT("ivms", BENCH_INTS(64), BENCH_INTS(1024), BENCH_SAME),
	BENCH_AXIS_INT("gpus", BENCH_INTS(1), BENCH_SAME, BENCH_SAME), BENCH_AXIS_END
};
BENCHMARK(busy) = {
	.name = "gmys-ivm/busy",
	.summary =
		"Section 3.3: share of busy IVMs and time of stealing with Adapt; the whole tree",
	.axes = busy_axes,
	.exists = ivm_case_exists,
	.setup = setup_busy,
	IVM_CASE,
	.estimate = ivm_case_estimate,
};

/* ---- Figure 5: active IVMs over time ---- */

static int setup_fig5(struct bench_case *c, struct err *e)
{
	struct ivm_case p = ivm_case_default(c);

	p.explorers = (int)bench_int(c, "explorers");
	p.trace = true;
	return ivm_case_setup(c, &p, e);
}

static const struct bench_axis fig5_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("r12x8"), BENCH_TEXTS("ta022", "ta028"),
			BENCH_SAME),
	BENCH_VARIANTS("published"),
	BENCH_AXIS_INT("explorers", BENCH_INTS(0, 2), BENCH_INTS(0, 16), BENCH_SAME),
	BENCH_AXIS_INT("gpus", BENCH_INTS(1, 2), BENCH_INTS(1, 4), BENCH_SAME), BENCH_AXIS_END
};
BENCHMARK(fig5) = {
	.name = "gmys-ivm/fig5",
	.summary = "Figure 5: active IVMs over time, with and without CPU explorers",
	.axes = fig5_axes,
	.exists = ivm_case_exists,
	.setup = setup_fig5,
	IVM_CASE,
	.estimate = ivm_case_estimate,
};
