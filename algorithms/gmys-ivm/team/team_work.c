/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* One turn of a worker. A host explorer makes steps of Algorithm 2 (the paper's
 * cpu-next). A device explorer calls ivm_device_next (gpu-next and steal-intra-gpu) and, with the
 * farmer protocol (farmer.h), exchanges work with the hosts through the bag. */
#include "algorithms/gmys-ivm/team/team_state.h"

#include <math.h>
#include <stdlib.h>
#include "algorithms/gmys-ivm/team/team.h"
#include "harness/base/clock.h"

/* ---- what is left ---- */

/* Between two surveys of the intervals of a worker: a host has one, a device thousands. */
#define HOST_SECONDS 0.1
#define DEVICE_SECONDS 0.5
/* A survey that took s seconds is followed by this many times s without one. */
#define REST 200

int ivm_worker_show_left(struct ivm_worker *x)
{
	struct ivm_team *t = x->team;
	const struct dfs_levels *l;
	double now;
	uint64_t again;
	int status;

	if (!t->gauge.request)
		return 0;
	now = clock_wall();
	if (now < x->show_next)
		return 0;
	l = dfs_gauge_levels(&t->gauge, ivm_best_value(&t->best));
	x->show_next = now + HOST_SECONDS;
	if (!l)
		return 0;
	now = clock_wall();
	x->seen.count = 0;
	status = ivm_worker_kind(x)->rest(x, &x->seen, &again);
	if (!status)
		watch_left(t->request->common.watch, x->id,
			   dfs_levels_intervals(l, x->seen.digits, 0, x->seen.count));
	x->show_next =
		now + fmax(x->device ? DEVICE_SECONDS : HOST_SECONDS, REST * (clock_wall() - now));
	return status;
}

void ivm_bag_show_left(struct ivm_team *t)
{
	enum { SURVEYED = 4096 };
	const struct dfs_levels *l = atomic_load(&t->gauge.levels);
	const struct ivm_interval_list *list = &t->bag.list;
	uint64_t count = atomic_load(&t->bag.count), stride;
	double sum = 0, now = clock_wall();

	if (!l || (count == t->bag_shown && now < t->bag_next) ||
	    (count > SURVEYED && now < t->bag_next))
		return;
	pthread_mutex_lock(&t->bag.lock);
	stride = list->count / SURVEYED + 1;
	for (uint64_t i = 0; i < list->count; i += stride)
		sum += (double)stride *
		       dfs_levels_intervals(l, ivm_interval_list_at(list, i), 0, 1);
	watch_left(t->request->common.watch, WATCH_HOST, sum);
	t->bag_shown = list->count;
	pthread_mutex_unlock(&t->bag.lock);
	t->bag_next = now + DEVICE_SECONDS;
}

/* ---- host explorers ---- */

enum {
	REPORT_NODES = 1000, /* between two updates of host_nodes */
	STEPS_BETWEEN_LOOKS = 16,
	STEPS_BETWEEN_SURVEYS = 512,
};

static int host_open(struct ivm_worker *x, struct err *e)
{
	return ivm_explorer_open(&x->host, &x->team->problem, e);
}

static void host_close(struct ivm_worker *x)
{
	ivm_explorer_close(&x->host);
}

/* Offers a leaf that the explorer has found. */
static void offer_leaf(struct ivm_worker *x)
{
	if (x->host.found)
		ivm_best_offer(&x->team->best, x->host.found_value, x->host.order,
			       x->team->problem.n);
	x->host.found = false;
}

static int host_start(struct ivm_worker *x)
{
	const uint16_t *first = ivm_interval_list_at(&x->received, 0);

	x->host.best = ivm_best_value(&x->team->best);
	ivm_explorer_start(&x->host, first, first + x->team->problem.n);
	x->counts = x->host.counts;
	x->received.count = 0;
	offer_leaf(x);
	return 0;
}

/* Adds the nodes decomposed since the last call to host_nodes, for ivm_farmer_review. */
static void report(struct ivm_worker *x)
{
	uint64_t nodes = x->host.counts.decomposed;

	atomic_fetch_add(&x->team->host_nodes, nodes - x->reported);
	x->reported = nodes;
}

/* Tells the watch the nodes decomposed, and ends the search at the node limit. */
static void look(struct ivm_worker *x, uint64_t nodes)
{
	struct watch *watch = x->team->request->common.watch;

	watch_count(watch, x->id, nodes);
	if (watch_limit_reached(watch) && !ivm_team_over(x->team))
		ivm_team_stop(x->team);
}

static int host_run(struct ivm_worker *x, bool *empty)
{
	const bool watched = x->team->request->common.watch;
	struct ivm_best *best = &x->team->best;
	unsigned steps = 0;
	int status = ivm_worker_show_left(x);

	while (!status && !atomic_load_explicit(&x->attention, memory_order_relaxed) &&
	       x->host.exploring) {
		x->host.best = ivm_best_value(best);
		ivm_explorer_step(&x->host);
		if (x->host.found)
			offer_leaf(x);
		if (watched && ++steps % STEPS_BETWEEN_LOOKS == 0)
			look(x, x->host.counts.decomposed);
		if (watched && steps % STEPS_BETWEEN_SURVEYS == 0)
			status = ivm_worker_show_left(x);
		if (x->team->farmer && x->host.counts.decomposed - x->reported >= REPORT_NODES)
			report(x);
	}
	report(x);
	x->counts = x->host.counts;
	look(x, x->counts.decomposed);
	*empty = !x->host.exploring;
	return status;
}

