/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/flowshop/fsp_solve.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "datasets/flowshop/gantt.h"
#include "datasets/recognise.h"
#include "harness/base/clock.h"
#include "harness/base/outfile.h"
#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/cluster/world.h"
#include "algorithms/tree-search/exchange.h"
#include "algorithms/tree-search/flowshop/fsp_improve.h"
#include "algorithms/tree-search/flowshop/fsp_start.h"
#include "algorithms/tree-search/flowshop/fsp_start_command.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"

/* One run on one instance. */
struct task {
	const struct solve_options *o;
	const struct search_flags *flags;
	const struct search_target *target;
	const struct flowshop *f;
	const struct flowshop_known *known;
	struct search_request q;
	struct search_outcome out;
	struct checkpoint_plan plan; /* q's plan if the search resumes */
	bool asks_known;             /* --ub opt */
	const char *start_file;      /* --start FILE, or NULL */
	bool resumed;                /* the bound is that of the earlier run */
	int64_t pruned_from;         /* bound of the earlier run */
	int64_t useless_ub;          /* --ub if it is above pruned_from, else 0 */
	int64_t *order; /* best schedule of this run, with its makespan, if has_order */
	int64_t makespan;
	bool has_order;
	int64_t *past; /* schedule of the earlier run, NULL: none */
	int64_t past_makespan;
	int64_t start_makespan;    /* if has_order before the search */
	double begin;              /* clock_wall() */
	int improvers;             /* threads of --improve; 0: none */
	double improvers_share;    /* of their time that they work */
	struct exchange *exchange; /* with them */
	struct fsp_improver *improver;
};

/* ---- the request ---- */

static int read_ub(struct task *t, struct err *e)
{
	const char *text = t->o->ub;

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
		return err_set(e, ERR_USAGE, "--ub: '%s' is not opt, none or a makespan of 1 to %d",
			       text, SEARCH_NO_UB - 1);
	return 0;
}

/* Copies the schedule of the checkpoint, because a search from a lower bound discards it. */
static void keep_past(struct task *t, struct checkpoint *c)
{
	if (!c->order || c->key.items != t->f->jobs)
		return;
	t->past_makespan = flowshop_makespan(t->f, c->order);
	if (t->past_makespan < 0)
		return;
	t->past = c->order;
	c->order = NULL;
}

/* Without --ub the bound is that of the first run, which determines the tree. Its schedule is in
 * the checkpoint. */
static int read_resumed(struct task *t, struct err *e)
{
	struct checkpoint c;
	int status;

	if (!t->q.checkpoint || !t->q.checkpoint->resume)
		return 0;
	status = checkpoint_read(&c, t->q.checkpoint->resume, e);
	if (status)
		return status;
	t->plan = *t->q.checkpoint;
	t->plan.first_ub = c.key.first_ub;
	t->q.checkpoint = &t->plan;
	if (!t->o->ub) {
		t->resumed = true;
		t->q.ub = c.key.first_ub;
	}
	t->pruned_from = checkpoint_bound(&c);
	t->useless_ub = t->o->ub && t->q.ub > t->pruned_from ? t->q.ub : 0;
	status = checkpoint_spares(&c, &t->plan, t->q.ub, e);
	keep_past(t, &c);
	checkpoint_free(&c);
	return status;
}

/* --start: one of the words, or a file. */
static int read_start(struct task *t, int *start, struct err *e)
{
	static const char *const starts[] = { "none", "neh", "ig", NULL };
	const char *text = t->flags->start;

	if (text && t->flags->start_command)
		return err_set(e, ERR_USAGE, "--start and --start-command exclude each other");
	if (flag_choose(start, "start", text, starts, NULL) == 0)
		return 0;
	if (access(text, F_OK) != 0)
		return err_set(e, ERR_USAGE, "--start: '%s' is not one of none, neh, ig or a file",
			       text);
	t->start_file = text;
	*start = FSP_START_NONE;
	return 0;
}

/* Where the search leaves cores idle, iterated greedy takes them. Where it uses all of them, one
 * thread works for a tenth of the time of all. */
static void plan_improvers(struct task *t)
{
	enum { MOST = 8 };
	enum dev_backend backend = t->o->devices.count ? t->o->devices.backend : DEV_CPU;
	int64_t idle = t->o->threads - (t->o->opening ? t->o->likely_devices : t->o->devices.count);

	if (t->o->opening || backend == DEV_CUDA || backend == DEV_HIP) {
		t->improvers = idle < 1 ? 1 : idle < MOST ? (int)idle : MOST;
		t->improvers_share = 1;
	} else {
		t->improvers = 1;
		t->improvers_share = t->o->threads < 10 ? 0.1 * (double)t->o->threads : 1;
	}
}

