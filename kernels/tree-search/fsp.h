/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Permutation flowshop: node evaluation of the tree searches, shared by host and device code.
 *
 * A node has a prefix (jobs fixed at the front), a suffix (jobs fixed at the end, empty in forward
 * branching) and the set U of unscheduled jobs. Its bounds are computed from
 *   front[k]  completion time of the prefix on machine k; the EMPTY prefix counts as head[k]
 *   back[k]   the same from the end; the EMPTY suffix counts as tail[k]
 *   rem[k]    sum of the times of U on machine k
 * A first job is added to a zero front (back), not to head (tail).
 *
 *   LB1 (one machine):  max_k front[k] + rem[k] + back[k]
 *   LB2 (two machines; Lageweg, Lenstra, Rinnooy Kan 1978, all pairs u < v of machines): Johnson's
 *       order of U for the times (p_u + lag, p_v + lag), lag_j = sum of p_jk for u < k < v, started
 *       at front[u] and front[v]: max over pairs of max(t1 + back[v], t0 + back[u]).
 * LB2 >= LB1 if all pairs are used. If U is empty, both are the makespan. Ties in Johnson's order
 * do not change the value.
 *
 * LB2 by set. Johnson's pass from (front[u], front[v]) ends at max(front[v] + sum p_v, front[u] +
 * C_uv(U)), where C_uv depends only on the set:
 *     C_uv(U) = max_k ( sum_{i<=k} p_iu + lag_k + sum_{i>=k} p_iv ),
 *               i over U in Johnson's order of (u, v).
 * In forward branching back = tail throughout the search, so each set U reduces to m numbers,
 *     E[U][u] = max( rem_u + tail_u, max over v > u of C_uv(U) + tail_v ),
 * and LB2(node) = max_u front[u] + E[U][u] if U is not empty, front[m-1] if it is. This equals
 * fsp_lb2() with all pairs exactly; it needs no early exit, pre-filter or order of pairs. The
 * searches by job set tabulate E.
 *
 * All values are int32_t. The instance readers (datasets/flowshop) guarantee that no sum of times
 * overflows. */
#ifndef COPRA_KERNELS_TREE_SEARCH_FSP_H
#define COPRA_KERNELS_TREE_SEARCH_FSP_H

#include <stddef.h>
#include <stdint.h>

#include "harness/base/hd.h"

/* The largest instances; fsp_tables.c checks that they are those of datasets/flowshop. */
enum { FSP_MAX_JOBS = 1000, FSP_MAX_MACHINES = 100 };

enum fsp_bound { FSP_LB1, FSP_LB2 };
enum fsp_branching {
	FSP_FORWARD,   /* children extend the prefix (Helbecque) */
	FSP_MAXSUM,    /* the side with the larger sum of bounds, ties to the back (Gmys 2017) */
	FSP_MINBRANCH, /* the side where more children reach the initial bound; if equal, the larger
			  sum */
};
/* The machine pairs of LB2. All but FSP_ALL_PAIRS are weaker and lead to other trees. */
enum fsp_pairs {
	FSP_ALL_PAIRS,      /* m(m-1)/2 */
	FSP_LAST_PAIRS,     /* (u, m-1), Lageweg et al.: m-1 */
	FSP_ADJACENT_PAIRS, /* (u, u+1), Nabeshima: m-1 */
};

/* The tables of an instance, made by fsp_tables_make(). They are plain arrays in one block, so that
 * a kernel takes the same struct with pointers to a copy in device memory (fsp_tables_moved). */
struct fsp_tables {
	int jobs, machines, pairs;
	const int32_t *time; /* [job * machines + machine]: the times of a job are adjacent */
	const int32_t
		*head; /* [machine] least sum of times on the machines before it, over all jobs */
	const int32_t *tail;   /* [machine] least sum of times on the machines after it */
	const int32_t *total;  /* [machine] sum over all jobs */
	const int32_t *pair_u; /* [pair], u < v */
	const int32_t *pair_v;
	const int32_t *johnson; /* [pair * jobs + position] the job */
	const int32_t *lag;     /* [pair * jobs + job] */
};

/* Appends the job with times `p` (one job's row) to the front. `next` may be `front` itself. */
HD void fsp_append(const int32_t *p, const int32_t *front, int32_t *next, int machines)
{
	int32_t t = front[0] + p[0];

	next[0] = t;
	for (int k = 1; k < machines; k++) {
		t = (t > front[k] ? t : front[k]) + p[k];
		next[k] = t;
	}
}

