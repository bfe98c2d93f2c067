/* The pieces of dfs_search. */
#ifndef COPRA_TREE_SEARCH_DEPTH_FIRST_DFS_DEVICE_H
#define COPRA_TREE_SEARCH_DEPTH_FIRST_DFS_DEVICE_H

#include <pthread.h>

#include "kernels/tree-search/dfs.h"
#include "algorithms/tree-search/balance.h"
#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/interrupt.h"

/* ---- the search's plan on the host: dfs_job.c ---- */

/* What all devices need to know. */
struct dfs_job {
	const struct search_request *request;
	struct fsp_tables tables;
	int64_t ub;         /* to start from, see search_start */
	int64_t first_ub;   /* that MinBranch compares with: that of the first of several runs */
	int64_t *start;     /* schedule of value ub, or NULL */
	int32_t root_bound; /* LB1 of the root */
	bool pair;          /* kernel: pair, else wide */
	bool lb2;
	bool narrow; /* all values are below 2^15 */
	bool orders; /* kept in the rows */

	int mask_words, order_at, row_words; /* see struct dfs_world */
	uint32_t *pair_time;                 /* tables as the kernels take them */
	int32_t *time, *pair_uv, *johnson;
	size_t pair_time_bytes, time_bytes, pair_uv_bytes, johnson_bytes;
};

/* first_ub: 0: the request's or that of the start. */
int dfs_job_make(struct dfs_job *j, const struct search_request *r, int64_t first_ub, bool orders,
		 struct err *e);
/* The values of a node in its row, from those of flowshop.h; not its set and order. */
void dfs_job_row(const struct dfs_job *j, uint32_t *row, const int32_t *front, const int32_t *back,
		 const int32_t *rem);
void dfs_job_free(struct dfs_job *j);

/* ---- one device: dfs_device.c ---- */

struct dfs_device {
	const struct dfs_job *job;
	struct dev *dev;
	struct dev_stream *stream;
	const struct dfs_kernels *kernels;
	struct dfs_world world;
	struct dfs_round round;
	int32_t most_batches;     /* of all rounds that are started together ... */
	int rounds;               /* ... so many: short ones do not wait for the host */
	void *block;              /* device memory */
	struct dfs_control *seen; /* pinned: the control after the last round */
	uint64_t memory_peak;
	int64_t room;             /* nodes from outside that empty stacks surely take */
	uint64_t received, given; /* nodes from the host or other devices, and to these */
};

/* Allocates stacks and copies tables. `mail`: of all `devices`, this is `self`. */
int dfs_device_open(struct dfs_device *d, struct dev *dev, const struct dfs_job *job,
		    struct dfs_mail *mail, int devices, int self, struct err *e);
void dfs_device_close(struct dfs_device *d);
/* The first copy between two devices, which takes long: before the search. */
int dfs_device_meet(struct dfs_device *from, struct dfs_device *to, struct err *e);
/* A round, or several short ones, from an incumbent of `best` at most, stacks dealt again after
 * each; then d->seen tells. */
int dfs_device_round(struct dfs_device *d, int32_t best, struct err *e);
/* Moves up to `amount` open nodes from one device to another that is not working. */
int dfs_device_give(struct dfs_device *from, struct dfs_device *to, int64_t amount, int64_t *moved,
		    struct err *e);
/* Puts `amount` packets from the host (dfs_job_row, entry) on stacks that have room for them:
 * packet_capacity / 2 at once at most. */
int dfs_device_put(struct dfs_device *d, const uint32_t *packets, int32_t amount, struct err *e);
/* Open nodes on the stacks; nothing may run on the device. */
int dfs_device_left(struct dfs_device *d, uint64_t *left, struct err *e);
/* Empties the stacks; *bound: the least bound that was on them, INT32_MAX where none was. */
int dfs_device_survey(struct dfs_device *d, int32_t *bound, struct err *e);

struct dfs_findings {
	struct dfs_tally tally;
	int32_t best;    /* best leaf met; INT32_MAX without */
	uint16_t *order; /* its order (jobs entries), to be freed; NULL where none is kept */
};
int dfs_device_findings(struct dfs_device *d, struct dfs_findings *f, struct err *e);

/* ---- open nodes on the host: dfs_state.c ---- */

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
/* Records (checkpoint.h) of a part: their number; written to `work` unless it is NULL. */
uint64_t dfs_part_records(const struct dfs_job *j, const struct dfs_part *p, uint16_t *work);

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
/* What is left as records: their number; written to `work` unless it is NULL. */
uint64_t dfs_reserve_records(const struct dfs_reserve *v, const struct dfs_job *j, uint16_t *work);
/* No open node is below; INT32_MAX without any. */
int32_t dfs_reserve_bound(const struct dfs_reserve *v, const struct dfs_job *j);

/* ---- checkpoints: dfs_saver.c ---- */

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

/* ---- several devices: dfs_team.c ---- */

struct dfs_team {
	const struct search_request *request;
	struct dfs_device device[DEV_MAX];
	struct dfs_mail *mail; /* pinned */
	int count;
	struct interrupt interrupt;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	int32_t best;
	bool stopped; /* by limit or signal */
	bool done;    /* no open node anywhere, or an error */
	int status;
	struct err error;
	int hungry_count;
	struct dfs_reserve reserve; /* work for who is hungry, before others are asked */
	struct balance host;        /* of the reserve */
	struct dfs_saver saver;
	bool saving; /* devices copy their stacks, each when its round has ended;
			until all have, none asks another one */
	int saved_count;
	struct {
		bool saved;
		bool hungry;
		int asked_by;     /* device that waits for our nodes, -1: none */
		int64_t received; /* what the one we asked has sent; -1: not yet answered */
		int64_t entries;
		int feeds; /* times that it was given nodes */
	} state[DEV_MAX];
	uint64_t steals_tried, steals_done, nodes_stolen, rounds;
};

/* Runs the search on all devices, opened, from what is in the reserve. */
int dfs_team_run(struct dfs_team *t, struct err *e);

#endif
