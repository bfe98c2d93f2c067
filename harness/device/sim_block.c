/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A block and what its threads do together: start and end, barriers of the block and of the grid,
 * warp operations, clusters, asynchronous copies. */
#include "harness/device/sim_engine.h"

#include <stdlib.h>
#include <string.h>

#include "harness/device/sim_memory.h"

/* ---- asynchronous copies (cp.async) ---- */

/* The bytes arrive only when the thread waits for them, so that a missing wait or barrier is
 * detected. */
struct copy {
	void *dst;
	const void *src;
	unsigned bytes, group;
};

struct sim_async {
	unsigned group; /* the one being filled */
	unsigned count, capacity;
	struct copy *copy; /* in the order of issue */
};

static struct sim_async *state_of(struct sim_thread *t)
{
	if (!t->async)
		t->async = calloc(1, sizeof(*t->async));
	if (!t->async)
		sim_fail(t, "no host memory for asynchronous copies");
	return t->async;
}

void sim_copy_async(void *dst, const void *src, unsigned bytes, struct sim_place at)
{
	struct sim_thread *t = sim_current();
	struct sim_async *a = state_of(t);
	t->at = at;
	if ((uintptr_t)dst % bytes || (uintptr_t)src % bytes)
		sim_fail(t, "asynchronous copy of %u bytes to or from an unaligned address", bytes);
	if (a->count == a->capacity) {
		unsigned capacity = a->capacity ? 2 * a->capacity : 16;
		struct copy *grown = realloc(a->copy, capacity * sizeof(*grown));
		if (!grown)
			sim_fail(t, "no host memory for asynchronous copies");
		a->copy = grown;
		a->capacity = capacity;
	}
	memset(dst, 0xC3, bytes);
	a->copy[a->count++] = (struct copy){ dst, src, bytes, a->group };
}

void sim_copy_commit(void)
{
	state_of(sim_current())->group++;
}

void sim_copy_wait(unsigned groups_left)
{
	struct sim_async *a = state_of(sim_current());
	unsigned done = 0;
	for (; done < a->count && a->copy[done].group + groups_left < a->group; done++)
		memcpy(a->copy[done].dst, a->copy[done].src, a->copy[done].bytes);
	if (done)
		memmove(a->copy, a->copy + done, (a->count - done) * sizeof(*a->copy));
	a->count -= done;
}

void sim_async_drop(struct sim_thread *t)
{
	if (t->async)
		t->async->count = t->async->group = 0;
}

void sim_async_free(struct sim_thread *t)
{
	if (t->async)
		free(t->async->copy);
	free(t->async);
	t->async = NULL;
}

/* ---- clusters ---- */

/* Blocks of a launch that share a barrier and can access each other's shared memory. All blocks of
 * such a launch are resident. Any worker may run any of them, so the barrier is a flag on which one
 * thread of each block spins. */
bool sim_clusters_create(struct sim_run *run)
{
	if (run->cluster)
		run->clusters = calloc(run->blocks / run->cluster, sizeof(*run->clusters));
	return !run->cluster || run->clusters;
}

static struct sim_cluster *cluster_of(const struct sim_block *b)
{
	const struct sim_run *run = b->worker->run;

	return run->clusters ? &run->clusters[b->view.block_index.x / run->cluster] : NULL;
}

static unsigned rank_of(const struct sim_block *b)
{
	return b->view.block_index.x % b->worker->run->cluster;
}

/* Before the block's first thread runs. */
static void cluster_enter(struct sim_block *b)
{
	struct sim_cluster *c = cluster_of(b);

	if (c)
		atomic_store(&c->shared[rank_of(b)], b->view.shared);
}

unsigned sim_cluster_rank(void)
{
	const struct sim_thread *t = sim_current();

	return t->block->worker->run->clusters ? rank_of(t->block) : 0;
}

