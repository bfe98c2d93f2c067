/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The measured case that all experiments of gmys-ivm share: its set-up, run and check are the hooks
 * of a benchmark. Every benchmark has the axes instance (tree-search/labels.h), variant and gpus;
 * published with gpus:0 is the paper's algorithm on all cores.
 *
 * The time is seconds_search of the outcome (search.h), the mean if a case makes several runs. The
 * work is decomposed nodes. A wrong count, proof or solution turns the row into an error. Trees
 * whose size is not known are counted by `serial` before anything is timed. A search that would
 * take too long stops early, and its time is extrapolated to the whole tree by the nodes that it
 * decomposed (counter `extrapolated`). */
#ifndef COPRA_GMYS_IVM_CASE_H
#define COPRA_GMYS_IVM_CASE_H

#include "algorithms/tree-search/search_case.h"
#include "harness/bench/bench.h"
#include "algorithms/gmys-ivm/ivm_search.h"

struct ivm_case {
	const char *instance;
	const char *rung; /* of the ladder (ladder.h); NULL: the variant as it is */
	enum fsp_bound bound;
	enum fsp_branching branching;
	int64_t ub; /* 0: the optimum; otherwise a flowshop bound below it */
	enum ivm_mode mode;
	enum ivm_victims victims;
	enum ivm_hybrid hybrid;
	int64_t trigger; /* as in struct ivm_request */
	int ivms;
	int explorers; /* host explorers beside the devices */
	int steal_parts;
	int runs;            /* searches per iteration [1]; counters report their spread */
	double predicted;    /* predicted seconds; 0: from ivm_case_estimate */
	double stop_after;   /* seconds after which the search stops early; 0: never */
	double from_scratch; /* time limit in seconds of a search without an incumbent, including
				its heuristic start; 0: the search is given the optimum */
	double checkpoint;   /* seconds between two checkpoints; 0: none */
	bool trace; /* counters active_0 .. active_19: share of active IVMs in each twentieth
		       of the time */
};
enum { IVM_SLICES = 20 };

/* The paper's settings: LB2, MaxSum and PTE+PEB for flowshop, PTE with a trigger of T / 5 for the
 * other problems; T = 16,384; Hypercube. */
struct ivm_case ivm_case_default(const struct bench_case *c);
int ivm_case_setup(struct bench_case *c, const struct ivm_case *p, struct err *e);
int ivm_case_run(struct bench_case *c, struct err *e);

/* ---- the figures of an outcome, in a benchmark row and in the answer of `solve` ---- */

enum { IVM_FIGURES = 24 };

/* All figures of a search; returns their number. With `published` these include Algorithm 7: IVMs,
 * trigger (0: none), mode (1: PTE+PEB, 2: PTE), steals by kind, busy share, expansions, rounds of
 * victim selection, times of the phases. */
int ivm_figures(const struct ivm_outcome *o, bool published, struct measure figures[IVM_FIGURES]);

/* ---- sizes and times ---- */

bool ivm_case_uses_device(const struct bench_case *c);
/* serial and cpu run without a GPU, tuned needs one. No variant gets a tree that would take hours.
 */
bool ivm_case_exists(const struct bench_case *c);
/* Nodes of the tree from the optimum with the paper's bound, or an estimate (1e12 without one). */
double ivm_case_nodes(const char *instance);
/* Predicted seconds of a search until it ends or stops early. */
double ivm_case_estimate(const struct bench_case *c);

/* The fields that all experiments have in common. */
#define IVM_CASE                                                                                   \
	.manual_time = true, .unit = "ms", .run = ivm_case_run, .check = search_case_check,        \
	.teardown = search_case_teardown, .uses_device = ivm_case_uses_device

#endif
