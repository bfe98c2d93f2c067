/* What the kernels of ceilings_kernels.h must leave, computed one thread at a time in plain C. */
#include <math.h>

#include "harness/machine/ceilings_kernels.h"

const struct ceilings_kernels *ceilings_kernels_for(const struct dev *d)
{
#if COPRA_HAVE_CUDA
	if (dev_backend_of(d) == DEV_CUDA)
		return &ceilings_kernels_cuda;
#endif
	return dev_backend_of(d) == DEV_SIM ? &ceilings_kernels_sim : 0;
}

uint32_t ceilings_pattern(uint64_t index)
{
	return (uint32_t)(index & 0xffffffff) * UINT32_C(2654435761) + (uint32_t)(index >> 32);
}

/* A piece i of shared memory holds i, 3i, 5i, 7i. */
static uint32_t shared_read(uint32_t in_block, int steps)
{
	uint32_t sum = 0;

	for (int step = 0; step < steps; step++)
		for (uint32_t k = 0; k < RATE_UNROLL; k++)
			sum += 16 * (in_block +
				     CEILINGS_BLOCK * (k + (step % 2 ? (uint32_t)RATE_UNROLL : 0)));
	return sum;
}

/* Each half holds what its last step stored. */
static uint32_t shared_write(uint32_t in_block, int steps)
{
	uint32_t sum = 0;

	for (int half = 0; half < 2; half++) {
		int last = steps - 1 - ((steps - 1) % 2 != half);

		if (last < 0)
			continue;
		for (uint32_t k = 0; k < RATE_UNROLL; k++)
			sum += (k + 1 + (half ? (uint32_t)RATE_UNROLL : 0)) * 4 *
			       ((uint32_t)last + in_block);
	}
	return sum;
}

static uint32_t digest(const uint32_t *x)
{
	uint32_t sum = 0;

	for (int k = 0; k < RATE_CHAINS; k++)
		sum = sum * 31 + x[k];
	return sum;
}

static uint32_t add_max_32(uint32_t thread, int steps)
{
	int64_t x[RATE_CHAINS], up = 2 + thread % 2, down = -up - 1;
	uint32_t words[RATE_CHAINS];

	for (uint32_t k = 0; k < RATE_CHAINS; k++)
		x[k] = (thread + 37 * k) & UINT32_C(0x03ff03ff);
	for (int step = 0; step < steps; step++) {
		for (int k = 0; k < RATE_CHAINS; k++) {
			int64_t other = x[(k + 3) % RATE_CHAINS];

			x[k] = x[k] + up > other ? x[k] + up : other;
		}
		for (int k = 0; k < RATE_CHAINS; k++) {
			int64_t other = x[(k + 5) % RATE_CHAINS];

			x[k] = x[k] + down > other ? x[k] + down : other;
		}
	}
	for (int k = 0; k < RATE_CHAINS; k++)
		words[k] = (uint32_t)x[k];
	return digest(words);
}

/* One half of the pairs: sums wrap in 16 bits. */
static void add_max_half(uint16_t *x, int steps, int up, int down)
{
	for (int step = 0; step < steps; step++) {
		for (int k = 0; k < RATE_CHAINS; k++) {
			int16_t sum = (int16_t)(uint16_t)(x[k] + up);
			int16_t other = (int16_t)x[(k + 3) % RATE_CHAINS];

			x[k] = (uint16_t)(sum > other ? sum : other);
		}
		for (int k = 0; k < RATE_CHAINS; k++) {
			int16_t sum = (int16_t)(uint16_t)(x[k] + down);
			int16_t other = (int16_t)x[(k + 5) % RATE_CHAINS];

			x[k] = (uint16_t)(sum > other ? sum : other);
		}
	}
}

static uint32_t add_max_16(uint32_t thread, int steps)
{
	uint16_t low[RATE_CHAINS], high[RATE_CHAINS];
	uint32_t words[RATE_CHAINS];

	for (uint32_t k = 0; k < RATE_CHAINS; k++) {
		uint32_t start = (thread + 37 * k) & UINT32_C(0x03ff03ff);

		low[k] = (uint16_t)(start & 0xffff);
		high[k] = (uint16_t)(start >> 16);
	}
	add_max_half(low, steps, 2, -3);
	add_max_half(high, steps, 1, -2);
	for (int k = 0; k < RATE_CHAINS; k++)
		words[k] = (uint32_t)high[k] << 16 | low[k];
	return digest(words);
}

static uint32_t popcount(uint32_t thread, int steps)
{
	uint32_t x[RATE_CHAINS];

	for (uint32_t k = 0; k < RATE_CHAINS; k++) {
		x[k] = thread + 37 * k;
		for (int step = 0; step < steps; step++)
			for (uint32_t bits = x[k]; bits; bits &= bits - 1)
				x[k]++;
	}
	return digest(x);
}

static uint32_t multiply_add(uint32_t thread, int steps)
{
	const float factor = thread % 2 ? 0.75f : 0.5f;
	const float term = 1.0f + 0.125f * (float)(thread % 8);
	float sum = 0;

	for (uint32_t k = 0; k < RATE_CHAINS; k++) {
		float x = (float)((thread + 37 * k) % 1024);

		for (int step = 0; step < steps; step++)
			x = fmaf(x, factor, term);
		sum += x;
	}
	return (uint32_t)(sum * 1024);
}

uint32_t ceilings_rate_expected(enum ceilings_rate rate, uint32_t thread, int steps)
{
	switch (rate) {
	case RATE_SHARED_READ:
		return shared_read(thread % CEILINGS_BLOCK, steps);
	case RATE_SHARED_WRITE:
		return shared_write(thread % CEILINGS_BLOCK, steps);
	case RATE_ADD_MAX:
		return add_max_32(thread, steps);
	case RATE_ADD_MAX_16:
		return add_max_16(thread, steps);
	case RATE_POPCOUNT:
		return popcount(thread, steps);
	case RATE_FMA:
		return multiply_add(thread, steps);
	case RATES:
		break;
	}
	return 0;
}

double ceilings_rate_amount(enum ceilings_rate rate, int blocks, int steps)
{
	static const double per_step[RATES] = {
		[RATE_SHARED_READ] = 16 * RATE_UNROLL, [RATE_SHARED_WRITE] = 16 * RATE_UNROLL,
		[RATE_ADD_MAX] = 2 * RATE_CHAINS,      [RATE_ADD_MAX_16] = 4 * RATE_CHAINS,
		[RATE_POPCOUNT] = RATE_CHAINS,         [RATE_FMA] = RATE_CHAINS,
	};

	return per_step[rate] * steps * blocks * CEILINGS_BLOCK;
}
