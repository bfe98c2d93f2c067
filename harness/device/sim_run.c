/* A worker: its pool of fibers, and its part of a launch. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "harness/device/sim_engine.h"

enum { PAGE = 4096, GUARDED_STACKS = SIM_BLOCK_THREADS };

/* ---- the pool ---- */

/* A slab of `count` stacks, each above a page that faults. Only as many pages are set so as one
 * block needs: mappings are limited, and cooperative grids have many threads. */
static unsigned char *map_stacks(struct sim_worker *w, unsigned count)
{
	size_t slot = w->stack_bytes + PAGE;
	unsigned char *p = mmap(NULL, count * slot, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	for (unsigned i = 0; i < count && w->pool_size + i < GUARDED_STACKS; i++)
		if (mprotect(p + i * slot, PAGE, PROT_NONE)) {
			munmap(p, count * slot);
			return NULL;
		}
	w->stacks[w->slabs] = p;
	w->slab_bytes[w->slabs++] = count * slot;
	return p;
}

static const struct sim_fiber *group_of(const struct sim_worker *w, unsigned i)
{
	return i % SIM_WARP ? &w->pool[i - i % SIM_WARP].fiber : NULL;
}

/* `blocks` will start, none is running. */
static void count_starts(struct sim_worker *w, unsigned blocks)
{
	const unsigned renew_after = 128;

	w->started += blocks;
	if (w->started < renew_after)
		return;
	w->started = blocks;
	for (unsigned i = 0; i < w->pool_size; i++)
		sim_fiber_renew(&w->pool[i].fiber, group_of(w, i));
}

static bool grow_pool(struct sim_worker *w, unsigned needed)
{
	if (needed <= w->pool_size)
		return true;
	unsigned size = w->pool_size * 2 > 64 ? w->pool_size * 2 : 64;
	if (size < needed)
		size = needed;
	struct sim_thread *pool = realloc(w->pool, size * sizeof(*pool));
	if (!pool)
		return false;
	w->pool = pool;
	unsigned char *stack = map_stacks(w, size - w->pool_size);
	if (!stack)
		return false;
	for (; w->pool_size < size; w->pool_size++, stack += w->stack_bytes + PAGE) {
		struct sim_thread *t = &pool[w->pool_size];
		memset(t, 0, sizeof(*t));
		t->state = SIM_GONE;
		sim_fiber_create(&t->fiber, stack + PAGE, w->stack_bytes,
				 group_of(w, w->pool_size));
	}
	return true;
}

static bool grow_blocks(struct sim_worker *w, unsigned needed)
{
	size_t region = 2 * SIM_SHARED_GUARD + w->run->kernel->shared_bytes;
	region = (region + SIM_SHARED_GUARD - 1) / SIM_SHARED_GUARD * SIM_SHARED_GUARD;
	w->region_bytes = region;
	if (needed > w->block_capacity) {
		free(w->blocks);
		w->blocks = malloc(needed * sizeof(*w->blocks));
		w->block_capacity = w->blocks ? needed : 0;
		if (!w->blocks)
			return false;
	}
	if (region * needed > w->shared_bytes) {
		free(w->shared);
		w->shared = aligned_alloc(SIM_SHARED_GUARD, region * needed);
		w->shared_bytes = w->shared ? region * needed : 0;
	}
	return w->shared != NULL;
}

static bool prepare(struct sim_worker *w, struct sim_run *run, unsigned resident)
{
	unsigned threads = resident * run->threads;
	w->run = run;
	w->schedule = run->config->schedule;
	w->resident = resident;
	w->grid_generation = 0;
	w->idle_spins = 0;
	if (!w->stack_bytes)
		w->stack_bytes = run->config->stack;
	if (!grow_pool(w, threads) || !grow_blocks(w, resident) ||
	    !sim_queue_reserve(&w->ready, threads) || !sim_queue_reserve(&w->late, threads))
		return false;
	for (unsigned i = 0; i < resident; i++) {
		w->blocks[i].worker = w;
		w->blocks[i].thread = w->pool + i * run->threads;
		w->blocks[i].shared_region = w->shared + i * w->region_bytes;
	}
	return true;
}

void sim_worker_destroy(struct sim_worker *w)
{
	for (unsigned i = 0; i < w->pool_size; i++) {
		sim_async_free(&w->pool[i]);
		sim_fiber_destroy(&w->pool[i].fiber);
	}
	for (unsigned i = 0; i < w->slabs; i++)
		munmap(w->stacks[i], w->slab_bytes[i]);
	free(w->pool);
	free(w->blocks);
	free(w->shared);
	sim_queue_free(&w->ready);
	sim_queue_free(&w->late);
	memset(w, 0, sizeof(*w));
}

/* ---- running ---- */

static bool all_gone(const struct sim_worker *w)
{
	for (unsigned i = 0; i < w->resident; i++)
		if (w->blocks[i].gone < w->blocks[i].threads)
			return false;
	return true;
}

/* Runs the resident blocks to their end; false when the launch has failed. */
static bool run_resident(struct sim_worker *w)
{
	for (;;) {
		struct sim_thread *t = sim_next(w);
		if (t) {
			sim_self = &t->view;
			sim_fiber_switch(&w->self, &t->fiber);
			continue;
		}
		if (atomic_load(&w->run->failed))
			return false;
		if (all_gone(w))
			return true;
		if (!sim_grid_wait(w))
			sim_report_deadlock(w);
	}
}

static void abandon_threads(struct sim_worker *w)
{
	for (unsigned i = 0; i < w->resident * w->run->threads; i++) {
		struct sim_thread *t = &w->pool[i];
		t->fiber.abandoned = true;
		sim_async_drop(t);
		t->state = SIM_GONE;
	}
}

static bool run_together(struct sim_worker *w, unsigned index)
{
	struct sim_run *run = w->run;
	count_starts(w, w->resident);
	for (unsigned i = 0; i < w->resident; i++)
		sim_block_start(&w->blocks[i], index + (uint64_t)i * run->workers);
	return run_resident(w);
}

static bool run_one_by_one(struct sim_worker *w)
{
	struct sim_run *run = w->run;
	for (;;) {
		/* relaxed: TSan must not take it for an order among the blocks' accesses */
		uint64_t ticket = atomic_fetch_add_explicit(&run->ticket, 1, memory_order_relaxed);
		if (ticket >= run->blocks)
			return true;
		unsigned __int128 at =
			(unsigned __int128)ticket * run->order_step + run->order_start;
		count_starts(w, 1);
		sim_block_start(&w->blocks[0], (uint64_t)(at % run->blocks));
		if (!run_resident(w))
			return false;
	}
}

void sim_worker_run(struct sim_worker *w, struct sim_run *run, unsigned index)
{
	unsigned resident = 1;
	if (run->kernel->cooperative)
		resident = (unsigned)((run->blocks - index + run->workers - 1) / run->workers);
	if (!prepare(w, run, resident)) {
		sim_report(run, NULL, "no host memory for %u simulated blocks of %u threads",
			   resident, run->threads);
		return;
	}
	sim_fiber_adopt(&w->self);
	w->random = (run->seed + index) * UINT64_C(0x9E3779B97F4A7C15) | 1;
	if (!(run->kernel->cooperative ? run_together(w, index) : run_one_by_one(w)))
		abandon_threads(w);
	sim_self = NULL;
}
