#include "solve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../harness/clock.h"
#include "../problems/queens.h"
#include "measured.h"
#include "pool.h"
#include "../problems/flowshop_start.h"
#include "verify.h"

struct options {
	struct solve_options common;
	const char *bound, *branching, *start, *steal, *incumbent; /* NULL: not given */
	int64_t m, M, memory;
	double start_seconds;
	bool solutions_only;
};

search_fn *pool_search(enum solve_variant v)
{
	static search_fn *const searches[] = {
		[SOLVE_SERIAL] = pool_search_serial, [SOLVE_CPU] = pool_search_cpu,
		[SOLVE_PUBLISHED] = pool_search_published, [SOLVE_TUNED] = pool_search_tuned,
	};

	return searches[v];
}

/* ---- flags ---- */

/* Position of `text` among the words; the first where it was not given. */
static int choose(int *choice, const char *flag, const char *text, const char *const *words,
		  struct err *e)
{
	char all[80] = "";
	size_t used = 0;

	*choice = 0;
	for (int i = 0; words[i]; i++) {
		if (!text || strcmp(text, words[i]) == 0) {
			*choice = i;
			return 0;
		}
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", i ? ", " : "",
					 words[i]);
	}
	return err_set(e, ERR_USAGE, "--%s: '%s' is not one of %s", flag, text, all);
}

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
	const struct {
		bool given;
		const char *flag;
	} flowshop[] = {
		{ o->common.ub != NULL, "ub" },         { o->bound != NULL, "bound" },
		{ o->branching != NULL, "branching" },  { o->start != NULL, "start" },
		{ o->start_seconds > 0, "start-seconds" }, { o->incumbent != NULL, "incumbent" },
	};

	if (o->common.checkpoint || o->common.resume)
		return err_set(e, ERR_USAGE, "--%s: this target keeps no checkpoints",
			       o->common.checkpoint ? "checkpoint" : "resume");
	if (!queens && o->solutions_only)
		return err_set(e, ERR_USAGE, "--solutions-only: for --problem nqueens alone");
	for (size_t i = 0; queens && i < sizeof(flowshop) / sizeof(flowshop[0]); i++) {
		if (flowshop[i].given)
			return err_set(e, ERR_USAGE, "--%s has no meaning for nqueens",
				       flowshop[i].flag);
	}
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

	status = choose(&no_stealing, "steal", o->steal, steal, e);
	if (!status)
		status = choose(&private_incumbent, "incumbent", o->incumbent, incumbent, e);
	if (status)
		return status;
	*q = (struct search_request){
		.ub = SEARCH_NO_UB, .private_incumbent = private_incumbent != 0,
		.no_stealing = no_stealing != 0, .m = o->m, .M = o->M, .memory = o->memory,
		.threads = (int)o->common.threads, .devices = &o->common.devices,
		.gpus = (int)o->common.gpus, .time_limit = o->common.time_limit,
		.stop = o->common.stop, .seed = o->common.seed,
	};
	return 0;
}

/* Flags that say nothing to the variant: what it would ignore. */
static int refuse_ignored(const struct options *o, const struct search_request *q, struct err *e)
{
	enum solve_variant v = o->common.variant;
	bool offloads = v == SOLVE_PUBLISHED, alone = v == SOLVE_SERIAL;
	const struct {
		bool refused;
		const char *flag, *why;
	} flags[] = {
		{ o->m && !offloads, "m", "does not offload" },
		{ o->M && !offloads, "M", "does not offload" },
		{ o->steal && alone, "steal", "has one worker" },
		{ o->incumbent && alone, "incumbent", "has one worker" },
		{ o->memory && alone, "memory", "keeps one path of the tree" },
		{ o->memory && v == SOLVE_CPU && q->queens, "memory", "keeps one path a thread" },
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (flags[i].refused)
			return err_set(e, ERR_USAGE, "--%s: has no meaning for %s, which %s",
				       flags[i].flag, solve_variant_name(v), flags[i].why);
	}
	return 0;
}

/* What the variant takes on no machine. */
static int refuse_request(const struct options *o, const struct search_request *q, struct err *e)
{
	enum solve_variant v = o->common.variant;
	int most = v == SOLVE_CPU || v == SOLVE_TUNED ? QN_MAX_COUNTED : QN_MAX;

	if (q->queens > most)
		return err_set(e, ERR_USAGE, "--instance: %s takes at most %d queens",
			       solve_variant_name(v), most);
	if (v == SOLVE_PUBLISHED && q->flowshop && q->branching != FSP_FORWARD)
		return err_set(e, ERR_USAGE, "--branching: published takes forward only");
	return refuse_ignored(o, q, e);
}

