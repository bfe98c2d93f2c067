/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/by-set/sets_search.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/tree-search/by-set/sets_device.h"
#include "algorithms/tree-search/depth-first/dfs_levels.h"
#include "algorithms/tree-search/device_threads.h"
#include "algorithms/tree-search/exchange.h"
#include "algorithms/tree-search/joining.h"
#include "algorithms/tree-search/search.h"
#include "harness/base/clock.h"
#include "harness/base/team.h"

/* ---- the devices ----
 *
 * A host thread drives each device. A device that has no nodes left waits until another one gives
 * it half of its open nodes, at the end of a launch. So does a device that joins later. */

struct sets_devices {
	struct sets_device device[DEV_MAX];
	int count;   /* devices that may search */
	int joined;  /* that do */
	int waiting; /* of those */
	const struct search_request *request;
	const struct sets_tables *tables;
	struct joining joining;
	struct interrupt interrupt;
	pthread_mutex_t lock;
	pthread_cond_t change;
	bool is_waiting[DEV_MAX];
	struct dfs_gauge gauge;
	double shown[DEV_MAX]; /* when a device's open nodes were last counted; clock_wall() */
	bool end, limit;       /* all done; stopped at a limit */
	int64_t ub;
	int status; /* of the first failure */
	struct err error;
	uint64_t steals_tried, steals_done, nodes_stolen;
};

/* Between two counts of a device's open nodes. */
#define SHOW_SECONDS 0.5

struct worker {
	struct sets_devices *team;
	int self;
};

static void fail(struct sets_devices *t, int status, const struct err *e)
{
	if (!t->status) {
		t->status = status;
		t->error = *e;
	}
	t->end = true;
	pthread_cond_broadcast(&t->change);
}

/* With the lock held: gives nodes to one waiting device. Its thread sleeps, so this thread may use
 * both devices. */
static void feed(struct sets_devices *t, int self)
{
	struct err e = { 0 };
	uint32_t nodes = 0;
	int to = 0, status;

	while (!t->is_waiting[to])
		to++;
	t->steals_tried++;
	status = sets_device_share(&t->device[self], &e);
	if (!status)
		status = sets_device_give(&t->device[self], &t->device[to], &nodes, &e);
	if (status) {
		fail(t, status, &e);
	} else if (nodes) {
		watch_left(t->request->watch, to, -1); /* until it counts its nodes */
		t->shown[to] = 0;
		t->steals_done++;
		t->nodes_stolen += nodes;
		t->is_waiting[to] = false;
		t->waiting--;
		pthread_cond_broadcast(&t->change);
	}
}

/* With the lock held: waits until this device has work. Returns false if the search is over. */
static bool wait_for_nodes(struct sets_devices *t, int self)
{
	if (t->end) /* a device that joins may come too late */
		return false;
	if (!sets_device_idle(&t->device[self]))
		return !t->end;
	t->is_waiting[self] = true;
	watch_left(t->request->watch, self, 0);
	if (++t->waiting == t->joined || t->request->no_stealing) {
		t->end = t->end || t->waiting == t->joined;
		pthread_cond_broadcast(&t->change);
	}
	while (t->is_waiting[self] && !t->end)
		pthread_cond_wait(&t->change, &t->lock);
	return !t->end;
}

/* Offers the schedule of this device to the heuristics beside the search. */
static void offer(const struct sets_devices *t, const struct sets_device *d)
{
	int64_t value = (int64_t)(d->state->best >> 32), order[SETS_JOBS];

	if (value >= exchange_value(t->request->exchange))
		return;
	for (int j = 0; j < d->search.jobs; j++)
		order[j] = d->state->order[j];
	exchange_offer(t->request->exchange, EXCHANGE_SEARCH, value, order);
}

/* Tells the estimated nodes below the open ones of this device. Without the lock, after a launch;
 * other threads use the device only while it waits. */
