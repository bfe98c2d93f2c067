/* sim: simulated GPUs that run the kernels of the project on the host.
 *
 * For correctness, never for timing. The kernel sources are compiled by the host's C++ compiler
 * (kernels/common/gpu.cuh says what they may use) and run under gdb, ASan, UBSan and TSan like any
 * other code. This header is the boundary between them and the simulator, and its manual.
 *
 * HOW IT RUNS
 *   A stream is an OS thread with a queue. Streams and devices run concurrently, copies access the
 *   host's buffers when they are executed, and an error of a kernel is reported by the next
 *   dev_stream_sync, dev_sync or dev_event_elapsed and all later ones, as on CUDA. A launch
 *   is run by several OS threads (workers). A thread of a block is a fiber with a stack of its own.
 *   A worker runs one block at a time; of a cooperative launch, all its share of the blocks at
 *   once. Fibers change at barriers, warp operations, SPIN_WAIT and, at random, at atomics and flag
 *   accesses; between them a thread runs undisturbed.
 *   A launch may take minutes. dev_set_cancel_on() lets a stop flag end it at the next switch of
 *   fibers. From then on the device fails with ERR_LIMIT and the contents of its memory are
 *   undefined.
 *
 * SETTINGS, environment, read by dev_set_open:
 *   COPRA_SIM_SCHEDULE  random (default), order, reverse: of the threads in a block and the blocks
 *   COPRA_SIM_SEED      of the random schedule, default 1. With COPRA_SIM_WORKERS=1 what a kernel
 *                       does follows from the seed alone
 *   COPRA_SIM_WORKERS   OS threads of one launch, 1 to 64; default: the machine's cores, 2 to 8
 *   COPRA_SIM_MEMORY    bytes of one device's memory, default 1G (suffixes K, M, G)
 *   COPRA_SIM_SHARED    bytes of shared memory a block may have, default 227K
 *   COPRA_SIM_SMS       multiprocessors, default 4; bounds a cooperative grid
 *   COPRA_SIM_STACK     bytes of a thread's stack, default 64K (256K with a sanitizer)
 *   COPRA_SIM_TIMEOUT   seconds of nothing but SPIN_WAIT after which a kernel is ended, default 20
 *
 * WHAT IT FINDS; errors of kernels name kernel, block, thread and source line
 *   - a missing __syncthreads or __syncwarp: as a wrong answer under some schedule. A random one
 *     picks the next thread uniformly, or holds one thread or one warp of the block back for as
 *     long as any other can run, so that large lags occur too
 *   - a barrier that some threads of the block do not reach (they returned, or wait elsewhere)
 *   - a warp operation whose mask lacks the caller, whose named lanes come to another operation or
 *     with another mask, or never come
 *   - a deadlock of any other mix of waiting threads; spinning for longer than the time limit; a
 *     block that leaves while others wait in grid_sync
 *   - a launch beyond the limits; a pointer argument that a kernel of this device may not use
 *   - a copy or fill that leaves its allocation
 *   - writes just outside an allocation (guard bytes, checked at every synchronisation) or outside
 *     the block's shared memory (checked at its end); under ASan any access there, with its line
 *   - uninitialised device or shared memory, bytes of copy_async_* not waited for, and what a lane
 *     shuffles from one that takes no part: they read as poison, which varies with the seed
 *   - an access to what is not mapped (far outside any allocation, a null pointer): an error of the
 *     launch; a sanitizer stops the process there
 *   - a thread's stack running over: a fault at a guard page, which ends the process
 *   - host code that touches device memory: it is inaccessible (SIGSEGV) from the synchronisation
 *     after which nothing of the device is queued until the next work. While work is queued it is
 *     accessible to all; then a host access, or a kernel's access to a device that its own has no
 *     peer access to, is found only where the pointer was an argument of a launch or a copy
 *   - under TSan: races between blocks of different workers, and between devices. Races inside a
 *     block are left to the schedules
 * WHAT IT CANNOT FIND: too weak memory ordering (the host's is stronger, and atomics here order
 * everything), bank conflicts, register pressure, misaligned vectors (UBSan finds those). */
#ifndef COPRA_DEVICE_SIM_H
#define COPRA_DEVICE_SIM_H

