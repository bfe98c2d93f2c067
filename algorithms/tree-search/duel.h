/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Whether a rival setting of a search is faster than the current one, from rates in windows of
 * both that alternate. Each window of the rival is divided by the mean of the two windows of the
 * current setting beside it, so that a drift of the tree does not decide.
 *
 * A first ratio below 1 - clear or above 1 + 3 clear decides at once, so that bad settings cost one
 * window and good ones are used early. The second limit is farther from 1 because the current
 * setting is the better guess. Otherwise the rival wins if at least DUEL_PAIRS ratios have a mean
 * that exceeds 1 + DUEL_GAIN by more than its standard error. It loses if the mean is below that
 * after as many pairs, and in any case after DUEL_PAIRS_MOST. */
#ifndef COPRA_TREE_SEARCH_DUEL_H
#define COPRA_TREE_SEARCH_DUEL_H

#include <math.h>

enum { DUEL_PAIRS = 2, DUEL_PAIRS_MOST = 8 };
#define DUEL_GAIN 0.005

struct duel {
	double sum, squares; /* of the ratios so far, minus 1 */
	int pairs;
};
enum duel_verdict { DUEL_LOST, DUEL_WON, DUEL_OPEN };

/* `before`, `after`: rates of the current setting; `rival`: that of the rival in between. */
static inline enum duel_verdict duel_pair(struct duel *d, double before, double rival, double after,
					  double clear)
{
	double x = rival / ((before + after) / 2) - 1, n = ++d->pairs, mean, variance, error;

	d->sum += x;
	d->squares += x * x;
	if (d->pairs < DUEL_PAIRS)
		return x > 3 * clear ? DUEL_WON : x < -clear ? DUEL_LOST : DUEL_OPEN;
	mean = d->sum / n;
	variance = (d->squares - n * mean * mean) / (n - 1);
	error = sqrt((variance > 0 ? variance : 0) / n);
	if (mean - error > DUEL_GAIN)
		return DUEL_WON;
	return mean < DUEL_GAIN || d->pairs == DUEL_PAIRS_MOST ? DUEL_LOST : DUEL_OPEN;
}

#endif
