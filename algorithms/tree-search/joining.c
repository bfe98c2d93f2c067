/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/joining.h"

#include <string.h>

#include "harness/base/clock.h"
#include "harness/device/device.h"

/* Between two looks whether a device has started. */
static const double LOOK_SECONDS = 1e-3;
static const double LONG_SECONDS = 1;
enum { TOUCH_BYTES = 16 };

void joining_open(struct joining *j, const struct search_request *r, int devices)
{
	memset(j, 0, sizeof(*j));
	j->request = r;
	j->on = r->as_pays && devices > 1 && !r->no_stealing && !r->checkpoint;
	pthread_mutex_init(&j->lock, NULL);
	clock_cond_init(&j->changed);
	for (int i = 0; i < joining_first(j, devices); i++)
		j->ready[i] = true;
}

void joining_close(struct joining *j)
{
	for (int i = 0; i < DEV_MAX; i++)
		if (j->touch[i])
			dev_free(j->request->devices->dev[i], j->touch[i]);
	pthread_cond_destroy(&j->changed);
	pthread_mutex_destroy(&j->lock);
}

void joining_begin(struct joining *j, double seconds)
{
	double alone = j->request->alone_seconds;

	if (!j->on)
		return;
	if (alone <= 0)
		alone = 2 * (seconds + dev_start_seconds(j->request->devices->dev[0]));
	pthread_mutex_lock(&j->lock);
	j->due = clock_wall() + alone;
	pthread_cond_broadcast(&j->changed);
	pthread_mutex_unlock(&j->lock);
}

void joining_end(struct joining *j)
{
	pthread_mutex_lock(&j->lock);
	j->over = true;
	pthread_cond_broadcast(&j->changed);
	pthread_mutex_unlock(&j->lock);
}

bool joining_wait(struct joining *j, int device)
{
	struct dev *d = j->request->devices->dev[device];
	int started = 0;

	pthread_mutex_lock(&j->lock);
	while (!j->over && !started) {
		double left = j->due > 0 ? j->due - clock_wall() : LONG_SECONDS;

		if (left <= 0) {
			started = dev_start(d);
			left = LOOK_SECONDS;
		}
		if (!started)
			clock_cond_wait(&j->changed, &j->lock, left);
	}
	started = j->over ? 0 : started;
	pthread_mutex_unlock(&j->lock);
	return started > 0;
}

/* A few bytes on a device for each that joins. With the lock held. */
static int touchable(struct joining *j, int device, struct err *e)
{
	if (j->touch[device])
		return 0;
	return dev_alloc(j->request->devices->dev[device], &j->touch[device], DEV_MAX * TOUCH_BYTES,
			 e);
}

/* The bytes on `device` that only the device `joining` copies, because several may join at once. */
static void *touched_by(const struct joining *j, int device, int joining)
{
	return (char *)j->touch[device] + joining * TOUCH_BYTES;
}

static int copy(struct joining *j, int from, int to, int joining, struct dev_stream *s,
		struct err *e)
{
	struct dev *a = j->request->devices->dev[from], *b = j->request->devices->dev[to];

	(void)dev_enable_peer(a, b, NULL); /* without it copies go through the host */
	return dev_copy_peer(s, b, touched_by(j, to, joining), a, touched_by(j, from, joining),
			     TOUCH_BYTES, e);
}

int joining_connect(struct joining *j, int device, struct dev_stream *s, struct err *e)
{
	bool ready[DEV_MAX];
	int status;

	pthread_mutex_lock(&j->lock);
	memcpy(ready, j->ready, sizeof(ready));
	ready[device] = false;
	j->ready[device] = true;
	status = touchable(j, device, e);
	for (int i = 0; !status && i < DEV_MAX; i++)
		if (ready[i])
			status = touchable(j, i, e);
	pthread_mutex_unlock(&j->lock);
	if (!status)
		status = dev_fill(s, touched_by(j, device, device), 0, TOUCH_BYTES, e);
	for (int i = 0; !status && i < DEV_MAX; i++) {
		if (!ready[i])
			continue;
		status = copy(j, device, i, device, s, e);
		if (!status)
			status = copy(j, i, device, device, s, e);
	}
	return dev_drain(s, status, e);
}

void joining_refuse(struct joining *j, int device)
{
	pthread_mutex_lock(&j->lock);
	j->ready[device] = false;
	pthread_mutex_unlock(&j->lock);
}
