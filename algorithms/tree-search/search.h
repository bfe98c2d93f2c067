/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The request and the outcome of every tree search in copra: one instance, one set of processors,
 * and counts that can be checked.
 *
 * Counts (checked against the tables of both papers):
 *   explored    nodes that enter the pool. Flowshop: children that are not leaves and have
 *               bound < incumbent. N-Queens: every valid placement of 1..N queens on the whole
 *               board (complete boards included)
 *   decomposed  nodes whose children were evaluated, the root included; 0: not counted (by some
 *               searches that stopped early). N-Queens with half_board: placements of 1..N-1 queens
 *               on the half board, the empty board not counted (Gmys et al., Table 2)
 *   leaves      evaluated complete schedules with bound < incumbent. ATSP: complete tours with
 *               cost <= the best known
 * If `ub` is the optimum (strict improvement, prune bound >= ub), the flowshop tree does not depend
 * on any order: the counts are the same for every variant, thread, device, m and M. */
#ifndef COPRA_TREE_SEARCH_SEARCH_H
#define COPRA_TREE_SEARCH_SEARCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/device/device.h"
#include "harness/base/clock.h"
#include "harness/base/error.h"
#include "harness/base/watch.h"
#include "datasets/flowshop/flowshop.h"
#include "kernels/tree-search/fsp.h"

struct atsp;
struct checkpoint_plan;
struct exchange;

enum {
	SEARCH_WORKERS_MAX = 256,
	SEARCH_PROFILE = 32, /* jobs of the largest searches whose nodes are counted by children */
};
#define SEARCH_NO_UB INT32_MAX

/* The forms of a search: the rungs of the ladders between the paper's algorithm and the tuned
 * search. 0 is the variant as it is. */
enum search_form {
	/* helbecque-pool, published: what it does beyond the paper's algorithm */
	SEARCH_TWO_CHUNKS = 1 << 0, /* the device works while its host thread branches */
	SEARCH_LB1_FIRST = 1 << 1,  /* flowshop: LB2 only where LB1 does not prune */
	SEARCH_BIT_MASKS = 1 << 2,  /* a bit per child instead of its bound; nodes of small ids */
	SEARCH_PINNED = 1 << 3,     /* copies from and to pinned memory */
	SEARCH_STEPS = 1 << 4,      /* flowshop: sets of jobs are bits; steps of LB2 in rows */
	SEARCH_PACKED = 1 << 5,     /* flowshop: a prefix is replayed once for all children;
				       children that LB1 prunes leave no lanes idle */
	/* gmys-ivm, published: the same */
	SEARCH_ONE_LAUNCH = 1 << 6,  /* reductions and all rounds of victim selection, which may end
					early, in one launch, and the mapping in one; a launch for
					each round, and a host that reads the reductions */
	SEARCH_SHORT_STEPS = 1 << 7, /* PTE: an expansion ends after about 2 ms */
	SEARCH_PACKED_LB2 = 1 << 8,  /* flowshop: LB2 of four units a thread from tables in shared
					memory; one unit a thread */
	SEARCH_STAGED = 1 << 9,      /* IVMs copied to shared memory for a kernel */
	SEARCH_ONE_PASS = 1 << 10,   /* PTE, N-Queens and ATSP: a row is made, bounded and pruned in
					one pass, from data kept for each row; from the whole path
					of its node */
	/* tuned: what it does without; what it does instead */
	SEARCH_DEPTH_FIRST = 1 << 11, /* flowshop: bounds by job set; depth-first search */
	SEARCH_NO_SYMMETRY = 1 << 12, /* helbecque-pool, N-Queens: one of up to four placements for
					all; each of them */
	/* flowshop by job set: the same */
	SEARCH_NODES_ALONE = 1 << 13, /* many nodes of a set at once in a warp, with bounds that
					    are read once; one node at a time */
	SEARCH_ONE_NODE = 1 << 14,    /* several nodes at once in a lane */
	/* N-Queens and ATSP on devices: the same */
	SEARCH_BY_LISTS = 1 << 15,   /* helbecque-pool: depth-first search; a list for each row */
	SEARCH_NO_REFILL = 1 << 16,  /* a new node for each idle lane; a warp waits for its last */
	SEARCH_NO_SHARING = 1 << 17, /* gmys-ivm: nodes of busy lanes for idle ones, at the end */
};

