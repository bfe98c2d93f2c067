/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Launches: their limits and arguments, and the OS threads (workers) that run them. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "harness/base/checked.h"
#include "harness/device/sim_device.h"

/* ---- limits ---- */

static bool one_is_zero(const struct sim_uint3 *v)
{
	return v->x == 0 || v->y == 0 || v->z == 0;
}

static uint64_t volume(const struct sim_uint3 *v)
{
	return (uint64_t)v->x * v->y * v->z;
}

int sim_occupancy(struct dev_stream *s, int *blocks_per_sm, unsigned threads, size_t shared_bytes,
		  struct err *e)
{
	const struct sim_config *c = &sim_device(s->dev)->world->config;
	*blocks_per_sm = 0;
	if (threads == 0 || threads > SIM_BLOCK_THREADS)
		return err_set(e, ERR_USAGE, "%u threads per block; it must be 1 to %d", threads,
			       SIM_BLOCK_THREADS);
	if (shared_bytes > c->shared)
		return 0;
	unsigned warps = (threads + SIM_WARP - 1) / SIM_WARP;
	size_t by_shared = (c->shared + SIM_SHARED_RESERVED) / (shared_bytes + SIM_SHARED_RESERVED);
	size_t n = c->sm_threads / SIM_WARP / warps;
	n = n < c->sm_blocks ? n : c->sm_blocks;
	*blocks_per_sm = (int)(n < by_shared ? n : by_shared);
	return 0;
}

unsigned sim_cluster_max(struct dev_stream *s)
{
	return sim_device(s->dev)->world->config.cluster;
}

static int check_resident(struct dev_stream *s, const struct sim_kernel *k, struct err *e)
{
	const struct sim_config *c = &sim_device(s->dev)->world->config;
	int fit = 0;
	int status = sim_occupancy(s, &fit, (unsigned)volume(&k->block), k->shared_bytes, e);
	if (!status && volume(&k->grid) > (uint64_t)fit * c->sms)
		status = err_set(
			e, ERR_FAILED,
			"cooperative launch of %llu blocks; %d fit on a multiprocessor and there "
			"are %u",
			(unsigned long long)volume(&k->grid), fit, c->sms);
	return status;
}

static int check_limits(struct dev_stream *s, const struct sim_kernel *k, struct err *e)
{
	const struct sim_config *c = &sim_device(s->dev)->world->config;
	const struct sim_uint3 *g = &k->grid, *b = &k->block;
	if (one_is_zero(g) || g->x > 0x7fffffff || g->y > 65535 || g->z > 65535)
		return err_set(e, ERR_FAILED, "a grid of (%u,%u,%u) blocks is not possible", g->x,
			       g->y, g->z);
	if (one_is_zero(b) || b->x > 1024 || b->y > 1024 || b->z > 64 ||
	    volume(b) > SIM_BLOCK_THREADS)
		return err_set(e, ERR_FAILED, "a block of (%u,%u,%u) threads is not possible", b->x,
			       b->y, b->z);
	if (k->shared_bytes > c->shared)
		return err_set(e, ERR_FAILED, "%zu bytes of shared memory requested, %zu available",
			       k->shared_bytes, c->shared);
	return k->cooperative ? check_resident(s, k, e) : 0;
}

/* ---- arguments ---- */

static bool is_pinned(const struct sim_world *w, const void *p)
{
	for (int i = 0; i < w->count; i++)
		for (const struct sim_pinned *m = w->device[i]->pinned; m; m = m->next)
			if ((uintptr_t)p - (uintptr_t)m->p <= m->bytes)
				return true;
	return false;
}

static int check_pointer(struct sim_device *d, const void *p, struct err *e)
{
	struct sim_world *w = d->world;
	for (int i = 0; i < w->count; i++) {
		struct sim_device *o = w->device[i];
		if (!sim_memory_has(&o->memory, p))
			continue;
		if (!sim_memory_find(&o->memory, p, 0))
			return err_set(e, ERR_USAGE, "%p is not in an allocation of sim:%d", p,
				       o->base.ordinal);
		if (o != d && !d->peer[i])
			return err_set(e, ERR_USAGE,
				       "%p belongs to sim:%d, to which sim:%d has no peer access",
				       p, o->base.ordinal, d->base.ordinal);
		return 0;
	}
	if (is_pinned(w, p))
		return 0;
	return err_set(e, ERR_USAGE, "%p is neither device nor pinned memory", p);
}

