/* The published algorithm (section 3) in its parts: published.c sets up, does the initial search,
 * distributes its nodes, starts a host thread a GPU and finishes what they leave;
 * published_worker.c is such a thread; published_steal.c gets it work when its pool has run out. */
#ifndef COPRA_HELBECQUE_POOL_PUBLISHED_RUN_H
#define COPRA_HELBECQUE_POOL_PUBLISHED_RUN_H

#include "harness/base/rng.h"
#include "algorithms/helbecque-pool/incumbent.h"
#include "algorithms/tree-search/interrupt.h"
#include "algorithms/helbecque-pool/node_pool.h"
#include "algorithms/helbecque-pool/offload.h"
#include "algorithms/helbecque-pool/pool.h"
#include "algorithms/helbecque-pool/termination.h"
#include "algorithms/helbecque-pool/tuner.h"

struct published_counts {
	uint64_t explored, decomposed, leaves, evaluated, solutions;
};

struct published_run;

/* A host thread and its GPU. Other threads touch the pool only. */
struct published_worker {
	struct published_run *run;
	int id;
	struct node_pool pool;
	struct offload offload;
	struct incumbent *incumbent, own;
	size_t m;
	struct tuner tuner; /* M */
	struct rng rng;     /* of the choice of victims */
	struct published_counts counts;
	uint64_t returned; /* nodes of its pool that its device, or the host, has decomposed */
	uint64_t offloads, steals_tried, steals_done, nodes_stolen;
	int status;
	struct err error;
};

struct published_run {
	const struct search_request *request;
	struct interrupt interrupt;
	struct evaluator evaluator; /* used by the first thread before and after the others live */
	struct node_budget budget;
	struct termination termination;
	struct incumbent shared;
	struct published_counts counts; /* of the initial search and the end */
	struct balance initial;         /* of the pool of the initial search */
	uint64_t initial_returned;      /* as a worker's */
	int workers;
	struct published_worker *worker;
	atomic_int failed; /* a worker met an error: all return */
};

/* As pool_search_published, the devices divided evenly among `locales`: what runs on one machine
 * here is the paper's hierarchy of compute nodes and their GPUs. */
int published_search(const struct search_request *r, int locales, struct search_outcome *o,
		     struct err *e);

/* Line of Algorithm 1 after bounding, for `count` parents: counts, improves the incumbent by
 * leaves, pushes surviving children. Clears masks of leaves. */
int published_branch(struct published_run *run, struct published_counts *n, struct incumbent *best,
		     struct node_pool *pool, const unsigned char *parents, uint32_t *masks,
		     size_t count, struct err *e);

/* Time limit, stop flag, another's error: 0 or ERR_LIMIT. */
int published_check(struct published_run *run, struct err *e);

/* Checks that no node was lost: in a pool, on the way from a pool to its device and back, or
 * between two pools. `complete`: none may be left. ERR_FAILED. */
int published_check_balance(struct published_run *run, bool complete, struct err *e);

/* Body of a host thread. */
int published_work(struct published_worker *w);

/* Gets nodes from another pool, waiting for as long as some thread is busy. False: the search has
 * ended (or has to). *status: an error. */
bool published_acquire(struct published_worker *w, int *status);

#endif
