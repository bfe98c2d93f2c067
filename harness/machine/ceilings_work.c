#include "harness/machine/ceilings_work.h"

#include <math.h>
#include <string.h>

#include "harness/base/rng.h"

#define VEC_CELL int32_t
#include "harness/base/simd.h"

/* The compiler must assume that memory was read and written here. */
#define MEMORY_USED() __asm__ volatile("" ::: "memory")

enum { CHAINS = 12 }; /* enough to hide the latency of add, max and FMA */

uint64_t work_word(size_t i)
{
	return rng_at(7, i);
}

void work_prepare(struct work_state *s)
{
	for (size_t i = 0; i < s->bytes / sizeof(*s->a); i++)
		s->a[i] = work_word(i);
	memset(s->b, 0, s->bytes);
	s->result = 0;
	memset(s->words, 0, sizeof(s->words));
}

/* ---- copies ---- */

static size_t memory_bytes(const struct work_sizes *z)
{
	return z->memory;
}

static size_t l1_bytes(const struct work_sizes *z)
{
	return z->l1;
}

static size_t l2_bytes(const struct work_sizes *z)
{
	return z->l2;
}

/* The C library knows best how to copy what no cache holds. */
static void run_copy(struct work_state *s, long steps)
{
	for (long step = 0; step < steps; step++) {
		memcpy(s->b, s->a, s->bytes);
		MEMORY_USED();
	}
}

typedef uint64_t line __attribute__((vector_size(64), aligned(64)));

/* Within a cache its start-up would count: plain vector moves, eight lines at a time. */
static void run_cached_copy(struct work_state *s, long steps)
{
	const size_t lines = s->bytes / sizeof(line);
	const line *from = (const line *)s->a;
	line *to = (line *)s->b;

	for (long step = 0; step < steps; step++) {
		for (size_t i = 0; i < lines; i += 8) {
			line v[8];

			for (int k = 0; k < 8; k++)
				v[k] = from[i + (size_t)k];
			for (int k = 0; k < 8; k++)
				to[i + (size_t)k] = v[k];
		}
		MEMORY_USED();
	}
}

static int check_copy(const struct work_state *s, long steps, struct err *e)
{
	for (size_t i = 0; i < s->bytes / sizeof(*s->b); i++)
		if (s->b[i] != (steps > 0 ? work_word(i) : 0))
			return err_set(e, ERR_FAILED, "copy: word %zu is wrong", i);
	return 0;
}

static double copy_amount(size_t bytes)
{
	return 2 * (double)bytes;
}

/* ---- arithmetic ---- */

static int32_t chain_start(int chain, int lane)
{
	return (chain * 37 + lane * 11) & 1023;
}

static void run_add_max(struct work_state *s, long steps)
{
	int32_t lanes[CHAINS][VEC_LANES], up[VEC_LANES], down[VEC_LANES];
	vec x[CHAINS], a, b;

	for (int lane = 0; lane < VEC_LANES; lane++) {
		up[lane] = 1 + lane % 3;
		down[lane] = -2 - lane % 3;
		for (int k = 0; k < CHAINS; k++)
			lanes[k][lane] = chain_start(k, lane);
	}
	memcpy(x, lanes, sizeof(x));
	memcpy(&a, up, sizeof(a));
	memcpy(&b, down, sizeof(b));
	for (long step = 0; step < steps; step++) {
		for (int k = 0; k < CHAINS; k++)
			x[k] = vec_max(x[k] + a, x[(k + 5) % CHAINS]);
		for (int k = 0; k < CHAINS; k++)
			x[k] = vec_max(x[k] + b, x[(k + 7) % CHAINS]);
	}
	memcpy(lanes, x, sizeof(lanes));
	memcpy(s->words, lanes, sizeof(lanes));
}

