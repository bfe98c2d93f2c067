/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The published algorithm (section 3 of Helbecque et al.): node pools on the host, bounds on the
 * devices.
 *
 * The first thread makes an initial search, breadth first, and distributes its nodes to one host
 * thread per GPU (Figure 5). While its pool holds at least m nodes, a host thread offloads
 * min(size, M) of them from the back of its pool, waits for their bounds and pushes the children
 * that survive. (The text of Figure 4 says max(Q, M); min is meant, and is what the authors' code
 * does.) The nodes left in pools of fewer than m are finished on the host. request.forms adds what
 * the paper does not describe: enum search_form (search.h), offload.h.
 *
 * Work stealing (section 3.1.2). A thief tries the threads of its own locale in random order, then
 * the other locales in random order, and the threads of each in random order. It takes half of the
 * pool of the first victim that holds at least 2m nodes, from the front. sync.h describes how the
 * end is detected (3.1.3).
 *
 * Checkpoints (not in the paper). When the file is due, all host threads return. Nodes that are on
 * a device at that time count as open, because their results have not been used. The open nodes are
 * copied from the pools and written, and the threads continue. Without a file to write, threads run
 * until the end, as in the paper. A resumed search pushes its nodes into the pool of the initial
 * search, or, if they are enough for all threads, distributes them at once. */
#ifndef COPRA_HELBECQUE_POOL_PUBLISHED_H
#define COPRA_HELBECQUE_POOL_PUBLISHED_H

#include "algorithms/helbecque-pool/deque.h"
#include "algorithms/helbecque-pool/offload.h"
#include "algorithms/helbecque-pool/open_work.h"
#include "algorithms/helbecque-pool/pool_search.h"
#include "algorithms/helbecque-pool/sync.h"
#include "algorithms/helbecque-pool/tuner.h"
#include "algorithms/tree-search/depth-first/dfs_levels.h"
#include "algorithms/tree-search/search.h"
#include "harness/base/rng.h"

/* The paper's choice of m and M (Section 4.4), the default. M is smaller for instances so much
 * larger than the paper's that a stop would wait long for a chunk (pool_tuner_limit). */
enum { POOL_PAPER_M = 50, POOL_PAPER_MOST = 500000 };

struct pool_counts {
	uint64_t explored, decomposed, leaves, evaluated, solutions;
	uint64_t checks; /* children, each as often as there are queens or jobs before it */
};

struct pool_run;

/* A host thread and its GPU. Other threads access only its deque. */
struct pool_worker {
	struct pool_run *run;
	int id;
	struct pool_deque pool;
	struct pool_offload offload;
	struct pool_incumbent *incumbent, own;
	size_t m;
	struct pool_tuner tuner; /* M */
	struct rng rng;          /* for the choice of victims */
	struct pool_counts counts;
	uint64_t returned; /* nodes of its pool that its device or the host has decomposed */
	uint64_t offloads, offloaded; /* offloaded: nodes */
	uint64_t steals_tried, steals_done, nodes_stolen;
	double operations; /* of its device, if they are counted */
	double show_next;  /* what is left is told at this time; clock_wall */
	int status;
	struct err error;
};

struct pool_run {
	const struct search_request *request; /* with the bound and start of earlier runs */
	struct interrupt interrupt;
	struct pool_evaluator evaluator; /* used by the first thread while no others run */
	struct pool_budget budget;
	struct pool_termination termination;
	struct pool_incumbent shared;
	struct pool_counts counts; /* of the initial search and the end */
	struct pool_deque pool;    /* of the initial search */
	uint64_t initial_returned; /* as a worker's */
	struct pool_saver saver;
	struct dfs_gauge gauge; /* of what is left, if progress is shown */
	uint64_t begun;         /* nodes at the beginning: the root, or those of earlier runs */
	atomic_bool paused;     /* the file is due: all workers return, and start again */
	int workers;
	struct pool_worker *worker;
	atomic_int failed; /* a worker met an error: all return */
};

/* Gets nodes from another pool. Waits while any thread is busy. Returns false if the search
 * has ended or has to stop; *status is an error then, or 0. */
bool pool_acquire(struct pool_worker *w, int *status);

#endif
