/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Internals of the tracker (track.h) that its sources share.
 *
 *   engine.c    options, memory of the places and of the host, creation, reading, figures
 *   advance.c   steps of states: evaluation (Algorithm 2) and forward steps
 *   record.c    entries of new layers in the history
 *   children.c  children of a layer: expansion, rating and pruning
 *   recover.c   recovery, backtracking, offers to the archive
 *   one_call.c  recovery as in lines 5 to 20 of Algorithm 1
 *   iterate.c   Algorithm 1: start and iterations, the new layer
 *
 * Each source uses only those before it in this list.
 *
 * The states of a layer are divided among the places in slot order; track_engine_share gives the
 * share of each. The buffers `current` and `next` of a place have `slots` states each.
 *
 * Children are numbered from 0 in the order of their parents' slots, then of their successors. They
 * are processed in parts of whole parents, with at most track_options.slots children each. If
 * children are stored, those of a part are divided evenly among the places, wherever their parents
 * are. If they are only rated, every place rates the children of its own parents. */
#ifndef COPRA_KOESTER_RECOVERY_TRACKING_ENGINE_H
#define COPRA_KOESTER_RECOVERY_TRACKING_ENGINE_H

#include <inttypes.h>

#include "harness/base/checked.h"
#include "algorithms/koester-recovery/tracking/track.h"

/* Memory of a place that grows on demand. Its contents are lost when it grows. */
struct track_engine_array {
	void *at;
	size_t bytes;
};

/* Candidates for the new layer on a place, in the order of their numbers. */
struct track_engine_entries {
	struct track_engine_array source, successor, rating; /* 32-bit words */
};

/* A copy of the history on a device, to trace paths there (kernels/koester-recovery/ops.h). */
struct track_engine_mirror {
	struct track_engine_array entries, entry_at, from, from_at;
	uint32_t layers; /* in the copy */
};

struct track_engine_paths {
	struct track_engine_array target, start, iteration, source, successor, steps;
};

/* Numbers that a place reports to the host. They are in pinned memory, so copies of a few bytes do
 * not wait for others. */
struct track_engine_reports {
	uint64_t children; /* of all its states */
	uint64_t steps;    /* of all traced paths */
	uint32_t kept, waiting;
	struct track_together together;
};

enum { TRACK_ENGINE_NARROW = 1 << 16 }; /* states of a layer whose entries take little memory */

struct track_engine_place {
	struct track_place *p;
	const struct track_ops *ops;
	void *parameters; /* for this place */
	bool entered;
	void *held; /* *held of track_domain.enter */

	struct track_engine_reports *reported;
	void *current, *next;
	uint32_t slots;
	size_t buffer_bytes;
	struct track_archive *archive; /* of this place's share of the kept layers */

	/* expansion */
	bool scanned; /* `first` is the prefix sum of the whole `number` */
	struct track_engine_array number, first, total, iota;
	struct track_engine_array child_source, child_successor, child_rating;
	/* Algorithm 2; waiting_count: a word, or one per step in one call */
	struct track_engine_array waiting, waiting_count;
	/* pruning */
	struct track_engine_array index, kept, scratch;
	struct track_engine_entries entries, spare;
	uint32_t entry_count;
	struct track_engine_array all_ratings; /* of the entries of all places */
	struct track_engine_entries
		share; /* of several places: this place's share of the new layer */
	/* forward steps and recovery; staging: states being copied from other places */
	struct track_engine_array step_slot, step_source, step_successor, load_from, load_to;
	struct track_engine_array staging;
	struct track_engine_mirror mirror;
	struct track_engine_paths paths;
	struct track_engine_array cached; /* the buffer `recover` of Algorithm 1 */
	bool replaying;                   /* reported->steps is being copied */
	struct dev_event *listed;         /* `entries` is complete */
	struct dev_event *chosen;         /* the entries of the new layer are complete */
};

/* Candidates for the new layer on the host, in the order of their numbers. */
struct track_engine_list {
	uint32_t *source, *successor, *rating;
	uint64_t *child; /* index of each child, for track_domain.compare; NULL with
			    tracker.on_places */
	uint32_t count, room;
};

/* A part of the children: those of the parents from .. to - 1. */
struct track_engine_part {
	uint32_t from, to;
	uint64_t first; /* number of its first child */
	uint32_t count;
};

