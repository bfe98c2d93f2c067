/* cp.async: the bytes arrive when the thread waits for them, and not before, so that a missing wait
 * or barrier shows. */
#include <stdlib.h>
#include <string.h>

#include "harness/device/sim_engine.h"

struct copy {
	void *dst;
	const void *src;
	unsigned bytes, group;
};

struct sim_async {
	unsigned group; /* the one being filled */
	unsigned count, capacity;
	struct copy *copy; /* in the order of issue */
};

static struct sim_async *state_of(struct sim_thread *t)
{
	if (!t->async)
		t->async = calloc(1, sizeof(*t->async));
	if (!t->async)
		sim_fail(t, "no host memory for asynchronous copies");
	return t->async;
}

void sim_copy_async(void *dst, const void *src, unsigned bytes, struct sim_place at)
{
	struct sim_thread *t = sim_current();
	struct sim_async *a = state_of(t);
	t->at = at;
	if ((uintptr_t)dst % bytes || (uintptr_t)src % bytes)
		sim_fail(t, "asynchronous copy of %u bytes to or from an unaligned address", bytes);
	if (a->count == a->capacity) {
		unsigned capacity = a->capacity ? 2 * a->capacity : 16;
		struct copy *grown = realloc(a->copy, capacity * sizeof(*grown));
		if (!grown)
			sim_fail(t, "no host memory for asynchronous copies");
		a->copy = grown;
		a->capacity = capacity;
	}
	memset(dst, 0xC3, bytes);
	a->copy[a->count++] = (struct copy){ dst, src, bytes, a->group };
}

void sim_copy_commit(void)
{
	state_of(sim_current())->group++;
}

void sim_copy_wait(unsigned groups_left)
{
	struct sim_async *a = state_of(sim_current());
	unsigned done = 0;
	for (; done < a->count && a->copy[done].group + groups_left < a->group; done++)
		memcpy(a->copy[done].dst, a->copy[done].src, a->copy[done].bytes);
	if (done)
		memmove(a->copy, a->copy + done, (a->count - done) * sizeof(*a->copy));
	a->count -= done;
}

void sim_async_drop(struct sim_thread *t)
{
	if (t->async)
		t->async->count = t->async->group = 0;
}

void sim_async_free(struct sim_thread *t)
{
	if (t->async)
		free(t->async->copy);
	free(t->async);
	t->async = NULL;
}
