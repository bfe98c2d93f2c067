/* Guards around simulated memory: poisoned under ASan, else a pattern that is checked. */
#ifndef COPRA_DEVICE_SIM_POISON_H
#define COPRA_DEVICE_SIM_POISON_H

#include <stdbool.h>
#include <string.h>

#include "harness/device/sim_fiber.h"

#if SIM_ASAN
#include <sanitizer/asan_interface.h>
#endif

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

/* [guard, contents, guard] with the contents set to `fill`; nothing of it may be poisoned. */
static inline void sim_guard(unsigned char *p, size_t before, size_t bytes, size_t behind, int fill)
{
	memset(p, SIM_GUARD_BYTE, before);
	memset(p + before, fill, bytes);
	memset(p + before + bytes, SIM_GUARD_BYTE, behind);
	sim_poison(p, before);
	sim_poison(p + before + bytes, behind);
}

/* Is the guard as it was? Under ASan it cannot be read, and whoever writes there is stopped. */
static inline bool sim_guard_intact(const unsigned char *p, size_t n)
{
	for (size_t i = 0; !SIM_ASAN && i < n; i++)
		if (p[i] != SIM_GUARD_BYTE)
			return false;
	return true;
}

#endif
