/* The inner loop of Algorithm 1 for one item: c from `high` down to `low`. `taken` may be NULL;
 * else bit c tells that the item was taken at c. Scalar, as published: the compiler is told not to
 * vectorise it. */
#ifndef COPRA_DP_KNAPSACK_SERIAL_PASS_H
#define COPRA_DP_KNAPSACK_SERIAL_PASS_H

#include <stdint.h>

#ifdef __clang__
#define SERIAL_FUNCTION __attribute__((noinline))
#define SERIAL_LOOP _Pragma("clang loop vectorize(disable)")
#else
#define SERIAL_FUNCTION __attribute__((noinline, optimize("no-tree-vectorize")))
#define SERIAL_LOOP
#endif

#define SERIAL_PASS(name, cell)                                                                    \
	SERIAL_FUNCTION static void name(cell *f, int64_t low, int64_t high, int64_t w, int64_t p, \
					 uint64_t *taken)                                          \
	{                                                                                          \
		if (!taken) {                                                                      \
			SERIAL_LOOP                                                                \
			for (int64_t c = high; c >= low; c--) {                                    \
				if (f[c] < f[c - w] + (cell)p)                                     \
					f[c] = f[c - w] + (cell)p;                                 \
			}                                                                          \
			return;                                                                    \
		}                                                                                  \
		SERIAL_LOOP                                                                        \
		for (int64_t c = high; c >= low; c--) {                                            \
			if (f[c] < f[c - w] + (cell)p) {                                           \
				f[c] = f[c - w] + (cell)p;                                         \
				taken[c / 64] |= (uint64_t)1 << (c % 64);                          \
			}                                                                          \
		}                                                                                  \
	}
SERIAL_PASS(kp_serial_pass_32, int32_t)
SERIAL_PASS(kp_serial_pass_64, int64_t)
#undef SERIAL_PASS
#undef SERIAL_LOOP
#undef SERIAL_FUNCTION

#endif
