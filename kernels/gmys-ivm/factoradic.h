/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Factoradic numbers, for host and device (Gmys et al. 2017, section 3.1; Knuth vol. 2, 4.1).
 *
 * A number in 0 .. n! - 1 has n digits, the most significant first. Digit i is in 0 .. n-1-i and
 * has the weight (n-1-i)!. With n up to 1000, n! needs 8530 bits, so numbers are always arrays of
 * digits, never integers. All functions are exact except ivm_factoradic_fraction.
 *
 * An interval is given by its first and its last number, both included. (The paper's [B, E) has
 * E = last + 1, but n! as an end does not fit into n digits.) No interval is empty. */
#ifndef COPRA_KERNELS_GMYS_IVM_FACTORADIC_H
#define COPRA_KERNELS_GMYS_IVM_FACTORADIC_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/base/hd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Compares the numbers given by the first `digits` digits of a and b: -1, 0 or 1. */
HD int ivm_factoradic_compare(const uint16_t *a, const uint16_t *b, int digits)
{
	for (int i = 0; i < digits; i++) {
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

/* Sets x to n! - 1. */
HD void ivm_factoradic_last(uint16_t *x, int n)
{
	for (int i = 0; i < n; i++)
		x[i] = (uint16_t)(n - 1 - i);
}

/* Whether all of the last `digits` digits, from x on, are the least ones. */
HD bool ivm_factoradic_is_first(const uint16_t *x, int digits)
{
	for (int i = 0; i < digits; i++)
		if (x[i])
			return false;
	return true;
}

/* Whether all of the last `digits` digits, from x on, are the largest ones. */
HD bool ivm_factoradic_is_last(const uint16_t *x, int digits)
{
	for (int i = 0; i < digits; i++)
		if (x[i] != digits - 1 - i)
			return false;
	return true;
}

/* Sets x to x + 1. Returns false and leaves x unchanged if x = n! - 1. */
HD bool ivm_factoradic_next(uint16_t *x, int n)
{
	int i = n - 1;

	while (i >= 0 && x[i] == n - 1 - i)
		i--;
	if (i < 0)
		return false;
	x[i]++;
	while (++i < n)
		x[i] = 0;
	return true;
}

/* Sets x to x - 1. Returns false and leaves x unchanged if x = 0. */
HD bool ivm_factoradic_previous(uint16_t *x, int n)
{
	int i = n - 1;

	while (i >= 0 && x[i] == 0)
		i--;
	if (i < 0)
		return false;
	x[i]--;
	ivm_factoradic_last(x + i + 1, n - 1 - i);
	return true;
}

/* ---- lengths of intervals ---- */

/* (last - first + 1) / n!, in (0, 1], with a relative error below 1e-12. Returns 0 where the value
 * is below the smallest double. */
HD double ivm_factoradic_fraction(const uint16_t *first, const uint16_t *last, int n)
{
	double length = 1;
	int borrow = 0;

	for (int i = n - 1; i >= 0; i--) {
		int digit = last[i] - first[i] - borrow;

		borrow = digit < 0;
		length = (length + (borrow ? digit + n - i : digit)) / (n - i);
	}
	return length;
}

/* Sums of lengths are compared modulo this prime, the largest below 2^53, because n! does not fit
 * into any integer type. The subtree below a node has k! leaves. This is never a multiple of the
 * prime, so the loss of a subtree is always detected. */
#define IVM_FACTORADIC_MODULUS UINT64_C(9007199254740881)

/* x modulo IVM_FACTORADIC_MODULUS, for n <= 2047. The first digit may be n, which stands for n!. */
HD uint64_t ivm_factoradic_residue(const uint16_t *x, int n)
{
	uint64_t value = 0;

	for (int i = 0; i < n; i++)
		value = (value * (uint64_t)(n - i) + x[i]) % IVM_FACTORADIC_MODULUS;
	return value;
}

/* The length of an interval from the residues of its first number and of its last number + 1. */
HD uint64_t ivm_factoradic_distance(uint64_t first, uint64_t end)
{
	return (end + IVM_FACTORADIC_MODULUS - first) % IVM_FACTORADIC_MODULUS;
}

/* The length of first .. last, modulo IVM_FACTORADIC_MODULUS. */
HD uint64_t ivm_factoradic_length(const uint16_t *first, const uint16_t *last, int n)
{
	return ivm_factoradic_distance(ivm_factoradic_residue(first, n),
				       ivm_factoradic_residue(last, n) + 1);
}

/* The residue of the position of an explorer whose interval ends at `last` and that has reached x.
 * If x is beyond `last`, because the cells in between were pruned, this is the residue of
 * last + 1. */
HD uint64_t ivm_factoradic_reached(const uint16_t *x, const uint16_t *last, int n)
{
	return ivm_factoradic_compare(x, last, n) > 0 ? ivm_factoradic_residue(last, n) + 1 :
							ivm_factoradic_residue(x, n);
}

/* ---- splitting an interval ---- */

/* q = a - b, for a >= b. */
HD void ivm_factoradic_subtract(const uint16_t *a, const uint16_t *b, int n, uint16_t *q)
{
	int borrow = 0;

	for (int i = n - 1; i >= 0; i--) {
		int digit = a[i] - b[i] - borrow;

		borrow = digit < 0;
		q[i] = (uint16_t)(borrow ? digit + n - i : digit);
	}
}

/* x = floor(x / parts). Returns the remainder. */
HD uint32_t ivm_factoradic_divide(uint16_t *x, int n, uint32_t parts)
{
	uint32_t rest = 0;

	for (int i = 0; i < n; i++) {
		uint32_t value = rest * (uint32_t)(n - i) + x[i];

		x[i] = (uint16_t)(value / parts);
		rest = value % parts;
	}
	return rest;
}

/* x = base + x * factor + more. The result must be below n!. */
HD void ivm_factoradic_multiply_add(uint16_t *x, int n, uint32_t factor, uint32_t more,
				    const uint16_t *base)
{
	uint32_t carry = more;

	for (int i = n - 1; i >= 0; i--) {
		uint32_t value = x[i] * factor + base[i] + carry;

		x[i] = (uint16_t)(value % (uint32_t)(n - i));
		carry = value / (uint32_t)(n - i);
	}
}

/* Splits an interval by the rule of steal-half (kept 1, parts 2) or steal-1/k. The owner keeps
 * first .. *owner_last. The thief gets the numbers from *thief_first =
 * first + floor(kept * (last - first) / parts) + 1 on. The split is exact. Returns false if the
 * interval has only one number. 1 <= kept < parts <= 65535. `owner_last` may alias `last`, and
 * `thief_first` may alias `first`. */
HD bool ivm_factoradic_split(const uint16_t *first, const uint16_t *last, int n, int kept,
			     int parts, uint16_t *owner_last, uint16_t *thief_first)
{
	uint32_t factor = (uint32_t)kept, rest;

	if (ivm_factoradic_compare(first, last, n) >= 0)
		return false;
	/* With last - first = q * parts + rest, floor(kept * (last - first) / parts) is
	 * kept * q + floor(kept * rest / parts). No intermediate value exceeds n digits. */
	ivm_factoradic_subtract(last, first, n, owner_last);
	rest = ivm_factoradic_divide(owner_last, n, (uint32_t)parts);
	ivm_factoradic_multiply_add(owner_last, n, factor, factor * rest / (uint32_t)parts, first);
	for (int i = 0; i < n; i++)
		thief_first[i] = owner_last[i];
	return ivm_factoradic_next(thief_first, n);
}

#ifdef __cplusplus
}
#endif
#endif
