/* A small domain for tests of the tracker's kernels: states of `words` words that are mixed with
 * random numbers and with what they were before, so that any step left out, done twice, done with
 * another number or in another order shows. Words lie in units of any multiple of 4 bytes. */
#ifndef COPRA_SELFTEST_TRACK_WALK_H
#define COPRA_SELFTEST_TRACK_WALK_H

#include "../../algorithms/koester-recovery/track_ops.h"

struct track_walk {
	uint32_t words, unit_words; /* of a state, of a unit */
	uint32_t pause;             /* a state waits when its word 0 is a multiple of this */
	uint32_t table_size;
	const uint32_t *table;      /* [table_size] */
};

HD uint32_t *track_walk_word(const struct track_walk *d, struct track_state s, uint32_t w)
{
	return (uint32_t *)track_unit(s, w / d->unit_words) + w % d->unit_words;
}

HD void track_walk_mix(const struct track_walk *d, struct track_state s,
		       const struct track_step *at)
{
	struct track_random4 r = track_random_block(at, 0);
	uint32_t w = 0;

	for (uint32_t k = 0; k < 4; k++) {
		uint32_t *word = track_walk_word(d, s, (w += r.word[k] % d->words) % d->words);

		*word = *word * 5 + r.word[k] + d->table[*word % d->table_size];
		*track_walk_word(d, s, 0) += *word >> 7;
	}
}

HD int track_walk_execute(const struct track_walk *d, struct track_state s,
			  const struct track_step *at)
{
	track_walk_mix(d, s, at);
	return *track_walk_word(d, s, 0) % d->pause == 0;
}

HD void track_walk_assign(const struct track_walk *d, struct track_state s,
			  const struct track_step *at)
{
	track_walk_mix(d, s, at);
	*track_walk_word(d, s, d->words - 1) ^= at->successor;
}

HD uint32_t track_walk_rate(const struct track_walk *d, struct track_state s)
{
	uint32_t sum = 0;

	for (uint32_t w = 0; w < d->words; w++)
		sum = sum * 31 + *track_walk_word(d, s, w);
	return sum >> 24 ? sum >> 20 : TRACK_DROPPED; /* many are equal, some are dropped */
}

HD uint32_t track_walk_expand(const struct track_walk *d, struct track_state s)
{
	return *track_walk_word(d, s, 0) % 5;
}

HD uint32_t track_walk_successor(const struct track_walk *d, struct track_state s, uint32_t k)
{
	return *track_walk_word(d, s, d->words - 1) % 1000 + 7 * k;
}

#ifdef __cplusplus
extern "C" {
#endif
extern const struct track_ops track_walk_ops_sim;
#if COPRA_HAVE_CUDA
extern const struct track_ops track_walk_ops_cuda;
#endif
#ifdef __cplusplus
}
#endif

#endif