static int append(struct ivm_worker *x, struct ivm_interval_list *l)
{
	if (ivm_interval_list_add(l, x->room, 1))
		return 0;
	return err_set(&x->error, ERR_MEMORY, "no memory for an interval");
}

static int host_rest(struct ivm_worker *x, struct ivm_interval_list *l, uint64_t *again)
{
	*again = 0;
	if (!ivm_explorer_interval(&x->host, x->room, x->room + x->team->problem.n, again))
		return 0;
	return append(x, l);
}

int ivm_host_worker_give_all(struct ivm_worker *x, struct ivm_interval_list *l)
{
	if (!ivm_explorer_take(&x->host, x->room, x->room + x->team->problem.n))
		return 0;
	x->counts = x->host.counts;
	return append(x, l);
}

static int host_give(struct ivm_worker *x, int parts, struct ivm_interval_list *l, bool *got)
{
	*got = ivm_explorer_split(&x->host, 1, parts, x->room, x->room + x->team->problem.n);
	return *got ? append(x, l) : 0;
}

static struct balance host_balance(const struct ivm_worker *x)
{
	return ivm_explorer_balance(&x->host);
}

const struct ivm_worker_kind ivm_host_worker = {
	.open = host_open,
	.close = host_close,
	.start = host_start,
	.run = host_run,
	.rest = host_rest,
	.give = host_give,
	.balance = host_balance,
};

/* ---- device explorers ---- */

const struct ivm_device_ops ivm_team_device_ops = {
	.open = ivm_device_open,
	.close = ivm_device_close,
	.ivms = ivm_device_ivms,
	.next = ivm_device_next,
	.put = ivm_device_put,
	.take = ivm_device_take,
	.take_some = ivm_device_take_some,
	.room = ivm_device_room,
	.share = ivm_device_share,
	.intervals = ivm_device_intervals,
	.balance = ivm_device_balance,
	.best = ivm_device_best,
	.report = ivm_device_report,
};

static const struct ivm_device_ops *ops_of(const struct ivm_worker *x)
{
	return x->team->setup->ops;
}

static int device_open(struct ivm_worker *x, struct err *e)
{
	struct ivm_team *t = x->team;

	ivm_farmer_open(&x->ration, t->setup->patience);
	if (t->request->trace) {
		x->sample_room = IVM_TRACE_MAX / t->setup->devices;
		x->sample = malloc((size_t)x->sample_room * sizeof(*x->sample));
		if (!x->sample)
			return err_set(e, ERR_MEMORY, "no memory for a trace");
	}
	return ops_of(x)->open(&x->own, t->setup->dev[x->id], &t->problem, t->request, e);
}

static void device_close(struct ivm_worker *x)
{
	if (x->own)
		ops_of(x)->close(x->own);
	free(x->sample);
}

static int device_start(struct ivm_worker *x)
{
	int count = (int)x->received.count;

	x->received.count = 0;
	return ops_of(x)->put(x->own, x->received.digits, count, &x->error);
}

/* ---- the trace of Figure 5 ---- */

/* Drops every other sample of a full trace and halves the sampling rate from then on. */
static void thin_out(struct ivm_worker *x)
{
	int kept = 0;

	for (int i = 0; i < x->samples; i += 2)
		x->sample[kept++] = x->sample[i];
	x->sample_gap = 2 * (x->sample[kept - 1].seconds - x->sample[0].seconds) / kept;
	x->samples = kept;
}

static void sample(struct ivm_worker *x, int active)
{
	double now = clock_wall() - x->team->origin.begin;

	if (!x->sample ||
	    (x->samples && now - x->sample[x->samples - 1].seconds < x->sample_gap && active))
		return;
	if (x->samples == x->sample_room)
		thin_out(x);
	x->sample[x->samples++] =
		(struct ivm_sample){ .seconds = now, .device = x->id, .active = active };
}

/* ---- the farmer protocol ---- */

/* The number of idle hosts for which the bag holds no interval yet. */
static int hungry_hosts(struct ivm_team *t)
{
	int hungry = 0;

	for (int i = t->setup->devices; i < t->workers; i++)
		hungry += !atomic_load(&t->worker[i].open);
	return hungry - (int)atomic_load(&t->bag.count);
}

/* Moves intervals to the bag for idle hosts, as far as the ration allows. */
static int donate(struct ivm_worker *x)
{
	struct ivm_team *t = x->team;
	double begin = clock_wall(), elapsed = begin - t->origin.begin;
	int most = ivm_farmer_may_give(&x->ration, elapsed, hungry_hosts(t)), given = 0, status;

	if (most < 1)
		return 0;
	status = ivm_bag_donate(x, most, &given);
	ivm_farmer_gave(&x->ration, given, clock_wall() - begin);
	ivm_farmer_review(&x->ration, atomic_load(&t->host_nodes) / (uint64_t)t->setup->devices,
			  elapsed > 0 ? (double)x->counts.decomposed / elapsed : 0);
	return status;
}

