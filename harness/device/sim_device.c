/* sim as a backend of the device layer: devices, memory, copies. */
#include "harness/device/sim_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct dev_ops sim_ops;

static void lock(struct sim_device *d)
{
	pthread_mutex_lock(&d->world->lock);
}

static void unlock(struct sim_device *d)
{
	pthread_mutex_unlock(&d->world->lock);
}

/* ---- devices ---- */

static int get_info(struct dev *base, struct dev_info *info, struct err *e)
{
	struct sim_device *d = sim_device(base);
	const struct sim_config *c = &d->world->config;
	(void)e;
	*info = (struct dev_info){ .backend = DEV_SIM,
				   .ordinal = base->ordinal,
				   .sm_count = (int)c->sms,
				   .warp_size = SIM_WARP,
				   .max_threads_per_block = SIM_BLOCK_THREADS,
				   .shared_per_block = c->shared,
				   .shared_per_sm = c->shared + SIM_SHARED_RESERVED,
				   .l2_bytes = 1 << 20,
				   .memory_total = c->memory,
				   .cooperative = true };
	snprintf(info->name, sizeof(info->name), "simulated GPU %d", base->ordinal);
	lock(d);
	info->memory_free = d->memory.quota - d->memory.used;
	unlock(d);
	return 0;
}

static void world_destroy(struct sim_world *w)
{
	for (int i = 0; i < w->count; i++) {
		struct sim_device *d = w->device[i];
		if (!d)
			continue;
		while (d->pinned) {
			struct sim_pinned *m = d->pinned;
			d->pinned = m->next;
			free(m->p);
			free(m);
		}
		sim_memory_destroy(&d->memory);
		free(d);
	}
	pthread_cond_destroy(&w->done);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

static void stop_streams(struct sim_device *d)
{
	lock(d);
	(void)sim_drain(d, NULL, NULL);
	unlock(d);
	while (d->streams)
		sim_stream_destroy(&d->streams->base);
}

/* Other devices' work may still use this one's memory: it goes with the last of them. */
static void close_device(struct dev *base)
{
	struct sim_device *d = sim_device(base);
	struct sim_world *w = d->world;
	stop_streams(d);
	if (++w->closed == w->count)
		world_destroy(w);
}

static int device_create(struct sim_world *w, int index, int ordinal, struct err *e)
{
	struct sim_device *d = calloc(1, sizeof(*d));
	if (!d)
		return err_set(e, ERR_MEMORY, "no host memory");
	w->device[index] = d;
	d->base.ops = &sim_ops;
	d->base.backend = DEV_SIM;
	d->base.ordinal = ordinal;
	d->world = w;
	d->index = index;
	int rc = sim_memory_create(&d->memory, w->config.memory, w->config.seed & 1 ? 0xA5 : 0x5B,
				   e);
	return rc ? rc : sim_stream_create(&d->base, &d->base.default_stream, e);
}

int sim_open(struct dev **out, const int *ordinals, int count, struct err *e)
{
	struct sim_world *w = calloc(1, sizeof(*w));
	if (!w)
		return err_set(e, ERR_MEMORY, "no host memory");
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->done, NULL);
	w->count = count;
	int rc = sim_config_read(&w->config, e);
	for (int i = 0; !rc && i < count; i++)
		rc = device_create(w, i, ordinals[i], e);
	if (rc) {
		for (int i = 0; i < count && w->device[i]; i++)
			stop_streams(w->device[i]);
		world_destroy(w);
		return rc;
	}
	sim_fault_install();
	for (int i = 0; i < count; i++)
		out[i] = &w->device[i]->base;
	return 0;
}

void sim_cancel_on(struct dev *base, const volatile sig_atomic_t *stop)
{
	struct sim_device *d = sim_device(base);
	lock(d);
	d->world->stop = stop;
	unlock(d);
}

bool sim_cancelled(struct dev *base)
{
	return atomic_load(&sim_device(base)->world->cancelled);
}

