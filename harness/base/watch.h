/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* What a running search tells other threads: nodes, the best solution, a bound, the share of the
 * work that is done, and busy devices. A search writes at its existing polling points; a reporter
 * (harness/bench/solve_log.h) reads. The node limit of a search is kept here, too.
 *
 * Every function that a search calls accepts w == NULL and then does nothing, or returns false. */
#ifndef COPRA_BASE_WATCH_H
#define COPRA_BASE_WATCH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/base/error.h"

enum {
	WATCH_WORKERS = 256, /* slots 0 .. WATCH_WORKERS - 1 */
	WATCH_HOST = 256,    /* the slot of the thread that prepares and finishes the search */
	WATCH_SLOTS = 257,
	WATCH_EVENTS = 256, /* that are kept until the reporter takes them */
};

/* Written by its worker only, so a cache line is never contended. */
struct watch_slot {
	_Alignas(64) _Atomic uint64_t nodes;
	uint64_t claimed;     /* of these nodes: counted towards the limit */
	_Atomic double share; /* of the work: finished by this worker */
	_Atomic double left;  /* nodes, estimated; negative: not known */
};

enum watch_kind { WATCH_INCUMBENT, WATCH_CHECKPOINT };
struct watch_event {
	enum watch_kind kind;
	double at;          /* clock_wall() */
	int64_t value;      /* of the incumbent */
	const char *source; /* of the incumbent; NULL: not known */
	const char *file;   /* of the checkpoint */
};

struct watch {
	uint64_t node_limit; /* 0: none */
	uint64_t grain;      /* a worker counts this many nodes at once towards the limit */
	bool maximise;       /* a better incumbent is larger */
	_Alignas(64) _Atomic uint64_t claimed;
	_Atomic double share; /* negative: not known */
	_Atomic int devices, busy;
	_Atomic int estimating; /* workers that estimate what is left; 0: none */
	_Atomic uint64_t past_nodes;
	struct watch_slot slot[WATCH_SLOTS];

	pthread_mutex_t lock; /* protects the following fields */
	pthread_cond_t changed;
	bool closed, has_best, has_bound;
	int64_t best, bound;
	double best_at;
	const char *best_source, *source;       /* the second: of watch_incumbent() */
	struct watch_event event[WATCH_EVENTS]; /* ring */
	int first, events;
};

/* node_limit 0: none. Errors: ERR_MEMORY. */
int watch_create(struct watch **out, uint64_t node_limit, struct err *e);
void watch_destroy(struct watch *w);

/* ---- for the search ---- */

/* Worker `slot` has counted `nodes` nodes in this run so far. (The number may decrease if a worker
 * returns work.) Only one thread at a time may write to a slot. */
static inline void watch_count(struct watch *w, int slot, uint64_t nodes)
{
	struct watch_slot *s;

	if (!w)
		return;
	s = &w->slot[slot];
	atomic_store_explicit(&s->nodes, nodes, memory_order_relaxed);
	if (w->node_limit && nodes >= s->claimed + w->grain) {
		atomic_fetch_add_explicit(&w->claimed, nodes - s->claimed, memory_order_relaxed);
		s->claimed = nodes;
	}
}

/* Whether the nodes counted so far reach the limit. Workers count up to limit / 4096 nodes, and at
 * most 1024, without adding them to the sum. */
static inline bool watch_limit_reached(const struct watch *w)
{
	return w && w->node_limit &&
	       atomic_load_explicit(&w->claimed, memory_order_relaxed) >= w->node_limit;
}

/* For a search that polls every `stride` nodes: the nodes to the next poll, so that a single worker
 * stops at the limit. 1 .. stride. */
static inline int watch_stride(const struct watch *w, int stride)
{
	uint64_t done, left;

	if (!w || !w->node_limit)
		return stride;
	done = atomic_load_explicit(&w->claimed, memory_order_relaxed);
	left = done < w->node_limit ? w->node_limit - done : 1;
	return left < (uint64_t)stride ? (int)left : stride;
}

/* A solution of this value was found. Ignored unless it is better than all before. */
void watch_incumbent(struct watch *w, int64_t value);
/* The same, and what found it, static text. */
void watch_incumbent_from(struct watch *w, int64_t value, const char *source);
/* What finds the solutions of watch_incumbent() from now on; NULL, as at first: not known. */
void watch_source(struct watch *w, const char *source);
/* It is proved that no solution is better than this. */
void watch_bound(struct watch *w, int64_t bound);
/* The share of the work that is done, 0 to 1. A smaller share than before is ignored. */
void watch_share(struct watch *w, double share);
/* The same if each worker knows its own part only: worker `slot` has finished this share of the
 * whole work in this run so far. Call watch_share() first, with the share that earlier runs have
 * done (0 if there were none). The parts are added to it. */
static inline void watch_part(struct watch *w, int slot, double share)
{
	if (w)
		atomic_store_explicit(&w->slot[slot].share, share, memory_order_relaxed);
}
/* The same if workers 0 .. workers - 1 and WATCH_HOST can only estimate the nodes that are left:
 * the share is that of the nodes counted, `past` nodes of earlier runs included, in these and
 * what is left. It is known when all workers have called watch_left(). */
void watch_estimates(struct watch *w, int workers, uint64_t past);
/* The estimated nodes below the open ones of a worker. */
static inline void watch_left(struct watch *w, int slot, double nodes)
{
	if (w)
		atomic_store_explicit(&w->slot[slot].left, nodes, memory_order_relaxed);
}
/* This part of what is left to one worker is now left to another one. */
void watch_left_moved(struct watch *w, int from, int to, double part);
/* `busy` of `devices` devices have work. */
void watch_devices(struct watch *w, int busy, int devices);
/* One more device has work. */
void watch_device_began(struct watch *w);
/* One of the busy devices has no more work. */
void watch_device_ended(struct watch *w);
/* A checkpoint was written. `file` must stay valid. */
void watch_checkpoint(struct watch *w, const char *file);

/* ---- for the reporter ---- */

struct watch_view {
	uint64_t nodes;
	bool has_best, has_bound;
	int64_t best, bound;
	double best_at;          /* clock_wall() */
	const char *best_source; /* what found it; NULL: not known */
	double share;            /* negative: not known */
	int devices, busy;       /* devices 0: the search uses none, or does not know */
};
void watch_view(struct watch *w, struct watch_view *v);

/* Waits for an event, for watch_close(), or until clock_wall() is `until`. Takes up to `most`
 * events in their order and returns their number. Sets *closed if watch_close() was called and no
 * events are left. If more than WATCH_EVENTS wait, the oldest are lost. */
int watch_wait(struct watch *w, double until, struct watch_event *events, int most, bool *closed);
/* Ends watch_wait(). */
void watch_close(struct watch *w);

#endif