/* Called by one thread per block. */
static void arrive_and_wait(const struct sim_thread *t, struct sim_cluster *c, struct sim_place at)
{
	unsigned turn = atomic_load(&c->turn);

	if (atomic_fetch_add(&c->arrived, 1) + 1 == t->block->worker->run->cluster) {
		atomic_store(&c->arrived, 0);
		atomic_store(&c->turn, turn + 1);
		return;
	}
	while (atomic_load(&c->turn) == turn)
		sim_pause(at);
}

void sim_cluster_barrier(struct sim_place at)
{
	struct sim_thread *t = sim_current();
	struct sim_cluster *c = cluster_of(t->block);

	if (!c) {
		t->at = at;
		sim_fail(t, "cluster_sync needs LAUNCH_CLUSTERS");
	}
	sim_barrier(SIM_BARRIER, 0, at);
	if (t->index == 0)
		arrive_and_wait(t, c, at);
	sim_barrier(SIM_BARRIER, 0, at);
}

/* It is an error if the other block has not started, as it is on a device. */
void *sim_cluster_shared(void *p, unsigned rank, struct sim_place at)
{
	struct sim_thread *t = sim_current();
	struct sim_cluster *c = cluster_of(t->block);
	size_t offset = (size_t)((unsigned char *)p - t->block->view.shared);

	t->at = at;
	if (!c || rank >= t->block->worker->run->cluster)
		sim_fail(t, "the cluster has no block %u", rank);
	if (offset > t->block->worker->run->kernel->shared_bytes)
		sim_fail(t, "%p is not in the block's shared memory", p);
	unsigned char *base = atomic_load(&c->shared[rank]);

	if (!base)
		sim_fail(t, "block %u of the cluster may not have begun: cluster_sync() first",
			 rank);
	return base + offset;
}

/* ---- warp operations: the last lane to arrive computes the results of all lanes ---- */

static const char *const names[SIM_WARP_KINDS] = {
	[SIM_SYNCWARP] = "__syncwarp",
	[SIM_SHUFFLE] = "__shfl_sync",
	[SIM_BALLOT] = "__ballot_sync",
	[SIM_MATCH_ANY] = "__match_any_sync",
	[SIM_MATCH_ALL] = "__match_all_sync",
	[SIM_REDUCE_ADD] = "__reduce_add_sync",
	[SIM_REDUCE_MIN] = "__reduce_min_sync",
	[SIM_REDUCE_MAX] = "__reduce_max_sync",
	[SIM_REDUCE_MIN_S] = "__reduce_min_sync",
	[SIM_REDUCE_MAX_S] = "__reduce_max_sync",
	[SIM_REDUCE_AND] = "__reduce_and_sync",
	[SIM_REDUCE_OR] = "__reduce_or_sync",
	[SIM_REDUCE_XOR] = "__reduce_xor_sync",
};

const char *sim_warp_name(const struct sim_thread *t)
{
	static const char *const votes[] = { "__ballot_sync", "__any_sync", "__all_sync" };
	return t->kind == SIM_BALLOT ? votes[t->param] : names[t->kind];
}

#define FOR_LANES(i, lanes)                                                                        \
	for (uint32_t rest_ = (lanes); rest_ && (i = __builtin_ctz(rest_), 1); rest_ &= rest_ - 1)

static uint64_t reduce(enum sim_warp_kind kind, uint32_t a, uint32_t b)
{
	switch (kind) {
	case SIM_REDUCE_ADD:
		return (uint32_t)(a + b);
	case SIM_REDUCE_MIN:
		return a < b ? a : b;
	case SIM_REDUCE_MAX:
		return a > b ? a : b;
	case SIM_REDUCE_MIN_S:
		return (int32_t)a < (int32_t)b ? a : b;
	case SIM_REDUCE_MAX_S:
		return (int32_t)a > (int32_t)b ? a : b;
	case SIM_REDUCE_AND:
		return a & b;
	case SIM_REDUCE_OR:
		return a | b;
	default:
		return a ^ b;
	}
}

