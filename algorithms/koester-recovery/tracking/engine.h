/* Inside of the tracker (track.h): what its parts share.
 *
 *   engine.c    options, memory of the places and of the host, creation, reading, figures
 *   children.c  expansion, evaluation (Algorithm 2) and forward steps
 *   recover.c   recovery, backtracking, what the archive is offered
 *   iterate.c   Algorithm 1: beginning and iterations, pruning, the new layer
 *
 * The states of a layer are divided among the places in slot order, each place's share as
 * track_engine_share says. A place's buffers `current` and `next` have `slots` states each.
 *
 * Children are numbered from 0 in the order of their parents' slots, then of their successors. They
 * are looked at in parts of whole parents, at most track_options.slots children each. Where they
 * are stored, a part's children are divided among the places evenly, whoever holds their parents;
 * where they are only rated, every place rates those of its own parents. */
#ifndef COPRA_KOESTER_RECOVERY_TRACKING_ENGINE_H
#define COPRA_KOESTER_RECOVERY_TRACKING_ENGINE_H

#include "harness/base/checked.h"
#include "algorithms/koester-recovery/tracking/track.h"

/* Memory of a place that grows when more is needed and then forgets what it held. */
struct track_engine_array {
	void *at;
	size_t bytes;
};

/* Children that may become the new layer, in the order of their numbers. */
struct track_engine_entries {
	struct track_engine_array source, successor, rating; /* 32-bit words */
};

/* The history on a device, for paths that are traced there (kernels/koester-recovery/common.h). */
struct track_engine_mirror {
	struct track_engine_array entries, entry_at, from, from_at;
	uint32_t layers; /* that it holds */
};

struct track_engine_paths {
	struct track_engine_array target, start, iteration, source, successor, steps;
};

/* What a place tells the host: pinned memory, so that small copies do not wait for others. */
struct track_engine_told {
	uint64_t children; /* of all its states */
	uint64_t steps;    /* of all paths that were traced */
	uint32_t kept, waiting;
};

struct track_engine_place {
	struct track_place *p;
	const struct track_ops *ops;
	const struct track_common *common;
	void *parameters; /* for this place */
	bool entered;
	void *held; /* by the domain, see track_domain.enter */

	struct track_engine_told *told;
	void *current, *next;
	uint32_t slots;
	size_t buffer_bytes;
	struct track_archive *archive; /* this place's share of every kept layer */

	/* expansion */
	bool scanned; /* `first` is the sum over all of `number` */
	struct track_engine_array number, first, total, iota;
	struct track_engine_array child_source, child_successor, child_rating;
	/* evaluation line by line */
	struct track_engine_array waiting, waiting_count;
	/* pruning */
	struct track_engine_array index, kept, scratch;
	struct track_engine_entries entries, spare;
	uint32_t entry_count;
	/* forward steps and recovery; staging is for states on their way to or from others */
	struct track_engine_array step_slot, step_source, step_successor, load_from, load_to;
	struct track_engine_array staging;
	struct track_engine_mirror mirror;
	struct track_engine_paths paths;
	bool replaying;           /* told->steps is on its way */
	struct dev_event *chosen; /* the entries of the new layer are there */
};

/* Candidates on the host, in the order of their numbers. */
struct track_engine_list {
	uint32_t *source, *successor, *rating;
	uint64_t *child; /* numbers, for a domain's own order */
	uint32_t count, room;
};

/* Children of one part, as the host knows them: parents from .. to - 1. */
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
	struct track_place host; /* for what the host does itself */
	bool fused;              /* children are rated without being stored */
	bool by_itself;          /* stored children take their steps in one call */
	bool on_host;            /* pruning */
	uint32_t flags;          /* of forward steps, TRACK_ASSIGN_... */
	size_t state_bytes;

	struct track_history *history;
	uint32_t layer; /* whose states lie in `current`, also when the search ended */
	uint32_t count;
	bool ended;         /* the last iteration had no children */
	bool offered;       /* the archive has been offered this layer */
	uint32_t recovered; /* states that track_recover_there left */

	uint32_t *number;     /* [beam] children of each state */
	bool numbers_known;   /* to the host; else all of a place are one part */
	uint64_t children;    /* of the iteration */
	uint32_t regular_for; /* states that `number` was made for; 0: by the domain */
	struct track_engine_list list;
	uint32_t *child_source, *child_successor; /* [slots] of a part */
	uint32_t named_for; /* states whose regular children they name: they stay */
	bool clones_named;  /* and the places have them too */
	struct track_figures figures;
};

