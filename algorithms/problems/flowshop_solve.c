#include "flowshop_solve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../datasets/recognise.h"
#include "../../harness/clock.h"
#include "checkpoint.h"
#include "file_hint.h"
#include "flowshop_start.h"

/* One run on one instance. */
struct task {
	const struct solve_options *o;
	const struct fsp_solve_flags *flags;
	const struct solve_target *target;
	const struct flowshop *f;
	const struct flowshop_known *known;
	struct search_request q;
	struct search_outcome out;
	struct checkpoint_plan plan; /* q's, where it resumes */
	bool asks_known;       /* --ub opt */
	bool resumed;          /* the bound is that of the run before */
	int64_t *order;        /* the best schedule at hand, with its makespan, where has_order */
	int64_t makespan;
	bool has_order;
	int64_t *past;         /* the schedule of the run before, NULL: none */
	int64_t past_makespan;
};

/* ---- what was asked ---- */

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
		return err_set(e, ERR_USAGE, "--ub: '%s' is neither opt nor none nor a makespan",
			       text);
	return 0;
}

/* Takes the file's schedule: a search from a lower bound leaves it aside. */
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

/* Without --ub the bound of the first run, which is part of the tree; a schedule of it comes from the
 * file. */
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
		t->asks_known = t->known && !c.order && c.key.first_ub == t->known->upper &&
				c.best == t->known->upper;
	}
	status = checkpoint_spares(&c, &t->plan, t->q.ub, e);
	keep_past(t, &c);
	checkpoint_free(&c);
	return status;
}

static int read_flags(struct task *t, int *start, struct err *e)
{
	static const char *const bounds[] = { "lb2", "lb1", NULL };
	static const char *const branchings[] = { "forward", "maxsum", "minbranch", NULL };
	static const char *const starts[] = { "none", "neh", "ig", NULL };
	int bound, branching, status;

	status = flag_choose(&bound, "bound", t->flags->bound, bounds, e);
	if (!status)
		status = flag_choose(&branching, "branching", t->flags->branching, branchings, e);
	if (!status)
		status = flag_choose(start, "start", t->flags->start, starts, e);
	if (!status)
		status = read_ub(t, e);
	if (status)
		return status;
	t->q.flowshop = t->f;
	t->q.bound = bound ? FSP_LB1 : FSP_LB2;
	t->q.branching = t->flags->branching ? (enum fsp_branching)branching :
						t->flags->default_branching;
	status = t->target->refuse(t->target->context, &t->q, e);
	if (!status)
		status = read_resumed(t, e);
	if (!t->flags->start)
		*start = t->asks_known || t->resumed ? FSP_START_NONE :
			 t->q.ub < SEARCH_NO_UB ? FSP_START_NEH : FSP_START_IG;
	return status;
}

static int find_start(struct task *t, enum fsp_start kind, struct solve_result *r, struct err *e)
{
	double begin = clock_wall(), seconds = t->flags->start_seconds, limit = t->q.time_limit;
	double used;
	int status;

	if (kind == FSP_START_NONE)
		return 0;
	seconds = seconds > 0 ? seconds : fsp_start_seconds(t->f);
	if (limit > 0 && seconds > limit / 4)
		seconds = limit / 4;
	status = fsp_start(kind, t->f, seconds, t->o->seed, t->o->stop, t->order, &t->makespan, e);
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

/* ---- what was found ---- */

static void take(struct task *t, const int64_t *order, int64_t makespan)
{
	memcpy(t->order, order, (size_t)t->f->jobs * sizeof(*order));
	t->makespan = makespan;
	t->has_order = true;
}

/* The schedule to return: the search's, else that of the start, else a quick one where the search
 * was cut short or its bound was the user's own; or that of the run before, where it is better. */
static int settle_schedule(struct task *t, struct err *e)
{
	if (t->out.order)
		take(t, t->out.order, t->out.best);
	if (!t->has_order && !(t->asks_known && t->out.complete)) {
		int status =
		    fsp_start(FSP_START_NEH, t->f, 0, 1, NULL, t->order, &t->makespan, e);

		if (status)
			return status;
		t->has_order = true;
	}
	if (t->has_order && t->past && t->past_makespan < t->makespan)
		take(t, t->past, t->past_makespan);
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
	int status = t->target->verify(&t->q, &t->out, &verified, e);

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
		r->solution_unit = "jobs";
		t->order = NULL;
	}
	r->has_bound = true;
	r->bound = t->out.lower_bound;
	solve_extra_figure(r, "lower_bound", (double)t->out.lower_bound);
	t->target->figures(t->target->context, &t->q, &t->out, r);
	remark(t, r);
	return 0;
}

static int run(struct task *t, struct solve_result *r, struct err *e)
{
	int start, status, wrong;

	t->order = malloc((size_t)t->f->jobs * sizeof(*t->order));
	if (!t->order)
		return err_set(e, ERR_MEMORY, "no memory for a schedule");
	status = read_flags(t, &start, e);
	if (!status)
		status = find_start(t, (enum fsp_start)start, r, e);
	if (!status)
		status = t->target->search(t->target->context, &t->q, &t->out, r, e);
	if (status == 0 || status == ERR_LIMIT) {
		wrong = present(t, r, e);
		status = wrong ? wrong : status;
	}
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
		file_hint(o, format == FLOWSHOP_AUTO ? FORMS_FLOWSHOP : FORMS_MATRIX, e);
	return status;
}

int fsp_solve(const struct solve_options *o, const struct fsp_solve_flags *flags,
	      const struct search_request *q, const struct solve_target *target,
	      struct solve_result *r, struct err *e)
{
	struct flowshop f;
	struct task t = { .o = o, .flags = flags, .target = target, .f = &f, .q = *q };
	int64_t number;
	int format, status;

	if (flag_parse_int(&number, o->instance, NULL) == 0)
		return err_set(e, ERR_USAGE, "--instance %s is a number: for N-Queens add "
			       "--problem nqueens", o->instance);
	status = flag_choose(&format, "format", flags->format, flowshop_format_words, e);
	if (!status)
		status = fsp_load(&f, o, (enum flowshop_format)format, e);
	if (status)
		return status;
	snprintf(r->instance, sizeof(r->instance), "%s", f.name);
	t.known = flowshop_known_of(&f);
	status = run(&t, r, e);
	flowshop_free(&f);
	return status;
}

void fsp_list_instances(const char *paper)
{
	printf("    ta001 .. ta120                     Taillard 1993%s\n", paper);
	puts("    taillard:JOBSxMACHINES:SEED        his generator with any seed\n"
	     "    random:JOBSxMACHINES:MAX[:SEED]    uniform times 1..MAX\n"
	     "    FILE                               Taillard's text, or VFR's rows of a job;\n"
	     "                                       a plain matrix of times with --format");
}
