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

#include "tests/faults/inject_copies.h"

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

/* A simulated device allocates and starts threads where a real one does neither: what it does on
 * our behalf within a call, or on threads of its own, is left alone. */
static _Thread_local bool of_device;

bool inject_enter_device(void)
{
	bool before = of_device;

	of_device = true;
	return before;
}

void inject_leave_device(bool before)
{
	of_device = before;
}

bool inject_fails(enum fault_kind kind)
{
	if (of_device)
		return false;

	int64_t now = atomic_fetch_add(&calls[kind], 1) + 1;
	return plan.kind == kind && plan.at > 0 &&
	       (plan.for_good ? now >= plan.at : now == plan.at);
}

/* ---- the blocks that our code holds: a table of addresses, so that what libraries allocate for us
 * and we free does not count ---- */

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

/* Those behind the hole that hashed before it move up, so that none is lost. */
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
	if (!inject_fails(FAULT_MEMORY))
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
	drop(p); /* before another thread may be given the same place */
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

/* A thread begun by a device is the device's. */
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
	struct beginning *b = inject_fails(FAULT_THREAD) ? NULL : __real_malloc(sizeof(*b));
	int status;

	if (!b)
		return EAGAIN;
	*b = (struct beginning){ start, argument, of_device };
	status = __real_pthread_create(thread, attributes, begin_thread, b);
	if (status)
		__real_free(b);
	return status;
}
