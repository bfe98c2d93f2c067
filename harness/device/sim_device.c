/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The backend sim of the device layer: devices, memory, copies, streams and events. The lock of the
 * world guards all of it. */
#include "harness/device/sim_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"

static const struct dev_ops sim_ops;

static void lock(struct sim_device *d)
{
	pthread_mutex_lock(&d->world->lock);
}

static void unlock(struct sim_device *d)
{
	pthread_mutex_unlock(&d->world->lock);
}

static void event_release(struct sim_event *ev)
{
	ev->uses--;
	if (ev->destroyed && ev->uses == 0)
		free(ev);
}

/* ---- streams: a queue and the OS thread that runs it ---- */

struct sim_item *sim_item_create(enum sim_item_kind kind, size_t arg_bytes)
{
	struct sim_item *item = calloc(1, sizeof(*item) + arg_bytes);
	if (item)
		item->kind = kind;
	return item;
}

/* The second device whose memory the item uses, or NULL. */
static struct sim_device *other_device(const struct sim_item *item)
{
	return item->kind == SIM_ITEM_COPY ? item->u.copy.other : NULL;
}

void sim_enqueue(struct sim_stream *s, struct sim_item *item)
{
	struct sim_device *d = sim_device(s->base.dev), *other = other_device(item);
	pthread_mutex_lock(&d->world->lock);
	if (other)
		other->lent++;
	*s->tail = item;
	s->tail = &item->next;
	s->pending++;
	d->pending++;
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&d->world->lock);
}

/* ---- running work items ---- */

/* Lock held: makes all memory accessible that the device's work may touch. */
static int open_memory(struct sim_device *d, struct sim_device *other, struct err *e)
{
	int status = sim_memory_open(&d->memory, e);
	for (int i = 0; !status && i < d->world->count; i++)
		if (d->peer[i] || d->world->device[i] == other)
			status = sim_memory_open(&d->world->device[i]->memory, e);
	return status;
}

/* Lock not held. */
static void run_item(struct sim_stream *s, struct sim_item *item, struct err *e)
{
	switch (item->kind) {
	case SIM_ITEM_KERNEL:
		sim_run_kernel(s, &item->u.launch.kernel, item->u.launch.cluster,
			       item->u.launch.number, e);
		break;
	case SIM_ITEM_COPY:
		memmove(item->u.copy.dst, item->u.copy.src, item->u.copy.bytes);
		break;
	case SIM_ITEM_FILL:
		memset(item->u.fill.dst, item->u.fill.byte, item->u.fill.bytes);
		break;
	default:
		break;
	}
}

/* Lock held; it is released while the item runs. Events also complete on a failed device, so that
 * no one waits for them for ever; other work is dropped. */
static void do_item(struct sim_stream *s, struct sim_item *item)
{
	struct sim_device *d = sim_device(s->base.dev);
	struct sim_event *ev = item->u.event.event;
	struct err e = { 0 };
	if (item->kind == SIM_ITEM_RECORD) {
		ev->time = sim_clock();
		ev->done++;
		event_release(ev);
	} else if (item->kind == SIM_ITEM_WAIT) {
		while (ev->done < item->u.event.number)
			pthread_cond_wait(&d->world->done, &d->world->lock);
		event_release(ev);
	} else if (!d->err.code) {
		if (!open_memory(d, other_device(item), &e)) {
			pthread_mutex_unlock(&d->world->lock);
			run_item(s, item, &e);
			pthread_mutex_lock(&d->world->lock);
		}
		if (e.code && !d->err.code)
			d->err = e;
	}
}

static void *stream_main(void *arg)
{
	struct sim_stream *s = arg;
	struct sim_device *d = sim_device(s->base.dev);
	pthread_mutex_lock(&d->world->lock);
	for (;;) {
		while (!s->head && !s->stop)
			pthread_cond_wait(&s->wake, &d->world->lock);
		struct sim_item *item = s->head;
		if (!item)
			break;
		s->head = item->next;
		if (!s->head)
			s->tail = &s->head;
		do_item(s, item);
		if (other_device(item))
			other_device(item)->lent--;
		free(item);
		s->pending--;
		d->pending--;
		pthread_cond_broadcast(&d->world->done);
	}
	pthread_mutex_unlock(&d->world->lock);
	sim_helpers_stop(s);
	sim_worker_destroy(&s->worker);
	return NULL;
}

/* ---- waiting for work ---- */

