/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The permutation flowshop as a domain of the tracker. Each layer adds a job to the schedules, at
 * the front, or at the front and at the end in turn.
 *
 * A state holds the set of jobs left and, for every machine, the completion time of the prefix
 * (front), that of the suffix seen from the end (back), and the idle time in each. Successor k adds
 * the k-th job left on the side whose turn it is: with both ends, the front if an even number of
 * jobs is placed. So all states of a layer have prefixes of the same length, which makes their
 * guides comparable. Choosing the narrower side for each state, as branch and bound does, is worse
 * here (docs/lab-notes/koester-recovery.md).
 *
 * The guides are those of Libralesso, Focke, Secardin, Jost, "Iterative beam search algorithms for
 * the permutation flowshop" (European Journal of Operational Research 301, 2022):
 *     bound            B
 *     idle time        I
 *     bound and idle   a B + (1 - a) c w B              c = scale / 16; works best
 *     gap              B / g + w g, g = (best - B) / best
 * where a is the share of jobs placed, B the one-machine bound LB1, I the idle time of all
 * machines, and w the sum over machines and sides of the share of idle time in the front or back.
 * They are computed in integers. w is linearised around the expected front (idle / t with t = front
 * + mean time), so that a job is rated with four operations per machine and no division. Its
 * deviations from the paper's w are of second order; no effect on results was seen.
 *
 * Children whose bound reaches `best` are dropped. */
#ifndef COPRA_KERNELS_KOESTER_RECOVERY_PFSP_H
#define COPRA_KERNELS_KOESTER_RECOVERY_PFSP_H

#include "kernels/koester-recovery/ops.h"

/* Parameters that may change during a search. They affect ratings, but not the bytes of states. */
struct track_pfsp_guidance {
	int32_t best;   /* makespan to beat; children that cannot are dropped; >= 1 */
	uint32_t kind;  /* value of enum track_pfsp_guide (problems/search.h) */
	uint32_t scale; /* c in 16ths, 1 .. 32 */
};

enum { TRACK_PFSP_BY_BOUND, TRACK_PFSP_BY_IDLE, TRACK_PFSP_BY_BOUND_AND_IDLE, TRACK_PFSP_BY_GAP };
enum { TRACK_PFSP_USUAL_SCALE = 4 };

struct track_pfsp {
	int32_t jobs, machines;
	int32_t words; /* words of the set of jobs left */
	int32_t both_ends;
	int32_t mean;              /* mean time of an operation, at least 1 */
	uint32_t coarse;           /* reciprocal[i] is for i << coarse */
	uint32_t reciprocals;      /* entries of reciprocal */
	uint32_t shift, gap_shift; /* scale ratings to 32 bits */
	const int32_t *time;       /* [machine * jobs + job] */
	const int32_t *total;      /* [machine] over all jobs */
	const int32_t *reciprocal; /* 2^TRACK_PFSP_FRACTION / max(i << coarse, 1) */
	const struct track_pfsp_guidance *guidance;
};

enum { TRACK_PFSP_FRACTION = 23 };

/* ---- the units of a state, 4 bytes each ---- */

enum {
	TRACK_PFSP_FRONT,
	TRACK_PFSP_BACK,
	TRACK_PFSP_FRONT_IDLE,
	TRACK_PFSP_BACK_IDLE,
	TRACK_PFSP_ROWS
}; /* machines each */
/* after the rows: w of the front and of the back (times 2^TRACK_PFSP_FRACTION), the job assigned
 * but not yet placed (+ 1; 0: none), the set */
enum { TRACK_PFSP_FRONT_SHARE, TRACK_PFSP_BACK_SHARE, TRACK_PFSP_JOB, TRACK_PFSP_SET };

HD uint32_t *track_pfsp_word(struct track_state s, int32_t unit)
{
	return (uint32_t *)track_unit(s, (uint32_t)unit);
}

HD int32_t track_pfsp_row(const struct track_pfsp *d, int32_t row)
{
	return row * d->machines;
}

HD int32_t track_pfsp_units(const struct track_pfsp *d)
{
	return TRACK_PFSP_ROWS * d->machines + TRACK_PFSP_SET + d->words;
}

