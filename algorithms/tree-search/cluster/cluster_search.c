/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The driver of a rank: this thread carries messages, and a second one runs the engine. */
#include "algorithms/tree-search/cluster/cluster_search.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algorithms/tree-search/cluster/cluster_work.h"
#include "algorithms/tree-search/cluster/world.h"
#include "algorithms/tree-search/depth-first/dfs_levels.h"
#include "algorithms/tree-search/exchange.h"
#include "harness/base/build.h"
#include "harness/base/clock.h"
#include "harness/base/hash.h"

enum counter { NODES, SOLUTIONS, EXPLORED, DECOMPOSED, LEAVES, EVALUATED, CUT, COUNTERS };

#define SLICE 0.05    /* seconds: the least time between two starts of an engine */
#define LONG_SLICE 1  /* seconds after which a rank reports its nodes to rank 0 in any case */
#define PERIOD 0.002  /* seconds between two waves of rank 0 */
#define LONGEST 0.001 /* seconds that this thread sleeps at most */

/* A run of the engine in its thread. */
struct slice {
	pthread_t thread;
	bool running;
	atomic_bool ended;
	volatile sig_atomic_t stop;
	double begin;
	struct watch *watch; /* tells better solutions while the engine runs */
	struct search_request request;
	struct checkpoint_plan plan;
	struct checkpoint from, left;
	struct cluster_open *work; /* lent to `from` */
	struct search_outcome outcome;
	int status;
	struct err error;
};

struct driver {
	const struct search_target *target;
	const struct search_request *q; /* `request` */
	struct search_request request;  /* the caller's, with a bound */
	struct cluster *cluster;
	int items; /* of checkpoints */
	struct slice slice;
	int64_t *best_order; /* [items], that `from` points to */
	struct interrupt interrupt;
	double begin, next_checkpoint;
	bool stopping;
	struct checkpoint_key key;
	double past_seconds;
	uint64_t past_nodes;    /* of earlier runs, which limits and progress do not count */
	struct dfs_gauge gauge; /* once estimates are wanted and the tree is known */
	double first_left;      /* the largest estimate so far of what is left, and ... */
	uint64_t first_nodes;   /* ... the nodes then */
};

static size_t solution_items(const struct driver *d)
{
	return d->q->flowshop ? (size_t)d->items : d->q->atsp ? (size_t)d->items + 1 : 0;
}

/* ---- values: a solution of value v is better than the bound v without a solution ---- */

static int64_t value_of(int64_t best, bool has_solution)
{
	return 2 * best + (has_solution ? 0 : 1);
}

static int64_t best_of(int64_t value)
{
	return value >> 1;
}

/* ---- the estimated nodes below open work (cluster_left) ---- */

/* The best value that this rank knows. */
static int64_t known_best(const struct driver *d)
{
	const unsigned char *solution;
	int64_t value;
	size_t size;

	return cluster_best(d->cluster, &value, &solution, &size) ? best_of(value) :
								    d->gauge.first_ub;
}

/* Boards that are filled from the middle outwards. Their subtrees have the mean sizes of those that
 * are filled from the first row on, because both have the same placements in consecutive rows, but
 * an open node stands for an orbit, and if only solutions count, for a part of its subtree. */
static bool is_from_middle(const struct driver *d)
{
	return !d->q->flowshop && !d->q->atsp && strstr(d->key.rule, CHECKPOINT_FROM_MIDDLE);
}

/* Samples the tree when it is due, beside an engine that runs. */
static void sample(struct driver *d)
{
	const struct cluster_open *w = d->slice.work;

	if (!cluster_estimates(d->cluster))
		return;
	if (!d->gauge.request && d->slice.running)
		dfs_gauge_start(&d->gauge, d->q, w->c.key.first_ub);
	if (d->gauge.request)
		dfs_gauge_levels(&d->gauge, known_best(d));
}

/* 0: not known. */
static double left_below(struct driver *d, const struct cluster_open *w)
{
	const struct dfs_levels *l = atomic_load(&d->gauge.levels);

	if (!w || w->whole || !l)
		return 0;
	return w->c.form == CHECKPOINT_NODES ? dfs_levels_records(l, w->c.work, 0, w->c.count) :
					       dfs_levels_intervals(l, w->c.work, 0, w->c.count);
}

