/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Executes recovery plans symbolically. A state is represented by the path that made it: nodes with
 * their successors. After a plan, slot i must hold the path of target i. The test keeps the tree
 * separately from the history. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "algorithms/koester-recovery/recovery/plan.h"

enum { LAYERS = 40, MOST = 24, TARGETS = 60 };

/* A state: its input, then the slots and successors of its steps. A jump adds no step. */
struct path {
	uint32_t input, steps;
	struct {
		uint32_t layer, source, successor;
	} step[LAYERS];
};

struct tree {
	struct track_history *h;
	uint32_t count[LAYERS + 1];
	bool kept[LAYERS + 1], jump[LAYERS + 1];
	struct path state[LAYERS + 1][MOST];
};

static uint64_t random_state;

static uint32_t below(uint32_t n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((random_state >> 33) % n);
}

static void grow(struct tree *t, uint32_t layer, uint32_t jumps)
{
	uint32_t source[MOST], successor[MOST], rating[MOST] = { 0 };
	struct track_node from[MOST];
	struct err e = { 0 };

	t->count[layer] = 1 + below(MOST);
	t->jump[layer] = below(10) < jumps;
	for (uint32_t i = 0; i < t->count[layer]; i++) {
		struct path *p = &t->state[layer][i];

		from[i].layer = t->jump[layer] ? below(layer) : layer - 1;
		/* few parents with many children */
		source[i] = from[i].slot = below(1 + below(t->count[from[i].layer]));
		successor[i] = below(100);
		*p = t->state[from[i].layer][from[i].slot];
		if (t->jump[layer])
			continue;
		p->step[p->steps].layer = layer;
		p->step[p->steps].source = source[i];
		p->step[p->steps++].successor = successor[i];
	}
	assert_int_equal(t->jump[layer] ? track_history_jump(t->h, t->count[layer], from, &e) :
					  track_history_add(t->h, t->count[layer], source,
							    successor, rating, &e),
			 0);
}

static struct tree *make_tree(uint64_t seed, uint32_t layers, uint32_t jumps, uint32_t kept)
{
	struct tree *t = calloc(1, sizeof(*t));
	struct err e = { 0 };

	random_state = seed;
	t->count[0] = 1 + below(5);
	t->kept[0] = true;
	for (uint32_t i = 0; i < t->count[0]; i++)
		t->state[0][i].input = i;
	assert_int_equal(track_history_create(&t->h, t->count[0], seed % 2, 0, &e), 0);
	for (uint32_t l = 1; l <= layers; l++) {
		grow(t, l, jumps);
		t->kept[l] = below(10) < kept;
	}
	return t;
}

static void free_tree(struct tree *t)
{
	track_history_destroy(t->h);
	free(t);
}

static bool tree_keeps(const void *context, uint32_t layer)
{
	const struct tree *t = context;

	return t->kept[layer];
}

struct buffer {
	bool live[TARGETS]; /* holds a state that is still needed */
	struct path state[TARGETS];
};

static void load(const struct tree *t, const struct track_plan_load *l, struct buffer *b)
{
	assert_true(t->kept[l->layer]);
	for (uint32_t i = 0; i < l->count; i++) {
		assert_true(l->to_slot[i] < TARGETS);
		assert_false(b->live[l->to_slot[i]]);
		b->live[l->to_slot[i]] = true;
		b->state[l->to_slot[i]] = t->state[l->layer][l->from_slot[i]];
	}
}

static void play(const struct track_plan_round *r, struct buffer *b)
{
	for (uint32_t i = 0; i < r->count; i++) {
		struct path *p = &b->state[r->slot[i]];

		assert_true(b->live[r->slot[i]]);
		p->step[p->steps].layer = r->layer;
		p->step[p->steps].source = r->source[i];
		p->step[p->steps++].successor = r->successor[i];
	}
	for (uint32_t i = 0; i < r->copies; i++) {
		/* copies run concurrently: no slot may be both read and written */
		assert_true(b->live[r->copy_from[i]]);
		assert_false(b->live[r->copy_to[i]]);
		b->state[r->copy_to[i]] = b->state[r->copy_from[i]];
	}
	for (uint32_t i = 0; i < r->copies; i++) {
		assert_false(b->live[r->copy_to[i]]); /* nor written twice */
		b->live[r->copy_to[i]] = true;
	}
}

static void execute(const struct tree *t, const struct track_plan *p, struct buffer *b)
{
	uint64_t steps = 0;

	memset(b, 0, sizeof(*b));
	for (uint32_t i = 0; i < p->loads; i++) {
		assert_true(i == 0 || p->load[i - 1].layer < p->load[i].layer);
		load(t, &p->load[i], b);
	}
	for (uint32_t i = 0; i < p->rounds; i++) {
		assert_true(i == 0 || p->round[i - 1].layer < p->round[i].layer);
		if (p->round[i].count)
			assert_false(t->jump[p->round[i].layer]);
		assert_true(p->round[i].count + p->round[i].copies > 0);
		play(&p->round[i], b);
		steps += p->round[i].count;
	}
	assert_int_equal(p->steps, steps);
}

static bool same_path(const struct path *a, const struct path *b)
{
	return a->input == b->input && a->steps == b->steps &&
	       !memcmp(a->step, b->step, a->steps * sizeof(a->step[0]));
}

/* The minimum number of steps. Shared: the number of different ancestors of the targets above kept
 * layers. Else: the steps of all paths. */