/* Takes as many intervals from the bag as the device has empty IVMs. */
static int top_up(struct ivm_worker *x)
{
	int empty = 0, status;

	if (atomic_load(&x->team->bag.count) == 0)
		return 0;
	status = ops_of(x)->room(x->own, &empty, &x->error);
	if (!status)
		status = ivm_bag_top_up(x, empty);
	if (status || x->received.count == 0)
		return status;
	x->active += (int)x->received.count;
	return device_start(x);
}

/* Recalls the hosts when the device starves; gives them work when it is busy. */
static int exchange_with_hosts(struct ivm_worker *x)
{
	struct ivm_team *t = x->team;
	int ivms = ops_of(x)->ivms(x->own);
	bool busy = ivm_farmer_busy(x->load, x->active, ivms);

	if (ivm_farmer_starving(x->load, x->active, ivms))
		ivm_team_recall(t);
	else if (busy && atomic_load(&t->recall))
		atomic_store(&t->recall, false);
	x->load = ivm_farmer_load(x->load, x->active);
	if (atomic_load(&t->recall))
		return top_up(x);
	return busy ? donate(x) : 0;
}

/* Whether the bag holds intervals of a checkpoint that found no free IVM at the beginning. */
static bool bag_is_full(struct ivm_team *t)
{
	return atomic_load(&t->bag.count) > (t->farmer ? (uint64_t)t->setup->hosts : 0);
}

/* ---- a turn of a device ---- */

/* Offers a new best leaf of the device. */
static int offer_best(struct ivm_worker *x)
{
	bool found = false;
	int64_t value = 0;
	int status = ops_of(x)->best(x->own, x->room, &value, &found, &x->error);

	if (!status && found)
		ivm_best_offer(&x->team->best, (int32_t)value, x->room, x->team->problem.n);
	return status;
}

static int device_run(struct ivm_worker *x, bool *empty)
{
	struct ivm_device_status s;
	int status = ops_of(x)->next(x->own, ivm_best_value(&x->team->best), &s, &x->error);

	if (status)
		return status;
	x->counts = s.counts;
	x->counts.decomposed -= x->again;
	x->active = s.active;
	look(x, x->counts.decomposed);
	sample(x, s.active);
	if (s.improved)
		status = offer_best(x);
	if (!status && bag_is_full(x->team) && 2 * x->active < ops_of(x)->ivms(x->own))
		status = top_up(x);
	if (!status && x->team->farmer)
		status = exchange_with_hosts(x);
	*empty = x->active == 0;
	return status || *empty ? status : ivm_worker_show_left(x);
}

static int device_rest(struct ivm_worker *x, struct ivm_interval_list *l, uint64_t *again)
{
	uint16_t *digits = NULL;
	uint64_t count = 0;
	int status = ops_of(x)->intervals(x->own, &digits, &count, again, &x->error);

	if (!status && !ivm_interval_list_add(l, digits, count))
		status = err_set(&x->error, ERR_MEMORY, "no memory for %llu intervals",
				 (unsigned long long)count);
	free(digits);
	return status;
}

/* Appends `count` intervals that were taken from the device into x->room. */
static int given(struct ivm_worker *x, int count, uint64_t again, struct ivm_interval_list *l)
{
	x->again += again;
	x->counts.decomposed -= again;
	if (ivm_interval_list_add(l, x->room, (uint64_t)count))
		return 0;
	return err_set(&x->error, ERR_MEMORY, "no memory for %d intervals", count);
}

static int device_give(struct ivm_worker *x, int parts, struct ivm_interval_list *l, bool *got)
{
	int index = (int)rng_below(&x->rng, (uint64_t)ops_of(x)->ivms(x->own)), again = 0;
	int status = ops_of(x)->take(x->own, index, x->room, &again, got, &x->error);

	(void)parts;
	return status || !*got ? status : given(x, 1, (uint64_t)again, l);
}

static struct balance device_balance(const struct ivm_worker *x)
{
	struct balance b = { .modulus = IVM_FACTORADIC_MODULUS };

	ops_of(x)->balance(x->own, &b);
	return b;
}

const struct ivm_worker_kind ivm_device_worker = {
	.open = device_open,
	.close = device_close,
	.start = device_start,
	.run = device_run,
	.rest = device_rest,
	.give = device_give,
	.balance = device_balance,
};

int ivm_device_worker_give_some(struct ivm_worker *x, int most, struct ivm_interval_list *l)
{
	uint64_t again = 0;
	int got = 0, status;

	most = most < IVM_FARMER_AT_ONCE ? most : IVM_FARMER_AT_ONCE;
	status = ops_of(x)->take_some(x->own, most, x->room, &got, &again, &x->error);
	return status || !got ? status : given(x, got, again, l);
}
