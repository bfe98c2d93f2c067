/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Devices: one C interface to three backends.
 *
 *   cuda  NVIDIA GPUs through the CUDA runtime; present only in builds that found a CUDA toolkit.
 *   hip   AMD GPUs through the HIP runtime; present only in builds with HIP=1 (docs/AMD.md).
 *   sim   the same kernel sources run on the host, for correctness and never for timing; always
 *         present. See sim.h.
 *
 * Nothing here includes a header of CUDA or HIP. The error message of a failed call names the call,
 * the device, and the file and line of the caller (through the macros at the end). Devices are
 * explicit arguments: there is no "current device". All functions may be called from any thread. A
 * stream may be used by one thread at a time.
 *
 * A device set is what the user wrote after --device:
 *   auto          every usable CUDA device, else every usable HIP device; ERR_DEVICE with the
 *                 reason where there is none
 *   cuda          CUDA device 0       cuda:0,1   those
 *   hip           HIP device 0        hip:0,1    those
 *   sim           one simulated       sim:0,1    two simulated
 *   cpu           no device at all (count 0) */
#ifndef COPRA_DEVICE_DEVICE_H
#define COPRA_DEVICE_DEVICE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum dev_backend { DEV_CPU, DEV_CUDA, DEV_SIM, DEV_HIP };
enum { DEV_MAX = 16 };

/* Handle of one opened device, its streams and events. Opaque; owned by the device set. */
struct dev;
struct dev_stream;
struct dev_event;

struct dev_set {
	enum dev_backend backend;
	int count; /* 0 for DEV_CPU */
	struct dev *dev[DEV_MAX];
};

struct dev_info {
	enum dev_backend backend;
	int ordinal;                      /* the user's device number: 2 for cuda:2 */
	char name[128];                   /* "NVIDIA H200", "simulated GPU 0" */
	char uuid[48];                    /* empty for sim */
	int compute_major, compute_minor; /* 9.0 for Hopper; 0.0 for sim and hip */
	int sm_count;
	int warp_size; /* 32 */
	int max_threads_per_block;
	size_t shared_per_block; /* bytes of dynamic shared memory a block may opt in to */
	size_t shared_per_sm;
	size_t l2_bytes;
	size_t memory_total, memory_free; /* bytes; free is read at the call */
	int clock_khz;                    /* default SM clock; 0 where unknown */
	bool cooperative;                 /* grid-wide cooperative launch works */
};

/* Why CUDA cannot be used ("built without a CUDA toolkit", "no NVIDIA driver", "no GPU found",
 * ...); NULL if at least one CUDA device is usable. The text is static. */
const char *dev_cuda_unavailable(void);
/* The number of CUDA devices. With COPRA_CUDA_PARTS=2 each GPU counts as two devices, so that code
 * for several GPUs can be tested on one. Each reports half of the multiprocessors and memory, but
 * its kernels may use the whole GPU. Times mean nothing then. */
int dev_cuda_count(void);
/* The same for the devices that "auto" opens. */
const char *dev_gpu_unavailable(void);
int dev_gpu_count(void);
/* The devices of one back end that can be opened; 0 for DEV_CPU and DEV_SIM. */
int dev_backend_count(enum dev_backend b);
/* An estimate of dev_gpu_count() from the device files of the NVIDIA driver and
 * CUDA_VISIBLE_DEVICES. It takes microseconds; CUDA takes 0.1 to 0.3 s to start. Without such files
 * it is dev_gpu_count(). A driver that does not work is not noticed. */
int dev_gpu_likely(void);

/* Parses and opens a device set; `set` may then be passed around by address. `min_gpus` > 0
 * requests that many: "auto" or "cuda" with min_gpus 4 opens cuda:0..3, "sim" opens sim:0..3.
 * ERR_USAGE for a malformed string, ERR_DEVICE if a device does not exist. */
int dev_set_open(struct dev_set *set, const char *text, int min_gpus, struct err *e);
/* The same, but only the first device starts, in another thread: a CUDA context takes 0.2 s or
 * more. dev_set_await() must follow before it is used. Each of the others starts when it is first
 * used, or by dev_start(). */