/* The result of a shuffle from a lane that does not take part. */
static const uint64_t shuffle_poison = UINT64_C(0xBADBADBADBADBADB);

static void shuffle(struct sim_thread *warp, uint32_t lanes)
{
	int i;
	FOR_LANES(i, lanes)
	{
		uint32_t from = warp[i].param;
		warp[i].result = from >= SIM_WARP  ? warp[i].value :
				 lanes >> from & 1 ? warp[from].value :
						     shuffle_poison;
	}
}

static uint32_t equal_lanes(const struct sim_thread *warp, uint32_t lanes, uint64_t value)
{
	int i;
	uint32_t r = 0;
	FOR_LANES(i, lanes)
	if (warp[i].value == value)
		r |= 1u << i;
	return r;
}

static void match(struct sim_thread *warp, uint32_t lanes, bool all)
{
	int i;
	FOR_LANES(i, lanes)
	{
		uint32_t same = equal_lanes(warp, lanes, warp[i].value);
		warp[i].result = all && same != lanes ? 0 : same;
	}
}

/* Operations with one result for all lanes. */
static void combine(struct sim_thread *warp, uint32_t lanes, enum sim_warp_kind kind)
{
	int i, first = __builtin_ctz(lanes);
	uint64_t r = warp[first].value;
	if (kind == SIM_BALLOT)
		r = equal_lanes(warp, lanes, 1);
	else
		FOR_LANES(i, lanes & (lanes - 1))
	r = reduce(kind, (uint32_t)r, (uint32_t)warp[i].value);
	FOR_LANES(i, lanes)
	warp[i].result = r;
}

static void compute(struct sim_thread *warp, uint32_t lanes, enum sim_warp_kind kind)
{
	if (kind == SIM_SHUFFLE)
		shuffle(warp, lanes);
	else if (kind == SIM_MATCH_ANY || kind == SIM_MATCH_ALL)
		match(warp, lanes, kind == SIM_MATCH_ALL);
	else if (kind != SIM_SYNCWARP)
		combine(warp, lanes, kind);
}

static bool same_operation(const struct sim_thread *a, const struct sim_thread *b)
{
	return a->mask == b->mask && a->kind == b->kind &&
	       (a->kind == SIM_SHUFFLE || a->param == b->param);
}

/* Lanes with one program counter execute a warp operation together only if it is one instruction.
 * Lanes that reach it in different branches execute it branch by branch. */
static void check_one_instruction(const struct sim_thread *t, uint32_t lanes,
				  struct sim_thread *caller)
{
	const struct sim_thread *warp = t - t->view.lane;
	int i;
	if (t->block->worker->run->config->wave == 1)
		return;
	FOR_LANES(i, lanes)
	if (warp[i].at.line != t->at.line || strcmp(warp[i].at.file, t->at.file))
		sim_fail(caller,
			 "%s in two branches: lane %u at %s:%d, lane %d at %s:%d; a wave of %u "
			 "lanes does not execute them together",
			 sim_warp_name(t), t->view.lane, t->at.file, t->at.line, i, warp[i].at.file,
			 warp[i].at.line, t->block->worker->run->config->wave);
}

/* Completes the operation in which `t` waits if all its lanes have arrived. A lane in another
 * operation may still arrive, unless that operation waits for `t`. */
static void try_complete(struct sim_thread *t, struct sim_thread *caller)
{
	struct sim_block *b = t->block;
	unsigned w = t->index / SIM_WARP;
	struct sim_thread *warp = &b->thread[w * SIM_WARP];
	uint32_t lanes = t->mask & ~b->warp_gone[w];
	int i;
	if ((b->warp_waiting[w] & lanes) != lanes)
		return;
	FOR_LANES(i, lanes)
	if (!same_operation(&warp[i], t)) {
		if (!(warp[i].mask >> t->view.lane & 1))
			return;
		sim_fail(caller,
			 "wrong mask: lane %u is in %s(0x%08x), lane %d in %s(0x%08x) at "
			 "%s:%d",
			 t->view.lane, sim_warp_name(t), t->mask, i, sim_warp_name(&warp[i]),
			 warp[i].mask, warp[i].at.file, warp[i].at.line);
	}
	check_one_instruction(t, lanes, caller);
	compute(warp, lanes, t->kind);
	b->warp_waiting[w] &= ~lanes;
	unsigned count = b->threads - w * SIM_WARP;
	bool reverse = b->worker->schedule == SIM_REVERSE;
	for (unsigned k = 0; k < SIM_WARP; k++) {
		unsigned lane = reverse ? SIM_WARP - 1 - k : k;
		if (lane < count && (lanes >> lane & 1))
			sim_make_ready(&warp[lane]);
	}
}