/* ---- what every answer tells ---- */

static void figures(const struct search_request *q, const struct search_outcome *o,
		    struct solve_result *r)
{
	struct measured_figure extras[MEASURED_FIGURES];

	if (!q->solutions_only)
		solve_node_figure(r, "explored", (double)o->explored);
	if (pool_decomposed(q, o))
		solve_node_figure(r, "decomposed", (double)pool_decomposed(q, o));
	if (q->flowshop)
		solve_node_figure(r, "leaves", (double)o->leaves);
	if (o->evaluated)
		solve_node_figure(r, "evaluated", (double)o->evaluated);
	measured_figures(o, extras);
	for (int i = 0; i < MEASURED_FIGURES; i++)
		solve_extra_figure(r, extras[i].name, extras[i].value);
}

static int search(const struct options *o, const struct search_request *q,
		  struct search_outcome *out, struct solve_result *r, struct err *e)
{
	int status = pool_search(o->common.variant)(q, out, e);

	r->seconds_total += out->seconds_total;
	r->seconds_search = out->seconds_search;
	if (status == ERR_MEMORY)
		err_prefix(e, "after %" PRIu64 " nodes", out->explored);
	return status;
}

/* ---- N-Queens ---- */

static int present_queens(const struct search_request *q, const struct search_outcome *out,
			  struct solve_result *r, struct err *e)
{
	int status = pool_verify(q, out, &r->verified, e);

	r->status = out->complete ? SOLVE_COUNTED : SOLVE_LIMIT;
	r->has_objective = true;
	r->objective = (int64_t)out->solutions;
	snprintf(r->note, sizeof(r->note), "%d queen%s%s%s", q->queens, q->queens == 1 ? "" : "s",
		 q->solutions_only ?
		 ", symmetry used: nodes not counted" : "", out->complete ? "" :
		 "; stopped: there are at least so many solutions");
	figures(q, out, r);
	return status;
}

static int run_queens(const struct options *o, struct solve_result *r, struct err *e)
{
	struct search_request q;
	struct search_outcome out = { 0 };
	int64_t n;
	int status, wrong;

	if (flag_parse_int(&n, o->common.instance, NULL) || n < 1 || n > 32)
		return err_set(e, ERR_USAGE,
			       "--instance: '%s' is not a number of queens from 1 to 32",
			       o->common.instance);
	snprintf(r->instance, sizeof(r->instance), "%" PRId64, n);
	status = common_request(o, &q, e);
	if (status)
		return status;
	q.queens = (int)n;
	q.solutions_only = o->solutions_only;
	status = refuse_request(o, &q, e);
	if (status)
		return status;
	status = search(o, &q, &out, r, e);
	if (status == 0 || status == ERR_LIMIT) {
		wrong = present_queens(&q, &out, r, e);
		status = wrong ? wrong : status;
	}
	search_outcome_free(&out);
	return status;
}

/* ---- flowshop ---- */

/* One run on one instance. */
struct task {
	const struct options *o;
	const struct flowshop *f;
	const struct flowshop_known *known;
	struct search_request q;
	struct search_outcome out;
	bool asks_known;       /* --ub opt */
	int64_t *order;        /* the best schedule at hand, with its makespan, where has_order */
	int64_t makespan;
	bool has_order;
};

static int read_ub(struct task *t, struct err *e)
{
	const char *text = t->o->common.ub;

	if (!text || strcmp(text, "none") == 0)
		return 0;
	if (strcmp(text, "opt") == 0) {
		if (!t->known)
			return err_set(e, ERR_USAGE, "--ub opt: no best known value of '%s'",
				       t->f->name);
		t->asks_known = true;
		t->q.ub = t->known->upper;
		return 0;
	}
	if (flag_parse_int(&t->q.ub, text, NULL) || t->q.ub < 1 || t->q.ub >= SEARCH_NO_UB)
		return err_set(e, ERR_USAGE, "--ub: '%s' is neither opt nor none nor a makespan",
			       text);
	return 0;
}