/* Lock held: may current work access the memory of `d`? */
static bool in_use(const struct sim_device *d)
{
	const struct sim_world *w = d->world;
	for (int i = 0; i < w->count; i++) {
		const struct sim_device *o = w->device[i];
		if (o && o->pending > 0 && (o == d || o->peer[d->index]))
			return true;
	}
	return d->lent > 0;
}

static void close_memory(struct sim_world *w)
{
	for (int i = 0; i < w->count; i++)
		if (w->device[i] && !in_use(w->device[i]))
			sim_memory_close(&w->device[i]->memory);
}

static void check_guards(struct sim_device *d)
{
	const struct sim_block_of_memory *b;
	if (d->err.code || !d->memory.open || !(b = sim_memory_damaged(&d->memory)))
		return;
	err_set(&d->err, ERR_FAILED,
		"something wrote just outside the %zu bytes allocated at %s:%d", b->bytes, b->file,
		b->line);
}

/* Lock held: waits until some work may be complete. Meanwhile polls the stop flag. */
static void await_work(struct sim_world *w)
{
	static const double poll = 0.05; /* seconds */
	static const uint64_t patience = 500000000;

	if (!w->stop || atomic_load(&w->cancelled)) {
		pthread_cond_wait(&w->done, &w->lock);
		return;
	}
	clock_cond_wait(&w->done, &w->lock, poll);
	if (!*w->stop)
		return;
	if (!w->stop_seen)
		w->stop_seen = sim_clock();
	else if (sim_clock() - w->stop_seen >= patience)
		atomic_store(&w->cancelled, true);
}

/* Lock held. Waits until the stream (NULL: every stream of the device) has no work left. Then
 * checks the guards and makes unused memory inaccessible. Returns the device's error. */
static int drain(struct sim_device *d, struct sim_stream *s, struct err *e)
{
	while ((s ? s->pending : d->pending) > 0)
		await_work(d->world);
	if (!in_use(d))
		check_guards(d);
	close_memory(d->world);
	if (d->err.code && e)
		*e = d->err;
	return d->err.code;
}

/* ---- creating and destroying streams ---- */

static bool starts(const struct sim_device *d)
{
	return d->index < d->world->config.starts;
}

/* Only of devices without a default stream. */
static int start_device(struct dev *base, struct err *e)
{
	return err_set(e, ERR_FAILED, "COPRA_SIM_STARTS lets only %d devices start",
		       sim_device(base)->world->config.starts);
}

static int stream_create(struct dev *base, struct dev_stream **out, struct err *e)
{
	struct sim_device *d = sim_device(base);
	if (!starts(d))
		return start_device(base, e);
	struct sim_stream *s = calloc(1, sizeof(*s));
	if (!s)
		return err_set(e, ERR_MEMORY, "no host memory");
	s->base.dev = base;
	s->tail = &s->head;
	pthread_cond_init(&s->wake, NULL);
	if (pthread_create(&s->thread, NULL, stream_main, s)) {
		pthread_cond_destroy(&s->wake);
		free(s);
		return err_set(e, ERR_MEMORY, "cannot start an OS thread for a simulated stream");
	}
	pthread_mutex_lock(&d->world->lock);
	s->next = d->streams;
	d->streams = s;
	pthread_mutex_unlock(&d->world->lock);
	*out = &s->base;
	return 0;
}

static void stream_destroy(struct dev_stream *base)
{
	struct sim_stream *s = sim_stream(base);
	struct sim_device *d = sim_device(base->dev);
	pthread_mutex_lock(&d->world->lock);
	struct sim_stream **link = &d->streams;
	while (*link != s)
		link = &(*link)->next;
	*link = s->next;
	s->stop = true;
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&d->world->lock);
	pthread_join(s->thread, NULL);
	pthread_cond_destroy(&s->wake);
	free(s);
}

/* ---- events ---- */

/* An event may be recorded several times. A wait applies to the last record before it. */
static int event_create(struct dev *d, struct dev_event **out, struct err *e)
{
	struct sim_event *ev = calloc(1, sizeof(*ev));
	if (!ev)
		return err_set(e, ERR_MEMORY, "no host memory");
	ev->base.dev = d;
	*out = &ev->base;
	return 0;
}

static void event_destroy(struct dev_event *base)
{
	struct sim_event *ev = (struct sim_event *)base;
	struct sim_world *w = sim_device(base->dev)->world;
	pthread_mutex_lock(&w->lock);
	ev->destroyed = true;
	ev->uses++;
	event_release(ev);
	pthread_mutex_unlock(&w->lock);
}

