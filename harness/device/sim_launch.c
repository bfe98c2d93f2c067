/* Launches: their limits, and the OS threads that run them. */
#include <stdlib.h>
#include <string.h>

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
		return err_set(e, ERR_USAGE, "%u threads a block, 1 to %d are possible", threads,
			       SIM_BLOCK_THREADS);
	if (shared_bytes > c->shared)
		return 0;
	unsigned warps = (threads + SIM_WARP - 1) / SIM_WARP;
	size_t by_shared = (c->shared + SIM_SHARED_RESERVED) / (shared_bytes + SIM_SHARED_RESERVED);
	size_t n = SIM_SM_THREADS / SIM_WARP / warps;
	n = n < SIM_SM_BLOCKS ? n : SIM_SM_BLOCKS;
	*blocks_per_sm = (int)(n < by_shared ? n : by_shared);
	return 0;
}

static int check_resident(struct dev_stream *s, const struct sim_kernel *k, struct err *e)
{
	const struct sim_config *c = &sim_device(s->dev)->world->config;
	int fit = 0;
	int rc = sim_occupancy(s, &fit, (unsigned)volume(&k->block), k->shared_bytes, e);
	if (!rc && volume(&k->grid) > (uint64_t)fit * c->sms)
		rc = err_set(e, ERR_FAILED,
			     "cooperative launch of %llu blocks, %d fit a multiprocessor and there "
			     "are %u",
			     (unsigned long long)volume(&k->grid), fit, c->sms);
	return rc;
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
		return err_set(e, ERR_FAILED, "%zu bytes of shared memory asked for, %zu are there",
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
			return err_set(e, ERR_USAGE, "%p is in no allocation of sim:%d", p,
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
	int rc = check_pointer(d, p, e);
	pthread_mutex_unlock(&d->world->lock);
	if (rc)
		err_prefix(e, "kernel %s: argument %d", kernel, index + 1);
	return rc;
}

/* ---- queueing ---- */

static int enqueue(struct dev_stream *s, const struct sim_kernel *k, unsigned cluster,
		   struct err *e)
{
	struct sim_device *d = sim_device(s->dev);
	int rc = check_limits(s, k, e);
	if (!rc && (cluster > SIM_CLUSTER_MAX || (cluster && k->grid.x % cluster)))
		rc = err_set(e, ERR_FAILED, "%u blocks in clusters of %u, at most %d", k->grid.x,
			     cluster, SIM_CLUSTER_MAX);
	if (rc)
		return rc;
	/* room to align the arguments as any type may want them */
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
	int rc = dev_launch_begin_at(s, &native, e, file, line);
	if (rc)
		return rc;
	rc = enqueue(s, k, cluster, e);
	if (rc)
		return err_prefix(e, "%s:%d: kernel %s", file, line, k->name), rc;
	return dev_launch_end_at(s, k->name, e, file, line);
}

int sim_launch(struct dev_stream *s, const struct sim_kernel *k, struct err *e, const char *file,
	       int line)
{
	return sim_launch_clusters(s, k, 0, e, file, line);
}

/* ---- running ---- */

struct sim_helper {
	struct sim_helper *next;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct sim_run *run; /* to be worked on; NULL: idle */
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
		sim_worker_run(&h->worker, run, h->index);
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

/* Up to `wanted` helpers; fewer where the host has no more threads. Returns how many there are. */
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
	sim_worker_run(&s->worker, &run, 0);
	await_helpers(s, &run);
	if (run.err.code)
		*e = run.err;
	pthread_cond_destroy(&run.moved);
	pthread_mutex_destroy(&run.lock);
	free(run.clusters);
}
