/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Starts and ends the search: opens the workers, deals the first intervals, runs the threads and
 * collects what they did. */
#include "algorithms/gmys-ivm/team/team.h"

#include <stdlib.h>
#include <string.h>
#include "algorithms/gmys-ivm/team/team_state.h"
#include "harness/base/clock.h"

/* ---- the best solution ---- */

static int best_open(struct ivm_best *b, const struct ivm_origin *o, struct err *e)
{
	size_t bytes = (size_t)o->n * sizeof(*b->order);

	pthread_mutex_init(&b->lock, NULL);
	atomic_init(&b->value, o->best);
	b->known = o->known;
	b->order = malloc(bytes);
	if (!b->order)
		return err_set(e, ERR_MEMORY, "no memory for an order of %d items", o->n);
	memcpy(b->order, o->order, bytes);
	return 0;
}

static void best_close(struct ivm_best *b)
{
	pthread_mutex_destroy(&b->lock);
	free(b->order);
}

void ivm_best_offer(struct ivm_best *b, int32_t value, const uint16_t *order, int n)
{
	int32_t known;

	pthread_mutex_lock(&b->lock);
	known = ivm_best_value(b);
	if (value < known || (value == known && !b->known)) {
		memcpy(b->order, order, (size_t)n * sizeof(*b->order));
		b->known = true;
		atomic_store_explicit(&b->value, value, memory_order_relaxed);
	}
	pthread_mutex_unlock(&b->lock);
}

void ivm_best_copy(struct ivm_best *b, struct ivm_origin *o)
{
	pthread_mutex_lock(&b->lock);
	o->best = ivm_best_value(b);
	o->known = b->known;
	memcpy(o->order, b->order, (size_t)o->n * sizeof(*o->order));
	pthread_mutex_unlock(&b->lock);
}

/* ---- state of the search ---- */

void ivm_team_call(struct ivm_team *t)
{
	for (int i = 0; i < t->workers; i++)
		atomic_store(&t->worker[i].attention, true);
}

void ivm_team_stop(struct ivm_team *t)
{
	atomic_store(&t->stopped, true);
	ivm_team_call(t);
}

void ivm_team_less_work(struct ivm_team *t, int count)
{
	if (count && atomic_fetch_sub(&t->work, count) == count)
		atomic_store(&t->done, true);
}

/* ---- the thread of a worker: Algorithm 7 ---- */

/* Returns whether a host explorer has to return its intervals to the bag (farmer.h). */
static bool wants_back(const struct ivm_worker *x)
{
	return !x->device && x->team->farmer && atomic_load(&x->team->recall);
}

/* Handles the requests to a busy worker between two steps: makes a deposit, answers thieves,
 * returns its work (*empty). */
static int worker_attend(struct ivm_worker *x, bool *empty)
{
	struct ivm_team *t = x->team;
	int status = 0;

	/* cleared first, so that later requests are seen the next time */
	if (!atomic_exchange(&x->attention, false))
		return 0;
	if (x->epoch < atomic_load(&t->epoch))
		status = ivm_cut_deposit(x);
	if (!status && !atomic_load(&t->stopped))
		status = ivm_team_answer(x);
	if (!status && wants_back(x)) {
		status = ivm_bag_return(x);
		*empty = true;
	}
	return status;
}

/* One turn of a busy worker: starts with what it received, searches, answers requests. */
static int turn(struct ivm_worker *x, bool *empty)
{
	const struct ivm_worker_kind *kind = ivm_worker_kind(x);
	int status = 0;

	*empty = false;
	if (x->received.count)
		status = kind->start(x);
	if (!status)
		status = kind->run(x, empty);
	return status || *empty ? status : worker_attend(x, empty);
}