/* --improve. `start`: the kind of the first schedule. `auto` is `none` where a number of threads is
 * refused. */
static int read_improve(struct task *t, enum fsp_start start, struct err *e)
{
	const char *text = t->flags->improve;
	bool order = start != FSP_START_NONE || t->start_file || t->flags->start_command || t->past;
	bool given = t->o->ub && strcmp(t->o->ub, "none") != 0;
	bool engine = t->o->variant == SOLVE_CPU || t->o->variant == SOLVE_TUNED;
	int64_t threads;

	if (!text || strcmp(text, "none") == 0)
		return 0;
	if (strcmp(text, "auto") == 0) {
		if (order && !given && engine)
			plan_improvers(t);
		return 0;
	}
	if (flag_parse_int(&threads, text, NULL) || threads < 1 ||
	    threads > FSP_IMPROVE_THREADS_MAX)
		return err_set(e, ERR_USAGE, "--improve: '%s' is not none, auto or 1 to %d threads",
			       text, FSP_IMPROVE_THREADS_MAX);
	if (!engine)
		return err_set(e, ERR_USAGE, "--improve is only for --variant cpu or tuned");
	if (given)
		return err_set(e, ERR_USAGE,
			       "--improve and --ub exclude each other: a search from "
			       "a given bound counts the nodes of one tree");
	if (!order)
		return err_set(e, ERR_USAGE, "--improve needs a first schedule");
	t->improvers = (int)threads;
	t->improvers_share = 1;
	return 0;
}

/* Before the first machine pairs are chosen (search.h). */
#define PAIRS_SECONDS 0.25

static int read_flags(struct task *t, int *start, struct err *e)
{
	enum { PAIRS = 2 };
	static const char *const bounds[] = { "lb2", "lb1", "lb1-pairs", NULL };
	static const char *const branchings[] = { "forward", "maxsum", "minbranch", NULL };
	int bound, branching, status;

	status = flag_choose(&bound, "bound", t->flags->bound, bounds, e);
	if (!status)
		status = flag_choose(&branching, "branching", t->flags->branching, branchings, e);
	if (!status)
		status = read_start(t, start, e);
	if (!status)
		status = read_ub(t, e);
	if (status)
		return status;
	t->q.flowshop = t->f;
	t->q.bound = bound ? FSP_LB1 : FSP_LB2;
	t->q.pairs = bound == PAIRS;
	t->q.pairs_seconds = PAIRS_SECONDS;
	t->q.branching = t->flags->branching ? (enum fsp_branching)branching : t->target->branching;
	status = t->target->refuse(t->target->context, &t->q, e);
	if (!status)
		status = read_resumed(t, e);
	if (!t->flags->start)
		*start = t->asks_known || t->resumed ? FSP_START_NONE :
			 t->q.ub < SEARCH_NO_UB      ? FSP_START_NEH :
						       FSP_START_IG;
	return status ? status : read_improve(t, (enum fsp_start) * start, e);
}

/* Reads the schedule of --start FILE or --start-command. A command that fails is reported and left
 * out. */
static int read_schedule(struct task *t, struct solve_result *r, struct err *e)
{
	double begin = clock_wall();
	struct err failed = { 0 };
	int status = 0;

	if (t->start_file) {
		status = fsp_start_read(t->start_file, t->f, t->order, &t->makespan, e);
		t->has_order = !status;
	} else if (t->flags->start_command) {
		t->has_order = !fsp_start_command(t->flags->start_command, t->f, t->o->stop,
						  t->order, &t->makespan, &failed);
		if (t->has_order)
			solve_note_line(r, "the start command found %" PRId64 " in %.1f s",
					t->makespan, clock_wall() - begin);
		else if (failed.code != ERR_LIMIT)
			fprintf(stderr, "%s: --start-command: %s; the search starts without it\n",
				t->o->target, failed.text);
	}
	if (t->has_order)
		watch_incumbent_from(t->q.watch, t->makespan, "start");
	return status;
}

/* The first schedule: one that is read, from which iterated greedy goes on with --start-seconds,
 * or that of a heuristic. */
static int first_schedule(struct task *t, enum fsp_start kind, const struct fsp_start_effort *x,
			  struct solve_result *r, struct err *e)
{
	int status = read_schedule(t, r, e);

