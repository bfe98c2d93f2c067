/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gmys-ivm/solve.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "algorithms/gmys-ivm/ivm_search.h"
#include "algorithms/gmys-ivm/case.h"
#include "algorithms/gmys-ivm/ladder.h"
#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/search_solve.h"
#include "harness/base/flags.h"

struct options {
	struct solve_options common;
	struct search_flags search;
	const char *strategy, *mode, *hybrid; /* NULL: not given */
	int64_t ivms, explorers, parts, memory, trigger;
	double period;
};

/* One run. */
struct task {
	const struct options *o;
	struct ivm_request request;
	struct ivm_outcome outcome;
	struct checkpoint_plan plan;
};

/* ---- flags ---- */

static int parse_trigger(void *value, const char *text, struct err *e)
{
	int64_t *n = value;
	int status;

	if (strcmp(text, "auto") == 0 || strcmp(text, "none") == 0) {
		*n = text[0] == 'n' ? IVM_TRIGGER_NONE : IVM_TRIGGER_AUTO;
		return 0;
	}
	status = flag_parse_int(n, text, e);
	if (!status && *n < 1)
		return err_set(e, ERR_USAGE, "%s is not auto, none or a number of at least 1",
			       text);
	return status;
}

/* Refuses flags that the problem or the variant would ignore. */
static int refuse_ignored(const struct options *o, const struct search_request *q, struct err *e)
{
	enum solve_variant v = o->common.variant;
	bool ivms = v == SOLVE_PUBLISHED && o->common.devices.count > 0;
	bool pte_peb = o->mode && strcmp(o->mode, "pte+peb") == 0;
	bool memory = q->flowshop && (v == SOLVE_CPU || v == SOLVE_TUNED);
	const char *published = "is only for --variant published on a device";
	const struct flag_refusal flags[] = {
		{ o->common.rung && !o->common.devices.count, "rung",
		  "needs a device: --device cuda or --device sim" },
		{ o->memory && !memory, "memory",
		  "is only for flowshop with --variant cpu or tuned" },
		{ o->ivms && !ivms, "ivms", published },
		{ o->strategy && !ivms, "strategy", published },
		{ o->mode && !ivms, "mode", published },
		{ o->trigger && !ivms, "trigger", published },
		{ o->explorers && !ivms, "explorers", published },
		{ o->trigger && pte_peb, "trigger",
		  "has no effect with --mode pte+peb, which shares work after each step" },
		{ o->hybrid && !o->explorers, "hybrid", "needs --explorers" },
		{ o->parts && !o->explorers, "steal-parts", "needs --explorers" },
		{ o->parts == 1, "steal-parts",
		  "must be at least 2; with 1 nothing would be shared" },
		{ o->ivms & (o->ivms - 1), "ivms", "must be a power of two" },
		{ o->period > 0 && !o->common.checkpoint, "checkpoint-period",
		  "needs --checkpoint" },
	};

	return FLAGS_REFUSE(flags, e);
}

static int refuse(void *context, const struct search_request *q, struct err *e)
{
	const struct task *t = context;
	int status = refuse_ignored(t->o, q, e);

	return status ? status : checkpoint_probe(t->plan.write, e);
}

