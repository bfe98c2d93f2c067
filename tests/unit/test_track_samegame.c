/* SameGame as a domain: boards as bits against the plain oracle, move by move; rollouts; the same
 * bytes and numbers on the host and on simulated devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../algorithms/koester-recovery/samegame_domain.h"
#include "../../algorithms/koester-recovery/track_pool.h"
#include "../../harness/rng.h"
#include "simulated_devices.h"

static const char *const boards[] = {
	"random:1x1:1:1",   "random:1x2:1:1",   "random:2x1:1:1",   "random:1x20:2:3",
	"random:20x1:2:4",  "random:4x4:2:5",   "random:5x7:3:6",   "random:9x8:6:7",
	"random:15x15:5:1", "random:15x15:3:8", "random:20x20:6:9", "random:20x20:2:10",
	"random:20x20:1:1", "random:16x12:4:2", "random:19x20:4:3",
};
enum { BOARDS = sizeof(boards) / sizeof(boards[0]) };

static struct samegame loaded(const char *name)
{
	struct samegame g;
	struct err e = { 0 };

	if (samegame_load(&g, name, &e))
		fail_msg("%s", e.text);
	return g;
}

/* The state holds this board, and is over with its end's points or not. */
static void check_board(const struct samegame_domain *d, struct samegame_state *s,
			const struct samegame *g, int64_t points)
{
	struct samegame_head h = *samegame_head_of(samegame_state_of(s));
	bool over;
	int64_t end = samegame_end_points(g, &over);

	for (int row = 0; row < g->rows; row++)
		for (int column = 0; column < g->columns; column++)
			assert_int_equal(samegame_colour(s->unit[column + 1],
							 (uint32_t)(g->rows - 1 - row)),
					 g->cell[row * g->columns + column]);
	assert_int_equal(h.column == SAMEGAME_OVER, over);
	assert_int_equal(h.score, over ? points + end : points);
	assert_int_equal(samegame_rules_rate(&d->rules, samegame_state_of(s)) % 2, over);
	if (over)
		assert_int_equal(
			samegame_rated_score(samegame_rules_rate(&d->rules, samegame_state_of(s))),
			points + end);
}

/* The groups listed are those of the oracle in its order; each by itself is found too. */
static uint32_t check_groups(const struct samegame_domain *d, struct samegame_state *s,
			     const struct samegame *g)
{
	struct samegame_head h = *samegame_head_of(samegame_state_of(s));
	uint32_t number[SAMEGAME_MAX_CELLS];
	int first[SAMEGAME_MAX_CELLS], groups = samegame_groups(g, first);
	struct samegame_copy copy;
	struct samegame_board b = samegame_copy_board(&d->rules, samegame_state_of(s), &copy);

	assert_int_equal(samegame_rules_expand(&d->rules, samegame_state_of(s)), groups);
	assert_int_equal(samegame_list(b, h.width, number, UINT32_MAX, NULL), groups);
	for (int k = 0; k < groups; k++) {
		assert_int_equal(samegame_cell(g, number[k] / 32, number[k] % 32), first[k]);
		assert_int_equal(
			samegame_rules_successor(&d->rules, samegame_state_of(s), (uint32_t)k),
			number[k]);
	}
	return groups ? number[(unsigned)rand() % (unsigned)groups] : 0;
}

/* A game by assigned successors. */
static void play_game(const char *name)
{
	struct samegame g = loaded(name);
	struct samegame_domain d;
	struct samegame_state s;
	int64_t points = 0;
	bool over;

	samegame_domain_init(&d, &g);
	s = samegame_input(&d, &g);
	check_board(&d, &s, &g, 0);
	while (samegame_end_points(&g, &over), !over) {
		struct track_step at = { .successor = check_groups(&d, &s, &g) };
		int64_t more, cell = samegame_cell(&g, at.successor / 32, at.successor % 32);
		struct err e = { 0 };

		samegame_rules_assign(&d.rules, samegame_state_of(&s), &at);
		assert_int_equal(samegame_rules_execute(&d.rules, samegame_state_of(&s), &at), 1);
		assert_int_equal(samegame_play(&g, &cell, 1, &more, &e), 0);
		points += more;
		check_board(&d, &s, &g, points);
	}
	assert_int_equal(samegame_rules_expand(&d.rules, samegame_state_of(&s)), 0);
}

