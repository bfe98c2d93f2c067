/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* sim: simulated GPUs that run the kernels of the project on the host.
 *
 * It checks correctness and never measures time. The host's C++ compiler compiles the kernel
 * sources (kernels/common/gpu.cuh lists what they may use), so they run under gdb, ASan, UBSan and
 * TSan like any other code. This header is the interface between the kernels and the simulator, and
 * its manual.
 *
 * HOW IT RUNS
 *   A stream is an OS thread with a queue. Streams and devices run concurrently. Copies access the
 *   host's buffers when they are executed. As on CUDA, an error of a kernel is reported by the next
 *   dev_stream_sync, dev_sync or dev_event_elapsed, and by all later ones.
 *   Several OS threads (workers) run a launch. Each thread of a block is a fiber with its own
 *   stack. A worker runs one block at a time. In a cooperative launch, it runs its whole share of
 *   the blocks at once. Fibers switch at barriers, warp operations and SPIN_UNTIL, and at random at
 *   atomics and flag accesses. Between these points a fiber runs without interruption by others of
 *   its worker. A launch may take minutes. dev_set_cancel_on() lets a stop flag end it at the next
 *   switch of fibers. From then on the device fails with ERR_LIMIT and the contents of its memory
 *   are undefined.
 *
 * SETTINGS: environment variables, read by dev_set_open
 *   COPRA_SIM_SCHEDULE  order in which threads of a block, and blocks, run: random (default), order
 *                       (ascending) or reverse
 *   COPRA_SIM_SEED      seed of the random schedule, default 1. With COPRA_SIM_WORKERS=1 the seed
 *                       determines the whole execution of a kernel
 *   COPRA_SIM_WORKERS   OS threads per launch, 1 to 64; default: the machine's cores, 2 to 8
 *   COPRA_SIM_MEMORY    bytes of memory per device, default 1G (suffixes K, M, G)
 *   COPRA_SIM_SHARED    maximum bytes of shared memory per block, default 227K
 *   COPRA_SIM_CLUSTER   largest cluster of blocks, 0 (no clusters) to 16, default 16
 *   COPRA_SIM_WAVE      lanes that share a program counter: 1 (default), 32 or 64; see WAVES
 *   COPRA_SIM_SMS       number of multiprocessors, default 4; limits the size of a cooperative grid
 *   COPRA_SIM_SM_THREADS, COPRA_SIM_SM_BLOCKS   threads and blocks that fit on a multiprocessor,
 *                       default 2048 and 32; limit the size of a cooperative grid
 *   COPRA_SIM_STARTS, COPRA_SIM_PEERS   number of devices of a set, from the first on, that start,
 *                       and that may access the memory of others; default all
 *   COPRA_SIM_STACK     bytes of stack per thread, default 64K (256K with a sanitizer)
 *   COPRA_SIM_TIMEOUT   seconds after which a kernel is ended if nothing but SPIN_UNTIL is
 *                       executed, 0.1 or more, default 20
 *   The limits of a T4 (sm_75): COPRA_SIM_SHARED=64K COPRA_SIM_SM_THREADS=1024
 *   COPRA_SIM_SM_BLOCKS=16 COPRA_SIM_CLUSTER=0.
 *
 * WHAT IT DETECTS. Errors of kernels name kernel, block, thread and source line.
 *   - A missing __syncthreads or __syncwarp, as a wrong answer under some schedule. A random
 *     schedule picks the next thread uniformly, or delays one thread or one warp of the block for
 *     as long as any other thread can run, so that large lags occur too.
 *   - A barrier that some threads of the block do not reach because they returned or wait
 *     elsewhere.
 *   - A warp operation whose mask does not contain the caller, or whose named lanes never arrive or
 *     arrive at another operation or with another mask.
 *   - A barrier or warp operation in the condition of SPIN_UNTIL.
 *   - Any other deadlock; spinning for longer than the time limit; a block that leaves the kernel
 *     while others wait in grid_sync.
 *   - A launch that exceeds the limits; a pointer argument that is invalid for kernels of this
 *     device.
 *   - A copy or fill that exceeds its allocation.
 *   - Writes just outside an allocation (guard bytes, checked at every synchronisation) or just
 *     outside the block's shared memory (checked when the block ends). Under ASan also reads, with
 *     the source line.
 *   - Reads of uninitialised device or shared memory, of bytes of copy_async_* before the wait, and
 *     shuffles from a lane that does not take part: they give poison, which varies with the seed.
 *   - An access to unmapped memory (far outside any allocation, or a null pointer): the launch
 *     fails. Under a sanitizer the process stops there.
 *   - A stack overflow of a thread: a fault at a guard page, which ends the process.
 *   - Host code that accesses device memory. The memory is inaccessible (SIGSEGV) between a
 *     synchronisation that leaves no work queued and the next work. While work is queued, all
 *     threads can access it. During that time a host access is detected only if the pointer was an
 *     argument of a launch or a copy. The same holds for a kernel that accesses another device
 *     without peer access.
 *   - Under TSan: races between blocks on different workers, and between devices. Races inside a
 *     block are found only by the schedules.
 *
 * WAVES
 *   By default every thread makes progress on its own, as on NVIDIA GPUs since Volta. On AMD GPUs
 *   the lanes of a wave share a program counter: 32 lanes (a warp) on RDNA, 64 lanes (warps 2i and
 *   2i + 1 of a block) on CDNA. A lane that waits in a loop keeps it there: no other lane of the
 *   wave advances until the loop ends, and a wait for one of them never ends. With a
 *   COPRA_SIM_WAVE of 32 or 64:
 *   - From the first unsuccessful read in SPIN_UNTIL to its end, no other lane of the wave runs.
 *   - If then nothing moves on any device for the time limit, the lanes of one such wave after the
 *     other are let go on for a while. If its wait ends now, it waited for its own wave, and the
 *     launch fails with kernel, block and thread of the wait. If no wait ends, it fails as without
 *     this setting.
 *   - A wait during which other warps do something, but which has held its wave for ten times the
 *     limit, fails too.
 *   - Lanes that take part in the same warp operation from different source lines are an error: the
 *     two sides of a branch are executed one after the other.
 *   This is stricter than the hardware in one respect: lanes that would enter a loop together are
 *   not assumed to. A lane that signals and then waits for the signals of others of its wave hangs
 *   here if it comes first, as it would if the compiler separated the lanes; WAVE_SYNC before the
 *   wait avoids that. Where a signal may precede or follow the beginning of the wait, whether it is
 *   found depends on the schedule: use several.
 *   Not modelled: a loop that waits without SPIN_UNTIL, by atomics or plain loads; the order of the
 *   two sides of a branch; execution in lockstep between waits (lanes interleave at random, which
 *   includes one side before the other); warp operations from two branches that are on one line.
 *
 * WHAT IT CANNOT DETECT: memory ordering that is too weak (the host's is stronger, and atomics here
 * order all memory), bank conflicts, register pressure, and misaligned vectors (UBSan finds those).
 */
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

