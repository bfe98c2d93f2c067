/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Bounds on the host.
 *
 * A bounder computes the bound of one flowshop node at a time: LB1 first (unless told not to),
 * then, for LB2, one pair of machines after the other until a pair reaches the value that prunes.
 * This changes no count.
 *
 * An evaluator bounds the nodes that the published algorithm does not offload: those of the initial
 * search, and the last nodes of a pool that holds fewer than m. Like the kernels, it computes which
 * children survive. */
#ifndef COPRA_HELBECQUE_POOL_EVALUATOR_H
#define COPRA_HELBECQUE_POOL_EVALUATOR_H

#include "algorithms/helbecque-pool/node.h"
#include "algorithms/tree-search/search.h"
#include "datasets/flowshop/flowshop.h"
#include "harness/base/error.h"
#include "kernels/tree-search/fsp.h"

struct pool_bounder {
	struct fsp_tables tables;
	struct fsp_step *step; /* NULL with LB1 or one machine */
	size_t step_bytes;
	enum fsp_bound bound;
	bool pairs_only;      /* LB2 without LB1 before it */
	int words;            /* of a set of jobs, 32 jobs per word */
	uint32_t *left;       /* the set of unscheduled jobs, maintained by the caller */
	int32_t *zero;        /* [machines] zeros: the times before a first job */
	int32_t *child, *rem; /* scratch */
};

/* `left` is empty. ERR_MEMORY. */
int pool_bounder_open(struct pool_bounder *b, const struct flowshop *f, enum fsp_bound bound,
		      struct err *e);
void pool_bounder_close(struct pool_bounder *b);

/* Adds a job to `left`, or removes it. */
static inline void pool_bounder_flip(struct pool_bounder *b, int job)
{
	b->left[job >> 5] ^= UINT32_C(1) << (job & 31);
}

static inline const int32_t *pool_bounder_times(const struct pool_bounder *b, int job)
{
	return b->tables.time + (size_t)job * (size_t)b->tables.machines;
}

/* The bound of the node with the set `left`. A result >= stop_at means only that the bound is at
 * least stop_at. */
int32_t pool_bounder_value(const struct pool_bounder *b, const int32_t *front, const int32_t *rem,
			   const int32_t *back, int32_t stop_at);

/* The bound of a child of the node (front, rem, back, left). `job` is appended to the prefix with
 * the times `front`, or put before the suffix with the times `back` (b->zero if it is empty). */
int32_t pool_bounder_append(struct pool_bounder *b, int job, const int32_t *front,
			    const int32_t *rem, const int32_t *back, int32_t stop_at);
int32_t pool_bounder_prepend(struct pool_bounder *b, int job, const int32_t *front,
			     const int32_t *rem, const int32_t *back, int32_t stop_at);

struct pool_evaluator {
	unsigned forms;        /* of the request */
	bool count_operations; /* of the request */
	struct pool_node_format format;
	bool queens;
	struct pool_bounder bounder; /* flowshop */
	int32_t *front, *rem;        /* scratch */
};

/* ERR_MEMORY; ERR_UNSUPPORTED if the published algorithm does not take the instance. */
int pool_evaluator_open(struct pool_evaluator *v, const struct search_request *r, struct err *e);
void pool_evaluator_close(struct pool_evaluator *v);

/* Sets the bits of the surviving children in mask (format.words words). The single child of a node
 * of depth n - 1 is a complete schedule. */
void pool_evaluator_children(struct pool_evaluator *v, const unsigned char *node, int32_t ub,
			     uint32_t *mask);
/* Makespan of the node's permutation as an order of jobs. front: [machines] scratch. */
int32_t pool_evaluator_makespan(const struct pool_evaluator *v, const unsigned char *node,
				int32_t *front);

#endif