uint64_t sim_warp(enum sim_warp_kind kind, uint32_t mask, uint64_t value, uint32_t param,
		  struct sim_place at)
{
	struct sim_thread *t = sim_current();
	struct sim_block *b = t->block;
	t->at = at;
	t->kind = kind;
	t->mask = mask;
	t->value = value;
	t->param = param;
	sim_progress(b->worker);
	sim_check_converged(t, sim_warp_name(t));
	if (!(mask >> t->view.lane & 1))
		sim_fail(t, "wrong mask: %s(0x%08x) called by lane %u, which is not in it",
			 sim_warp_name(t), mask, t->view.lane);
	b->warp_waiting[t->index / SIM_WARP] |= 1u << t->view.lane;
	t->state = SIM_IN_WARP;
	try_complete(t, t);
	sim_leave_cpu(t);
	return t->result;
}

/* Operations no longer wait for a lane that has left. */
static void warp_lane_left(struct sim_thread *t)
{
	struct sim_block *b = t->block;
	unsigned w = t->index / SIM_WARP;
	int i;
	b->warp_gone[w] |= 1u << t->view.lane;
	FOR_LANES(i, b->warp_waiting[w])
	if (b->warp_waiting[w] >> i & 1)
		try_complete(&b->thread[w * SIM_WARP + (unsigned)i], t);
}

/* ---- waves ---- */

static void wave_complete(struct sim_block *b, struct sim_wave *v)
{
	if (!v->converging || v->converging + v->gone < sim_wave_lanes(b, v))
		return;
	v->converging = 0;
	sim_wave_ready(b, v, SIM_IN_WAVE);
}

void sim_wave_sync(struct sim_place at)
{
	struct sim_thread *t = sim_current();
	struct sim_wave *v = sim_wave_of(t);
	if (!v)
		return;
	t->at = at;
	sim_progress(t->block->worker);
	sim_check_converged(t, "WAVE_SYNC");
	t->state = SIM_IN_WAVE;
	v->converging++;
	wave_complete(t->block, v);
	sim_leave_cpu(t);
}

static void wave_lane_left(struct sim_thread *t)
{
	struct sim_wave *v = sim_wave_of(t);
	if (!v)
		return;
	v->gone++;
	wave_complete(t->block, v);
}

/* ---- start of a block ---- */

static void thread_left(struct sim_thread *t);

/* Fills the shared memory of a new block with poison, between two guards. */
static void prepare_shared(struct sim_block *b)
{
	struct sim_worker *w = b->worker;
	size_t bytes = w->run->kernel->shared_bytes;
	unsigned char *p = b->shared_region;
	size_t behind = w->region_bytes - SIM_SHARED_GUARD - bytes;
	sim_unpoison(p, w->region_bytes);
	sim_guard(p, SIM_SHARED_GUARD, bytes, behind, sim_random(w) >> 63 ? 0xA5 : 0x5B);
	b->view.shared = p + SIM_SHARED_GUARD;
}

static void thread_main(void)
{
	sim_fiber_entered();
	struct sim_thread *t = sim_current();
	struct sim_run *run = t->block->worker->run;
	run->kernel->body(run->args);
	thread_left(t);
	sim_leave_cpu(t); /* for good */
}

