/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Internal to the device layer: what the backends cuda and hip share. HIP's runtime has the C
 * interface of CUDA's, with another prefix. Include it once, in a backend that defines before:
 *   GPU(name)    the runtime's own name, as cudaMalloc for GPU(Malloc)
 *   GPU_PREFIX   "cuda" or "hip"
 *   GPU_BACKEND  DEV_CUDA or DEV_HIP
 * All streams are non-blocking, including the default stream, so that no stream waits for another.
 */
#ifndef COPRA_DEVICE_DEVICE_RUNTIME_H
#define COPRA_DEVICE_DEVICE_RUNTIME_H

#include <stdlib.h>

#include "harness/device/device_backend.h"

#if !defined(GPU) || !defined(GPU_PREFIX) || !defined(GPU_BACKEND)
#error "device_runtime.h needs GPU(name), GPU_PREFIX and GPU_BACKEND"
#endif

struct gpu_stream {
	struct dev_stream base;
	GPU(Stream_t) stream;
};

struct gpu_event {
	struct dev_event base;
	GPU(Event_t) event;
	bool recorded;
};

static const struct dev_ops gpu_ops;

/* ---- what a backend defines ---- */

static int get_info(struct dev *d, struct dev_info *info, struct err *e);
static int enable_peer(struct dev *d, struct dev *peer, struct err *e);
/* Memory of the host that all devices can access. The device in use is current. */
static int host_allocate(void **out, size_t bytes, struct err *e);
static void host_release(void *p);

/* ---- calls of the runtime ---- */

/* Calls a function of the runtime; its error becomes one of copra. */
#define GPU_CALL(name, e, ...) fail(GPU(name)(__VA_ARGS__), GPU_PREFIX #name, e)

static GPU(Stream_t) native(struct dev_stream *s)
{
	return ((struct gpu_stream *)s)->stream;
}

static int fail(GPU(Error_t) status, const char *call, struct err *e)
{
	if (status == GPU(Success))
		return 0;
	(void)GPU(GetLastError)(); /* clears the error: a later launch must not report it again */
	return err_set(e, status == GPU(ErrorMemoryAllocation) ? ERR_MEMORY : ERR_FAILED,
		       "%s: %s (%s)", call, GPU(GetErrorString)(status), GPU(GetErrorName)(status));
}

/* The runtime's number of a device's GPU. */
static int gpu_of(const struct dev *d)
{
	return d->ordinal / d->parts;
}

/* Calls of the runtime use the current device of the thread. */
static int use(const struct dev *d, struct err *e)
{
	return GPU_CALL(SetDevice, e, gpu_of(d));
}

/* ---- devices ---- */

static void close_device(struct dev *d)
{
	if (d->default_stream)
		gpu_ops.stream_destroy(d->default_stream);
	free(d);
}

/* The first call of the runtime for a device makes its context, which takes 0.2 s or more. */
static int start_device(struct dev *d, struct err *e)
{
	int status = gpu_ops.stream_create(d, &d->default_stream, e);

	return status ? err_prefix(e, GPU_PREFIX ":%d", d->ordinal), status : 0;
}

static int open_device(struct dev **out, int ordinal, int parts, struct err *e)
{
	struct dev *d = calloc(1, sizeof(*d));

	if (!d)
		return err_set(e, ERR_MEMORY, "no host memory");
	d->ops = &gpu_ops;
	d->backend = GPU_BACKEND;
	d->ordinal = ordinal;
	d->parts = parts;
	*out = d;
	return 0;
}

static int open_devices(struct dev **out, const int *ordinals, int count, int parts, struct err *e)
{
	for (int i = 0; i < count; i++) {
		int status = open_device(&out[i], ordinals[i], parts, e);
		if (status) {
			while (i-- > 0)
				close_device(out[i]);
			return status;
		}
	}
	return 0;
}

/* ---- memory ---- */

static int alloc_memory(struct dev *d, void **out, size_t bytes, const char *file, int line,
			struct err *e)
{
	size_t available = 0, total;
	(void)file, (void)line;
	int status = use(d, e);
	if (status || bytes == 0)
		return status;
	GPU(Error_t) crc = GPU(Malloc)(out, bytes);
	if (crc != GPU(ErrorMemoryAllocation))
		return fail(crc, GPU_PREFIX "Malloc", e);
	(void)GPU(GetLastError)();
	if (GPU(MemGetInfo)(&available, &total) != GPU(Success))
		(void)GPU(GetLastError)();
	return err_set(e, ERR_MEMORY, "%zu bytes requested, %zu free", bytes, available);
}

static void free_memory(struct dev *d, void *p)
{
	if (!use(d, NULL))
		(void)GPU(Free)(p);
}

static int memory_free(struct dev *d, size_t *bytes, struct err *e)
{
	size_t total;
	int status = use(d, e);

	if (!status)
		status = GPU_CALL(MemGetInfo, e, bytes, &total);
	*bytes /= (size_t)d->parts;
	return status;
}

static int alloc_pinned(struct dev *d, void **out, size_t bytes, struct err *e)
{
	int status = use(d, e);
	return status ? status : host_allocate(out, bytes, e);
}

static void free_pinned(struct dev *d, void *p)
{
	if (!use(d, NULL))
		host_release(p);
}

/* ---- streams ---- */