static int event_record(struct dev_event *base, struct dev_stream *s, struct err *e)
{
	struct sim_event *ev = (struct sim_event *)base;
	struct sim_world *w = sim_device(base->dev)->world;
	struct sim_item *item = sim_item_create(SIM_ITEM_RECORD, 0);
	if (!item)
		return err_set(e, ERR_MEMORY, "no host memory");
	pthread_mutex_lock(&w->lock);
	ev->uses++;
	ev->recorded++;
	pthread_mutex_unlock(&w->lock);
	item->u.event.event = ev;
	sim_enqueue(sim_stream(s), item);
	return 0;
}

static int stream_wait(struct dev_stream *s, struct dev_event *base, struct err *e)
{
	struct sim_event *ev = (struct sim_event *)base;
	struct sim_world *w = sim_device(s->dev)->world;
	if (sim_device(base->dev)->world != w)
		return err_set(e, ERR_USAGE, "the event belongs to another device set");
	struct sim_item *item = sim_item_create(SIM_ITEM_WAIT, 0);
	if (!item)
		return err_set(e, ERR_MEMORY, "no host memory");
	pthread_mutex_lock(&w->lock);
	ev->uses++;
	item->u.event.number = ev->recorded;
	pthread_mutex_unlock(&w->lock);
	item->u.event.event = ev;
	sim_enqueue(sim_stream(s), item);
	return 0;
}

/* Lock held. */
static int await_event(struct sim_world *w, const struct sim_event *ev, struct err *e)
{
	if (!ev->recorded)
		return err_set(e, ERR_USAGE, "the event was never recorded");
	while (ev->done < ev->recorded)
		await_work(w);
	return 0;
}

/* Lock held: the first error of the device's kernels. */
static int device_status(const struct sim_device *d, struct err *e)
{
	if (d->err.code && e)
		*e = d->err;
	return d->err.code;
}

static int event_sync(struct dev_event *base, struct err *e)
{
	struct sim_device *d = sim_device(base->dev);
	pthread_mutex_lock(&d->world->lock);
	int status = await_event(d->world, (struct sim_event *)base, e);
	if (!status)
		status = device_status(d, e);
	pthread_mutex_unlock(&d->world->lock);
	return status;
}

static int event_elapsed(struct dev_event *start, struct dev_event *stop, double *seconds,
			 struct err *e)
{
	struct sim_event *a = (struct sim_event *)start, *b = (struct sim_event *)stop;
	struct sim_device *d = sim_device(start->dev);
	pthread_mutex_lock(&d->world->lock);
	int status = await_event(d->world, a, e);
	if (!status)
		status = await_event(d->world, b, e);
	if (!status) {
		*seconds = 1e-9 * ((double)b->time - (double)a->time);
		status = device_status(d, e);
	}
	pthread_mutex_unlock(&d->world->lock);
	return status;
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
	return 0;
}

static int memory_free(struct dev *base, size_t *bytes, struct err *e)
{
	struct sim_device *d = sim_device(base);

	(void)e;
	lock(d);
	*bytes = d->memory.quota - d->memory.used;
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
	(void)drain(d, NULL, NULL);
	unlock(d);
	while (d->streams)
		stream_destroy(&d->streams->base);
}

/* Work of other devices may still use this memory: it is freed with the last device. */
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
	int status = sim_memory_create(&d->memory, w->config.memory,
				       w->config.seed & 1 ? 0xA5 : 0x5B, e);
	if (!status && starts(d))
		status = stream_create(&d->base, &d->base.default_stream, e);
	return status;
}