	if (status)
		return status;
	if (t->has_order && t->flags->start_seconds > 0) {
		t->makespan = fsp_start_improve(t->f, x, 0, t->order, e);
		return t->makespan < 0 ? (int)t->makespan : 0;
	}
	if (t->has_order || kind == FSP_START_NONE)
		return 0;
	status = fsp_start(kind, t->f, x, t->order, &t->makespan, e);
	t->has_order = !status;
	return status;
}

static int find_start(struct task *t, enum fsp_start kind, struct solve_result *r, struct err *e)
{
	double begin = clock_wall(), limit = t->q.time_limit, used;
	struct fsp_start_effort x = { .seconds = t->flags->start_seconds,
				      .most = limit / 4,
				      .threads = t->o->variant == SOLVE_SERIAL ? 1 : t->q.threads,
				      .seed = t->o->seed,
				      .stop = t->o->stop };
	int status;

	if (world_is_helper()) /* rank 0 has the start */
		return 0;
	status = first_schedule(t, kind, &x, r, e);
	if (status || !t->has_order)
		return status;
	used = clock_wall() - begin;
	watch_incumbent_from(t->q.watch, t->makespan, "start");
	t->start_makespan = t->makespan;
	if (t->makespan <= t->q.ub) {
		t->q.ub = t->makespan;
		t->q.start = t->order;
	}
	search_spend(&t->q, used);
	r->seconds_total += used;
	solve_extra_figure(r, "start_makespan", (double)t->makespan);
	solve_extra_figure(r, "start_seconds", used);
	return 0;
}

static int root_bound(const struct task *t, int64_t *bound, struct err *e)
{
	struct fsp_tables tables;
	int status = fsp_tables_make(&tables, t->f, FSP_ALL_PAIRS, e);

	if (status)
		return status;
	*bound = fsp_root_bound(&tables, t->q.bound);
	fsp_tables_free(&tables);
	return 0;
}

/* Tells the watch the bound of the root and the schedule of the checkpoint. */
static int show_state(const struct task *t, struct err *e)
{
	int64_t bound;
	int status;

	if (!t->q.watch)
		return 0;
	if (t->past)
		watch_incumbent_from(t->q.watch, t->past_makespan, "checkpoint");
	status = root_bound(t, &bound, e);
	if (!status)
		watch_bound(t->q.watch, bound < t->q.ub ? bound : t->q.ub);
	return status;
}

/* ---- heuristics beside the search ---- */

static int start_improver(struct task *t, struct err *e)
{
	struct fsp_improve_plan plan = { .flowshop = t->f,
					 .threads = t->improvers,
					 .share = t->improvers_share,
					 .seed = t->o->seed + FSP_IMPROVE_THREADS_MAX };
	int status;

	if (!t->improvers || world_is_helper()) /* rank 0 has them */
		return 0;
	status = root_bound(t, &plan.target, e);
	if (!status)
		status = exchange_create(&t->exchange, t->f->jobs, t->q.watch, e);
	if (status)
		return status;
	if (t->has_order)
		exchange_offer(t->exchange, EXCHANGE_START, t->makespan, t->order);
	if (t->past)
		exchange_offer(t->exchange, EXCHANGE_CHECKPOINT, t->past_makespan, t->past);
	if (exchange_value(t->exchange) == INT64_MAX) /* the start command failed */
		return 0;
	t->q.exchange = plan.exchange = t->exchange;
	return fsp_improver_start(&t->improver, &plan, e);
}

/* Searches while iterated greedy goes on. */
static int search(struct task *t, struct solve_result *r, struct err *e)
{
	int status = start_improver(t, e);

	watch_source(t->q.watch, "search");
	if (!status)
		status = search_target_run(t->target, &t->q, &t->out, r, e);
	fsp_improver_stop(t->improver);
	return status;
}

/* ---- the result ---- */

static void take(struct task *t, const int64_t *order, int64_t makespan)
{
	memcpy(t->order, order, (size_t)t->f->jobs * sizeof(*order));
	t->makespan = makespan;
	t->has_order = true;
}

/* Chooses the best schedule of this run: from the search, the start, the heuristics beside the
 * search or the earlier run. If the search was stopped without one, NEH provides one. */