static int enable_peer(struct dev *base, struct dev *peer, struct err *e)
{
	struct sim_device *d = sim_device(base), *p = sim_device(peer);
	if (d->world != p->world)
		return err_set(e, ERR_UNSUPPORTED, "the peer belongs to another device set");
	lock(d);
	d->peer[p->index] = true;
	unlock(d);
	return 0;
}

static int sync_device(struct dev *base, struct err *e)
{
	struct sim_device *d = sim_device(base);
	lock(d);
	int rc = sim_drain(d, NULL, e);
	unlock(d);
	return rc;
}

static int sync_stream(struct dev_stream *s, struct err *e)
{
	struct sim_device *d = sim_device(s->dev);
	lock(d);
	int rc = sim_drain(d, sim_stream(s), e);
	unlock(d);
	return rc;
}

/* ---- memory ---- */

static int alloc_memory(struct dev *base, void **out, size_t bytes, const char *file, int line,
			struct err *e)
{
	struct sim_device *d = sim_device(base);
	lock(d);
	int rc = sim_memory_alloc(&d->memory, out, bytes, file, line, e);
	unlock(d);
	return rc;
}

/* Like cudaFree, waits for the device first. */
static void free_memory(struct dev *base, void *p)
{
	struct sim_device *d = sim_device(base);
	lock(d);
	(void)sim_drain(d, NULL, NULL);
	if (!sim_memory_free(&d->memory, p) && !d->err.code)
		err_set(&d->err, ERR_USAGE, "dev_free of %p, which is no allocation of sim:%d", p,
			base->ordinal);
	unlock(d);
}

static int alloc_pinned(struct dev *base, void **out, size_t bytes, struct err *e)
{
	struct sim_device *d = sim_device(base);
	struct sim_pinned *m = malloc(sizeof(*m));
	if (!m || !(m->p = malloc(bytes ? bytes : 1))) {
		free(m);
		return err_set(e, ERR_MEMORY, "no %zu bytes of host memory", bytes);
	}
	m->bytes = bytes;
	lock(d);
	m->next = d->pinned;
	d->pinned = m;
	unlock(d);
	*out = m->p;
	return 0;
}

static void free_pinned(struct dev *base, void *p)
{
	struct sim_device *d = sim_device(base);
	lock(d);
	(void)sim_drain(d, NULL, NULL);
	struct sim_pinned **link = &d->pinned;
	while (*link && (*link)->p != p)
		link = &(*link)->next;
	struct sim_pinned *m = *link;
	if (m)
		*link = m->next;
	else if (!d->err.code)
		err_set(&d->err, ERR_USAGE,
			"dev_host_free of %p, which is no pinned memory of sim:%d", p,
			base->ordinal);
	unlock(d);
	if (m) {
		free(m->p);
		free(m);
	}
}

/* ---- copies ---- */

/* Is p[0..bytes) all in one allocation of `d`? */
static int check_range(struct sim_device *d, const void *p, size_t bytes, const char *role,
		       struct err *e)
{
	lock(d);
	const struct sim_block_of_memory *b = sim_memory_find(&d->memory, p, bytes);
	unlock(d);
	if (b)
		return 0;
	return err_set(e, ERR_USAGE, "%s: %zu bytes at %p are not within an allocation of sim:%d",
		       role, bytes, p, d->base.ordinal);
}

static int check_host(struct sim_device *d, const void *p, const char *role, struct err *e)
{
	const struct sim_world *w = d->world;
	for (int i = 0; i < w->count; i++)
		if (sim_memory_has(&w->device[i]->memory, p))
			return err_set(e, ERR_USAGE, "%s: %p is device memory of sim:%d", role, p,
				       w->device[i]->base.ordinal);
	return p ? 0 : err_set(e, ERR_USAGE, "%s: NULL", role);
}

