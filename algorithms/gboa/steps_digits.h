/* Random numbers of sampling in vectors: boa_digits of as many words in a row as a vector has
 * lanes.
 *
 * The word is the counter of Philox that differs, and it takes three rounds until all four words
 * depend on it. Until then most products are of single numbers, and those of vectors are the same
 * for all q. */
#ifndef COPRA_GBOA_STEPS_DIGITS_H
#define COPRA_GBOA_STEPS_DIGITS_H

#include "algorithms/gboa/steps_vector.h"

/* Philox: multipliers, and what is added to the key after each round. */
#define DIGITS_A 0xD2511F53u
#define DIGITS_C 0xCD9E8D57u
#define DIGITS_KEY_0 0x9E3779B9u
#define DIGITS_KEY_1 0xBB67AE85u

/* Half of the words, even or odd ones, in the low halves of 64-bit lanes, so that products have
 * room; what is above them is of no account. */
struct vec_half {
	vec_wide second, third_high, third_low; /* products of rounds 2 and 3 */
};

struct vec_draws {
	uint32_t key_0, key_1, low_a, high_a, low_c; /* the seed; products of round 1 */
	struct vec_half even, odd;
};

static inline vec_wide vec_half_mul(vec_wide x, uint32_t by)
{
	return vec_mul_even((vec)x, vec_all(by));
}

static inline void vec_half_begin(const struct vec_draws *d, vec_wide word, uint32_t high_c,
				  struct vec_half *h)
{
	h->second = vec_half_mul(word ^ (high_c ^ d->key_0), DIGITS_A);
	h->third_low =
		vec_half_mul(h->second >> 32 ^ (d->low_a ^ (d->key_1 + DIGITS_KEY_1)), DIGITS_C);
	h->third_high = h->third_low >> 32;
}

/* Of words `word`, `word` + 1, ... */
static inline void vec_draw_begin(struct vec_draws *d, uint64_t seed, uint32_t generation,
				  uint32_t variable, uint32_t word)
{
	uint64_t a = (uint64_t)DIGITS_A * variable, c = (uint64_t)DIGITS_C * generation;
	vec_wide even = { 0 };

	for (uint32_t i = 0; i < VEC_LANES / 2; i++)
		even[i] = word + 2 * i;
	d->key_0 = (uint32_t)seed;
	d->key_1 = (uint32_t)(seed >> 32);
	d->low_a = (uint32_t)a;
	d->high_a = (uint32_t)(a >> 32);
	d->low_c = (uint32_t)c;
	vec_half_begin(d, even, (uint32_t)(c >> 32), &d->even);
	vec_half_begin(d, even + 1, (uint32_t)(c >> 32), &d->odd);
}

/* What rounds 2 and 3 make of single numbers for some q. */
struct vec_single {
	uint32_t x0, x2, x3;
};

static inline void vec_half_end(const struct vec_draws *d, const struct vec_half *h,
				const struct vec_single *s, vec_wide x[4])
{
	uint32_t key_0 = d->key_0 + 3 * DIGITS_KEY_0, key_1 = d->key_1 + 3 * DIGITS_KEY_1;

	x[0] = h->third_high ^ s->x0;
	x[1] = h->third_low;
	x[2] = h->second ^ s->x2;
	x[3] = (vec_wide){ 0 } + s->x3;
#pragma GCC unroll 4
	for (int round = 3; round < 7; round++) {
		vec_wide a = vec_half_mul(x[0], DIGITS_A), c = vec_half_mul(x[2], DIGITS_C);

		x[0] = c >> 32 ^ x[1] ^ key_0;
		x[1] = c;
		x[2] = a >> 32 ^ x[3] ^ key_1;
		x[3] = a;
		key_0 += DIGITS_KEY_0;
		key_1 += DIGITS_KEY_1;
	}
}

/* Digit words 4 q .. 4 q + 3. */
static inline void vec_draw(const struct vec_draws *d, uint32_t q, vec digit[4])
{
	uint32_t key_0 = d->key_0 + DIGITS_KEY_0, key_1 = d->key_1 + 2 * DIGITS_KEY_1;
	uint64_t c = (uint64_t)DIGITS_C * (d->high_a ^ (BOA_SAMPLE + q) ^ d->key_1);
	uint64_t a = (uint64_t)DIGITS_A * ((uint32_t)(c >> 32) ^ d->low_c ^ key_0);
	struct vec_single s = { (uint32_t)c ^ (key_0 + DIGITS_KEY_0), (uint32_t)(a >> 32) ^ key_1,
				(uint32_t)a };
	vec_wide even[4], odd[4];

	vec_half_end(d, &d->even, &s, even);
	vec_half_end(d, &d->odd, &s, odd);
	for (int i = 0; i < 4; i++)
		digit[i] = (vec)((even[i] & 0xffffffffu) | odd[i] << 32);
}

#endif
