/* Bounds of flowshop nodes on the host, one at a time: LB1 first, then for LB2 the pairs until one
 * reaches the value that prunes (which changes no count). */
#ifndef COPRA_HELBECQUE_POOL_BOUNDER_H
#define COPRA_HELBECQUE_POOL_BOUNDER_H

#include "datasets/flowshop/flowshop.h"
#include "harness/base/error.h"
#include "kernels/tree-search/fsp.h"

struct bounder {
	struct fsp_tables tables;
	struct fsp_step *step; /* NULL with LB1 or one machine */
	size_t step_bytes;
	enum fsp_bound bound;
	int words;            /* of a set of jobs, 32 jobs each */
	uint32_t *left;       /* the unscheduled jobs: the caller's to keep */
	int32_t *zero;        /* machines zeros: where a first job is added */
	int32_t *child, *rem; /* scratch */
};

/* ERR_MEMORY. `left` is empty. */
int bounder_make(struct bounder *b, const struct flowshop *f, enum fsp_bound bound, struct err *e);
void bounder_free(struct bounder *b);

static inline void bounder_flip(struct bounder *b, int job)
{
	b->left[job >> 5] ^= UINT32_C(1) << (job & 31);
}

static inline const int32_t *bounder_times(const struct bounder *b, int job)
{
	return b->tables.time + (size_t)job * (size_t)b->tables.machines;
}

/* Bound of the node with the set `left`; any value >= stop_at stands for "stop_at or more". */
int32_t bounder_value(const struct bounder *b, const int32_t *front, const int32_t *rem,
		      const int32_t *back, int32_t stop_at);

/* Bound of a child of the node (front, rem, back, left): `job` appended to the prefix whose times
 * are `front` (b->zero where there is none), or put before the suffix whose times are `back`. */
int32_t bounder_append(struct bounder *b, int job, const int32_t *front, const int32_t *rem,
		       const int32_t *back, int32_t stop_at);
int32_t bounder_prepend(struct bounder *b, int job, const int32_t *front, const int32_t *rem,
			const int32_t *back, int32_t stop_at);

#endif
