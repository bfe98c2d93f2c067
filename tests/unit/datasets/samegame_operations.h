/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Runs all operations of the SameGame domain on one device and compares them with the expected
 * results. Include after cmocka.h. */
#ifndef COPRA_TESTS_UNIT_DATASETS_SAMEGAME_OPERATIONS_H
#define COPRA_TESTS_UNIT_DATASETS_SAMEGAME_OPERATIONS_H

#include <stdlib.h>

#include "algorithms/koester-recovery/problems/search.h"

static inline struct samegame loaded(const char *name)
{
	struct samegame g;
	struct err e = { 0 };

	if (samegame_load(&g, name, &e))
		fail_msg("%s", e.text);
	return g;
}

enum { STATES = 37, SLOTS = 50, STEPS = 9 };

struct place_memory {
	struct track_place *p;
	void *at[16];
	size_t bytes[16];
	int count;
};

static inline void *there(struct place_memory *m, const void *host, size_t bytes)
{
	struct err e = { 0 };
	void *memory;

	if (track_alloc(m->p, &memory, bytes, &e) ||
	    (host ? track_to(m->p, memory, host, bytes, &e) : 0) || track_sync(m->p, &e))
		fail_msg("%s", e.text);
	m->at[m->count] = memory;
	m->bytes[m->count++] = bytes;
	return memory;
}

static inline void here(struct place_memory *m, void *host, const void *memory, size_t bytes)
{
	struct err e = { 0 };

	if (track_from(m->p, host, memory, bytes, &e) || track_sync(m->p, &e))
		fail_msg("%s", e.text);
}

/* All results of the operations for one board. */
struct results {
	unsigned char states[SLOTS * sizeof(struct track_samegame_state)];
	uint32_t number[STATES], first[STATES], total, first_ratings[STATES];
	uint32_t successor[STATES * 200], rating[STATES * 200], rating_no_first[STATES * 200];
};

static inline void ok(int status, const struct err *e)
{
	if (status)
		fail_msg("%s", e->text);
}

/* States in scattered slots, advanced by different seeds. */
static inline void run_operations(struct track_place *p, const struct samegame *g,
				  struct results *r)
{
	struct place_memory m = { .p = p };
	struct track_samegame_domain d;
	struct track_samegame_state s;
	struct track_batch b = { 0 };
	struct track_children c = { .first_source = 11 };
	const struct track_ops *ops;
	uint32_t slot[STATES], source[STATES], seed[STATES];
	uint64_t *host, *copy;
	uint32_t *rating, *successor, *number;
	size_t bytes;
	struct err e = { 0 };

	track_samegame_domain_init(&d, g);
	s = d.input;
	ops = track_ops_of(&d.domain, p);
	bytes = SLOTS * track_state_bytes(d.domain.layout);
	host = calloc(1, bytes);
	copy = calloc(1, bytes);
	assert_non_null(host);
	assert_non_null(copy);
	for (uint32_t i = 0; i < STATES; i++) {
		slot[i] = (i * 7 + 3) % SLOTS;
		source[i] = i * 5;
		seed[i] = 31 + 32 * i; /* no stone: a group at random */
		for (uint32_t u = 0; u < d.domain.layout.units; u++)
			host[u * SLOTS + slot[i]] = s.unit[u];
	}
	b.states = there(&m, host, bytes);
	b.slots = SLOTS;
	b.layout = d.domain.layout;
	b.count = STATES;
	b.slot = there(&m, slot, sizeof(slot));
	b.source = there(&m, source, sizeof(source));
	b.successor = there(&m, seed, sizeof(seed));
	b.seed = 77;
	b.iteration = 3;
	ok(ops->advance(p, &d.rules, &b, STEPS, TRACK_ASSIGN_FIRST | TRACK_ASSIGN_LAST, &e), &e);
	here(&m, r->states, b.states, bytes);