#include <stddef.h>
#include <stdint.h>

#include "harness/device/device.h"

#ifdef __cplusplus
extern "C" {
#define SIM_NORETURN [[noreturn]]
#else
#define SIM_NORETURN _Noreturn
#endif

enum { SIM_WARP = 32 };

struct sim_uint3 {
	unsigned x, y, z;
};

/* Data shared by the threads of one block. */
struct sim_block_view {
	struct sim_uint3 block_index, block_size, grid_size;
	unsigned char *shared; /* dynamic shared memory, 128-byte aligned */
};

/* What a running thread knows about itself. */
struct sim_view {
	struct sim_uint3 thread_index;
	unsigned lane;
	const struct sim_block_view *block;
};

/* The running thread of this OS thread; NULL outside kernels. */
extern __thread struct sim_view *sim_self;

/* The place of a call in the source of a kernel. */
struct sim_place {
	const char *file;
	int line;
};

enum sim_barrier_kind { SIM_BARRIER, SIM_BARRIER_COUNT, SIM_BARRIER_AND, SIM_BARRIER_OR };

/* Barrier of the block; returns the count, the AND or the OR of `predicate`, as `kind` says. */
int sim_barrier(enum sim_barrier_kind kind, int predicate, struct sim_place at);
void sim_grid_barrier(struct sim_place at);

enum sim_warp_kind {
	SIM_SYNCWARP,
	SIM_SHUFFLE, /* param: source lane, or 32 and more: none, the caller's own value */
	SIM_BALLOT,
	SIM_MATCH_ANY,
	SIM_MATCH_ALL,  /* the mask, or 0 where the values differ */
	SIM_REDUCE_ADD, /* reductions of 32 bits; _S: signed */
	SIM_REDUCE_MIN,
	SIM_REDUCE_MAX,
	SIM_REDUCE_MIN_S,
	SIM_REDUCE_MAX_S,
	SIM_REDUCE_AND,
	SIM_REDUCE_OR,
	SIM_REDUCE_XOR,
	SIM_WARP_KINDS
};

/* One warp operation of the lanes in `mask`; returns this lane's result. */
uint64_t sim_warp(enum sim_warp_kind kind, uint32_t mask, uint64_t value, uint32_t param,
		  struct sim_place at);

void sim_spin(struct sim_place at);
/* A point at which a random schedule may switch to another thread. */
void sim_preempt(void);
void sim_fence(void);
SIM_NORETURN void sim_trap(const char *what, struct sim_place at);

/* cp.async: see gpu.cuh. */
void sim_copy_async(void *dst, const void *src, unsigned bytes, struct sim_place at);
void sim_copy_commit(void);
void sim_copy_wait(unsigned groups_left);

uint64_t sim_clock(void);

/* A launch. `body` is run once by each thread on a copy of the `arg_bytes` bytes at `args`, which
 * hold no pointer to themselves. */
struct sim_kernel {
	const char *name;
	void (*body)(const void *args);
	const void *args;
	size_t arg_bytes;
	struct sim_uint3 grid, block;
	size_t shared_bytes;
	bool cooperative;
};
int sim_launch(struct dev_stream *s, const struct sim_kernel *k, struct err *e, const char *file,
	       int line);
int sim_occupancy(struct dev_stream *s, int *blocks_per_sm, unsigned threads, size_t shared_bytes,
		  struct err *e);
/* Checks that `p` may be passed to a kernel on the device of this stream: 0 or an error. */
int sim_check_argument(struct dev_stream *s, const char *kernel, int index, const void *p,
		       struct err *e);

/* ---- clusters of blocks: kernels/common/cluster.cuh is the manual ---- */

enum { SIM_CLUSTER_MAX = 16 };

/* Launches blocks in clusters of `cluster` blocks. All blocks are resident, as in a cooperative
 * launch. */
int sim_launch_clusters(struct dev_stream *s, const struct sim_kernel *k, unsigned cluster,
			struct err *e, const char *file, int line);

void sim_cluster_barrier(struct sim_place at);
unsigned sim_cluster_rank(void);
void *sim_cluster_shared(void *p, unsigned rank, struct sim_place at);

#ifdef __cplusplus
}
#endif
#endif
