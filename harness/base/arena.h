/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Arrays one after another in one block of memory, each aligned to 256 bytes as device loads
 * prefer.
 *
 * Run the same code twice: first with base NULL, so that the pointers are NULL and `used` is the
 * number of bytes to allocate; then with the allocated block as base. */
#ifndef COPRA_BASE_ARENA_H
#define COPRA_BASE_ARENA_H

#include <stddef.h>

struct arena {
	void *base;  /* aligned to 256, as dev_alloc returns it */
	size_t used; /* starts at 0 */
};

/* Returns the next `bytes`, rounded up to a multiple of 256. */
static inline void *arena_take(struct arena *a, size_t bytes)
{
	void *at = a->base ? (char *)a->base + a->used : NULL;

	a->used += (bytes + 255) / 256 * 256;
	return at;
}

#endif