	number = there(&m, NULL, sizeof(r->number));
	rating = there(&m, NULL, sizeof(r->rating));
	ok(ops->rate(p, &d.rules, &b, rating, &e), &e);
	here(&m, r->first_ratings, rating, sizeof(r->first_ratings));
	ok(ops->expand(p, &d.rules, &b, number, &e), &e);
	here(&m, r->number, number, sizeof(r->number));
	for (uint32_t i = 0; i < STATES; i++) {
		r->first[i] = r->total;
		r->total += r->number[i];
	}
	assert_true(r->total <= STATES * 200);
	c.number = number;
	c.first = there(&m, r->first, sizeof(r->first));
	c.total = r->total;
	b.iteration = 4;
	successor = there(&m, NULL, sizeof(r->successor));
	ok(ops->successors(p, &d.rules, &b, &c, successor, &e), &e);
	here(&m, r->successor, successor, r->total * sizeof(uint32_t));
	ok(ops->rate_children(p, &d.rules, &b, &c, successor, 200,
			      TRACK_ASSIGN_FIRST | TRACK_ASSIGN_LAST, 0, rating, &e),
	   &e);
	here(&m, r->rating, rating, r->total * sizeof(uint32_t));
	ok(ops->rate_children(p, &d.rules, &b, &c, NULL, 3, 0, 0, rating, &e), &e);
	here(&m, r->rating_no_first, rating, r->total * sizeof(uint32_t));
	/* parents are only read */
	here(&m, copy, b.states, bytes);
	assert_memory_equal(copy, r->states, bytes);
	for (int i = 0; i < m.count; i++)
		track_free(p, m.at[i], m.bytes[i]);
	assert_int_equal(p->used, 0);
	free(host);
	free(copy);
}

/* Compares the results of the operations with the functions on one state at a time. */
static inline void check_results(const struct samegame *g, const struct results *r)
{
	struct track_samegame_domain d;
	const uint64_t *states = (const uint64_t *)(const void *)r->states;
	uint32_t child = 0;

	track_samegame_domain_init(&d, g);
	for (uint32_t i = 0; i < STATES; i++) {
		struct track_samegame_state s = { { 0 } };

		for (uint32_t u = 0; u < d.domain.layout.units; u++)
			s.unit[u] = states[u * SLOTS + (i * 7 + 3) % SLOTS];
		assert_int_equal(r->number[i], track_samegame_rules_expand(
						       &d.rules, track_samegame_state_of(&s)));
		assert_int_equal(r->first_ratings[i],
				 track_samegame_rules_rate(&d.rules, track_samegame_state_of(&s)));
		for (uint32_t k = 0; k < r->number[i]; k++, child++) {
			struct track_samegame_state t = s;
			struct track_step at = { .seed = 77, .iteration = 4, .source = 11 + i };

			at.successor = r->successor[child];
			assert_int_equal(at.successor,
					 track_samegame_rules_successor(
						 &d.rules, track_samegame_state_of(&s), k));
			for (; at.step < 200; at.step++) {
				track_samegame_rules_assign(&d.rules, track_samegame_state_of(&t),
							    &at);
				track_samegame_rules_execute(&d.rules, track_samegame_state_of(&t),
							     &at);
			}
			assert_int_equal(
				r->rating[child],
				track_samegame_rules_rate(&d.rules, track_samegame_state_of(&t)));
			t = s;
			at.successor = k;
			for (at.step = 0; at.step < 3; at.step++) {
				if (at.step)
					track_samegame_rules_assign(
						&d.rules, track_samegame_state_of(&t), &at);
				track_samegame_rules_execute(&d.rules, track_samegame_state_of(&t),
							     &at);
			}
			assert_int_equal(
				r->rating_no_first[child],
				track_samegame_rules_rate(&d.rules, track_samegame_state_of(&t)));
		}
	}
	assert_int_equal(child, r->total);
}

#endif