/* The running thread: its index and its block. */
struct sim_view {
	struct sim_uint3 thread_index;
	unsigned lane;
	const struct sim_block_view *block;
};

/* The running thread of this OS thread; NULL outside kernels. */
extern __thread struct sim_view *sim_self;

/* The source location of a call in a kernel. */
struct sim_place {
	const char *file;
	int line;
};

enum sim_barrier_kind { SIM_BARRIER, SIM_BARRIER_COUNT, SIM_BARRIER_AND, SIM_BARRIER_OR };

/* Barrier of the block. Returns the count, AND or OR of `predicate` over its threads (`kind`). */
int sim_barrier(enum sim_barrier_kind kind, int predicate, struct sim_place at);
void sim_grid_barrier(struct sim_place at);

enum sim_warp_kind {
	SIM_SYNCWARP,
	SIM_SHUFFLE, /* param: source lane; 32 or more: the caller's own value */
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

/* One round of SPIN_UNTIL, and its end. */
void sim_spin(struct sim_place at);
void sim_spin_end(void);
/* WAVE_SYNC */
void sim_wave_sync(struct sim_place at);
/* Lets others run, without the effects of SPIN_UNTIL on the wave. */
void sim_pause(struct sim_place at);
/* A point at which a random schedule may switch to another thread. */
void sim_preempt(void);
void sim_fence(void);
SIM_NORETURN void sim_trap(const char *what, struct sim_place at);

/* cp.async: see gpu.cuh. */
void sim_copy_async(void *dst, const void *src, unsigned bytes, struct sim_place at);
void sim_copy_commit(void);
void sim_copy_wait(unsigned groups_left);

uint64_t sim_clock(void);

/* A launch. Each thread runs `body` once on a copy of the `arg_bytes` bytes at `args`, which must
 * not contain pointers into themselves. */
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

/* ---- clusters of blocks: see kernels/common/cluster.cuh ---- */

enum { SIM_CLUSTER_MAX = 16 };

/* Blocks of the largest cluster that the device supports; 0: it has no clusters. */
unsigned sim_cluster_max(struct dev_stream *s);

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
