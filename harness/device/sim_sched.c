/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The scheduler: which thread runs next, and how errors of kernels are reported. */
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/device/sim_engine.h"

enum {
	YIELDS = 100000, /* ns */
	ROUNDS = 500,    /* so many that a delayed thread has probably run */
};

__thread struct sim_view *sim_self;

struct sim_thread *sim_current(void)
{
	return (struct sim_thread *)sim_self;
}

uint64_t sim_random(struct sim_worker *w)
{
	uint64_t x = w->random; /* xorshift64* */
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	w->random = x;
	return x * UINT64_C(0x2545F4914F6CDD1D);
}

/* ---- queues ---- */

bool sim_queue_reserve(struct sim_queue *q, unsigned capacity)
{
	unsigned size = 64;
	while (size < capacity)
		size *= 2;
	if (!q->item || q->mask + 1 < size) {
		free(q->item);
		q->item = malloc(size * sizeof(struct sim_thread *));
		q->mask = size - 1;
	}
	q->head = q->count = 0;
	return q->item != NULL;
}

void sim_queue_free(struct sim_queue *q)
{
	free(q->item);
	memset(q, 0, sizeof(*q));
}

static void push(struct sim_queue *q, struct sim_thread *t)
{
	q->item[(q->head + q->count++) & q->mask] = t;
}

static struct sim_thread *pop(struct sim_queue *q)
{
	struct sim_thread *t = q->item[q->head & q->mask];
	q->head++;
	q->count--;
	return t;
}

static struct sim_thread *pop_any(struct sim_queue *q, uint64_t random)
{
	unsigned i = (unsigned)((random >> 32) * q->count >> 32);
	struct sim_thread **chosen = &q->item[(q->head + i) & q->mask];
	struct sim_thread **first = &q->item[q->head & q->mask];
	struct sim_thread *t = *chosen;
	*chosen = *first;
	*first = t;
	return pop(q);
}

void sim_make_ready(struct sim_thread *t)
{
	struct sim_worker *w = t->block->worker;
	t->state = SIM_RUNNABLE;
	push(t->late ? &w->late : &w->ready, t);
}

void sim_make_all_ready(struct sim_block *b, unsigned first, unsigned count, enum sim_state state)
{
	bool reverse = b->worker->schedule == SIM_REVERSE;
	for (unsigned i = 0; i < count; i++) {
		struct sim_thread *t = &b->thread[first + (reverse ? count - 1 - i : i)];
		if (t->state == state)
			sim_make_ready(t);
	}
}

static bool is_cancelled(struct sim_run *run)
{
	if (!atomic_load_explicit(run->cancelled, memory_order_relaxed))
		return false;
	pthread_mutex_lock(&run->lock);
	if (!run->err.code)
		err_set(&run->err, ERR_LIMIT, "kernel %s was cancelled", run->kernel->name);
	atomic_store(&run->failed, true);
	pthread_cond_broadcast(&run->moved);
	pthread_mutex_unlock(&run->lock);
	return true;
}

/* ---- waves: lanes that share a program counter ---- */

struct sim_wave *sim_wave_of(const struct sim_thread *t)
{
	unsigned lanes = t->block->worker->run->config->wave;
	return lanes > 1 ? &t->block->wave[t->index / lanes] : NULL;
}

/* Whether another lane of the wave waits. It keeps the program counter of the wave in its loop. */
static bool is_held(const struct sim_worker *w, const struct sim_thread *t)
{
	const struct sim_wave *v = sim_wave_of(t);
	return v && v->waiting && v->waiting != t && v != w->trial;
}

static unsigned first_lane(const struct sim_block *b, const struct sim_wave *v)
{
	return (unsigned)(v - b->wave) * b->worker->run->config->wave;
}

unsigned sim_wave_lanes(const struct sim_block *b, const struct sim_wave *v)
{
	unsigned lanes = b->worker->run->config->wave, left = b->threads - first_lane(b, v);
	return left < lanes ? left : lanes;
}

void sim_wave_ready(struct sim_block *b, const struct sim_wave *v, enum sim_state state)
{
	sim_make_all_ready(b, first_lane(b, v), sim_wave_lanes(b, v), state);
}

