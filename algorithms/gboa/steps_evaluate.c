/* Evaluation of many individuals: traps in words, with sums that stand upright: plane j of a sum
 * holds bit j of the sums of 32 individuals a lane. All else individual by individual. */
#include "steps_parts.h"
#include "steps_vector.h"

enum { PLANES = 17 }; /* sums up to BOA_VARIABLES_MAX */

struct upright {
	vec plane[PLANES];
	int planes;   /* that may be other than 0 */
	int32_t most; /* a bound of the sums */
};

static inline void add(struct upright *u, vec bits)
{
	u->most++;
	u->planes += u->most >> u->planes != 0;
	for (int j = 0; j < u->planes; j++) {
		vec carry = u->plane[j] & bits;

		u->plane[j] ^= bits;
		bits = carry;
	}
}

/* The sums of the 32 individuals of a lane. */
static void lay_down(const struct upright *u, size_t lane, int32_t sum[32])
{
	for (int b = 0; b < 32; b++)
		sum[b] = 0;
	for (int j = 0; j < u->planes; j++) {
		uint32_t plane = u->plane[j][lane];

		for (int b = 0; b < 32; b++)
			sum[b] += (int32_t)(plane >> b & 1) << j;
	}
}

/* A block of k bits, u of them 1, adds k - 1 - u, and k + 1 more if all are. */
static void trap_lanes(const struct boa_evaluation *v, size_t from, size_t lanes)
{
	int32_t n = v->view.n, k = v->view.parameter, flat = n / k * (k - 1);
	struct upright ones = { .planes = 0 }, full = { .planes = 0 };

	for (int32_t block = 0; block < n; block += k) {
		vec all = vec_all(~0u);

		for (int32_t i = block; i < block + k; i++) {
			vec bits = vec_load(v->words + (size_t)i * v->stride + from, lanes);

			add(&ones, bits);
			all &= bits;
		}
		add(&full, all);
	}
	for (size_t lane = 0; lane < lanes; lane++) {
		int32_t ones_of[32], full_of[32], first = (int32_t)(from + lane) * 32;

		lay_down(&ones, lane, ones_of);
		lay_down(&full, lane, full_of);
		for (int32_t b = 0; b < 32 && first + b < v->count; b++)
			v->fitness[first + b] = flat - ones_of[b] + (k + 1) * full_of[b];
	}
}

static void trap_part(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct boa_evaluation *v = context;

	(void)thread;
	for (uint64_t w = from; w < to; w += LANES)
		trap_lanes(v, w, to - w < LANES ? to - w : LANES);
}

static void any_part(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct boa_evaluation *v = context;

	(void)thread;
	for (uint64_t i = from; i < to; i++)
		v->fitness[i] = fitness_of(&v->view, v->words + i / 32, v->stride, i % 32);
}

void boa_evaluate_wide(struct boa_evaluation *v, struct workers *w)
{
	if (v->view.kind == LANDSCAPE_TRAP)
		workers_run(w, boa_words(v->count), LANES, trap_part, v);
	else
		workers_run(w, (uint64_t)v->count, 64, any_part, v);
}
