/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Open nodes of the depth-first search on the host: copies of the devices' stacks, the reserve of a
 * resumed search, and checkpoints that are written while the search continues. */
#ifndef COPRA_TREE_SEARCH_DEPTH_FIRST_DFS_CHECKPOINT_H
#define COPRA_TREE_SEARCH_DEPTH_FIRST_DFS_CHECKPOINT_H

#include <pthread.h>

#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/depth-first/dfs_device.h"

/* ---- copies of stacks ---- */

/* All stacks of a device, one after the other, and its findings. */
struct dfs_part {
	struct dfs_findings found;
	int warps;
	int32_t *row_count, *entry_count, *entry_first;
	uint32_t *rows;
	uint64_t *entries;
	double seconds; /* duration of the copy */
};
int dfs_device_copy(struct dfs_device *d, struct dfs_part *p, struct err *e);
void dfs_part_free(struct dfs_part *p);
/* ---- the reserve ---- */

/* Records that no device has received yet: those from index `at` on, without the first `child` open
 * children of record `at`. The reserve does not own the records. */
struct dfs_reserve {
	const uint16_t *work;
	uint64_t count, at;
	int child;
};
/* Takes up to `most` packets; returns their number. */
int32_t dfs_reserve_take(struct dfs_reserve *v, const struct dfs_job *j, uint32_t *packets,
			 int32_t most);
/* The number of packets left. */
uint64_t dfs_reserve_left(const struct dfs_reserve *v, const struct dfs_job *j);
/* The least bound of the nodes left; INT32_MAX if there are none. */
int32_t dfs_reserve_bound(const struct dfs_reserve *v, const struct dfs_job *j);

/* ---- checkpoints ---- */

/* Whether an earlier run did not count explored and evaluated nodes (published, serial). Then this
 * run's counts would cover only a part of the search and are not reported. */
static inline bool dfs_counts_are_partial(const struct checkpoint *past)
{
	return past->decomposed && !past->explored;
}

struct dfs_saver {
	const struct search_request *request; /* NULL: no file is written during the search */
	const struct dfs_job *job;
	struct checkpoint base; /* the key, and the counts and best solution of earlier runs */
	double period, begin, next;
	struct dfs_part part[DEV_MAX];
	struct dfs_reserve reserve;
	int parts;
	pthread_t writer;
	bool writing; /* the thread exists */
	bool written; /* it has finished; atomic */
	int status;   /* of the last write */
	struct err error;
};
/* Whether the next copy of the parts is due. Always false while the previous ones are being
 * written. */
bool dfs_saver_due(struct dfs_saver *s);
/* All parts have been copied: writes them in a thread and frees them. */
int dfs_saver_start(struct dfs_saver *s, struct err *e);
/* The end of the search `r`: all parts have been copied. Writes the file and keeps the open work,
 * as its plan says (checkpoint_end), and frees the parts. */
int dfs_saver_end(struct dfs_saver *s, const struct search_request *r, struct err *e);
/* Waits for the thread and returns its status. The parts are freed. */
int dfs_saver_finish(struct dfs_saver *s, struct err *e);

#endif
