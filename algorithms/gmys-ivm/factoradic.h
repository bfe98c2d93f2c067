/* Factoradic numbers (Gmys et al. 2017, section 3.1; Knuth vol. 2, 4.1): a number from 0 to n! - 1
 * as n digits, digit i, the most significant first, in 0..n-1-i and of weight (n-1-i)!.
 *
 * n may be 1000, and n! needs 8530 bits: numbers are always digits, never integers. Everything here
 * is exact, but for factoradic_fraction.
 *
 * An interval has a first and a last number, both included (the paper's [B, E) with E = last + 1,
 * which n! as an end would not fit); no interval is empty. */
#ifndef COPRA_GMYS_IVM_FACTORADIC_H
#define COPRA_GMYS_IVM_FACTORADIC_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/base/hd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -1, 0, 1: the first `digits` digits of a against those of b, as numbers. */
HD int factoradic_compare(const uint16_t *a, const uint16_t *b, int digits)
{
	for (int i = 0; i < digits; i++) {
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

/* n! - 1. */
HD void factoradic_last(uint16_t *x, int n)
{
	for (int i = 0; i < n; i++)
		x[i] = (uint16_t)(n - 1 - i);
}

/* (last - first + 1) / n!, in (0, 1], to a relative 1e-12; 0 where it is below the smallest double.
 */
HD double factoradic_fraction(const uint16_t *first, const uint16_t *last, int n)
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

/* Sums of lengths are compared modulo this prime, the largest below 2^53: n! does not fit any
 * integer. The subtree below a node has k! leaves, which is never a multiple of the prime, so
 * losing one is always noticed. */
#define FACTORADIC_MODULUS UINT64_C(9007199254740881)

/* x modulo FACTORADIC_MODULUS; n <= 2047. The first digit may be n, which stands for n!. */
HD uint64_t factoradic_residue(const uint16_t *x, int n)
{
	uint64_t value = 0;

	for (int i = 0; i < n; i++)
		value = (value * (uint64_t)(n - i) + x[i]) % FACTORADIC_MODULUS;
	return value;
}

/* The length of the interval that has these residues, of its first number and of the number behind
 * its last. */
HD uint64_t factoradic_distance(uint64_t first, uint64_t behind)
{
	return (behind + FACTORADIC_MODULUS - first) % FACTORADIC_MODULUS;
}

/* Of first .. last. */
HD uint64_t factoradic_length(const uint16_t *first, const uint16_t *last, int n)
{
	return factoradic_distance(factoradic_residue(first, n), factoradic_residue(last, n) + 1);
}

/* Where an explorer of .. last is that has come to x: the residue of x, or, where x is behind last
 * since the cells in between were pruned, of the number behind last. */
HD uint64_t factoradic_reached(const uint16_t *x, const uint16_t *last, int n)
{
	return factoradic_compare(x, last, n) > 0 ? factoradic_residue(last, n) + 1 :
						    factoradic_residue(x, n);
}

/* What the thief gets by the rule of steal-half, and by steal-1/k: the numbers from
 * first + floor(kept * (last - first) / parts) + 1 on, first .. *owner_last staying with the owner.
 * Exact. false, where the interval has one number alone: nothing to share. 1 <= kept < parts <=
 * 65535. `owner_last` may be `last` itself, `thief_first` `first`. */
bool factoradic_split(const uint16_t *first, const uint16_t *last, int n, int kept, int parts,
		      uint16_t *owner_last, uint16_t *thief_first);

/* x + 1; false, x unchanged, where x = n! - 1. */
bool factoradic_next(uint16_t *x, int n);
/* x - 1; false, x unchanged, where x = 0. */
bool factoradic_previous(uint16_t *x, int n);

#ifdef __cplusplus
}
#endif
#endif