static int read_flags(struct task *t, int *start, struct err *e)
{
	static const char *const bounds[] = { "lb2", "lb1", NULL };
	static const char *const branchings[] = { "forward", "maxsum", "minbranch", NULL };
	static const char *const starts[] = { "none", "neh", "ig", NULL };
	int bound, branching, status = common_request(t->o, &t->q, e);

	if (!status)
		status = choose(&bound, "bound", t->o->bound, bounds, e);
	if (!status)
		status = choose(&branching, "branching", t->o->branching, branchings, e);
	if (!status)
		status = choose(start, "start", t->o->start, starts, e);
	if (!status)
		status = read_ub(t, e);
	if (status)
		return status;
	t->q.flowshop = t->f;
	t->q.bound = bound ? FSP_LB1 : FSP_LB2;
	t->q.branching = (enum fsp_branching)branching;
	if (!t->o->start)
		*start = t->asks_known ? FSP_START_NONE :
			 t->q.ub < SEARCH_NO_UB ? FSP_START_NEH : FSP_START_IG;
	return refuse_request(t->o, &t->q, e);
}

static int find_start(struct task *t, enum fsp_start kind, struct solve_result *r, struct err *e)
{
	double begin = clock_wall(), seconds = t->o->start_seconds, limit = t->q.time_limit, used;
	int status;

	if (kind == FSP_START_NONE)
		return 0;
	seconds = seconds > 0 ? seconds : fsp_start_seconds(t->f);
	if (limit > 0 && seconds > limit / 4)
		seconds = limit / 4;
	status = fsp_start(kind, t->f, seconds, t->o->common.seed, t->o->common.stop, t->order,
			    &t->makespan, e);
	if (status)
		return status;
	used = clock_wall() - begin;
	t->has_order = true;
	if (t->makespan <= t->q.ub) {
		t->q.ub = t->makespan;
		t->q.start = t->order;
	}
	if (limit > 0)
		t->q.time_limit = limit > used ? limit - used : 1e-3;
	r->seconds_total += used;
	solve_extra_figure(r, "start_makespan", (double)t->makespan);
	solve_extra_figure(r, "start_seconds", used);
	return 0;
}

/* The schedule to return: the search's, else that of the start, else a quick one where the search
 * was cut short or its bound was the user's own. */
static int settle_schedule(struct task *t, struct err *e)
{
	if (t->out.order) {
		memcpy(t->order, t->out.order, (size_t)t->f->jobs * sizeof(*t->order));
		t->makespan = t->out.best;
		t->has_order = true;
	}
	if (!t->has_order && !(t->asks_known && t->out.complete)) {
		int status =
		    fsp_start(FSP_START_NEH, t->f, 0, 1, NULL, t->order, &t->makespan, e);

		if (status)
			return status;
		t->has_order = true;
	}
	if (t->has_order && flowshop_makespan(t->f, t->order) != t->makespan)
		return err_set(e, ERR_FAILED, "%s: the schedule does not have makespan %" PRId64,
			       t->f->name, t->makespan);
	return 0;
}

/* Without a schedule the value itself rests on the literature. */
static enum solve_status status_of(const struct task *t, int64_t objective)
{
	if (!t->out.complete)
		return SOLVE_LIMIT;
	if (t->has_order)
		return objective == t->out.best ? SOLVE_OPTIMAL : SOLVE_FEASIBLE;
	return t->known->proved ? SOLVE_OPTIMAL : SOLVE_FEASIBLE;
}

static void remark(const struct task *t, struct solve_result *r)
{
	const char *doubt = t->asks_known && !t->known->proved ?
				    "; the literature does not prove the best known value" : "";

	if (!t->out.complete)
		snprintf(r->note, sizeof(r->note), "stopped: at most %" PRId64
			 " above the optimum%s", r->objective - t->out.lower_bound, doubt);
	else if (!t->has_order)
		snprintf(r->note, sizeof(r->note),
			 "proved: no schedule is shorter than %" PRId64 ", the best known value; "
			 "one of that length was not looked for%s", t->out.best, doubt);
	else if (r->status == SOLVE_FEASIBLE)
		snprintf(r->note, sizeof(r->note), "no schedule is shorter than %" PRId64
			 "; the best at hand is longer%s", t->out.best, doubt);
}

static int present(struct task *t, struct solve_result *r, struct err *e)
{
	bool verified;
	int status = pool_verify(&t->q, &t->out, &verified, e);

	if (!status)
		status = settle_schedule(t, e);
	if (status)
		return status;
	r->has_objective = true;
	r->objective = t->has_order ? t->makespan : t->out.best;
	r->verified = verified || t->has_order;
	r->status = status_of(t, r->objective);
	r->proof_only = t->out.complete && !t->has_order;
	if (t->has_order) {
		r->solution = t->order;
		r->solution_length = (size_t)t->f->jobs;
		t->order = NULL;
	}
	solve_extra_figure(r, "lower_bound", (double)t->out.lower_bound);
	figures(&t->q, &t->out, r);
	remark(t, r);
	return 0;
}

