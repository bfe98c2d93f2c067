/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Internal to sim: the execution of one launch. sim.h is the manual.
 *
 *   sim_run     a running launch, shared by its workers
 *   sim_worker  one of its OS threads, with a pool of fibers and the blocks it currently runs
 *   sim_block   a block and what its threads wait for
 *   sim_thread  a thread: a fiber, and what it waits for
 *
 * Runnable threads are in one of the two queues of their worker. A thread that must wait removes
 * itself and switches directly to the next one. If there is none, it switches to the worker's own
 * context, which determines whether the work is done, the grid must be waited for, or there is a
 * deadlock. */
#ifndef COPRA_DEVICE_SIM_ENGINE_H
#define COPRA_DEVICE_SIM_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "harness/base/error.h"
#include "harness/device/sim.h"
#include "harness/device/sim_config.h"
#include "harness/device/sim_fiber.h"

enum { SIM_BLOCK_THREADS = 1024, SIM_BLOCK_WARPS = SIM_BLOCK_THREADS / SIM_WARP };
enum { SIM_SM_THREADS = 2048, SIM_SM_BLOCKS = 32 };
enum { SIM_SHARED_GUARD = 128, SIM_SHARED_RESERVED = 1024 };

enum sim_state {
	SIM_RUNNABLE,
	SIM_HELD, /* runnable but for a lane of its wave that waits: sim.h */
	SIM_IN_BARRIER,
	SIM_IN_WARP,
	SIM_IN_WAVE,
	SIM_IN_GRID,
	SIM_GONE
};

struct sim_async; /* asynchronous copies of a thread: sim_block.c */

struct sim_thread {
	struct sim_view view; /* must be first: sim_self points here */
	struct sim_fiber fiber;
	struct sim_block *block;
	unsigned index; /* within the block */
	enum sim_state state;
	bool late;           /* held back by the schedule */
	bool waits;          /* in SPIN_UNTIL, and its condition was false */
	struct sim_place at; /* source location of its last wait */
	enum sim_warp_kind kind;
	uint32_t mask, param;
	uint64_t value, result;
	struct sim_async *async;
};

/* Lanes that share a program counter: neighbours in a block. */
struct sim_wave {
	struct sim_thread *waiting; /* the lane in SPIN_UNTIL that holds the others; NULL: none */
	uint64_t since;             /* ns; when it began to wait */
	unsigned converging, gone;  /* lanes in WAVE_SYNC; lanes that left the kernel */
};

struct sim_block {
	struct sim_block_view view; /* must be first: the threads' views point here */
	struct sim_worker *worker;
	struct sim_thread *thread; /* its threads, in order */
	unsigned threads, gone;
	/* the barrier in progress */
	unsigned in_barrier, votes;
	enum sim_barrier_kind barrier;
	struct sim_place barrier_at;
	int barrier_result;
	unsigned in_grid;
	uint32_t warp_waiting[SIM_BLOCK_WARPS]; /* lanes in a warp operation */
	uint32_t warp_gone[SIM_BLOCK_WARPS];    /* lanes that left or never existed */
	struct sim_wave wave[SIM_BLOCK_WARPS];
	unsigned char *shared_region; /* guard, shared memory, guard */
};

struct sim_queue {
	struct sim_thread **item;
	unsigned mask, head, count; /* a ring of mask + 1 */
};

struct sim_worker {
	struct sim_fiber self;
	struct sim_run *run;
	struct sim_thread *pool;
	unsigned pool_size;
	unsigned char *stacks[64]; /* one slab per growth of the pool */
	size_t slab_bytes[64];
	unsigned slabs;
	size_t stack_bytes;
	struct sim_block *blocks;
	unsigned block_capacity, resident;
	unsigned char *shared; /* resident regions */
	size_t shared_bytes, region_bytes;
	struct sim_queue ready, late;
	enum sim_schedule schedule;
	uint64_t random;
	unsigned grid_generation;
	unsigned atomics;              /* counted in the fixed schedules */
	unsigned idle_spins;           /* consecutive pauses in SPIN_UNTIL */
	unsigned idle_from;            /* of these: when the wait began */
	uint64_t idle_since;           /* ns */
	unsigned long long idle_moves; /* progress of all devices at that time */
	unsigned moves;                /* progress of this worker; see sim_progress */
	unsigned started;              /* blocks run since sim_fiber_renew */
	struct sim_wave *trial;        /* the wave whose lanes advance to find a hang; or NULL */
	const struct sim_thread *trial_lane; /* one of its lanes that were held */
};

