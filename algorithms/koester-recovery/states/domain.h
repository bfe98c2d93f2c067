/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A domain is a search problem as the tracker sees it. docs/examples/recovery-domain/ is a complete
 * example. To add a domain:
 *
 * 1. Write a header mine.h in the common subset of C and C++ (harness/base/hd.h), with parameters
 *    and functions:
 *
 *        struct mine { int32_t n; const int32_t *table; };     // plain data, at most 2,048 bytes
 *        HD int mine_execute(const struct mine *d, struct track_state s,
 *                            const struct track_step *at);      // 1: the state waits now
 *        HD void mine_assign(const struct mine *d, struct track_state s,
 *                            const struct track_step *at);
 *        HD uint32_t mine_rate(const struct mine *d, struct track_state s);  // smaller is better;
 *                                                  // TRACK_DROPPED: never kept
 *        HD uint32_t mine_expand(const struct mine *d, struct track_state s);
 *        HD uint32_t mine_successor(const struct mine *d, struct track_state s, uint32_t k);
 *
 *    mine_execute makes a step and returns 1 if the state then waits for an assignment. mine_assign
 *    at step 0 makes the choice at->successor (if the search assigns first). Later assignments are
 *    up to the domain: by a heuristic, or at random with track_random(at, ...). mine_expand returns
 *    how many successors are worth making (0: a dead end), mine_successor the number of the k-th of
 *    them (usually k). A state whose search is over waits for ever and is never assigned.
 *
 * 2. mine_host.c:   #include "mine.h"
 *                   #define TRACK_DOMAIN mine
 *                   #include "algorithms/koester-recovery/states/domain_host.h"
 *                                                // defines struct track_ops mine_ops_host
 * 3. kernels/<folder>/mine.cu:
 *                   #include "mine.h"
 *                   #include "kernels/koester-recovery/domain.cuh"
 *                   TRACK_DOMAIN_KERNELS(mine)   // mine_ops_cuda, _hip and _sim
 * 4. Fill in a struct track_domain with these tables and pass it to track_create.
 *
 * One thread calls the functions for one state at a time, on the host and on devices. The same
 * inputs must produce the same bytes everywhere. Beware of floating-point contraction: write fmaf
 * where a fused multiply-add is intended, and prevent it elsewhere. */
#ifndef COPRA_KOESTER_RECOVERY_STATES_DOMAIN_H
#define COPRA_KOESTER_RECOVERY_STATES_DOMAIN_H

#include "algorithms/koester-recovery/states/place.h"

/* A child, for struct track_domain.compare. */
struct track_candidate {
	uint64_t child; /* its index, in the order of parents' slots, then of successors */
	uint32_t source, successor, rating;
};

struct track_domain {
	const char *name;
	struct track_layout layout;
	const void *parameters; /* as the host uses them */
	size_t parameter_bytes;
	/* enter() prepares the parameters for a device. It receives a copy of `parameters`, in
	 * which it replaces pointers by pointers to memory of the place (track_alloc). leave()
	 * receives *held and frees that memory. Both are NULL if the parameters contain no
	 * pointers. */
	int (*enter)(const struct track_domain *d, struct track_place *p, void *parameters,
		     void **held, struct err *e);
	void (*leave)(const struct track_domain *d, struct track_place *p, void *held);
	const struct track_ops *host;
	const struct track_ops *sim;
	const struct track_ops *cuda; /* NULL in builds without CUDA */
	const struct track_ops *hip;  /* NULL in builds without HIP */
	/* The domain's own order for pruning on the host (section IV): negative if a is better than
	 * b. NULL: by rating, then by index. */
	int (*compare)(const void *parameters, const struct track_candidate *a,
		       const struct track_candidate *b);
};

/* The table of operations for the place; NULL if the domain cannot run there. */
static inline const struct track_ops *track_ops_of(const struct track_domain *d,
						   const struct track_place *p)
{
	if (!p->device)
		return d->host;
	switch (dev_backend_of(p->device)) {
	case DEV_CUDA:
		return d->cuda;
	case DEV_HIP:
		return d->hip;
	default:
		return d->sim;
	}
}

#endif
