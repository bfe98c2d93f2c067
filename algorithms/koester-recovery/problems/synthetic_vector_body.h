/* Included once for each width, LANES: void products_<LANES>. `columns` is a constant at every
 * call, so that all loops but those over rows, k and times are unrolled. */
#define VEC PASTE(vec, LANES)
#define V(name) PASTE(PASTE(vec, LANES), _##name)

/* `some` <= ROWS rows, a constant. */
static inline __attribute__((always_inline)) void
PASTE(block_, LANES)(float *x, const uint32_t some, const uint32_t columns, const float *w)
{
	VEC sum[ROWS][32 / LANES];

#pragma GCC unroll 8
	for (uint32_t r = 0; r < some; r++) {
#pragma GCC unroll 8
		for (uint32_t j = 0; j < columns / LANES; j++)
			sum[r][j] = V(mul)(V(all)(x[r * columns]), V(load)(w + j * LANES));
	}
	for (uint32_t k = 1; k < columns; k++) {
#pragma GCC unroll 8
		for (uint32_t j = 0; j < columns / LANES; j++) {
			VEC part = V(load)(w + k * columns + j * LANES);

#pragma GCC unroll 8
			for (uint32_t r = 0; r < some; r++)
				sum[r][j] = V(fma)(V(all)(x[r * columns + k]), part, sum[r][j]);
		}
	}
#pragma GCC unroll 8
	for (uint32_t r = 0; r < some; r++) {
#pragma GCC unroll 8
		for (uint32_t j = 0; j < columns / LANES; j++)
			V(store)(x + r * columns + j * LANES, sum[r][j]);
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
#undef V