static uint64_t needed_steps(const struct tree *t, const struct track_node *target, uint32_t count,
			     bool shared)
{
	static bool seen[LAYERS + 1][MOST];
	uint64_t steps = 0;

	memset(seen, 0, sizeof(seen));
	for (uint32_t i = 0; i < count; i++)
		for (struct track_node n = target[i]; !t->kept[n.layer];
		     n = track_history_parent(t->h, n)) {
			steps += !t->jump[n.layer] && !(shared && seen[n.layer][n.slot]);
			seen[n.layer][n.slot] = true;
		}
	return steps;
}

static void check(const struct tree *t, const struct track_node *target, uint32_t count)
{
	struct buffer *b = malloc(sizeof(*b));

	for (int shared = 0; shared <= 1; shared++) {
		struct track_plan p;
		struct err e = { 0 };

		assert_int_equal(
			track_plan_make(&p, t->h, target, count, shared, tree_keeps, t, &e), 0);
		assert_int_equal(p.targets, count);
		execute(t, &p, b);
		for (uint32_t i = 0; i < count; i++) {
			assert_true(b->live[i]);
			assert_true(same_path(&b->state[i],
					      &t->state[target[i].layer][target[i].slot]));
		}
		assert_int_equal(p.steps, needed_steps(t, target, count, shared));
		track_plan_free(&p);
		assert_null(p.block);
	}
	free(b);
}

static void random_trees(uint32_t jumps, uint32_t kept, uint64_t first_seed)
{
	for (uint64_t seed = first_seed; seed < first_seed + 150; seed++) {
		uint32_t layers = 1 + (uint32_t)(seed % LAYERS);
		struct tree *t = make_tree(seed, layers, jumps, kept);
		struct track_node target[TARGETS];
		uint32_t count = 1 + below(TARGETS), lowest = below(layers + 1);

		for (uint32_t i = 0; i < count; i++) {
			target[i].layer = lowest + below(layers + 1 - lowest);
			target[i].slot = below(t->count[target[i].layer]);
		}
		check(t, target, count);
		free_tree(t);
	}
}

static void plans_of_steps_rebuild_states(void **state)
{
	(void)state;
	random_trees(0, 0, 1);
	random_trees(0, 2, 1001);
}

static void plans_through_jumps_rebuild_states(void **state)
{
	(void)state;
	random_trees(3, 0, 2001);
	random_trees(3, 2, 3001);
	random_trees(9, 1, 4001);
	random_trees(3, 9, 5001);
}

/* Recovers all states of the last layer, as a search that continues does. */
static void plans_of_whole_layers_rebuild_states(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct tree *t = make_tree(seed, LAYERS, (uint32_t)(seed % 3), 0);
		struct track_node target[MOST];
		uint32_t layer = 1 + below(LAYERS);

		for (uint32_t i = 0; i < t->count[layer]; i++)
			target[i] = (struct track_node){ layer, i };
		check(t, target, t->count[layer]);
		free_tree(t);
	}
}

/* One node has children in layers 2, 4 (after a jump to layer 3) and 6. It must be copied before
 * its first child is made in its slot. */
static void targets_in_different_layers_share_steps(void **state)
{
	struct tree *t = calloc(1, sizeof(*t));
	struct track_node from[2] = { { 1, 0 }, { 1, 0 } };
	uint32_t zero[2] = { 0, 0 }, successor[2] = { 3, 4 };
	struct track_node target[] = { { 6, 1 }, { 2, 0 }, { 4, 0 }, { 4, 1 },
				       { 1, 0 }, { 6, 0 }, { 3, 1 }, { 1, 0 } };
	struct err e = { 0 };

	(void)state;
	t->kept[0] = true;
	t->jump[3] = t->jump[5] = true;
	assert_int_equal(track_history_create(&t->h, 1, false, 0, &e), 0);
	for (uint32_t l = 1; l <= 6; l++) {
		uint32_t count = l < 3 ? 1 : 2, source[2] = { 0, l < 3 ? 0 : 1 };

		t->count[l] = count;
		if (t->jump[l])
			assert_int_equal(track_history_jump(t->h, 2, from, &e), 0);
		else
			assert_int_equal(
				track_history_add(t->h, count, source, successor, zero, &e), 0);
		for (uint32_t i = 0; i < count; i++) {
			struct path *p = &t->state[l][i];

			*p = t->jump[l] ? t->state[1][0] : t->state[l - 1][source[i]];
			if (t->jump[l])
				continue;
			p->step[p->steps].layer = l;
			p->step[p->steps].source = source[i];
			p->step[p->steps++].successor = successor[i];
		}
	}
	check(t, target, sizeof(target) / sizeof(*target));
	for (uint32_t l = 1; l <= 6; l++) {
		t->kept[l] = true;
		check(t, target, sizeof(target) / sizeof(*target));
		t->kept[l] = false;
	}
	free_tree(t);
}

static void missing_targets_are_refused(void **state)
{
	struct tree *t = make_tree(1, 3, 0, 0);
	struct track_node high = { 4, 0 }, wide = { 2, t->count[2] };
	struct track_plan p;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(track_plan_make(&p, t->h, &high, 1, true, NULL, NULL, &e), ERR_FAILED);
	assert_non_null(strstr(e.text, "layer 4"));
	track_plan_free(&p);
	assert_int_equal(track_plan_make(&p, t->h, &wide, 1, false, NULL, NULL, &e), ERR_FAILED);
	assert_int_equal(track_plan_make(&p, t->h, NULL, 0, true, NULL, NULL, &e), 0);
	assert_int_equal(p.loads + p.rounds, 0);
	track_plan_free(&p);
	free_tree(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plans_of_steps_rebuild_states),
		cmocka_unit_test(plans_through_jumps_rebuild_states),
		cmocka_unit_test(plans_of_whole_layers_rebuild_states),
		cmocka_unit_test(targets_in_different_layers_share_steps),
		cmocka_unit_test(missing_targets_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