HD int32_t track_pfsp_get(struct track_state s, int32_t unit)
{
	return (int32_t)*track_pfsp_word(s, unit);
}

HD int32_t track_pfsp_bits(uint32_t x)
{
	x = x - (x >> 1 & 0x55555555u);
	x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
	return (int32_t)(((x + (x >> 4)) & 0x0F0F0F0Fu) * 0x01010101u >> 24);
}

HD int32_t track_pfsp_left(const struct track_pfsp *d, struct track_state s)
{
	int32_t set = track_pfsp_row(d, TRACK_PFSP_ROWS) + TRACK_PFSP_SET, n = 0;

	for (int32_t i = 0; i < d->words; i++)
		n += track_pfsp_bits(*track_pfsp_word(s, set + i));
	return n;
}

/* The side of the next job if `placed` jobs are placed: 0 front, 1 back. */
HD int32_t track_pfsp_side(const struct track_pfsp *d, int32_t placed)
{
	return d->both_ends ? placed & 1 : 0;
}

/* ---- the effect of a job ---- */

/* The linearised w of machine i, counted from the start of the side. A job that starts `wait` after
 * `front` and takes `p` changes it to share + by_wait * wait + by_time * (p - mean) modulo 2^32,
 * like all sums of w. */
struct track_pfsp_slope {
	uint32_t share, by_wait, by_time;
};

HD struct track_pfsp_slope track_pfsp_slope_of(const struct track_pfsp *d, int32_t i, int32_t front,
					       int32_t idle)
{
	int64_t expected = (int64_t)d->mean * i;
	uint64_t at;
	int64_t r, share;
	struct track_pfsp_slope w;

	expected = (front > expected ? front : expected) + d->mean;
	at = (uint64_t)expected >> d->coarse;
	r = d->reciprocal[at < d->reciprocals ? at : d->reciprocals - 1];
	share = idle * r;
	w.share = (uint32_t)share;
	w.by_time = 0u - (uint32_t)(share * r >> TRACK_PFSP_FRACTION);
	w.by_wait = (uint32_t)r + w.by_time;
	return w;
}

/* The rating of a state with `placed` jobs. w is modulo 2^32; negative values count as 0. */
HD uint32_t track_pfsp_rating(const struct track_pfsp *d, const struct track_pfsp_guidance *g,
			      int32_t placed, int32_t bound, uint32_t idle, uint32_t w)
{
	uint64_t b = (uint64_t)bound, best = (uint64_t)g->best, share = 0, rating = b;

	if (bound >= g->best)
		return TRACK_DROPPED;
	if (placed == d->jobs)
		return (uint32_t)bound;
	if (w < 0x80000000u)
		share = w >> (TRACK_PFSP_FRACTION - 14);
	if (g->kind == TRACK_PFSP_BY_IDLE)
		rating = idle;
	if (g->kind == TRACK_PFSP_BY_BOUND_AND_IDLE) {
		uint64_t left = (uint64_t)(d->jobs - placed);

		rating = ((uint64_t)placed << 14) + (left * g->scale * share >> 4);
		rating = rating * b >> d->shift;
	}
	if (g->kind == TRACK_PFSP_BY_GAP) {
		uint64_t low = share * (best - b) / best >> 6;

		rating = (b * best / (best - b) >> d->gap_shift << 8) + (low < 255 ? low : 255);
	}
	return rating < TRACK_DROPPED ? (uint32_t)rating : TRACK_DROPPED - 1;
}

/* ---- the domain's functions ---- */

/* The job of successor k: the k-th of those left. k < jobs left. */
HD void track_pfsp_assign(const struct track_pfsp *d, struct track_state s,
			  const struct track_step *at)
{
	int32_t set = track_pfsp_row(d, TRACK_PFSP_ROWS) + TRACK_PFSP_SET,
		skip = (int32_t)at->successor;
	uint32_t bits = 0;
	int32_t i = 0;

	if (at->step > 0)
		return;
	for (; i < d->words; i++) {
		bits = *track_pfsp_word(s, set + i);
		if (skip < track_pfsp_bits(bits))
			break;
		skip -= track_pfsp_bits(bits);
	}
	if (i == d->words)
		return;
	for (; skip > 0; skip--)
		bits &= bits - 1;
	bits &= 0u - bits;
	*track_pfsp_word(s, set + i) &= ~bits;
	*track_pfsp_word(s, set - TRACK_PFSP_SET + TRACK_PFSP_JOB) =
		(uint32_t)(i * 32 + track_pfsp_bits(bits - 1) + 1);
}

