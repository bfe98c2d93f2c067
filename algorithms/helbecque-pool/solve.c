/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/helbecque-pool/solve.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "algorithms/helbecque-pool/ladder.h"
#include "algorithms/helbecque-pool/pool_search.h"
#include "algorithms/helbecque-pool/published.h"
#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/cluster/world.h"
#include "algorithms/tree-search/search_solve.h"
#include "harness/base/flags.h"

struct options {
	struct solve_options common;
	struct search_flags search;
	const char *steal, *steal_between, *incumbent; /* NULL: not given */
	int64_t m, M, memory;
	double period;
	bool solutions_only;
};

/* One run. */
struct task {
	const struct options *o;
	struct checkpoint_plan plan;
};

/* ---- flags ---- */

static int parse_chunk(void *value, const char *text, struct err *e)
{
	int64_t *n = value;
	int status = 0;

	*n = SEARCH_MEASURED;
	if (strcmp(text, "auto") == 0)
		return 0;
	status = flag_parse_int(n, text, e);
	if (!status && *n < 1)
		return err_set(e, ERR_USAGE, "%s is not auto or a number of at least 1", text);
	return status;
}

static int read_flags(struct task *t, struct search_request *q, struct err *e)
{
	static const char *const steal[] = { "on", "off", NULL };
	static const char *const incumbent[] = { "shared", "private", NULL };
	const struct options *o = t->o;
	int no_stealing, fixed_ranks, private_incumbent, status;

	status = flag_choose(&no_stealing, "steal", o->steal, steal, e);
	if (!status)
		status = flag_choose(&fixed_ranks, "steal-between", o->steal_between, steal, e);
	if (!status)
		status = flag_choose(&private_incumbent, "incumbent", o->incumbent, incumbent, e);
	if (status)
		return status;
	if (o->M > 0 && o->m > o->M)
		return err_set(e, ERR_USAGE, "--m %" PRId64 " is above --M %" PRId64, o->m, o->M);
	*q = search_solve_request(&o->common);
	q->private_incumbent = private_incumbent != 0;
	q->solutions_only = o->solutions_only;
	q->no_stealing = no_stealing != 0;
	q->no_stealing_between = fixed_ranks != 0;
	q->m = o->m;
	q->M = o->M;
	q->memory = o->memory;
	t->plan = (struct checkpoint_plan){ .write = o->common.checkpoint,
					    .period = o->period,
					    .resume = o->common.resume };
	q->checkpoint = t->plan.write || t->plan.resume ? &t->plan : NULL;
	return 0;
}

/* What has no checkpoints. */
static int refuse_checkpoint(const struct options *o, const struct search_request *q, struct err *e)
{
	const char *flag = o->common.checkpoint ? "checkpoint" : "resume";
	bool cpu = o->common.variant == SOLVE_CPU;
	const struct flag_refusal flags[] = {
		{ cpu && q->queens, flag,
		  "is not supported by --variant cpu with --problem nqueens; use --variant serial "
		  "or tuned, or gmys-ivm solve --problem nqueens --variant cpu" },
		{ cpu && q->no_stealing, flag, "is not supported by --variant cpu --steal off" },
	};
	int status = q->checkpoint ? FLAGS_REFUSE(flags, e) : 0;

	return status ? status : checkpoint_probe(o->common.checkpoint, e);
}

/* Refuses flags that the problem or the variant would ignore, and values that the variant does not
 * support. */
static int refuse(void *context, const struct search_request *q, struct err *e)
{
	const struct task *t = context;
	const struct options *o = t->o;
	enum solve_variant v = o->common.variant;
	bool offloads = v == SOLVE_PUBLISHED, alone = v == SOLVE_SERIAL;
	const char *published = "is only for --variant published: no other variant offloads";
	const struct flag_refusal flags[] = {
		{ !q->queens && o->solutions_only, "solutions-only",
		  "is only for --problem nqueens" },
		{ q->queens && o->incumbent, "incumbent", "has no meaning for --problem nqueens" },
		{ offloads && q->flowshop && q->branching != FSP_FORWARD, "branching",
		  "published takes forward only" },
		{ o->m && !offloads, "m", published },
		{ o->M && !offloads, "M", published },
		{ o->steal && alone, "steal", "serial has one worker" },
		{ o->steal_between && !offloads, "steal-between",
		  "is only for --variant published" },
		{ o->steal_between && !world_place(), "steal-between",
		  "needs mpirun (docs/CLUSTER.md)" },
		{ o->steal_between && q->no_stealing, "steal-between",
		  "--steal off turns all stealing off" },
		{ o->incumbent && alone, "incumbent", "serial has one worker" },
		{ o->memory && alone, "memory", "serial keeps one path of the tree" },
		{ o->memory && v == SOLVE_CPU && q->queens, "memory",
		  "cpu keeps one path per thread" },
		{ o->period > 0 && !o->common.checkpoint, "checkpoint-period",
		  "needs --checkpoint" },
	};
	int status = FLAGS_REFUSE(flags, e);

	return status ? status : refuse_checkpoint(o, q, e);
}

/* ---- searching ---- */

/* Describes the counts in the summary. */
static const char *meaning_of(const struct search_request *q, bool decomposed)
{
	if (q->queens)
		return decomposed ? SEARCH_MEANS_BOARD : SEARCH_MEANS_PLACEMENTS;
	return decomposed ? SEARCH_MEANS_TREE : SEARCH_MEANS_EXPLORED;
}