static int stream_create(struct dev *d, struct dev_stream **out, struct err *e)
{
	struct gpu_stream *s = calloc(1, sizeof(*s));
	if (!s)
		return err_set(e, ERR_MEMORY, "no host memory");
	s->base.dev = d;
	int status = use(d, e);
	if (!status)
		status = GPU_CALL(StreamCreateWithFlags, e, &s->stream, GPU(StreamNonBlocking));
	if (status) {
		free(s);
		return status;
	}
	*out = &s->base;
	return 0;
}

/* First waits for its work, as sim does, because the memory of its copies may be freed next. */
static void stream_destroy(struct dev_stream *s)
{
	if (!use(s->dev, NULL) && !GPU_CALL(StreamSynchronize, NULL, native(s)))
		(void)GPU(StreamDestroy)(native(s));
	free(s);
}

static int stream_sync(struct dev_stream *s, struct err *e)
{
	int status = use(s->dev, e);
	return status ? status : GPU_CALL(StreamSynchronize, e, native(s));
}

static int stream_wait(struct dev_stream *s, struct dev_event *ev, struct err *e)
{
	int status = use(s->dev, e);
	return status ? status :
			GPU_CALL(StreamWaitEvent, e, native(s), ((struct gpu_event *)ev)->event, 0);
}

static int sync_device(struct dev *d, struct err *e)
{
	int status = use(d, e);
	return status ? status : GPU_CALL(DeviceSynchronize, e);
}

/* ---- events ---- */

static int event_create(struct dev *d, struct dev_event **out, struct err *e)
{
	struct gpu_event *ev = calloc(1, sizeof(*ev));
	if (!ev)
		return err_set(e, ERR_MEMORY, "no host memory");
	ev->base.dev = d;
	int status = use(d, e);
	if (!status)
		status = GPU_CALL(EventCreate, e, &ev->event);
	if (status) {
		free(ev);
		return status;
	}
	*out = &ev->base;
	return 0;
}

static void event_destroy(struct dev_event *ev)
{
	if (!use(ev->dev, NULL))
		(void)GPU(EventDestroy)(((struct gpu_event *)ev)->event);
	free(ev);
}

static int event_record(struct dev_event *ev, struct dev_stream *s, struct err *e)
{
	struct gpu_event *own = (struct gpu_event *)ev;
	int status = use(s->dev, e);
	if (!status)
		status = GPU_CALL(EventRecord, e, own->event, native(s));
	if (!status)
		own->recorded = true;
	return status;
}

/* The runtimes treat an event that was never recorded as complete. */
static int event_sync(struct dev_event *ev, struct err *e)
{
	const struct gpu_event *own = (struct gpu_event *)ev;
	int status = use(ev->dev, e);
	if (!status && !own->recorded)
		return err_set(e, ERR_USAGE, "the event was never recorded");
	return status ? status : GPU_CALL(EventSynchronize, e, own->event);
}

static int event_elapsed(struct dev_event *start, struct dev_event *stop, double *seconds,
			 struct err *e)
{
	GPU(Event_t) a = ((struct gpu_event *)start)->event, b = ((struct gpu_event *)stop)->event;
	float ms = 0;
	int status = event_sync(start, e);
	if (!status)
		status = event_sync(stop, e);
	if (!status)
		status = GPU_CALL(EventElapsedTime, e, &ms, a, b);
	if (!status)
		*seconds = 1e-3 * (double)ms;
	return status;
}

/* ---- copies ---- */

static int copy(struct dev_stream *s, void *dst, const void *src, size_t bytes,
		enum GPU(MemcpyKind) kind, struct err *e)
{
	int status = use(s->dev, e);
	return status ? status : GPU_CALL(MemcpyAsync, e, dst, src, bytes, kind, native(s));
}

static int copy_to(struct dev_stream *s, void *dst, const void *src, size_t bytes, struct err *e)
{
	return copy(s, dst, src, bytes, GPU(MemcpyHostToDevice), e);
}

static int copy_from(struct dev_stream *s, void *dst, const void *src, size_t bytes, struct err *e)
{
	return copy(s, dst, src, bytes, GPU(MemcpyDeviceToHost), e);
}

static int copy_on(struct dev_stream *s, void *dst, const void *src, size_t bytes, struct err *e)
{
	return copy(s, dst, src, bytes, GPU(MemcpyDeviceToDevice), e);
}

static int copy_peer(struct dev_stream *s, struct dev *dst_dev, void *dst, struct dev *src_dev,
		     const void *src, size_t bytes, struct err *e)
{
	int status = use(s->dev, e);
	return status ? status :
			GPU_CALL(MemcpyPeerAsync, e, dst, gpu_of(dst_dev), src, gpu_of(src_dev),
				 bytes, native(s));
}

static int fill(struct dev_stream *s, void *dst, int byte, size_t bytes, struct err *e)
{
	int status = use(s->dev, e);
	return status ? status : GPU_CALL(MemsetAsync, e, dst, byte, bytes, native(s));
}

/* ---- launches ---- */

static int launch_begin(struct dev_stream *s, void **out, struct err *e)
{
	*out = native(s);
	return use(s->dev, e);
}

static int launch_end(struct dev_stream *s, struct err *e)
{
	(void)s;
	return fail(GPU(GetLastError)(), "launch", e);
}

static const struct dev_ops gpu_ops = {
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
	.stream_sync = stream_sync,
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

#endif
