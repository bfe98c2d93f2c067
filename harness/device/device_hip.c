/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The backend hip of the device layer, through the C interface of the HIP runtime. All streams
 * are non-blocking, including the default stream, so that no stream waits for another. */
#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/device/device_backend.h"

struct hip_stream {
	struct dev_stream base;
	hipStream_t stream;
};

struct hip_event {
	struct dev_event base;
	hipEvent_t event;
	bool recorded;
};

/* Bytes of shared memory that __syncthreads_or and the like take in some kernels. */
enum { SHARED_FOR_VOTES = 256 };

static const struct dev_ops hip_ops;

static hipStream_t native(struct dev_stream *s)
{
	return ((struct hip_stream *)s)->stream;
}

static int fail(hipError_t status, const char *call, struct err *e)
{
	if (status == hipSuccess)
		return 0;
	(void)hipGetLastError(); /* clears the error: a later launch must not report it again */
	return err_set(e, status == hipErrorOutOfMemory ? ERR_MEMORY : ERR_FAILED, "%s: %s (%s)",
		       call, hipGetErrorString(status), hipGetErrorName(status));
}

/* Calls of the runtime use the current device of the thread. */
static int use(const struct dev *d, struct err *e)
{
	return fail(hipSetDevice(d->ordinal), "hipSetDevice", e);
}

/* ---- devices ---- */

int hip_count(const char **reason)
{
	int count = 0;
	hipError_t status = hipGetDeviceCount(&count);
	*reason = NULL;
	if (status == hipSuccess && count > 0)
		return count;
	(void)hipGetLastError();
	if (status == hipSuccess || status == hipErrorNoDevice)
		*reason = "no GPU found";
	else
		*reason = hipGetErrorString(status);
	return 0;
}

static void close_device(struct dev *d)
{
	if (d->default_stream)
		hip_ops.stream_destroy(d->default_stream);
	free(d);
}

static int open_device(struct dev **out, int ordinal, struct err *e)
{
	struct dev *d = calloc(1, sizeof(*d));
	if (!d)
		return err_set(e, ERR_MEMORY, "no host memory");
	d->ops = &hip_ops;
	d->backend = DEV_HIP;
	d->ordinal = ordinal;
	int status = hip_ops.stream_create(d, &d->default_stream, e);
	if (status) {
		free(d);
		return err_prefix(e, "hip:%d", ordinal), status;
	}
	*out = d;
	return 0;
}

int hip_open(struct dev **out, const int *ordinals, int count, struct err *e)
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

/* "AMD Instinct MI250X (gfx90a)"; some runtimes know only the part in parentheses. */
static void format_name(char *out, size_t size, const hipDeviceProp_t *p)
{
	int length = (int)strcspn(p->gcnArchName, ":");

	if (p->name[0])
		snprintf(out, size, "%.80s (%.*s)", p->name, length < 32 ? length : 32,
			 p->gcnArchName);
	else
		snprintf(out, size, "AMD %.*s", length < 64 ? length : 64, p->gcnArchName);
}

/* The compute capability stays 0.0: it is NVIDIA's, and HIP's numbers mean something else. */
static int get_info(struct dev *d, struct dev_info *info, struct err *e)
{
	hipDeviceProp_t p;
	hipUUID uuid;
	size_t available, total;
	int status = use(d, e);
	if (!status)
		status = fail(hipGetDeviceProperties(&p, d->ordinal), "hipGetDeviceProperties", e);
	if (!status)
		status = fail(hipMemGetInfo(&available, &total), "hipMemGetInfo", e);
	if (status)
		return status;
	*info = (struct dev_info){ .backend = DEV_HIP,
				   .ordinal = d->ordinal,
				   .sm_count = p.multiProcessorCount,
				   .warp_size = 32,
				   .max_threads_per_block = p.maxThreadsPerBlock,
				   .shared_per_block = p.sharedMemPerBlock - SHARED_FOR_VOTES,
				   .shared_per_sm = p.maxSharedMemoryPerMultiProcessor,
				   .l2_bytes = (size_t)p.l2CacheSize,
				   .memory_total = total,
				   .memory_free = available,
				   .clock_khz = p.clockRate,
				   .cooperative = p.cooperativeLaunch != 0 };
	format_name(info->name, sizeof(info->name), &p);
	/* the bytes are the digits of a number in hexadecimal, as text */
	if (hipDeviceGetUuid(&uuid, d->ordinal) == hipSuccess)
		snprintf(info->uuid, sizeof(info->uuid), "GPU-%.16s", uuid.bytes);
	else
		(void)hipGetLastError();
	return 0;
}

/* A kernel may see what another device writes only after that device's kernel has ended, unless the
 * memory is of a slower, fine-grained kind. copra's kernels wait for each other's flags. */
static int enable_peer(struct dev *d, struct dev *peer, struct err *e)
{
	return err_set(e, ERR_UNSUPPORTED,
		       "hip:%d and hip:%d: kernels that share memory: not on HIP", d->ordinal,
		       peer->ordinal);
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
	hipError_t crc = hipMalloc(out, bytes);
	if (crc != hipErrorOutOfMemory)
		return fail(crc, "hipMalloc", e);
	(void)hipGetLastError();
	if (hipMemGetInfo(&available, &total) != hipSuccess)
		(void)hipGetLastError();
	return err_set(e, ERR_MEMORY, "%zu bytes requested, %zu free", bytes, available);
}