enum { SEARCH_MEASURED = -1 }; /* of m and M */

struct search_request {
	const struct flowshop *flowshop; /* or NULL */
	const struct atsp *atsp;         /* or NULL; both NULL: N-Queens */
	int queens;                      /* number of queens, 1..32 */
	bool solutions_only; /* N-Queens: only `solutions` counts; the search may use the symmetry
				of the board and need not count nodes */
	bool half_board; /* N-Queens: the tree of Gmys et al., whose first row has the columns 0 ..
			    (N+1)/2 - 1. Solutions are still those of the whole board */
	struct checkpoint_plan *checkpoint; /* NULL: none. Searches without checkpoints refuse it */

	/* Flowshop only; ub, start and private_incumbent for ATSP too. */
	enum fsp_bound bound;
	enum fsp_branching branching;
	bool pairs; /* with LB1: the search may test nodes with machine pairs (fsp_pair_tests.h), so
				 the tree may be smaller than LB1's. Done by dfs_cpu.h and
				 dfs_search.h */
	double pairs_seconds; /* with pairs: when the first ones are chosen */
	int64_t ub;           /* prune bound >= ub (ATSP: > ub); SEARCH_NO_UB: none */
	const int64_t *start; /* a schedule of value `ub` (ATSP: a tour, `cities` entries from city
				 0 on); NULL: none */
	bool private_incumbent; /* workers do not share better schedules during the search (as in
				   the paper's code), only at its end */
	bool no_stealing; /* static distribution only (Helbecque et al., Table 7, "disabled") */
	bool no_stealing_between; /* the same between ranks only (Table 8, "disabled") */
	unsigned forms;           /* of enum search_form */
	int64_t m, M;   /* least and largest number of nodes offloaded at once; 0: the paper's,
			     SEARCH_MEASURED: chosen by measurement during the search */
	int64_t memory; /* bytes for open nodes per device (tuned) or of all pools (published, cpu);
			   0: most of the free memory */
	int threads;    /* for cpu */
	const struct dev_set *devices; /* for published and tuned */
	int gpus;                      /* how many of the set; 0: all */
	struct dev_opening *opening;   /* for search_target_run(): `devices` are still opening;
					      NULL: they are open */
	bool as_pays; /* tuned: the others of these devices join the first only when its search has
			 taken twice as long as opening them (joining.h). Not with checkpoints
			 or no_stealing: then all search from the beginning */
	double alone_seconds; /* with as_pays: how long the first searches alone; 0: measured */
	double time_limit;    /* seconds; 0: none */
	const volatile sig_atomic_t *stop; /* may be NULL; non-zero: return soon with the best so
					      far */
	uint64_t seed;                     /* for the choice of victims */
	bool count_operations; /* helbecque-pool, published, flowshop: `operations` of the outcome,
				  by kernels that bound all nodes once more */
	struct exchange *exchange; /* flowshop, cpu and tuned: schedules of heuristics that run
				      beside the search; NULL: none. Counts then depend on time */
	struct watch *watch; /* counts and incumbents for other threads, and the node limit; NULL:
				none. Nodes are decomposed ones; N-Queens: placements */
};

struct search_outcome {
	bool complete;  /* the whole tree was searched */
	int64_t best;   /* least makespan known: ub or better */
	int64_t *order; /* its schedule, `jobs` entries (ATSP: the tour, `cities` entries from city
			   0 on); NULL if none was found or given; freed by search_outcome_free */
	int64_t lower_bound; /* proved; `best` if complete, else the least open bound
			      */
	uint64_t solutions;  /* N-Queens */
	uint64_t explored, decomposed, leaves;
	uint64_t evaluated; /* bounds computed or looked up; 0: not counted */
	uint64_t cut;       /* flowshop: explored nodes that machine pairs pruned in this run */

