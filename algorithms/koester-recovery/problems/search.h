/* Searches with the tracker, one a problem: what solve and the experiments call. */
#ifndef COPRA_KOESTER_RECOVERY_PROBLEMS_SEARCH_H
#define COPRA_KOESTER_RECOVERY_PROBLEMS_SEARCH_H

#include "datasets/flowshop/flowshop.h"
#include "algorithms/koester-recovery/tracking/track.h"

struct samegame; /* datasets/samegame/samegame.h */

struct track_request {
	enum track_engine engine;
	bool serial; /* one core, as published: the plainest loops */
	struct track_place *const *places;
	int place_count;
	uint32_t beam;   /* states of a layer; 0: as many as `memory` allows with this
			    recovery (pfsp, samegame) */
	uint64_t memory; /* bytes on each place for states, kept layers and history; 0: half
			    of what is there */
	struct track_archive_options archive;
	double fill_rate;
	uint32_t look_ahead; /* 0: the problem's default */
	uint32_t rounds;     /* further rounds after the first: from layers in the middle, by
				another guide, through recovery; 0: none */
	double time_limit;   /* seconds; 0: none */
	uint64_t seed;
	const volatile sig_atomic_t *stop;
};

/* The bytes that the states of a search may take on each place: r->memory, or half of what is free
 * now, but at most the limit of the first place. */
int track_request_memory(const struct track_request *r, uint64_t *bytes, struct err *e);

struct track_outcome {
	bool found;
	int64_t objective;
	int64_t *solution; /* malloc'ed */
	size_t length;
	uint32_t beam, layers; /* used */
	bool stopped;          /* by the limit or the flag */
	double seconds_search, seconds_total;
	struct track_figures figures;
	uint64_t recovered;   /* states rebuilt for backtracking */
	uint64_t memory_peak; /* bytes held at most on one place, measured by its allocations */
};
void track_outcome_free(struct track_outcome *o);

/* Beam search for the makespan (track_pfsp_search.c). The solution is the job order; objective its
 * makespan as the search has it (the caller verifies). */
struct track_pfsp_options {
	enum track_pfsp_guide {
		TRACK_PFSP_BOUND,
		TRACK_PFSP_IDLE,
		TRACK_PFSP_BOUND_AND_IDLE,
		TRACK_PFSP_GAP
	} guide;
	enum track_pfsp_branching { TRACK_PFSP_FORWARD, TRACK_PFSP_BOTH_ENDS } branching;
};
int track_pfsp_search(const struct flowshop *f, const struct track_pfsp_options *p,
		      const struct track_request *r, struct track_outcome *o, struct err *e);

/* SameGame (track_samegame_search.c). The solution are the moves, each the cell row * columns +
 * column of any stone of the group; objective the score. */
int track_samegame_search(const struct samegame *g, const struct track_request *r,
			  struct track_outcome *o, struct err *e);

#endif
