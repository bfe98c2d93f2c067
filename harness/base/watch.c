/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/base/watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/base/clock.h"

int watch_create(struct watch **out, uint64_t node_limit, struct err *e)
{
	enum { MOST_GRAIN = 1024, PARTS = 4096 };
	size_t bytes = (sizeof(struct watch) + 63) / 64 * 64;
	struct watch *w = aligned_alloc(64, bytes);

	*out = NULL;
	if (!w)
		return err_set(e, ERR_MEMORY, "no memory for the progress of a search");
	memset(w, 0, bytes);
	w->node_limit = node_limit;
	w->grain = node_limit / PARTS < MOST_GRAIN ? node_limit / PARTS : MOST_GRAIN;
	w->grain += w->grain == 0;
	atomic_init(&w->share, -1);
	pthread_mutex_init(&w->lock, NULL);
	clock_cond_init(&w->changed);
	*out = w;
	return 0;
}

void watch_destroy(struct watch *w)
{
	if (!w)
		return;
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

/* With the lock held. */
static void append(struct watch *w, struct watch_event event)
{
	if (w->events == WATCH_EVENTS) {
		w->first = (w->first + 1) % WATCH_EVENTS;
		w->events--;
	}
	w->event[(w->first + w->events++) % WATCH_EVENTS] = event;
	pthread_cond_signal(&w->changed);
}

/* With the lock held. */
static void note_incumbent(struct watch *w, int64_t value, const char *source)
{
	if (w->has_best && (w->maximise ? value <= w->best : value >= w->best))
		return;
	w->has_best = true;
	w->best = value;
	w->best_at = clock_wall();
	w->best_source = source;
	append(w, (struct watch_event){ .kind = WATCH_INCUMBENT,
					.at = w->best_at,
					.value = value,
					.source = source });
}

void watch_incumbent(struct watch *w, int64_t value)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	note_incumbent(w, value, w->source);
	pthread_mutex_unlock(&w->lock);
}

void watch_incumbent_from(struct watch *w, int64_t value, const char *source)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	note_incumbent(w, value, source);
	pthread_mutex_unlock(&w->lock);
}

void watch_source(struct watch *w, const char *source)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->source = source;
	pthread_mutex_unlock(&w->lock);
}

void watch_bound(struct watch *w, int64_t bound)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->has_bound = true;
	w->bound = bound;
	pthread_mutex_unlock(&w->lock);
}

void watch_share(struct watch *w, double share)
{
	double seen;

	if (!w)
		return;
	share = fmin(fmax(share, 0), 1);
	seen = atomic_load_explicit(&w->share, memory_order_relaxed);
	while (share > seen && !atomic_compare_exchange_weak(&w->share, &seen, share))
		;
}

void watch_estimates(struct watch *w, int workers, uint64_t past)
{
	if (!w)
		return;
	atomic_store(&w->past_nodes, past);
	for (int i = 0; i < workers; i++)
		watch_left(w, i, -1);
	atomic_store(&w->estimating, workers);
}

void watch_left_moved(struct watch *w, int from, int to, double part)
{
	double left;

	if (!w)
		return;
	left = atomic_load_explicit(&w->slot[from].left, memory_order_relaxed);
	watch_left(w, to, left < 0 ? left : left * part);
	watch_left(w, from, left < 0 ? left : left * (1 - part));
}

/* From the estimates of the workers; negative: not known. */
static double estimated_share(const struct watch *w)
{
	int workers = atomic_load(&w->estimating);
	double nodes = (double)atomic_load(&w->past_nodes), left = 0;

	for (int i = 0; i < WATCH_SLOTS; i++) {
		double own = atomic_load_explicit(&w->slot[i].left, memory_order_relaxed);

		if (i < workers && own < 0)
			return -1;
		left += own;
		nodes += (double)atomic_load_explicit(&w->slot[i].nodes, memory_order_relaxed);
	}
	return workers && nodes > 0 ? nodes / (nodes + left) : -1;
}

void watch_devices(struct watch *w, int busy, int devices)
{
	if (!w)
		return;
	atomic_store_explicit(&w->busy, busy, memory_order_relaxed);
	atomic_store_explicit(&w->devices, devices, memory_order_relaxed);
}

void watch_device_began(struct watch *w)
{
	if (w)
		atomic_fetch_add_explicit(&w->busy, 1, memory_order_relaxed);
}

void watch_device_ended(struct watch *w)
{
	if (w)
		atomic_fetch_sub_explicit(&w->busy, 1, memory_order_relaxed);
}

void watch_checkpoint(struct watch *w, const char *file)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	append(w,
	       (struct watch_event){ .kind = WATCH_CHECKPOINT, .at = clock_wall(), .file = file });
	pthread_mutex_unlock(&w->lock);
}

void watch_view(struct watch *w, struct watch_view *v)
{
	double estimated = estimated_share(w);

	if (estimated >= 0)
		watch_share(w, estimated);
	*v = (struct watch_view){
		.share = atomic_load_explicit(&w->share, memory_order_relaxed),
		.devices = atomic_load_explicit(&w->devices, memory_order_relaxed),
		.busy = atomic_load_explicit(&w->busy, memory_order_relaxed),
	};
	for (int i = 0; i < WATCH_SLOTS; i++) {
		v->nodes += atomic_load_explicit(&w->slot[i].nodes, memory_order_relaxed);
		if (v->share >= 0)
			v->share += atomic_load_explicit(&w->slot[i].share, memory_order_relaxed);
	}
	v->share = fmin(v->share, 1);
	pthread_mutex_lock(&w->lock);
	v->has_best = w->has_best;
	v->best = w->best;
	v->best_at = w->best_at;
	v->best_source = w->best_source;
	v->has_bound = w->has_bound;
	v->bound = w->bound;
	pthread_mutex_unlock(&w->lock);
}

int watch_wait(struct watch *w, double until, struct watch_event *events, int most, bool *closed)
{
	struct timespec t = { (time_t)until, (long)(1e9 * (until - floor(until))) };
	int taken = 0, late = 0;

	pthread_mutex_lock(&w->lock);
	while (!w->events && !w->closed && !late)
		late = pthread_cond_timedwait(&w->changed, &w->lock, &t);
	for (; taken < most && w->events; w->events--) {
		events[taken++] = w->event[w->first];
		w->first = (w->first + 1) % WATCH_EVENTS;
	}
	*closed = w->closed && !w->events;
	pthread_mutex_unlock(&w->lock);
	return taken;
}

void watch_close(struct watch *w)
{
	pthread_mutex_lock(&w->lock);
	w->closed = true;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
}
