/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/search_target.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/tree-search/atsp/atsp_verify.h"
#include "algorithms/tree-search/cluster/cluster_search.h"
#include "algorithms/tree-search/cluster/world.h"
#include "algorithms/tree-search/flowshop/fsp_verify.h"
#include "algorithms/tree-search/nqueens/queens_verify.h"
#include "harness/base/clock.h"
#include "harness/base/stop.h"
#include "harness/device/device.h"

/* How often to look whether a device is open. */
static const double LOOK_SECONDS = 1e-3;
/* For the open nodes and tables of a search that is likely to last some tenths of a second. */
static const int64_t MEMORY_MOST = (int64_t)4 << 30;

int search_verify(const struct search_request *q, const struct search_outcome *o, bool *verified,
		  struct err *e)
{
	*verified = false;
	if (q->flowshop)
		return fsp_verify(q, o, flowshop_known_of(q->flowshop), verified, e);
	return q->atsp ? atsp_verify(q, o, verified, e) : queens_verify(q, o, verified, e);
}

/* ---- while the devices open ---- */

/* Stops the search on the cores when a device is open, or on the user's signal. */
struct relay {
	const struct search_request *request;
	sig_atomic_t stop; /* of the search on the cores */
	atomic_bool over;
	bool open; /* why `stop` was set */
	pthread_t thread;
};

static void *relay_stops(void *relay)
{
	struct relay *y = relay;
	const struct search_request *q = y->request;

	while (!atomic_load(&y->over) && !y->open && !interrupt_asked(q)) {
		clock_sleep(LOOK_SECONDS);
		y->open = dev_opening_done(q->opening) && !dev_opening_failed(q->opening);
	}
	__atomic_store_n(&y->stop, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* Whether the search on the cores ends soon after it is told to. LB2 of a node with hundreds of
 * jobs takes up to a second. */
static bool ends_soon(const struct search_request *q)
{
	return !q->flowshop || q->bound != FSP_LB2 || q->flowshop->jobs <= 100;
}

/* Takes `seconds` off the time limit, and starts from the best solution of the cores. */
static void go_on(struct search_request *q, const struct search_outcome *o, double seconds)
{
	search_spend(q, seconds);
	if (o->order && o->best < q->ub) {
		q->ub = o->best;
		q->start = o->order;
		watch_incumbent(q->watch, o->best);
	}
}

/* Searches on the cores until a device is open. Returns the status of that search if it is the
 * answer, else 1: `o` then owns what the rest of the request, *q, starts from. */
static int search_meanwhile(const struct search_target *t, struct search_request *q,
			    struct search_outcome *o, struct err *e)
{
	struct relay y = { .request = q };
	struct search_request cores = *q;
	double begin = clock_wall();
	int status;

	memset(o, 0, sizeof(*o));
	if (dev_opening_done(q->opening) || !ends_soon(q) ||
	    !stop_masked_thread(&y.thread, relay_stops, &y))
		return 1;
	cores.opening = NULL;
	if (cores.memory <= 0 || cores.memory > MEMORY_MOST)
		cores.memory = MEMORY_MOST;
	cores.threads = q->threads > 1 ? q->threads - 1 : 1; /* one opens the devices */
	cores.stop = &y.stop;
	cores.watch = NULL; /* the nodes of an unfinished part do not count */
	status = t->on_cores(t->context, &cores, o, e);
	atomic_store(&y.over, true);
	pthread_join(y.thread, NULL);
	if (status == ERR_LIMIT ? !y.open : status != ERR_UNSUPPORTED && status != ERR_MEMORY)
		return status;
	if (status != ERR_LIMIT) {
		search_outcome_free(o);
		memset(o, 0, sizeof(*o));
	}
	go_on(q, o, clock_wall() - begin);
	return 1;
}

/* Waits for the devices. Returns whether they cannot be opened, which a note then says. */
static bool note_failure(struct dev_opening *o, struct solve_result *r)
{
	struct err why = { 0 };
	bool failed = dev_opening_finish(o, &why) != 0;

	if (failed)
		solve_note_line(r, "%s; the search went on without devices", why.text);
	return failed;
}

/* The search of a request whose devices are still opening. */
static int search_opening(const struct search_target *t, const struct search_request *request,
			  struct search_outcome *o, struct solve_result *r, struct err *e)
{
	struct search_request q = *request;
	struct search_outcome first;
	double begin = clock_wall();
	int status = search_meanwhile(t, &q, o, e);

	q.opening = NULL;
	r->on_cores = status <= 0;
	if (r->on_cores) {
		if (o->order)
			watch_incumbent(q.watch, o->best);
		if (status == 0)
			watch_share(q.watch, 1);
		if (dev_opening_failed(request->opening))
			note_failure(request->opening, r);
		return status;
	}
	first = *o; /* whose schedule q may start from */
	memset(o, 0, sizeof(*o));
	r->on_cores = note_failure(request->opening, r);
	r->seconds_total += clock_wall() - begin;
	status = (r->on_cores ? t->on_cores : t->search)(t->context, &q, o, e);
	search_outcome_free(&first);
	return status;
}

int search_target_run(const struct search_target *t, const struct search_request *q,
		      struct search_outcome *o, struct solve_result *r, struct err *e)
{
	int status = q->devices && !q->opening ? solve_await_devices(q->devices, r, e) : 0;

	if (status)
		return status;
	if (q->opening)
		status = search_opening(t, q, o, r, e);
	else if (world_place())
		status = cluster_search(t, q, o, e);
	else
		status = t->search(t->context, q, o, e);
	world_size(&r->ranks, &r->machines);
	r->seconds_total += o->seconds_total;
	r->seconds_search = o->seconds_search;
	r->devices_used = world_place() ? 0 : o->devices_used;
	if (status == ERR_MEMORY)
		err_prefix(e, "after %" PRIu64 " nodes", o->explored ? o->explored : o->decomposed);
	return status;
}
