/* Gains of a vector of candidates at a time. */
#include "learn_packed.h"
#include "learn_vector.h"

/* The terms of two cells (k2.h). */
static inline vec cells(const uint32_t *ln_factorial, vec zeros, vec ones)
{
	return vec_look_up(ln_factorial, zeros) + vec_look_up(ln_factorial, ones) -
	       vec_look_up(ln_factorial, zeros + ones + 1u);
}

/* Scores with candidates from `at` on as one more parent; total: of configurations. */
__attribute__((always_inline)) static inline vec
score_with(const uint32_t *ln_factorial, uint32_t *const *counts, size_t at, const uint32_t *total,
	   int parents)
{
	const int size = 2 << parents;
	vec with[2 << (BOA_PARENTS_MAX - 1)], score = { 0 };

	for (int s = 0; s < size; s++)
		with[s] = vec_load(counts[s] + at);
	for (int bit = 1; bit < size; bit *= 2)
		for (int c = 0; c < size; c++)
			if (!(c & bit))
				with[c] -= with[c | bit];
	for (int c = 0; c < size; c += 2)
		score += cells(ln_factorial, with[c], with[c + 1]) +
			 cells(ln_factorial, total[c] - with[c], total[c + 1] - with[c + 1]);
	return score;
}

struct best_lanes {
	vec gain, variable, candidate; /* gains above 0 alone are put here: signed or not */
};

static struct pack_choice best_of(const struct best_lanes *best)
{
	struct pack_choice choice = { 0, 0 };
	uint32_t variable = 0;

	for (int lane = 0; lane < VEC_LANES; lane++) {
		int32_t gain = (int32_t)best->gain[lane];

		if (gain > choice.gain ||
		    (gain == choice.gain && gain > 0 && best->variable[lane] < variable)) {
			choice.gain = gain;
			choice.candidate = (int32_t)best->candidate[lane];
			variable = best->variable[lane];
		}
	}
	return choice;
}

__attribute__((always_inline)) static inline struct pack_choice
choose(const struct learn_packed *l, int32_t candidates, uint32_t *const *counts,
       const uint32_t *total, uint32_t score, int parents)
{
	struct best_lanes best = { { 0 }, { 0 }, { 0 } };

	for (uint32_t at = 0; at < (uint32_t)candidates; at += VEC_LANES) {
		vec variable = vec_load(l->variable + at), candidate = vec_lanes() + at;
		vec gain = score_with(l->table.at, counts, at, total, parents) - score;
		vec better, equal;

		gain = gain & (vec)(candidate < (uint32_t)candidates);
		better = (vec)((vec_signed)gain > (vec_signed)best.gain);
		equal = (vec)(gain == best.gain) & (vec)(variable < best.variable);
		better |= equal;
		best.gain = vec_choose(better, gain, best.gain);
		best.variable = vec_choose(better, variable, best.variable);
		best.candidate = vec_choose(better, candidate, best.candidate);
	}
	return best_of(&best);
}

struct pack_choice pack_choose(const struct learn_packed *l, int parents, int32_t candidates,
			       uint32_t *const *counts, const uint32_t *total, uint32_t score)
{
	switch (parents) {
#define OF(p)                                                                                    \
	case p:                                                                                  \
		return choose(l, candidates, counts, total, score, p);
	OF(0)
	OF(1)
	OF(2)
	OF(3)
	OF(4)
	OF(5)
#undef OF
	default:
		return (struct pack_choice){ 0, 0 };
	}
}
