/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Compares gather, scan, select and children on the host with plain loops. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "algorithms/koester-recovery/states/place.h"
#include "harness/base/team.h"

static uint64_t random_state;

static uint32_t below(uint32_t n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((random_state >> 33) % n);
}

static void *array(size_t bytes)
{
	void *a = malloc(bytes ? bytes : 1);

	assert_non_null(a);
	return a;
}

static struct team *make_pool(int threads)
{
	struct team *p;
	struct err e = { 0 };

	if (team_create(&p, threads, &e))
		fail_msg("%s", e.text);
	return p;
}

/* ---- gather ---- */

struct gather_case {
	struct track_layout layout;
	int sources;
	uint32_t count, repeat;
	bool to_slots, from_slots;
};

static uint32_t *shuffled(uint32_t n)
{
	uint32_t *a = array(n * sizeof(*a));

	for (uint32_t i = 0; i < n; i++)
		a[i] = i;
	for (uint32_t i = n; i > 1; i--) {
		uint32_t k = below(i), t = a[k];

		a[k] = a[i - 1];
		a[i - 1] = t;
	}
	return a;
}

static unsigned char random_byte(void)
{
	return (unsigned char)below(256);
}

/* Returns the position of byte b of a unit by the formula in state.h. */
static size_t offset(struct track_layout l, uint32_t slots, uint32_t unit, uint32_t slot,
		     uint32_t b)
{
	return ((size_t)unit * slots + slot) * l.unit_bytes + b;
}

static void gather_case(struct track_place *place, struct gather_case c)
{
	enum { SLOTS = 300, TO = 800 };
	struct track_gather g = { .layout = c.layout,
				  .to_slots = TO,
				  .count = c.count,
				  .sources = c.sources,
				  .from_repeat = c.repeat };
	size_t to_bytes = track_state_bytes(c.layout) * TO;
	unsigned char *from[TRACK_SOURCES], *to = array(to_bytes), *want = array(to_bytes);
	uint32_t *to_slot = c.to_slots ? shuffled(TO) : NULL, total = 0, *from_slot = NULL;
	struct err e = { 0 };

	for (int k = 0; k < c.sources; k++) {
		uint32_t slots = SLOTS + below(50);
		size_t bytes = track_state_bytes(c.layout) * slots;

		from[k] = array(bytes);
		for (size_t i = 0; i < bytes; i++)
			from[k][i] = random_byte();
		g.from[k] = from[k];
		g.from_slots[k] = slots;
		g.first[k] = total;
		total += slots - below(20);
	}
	if (c.from_slots) {
		from_slot = array(c.count * sizeof(*from_slot));
		for (uint32_t i = 0; i < c.count; i++)
			from_slot[i] = below(total);
	}
	memset(to, 0xAA, to_bytes);
	memset(want, 0xAA, to_bytes);
	g.to = to;
	g.to_slot = to_slot;
	g.from_slot = from_slot;
	for (uint32_t i = 0; i < c.count; i++) {
		uint32_t j = c.repeat > 1 ? i / c.repeat : i, slot = from_slot ? from_slot[j] : j;
		int k = 0;

		while (k + 1 < c.sources && g.first[k + 1] <= slot)
			k++;
		for (uint32_t u = 0; u < c.layout.units; u++)
			for (uint32_t b = 0; b < c.layout.unit_bytes; b++)
				want[offset(c.layout, TO, u, to_slot ? to_slot[i] : i, b)] =
					from[k][offset(c.layout, g.from_slots[k], u,
						       slot - g.first[k], b)];
	}
	assert_int_equal(track_common_host.gather(place, &g, &e), 0);
	assert_memory_equal(to, want, to_bytes);
	for (int k = 0; k < c.sources; k++)
		free(from[k]);
	free(to);
	free(want);
	free(to_slot);
	free(from_slot);
}

static void gather_matches_plain_copies(void **state)
{
	static const struct track_layout layouts[] = { { 1, 4 },  { 7, 4 },   { 1, 1 },
						       { 3, 12 }, { 1, 160 }, { 2, 6 } };
	struct team *pool = make_pool(3);
	struct track_place place = { .pool = pool };

	(void)state;
	for (size_t l = 0; l < sizeof(layouts) / sizeof(*layouts); l++)
		for (int v = 0; v < 16; v++)
			gather_case(&place, (struct gather_case){ layouts[l], v & 1 ? 1 : 4,
								  v == 5 ? 0 : 250 + below(30),
								  v & 2 ? 1 : 7, v & 4, v & 8 });
	team_destroy(pool);
}

/* ---- scan, select, children ---- */

static void scan_case(struct track_place *p, uint32_t count, uint32_t most)
{
	uint32_t *number = array(count * 4), *first = array(count * 4);
	void *scratch = array(track_common_host.scan_scratch(p, count));
	uint64_t total = 1, sum = 0;
	struct err e = { 0 };

	for (uint32_t i = 0; i < count; i++)
		number[i] = most ? below(most) : UINT32_MAX;
	assert_int_equal(track_common_host.scan(p, number, first, &total, count, scratch, &e), 0);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(first[i], (uint32_t)sum);
		sum += number[i];
	}
	assert_int_equal(total, sum);
	/* in place */
	assert_int_equal(track_common_host.scan(p, number, number, &total, count, scratch, &e), 0);
	assert_memory_equal(number, first, count * 4);
	free(number);
	free(first);
	free(scratch);
}