/* Puts the job before the suffix. `next` may be `back` itself. */
HD void fsp_prepend(const int32_t *p, const int32_t *back, int32_t *next, int machines)
{
	int32_t t = back[machines - 1] + p[machines - 1];

	next[machines - 1] = t;
	for (int k = machines - 2; k >= 0; k--) {
		t = (t > back[k] ? t : back[k]) + p[k];
		next[k] = t;
	}
}

HD int32_t fsp_lb1(const int32_t *front, const int32_t *rem, const int32_t *back, int machines)
{
	int32_t lb = 0;

	for (int k = 0; k < machines; k++) {
		int32_t x = front[k] + rem[k] + back[k];

		lb = x > lb ? x : lb;
	}
	return lb;
}

/* The value of one pair; `left[job]` is non-zero for the jobs of U. */
HD int32_t fsp_lb2_pair(const struct fsp_tables *t, int pair, const int32_t *front,
			const int32_t *back, const uint8_t *left)
{
	int u = t->pair_u[pair], v = t->pair_v[pair];
	int32_t t0 = front[u], t1 = front[v], x;

	for (int i = 0; i < t->jobs; i++) {
		int j = t->johnson[pair * t->jobs + i];

		if (!left[j])
			continue;
		t0 += t->time[j * t->machines + u];
		x = t0 + t->lag[pair * t->jobs + j];
		t1 = (x > t1 ? x : t1) + t->time[j * t->machines + v];
	}
	t0 += back[u];
	t1 += back[v];
	return t0 > t1 ? t0 : t1;
}

/* The maximum over the pairs. Stops at the first value >= stop_at (INT32_MAX: never, for sums of
 * bounds). With one machine there is no pair, and it is the single value of LB1. */
HD int32_t fsp_lb2(const struct fsp_tables *t, const int32_t *front, const int32_t *rem,
		   const int32_t *back, const uint8_t *left, int32_t stop_at)
{
	int32_t lb = t->pairs ? 0 : fsp_lb1(front, rem, back, t->machines);

	for (int pair = 0; pair < t->pairs && lb < stop_at; pair++) {
		int32_t x = fsp_lb2_pair(t, pair, front, back, left);

		lb = x > lb ? x : lb;
	}
	return lb;
}

/* ---- LB2 in steps ----
 *
 * The same values with the data of each step of a Johnson pass stored together: 16 bytes read in
 * sequence instead of four tables. Used where bounds are computed one node at a time: on the host,
 * and on the device with one thread per child. */

/* Aligned so that a device reads it in one load. */
struct fsp_step {
	int32_t job;
	int32_t u_time, v_time; /* of the job, on the two machines of the pair */
	int32_t lag;            /* time between them */
} __attribute__((aligned(16)));

/* One step of the pass if `in` is non-zero, else nothing; without a branch. */
HD void fsp_step_do(const struct fsp_step *s, int in, int32_t *t0, int32_t *t1)
{
	int32_t start = *t0 + s->u_time, x = start + s->lag;

	x = (x > *t1 ? x : *t1) + s->v_time;
	*t0 = in ? start : *t0;
	*t1 = in ? x : *t1;
}

/* The pass of one pair over the set `left` (bit j for job j; at most 32 jobs), starting from *t0
 * and *t1. */
HD void fsp_steps_run_32(const struct fsp_step *row, int jobs, uint32_t left, int32_t *t0,
			 int32_t *t1)
{
	for (int i = 0; i < jobs; i++)
		fsp_step_do(&row[i], (int)(left >> row[i].job & 1), t0, t1);
}

/* The same for any number of jobs: job j is bit j % 32 of left[j / 32 * stride]. */
HD void fsp_steps_run(const struct fsp_step *row, int jobs, const uint32_t *left, int stride,
		      int32_t *t0, int32_t *t1)
{
	for (int i = 0; i < jobs; i++) {
		int j = row[i].job;

		fsp_step_do(&row[i], (int)(left[(j >> 5) * stride] >> (j & 31) & 1), t0, t1);
	}
}

/* LB1 of the child that appends the job with times `p`: fsp_append and fsp_lb1 in one pass. `rem`
 * is that of the parent, which still includes the job. */
HD int32_t fsp_append_lb1(const int32_t *p, const int32_t *front, const int32_t *rem,
			  const int32_t *back, int machines)
{
	int32_t t = 0, lb = 0;

	for (int k = 0; k < machines; k++) {
		int32_t x;

		t = (t > front[k] ? t : front[k]) + p[k];
		x = t + rem[k] - p[k] + back[k];
		lb = x > lb ? x : lb;
	}
	return lb;
}

#endif
