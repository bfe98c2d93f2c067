/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the SameGame domain: bit boards match the plain oracle move by move, rollouts play to
 * the end, and the host and simulated devices give the same bytes and numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/koester-recovery/problems/search.h"
#include "harness/base/team.h"
#include "tests/unit/base/sanitized.h"
#include "tests/unit/datasets/samegame_operations.h"
#include "tests/unit/device/simulated_devices.h"

static const char *const boards[] = {
	"random:1x1:1:1",   "random:1x2:1:1",   "random:2x1:1:1",   "random:1x20:2:3",
	"random:20x1:2:4",  "random:4x4:2:5",   "random:5x7:3:6",   "random:9x8:6:7",
	"random:15x15:5:1", "random:15x15:3:8", "random:20x20:6:9", "random:20x20:2:10",
	"random:20x20:1:1", "random:16x12:4:2", "random:19x20:4:3",
};
enum { BOARDS = sizeof(boards) / sizeof(boards[0]), REPEATS = UNDER_TSAN ? 3 : 10 };

/* Checks the board of a state, whether its game is over, and its score. */
static void check_board(const struct track_samegame_domain *d, struct track_samegame_state *s,
			const struct samegame *g, int64_t points)
{
	struct track_samegame_head h = *track_samegame_head_of(track_samegame_state_of(s));
	bool over;
	int64_t end = samegame_end_points(g, &over);

	for (int row = 0; row < g->rows; row++)
		for (int column = 0; column < g->columns; column++)
			assert_int_equal(track_samegame_colour(s->unit[column + 1],
							       (uint32_t)(g->rows - 1 - row)),
					 g->cell[row * g->columns + column]);
	assert_int_equal(h.column == TRACK_SAMEGAME_OVER, over);
	assert_int_equal(h.score, over ? points + end : points);
	assert_int_equal(track_samegame_rules_rate(&d->rules, track_samegame_state_of(s)) % 2,
			 over);
	if (over)
		assert_int_equal(track_samegame_rated_score(track_samegame_rules_rate(
					 &d->rules, track_samegame_state_of(s))),
				 points + end);
}

/* The number of a cell; `row` counts from the ground. */
static int64_t cell_of(const struct samegame *g, uint32_t column, uint32_t row)
{
	return (g->rows - 1 - (int64_t)row) * g->columns + column;
}

/* Compares the list of groups with the oracle's, and also finds each group separately. */
static uint32_t check_groups(const struct track_samegame_domain *d, struct track_samegame_state *s,
			     const struct samegame *g)
{
	struct track_samegame_head h = *track_samegame_head_of(track_samegame_state_of(s));
	uint32_t number[SAMEGAME_MAX_CELLS];
	int first[SAMEGAME_MAX_CELLS], groups = samegame_groups(g, first);
	struct track_samegame_copy copy;
	struct track_samegame_board b =
		track_samegame_copy_board(&d->rules, track_samegame_state_of(s), &copy);

	assert_int_equal(track_samegame_rules_expand(&d->rules, track_samegame_state_of(s)),
			 groups);
	assert_int_equal(track_samegame_list(b, h.width, number, UINT32_MAX, NULL), groups);
	for (int k = 0; k < groups; k++) {
		assert_int_equal(cell_of(g, number[k] / 32, number[k] % 32), first[k]);
		assert_int_equal(track_samegame_rules_successor(
					 &d->rules, track_samegame_state_of(s), (uint32_t)k),
				 number[k]);
	}
	return groups ? number[(unsigned)rand() % (unsigned)groups] : 0;
}

/* Plays a game by assigned successors. */
static void play_game(const char *name)
{
	struct samegame g = loaded(name);
	struct track_samegame_domain d;
	struct track_samegame_state s;
	int64_t points = 0;
	bool over;

	track_samegame_domain_init(&d, &g);
	s = d.input;
	check_board(&d, &s, &g, 0);
	while (samegame_end_points(&g, &over), !over) {
		struct track_step at = { .successor = check_groups(&d, &s, &g) };
		int64_t more, cell = cell_of(&g, at.successor / 32, at.successor % 32);
		struct err e = { 0 };

		track_samegame_rules_assign(&d.rules, track_samegame_state_of(&s), &at);
		assert_int_equal(
			track_samegame_rules_execute(&d.rules, track_samegame_state_of(&s), &at),
			1);
		assert_int_equal(samegame_play(&g, &cell, 1, &more, &e), 0);
		points += more;
		check_board(&d, &s, &g, points);
	}
	assert_int_equal(track_samegame_rules_expand(&d.rules, track_samegame_state_of(&s)), 0);
}