/* ---- slices ---- */

static void *run_engine(void *context)
{
	struct driver *d = context;
	struct slice *s = &d->slice;

	s->status = d->target->search(d->target->context, &s->request, &s->outcome, &s->error);
	atomic_store(&s->ended, true);
	return NULL;
}

/* The bound of a slice: that of the search or, if it is known here already, a better solution. Work
 * may arrive before the first incumbent. */
static void take_incumbent(struct driver *d)
{
	struct slice *s = &d->slice;
	const unsigned char *solution;
	int64_t value;
	size_t size;

	s->from.best = d->q->flowshop || d->q->atsp ? s->work->c.key.first_ub : s->request.ub;
	s->from.order = NULL;
	if (!cluster_best(d->cluster, &value, &solution, &size))
		return;
	s->from.best = best_of(value);
	if (size != (size_t)d->items * sizeof(int64_t))
		return;
	memcpy(d->best_order, solution, size);
	s->from.order = d->best_order;
}

static int start_slice(struct driver *d, double now, struct err *e)
{
	struct slice *s = &d->slice;
	void *work;
	int status = cluster_take(d->cluster, now, &work, e);

	if (status)
		return status;
	s->work = work;
	s->request = *d->q;
	s->request.stop = &s->stop;
	s->request.time_limit = 0;
	s->begin = now;
	status = watch_create(&s->watch, 0, e);
	if (status) {
		cluster_work_ops.free(&d->items, work);
		return status;
	}
	s->request.watch = s->watch;
	s->request.checkpoint = &s->plan;
	s->stop = 0;
	s->plan = (struct checkpoint_plan){ .left = &s->left, .first_ub = s->work->c.key.first_ub };
	s->left = (struct checkpoint){ .count = 0 };
	s->outcome = (struct search_outcome){ .lower_bound = 0 };
	s->error = (struct err){ .code = 0 };
	if (!s->work->whole) {
		s->from = s->work->c;
		take_incumbent(d);
		if (s->from.best < s->request.ub)
			s->request.ub = s->from.best;
		s->plan.from = &s->from;
	}
	atomic_store(&s->ended, false);
	if (pthread_create(&s->thread, NULL, run_engine, d)) {
		watch_destroy(s->watch);
		cluster_work_ops.free(&d->items, work);
		return err_set(e, ERR_FAILED, "cannot create a thread for the search");
	}
	s->running = true;
	return 0;
}

/* Whether the slice shall end although nobody asks for work: it is long, or a better solution was
 * found by it or by another rank. */
static bool is_stale(const struct driver *d, double now)
{
	const struct slice *s = &d->slice;
	const unsigned char *solution;
	struct watch_view view;
	int64_t value, best;
	size_t size;
	bool known;

	if (now < s->begin + SLICE)
		return false;
	if (now > s->begin + LONG_SLICE)
		return true;
	watch_view(s->watch, &view);
	known = cluster_best(d->cluster, &value, &solution, &size);
	best = known ? best_of(value) : INT64_MAX;
	return (view.has_best && view.best < best) || (s->plan.from && best < s->from.best);
}

/* The solution of an outcome as the items of a checkpoint; false: it has none. */
static bool solution_of(const struct driver *d, const struct search_outcome *o, int64_t *items)
{
	if (!o->order)
		return false;
	for (int i = 0; i < d->items; i++)
		items[i] = d->q->atsp ? o->order[i + 1] - 1 : o->order[i];
	return true;
}

/* Waits for the engine's thread. The outcome and the open work are the caller's. */
static void join_engine(struct slice *s)
{
	pthread_join(s->thread, NULL);
	s->running = false;
	watch_destroy(s->watch);
}

/* The counts are not those of the outcome: a stopped search has counted nodes that the next owner
 * of its open work counts again. Only `cut` is: a node that was pruned is not open. */
