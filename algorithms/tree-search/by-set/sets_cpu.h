/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Search by job set for flowshop on all cores: forward branching, LB2.
 *
 * The bound of a node is its front plus a row that depends only on its set of unscheduled jobs
 * (fsp.h). So the open nodes of one depth (a layer) are kept together by set, and a layer is
 * expanded from the children's side. For each set V that is a parent's set less one job, the row of
 * V is computed once; then all parents of all sets V + j are bounded against it, one parent per
 * lane, and the survivors are written one after the other into V's own segments. This needs no
 * table of rows and no sorting, and no two threads write to the same place. The rows of a vector of
 * sets V (a batch) are computed together, one set per lane.
 *
 * Deep in a large tree, a few batches have most of the parents. So with several threads a batch is
 * divided into parts that read the same number of segments, and the parts of a batch can be
 * expanded by different threads.
 *
 * Where sets have hundreds of nodes, the layer does not fit the caches, and its nodes would be read
 * from memory once for each job left. So such a piece is expanded from the parents' side: the rows
 * of all child sets are written to a table, and a few segments at a time are bounded against the
 * rows of all their child sets while they are in the L2 cache. The new segments are then put in the
 * order of their sets; those of one set stand in the order in which threads made them. So from a ub
 * above the optimum, the number of nodes differs between runs with several threads.
 *
 * Memory is bounded: only a piece of the deepest layer is expanded at a time, small enough for its
 * children to fit half of the free memory even if none is pruned. While schedules improve, pieces
 * are kept small, so that the search soon reaches complete schedules (a dive).
 *
 * With many threads, fresh pages cost more than the search. So nothing is mapped or unmapped during
 * the search, and chunks are reused. Chunks are small, because each thread fills a separate chunk
 * for each layer. */
#ifndef COPRA_TREE_SEARCH_BY_SET_SETS_CPU_H
#define COPRA_TREE_SEARCH_BY_SET_SETS_CPU_H

#include <pthread.h>

#include "algorithms/tree-search/depth-first/dfs_levels.h"
#include "algorithms/tree-search/task_team.h"

enum {
	SETS_CPU_JOBS_MAX = 26, /* bit maps of all sets: 2 x 8 MiB, and 2 x 4 MiB of ranks */
	SETS_CPU_SEGMENT_MAX =
		32, /* maximum number of nodes in one segment: the lanes of the widest vector */
	SETS_CPU_JOB_BITS = 5, /* of a job's number in a path */
};

/* Nodes of one set, at most a vector of them: [row][stride] cells, stride = count rounded up to a
 * multiple of 4. Rows 0..m-1 are the front. The path follows, several jobs per cell in the order of
 * the schedule, the first in the lowest bits. */
struct sets_cpu_segment {
	uint32_t set, count;
	void *rows;
};

struct sets_cpu_chunk {
	struct sets_cpu_chunk *next;
	size_t used; /* bytes after this header */
};

struct sets_cpu_chunks {
	struct sets_cpu_chunk *first, *last; /* `last` is valid if the list is not empty */
	uint64_t count;
};

/* The open nodes of one depth: segments by increasing set, of which `done` have been expanded. */
struct sets_cpu_layer {
	struct sets_cpu_segment *segment;
	uint64_t count, done, room;
	double nodes; /* in those that have not been expanded */
	struct sets_cpu_chunks chunks;
};

/* The input of one expansion, read by all members. The last three arrays are only for expansion
 * from the parents' side. */
struct sets_cpu_piece {
	int left; /* unscheduled jobs in its nodes */
	const struct sets_cpu_segment *segment;
	uint64_t segments;
	uint64_t words;      /* of a bit map: a power of two */
	uint64_t *parent;    /* bit map of its sets */
	uint32_t *rank;      /* number of sets below each word of the bit map */
	uint32_t *first;     /* the first segment of the set of each rank, and the end */
	uint64_t *child;     /* bit map of the sets that its children can have */
	uint32_t *child_set; /* the same as a list, increasing */
	uint64_t children;
	bool push;               /* expand it from the parents' side */
	uint64_t parts;          /* else: parts of each batch of these sets */
	uint32_t *child_rank;    /* number of child sets below each word of the bit map */
	void *row;               /* of all child sets: [batch][machine][lane] */
	_Atomic uint32_t *place; /* number of new segments of each child set, then their places */
};

struct sets_cpu_search;

/* The output and working memory of one member. */
struct sets_cpu_worker {
	struct sets_cpu_search *search;
	void *scratch;                /* of the kernel */
	uint64_t batch;               /* the first set of the batch whose rows are in `scratch` */
	struct sets_cpu_segment *out; /* segments made in this expansion */
	uint64_t outs, outs_room;
	uint64_t parents;              /* nodes in its share of the piece */
	struct sets_cpu_chunks chunks; /* the newest first */
	uint64_t explored, decomposed, leaves, evaluated;
	uint64_t children; /* of the decomposed nodes, to be evaluated */
	int64_t ub;        /* the member's bound, if incumbents are private */
	double seconds_rows;
	_Alignas(64) char separate[1];
};