static void start_thread(struct sim_block *b, unsigned i)
{
	struct sim_thread *t = &b->thread[i];
	const struct sim_uint3 *size = &b->view.block_size;
	t->view.thread_index =
		(struct sim_uint3){ i % size->x, i / size->x % size->y, i / size->x / size->y };
	t->view.lane = i % SIM_WARP;
	t->view.block = &b->view;
	t->block = b;
	t->index = i;
	t->late = t->waits = false;
	t->state = SIM_IN_BARRIER; /* until all are made ready together */
	t->at = (struct sim_place){ NULL, 0 };
	sim_fiber_start(&t->fiber, thread_main, i % 61 * 64);
}

/* In half of the blocks, one thread, one warp or the whole block is held back. */
static void choose_late(struct sim_block *b)
{
	uint64_t r = sim_random(b->worker);
	if (b->worker->schedule != SIM_RANDOM || r >> 63)
		return;
	unsigned kind = (unsigned)(r >> 60 & 7),
		 victim = (unsigned)((r >> 16 & 0xffff) % b->threads);
	for (unsigned i = 0; i < b->threads; i++)
		b->thread[i].late = kind < 4 ? i == victim :
				    kind < 7 ? i / SIM_WARP == victim / SIM_WARP :
					       b->worker->resident > 1;
}

void sim_block_start(struct sim_block *b, uint64_t index)
{
	const struct sim_kernel *k = b->worker->run->kernel;
	b->view.block_index = (struct sim_uint3){ (unsigned)(index % k->grid.x),
						  (unsigned)(index / k->grid.x % k->grid.y),
						  (unsigned)(index / k->grid.x / k->grid.y) };
	b->view.block_size = k->block;
	b->view.grid_size = k->grid;
	b->threads = b->worker->run->threads;
	b->gone = b->in_barrier = b->votes = b->in_grid = 0;
	memset(b->wave, 0, sizeof(b->wave));
	b->worker->trial = NULL;
	memset(b->warp_waiting, 0, sizeof(b->warp_waiting));
	memset(b->warp_gone, 0, sizeof(b->warp_gone));
	if (b->threads % SIM_WARP)
		b->warp_gone[b->threads / SIM_WARP] = ~0u << b->threads % SIM_WARP;
	prepare_shared(b);
	cluster_enter(b);
	for (unsigned i = 0; i < b->threads; i++)
		start_thread(b, i);
	choose_late(b);
	sim_make_all_ready(b, 0, b->threads, SIM_IN_BARRIER);
}

/* ---- end of a block ---- */

static void check_shared(struct sim_thread *t)
{
	const struct sim_block *b = t->block;
	size_t bytes = b->worker->run->kernel->shared_bytes;
	const unsigned char *end = b->view.shared + bytes;
	if (!sim_guard_intact(b->shared_region, SIM_SHARED_GUARD))
		sim_fail(t, "the block wrote before its shared memory");
	if (!sim_guard_intact(end, b->worker->region_bytes - SIM_SHARED_GUARD - bytes))
		sim_fail(t, "the block wrote beyond its %zu bytes of shared memory", bytes);
}

static void block_left(struct sim_thread *t)
{
	struct sim_run *run = t->block->worker->run;
	check_shared(t);
	if (!run->kernel->cooperative)
		return;
	pthread_mutex_lock(&run->lock);
	run->grid_gone++;
	bool waited_for = run->grid_arrived > 0;
	pthread_mutex_unlock(&run->lock);
	if (waited_for)
		sim_fail(t, "the block left the kernel while others wait in grid_sync");
}

static void thread_left(struct sim_thread *t)
{
	struct sim_block *b = t->block;
	sim_progress(b->worker);
	t->state = SIM_GONE;
	sim_async_drop(t);
	b->gone++;
	if (b->in_barrier)
		sim_fail(t,
			 "divergent barrier: this thread left the kernel, others of its block "
			 "wait in __syncthreads at %s:%d",
			 b->barrier_at.file, b->barrier_at.line);
	if (b->in_grid)
		sim_fail(t, "divergent barrier: this thread left the kernel, others of its block "
			    "wait in grid_sync");
	warp_lane_left(t);
	wave_lane_left(t);
	if (b->gone == b->threads)
		block_left(t);
}