static void games_match_the_oracle(void **state)
{
	(void)state;
	srand(1);
	for (int i = 0; i < BOARDS; i++)
		for (int round = 0; round < REPEATS; round++)
			play_game(boards[i]);
}

/* Rollouts play random moves. They avoid the most frequent colour while other groups exist. A game
 * that is over does not change. */
static void rollouts_play_to_the_end(void **state)
{
	(void)state;
	for (int i = 0; i < BOARDS; i++)
		for (uint32_t seed = 0; seed < REPEATS; seed++) {
			struct samegame g = loaded(boards[i]);
			struct track_samegame_domain d;
			struct track_samegame_state s, same;
			struct track_samegame_head *h =
				track_samegame_head_of(track_samegame_state_of(&s));
			struct track_step at = { .seed = seed, .successor = 31 };
			int64_t points = 0;
			bool over;

			track_samegame_domain_init(&d, &g);
			s = d.input;
			while (samegame_end_points(&g, &over), !over) {
				int64_t more, cell;
				struct err e = { 0 };

				track_samegame_rules_assign(&d.rules, track_samegame_state_of(&s),
							    &at);
				cell = cell_of(&g, h->column, h->row);
				track_samegame_rules_execute(&d.rules, track_samegame_state_of(&s),
							     &at);
				assert_int_equal(samegame_play(&g, &cell, 1, &more, &e), 0);
				points += more;
				check_board(&d, &s, &g, points);
				at.step++;
			}
			same = s;
			track_samegame_rules_assign(&d.rules, track_samegame_state_of(&s), &at);
			assert_int_equal(track_samegame_rules_execute(
						 &d.rules, track_samegame_state_of(&s), &at),
					 1);
			assert_memory_equal(&s, &same, sizeof(s));
		}
}

static void rollouts_avoid_the_most_frequent_colour(void **state)
{
	struct samegame g = loaded("random:15x15:5:3");
	struct track_samegame_domain d;
	uint32_t count[8] = { 0 }, most = 0;

	(void)state;
	track_samegame_domain_init(&d, &g);
	for (int i = 0; i < 225; i++)
		count[g.cell[i]]++;
	for (uint32_t colour = 1; colour <= 5; colour++)
		if (count[colour] > count[most])
			most = colour;
	for (uint32_t seed = 0; seed < 500; seed++) {
		struct track_samegame_state s = d.input;
		struct track_samegame_head *h = track_samegame_head_of(track_samegame_state_of(&s));
		struct track_step at = { .seed = seed, .successor = 31 };

		track_samegame_rules_assign(&d.rules, track_samegame_state_of(&s), &at);
		assert_int_not_equal(track_samegame_colour(s.unit[h->column + 1], h->row), most);
		count[0] += track_samegame_colour(s.unit[h->column + 1], h->row) == (most % 5) + 1;
	}
	assert_in_range(count[0], 50, 250);
}

/* ---- batches, on the host and on simulated devices ---- */

static void host_and_devices_agree(void **state)
{
	static const char *const some[] = { "random:15x15:5:1", "random:20x20:6:9",
					    "random:1x2:1:1", "random:5x7:3:6" };
	struct dev_set set;
	struct team *pool;
	struct track_place host, device;
	struct err e = { 0 };

	(void)state;
	open_devices(&set, 1, "random", 4);
	ok(team_create(&pool, 2, &e), &e);
	ok(track_place_open(&host, NULL, pool, 0, &e), &e);
	ok(track_place_open(&device, set.dev[0], pool, 0, &e), &e);
	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		struct samegame g = loaded(some[i]);
		struct results *r = calloc(2, sizeof(*r));

		assert_non_null(r);
		run_operations(&host, &g, &r[0]);
		check_results(&g, &r[0]);
		run_operations(&device, &g, &r[1]);
		assert_memory_equal(&r[0], &r[1], sizeof(r[0]));
		free(r);
	}
	track_place_close(&device);
	track_place_close(&host);
	team_destroy(pool);
	dev_set_close(&set);
}

/* ---- searches ---- */

