/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Proofs that no schedule of a flowshop is shorter than a bound, in files that others can check
 * (docs/PROOFS.md): the number of nodes of each of the first levels of a tree, and of each subtree
 * (part) below the last of them.
 *
 * The tree is that of LB1 and MinBranch from the bound, which stays fixed, so it and all its counts
 * are the same for every engine. The order of the children of a node is that of their jobs; the
 * parts are the nodes of the last level in depth-first order. */
#ifndef COPRA_TREE_SEARCH_PROOF_PROOF_H
#define COPRA_TREE_SEARCH_PROOF_PROOF_H

#include <jansson.h>
#include <signal.h>

#include "algorithms/tree-search/depth-first/dfs_cpu.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"
#include "harness/base/progress.h"

#define PROOF_FORMAT "copra-flowshop-proof-1"
enum {
	PROOF_PARTS = 1000,         /* the default for `parts` of proof_make */
	PROOF_PARTS_MOST = 50000,   /* its maximum */
	PROOF_LEVEL_MOST = 200000,  /* a last level with more nodes is not used */
	PROOF_PART_NODES = 2000000, /* the wanted mean part of a large tree */
};
#define PROOF_UNCOUNTED UINT64_MAX

struct proof {
	const struct flowshop *flowshop;
	const char *instance; /* its name in the file */
	int64_t bound;        /* nodes with a bound of at least this are pruned */
	const int64_t *order; /* a schedule of this makespan; NULL: none, only the bound is proved
				*/
	struct fsp_tables tables;
	int depth;                         /* jobs placed in the root of a part */
	uint64_t level[FLOWSHOP_MAX_JOBS]; /* [depth + 1] nodes */
	uint64_t parts;                    /* level[depth] */
	uint16_t *record; /* [parts] roots of the parts, as records of a checkpoint */
	uint64_t *count;  /* [parts] nodes, the root included; PROOF_UNCOUNTED: not counted yet */
	json_t *runs;     /* what counted them: an array, see docs/PROOFS.md */
};

/* Enumerates the levels down to the first one with at least `parts` nodes, without nodes, or with
 * one job left in each node. parts 0: PROOF_PARTS, or more in a tree that is estimated to be large.
 * depth >= 0: down to this level. The proof keeps the pointers to the instance, its name and the
 * schedule. ERR_MEMORY. After an error, too, call proof_free. */
int proof_make(struct proof *p, const struct flowshop *f, const char *instance, int64_t bound,
	       const int64_t *order, int64_t parts, int depth, struct err *e);
void proof_free(struct proof *p);
/* Nodes of the whole tree; the parts that are not counted yet are left out. */
uint64_t proof_nodes(const struct proof *p);
/* Parts that are not counted yet. */
uint64_t proof_open(const struct proof *p);

/* FNV-1a over the instance as text: "jobs machines", then a line of times for each machine. */
uint64_t proof_hash(const struct flowshop *f);

/* Writes the file. Parts that are not counted are null: it is then no proof, and proof_resume
 * continues from it. ERR_IO, ERR_MEMORY. */
int proof_save(const struct proof *p, const char *path, struct err *e);
/* Sets *depth to the depth of the parts in such a file. ERR_INPUT if it is none, or is of another
 * instance or bound. */
int proof_depth(const struct proof *p, const char *path, int *depth, struct err *e);
/* Takes the counts and runs from such a file. ERR_INPUT as above, or if it has other levels. */
int proof_resume(struct proof *p, const char *path, struct err *e);

/* ---- counting ---- */

/* A serial depth-first walk with the kernels of dfs_cpu.h. */
struct proof_level {
	struct dfs_cpu_node node;
	bool at_end;   /* where children go */
	int at, count; /* the children at .. count - 1 are still to be visited */
	uint16_t *job; /* of the children that are not pruned, by increasing numbers */
};
struct proof_walk {
	const struct proof *p;
	const struct dfs_cpu_kernel *kernel;
	void *tables, *scratch;
	struct proof_level *level; /* [jobs], by depth */
	uint16_t *jobs;
	int base, depth;
	uint16_t *order; /* of the path: the prefix at the front, the suffix at the end */
	struct dfs_cpu_bounds bounds;
	uint64_t nodes;
	int64_t shorter; /* the makespan of `order`, a schedule below the bound; 0: none found */
};
int proof_walk_open(struct proof_walk *w, const struct proof *p, struct err *e);
void proof_walk_close(struct proof_walk *w);
/* Moves to the node of a record and opens it. */
void proof_walk_start(struct proof_walk *w, const uint16_t *record);
/* Opens up to `most` more nodes. Returns whether nodes are left. */
bool proof_walk_on(struct proof_walk *w, uint64_t most);

struct proof_counting {
	int threads;
	const struct dev_set *devices; /* count 0: on cores */
	uint64_t device_nodes;         /* parts with more nodes are counted by devices; 0: 20,000 */
	double alone_seconds; /* a part that takes one device longer is searched by all; 0: 5 */
	const volatile sig_atomic_t *stop;
	const char *partial;       /* file for the counts so far, written from time to time */
	struct progress *progress; /* or NULL */
	int64_t shorter;           /* set if a schedule below the bound was found: its makespan */
	int64_t *order;            /* [jobs], of the caller: that schedule */
};
/* Counts all parts that are not counted. On cores, each thread counts a part by itself; a part that
 * is left when there are no others is divided among all threads by dfs_cpu. On devices, a thread
 * counts small parts, and hands the others to a device that is free (proof_device.h); a part that
 * takes this device long is searched by all with dfs_search. ERR_LIMIT if it was stopped:
 * the counts so far are valid, but not all in `partial`, and the open nodes of large parts are in
 * files PARTIAL.NUMBER, from which the next call continues. ERR_FAILED if a shorter schedule was
 * found. */
int proof_count(struct proof *p, struct proof_counting *c, struct err *e);

#endif
