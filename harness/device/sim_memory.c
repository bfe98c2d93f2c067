/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/device/sim_memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { GUARD = 256, PAGE = 4096 };

static size_t round_up(size_t v, size_t to)
{
	return (v + to - 1) / to * to;
}

int sim_memory_create(struct sim_memory *m, size_t quota, int fresh_byte, struct err *e)
{
	memset(m, 0, sizeof(*m));
	m->quota = quota;
	m->fresh_byte = fresh_byte;
	/* twice the quota, because holes between allocations do not count against it */
	m->reserved = 2 * round_up(quota, PAGE) + 64 * PAGE;
	void *p = mmap(NULL, m->reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		       -1, 0);
	if (p == MAP_FAILED)
		return err_set(e, ERR_MEMORY,
			       "cannot reserve %zu bytes of addresses for a simulated device",
			       m->reserved);
	m->base = p;
	return 0;
}

void sim_memory_destroy(struct sim_memory *m)
{
	if (m->base) {
		sim_unpoison(m->base, m->high);
		munmap(m->base, m->reserved);
	}
	free(m->list);
	memset(m, 0, sizeof(*m));
}

/* Finds a free range of `span` bytes. *at gets the index of the allocation after it, *start its
 * offset. */
static bool find_hole(const struct sim_memory *m, size_t span, size_t *at, size_t *start)
{
	size_t end = 0;
	for (size_t i = 0; i <= m->count; i++) {
		size_t next = i < m->count ? m->list[i].start : m->reserved;
		if (next - end >= span) {
			*at = i;
			*start = end;
			return true;
		}
		if (i < m->count)
			end = m->list[i].start + m->list[i].span;
	}
	return false;
}

static bool grow_list(struct sim_memory *m)
{
	if (m->count < m->capacity)
		return true;
	size_t capacity = m->capacity ? 2 * m->capacity : 32;
	struct sim_block_of_memory *list = realloc(m->list, capacity * sizeof(*list));
	if (!list)
		return false;
	m->list = list;
	m->capacity = capacity;
	return true;
}

static int extend(struct sim_memory *m, size_t end, struct err *e)
{
	end = round_up(end, PAGE);
	if (end <= m->high)
		return 0;
	if (m->open && mprotect(m->base + m->high, end - m->high, PROT_READ | PROT_WRITE))
		return err_set(e, ERR_MEMORY, "the host has no memory for the simulated device");
	m->high = end;
	return 0;
}

int sim_memory_alloc(struct sim_memory *m, void **out, size_t bytes, const char *file, int line,
		     struct err *e)
{
	size_t at, start;
	if (bytes == 0)
		return 0;
	if (bytes > m->quota - m->used)
		return err_set(e, ERR_MEMORY, "%zu bytes requested, %zu free", bytes,
			       m->quota - m->used);
	size_t span = round_up(bytes + 2 * GUARD, GUARD);
	if (!find_hole(m, span, &at, &start) || !grow_list(m))
		return err_set(e, ERR_MEMORY, "%zu bytes requested, %zu free but not contiguous",
			       bytes, m->quota - m->used);
	bool was_open = m->open;
	int status = sim_memory_open(m, e);
	if (!status)
		status = extend(m, start + span, e);
	if (status)
		return status;
	memmove(m->list + at + 1, m->list + at, (m->count - at) * sizeof(*m->list));
	m->list[at] = (struct sim_block_of_memory){ start, span, bytes, file, line };
	m->count++;
	m->used += bytes;
	sim_unpoison(m->base + start, span);
	sim_guard(m->base + start, GUARD, bytes, span - GUARD - bytes, m->fresh_byte);
	*out = m->base + start + GUARD;
	if (!was_open)
		sim_memory_close(m);
	return 0;
}

bool sim_memory_free(struct sim_memory *m, void *p)
{
	const struct sim_block_of_memory *b = sim_memory_find(m, p, 1);
	if (!b || m->base + b->start + GUARD != p)
		return false;
	size_t i = (size_t)(b - m->list), first = round_up(b->start, PAGE);
	size_t last = (b->start + b->span) / PAGE * PAGE;
	sim_poison(m->base + b->start, b->span);
	if (first < last) /* gives the pages back */
		madvise(m->base + first, last - first, MADV_DONTNEED);
	m->used -= b->bytes;
	m->count--;
	memmove(m->list + i, m->list + i + 1, (m->count - i) * sizeof(*m->list));
	return true;
}

int sim_memory_open(struct sim_memory *m, struct err *e)
{
	if (m->open)
		return 0;
	if (m->high && mprotect(m->base, m->high, PROT_READ | PROT_WRITE))
		return err_set(e, ERR_MEMORY, "the host has no memory for the simulated device");
	m->open = true;
	return 0;
}

void sim_memory_close(struct sim_memory *m)
{
	if (m->open && m->high)
		mprotect(m->base, m->high, PROT_NONE);
	m->open = false;
}

bool sim_memory_has(const struct sim_memory *m, const void *p)
{
	uintptr_t base = (uintptr_t)m->base;
	return (uintptr_t)p >= base && (uintptr_t)p - base < m->reserved;
}

const struct sim_block_of_memory *sim_memory_find(const struct sim_memory *m, const void *p,
						  size_t bytes)
{
	if (!sim_memory_has(m, p))
		return NULL;
	size_t offset = (size_t)((const unsigned char *)p - m->base), low = 0, high = m->count;
	while (low < high) { /* find the last allocation that starts at or before the offset */
		size_t middle = (low + high) / 2;
		if (m->list[middle].start <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	const struct sim_block_of_memory *b = &m->list[low - 1];
	size_t first = b->start + GUARD;
	if (offset < first || offset - first > b->bytes || bytes > b->bytes - (offset - first))
		return NULL;
	return b;
}

const struct sim_block_of_memory *sim_memory_damaged(const struct sim_memory *m)
{
	for (size_t i = 0; i < m->count; i++) {
		const struct sim_block_of_memory *b = &m->list[i];
		const unsigned char *p = m->base + b->start;
		if (!sim_guard_intact(p, GUARD) ||
		    !sim_guard_intact(p + GUARD + b->bytes, b->span - GUARD - b->bytes))
			return b;
	}
	return NULL;
}
