/* Open nodes of the depth-first search on the host: copies of the devices' stacks, the reserve of a
 * resumed search, and checkpoints that are written while the search continues. */
#ifndef COPRA_TREE_SEARCH_DEPTH_FIRST_DFS_CHECKPOINT_H
#define COPRA_TREE_SEARCH_DEPTH_FIRST_DFS_CHECKPOINT_H

#include <pthread.h>

#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/depth-first/dfs_device.h"

/* ---- copies of stacks ---- */

/* All stacks of a device, one after the other, and what it has found. */
struct dfs_part {
	struct dfs_findings found;
	int warps;
	int32_t *row_count, *entry_count, *entry_first;
	uint32_t *rows;
	uint64_t *entries;
	double seconds; /* that the copy took */
};
int dfs_device_copy(struct dfs_device *d, struct dfs_part *p, struct err *e);
void dfs_part_free(struct dfs_part *p);
/* ---- the reserve ---- */

/* Records that no device has taken yet: from record `at` on, without the first `child` open
 * children of that one. The records are not its own. */
struct dfs_reserve {
	const uint16_t *work;
	uint64_t count, at;
	int child;
};
/* Up to `most` packets; their number. */
int32_t dfs_reserve_take(struct dfs_reserve *v, const struct dfs_job *j, uint32_t *packets,
			 int32_t most);
/* How many packets are left, from above. */
uint64_t dfs_reserve_left(const struct dfs_reserve *v, const struct dfs_job *j);
/* No open node is below; INT32_MAX without any. */
int32_t dfs_reserve_bound(const struct dfs_reserve *v, const struct dfs_job *j);

/* ---- checkpoints ---- */

/* Runs before this one that counted no explored and evaluated nodes (published, serial): what is
 * counted from now on is but a part, and left out. */
static inline bool dfs_counts_in_part(const struct checkpoint *past)
{
	return past->decomposed && !past->explored;
}

struct dfs_saver {
	const char *path; /* NULL: nothing is written */
	const struct dfs_job *job;
	struct checkpoint base; /* key, and what earlier runs have counted and found */
	double period, begin, next;
	struct dfs_part part[DEV_MAX];
	struct dfs_reserve reserve;
	int parts;
	pthread_t writer;
	bool writing; /* the thread is there */
	bool written; /* it is done; atomic */
	int status;   /* of the last write */
	struct err error;
};
/* Time to copy the parts again? Never while the last ones are being written. */
bool dfs_saver_due(struct dfs_saver *s);
/* All parts are there: writes them on a thread of its own, and frees them. */
int dfs_saver_start(struct dfs_saver *s, struct err *e);
/* The same, and returns when the file is there. */
int dfs_saver_write(struct dfs_saver *s, struct err *e);
/* Waits for the thread; what it says. Parts are freed. */
int dfs_saver_finish(struct dfs_saver *s, struct err *e);

#endif