/* First of `count` things that place k of the tracker has; k = places: count. */
uint32_t track_engine_share(const struct tracker *t, uint32_t count, int k);

int track_engine_need(struct track_engine_place *q, struct track_engine_array *a, uint64_t count,
		      size_t each, struct err *e);
int track_engine_need_words(struct track_engine_place *q, struct track_engine_array *a,
			    uint64_t count, struct err *e);
int track_engine_need_entries(struct track_engine_place *q, struct track_engine_entries *s,
			      uint64_t count, struct err *e);
void track_engine_drop(struct track_engine_place *q, struct track_engine_array *a);
/* Words to an array of the place, which grows for them. The host's must stay until the next
 * track_engine_wait or track_sync. */
int track_engine_put(struct track_engine_place *q, struct track_engine_array *a,
		     const uint32_t *words, uint64_t count, struct err *e);
/* Room in the host's list; what it holds stays. */
int track_engine_list_room(struct tracker *t, uint64_t room, struct err *e);
int track_engine_write_states(struct tracker *t, struct track_engine_place *q, void *buffer,
			      uint32_t first, uint32_t count, const void *states, struct err *e);
/* Waits for all places. */
int track_engine_wait(struct tracker *t, struct err *e);
/* The same where places read each other's memory; nothing with one. */
int track_engine_meet(struct tracker *t, struct err *e);
struct track_batch track_engine_batch(const struct tracker *t, const struct track_engine_place *q,
				      void *states, uint32_t count, uint32_t iteration);
/* A gather from slots of the current layer, whoever holds them, to `next`. */
struct track_gather track_engine_from_current(const struct tracker *t,
					      const struct track_engine_place *q, uint32_t count);

/* ---- children.c ---- */
/* Counts the children of all states; t->children. */
int track_engine_expand(struct tracker *t, struct err *e);
/* The part that begins at part->to; false when there are no more. `part` starts as zeros. ERR_USAGE
 * where one state has more children than a part may. */
int track_engine_next_part(const struct tracker *t, struct track_engine_part *part, bool *more,
			   struct err *e);
/* The same for one place's own parents, numbered from its first. */
int track_engine_next_own_part(const struct tracker *t, int k, struct track_engine_part *part,
			       bool *more, struct err *e);
/* 0, 1, 2 ... on the place, as many as it has slots. */
int track_engine_need_iota(struct track_engine_place *q, struct err *e);
/* How many children the parents from .. to - 1 have. */
uint64_t track_engine_children_of(const struct tracker *t, uint32_t from, uint32_t to);
/* Numbers and successors of the children of some of a place's parents; `parents` and `c` for the
 * operations that take them. *successor: NULL where the k-th is k. */
int track_engine_number_own(struct tracker *t, int k, const struct track_engine_part *part,
			    struct track_batch *parents, struct track_children *c,
			    uint32_t **successor, struct err *e);
/* Source and successor of all children of a part on the host: t->child_source, child_successor. */
int track_engine_name_children(struct tracker *t, const struct track_engine_part *part,
			       struct err *e);
/* Clones of a part's parents in `next` of all places, with their sources and successors there. */
int track_engine_clone(struct tracker *t, const struct track_engine_part *part, struct err *e);

struct track_engine_run { /* of Algorithm 2 over several places */
	int places;
	struct track_engine_place *place[DEV_MAX];
	struct track_batch batch[DEV_MAX];
	uint32_t steps;
	enum track_schedule schedule;
	double fill_rate;
	uint32_t breaks;
	bool assign_first, assign_last;
};
/* child_rating of all places for a part whose clones lie in `next`. */
int track_engine_evaluate_stored(struct tracker *t, const struct track_engine_part *part,
				 struct err *e);
/* child_rating of place k for a part of its own parents. */
int track_engine_evaluate_fused(struct tracker *t, int k, const struct track_batch *parents,
				const struct track_children *c, const uint32_t *successor,
				struct err *e);

/* `forward` steps of a batch of one place. */
int track_engine_step(struct tracker *t, struct track_engine_place *q, const struct track_batch *b,
		      struct err *e);

/* What lies in `next` becomes the current layer. */
void track_engine_take(struct tracker *t, uint32_t layer, uint32_t count);

/* ---- recover.c ---- */
/* Rebuilds the place's share of the targets in its `next`. with_current: what is in `current` may
 * be read. */
int track_engine_rebuild(struct tracker *t, const struct track_node *targets, uint32_t count,
			 bool with_current, struct err *e);
/* Lets the archive keep the current layer, before it is left. */
int track_engine_offer(struct tracker *t, struct err *e);
int track_engine_settle(struct tracker *t, struct err *e);

#endif
