/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The synchronisation of the host threads of the published search (section 3.1 of Helbecque et
 * al.): a spin lock, the best schedule, termination detection, and the order in which a thief tries
 * its victims.
 */
#ifndef COPRA_HELBECQUE_POOL_SYNC_H
#define COPRA_HELBECQUE_POOL_SYNC_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "algorithms/helbecque-pool/node.h"
#include "algorithms/tree-search/search.h"
#include "harness/base/rng.h"

/* ---- spin lock (section 3.1.2.3) ----
 *
 * Critical sections are short. If threads outnumber cores, a thread that has spun for long yields
 * to the holder. */

enum { SPIN_LOCK_SPINS = 1000 };

struct pool_spin_lock {
	atomic_int held;
};

static inline void pool_lock(struct pool_spin_lock *l)
{
	for (int spins = 0; atomic_exchange_explicit(&l->held, 1, memory_order_acquire);) {
		while (atomic_load_explicit(&l->held, memory_order_relaxed)) {
			if (++spins > SPIN_LOCK_SPINS)
				sched_yield();
		}
	}
}

static inline void pool_unlock(struct pool_spin_lock *l)
{
	atomic_store_explicit(&l->held, 0, memory_order_release);
}

/* ---- incumbent ----
 *
 * The best schedule known. All workers share one, or each has its own (as in the authors' code) and
 * they are compared at the end. */

struct pool_incumbent {
	atomic_int best;            /* bounds >= best prune */
	struct pool_spin_lock lock; /* protects the following fields */
	bool found;     /* the search found `order`; otherwise it is the start, or unset */
	int64_t *order; /* n entries */
};

/* Returns false if there is no memory. */
static inline bool pool_incumbent_open(struct pool_incumbent *c, int n, int32_t ub)
{
	memset(c, 0, sizeof(*c));
	atomic_init(&c->best, ub);
	c->order = calloc((size_t)n, sizeof(*c->order));
	return c->order;
}

static inline int32_t pool_incumbent_best(const struct pool_incumbent *c)
{
	return atomic_load_explicit(&c->best, memory_order_relaxed);
}

/* Offers a complete schedule, the permutation of `node`. Returns false if it is not better. */
static inline bool pool_incumbent_offer(struct pool_incumbent *c, const struct pool_node_format *f,
					const unsigned char *node, int32_t makespan)
{
	if (makespan >= pool_incumbent_best(c))
		return false;
	pool_lock(&c->lock);
	bool better = makespan < pool_incumbent_best(c);

	if (better) {
		for (int i = 0; i < f->n; i++)
			c->order[i] = pool_node_id(f, node, i);
		c->found = true;
		atomic_store_explicit(&c->best, makespan, memory_order_relaxed);
	}
	pool_unlock(&c->lock);
	return better;
}

/* Takes over the schedule of `from` if it is better. No other thread may use either of them. */
static inline void pool_incumbent_merge(struct pool_incumbent *c, const struct pool_incumbent *from,
					int n)
{
	if (!from->found || pool_incumbent_best(from) >= pool_incumbent_best(c))
		return;
	memcpy(c->order, from->order, (size_t)n * sizeof(*c->order));
	c->found = true;
	atomic_store_explicit(&c->best, pool_incumbent_best(from), memory_order_relaxed);
}

/* ---- termination (section 3.1.3, Figure 6) ----
 *
 * Each thread and each locale (a node of a cluster) has an atomic state, BUSY or IDLE, that all can
 * read. A thread without work sets itself IDLE and checks the threads of its locale
 * (step 1). If all are IDLE, it sets the locale IDLE and checks the other locales (step 2). If all
 * locales are IDLE, the search has ended.
 *
 * Reading the states one after the other is not enough: a thread that was read as IDLE may steal
 * and become BUSY before its victim, which is read later, becomes IDLE. Therefore a thread becomes
 * BUSY (pool_termination_wake) before it tries to steal, and each wake-up changes the word of its
 * locale, which counts wake-ups beside the state. Step 1 sets the locale IDLE only if none of its
 * threads has woken up since the first read. Step 2 requires two identical readings.
 *
 * The caller guarantees that an IDLE thread owns no work that it is going to do, and gets none
 * before it is BUSY again. Then pool_termination_reached is true only when no thread will ever have
 * work again. */

struct pool_termination {
	int locales, per_locale;                         /* thread t is in locale t / per_locale */
	atomic_int thread[SEARCH_WORKERS_MAX];           /* 1 = BUSY */
	atomic_uint_fast64_t locale[SEARCH_WORKERS_MAX]; /* 2 * wake-ups + (1 = BUSY) */
	atomic_int ended;
};

/* All threads are BUSY. locales * per_locale <= SEARCH_WORKERS_MAX. */
void pool_termination_open(struct pool_termination *t, int locales, int per_locale);
void pool_termination_idle(struct pool_termination *t, int thread);
void pool_termination_wake(struct pool_termination *t, int thread);
/* Called by an IDLE thread. Once true, it is true for all threads. */
bool pool_termination_reached(struct pool_termination *t, int thread);

/* ---- victims (Algorithm 2) ---- */

/* Writes a random permutation of 0 .. n-1 without `thief` to out and returns its length. If `thief`
 * is out of range, the permutation has all n. n <= SEARCH_WORKERS_MAX. */
int pool_permute_victims(struct rng *r, int thief, int n, int out[SEARCH_WORKERS_MAX]);

#endif
