#include "algorithms/gmys-ivm/solve.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/outfile.h"
#include "harness/base/refuse.h"
#include "algorithms/tree-search/atsp/atsp_solve.h"
#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/flowshop/flowshop_solve.h"
#include "kernels/tree-search/queens.h"
#include "algorithms/tree-search/nqueens/queens_solve.h"
#include "algorithms/gmys-ivm/measured.h"
#include "algorithms/gmys-ivm/verify.h"

struct options {
	struct solve_options common;
	struct fsp_solve_flags tree;
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

ivm_search_fn *ivm_search(enum solve_variant v)
{
	static ivm_search_fn *const searches[] = {
		[SOLVE_SERIAL] = ivm_search_serial,
		[SOLVE_CPU] = ivm_search_cpu,
		[SOLVE_PUBLISHED] = ivm_search_published,
		[SOLVE_TUNED] = ivm_search_tuned,
	};

	return searches[v];
}

/* ---- flags ---- */

static int parse_trigger(void *value, const char *text, struct err *e)
{
	int64_t *n = value;
	int status;

	if (strcmp(text, "auto") == 0 || strcmp(text, "none") == 0) {
		*n = text[0] == 'n' ? -1 : 0;
		return 0;
	}
	status = flag_parse_int(n, text, e);
	if (!status && *n < 1)
		return err_set(e, ERR_USAGE, "%s is neither auto nor none nor at least 1", text);
	return status;
}

/* Flags that say nothing to the variant: what it would ignore. */
static int refuse_ignored(const struct options *o, struct err *e)
{
	enum solve_variant v = o->common.variant;
	bool ivms = v == SOLVE_PUBLISHED && o->common.devices.count > 0;
	bool pte_peb = o->mode && strcmp(o->mode, "pte+peb") == 0;
	const char *published = "is only for --variant published on a device";
	const struct refusal flags[] = {
		{ o->ivms && !ivms, "ivms", published },
		{ o->strategy && !ivms, "strategy", published },
		{ o->mode && !ivms, "mode", published },
		{ o->trigger && !ivms, "trigger", published },
		{ o->explorers && !ivms, "explorers", published },
		{ o->trigger && pte_peb, "trigger", "pte+peb shares work after each step" },
		{ o->hybrid && !o->explorers, "hybrid", "needs --explorers" },
		{ o->parts && !o->explorers, "steal-parts", "needs --explorers" },
		{ o->parts == 1, "steal-parts", "1 would leave nothing to the owner" },
		{ o->ivms & (o->ivms - 1), "ivms", "not a power of two" },
		{ o->period > 0 && !o->common.checkpoint, "checkpoint-period",
		  "needs --checkpoint" },
	};

	return REFUSE(flags, e);
}

/* What has no meaning for the problem. */
static int refuse_foreign(const struct options *o, bool queens, bool atsp, struct err *e)
{
	bool tours = queens || atsp;
	const char *flowshop = "is only for --problem flowshop",
		   *costs = "has no meaning for nqueens";
	const struct refusal flags[] = {
		{ tours && o->tree.bound, "bound", flowshop },
		{ tours && o->tree.branching, "branching", flowshop },
		{ tours && o->tree.start_seconds > 0, "start-seconds", flowshop },
		{ tours && o->tree.format, "format", flowshop },
		{ queens && o->tree.start, "start", costs },
		{ queens && o->common.ub, "ub", costs },
		{ o->memory && (tours || o->common.variant == SOLVE_SERIAL ||
				o->common.variant == SOLVE_PUBLISHED),
		  "memory", "is only for flowshop with --variant cpu or tuned" },
	};

	return REFUSE(flags, e);
}

/* A checkpoint that cannot be written is told before the search, not after its first seconds. */
static int probe_checkpoint(const char *path, struct err *e)
{
	struct outfile *file;
	int status = path ? outfile_open(&file, path, e) : 0;

	if (path && !status)
		outfile_abort(file);
	return status;
}

static int check_request(void *context, const struct search_request *q, struct err *e)
{
	const struct task *t = context;
	enum solve_variant v = t->o->common.variant;
	int most = v == SOLVE_CPU || v == SOLVE_TUNED ? QUEENS_MAX_COUNTED : QUEENS_MAX, status;

	if (q->queens > most)
		return err_set(e, ERR_USAGE, "--instance: %s takes at most %d queens",
			       solve_variant_name(v), most);
	if (v == SOLVE_CPU && (t->o->common.checkpoint || t->o->common.resume))
		return err_set(e, ERR_USAGE,
			       "--%s is not supported by --variant cpu; use "
			       "--variant published --device cpu",
			       t->o->common.checkpoint ? "checkpoint" : "resume");
	status = refuse_ignored(t->o, e);
	return status ? status : probe_checkpoint(t->plan.write, e);
}

/* The fields that all problems ask in the same way. */
static int common_request(struct task *t, struct err *e)
{
	static const char *const modes[] = { "auto", "pte+peb", "pte", NULL };
	static const char *const strategies[] = { "hypercube", "adapt", "large",
						  "search",    "ring",  NULL };
	static const char *const hybrids[] = { "steal", "farmer", NULL };
	const struct options *o = t->o;
	int mode, strategy, hybrid, status;
	bool beside = o->common.variant == SOLVE_PUBLISHED && o->common.devices.count > 0;

	status = flag_choose(&mode, "mode", o->mode, modes, e);
	if (!status)
		status = flag_choose(&strategy, "strategy", o->strategy, strategies, e);
	if (!status)
		status = flag_choose(&hybrid, "hybrid", o->hybrid, hybrids, e);
	if (!status && (o->ivms > INT32_MAX || o->explorers > SEARCH_WORKERS_MAX - DEV_MAX ||
			o->parts > UINT16_MAX))
		status = err_set(e, ERR_USAGE, "--ivms, --explorers or --steal-parts: too many");
	t->plan = (struct checkpoint_plan){ .write = o->common.checkpoint,
					    .period = o->period,
					    .resume = o->common.resume };
	t->request = (struct ivm_request){
		.mode = (enum ivm_mode)mode,
		.ivms = (int)o->ivms,
		.victims = (enum ivm_victims)strategy,
		.trigger = o->trigger,
		.hybrid = (enum ivm_hybrid)hybrid,
		.steal_parts = (int)o->parts,
		.common = { .ub = SEARCH_NO_UB,
			    .memory = o->memory,
			    .threads = (int)(beside ? o->explorers : o->common.threads),
			    .devices = &o->common.devices,
			    .gpus = (int)o->common.gpus,
			    .time_limit = solve_time_left(&o->common),
			    .stop = o->common.stop,
			    .seed = o->common.seed,
			    .checkpoint = t->plan.write || t->plan.resume ? &t->plan : NULL },
	};
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
	if (q->queens)
		r->nodes_meaning =
			o->explored ? SOLVE_MEANS_HALF_BOARD : SOLVE_MEANS_DECOMPOSED_HALF;
	else
		r->nodes_meaning = o->explored ? SOLVE_MEANS_TREE : SOLVE_MEANS_DECOMPOSED;
	count = ivm_figures(&t->outcome, t->o->common.variant == SOLVE_PUBLISHED, extras);
	solve_measures(r, extras, count);
}

static int search(void *context, const struct search_request *q, struct search_outcome *o,
		  struct solve_result *r, struct err *e)
{
	struct task *t = context;
	int status;

