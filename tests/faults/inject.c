/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tests/faults/inject.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "harness/device/device_backend.h"

static struct fault_plan plan;
static _Atomic int64_t calls[FAULT_KINDS];

void inject_begin(const struct fault_plan *p)
{
	plan = *p;
	for (int i = 0; i < FAULT_KINDS; i++)
		atomic_store(&calls[i], 0);
}

int64_t inject_calls(enum fault_kind kind)
{
	return atomic_load(&calls[kind]);
}

/* A simulated device allocates memory and starts threads; a real one does neither. So its calls and
 * its own threads are not counted. */
static _Thread_local bool of_device;

static bool enter_device(void)
{
	bool before = of_device;

	of_device = true;
	return before;
}

static void leave_device(bool before)
{
	of_device = before;
}

/* Whether this call is the one to fail. */
static bool fails(enum fault_kind kind)
{
	if (of_device)
		return false;

	int64_t now = atomic_fetch_add(&calls[kind], 1) + 1;
	return plan.kind == kind && plan.at > 0 &&
	       (plan.for_good ? now >= plan.at : now == plan.at);
}

/* ---- copies in flight ---- */

enum { MOST_COPIES = 4096 }; /* further ones are not tracked */

static struct copy {
	const struct dev_stream *stream;
	const struct dev *device;
	uintptr_t from, to; /* of the host */
	const char *file;
	int line;
} copies[MOST_COPIES];
static int copy_count;
static int64_t torn;
static struct copy first_torn;
static pthread_mutex_t copies_lock = PTHREAD_MUTEX_INITIALIZER;

/* A copy was queued at this file and line. */
static void copies_begin(struct dev_stream *s, const void *host, size_t bytes, const char *file,
			 int line)
{
	pthread_mutex_lock(&copies_lock);
	if (copy_count < MOST_COPIES && bytes)
		copies[copy_count++] = (struct copy){
			s,   dev_stream_device(s), (uintptr_t)host, (uintptr_t)host + bytes, file,
			line
		};
	pthread_mutex_unlock(&copies_lock);
}

/* Ends the copies of a stream, or of a device if s is NULL. */
static void copies_end(struct dev_stream *s, const struct dev *d)
{
	pthread_mutex_lock(&copies_lock);
	for (int i = copy_count; i-- > 0;)
		if (s ? copies[i].stream == s : copies[i].device == d)
			copies[i] = copies[--copy_count];
	pthread_mutex_unlock(&copies_lock);
}

/* Ends all copies of the device of the event: its stream is not known here. */
static void copies_end_before(const struct dev_event *ev)
{
	copies_end(NULL, ev->dev);
}

/* A block is freed. */
static void copies_freed(const void *block, size_t bytes)
{
	uintptr_t from = (uintptr_t)block;

	pthread_mutex_lock(&copies_lock);
	for (int i = 0; i < copy_count; i++)
		if (copies[i].from < from + bytes && from < copies[i].to && torn++ == 0)
			first_torn = copies[i];
	pthread_mutex_unlock(&copies_lock);
}

int64_t inject_torn_copies(char *place, size_t size)
{
	pthread_mutex_lock(&copies_lock);
	snprintf(place, size, "%s:%d", torn ? first_torn.file : "", first_torn.line);
	int64_t found = torn;
	pthread_mutex_unlock(&copies_lock);
	return found;
}

/* ---- blocks that our code holds ---- */

/* A hash table of addresses. Blocks that a library allocated and our code frees are not in it and
 * do not count. */

enum { PLACES = 1 << 20 };
static uintptr_t held[PLACES];
static int64_t holding;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t place_of(uintptr_t p)
{
	size_t at = (size_t)(p * UINT64_C(0x9e3779b97f4a7c15) >> 44);

	while (held[at] && held[at] != p)
		at = (at + 1) % PLACES;
	return at;
}

static void *hold(void *p)
{
	if (!p)
		return NULL;
	pthread_mutex_lock(&lock);
	held[place_of((uintptr_t)p)] = (uintptr_t)p;
	holding++;
	pthread_mutex_unlock(&lock);
	return p;
}

/* Removes a block from the table. Entries of the same probe sequence move up into the hole, so that
 * they are still found. */
static void drop(void *p)
{
	pthread_mutex_lock(&lock);
	size_t at = place_of((uintptr_t)p);
	if (p && held[at]) {
		held[at] = 0;
		holding--;
		for (at = (at + 1) % PLACES; held[at]; at = (at + 1) % PLACES) {
			uintptr_t moved = held[at];

			held[at] = 0;
			held[place_of(moved)] = moved;
		}
	}
	pthread_mutex_unlock(&lock);
}

int64_t inject_blocks(void)
{
	pthread_mutex_lock(&lock);
	int64_t count = holding;
	pthread_mutex_unlock(&lock);
	return count;
}