int sim_check_argument(struct dev_stream *s, const char *kernel, int index, const void *p,
		       struct err *e)
{
	if (!p || !s)
		return 0;
	struct sim_device *d = sim_device(s->dev);
	pthread_mutex_lock(&d->world->lock);
	int status = check_pointer(d, p, e);
	pthread_mutex_unlock(&d->world->lock);
	if (status)
		err_prefix(e, "kernel %s: argument %d", kernel, index + 1);
	return status;
}

/* ---- queueing ---- */

static int enqueue(struct dev_stream *s, const struct sim_kernel *k, unsigned cluster,
		   struct err *e)
{
	struct sim_device *d = sim_device(s->dev);
	int status = check_limits(s, k, e);
	if (!status && cluster && (cluster > sim_cluster_max(s) || k->grid.x % cluster))
		status = err_set(e, ERR_FAILED,
				 "%u blocks cannot form clusters of %u blocks (at most %u)",
				 k->grid.x, cluster, sim_cluster_max(s));
	if (status)
		return status;
	/* room to align the arguments for any type */
	struct sim_item *item = sim_item_create(SIM_ITEM_KERNEL, k->arg_bytes + 64);
	if (!item)
		return err_set(e, ERR_MEMORY, "no host memory");
	unsigned char *args = item->args + (64 - (uintptr_t)item->args % 64);
	memcpy(args, k->args, k->arg_bytes);
	item->u.launch.kernel = *k;
	item->u.launch.kernel.args = args;
	item->u.launch.cluster = cluster;
	pthread_mutex_lock(&d->world->lock);
	item->u.launch.number = d->launches++;
	pthread_mutex_unlock(&d->world->lock);
	sim_enqueue(sim_stream(s), item);
	return 0;
}

int sim_launch_clusters(struct dev_stream *s, const struct sim_kernel *k, unsigned cluster,
			struct err *e, const char *file, int line)
{
	void *native;
	int status = dev_launch_begin_at(s, &native, e, file, line);
	if (status)
		return status;
	status = enqueue(s, k, cluster, e);
	if (status)
		return err_prefix(e, "%s:%d: kernel %s", file, line, k->name), status;
	return dev_launch_end_at(s, k->name, e, file, line);
}

int sim_launch(struct dev_stream *s, const struct sim_kernel *k, struct err *e, const char *file,
	       int line)
{
	return sim_launch_clusters(s, k, 0, e, file, line);
}

enum { PAGE = 4096, GUARDED_STACKS = SIM_BLOCK_THREADS };

/* ---- a worker: its pool of fibers ---- */

/* Maps a slab of `count` stacks, each above a guard page. Only the stacks of one block get guard
 * pages: the number of mappings is limited, and cooperative grids have many threads. */
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

/* Called before `blocks` blocks start, while none is running. */
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
	w->trial = NULL;
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

/* ---- a worker: its share of the blocks ---- */

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
		/* relaxed: TSan must not see it as ordering the accesses of blocks */
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

/* Runs worker number `index` of the launch. All workers must run at the same time. */
static void worker_run(struct sim_worker *w, struct sim_run *run, unsigned index)
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

/* ---- running a launch with all its workers ---- */

struct sim_helper {
	struct sim_helper *next;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct sim_run *run; /* the launch to work on; NULL: idle */
	unsigned index;
	bool stop;
	struct sim_worker worker;
};

static void *helper_main(void *arg)
{
	struct sim_helper *h = arg;
	pthread_mutex_lock(&h->lock);
	for (;;) {
		while (!h->run && !h->stop)
			pthread_cond_wait(&h->changed, &h->lock);
		if (!h->run)
			break;
		struct sim_run *run = h->run;
		pthread_mutex_unlock(&h->lock);
		worker_run(&h->worker, run, h->index);
		pthread_mutex_lock(&h->lock);
		h->run = NULL;
		pthread_cond_signal(&h->changed);
	}
	pthread_mutex_unlock(&h->lock);
	sim_worker_destroy(&h->worker);
	return NULL;
}

