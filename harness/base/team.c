/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The persistent team: an idle thread, and a caller that waits for the end of a loop, spin for some
 * microseconds before they sleep, because waking a thread takes longer than many loops. They spin
 * only if each thread can have its own core. */
#include "harness/base/team.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* PARTS_A_THREAD is above 1 so that slow threads do fewer parts. */
enum { PARTS_A_THREAD = 4, MOST_THREADS = 1024, LOOP_SPINS = 2000 };
/* A barrier of at least BARRIER_MANY threads spins. */
enum { BARRIER_SPINS = 2048, BARRIER_MANY = 8 };

struct member {
	struct team *team;
	pthread_t thread;
	int number;
};

struct team {
	int threads;
	struct member *member; /* [threads]; 0 is the calling thread */
	int started;           /* members with a thread */
	int spins;             /* before sleeping */
	pthread_mutex_t turn;  /* held during a loop: one caller at a time */

	pthread_mutex_t lock; /* of the conditions */
	pthread_cond_t begin, end;
	atomic_uint_fast64_t loop; /* number of the current loop */
	atomic_int busy;           /* threads still in it */
	atomic_bool quit;

	void (*work)(void *context, uint64_t from, uint64_t to, int thread);
	void *context;
	uint64_t count, part;
	atomic_uint_fast64_t next;
};

static void pause_briefly(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#endif
}

static void take_parts(struct team *t, int thread)
{
	uint64_t from;

	while ((from = atomic_fetch_add_explicit(&t->next, t->part, memory_order_relaxed)) <
	       t->count) {
		uint64_t left = t->count - from;

		t->work(t->context, from, from + (left < t->part ? left : t->part), thread);
	}
}

/* Waits for the next loop. Returns false when the team ends. */
static bool await_loop(struct team *t, uint64_t seen)
{
	for (int i = 0; i < t->spins && !atomic_load(&t->quit); i++) {
		if (atomic_load(&t->loop) != seen)
			return true;
		pause_briefly();
	}
	pthread_mutex_lock(&t->lock);
	while (atomic_load(&t->loop) == seen && !atomic_load(&t->quit))
		pthread_cond_wait(&t->begin, &t->lock);
	pthread_mutex_unlock(&t->lock);
	return !atomic_load(&t->quit);
}

static void *serve(void *argument)
{
	struct member *m = argument;
	struct team *t = m->team;

	for (uint64_t seen = 0; await_loop(t, seen); seen++) {
		take_parts(t, m->number);
		if (atomic_fetch_sub(&t->busy, 1) == 1) {
			pthread_mutex_lock(&t->lock);
			pthread_cond_signal(&t->end);
			pthread_mutex_unlock(&t->lock);
		}
	}
	return NULL;
}

static void await_end(struct team *t)
{
	for (int i = 0; i < t->spins; i++) {
		if (atomic_load(&t->busy) == 0)
			return;
		pause_briefly();
	}
	pthread_mutex_lock(&t->lock);
	while (atomic_load(&t->busy) != 0)
		pthread_cond_wait(&t->end, &t->lock);
	pthread_mutex_unlock(&t->lock);
}

int team_cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

static int start_threads(struct team *t, struct err *e)
{
	for (int i = 1; i < t->threads; i++) {
		struct member *m = &t->member[i];

		*m = (struct member){ .team = t, .number = i };
		if (pthread_create(&m->thread, NULL, serve, m) != 0)
			return err_set(e, ERR_MEMORY, "thread %d of %d could not be started", i + 1,
				       t->threads);
		t->started = i;
	}
	return 0;
}

int team_create(struct team **out, int threads, struct err *e)
{
	struct team *t;
	int status;

	*out = NULL;
	if (threads < 1 || threads > MOST_THREADS)
		return err_set(e, ERR_USAGE, "the number of threads is %d; it must be 1 to %d",
			       threads, MOST_THREADS);
	t = calloc(1, sizeof(*t));
	if (!t || !(t->member = calloc((size_t)threads, sizeof(*t->member)))) {
		free(t);
		return err_set(e, ERR_MEMORY, "no memory for %d threads", threads);
	}
	t->threads = threads;
	t->spins = threads <= team_cores() ? LOOP_SPINS : 0;
	pthread_mutex_init(&t->turn, NULL);
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->begin, NULL);
	pthread_cond_init(&t->end, NULL);
	atomic_init(&t->next, 0);
	atomic_init(&t->loop, 0);
	atomic_init(&t->busy, 0);
	atomic_init(&t->quit, false);
	status = start_threads(t, e);
	if (status) {
		team_destroy(t);
		return status;
	}
	*out = t;
	return 0;
}

void team_destroy(struct team *t)
{
	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	atomic_store(&t->quit, true);
	pthread_cond_broadcast(&t->begin);
	pthread_mutex_unlock(&t->lock);
	for (int i = 1; i <= t->started; i++)
		pthread_join(t->member[i].thread, NULL);
	pthread_cond_destroy(&t->begin);
	pthread_cond_destroy(&t->end);
	pthread_mutex_destroy(&t->lock);
	pthread_mutex_destroy(&t->turn);
	free(t->member);
	free(t);
}