static int show_left(struct sets_devices *t, int self, struct err *e)
{
	struct sets_device *d = &t->device[self];
	const struct dfs_levels *l = dfs_gauge_levels(&t->gauge, d->state->control.ub);
	uint32_t open[SETS_JOBS + 1] = { 0 };
	double now = clock_wall();
	int status;

	if (!l || now < t->shown[self] + SHOW_SECONDS)
		return 0;
	t->shown[self] = now;
	status = sets_device_depths(d, open, e);
	if (!status)
		watch_left(t->request->watch, self, dfs_levels_open(l, open));
	return status;
}

/* With the lock held, after a launch. */
static void learn(struct sets_devices *t, int self)
{
	const struct sets_control *c = &t->device[self].state->control;
	struct watch *watch = t->request->watch;

	if (c->improved) {
		watch_incumbent(watch, (int64_t)(t->device[self].state->best >> 32));
		if (t->request->exchange)
			offer(t, &t->device[self]);
	}
	t->ub = c->ub < t->ub ? c->ub : t->ub;
	watch_count(watch, self, c->decomposed);
	watch_devices(watch, t->joined - t->waiting, t->count);
}

static int open_late(struct sets_devices *t, int self, struct err *e)
{
	struct sets_device *d = &t->device[self];
	int status = sets_device_open(d, t->request->devices->dev[self], t->tables,
				      t->request->memory, t->count, e);

	if (!status)
		status = joining_connect(&t->joining, self, d->stream, e);
	return status ? status : sets_device_await(d, t->tables->first_ub, e);
}

/* Joins the search without nodes. Returns false if the search does not need this device, or if it
 * cannot be opened: the others go on without it. */
static bool join(struct sets_devices *t, int self)
{
	if (!joining_wait(&t->joining, self))
		return false;
	if (open_late(t, self, NULL)) {
		joining_refuse(&t->joining, self);
		sets_device_close(&t->device[self]);
		return false;
	}
	pthread_mutex_lock(&t->lock);
	t->joined++;
	return true;
}

static void work(void *of)
{
	struct worker *w = of;
	struct sets_devices *t = w->team;
	struct sets_device *d = &t->device[w->self];
	struct err e = { 0 };
	int status;

	if (w->self < joining_first(&t->joining, t->count))
		pthread_mutex_lock(&t->lock);
	else if (!join(t, w->self))
		return;
	while (wait_for_nodes(t, w->self)) {
		int64_t given = exchange_value(t->request->exchange), ub;

		t->ub = given < t->ub ? given : t->ub;
		ub = t->request->private_incumbent ? d->state->control.ub : t->ub;
		pthread_mutex_unlock(&t->lock);
		status = sets_device_run(d, ub, &e);
		if (!status)
			status = show_left(t, w->self, &e);
		pthread_mutex_lock(&t->lock);
		if (status) {
			fail(t, status, &e);
			break;
		}
		learn(t, w->self);
		if (!sets_device_idle(d) && interrupt_due(&t->interrupt)) {
			t->end = t->limit = true;
			pthread_cond_broadcast(&t->change);
		} else if (!sets_device_idle(d) && t->waiting && !t->request->no_stealing) {
			feed(t, w->self);
		}
	}
	pthread_mutex_unlock(&t->lock);
	joining_end(&t->joining);
}

static int run_devices(struct sets_devices *t, struct err *e)
{
	struct worker w[DEV_MAX];
	int status;

	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->change, NULL);
	for (int i = 0; i < t->count; i++)
		w[i] = (struct worker){ .team = t, .self = i };
	status = team_run_all(work, w, sizeof(*w), t->count, e);
	pthread_cond_destroy(&t->change);
	pthread_mutex_destroy(&t->lock);
	if (status)
		return status;
	if (t->status && e)
		*e = t->error;
	if (t->status)
		return t->status;
	return t->limit ? interrupt_status(&t->interrupt, e) : 0;
}

/* ---- the search as a whole ---- */

enum { HALF_MAX = 32767, DEAL_JOBS = 5 };

/* The largest total time of a job, and the makespan of the jobs in the order of their numbers,
 * which is an upper bound on the optimum and on every row of bounds. */
