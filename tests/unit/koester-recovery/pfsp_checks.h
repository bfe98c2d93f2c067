/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Compares flowshop states with their definition, and children rated from their parent with
 * children that are made. Runs on the host, simulated devices and CUDA. */
#ifndef COPRA_TESTS_UNIT_KOESTER_RECOVERY_PFSP_CHECKS_H
#define COPRA_TESTS_UNIT_KOESTER_RECOVERY_PFSP_CHECKS_H

#include "algorithms/koester-recovery/problems/search.h"
#include "datasets/flowshop/flowshop.h"
#include "harness/base/rng.h"
#include "harness/base/team.h"
#include "tests/unit/koester-recovery/track_ok.h"

/* Sample states of many depths, in a buffer of `count` slots on the host. */
struct pfsp_sample {
	struct track_pfsp_problem *q;
	uint32_t count, units;
	uint32_t *states; /* [unit * count + state] */
	uint32_t *depth;  /* jobs placed */
	int64_t *order;   /* [state * jobs + n] n-th job placed */
};

struct pfsp_meaning {
	int64_t bound, idle;
	double share; /* w, exact to rounding */
};

struct flowshop pfsp_loaded(const char *name);

struct track_pfsp_problem *pfsp_problem_of(const struct flowshop *f, enum track_pfsp_guide guide,
					   enum track_pfsp_branching branching, int32_t best);

struct pfsp_meaning pfsp_define(const struct flowshop *f, const int64_t *order, uint32_t placed,
				bool both_ends);

struct track_batch pfsp_sample_batch(const struct pfsp_sample *x, void *states);

void pfsp_sample_free(struct pfsp_sample *x);

struct pfsp_sample pfsp_sample_make(struct track_pfsp_problem *q, uint32_t count,
				    struct track_place *host, uint64_t seed);

void pfsp_check_children_of(const char *name, enum track_pfsp_guide guide,
			    enum track_pfsp_branching branching, uint32_t count,
			    struct track_place *p, struct track_place *host);

#endif
