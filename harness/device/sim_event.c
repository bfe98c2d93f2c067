/* Events. One is recorded as often as one likes; who waits, waits for the last record before. */
#include <stdlib.h>

#include "harness/device/sim_device.h"

int sim_event_create(struct dev *d, struct dev_event **out, struct err *e)
{
	struct sim_event *ev = calloc(1, sizeof(*ev));
	if (!ev)
		return err_set(e, ERR_MEMORY, "no host memory");
	ev->base.dev = d;
	*out = &ev->base;
	return 0;
}

void sim_event_release(struct sim_event *ev)
{
	ev->uses--;
	if (ev->destroyed && ev->uses == 0)
		free(ev);
}

void sim_event_destroy(struct dev_event *base)
{
	struct sim_event *ev = (struct sim_event *)base;
	struct sim_world *w = sim_device(base->dev)->world;
	pthread_mutex_lock(&w->lock);
	ev->destroyed = true;
	ev->uses++;
	sim_event_release(ev);
	pthread_mutex_unlock(&w->lock);
}

int sim_event_record(struct dev_event *base, struct dev_stream *s, struct err *e)
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

int sim_stream_wait(struct dev_stream *s, struct dev_event *base, struct err *e)
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
		return err_set(e, ERR_USAGE, "an event that was never recorded");
	while (ev->done < ev->recorded)
		sim_await_work(w);
	return 0;
}

/* Lock held: what the device's kernels did. */
static int device_status(const struct sim_device *d, struct err *e)
{
	if (d->err.code && e)
		*e = d->err;
	return d->err.code;
}

int sim_event_sync(struct dev_event *base, struct err *e)
{
	struct sim_device *d = sim_device(base->dev);
	pthread_mutex_lock(&d->world->lock);
	int rc = await_event(d->world, (struct sim_event *)base, e);
	if (!rc)
		rc = device_status(d, e);
	pthread_mutex_unlock(&d->world->lock);
	return rc;
}

int sim_event_elapsed(struct dev_event *start, struct dev_event *stop, double *seconds,
		      struct err *e)
{
	struct sim_event *a = (struct sim_event *)start, *b = (struct sim_event *)stop;
	struct sim_device *d = sim_device(start->dev);
	pthread_mutex_lock(&d->world->lock);
	int rc = await_event(d->world, a, e);
	if (!rc)
		rc = await_event(d->world, b, e);
	if (!rc) {
		*seconds = 1e-9 * ((double)b->time - (double)a->time);
		rc = device_status(d, e);
	}
	pthread_mutex_unlock(&d->world->lock);
	return rc;
}
