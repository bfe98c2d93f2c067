/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Body of cpu_cells_32.c and cpu_cells_64.c, which define CELL, CELLS_TABLE and CELL_LOWEST. */
#include "algorithms/dp-knapsack/cpu_cells.h"

#include <stdbool.h>
#include <string.h>

/* 32 bytes even if 64 are available. At 64 bytes half of the loads here cross a cache line; at 32
 * only some do. A core that splits wide stores loses its second load port (measured, see
 * docs/lab-notes/dp-knapsack.md). AVX-512 still provides twice the registers and a 64-bit maximum.
 */
#if defined(__AVX2__)
#define VEC_BYTES 32
#else
#define VEC_BYTES 16
#endif
#define VEC_CELL CELL
#include "harness/base/simd.h"

enum { LANES = VEC_LANES };

/* A mask with lanes 0..n-1 set. */
static inline vec vec_first(int64_t n)
{
	vec v = { 0 };

	for (int i = 0; i < LANES; i++)
		v[i] = i < n ? (CELL)-1 : 0;
	return v;
}

/* Stores only the lanes set in `mask`; the others keep what memory holds. */
static inline void vec_store_some(CELL *p, vec v, vec mask)
{
	vec_store(p, (v & mask) | (vec_load(p) & ~mask));
}

static void fill(void *cells, int64_t lo, int64_t hi, int64_t value)
{
	CELL *g = cells;

	for (int64_t d = lo; d < hi; d++)
		g[d] = (CELL)value;
}

static int64_t get(const void *cells, int64_t d)
{
	return ((const CELL *)cells)[d];
}

/* Aligned: the loop has only a few instructions, and its position in a cache line of code changes
 * its speed by up to a third. */
static __attribute__((aligned(64))) void row(void *cells, int64_t lo, int64_t hi, int64_t w,
					     int64_t profit)
{
	CELL *g = cells;
	CELL p = (CELL)profit;
	int64_t d = lo;

	/* both loads precede the store, which is correct for every w >= 1 */
#pragma GCC unroll 4
	for (; d + LANES <= hi; d += LANES)
		vec_store(g + d, vec_max(vec_load(g + d), vec_load(g + d + w) + p));
	for (; d < hi; d++) {
		CELL taken = (CELL)(g[d + w] + p);

		g[d] = g[d] > taken ? g[d] : taken;
	}
}

static void one_bit(CELL *g, int64_t d, int64_t w, CELL p, uint8_t *bits)
{
	CELL taken = (CELL)(g[d + w] + p);

	if (taken > g[d]) {
		g[d] = taken;
		bits[d / 8] = (uint8_t)(bits[d / 8] | 1u << d % 8);
	}
}

/* Updates eight cells and returns their byte of decisions. */
static inline unsigned eight_bits(CELL *g, int64_t w, CELL p)
{
	unsigned byte = 0;

	for (int v = 0; v < 8; v += LANES) {
		vec old = vec_load(g + v), taken = vec_load(g + v + w) + p;

		byte |= vec_bits((vec)(taken > old)) << v;
		vec_store(g + v, vec_max(old, taken));
	}
	return byte;
}

static void row_bits(void *cells, int64_t lo, int64_t hi, int64_t w, int64_t profit, uint8_t *bits,
		     int64_t base)
{
	CELL *g = (CELL *)cells + base / 8 * 8;
	CELL p = (CELL)profit;
	int64_t d = lo - base / 8 * 8, end = hi - base / 8 * 8;

	for (; d < end && d % 8; d++)
		one_bit(g, d, w, p, bits);
	for (; d + 8 <= end; d += 8)
		bits[d / 8] = (uint8_t)eight_bits(g + d, w, p);
	for (; d < end; d++)
		one_bit(g, d, w, p, bits);
}

static void merge_one(const CELL *keep, const CELL *take, CELL *out, CELL p, uint8_t *bits,
		      int64_t bit)
{
	CELL taken = (CELL)(*take + p), old = keep ? *keep : (CELL)CELL_LOWEST;
	bool is = taken > old;

	*out = is ? taken : old;
	if (bits)
		bits[bit / 8] = (uint8_t)(bits[bit / 8] | (unsigned)is << bit % 8);
}

/* Eight cells; returns their byte of decisions. */
static inline unsigned merge_eight(const CELL *keep, const CELL *take, CELL *out, CELL p)
{
	unsigned byte = 0;

	for (int v = 0; v < 8; v += LANES) {
		vec old = keep ? vec_load(keep + v) : vec_all((CELL)CELL_LOWEST);
		vec taken = vec_load(take + v) + p;

		byte |= vec_bits((vec)(taken > old)) << v;
		vec_store(out + v, vec_max(old, taken));
	}
	return byte;
}

static void merge(const void *keep, const void *take, void *out, int64_t count, int64_t p,
		  uint8_t *bits, int64_t first)
{
	const CELL *k = keep, *t = take;
	CELL *o = out;
	int64_t i = 0;

	if (!t) {
		if (k)
			memcpy(o, k, (size_t)count * sizeof(*o));
		else
			fill(o, 0, count, CELL_LOWEST);
		return;
	}
	if (!bits && k)
		for (; i + LANES <= count; i += LANES)
			vec_store(o + i, vec_max(vec_load(k + i), vec_load(t + i) + (CELL)p));
	if (!bits && !k)
		for (; i + LANES <= count; i += LANES)
			vec_store(o + i, vec_load(t + i) + (CELL)p);
	for (; i < count && (first + i) % 8; i++)
		merge_one(k ? k + i : NULL, t + i, o + i, (CELL)p, bits, first + i);
	for (; bits && i + 8 <= count; i += 8)
		bits[(first + i) / 8] =
			(uint8_t)merge_eight(k ? k + i : NULL, t + i, o + i, (CELL)p);
	for (; i < count; i++)
		merge_one(k ? k + i : NULL, t + i, o + i, (CELL)p, bits, first + i);
}

