/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Pseudo-random numbers that are the same on every machine.
 *
 * A sequence: splitmix64 (Steele, Lea, Flood, OOPSLA 2014), period 2^64; any seed is good.
 *     struct rng r = rng_seeded(42);
 *     x = rng_below(&r, 6);
 * By counter, without state, for parallel use: rng_at(seed, i) is the i-th number of the sequence
 * of that seed. */
#ifndef COPRA_BASE_RNG_H
#define COPRA_BASE_RNG_H

#include <stdint.h>

struct rng {
	uint64_t state;
};

#define RNG_STEP UINT64_C(0x9e3779b97f4a7c15)

static inline struct rng rng_seeded(uint64_t seed)
{
	struct rng r = { seed };

	return r;
}

static inline uint64_t rng_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static inline uint64_t rng_next(struct rng *r)
{
	r->state += RNG_STEP;
	return rng_mix(r->state);
}

static inline uint64_t rng_at(uint64_t seed, uint64_t counter)
{
	return rng_mix(seed + (counter + 1) * RNG_STEP);
}

/* Exactly uniform on 0 .. bound - 1, by rejection; bound > 0. */
static inline uint64_t rng_below(struct rng *r, uint64_t bound)
{
	uint64_t reject = (0 - bound) % bound; /* 2^64 mod bound */
	uint64_t x;

	do {
		x = rng_next(r);
	} while (x < reject);
	return x % bound;
}

/* Uniform on low .. high, both included; low <= high. */
static inline int64_t rng_between(struct rng *r, int64_t low, int64_t high)
{
	uint64_t span = (uint64_t)high - (uint64_t)low + 1;

	return (int64_t)((uint64_t)low + (span ? rng_below(r, span) : rng_next(r)));
}

/* Uniform on [0, 1), 53 bits. */
static inline double rng_unit(struct rng *r)
{
	return (double)(rng_next(r) >> 11) * 0x1p-53;
}

#endif