int team_threads(const struct team *t)
{
	return t ? t->threads : 1;
}

/* A multiple of the grain such that every thread gets several parts where there are enough. */
static uint64_t part_size(uint64_t count, uint64_t grain, int threads)
{
	uint64_t grains = (count - 1) / grain + 1;
	uint64_t parts = (uint64_t)threads * PARTS_A_THREAD;

	return ((grains - 1) / parts + 1) * grain;
}

void team_for(struct team *t, uint64_t count, uint64_t grain,
	      void (*work)(void *context, uint64_t from, uint64_t to, int thread), void *context)
{
	if (count == 0)
		return;
	if (grain == 0)
		grain = 1;
	if (!t || t->threads == 1 || count <= grain) {
		work(context, 0, count, 0);
		return;
	}
	pthread_mutex_lock(&t->turn);
	t->work = work;
	t->context = context;
	t->count = count;
	t->part = part_size(count, grain, t->threads);
	atomic_store_explicit(&t->next, 0, memory_order_relaxed);
	atomic_store(&t->busy, t->threads - 1);
	pthread_mutex_lock(&t->lock);
	atomic_fetch_add(&t->loop, 1);
	pthread_cond_broadcast(&t->begin);
	pthread_mutex_unlock(&t->lock);
	take_parts(t, 0);
	await_end(t);
	pthread_mutex_unlock(&t->turn);
}

/* ---- threads for one piece of work ---- */

struct start {
	void (*work)(void *item);
	pthread_mutex_t gate; /* held until the number of threads is known */
	bool begins;          /* guarded by gate: whether the threads work */
};

struct starter {
	struct start *start;
	void *item;
	pthread_t thread;
};

static void *starter_main(void *argument)
{
	struct starter *m = argument;
	bool begins;

	pthread_mutex_lock(&m->start->gate);
	begins = m->start->begins;
	pthread_mutex_unlock(&m->start->gate);
	if (begins)
		m->start->work(m->item);
	return NULL;
}

/* Starts threads that wait at the gate. Returns their number, the caller included. */
static int gather(struct start *s, struct starter *starter, void *items, size_t size, int count)
{
	int here = 1;

	for (; starter && here < count; here++) {
		struct starter *m = &starter[here];

		*m = (struct starter){ .start = s, .item = (char *)items + (size_t)here * size };
		if (pthread_create(&m->thread, NULL, starter_main, m))
			break;
	}
	return here;
}

/* Does no work if there are fewer than `least` threads. */
static int run_together(struct start *s, void *items, size_t size, int count, int least,
			void (*begin)(void *context, int number), void *context)
{
	/* out of memory: only the calling thread works */
	struct starter *starter = calloc((size_t)count, sizeof(*starter));
	int here;

	pthread_mutex_init(&s->gate, NULL);
	pthread_mutex_lock(&s->gate);
	here = gather(s, starter, items, size, count);
	s->begins = here >= least;
	if (s->begins && begin)
		begin(context, here);
	pthread_mutex_unlock(&s->gate);
	if (s->begins)
		s->work(items);
	for (int i = 1; i < here; i++)
		pthread_join(starter[i].thread, NULL);
	pthread_mutex_destroy(&s->gate);
	free(starter);
	return here;
}

int team_run(void (*work)(void *item), void *items, size_t size, int count,
	     void (*begin)(void *context, int number), void *context)
{
	struct start s = { .work = work };

	return run_together(&s, items, size, count, 1, begin, context);
}

int team_run_all(void (*work)(void *item), void *items, size_t size, int count, struct err *e)
{
	struct start s = { .work = work };
	int here = run_together(&s, items, size, count, count, NULL, NULL);

	if (here == count)
		return 0;
	return err_set(e, ERR_FAILED, "only %d of %d threads could be started", here, count);
}

/* ---- the barrier ---- */

void team_barrier_init(struct team_barrier *b, int threads)
{
	*b = (struct team_barrier){ .threads = threads };
	if (threads >= BARRIER_MANY && threads <= sysconf(_SC_NPROCESSORS_ONLN))
		b->spins = BARRIER_SPINS;
}

static bool still(struct team_barrier *b, uint32_t meeting)
{
	return atomic_load(&b->meeting) == meeting;
}

static void wait_for_last(struct team_barrier *b, uint32_t meeting)
{
	for (int i = 0; i < b->spins; i++) {
		if (!still(b, meeting))
			return;
		pause_briefly();
	}
	atomic_fetch_add(&b->asleep, 1);
	while (still(b, meeting))
		syscall(SYS_futex, &b->meeting, FUTEX_WAIT_PRIVATE, meeting, NULL, NULL, 0);
	atomic_fetch_sub(&b->asleep, 1);
}

void team_barrier_wait(struct team_barrier *b)
{
	uint32_t meeting = atomic_load(&b->meeting);

	if (atomic_fetch_add(&b->arrived, 1) + 1 < (uint32_t)b->threads) {
		wait_for_last(b, meeting);
		return;
	}
	atomic_store(&b->arrived, 0); /* before any thread can reach the next barrier */
	atomic_store(&b->meeting, meeting + 1);
	if (atomic_load(&b->asleep))
		syscall(SYS_futex, &b->meeting, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}