static void counts_of(const struct checkpoint *c, uint64_t cut, uint64_t counts[COUNTERS])
{
	counts[NODES] = c->decomposed + c->explored + c->solutions;
	counts[SOLUTIONS] = c->solutions;
	counts[EXPLORED] = c->explored;
	counts[DECOMPOSED] = c->decomposed;
	counts[LEAVES] = c->leaves;
	counts[EVALUATED] = c->evaluated;
	counts[CUT] = cut;
}

/* Sets the solution of a slice to that of an outcome, if it has one. */
static void take_found(struct driver *d, const struct search_outcome *o, struct cluster_slice *back)
{
	if (!solution_of(d, o, d->best_order))
		return;
	back->has_value = true;
	back->value = value_of(o->best, true);
	back->solution = (const unsigned char *)d->best_order;
	back->solution_size = (size_t)d->items * sizeof(int64_t);
}

static int give_back(struct driver *d, struct cluster_open *left, double now, struct err *e)
{
	uint64_t counts[COUNTERS];
	struct cluster_slice back = { .work = left, .left = left_below(d, left), .counts = counts };

	counts_of(&d->slice.left, d->slice.outcome.cut, counts);
	take_found(d, &d->slice.outcome, &back);
	return cluster_return(d->cluster, &back, now, e);
}

static int return_slice(struct driver *d, double now, struct err *e)
{
	struct slice *s = &d->slice;
	struct cluster_open *left = NULL;
	int64_t first_ub = s->work->c.key.first_ub;
	int status;

	join_engine(s);
	cluster_work_ops.free(&d->items, s->work);
	s->work = NULL;
	if (s->left.key.rule[0]) /* the engine's own */
		memcpy(d->key.rule, s->left.key.rule, sizeof(d->key.rule));
	status = s->status == ERR_LIMIT ? 0 : s->status;
	if (status && e)
		*e = s->error;
	if (!status)
		status = cluster_open_take(&left, &s->left, e);
	if (left) /* an engine that was given a better incumbent began with that */
		left->c.key.first_ub = first_ub;
	if (!status)
		status = give_back(d, left, now, e);
	search_outcome_free(&s->outcome);
	checkpoint_free(&s->left);
	return status;
}

/* ---- messages ---- */

static int carry(struct driver *d, bool *any, struct err *e)
{
	struct cluster_mail mail;
	unsigned char *bytes;
	size_t size;
	int from, status = 0;

	*any = false;
	while (!status) {
		status = world_take_message(&from, &bytes, &size, e);
		if (status || !bytes)
			break;
		*any = true;
		status = cluster_receive(d->cluster, from, bytes, size, clock_wall(), e);
		free(bytes);
	}
	while (!status && cluster_next(d->cluster, &mail)) {
		*any = true;
		status = world_send(mail.to, mail.bytes, mail.size, e);
	}
	return status;
}

/* ---- rank 0: limits, progress, checkpoints ---- */

/* The nodes of --node-limit and progress. */
static uint64_t nodes_in(const uint64_t counts[COUNTERS])
{
	return counts[DECOMPOSED] ? counts[DECOMPOSED] : counts[EXPLORED];
}

/* Boards from the middle: what is left is in other units than the nodes. How many of them a node
 * is worth is seen from what has been done since the first estimate. */
static void show_share_from_middle(struct driver *d, uint64_t nodes, double left)
{
	double done;

	if (left > d->first_left) {
		d->first_left = left;
		d->first_nodes = nodes;
	}
	if (nodes <= d->first_nodes || left >= d->first_left)
		return;
	done = (double)nodes * (d->first_left - left) / (double)(nodes - d->first_nodes);
	watch_share(d->q->watch, done / (done + left));
}

/* The share of the tree, if its nodes are counted. */
static void show_share(struct driver *d, uint64_t nodes)
{
	double left = cluster_left(d->cluster);

	if (left >= 0 && nodes > 0 && is_from_middle(d))
		show_share_from_middle(d, nodes, left);
	else if (left >= 0 && nodes > 0)
		watch_share(d->q->watch, (double)nodes / ((double)nodes + left));
}