static void free_memory(struct dev *d, void *p)
{
	if (!use(d, NULL))
		(void)hipFree(p);
}

static int alloc_pinned(struct dev *d, void **out, size_t bytes, struct err *e)
{
	int status = use(d, e);
	return status ? status :
			fail(hipHostMalloc(out, bytes,
					   hipHostMallocPortable | hipHostMallocCoherent),
			     "hipHostMalloc", e);
}

static void free_pinned(struct dev *d, void *p)
{
	if (!use(d, NULL))
		(void)hipHostFree(p);
}

/* ---- streams ---- */

static int stream_create(struct dev *d, struct dev_stream **out, struct err *e)
{
	struct hip_stream *s = calloc(1, sizeof(*s));
	if (!s)
		return err_set(e, ERR_MEMORY, "no host memory");
	s->base.dev = d;
	int status = use(d, e);
	if (!status)
		status = fail(hipStreamCreateWithFlags(&s->stream, hipStreamNonBlocking),
			      "hipStreamCreateWithFlags", e);
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
	    !fail(hipStreamSynchronize(native(s)), "hipStreamSynchronize", NULL))
		(void)hipStreamDestroy(native(s));
	free(s);
}

static int stream_sync(struct dev_stream *s, struct err *e)
{
	int status = use(s->dev, e);
	return status ? status : fail(hipStreamSynchronize(native(s)), "hipStreamSynchronize", e);
}

static int stream_wait(struct dev_stream *s, struct dev_event *ev, struct err *e)
{
	int status = use(s->dev, e);
	return status ? status :
			fail(hipStreamWaitEvent(native(s), ((struct hip_event *)ev)->event, 0),
			     "hipStreamWaitEvent", e);
}

static int sync_device(struct dev *d, struct err *e)
{
	int status = use(d, e);
	return status ? status : fail(hipDeviceSynchronize(), "hipDeviceSynchronize", e);
}

/* ---- events ---- */

static int event_create(struct dev *d, struct dev_event **out, struct err *e)
{
	struct hip_event *ev = calloc(1, sizeof(*ev));
	if (!ev)
		return err_set(e, ERR_MEMORY, "no host memory");
	ev->base.dev = d;
	int status = use(d, e);
	if (!status)
		status = fail(hipEventCreate(&ev->event), "hipEventCreate", e);
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
		(void)hipEventDestroy(((struct hip_event *)ev)->event);
	free(ev);
}

static int event_record(struct dev_event *ev, struct dev_stream *s, struct err *e)
{
	struct hip_event *own = (struct hip_event *)ev;
	int status = use(s->dev, e);
	if (!status)
		status = fail(hipEventRecord(own->event, native(s)), "hipEventRecord", e);
	if (!status)
		own->recorded = true;
	return status;
}

/* CUDA treats an event that was never recorded as complete. */
static int event_sync(struct dev_event *ev, struct err *e)
{
	const struct hip_event *own = (struct hip_event *)ev;
	int status = use(ev->dev, e);
	if (!status && !own->recorded)
		return err_set(e, ERR_USAGE, "the event was never recorded");
	return status ? status : fail(hipEventSynchronize(own->event), "hipEventSynchronize", e);
}

static int event_elapsed(struct dev_event *start, struct dev_event *stop, double *seconds,
			 struct err *e)
{
	hipEvent_t a = ((struct hip_event *)start)->event, b = ((struct hip_event *)stop)->event;
	float ms = 0;
	int status = event_sync(start, e);
	if (!status)
		status = event_sync(stop, e);
	if (!status)
		status = fail(hipEventElapsedTime(&ms, a, b), "hipEventElapsedTime", e);
	if (!status)
		*seconds = 1e-3 * (double)ms;
	return status;
}

/* ---- copies ---- */

static int copy(struct dev_stream *s, void *dst, const void *src, size_t bytes,
		enum hipMemcpyKind kind, struct err *e)
{
	int status = use(s->dev, e);
	return status ? status :
			fail(hipMemcpyAsync(dst, src, bytes, kind, native(s)), "hipMemcpyAsync", e);
}

static int copy_to(struct dev_stream *s, void *dst, const void *src, size_t bytes, struct err *e)
{
	return copy(s, dst, src, bytes, hipMemcpyHostToDevice, e);
}

static int copy_from(struct dev_stream *s, void *dst, const void *src, size_t bytes, struct err *e)
{
	return copy(s, dst, src, bytes, hipMemcpyDeviceToHost, e);
}

static int copy_on(struct dev_stream *s, void *dst, const void *src, size_t bytes, struct err *e)
{
	return copy(s, dst, src, bytes, hipMemcpyDeviceToDevice, e);
}

static int copy_peer(struct dev_stream *s, struct dev *dst_dev, void *dst, struct dev *src_dev,
		     const void *src, size_t bytes, struct err *e)
{
	int status = use(s->dev, e);
	return status ? status :
			fail(hipMemcpyPeerAsync(dst, dst_dev->ordinal, src, src_dev->ordinal, bytes,
						native(s)),
			     "hipMemcpyPeerAsync", e);
}

static int fill(struct dev_stream *s, void *dst, int byte, size_t bytes, struct err *e)
{
	int status = use(s->dev, e);
	return status ? status :
			fail(hipMemsetAsync(dst, byte, bytes, native(s)), "hipMemsetAsync", e);
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
	return fail(hipGetLastError(), "launch", e);
}

static const struct dev_ops hip_ops = {
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
