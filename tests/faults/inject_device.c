/* Calls of the device layer that fail on purpose: as device.h has them, but a refused one does
 * nothing and says so. */
#include "../../harness/device.h"
#include "inject.h"

/* A refused allocation is out of memory, another call fails as after a fault of the device. */
static int refused(int code, const char *what, struct err *e, const char *file, int line)
{
	return err_set(e, code, "%s:%d: %s: refused on purpose", file, line, what);
}

#define REFUSABLE(name, code, parameters, arguments)                                              \
	int __real_##name parameters;                                                             \
	int __wrap_##name parameters;                                                             \
	int __wrap_##name parameters                                                              \
	{                                                                                         \
		if (inject_fails(FAULT_DEVICE))                                                   \
			return refused(code, #name, e, file, line);                               \
		bool before = inject_enter_device();                                              \
		int status = __real_##name arguments;                                             \
		inject_leave_device(before);                                                      \
		return status;                                                                    \
	}

REFUSABLE(dev_alloc_at, ERR_MEMORY,
	  (struct dev *d, void **out, size_t bytes, struct err *e, const char *file, int line),
	  (d, out, bytes, e, file, line))
REFUSABLE(dev_host_alloc_at, ERR_MEMORY,
	  (struct dev *d, void **out, size_t bytes, struct err *e, const char *file, int line),
	  (d, out, bytes, e, file, line))
REFUSABLE(dev_stream_create_at, ERR_MEMORY,
	  (struct dev *d, struct dev_stream **out, struct err *e, const char *file, int line),
	  (d, out, e, file, line))
REFUSABLE(dev_event_create_at, ERR_MEMORY,
	  (struct dev *d, struct dev_event **out, struct err *e, const char *file, int line),
	  (d, out, e, file, line))
REFUSABLE(dev_event_record_at, ERR_FAILED,
	  (struct dev_event *ev, struct dev_stream *s, struct err *e, const char *file, int line),
	  (ev, s, e, file, line))
REFUSABLE(dev_stream_wait_at, ERR_FAILED,
	  (struct dev_stream *s, struct dev_event *ev, struct err *e, const char *file, int line),
	  (s, ev, e, file, line))
REFUSABLE(dev_event_elapsed_at, ERR_FAILED,
	  (struct dev_event *start, struct dev_event *stop, double *seconds, struct err *e,
	   const char *file, int line),
	  (start, stop, seconds, e, file, line))
REFUSABLE(dev_copy_to_at, ERR_FAILED,
	  (struct dev_stream *s, void *dst, const void *src, size_t bytes, struct err *e,
	   const char *file, int line),
	  (s, dst, src, bytes, e, file, line))
REFUSABLE(dev_copy_from_at, ERR_FAILED,
	  (struct dev_stream *s, void *dst, const void *src, size_t bytes, struct err *e,
	   const char *file, int line),
	  (s, dst, src, bytes, e, file, line))
REFUSABLE(dev_copy_on_at, ERR_FAILED,
	  (struct dev_stream *s, void *dst, const void *src, size_t bytes, struct err *e,
	   const char *file, int line),
	  (s, dst, src, bytes, e, file, line))
REFUSABLE(dev_copy_peer_at, ERR_FAILED,
	  (struct dev_stream *s, struct dev *to, void *dst, struct dev *from, const void *src,
	   size_t bytes, struct err *e, const char *file, int line),
	  (s, to, dst, from, src, bytes, e, file, line))
REFUSABLE(dev_fill_at, ERR_FAILED,
	  (struct dev_stream *s, void *dst, int byte, size_t bytes, struct err *e,
	   const char *file, int line),
	  (s, dst, byte, bytes, e, file, line))
REFUSABLE(dev_enable_peer_at, ERR_FAILED,
	  (struct dev *d, struct dev *peer, struct err *e, const char *file, int line),
	  (d, peer, e, file, line))
REFUSABLE(dev_stream_sync_at, ERR_FAILED,
	  (struct dev_stream *s, struct err *e, const char *file, int line), (s, e, file, line))
REFUSABLE(dev_sync_at, ERR_FAILED, (struct dev *d, struct err *e, const char *file, int line),
	  (d, e, file, line))
REFUSABLE(dev_launch_begin_at, ERR_FAILED,
	  (struct dev_stream *s, void **native, struct err *e, const char *file, int line),
	  (s, native, e, file, line))

/* The kernel is on its way, and the launch is reported as failed all the same. */
int __real_dev_launch_end_at(struct dev_stream *s, const char *kernel, struct err *e,
			     const char *file, int line);
int __wrap_dev_launch_end_at(struct dev_stream *s, const char *kernel, struct err *e,
			     const char *file, int line);
int __wrap_dev_launch_end_at(struct dev_stream *s, const char *kernel, struct err *e,
			     const char *file, int line)
{
	bool before = inject_enter_device();
	int status = __real_dev_launch_end_at(s, kernel, e, file, line);

	inject_leave_device(before);
	if (status == 0 && inject_fails(FAULT_DEVICE))
		status = refused(ERR_FAILED, kernel, e, file, line);
	return status;
}

/* Opening fails as real allocations do; what it begins is the device's. */
int __real_dev_set_open(struct dev_set *set, const char *text, int min_gpus, struct err *e);
int __wrap_dev_set_open(struct dev_set *set, const char *text, int min_gpus, struct err *e);
int __wrap_dev_set_open(struct dev_set *set, const char *text, int min_gpus, struct err *e)
{
	if (inject_fails(FAULT_DEVICE))
		return err_set(e, ERR_MEMORY, "dev_set_open: refused on purpose");
	bool before = inject_enter_device();
	int status = __real_dev_set_open(set, text, min_gpus, e);
	inject_leave_device(before);
	return status;
}