static int solve_flowshop(struct task *t, struct solve_result *r, struct err *e)
{
	int start, status, wrong;

	t->order = malloc((size_t)t->f->jobs * sizeof(*t->order));
	if (!t->order)
		return err_set(e, ERR_MEMORY, "no memory for a schedule");
	status = read_flags(t, &start, e);
	if (!status)
		status = find_start(t, (enum fsp_start)start, r, e);
	if (!status)
		status = search(t->o, &t->q, &t->out, r, e);
	if (status == 0 || status == ERR_LIMIT) {
		wrong = present(t, r, e);
		status = wrong ? wrong : status;
	}
	search_outcome_free(&t->out);
	free(t->order);
	return status;
}

static int run_flowshop(const struct options *o, struct solve_result *r, struct err *e)
{
	struct flowshop f;
	struct task t = { .o = o, .f = &f };
	int64_t number;
	int status;

	if (flag_parse_int(&number, o->common.instance, NULL) == 0)
		return err_set(e, ERR_USAGE, "--instance %s is a number: for N-Queens add "
			       "--problem nqueens", o->common.instance);
	status = flowshop_load(&f, o->common.instance, e);
	if (status)
		return status;
	snprintf(r->instance, sizeof(r->instance), "%s", f.name);
	t.known = flowshop_known_of(&f);
	status = solve_flowshop(&t, r, e);
	flowshop_free(&f);
	return status;
}

static int run(const struct solve_options *common, struct solve_result *r, struct err *e)
{
	const struct options *o = (const struct options *)common;
	bool queens = strcmp(common->problem, "nqueens") == 0;
	int status;

	if (!queens && strcmp(common->problem, "pfsp") != 0 &&
	    strcmp(common->problem, "flowshop") != 0)
		return err_set(e, ERR_USAGE,
			       "--problem: '%s' is not one of pfsp, flowshop, nqueens",
			       common->problem);
	status = refuse_flags(o, queens, e);
	if (status)
		return status;
	return queens ? run_queens(o, r, e) : run_flowshop(o, r, e);
}

static const struct flag flags[] = {
	FLAG("bound", FLAG_TEXT, struct options, bound, "lb1|lb2",
	     "lb2 (default): two machines, all pairs; lb1: one machine"),
	FLAG("branching", FLAG_TEXT, struct options, branching, "forward|maxsum|minbranch",
	     "forward (default), or from both ends; published: forward only"),
	FLAG("start", FLAG_TEXT, struct options, start, "none|neh|ig",
	     "first schedule (default: ig; neh with --ub VALUE, none with --ub opt)"),
	FLAG("start-seconds", FLAG_REAL, struct options, start_seconds, "S",
	     "of the iterated greedy ig (default: by size, at most 1)"),
	FLAG("incumbent", FLAG_TEXT, struct options, incumbent, "shared|private",
	     "do workers tell each other of better schedules (default shared)"),
	FLAG("steal", FLAG_TEXT, struct options, steal, "on|off", "work stealing (default on)"),
	{ .name = "m", .type = FLAG_PARSED, .offset = offsetof(struct options, m),
	  .argument = "N|auto", .parse = parse_chunk,
	  .help = "published: least number of nodes offloaded at once (default auto)" },
	{ .name = "M", .type = FLAG_PARSED, .offset = offsetof(struct options, M),
	  .argument = "N|auto", .parse = parse_chunk,
	  .help = "published: greatest number of nodes offloaded at once (default auto)" },
	FLAG("memory", FLAG_COUNT, struct options, memory, "BYTES",
	     "for open nodes (default: most of what is free)"),
	FLAG("solutions-only", FLAG_BOOL, struct options, solutions_only, NULL,
	     "queens: use the symmetry of the board, do not count nodes"),
	FLAG_END
};

const struct solve_spec pool_solve_spec = {
	.problem = "pfsp",
	.instances = "ta001..ta120, taillard:JxM:SEED, random:JxM:MAX[:SEED] or a file; "
		     "with --problem nqueens a number",
	.flags = flags,
	.options_size = sizeof(struct options),
	.threads_max = SEARCH_WORKERS_MAX,
	.run = run,
};