/* A running cluster: its barrier and the addresses of its blocks' shared memory. */
struct sim_cluster {
	atomic_uint arrived, turn;
	_Atomic(unsigned char *) shared[SIM_CLUSTER_MAX];
};

struct sim_run {
	const struct sim_kernel *kernel;
	const struct sim_config *config;
	const void *args;
	uint64_t seed, blocks;
	uint64_t order_step, order_start; /* block of ticket t: (start + t * step) mod blocks */
	unsigned threads, workers;
	unsigned cluster; /* blocks per cluster; 0: no clusters */
	struct sim_cluster *clusters;
	const atomic_bool *cancelled; /* set by the world */
	atomic_ullong ticket;
	atomic_bool failed;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t moved;
	struct err err;
	uint64_t grid_arrived, grid_gone;
	unsigned grid_generation;
};

/* ---- sim_launch.c ---- */

void sim_worker_destroy(struct sim_worker *w);

/* ---- sim_sched.c ---- */

uint64_t sim_random(struct sim_worker *w);
bool sim_queue_reserve(struct sim_queue *q, unsigned capacity);
void sim_queue_free(struct sim_queue *q);
void sim_make_ready(struct sim_thread *t);
/* Of the threads first to first+count-1, makes those in `state` runnable, in the order of the
 * schedule. */
void sim_make_all_ready(struct sim_block *b, unsigned first, unsigned count, enum sim_state state);
struct sim_thread *sim_next(struct sim_worker *w); /* NULL: none, or the launch failed */
/* Runs other threads until this one is chosen again. Its state says why it waits. */
void sim_leave_cpu(struct sim_thread *t);
struct sim_thread *sim_current(void);
/* NULL: lanes are independent. */
struct sim_wave *sim_wave_of(const struct sim_thread *t);
/* Makes those lanes of a wave runnable that are in `state`. */
void sim_wave_ready(struct sim_block *b, const struct sim_wave *v, enum sim_state state);
/* The number of lanes of a wave; the last one of a block may be incomplete. */
unsigned sim_wave_lanes(const struct sim_block *b, const struct sim_wave *v);
void sim_progress(struct sim_worker *w);
/* Fails the thread if it is in SPIN_UNTIL, where no barrier or warp operation is allowed. */
void sim_check_converged(struct sim_thread *t, const char *operation);

/* Records the first error of the launch, "kernel K, block (..), thread (..), file:line: text", and
 * ends all its threads. From a fiber it does not return. `t` may be NULL. */
void sim_report(struct sim_run *run, const struct sim_thread *t, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
_Noreturn void sim_fail(struct sim_thread *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Called by a worker whose threads all wait and can never run. */
void sim_report_deadlock(struct sim_worker *w);

/* From now on an illegal access of a kernel fails its launch. Illegal accesses of other code go to
 * the handler that was installed before. */
void sim_fault_install(void);

/* ---- sim_block.c ---- */

void sim_block_start(struct sim_block *b, uint64_t index);
/* Called when no thread can run: waits for the barrier of the grid if all blocks of the worker are
 * in it, then releases them. Returns false if they are not. */
bool sim_grid_wait(struct sim_worker *w);
const char *sim_warp_name(const struct sim_thread *t);

/* Creates the clusters of a launch; false: out of memory. */
bool sim_clusters_create(struct sim_run *run);

/* Discards the thread's asynchronous copies and frees their memory. */
void sim_async_drop(struct sim_thread *t);
void sim_async_free(struct sim_thread *t);

#endif
