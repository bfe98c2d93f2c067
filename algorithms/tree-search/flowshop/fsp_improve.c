/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/flowshop/fsp_improve.h"

#include <signal.h>
#include <stdlib.h>

#include "algorithms/tree-search/flowshop/fsp_greedy.h"
#include "harness/base/clock.h"
#include "harness/base/stop.h"

/* A thread with a share of its time works for this long before it rests. */
#define WORK_SECONDS 0.02

struct worker {
	struct fsp_improver *improver;
	struct fsp_greedy *greedy;
	pthread_t thread;
	int64_t order[FLOWSHOP_MAX_JOBS];
};

struct fsp_improver {
	struct fsp_improve_plan plan;
	int threads; /* that run */
	atomic_bool stopping;
	pthread_mutex_t lock; /* for `changed`, which wakes threads that rest */
	pthread_cond_t changed;
	struct worker worker[];
};

static bool is_over(const struct fsp_improver *i)
{
	return atomic_load_explicit(&i->stopping, memory_order_relaxed) ||
	       exchange_value(i->plan.exchange) <= i->plan.target;
}

static void rest(struct fsp_improver *i, double seconds)
{
	pthread_mutex_lock(&i->lock);
	if (!is_over(i))
		clock_cond_wait(&i->changed, &i->lock, seconds);
	pthread_mutex_unlock(&i->lock);
}

/* One step from the best schedule of both sides. */
static void step(struct worker *w, int64_t *best)
{
	struct exchange *x = w->improver->plan.exchange;
	int64_t value = exchange_take(x, *best, w->order);

	if (value < *best)
		fsp_greedy_from(w->greedy, w->order);
	*best = value;
	value = fsp_greedy_step(w->greedy);
	if (value >= *best)
		return;
	fsp_greedy_best(w->greedy, w->order);
	exchange_offer(x, EXCHANGE_IMPROVEMENT, value, w->order);
	*best = value;
}

static void *work(void *context)
{
	struct worker *w = context;
	struct fsp_improver *i = w->improver;
	double share = i->plan.share, begin = clock_wall();
	int64_t best = INT64_MAX;

	while (!is_over(i)) {
		double worked;

		step(w, &best);
		worked = clock_wall() - begin;
		if (share >= 1 || worked < WORK_SECONDS)
			continue;
		rest(i, worked / share - worked);
		begin = clock_wall();
	}
	return NULL;
}

static void destroy(struct fsp_improver *i)
{
	for (int k = 0; k < i->plan.threads; k++)
		fsp_greedy_destroy(i->worker[k].greedy);
	pthread_cond_destroy(&i->changed);
	pthread_mutex_destroy(&i->lock);
	free(i);
}

static int make_workers(struct fsp_improver *i, struct err *e)
{
	int status = 0;

	for (int k = 0; !status && k < i->plan.threads; k++) {
		struct worker *w = &i->worker[k];

		w->improver = i;
		exchange_take(i->plan.exchange, INT64_MAX, w->order);
		status = fsp_greedy_create(&w->greedy, i->plan.flowshop, w->order,
					   i->plan.seed + (uint64_t)k, &i->stopping, e);
	}
	return status;
}

/* The threads take no signals: the search's own threads are to be interrupted. */
static void start_threads(struct fsp_improver *i)
{
	for (; i->threads < i->plan.threads; i->threads++) {
		struct worker *w = &i->worker[i->threads];

		if (!stop_masked_thread(&w->thread, work, w))
			break;
	}
}

int fsp_improver_start(struct fsp_improver **out, const struct fsp_improve_plan *p, struct err *e)
{
	struct fsp_improver *i = calloc(1, sizeof(*i) + (size_t)p->threads * sizeof(i->worker[0]));
	int status;

	*out = NULL;
	if (!i)
		return err_set(e, ERR_MEMORY, "no memory for %d heuristics", p->threads);
	i->plan = *p;
	atomic_init(&i->stopping, false);
	pthread_mutex_init(&i->lock, NULL);
	clock_cond_init(&i->changed);
	status = make_workers(i, e);
	if (status) {
		destroy(i);
		return status;
	}
	start_threads(i);
	*out = i;
	return 0;
}

void fsp_improver_stop(struct fsp_improver *i)
{
	if (!i)
		return;
	atomic_store(&i->stopping, true);
	pthread_mutex_lock(&i->lock);
	pthread_cond_broadcast(&i->changed);
	pthread_mutex_unlock(&i->lock);
	for (int k = 0; k < i->threads; k++)
		pthread_join(i->worker[k].thread, NULL);
	destroy(i);
}

/* ---- before a search ---- */

#define LOOK_SECONDS 0.0005
#define SETTLE_SECONDS 0.1
#define SETTLE_FACTOR 3

/* Waits until the threads have worked for long enough. */
static void await(const struct fsp_improver *i, double seconds, bool settle,
		  const volatile sig_atomic_t *stop)
{
	const struct exchange *x = i->plan.exchange;
	double begin = clock_wall(), passed = 0, gained = 0;
	int64_t best = exchange_value(x);

	while (passed < seconds && !is_over(i) && !(stop && *stop)) {
		clock_sleep(LOOK_SECONDS < seconds - passed ? LOOK_SECONDS : seconds - passed);
		passed = clock_wall() - begin;
		if (exchange_value(x) < best) {
			best = exchange_value(x);
			gained = passed;
		}
		if (settle && passed > SETTLE_SECONDS && passed > SETTLE_FACTOR * gained)
			return;
	}
}

int64_t fsp_improve(const struct fsp_improve_plan *p, int64_t *order, double seconds, bool settle,
		    const volatile sig_atomic_t *stop, struct err *e)
{
	struct fsp_improve_plan plan = *p;
	struct fsp_improver *i;
	int64_t makespan = flowshop_makespan(plan.flowshop, order);
	int status;

	if (makespan < 0)
		return err_set(e, ERR_USAGE, "%s: the order to improve is not a permutation",
			       plan.flowshop->name);
	if (stop && *stop)
		return makespan; /* threads would take a step before they see it */
	status = exchange_create(&plan.exchange, plan.flowshop->jobs, NULL, e);
	if (status)
		return status;
	exchange_offer(plan.exchange, EXCHANGE_START, makespan, order);
	status = fsp_improver_start(&i, &plan, e);
	if (!status) {
		await(i, seconds, settle, stop);
		fsp_improver_stop(i);
		makespan = exchange_take(plan.exchange, INT64_MAX, order);
	}
	exchange_destroy(plan.exchange);
	return status ? status : makespan;
}