int sim_open(struct dev **out, const int *ordinals, int count, struct err *e)
{
	struct sim_world *w = calloc(1, sizeof(*w));
	if (!w)
		return err_set(e, ERR_MEMORY, "no host memory");
	pthread_mutex_init(&w->lock, NULL);
	clock_cond_init(&w->done);
	w->count = count;
	int status = sim_config_read(&w->config, e);
	for (int i = 0; !status && i < count; i++)
		status = device_create(w, i, ordinals[i], e);
	if (status) {
		for (int i = 0; i < count && w->device[i]; i++)
			stop_streams(w->device[i]);
		world_destroy(w);
		return status;
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
	if (d->index >= d->world->config.peers || p->index >= d->world->config.peers)
		return err_set(e, ERR_UNSUPPORTED, "COPRA_SIM_PEERS excludes one of the devices");
	lock(d);
	d->peer[p->index] = true;
	unlock(d);
	return 0;
}

static int sync_device(struct dev *base, struct err *e)
{
	struct sim_device *d = sim_device(base);
	lock(d);
	int status = drain(d, NULL, e);
	unlock(d);
	return status;
}

static int sync_stream(struct dev_stream *s, struct err *e)
{
	struct sim_device *d = sim_device(s->dev);
	lock(d);
	int status = drain(d, sim_stream(s), e);
	unlock(d);
	return status;
}

/* ---- memory ---- */

static int alloc_memory(struct dev *base, void **out, size_t bytes, const char *file, int line,
			struct err *e)
{
	struct sim_device *d = sim_device(base);
	lock(d);
	int status = sim_memory_alloc(&d->memory, out, bytes, file, line, e);
	unlock(d);
	return status;
}

/* Like cudaFree, waits for the device first. */
static void free_memory(struct dev *base, void *p)
{
	struct sim_device *d = sim_device(base);
	lock(d);
	(void)drain(d, NULL, NULL);
	if (!sim_memory_free(&d->memory, p) && !d->err.code)
		err_set(&d->err, ERR_USAGE, "dev_free of %p, which is not an allocation of sim:%d",
			p, base->ordinal);
	unlock(d);
}

static int alloc_pinned(struct dev *base, void **out, size_t bytes, struct err *e)
{
	struct sim_device *d = sim_device(base);
	struct sim_pinned *m = malloc(sizeof(*m));
	if (!m || !(m->p = malloc(bytes ? bytes : 1))) {
		free(m);
		return err_set(e, ERR_MEMORY, "cannot allocate %zu bytes of host memory", bytes);
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
	(void)drain(d, NULL, NULL);
	struct sim_pinned **link = &d->pinned;
	while (*link && (*link)->p != p)
		link = &(*link)->next;
	struct sim_pinned *m = *link;
	if (m)
		*link = m->next;
	else if (!d->err.code)
		err_set(&d->err, ERR_USAGE,
			"dev_host_free of %p, which is not pinned memory of sim:%d", p,
			base->ordinal);
	unlock(d);
	if (m) {
		free(m->p);
		free(m);
	}
}

/* ---- copies ---- */

/* Whether p[0..bytes) lies within one allocation of `d`. */
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
	int status = check_range(d, dst, bytes, "destination", e);
	if (!status)
		status = check_host(d, src, "source", e);
	return status ? status : enqueue_copy(s, dst, src, bytes, NULL, e);
}

static int copy_from(struct dev_stream *s, void *dst, const void *src, size_t bytes, struct err *e)
{
	struct sim_device *d = sim_device(s->dev);
	if (bytes == 0)
		return 0;
	int status = check_range(d, src, bytes, "source", e);
	if (!status)
		status = check_host(d, dst, "destination", e);
	return status ? status : enqueue_copy(s, dst, src, bytes, NULL, e);
}

static int copy_peer(struct dev_stream *s, struct dev *dst_dev, void *dst, struct dev *src_dev,
		     const void *src, size_t bytes, struct err *e)
{
	struct sim_device *to = sim_device(dst_dev), *from = sim_device(src_dev);
	if (bytes == 0)
		return 0;
	if (to->world != from->world)
		return err_set(e, ERR_USAGE, "the devices belong to different sets");
	int status = check_range(to, dst, bytes, "destination", e);
	if (!status)
		status = check_range(from, src, bytes, "source", e);
	return status ? status : enqueue_copy(s, dst, src, bytes, s->dev == dst_dev ? from : to, e);
}

static int copy_on(struct dev_stream *s, void *dst, const void *src, size_t bytes, struct err *e)
{
	return copy_peer(s, s->dev, dst, s->dev, src, bytes, e);
}

static int fill(struct dev_stream *s, void *dst, int byte, size_t bytes, struct err *e)
{
	if (bytes == 0)
		return 0;
	int status = check_range(sim_device(s->dev), dst, bytes, "destination", e);
	if (status)
		return status;
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
	.start = start_device,
	.close = close_device,
	.info = get_info,
	.memory_free = memory_free,
	.alloc = alloc_memory,
	.free = free_memory,
	.host_alloc = alloc_pinned,
	.host_free = free_pinned,
	.stream_create = stream_create,
	.stream_destroy = stream_destroy,
	.stream_sync = sync_stream,
	.stream_wait = stream_wait,
	.event_create = event_create,
	.event_destroy = event_destroy,
	.event_record = event_record,
	.event_sync = event_sync,
	.event_elapsed = event_elapsed,
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
