/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Figure 4 of Köster et al., a small tree: the history holds the path 1 -> 2 -> 7 -> 9, and state 9
 * is recovered from state 1 by three entries of 8 bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/koester-recovery/tracking/track.h"

enum { NODES = 11, DEPTH = 4 };

struct tree {
	uint8_t children[NODES], child[NODES][3];
};

/* A state lists its node and all nodes on the path to it. */
struct walker {
	uint32_t node, way[DEPTH], length, choice;
};

static struct walker *walker_of(struct track_state s)
{
	return track_unit(s, 0);
}

static int tree_execute(const struct tree *d, struct track_state s, const struct track_step *at)
{
	struct walker *w = walker_of(s);

	(void)at;
	w->node = d->child[w->node][w->choice];
	w->way[w->length++] = w->node;
	return 0;
}

static void tree_assign(const struct tree *d, struct track_state s, const struct track_step *at)
{
	(void)d;
	walker_of(s)->choice = at->successor;
}

static uint32_t tree_rate(const struct tree *d, struct track_state s)
{
	(void)d;
	return 100 + walker_of(s)->node;
}

static uint32_t tree_expand(const struct tree *d, struct track_state s)
{
	return d->children[walker_of(s)->node];
}

static uint32_t tree_successor(const struct tree *d, struct track_state s, uint32_t k)
{
	(void)d;
	(void)s;
	return k;
}

#define TRACK_DOMAIN tree
#include "algorithms/koester-recovery/states/domain_host.h"

static const struct tree figure = {
	.children = { [1] = 3, [2] = 3, [3] = 1, [7] = 2 },
	.child = { [1] = { 2, 3, 4 }, [2] = { 5, 6, 7 }, [3] = { 8 }, [7] = { 9, 10 } },
};

static void check_entry(const struct track_history *h, struct track_node n, uint32_t source,
			uint32_t successor, uint32_t node)
{
	uint32_t got_source, got_successor, rating;

	track_history_get(h, n, &got_source, &got_successor, &rating);
	assert_int_equal(got_source, source);
	assert_int_equal(got_successor, successor);
	assert_int_equal(rating, 100 + node);
}

static void recovered_path(enum track_engine engine)
{
	struct track_domain domain = { .name = "tree",
				       .layout = { 1, sizeof(struct walker) },
				       .parameters = &figure,
				       .parameter_bytes = sizeof(figure),
				       .host = &tree_ops_host };
	struct track_options o = track_options_default();
	const struct walker one = { 1, { 1 }, 1, 0 };
	const struct walker nine = { 9, { 1, 2, 7, 9 }, 4, 0 };
	struct track_node state_9 = { 3, 0 }, path[4];
	struct track_place host, *place = &host;
	struct track_figures before, after;
	const struct track_history *h;
	struct walker got;
	struct tracker *t;
	struct err e;

	o.engine = engine;
	o.slots = o.beam = 8;
	o.look_ahead = 1;
	o.expansion = TRACK_IRREGULAR;
	o.archive.cache = false;
	assert_int_equal(track_place_open(&host, NULL, NULL, 0, &e), 0);
	assert_int_equal(track_create(&t, &domain, &o, &place, 1, &e), 0);
	assert_int_equal(track_begin(t, &one, 1, &e), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(track_iterate(t, &e), 0);
	h = track_history(t);
	assert_int_equal(track_history_count(h, 1), 3); /* 2, 3, 4 */
	assert_int_equal(track_history_count(h, 2), 4); /* 5, 6, 7, 8 */
	assert_int_equal(track_history_count(h, 3), 2); /* 9, 10 */
	check_entry(h, (struct track_node){ 1, 0 }, 0, 0, 2);
	check_entry(h, (struct track_node){ 2, 2 }, 0, 2, 7);
	check_entry(h, state_9, 2, 0, 9);
	assert_int_equal(sizeof(struct track_entry), 8);

	assert_int_equal(track_history_trace(h, state_9, 0, path, 4), 4);
	assert_true(path[0].layer == 0 && path[0].slot == 0);
	assert_true(path[1].layer == 1 && path[1].slot == 0);
	assert_true(path[2].layer == 2 && path[2].slot == 2);
	assert_true(path[3].layer == 3 && path[3].slot == 0);

	/* leave layer 3, so that state 9 is no longer stored */
	path[0] = (struct track_node){ 1, 2 };
	assert_int_equal(track_backtrack(t, path, 1, &e), 0);
	track_figures(t, &before);
	assert_int_equal(track_recover(t, &state_9, 1, &got, &e), 0);
	track_figures(t, &after);
	assert_memory_equal(&got, &nine, sizeof(nine));
	assert_int_equal(after.loaded - before.loaded, 1);
	assert_int_equal(after.replayed - before.replayed, 3);
	track_destroy(t);
	track_place_close(&host);
}

static void published_engine_finds_the_path_of_figure_4(void **state)
{
	(void)state;
	recovered_path(TRACK_PUBLISHED);
}

static void tuned_engine_finds_the_path_of_figure_4(void **state)
{
	(void)state;
	recovered_path(TRACK_TUNED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_engine_finds_the_path_of_figure_4),
		cmocka_unit_test(tuned_engine_finds_the_path_of_figure_4),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