/* ---- allocations ---- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
int __real_posix_memalign(void **out, size_t align, size_t size);
char *__real_strdup(const char *s);
char *__real_strndup(const char *s, size_t n);
void __real_free(void *p);
void *__real_mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*start)(void *), void *argument);

static bool no_memory(void)
{
	if (!fails(FAULT_MEMORY))
		return false;
	errno = ENOMEM;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return no_memory() ? NULL : hold(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
	return no_memory() ? NULL : hold(__real_calloc(count, size));
}

void *__wrap_realloc(void *p, size_t size)
{
	void *moved;

	if (no_memory())
		return NULL;
	drop(p); /* before another thread can be given the same address */
	moved = __real_realloc(p, size);
	hold(moved ? moved : p);
	return moved;
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
	return no_memory() ? NULL : hold(__real_aligned_alloc(align, size));
}

int __wrap_posix_memalign(void **out, size_t align, size_t size)
{
	int status = no_memory() ? ENOMEM : __real_posix_memalign(out, align, size);

	if (status == 0)
		hold(*out);
	return status;
}

char *__wrap_strdup(const char *s)
{
	return no_memory() ? NULL : hold(__real_strdup(s));
}

char *__wrap_strndup(const char *s, size_t n)
{
	return no_memory() ? NULL : hold(__real_strndup(s, n));
}

int __wrap_asprintf(char **out, const char *format, ...)
{
	va_list ap;
	int length;

	if (no_memory())
		return -1;
	va_start(ap, format);
	length = vasprintf(out, format, ap);
	va_end(ap);
	hold(length < 0 ? NULL : *out);
	return length;
}

void __wrap_free(void *p)
{
	if (p)
		copies_freed(p, malloc_usable_size(p));
	drop(p);
	__real_free(p);
}

void *__wrap_mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset)
{
	return no_memory() ? MAP_FAILED : __real_mmap(at, length, protection, flags, fd, offset);
}

/* A thread started by a device belongs to the device. */
struct beginning {
	void *(*start)(void *);
	void *argument;
	bool of_device;
};

static void *begin_thread(void *memory)
{
	struct beginning b = *(struct beginning *)memory;

	__real_free(memory);
	of_device = b.of_device;
	return b.start(b.argument);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*start)(void *), void *argument)
{
	struct beginning *b = fails(FAULT_THREAD) ? NULL : __real_malloc(sizeof(*b));
	int status;

	if (!b)
		return EAGAIN;
	*b = (struct beginning){ start, argument, of_device };
	status = __real_pthread_create(thread, attributes, begin_thread, b);
	if (status)
		__real_free(b);
	return status;
}

/* ---- calls of the device layer: a refused one does nothing and reports an error ---- */

#define AT const char *file, int line
#define PLACE file, line

/* A failing allocation reports ERR_MEMORY; other calls fail as after a device fault. */
static int refused(int code, const char *what, struct err *e, AT)
{
	return err_set(e, code, "%s:%d: %s: refused on purpose", PLACE, what);
}

/* `done` is executed after a call that was made. */
#define CALL(name, parameters, arguments, done)                                                    \
	int __real_##name parameters;                                                              \
	int __wrap_##name parameters;                                                              \
	static int call_##name parameters                                                          \
	{                                                                                          \
		bool before = enter_device();                                                      \
		int status = __real_##name arguments;                                              \
		leave_device(before);                                                              \
		done;                                                                              \
		return status;                                                                     \
	}                                                                                          \
	int __wrap_##name parameters

#define REFUSED_OR_MADE(name, code, parameters, arguments, done)                                   \
	CALL(name, parameters, arguments, done)                                                    \
	{                                                                                          \
		return fails(FAULT_DEVICE) ? refused(code, #name, e, PLACE) :                      \
					     call_##name arguments;                                \
	}
#define REFUSED(name, code, parameters, arguments)                                                 \
	REFUSED_OR_MADE(name, code, parameters, arguments, (void)0)

/* A wait that is made to fail waits nevertheless, because the device may still use the memory. */
#define WAIT(name, parameters, arguments, done)                                                    \
	CALL(name, parameters, arguments, done)                                                    \
	{                                                                                          \
		int status = call_##name arguments;                                                \
		return fails(FAULT_DEVICE) ? refused(ERR_FAILED, #name, e, PLACE) : status;        \
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
/* the kernel is queued, and its launch is reported as failed */
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

/* Threads and memory of dev_set_open belong to the device. Closing the set ends all copies. */
int __real_dev_set_open(struct dev_set *set, const char *text, int min_gpus, struct err *e);
int __wrap_dev_set_open(struct dev_set *set, const char *text, int min_gpus, struct err *e);
int __wrap_dev_set_open(struct dev_set *set, const char *text, int min_gpus, struct err *e)
{
	if (fails(FAULT_DEVICE))
		return err_set(e, ERR_MEMORY, "dev_set_open: refused on purpose");
	bool before = enter_device();
	int status = __real_dev_set_open(set, text, min_gpus, e);
	leave_device(before);
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