/* ---- barriers ---- */

static void join_barrier(struct sim_thread *t, enum sim_barrier_kind kind, struct sim_place at)
{
	struct sim_block *b = t->block;
	if (b->gone)
		sim_fail(t,
			 "divergent barrier: %u threads of the block left the kernel before this "
			 "__syncthreads",
			 b->gone);
	if (b->in_barrier == 0) {
		b->barrier = kind;
		b->barrier_at = at;
		b->votes = 0;
	} else if (b->barrier != kind || b->barrier_at.line != at.line ||
		   strcmp(b->barrier_at.file, at.file)) {
		sim_fail(t,
			 "divergent barrier: others of the block wait in another __syncthreads "
			 "at %s:%d",
			 b->barrier_at.file, b->barrier_at.line);
	}
	b->in_barrier++;
}

int sim_barrier(enum sim_barrier_kind kind, int predicate, struct sim_place at)
{
	struct sim_thread *t = sim_current();
	struct sim_block *b = t->block;
	t->at = at;
	sim_progress(b->worker);
	sim_check_converged(t, "__syncthreads");
	join_barrier(t, kind, at);
	b->votes += predicate != 0;
	t->state = SIM_IN_BARRIER;
	if (b->in_barrier == b->threads) {
		b->barrier_result = kind == SIM_BARRIER_COUNT ? (int)b->votes :
				    kind == SIM_BARRIER_AND   ? b->votes == b->threads :
								b->votes > 0;
		b->in_barrier = 0;
		sim_make_all_ready(b, 0, b->threads, SIM_IN_BARRIER);
	}
	sim_leave_cpu(t);
	return b->barrier_result;
}

void sim_grid_barrier(struct sim_place at)
{
	struct sim_thread *t = sim_current();
	struct sim_block *b = t->block;
	struct sim_run *run = b->worker->run;
	t->at = at;
	sim_progress(b->worker);
	sim_check_converged(t, "grid_sync");
	if (!run->kernel->cooperative)
		sim_fail(t, "grid_sync needs LAUNCH_COOPERATIVE");
	if (b->gone)
		sim_fail(t,
			 "divergent barrier: %u threads of the block left the kernel before this "
			 "grid_sync",
			 b->gone);
	t->state = SIM_IN_GRID;
	if (++b->in_grid == b->threads) {
		pthread_mutex_lock(&run->lock);
		bool hopeless = run->grid_gone > 0;
		if (++run->grid_arrived == run->blocks) {
			run->grid_arrived = 0;
			run->grid_generation++;
			pthread_cond_broadcast(&run->moved);
		}
		pthread_mutex_unlock(&run->lock);
		if (hopeless)
			sim_fail(t, "grid_sync, but another block has left the kernel");
	}
	sim_leave_cpu(t);
}

/* Whether all threads of all resident blocks have arrived. */
static bool all_in_grid(const struct sim_worker *w)
{
	for (unsigned i = 0; i < w->resident; i++)
		if (w->blocks[i].in_grid != w->blocks[i].threads)
			return false;
	return true;
}

bool sim_grid_wait(struct sim_worker *w)
{
	struct sim_run *run = w->run;
	if (!all_in_grid(w))
		return false;
	pthread_mutex_lock(&run->lock);
	while (run->grid_generation == w->grid_generation && !run->err.code)
		pthread_cond_wait(&run->moved, &run->lock);
	w->grid_generation = run->grid_generation;
	pthread_mutex_unlock(&run->lock);
	for (unsigned i = 0; i < w->resident; i++) {
		w->blocks[i].in_grid = 0;
		sim_make_all_ready(&w->blocks[i], 0, w->blocks[i].threads, SIM_IN_GRID);
	}
	return true;
}
