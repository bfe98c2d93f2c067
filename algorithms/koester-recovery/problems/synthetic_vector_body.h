/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A template without an include guard. synthetic_host.c includes it once for each vector width,
 * after it has defined LANES (floats per vector), FMA (the vec_fma of harness/base/simd.h for that
 * width) and ROWS. It defines the function products_<LANES>. `columns` is a constant at every call,
 * so the compiler unrolls all loops except those over rows, k and times. */
#define VEC PASTE(vec_float, LANES)
#define LOAD PASTE(load_, LANES)

static inline __attribute__((always_inline)) VEC LOAD(const float *from)
{
	VEC v;

	memcpy(&v, from, sizeof(v));
	return v;
}

/* Multiplies `some` rows, a constant of at most ROWS. */
static inline __attribute__((always_inline)) void
PASTE(block_, LANES)(float *x, const uint32_t some, const uint32_t columns, const float *w)
{
	VEC sum[ROWS][32 / LANES];

#pragma GCC unroll 8
	for (uint32_t r = 0; r < some; r++) {
#pragma GCC unroll 8
		for (uint32_t j = 0; j < columns / LANES; j++)
			sum[r][j] = x[r * columns] * LOAD(w + j * LANES);
	}
	for (uint32_t k = 1; k < columns; k++) {
#pragma GCC unroll 8
		for (uint32_t j = 0; j < columns / LANES; j++) {
			VEC part = LOAD(w + k * columns + j * LANES);

#pragma GCC unroll 8
			for (uint32_t r = 0; r < some; r++)
				sum[r][j] = FMA(x[r * columns + k] - (VEC){ 0 }, part, sum[r][j]);
		}
	}
#pragma GCC unroll 8
	for (uint32_t r = 0; r < some; r++) {
#pragma GCC unroll 8
		for (uint32_t j = 0; j < columns / LANES; j++)
			memcpy(x + r * columns + j * LANES, &sum[r][j], sizeof(VEC));
	}
}

static inline __attribute__((always_inline)) void PASTE(products_, LANES)(float *x, uint32_t rows,
									  const uint32_t columns,
									  const float *w,
									  uint32_t times)
{
	uint32_t row = 0;

	for (uint32_t i = 0; i < times; i++) {
		for (row = 0; row + ROWS <= rows; row += ROWS)
			PASTE(block_, LANES)(x + row * columns, ROWS, columns, w);
		for (; row < rows; row++)
			PASTE(block_, LANES)(x + row * columns, 1, columns, w);
	}
}

#undef VEC
#undef LOAD
