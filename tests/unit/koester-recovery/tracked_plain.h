/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A plain tracker: Algorithms 1 and 2 of Köster et al. step by step, on the domain of
 * kernels/selftest/tracked.h. It stores the states of all layers. It shares no code with the
 * tracker that it checks, not even random numbers or the domain's functions. */
#ifndef COPRA_TESTS_UNIT_KOESTER_RECOVERY_TRACKED_PLAIN_H
#define COPRA_TESTS_UNIT_KOESTER_RECOVERY_TRACKED_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

enum { PLAIN_WORDS = 16, PLAIN_LAYERS = 40 };

struct plain_state {
	uint32_t w[PLAIN_WORDS];
};

struct plain_domain {
	uint32_t words, wait, children, ratings, dropped, last_step;
};

enum plain_schedule { PLAIN_TOGETHER, PLAIN_EACH, PLAIN_FIXED };

struct plain_options {
	uint32_t slots, beam, look_ahead, forward, breaks;
	bool first, regular;
	enum plain_schedule schedule;
	double fill;
	uint64_t seed;
};

struct plain_node {
	uint32_t layer, slot;
};

struct plain_entry {
	struct plain_node from;
	uint32_t successor, rating;
};

struct plain_layer {
	uint32_t count;
	bool jump;
	struct plain_state *state;
	struct plain_entry *entry;
};

struct plain {
	struct plain_domain d;
	struct plain_options o;
	struct plain_layer layer[PLAIN_LAYERS];
	uint32_t top; /* the current layer */
	bool ended;
	/* counts of the last iteration: of its evaluation (breaks: of its last part), and of its
	 * forward steps if they are made line by line */
	uint64_t children, breaks, executions, assignments;
	uint64_t forward_executions, forward_assignments;
};

void plain_begin(struct plain *p, const struct plain_domain *d, const struct plain_options *o,
		 const struct plain_state *inputs, uint32_t count);

void plain_end(struct plain *p);

void plain_iterate(struct plain *p);

void plain_jump(struct plain *p, const struct plain_node *from, uint32_t count);

#endif
