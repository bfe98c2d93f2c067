/* Streams: a queue and the OS thread that works it off. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/device/sim_device.h"

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

/* ---- doing the work ---- */

/* Lock held: makes all memory accessible that the device's work may touch. */
static int open_memory(struct sim_device *d, struct sim_device *other, struct err *e)
{
	int rc = sim_memory_open(&d->memory, e);
	for (int i = 0; !rc && i < d->world->count; i++)
		if (d->peer[i] || d->world->device[i] == other)
			rc = sim_memory_open(&d->world->device[i]->memory, e);
	return rc;
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

/* Lock held; it is let go while the item runs. Events take place on a failed device too, so that
 * nobody waits for them for ever; other work is dropped. */
static void do_item(struct sim_stream *s, struct sim_item *item)
{
	struct sim_device *d = sim_device(s->base.dev);
	struct sim_event *ev = item->u.event.event;
	struct err e = { 0 };
	if (item->kind == SIM_ITEM_RECORD) {
		ev->time = sim_clock();
		ev->done++;
		sim_event_release(ev);
	} else if (item->kind == SIM_ITEM_WAIT) {
		while (ev->done < item->u.event.number)
			pthread_cond_wait(&d->world->done, &d->world->lock);
		sim_event_release(ev);
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

/* ---- waiting for it ---- */

/* Lock held: may work under way touch the memory of `d`? */
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

/* Who waits for a kernel watches the stop flag meanwhile. */
void sim_await_work(struct sim_world *w)
{
	enum { LOOK = 50000000 }; /* ns */
	static const uint64_t patience = 500000000;
	struct timespec until;

	if (!w->stop || atomic_load(&w->cancelled)) {
		pthread_cond_wait(&w->done, &w->lock);
		return;
	}
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += LOOK;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_cond_timedwait(&w->done, &w->lock, &until);
	if (!*w->stop)
		return;
	if (!w->stop_seen)
		w->stop_seen = sim_clock();
	else if (sim_clock() - w->stop_seen >= patience)
		atomic_store(&w->cancelled, true);
}

int sim_drain(struct sim_device *d, struct sim_stream *s, struct err *e)
{
	while ((s ? s->pending : d->pending) > 0)
		sim_await_work(d->world);
	if (!in_use(d))
		check_guards(d);
	close_memory(d->world);
	if (d->err.code && e)
		*e = d->err;
	return d->err.code;
}

/* ---- life ---- */

int sim_stream_create(struct dev *base, struct dev_stream **out, struct err *e)
{
	struct sim_device *d = sim_device(base);
	struct sim_stream *s = calloc(1, sizeof(*s));
	if (!s)
		return err_set(e, ERR_MEMORY, "no host memory");
	s->base.dev = base;
	s->tail = &s->head;
	pthread_cond_init(&s->wake, NULL);
	if (pthread_create(&s->thread, NULL, stream_main, s)) {
		pthread_cond_destroy(&s->wake);
		free(s);
		return err_set(e, ERR_MEMORY, "no OS thread for a simulated stream");
	}
	pthread_mutex_lock(&d->world->lock);
	s->next = d->streams;
	d->streams = s;
	pthread_mutex_unlock(&d->world->lock);
	*out = &s->base;
	return 0;
}

void sim_stream_destroy(struct dev_stream *base)
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