static struct track_request request_of(struct track_place *const *places, int count)
{
	return (struct track_request){ .engine = TRACK_TUNED,
				       .places = places,
				       .place_count = count,
				       .beam = 12,
				       .fill_rate = 0.5,
				       .seed = 3,
				       .archive = track_options_default().archive };
}

/* Runs a search; its moves must give the reported score. */
static struct track_outcome searched(const struct samegame *g, const struct track_request *r)
{
	struct track_outcome o;
	struct err e = { 0 };
	int64_t score;

	ok(track_samegame_search(g, r, &o, &e), &e);
	assert_true(o.found);
	assert_false(o.stopped);
	ok(samegame_score(g, o.solution, o.length, &score, &e), &e);
	assert_int_equal(score, o.objective);
	return o;
}

static void same_outcome(const struct track_outcome *a, const struct track_outcome *b)
{
	assert_int_equal(a->objective, b->objective);
	assert_int_equal(a->length, b->length);
	assert_memory_equal(a->solution, b->solution, a->length * sizeof(*a->solution));
	assert_int_equal(a->layers, b->layers);
	assert_int_equal(a->figures.children, b->figures.children);
	assert_int_equal(a->recovered, b->recovered);
}

/* Every engine, place and way of recovery finds the same game. */
static void searches_agree_on_all_places_and_engines(void **state)
{
	static const enum track_recovery ways[] = {
		TRACK_RECOVERY_REPLAY, TRACK_RECOVERY_GPU,        TRACK_RECOVERY_HOST,
		TRACK_RECOVERY_PINNED, TRACK_RECOVERY_CHECKPOINT, TRACK_RECOVERY_ADAPTIVE
	};
	struct samegame g = loaded("random:6x7:3:5");
	struct track_place host, device[2], *here_only[] = { &host };
	struct track_place *there_both[] = { &device[0], &device[1] };
	struct team *pool;
	struct track_request r = request_of(here_only, 1);
	struct track_outcome first, o;
	struct dev_set set;
	struct err e = { 0 };

	(void)state;
	open_devices(&set, 2, "random", 9);
	ok(team_create(&pool, 2, &e), &e);
	ok(track_place_open(&host, NULL, pool, 0, &e), &e);
	for (int k = 0; k < 2; k++)
		ok(track_place_open(&device[k], set.dev[k], pool, 0, &e), &e);
	r.rounds = 2;
	first = searched(&g, &r);
	assert_int_equal(first.recovered, 2);
	for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++) {
		r.archive.recovery = ways[w];
		o = searched(&g, &r);
		same_outcome(&first, &o);
		free(o.solution);
	}
	r.archive.recovery = TRACK_RECOVERY_REPLAY;
	r.engine = TRACK_PUBLISHED;
	o = searched(&g, &r);
	same_outcome(&first, &o);
	free(o.solution);
	r.engine = TRACK_TUNED;
	for (int places = 1; places <= 2; places++) {
		r.places = there_both;
		r.place_count = places;
		o = searched(&g, &r);
		same_outcome(&first, &o);
		free(o.solution);
	}
	free(first.solution);
	for (int k = 0; k < 2; k++)
		track_place_close(&device[k]);
	track_place_close(&host);
	team_destroy(pool);
	dev_set_close(&set);
}

static void host_search(const char *name, struct track_request r, struct track_outcome *o)
{
	struct samegame g = loaded(name);
	struct track_place host, *places[] = { &host };
	struct err e = { 0 };

	ok(track_place_open(&host, NULL, NULL, r.memory, &e), &e);
	r.places = places;
	r.place_count = 1;
	*o = searched(&g, &r);
	track_place_close(&host);
}

/* On average, wider beams and more rounds find better games. */
static void wider_searches_score_more(void **state)
{
	int64_t sum[3] = { 0 };

	(void)state;
	for (int seed = 1; seed <= 6; seed++)
		for (int how = 0; how < 3; how++) {
			struct track_request r = request_of(NULL, 0);
			struct track_outcome o;
			char name[64];

			snprintf(name, sizeof(name), "random:10x10:4:%d", seed);
			r.beam = how == 2 ? 24 : 1;
			r.rounds = how == 1 ? 6 : 0;
			host_search(name, r, &o);
			sum[how] += o.objective;
			free(o.solution);
		}
	assert_true(sum[0] < sum[1]);
	assert_true(sum[0] < sum[2]);
}