/* A lane of the wave that is held, if possible of another warp than the one that waits; or NULL. */
static const struct sim_thread *held_lane(const struct sim_wave *v)
{
	const struct sim_thread *t = v->waiting, *found = NULL;
	unsigned first = first_lane(t->block, v), lanes = sim_wave_lanes(t->block, v);
	for (unsigned i = first; i < first + lanes; i++) {
		const struct sim_thread *o = &t->block->thread[i];
		if (o->state != SIM_HELD)
			continue;
		if (o->index / SIM_WARP != t->index / SIM_WARP)
			return o;
		found = found ? found : o;
	}
	return found;
}

/* Nothing moves. Lets the held lanes of the next wave of the worker advance: if its wait then ends,
 * it waited for them, which is a hang. Returns false when all waves have been tried. */
static bool try_next_wave(struct sim_worker *w)
{
	bool passed = !w->trial;
	for (unsigned i = 0; i < w->resident; i++)
		for (unsigned j = 0; j < SIM_BLOCK_WARPS; j++) {
			struct sim_wave *v = &w->blocks[i].wave[j];
			const struct sim_thread *lane = passed && v->waiting ? held_lane(v) : NULL;
			passed |= v == w->trial;
			if (!lane)
				continue;
			w->trial = v;
			w->trial_lane = lane;
			sim_wave_ready(&w->blocks[i], v, SIM_HELD);
			return true;
		}
	w->trial = NULL;
	return false;
}

static void begin_hold(struct sim_thread *t)
{
	const struct sim_worker *w = t->block->worker;
	struct sim_wave *v = sim_wave_of(t);
	double limit = 10 * w->run->config->timeout;
	if (!v || v == w->trial)
		return;
	if (!v->waiting) {
		v->waiting = t;
		v->since = sim_clock();
	} else if (1e-9 * (double)(sim_clock() - v->since) > limit) {
		sim_fail(t, "waited more than %g s and held the other lanes of its wave of %u",
			 limit, w->run->config->wave);
	}
}

static void end_hold(struct sim_thread *t)
{
	struct sim_worker *w = t->block->worker;
	struct sim_wave *v = sim_wave_of(t);
	if (!v || v->waiting != t)
		return;
	if (v == w->trial) {
		const struct sim_uint3 *i = &w->trial_lane->view.thread_index;
		sim_fail(t,
			 "hang of a wave of %u lanes: it waits in SPIN_UNTIL for lanes of its own "
			 "wave, which cannot advance meanwhile, such as thread (%u,%u,%u)",
			 w->run->config->wave, i->x, i->y, i->z);
	}
	v->waiting = NULL;
	sim_wave_ready(t->block, v, SIM_HELD);
}

/* ---- the next thread ---- */

/* Delayed threads run when no other thread can. They also run occasionally at other times, because
 * other threads may be spinning until they do. */
static struct sim_thread *choose(struct sim_worker *w)
{
	if (w->schedule != SIM_RANDOM)
		return w->ready.count ? pop(&w->ready) : NULL;
	uint64_t r = sim_random(w);
	if (w->late.count && (!w->ready.count || r % 64 == 0))
		return pop_any(&w->late, r);
	return w->ready.count ? pop_any(&w->ready, r) : NULL;
}

struct sim_thread *sim_next(struct sim_worker *w)
{
	struct sim_thread *t;
	if (atomic_load_explicit(&w->run->failed, memory_order_relaxed) || is_cancelled(w->run))
		return NULL;
	while ((t = choose(w)) && is_held(w, t))
		t->state = SIM_HELD;
	return t;
}

void sim_leave_cpu(struct sim_thread *t)
{
	struct sim_worker *w = t->block->worker;
	struct sim_thread *next = sim_next(w);
	if (next == t)
		return;
	sim_self = next ? &next->view : NULL;
	sim_fiber_switch(&t->fiber, next ? &next->fiber : &w->self);
}

void sim_preempt(void)
{
	struct sim_thread *t = sim_current();
	struct sim_worker *w = t->block->worker;
	/* occasionally in the fixed schedules too: this may be a loop that waits for a lock */
	bool stay = w->schedule == SIM_RANDOM ? sim_random(w) >> 62 : ++w->atomics % 64;
	if (stay)
		return;
	sim_make_ready(t);
	sim_leave_cpu(t);
}

/* ---- waiting for flags ---- */

/* TSan does not support fences. Atomics order everything here; only the compiler must be stopped
 * from reordering. */
