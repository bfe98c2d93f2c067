/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Device sets that open beside other work. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/stop.h"
#include "harness/device/device.h"
#include "harness/device/device_backend.h"

struct dev_opening {
	struct dev_set *set;
	char *text;
	pthread_t thread;
	bool joined;
	atomic_bool done;

	/* written by the thread */
	struct dev_set opened;
	int status;
	struct err why;
};

static void *open_all(void *opening)
{
	struct dev_opening *o = opening;

	o->status = dev_set_open_first(&o->opened, o->text, 0, &o->why);
	if (!o->status) {
		o->status = dev_set_await(&o->opened, &o->why);
		if (o->status)
			dev_set_close(&o->opened);
	}
	atomic_store(&o->done, true);
	return NULL;
}

int dev_opening_begin(struct dev_opening **out, struct dev_set *set, const char *text,
		      struct err *e)
{
	struct dev_opening *o;
	uint64_t limit;
	int status = device_read_limit(&limit, e);

	*out = NULL;
	*set = (struct dev_set){ .backend = DEV_CPU };
	if (status)
		return status;
	o = calloc(1, sizeof(*o));
	if (o)
		o->text = strdup(text);
	if (!o || !o->text || !stop_masked_thread(&o->thread, open_all, o)) {
		if (o)
			free(o->text);
		free(o);
		return err_set(e, ERR_MEMORY, "out of memory");
	}
	o->set = set;
	*out = o;
	return 0;
}

bool dev_opening_done(struct dev_opening *o)
{
	return atomic_load(&o->done);
}

bool dev_opening_failed(struct dev_opening *o)
{
	return dev_opening_done(o) && o->status;
}

int dev_opening_finish(struct dev_opening *o, struct err *e)
{
	if (!o->joined) {
		pthread_join(o->thread, NULL);
		o->joined = true;
		if (!o->status)
			*o->set = o->opened;
	}
	return o->status ? err_set(e, o->status, "%s", o->why.text) : 0;
}

void dev_opening_destroy(struct dev_opening *o)
{
	if (!o)
		return;
	(void)dev_opening_finish(o, NULL);
	free(o->text);
	free(o);
}
