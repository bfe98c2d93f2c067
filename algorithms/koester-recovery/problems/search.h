/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Beam searches with the tracker over two problems, and the domains of these problems. For `solve`
 * and the experiments. */
#ifndef COPRA_KOESTER_RECOVERY_PROBLEMS_SEARCH_H
#define COPRA_KOESTER_RECOVERY_PROBLEMS_SEARCH_H

#include "algorithms/koester-recovery/tracking/track.h"
#include "datasets/flowshop/flowshop.h"
#include "datasets/samegame/samegame.h"
#include "harness/base/watch.h"
#include "kernels/koester-recovery/pfsp.h"
#include "kernels/koester-recovery/samegame.h"

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
	struct watch *watch; /* pfsp: is told better schedules and the bound; NULL: none */
};

struct track_outcome {
	bool found;
	int64_t objective;
	int64_t *solution; /* malloc'ed; the caller frees it */
	size_t length;
	uint32_t beam, layers; /* used */
	bool stopped;          /* by the time limit or by r->stop */
	double seconds_search, seconds_total;
	struct track_figures figures;
	uint64_t recovered;   /* states rebuilt for backtracking */
	uint64_t memory_peak; /* largest peak of a place */
};

/* ==== flowshop (pfsp.c) ==== */

/* Beam search for the makespan. The solution is the job order; the objective is its
 * makespan as the search computed it. The caller verifies it. The widest beam uses all places.
 * Narrower ones before it use only the first if that is faster, because their layers need less than
 * 2^28 operations, and if it then holds no more states than in the widest. Beams of the same widths
 * find the same solution on any places. */
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

/* Whether more devices shorten this search, for which the first place is open: whether all children
 * of its widest beam need at least 2^37 operations of a job on a machine. With a sixth less, one
 * H100 takes 1.2 s and two take 1.0 s, but the second must be opened, which takes 0.12 s.
 * The children are width x jobs^2 / 2, and half as many in each round. */
int track_pfsp_pays(const struct flowshop *f, const struct track_request *r, bool *pays,
		    struct err *e);

/* The domain of an instance: tables, their copies on devices, and the root state. The search makes
 * one; tests run its operations. */
struct track_pfsp_problem {
	struct track_domain domain;          /* first member: the tracker passes a pointer to it */
	struct track_pfsp parameters;        /* with pointers to tables on the host */
	struct track_pfsp_guidance guidance; /* the host's */
	struct track_pfsp_copies *copies;    /* one for each device that has entered the domain */
	int32_t *tables;
	uint32_t *root; /* the state without jobs: [track_pfsp_units(&parameters)] words */
};

/* `best`: the makespan of a known schedule. ERR_MEMORY. The instance may be freed afterwards. */
int track_pfsp_problem_create(struct track_pfsp_problem **out, const struct flowshop *f,
			      const struct track_pfsp_options *o, int32_t best, struct err *e);
void track_pfsp_problem_destroy(struct track_pfsp_problem *q);
extern const struct track_ops track_pfsp_ops_host;

/* ==== SameGame (samegame.c) ==== */

/* Beam search on SameGame. The solution is the list of moves, each given as the cell
 * row * columns + column of any stone of the group; the objective is the score. */
int track_samegame_search(const struct samegame *g, const struct track_request *r,
			  struct track_outcome *o, struct err *e);

enum { TRACK_SAMEGAME_UNITS = SAMEGAME_MAX_COLUMNS + 1 };

/* Memory for one state. */
struct track_samegame_state {
	uint64_t unit[TRACK_SAMEGAME_UNITS];
};

struct track_samegame_domain {
	struct track_domain domain;
	struct track_samegame_rules rules;
	struct track_samegame_state input; /* the board: the first domain.layout.units units */
};

/* Makes the domain of a board. It must not be moved while a tracker uses it. */
void track_samegame_domain_init(struct track_samegame_domain *d, const struct samegame *g);

static inline struct track_state track_samegame_state_of(struct track_samegame_state *s)
{
	return (struct track_state){ (unsigned char *)s->unit, sizeof(s->unit[0]) };
}

#endif