int dev_set_open_first(struct dev_set *set, const char *text, int min_gpus, struct err *e);
/* Waits until the first device, if there is one, has started. ERR_FAILED or ERR_MEMORY if it
 * cannot start. */
int dev_set_await(const struct dev_set *set, struct err *e);
/* Starts a device in another thread, if that has not been done yet, and returns at once: 1 if it
 * has started, 0 if it is still starting, else the negative code of its error. Only one thread may
 * call it for a device. */
int dev_start(struct dev *d);
/* Starts the first `count` devices of a set (at most all), those that have not started yet at once,
 * and waits for them. Returns how many of them, from the first on, have started. */
int dev_set_start(const struct dev_set *set, int count);
/* How long the start of a device took; 0 if it has not started. */
double dev_start_seconds(const struct dev *d);
/* Waits for devices that are starting. */
void dev_set_close(struct dev_set *set);

/* Opens the set `text` beside other work, as dev_set_open_first() and dev_set_await() do: only its
 * first device starts. `set` is empty until dev_opening_finish(). ERR_MEMORY, and ERR_USAGE for a
 * bad COPRA_DEVICE_MEMORY. */
struct dev_opening;
int dev_opening_begin(struct dev_opening **out, struct dev_set *set, const char *text,
		      struct err *e);
/* Whether dev_opening_finish() would return at once. */
bool dev_opening_done(struct dev_opening *o);
/* Whether it would return an error at once. */
bool dev_opening_failed(struct dev_opening *o);
/* Waits until the first device has started or the set could not be opened: returns that error, and
 * the same one in later calls. */
int dev_opening_finish(struct dev_opening *o, struct err *e);
/* Waits, too. The caller closes the set. o may be NULL. */
void dev_opening_destroy(struct dev_opening *o);

/* Lets `stop` (borrowed) cancel the kernels of simulated devices. Kernels that still run half a
 * second after it became non-zero end with ERR_LIMIT. So does all later work of such a device; the
 * contents of its memory are then undefined. Searches also poll the flag between launches, so most
 * end normally before that; but one launch may take minutes on sim. Launches on GPUs are short and
 * always complete. */
void dev_set_cancel_on(struct dev_set *set, const volatile sig_atomic_t *stop);
/* Whether the stop flag has cancelled work: the contents of the devices' memory are then
 * undefined. */
bool dev_set_cancelled(const struct dev_set *set);

int dev_get_info(struct dev *d, struct dev_info *info, struct err *e);
enum dev_backend dev_backend_of(const struct dev *d);
const char *dev_backend_name(enum dev_backend b);
/* Whether its devices are GPUs, neither simulated nor none. */
static inline bool dev_backend_is_gpu(enum dev_backend b)
{
	return b == DEV_CUDA || b == DEV_HIP;
}

/* Memory. Sizes are in bytes. dev_alloc of more than is free gives ERR_MEMORY naming both sizes.
 * COPRA_DEVICE_MEMORY=8G (suffixes K, M, G) makes every device, also sim, appear to have no more.
 * Device pointers must not be dereferenced on the host (sim checks that: see sim.h). New device
 * memory is uninitialised (poison on sim). dev_free(NULL) is allowed. */
int dev_alloc_at(struct dev *d, void **out, size_t bytes, struct err *e, const char *file,
		 int line);
void dev_free(struct dev *d, void *ptr);
int dev_host_alloc_at(struct dev *d, void **out, size_t bytes, struct err *e, const char *file,
		      int line); /* pinned */
void dev_host_free(struct dev *d, void *ptr);
/* The largest sum of dev_alloc() at any moment since dev_memory_restart(), or since the device was
 * opened. Without what the driver needs itself, and without dev_host_alloc(). */
uint64_t dev_memory_peak(struct dev *d);
void dev_memory_restart(struct dev *d);

/* Streams and events. Work in one stream runs in
 * order. Copies are asynchronous to the host until the stream or the device is synchronised. */
