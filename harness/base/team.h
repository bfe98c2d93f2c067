/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Thread teams: a persistent team with a parallel for loop, threads for one piece of work that
 * start together, and a barrier.
 *
 * `struct team` keeps its threads between loops, because loops follow one another closely and
 * starting a thread takes longer than many of them.
 *
 * team_run and team_run_all start threads for one piece of work. The system may grant fewer threads
 * than asked for, and a barrier for all of them would then block for ever. So no thread begins
 * before their number is known.
 *
 * To combine the results of several threads into one status, see err_merge (error.h). */
#ifndef COPRA_BASE_TEAM_H
#define COPRA_BASE_TEAM_H

#include <stddef.h>
#include <stdint.h>
#ifndef __cplusplus
#include <stdatomic.h>
#endif

#include "harness/base/error.h"

/* ---- a persistent team ---- */

struct team;

/* Creates a team of `threads` threads (1 to 1024), the calling thread included.
 * Errors: ERR_USAGE, ERR_MEMORY. */
int team_create(struct team **out, int threads, struct err *e);
void team_destroy(struct team *t);

/* Number of threads; 1 for NULL. */
int team_threads(const struct team *t);

/* Runs work(context, from, to, thread) on disjoint ranges [from, to) that cover [0, count), and
 * returns when all have finished. Every range except the last has a length that is a multiple of
 * `grain`. `thread` is 0 to team_threads(t) - 1; 0 is the calling thread. With t == NULL everything
 * runs in the calling thread. `work` must not use the team. */
void team_for(struct team *t, uint64_t count, uint64_t grain,
	      void (*work)(void *context, uint64_t from, uint64_t to, int thread), void *context);

/* ---- threads for one piece of work ---- */

/* Calls work(item) for `count` >= 1 items of `size` bytes each at the same time, each in its own
 * thread; the calling thread runs the first item. If the system grants fewer threads, only the
 * first items are run. Calls begin(context, number) with the number of threads before any of them
 * works; `begin` may be NULL. Returns that number, at least 1, when all have finished. */
int team_run(void (*work)(void *item), void *items, size_t size, int count,
	     void (*begin)(void *context, int number), void *context);

/* The same for all items or none: ERR_FAILED if the system grants fewer than `count` threads. */
int team_run_all(void (*work)(void *item), void *items, size_t size, int count, struct err *e);

/* The number of cores that this process may run on. */
int team_cores(void);

/* ---- a barrier ---- */

#ifndef __cplusplus

/* A barrier for threads that synchronise often. A waiting thread sleeps on a futex. Where there are
 * eight threads or more and each can have a processor, it spins for about 0.1 ms first: waking 63
 * sleeping threads takes longer than most waits. */
struct team_barrier {
	int threads;
	int spins;      /* before a waiting thread sleeps */
	char apart[64]; /* puts each of the words that follow on a cache line of its own */
	_Atomic uint32_t arrived;
	char apart_arrived[64];
	_Atomic uint32_t meeting, asleep;
	char apart_meeting[64];
};

void team_barrier_init(struct team_barrier *b, int threads);

/* Waits until all threads have called it. Writes before the call are then visible to all
 * threads. */
void team_barrier_wait(struct team_barrier *b);

#endif

#endif
