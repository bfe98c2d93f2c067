/* Arrays one behind the other in one block of memory, each aligned to 256 bytes as loads of a
 * device like it. Lay them out twice with the same code: with base NULL the pointers are NULL and
 * `used` tells the bytes to allocate, then with the block. */
#ifndef COPRA_BASE_LAYOUT_H
#define COPRA_BASE_LAYOUT_H

#include <stddef.h>

struct layout {
	void *base;  /* aligned to 256, as dev_alloc gives it */
	size_t used; /* begin with 0 */
};

/* The next `bytes`; what is left up to the next multiple of 256 is lost. */
static inline void *layout_take(struct layout *l, size_t bytes)
{
	void *at = l->base ? (char *)l->base + l->used : NULL;

	l->used += (bytes + 255) / 256 * 256;
	return at;
}

#endif