int dev_stream_create_at(struct dev *d, struct dev_stream **out, struct err *e, const char *file,
			 int line);
void dev_stream_destroy(struct dev_stream *s);
struct dev *dev_stream_device(struct dev_stream *s);
struct dev_stream *dev_default_stream(struct dev *d);

int dev_event_create_at(struct dev *d, struct dev_event **out, struct err *e, const char *file,
			int line);
void dev_event_destroy(struct dev_event *ev);
int dev_event_record_at(struct dev_event *ev, struct dev_stream *s, struct err *e, const char *file,
			int line);
int dev_stream_wait_at(struct dev_stream *s, struct dev_event *ev, struct err *e, const char *file,
		       int line);
/* Returns when all work that precedes the event's last record in the stream is complete, and
 * reports errors of kernels as dev_stream_sync does. Use it to learn that a copy or kernel no
 * longer needs a buffer, without waiting for the rest of the stream. ERR_USAGE: the event was never
 * recorded. */
int dev_event_sync_at(struct dev_event *ev, struct err *e, const char *file, int line);
/* Waits for both events. *seconds gets the time between them by the device's clock (wall clock on
 * sim). */
int dev_event_elapsed_at(struct dev_event *start, struct dev_event *stop, double *seconds,
			 struct err *e, const char *file, int line);

int dev_copy_to_at(struct dev_stream *s, void *device_dst, const void *host_src, size_t bytes,
		   struct err *e, const char *file, int line);
int dev_copy_from_at(struct dev_stream *s, void *host_dst, const void *device_src, size_t bytes,
		     struct err *e, const char *file, int line);
int dev_copy_on_at(struct dev_stream *s, void *device_dst, const void *device_src, size_t bytes,
		   struct err *e, const char *file, int line);
/* Copies between two devices; `s` belongs to either. Works with or without peer access. */
int dev_copy_peer_at(struct dev_stream *s, struct dev *dst_dev, void *dst, struct dev *src_dev,
		     const void *src, size_t bytes, struct err *e, const char *file, int line);
int dev_fill_at(struct dev_stream *s, void *device_dst, int byte, size_t bytes, struct err *e,
		const char *file, int line);

/* Lets kernels of `d` read and write memory of `peer`. ERR_UNSUPPORTED when the machine cannot. */
int dev_enable_peer_at(struct dev *d, struct dev *peer, struct err *e, const char *file, int line);

/* Waits for all work of the stream (device) and reports any error of its kernels. */
int dev_stream_sync_at(struct dev_stream *s, struct err *e, const char *file, int line);
int dev_sync_at(struct dev *d, struct err *e, const char *file, int line);

/* Drains a stream at the end of a function that started copies from or to memory that it or its
 * caller may free next. Such copies continue after an error elsewhere, so the memory must stay
 * valid. Waits for all work of the stream (NULL: there is none yet) whatever `status` is. Returns
 * `status`, or the result of the wait if `status` is 0. */
static inline int dev_drain_at(struct dev_stream *s, int status, struct err *e, const char *file,
			       int line)
{
	int waited = s ? dev_stream_sync_at(s, status ? 0 : e, file, line) : 0;

	return status ? status : waited;
}

/* For launch functions in kernels/: makes the stream's device current in this thread and returns
 * the backend's own stream handle (cudaStream_t, hipStream_t, struct sim_stream *). */
int dev_launch_begin_at(struct dev_stream *s, void **native, struct err *e, const char *file,
			int line);
/* After a launch: the error of the launch itself, with the kernel's name. */
int dev_launch_end_at(struct dev_stream *s, const char *kernel, struct err *e, const char *file,
		      int line);

