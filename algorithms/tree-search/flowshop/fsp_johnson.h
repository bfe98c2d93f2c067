/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Johnson's pass for vectors of job sets, one set per lane. Include after simd_pack.h.
 *
 * present[job] is all ones in the lanes whose set has the job. time[machine * jobs + job] is the
 * job's time in these lanes and zero in the others. A job that is not in the set changes nothing:
 * its times are zero and its lag is masked. Passing over all jobs costs less than listing the jobs
 * of the set first, in an order that differs from pair to pair. */
#include <stddef.h>

#include "kernels/tree-search/fsp.h"

/* One job in Johnson's order of a pair. */
struct step {
	uint32_t at; /* offset in bytes of the job in an array of vectors */
	VEC_CELL lag;
};

/* [pair * jobs + position] */
static void steps_make(const struct fsp_tables *t, struct step *step)
{
	for (int i = 0; i < t->pairs * t->jobs; i++) {
		int job = t->johnson[i];

		step[i] = (struct step){ (uint32_t)((size_t)job * sizeof(vec)),
					 (VEC_CELL)t->lag[i / t->jobs * t->jobs + job] };
	}
}

static inline void set_job(const struct fsp_tables *t, int job, vec present, vec *time)
{
	for (int k = 0; k < t->machines; k++)
		time[(size_t)k * (size_t)t->jobs + (size_t)job] =
			present & (VEC_CELL)t->time[job * t->machines + k];
}

/* C_uv of each lane's set (fsp.h): the completion time on the second machine if both start at
 * zero. */
static inline vec johnson_pass(const struct fsp_tables *t, const struct step *steps, int pair,
			       const vec *present, const vec *time)
{
	const struct step *step = steps + (size_t)pair * (size_t)t->jobs, *end = step + t->jobs;
	const char *first = (const char *)(time + (size_t)t->pair_u[pair] * (size_t)t->jobs);
	const char *second = (const char *)(time + (size_t)t->pair_v[pair] * (size_t)t->jobs);
	vec t0 = { 0 }, t1 = { 0 };

	for (; step < end; step++) {
		size_t at = step->at;

		t0 += *(const vec *)(first + at);
		t1 = vec_max(t1, (t0 + step->lag) & *(const vec *)((const char *)present + at));
		t1 += *(const vec *)(second + at);
	}
	return t1;
}
