/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Our own experiments, beyond the paper: the ladder from published to tuned, the one-machine bound,
 * the hard instance ta056, the automatic choice of mode and trigger, the cost of checkpoints. */
#include <string.h>

#include "harness/bench/solve.h"
#include "algorithms/tree-search/flowshop/fsp_verify.h"
#include "algorithms/tree-search/labels.h"
#include "algorithms/gmys-ivm/case.h"
#include "algorithms/gmys-ivm/ladder.h"

/* ---- the ladder from the paper's algorithm to tuned ---- */

static bool ladder_exists(const struct bench_case *c)
{
	bool queens = label_queens(bench_text(c, "instance")) > 0;
	const struct solve_rung *rung =
		solve_rung_find(ivm_rungs, queens ? "nqueens" : "flowshop", bench_text(c, "rung"));

	return rung && rung->variant == bench_variant(c) && ivm_case_exists(c);
}

static int setup_ladder(struct bench_case *c, struct err *e)
{
	struct ivm_case p = ivm_case_default(c);

	p.rung = bench_text(c, "rung");
	return ivm_case_setup(c, &p, e);
}

static const struct bench_axis ladder_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("r9x5", "8Q"), BENCH_TEXTS("ta030", "16Q"),
			BENCH_SAME),
	BENCH_VARIANTS("published", "tuned"),
	BENCH_FIXED_NAMED("rung", "literal", "one-launch", "short-steps", "staged", "one-pass",
			  "packed-lb2", "device-tree", "by-set", "set-at-once", "lane-nodes",
			  "refill", "sharing"),
	BENCH_AXIS_INT("gpus", BENCH_INTS(1), BENCH_INTS(1, 2), BENCH_SAME), BENCH_AXIS_END
};
BENCHMARK(ladder) = {
	.name = "gmys-ivm/ladder",
	.summary = "From the paper's algorithm to tuned, one idea at a time, on the same trees",
	.axes = ladder_axes,
	.exists = ladder_exists,
	.setup = setup_ladder,
	IVM_CASE,
	.estimate = ivm_case_estimate,
	.repetitions = { 1, 3, 5 },
};

/* ---- LB1 and MinBranch, the bound and branching in use today ---- */

/* Nodes of the tree at `ub` (0: the optimum), or an estimate: ten times those of LB2. */
static double lb1_nodes(const char *instance, int64_t ub)
{
	const struct fsp_tree *tree = ub > 0 ? fsp_tree(instance, FSP_LB1, FSP_MINBRANCH, ub) :
					       fsp_tree_at_best(instance, FSP_LB1, FSP_MINBRANCH);

	return tree ? (double)tree->decomposed : 10 * ivm_case_nodes(instance);
}

static double lb1_rate(const struct bench_case *c, double threads)
{
	enum solve_variant v = bench_variant(c);
	double gpus = (double)bench_int(c, "gpus");

	return v == SOLVE_TUNED ? 7e9 * gpus :
	       v == SOLVE_CPU   ? 3e6 * threads :
	       gpus > 0         ? 3e7 * gpus :
				  1e5 * threads;
}

static double lb1_seconds(const struct bench_case *c, double threads)
{
	return 0.1 +
	       lb1_nodes(bench_text(c, "instance"), bench_int(c, "ub")) / lb1_rate(c, threads);
}

static double estimate_lb1(const struct bench_case *c)
{
	return lb1_seconds(c, bench_setting(c)->threads);
}

/* Only ta056 is searched from bounds below the optimum. The search of its whole tree is a separate
 * experiment. */
static bool lb1_exists(const struct bench_case *c)
{
	const double threads = 8; /* fixed: which cases exist must not depend on this machine */
	bool hard = strcmp(bench_text(c, "instance"), "ta056") == 0;
	double longest = bench_scale(c) == BENCH_PAPER ? 600 : 20;
	bool device = ivm_case_uses_device(c);

	if (hard != (bench_int(c, "ub") > 0) || (bench_variant(c) == SOLVE_CPU && device) ||
	    (bench_variant(c) == SOLVE_TUNED && !device))
		return false;
	return lb1_seconds(c, threads) <= longest;
}

