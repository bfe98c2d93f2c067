#include "algorithms/helbecque-pool/solve.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/refuse.h"
#include "algorithms/tree-search/flowshop/flowshop_solve.h"
#include "kernels/tree-search/queens.h"
#include "algorithms/tree-search/nqueens/queens_solve.h"
#include "algorithms/helbecque-pool/measured.h"
#include "algorithms/helbecque-pool/pool.h"
#include "algorithms/helbecque-pool/verify.h"

struct options {
	struct solve_options common;
	struct fsp_solve_flags flowshop;
	const char *steal, *incumbent; /* NULL: not given */
	int64_t m, M, memory;
	bool solutions_only;
};

search_fn *pool_search(enum solve_variant v)
{
	static search_fn *const searches[] = {
		[SOLVE_SERIAL] = pool_search_serial,
		[SOLVE_CPU] = pool_search_cpu,
		[SOLVE_PUBLISHED] = pool_search_published,
		[SOLVE_TUNED] = pool_search_tuned,
	};

	return searches[v];
}

/* ---- flags ---- */

static int parse_chunk(void *value, const char *text, struct err *e)
{
	int64_t *n = value;
	int status = 0;

	*n = 0;
	if (strcmp(text, "auto") == 0)
		return 0;
	status = flag_parse_int(n, text, e);
	if (!status && *n < 1)
		return err_set(e, ERR_USAGE, "%s is neither auto nor at least 1", text);
	return status;
}

static int refuse_flags(const struct options *o, bool queens, struct err *e)
{
	const char *costs = "has no meaning for nqueens";
	const struct refusal flags[] = {
		{ !queens && o->solutions_only, "solutions-only", "for --problem nqueens alone" },
		{ queens && o->common.ub, "ub", costs },
		{ queens && o->flowshop.bound, "bound", costs },
		{ queens && o->flowshop.branching, "branching", costs },
		{ queens && o->flowshop.start, "start", costs },
		{ queens && o->flowshop.start_seconds > 0, "start-seconds", costs },
		{ queens && o->incumbent, "incumbent", costs },
		{ queens && o->flowshop.format, "format", costs },
	};
	int status = REFUSE(flags, e);

	if (status)
		return status;
	if (o->m && o->M && o->m > o->M)
		return err_set(e, ERR_USAGE, "--m %" PRId64 " is above --M %" PRId64, o->m, o->M);
	return 0;
}

/* What both problems ask in the same way. */
static int common_request(const struct options *o, struct search_request *q, struct err *e)
{
	static const char *const steal[] = { "on", "off", NULL };
	static const char *const incumbent[] = { "shared", "private", NULL };
	int no_stealing, private_incumbent, status;

	status = flag_choose(&no_stealing, "steal", o->steal, steal, e);
	if (!status)
		status = flag_choose(&private_incumbent, "incumbent", o->incumbent, incumbent, e);
	if (status)
		return status;
	*q = (struct search_request){
		.ub = SEARCH_NO_UB,
		.private_incumbent = private_incumbent != 0,
		.solutions_only = o->solutions_only,
		.no_stealing = no_stealing != 0,
		.m = o->m,
		.M = o->M,
		.memory = o->memory,
		.threads = (int)o->common.threads,
		.devices = &o->common.devices,
		.gpus = (int)o->common.gpus,
		.time_limit = solve_time_left(&o->common),
		.stop = o->common.stop,
		.seed = o->common.seed,
	};
	return 0;
}

/* Flags that say nothing to the variant: what it would ignore. */
static int refuse_ignored(const struct options *o, const struct search_request *q, struct err *e)
{
	enum solve_variant v = o->common.variant;
	bool offloads = v == SOLVE_PUBLISHED, alone = v == SOLVE_SERIAL;
	const char *published = "for --variant published alone: no other offloads";
	const struct refusal flags[] = {
		{ o->m && !offloads, "m", published },
		{ o->M && !offloads, "M", published },
		{ o->steal && alone, "steal", "serial has one worker" },
		{ o->incumbent && alone, "incumbent", "serial has one worker" },
		{ o->memory && alone, "memory", "serial keeps one path of the tree" },
		{ o->memory && v == SOLVE_CPU && q->queens, "memory",
		  "cpu keeps one path a thread" },
	};

	return REFUSE(flags, e);
}

/* What the variant takes on no machine. */
static int refuse_request(void *context, const struct search_request *q, struct err *e)
{
	const struct options *o = context;
	enum solve_variant v = o->common.variant;
	int most = v == SOLVE_CPU || v == SOLVE_TUNED ? QUEENS_MAX_COUNTED : QUEENS_MAX;

	if (q->queens > most)
		return err_set(e, ERR_USAGE, "--instance: %s takes at most %d queens",
			       solve_variant_name(v), most);
	if (v == SOLVE_PUBLISHED && q->flowshop && q->branching != FSP_FORWARD)
		return err_set(e, ERR_USAGE, "--branching: published takes forward only");
	return refuse_ignored(o, q, e);
}

/* ---- what every answer tells ---- */

