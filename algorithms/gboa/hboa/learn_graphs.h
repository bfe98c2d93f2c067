/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Learning of decision graphs on the host (hboa.h defines the result). */
#ifndef COPRA_GBOA_HBOA_LEARN_GRAPHS_H
#define COPRA_GBOA_HBOA_LEARN_GRAPHS_H

#include "algorithms/gboa/hboa/graphs.h"

struct hboa_learner;

/* A learner for data of n variables and `count` individuals. `plain`: individual by individual,
 * from bytes (serial). Otherwise in words by the threads of `team` (NULL: the calling thread only).
 * Both give the same graphs. ERR_MEMORY. */
int hboa_learner_create(struct hboa_learner **l, int32_t n, int32_t count,
			const struct boa_options *o, bool plain, struct team *team, struct err *e);
void hboa_learner_destroy(struct hboa_learner *l);

/* Reads rank and order of the model and fills the graphs. Returns early once `limit` (may be NULL)
 * is reached; the model must not be used then. */
void hboa_learn(struct hboa_learner *l, const struct boa_data *d, struct hboa_model *m,
		const struct boa_limit *limit);

#endif
