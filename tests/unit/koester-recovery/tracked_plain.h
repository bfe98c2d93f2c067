/* The tracker step by step, written plainly: Algorithms 1 and 2 of Köster et al. on the domain of
 * kernels/selftest/tracked.h. Shares no code with what it checks, neither the random numbers nor
 * the domain's functions; stores the states of all layers. */
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
	/* of the last iteration's evaluation (breaks: of its last part), and of its forward steps
	 * where they go line by line */
	uint64_t children, breaks, executions, assignments;
	uint64_t forward_executions, forward_assignments;
};

void plain_begin(struct plain *p, const struct plain_domain *d, const struct plain_options *o,
		 const struct plain_state *inputs, uint32_t count);

void plain_end(struct plain *p);

void plain_iterate(struct plain *p);

void plain_jump(struct plain *p, const struct plain_node *from, uint32_t count);

#endif