	t->request.common = *q;
	status = ivm_search(t->o->common.variant)(&t->request, &t->outcome, e);
	*o = t->outcome.common;
	t->outcome.common.order = NULL; /* the caller's now */
	r->seconds_total += o->seconds_total;
	r->seconds_search = o->seconds_search;
	if (status == ERR_MEMORY)
		err_prefix(e, "after %" PRIu64 " nodes", o->decomposed);
	return status;
}

static int run(const struct solve_options *common, struct solve_result *r, struct err *e)
{
	struct task t = { .o = (const struct options *)common };
	const struct solve_target target = { .context = &t,
					     .refuse = check_request,
					     .search = search,
					     .verify = ivm_verify,
					     .figures = figures };
	struct fsp_solve_flags tree = t.o->tree;
	bool queens = strcmp(common->problem, "nqueens") == 0;
	bool atsp = strcmp(common->problem, "atsp") == 0;
	int status;

	if (!queens && !atsp && strcmp(common->problem, "pfsp") != 0 &&
	    strcmp(common->problem, "flowshop") != 0)
		return err_set(e, ERR_USAGE,
			       "--problem: '%s' is not one of pfsp, flowshop, nqueens, atsp",
			       common->problem);
	tree.default_branching = FSP_MAXSUM;
	status = refuse_foreign(t.o, queens, atsp, e);
	if (!status)
		status = common_request(&t, e);
	if (status)
		return status;
	t.request.common.half_board = queens;
	if (queens)
		status = queens_solve(common, &t.request.common, &target, r, e);
	else if (atsp)
		status = atsp_solve(common, tree.start, &t.request.common, &target, r, e);
	else
		status = fsp_solve(common, &tree, &t.request.common, &target, r, e);
	ivm_outcome_free(&t.outcome);
	return status;
}

static const struct flag flags[] = {
	SOLVE_FLAG_UB(struct options,
		      "flowshop, atsp: prune what is not better; opt: best known value or optimum"),
	SOLVE_FLAG_CHECKPOINT(struct options, "serial, published, tuned: keep the state of the "
					      "search there (makes its folders)"),
	SOLVE_FLAG_RESUME(struct options, "serial, published, tuned: continue from a checkpoint"),
	FLAG("bound", FLAG_TEXT, struct options, tree.bound, "lb1|lb2",
	     "flowshop: lb2 (default): two machines, all pairs; lb1: one machine"),
	FLAG("branching", FLAG_TEXT, struct options, tree.branching, "forward|maxsum|minbranch",
	     "flowshop: which end of the schedule grows (default maxsum)"),
	FLAG("start", FLAG_TEXT, struct options, tree.start, "none|neh|ig|local",
	     "flowshop: first schedule, default ig (neh with --ub VALUE, none with --ub opt); "
	     "atsp: first tour, none or local (default)"),
	FLAG("start-seconds", FLAG_REAL, struct options, tree.start_seconds, "S",
	     "flowshop: seconds for the iterated greedy start (default: by size, at most 1)"),
	FLAG("format", FLAG_TEXT, struct options, tree.format, FSP_FORMAT_ARGUMENT,
	     "flowshop: " FSP_FORMAT_HELP),
	FLAG("checkpoint-period", FLAG_REAL, struct options, period, "S",
	     "with --checkpoint: seconds between two of them (default 5)"),
	FLAG("memory", FLAG_BYTES, struct options, memory, "BYTES",
	     "flowshop, cpu and tuned: for open nodes, as 512M (default: most of what is free)"),
	FLAG("ivms", FLAG_COUNT, struct options, ivms, "T",
	     "published on devices: IVMs a device, a power of two (default 16384, or what fits)"),
	FLAG("mode", FLAG_TEXT, struct options, mode, "auto|pte+peb|pte",
	     "published on devices: kernels a step, or one of many steps (default: the faster)"),
	{ .name = "trigger",
	  .type = FLAG_PARSED,
	  .offset = offsetof(struct options, trigger),
	  .argument = "N|auto|none",
	  .parse = parse_trigger,
	  .help = "published on devices, pte: empty IVMs that end a kernel (none: each step)" },
	FLAG("strategy", FLAG_TEXT, struct options, strategy, "hypercube|adapt|large|search|ring",
	     "published on devices: whom an empty IVM steals from (default hypercube)"),
	FLAG("explorers", FLAG_COUNT, struct options, explorers, "N",
	     "published on devices: processor threads that search beside the devices (default 0)"),
	FLAG("hybrid", FLAG_TEXT, struct options, hybrid, "steal|farmer",
	     "with --explorers: how those share work with devices (default steal, the paper's)"),
	FLAG("steal-parts", FLAG_COUNT, struct options, parts, "K",
	     "with --explorers: a thread that a device steals from keeps 1/K of its interval (2)"),
	FLAG_END
};

const struct solve_spec ivm_solve_spec = {
	.problem = "pfsp",
	.instances = FSP_INSTANCES "; "
				   "with --problem nqueens a number;\n"
				   "with --problem atsp crane:CITIES:SEED, tsmat:CITIES:SEED, "
				   "random:CITIES:MAX[:SEED] or a TSPLIB file",
	.flags = flags,
	.options_size = sizeof(struct options),
	.published_on_cpu = true,
	.threads_max = SEARCH_WORKERS_MAX,
	.run = run,
};
