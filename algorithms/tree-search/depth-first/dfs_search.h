/* Flowshop branch and bound that lives on the devices: depth first, a stack a warp
 * (kernels/flowshop).
 *
 * Any size that an instance may have (datasets/flowshop/flowshop.h), LB1 or LB2 by all pairs, all
 * three branchings. LB1 runs in 16-bit pairs where all sums fit (up to 256 jobs, 60 machines),
 * everything else in 32 bits, a warp a node.
 *
 * One search on several devices: each starts empty but the first; who has no work takes part of the
 * open nodes of another one over the peer link. Devices tell each other of better schedules through
 * pinned host memory while kernels run. Rounds last 50 ms at most, so that a limit or a signal is
 * met soon; the lower bound is then the least bound of the open nodes. Memory never runs out in
 * the middle: a stack that fills is worked on in narrower steps. ERR_MEMORY only where not even
 * four stacks fit.
 *
 * A schedule found on the way is kept with its order, but for instances whose known optimum is the
 * given ub and that write no checkpoint: then only values are kept, and if the known optimum proves
 * wrong the search starts again.
 *
 * Checkpoints hold the open nodes of all devices (CHECKPOINT_NODES). Each device copies its stacks
 * when one of its rounds has ended, and goes on; a thread of its own writes the file meanwhile. The
 * copies take at most 2 % of the time, for which the period is stretched if need be. A search that
 * is resumed goes on by the first_ub of its file, from the better of the file's and the request's
 * schedules; devices take open nodes from the host as they become hungry.
 *
 * Without ub the search starts from the jobs by their numbers (search_start). */
#ifndef COPRA_TREE_SEARCH_DEPTH_FIRST_DFS_SEARCH_H
#define COPRA_TREE_SEARCH_DEPTH_FIRST_DFS_SEARCH_H

#include "algorithms/tree-search/search.h"

/* A search_fn; N-Queens requests are ERR_USAGE. */
int dfs_search(const struct search_request *r, struct search_outcome *o, struct err *e);

#endif