	/* What the bounds cost (search_work.h); 0: not counted. */
	double operations; /* executed by the kernels of the devices; N-Queens on cores: by them */
	double bytes;      /* that these kernels read and write at least, in device memory */
	/* Decomposed nodes by their number of children, in flowshop searches on cores of at most
	 * SEARCH_PROFILE jobs. */
	uint64_t by_children[SEARCH_PROFILE + 1];

	double seconds_total;  /* of the call, without opening devices */
	double seconds_setup;  /* tables, allocations and their copies */
	double seconds_search; /* the rest. Includes building tables of job sets if the search
				  cannot start without them (see seconds_tables) */
	double seconds_tables; /* part of seconds_search */
	int workers;           /* host threads or devices that searched */
	uint32_t devices_used; /* bit i: device i of the set had nodes; 0: all, or not known */
	uint64_t worker_explored[SEARCH_WORKERS_MAX];
	uint64_t steals_tried, steals_done, nodes_stolen, offloads;
	int64_t m, M;         /* as used; at the end if chosen automatically */
	uint64_t memory_peak; /* bytes of open nodes, maximum */
};
void search_outcome_free(struct search_outcome *o);

/* The start of a search that needs a bound: the request's ub and a copy of its schedule or tour
 * (NULL without one). If ub is SEARCH_NO_UB: the jobs or cities in the order of their numbers,
 * without a heuristic. The caller frees *order. ERR_MEMORY. */
int search_start(const struct search_request *r, int64_t *ub, int64_t **order, struct err *e);

/* Takes `seconds` off the time limit, if there is one. At least a millisecond is left. */
static inline void search_spend(struct search_request *r, double seconds)
{
	if (r->time_limit > 0)
		r->time_limit = r->time_limit > seconds ? r->time_limit - seconds : 1e-3;
}

/* Returns 0 if the search is complete; ERR_LIMIT with a valid partial outcome if it was stopped by
 * the time limit or a signal; ERR_UNSUPPORTED, with the reason, if it does not support the
 * instance; ERR_MEMORY if open nodes outgrow the memory: the outcome then holds the counts so far.
 */
typedef int search_fn(const struct search_request *r, struct search_outcome *o, struct err *e);

/* ---- when a search has to stop: the request's stop flag, time limit or node limit ---- */

struct interrupt {
	const struct search_request *request;
	double begin, deadline; /* clock_wall; deadline 0: none */
};

/* The time limit starts now. */
static inline struct interrupt interrupt_from(const struct search_request *r)
{
	double now = clock_wall();
	struct interrupt i = { r, now, r->time_limit > 0 ? now + r->time_limit : 0 };

	return i;
}

/* Signal handlers and other threads may set the flag. */
static inline bool interrupt_asked(const struct search_request *r)
{
	return r->stop && __atomic_load_n(r->stop, __ATOMIC_RELAXED);
}

static inline bool interrupt_due(const struct interrupt *i)
{
	return interrupt_asked(i->request) || (i->deadline > 0 && clock_wall() >= i->deadline) ||
	       watch_limit_reached(i->request->watch);
}

/* ERR_LIMIT and its text. The text does not repeat the request's time limit, because a heuristic
 * start may have used part of the user's. */
static inline int interrupt_status(const struct interrupt *i, struct err *e)
{
	double now = clock_wall();
	bool late = i->deadline > 0 && now >= i->deadline;

	return err_set(e, ERR_LIMIT, "stopped by %s after %.3g s",
		       interrupt_asked(i->request)                     ? "a signal" :
		       !late && watch_limit_reached(i->request->watch) ? "the node limit" :
									 "the time limit",
		       now - i->begin);
}

#endif