static void figures(void *context, const struct search_request *q, const struct search_outcome *o,
		    struct solve_result *r)
{
	struct measure extras[POOL_FIGURES];

	(void)context;
	if (!q->solutions_only)
		solve_node_figure(r, "explored", (double)o->explored);
	if (pool_decomposed(q, o))
		solve_node_figure(r, "decomposed", (double)pool_decomposed(q, o));
	if (q->flowshop)
		solve_node_figure(r, "leaves", (double)o->leaves);
	if (o->evaluated)
		solve_node_figure(r, "evaluated", (double)o->evaluated);
	if (o->cut)
		solve_node_figure(r, "cut_by_pairs", (double)o->cut);
	if (!q->solutions_only)
		r->nodes_meaning = meaning_of(q, pool_decomposed(q, o) > 0);
	pool_figures(o, extras);
	solve_measures(r, extras, POOL_FIGURES);
}

static int search(void *context, const struct search_request *q, struct search_outcome *out,
		  struct err *e)
{
	const struct task *t = context;
	const struct options *o = t->o;
	struct search_request of_rung = *q;
	int status = o->common.rung ? pool_rung_request(o->common.rung->name, &of_rung, e) : 0;

	return status ? status : pool_search(o->common.variant)(&of_rung, out, e);
}

static int on_cores(void *context, const struct search_request *q, struct search_outcome *out,
		    struct err *e)
{
	(void)context;
	return pool_search(SOLVE_CPU)(q, out, e);
}

static int run(const struct solve_options *common, struct solve_result *r, struct err *e)
{
	struct task t = { .o = (const struct options *)common };
	struct search_target target = { .context = &t,
					.search = search,
					.on_cores = on_cores,
					.branching = FSP_FORWARD,
					.refuse = refuse,
					.figures = figures };
	struct search_request q;
	int status = read_flags(&t, &q, e);

	if (common->variant == SOLVE_PUBLISHED)
		target.paper_stealing = q.m > 0 ? q.m : POOL_PAPER_M;
	return status ? status : search_solve(common, &t.o->search, &q, &target, r, e);
}

static const struct flag flags[] = {
	SOLVE_FLAG_UB(struct options, "flowshop: upper bound; opt: the best known makespan"),
	SOLVE_FLAG_CHECKPOINT(struct options, "not cpu on N-Queens: write checkpoints to this file "
					      "(creates its folders)"),
	SOLVE_FLAG_RESUME(struct options, "not cpu on N-Queens: continue from a checkpoint"),
	SOLVE_FLAG_PLOT(struct options, FSP_PLOT_HELP),
	SOLVE_FLAG_NODE_LIMIT(struct options, SEARCH_NODE_LIMIT_HELP),
	SEARCH_SOLVE_FLAGS(
		struct options,
		"flowshop: forward (default) or from both ends; published: forward only",
		"none|neh|ig|FILE",
		"flowshop: first schedule (default: ig; neh with --ub VALUE, none with --ub opt), "
		"or that of a FILE of --json"),
	FLAG("checkpoint-period", FLAG_REAL, struct options, period, "S",
	     "with --checkpoint: seconds between two checkpoints (default 5)"),
	FLAG("incumbent", FLAG_TEXT, struct options, incumbent, "shared|private",
	     "flowshop, not serial: whether workers share better schedules (default shared)"),
	FLAG("steal", FLAG_TEXT, struct options, steal, "on|off",
	     "not serial: work stealing (default on)"),
	FLAG("steal-between", FLAG_TEXT, struct options, steal_between, "on|off",
	     "published under mpirun: work stealing between ranks (default on)"),
	{ .name = "m",
	  .type = FLAG_PARSED,
	  .offset = offsetof(struct options, m),
	  .argument = "N|auto",
	  .parse = parse_chunk,
	  .help = "published: minimum number of nodes per offload (default: 50)" },
	{ .name = "M",
	  .type = FLAG_PARSED,
	  .offset = offsetof(struct options, M),
	  .argument = "N|auto",
	  .parse = parse_chunk,
	  .help = "published: maximum number of nodes per offload (default: 500000)" },
	FLAG("memory", FLAG_BYTES, struct options, memory, "BYTES",
	     "published, tuned, and cpu on flowshop: memory for open nodes, e.g. 512M (default: "
	     "most free memory)"),
	FLAG("solutions-only", FLAG_BOOL, struct options, solutions_only, NULL,
	     "queens: use the symmetry of the board and do not count nodes"),
	FLAG_END
};

const struct solve_spec pool_solve_spec = {
	.problem = "pfsp",
	.instances = FSP_INSTANCES "; " QUEENS_INSTANCES,
	.flags = flags,
	.options_size = sizeof(struct options),
	.begins_on_one = true,
	.begins_on_cores = true,
	.threads_max = SEARCH_WORKERS_MAX,
	.rungs = pool_rungs,
	.run = run,
};

int pool_list(struct err *e)
{
	(void)e;
	search_list_instances("; the paper's: ta021 .. ta030", false);
	puts("variants:\n"
	     "  serial     Algorithm 1 on one core, depth first\n"
	     "  cpu        all cores, vectorised, work stealing, LB2 tabulated by job set\n"
	     "  published  Section 3: pools on the host, bounds on the GPU; --m, --M;\n"
	     "             --branching forward only\n"
	     "  tuned      our search: the tree stays on the GPU\n"
	     "Figures 9 and 10 are computed from the rows of table1 and table2, Figure 11 from\n"
	     "those of table5 and table7.");
	return 0;
}
