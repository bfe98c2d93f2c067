/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A synthetic test domain for the tracker (algorithms/koester-recovery/tracking/track.h). Every
 * word of a state depends on all arguments of the domain's functions and on the words before it, so
 * any wrong step, order or argument changes the bytes. At random, a state waits, is dropped, and
 * has different numbers of successors. Only a few different ratings exist, so many are equal. A
 * state stops after `last_step` steps. */
#ifndef COPRA_KERNELS_SELFTEST_TRACKED_H
#define COPRA_KERNELS_SELFTEST_TRACKED_H

#include "kernels/koester-recovery/ops.h"

enum { TRACKED_MOST_WORDS = 16 };

struct tracked {
	uint32_t words, unit_words; /* words per state (>= 4) and per unit (a divisor of words) */
	uint32_t wait;              /* a state waits after a step with probability wait / 16 */
	uint32_t children;          /* maximum number of successors */
	uint32_t ratings;           /* ratings are 0 to ratings - 1 */
	uint32_t dropped;   /* on average, one in `dropped` successors is dropped; 0: none */
	uint32_t last_step; /* a state does nothing after this many steps; 0: no limit */
};

HD uint32_t *tracked_word(const struct tracked *d, struct track_state s, uint32_t w)
{
	return (uint32_t *)track_unit(s, w / d->unit_words) + w % d->unit_words;
}

HD int tracked_over(const struct tracked *d, struct track_state s)
{
	return d->last_step && *tracked_word(d, s, 1) >= d->last_step;
}

HD void tracked_mix(const struct tracked *d, struct track_state s, const struct track_step *at,
		    uint32_t block)
{
	struct philox4 r = track_random_block(at, block);
	uint32_t carry = *tracked_word(d, s, d->words - 1);

	for (uint32_t w = 0; w < d->words; w++) {
		uint32_t *word = tracked_word(d, s, w);

		if (w == 1)
			continue;
		*word = (*word ^ r.word[w % 4]) * 0x9E3779B1u + (carry << 7 | carry >> 25);
		carry = *word;
	}
}

HD int tracked_execute(const struct tracked *d, struct track_state s, const struct track_step *at)
{
	if (tracked_over(d, s))
		return 1;
	tracked_mix(d, s, at, 0);
	++*tracked_word(d, s, 1);
	return *tracked_word(d, s, 0) >> 28 < d->wait || tracked_over(d, s);
}

HD void tracked_assign(const struct tracked *d, struct track_state s, const struct track_step *at)
{
	if (tracked_over(d, s))
		return;
	*tracked_word(d, s, 2) += at->successor * 2654435761u + at->step;
	tracked_mix(d, s, at, 1 + (at->step & 1));
}

HD uint32_t tracked_rate(const struct tracked *d, struct track_state s)
{
	if (d->dropped && *tracked_word(d, s, 2) % d->dropped == 0)
		return TRACK_DROPPED;
	return *tracked_word(d, s, 0) % d->ratings;
}

HD uint32_t tracked_expand(const struct tracked *d, struct track_state s)
{
	return tracked_over(d, s) ? 0 : *tracked_word(d, s, 3) % (d->children + 1);
}

HD uint32_t tracked_successor(const struct tracked *d, struct track_state s, uint32_t k)
{
	return 3 * k + *tracked_word(d, s, 0) % 5;
}

DEV_KERNELS(struct track_ops, tracked_ops);
#endif