/* Of the counts that are shown. */
static const char *meaning_of(const struct search_request *q, bool decomposed)
{
	if (q->queens)
		return decomposed ? SOLVE_MEANS_BOARD : SOLVE_MEANS_PLACEMENTS;
	return decomposed ? SOLVE_MEANS_TREE : SOLVE_MEANS_EXPLORED;
}

static void figures(void *context, const struct search_request *q, const struct search_outcome *o,
		    struct solve_result *r)
{
	struct measure extras[MEASURED_FIGURES];

	(void)context;
	if (!q->solutions_only)
		solve_node_figure(r, "explored", (double)o->explored);
	if (pool_decomposed(q, o))
		solve_node_figure(r, "decomposed", (double)pool_decomposed(q, o));
	if (q->flowshop)
		solve_node_figure(r, "leaves", (double)o->leaves);
	if (o->evaluated)
		solve_node_figure(r, "evaluated", (double)o->evaluated);
	if (!q->solutions_only)
		r->nodes_meaning = meaning_of(q, pool_decomposed(q, o) > 0);
	measured_figures(o, extras);
	solve_measures(r, extras, MEASURED_FIGURES);
}

static int search(void *context, const struct search_request *q, struct search_outcome *out,
		  struct solve_result *r, struct err *e)
{
	const struct options *o = context;
	int status = pool_search(o->common.variant)(q, out, e);

	r->seconds_total += out->seconds_total;
	r->seconds_search = out->seconds_search;
	if (status == ERR_MEMORY)
		err_prefix(e, "after %" PRIu64 " nodes", out->explored);
	return status;
}

static int run(const struct solve_options *common, struct solve_result *r, struct err *e)
{
	const struct options *o = (const struct options *)common;
	const struct solve_target target = {
		.context = (void *)o,
		.refuse = refuse_request,
		.search = search,
		.verify = pool_verify,
		.figures = figures,
	};
	bool queens = strcmp(common->problem, "nqueens") == 0;
	struct search_request q;
	int status;

	if (!queens && strcmp(common->problem, "pfsp") != 0 &&
	    strcmp(common->problem, "flowshop") != 0)
		return err_set(e, ERR_USAGE,
			       "--problem: '%s' is not one of pfsp, flowshop, nqueens",
			       common->problem);
	status = refuse_flags(o, queens, e);
	if (!status)
		status = common_request(o, &q, e);
	if (status)
		return status;
	return queens ? queens_solve(common, &q, &target, r, e) :
			fsp_solve(common, &o->flowshop, &q, &target, r, e);
}

static const struct flag flags[] = {
	SOLVE_FLAG_UB(struct options,
		      "flowshop: prune what is not below it; opt: the best known makespan"),
	FLAG("bound", FLAG_TEXT, struct options, flowshop.bound, "lb1|lb2",
	     "flowshop: lb2 (default): two machines, all pairs; lb1: one machine"),
	FLAG("branching", FLAG_TEXT, struct options, flowshop.branching, "forward|maxsum|minbranch",
	     "flowshop: forward (default), or from both ends; published: forward only"),
	FLAG("start", FLAG_TEXT, struct options, flowshop.start, "none|neh|ig",
	     "flowshop: first schedule (default: ig; neh with --ub VALUE, none with --ub opt)"),
	FLAG("start-seconds", FLAG_REAL, struct options, flowshop.start_seconds, "S",
	     "flowshop: seconds for the iterated greedy start (default: by size, at most 1)"),
	FLAG("format", FLAG_TEXT, struct options, flowshop.format, FSP_FORMAT_ARGUMENT,
	     "flowshop: " FSP_FORMAT_HELP),
	FLAG("incumbent", FLAG_TEXT, struct options, incumbent, "shared|private",
	     "flowshop, not serial: do workers share better schedules (default shared)"),
	FLAG("steal", FLAG_TEXT, struct options, steal, "on|off",
	     "not serial: work stealing (default on)"),
	{ .name = "m",
	  .type = FLAG_PARSED,
	  .offset = offsetof(struct options, m),
	  .argument = "N|auto",
	  .parse = parse_chunk,
	  .help = "published: least number of nodes offloaded at once (default auto)" },
	{ .name = "M",
	  .type = FLAG_PARSED,
	  .offset = offsetof(struct options, M),
	  .argument = "N|auto",
	  .parse = parse_chunk,
	  .help = "published: greatest number of nodes offloaded at once (default auto)" },
	FLAG("memory", FLAG_BYTES, struct options, memory, "BYTES",
	     "published, tuned, and cpu on flowshop: for open nodes, as 512M (default: most of "
	     "what is free)"),
	FLAG("solutions-only", FLAG_BOOL, struct options, solutions_only, NULL,
	     "queens: use the symmetry of the board, do not count nodes"),
	FLAG_END
};

const struct solve_spec pool_solve_spec = {
	.problem = "pfsp",
	.instances = FSP_INSTANCES "; "
				   "with --problem nqueens a number",
	.flags = flags,
	.options_size = sizeof(struct options),
	.no_checkpoint = "gmys-ivm solve --checkpoint FILE keeps them for the same problems "
			 "(without a GPU: --variant published --device cpu)",
	.threads_max = SEARCH_WORKERS_MAX,
	.run = run,
};
