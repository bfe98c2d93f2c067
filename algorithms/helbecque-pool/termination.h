/* Global termination detection of section 3.1.3, Figure 6: each thread and each locale (node of a
 * cluster) is BUSY or IDLE, in atomics that all can read. A thread that ran out of work sets itself
 * IDLE and looks at the threads of its own locale (step 1); where all are idle it sets the locale
 * IDLE and looks at the other locales (step 2); where all of them are, the search has ended.
 *
 * Read one after the other, states can deceive: a thread that was seen IDLE may steal and wake up
 * behind the reader's back, before its victim, read later, falls idle. So a thread wakes up
 * (termination_wake) before it tries to steal, and each wake-up changes the locale's word, which
 * holds their number beside the state. Step 1 sets the locale IDLE only if no thread of it woke
 * since the first was read; step 2 believes a second reading that is equal to the first.
 *
 * What the caller keeps: an IDLE thread owns no work that it means to do, and gets none before it
 * is BUSY again. Then termination_reached is true only when no thread will ever have work again. */
#ifndef COPRA_HELBECQUE_POOL_TERMINATION_H
#define COPRA_HELBECQUE_POOL_TERMINATION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "algorithms/tree-search/search.h"

struct termination {
	int locales, per_locale;                         /* thread t is of locale t / per_locale */
	atomic_int thread[SEARCH_WORKERS_MAX];           /* 1 = BUSY */
	atomic_uint_fast64_t locale[SEARCH_WORKERS_MAX]; /* 2 * wake-ups + (1 = BUSY) */
	atomic_int ended;
};

/* All BUSY. locales * per_locale <= SEARCH_WORKERS_MAX. */
void termination_open(struct termination *t, int locales, int per_locale);
void termination_idle(struct termination *t, int thread);
void termination_wake(struct termination *t, int thread);
/* Asked by an IDLE thread. Once true, true for all. */
bool termination_reached(struct termination *t, int thread);

#endif