static int choose_schedule(struct task *t, struct err *e)
{
	if (t->out.order)
		take(t, t->out.order, t->out.best);
	if (exchange_value(t->exchange) < (t->has_order ? t->makespan : INT64_MAX)) {
		t->makespan = exchange_take(t->exchange, INT64_MAX, t->order);
		t->has_order = true;
	}
	if (t->past && (!t->has_order || t->past_makespan < t->makespan))
		take(t, t->past, t->past_makespan);
	if (!t->has_order && !t->out.complete) {
		int status = fsp_start(FSP_START_NEH, t->f, NULL, t->order, &t->makespan, e);

		if (status)
			return status;
		t->has_order = true;
	}
	if (t->has_order && flowshop_makespan(t->f, t->order) != t->makespan)
		return err_set(e, ERR_FAILED, "%s: the schedule does not have makespan %" PRId64,
			       t->f->name, t->makespan);
	if (t->has_order && t->makespan < t->out.lower_bound)
		return err_set(e, ERR_FAILED,
			       "%s: a schedule of %" PRId64 " was found, but the "
			       "search claims that none is shorter than %" PRId64,
			       t->f->name, t->makespan, t->out.lower_bound);
	return 0;
}

/* What found the schedule and, if that is known, when. */
static void tell_source(const struct task *t, struct solve_result *r)
{
	const struct exchange *x = t->exchange;

	if (x && exchange_value(x) == t->makespan) {
		r->source = exchange_source_name(x->source);
		solve_extra_figure(r, "found_seconds", fmax(0, x->at - t->begin));
	} else if (t->start_makespan == t->makespan) {
		r->source = "start";
	} else {
		r->source = t->past && t->past_makespan == t->makespan ? "checkpoint" : "search";
	}
}

static enum solve_status status_of(const struct task *t)
{
	if (!t->out.complete)
		return SOLVE_LIMIT;
	return t->has_order && t->makespan == t->out.best ? SOLVE_OPTIMAL : SOLVE_PROVED;
}

/* Adds notes that explain the status, and differences from the list of known values. */
static void remark(const struct task *t, struct solve_result *r)
{
	int64_t makespan = t->has_order ? t->makespan : INT64_MAX;
	char why[256];

	if (r->status == SOLVE_LIMIT)
		solve_note_line(r, "stopped: at most %" PRId64 " above the optimum",
				t->makespan - t->out.lower_bound);
	else if (r->status == SOLVE_PROVED && t->has_order)
		solve_note_line(r,
				"proved: no schedule is shorter than %" PRId64
				"; the shortest one found takes %" PRId64,
				t->out.best, t->makespan);
	else if (r->status == SOLVE_PROVED)
		solve_note_line(r,
				"proved: no schedule is shorter than %" PRId64
				"; no schedule of that makespan was searched for",
				t->out.best);
	if (t->useless_ub)
		solve_note_line(r, SEARCH_USELESS_UB, t->useless_ub, t->pruned_from);
	if (t->known && flowshop_compare(t->known, makespan, t->out.lower_bound, why,
					 sizeof(why)) != FLOWSHOP_AGREES)
		solve_note_line(r, "%s", why);
}

/* Moves the schedule to the result, unless it is longer than the proved bound. */
static void hand_over(struct task *t, struct solve_result *r)
{
	if (r->status == SOLVE_PROVED)
		return;
	tell_source(t, r);
	r->has_objective = true;
	r->objective = t->makespan;
	r->solution = t->order;
	r->solution_length = (size_t)t->f->jobs;
	r->solution_unit = "jobs";
	t->order = NULL;
}

static int present(struct task *t, struct solve_result *r, struct err *e)
{
	bool verified;
	int status = search_verify(&t->q, &t->out, &verified, e);

	if (!status)
		status = choose_schedule(t, e);
	if (status)
		return status;
	r->status = status_of(t);
	r->verified = r->status == SOLVE_PROVED ? verified : t->has_order;
	r->has_bound = true;
	r->bound = t->out.lower_bound;
	solve_extra_figure(r, "lower_bound", (double)t->out.lower_bound);
	if (t->q.pairs) /* the nodes depend on the time */
		solve_extra_figure(r, "pairs", 1);
	t->target->figures(t->target->context, &t->q, &t->out, r);
	remark(t, r);
	hand_over(t, r);
	return 0;
}