static struct sim_helper *helper_create(void)
{
	struct sim_helper *h = calloc(1, sizeof(*h));
	if (!h)
		return NULL;
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->changed, NULL);
	if (pthread_create(&h->thread, NULL, helper_main, h)) {
		pthread_cond_destroy(&h->changed);
		pthread_mutex_destroy(&h->lock);
		free(h);
		return NULL;
	}
	return h;
}

void sim_helpers_stop(struct sim_stream *s)
{
	while (s->helpers) {
		struct sim_helper *h = s->helpers;
		s->helpers = h->next;
		pthread_mutex_lock(&h->lock);
		h->stop = true;
		pthread_cond_signal(&h->changed);
		pthread_mutex_unlock(&h->lock);
		pthread_join(h->thread, NULL);
		pthread_cond_destroy(&h->changed);
		pthread_mutex_destroy(&h->lock);
		free(h);
	}
}

/* Creates up to `wanted` helpers; fewer if the host grants no more threads. Returns their number.
 */
static unsigned ensure_helpers(struct sim_stream *s, unsigned wanted)
{
	unsigned n = 0;
	for (struct sim_helper *h = s->helpers; h && n < wanted; h = h->next)
		n++;
	for (; n < wanted; n++) {
		struct sim_helper *h = helper_create();
		if (!h)
			break;
		h->next = s->helpers;
		s->helpers = h;
	}
	return n;
}

static void start_helpers(struct sim_stream *s, struct sim_run *run)
{
	struct sim_helper *h = s->helpers;
	for (unsigned i = 1; i < run->workers; i++, h = h->next) {
		pthread_mutex_lock(&h->lock);
		h->run = run;
		h->index = i;
		pthread_cond_signal(&h->changed);
		pthread_mutex_unlock(&h->lock);
	}
}

static void await_helpers(struct sim_stream *s, const struct sim_run *run)
{
	struct sim_helper *h = s->helpers;
	for (unsigned i = 1; i < run->workers; i++, h = h->next) {
		pthread_mutex_lock(&h->lock);
		while (h->run)
			pthread_cond_wait(&h->changed, &h->lock);
		pthread_mutex_unlock(&h->lock);
	}
}

static void choose_order(struct sim_run *run)
{
	run->order_step = 1;
	run->order_start = 0;
	if (run->config->schedule == SIM_REVERSE) {
		run->order_step = run->order_start = run->blocks - 1;
	} else if (run->config->schedule == SIM_RANDOM) {
		run->order_start = run->seed % run->blocks;
		run->order_step = run->seed / run->blocks % run->blocks | 1;
		while (greatest_common_divisor(run->order_step, run->blocks) != 1)
			run->order_step++;
	}
	if (run->blocks == 1)
		run->order_step = 1;
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
	return x ^ x >> 31;
}

void sim_run_kernel(struct sim_stream *s, const struct sim_kernel *k, unsigned cluster,
		    uint64_t number, struct err *e)
{
	const struct sim_device *d = sim_device(s->base.dev);
	const struct sim_config *c = &d->world->config;
	struct sim_run run = { .kernel = k,
			       .config = c,
			       .cancelled = &d->world->cancelled,
			       .args = k->args,
			       .seed = mix(mix(mix(c->seed) + (uint64_t)d->index) + number),
			       .blocks = volume(&k->grid),
			       .threads = (unsigned)volume(&k->block),
			       .cluster = cluster };
	uint64_t workers = c->workers < run.blocks ? c->workers : run.blocks;
	run.workers = 1 + ensure_helpers(s, (unsigned)workers - 1);
	choose_order(&run);
	if (!sim_clusters_create(&run)) {
		err_set(e, ERR_MEMORY, "no host memory");
		return;
	}
	pthread_mutex_init(&run.lock, NULL);
	pthread_cond_init(&run.moved, NULL);
	start_helpers(s, &run);
	worker_run(&s->worker, &run, 0);
	await_helpers(s, &run);
	if (run.err.code)
		*e = run.err;
	pthread_cond_destroy(&run.moved);
	pthread_mutex_destroy(&run.lock);
	free(run.clusters);
}
