/* A domain: a search problem, as the tracker sees it. To add one:
 *
 * 1. A header mine.h that is C and C++ (harness/base/hd.h), with the parameters and the functions:
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
 *    mine_expand says how many successors are worth making (0: a dead end); mine_successor which
 *    one the k-th is (most return k). assign at step 0 makes the choice at->successor (where the
 *    search assigns first); later assignments are the domain's own, by heuristic or at random from
 *    track_random(at, ...). A state whose search is over waits for ever and is assigned nothing.
 *
 * 2. mine_host.c:   #include "mine.h"
 *                   #define TRACK_DOMAIN mine
 *                   #include "domain_host.h"     // defines struct track_ops mine_ops_host
 * 3. kernels/<folder>/mine.cu:
 *                   #include "algorithms/koester-recovery/mine.h"
 *                   #include "kernels/koester-recovery/domain.cuh"
 *                   TRACK_DOMAIN_KERNELS(mine)   // mine_ops_cuda and mine_ops_sim
 * 4. a struct track_domain with these tables, given to track_create.
 *
 * The functions are called for one state by one thread at a time, on the host and on devices; the
 * same inputs must give the same bytes (beware of floating-point contraction: write fmaf where a
 * fused multiply-add is meant and keep others apart). */
#ifndef COPRA_KOESTER_RECOVERY_STATES_DOMAIN_H
#define COPRA_KOESTER_RECOVERY_STATES_DOMAIN_H

#include "algorithms/koester-recovery/states/place.h"

/* A child that pruning looks at. */
struct track_candidate {
	uint64_t child; /* its number: parents in slot order, then successors */
	uint32_t source, successor, rating;
};

struct track_domain {
	const char *name;
	struct track_layout layout;
	const void *parameters; /* for the host */
	size_t parameter_bytes;
	/* The same parameters for a device: pointers in `parameters` (a copy of the above) are
	 * replaced by ones into memory that track_alloc of this place gave; `held` is kept for
	 * leave, which frees it. Both NULL: the parameters hold no pointers. */
	int (*enter)(const struct track_domain *d, struct track_place *p, void *parameters,
		     void **held, struct err *e);
	void (*leave)(const struct track_domain *d, struct track_place *p, void *held);
	const struct track_ops *host;
	const struct track_ops *sim;
	const struct track_ops *cuda; /* NULL in builds without */
	/* Pruning on the host by an order of the domain's own (section IV): less than 0 when a is
	 * kept before b. NULL: by rating, then by index. */
	int (*compare)(const void *parameters, const struct track_candidate *a,
		       const struct track_candidate *b);
};

/* The table for the place; NULL: the domain cannot run there. */
static inline const struct track_ops *track_ops_of(const struct track_domain *d,
						   const struct track_place *p)
{
	if (!p->device)
		return d->host;
	return dev_backend_of(p->device) == DEV_CUDA ? d->cuda : d->sim;
}

#endif
