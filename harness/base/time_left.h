/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The time that is left, from the history of the share that is done: an estimate, and a range that
 * is to hold the true time at four of five moments of a search.
 *
 * The history since the share became known is divided into equal parts of time. The estimate
 * continues at the mean speed of the whole and of its second half. The range is as wide as the
 * speeds of the parts differ. It reaches further down, because searches meet the large subtrees
 * first and then end sooner than their share tells. docs/lab-notes/harness.md has the calibration,
 * and where the range is right less often. */
#ifndef COPRA_BASE_TIME_LEFT_H
#define COPRA_BASE_TIME_LEFT_H

#include <stdbool.h>

enum { TIME_LEFT_POINTS = 128 };

/* Start with zeros. */
struct time_left {
	double at[TIME_LEFT_POINTS], share[TIME_LEFT_POINTS];
	int count;
	double apart; /* least time between two points: doubled when the room is used up */
	double now, share_now;
};

/* Notes the share at a time in seconds. Negative shares (not known) are ignored. */
void time_left_note(struct time_left *h, double at, double share);

struct time_left_range {
	double seconds, low, high;
};
/* Returns false if there is too little evidence: less than half a second or a hundredth of the work
 * observed, no progress in the second half of the history, or a range that says nothing. */
bool time_left_estimate(const struct time_left *h, struct time_left_range *r);

#endif