static void show(struct driver *d)
{
	uint64_t counts[COUNTERS];
	const unsigned char *solution;
	int64_t value;
	bool complete;
	size_t size;

	if (d->q->exchange && cluster_best(d->cluster, &value, &solution, &size) &&
	    size == (size_t)d->items * sizeof(int64_t))
		exchange_offer(d->q->exchange, EXCHANGE_SEARCH, best_of(value),
			       (const int64_t *)(const void *)solution);
	if (!d->q->watch)
		return;
	cluster_totals(d->cluster, counts, &complete);
	/* before the first wave the totals are 0 */
	if (nodes_in(counts) > d->past_nodes)
		watch_count(d->q->watch, 0, nodes_in(counts) - d->past_nodes);
	show_share(d, nodes_in(counts));
	if (cluster_best(d->cluster, &value, &solution, &size) && size)
		watch_incumbent(d->q->watch, best_of(value));
}

/* The state of a cut as a checkpoint. The caller frees c. */
static int checkpoint_of(struct driver *d, struct cluster_state *cut, struct checkpoint *c,
			 struct err *e)
{
	struct cluster_open *w = cut->work;
	bool solved = cut->solution_size == (size_t)d->items * sizeof(int64_t);

	*c = (struct checkpoint){ .key = d->key,
				  .best = cut->has_value ? best_of(cut->value) : d->q->ub,
				  .order = solved ? (int64_t *)(void *)cut->solution : NULL,
				  .solutions = cut->counts[SOLUTIONS],
				  .explored = cut->counts[EXPLORED],
				  .decomposed = cut->counts[DECOMPOSED],
				  .leaves = cut->counts[LEAVES],
				  .evaluated = cut->counts[EVALUATED],
				  .seconds = d->past_seconds + clock_wall() - d->begin };
	if (!solved)
		free(cut->solution);
	cut->solution = NULL;
	if (w && w->whole) { /* the tree has a form only after the first slice */
		cluster_work_ops.free(&d->items, w);
		checkpoint_free(c);
		return err_set(e, ERR_LIMIT, "stopped before the search began");
	}
	if (w) {
		c->key = w->c.key;
		c->form = w->c.form;
		c->count = w->c.count;
		c->work = w->c.work;
		w->c.work = NULL;
		cluster_work_ops.free(&d->items, w);
	}
	return 0;
}

/* Asks for a cut when one is due, and writes it when it is complete. */
static int keep_checkpoints(struct driver *d, double now, struct err *e)
{
	const struct checkpoint_plan *plan = d->q->checkpoint;
	struct cluster_state cut;
	struct checkpoint c;
	int status = 0;

	if (!plan || !plan->write || d->stopping)
		return 0;
	if (now >= d->next_checkpoint) {
		d->next_checkpoint = now + checkpoint_period(plan);
		status = cluster_cut(d->cluster, now, e);
	}
	if (status || !cluster_take_cut(d->cluster, &cut))
		return status;
	if (checkpoint_of(d, &cut, &c, NULL) == 0) {
		status = checkpoint_store(&c, d->q, e);
		checkpoint_free(&c);
	}
	return status;
}

static int watch_limits(struct driver *d, double now, struct err *e)
{
	int status = keep_checkpoints(d, now, e);

	show(d);
	if (!status && !d->stopping && interrupt_due(&d->interrupt)) {
		d->stopping = true;
		status = cluster_stop(d->cluster, now, e);
	}
	return status;
}

/* ---- the loop ---- */

static void rest(const struct driver *d)
{
	double seconds = cluster_wake(d->cluster) - clock_wall();

	seconds = seconds < LONGEST ? seconds : LONGEST;
	if (seconds > 0)
		usleep((useconds_t)(seconds * 1e6));
}

/* Whether a signal has come, other than that of the time limit. */
static bool is_signalled(const struct driver *d)
{
	int reason = d->q->stop ? *d->q->stop : 0;

	return reason && reason != SIGALRM;
}

