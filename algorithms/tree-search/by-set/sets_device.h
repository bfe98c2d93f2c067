/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* One device of the search by job set (sets_search.h): tables of an instance, memory, launches, and
 * moves of open nodes. */
#ifndef COPRA_TREE_SEARCH_BY_SET_SETS_DEVICE_H
#define COPRA_TREE_SEARCH_BY_SET_SETS_DEVICE_H

#include "algorithms/tree-search/balance.h"
#include "algorithms/tree-search/search.h"
#include "kernels/tree-search/fsp.h"
#include "kernels/tree-search/sets.h"
#include "kernels/tree-search/twosided.h"

/* ---- tables of an instance, on the host ---- */

struct sets_tables {
	int jobs, low_bits, high_bits;
	bool two_sided, wide;
	int rule, row_words, bound_words;
	unsigned forms; /* enum search_form */
	uint32_t first_ub;
	uint32_t root[SETS_ROW_WORDS_MAX]; /* the row of the root */
	uint32_t level_first[SETS_JOBS + 2];
	uint32_t widest; /* number of sets of the largest level */
	uint32_t *low, *high;
	size_t low_count, high_count;
	uint32_t *time; /* in the form of struct sets_search */
	struct sets_step *step;
	uint32_t tail[SETS_MACHINES];
	int64_t root_bound; /* LB2 of the root */
};
/* Makes the tables for a search from the bound `ub`. */
int sets_tables_make(struct sets_tables *t, const struct search_request *r, int64_t ub,
		     struct err *e);
void sets_tables_free(struct sets_tables *t);

/* ---- a device ---- */

struct sets_device {
	struct dev *device;
	struct dev_stream *stream;
	const struct sets_kernels *kernels;
	struct sets_search search;
	struct sets_state *state; /* the host's copy, pinned; valid while no kernel runs */
	void *tables, *arena, *outgoing;
	uint32_t parcel; /* maximum number of rows given or received at once; 0 with one device */
	struct sets_search pack; /* arrays of the outgoing parcel: row, key, order */
	int blocks, threads;
	double clock_hz; /* 0 if unknown */
	uint64_t launches;
	uint64_t received, given; /* nodes from and to other devices */
	bool began;               /* with the root */
};

/* Allocates and fills the tables and arrays of a device. `memory`: bytes for open nodes, 0: chosen
 * here. `devices` > 1: allocates buffers for nodes that move. ERR_MEMORY if `memory` does not
 * suffice for any search. */
int sets_device_open(struct sets_device *d, struct dev *device, const struct sets_tables *t,
		     int64_t memory, int devices, struct err *e);
void sets_device_close(struct sets_device *d);
/* Starts from the root of these tables. Its descendants are distributed among `shares` devices. */
int sets_device_start(struct sets_device *d, const struct sets_tables *t, int64_t ub, int share,
		      int shares, struct err *e);
/* Instead of sets_device_start(): has no nodes until it is given some. */
int sets_device_await(struct sets_device *d, int64_t ub, struct err *e);
/* Allocates the buffers for nodes that move, if there are none. No kernel may run on the device. */
int sets_device_share(struct sets_device *d, struct err *e);
/* One launch, until nothing is open or the quota is used. */
int sets_device_run(struct sets_device *d, int64_t ub, struct err *e);
static inline bool sets_device_idle(const struct sets_device *d)
{
	return d->state->control.depth < 0 && d->state->control.enter < 0;
}
/* Moves about half of the open nodes of the shallowest level that can be divided. *nodes may be 0.
 * `to` is idle. Only the caller uses the two devices. */
int sets_device_give(struct sets_device *from, struct sets_device *to, uint32_t *nodes,
		     struct err *e);
/* Adds the open nodes to open[depth]. No kernel may run. */
int sets_device_depths(struct sets_device *d, uint32_t *open, struct err *e);
/* The nodes pushed and popped so far. No kernel may run. */
int sets_device_balance(struct sets_device *d, struct balance *b, struct err *e);
/* Bytes of device memory per row, including its key, parent, list entry and chunk. */
size_t sets_row_bytes(int row_words);

#endif
