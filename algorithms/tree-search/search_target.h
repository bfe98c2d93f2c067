/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The interface that a tree-search target provides to the modules that all such targets share: the
 * command `solve` (search_solve.h) and the measured cases (search_case.h). */
#ifndef COPRA_TREE_SEARCH_SEARCH_TARGET_H
#define COPRA_TREE_SEARCH_SEARCH_TARGET_H

#include "algorithms/tree-search/search.h"
#include "harness/bench/solve.h"

/* Flags of `solve` common to these targets, as given on the command line (NULL or 0: not given).
 */
struct search_flags {
	const char *bound, *branching, *start, *start_command, *format;
	const char *improve;
	double start_seconds;
	int64_t gpus_per_rank; /* taken by world_main() under mpirun */
};

struct search_target {
	void *context; /* passed to every function below */
	/* Runs the search. As search_fn; `context` holds further parameters of the target. */
	int (*search)(void *context, const struct search_request *q, struct search_outcome *o,
		      struct err *e);
	/* The search of the variant cpu, for requests whose devices are still opening. */
	int (*on_cores)(void *context, const struct search_request *q, struct search_outcome *o,
			struct err *e);

	/* On several ranks: > 0: the paper's rules of Helbecque et al. (CLUSTER_PERMUTED) with this
	 * value of m; 0: ours. */
	int64_t paper_stealing;

	/* for `solve` only */

	bool supports_atsp;           /* --problem atsp too */
	enum fsp_branching branching; /* default of --branching */
	/* ERR_USAGE if the flags do not go together with the instance of the request. */
	int (*refuse)(void *context, const struct search_request *q, struct err *e);
	/* Adds counts and figures of the outcome to the result. */
	void (*figures)(void *context, const struct search_request *q,
			const struct search_outcome *o, struct solve_result *r);
};

/* Checks an outcome of any problem with code that the search does not use. ERR_FAILED names the
 * first error. *verified: the answer was confirmed, not merely not contradicted (fsp_verify.h,
 * queens_verify.h, atsp_verify.h). */
int search_verify(const struct search_request *q, const struct search_outcome *o, bool *verified,
		  struct err *e);

/* For `solve`: calls t->search, adds its times to the result, and prefixes ERR_MEMORY with the
 * number of nodes searched. While devices are opening, t->on_cores searches. If it does not end
 * before a device is open, only its best solution is kept: the search on devices begins at the
 * root. If no device can be opened, a note says so, and the cores do it all. */
int search_target_run(const struct search_target *t, const struct search_request *q,
		      struct search_outcome *o, struct solve_result *r, struct err *e);

/* ---- texts of `solve` ---- */

/* The note on a resumed search whose --ub is above the bound of its first run: both as PRId64. */
#define SEARCH_USELESS_UB                                                                          \
	"the bound %" PRId64 " has no effect: the checkpoint was searched from %" PRId64

/* Definitions of the node counts (search.h), for the summary. It shows those that the search
 * counts. */
#define SEARCH_MEANS_EXPLORED "explored: children that entered the pool"
#define SEARCH_MEANS_DECOMPOSED "decomposed: nodes whose children were bounded, root included"
#define SEARCH_MEANS_TREE SEARCH_MEANS_EXPLORED "; " SEARCH_MEANS_DECOMPOSED
#define SEARCH_MEANS_PLACEMENTS "explored: placements of 1 to N queens without attack"
#define SEARCH_MEANS_BOARD SEARCH_MEANS_PLACEMENTS "; decomposed: of 0 to N-1"
#define SEARCH_MEANS_DECOMPOSED_HALF                                                               \
	"decomposed: placements of 1 to N-1 queens without attack on half the board"
#define SEARCH_MEANS_HALF_BOARD                                                                    \
	"explored: placements of 1 to N queens without attack on half the board; decomposed: "     \
	"of 1 to N-1"

#endif
