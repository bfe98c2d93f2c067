/* LB2 pair by pair with what a step of a Johnson pass needs side by side: 16 bytes read in
 * sequence, instead of four tables. The values are those of fsp_lb2 and fsp_lb1 (tests compare
 * them); used where bounds are computed one node at a time, on the host and, a thread a child, on
 * the device. */
#ifndef COPRA_TREE_SEARCH_FLOWSHOP_FLOWSHOP_STEPS_H
#define COPRA_TREE_SEARCH_FLOWSHOP_FLOWSHOP_STEPS_H

#include <stddef.h>
#include <stdint.h>

#include "algorithms/tree-search/flowshop/flowshop.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Aligned so that a device reads it in one load. */
struct fsp_step {
	int32_t job;
	int32_t u_time, v_time; /* of the job, on the two machines of the pair */
	int32_t lag;            /* and between them */
} __attribute__((aligned(16)));

/* [pair * jobs + position in Johnson's order]; free() it. NULL where there is no memory for it or
 * there is no pair. */
struct fsp_step *fsp_steps_make(const struct fsp_tables *t, size_t *bytes);

/* A step of the pass where `in` is non-zero, nothing where it is 0, without a branch. */
HD void fsp_step_do(const struct fsp_step *s, int in, int32_t *t0, int32_t *t1)
{
	int32_t start = *t0 + s->u_time, x = start + s->lag;

	x = (x > *t1 ? x : *t1) + s->v_time;
	*t0 = in ? start : *t0;
	*t1 = in ? x : *t1;
}

/* The pass of one pair over the set `left` (bit j for job j; at most 32 jobs), from *t0 and *t1
 * on. */
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
 * is the parent's, the job still in it. */
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

#ifdef __cplusplus
}
#endif
#endif
