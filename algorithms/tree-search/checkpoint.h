/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoints: the open work of a search, its best solution and its counts.
 *
 * Open work has one of two forms. Both can be resumed on any number of devices and threads.
 *  - Intervals of factoradics (kernels/gmys-ivm/factoradic.h): ranges of permutations, numbered in
 *    the order of the search. Both ends are included. The intervals are disjoint.
 *  - Nodes. If no child is listed, the node itself is still to be decomposed. If children are
 *    listed, the node is counted as decomposed; its children are counted as explored, but neither
 *    as decomposed nor as solutions.
 *      flowshop: the jobs of the prefix and the suffix, and the other jobs that have not yet been
 *        tried as children
 *      N-Queens on the whole board: the prefix holds the columns of the queens placed, row by row
 *        from the first one on (but see CHECKPOINT_FROM_MIDDLE); the open children are columns of
 *        the next row that no queen attacks. A child may complete the board. There is no suffix
 *
 * A state is consistent: with ub = optimum, its counts and those of the open work add up to the
 * counts of the whole tree.
 *
 * A file is text: one field per line in the order below, one line per unit of work, and the hash of
 * all lines before.
 *
 *   copra-checkpoint 1
 *   problem flowshop
 *   instance ta056
 *   hash 0123456789abcdef
 *   items 50
 *   rule lb1-minbranch
 *   first-ub 3680
 *   best 3679
 *   order 14 37 ...             or: order none
 *   solutions, explored, decomposed, leaves, evaluated: one line each
 *   seconds 12.25
 *   intervals 2                 or: nodes 2
 *   (first) (last)              or: prefix, suffix, open children, place, jobs (struct checkpoint)
 *   end fedcba9876543210
 *
 * It is written to a temporary file and renamed, so a kill at any moment leaves either the previous
 * state or the new one. */
#ifndef COPRA_TREE_SEARCH_CHECKPOINT_H
#define COPRA_TREE_SEARCH_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "algorithms/tree-search/search.h"
#include "harness/base/error.h"

enum { CHECKPOINT_MAX_ITEMS = 1000 };

struct checkpoint;

/* What the caller of a search asks for. */
struct checkpoint_plan {
	const char *write; /* file, NULL: none is written */
	double period; /* seconds between two checkpoints, 0: CHECKPOINT_PERIOD. A search with much
			  to write may use a longer period. A last checkpoint is written at a limit
			  or signal */
	const char *resume; /* file, NULL: start from the root */
	int64_t first_ub;   /* the initial bound of the search in `resume`; 0: unknown */
	/* Loads `resume` or `from` if the caller converts its work to the form that the search
	 * needs; NULL: checkpoint_load. */
	int (*read)(struct checkpoint *c, const struct search_request *r, struct err *e);
	const struct checkpoint *from; /* open work in memory, instead of `resume`; not changed;
					  NULL: none. It must be valid, as checkpoint_read
					  guarantees for a file; only its key is checked */
	/* The search stores here what is open when it ends: count 0 if complete. The caller frees
	 * it; NULL: not wanted. The previous content is overwritten, not freed. After an error
	 * other than ERR_LIMIT it is empty. Not the same as `from`. Intervals may be in any
	 * order. */
	struct checkpoint *left;
	bool failing; /* the last file could not be written, as a line said (checkpoint_store) */
};
#define CHECKPOINT_PERIOD 5.0

/* Whether the search continues earlier work. plan NULL: false. */
static inline bool checkpoint_resumes(const struct checkpoint_plan *plan)
{
	return plan && (plan->resume || plan->from);
}
/* Whether the search has to tell its open work. plan NULL: false. */
static inline bool checkpoint_is_kept(const struct checkpoint_plan *plan)
{
	return plan && (plan->write || plan->left);
}
/* Seconds between two checkpoints. */
static inline double checkpoint_period(const struct checkpoint_plan *plan)
{
	return plan->period > 0 ? plan->period : CHECKPOINT_PERIOD;
}

enum checkpoint_form { CHECKPOINT_INTERVALS, CHECKPOINT_NODES };

