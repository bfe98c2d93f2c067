/* What every tree search of copra takes and gives back: one instance, one set of processors, counts
 * that an oracle can check.
 *
 * Counting (facts of both papers' codes, checked against their tables):
 *   explored    nodes that enter the pool. Flowshop: non-root, non-leaf children with
 *               bound < incumbent. N-Queens: every valid placement of 1..N queens on the whole
 *               board (complete boards included)
 *   decomposed  nodes whose children were evaluated, the root included; 0: not counted (by some
 *               searches, of a tree that they left). N-Queens with half_board: placements of
 *               1..N-1 queens of the half board, the empty board not counted (Gmys et al., Table 2)
 *   leaves      evaluated complete schedules with bound < incumbent. ATSP: complete tours with
 *               cost <= the best known
 * With `ub` at the optimum (strict improvement, prune bound >= ub) the flowshop tree does not
 * depend on any order: same counts for every variant, thread, device, m and M. */
#ifndef COPRA_TREE_SEARCH_SEARCH_H
#define COPRA_TREE_SEARCH_SEARCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/device/device.h"
#include "harness/base/error.h"
#include "datasets/flowshop/flowshop.h"
#include "kernels/tree-search/fsp.h"

struct atsp;
struct checkpoint_plan;

enum { SEARCH_WORKERS_MAX = 256 };
#define SEARCH_NO_UB INT32_MAX

struct search_request {
	const struct flowshop *flowshop; /* or NULL */
	const struct atsp *atsp;         /* or NULL; both NULL: N-Queens */
	int queens;                      /* N, 1..32, of N-Queens */
	bool solutions_only;             /* N-Queens: only `solutions` counts; the board's symmetry
					    may be used and nodes need not be counted */
	bool half_board; /* N-Queens: the tree of Gmys et al., whose first row has the
			    columns 0 .. (N+1)/2 - 1; solutions are those of the
			    whole board all the same */
	const struct checkpoint_plan *checkpoint; /* NULL: none; refused by who cannot */

	/* flowshop only, from here (ub, start and private_incumbent of ATSP too) ... */
	enum fsp_bound bound;
	enum fsp_branching branching;
	int64_t ub;             /* prune bound >= ub (ATSP: > ub); SEARCH_NO_UB: none */
	const int64_t *start;   /* a schedule of value `ub` (ATSP: a tour, `cities` entries from
				   city 0 on); NULL: none at hand */
	bool private_incumbent; /* workers do not tell each other of better schedules
				   (as the paper's code); they are compared at the
				   end ... to here */
	bool no_stealing;       /* static distribution only (Table 7, "disabled") */
	int64_t m, M;           /* least and greatest number of nodes offloaded at once; 0:
				   chosen by what is measured while the search runs */
	int64_t memory;         /* bytes that open nodes may take a device (tuned) or
				   all pools (published, cpu); 0: most of what is free */
	int threads;            /* of cpu */
	const struct dev_set *devices;     /* of published and tuned */
	int gpus;                          /* how many of the set; 0 = all */
	double time_limit;                 /* seconds, 0 = none */
	const volatile sig_atomic_t *stop; /* may be NULL; non-zero: return soon with what is
					      there */
	uint64_t seed;                     /* of victim selection */
};

struct search_outcome {
	bool complete;       /* the whole tree was searched */
	int64_t best;        /* least makespan known: ub or better */
	int64_t *order;      /* its schedule, `jobs` entries (ATSP: the tour, `cities`
				entries from city 0 on), NULL where none was found
				or given; freed by search_outcome_free */
	int64_t lower_bound; /* proved: best where complete, else no open node is
				below it */
	uint64_t solutions;  /* N-Queens */
	uint64_t explored, decomposed, leaves;
	uint64_t evaluated; /* bounds computed or looked up; 0 where not counted */

	double seconds_total;  /* the call, without opening devices */
	double seconds_setup;  /* tables, allocations, copies of them */
	double seconds_search; /* the rest, build of tables of sets included where
				  the search cannot start without (seconds_tables
				  tells them apart) */
	double seconds_tables; /* part of seconds_search */
	int workers;           /* host threads or devices that searched */
	uint64_t worker_explored[SEARCH_WORKERS_MAX];
	uint64_t steals_tried, steals_done, nodes_stolen, offloads;
	int64_t m, M;         /* as used (at the end, where chosen automatically) */
	uint64_t memory_peak; /* bytes of open nodes, greatest seen */
};
void search_outcome_free(struct search_outcome *o);

/* Where a search that needs a bound starts: the request's ub and a copy of its schedule or tour
 * (NULL without one), or, where ub is SEARCH_NO_UB, the jobs or cities by their numbers: no
 * heuristic. ERR_MEMORY. *order is the caller's. */
int search_start(const struct search_request *r, int64_t *ub, int64_t **order, struct err *e);

/* 0 when complete; ERR_LIMIT with a valid partial outcome when stopped by time or signal;
 * ERR_UNSUPPORTED (why) where a variant does not take the instance; ERR_MEMORY when open nodes
 * outgrow the memory: the outcome then holds the counts so far. */
typedef int search_fn(const struct search_request *r, struct search_outcome *o, struct err *e);

#endif
