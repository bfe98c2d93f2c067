/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/base/time_left.h"

#include <math.h>

#define FIRST_APART 0.02
#define LEAST_SECONDS 0.5
#define LEAST_SHARE 0.01
/* Calibrated, see docs/lab-notes/harness.md. */
#define SHORTER_FLOOR 4.0
#define SHORTER 6.0
#define LONGER_FLOOR 1.5
#define LONGER 3.0
#define WIDEST 100.0

enum { PARTS = 8 };

/* Keeps every second point. */
static void thin(struct time_left *h)
{
	h->count /= 2;
	for (int i = 1; i < h->count; i++) {
		h->at[i] = h->at[2 * i];
		h->share[i] = h->share[2 * i];
	}
	h->apart *= 2;
}

void time_left_note(struct time_left *h, double at, double share)
{
	if (!(share >= 0))
		return;
	h->now = at;
	h->share_now = share;
	if (!h->count)
		h->apart = FIRST_APART;
	else if (at < h->at[h->count - 1] + h->apart)
		return;
	if (h->count == TIME_LEFT_POINTS)
		thin(h);
	h->at[h->count] = at;
	h->share[h->count++] = share;
}

/* The share at a time of the history, between two points on a straight line. */
static double share_at(const struct time_left *h, double at)
{
	double before = h->at[0], share = h->share[0];

	for (int i = 1; i <= h->count; i++) {
		double next = i < h->count ? h->at[i] : h->now;
		double next_share = i < h->count ? h->share[i] : h->share_now;

		if (at <= next)
			return next > before ? share + (next_share - share) * (at - before) /
							       (next - before) :
					       next_share;
		before = next;
		share = next_share;
	}
	return h->share_now;
}

bool time_left_estimate(const struct time_left *h, struct time_left_range *r)
{
	double part, gain[PARTS], mean, late = 0, spread = 0, rate, parts_left, error;

	if (!h->count || h->now - h->at[0] < LEAST_SECONDS ||
	    h->share_now - h->share[0] < LEAST_SHARE)
		return false;
	part = (h->now - h->at[0]) / PARTS;
	mean = (h->share_now - h->share[0]) / PARTS;
	for (int i = 0; i < PARTS; i++) {
		gain[i] = share_at(h, h->at[0] + (i + 1) * part) - share_at(h, h->at[0] + i * part);
		late += i >= PARTS / 2 ? gain[i] / (PARTS / 2.0) : 0;
		spread += (gain[i] - mean) * (gain[i] - mean) / (PARTS - 1);
	}
	rate = sqrt(mean * late);
	if (!(rate > 0))
		return false;
	parts_left = fmax(1 - h->share_now, 0) / rate;
	/* of the mean of the parts observed, and of the parts to come */
	error = sqrt(spread) / mean * sqrt(1.0 / PARTS + 1 / fmax(parts_left, 1));
	r->seconds = parts_left * part;
	r->low = r->seconds / (1 + SHORTER_FLOOR + SHORTER * error);
	r->high = r->seconds * (1 + LONGER_FLOOR + LONGER * error);
	return r->high <= WIDEST * r->low;
}