static void games_go_as_by_the_oracle(void **state)
{
	(void)state;
	srand(1);
	for (int i = 0; i < BOARDS; i++)
		for (int round = 0; round < 10; round++)
			play_game(boards[i]);
}

/* Rollouts: moves at random, none of the colour of which there are most while others can be
 * played; a game that is over changes no more. */
static void rollouts_play_on_to_the_end(void **state)
{
	(void)state;
	for (int i = 0; i < BOARDS; i++)
		for (uint32_t seed = 0; seed < 10; seed++) {
			struct samegame g = loaded(boards[i]);
			struct samegame_domain d;
			struct samegame_state s, same;
			struct samegame_head *h = samegame_head_of(samegame_state_of(&s));
			struct track_step at = { .seed = seed, .successor = 31 };
			int64_t points = 0;
			bool over;

			samegame_domain_init(&d, &g);
			s = samegame_input(&d, &g);
			while (samegame_end_points(&g, &over), !over) {
				int64_t more, cell;
				struct err e = { 0 };

				samegame_rules_assign(&d.rules, samegame_state_of(&s), &at);
				cell = samegame_cell(&g, h->column, h->row);
				samegame_rules_execute(&d.rules, samegame_state_of(&s), &at);
				assert_int_equal(samegame_play(&g, &cell, 1, &more, &e), 0);
				points += more;
				check_board(&d, &s, &g, points);
				at.step++;
			}
			same = s;
			samegame_rules_assign(&d.rules, samegame_state_of(&s), &at);
			assert_int_equal(
				samegame_rules_execute(&d.rules, samegame_state_of(&s), &at), 1);
			assert_memory_equal(&s, &same, sizeof(s));
		}
}

static void the_most_frequent_colour_is_avoided(void **state)
{
	struct samegame g = loaded("random:15x15:5:3");
	struct samegame_domain d;
	uint32_t count[8] = { 0 }, most = 0;

	(void)state;
	samegame_domain_init(&d, &g);
	for (int i = 0; i < 225; i++)
		count[g.cell[i]]++;
	for (uint32_t colour = 1; colour <= 5; colour++)
		if (count[colour] > count[most])
			most = colour;
	for (uint32_t seed = 0; seed < 500; seed++) {
		struct samegame_state s = samegame_input(&d, &g);
		struct samegame_head *h = samegame_head_of(samegame_state_of(&s));
		struct track_step at = { .seed = seed, .successor = 31 };

		samegame_rules_assign(&d.rules, samegame_state_of(&s), &at);
		assert_int_not_equal(samegame_colour(s.unit[h->column + 1], h->row), most);
		count[0] += samegame_colour(s.unit[h->column + 1], h->row) == (most % 5) + 1;
	}
	assert_in_range(count[0], 50, 250);
}

/* ---- batches, on the host and on simulated devices ---- */

enum { STATES = 37, SLOTS = 50, STEPS = 9 };

struct place_memory {
	struct track_place *p;
	void *at[16];
	size_t bytes[16];
	int count;
};

static void *there(struct place_memory *m, const void *host, size_t bytes)
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

static void here(struct place_memory *m, void *host, const void *memory, size_t bytes)
{
	struct err e = { 0 };

	if (track_from(m->p, host, memory, bytes, &e) || track_sync(m->p, &e))
		fail_msg("%s", e.text);
}