static int loop(struct driver *d, struct err *e)
{
	bool rank0 = world_place()->rank == 0, any;
	enum cluster_action action = CLUSTER_WAIT;
	int status = 0;

	while (!status && action != CLUSTER_DONE) {
		struct slice *s = &d->slice;
		double now = clock_wall();

		if (s->running && atomic_load(&s->ended))
			status = return_slice(d, now, e);
		if (!status && rank0)
			status = watch_limits(d, now, e);
		if (!status && rank0)
			status = world_find_lost(is_signalled(d), e);
		if (!status)
			status = cluster_act(d->cluster, now, &action, e);
		if (!status && s->running && (action == CLUSTER_PAUSE || is_stale(d, now)))
			s->stop = 1;
		if (!status && action == CLUSTER_RUN)
			status = start_slice(d, now, e);
		if (!status)
			sample(d);
		if (!status)
			status = carry(d, &any, e);
		if (!status && !any && action != CLUSTER_DONE)
			rest(d);
	}
	if (d->slice.running) {
		d->slice.stop = 1;
		join_engine(&d->slice);
		search_outcome_free(&d->slice.outcome);
		checkpoint_free(&d->slice.left);
		cluster_work_ops.free(&d->items, d->slice.work);
	}
	return status;
}

/* ---- begin and end ---- */

static uint64_t identity(const struct driver *d)
{
	struct checkpoint_key key;
	uint64_t h = HASH_INIT;

	checkpoint_key_of(d->q, 0, &key);
	h = hash_text(h, build_info()->version);
	h = hash_text(h, build_info()->revision);
	h = hash_text(h, key.problem);
	h = hash_text(h, key.rule);
	h = hash_u64(h, key.hash);
	return hash_u64(h, d->q->forms);
}

/* The bound that the request's tree begins with. */
static int64_t first_bound(const struct search_request *q)
{
	return q->flowshop || q->atsp ? q->ub : 0;
}

/* Where rank 0 begins: the whole tree, or a checkpoint. */
static int first_work(struct driver *d, struct cluster_slice *start, uint64_t *counts,
		      struct err *e)
{
	const struct checkpoint_plan *plan = d->q->checkpoint;
	struct cluster_open *w = NULL;
	struct checkpoint c;
	int status;

	if (!checkpoint_resumes(plan)) {
		start->work = cluster_open_whole(&d->key);
		return start->work ? 0 : err_set(e, ERR_MEMORY, "no memory for open work");
	}
	status = plan->read ? plan->read(&c, d->q, e) : checkpoint_load(&c, plan, e);
	if (status)
		return status;
	checkpoint_key_of(d->q, c.key.first_ub, &d->key);
	memcpy(d->key.rule, c.key.rule, sizeof(d->key.rule)); /* the engine checks its own rule */
	status = checkpoint_matches(&c, &d->key, e);
	if (status && plan->resume)
		err_prefix(e, "%s", plan->resume);
	counts_of(&c, 0, counts);
	d->past_seconds = c.seconds;
	d->past_nodes = nodes_in(counts);
	if (!status)
		status = cluster_open_take(&w, &c, e);
	start->work = w;
	start->has_value = !status && (d->q->flowshop || d->q->atsp);
	start->value = value_of(c.best, c.order);
	if (!status && c.order) {
		memcpy(d->best_order, c.order, (size_t)d->items * sizeof(int64_t));
		start->solution = (const unsigned char *)d->best_order;
		start->solution_size = (size_t)d->items * sizeof(int64_t);
	}
	checkpoint_free(&c);
	return status;
}

/* The better of the request's start and what `start` has. */
static void first_value(struct driver *d, struct cluster_slice *start)
{
	const struct search_request *q = d->q;
	int64_t value = value_of(q->ub, q->start);

	if ((!q->flowshop && !q->atsp) || q->ub == SEARCH_NO_UB ||
	    (start->has_value && start->value <= value))
		return;
	start->has_value = true;
	start->value = value;
	start->solution_size = 0;
	if (!q->start)
		return;
	for (int i = 0; i < d->items; i++)
		d->best_order[i] = q->atsp ? q->start[i + 1] - 1 : q->start[i];
	start->solution = (const unsigned char *)d->best_order;
	start->solution_size = (size_t)d->items * sizeof(int64_t);
}

/* Searches until there are enough open nodes for a static first distribution: the paper's step
 * before it (Helbecque et al. 2025, section 3.1.1). */