static int run(struct task *t, struct solve_result *r, struct err *e)
{
	int start, status, wrong;

	t->begin = clock_wall();
	t->order = malloc((size_t)t->f->jobs * sizeof(*t->order));
	if (!t->order)
		return err_set(e, ERR_MEMORY, "no memory for a schedule");
	status = read_flags(t, &start, e);
	if (!status)
		status = show_state(t, e);
	if (!status)
		status = find_start(t, (enum fsp_start)start, r, e);
	if (!status)
		status = search(t, r, e);
	if (status == 0 || status == ERR_LIMIT) {
		wrong = present(t, r, e);
		status = wrong ? wrong : status;
	}
	exchange_destroy(t->exchange);
	search_outcome_free(&t->out);
	free(t->order);
	free(t->past);
	return status;
}

int fsp_load(struct flowshop *f, const struct solve_options *o, enum flowshop_format format,
	     struct err *e)
{
	int status = flowshop_load_as(f, o->instance, format, e);

	if (status)
		recognise_hint(o->target, o->instance,
			       format == FLOWSHOP_AUTO ? FORMS_FLOWSHOP : FORMS_MATRIX, e);
	return status;
}

int fsp_solve_instance(const struct solve_options *o, const struct search_flags *flags,
		       const struct search_request *q, const struct search_target *target,
		       const struct flowshop *f, struct solve_result *r, struct err *e)
{
	struct task t = { .o = o,
			  .flags = flags,
			  .target = target,
			  .f = f,
			  .known = flowshop_known_of(f),
			  .q = *q };

	return run(&t, r, e);
}

int fsp_plot_check(const struct solve_options *o, struct err *e)
{
	struct outfile *file;
	int status = o->plot ? outfile_open(&file, o->plot, e) : 0;

	if (status)
		return err_prefix(e, "--plot");
	if (o->plot)
		outfile_abort(file);
	return 0;
}

void fsp_plot(const struct solve_options *o, const struct flowshop *f, struct solve_result *r)
{
	char title[256];

	if (!o->plot)
		return;
	if (!r->solution) {
		solve_note_line(r, "--plot: there is no schedule, so %s was not written", o->plot);
		return;
	}
	snprintf(title, sizeof(title), "%s: %d jobs on %d machines, makespan %" PRId64 "%s (%s)",
		 f->name, f->jobs, f->machines, r->objective,
		 r->status == SOLVE_OPTIMAL ? ", optimal" : "", o->target);
	if (gantt_write(f, r->solution, title, o->plot, &r->output))
		err_prefix(&r->output, "--plot");
	else
		solve_note_line(r, "the schedule is drawn in %s", o->plot);
}

int fsp_solve(const struct solve_options *o, const struct search_flags *flags,
	      const struct search_request *q, const struct search_target *target,
	      struct solve_result *r, struct err *e)
{
	struct flowshop f;
	int64_t number;
	int format, status;

	if (flag_parse_int(&number, o->instance, NULL) == 0)
		return err_set(e, ERR_USAGE,
			       "--instance %s is a number; for N-Queens add "
			       "--problem nqueens",
			       o->instance);
	status = flag_choose(&format, "format", flags->format, flowshop_format_words, e);
	if (!status)
		status = fsp_load(&f, o, (enum flowshop_format)format, e);
	if (status)
		return status;
	snprintf(r->instance, sizeof(r->instance), "%s", f.name);
	status = fsp_plot_check(o, e);
	if (!status)
		status = fsp_solve_instance(o, flags, q, target, &f, r, e);
	if (status == 0 || status == ERR_LIMIT)
		fsp_plot(o, &f, r);
	flowshop_free(&f);
	return status;
}

void fsp_list_instances(const char *paper)
{
	static const char *const of_basis[] = {
		[FLOWSHOP_PROVED_HERE] = "proved here",
		[FLOWSHOP_PROVED_CITED] = "in a paper",
		[FLOWSHOP_LIST] = "only in a list",
		[FLOWSHOP_OPEN] = "open",
	};
	int all, count[4] = { 0 };
	const struct flowshop_known *known = flowshop_known_all(&all);

	for (int i = 0; i < all; i++)
		count[known[i].basis]++;
	printf("    ta001 .. ta120                     Taillard 1993%s\n"
	       "                                       optima:",
	       paper);
	for (int b = 0; b < 4; b++)
		printf("%s %d %s", b ? "," : "", count[b], of_basis[b]);
	putchar('\n');
	puts("    taillard:JOBSxMACHINES:SEED        Taillard's generator with any seed\n"
	     "    random:JOBSxMACHINES:MAX[:SEED]    uniform times 1..MAX\n"
	     "    FILE                               Taillard's format, or VFR's (one row per "
	     "job);\n"
	     "                                       a plain matrix of times with --format");
}
