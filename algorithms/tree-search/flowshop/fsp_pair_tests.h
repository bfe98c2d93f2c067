/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Machine pairs for a flowshop search with LB1: the test of a node with a few of the pairs of LB2.
 *
 * All pairs cost many times LB1. But on some instances one to four pairs alone prune most nodes of
 * LB1's tree, while on most instances all pairs together prune next to none. So a thread (or a
 * device) starts without pairs and keeps a sample of the nodes that it takes. After a while it
 * tests all pairs on the sample and keeps those that pay, if any; it repeats this at doubling
 * times. */
#ifndef COPRA_TREE_SEARCH_FLOWSHOP_FSP_PAIR_TESTS_H
#define COPRA_TREE_SEARCH_FLOWSHOP_FSP_PAIR_TESTS_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "kernels/tree-search/fsp.h"

enum {
	FSP_PAIR_TESTS_JOBS = 64, /* maximum number of jobs */
	FSP_PAIR_TESTS_MOST = 4,  /* pairs in use */
	FSP_PAIR_TESTS_SAMPLE = 256,
};

/* A pair, prepared for sets of jobs as bits. */
struct fsp_pair {
	int pair; /* of the tables */
	int u, v;
	struct fsp_step step[FSP_PAIR_TESTS_JOBS];   /* in Johnson's order */
	uint64_t place[FSP_PAIR_TESTS_JOBS / 4][16]; /* the bits of four jobs, in Johnson's order */
};

/* Of one thread or device. */
struct fsp_pair_tests {
	int count; /* pairs in use; 0: nodes are not tested */
	struct fsp_pair use[FSP_PAIR_TESTS_MOST];
	const struct fsp_tables *tables;
	struct fsp_step *step; /* of all pairs (fsp_steps_make) */
	double begin, due;     /* clock_wall(): when pairs are chosen again */
	/* The sample: every `interval`-th node, `wait` nodes from now. */
	int sampled;
	uint32_t interval, wait;
	uint64_t set[FSP_PAIR_TESTS_SAMPLE];
	int32_t *edges;                                 /* front and back of each node */
	uint64_t (*pruned)[FSP_PAIR_TESTS_SAMPLE / 64]; /* by each pair: one bit per node */
};

/* Whether there are pairs to choose from, and few enough jobs. */
bool fsp_pair_tests_support(const struct fsp_tables *t);
/* `t` has all pairs and outlives *p. The first choice is made after `seconds`, or later if it would
 * take more than a hundredth of the time so far. ERR_MEMORY. */
int fsp_pair_tests_create(struct fsp_pair_tests **p, const struct fsp_tables *t, double seconds,
			  struct err *e);
void fsp_pair_tests_destroy(struct fsp_pair_tests *p); /* may be NULL */

/* Prepares a pair of the tables. */
void fsp_pair_prepare(struct fsp_pair *p, const struct fsp_tables *t, int pair);

/* The bound of one pair, fsp_lb2_pair(), for a node with these jobs left. */
static inline int32_t fsp_pair_bound(const struct fsp_pair *p, uint64_t left, const int32_t *front,
				     const int32_t *back)
{
	int32_t t0 = front[p->u], t1 = front[p->v];
	uint64_t places = 0;

	for (int i = 0; left; i++, left >>= 4)
		places |= p->place[i][left & 15];
	for (; places; places &= places - 1) {
		const struct fsp_step *s = &p->step[__builtin_ctzll(places)];

		t0 += s->u_time;
		t1 = (t0 + s->lag > t1 ? t0 + s->lag : t1) + s->v_time;
	}
	t0 += back[p->u];
	t1 += back[p->v];
	return t0 > t1 ? t0 : t1;
}

/* Whether a pair in use bounds the node by at least `ub`. */
static inline bool fsp_pair_tests_prune(const struct fsp_pair_tests *p, uint64_t left,
					const int32_t *front, const int32_t *back, int64_t ub)
{
	for (int i = 0; i < p->count; i++)
		if (fsp_pair_bound(&p->use[i], left, front, back) >= ub)
			return true;
	return false;
}

/* Adds a node to the sample. */
void fsp_pair_tests_keep(struct fsp_pair_tests *p, uint64_t left, const int32_t *front,
			 const int32_t *back);

/* To be called for each node that the thread takes, before it is tested. */
static inline void fsp_pair_tests_see(struct fsp_pair_tests *p, uint64_t left, const int32_t *front,
				      const int32_t *back)
{
	if (--p->wait == 0)
		fsp_pair_tests_keep(p, left, front, back);
}

/* Whether it is time to choose the pairs again. */
bool fsp_pair_tests_due(const struct fsp_pair_tests *p);

/* Chooses the pairs again if it is time to and the sample is large enough. To be called now and
 * then. */
void fsp_pair_tests_choose(struct fsp_pair_tests *p, int64_t ub);

#endif