void sim_fence(void)
{
	if (SIM_TSAN)
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	else
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

uint64_t sim_clock(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Counts progress on all devices: on a busy machine a thread that others wait for may be scheduled
 * late and only briefly. */
static atomic_ullong moves;

void sim_progress(struct sim_worker *w)
{
	/* immediately after a wait, otherwise occasionally: a shared counter is expensive */
	if (w->idle_spins || ++w->moves % 64 == 0)
		atomic_fetch_add_explicit(&moves, 1, memory_order_relaxed);
	w->idle_spins = 0;
}

static void begin_wait(struct sim_worker *w)
{
	w->idle_from = w->idle_spins;
	w->idle_since = sim_clock();
	w->idle_moves = atomic_load_explicit(&moves, memory_order_relaxed);
}

/* Nothing has moved for the time limit, or in a trial for part of it. */
static void give_up(struct sim_worker *w, struct sim_thread *t)
{
	if (w->run->config->wave > 1 && try_next_wave(w))
		return;
	const struct sim_wave *v = sim_wave_of(t);
	const struct sim_thread *held = v && v->waiting == t ? held_lane(v) : NULL;
	sim_fail(t, "waited more than %g s in SPIN_UNTIL while nothing else moved%s",
		 w->run->config->timeout,
		 held ? "; lanes of its wave were held meanwhile, perhaps those it waits for" : "");
}

/* All threads of this worker may be spinning until another OS thread acts: lets that thread run. */
static void yield_worker(struct sim_worker *w, struct sim_thread *t)
{
	const struct timespec nap = { 0, 50000 };
	unsigned round = w->ready.count + w->late.count + 1;
	if (w->idle_spins++ == 0)
		begin_wait(w);
	if (w->idle_spins % round)
		return;
	uint64_t waited = sim_clock() - w->idle_since;
	/* on a busy machine a yield lets other programs run first; a sleeping
	 * thread is woken before them */
	if (waited < YIELDS)
		sched_yield();
	else
		nanosleep(&nap, NULL);
	/* on a busy machine the time may pass within a few rounds */
	if (1e-9 * (double)waited <= w->run->config->timeout / (w->trial ? 4 : 1) ||
	    (w->idle_spins - w->idle_from) / round < ROUNDS)
		return;
	if (atomic_load_explicit(&moves, memory_order_relaxed) == w->idle_moves)
		give_up(w, t);
	begin_wait(w);
}

void sim_pause(struct sim_place at)
{
	struct sim_thread *t = sim_current();
	t->at = at;
	sim_make_ready(t);
	yield_worker(t->block->worker, t);
	sim_leave_cpu(t);
}

void sim_spin(struct sim_place at)
{
	struct sim_thread *t = sim_current();
	t->at = at;
	t->waits = true;
	begin_hold(t);
	sim_pause(at);
}

void sim_spin_end(void)
{
	struct sim_thread *t = sim_current();
	end_hold(t);
	t->waits = false;
}

void sim_check_converged(struct sim_thread *t, const char *operation)
{
	if (t->waits)
		sim_fail(t, "%s in the condition of SPIN_UNTIL", operation);
}

/* ---- errors ---- */

static int describe(char *out, size_t size, const struct sim_run *run, const struct sim_thread *t)
{
	if (!t)
		return snprintf(out, size, "kernel %s", run->kernel->name);
	const struct sim_uint3 *b = &t->block->view.block_index, *i = &t->view.thread_index;
	return snprintf(out, size, "kernel %s, block (%u,%u,%u), thread (%u,%u,%u), %s:%d",
			run->kernel->name, b->x, b->y, b->z, i->x, i->y, i->z,
			t->at.file ? t->at.file : "start", t->at.line);
}

static void report(struct sim_run *run, const struct sim_thread *t, const char *format,
		   va_list args)
{
	char where[256], what[256];
	describe(where, sizeof(where), run, t);
	vsnprintf(what, sizeof(what), format, args);
	pthread_mutex_lock(&run->lock);
	if (!run->err.code)
		err_set(&run->err, ERR_FAILED, "%s: %s", where, what);
	atomic_store(&run->failed, true);
	pthread_cond_broadcast(&run->moved);
	pthread_mutex_unlock(&run->lock);
}

void sim_report(struct sim_run *run, const struct sim_thread *t, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	report(run, t, format, args);
	va_end(args);
}

void sim_fail(struct sim_thread *t, const char *format, ...)
{
	struct sim_worker *w = t->block->worker;
	va_list args;
	va_start(args, format);
	report(w->run, t, format, args);
	va_end(args);
	sim_self = NULL;
	sim_fiber_switch(&t->fiber, &w->self);
	abort(); /* a failed launch resumes none of its threads */
}

void sim_trap(const char *what, struct sim_place at)
{
	sim_current()->at = at;
	sim_fail(sim_current(), "%s", what);
}

static const char *waits_for(const struct sim_thread *t, char *out, size_t size)
{
	switch (t->state) {
	case SIM_IN_BARRIER:
		snprintf(out, size, "waits in __syncthreads at %s:%d", t->at.file, t->at.line);
		break;
	case SIM_IN_WAVE:
		snprintf(out, size, "waits in WAVE_SYNC at %s:%d", t->at.file, t->at.line);
		break;
	case SIM_IN_GRID:
		snprintf(out, size, "waits in grid_sync at %s:%d", t->at.file, t->at.line);
		break;
	case SIM_IN_WARP:
		snprintf(out, size, "waits in %s(0x%08x) at %s:%d", sim_warp_name(t), t->mask,
			 t->at.file, t->at.line);
		break;
	default:
		snprintf(out, size, "has left the kernel");
	}
	return out;
}

/* The thread that `t` waits for in vain, if it is a single thread; otherwise any thread that waits
 * elsewhere. */
static const struct sim_thread *missing(const struct sim_thread *t)
{
	const struct sim_block *b = t->block;
	unsigned warp = t->index / SIM_WARP * SIM_WARP;
	for (unsigned i = 0; i < b->threads; i++) {
		const struct sim_thread *o = &b->thread[i];
		if (t->state == SIM_IN_WAVE &&
		    (sim_wave_of(o) != sim_wave_of(t) || o->state == SIM_GONE))
			continue;
		if (t->state == SIM_IN_WARP ?
			    i >= warp && i < warp + SIM_WARP && o->state != SIM_GONE &&
				    (t->mask >> o->view.lane & 1) &&
				    (o->state != SIM_IN_WARP || o->mask != t->mask ||
				     o->kind != t->kind) :
			    o->state != t->state)
			return o;
	}
	return NULL;
}

/* The thread to report: one in a warp operation, otherwise one in a barrier of the block. */
static const struct sim_thread *stuck(const struct sim_worker *w)
{
	static const enum sim_state order[] = { SIM_IN_WARP, SIM_IN_WAVE, SIM_IN_BARRIER,
						SIM_IN_GRID };
	for (unsigned k = 0; k < sizeof(order) / sizeof(*order); k++)
		for (unsigned i = 0; i < w->resident; i++)
			for (unsigned j = 0; j < w->blocks[i].threads; j++) {
				const struct sim_thread *t = &w->blocks[i].thread[j];
				if (t->state == order[k] && missing(t))
					return t;
			}
	return NULL;
}

void sim_report_deadlock(struct sim_worker *w)
{
	char mine[128], other[128];
	const struct sim_thread *t = stuck(w);
	if (!t) {
		sim_report(w->run, NULL, "deadlock");
		return;
	}
	const struct sim_thread *o = missing(t);
	const struct sim_uint3 *i = &o->view.thread_index;
	sim_report(w->run, t, "deadlock: it %s, but thread (%u,%u,%u)%s %s",
		   waits_for(t, mine, sizeof(mine)), i->x, i->y, i->z,
		   t->state == SIM_IN_WARP ? ", named in the mask," : "",
		   waits_for(o, other, sizeof(other)));
}

/* ---- illegal accesses ---- */

/* A kernel that accesses unmapped memory fails its launch, as on CUDA, but does not end the
 * process. The sanitizers handle such faults themselves and report more. */
#if SIM_ASAN || SIM_TSAN

void sim_fault_install(void)
{
}

#else

/* The handler that was installed before; global, as signal handlers are. */
static struct sigaction previous;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* If a kernel faulted, it holds no lock and is abandoned. If host code faulted, the previous
 * handler is restored and the code faults again. */
static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (sim_self)
		sim_fail(sim_current(),
			 "illegal access to address %p, somewhere after the line named here",
			 info->si_addr);
	sigaction(sig, &previous, NULL);
}

void sim_fault_install(void)
{
	struct sigaction mine = { 0 }, old;
	mine.sa_sigaction = on_fault;
	/* not blocked during handling, because the handler does not return */
	mine.sa_flags = SA_SIGINFO | SA_NODEFER;
	sigemptyset(&mine.sa_mask);
	pthread_mutex_lock(&lock);
	if (!sigaction(SIGSEGV, NULL, &old) && old.sa_sigaction != on_fault) {
		previous = old;
		sigaction(SIGSEGV, &mine, NULL);
	}
	pthread_mutex_unlock(&lock);
}

#endif