static int enqueue_copy(struct dev_stream *s, void *dst, const void *src, size_t bytes,
			struct sim_device *other, struct err *e)
{
	struct sim_item *item = sim_item_create(SIM_ITEM_COPY, 0);
	if (!item)
		return err_set(e, ERR_MEMORY, "no host memory");
	item->u.copy.dst = dst;
	item->u.copy.src = src;
	item->u.copy.bytes = bytes;
	item->u.copy.other = other;
	sim_enqueue(sim_stream(s), item);
	return 0;
}

static int copy_to(struct dev_stream *s, void *dst, const void *src, size_t bytes, struct err *e)
{
	struct sim_device *d = sim_device(s->dev);
	if (bytes == 0)
		return 0;
	int rc = check_range(d, dst, bytes, "destination", e);
	if (!rc)
		rc = check_host(d, src, "source", e);
	return rc ? rc : enqueue_copy(s, dst, src, bytes, NULL, e);
}

static int copy_from(struct dev_stream *s, void *dst, const void *src, size_t bytes, struct err *e)
{
	struct sim_device *d = sim_device(s->dev);
	if (bytes == 0)
		return 0;
	int rc = check_range(d, src, bytes, "source", e);
	if (!rc)
		rc = check_host(d, dst, "destination", e);
	return rc ? rc : enqueue_copy(s, dst, src, bytes, NULL, e);
}

static int copy_peer(struct dev_stream *s, struct dev *dst_dev, void *dst, struct dev *src_dev,
		     const void *src, size_t bytes, struct err *e)
{
	struct sim_device *to = sim_device(dst_dev), *from = sim_device(src_dev);
	if (bytes == 0)
		return 0;
	if (to->world != from->world)
		return err_set(e, ERR_USAGE, "the devices belong to different sets");
	int rc = check_range(to, dst, bytes, "destination", e);
	if (!rc)
		rc = check_range(from, src, bytes, "source", e);
	return rc ? rc : enqueue_copy(s, dst, src, bytes, s->dev == dst_dev ? from : to, e);
}

static int copy_on(struct dev_stream *s, void *dst, const void *src, size_t bytes, struct err *e)
{
	return copy_peer(s, s->dev, dst, s->dev, src, bytes, e);
}

static int fill(struct dev_stream *s, void *dst, int byte, size_t bytes, struct err *e)
{
	if (bytes == 0)
		return 0;
	int rc = check_range(sim_device(s->dev), dst, bytes, "destination", e);
	if (rc)
		return rc;
	struct sim_item *item = sim_item_create(SIM_ITEM_FILL, 0);
	if (!item)
		return err_set(e, ERR_MEMORY, "no host memory");
	item->u.fill.dst = dst;
	item->u.fill.byte = byte;
	item->u.fill.bytes = bytes;
	sim_enqueue(sim_stream(s), item);
	return 0;
}

/* ---- launches ---- */

static int launch_begin(struct dev_stream *s, void **native, struct err *e)
{
	(void)e;
	*native = s;
	return 0;
}

static int launch_end(struct dev_stream *s, struct err *e)
{
	(void)s, (void)e;
	return 0;
}

static const struct dev_ops sim_ops = {
	.close = close_device,
	.info = get_info,
	.alloc = alloc_memory,
	.free = free_memory,
	.host_alloc = alloc_pinned,
	.host_free = free_pinned,
	.stream_create = sim_stream_create,
	.stream_destroy = sim_stream_destroy,
	.stream_sync = sync_stream,
	.stream_wait = sim_stream_wait,
	.event_create = sim_event_create,
	.event_destroy = sim_event_destroy,
	.event_record = sim_event_record,
	.event_sync = sim_event_sync,
	.event_elapsed = sim_event_elapsed,
	.copy_to = copy_to,
	.copy_from = copy_from,
	.copy_on = copy_on,
	.copy_peer = copy_peer,
	.fill = fill,
	.enable_peer = enable_peer,
	.sync = sync_device,
	.launch_begin = launch_begin,
	.launch_end = launch_end,
};
