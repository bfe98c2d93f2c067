/* Calls of the device layer that fail on purpose: as device.h has them, but a refused one does
 * nothing and says so. */
#include "harness/device/device.h"
#include "tests/faults/inject.h"
#include "tests/faults/inject_copies.h"

#define AT const char *file, int line
#define PLACE file, line

/* A refused allocation is out of memory, another call fails as after a fault of the device. */
static int refused(int code, const char *what, struct err *e, AT)
{
	return err_set(e, code, "%s:%d: %s: refused on purpose", PLACE, what);
}

/* `done` is what follows from a call that was made. */
#define CALL(name, parameters, arguments, done)                                                    \
	int __real_##name parameters;                                                              \
	int __wrap_##name parameters;                                                              \
	static int call_##name parameters                                                          \
	{                                                                                          \
		bool before = inject_enter_device();                                               \
		int status = __real_##name arguments;                                              \
		inject_leave_device(before);                                                       \
		done;                                                                              \
		return status;                                                                     \
	}                                                                                          \
	int __wrap_##name parameters

#define REFUSED_OR_MADE(name, code, parameters, arguments, done)                                   \
	CALL(name, parameters, arguments, done)                                                    \
	{                                                                                          \
		return inject_fails(FAULT_DEVICE) ? refused(code, #name, e, PLACE) :               \
						    call_##name arguments;                         \
	}
#define REFUSED(name, code, parameters, arguments)                                                 \
	REFUSED_OR_MADE(name, code, parameters, arguments, (void)0)

/* A wait that fails has waited all the same: nobody can know what a broken device still does. */
#define WAIT(name, parameters, arguments, done)                                                    \
	CALL(name, parameters, arguments, done)                                                    \
	{                                                                                          \
		int status = call_##name arguments;                                                \
		return inject_fails(FAULT_DEVICE) ? refused(ERR_FAILED, #name, e, PLACE) : status; \
	}

REFUSED(dev_alloc_at, ERR_MEMORY, (struct dev * d, void **out, size_t bytes, struct err *e, AT),
	(d, out, bytes, e, PLACE))
REFUSED(dev_host_alloc_at, ERR_MEMORY,
	(struct dev * d, void **out, size_t bytes, struct err *e, AT), (d, out, bytes, e, PLACE))
REFUSED(dev_stream_create_at, ERR_MEMORY,
	(struct dev * d, struct dev_stream **out, struct err *e, AT), (d, out, e, PLACE))
REFUSED(dev_event_create_at, ERR_MEMORY,
	(struct dev * d, struct dev_event **out, struct err *e, AT), (d, out, e, PLACE))
REFUSED(dev_event_record_at, ERR_FAILED,
	(struct dev_event * ev, struct dev_stream *s, struct err *e, AT), (ev, s, e, PLACE))
REFUSED(dev_stream_wait_at, ERR_FAILED,
	(struct dev_stream * s, struct dev_event *ev, struct err *e, AT), (s, ev, e, PLACE))
REFUSED_OR_MADE(dev_copy_to_at, ERR_FAILED,
		(struct dev_stream * s, void *dst, const void *src, size_t bytes, struct err *e,
		 AT),
		(s, dst, src, bytes, e, PLACE), copies_begin(s, src, bytes, PLACE))
REFUSED_OR_MADE(dev_copy_from_at, ERR_FAILED,
		(struct dev_stream * s, void *dst, const void *src, size_t bytes, struct err *e,
		 AT),
		(s, dst, src, bytes, e, PLACE), copies_begin(s, dst, bytes, PLACE))
REFUSED(dev_copy_on_at, ERR_FAILED,
	(struct dev_stream * s, void *dst, const void *src, size_t bytes, struct err *e, AT),
	(s, dst, src, bytes, e, PLACE))
REFUSED(dev_copy_peer_at, ERR_FAILED,
	(struct dev_stream * s, struct dev *to, void *dst, struct dev *from, const void *src,
	 size_t bytes, struct err *e, AT),
	(s, to, dst, from, src, bytes, e, PLACE))
REFUSED(dev_fill_at, ERR_FAILED,
	(struct dev_stream * s, void *dst, int byte, size_t bytes, struct err *e, AT),
	(s, dst, byte, bytes, e, PLACE))
REFUSED(dev_enable_peer_at, ERR_FAILED, (struct dev * d, struct dev *peer, struct err *e, AT),
	(d, peer, e, PLACE))
REFUSED(dev_launch_begin_at, ERR_FAILED, (struct dev_stream * s, void **native, struct err *e, AT),
	(s, native, e, PLACE))
/* the kernel is on its way, and its launch is reported as failed */
WAIT(dev_launch_end_at, (struct dev_stream * s, const char *kernel, struct err *e, AT),
     (s, kernel, e, PLACE), (void)0)
WAIT(dev_stream_sync_at, (struct dev_stream * s, struct err *e, AT), (s, e, PLACE),
     copies_end(s, NULL))
WAIT(dev_sync_at, (struct dev * d, struct err *e, AT), (d, e, PLACE), copies_end(NULL, d))
WAIT(dev_event_sync_at, (struct dev_event * ev, struct err *e, AT), (ev, e, PLACE),
     copies_end_before(ev))
WAIT(dev_event_elapsed_at,
     (struct dev_event * start, struct dev_event *stop, double *seconds, struct err *e, AT),
     (start, stop, seconds, e, PLACE), copies_end_before(stop))

void __real_dev_stream_destroy(struct dev_stream *s);
void __wrap_dev_stream_destroy(struct dev_stream *s);
void __wrap_dev_stream_destroy(struct dev_stream *s)
{
	if (s)
		copies_end(s, NULL);
	__real_dev_stream_destroy(s);
}

/* What opening begins is the device's; all is over when it is closed. */
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

void __real_dev_set_close(struct dev_set *set);
void __wrap_dev_set_close(struct dev_set *set);
void __wrap_dev_set_close(struct dev_set *set)
{
	for (int i = 0; i < set->count; i++)
		copies_end(NULL, set->dev[i]);
	__real_dev_set_close(set);
}