/* Places the assigned job, if any. The state always waits afterwards. */
HD int track_pfsp_execute(const struct track_pfsp *d, struct track_state s,
			  const struct track_step *at)
{
	int32_t rest = track_pfsp_row(d, TRACK_PFSP_ROWS),
		job = track_pfsp_get(s, rest + TRACK_PFSP_JOB) - 1;
	int32_t side = track_pfsp_side(d, d->jobs - track_pfsp_left(d, s) - 1), t = 0;
	int32_t fronts = track_pfsp_row(d, TRACK_PFSP_FRONT + side);
	int32_t idles = track_pfsp_row(d, TRACK_PFSP_FRONT_IDLE + side);
	uint32_t w = 0;

	(void)at;
	if (job < 0)
		return 1;
	for (int32_t i = 0; i < d->machines; i++) {
		int32_t k = side ? d->machines - 1 - i : i;
		int32_t front = track_pfsp_get(s, fronts + k), idle = track_pfsp_get(s, idles + k);
		int32_t p = d->time[k * d->jobs + job], start = t > front ? t : front;
		struct track_pfsp_slope slope = track_pfsp_slope_of(d, i, front, idle);

		w += slope.share + slope.by_wait * (uint32_t)(start - front) +
		     slope.by_time * (uint32_t)(p - d->mean);
		t = start + p;
		*track_pfsp_word(s, fronts + k) = (uint32_t)t;
		*track_pfsp_word(s, idles + k) = (uint32_t)(idle + start - front);
	}
	*track_pfsp_word(s, rest + TRACK_PFSP_FRONT_SHARE + side) = w;
	*track_pfsp_word(s, rest + TRACK_PFSP_JOB) = 0;
	return 1;
}

/* Total time of the jobs left on a machine: the total without the busy time of front and back. */
HD int32_t track_pfsp_remaining(const struct track_pfsp *d, int32_t k, int32_t front, int32_t back,
				int32_t front_idle, int32_t back_idle)
{
	return d->total[k] - (front - front_idle) - (back - back_idle);
}

HD uint32_t track_pfsp_rate(const struct track_pfsp *d, struct track_state s)
{
	int32_t rest = track_pfsp_row(d, TRACK_PFSP_ROWS), bound = 0;
	uint32_t idle = 0;

	for (int32_t k = 0; k < d->machines; k++) {
		int32_t front = track_pfsp_get(s, track_pfsp_row(d, TRACK_PFSP_FRONT) + k);
		int32_t back = track_pfsp_get(s, track_pfsp_row(d, TRACK_PFSP_BACK) + k);
		int32_t a = track_pfsp_get(s, track_pfsp_row(d, TRACK_PFSP_FRONT_IDLE) + k);
		int32_t b = track_pfsp_get(s, track_pfsp_row(d, TRACK_PFSP_BACK_IDLE) + k);
		int32_t x = front + back + track_pfsp_remaining(d, k, front, back, a, b);

		bound = x > bound ? x : bound;
		idle += (uint32_t)a + (uint32_t)b;
	}
	return track_pfsp_rating(d, d->guidance, d->jobs - track_pfsp_left(d, s), bound, idle,
				 *track_pfsp_word(s, rest + TRACK_PFSP_FRONT_SHARE) +
					 *track_pfsp_word(s, rest + TRACK_PFSP_BACK_SHARE));
}

HD uint32_t track_pfsp_expand(const struct track_pfsp *d, struct track_state s)
{
	return (uint32_t)track_pfsp_left(d, s);
}

HD uint32_t track_pfsp_successor(const struct track_pfsp *d, struct track_state s, uint32_t k)
{
	(void)d;
	(void)s;
	return k;
}

#endif