static void chain_start(void *g, int64_t lo, int64_t w, const int64_t *p, int k)
{
	for (int j = 0; j < k - 1; j++)
		row(g, lo, lo + (k - 1 - j) * w, w, p[j]);
}

/* One vector of residues. `cell` is the lowest cell of the first one. `part` masks the lanes of the
 * last, incomplete vector of a period; the other lanes belong to residues that are done. */
static inline __attribute__((always_inline)) void
chain_lanes(CELL *cell, int64_t steps, int64_t w, const CELL *p, int k, bool partial, vec part)
{
	vec stage[DP_CHAIN];

#pragma GCC unroll 8
	for (int j = 0; j < k; j++)
		stage[j] = vec_load(cell + (k - 1 - j) * w);
	for (int64_t i = 0; i < steps; i++, cell += w) {
		vec x = vec_load(cell + k * w);

#pragma GCC unroll 8
		for (int j = 0; j < k; j++) {
			vec y = vec_max(stage[j], x + p[j]);

			stage[j] = x;
			x = y;
		}
		if (partial)
			vec_store_some(cell, x, part);
		else
			vec_store(cell, x);
	}
#pragma GCC unroll 8
	for (int j = 0; j < k; j++) {
		if (partial)
			vec_store_some(cell + (k - 1 - j) * w, stage[j], part);
		else
			vec_store(cell + (k - 1 - j) * w, stage[j]);
	}
}

static inline __attribute__((always_inline)) void chain_k(CELL *g, int64_t steps, int64_t w,
							  const CELL *p, int k)
{
	int64_t r = 0;

	for (; r + LANES <= w; r += LANES)
		chain_lanes(g + r, steps, w, p, k, false, (vec){ 0 });
	if (r < w)
		chain_lanes(g + r, steps, w, p, k, true, vec_first(w - r));
}

static void chain(void *cells, int64_t lo, int64_t steps, int64_t w, const int64_t *profit, int k)
{
	CELL *g = (CELL *)cells + lo;
	CELL p[DP_CHAIN];

	for (int j = 0; j < k; j++)
		p[j] = (CELL)profit[j];
	if (k == DP_CHAIN)
		chain_k(g, steps, w, p, DP_CHAIN);
	else if (k == 4)
		chain_k(g, steps, w, p, 4);
	else
		chain_k(g, steps, w, p, 2);
}

/* The suffix maxima of one block: h[o] = max over k >= o of cell k of the block + k p. */
static inline void window_block(vec *h, const CELL *cell, int64_t w, CELL p, int64_t length)
{
	vec gain = vec_all(0);

	for (int64_t o = 0; o < length; o++, gain += p)
		h[o] = vec_load(cell + o * w) + gain;
	for (int64_t o = length - 2; o >= 0; o--)
		h[o] = vec_max(h[o], h[o + 1]);
}

/* One vector of residues, in blocks of count + 1 cells: combines the suffix maxima of this block,
 * in h, with the running maximum of the next. Entries of h that have been read are overwritten with
 * the next block. */
static inline __attribute__((always_inline)) void window_lanes(CELL *cell, int64_t steps, int64_t w,
							       CELL p, int64_t count, vec *h,
							       bool partial, vec part)
{
	const CELL whole = (CELL)((count + 1) * p);

	window_block(h, cell, w, p, count + 1);
	for (int64_t i = 0; i < steps; i += count + 1, cell += (count + 1) * w) {
		const CELL *next = cell + (count + 1) * w;
		int64_t length = steps - i < count + 1 ? steps - i : count + 1;
		vec running = vec_all(CELL_LOWEST), gain = vec_all(0);

		if (partial)
			vec_store_some(cell, h[0], part);
		else
			vec_store(cell, h[0]);
		for (int64_t o = 1; o < length; o++) {
			vec x = vec_load(next + (o - 1) * w) + gain, y;

			gain += p;
			running = vec_max(running, x);
			y = vec_max(h[o], running + whole) - gain;
			h[o - 1] = x;
			if (partial)
				vec_store_some(cell + o * w, y, part);
			else
				vec_store(cell + o * w, y);
		}
		if (length < count + 1 || i + length == steps)
			return;
		h[count] = vec_load(next + count * w) + gain;
		for (int64_t o = count - 1; o >= 0; o--)
			h[o] = vec_max(h[o], h[o + 1]);
	}
}

static void window(void *cells, int64_t lo, int64_t steps, int64_t w, int64_t p, int64_t count,
		   void *scratch)
{
	CELL *g = (CELL *)cells + lo;
	int64_t r = 0;

	for (; r + LANES <= w; r += LANES)
		window_lanes(g + r, steps, w, (CELL)p, count, scratch, false, (vec){ 0 });
	if (r < w)
		window_lanes(g + r, steps, w, (CELL)p, count, scratch, true, vec_first(w - r));
}

const struct dp_cells CELLS_TABLE = {
	.bytes = sizeof(CELL),
	.lowest = CELL_LOWEST,
	.fill = fill,
	.get = get,
	.row = row,
	.row_bits = row_bits,
	.merge = merge,
	.chain_start = chain_start,
	.chain = chain,
	.window = window,
};
