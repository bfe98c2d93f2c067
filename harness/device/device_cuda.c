/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The backend cuda of the device layer, through the C interface of the CUDA runtime. All streams
 * are non-blocking, including the default stream, so that no stream waits for another. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/device/device_backend.h"

struct cuda_stream {
	struct dev_stream base;
	cudaStream_t stream;
};

struct cuda_event {
	struct dev_event base;
	cudaEvent_t event;
	bool recorded;
};

static const struct dev_ops cuda_ops;

static cudaStream_t native(struct dev_stream *s)
{
	return ((struct cuda_stream *)s)->stream;
}

static int fail(cudaError_t status, const char *call, struct err *e)
{
	if (status == cudaSuccess)
		return 0;
	(void)cudaGetLastError(); /* clears the error: a later launch must not report it again */
	return err_set(e, status == cudaErrorMemoryAllocation ? ERR_MEMORY : ERR_FAILED,
		       "%s: %s (%s)", call, cudaGetErrorString(status), cudaGetErrorName(status));
}

/* Calls of the runtime use the current device of the thread. */
static int use(const struct dev *d, struct err *e)
{
	return fail(cudaSetDevice(d->ordinal), "cudaSetDevice", e);
}

/* ---- devices ---- */

int cuda_count(const char **reason)
{
	int count = 0, driver = 0;
	cudaError_t status = cudaGetDeviceCount(&count);
	*reason = NULL;
	if (status == cudaSuccess && count > 0)
		return count;
	(void)cudaGetLastError();
	if (status == cudaSuccess || status == cudaErrorNoDevice)
		*reason = "no GPU found";
	else if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
		*reason = "no NVIDIA driver";
	else if (status == cudaErrorInsufficientDriver)
		*reason = "the NVIDIA driver is older than this build's CUDA toolkit";
	else
		*reason = cudaGetErrorString(status);
	return 0;
}

static void close_device(struct dev *d)
{
	if (d->default_stream)
		cuda_ops.stream_destroy(d->default_stream);
	free(d);
}

static int open_device(struct dev **out, int ordinal, struct err *e)
{
	struct dev *d = calloc(1, sizeof(*d));
	if (!d)
		return err_set(e, ERR_MEMORY, "no host memory");
	d->ops = &cuda_ops;
	d->backend = DEV_CUDA;
	d->ordinal = ordinal;
	int status = cuda_ops.stream_create(d, &d->default_stream, e);
	if (status) {
		free(d);
		return err_prefix(e, "cuda:%d", ordinal), status;
	}
	*out = d;
	return 0;
}

int cuda_open(struct dev **out, const int *ordinals, int count, struct err *e)
{
	for (int i = 0; i < count; i++) {
		int status = open_device(&out[i], ordinals[i], e);
		if (status) {
			while (i-- > 0)
				close_device(out[i]);
			return status;
		}
	}
	return 0;
}

static void format_uuid(char *out, size_t size, const unsigned char *u)
{
	snprintf(out, size,
		 "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0],
		 u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13],
		 u[14], u[15]);
}

static int get_info(struct dev *d, struct dev_info *info, struct err *e)
{
	struct cudaDeviceProp p;
	unsigned char uuid[16];
	int clock_khz = 0;
	size_t available, total;
	int status = use(d, e);
	if (!status)
		status =
			fail(cudaGetDeviceProperties(&p, d->ordinal), "cudaGetDeviceProperties", e);
	if (!status)
		status = fail(cudaMemGetInfo(&available, &total), "cudaMemGetInfo", e);
	if (status)
		return status;
	if (cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, d->ordinal) != cudaSuccess)
		(void)cudaGetLastError();
	*info = (struct dev_info){ .backend = DEV_CUDA,
				   .ordinal = d->ordinal,
				   .compute_major = p.major,
				   .compute_minor = p.minor,
				   .sm_count = p.multiProcessorCount,
				   .warp_size = p.warpSize,
				   .max_threads_per_block = p.maxThreadsPerBlock,
				   .shared_per_block = p.sharedMemPerBlockOptin,
				   .shared_per_sm = p.sharedMemPerMultiprocessor,
				   .l2_bytes = (size_t)p.l2CacheSize,
				   .memory_total = total,
				   .memory_free = available,
				   .clock_khz = clock_khz,
				   .cooperative = p.cooperativeLaunch != 0 };
	snprintf(info->name, sizeof(info->name), "%.*s", (int)sizeof(info->name) - 1, p.name);
	memcpy(uuid, &p.uuid, sizeof(uuid));
	format_uuid(info->uuid, sizeof(info->uuid), uuid);
	return 0;
}

static int enable_peer(struct dev *d, struct dev *peer, struct err *e)
{
	int possible = 0;
	int status = use(d, e);
	if (!status)
		status = fail(cudaDeviceCanAccessPeer(&possible, d->ordinal, peer->ordinal),
			      "cudaDeviceCanAccessPeer", e);
	if (status)
		return status;
	if (!possible)
		return err_set(e, ERR_UNSUPPORTED, "cuda:%d cannot access memory of cuda:%d",
			       d->ordinal, peer->ordinal);
	cudaError_t crc = cudaDeviceEnablePeerAccess(peer->ordinal, 0);
	if (crc == cudaErrorPeerAccessAlreadyEnabled) {
		(void)cudaGetLastError();
		return 0;
	}
	return fail(crc, "cudaDeviceEnablePeerAccess", e);
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
	cudaError_t crc = cudaMalloc(out, bytes);
	if (crc != cudaErrorMemoryAllocation)
		return fail(crc, "cudaMalloc", e);
	(void)cudaGetLastError();
	if (cudaMemGetInfo(&available, &total) != cudaSuccess)
		(void)cudaGetLastError();
	return err_set(e, ERR_MEMORY, "%zu bytes requested, %zu free", bytes, available);
}