struct tracker {
	const struct track_domain *domain;
	struct track_options o;
	int places;
	struct track_engine_place place[DEV_MAX];
	struct track_place host; /* for work of the host itself */
	bool fused;              /* children are rated without being stored */
	bool by_itself;          /* stored children advance independently, in one call */
	bool on_host;            /* the host prunes */
	bool on_places;          /* the places choose the entries of a new layer and hold them */
	uint32_t flags;          /* TRACK_ASSIGN_... of forward steps */
	size_t state_bytes;

	struct track_history *history;
	uint32_t layer; /* the layer in `current`, also after the search ended */
	uint32_t count;
	bool ended;         /* the last iteration had no children */
	bool expanded;      /* the count of this layer's children is queued on the places */
	bool offered;       /* this layer was offered to the archive */
	bool cached;        /* the places hold a copy of this layer in `cached` */
	uint32_t recovered; /* states that track_recover_there left */
	uint32_t
		*entries; /* [2 * entries_room] for the entries of paths, where devices copy from */
	uint64_t entries_room;

	uint32_t *number;   /* [beam] children of each state */
	bool numbers_known; /* the host knows them; if not, all children of a place are one part */
	uint64_t children;  /* of the iteration */
	uint32_t each;      /* with track_options.even: children of every state, if they do not
			       all fit in one part; else 0 */
	uint32_t regular_for; /* number of states that `number` was computed for by regular
				 expansion; 0: the domain computed it */
	struct track_engine_list list;
	uint32_t chosen;   /* number of entries of the new layer */
	bool bounded;      /* `chosen` is an upper bound; only the place knows the number */
	bool drops;        /* the last part of the last layer had children of TRACK_DROPPED */
	bool together;     /* the place has been called to do Algorithm 2 and was not waited for */
	uint32_t unfilled; /* layer of the history whose entries are still in `list`; 0: none */
	struct track_engine_filler *filler; /* the thread that fills in entries; may be NULL */
	uint32_t *child_source,
		*child_successor; /* [slots] source and successor of each child of a part */
	uint32_t named_for; /* number of states whose regular children child_source lists; 0: other
			       children */
	bool clones_named;  /* the places have copies of these lists */
	struct track_figures figures;
};

/* Index of the first item that belongs to place k, of `count` items divided among the places. For k
 * = places: `count`. */
uint32_t track_engine_share(const struct tracker *t, uint32_t count, int k);

/* Grows an array of the place to `count` elements of `each` bytes, or of 4 bytes. Its contents are
 * lost if it grows. ERR_MEMORY. */
int track_engine_need(struct track_engine_place *q, struct track_engine_array *a, uint64_t count,
		      size_t each, struct err *e);
int track_engine_need_words(struct track_engine_place *q, struct track_engine_array *a,
			    uint64_t count, struct err *e);
/* Frees the array, which may be used again. */
void track_engine_drop(struct track_engine_place *q, struct track_engine_array *a);
/* Allocates host memory that devices copy from and to; frees it (NULL: no effect). ERR_MEMORY. */
int track_engine_host_alloc(struct tracker *t, void **out, size_t bytes, struct err *e);
void track_engine_host_free(struct tracker *t, void *memory);
/* Copies words to an array of the place, which grows if needed. The words on the host must not
 * change until the next track_engine_wait or track_sync. */
int track_engine_put(struct track_engine_place *q, struct track_engine_array *a,
		     const uint32_t *words, uint64_t count, struct err *e);
/* Makes room for `room` candidates in t->list and keeps its contents. ERR_MEMORY. */
int track_engine_list_room(struct tracker *t, uint64_t room, struct err *e);
/* Makes q->iota: 0, 1, 2, ... up to the number of slots. */
int track_engine_need_iota(struct track_engine_place *q, struct err *e);
/* Copies consecutive states on the host to slots first .. first + count - 1 of a buffer. */
int track_engine_write_states(struct tracker *t, struct track_engine_place *q, void *buffer,
			      uint32_t first, uint32_t count, const void *states, struct err *e);

/* Waits for all places. */
int track_engine_wait(struct tracker *t, struct err *e);
/* Waits for all places if there are several, which may read each other's memory. */
int track_engine_meet(struct tracker *t, struct err *e);
struct track_batch track_engine_batch(const struct tracker *t, const struct track_engine_place *q,
				      void *states, uint32_t count, uint32_t iteration);
/* A gather of `count` states to `next` of place q. Slots are those of the current layer, whichever
 * place they are on. */
struct track_gather track_engine_from_current(const struct tracker *t,
					      const struct track_engine_place *q, uint32_t count);
