/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A form is one way to run the synthetic model on one place. Tests on the host, on simulated
 * devices and on CUDA compare its operations with the oracle. */
#ifndef COPRA_TESTS_UNIT_KOESTER_RECOVERY_SYNTHETIC_FORM_H
#define COPRA_TESTS_UNIT_KOESTER_RECOVERY_SYNTHETIC_FORM_H

#include "algorithms/koester-recovery/problems/synthetic.h"
#include "algorithms/koester-recovery/states/place.h"
#include "datasets/matrix/matrix_states.h"
#include "harness/base/team.h"

extern struct err form_error; /* of `must` */

/* One way to run the model. */
struct form {
	struct track_domain *domain;
	struct team *pool;
	struct track_place place;
	unsigned char parameters[2048];
	void *held;
	const struct track_ops *ops;
	struct matrix_states oracle;
	struct track_synthetic_options options;
	uint32_t slots;
	void *buffer; /* of the place */
	size_t buffer_bytes;
};

#define must(call)                                                                                 \
	do {                                                                                       \
		if (call)                                                                          \
			fail_msg("%s:%d: %s", __FILE__, __LINE__, form_error.text);                \
	} while (0)

/* Opens a form on a device (NULL: the host) with `count` states in twice as many slots. */
void form_open(struct form *f, const struct track_synthetic_options *o, struct dev *device,
	       uint32_t count);

void form_close(struct form *f);

void form_advance(struct form *f, uint32_t count, uint32_t steps, uint32_t flags);

/* Checks the ratings of children; the parents have 0, 1, 2, 3, 0, ... children. The parents must
 * not change. */
void form_rate_children(struct form *f, uint32_t count, uint32_t steps, uint32_t flags,
			uint32_t breaks);

/* `from`: by replay_from, which the form must have, of states in another buffer. */
void form_replay(struct form *f, uint32_t count, uint32_t rounds, uint32_t flags, bool from);

/* Runs Algorithm 2 by execute and assign and, if the form can, in one call, and checks the states
 * and ratings at its end, and how often its inner loop was left. */
void form_together(struct form *f, uint32_t count, uint32_t steps, double fill_rate, bool first);

void *form_alloc(size_t bytes);

#endif
