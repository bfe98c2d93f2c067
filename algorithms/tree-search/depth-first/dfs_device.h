/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* One device of the depth-first search (dfs_search.h): tables and stacks in its memory, rounds, and
 * moves of open nodes. */
#ifndef COPRA_TREE_SEARCH_DEPTH_FIRST_DFS_DEVICE_H
#define COPRA_TREE_SEARCH_DEPTH_FIRST_DFS_DEVICE_H

#include "algorithms/tree-search/balance.h"
#include "algorithms/tree-search/flowshop/fsp_pair_tests.h"
#include "algorithms/tree-search/search.h"
#include "kernels/tree-search/dfs.h"

/* ---- the job: data common to all devices ---- */

struct dfs_job {
	const struct search_request *request;
	struct fsp_tables tables;
	int64_t ub;         /* the bound to start from, see search_start */
	int64_t first_ub;   /* for MinBranch: the bound of the first of several runs */
	int64_t *start;     /* schedule of value ub, or NULL */
	int32_t root_bound; /* LB1 of the root */
	bool pair;          /* which kernel: pair or wide */
	bool lb2;
	bool narrow; /* all values are below 2^15 */
	bool orders; /* moves are kept in the rows, for the orders of nodes and leaves */

	int mask_words, moves_at, move_bytes, row_words; /* see struct dfs_world */
	uint32_t *pair_time;                             /* tables in the form of the kernels */
	int32_t *time, *pair_uv, *johnson;
	size_t pair_time_bytes, time_bytes, pair_uv_bytes, johnson_bytes;
};

/* first_ub: the bound of the first run; 0: the request's or that of the start. */
int dfs_job_make(struct dfs_job *j, const struct search_request *r, int64_t first_ub, bool orders,
		 struct err *e);
/* Writes the values of a node (fsp.h) to its row, without its set and moves. */
void dfs_job_row(const struct dfs_job *j, uint32_t *row, const int32_t *front, const int32_t *back,
		 const int32_t *rem);
void dfs_job_free(struct dfs_job *j);

/* ---- a device ---- */

struct dfs_device {
	const struct dfs_job *job;
	struct dev *dev;
	struct dev_stream *stream;
	const struct dfs_kernels *kernels;
	struct dfs_world world;
	struct dfs_round round;
	void *block;              /* device memory */
	struct dfs_control *seen; /* pinned: the control block after the last round */
	uint64_t memory_peak;
	int64_t room;             /* nodes from outside that are certain to fit on empty stacks */
	uint64_t received, given; /* nodes from and to the host or other devices */
	struct fsp_pair_tests *pairs; /* that popped nodes are tested with; NULL: none */
};

/* Allocates the stacks and copies the tables. `mail`: of all `devices`; this device is `self`. */
int dfs_device_open(struct dfs_device *d, struct dev *dev, const struct dfs_job *job,
		    struct dfs_mail *mail, int devices, int self, struct err *e);
void dfs_device_close(struct dfs_device *d);
/* Runs a round from an incumbent of at most `best`, and redistributes the stacks. The resulting
 * control block is in d->seen. */
int dfs_device_round(struct dfs_device *d, int32_t best, struct err *e);
/* Between two rounds: if the request allows machine pairs and it is time to choose them, chooses
 * those of the next rounds by a sample of the open nodes. */
int dfs_device_choose_pairs(struct dfs_device *d, struct err *e);
/* Makes the next rounds test nodes with the pairs d->pairs->use[]. */
int dfs_device_use_pairs(struct dfs_device *d, struct err *e);
/* Moves up to `amount` open nodes to another device, which is not running. */
int dfs_device_give(struct dfs_device *from, struct dfs_device *to, int64_t amount, int64_t *moved,
		    struct err *e);
/* Puts `amount` packets from the host (dfs_job_row, entry) on stacks that have room for them; at
 * most packet_capacity / 2 at once. */
int dfs_device_put(struct dfs_device *d, const uint32_t *packets, int32_t amount, struct err *e);
/* Copies the number of nodes that were decomposed. No kernel may run on the device. */
int dfs_device_decomposed(struct dfs_device *d, uint64_t *nodes, struct err *e);
/* Counts the open nodes on the stacks by the number of jobs placed: open[jobs]. No kernel may run
 * on the device. */
int dfs_device_depths(struct dfs_device *d, uint32_t *open, struct err *e);
/* Counts the open nodes on the stacks. No kernel may run on the device. */
int dfs_device_left(struct dfs_device *d, uint64_t *left, struct err *e);
/* Empties the stacks. *bound: the least bound of the nodes that were on them, INT32_MAX if there
 * were none. */
int dfs_device_survey(struct dfs_device *d, int32_t *bound, struct err *e);

struct dfs_findings {
	struct dfs_tally tally;
	int32_t best;    /* best leaf found; INT32_MAX: none */
	uint16_t *order; /* its order (`jobs` entries), to be freed; NULL if orders are not kept */
};
int dfs_device_findings(struct dfs_device *d, struct dfs_findings *f, struct err *e);

#endif
