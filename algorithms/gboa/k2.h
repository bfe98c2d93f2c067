/* The K2 metric (Cooper, Herskovits 1992; the BD metric of Heckerman, Geiger, Chickering 1995
 * without prior knowledge) of a binary variable X with parents P:
 *
 *   ln K2 = sum over configurations a of P of  ln N_a0! + ln N_a1! - ln (N_a + 1)!
 *
 * N_ax: individuals with P = a and X = x. In fixed point, modulo 2^32: sums do not depend on the
 * order of their terms, so that scalar, vector and GPU code find exactly the same gains and ties.
 * The gain of a parent is the difference of two scores, taken as a signed number. */
#ifndef COPRA_GBOA_K2_H
#define COPRA_GBOA_K2_H

#include <stdint.h>

#include "harness/base/error.h"
#include "harness/base/hd.h"

struct k2_table {
	uint32_t *at;  /* at[m] = ln m! x 2^scale, rounded, modulo 2^32; m = 0 .. count + 1 */
	int32_t count; /* individuals, M */
	int scale;     /* fraction bits: gains, at most M ln 2, fit into 31 bits; at most 26 */
};

/* count 1 .. 2^20. ERR_MEMORY. */
int k2_table_create(struct k2_table *t, int32_t count, struct err *e);
void k2_table_destroy(struct k2_table *t);

HD uint32_t k2_cell(const uint32_t *ln_factorial, uint32_t zeros, uint32_t ones)
{
	return ln_factorial[zeros] + ln_factorial[ones] - ln_factorial[zeros + ones + 1];
}

#endif