/* The contents of `next` become the current layer. */
void track_engine_take(struct tracker *t, uint32_t layer, uint32_t count);

/* ERR_LIMIT if the caller asked the search to stop (track_options.stop). */
static inline int track_engine_check_stop(const struct tracker *t, struct err *e)
{
	if (!t->o.stop || !*t->o.stop)
		return 0;
	return err_set(e, ERR_LIMIT, "stopped in layer %" PRIu32, t->layer);
}

/* ---- advance.c ---- */
/* Whether the only place does all of Algorithm 2 in one call, and clones the parents in it. */
bool track_engine_is_together(const struct tracker *t);
/* Rates stored children: those of a part, at least one, whose clones are in `next` of all places;
 * with track_engine_is_together, they are made as `clones` says. Result: child_rating of all
 * places. Call track_engine_end_together when the place has been waited for. */
int track_engine_evaluate_stored(struct tracker *t, const struct track_engine_part *part,
				 const struct track_gather *clones, struct err *e);
/* Adds to the figures what the place did if it was called to do all of Algorithm 2. */
void track_engine_end_together(struct tracker *t);
/* Rates children of parents on place k without storing them. The ratings are in its child_rating,
 * after room for those of its entries. */
int track_engine_evaluate_fused(struct tracker *t, int k, const struct track_batch *parents,
				const struct track_children *c, const uint32_t *successor,
				struct err *e);
/* Adds `forward` steps of some states to the figures; a negative number takes them back. */
void track_engine_count_steps(struct tracker *t, int64_t states);
/* Makes `forward` steps of the states of a batch on place q. */
int track_engine_step(struct tracker *t, struct track_engine_place *q, const struct track_batch *b,
		      struct err *e);
/* Algorithm 2 as the paper writes it, with line 1, along the paths of a batch of place q. Round r
 * makes layer r + 1 by `forward` steps. The path's arrays are on the place; its `iteration` is not
 * used. Sets *breaks as track_recover_in_one_call does. */
int track_engine_follow(struct tracker *t, struct track_engine_place *q,
			const struct track_batch *b, const struct track_path *path,
			uint64_t *breaks, struct err *e);

/* ---- record.c ---- */
/* Adds the layer in t->list to the history. Many entries are filled in later, by track_engine_fill,
 * if they are sure to fit. ERR_FAILED if one does not, ERR_MEMORY. */
int track_engine_record(struct tracker *t, struct err *e);
/* Fills in the entries that track_engine_record has left out, or waits until the thread has done
 * so. Call it before the entries of the history are read, and before it gets a layer by a jump. */
void track_engine_fill(struct tracker *t);
/* The same, but the thread may go on to prepare the next layer. Call it before t->list changes. */
void track_engine_empty_list(struct tracker *t);
/* Fills them in where there is no thread for it. Call it while the places work. */
void track_engine_fill_meanwhile(struct tracker *t);
/* Starts the thread that fills in entries of wide histories, if places on devices hold them. If it
 * cannot start, there is none. */
void track_engine_filler_start(struct tracker *t);
void track_engine_filler_end(struct tracker *t);

/* ---- children.c ---- */
/* Counts, rates and prunes the children of the current layer. The candidates that are kept are the
 * entries of the new layer: t->chosen of them, at most `beam`. They are in t->list; with
 * t->on_places, each place holds its share of them. With t->bounded, the only place has not been
 * waited for: t->chosen is the most that it can keep, and surplus entries repeat one child.
 * ERR_LIMIT when stopped, ERR_USAGE if a state has more children than track_options.slots. */
int track_engine_best_children(struct tracker *t, struct err *e);
/* Queues the count of the children of a new layer in `next` on devices that will rate and prune
 * them by themselves, so that the next iteration need not wait for it. Sets *expanded if it did. */
int track_engine_expand_next(struct tracker *t, uint32_t count, bool *expanded, struct err *e);
/* The share of place q, with t->on_places. */
const struct track_engine_entries *track_engine_chosen(const struct tracker *t,
						       const struct track_engine_place *q);

/* ---- recover.c ---- */
/* Every place rebuilds its share of the targets in `next`. with_current: states may be copied from
 * `current`. */
int track_engine_rebuild(struct tracker *t, const struct track_node *targets, uint32_t count,
			 bool with_current, struct err *e);
/* Offers the current layer to the archive, before the search leaves it. */
int track_engine_offer(struct tracker *t, struct err *e);
/* Calls track_archive_settle for all places. */
int track_engine_settle(struct tracker *t, struct err *e);

#endif