struct rated {
	uint32_t rating, index;
};

static int by_rating(const void *a, const void *b)
{
	const struct rated *x = a, *y = b;

	if (x->rating != y->rating)
		return x->rating < y->rating ? -1 : 1;
	return x->index < y->index ? -1 : 1;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void select_case(struct track_place *p, uint32_t count, uint32_t keep, uint32_t most)
{
	uint32_t *rating = array(count * 4), *index = array(count * 4), *want = array(count * 4);
	struct rated *sorted = array(count * sizeof(*sorted));
	void *scratch = array(track_common_host.select_scratch(p, count));
	uint32_t kept = 77, should = 0;
	struct err e = { 0 };

	for (uint32_t i = 0; i < count; i++) {
		rating[i] = most ? UINT32_MAX - below(most) : below(65536) << 16 | below(65536);
		sorted[i] = (struct rated){ rating[i], i };
	}
	qsort(sorted, count, sizeof(*sorted), by_rating);
	while (should < keep && should < count && sorted[should].rating != TRACK_DROPPED) {
		want[should] = sorted[should].index;
		should++;
	}
	qsort(want, should, sizeof(*want), by_number);
	assert_int_equal(
		track_common_host.select(p, rating, count, keep, index, &kept, scratch, &e), 0);
	assert_int_equal(kept, should);
	assert_memory_equal(index, want, should * 4);
	free(rating);
	free(index);
	free(want);
	free(sorted);
	free(scratch);
}

/* `even`: all parents have equally many children. */
static void children_case(struct track_place *p, uint32_t parents, bool own, bool even)
{
	uint32_t *number = array(parents * 4), *first = array(parents * 4), total = 0, chosen = 0;

	for (uint32_t i = 0; i < parents; i++) {
		number[i] = even ? 3 : below(3) ? below(5) : 0;
		first[i] = total;
		total += number[i];
	}
	struct track_children c = { first, number, total, 1000, even ? 3 : 0 };
	uint32_t listed[] = { 7, 8, 9, 1, 2, 3, 40, 50, 60 };
	struct track_selected before = { 3, listed, listed + 3, listed + 6 };
	uint32_t *parent = array(total * 4), *rating = array(total * 4);
	uint32_t *successor = array(total * 4), *child = array(((size_t)total + 2) * 4);
	uint32_t *out = array(((size_t)total + 2) * 12);
	uint32_t kept;
	struct err e = { 0 };

	for (uint32_t i = 0; i < parents; i++)
		for (uint32_t k = 0; k < number[i]; k++)
			parent[first[i] + k] = i;
	child[chosen++] = 0;
	child[chosen++] = 2;
	for (uint32_t i = 0; i < total; i++) {
		rating[i] = below(1000);
		successor[i] = below(1000);
		if (below(2))
			child[chosen++] = i + before.count;
	}
	kept = own ? chosen : below(chosen + 1);
	assert_int_equal(track_common_host.children(p, &c, parents, own ? successor : NULL, rating,
						    &before, child, own ? NULL : &kept, chosen, out,
						    out + chosen, out + 2 * (size_t)chosen, &e),
			 0);
	for (uint32_t i = kept; i < chosen; i++)
		child[i] = 0;
	for (uint32_t i = 0; i < chosen; i++) {
		uint32_t k = child[i] - before.count;

		if (child[i] < before.count) {
			for (k = 0; k < 3; k++)
				assert_int_equal(out[k * chosen + i], listed[3 * k + child[i]]);
			continue;
		}

		assert_int_equal(out[i], 1000 + parent[k]);
		assert_int_equal(out[chosen + i], own ? successor[k] : k - first[parent[k]]);
		assert_int_equal(out[2 * chosen + i], rating[k]);
	}
	free(number);
	free(first);
	free(parent);
	free(rating);
	free(successor);
	free(child);
	free(out);
}

static void scan_select_and_children_match_plain_loops(void **state)
{
	static const uint32_t counts[] = { 1, 2, 1000, 16384, 16385, 100000 };

	(void)state;
	for (int threads = 1; threads <= 3; threads += 2) {
		struct team *pool = make_pool(threads);
		struct track_place p = { .pool = pool };

		for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
			uint32_t n = counts[i];

			scan_case(&p, n, 1000);
			scan_case(&p, n, 0);
			for (uint32_t most = 0; most <= 3000; most = most * 50 + 1) {
				select_case(&p, n, 1, most);
				select_case(&p, n, n / 3, most);
				select_case(&p, n, n, most);
				select_case(&p, n, UINT32_MAX, most);
			}
			children_case(&p, n, i % 2, i % 3 == 0);
		}
		scan_case(&p, 0, 1000);
		select_case(&p, 0, 10, 0);
		select_case(&p, 10, 0, 0);
		team_destroy(pool);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gather_matches_plain_copies),
		cmocka_unit_test(scan_select_and_children_match_plain_loops),
	};

	random_state = 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