/* The fields that must be equal in a search that resumes. */
struct checkpoint_key {
	char problem[16];   /* flowshop, nqueens, atsp */
	char instance[128]; /* for people only */
	uint64_t hash;      /* of the instance; N of N-Queens */
	int items;          /* n: jobs, queens, cities - 1 */
	char rule[48];      /* of the tree: bound and branching, "board", "half-board", "path" */
	int64_t first_ub; /* the bound that the search began with; part of the rule of MinBranch */
};

/* The rule of a tree of N-Queens whose rows are filled from the middle outwards, and not from the
 * first one on: it begins with this. Row i of a prefix is i / 2 rows below the first one placed if
 * i is even, else (i + 1) / 2 rows above it. */
#define CHECKPOINT_FROM_MIDDLE "board-from-middle"
/* The tree of solutions for even N, where a node belongs to one of two kinds of placements
 * (kernels/helbecque-pool/queens.h): its place is 1 for "same", 0 for "later". */
#define CHECKPOINT_EVEN_SOLUTIONS CHECKPOINT_FROM_MIDDLE "-even-solutions"

struct checkpoint {
	struct checkpoint_key key;
	enum checkpoint_form form;
	int64_t best;   /* least value known */
	int64_t *order; /* [items] its solution, or NULL. ATSP: item i is city i + 1 */
	/* explored, evaluated: 0 if a run of the search did not count them */
	uint64_t solutions, explored, decomposed, leaves, evaluated;
	double seconds; /* of search so far, over all runs */
	uint64_t count; /* of intervals or nodes; 0: the search is complete */
	/* intervals: [count][2][items] digits, first and last.
	 * nodes: [count][items + 4]: length of the prefix, length of the suffix, number of open
	 * children, their place (0: behind the prefix, 1: before the suffix), then the jobs:
	 * prefix, open children, the other jobs, suffix (from front to back). Millions of nodes are
	 * usual */
	uint16_t *work;
};

/* The record of a node: the fields before its items. */
enum { RECORD_PREFIX, RECORD_SUFFIX, RECORD_OPEN, RECORD_SIDE, RECORD_ITEMS };

/* The open nodes that a record stands for: its children, or the node itself. */
static inline int record_nodes(const uint16_t *record)
{
	return record[RECORD_OPEN] ? record[RECORD_OPEN] : 1;
}

/* uint16_t per unit of work. */
static inline size_t checkpoint_stride(enum checkpoint_form form, int items)
{
	return form == CHECKPOINT_INTERVALS ? 2 * (size_t)items : (size_t)items + 4;
}

/* The key of a request. first_ub: the bound that the search begins with, from the request or its
 * start; 0 for N-Queens. */
void checkpoint_key_of(const struct search_request *r, int64_t first_ub,
		       struct checkpoint_key *key);

/* ERR_IO, ERR_MEMORY. An existing file stays until the new one is complete. */
int checkpoint_write(const struct checkpoint *c, const char *path, struct err *e);
/* All searches write the file of their request's plan by these functions, one at a time. These
 * decide what becomes of a search whose file cannot be written, as on a full disk.
 *
 * checkpoint_store: during the search. Writes the file and tells the watch. A failure does not end
 * the search, which tries again after the period. A line on stderr reports the first failure, and
 * another one that the file is written again. Errors of checkpoint_missed.
 * checkpoint_missed: a checkpoint failed with this status and `e`, also before it was written.
 * Reports ERR_IO and ERR_MEMORY like checkpoint_store and returns 0; returns other errors.
 * checkpoint_store_last: at the end. Errors of checkpoint_write if work is open, because a stopped
 * search has no other result to continue from. A complete search keeps its answer: a failure is
 * then only reported, in a line on stderr. */
int checkpoint_store(const struct checkpoint *c, const struct search_request *r, struct err *e);
int checkpoint_missed(const struct search_request *r, int status, const struct err *e);
int checkpoint_store_last(const struct checkpoint *c, const struct search_request *r,
			  struct err *e);