static void boards_without_moves_are_searched(void **state)
{
	static const struct {
		const char *name;
		int64_t score;
		size_t moves;
	} known[] = { { "random:1x1:1:1", -1, 0 },
		      { "random:1x2:1:1", 1000, 1 },
		      { "random:20x20:1:1", 398 * 398 + 1000, 1 } };

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct track_outcome o;

		host_search(known[i].name, request_of(NULL, 0), &o);
		assert_int_equal(o.objective, known[i].score);
		assert_int_equal(o.length, known[i].moves);
		free(o.solution);
	}
}

/* A memory size gives the widest beam that fits, and the limit is kept. The beam is narrower if
 * layers are stored. */
static void beam_fits_in_memory(void **state)
{
	static const uint64_t memories[] = { 50000, 200000, 1000000 };
	struct track_request any = request_of(NULL, 0);
	struct track_outcome o;
	uint32_t last = 0;

	(void)state;
	any.beam = 0;
	host_search("random:4x4:2:2", any, &o);
	assert_int_equal(o.beam, 1024);
	free(o.solution);
	for (size_t i = 0; i < sizeof(memories) / sizeof(memories[0]); i++) {
		struct track_request r = request_of(NULL, 0);
		struct track_outcome replayed, kept;

		r.beam = 0;
		r.memory = memories[i];
		host_search("random:9x9:4:2", r, &replayed);
		r.archive.recovery = TRACK_RECOVERY_GPU;
		host_search("random:9x9:4:2", r, &kept);
		assert_true(replayed.beam > last);
		assert_true(kept.beam < replayed.beam);
		assert_true(replayed.memory_peak <= memories[i]);
		assert_true(kept.memory_peak <= memories[i]);
		last = replayed.beam;
		free(replayed.solution);
		free(kept.solution);
	}
}

static void too_little_memory_is_an_error(void **state)
{
	struct samegame g = loaded("random:9x9:4:2");
	struct track_place host, *places[] = { &host };
	struct track_request r = request_of(places, 1);
	struct track_outcome o;
	struct err e = { 0 };

	(void)state;
	ok(track_place_open(&host, NULL, NULL, 0, &e), &e);
	r.beam = 0;
	r.memory = 1000;
	assert_int_equal(track_samegame_search(&g, &r, &o, &e), ERR_MEMORY);
	assert_non_null(strstr(e.text, "1000 are allowed"));
	track_place_close(&host);
	ok(track_place_open(&host, NULL, NULL, 1000, &e), &e);
	r.beam = 100;
	r.memory = 0;
	assert_int_equal(track_samegame_search(&g, &r, &o, &e), ERR_MEMORY);
	track_place_close(&host);
}

/* A search that is stopped by the time limit or the flag returns the best game found. */
static void limits_stop_a_search(void **state)
{
	struct samegame g = loaded("random:15x15:5:2");
	struct track_place host, *places[] = { &host };
	struct track_request r = request_of(places, 1);
	volatile sig_atomic_t stop = 1;
	struct track_outcome o;
	struct err e = { 0 };
	int64_t score;

	(void)state;
	ok(track_place_open(&host, NULL, NULL, 0, &e), &e);
	r.stop = &stop;
	assert_int_equal(track_samegame_search(&g, &r, &o, &e), ERR_LIMIT);
	assert_true(o.stopped);
	assert_false(o.found);
	r.stop = NULL;
	r.beam = 20;
	r.rounds = 100000;
	/* a loaded machine may need longer for the first game */
	for (r.time_limit = 0.05; !o.found && r.time_limit < 60; r.time_limit *= 4) {
		assert_int_equal(track_samegame_search(&g, &r, &o, &e), ERR_LIMIT);
		assert_true(o.stopped);
	}
	assert_true(o.found);
	ok(samegame_score(&g, o.solution, o.length, &score, &e), &e);
	assert_int_equal(score, o.objective);
	free(o.solution);
	track_place_close(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(games_match_the_oracle),
		cmocka_unit_test(rollouts_play_to_the_end),
		cmocka_unit_test(rollouts_avoid_the_most_frequent_colour),
		cmocka_unit_test(host_and_devices_agree),
		cmocka_unit_test(searches_agree_on_all_places_and_engines),
		cmocka_unit_test(wider_searches_score_more),
		cmocka_unit_test(boards_without_moves_are_searched),
		cmocka_unit_test(beam_fits_in_memory),
		cmocka_unit_test(too_little_memory_is_an_error),
		cmocka_unit_test(limits_stop_a_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