static int read_flags(struct task *t, struct err *e)
{
	static const char *const modes[] = { "paper", "pte+peb", "pte", "auto", NULL };
	static const char *const strategies[] = { "hypercube", "adapt", "large",
						  "search",    "ring",  NULL };
	static const char *const hybrids[] = { "steal", "farmer", NULL };
	const struct options *o = t->o;
	struct search_request *q;
	int mode, strategy, hybrid, status;
	bool beside = o->common.variant == SOLVE_PUBLISHED && o->common.devices.count > 0;

	status = flag_choose(&mode, "mode", o->mode, modes, e);
	if (!status)
		status = flag_choose(&strategy, "strategy", o->strategy, strategies, e);
	if (!status)
		status = flag_choose(&hybrid, "hybrid", o->hybrid, hybrids, e);
	if (!status && (o->ivms > INT32_MAX || o->explorers > SEARCH_WORKERS_MAX - DEV_MAX ||
			o->parts > UINT16_MAX))
		status = err_set(e, ERR_USAGE, "--ivms, --explorers or --steal-parts is too large");
	t->plan = (struct checkpoint_plan){ .write = o->common.checkpoint,
					    .period = o->period,
					    .resume = o->common.resume };
	t->request = (struct ivm_request){
		.common = search_solve_request(&o->common),
		.mode = (enum ivm_mode)mode,
		.ivms = (int)o->ivms,
		.victims = (enum ivm_victims)strategy,
		.trigger = o->trigger,
		.hybrid = (enum ivm_hybrid)hybrid,
		.steal_parts = (int)o->parts,
	};
	q = &t->request.common;
	q->half_board = true;
	q->memory = o->memory;
	q->threads = (int)(beside ? o->explorers : o->common.threads);
	q->checkpoint = t->plan.write || t->plan.resume ? &t->plan : NULL;
	return status;
}

/* ---- searching ---- */

static void figures(void *context, const struct search_request *q, const struct search_outcome *o,
		    struct solve_result *r)
{
	const struct task *t = context;
	struct measure extras[IVM_FIGURES];
	int count;

	if (o->explored)
		solve_node_figure(r, "explored", (double)o->explored);
	solve_node_figure(r, "decomposed", (double)o->decomposed);
	if (!q->queens)
		solve_node_figure(r, "leaves", (double)o->leaves);
	if (o->evaluated)
		solve_node_figure(r, "evaluated", (double)o->evaluated);
	if (o->cut)
		solve_node_figure(r, "cut_by_pairs", (double)o->cut);
	if (q->queens)
		r->nodes_meaning =
			o->explored ? SEARCH_MEANS_HALF_BOARD : SEARCH_MEANS_DECOMPOSED_HALF;
	else
		r->nodes_meaning = o->explored ? SEARCH_MEANS_TREE : SEARCH_MEANS_DECOMPOSED;
	count = ivm_figures(&t->outcome, t->o->common.variant == SOLVE_PUBLISHED, extras);
	solve_measures(r, extras, count);
}

/* Runs the request of the task. */
static int search_by(struct task *t, enum solve_variant v, struct search_outcome *o, struct err *e)
{
	int status;

	ivm_outcome_free(&t->outcome);
	status = ivm_search(v, &t->request, &t->outcome, e);
	*o = t->outcome.common;
	t->outcome.common.order = NULL; /* now owned by the caller */
	return status;
}

static int search(void *context, const struct search_request *q, struct search_outcome *o,
		  struct err *e)
{
	struct task *t = context;
	const struct solve_rung *rung = t->o->common.rung;
	int status;

	t->request.common = *q;
	status = rung ? ivm_rung_request(rung->name, &t->request.common, e) : 0;
	return status ? status : search_by(t, t->o->common.variant, o, e);
}

static int on_cores(void *context, const struct search_request *q, struct search_outcome *o,
		    struct err *e)
{
	struct task *t = context;

	t->request.common = *q;
	return search_by(t, SOLVE_CPU, o, e);
}

static int run(const struct solve_options *common, struct solve_result *r, struct err *e)
{
	struct task t = { .o = (const struct options *)common };
	const struct search_target target = { .context = &t,
					      .search = search,
					      .on_cores = on_cores,
					      .supports_atsp = true,
					      .branching = FSP_MAXSUM,
					      .refuse = refuse,
					      .figures = figures };
	int status = read_flags(&t, e);

	if (!status)
		status = search_solve(common, &t.o->search, &t.request.common, &target, r, e);
	ivm_outcome_free(&t.outcome);
	return status;
}