/* The functions that are compiled for each width of a cell. */
struct sets_cpu_kernel {
	size_t cell;
	int lanes, jobs_a_cell;
	/* The tables shared by all members, in one aligned block. */
	size_t (*tables_bytes)(const struct fsp_tables *t);
	void (*tables_make)(const struct fsp_tables *t, void *block);
	size_t (*scratch_bytes)(const struct fsp_tables *t);
	void (*scratch_make)(const struct fsp_tables *t, void *block);
	/* Makes children of the sets child_set[from .. from + count - 1], count <= lanes: those in
	 * one of the parts. Returns false if there is no memory. */
	bool (*expand)(struct sets_cpu_worker *w, uint64_t from, int count, uint64_t part);
	/* The same from the parents' side: first the rows of a batch are written to piece.row, then
	 * all children of some segments are made. */
	void (*rows)(struct sets_cpu_worker *w, uint64_t from, int count);
	bool (*push)(struct sets_cpu_worker *w, uint64_t from, uint64_t end);
	/* Places the last job of the nodes of a piece. */
	void (*finish)(struct sets_cpu_worker *w);
};
extern const struct sets_cpu_kernel sets_cpu_kernel_16, sets_cpu_kernel_32;

/* A part of a batch of sets, expanded by one member. */
struct sets_cpu_part {
	uint32_t worker;
	uint64_t from, count; /* of its `out` */
};

/* Counts of one step, kept per member and summed over all members. */
enum sets_cpu_count { COUNT_PARENTS, COUNT_CHILDREN, COUNT_SEGMENTS, COUNTS };

struct sets_cpu_search {
	struct task_team team;
	struct fsp_tables tables;     /* of the jobs as numbered in this search */
	int label[SETS_CPU_JOBS_MAX]; /* their numbers in the instance */
	const struct sets_cpu_kernel *kernel;
	void *kernel_tables;
	struct sets_cpu_layer layer[SETS_CPU_JOBS_MAX + 1]; /* by number of unscheduled jobs */
	struct sets_cpu_piece piece;
	uint64_t member_count[COUNTS][SEARCH_WORKERS_MAX];
	struct sets_cpu_part *part;
	struct sets_cpu_worker *worker;
	bool finished, collect_failed; /* written only by member 0, between barriers */
	uint64_t made;                 /* nodes of all layers, when the last one was made */
	struct dfs_gauge gauge;
	bool aborted;    /* the piece was not completely expanded; written by member 0 */
	uint64_t dive;   /* current limit of segments in a piece */
	int64_t dive_ub; /* the incumbent when `dive` was set */
	/* incumbent */
	_Atomic int64_t ub;
	pthread_mutex_t best_lock;
	int64_t best;
	int64_t *order; /* NULL until there is one */
	bool found;
	/* memory */
	pthread_mutex_t memory_lock;
	char *arena; /* mapped for the whole search, in pages of page_bytes */
	size_t mapped, page_bytes, chunk_bytes;
	uint64_t abreast;       /* pages in use at once while they are fresh */
	uint64_t chunks, fresh; /* in the arena; the first that was never used */
	struct sets_cpu_chunks free_chunks;
	uint64_t budget; /* bytes */
	_Atomic bool out_of_memory;
};

/* ---- sets_cpu.c for sets_cpu_lanes.h ---- */

/* Returns space for `bytes` (at most a chunk), or NULL if the budget or the memory is exhausted. Up
 * to one vector may be read or written beyond its end. */
void *sets_cpu_reserve(struct sets_cpu_worker *w, size_t bytes);
/* Appends a segment, whose nodes were written to `rows`, to the worker's output. Returns false if
 * there is no memory. */
bool sets_cpu_add_segment(struct sets_cpu_worker *w, uint32_t set, uint32_t count, void *rows);

/* The position of a set in child_set. */
static inline uint32_t sets_cpu_child(const struct sets_cpu_piece *p, uint32_t set)
{
	uint64_t below = p->child[set / 64] & ((UINT64_C(1) << set % 64) - 1);

	return p->child_rank[set / 64] + (uint32_t)__builtin_popcountll(below);
}

static inline int64_t sets_cpu_ub(const struct sets_cpu_worker *w)
{
	return w->search->team.request->private_incumbent ?
		       w->ub :
		       atomic_load_explicit(&w->search->ub, memory_order_relaxed);
}
/* Reports a schedule (in the numbers of this search) whose makespan is below the worker's bound. */
void sets_cpu_improve(struct sets_cpu_worker *w, int64_t makespan, const int64_t *order);

/* ---- the search ---- */

/* Whether the search supports the request: forward branching, LB2, at most SETS_CPU_JOBS_MAX jobs.
 */
bool sets_cpu_supports(const struct search_request *r);
int sets_cpu(const struct search_request *r, struct search_outcome *o, struct err *e);

#endif
