/* Checkpoints: all that a search has still to do, its best solution and what it has counted.
 *
 * Two forms of open work, both restartable on any number of devices and threads:
 *   intervals  of factoradics (kernels/gmys-ivm/factoradic.h): permutations by their number in
 * the order of the search, first and last included, neither in two of them nodes      of a flowshop
 * tree: prefix and suffix of jobs, and the jobs between that are still to be tried as children; or
 * none of them: the node itself is still to be decomposed A state is consistent: at ub = optimum
 * its counts and those of the work left add up to the count of the whole tree. Files are text,
 * written to a temporary file and renamed, so that a kill at any moment leaves the state before or
 * the one after. */
#ifndef COPRA_TREE_SEARCH_CHECKPOINT_H
#define COPRA_TREE_SEARCH_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"

enum { CHECKPOINT_MAX_ITEMS = 1000 };

struct checkpoint;
struct search_request;

/* What the caller of a search wants. */
struct checkpoint_plan {
	const char *write; /* file, NULL: none is written */
	double period; /* seconds between two of them; 0: CHECKPOINT_PERIOD. A search that has much
			  to write may take longer. One is written at a limit or signal too */
	const char *resume; /* file, NULL: from the root */
	int64_t first_ub; /* that the search in `resume` began with, where the caller knows; else 0
			   */
	/* reads `resume` where the caller of a search knows how to put its work into the form that
	 * the search needs; NULL: checkpoint_read */
	int (*read)(struct checkpoint *c, const struct search_request *r, struct err *e);
};
#define CHECKPOINT_PERIOD 5.0

enum checkpoint_form { CHECKPOINT_INTERVALS, CHECKPOINT_NODES };

/* What must be the same when it is resumed. */
struct checkpoint_key {
	char problem[16];   /* flowshop, nqueens, atsp */
	char instance[128]; /* for people */
	uint64_t hash;      /* of the instance; N of N-Queens */
	int items;          /* n: jobs, queens, cities - 1 */
	char rule[48];      /* of the tree: bound and branching, "half-board", "path" */
	int64_t first_ub; /* the bound that the search began with; part of the rule of MinBranch */
};

struct checkpoint {
	struct checkpoint_key key;
	enum checkpoint_form form;
	int64_t best;   /* least value known */
	int64_t *order; /* [items] its solution, or NULL. ATSP: item i is city i + 1 */
	/* explored, evaluated: 0 where a run of the search did not count them */
	uint64_t solutions, explored, decomposed, leaves, evaluated;
	double seconds; /* of search so far, over all runs */
	uint64_t count; /* of intervals or nodes; 0: the search is complete */
	/* intervals: [count][2][items] digits, first and last. nodes: [count][items + 4]: length of
	 * the prefix, of the suffix, number of open children, their place (0: behind the prefix,
	 * 1: before the suffix), then the jobs: prefix, open children, the rest of the jobs
	 * between, suffix (from front to back). Millions of nodes are usual */
	uint16_t *work;
};

/* uint16_t a unit of work. */
static inline size_t checkpoint_stride(enum checkpoint_form form, int items)
{
	return form == CHECKPOINT_INTERVALS ? 2 * (size_t)items : (size_t)items + 4;
}

/* ERR_IO, ERR_MEMORY. The file as it was stays until the new one is whole. */
int checkpoint_write(const struct checkpoint *c, const char *path, struct err *e);
/* ERR_INPUT naming file and line: not a checkpoint, cut short, digits or jobs out of range,
 * intervals out of order. */
int checkpoint_read(struct checkpoint *c, const char *path, struct err *e);
/* ERR_INPUT with the first thing in which the file's search differs. */
int checkpoint_matches(const struct checkpoint *c, const struct checkpoint_key *key, struct err *e);
/* ERR_USAGE where the plan's two files are one, and a search from `ub` would write over it without
 * the solution of `c`, which was read from it: a lower bound that has none takes its place. */
int checkpoint_spares(const struct checkpoint *c, const struct checkpoint_plan *plan, int64_t ub,
		      struct err *e);
/* The bound that the nodes in `c` were pruned from: that of its first run, or a lower one of a
 * later run. */
static inline int64_t checkpoint_bound(const struct checkpoint *c)
{
	return !c->order && c->best < c->key.first_ub ? c->best : c->key.first_ub;
}
void checkpoint_free(struct checkpoint *c);

#endif
