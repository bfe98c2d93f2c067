/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Overflow-checked arithmetic: each function stores the result and returns true, or returns false
 * on overflow and leaves *out unchanged. */
#ifndef COPRA_BASE_CHECKED_H
#define COPRA_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHECKED_OP(name, type, builtin)                                                            \
	static inline bool name(type a, type b, type *out)                                         \
	{                                                                                          \
		type result;                                                                       \
		if (builtin(a, b, &result))                                                        \
			return false;                                                              \
		*out = result;                                                                     \
		return true;                                                                       \
	}

CHECKED_OP(checked_add_size, size_t, __builtin_add_overflow)
CHECKED_OP(checked_sub_size, size_t, __builtin_sub_overflow)
CHECKED_OP(checked_mul_size, size_t, __builtin_mul_overflow)
CHECKED_OP(checked_add_i64, int64_t, __builtin_add_overflow)
CHECKED_OP(checked_sub_i64, int64_t, __builtin_sub_overflow)
CHECKED_OP(checked_mul_i64, int64_t, __builtin_mul_overflow)
CHECKED_OP(checked_add_u64, uint64_t, __builtin_add_overflow)
CHECKED_OP(checked_mul_u64, uint64_t, __builtin_mul_overflow)

#undef CHECKED_OP

/* The greatest common divisor; gcd(a, 0) = a. */
static inline uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* int64 to size_t, for counts read from files. */
static inline bool checked_size_from_i64(int64_t value, size_t *out)
{
	if (value < 0 || (uint64_t)value > SIZE_MAX)
		return false;
	*out = (size_t)value;
	return true;
}

#endif
