/* Searches with the tracker, one for each problem, for `solve` and the experiments. */
#ifndef COPRA_KOESTER_RECOVERY_PROBLEMS_SEARCH_H
#define COPRA_KOESTER_RECOVERY_PROBLEMS_SEARCH_H

#include "datasets/flowshop/flowshop.h"
#include "algorithms/koester-recovery/tracking/track.h"

struct samegame; /* datasets/samegame/samegame.h */

struct track_request {
	enum track_engine engine;
	bool serial; /* one core, plain loops as published */
	struct track_place *const *places;
	int place_count;
	uint32_t beam;   /* states of a layer; 0: as many as fit in `memory` with this
			    recovery (pfsp, samegame) */
	uint64_t memory; /* bytes on each place for states, kept layers and history; 0: half
			    of what is free */
	struct track_archive_options archive;
	double fill_rate;
	uint32_t look_ahead; /* 0: the problem's default */
	uint32_t rounds; /* further rounds: searches that start from recovered layers in the middle
			    with a different guide; 0: none */
	double time_limit; /* seconds; 0: none */
	uint64_t seed;
	const volatile sig_atomic_t *stop;
};

/* The bytes that a search may use on each place: r->memory, or by default half of the free memory,
 * but at most the limit of the first place. */
int track_request_memory(const struct track_request *r, uint64_t *bytes, struct err *e);

struct track_outcome {
	bool found;
	int64_t objective;
	int64_t *solution; /* malloc'ed */
	size_t length;
	uint32_t beam, layers; /* used */
	bool stopped;          /* by the time limit or by r->stop */
	double seconds_search, seconds_total;
	struct track_figures figures;
	uint64_t recovered;   /* states rebuilt for backtracking */
	uint64_t memory_peak; /* largest peak of a place */
};
void track_outcome_free(struct track_outcome *o);

/* Beam search for the makespan (pfsp.c). The solution is the job order; the objective is its
 * makespan as the search computed it. The caller verifies it. */
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

/* Beam search on SameGame (samegame.c). The solution is the list of moves, each given as the cell
 * row * columns + column of any stone of the group; the objective is the score. */
int track_samegame_search(const struct samegame *g, const struct track_request *r,
			  struct track_outcome *o, struct err *e);

#endif
