/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/device/device_memory.h"

#include <pthread.h>
#include <stdlib.h>

/* A hash table with linear probing; free places have ptr NULL. At most half of it is in use. */
struct place {
	const void *ptr;
	size_t bytes;
};

struct device_memory {
	pthread_mutex_t lock;
	struct place *table;
	size_t room, count; /* room: a power of two */
	uint64_t held, peak, limit;
};

enum { FIRST_ROOM = 64 };

struct device_memory *device_memory_create(uint64_t limit)
{
	struct device_memory *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->limit = limit;
	m->room = FIRST_ROOM;
	m->table = calloc(m->room, sizeof(*m->table));
	if (!m->table) {
		free(m);
		return NULL;
	}
	pthread_mutex_init(&m->lock, NULL);
	return m;
}

void device_memory_destroy(struct device_memory *m)
{
	if (!m)
		return;
	pthread_mutex_destroy(&m->lock);
	free(m->table);
	free(m);
}

/* Allocations are aligned to at least 256 bytes, so the low bits say nothing. */
static size_t home_of(const void *ptr, size_t room)
{
	return (size_t)(((uint64_t)(uintptr_t)ptr >> 8) * UINT64_C(0x9e3779b97f4a7c15) >> 32) &
	       (room - 1);
}

/* The place of the pointer, or the free place where it would be. */
static size_t find(const struct place *table, size_t room, const void *ptr)
{
	size_t i = home_of(ptr, room);

	while (table[i].ptr && table[i].ptr != ptr)
		i = (i + 1) & (room - 1);
	return i;
}

static bool grow(struct device_memory *m)
{
	size_t room = 2 * m->room;
	struct place *table = calloc(room, sizeof(*table));

	if (!table)
		return false;
	for (size_t i = 0; i < m->room; i++)
		if (m->table[i].ptr)
			table[find(table, room, m->table[i].ptr)] = m->table[i];
	free(m->table);
	m->table = table;
	m->room = room;
	return true;
}

uint64_t device_memory_limit(const struct device_memory *m)
{
	return m->limit;
}

uint64_t device_memory_left(struct device_memory *m)
{
	pthread_mutex_lock(&m->lock);
	uint64_t left = m->limit - (m->held < m->limit ? m->held : m->limit);
	pthread_mutex_unlock(&m->lock);
	return left;
}

bool device_memory_add(struct device_memory *m, const void *ptr, size_t bytes)
{
	bool fits;

	pthread_mutex_lock(&m->lock);
	fits = 2 * (m->count + 1) <= m->room || grow(m);
	if (fits) {
		m->table[find(m->table, m->room, ptr)] = (struct place){ ptr, bytes };
		m->count++;
		m->held += bytes;
		m->peak = m->held > m->peak ? m->held : m->peak;
	}
	pthread_mutex_unlock(&m->lock);
	return fits;
}

/* Moves later entries up that the free place would separate from their home. */
static void close_gap(struct device_memory *m, size_t gap)
{
	size_t mask = m->room - 1;

	for (size_t i = (gap + 1) & mask; m->table[i].ptr; i = (i + 1) & mask) {
		size_t home = home_of(m->table[i].ptr, m->room);

		if (((i - home) & mask) < ((i - gap) & mask))
			continue;
		m->table[gap] = m->table[i];
		gap = i;
	}
	m->table[gap] = (struct place){ NULL, 0 };
}

void device_memory_remove(struct device_memory *m, const void *ptr)
{
	size_t i;

	pthread_mutex_lock(&m->lock);
	i = find(m->table, m->room, ptr);
	if (m->table[i].ptr) {
		m->held -= m->table[i].bytes;
		m->count--;
		close_gap(m, i);
	}
	pthread_mutex_unlock(&m->lock);
}

uint64_t device_memory_peak(struct device_memory *m)
{
	uint64_t peak;

	pthread_mutex_lock(&m->lock);
	peak = m->peak;
	pthread_mutex_unlock(&m->lock);
	return peak;
}

void device_memory_restart(struct device_memory *m)
{
	pthread_mutex_lock(&m->lock);
	m->peak = m->held;
	pthread_mutex_unlock(&m->lock);
}