static const struct flag flags[] = {
	SOLVE_FLAG_UB(struct options,
		      "flowshop, atsp: upper bound; opt: the best known value or the optimum"),
	SOLVE_FLAG_CHECKPOINT(struct options,
			      "write checkpoints to this file (creates its folders)"),
	SOLVE_FLAG_RESUME(struct options, "continue from a checkpoint of any variant"),
	SOLVE_FLAG_PLOT(struct options, FSP_PLOT_HELP),
	SOLVE_FLAG_NODE_LIMIT(struct options, SEARCH_NODE_LIMIT_HELP),
	SEARCH_SOLVE_FLAGS(struct options,
			   "flowshop: which end of the schedule grows (default maxsum)",
			   "none|neh|ig|local|FILE",
			   "flowshop: first schedule, default ig (neh with --ub VALUE, none with "
			   "--ub opt), or "
			   "that of a FILE of --json; "
			   "atsp: first tour, none or local (default)"),
	FLAG("checkpoint-period", FLAG_REAL, struct options, period, "S",
	     "with --checkpoint: seconds between two checkpoints (default 5)"),
	FLAG("memory", FLAG_BYTES, struct options, memory, "BYTES",
	     "flowshop, cpu and tuned: memory for open nodes, e.g. 512M (default: most free "
	     "memory)"),
	FLAG("ivms", FLAG_COUNT, struct options, ivms, "T",
	     "published on devices: IVMs per device, a power of two (default 16384, or what fits)"),
	FLAG("mode", FLAG_TEXT, struct options, mode, "paper|pte+peb|pte|auto",
	     "published on devices: several kernels per step, or one kernel for many steps; auto: "
	     "the faster one (default paper: pte+peb for flowshop, else pte)"),
	{ .name = "trigger",
	  .type = FLAG_PARSED,
	  .offset = offsetof(struct options, trigger),
	  .argument = "N|auto|none",
	  .parse = parse_trigger,
	  .help = "published on devices, pte: number of empty IVMs that ends a kernel (none: each "
		  "step; default a fifth of all)" },
	FLAG("strategy", FLAG_TEXT, struct options, strategy, "hypercube|adapt|large|search|ring",
	     "published on devices: which IVMs an empty IVM steals from (default hypercube)"),
	FLAG("explorers", FLAG_COUNT, struct options, explorers, "N",
	     "published on devices: CPU threads that search beside the devices (default 0)"),
	FLAG("hybrid", FLAG_TEXT, struct options, hybrid, "steal|farmer",
	     "with --explorers: how they share work with the devices (default steal, as in the "
	     "paper)"),
	FLAG("steal-parts", FLAG_COUNT, struct options, parts, "K",
	     "with --explorers: a thread keeps 1/K of its interval when a device steals (default "
	     "2)"),
	FLAG_END
};

const struct solve_spec ivm_solve_spec = {
	.problem = "pfsp",
	.instances = FSP_INSTANCES "; " QUEENS_INSTANCES ";\n" ATSP_INSTANCES,
	.flags = flags,
	.options_size = sizeof(struct options),
	.begins_on_one = true,
	.begins_on_cores = true,
	.published_on_cpu = true,
	.threads_max = SEARCH_WORKERS_MAX,
	.rungs = ivm_rungs,
	.run = run,
};

int ivm_list(struct err *e)
{
	(void)e;
	search_list_instances("; the paper's: ta021 .. ta030", true);
	puts("variants:\n"
	     "  serial     Algorithms 1 and 2: one IVM on one core\n"
	     "  cpu        all cores, vectorised, bounds tabulated by job set\n"
	     "  published  Algorithms 3 to 7: thousands of IVMs per GPU, work stealing inside and\n"
	     "             between GPUs and cores; with --device cpu the multi-core version\n"
	     "  tuned      our engines, which search the same trees\n"
	     "Times by phase and speed-ups are computed from the rows of table1 and table2.");
	return 0;
}
