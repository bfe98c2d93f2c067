/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The searches of this target: request, outcome and functions. search.h describes the fields that
 * all tree searches share, and the counts of an outcome.
 *
 * Trees: flowshop by bound and branching; N-Queens on half a board; ATSP by path cost. */
#ifndef COPRA_GMYS_IVM_IVM_SEARCH_H
#define COPRA_GMYS_IVM_IVM_SEARCH_H

#include <stdlib.h>

#include "algorithms/tree-search/search.h"
#include "harness/bench/solve.h"
#include "kernels/gmys-ivm/victims.h"

/* Section 3.2. The paper's choice: PTE+PEB for flowshop, else PTE. IVM_AUTO: chosen during the
 * search, and the trigger too if it is 0. */
enum ivm_mode { IVM_PAPER_MODE, IVM_PTE_PEB, IVM_PTE, IVM_AUTO };
enum ivm_hybrid { IVM_STEAL, IVM_FARMER }; /* section 3.4; farmer.h (ours) */

enum { IVM_PAPER_T = 16384, IVM_DEVICES_MAX = DEV_MAX, IVM_TRACE_MAX = 4096 };
enum { IVM_TRIGGER_NONE = -1, IVM_TRIGGER_AUTO = -2 };
/* What the variant published can do faster than the paper's pseudo code. */
enum {
	IVM_FAST_FORMS = SEARCH_ONE_LAUNCH | SEARCH_SHORT_STEPS | SEARCH_PACKED_LB2 |
			 SEARCH_STAGED | SEARCH_ONE_PASS
};

/* All fields except `common` are for the published variant. 0 selects the default in brackets. */
struct ivm_request {
	struct search_request common; /* threads: host explorers; may be 0 if there are devices */
	enum ivm_mode mode;
	int ivms; /* T: IVMs per device, a power of two [16,384, or what fits] */
	enum ivm_victims victims;
	int64_t trigger; /* PTE: empty IVMs that end an expansion [the paper's T / 5].
			    IVM_TRIGGER_NONE: one step per expansion (0 in the paper);
			    IVM_TRIGGER_AUTO: chosen while the search runs */
	enum ivm_hybrid hybrid;
	int steal_parts; /* k of steal-1/k from a host to a device: the host keeps 1/k [2] */
	bool trace;      /* record the active IVMs over time (Figure 5) */
};

/* Steals between workers, victim to thief as in section 3.5: IVM_H2D is a device that steals from a
 * host thread. */
enum ivm_steal { IVM_H2H, IVM_D2D, IVM_H2D, IVM_D2H, IVM_STEALS };

struct ivm_sample {
	double seconds;
	int device, active;
};

struct ivm_outcome {
	struct search_outcome common;
	enum ivm_mode mode; /* as used; IVM_PAPER_MODE if there was no device */
	int64_t trigger;    /* as used at the end */
	int ivms;
	uint64_t steal_tried[IVM_STEALS], steal_done[IVM_STEALS];
	uint64_t inside_phases, inside_steals; /* inside devices */
	uint64_t expansions, inside_rounds;    /* rounds: of victim selection */
	double busy; /* mean share of a device's IVMs that explore, 0..1, over expansions */
	/* seconds, summed over devices */
	double seconds_expand, seconds_bound, seconds_inside, seconds_wait, seconds_other;
	uint64_t device_decomposed, host_decomposed;
	struct ivm_sample *sample; /* NULL without trace */
	int samples;
};

static inline void ivm_outcome_free(struct ivm_outcome *o)
{
	search_outcome_free(&o->common);
	free(o->sample);
	o->sample = NULL;
}

/* Runs the search of a variant:
 *   serial     Algorithm 2: one IVM on one core
 *   cpu        our best on all cores: vector units, bounds tabulated by job set, work stealing.
 *              With a checkpoint plan flowshop is searched depth first
 *   published  Algorithm 7: devices and host threads with random work stealing (team/team.h)
 *   tuned      our search on devices. The engine depends on the problem, the bound, the size and
 *              the checkpoint */
int ivm_search(enum solve_variant v, const struct ivm_request *r, struct ivm_outcome *o,
	       struct err *e);

/* The variant serial. */
int ivm_search_serial(const struct ivm_request *r, struct ivm_outcome *o, struct err *e);

/* N-Queens, and ATSP with at most IVM_INTERVAL_ITEMS + 1 cities, on devices: the host hands out
 * intervals, and devices search prefixes (tuned_intervals.c). ERR_UNSUPPORTED for larger instances.
 */
int ivm_tuned_intervals(const struct search_request *r, struct search_outcome *o, struct err *e);

#endif