/* The paper has no mode for this bound; it is chosen while the search runs. */
static void one_machine(struct ivm_case *p)
{
	p->bound = FSP_LB1;
	p->branching = FSP_MINBRANCH;
	p->mode = IVM_AUTO;
	p->trigger = IVM_TRIGGER_AUTO;
}

static int setup_lb1(struct bench_case *c, struct err *e)
{
	struct ivm_case p = ivm_case_default(c);

	one_machine(&p);
	p.ub = bench_int(c, "ub");
	p.stop_after = 0;
	p.predicted = estimate_lb1(c);
	return ivm_case_setup(c, &p, e);
}

static const struct bench_axis lb1_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("r9x5"), BENCH_TEXTS("ta030", "ta021", "ta056"),
			BENCH_TEXTS("ta030", "ta029", "ta028", "ta022", "ta024", "ta021", "ta025",
				    "ta027", "ta026", "ta023", "ta056")),
	BENCH_VARIANTS("cpu", "published", "tuned"),
	BENCH_AXIS_INT("ub", BENCH_INTS(0), BENCH_INTS(0, 3560, 3590, 3620, 3640), BENCH_SAME),
	BENCH_AXIS_INT("gpus", BENCH_INTS(0, 1, 2), BENCH_INTS(0, 1, 2, 4), BENCH_SAME),
	BENCH_AXIS_END
};
BENCHMARK(lb1) = {
	.name = "gmys-ivm/lb1",
	.summary = "Flowshop with one-machine bounds and MinBranch; ub:0 is the optimum",
	.axes = lb1_axes,
	.exists = lb1_exists,
	.setup = setup_lb1,
	IVM_CASE,
	.estimate = estimate_lb1,
};

/* ---- ta056, which took 22 years of processor time in 2006 ---- */

static double estimate_ta056(const struct bench_case *c)
{
	double all = 0.5 + lb1_nodes(bench_text(c, "instance"), 0) / lb1_rate(c, 1);

	return strcmp(bench_text(c, "start"), "none") == 0 ? 5 * all : all;
}

static bool ta056_exists(const struct bench_case *c)
{
	return ivm_case_uses_device(c);
}

static int setup_ta056(struct bench_case *c, struct err *e)
{
	struct ivm_case p = ivm_case_default(c);

	one_machine(&p);
	if (strcmp(bench_text(c, "start"), "none") == 0)
		p.from_scratch = 1800;
	p.predicted = estimate_ta056(c);
	return ivm_case_setup(c, &p, e);
}

static const struct bench_axis ta056_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("r9x5"), BENCH_TEXTS("ta056"), BENCH_SAME),
	BENCH_VARIANTS("tuned"),
	BENCH_AXIS_NAMED("start", BENCH_TEXTS("opt", "none"), BENCH_TEXTS("opt"),
			 BENCH_TEXTS("opt", "none")),
	BENCH_AXIS_INT("gpus", BENCH_INTS(1, 2), BENCH_INTS(1, 4), BENCH_INTS(1, 2, 4)),
	BENCH_AXIS_END
};
BENCHMARK(ta056) = {
	.name = "gmys-ivm/ta056",
	.summary = "ta056, 50 jobs on 20 machines: the proof from the optimum and from scratch",
	.axes = ta056_axes,
	.exists = ta056_exists,
	.setup = setup_ta056,
	IVM_CASE,
	.estimate = estimate_ta056,
};

/* ---- mode and trigger chosen while the search runs ---- */

/* Mode auto with trigger 0 chooses both, pte with trigger 0 chooses the trigger, and pte+peb has no
 * trigger. With LB2, pte is ten times slower; two triggers are enough to show that. */