static void free_memory(struct dev *d, void *p)
{
	if (!use(d, NULL))
		(void)cudaFree(p);
}

static int alloc_pinned(struct dev *d, void **out, size_t bytes, struct err *e)
{
	int status = use(d, e);
	return status ? status :
			fail(cudaHostAlloc(out, bytes, cudaHostAllocPortable), "cudaHostAlloc", e);
}

static void free_pinned(struct dev *d, void *p)
{
	if (!use(d, NULL))
		(void)cudaFreeHost(p);
}

/* ---- streams ---- */

static int stream_create(struct dev *d, struct dev_stream **out, struct err *e)
{
	struct cuda_stream *s = calloc(1, sizeof(*s));
	if (!s)
		return err_set(e, ERR_MEMORY, "no host memory");
	s->base.dev = d;
	int status = use(d, e);
	if (!status)
		status = fail(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking),
			      "cudaStreamCreateWithFlags", e);
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
	if (!use(s->dev, NULL) &&
	    !fail(cudaStreamSynchronize(native(s)), "cudaStreamSynchronize", NULL))
		(void)cudaStreamDestroy(native(s));
	free(s);
}

static int stream_sync(struct dev_stream *s, struct err *e)
{
	int status = use(s->dev, e);
	return status ? status : fail(cudaStreamSynchronize(native(s)), "cudaStreamSynchronize", e);
}

static int stream_wait(struct dev_stream *s, struct dev_event *ev, struct err *e)
{
	int status = use(s->dev, e);
	return status ? status :
			fail(cudaStreamWaitEvent(native(s), ((struct cuda_event *)ev)->event, 0),
			     "cudaStreamWaitEvent", e);
}

static int sync_device(struct dev *d, struct err *e)
{
	int status = use(d, e);
	return status ? status : fail(cudaDeviceSynchronize(), "cudaDeviceSynchronize", e);
}

/* ---- events ---- */

static int event_create(struct dev *d, struct dev_event **out, struct err *e)
{
	struct cuda_event *ev = calloc(1, sizeof(*ev));
	if (!ev)
		return err_set(e, ERR_MEMORY, "no host memory");
	ev->base.dev = d;
	int status = use(d, e);
	if (!status)
		status = fail(cudaEventCreate(&ev->event), "cudaEventCreate", e);
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
		(void)cudaEventDestroy(((struct cuda_event *)ev)->event);
	free(ev);
}

static int event_record(struct dev_event *ev, struct dev_stream *s, struct err *e)
{
	struct cuda_event *own = (struct cuda_event *)ev;
	int status = use(s->dev, e);
	if (!status)
		status = fail(cudaEventRecord(own->event, native(s)), "cudaEventRecord", e);
	if (!status)
		own->recorded = true;
	return status;
}

/* CUDA treats an event that was never recorded as complete. */
static int event_sync(struct dev_event *ev, struct err *e)
{
	const struct cuda_event *own = (struct cuda_event *)ev;
	int status = use(ev->dev, e);
	if (!status && !own->recorded)
		return err_set(e, ERR_USAGE, "the event was never recorded");
	return status ? status : fail(cudaEventSynchronize(own->event), "cudaEventSynchronize", e);
}

static int event_elapsed(struct dev_event *start, struct dev_event *stop, double *seconds,
			 struct err *e)
{
	cudaEvent_t a = ((struct cuda_event *)start)->event, b = ((struct cuda_event *)stop)->event;
	float ms = 0;
	int status = event_sync(start, e);
	if (!status)
		status = event_sync(stop, e);
	if (!status)
		status = fail(cudaEventElapsedTime(&ms, a, b), "cudaEventElapsedTime", e);
	if (!status)
		*seconds = 1e-3 * (double)ms;
	return status;
}

/* ---- copies ---- */

static int copy(struct dev_stream *s, void *dst, const void *src, size_t bytes,
		enum cudaMemcpyKind kind, struct err *e)
{
	int status = use(s->dev, e);
	return status ? status :
			fail(cudaMemcpyAsync(dst, src, bytes, kind, native(s)), "cudaMemcpyAsync",
			     e);
}

static int copy_to(struct dev_stream *s, void *dst, const void *src, size_t bytes, struct err *e)
{
	return copy(s, dst, src, bytes, cudaMemcpyHostToDevice, e);
}

static int copy_from(struct dev_stream *s, void *dst, const void *src, size_t bytes, struct err *e)
{
	return copy(s, dst, src, bytes, cudaMemcpyDeviceToHost, e);
}

static int copy_on(struct dev_stream *s, void *dst, const void *src, size_t bytes, struct err *e)
{
	return copy(s, dst, src, bytes, cudaMemcpyDeviceToDevice, e);
}

static int copy_peer(struct dev_stream *s, struct dev *dst_dev, void *dst, struct dev *src_dev,
		     const void *src, size_t bytes, struct err *e)
{
	int status = use(s->dev, e);
	return status ? status :
			fail(cudaMemcpyPeerAsync(dst, dst_dev->ordinal, src, src_dev->ordinal,
						 bytes, native(s)),
			     "cudaMemcpyPeerAsync", e);
}

static int fill(struct dev_stream *s, void *dst, int byte, size_t bytes, struct err *e)
{
	int status = use(s->dev, e);
	return status ? status :
			fail(cudaMemsetAsync(dst, byte, bytes, native(s)), "cudaMemsetAsync", e);
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
	return fail(cudaGetLastError(), "launch", e);
}

static const struct dev_ops cuda_ops = {
	.close = close_device,
	.info = get_info,
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