/* All that the operations give for one board. */
struct results {
	unsigned char states[SLOTS * sizeof(struct samegame_state)];
	uint32_t number[STATES], first[STATES], total, first_ratings[STATES];
	uint32_t successor[STATES * 200], rating[STATES * 200], rating_no_first[STATES * 200];
};

static void ok(int status, const struct err *e)
{
	if (status)
		fail_msg("%s", e->text);
}

/* States that lie in scattered slots and were advanced by different seeds. */
static void run_operations(struct track_place *p, const struct samegame *g, struct results *r)
{
	struct place_memory m = { .p = p };
	struct samegame_domain d;
	struct samegame_state s;
	struct track_batch b = { 0 };
	struct track_children c = { .first_source = 11 };
	const struct track_ops *ops;
	uint32_t slot[STATES], source[STATES], seed[STATES];
	uint64_t *host, *copy;
	uint32_t *rating, *successor, *number;
	size_t bytes;
	struct err e = { 0 };

	samegame_domain_init(&d, g);
	s = samegame_input(&d, g);
	ops = p->device ? d.domain.sim : d.domain.host;
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
			      TRACK_ASSIGN_FIRST | TRACK_ASSIGN_LAST, 0, rating, &e), &e);
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

/* What the operations gave, against the functions on one state at a time. */
static void check_results(const struct samegame *g, const struct results *r)
{
	struct samegame_domain d;
	const uint64_t *states = (const uint64_t *)(const void *)r->states;
	uint32_t child = 0;

	samegame_domain_init(&d, g);
	for (uint32_t i = 0; i < STATES; i++) {
		struct samegame_state s = { { 0 } };

		for (uint32_t u = 0; u < d.domain.layout.units; u++)
			s.unit[u] = states[u * SLOTS + (i * 7 + 3) % SLOTS];
		assert_int_equal(r->number[i],
				 samegame_rules_expand(&d.rules, samegame_state_of(&s)));
		assert_int_equal(r->first_ratings[i],
				 samegame_rules_rate(&d.rules, samegame_state_of(&s)));
		for (uint32_t k = 0; k < r->number[i]; k++, child++) {
			struct samegame_state t = s;
			struct track_step at = { .seed = 77, .iteration = 4, .source = 11 + i };

			at.successor = r->successor[child];
			assert_int_equal(at.successor,
					 samegame_rules_successor(&d.rules, samegame_state_of(&s),
								  k));
			for (; at.step < 200; at.step++) {
				samegame_rules_assign(&d.rules, samegame_state_of(&t), &at);
				samegame_rules_execute(&d.rules, samegame_state_of(&t), &at);
			}
			assert_int_equal(r->rating[child],
					 samegame_rules_rate(&d.rules, samegame_state_of(&t)));
			t = s;
			at.successor = k;
			for (at.step = 0; at.step < 3; at.step++) {
				if (at.step)
					samegame_rules_assign(&d.rules, samegame_state_of(&t), &at);
				samegame_rules_execute(&d.rules, samegame_state_of(&t), &at);
			}
			assert_int_equal(r->rating_no_first[child],
					 samegame_rules_rate(&d.rules, samegame_state_of(&t)));
		}
	}
	assert_int_equal(child, r->total);
}

static void host_and_devices_give_the_same(void **state)
{
	static const char *const some[] = { "random:15x15:5:1", "random:20x20:6:9",
					    "random:1x2:1:1", "random:5x7:3:6" };
	struct dev_set set;
	struct track_pool *pool;
	struct track_place host, device;
	struct err e = { 0 };

	(void)state;
	open_devices(&set, 1, "random", 4);
	ok(track_pool_create(&pool, 2, &e), &e);
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
	track_pool_destroy(pool);
	dev_set_close(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(games_go_as_by_the_oracle),
		cmocka_unit_test(rollouts_play_on_to_the_end),
		cmocka_unit_test(the_most_frequent_colour_is_avoided),
		cmocka_unit_test(host_and_devices_give_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