static bool choice_exists(const struct bench_case *c)
{
	bool pte = strcmp(bench_text(c, "mode"), "pte") == 0;
	int64_t trigger = bench_int(c, "trigger");

	if (strncmp(bench_text(c, "instance"), "ta", 2) == 0 && trigger != 0 && trigger != 3277)
		return false;
	return ivm_case_exists(c) && (pte || trigger == 0);
}

static int setup_choice(struct bench_case *c, struct err *e)
{
	struct ivm_case p = ivm_case_default(c);
	const char *mode = bench_text(c, "mode");

	p.mode = strcmp(mode, "auto") == 0 ? IVM_AUTO :
		 strcmp(mode, "pte") == 0  ? IVM_PTE :
					     IVM_PTE_PEB;
	p.trigger = bench_int(c, "trigger") > 0 ? bench_int(c, "trigger") : IVM_TRIGGER_AUTO;
	return ivm_case_setup(c, &p, e);
}

static const struct bench_axis choice_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("r9x8", "8Q"),
			BENCH_TEXTS("ta030", "16Q", "crane15"),
			BENCH_TEXTS("ta029", "16Q", "crane16")),
	BENCH_VARIANTS("published"),
	BENCH_FIXED_NAMED("mode", "auto", "pte+peb", "pte"),
	BENCH_AXIS_INT("trigger", BENCH_INTS(0, 8), BENCH_INTS(0, 250, 1000, 3277, 8000),
		       BENCH_INTS(0, 100, 250, 500, 1000, 2000, 3277, 5000, 8000)),
	BENCH_GPUS(1),
	BENCH_AXIS_END
};
BENCHMARK(choice) = {
	.name = "gmys-ivm/choice",
	.summary = "Mode and trigger chosen while the search runs, against a manual sweep",
	.axes = choice_axes,
	.exists = choice_exists,
	.setup = setup_choice,
	IVM_CASE,
	.estimate = ivm_case_estimate,
	.repetitions = { 1, 3, 5 },
};

/* ---- checkpoints ---- */

/* Trees that take seconds; the others end before a checkpoint is due. */
static bool checkpoint_exists(const struct bench_case *c)
{
	const char *instance = bench_text(c, "instance");
	bool tuned = bench_variant(c) == SOLVE_TUNED;

	if (strcmp(instance, "19Q") == 0 || strcmp(instance, "17Q") == 0)
		return tuned == (instance[1] == '9');
	return strcmp(instance, "ta056") == 0 || !tuned || bench_scale(c) == BENCH_SMOKE;
}

/* ta056 takes long, so only a part of it is searched. */
static int setup_checkpoint(struct bench_case *c, struct err *e)
{
	struct ivm_case p = ivm_case_default(c);

	p.checkpoint = (double)bench_int(c, "milliseconds") / 1000;
	if (strcmp(p.instance, "ta056") == 0) {
		one_machine(&p);
		p.stop_after = 4;
	}
	return ivm_case_setup(c, &p, e);
}

static double estimate_checkpoint(const struct bench_case *c)
{
	return strcmp(bench_text(c, "instance"), "ta056") == 0 ? 4.5 : ivm_case_estimate(c);
}

static const struct bench_axis checkpoint_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("r9x5", "8Q"),
			BENCH_TEXTS("ta028", "17Q", "19Q", "ta056"), BENCH_SAME),
	BENCH_VARIANTS("published", "tuned"),
	BENCH_AXIS_INT("milliseconds", BENCH_INTS(0, 1), BENCH_INTS(0, 100, 1000), BENCH_SAME),
	BENCH_GPUS(1), BENCH_AXIS_END
};
BENCHMARK(checkpoint) = {
	.name = "gmys-ivm/checkpoint",
	.summary = "Cost of checkpoints at a given interval in milliseconds (0: none)",
	.axes = checkpoint_axes,
	.exists = checkpoint_exists,
	.setup = setup_checkpoint,
	IVM_CASE,
	.estimate = estimate_checkpoint,
};