static int expand(struct driver *d, struct cluster_slice *start, uint64_t *counts, struct err *e)
{
	enum { NODES_PER_RANK = 1000 };
	struct checkpoint left = { .count = 0 };
	struct checkpoint_plan plan = { .left = &left, .first_ub = d->key.first_ub };
	struct search_outcome o = { .lower_bound = 0 };
	struct search_request q = *d->q;
	struct cluster_open *w = NULL;
	int status;

	q.checkpoint = &plan;
	status = watch_create(&q.watch, (uint64_t)world_place()->ranks * NODES_PER_RANK, e);
	if (status)
		return status;
	status = d->target->search(d->target->context, &q, &o, e);
	watch_destroy(q.watch);
	if (status == 0 || status == ERR_LIMIT) {
		counts_of(&left, o.cut, counts);
		status = cluster_open_take(&w, &left, e);
		if (w)
			w->c.key.first_ub = d->key.first_ub;
		cluster_work_ops.free(&d->items, start->work);
		start->work = w;
		take_found(d, &o, start);
	}
	search_outcome_free(&o);
	checkpoint_free(&left);
	return status;
}

/* The rules of this rank. */
static struct cluster_rules rules_of(const struct driver *d)
{
	const struct cluster_mpi_place *p = world_place();
	bool fixed = d->q->no_stealing || d->q->no_stealing_between;
	enum cluster_victims victims = fixed                     ? CLUSTER_STATIC :
				       d->target->paper_stealing ? CLUSTER_PERMUTED :
								   CLUSTER_LIFELINES;

	return (struct cluster_rules){
		.rank = p->rank,
		.ranks = p->ranks,
		.identity = identity(d),
		.victims = victims,
		.tries = 2,
		.least = victims == CLUSTER_PERMUTED ? 2 * (uint64_t)d->target->paper_stealing : 0,
		.deal = victims != CLUSTER_LIFELINES,
		.seed = d->q->seed,
		.slice = SLICE,
		.period = PERIOD,
		.estimate = d->q->watch != NULL,
		.counters = COUNTERS,
		.solution_most = (size_t)d->items * sizeof(int64_t),
	};
}

/* Flowshop without a bound: that of search_start(), which each engine would use by itself, so that
 * all slices have the same first bound. The caller frees *start. */
static int find_bound(struct driver *d, int64_t **start, struct err *e)
{
	struct search_request *r = &d->request;
	int status;

	*start = NULL;
	if (!r->flowshop || r->ub != SEARCH_NO_UB || world_place()->rank > 0)
		return 0;
	status = search_start(r, &r->ub, start, e);
	r->start = *start;
	return status;
}

static int begin(struct driver *d, struct err *e)
{
	uint64_t counts[COUNTERS] = { 0 };
	struct cluster_slice start = { .counts = counts };
	struct cluster_rules rules;
	bool rank0 = world_place()->rank == 0;
	int status = 0;

	checkpoint_key_of(d->q, first_bound(d->q), &d->key);
	d->items = d->key.items;
	d->best_order = calloc((size_t)d->items + 1, sizeof(*d->best_order));
	if (!d->best_order)
		return err_set(e, ERR_MEMORY, "no memory for a solution");
	rules = rules_of(d);
	if (rank0)
		status = first_work(d, &start, counts, e);
	if (!status && rank0 && rules.deal && start.work && !checkpoint_resumes(d->q->checkpoint))
		status = expand(d, &start, counts, e);
	if (!status && rank0)
		first_value(d, &start);
	if (!status)
		status = cluster_create(&d->cluster, &rules, &cluster_work_ops, &d->items, &start,
					clock_wall(), e);
	d->next_checkpoint =
		clock_wall() + (d->q->checkpoint ? checkpoint_period(d->q->checkpoint) : 0);
	return status;
}

static int take_solution(const struct driver *d, int64_t best, const int64_t *items, bool solved,
			 struct search_outcome *o, struct err *e)
{
	size_t count = solution_items(d);

	o->best = best;
	if (!solved)
		return 0;
	o->order = malloc(count * sizeof(*o->order));
	if (!o->order)
		return err_set(e, ERR_MEMORY, "no memory for a solution");
	if (d->q->atsp)
		o->order[0] = 0;
	for (int i = 0; i < d->items; i++)
		o->order[d->q->atsp ? i + 1 : i] = d->q->atsp ? items[i] + 1 : items[i];
	return 0;
}