static void *worker_main(void *argument)
{
	struct ivm_worker *x = argument;
	struct ivm_team *t = x->team;
	bool empty;

	if (!atomic_load(&x->open))
		watch_left(t->request->common.watch, x->id, 0);
	while (!x->status && !ivm_team_over(t)) {
		if (!atomic_load(&x->open) && !ivm_team_acquire(x))
			break;
		x->status = turn(x, &empty);
		if (!x->status && empty) {
			x->show_next = 0;
			watch_left(t->request->common.watch, x->id, 0);
			ivm_team_close(x);
			ivm_team_less_work(t, 1);
		}
	}
	if (x->status)
		ivm_team_stop(t);
	else if (ivm_team_over(t))
		ivm_cut_deposit_last(x);
	ivm_team_close(x);
	pthread_mutex_lock(&t->lock);
	t->running--;
	pthread_cond_signal(&t->changed);
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

/* ---- workers ---- */

static int worker_open(struct ivm_team *t, int id, struct err *e)
{
	struct ivm_worker *x = &t->worker[id];
	int n = t->problem.n;

	x->team = t;
	x->id = id;
	x->device = id < t->setup->devices;
	x->rng = rng_seeded(rng_at(t->request->common.seed, (uint64_t)id));
	pthread_mutex_init(&x->lock, NULL);
	pthread_cond_init(&x->changed, NULL);
	ivm_interval_list_open(&x->received, n);
	ivm_interval_list_open(&x->fresh, n);
	ivm_interval_list_open(&x->seen, n);
	ivm_interval_list_open(&x->deposit.list, n);
	x->room = malloc(IVM_FARMER_AT_ONCE * 2 * (size_t)n * sizeof(*x->room));
	if (!x->room)
		return err_set(e, ERR_MEMORY, "no memory for worker %d", id);
	return ivm_worker_kind(x)->open(x, e);
}

static void worker_close(struct ivm_worker *x)
{
	ivm_worker_kind(x)->close(x);
	ivm_interval_list_close(&x->received);
	ivm_interval_list_close(&x->fresh);
	ivm_interval_list_close(&x->seen);
	ivm_interval_list_close(&x->deposit.list);
	free(x->room);
	pthread_cond_destroy(&x->changed);
	pthread_mutex_destroy(&x->lock);
}

static int open_workers(struct ivm_team *t, int *opened, struct err *e)
{
	size_t bytes = (size_t)t->workers * sizeof(*t->worker);
	int status = 0;

	t->worker = aligned_alloc(_Alignof(struct ivm_worker), bytes);
	if (!t->worker)
		return err_set(e, ERR_MEMORY, "no memory for %d workers", t->workers);
	memset(t->worker, 0, bytes);
	while (!status && *opened < t->workers)
		status = worker_open(t, (*opened)++, e);
	return status;
}

/* ---- the first intervals ---- */

static int put(struct ivm_team *t, const uint16_t *interval, struct err *e)
{
	if (ivm_interval_list_add(&t->bag.list, interval, 1))
		return 0;
	return err_set(e, ERR_MEMORY, "no memory for an interval");
}

/* Puts the whole tree into the bag: as one interval or, without stealing, in equal parts, one for
 * each worker. */
static int begin_at_root(struct ivm_team *t, struct err *e)
{
	uint16_t interval[2 * CHECKPOINT_MAX_ITEMS], middle[CHECKPOINT_MAX_ITEMS];
	uint16_t rest[CHECKPOINT_MAX_ITEMS];
	int n = t->problem.n, parts = t->request->common.no_stealing ? t->workers : 1;
	size_t bytes = (size_t)n * sizeof(*rest);
	int status = 0;

	memcpy(interval, t->origin.interval, 2 * bytes);
	for (; parts > 1 && !status; parts--) {
		memcpy(rest, interval + n, bytes);
		if (!ivm_factoradic_split(interval, rest, n, 1, parts, interval + n, middle))
			break;
		status = put(t, interval, e);
		memcpy(interval, middle, bytes);
		memcpy(interval + n, rest, bytes);
	}
	return status ? status : put(t, interval, e);
}

static int begin_with(struct ivm_team *t, struct err *e)
{
	const struct ivm_origin *o = &t->origin;

	if (ivm_interval_list_add(&t->bag.list, o->interval, o->count))
		return 0;
	return err_set(e, ERR_MEMORY, "no memory for %llu intervals", (unsigned long long)o->count);
}

/* Puts the intervals of the origin into the bag. */
static int begin(struct ivm_team *t, struct err *e)
{
	const struct checkpoint_plan *plan = t->request->common.checkpoint;
	const struct ivm_interval_list all = { .n = t->problem.n,
					       .count = t->origin.count,
					       .digits = t->origin.interval };
	uint64_t length = ivm_interval_list_length(&all);
	int status = checkpoint_resumes(plan) ? begin_with(t, e) : begin_at_root(t, e);

	ivm_origin_taken(&t->origin);
	t->bag.count = t->bag.list.count;
	t->bag.initial = length;
	t->work = (int)t->bag.list.count;
	return status;
}

/* The number of intervals that a worker gets at the beginning. */
static uint64_t part_of(const struct ivm_team *t, int worker)
{
	const struct ivm_team_setup *s = t->setup;
	uint64_t count = t->bag.list.count, hosts = t->farmer ? 0 : (uint64_t)s->hosts, ivms;

	if (worker >= s->devices)
		return hosts && count > 0;
	if (count <= (uint64_t)s->devices - (uint64_t)worker + hosts)
		return count > 0;
	ivms = (uint64_t)s->ops->ivms(t->worker[worker].own);
	count = (count - hosts) / (uint64_t)(s->devices - worker);
	return count < ivms ? count : ivms;
}

/* Distributes the bag to the workers. A single interval goes to worker 0. Otherwise each host gets
 * one, and the devices share the rest evenly, as far as their IVMs suffice. */
static int deal(struct ivm_team *t, struct err *e)
{
	for (int i = 0; i < t->workers; i++) {
		struct ivm_worker *x = &t->worker[i];
		uint64_t part = part_of(t, i);

		if (ivm_interval_list_move(&x->received, &t->bag.list, part) < part)
			return err_set(e, ERR_MEMORY, "no memory for intervals");
		if (part) {
			atomic_store(&x->open, true);
			ivm_team_less_work(t, (int)part - 1);
		}
	}
	atomic_store(&t->bag.count, t->bag.list.count);
	return 0;
}

/* ---- threads ---- */

enum { WATCH_MS = 2 };

static void wait_some_time(struct ivm_team *t)
{
	clock_cond_wait(&t->changed, &t->lock, 1e-3 * WATCH_MS);
}

/* Tells the watch the best solution, if its order is known, and the busy devices. */
static void show_state(struct ivm_team *t)
{
	struct watch *watch = t->request->common.watch;
	int busy = 0;

	if (!watch)
		return;
	for (int i = 0; i < t->setup->devices; i++)
		busy += atomic_load_explicit(&t->worker[i].open, memory_order_relaxed);
	watch_devices(watch, busy, t->setup->devices);
	ivm_bag_show_left(t);
	pthread_mutex_lock(&t->best.lock);
	if (t->best.known)
		watch_incumbent(watch, ivm_best_value(&t->best));
	pthread_mutex_unlock(&t->best.lock);
}

/* The main thread while the workers run: enforces limits and writes checkpoints. */
static void watch(struct ivm_team *t)
{
	struct ivm_checkpoints c;

	ivm_checkpoints_open(&c, t);
	pthread_mutex_lock(&t->lock);
	while (t->running > 0) {
		wait_some_time(t);
		pthread_mutex_unlock(&t->lock);
		show_state(t);
		if (!ivm_team_over(t) && interrupt_due(&t->interrupt))
			ivm_team_stop(t);
		if (!ivm_team_over(t))
			ivm_checkpoints_step(&c);
		pthread_mutex_lock(&t->lock);
	}
	pthread_mutex_unlock(&t->lock);
	show_state(t);
}

static int start_threads(struct ivm_team *t, struct err *e)
{
	for (int i = 0; i < t->workers; i++) {
		struct ivm_worker *x = &t->worker[i];

		pthread_mutex_lock(&t->lock);
		x->started = pthread_create(&x->thread, NULL, worker_main, x) == 0;
		t->running += x->started;
		pthread_mutex_unlock(&t->lock);
		if (!x->started) {
			ivm_team_stop(t);
			return err_set(e, ERR_FAILED,
				       "cannot start a thread for each of %d workers", t->workers);
		}
	}
	return 0;
}

static int first_error(const struct ivm_team *t, struct err *e)
{
	for (int i = 0; i < t->workers; i++) {
		const struct ivm_worker *x = &t->worker[i];

		if (x->status)
			return err_set(e, x->status, "%s", x->error.text);
	}
	return 0;
}

static int run_threads(struct ivm_team *t, struct err *e)
{
	int status = start_threads(t, e), failed;

	watch(t);
	for (int i = 0; i < t->workers; i++) {
		if (t->worker[i].started)
			pthread_join(t->worker[i].thread, NULL);
	}
	failed = status ? status : first_error(t, e);
	if (!failed && t->unbalanced)
		failed = err_set(e, t->unbalanced, "%s", t->unbalanced_error.text);
	if (!failed)
		failed = ivm_team_check_balance(t, atomic_load(&t->done), e);
	return failed ? failed : ivm_checkpoint_last(t, e);
}

static int search(struct ivm_team *t, struct err *e)
{
	const struct checkpoint_plan *plan = t->request->common.checkpoint;
	int status = begin(t, e);

	if (!status)
		status = checkpoint_probe(plan ? plan->write : NULL, e);
	if (!status)
		status = deal(t, e);
	if (status)
		return status;
	if (t->work == 0) {
		atomic_store(&t->done, true);
		return ivm_checkpoint_last(t, e);
	}
	status = run_threads(t, e);
	if (status || atomic_load(&t->done))
		return status;
	return interrupt_status(&t->interrupt, e);
}

/* ---- the outcome ---- */

static void add_worker(struct ivm_outcome *o, const struct ivm_worker *x)
{
	struct search_outcome *c = &o->common;

	c->worker_explored[x->id] = x->counts.decomposed;
	if (x->device)
		x->team->setup->ops->report(x->own, o);
	else
		o->host_decomposed += x->counts.decomposed;
	o->seconds_wait += x->device ? x->seconds_wait : 0;
	for (int kind = 0; kind < IVM_STEALS; kind++) {
		o->steal_tried[kind] += x->tried[kind];
		o->steal_done[kind] += x->done[kind];
		c->steals_tried += x->tried[kind];
		c->steals_done += x->done[kind];
	}
}

static int join_traces(const struct ivm_team *t, struct ivm_outcome *o, struct err *e)
{
	if (!t->request->trace || !t->setup->devices)
		return 0;
	o->sample = malloc(IVM_TRACE_MAX * sizeof(*o->sample));
	if (!o->sample)
		return err_set(e, ERR_MEMORY, "no memory for a trace");
	for (int i = 0; i < t->setup->devices; i++) {
		const struct ivm_worker *x = &t->worker[i];

		memcpy(o->sample + o->samples, x->sample, (size_t)x->samples * sizeof(*x->sample));
		o->samples += x->samples;
	}
	return 0;
}

static int gather(struct ivm_team *t, bool complete, struct ivm_outcome *o, struct err *e)
{
	struct ivm_counts counts = { 0 };
	int status;

	o->common.workers = t->workers;
	o->ivms = t->setup->devices ? t->setup->ops->ivms(t->worker[0].own) : 0;
	for (int i = 0; i < t->workers; i++) {
		add_worker(o, &t->worker[i]);
		ivm_counts_add(&counts, &t->worker[i].counts);
	}
	o->busy /= t->setup->devices ? t->setup->devices : 1;
	/* not the devices' own counts: these include nodes that were decomposed again elsewhere */
	o->device_decomposed = counts.decomposed - o->host_decomposed;
	ivm_best_copy(&t->best, &t->origin);
	status = ivm_origin_answer(&t->origin, &t->problem, counts, complete, &o->common, e);
	return status ? status : join_traces(t, o, e);
}

/* ---- the whole search ---- */

static int run(struct ivm_team *t, struct ivm_outcome *o, struct err *e)
{
	int opened = 0, status = open_workers(t, &opened, e), failed;

	if (!status) {
		t->origin.begin = clock_wall();
		dfs_gauge_open(&t->gauge, &t->request->common, t->problem.first_ub, t->workers,
			       t->origin.counts.decomposed);
		o->common.seconds_setup = t->origin.begin - t->interrupt.begin;
		status = search(t, e);
		o->common.seconds_search = clock_wall() - t->origin.begin;
		failed = gather(t, atomic_load(&t->done) && status != ERR_FAILED, o, e);
		status = failed ? failed : status;
	}
	while (opened > 0)
		worker_close(&t->worker[--opened]);
	free(t->worker);
	dfs_gauge_close(&t->gauge);
	return status;
}

static int open_team(struct ivm_team *t, struct err *e)
{
	int status;

	pthread_mutex_init(&t->gathering, NULL);
	pthread_mutex_init(&t->lock, NULL);
	clock_cond_init(&t->changed);
	ivm_bag_open(&t->bag, t->problem.n);
	status = ivm_origin_open(&t->origin, &t->problem, &t->request->common, &t->interrupt, e);
	return status ? status : best_open(&t->best, &t->origin, e);
}

static void close_team(struct ivm_team *t)
{
	best_close(&t->best);
	ivm_origin_close(&t->origin);
	ivm_bag_close(&t->bag);
	pthread_cond_destroy(&t->changed);
	pthread_mutex_destroy(&t->lock);
	pthread_mutex_destroy(&t->gathering);
}

int ivm_team_search(const struct ivm_team_setup *s, struct ivm_outcome *o, struct err *e)
{
	const struct ivm_request *r = s->request;
	struct ivm_team t = { .setup = s, .request = r, .workers = s->devices + s->hosts };
	const struct ivm_counts none = { 0 };
	int status, answered = 0;

	memset(o, 0, sizeof(*o));
	t.interrupt = interrupt_from(&r->common);
	t.farmer = r->hybrid == IVM_FARMER && s->devices && s->hosts && !r->common.no_stealing;
	status = ivm_problem_make(&t.problem, &r->common, e);
	if (status)
		return status;
	status = open_team(&t, e);
	if (!status)
		status = run(&t, o, e);
	else if (status == ERR_LIMIT) /* while nodes were converted to intervals */
		answered = ivm_origin_answer(&t.origin, &t.problem, none, false, &o->common, e);
	close_team(&t);
	ivm_problem_free(&t.problem);
	o->common.seconds_total = clock_wall() - t.interrupt.begin;
	return answered ? answered : status;
}