static void measure(const struct flowshop *f, int64_t *job_sum, int64_t *makespan)
{
	int64_t order[SETS_JOBS];

	*job_sum = 0;
	for (int j = 0; j < f->jobs; j++) {
		int64_t sum = 0;

		for (int k = 0; k < f->machines; k++)
			sum += f->time[k * f->jobs + j];
		*job_sum = sum > *job_sum ? sum : *job_sum;
		order[j] = j;
	}
	*makespan = flowshop_makespan(f, order);
}

/* Whether the values of a search below `ub` fit signed 16-bit halves: a front, a job and a row of
 * bounds. In two-sided branching the row and the back together are below the parent's bound. */
static bool values_fit(const struct flowshop *f, int64_t ub, bool two_sided)
{
	int64_t job_sum, makespan, most;

	measure(f, &job_sum, &makespan);
	most = ub < SEARCH_NO_UB ? ub : makespan;
	return most + job_sum + (two_sided && most > makespan ? most : makespan) <= HALF_MAX;
}

bool sets_search_supports(const struct search_request *r, bool two_sided)
{
	const struct flowshop *f = r->flowshop;

	return f && r->bound == FSP_LB2 && two_sided == (r->branching != FSP_FORWARD) &&
	       f->jobs >= 2 && f->jobs <= (two_sided ? TWOSIDED_JOBS : SETS_JOBS) &&
	       f->machines <= SETS_MACHINES && r->ub > 0 && !r->checkpoint &&
	       values_fit(f, r->ub, two_sided);
}

static int keep_order(struct search_outcome *o, const int64_t *order, int jobs, struct err *e)
{
	o->order = malloc((size_t)jobs * sizeof(*o->order));
	if (!o->order)
		return err_set(e, ERR_MEMORY, "no memory for a schedule");
	memcpy(o->order, order, (size_t)jobs * sizeof(*order));
	return 0;
}

static int open_devices(struct sets_devices *t, const struct search_request *r,
			const struct sets_tables *tables, struct err *e)
{
	int status = 0, count = device_threads_count(r);

	if (tables->jobs < DEAL_JOBS)
		count = 1;
	t->count = count;
	t->tables = tables;
	joining_open(&t->joining, r, count);
	t->joined = joining_first(&t->joining, count);
	for (int i = 0; !status && i < t->joined; i++)
		status = sets_device_open(&t->device[i], r->devices->dev[i], tables, r->memory,
					  t->joined, e);
	return status;
}

static void close_devices(struct sets_devices *t)
{
	for (int i = 0; i < t->count; i++)
		sets_device_close(&t->device[i]);
	joining_close(&t->joining);
}

static int start_devices(struct sets_devices *t, const struct sets_tables *tables, int64_t ub,
			 struct err *e)
{
	int status = 0;

	t->ub = ub;
	for (int i = 1; !status && i < t->joined; i++)
		status = joining_connect(&t->joining, i, t->device[i].stream, e);
	for (int i = 0; !status && i < t->joined; i++)
		status = sets_device_start(&t->device[i], tables, ub, i, t->joined, e);
	return status;
}

/* Estimates the time spent on the bound table from its share of the clocks of all warps. */
static double seconds_of_tables(const struct sets_device *d)
{
	double warps = (double)d->blocks * d->threads / 32;

	return d->clock_hz > 0 ? (double)d->state->build_clocks / (d->clock_hz * warps) : 0;
}

/* Checks that every node was expanded or is still open. */
static int check_balance(struct sets_devices *t, bool complete, struct err *e)
{
	static const struct balance_name name = { .engine = "search by job set", .part = "device" };
	struct balance devices[DEV_MAX] = { { 0 } };
	int status = 0;

	for (int i = 0; !status && i < t->count; i++)
		if (t->device[i].device)
			status = sets_device_balance(&t->device[i], &devices[i], e);
	return status ? status : balance_check_all(devices, t->count, NULL, &name, complete, e);
}

