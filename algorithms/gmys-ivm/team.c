/* Opens the workers, starts their threads, gathers what they did. */
#include "algorithms/gmys-ivm/team.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"

void team_call(struct team *t)
{
	for (int i = 0; i < t->workers; i++)
		atomic_store(&t->worker[i].attention, true);
}

void team_stop(struct team *t)
{
	atomic_store(&t->stopped, true);
	team_call(t);
}

void team_less_work(struct team *t, int count)
{
	if (count && atomic_fetch_sub(&t->work, count) == count)
		atomic_store(&t->done, true);
}

/* ---- workers ---- */

static int worker_open(struct team *t, int id, struct err *e)
{
	struct worker *x = &t->worker[id];
	int n = t->problem.n;

	x->team = t;
	x->id = id;
	x->device = id < t->setup->devices;
	x->rng = rng_seeded(rng_at(t->request->common.seed, (uint64_t)id));
	pthread_mutex_init(&x->lock, NULL);
	pthread_cond_init(&x->changed, NULL);
	interval_list_open(&x->received, n);
	interval_list_open(&x->fresh, n);
	interval_list_open(&x->deposit.list, n);
	x->room = malloc(FARMER_AT_ONCE * 2 * (size_t)n * sizeof(*x->room));
	if (!x->room)
		return err_set(e, ERR_MEMORY, "no memory for worker %d", id);
	return x->device ? device_open(x, e) : host_open(x, e);
}

static void worker_close(struct worker *x)
{
	if (x->device)
		device_close(x);
	else
		host_close(x);
	interval_list_close(&x->received);
	interval_list_close(&x->fresh);
	interval_list_close(&x->deposit.list);
	free(x->room);
	pthread_cond_destroy(&x->changed);
	pthread_mutex_destroy(&x->lock);
}

static int open_workers(struct team *t, int *opened, struct err *e)
{
	size_t bytes = (size_t)t->workers * sizeof(*t->worker);
	int status = 0;

	t->worker = aligned_alloc(_Alignof(struct worker), bytes);
	if (!t->worker)
		return err_set(e, ERR_MEMORY, "no memory for %d workers", t->workers);
	memset(t->worker, 0, bytes);
	while (!status && *opened < t->workers)
		status = worker_open(t, (*opened)++, e);
	return status;
}

/* ---- the search ---- */

static int start_threads(struct team *t, struct err *e)
{
	for (int i = 0; i < t->workers; i++) {
		struct worker *x = &t->worker[i];

		pthread_mutex_lock(&t->lock);
		x->started = pthread_create(&x->thread, NULL, worker_main, x) == 0;
		t->running += x->started;
		pthread_mutex_unlock(&t->lock);
		if (!x->started) {
			team_stop(t);
			return err_set(e, ERR_FAILED,
				       "cannot start a thread for each of %d workers", t->workers);
		}
	}
	return 0;
}

static int first_error(const struct team *t, struct err *e)
{
	for (int i = 0; i < t->workers; i++) {
		const struct worker *x = &t->worker[i];

		if (x->status)
			return err_set(e, x->status, "%s", x->error.text);
	}
	return 0;
}

static int run_threads(struct team *t, struct err *e)
{
	int status = start_threads(t, e), failed;

	team_watch(t);
	for (int i = 0; i < t->workers; i++) {
		if (t->worker[i].started)
			pthread_join(t->worker[i].thread, NULL);
	}
	failed = status ? status : first_error(t, e);
	if (!failed && t->unbalanced)
		failed = err_set(e, t->unbalanced, "%s", t->unbalanced_error.text);
	if (!failed)
		failed = team_check_balance(t, atomic_load(&t->done), e);
	return failed ? failed : team_checkpoint(t, e);
}

static int search(struct team *t, struct err *e)
{
	int status = team_begin(t, e);

	if (!status)
		status = team_checkpoint(t, e); /* tells early where none can be written */
	if (!status)
		status = team_deal(t, e);
	if (status)
		return status;
	if (t->work == 0) {
		atomic_store(&t->done, true);
		return 0;
	}
	status = run_threads(t, e);
	if (status || atomic_load(&t->done))
		return status;
	return interrupt_status(&t->interrupt, e);
}

/* ---- the outcome ---- */

static void add_worker(struct ivm_outcome *o, const struct worker *x)
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

static int join_traces(const struct team *t, struct ivm_outcome *o, struct err *e)
{
	if (!t->request->trace || !t->setup->devices)
		return 0;
	o->sample = malloc(IVM_TRACE_MAX * sizeof(*o->sample));
	if (!o->sample)
		return err_set(e, ERR_MEMORY, "no memory for a trace");
	for (int i = 0; i < t->setup->devices; i++) {
		const struct worker *x = &t->worker[i];

		memcpy(o->sample + o->samples, x->sample, (size_t)x->samples * sizeof(*x->sample));
		o->samples += x->samples;
	}
	return 0;
}

static int gather(struct team *t, bool complete, struct ivm_outcome *o, struct err *e)
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
	/* theirs have nodes that were given away and done again elsewhere */
	o->device_decomposed = counts.decomposed - o->host_decomposed;
	best_tell(&t->best, &t->origin);
	status = ivm_origin_answer(&t->origin, &t->problem, counts, complete, &o->common, e);
	return status ? status : join_traces(t, o, e);
}

/* ---- the frame ---- */

static int run(struct team *t, struct ivm_outcome *o, struct err *e)
{
	int opened = 0, status = open_workers(t, &opened, e), failed;

	if (!status) {
		t->origin.begin = clock_wall();
		o->common.seconds_setup = t->origin.begin - t->interrupt.begin;
		status = search(t, e);
		o->common.seconds_search = clock_wall() - t->origin.begin;
		failed = gather(t, atomic_load(&t->done) && status != ERR_FAILED, o, e);
		status = failed ? failed : status;
	}
	while (opened > 0)
		worker_close(&t->worker[--opened]);
	free(t->worker);
	return status;
}

static int open_team(struct team *t, struct err *e)
{
	int status;

	pthread_mutex_init(&t->gathering, NULL);
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->changed, NULL);
	bag_open(&t->bag, t->problem.n);
	status = ivm_origin_open(&t->origin, &t->problem, &t->request->common, &t->interrupt, e);
	return status ? status : best_open(&t->best, &t->origin, e);
}

static void close_team(struct team *t)
{
	best_close(&t->best);
	ivm_origin_close(&t->origin);
	bag_close(&t->bag);
	pthread_cond_destroy(&t->changed);
	pthread_mutex_destroy(&t->lock);
	pthread_mutex_destroy(&t->gathering);
}

int team_search(const struct team_setup *s, struct ivm_outcome *o, struct err *e)
{
	const struct ivm_request *r = s->request;
	struct team t = { .setup = s, .request = r, .workers = s->devices + s->hosts };
	const struct ivm_counts none = { 0 };
	int status, told = 0;

	memset(o, 0, sizeof(*o));
	t.interrupt = interrupt_from(&r->common);
	t.farmer = r->hybrid == IVM_FARMER && s->devices && s->hosts && !r->common.no_stealing;
	status = ivm_problem_make(&t.problem, &r->common, e);
	if (status)
		return status;
	status = open_team(&t, e);
	if (!status)
		status = run(&t, o, e);
	else if (status == ERR_LIMIT) /* on the way from nodes to intervals */
		told = ivm_origin_answer(&t.origin, &t.problem, none, false, &o->common, e);
	close_team(&t);
	ivm_problem_free(&t.problem);
	o->common.seconds_total = clock_wall() - t.interrupt.begin;
	return told ? told : status;
}