/* The first, a middle and the last lane, one after the other, in 64 bits. */
static int check_add_max(const struct work_state *s, long steps, struct err *e)
{
	for (int i = 0; i < 3; i++) {
		int lane = i * (VEC_LANES - 1) / 2;
		int64_t x[CHAINS], shift[2] = { 1 + lane % 3, -2 - lane % 3 };

		for (int k = 0; k < CHAINS; k++)
			x[k] = chain_start(k, lane);
		for (long half = 0; half < 2 * steps; half++)
			for (int k = 0; k < CHAINS; k++) {
				int64_t other = x[(k + (half % 2 ? 7 : 5)) % CHAINS];
				int64_t sum = x[k] + shift[half % 2];

				x[k] = sum > other ? sum : other;
			}
		for (int k = 0; k < CHAINS; k++)
			if ((int32_t)s->words[k * VEC_LANES + lane] != x[k])
				return err_set(e, ERR_FAILED, "add-max: chain %d, lane %d is wrong",
					       k, lane);
	}
	return 0;
}

static double add_max_amount(size_t bytes)
{
	(void)bytes;
	return 2.0 * CHAINS * VEC_LANES;
}

static void run_fma(struct work_state *s, long steps)
{
	float lanes[CHAINS][VEC_LANES], factors[VEC_LANES], terms[VEC_LANES];
	vec_floats x[CHAINS], factor, term;

	for (int lane = 0; lane < VEC_LANES; lane++) {
		factors[lane] = lane % 2 ? 0.75f : 0.5f;
		terms[lane] = 1 + 0.125f * (float)lane;
		for (int k = 0; k < CHAINS; k++)
			lanes[k][lane] = (float)chain_start(k, lane);
	}
	memcpy(x, lanes, sizeof(x));
	memcpy(&factor, factors, sizeof(factor));
	memcpy(&term, terms, sizeof(term));
	for (long step = 0; step < steps; step++)
		for (int k = 0; k < CHAINS; k++)
			x[k] = vec_fma(x[k], factor, term);
	memcpy(s->words, x, sizeof(x));
}

static int check_fma(const struct work_state *s, long steps, struct err *e)
{
	long enough = steps < 1000 ? steps : 1000; /* the fixed point is reached long before */

	for (int lane = 0; lane < VEC_LANES; lane++)
		for (int k = 0; k < CHAINS; k++) {
			float x = (float)chain_start(k, lane), found;

			for (long step = 0; step < enough; step++)
				x = fmaf(x, lane % 2 ? 0.75f : 0.5f, 1 + 0.125f * (float)lane);
			memcpy(&found, &s->words[k * VEC_LANES + lane], sizeof(found));
			if (found != x)
				return err_set(e, ERR_FAILED, "FMA: chain %d, lane %d is wrong", k,
					       lane);
		}
	return 0;
}

static double fma_amount(size_t bytes)
{
	(void)bytes;
	return (double)CHAINS * VEC_LANES;
}

/* Over an array in L1, as bit sets are used; the compiler vectorises it where it can. */
static void run_popcount(struct work_state *s, long steps)
{
	const size_t words = s->bytes / sizeof(*s->a);
	uint64_t total = 0;

	for (long step = 0; step < steps; step++) {
		uint64_t bits = 0;

		for (size_t i = 0; i < words; i++)
			bits += (uint64_t)__builtin_popcountll(s->a[i]);
		total += bits;
		MEMORY_USED();
	}
	s->result = total;
}

static int check_popcount(const struct work_state *s, long steps, struct err *e)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < s->bytes / sizeof(*s->a); i++)
		for (uint64_t word = work_word(i); word; word &= word - 1)
			bits++;
	if (s->result != bits * (uint64_t)steps)
		return err_set(e, ERR_FAILED, "popcount: %llu bits, not %llu",
			       (unsigned long long)s->result,
			       (unsigned long long)(bits * (uint64_t)steps));
	return 0;
}

static double popcount_amount(size_t bytes)
{
	return (double)bytes / 8;
}

const struct work ceilings_works[WORKS] = {
	[WORK_COPY] = { "copy", memory_bytes, run_copy, check_copy, copy_amount },
	[WORK_COPY_L1] = { "L1 copy", l1_bytes, run_cached_copy, check_copy, copy_amount },
	[WORK_COPY_L2] = { "L2 copy", l2_bytes, run_cached_copy, check_copy, copy_amount },
	[WORK_ADD_MAX] = { "add-max", l1_bytes, run_add_max, check_add_max, add_max_amount },
	[WORK_POPCOUNT] = { "popcount", l1_bytes, run_popcount, check_popcount, popcount_amount },
	[WORK_FMA] = { "FMA", l1_bytes, run_fma, check_fma, fma_amount },
};