#define dev_alloc(d, out, bytes, e) dev_alloc_at(d, out, bytes, e, __FILE__, __LINE__)
#define dev_host_alloc(d, out, bytes, e) dev_host_alloc_at(d, out, bytes, e, __FILE__, __LINE__)
#define dev_stream_create(d, out, e) dev_stream_create_at(d, out, e, __FILE__, __LINE__)
#define dev_event_create(d, out, e) dev_event_create_at(d, out, e, __FILE__, __LINE__)
#define dev_event_record(ev, s, e) dev_event_record_at(ev, s, e, __FILE__, __LINE__)
#define dev_stream_wait(s, ev, e) dev_stream_wait_at(s, ev, e, __FILE__, __LINE__)
#define dev_event_sync(ev, e) dev_event_sync_at(ev, e, __FILE__, __LINE__)
#define dev_event_elapsed(a, b, sec, e) dev_event_elapsed_at(a, b, sec, e, __FILE__, __LINE__)
#define dev_copy_to(s, dst, src, bytes, e) dev_copy_to_at(s, dst, src, bytes, e, __FILE__, __LINE__)
#define dev_copy_from(s, dst, src, bytes, e)                                                       \
	dev_copy_from_at(s, dst, src, bytes, e, __FILE__, __LINE__)
#define dev_copy_on(s, dst, src, bytes, e) dev_copy_on_at(s, dst, src, bytes, e, __FILE__, __LINE__)
#define dev_copy_peer(s, dd, dst, sd, src, bytes, e)                                               \
	dev_copy_peer_at(s, dd, dst, sd, src, bytes, e, __FILE__, __LINE__)
#define dev_fill(s, dst, byte, bytes, e) dev_fill_at(s, dst, byte, bytes, e, __FILE__, __LINE__)
#define dev_enable_peer(d, peer, e) dev_enable_peer_at(d, peer, e, __FILE__, __LINE__)
#define dev_stream_sync(s, e) dev_stream_sync_at(s, e, __FILE__, __LINE__)
#define dev_sync(d, e) dev_sync_at(d, e, __FILE__, __LINE__)
#define dev_drain(s, status, e) dev_drain_at(s, status, e, __FILE__, __LINE__)
#define dev_launch_begin(s, native, e) dev_launch_begin_at(s, native, e, __FILE__, __LINE__)
#define dev_launch_end(s, kernel, e) dev_launch_end_at(s, kernel, e, __FILE__, __LINE__)

#ifdef __cplusplus
}
#endif

/* Declares a table of launch functions, which kernels/ defines once per back end (BACKEND_SYMBOL in
 * kernels/common/gpu.cuh):
 *
 *     DEV_KERNELS(struct saxpy_kernels, saxpy_kernels);
 *
 * declares saxpy_kernels_sim, _cuda and _hip. saxpy_kernels_for(d) returns the address of the one
 * for the back end of device `d`. */
#define DEV_KERNELS(type, name)                                                                    \
	DEV_EXTERN const type name##_sim, name##_cuda, name##_hip DEV_TABLE;                       \
	static inline const type *name##_for(const struct dev *d)                                  \
	{                                                                                          \
		return DEV_KERNELS_FOR(d, name);                                                   \
	}                                                                                          \
	struct dev
#ifdef __cplusplus
#define DEV_EXTERN extern "C"
#else
#define DEV_EXTERN extern
#endif
/* The attributes of a table's first declaration. When hipcc compiles for the GPU, it would place a
 * constant table, which is full of host functions, in device memory as well. */
#if defined(__HIP_DEVICE_COMPILE__)
#define DEV_TABLE __attribute__((internal_linkage, unused))
#else
#define DEV_TABLE
#endif
#define DEV_KERNELS_FOR(d, name)                                                                   \
	(DEV_IF_CUDA(dev_backend_of(d) == DEV_CUDA ? &name##_cuda :)                               \
		 DEV_IF_HIP(dev_backend_of(d) == DEV_HIP ? &name##_hip :)((void)(d), &name##_sim))
#if COPRA_HAVE_CUDA
#define DEV_IF_CUDA(...) __VA_ARGS__
#else
#define DEV_IF_CUDA(...)
#endif
#if COPRA_HAVE_HIP
#define DEV_IF_HIP(...) __VA_ARGS__
#else
#define DEV_IF_HIP(...)
#endif

#endif