/* A stopped search: writes the last checkpoint and lets the engine compute the least bound of what
 * is open, by a slice that is stopped before it begins. */
static int end_stopped(struct driver *d, struct search_outcome *o, struct err *e)
{
	const struct checkpoint_plan *plan = d->q->checkpoint;
	volatile sig_atomic_t stop = 1;
	struct cluster_state cut;
	struct checkpoint c;
	struct checkpoint_plan last = { .write = plan ? plan->write : NULL,
					.from = &c,
					.failing = plan && plan->failing };
	struct search_request q = *d->q;
	int status;

	if (!cluster_take_cut(d->cluster, &cut))
		return err_set(e, ERR_FAILED, "the open work of a stopped search is missing");
	status = checkpoint_of(d, &cut, &c, e);
	if (status)
		return status;
	q.checkpoint = &last;
	q.stop = &stop;
	last.first_ub = c.key.first_ub;
	status = d->target->search(d->target->context, &q, o, e);
	checkpoint_free(&c);
	return status;
}

/* A complete search: its checkpoint has no open work. */
static int end_complete(struct driver *d, const struct search_outcome *o, struct err *e)
{
	const struct checkpoint_plan *plan = d->q->checkpoint;
	struct checkpoint c = { .key = d->key,
				.best = o->best,
				.order = o->order ? d->best_order : NULL,
				.solutions = o->solutions,
				.explored = o->explored,
				.decomposed = o->decomposed,
				.leaves = o->leaves,
				.evaluated = o->evaluated,
				.seconds = d->past_seconds + clock_wall() - d->begin };

	if (!plan || !plan->write)
		return 0;
	return checkpoint_store_last(&c, d->q, e);
}

static int end(struct driver *d, struct search_outcome *o, struct err *e)
{
	uint64_t counts[COUNTERS];
	const unsigned char *solution;
	int64_t value;
	size_t size;
	int status = 0;

	cluster_totals(d->cluster, counts, &o->complete);
	if (!o->complete) {
		status = end_stopped(d, o, e);
		o->cut = counts[CUT];
		o->workers = world_place()->ranks;
		return status == ERR_LIMIT ? interrupt_status(&d->interrupt, e) : status;
	}
	if (cluster_best(d->cluster, &value, &solution, &size)) {
		memcpy(d->best_order, solution, size);
		status = take_solution(d, best_of(value), d->best_order, size > 0, o, e);
		o->lower_bound = o->best;
	}
	o->solutions = counts[SOLUTIONS];
	o->explored = counts[EXPLORED];
	o->decomposed = counts[DECOMPOSED];
	o->leaves = counts[LEAVES];
	o->evaluated = counts[EVALUATED];
	o->cut = counts[CUT];
	o->workers = world_place()->ranks;
	return status ? status : end_complete(d, o, e);
}

int cluster_search(const struct search_target *target, const struct search_request *q,
		   struct search_outcome *o, struct err *e)
{
	struct driver *d = calloc(1, sizeof(*d));
	int64_t *start = NULL;
	int status = d ? 0 : err_set(e, ERR_MEMORY, "no memory for a search on several ranks");

	*o = (struct search_outcome){ .best = first_bound(q) };
	if (status)
		return status;
	d->target = target;
	d->q = &d->request;
	d->request = *q;
	d->begin = clock_wall();
	d->interrupt = interrupt_from(q);
	world_ignore_signals();
	world_begin();
	status = find_bound(d, &start, e);
	if (!status)
		status = begin(d, e);
	if (!status)
		status = loop(d, e);
	if (!status)
		world_finished();
	if (!status && world_place()->rank > 0)
		status = err_set(e, ERR_LIMIT, "the search ended on rank 0");
	else if (!status)
		status = end(d, o, e);
	o->seconds_total = o->seconds_search = clock_wall() - d->begin;
	cluster_destroy(d->cluster);
	dfs_gauge_close(&d->gauge);
	free(start);
	free(d->best_order);
	free(d);
	return status;
}
