/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The memory of one simulated device: a range of addresses. Addresses outside allocations are never
 * accessible. Allocations are accessible only while the device has work. Guards around each
 * allocation are poisoned under ASan and checked otherwise. The caller does the locking. */
#ifndef COPRA_DEVICE_SIM_MEMORY_H
#define COPRA_DEVICE_SIM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "harness/base/error.h"
#include "harness/device/sim_fiber.h"

#if SIM_ASAN
#include <sanitizer/asan_interface.h>
#endif

struct sim_block_of_memory {
	size_t start;     /* offset of the guard before it */
	size_t span;      /* with both guards */
	size_t bytes;     /* requested size */
	const char *file; /* where it was allocated */
	int line;
};

struct sim_memory {
	unsigned char *base;
	size_t reserved; /* bytes of addresses reserved */
	size_t quota;    /* bytes that may be allocated */
	size_t used;
	size_t high; /* end of the part used so far */
	bool open;
	int fresh_byte;                   /* fill value of new memory */
	struct sim_block_of_memory *list; /* sorted by offset */
	size_t count, capacity;
};

int sim_memory_create(struct sim_memory *m, size_t quota, int fresh_byte, struct err *e);
void sim_memory_destroy(struct sim_memory *m);

int sim_memory_alloc(struct sim_memory *m, void **out, size_t bytes, const char *file, int line,
		     struct err *e);
/* False if `p` is no allocation. */
bool sim_memory_free(struct sim_memory *m, void *p);

/* Accessible or not. */
int sim_memory_open(struct sim_memory *m, struct err *e);
void sim_memory_close(struct sim_memory *m);

/* Whether the address is in the arena. */
bool sim_memory_has(const struct sim_memory *m, const void *p);
/* The allocation that holds all of p[0..bytes), or NULL. */
const struct sim_block_of_memory *sim_memory_find(const struct sim_memory *m, const void *p,
						  size_t bytes);
/* The first allocation whose guards were written to, or NULL. The memory must be open. */
const struct sim_block_of_memory *sim_memory_damaged(const struct sim_memory *m);

/* ---- guards: poisoned under ASan, otherwise a pattern that is checked ---- */

enum { SIM_GUARD_BYTE = 0xE7 };

static inline void sim_unpoison(void *p, size_t n)
{
#if SIM_ASAN
	__asan_unpoison_memory_region(p, n);
#else
	(void)p, (void)n;
#endif
}

static inline void sim_poison(void *p, size_t n)
{
#if SIM_ASAN
	__asan_poison_memory_region(p, n);
#else
	(void)p, (void)n;
#endif
}

/* Writes [guard, contents, guard] with the contents set to `fill`. None of it may be poisoned. */
static inline void sim_guard(unsigned char *p, size_t before, size_t bytes, size_t behind, int fill)
{
	memset(p, SIM_GUARD_BYTE, before);
	memset(p + before, fill, bytes);
	memset(p + before + bytes, SIM_GUARD_BYTE, behind);
	sim_poison(p, before);
	sim_poison(p + before + bytes, behind);
}

/* Whether the guard is unchanged. Under ASan it cannot be read, and a write to it stops the
 * process. */
static inline bool sim_guard_intact(const unsigned char *p, size_t n)
{
	for (size_t i = 0; !SIM_ASAN && i < n; i++)
		if (p[i] != SIM_GUARD_BYTE)
			return false;
	return true;
}

#endif
