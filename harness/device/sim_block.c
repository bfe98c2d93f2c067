/* A block: its start and end, its barrier, the barrier of the grid. */
#include <string.h>

#include "harness/device/sim_engine.h"
#include "harness/device/sim_poison.h"

/* ---- start ---- */

/* Shared memory of a block that has not run yet: poison, between two guards. */
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
	sim_thread_left(t);
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
	t->late = false;
	t->state = SIM_IN_BARRIER; /* until all are made ready together */
	t->at = (struct sim_place){ NULL, 0 };
	sim_fiber_start(&t->fiber, thread_main, i % 61 * 64);
}

/* Half of the blocks have someone who lags: one thread, one warp, or the whole block. */
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
	memset(b->warp_waiting, 0, sizeof(b->warp_waiting));
	memset(b->warp_gone, 0, sizeof(b->warp_gone));
	if (b->threads % SIM_WARP)
		b->warp_gone[b->threads / SIM_WARP] = ~0u << b->threads % SIM_WARP;
	prepare_shared(b);
	sim_cluster_enter(b);
	for (unsigned i = 0; i < b->threads; i++)
		start_thread(b, i);
	choose_late(b);
	sim_make_all_ready(b, 0, b->threads, SIM_IN_BARRIER);
}

/* ---- end ---- */

static void check_shared(struct sim_thread *t)
{
	const struct sim_block *b = t->block;
	size_t bytes = b->worker->run->kernel->shared_bytes;
	const unsigned char *end = b->view.shared + bytes;
	if (!sim_guard_intact(b->shared_region, SIM_SHARED_GUARD))
		sim_fail(t, "the block wrote before its shared memory");
	if (!sim_guard_intact(end, b->worker->region_bytes - SIM_SHARED_GUARD - bytes))
		sim_fail(t, "the block wrote behind its %zu bytes of shared memory", bytes);
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

void sim_thread_left(struct sim_thread *t)
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
	sim_warp_lane_left(t);
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

/* Has every block that is still there arrived with all its threads? */
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
