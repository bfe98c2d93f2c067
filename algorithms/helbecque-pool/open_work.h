/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* What the searches of this target continue from and hand back: open nodes as records of a
 * checkpoint (checkpoint.h), and the plan of a request that says when they are written. */
#ifndef COPRA_HELBECQUE_POOL_OPEN_WORK_H
#define COPRA_HELBECQUE_POOL_OPEN_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "algorithms/helbecque-pool/node.h"
#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/search.h"
#include "harness/base/clock.h"

/* ---- records ---- */

/* A list of records that grows. All 0 except `items`: empty. */
struct pool_open {
	int items; /* of the instance */
	uint64_t count, room;
	uint16_t *work;
};

static inline uint16_t *pool_open_at(const struct pool_open *l, uint64_t i)
{
	return l->work + i * checkpoint_stride(CHECKPOINT_NODES, l->items);
}
/* A new record at the end, all fields 0; NULL if there is no memory. */
uint16_t *pool_open_add(struct pool_open *l);
/* Appends the records of `from` from index `first` on. Returns false if there is no memory. */
bool pool_open_append(struct pool_open *l, const struct pool_open *from, uint64_t first);
/* The number of open nodes in the records from index `first` on. */
uint64_t pool_open_nodes(const struct pool_open *l, uint64_t first);
void pool_open_free(struct pool_open *l);

/* Appends the records of nodes of the published algorithm. Children of one parent that follow each
 * other share a record. Returns false if there is no memory. */
bool pool_open_add_nodes(struct pool_open *l, const struct pool_node_format *f,
			 const unsigned char *nodes, size_t count);
/* Makes open node `i` (below record_nodes) of a record without suffix. */
void pool_open_node(const struct pool_node_format *f, const uint16_t *record, int i,
		    unsigned char *node);

/* ---- a search and its plan ---- */

struct pool_saver {
	const struct search_request *request;
	struct checkpoint_key key;
	struct checkpoint_past past;
	double begin, next; /* clock_wall; next: when the file is due, 0: never */
};

/* Nothing is left yet: for a search that can fail before pool_saver_open. */
static inline void pool_saver_none(const struct search_request *r)
{
	if (r->checkpoint && r->checkpoint->left)
		*r->checkpoint->left = (struct checkpoint){ .count = 0 };
}

/* Opens what the request continues from. rule: that of the tree, NULL: that of the request. The
 * initial bound is that of earlier runs, else the request's (SEARCH_NO_UB: none). Errors of
 * checkpoint_past_open. After an error, too, call pool_saver_close. */
int pool_saver_open(struct pool_saver *s, const struct search_request *r, const char *rule,
		    struct err *e);
void pool_saver_close(struct pool_saver *s);

/* Sets the bound and the start of a flowshop request: those of earlier runs unless the request's
 * bound is lower. `r` is a copy of the request. */
void pool_saver_start_from(const struct pool_saver *s, struct search_request *r);
/* Copies the records to begin with: those of earlier runs, or the root. ERR_MEMORY. */
int pool_saver_source(const struct pool_saver *s, struct pool_open *to, struct err *e);

/* Whether the state has to be kept at the end. */
static inline bool pool_saver_keeps(const struct pool_saver *s)
{
	return checkpoint_is_kept(s->request->checkpoint);
}
/* Whether the file is due. Reads the clock if a file is written at all. */
static inline bool pool_saver_due(const struct pool_saver *s)
{
	return s->next > 0 && clock_wall() >= s->next;
}

/* Writes the state: the open nodes, what this run has counted and, for flowshop, its best value
 * with its schedule (NULL: not known). Writing takes at most 2 % of the time; the period is
 * stretched if necessary. Errors of checkpoint_store; ERR_MEMORY. */
int pool_saver_write(struct pool_saver *s, const struct search_outcome *run, const int64_t *order,
		     const struct pool_open *open, struct err *e);
/* The same at the end of the search, and keeps the state as the plan says. Takes the records. */
int pool_saver_end(struct pool_saver *s, const struct search_outcome *run, const int64_t *order,
		   struct pool_open *open, struct err *e);

/* Adds the counts of earlier runs to those of this run. explored and evaluated are 0 if an earlier
 * run did not count them. */
void pool_saver_add_past(const struct pool_saver *s, struct search_outcome *o);

#endif
