/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The command `solve` of the targets that search trees: --problem flowshop (pfsp), nqueens and, for
 * targets that take it, atsp.
 *
 * A target's run() reads its own flags into a request and calls search_solve():
 *
 *     struct options {
 *             struct solve_options common;
 *             struct search_flags search;
 *             ...
 *     };
 *     static int run(const struct solve_options *common, struct solve_result *r, struct err *e)
 *     {
 *             const struct options *o = (const struct options *)common;
 *             const struct search_target target = { .context = ..., .search = ..., ... };
 *             struct search_request q = search_solve_request(common);
 *
 *             q.no_stealing = ...;
 *             return search_solve(common, &o->search, &q, &target, r, e);
 *     }
 *     static const struct flag flags[] = { SEARCH_SOLVE_FLAGS(struct options, ...), FLAG_END };
 */
#ifndef COPRA_TREE_SEARCH_SEARCH_SOLVE_H
#define COPRA_TREE_SEARCH_SEARCH_SOLVE_H

#include "algorithms/tree-search/flowshop/fsp_solve.h"
#include "algorithms/tree-search/search_target.h"

/* The forms of --instance for N-Queens and ATSP, to be used in a struct solve_spec. Flowshop:
 * FSP_INSTANCES. */
#define QUEENS_INSTANCES "with --problem nqueens a number"
#define ATSP_INSTANCES                                                                             \
	"with --problem atsp crane:CITIES:SEED, tsmat:CITIES:SEED, "                               \
	"random:CITIES:MAX[:SEED] or a TSPLIB file"

#define SEARCH_NODE_LIMIT_HELP                                                                     \
	"stop after about N nodes: decomposed ones, or placements of N-Queens"

/* Entries of a target's table of flags. `options` is its struct, with a struct search_flags
 * `search`; `starts` the values of --start. */
#define SEARCH_SOLVE_FLAGS(options, branching_help, starts, start_help)                            \
	FLAG("bound", FLAG_TEXT, options, search.bound, "lb1|lb1-pairs|lb2",                       \
	     "flowshop: lb2 (default): two machines, all pairs; lb1: one machine; lb1-pairs: "     \
	     "lb1, and depth first a few pairs of lb2 if they pay"),                               \
		FLAG("branching", FLAG_TEXT, options, search.branching,                            \
		     "forward|maxsum|minbranch", branching_help),                                  \
		FLAG("start", FLAG_TEXT, options, search.start, starts, start_help),               \
		FLAG("start-command", FLAG_TEXT, options, search.start_command, "COMMAND",         \
		     "flowshop: a shell command that writes an answer with the first schedule to " \
		     "its output"),                                                                \
		FLAG("start-seconds", FLAG_REAL, options, search.start_seconds, "S",               \
		     "flowshop: seconds for the iterated greedy start (default: until the last "   \
		     "gain is long past, at most 1)"),                                             \
		FLAG("improve", FLAG_TEXT, options, search.improve, "none|auto|N",                 \
		     "flowshop, cpu and tuned: N threads of iterated greedy during the search, "   \
		     "or as many as pay (default none)"),                                          \
		FLAG("format", FLAG_TEXT, options, search.format, FSP_FORMAT_ARGUMENT,             \
		     "flowshop: " FSP_FORMAT_HELP),                                                \
		FLAG("gpus-per-rank", FLAG_COUNT, options, search.gpus_per_rank, "N",              \
		     "under mpirun: GPUs of each rank (default: those of the node, divided by "    \
		     "its ranks)")

/* The fields of a request that follow from the flags of every target: threads, devices, limits and
 * seed; no bound. */
struct search_request search_solve_request(const struct solve_options *o);

/* The run() of a struct solve_spec: loads the instance, finds a first solution, searches, verifies
 * and fills *r. `q`: the request, with the fields set that follow from the target's own flags.
 * N-Queens counts the nodes of the whole board, with half_board those of the half board, with
 * solutions_only none. ERR_USAGE if a flag has no meaning for the problem. */
int search_solve(const struct solve_options *o, const struct search_flags *flags,
		 const struct search_request *q, const struct search_target *t,
		 struct solve_result *r, struct err *e);

/* Prints the problems and the forms of --instance, for `list`. `paper`: says which flowshop
 * instances the paper uses, or "". */
void search_list_instances(const char *paper, bool atsp);

#endif
