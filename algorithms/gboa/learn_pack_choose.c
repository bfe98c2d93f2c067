/* Gains of a vector of candidates at a time. */
#include "algorithms/gboa/learn_pack_bound.h"
#include "algorithms/gboa/learn_packed.h"
#include "algorithms/gboa/learn_vector.h"

/* The terms of two cells (k2.h). */
static inline vec cells(const uint32_t *ln_factorial, vec zeros, vec ones)
{
	return vec_look_up(ln_factorial, zeros) + vec_look_up(ln_factorial, ones) -
	       vec_look_up(ln_factorial, zeros + ones + 1u);
}

/* Configurations, with candidates from `at` on. */
__attribute__((always_inline)) static inline void
configurations_with(vec *with, uint32_t *const *counts, size_t at, int parents)
{
	const int size = 2 << parents;

	for (int s = 0; s < size; s++)
		with[s] = vec_load(counts[s] + at);
	for (int bit = 1; bit < size; bit *= 2)
		for (int c = 0; c < size; c++)
			if (!(c & bit))
				with[c] -= with[c | bit];
}

/* Scores with one more parent; total: of configurations. */
__attribute__((always_inline)) static inline vec
score_with(const uint32_t *ln_factorial, const vec *with, const uint32_t *total, int parents)
{
	vec score = { 0 };

	for (int c = 0; c < 2 << parents; c += 2)
		score += cells(ln_factorial, with[c], with[c + 1]) +
			 cells(ln_factorial, total[c] - with[c], total[c + 1] - with[c + 1]);
	return score;
}

/* In each lane the best so far; gains are 0 or above. */
struct best_lanes {
	vec gain, variable, candidate;
};

static void put_best(struct best_lanes *best, vec gain, vec variable, vec candidate)
{
	vec better = (vec)((vec_signed)gain > (vec_signed)best->gain);

	better |= (vec)(gain == best->gain) & (vec)(variable < best->variable);
	best->gain = vec_choose(better, gain, best->gain);
	best->variable = vec_choose(better, variable, best->variable);
	best->candidate = vec_choose(better, candidate, best->candidate);
}

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
	const float unit = ldexpf(1, -l->table.scale);
	struct strata strata;
	float least = 0; /* nats that are of interest */

	strata_make(&strata, &l->table, total, parents);
	for (uint32_t at = 0; at < (uint32_t)candidates; at += VEC_LANES) {
		vec with[2 << (BOA_PARENTS_MAX - 1)], candidate = vec_lanes() + at, there, gain;
		vec_float bound;

		configurations_with(with, counts, at, parents);
		there = (vec)(candidate < (uint32_t)candidates);
		bound = strata_bound(&strata, with, parents);
		if (!vec_any_above((vec_float)((vec)bound & there), least))
			continue;
		gain = score_with(l->table.at, with, total, parents) - score;
		put_best(&best, gain & there, vec_load(l->variable + at), candidate);
		least = (float)best_of(&best).gain * unit;
	}
	return best_of(&best);
}

struct pack_choice pack_choose(const struct learn_packed *l, int parents, int32_t candidates,
			       uint32_t *const *counts, const uint32_t *total, uint32_t score)
{
	switch (parents) {
#define OF(p)                                                                                      \
	case p:                                                                                    \
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