/* Reports before a search that its file cannot be written: ERR_IO. path NULL: none is. */
int checkpoint_probe(const char *path, struct err *e);
/* ERR_INPUT with file and line: not a checkpoint, truncated, digits or jobs out of range, intervals
 * out of order, queens that attack each other. */
int checkpoint_read(struct checkpoint *c, const char *path, struct err *e);
void checkpoint_free(struct checkpoint *c);
/* Checks a unit of work by itself, as for a file: digits and jobs in range, an interval that does
 * not end before it begins, a node that is not complete, queens that do not attack each other.
 * ERR_INPUT says what is wrong, without a place. */
int checkpoint_check_unit(const struct checkpoint_key *key, enum checkpoint_form form,
			  const uint16_t *unit, struct err *e);

/* Appends a unit of work, whose content the caller sets. *room: the units that c->work has room
 * for; 0 at first. NULL if there is no memory. */
uint16_t *checkpoint_add(struct checkpoint *c, size_t *room, struct err *e);
/* A copy of `from`, without its work if !work: form and count 0. ERR_MEMORY; `to` is empty then. */
int checkpoint_copy(struct checkpoint *to, const struct checkpoint *from, bool work, struct err *e);
/* Loads what the plan continues from: reads `resume`, or copies `from`. Errors of checkpoint_read
 * and checkpoint_copy. */
int checkpoint_load(struct checkpoint *c, const struct checkpoint_plan *plan, struct err *e);

/* What a search continues from. */
struct checkpoint_past {
	struct checkpoint state; /* all 0 if it starts from the root */
	bool resumed;            /* the plan of the request continues earlier work */
	bool borrowed;           /* `state` is that of plan->from, not a copy */
};
/* Opens what the plan of a request (NULL: none) continues from, and checks its key, except for the
 * initial bound, which the search takes over. Clears plan->left. Work in memory of the wanted form
 * is not copied. Errors of plan->read or checkpoint_load and of checkpoint_matches;
 * ERR_UNSUPPORTED if the work has another form. After an error, too, call checkpoint_past_close. */
int checkpoint_past_open(struct checkpoint_past *p, const struct search_request *r,
			 enum checkpoint_form form, struct err *e);
/* The same for a search whose key is not that of its request (checkpoint_key_of). */
int checkpoint_past_open_as(struct checkpoint_past *p, const struct search_request *r,
			    const struct checkpoint_key *key, enum checkpoint_form form,
			    struct err *e);
void checkpoint_past_close(struct checkpoint_past *p);

/* The last state of a search: writes it to the file of the request's plan, and moves it to
 * plan->left; what is not wanted is left out. Frees `c`. Errors of checkpoint_store_last. */
int checkpoint_end(struct checkpoint *c, const struct search_request *r, struct err *e);

/* Returns ERR_INPUT and names the first field that differs. */
int checkpoint_matches(const struct checkpoint *c, const struct checkpoint_key *key, struct err *e);
/* ERR_USAGE if the plan reads and writes the same file and a search from `ub` would overwrite the
 * solution of `c`, which was read from it, because `ub` is below its value and has no solution. */
int checkpoint_spares(const struct checkpoint *c, const struct checkpoint_plan *plan, int64_t ub,
		      struct err *e);
/* The bound from which the nodes in `c` were pruned: that of its first run, or a lower one of a
 * later run. */
static inline int64_t checkpoint_bound(const struct checkpoint *c)
{
	return !c->order && c->best < c->key.first_ub ? c->best : c->key.first_ub;
}

/* The hash of the last line of a file: FNV-1a over the lines before, each with its end. */
#define CHECKPOINT_HASH_BEGIN UINT64_C(0xcbf29ce484222325)
static inline uint64_t checkpoint_hash_line(uint64_t hash, const char *line, size_t length)
{
	for (size_t i = 0; i <= length; i++) {
		hash ^= i < length ? (unsigned char)line[i] : '\n';
		hash *= UINT64_C(0x100000001b3);
	}
	return hash;
}

#endif