/* Counts of all devices, and the best schedule. */
static int collect(const struct sets_devices *t, struct search_outcome *o, int jobs, struct err *e)
{
	int64_t order[SETS_JOBS];
	bool found = false;

	for (int i = 0; i < t->count; i++) {
		const struct sets_device *d = &t->device[i];
		uint64_t bytes;

		if (!d->device)
			continue;
		bytes = d->state->control.row_peak * (uint64_t)sets_row_bytes(d->search.row_words);
		o->workers = i + 1;
		o->devices_used |= (uint32_t)(d->launches > 0) << i;
		o->worker_explored[i] = d->state->control.explored;
		o->explored += d->state->control.explored;
		o->decomposed += d->state->control.decomposed;
		o->evaluated +=
			d->state->control.evaluated * (d->search.rule == FSP_FORWARD ? 1 : 2);
		o->leaves += d->state->leaves;
		o->offloads += d->launches;
		o->seconds_tables = fmax(o->seconds_tables, seconds_of_tables(d));
		o->memory_peak = bytes > o->memory_peak ? bytes : o->memory_peak;
		if (!d->state->control.improved || (int64_t)(d->state->best >> 32) >= o->best)
			continue;
		found = true;
		o->best = (int64_t)(d->state->best >> 32);
		for (int j = 0; j < jobs; j++)
			order[j] = d->state->order[j];
	}
	o->steals_tried = t->steals_tried;
	o->steals_done = t->steals_done;
	o->nodes_stolen = t->nodes_stolen;
	if (exchange_value(t->request->exchange) < o->best) {
		o->best = exchange_take(t->request->exchange, o->best, order);
		found = true;
	}
	if (!found)
		return 0;
	free(o->order);
	return keep_order(o, order, jobs, e);
}

static int search_with(struct sets_devices *t, const struct search_request *r,
		       struct search_outcome *o, struct err *e)
{
	struct sets_tables tables;
	double searched;
	int status = sets_tables_make(&tables, r, o->best, e), kept;

	if (status)
		return status;
	t->request = r;
	status = open_devices(t, r, &tables, e);
	if (!status)
		status = start_devices(t, &tables, o->best, e);
	o->seconds_setup = clock_wall() - t->interrupt.begin;
	if (!status) {
		searched = clock_wall();
		dfs_gauge_open(&t->gauge, r, o->best, t->count, 0);
		for (int i = t->joined; i < t->count; i++) /* nothing yet */
			watch_left(r->watch, i, 0);
		joining_begin(&t->joining, o->seconds_setup);
		status = run_devices(t, e);
		o->seconds_search = clock_wall() - searched;
	}
	if (!status || status == ERR_LIMIT) {
		kept = collect(t, o, tables.jobs, e);
		/* a cancelled device has lost its nodes, or may not have started at all */
		if (!kept && !dev_set_cancelled(r->devices))
			kept = check_balance(t, !status, e);
		status = kept ? kept : status;
		o->complete = !status;
		o->lower_bound =
			o->complete || tables.root_bound > o->best ? o->best : tables.root_bound;
	}
	close_devices(t);
	dfs_gauge_close(&t->gauge);
	sets_tables_free(&tables);
	return status;
}

int sets_search(const struct search_request *r, bool two_sided, struct search_outcome *o,
		struct err *e)
{
	struct sets_devices *t = calloc(1, sizeof(*t));
	double begun = clock_wall();
	int status = 0;

	memset(o, 0, sizeof(*o));
	if (!t)
		return err_set(e, ERR_MEMORY, "no memory for a search");
	t->request = r;
	t->interrupt = interrupt_from(r);
	if (!sets_search_supports(r, two_sided))
		status = err_set(e, ERR_UNSUPPORTED,
				 "the search by job set takes LB2, %s branching, up to %d jobs and "
				 "%d machines",
				 two_sided ? "two-sided" : "forward",
				 two_sided ? TWOSIDED_JOBS : SETS_JOBS, SETS_MACHINES);
	else if (!r->devices || r->devices->count < 1)
		status = err_set(e, ERR_UNSUPPORTED, "the search by job set needs a device");
	if (!status)
		status = search_start(r, &o->best, &o->order, e);
	if (!status && !values_fit(r->flowshop, o->best, two_sided))
		status = err_set(e, ERR_UNSUPPORTED,
				 "the times are too large for the search by job set");
	if (!status)
		status = search_with(t, r, o, e);
	o->seconds_total = clock_wall() - begun;
	free(t);
	return status;
}
