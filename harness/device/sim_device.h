/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Internal to sim: devices, streams and events. The lock of the world guards them. */
#ifndef COPRA_DEVICE_SIM_DEVICE_H
#define COPRA_DEVICE_SIM_DEVICE_H

#include <pthread.h>
#include <stdbool.h>

#include "harness/device/device_backend.h"
#include "harness/device/sim_config.h"
#include "harness/device/sim_engine.h"
#include "harness/device/sim_memory.h"

struct sim_device;

/* Devices that were opened together. */
struct sim_world {
	pthread_mutex_t lock;
	pthread_cond_t done;               /* some work item was completed */
	const volatile sig_atomic_t *stop; /* flag that cancels kernels; NULL: none */
	uint64_t stop_seen; /* time in ns at which it was first seen set; 0: not yet */
	atomic_bool cancelled;
	struct sim_config config;
	int count, closed;
	struct sim_device *device[DEV_MAX];
};

struct sim_pinned {
	struct sim_pinned *next;
	unsigned char *p;
	size_t bytes;
};

struct sim_device {
	struct dev base;
	struct sim_world *world;
	int index; /* index in the world */
	struct sim_memory memory;
	struct sim_stream *streams;
	struct sim_pinned *pinned;
	bool peer[DEV_MAX]; /* indexed by device: whether our kernels may access its memory */
	unsigned pending;   /* work items queued or running */
	unsigned lent;      /* copies of other devices' streams that use its memory */
	uint64_t launches;
	struct err err; /* the first error of its work; never cleared */
};

struct sim_event {
	struct dev_event base;
	uint64_t recorded, done; /* records requested and completed */
	uint64_t time;           /* time of the last record, ns */
	unsigned uses;           /* queued items that name it */
	bool destroyed;
};

enum sim_item_kind {
	SIM_ITEM_KERNEL,
	SIM_ITEM_COPY,
	SIM_ITEM_FILL,
	SIM_ITEM_RECORD,
	SIM_ITEM_WAIT
};

struct sim_item {
	struct sim_item *next;
	enum sim_item_kind kind;
	union {
		struct {
			struct sim_kernel kernel;
			unsigned cluster; /* blocks per cluster; 0: no clusters */
			uint64_t number;
		} launch;
		struct {
			unsigned char *dst;
			const unsigned char *src;
			size_t bytes;
			struct sim_device *other; /* second device whose memory is used, or NULL */
		} copy;
		struct {
			unsigned char *dst;
			int byte;
			size_t bytes;
		} fill;
		struct {
			struct sim_event *event;
			uint64_t number;
		} event;
	} u;
	unsigned char args[]; /* of the kernel */
};

struct sim_helper;

struct sim_stream {
	struct dev_stream base;
	struct sim_stream *next; /* of the device */
	pthread_t thread;
	pthread_cond_t wake;
	struct sim_item *head, **tail;
	unsigned pending;
	bool stop;
	/* used only by the stream's own thread */
	struct sim_worker worker;
	struct sim_helper *helpers; /* OS threads for the other workers of a launch */
};

static inline struct sim_device *sim_device(struct dev *d)
{
	return (struct sim_device *)d;
}
static inline struct sim_stream *sim_stream(struct dev_stream *s)
{
	return (struct sim_stream *)s;
}

/* ---- sim_device.c ---- */

/* Returns a zeroed item, to be filled and queued, or NULL. */
struct sim_item *sim_item_create(enum sim_item_kind kind, size_t arg_bytes);
void sim_enqueue(struct sim_stream *s, struct sim_item *item);

/* ---- sim_launch.c ---- */

/* Runs a queued kernel to completion, on this thread and the stream's helpers. */
void sim_run_kernel(struct sim_stream *s, const struct sim_kernel *k, unsigned cluster,
		    uint64_t number, struct err *e);
void sim_helpers_stop(struct sim_stream *s);

#endif
