/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Runs the tracker on the domain of kernels/selftest/tracked.h, and compares it after every step
 * with the plain tracker of tracked_plain.h. */
#ifndef COPRA_TESTS_UNIT_KOESTER_RECOVERY_TRACKED_RUNS_H
#define COPRA_TESTS_UNIT_KOESTER_RECOVERY_TRACKED_RUNS_H

#include "algorithms/koester-recovery/tracking/track.h"
#include "harness/base/team.h"
#include "kernels/selftest/tracked.h"
#include "tests/unit/koester-recovery/tracked_plain.h"

extern const struct track_ops tracked_ops_host;
/* The backend of the devices that run_places_open opens: "sim" unless a test sets another. */
extern const char *run_backend;
/* The parameters of run_all_ways, and of run_search. */
extern const struct tracked run_domain, run_search_domain;

struct run_places {
	struct dev_set set; /* count 0: the host */
	struct team *pool;
	struct track_place place[DEV_MAX];
	struct track_place *pointer[DEV_MAX];
	int count;
};

struct run {
	struct plain plain;
	struct tracked parameters;
	struct track_domain domain;
	struct track_ops host, sim, cuda;
	struct tracker *t;
	struct track_figures before;
	uint32_t random; /* state of the generator for random choices of the test */
};

#define RUN_OK(call)                                                                               \
	do {                                                                                       \
		struct err run_err = { 0 };                                                        \
		int run_status = (call);                                                           \
		if (run_status)                                                                    \
			fail_msg("%s: %s", #call, run_err.text);                                   \
	} while (0)
#define RUN_E (&run_err)

void run_places_open(struct run_places *w, int devices, int threads);

void run_places_close(struct run_places *w);

/* Starts both trackers with the same options; o.slots, o.beam etc. must be set. */
void run_begin(struct run *r, const struct run_places *w, const struct tracked *parameters,
	       const struct track_options *o, bool rate_children, uint32_t inputs);

void run_end(struct run *r);

/* Compares states and entries of the current layer. */
void run_compare(struct run *r);

/* Makes an iteration and compares. With `counts`, also compares the counts of executions,
 * assignments and breaks. */
void run_iterate(struct run *r, bool counts);

/* Recovers `count` states of random layers and compares them; the current states must not change.
 */
void run_recover(struct run *r, uint32_t count);

void run_backtrack(struct run *r, uint32_t count);

void run_all_ways(int devices, int iterations);
/* Stored children of which some or all are dropped, on one device; in a full layer, each state has
 * as many. */
void run_even_layers(void);

struct track_options run_options(enum track_recovery rule, enum track_engine engine, uint64_t seed);

void run_search(struct run_places *w, const struct track_options *o, int moves);

void run_every_recovery(int devices, int moves);

#endif
