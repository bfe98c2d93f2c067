/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Internal to the device layer: the functions of a backend. device.c dispatches to them and
 * prefixes the backend's messages with call, device, file and line. */
#ifndef COPRA_DEVICE_DEVICE_BACKEND_H
#define COPRA_DEVICE_DEVICE_BACKEND_H

#include "harness/device/device.h"

struct dev_ops {
	/* Does what takes long: the device's context and default stream. NULL: it is done when the
	 * device is opened. */
	int (*start)(struct dev *d, struct err *e);
	void (*close)(struct dev *d);
	int (*info)(struct dev *d, struct dev_info *info, struct err *e); /* not memory_free */
	int (*memory_free)(struct dev *d, size_t *bytes, struct err *e);
	int (*alloc)(struct dev *d, void **out, size_t bytes, const char *file, int line,
		     struct err *e);
	void (*free)(struct dev *d, void *ptr);
	int (*host_alloc)(struct dev *d, void **out, size_t bytes, struct err *e);
	void (*host_free)(struct dev *d, void *ptr);
	int (*stream_create)(struct dev *d, struct dev_stream **out, struct err *e);
	void (*stream_destroy)(struct dev_stream *s);
	int (*stream_sync)(struct dev_stream *s, struct err *e);
	int (*stream_wait)(struct dev_stream *s, struct dev_event *ev, struct err *e);
	int (*event_create)(struct dev *d, struct dev_event **out, struct err *e);
	void (*event_destroy)(struct dev_event *ev);
	int (*event_record)(struct dev_event *ev, struct dev_stream *s, struct err *e);
	int (*event_sync)(struct dev_event *ev, struct err *e);
	int (*event_elapsed)(struct dev_event *start, struct dev_event *stop, double *seconds,
			     struct err *e);
	int (*copy_to)(struct dev_stream *s, void *dst, const void *src, size_t bytes,
		       struct err *e);
	int (*copy_from)(struct dev_stream *s, void *dst, const void *src, size_t bytes,
			 struct err *e);
	int (*copy_on)(struct dev_stream *s, void *dst, const void *src, size_t bytes,
		       struct err *e);
	int (*copy_peer)(struct dev_stream *s, struct dev *dst_dev, void *dst, struct dev *src_dev,
			 const void *src, size_t bytes, struct err *e);
	int (*fill)(struct dev_stream *s, void *dst, int byte, size_t bytes, struct err *e);
	int (*enable_peer)(struct dev *d, struct dev *peer, struct err *e);
	int (*sync)(struct dev *d, struct err *e);
	int (*launch_begin)(struct dev_stream *s, void **native, struct err *e);
	int (*launch_end)(struct dev_stream *s, struct err *e);
};

/* First members of the backends' own structures. */
struct dev {
	const struct dev_ops *ops;
	enum dev_backend backend;
	int ordinal;
	int parts;                         /* cuda, hip: devices that share the GPU */
	struct dev_stream *default_stream; /* NULL: the device has not been started */
	struct device_memory *memory;      /* set by dev_set_open() */
	struct device_start *start;        /* the same */
	struct dev_info info;              /* of ops->info(); sm_count 0: not asked for yet */
};
struct dev_stream {
	struct dev *dev;
};
struct dev_event {
	struct dev *dev;
};

/* Reads an environment variable: a whole number with an optional suffix K, M or G. `*out` stays
 * where the variable is unset. ERR_USAGE names the variable and the range. */
int device_read_number(const char *name, uint64_t least, uint64_t most, uint64_t *out,
		       struct err *e);

/* COPRA_DEVICE_MEMORY in bytes; UINT64_MAX where it is unset. ERR_USAGE. */
int device_read_limit(uint64_t *limit, struct err *e);

/* Opens `count` devices of a backend; after an error none stays open. */
int sim_open(struct dev **out, const int *ordinals, int count, struct err *e);
/* dev_set_cancel_on() for all devices that were opened together with `d`. */
void sim_cancel_on(struct dev *d, const volatile sig_atomic_t *stop);
/* dev_set_cancelled() of the same. */
bool sim_cancelled(struct dev *d);
int cuda_open(struct dev **out, const int *ordinals, int count, struct err *e);
int hip_open(struct dev **out, const int *ordinals, int count, struct err *e);
/* Number of CUDA or HIP devices; 0 with a static reason. */
int cuda_count(const char **reason);
int hip_count(const char **reason);
/* How many of `count` CUDA devices a list as in CUDA_VISIBLE_DEVICES leaves. It ends at the first
 * entry that names none: CUDA C++ Programming Guide, environment variables. NULL: none. */
int device_count_visible(const char *list, int count);

#endif
