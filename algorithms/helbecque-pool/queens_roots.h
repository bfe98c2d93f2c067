/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* N-Queens on devices: the roots where the search starts, and the dealers that hand them out.
 *
 * Roots are nodes of kernels/helbecque-pool/queens.h: one representative of each orbit of
 * placements of the middle rows under the reflections in both axes, followed by all placements of a
 * few more rows. They are handed out in parts. */
#ifndef COPRA_HELBECQUE_POOL_QUEENS_ROOTS_H
#define COPRA_HELBECQUE_POOL_QUEENS_ROOTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "algorithms/helbecque-pool/open_work.h"
#include "algorithms/tree-search/search.h"
#include "harness/base/error.h"
#include "kernels/helbecque-pool/queens.h"

enum { POOL_QUEENS_SMALL = 7 };

/* The columns of a root's queens in the order in which they are placed. */
struct pool_queens_path {
	uint8_t column[POOL_QUEENS_MAX];
};

struct pool_queens_roots {
	int queens, depth; /* rows that are placed */
	bool solutions_only, no_symmetry;
	bool with_paths;            /* for a search that has to tell its open roots */
	uint64_t explored;          /* placements of fewer rows than those of the first nodes */
	uint64_t halves, solutions; /* of the placements above the roots: pool_queens_counts */
	struct pool_queens_node *node;
	struct pool_queens_path *path; /* of each node; NULL unless they are kept */
	int64_t count, room;
};

/* Makes roots row by row until there are `enough` of them, down to depth `depth` at most. The
 * request says how many queens (> POOL_QUEENS_SMALL), whether only solutions are counted,
 * (SEARCH_NO_SYMMETRY) whether all placements of the middle rows are roots, and whether the paths
 * are kept (for its checkpoints). `from`: open nodes of earlier runs, which have counted what is
 * above them; NULL: from the beginning. ERR_MEMORY; ERR_INPUT if a record is not such a node. */
int pool_queens_roots_make(struct pool_queens_roots *r, const struct search_request *q,
			   const struct pool_open *from, int depth, int64_t enough, struct err *e);
/* Appends the records of roots that have paths. Returns false if there is no memory. */
bool pool_queens_roots_tell(const struct pool_queens_roots *r, int64_t first, int64_t count,
			    struct pool_open *open);
void pool_queens_roots_free(struct pool_queens_roots *r);
/* The average number of living nodes of depth `depth` below a root, at least 1: an estimate from
 * random descents (Knuth 1975), accurate within a few percent. */
double pool_queens_roots_growth(const struct pool_queens_roots *r, int depth);

/* Searches boards of up to POOL_QUEENS_SMALL queens completely. */
void pool_queens_small(int queens, uint64_t *explored, uint64_t *solutions);

/* Sorts the roots into `shares` contiguous shares: share i gets the roots whose
 * number is i modulo `shares`. ERR_MEMORY. */
int pool_queens_roots_share(struct pool_queens_roots *r, int shares, struct err *e);

/* Hands out the roots of one share, large parts first. */
struct pool_queens_dealer {
	pthread_mutex_t lock;
	const struct pool_queens_roots *roots;
	int64_t next, end; /* of its roots: those not yet dealt */
	int64_t all;       /* roots at first */
	int takers;
};

/* The roots that have not been dealt. */
static inline int64_t pool_queens_left(const struct pool_queens_dealer *d)
{
	return d->end - d->next;
}

struct pool_queens_part {
	int64_t first, count; /* roots */
};

/* Opens a dealer for share `share` of `shares`; 0 of 1 is all roots. */
void pool_queens_dealer_open(struct pool_queens_dealer *d, const struct pool_queens_roots *r,
			     int share, int shares, int takers);
void pool_queens_dealer_close(struct pool_queens_dealer *d);
/* Hands out up to `most` (>= 1) roots. Returns false if none is left. */
bool pool_queens_deal(struct pool_queens_dealer *d, int64_t most, struct pool_queens_part *p);

#endif
