/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the history: entries are read back, limits are kept, and paths match those of a plain
 * array. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "algorithms/koester-recovery/recovery/history.h"

static struct track_history *make(uint32_t inputs, bool wide, uint64_t limit)
{
	struct track_history *h;
	struct err e = { 0 };

	if (track_history_create(&h, inputs, wide, limit, &e))
		fail_msg("%s", e.text);
	return h;
}

static void add_one(struct track_history *h, uint32_t source, uint32_t successor, uint32_t rating)
{
	struct err e = { 0 };

	if (track_history_add(h, 1, &source, &successor, &rating, &e))
		fail_msg("%s", e.text);
}

static struct track_node node(uint32_t layer, uint32_t slot)
{
	return (struct track_node){ layer, slot };
}

static void assert_node(struct track_node n, uint32_t layer, uint32_t slot)
{
	assert_int_equal(n.layer, layer);
	assert_int_equal(n.slot, slot);
}

static void assert_entry(const struct track_history *h, struct track_node n, uint32_t source,
			 uint32_t successor, uint32_t rating)
{
	uint32_t s, c, r;

	track_history_get(h, n, &s, &c, &r);
	assert_int_equal(s, source);
	assert_int_equal(c, successor);
	assert_int_equal(r, rating);
}

static void entries_have_8_and_12_bytes(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct track_entry), 8);
	assert_int_equal(sizeof(struct track_wide_entry), 12);
}

/* The last of 65,536 slots has the largest 16-bit number. No number wraps around. */
static void narrow_form_holds_65536_slots(void **state)
{
	enum { SLOTS = 65536 };
	uint32_t *source = calloc(SLOTS, 4), *successor = calloc(SLOTS, 4);
	uint32_t *rating = calloc(SLOTS, 4), one = 65536;
	struct track_history *h = make(SLOTS, false, 0);
	struct err e = { 0 };

	(void)state;
	for (uint32_t i = 0; i < SLOTS; i++) {
		source[i] = SLOTS - 1 - i;
		successor[i] = i;
		rating[i] = UINT32_MAX - i;
	}
	assert_int_equal(track_history_add(h, SLOTS, source, successor, rating, &e), 0);
	assert_int_equal(track_history_count(h, 1), SLOTS);
	for (uint32_t i = 0; i < SLOTS; i++)
		assert_entry(h, node(1, i), SLOTS - 1 - i, i, UINT32_MAX - i);
	assert_int_equal(track_history_add(h, 1, source, &one, rating, &e), ERR_FAILED);
	assert_non_null(strstr(e.text, "wide"));
	assert_int_equal(h->layers, 1);
	assert_int_equal(track_history_add(h, 1, &one, successor, rating, &e), ERR_FAILED);
	assert_non_null(strstr(e.text, "65536"));
	track_history_destroy(h);
	/* the source exists, but its number does not fit in 16 bits */
	h = make(SLOTS + 1, false, 0);
	assert_int_equal(track_history_add(h, 1, &one, successor, rating, &e), ERR_FAILED);
	assert_non_null(strstr(e.text, "wide"));
	struct track_node from = node(0, SLOTS);
	assert_int_equal(track_history_jump(h, 1, &from, &e), ERR_FAILED);
	assert_non_null(strstr(e.text, "wide"));
	track_history_destroy(h);
	free(source);
	free(successor);
	free(rating);
}

static void wide_form_holds_large_numbers(void **state)
{
	struct track_history *h = make(70000, true, 0);
	uint32_t none = UINT32_MAX, zero = 0;
	struct err e = { 0 };

	(void)state;
	add_one(h, 69999, UINT32_MAX - 1, UINT32_MAX);
	assert_entry(h, node(1, 0), 69999, UINT32_MAX - 1, UINT32_MAX);
	assert_int_equal(track_history_add(h, 1, &zero, &none, &zero, &e), ERR_FAILED);
	assert_int_equal(h->layers, 1);
	track_history_destroy(h);
}

static void missing_sources_are_refused(void **state)
{
	struct track_history *h = make(3, false, 0);
	uint32_t source = 3, zero = 0;
	struct track_node later = node(1, 0), missing = node(0, 3);
	struct err e = { 0 };

	(void)state;
	assert_int_equal(track_history_add(h, 1, &source, &zero, &zero, &e), ERR_FAILED);
	assert_non_null(strstr(e.text, "layer 0 has 3"));
	assert_int_equal(track_history_add(h, 0, NULL, NULL, NULL, &e), ERR_FAILED);
	assert_int_equal(track_history_jump(h, 1, &later, &e), ERR_FAILED);
	assert_int_equal(track_history_jump(h, 1, &missing, &e), ERR_FAILED);
	assert_int_equal(h->layers, 0);
	track_history_destroy(h);
}

static void memory_limit_is_kept(void **state)
{
	struct track_history *h = make(1, false, 0);
	uint64_t empty = h->bytes;
	uint32_t a[4] = { 0 };
	struct err e = { 0 };

	(void)state;
	track_history_destroy(h);
	assert_int_equal(track_history_create(&h, 1, false, empty - 1, &e), ERR_MEMORY);
	assert_null(h);
	h = make(1, false, empty + 40);
	assert_int_equal(track_history_add(h, 4, a, a, a, &e), 0);
	assert_int_equal(h->bytes, empty + 32);
	assert_int_equal(track_history_add(h, 2, a, a, a, &e), ERR_MEMORY);
	assert_non_null(strstr(e.text, "limit"));
	assert_int_equal(h->bytes, empty + 32);
	assert_int_equal(track_history_add(h, 1, a, a, a, &e), 0);
	assert_int_equal(h->bytes, h->limit);
	track_history_cut(h, 1);
	assert_int_equal(h->bytes, empty + 32);
	struct track_node from = node(1, 3);
	assert_int_equal(track_history_jump(h, 1, &from, &e), ERR_MEMORY); /* 8 and 4 bytes */
	track_history_cut(h, 0);
	assert_int_equal(h->bytes, empty);
	track_history_destroy(h);
}

/* The largest layer number is reserved. */
static void last_layer_number_is_never_used(void **state)
{
	struct track_history *h = make(1, false, 0);
	uint32_t zero = 0;
	struct err e = { 0 };

	(void)state;
	h->inputs = 1;
	h->layers = UINT32_MAX - 1;
	void *entries;
	assert_int_equal(track_history_reserve(h, 1, &entries, &e), ERR_FAILED);
	assert_null(entries);
	assert_non_null(strstr(e.text, "4294967294"));
	h->layers = 0;
	assert_int_equal(track_history_add(h, 1, &zero, &zero, &zero, &e), 0);
	track_history_destroy(h);
}

static void reserved_entries_are_read_back(void **state)
{
	struct track_history *h = make(2, false, 0);
	struct track_entry *entry;
	void *entries;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(track_history_reserve(h, 2, &entries, &e), 0);
	entry = entries;
	entry[0] = (struct track_entry){ 1, 7, 9 };
	entry[1] = (struct track_entry){ 0, 0, 0 };
	assert_entry(h, node(1, 0), 1, 7, 9);
	assert_entry(h, node(1, 1), 0, 0, 0);
	assert_entry(h, node(0, 1), 1, 0, 0);
	track_history_destroy(h);
}

/* Layers 1, 2, a jump from 2 and 0 to 3, then 4. */
static void paths_through_jumps_are_traced(void **state)
{
	struct track_history *h = make(2, false, 0);
	struct track_node from[2] = { { 0, 1 }, { 2, 0 } }, path[8];
	uint32_t source[2] = { 1, 0 }, successor[2] = { 5, 6 }, rating[2] = { 7, 8 };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(track_history_add(h, 2, source, successor, rating, &e), 0);
	assert_int_equal(track_history_add(h, 2, source, successor, rating, &e), 0);
	assert_int_equal(track_history_jump(h, 2, from, &e), 0);
	assert_entry(h, node(3, 1), 0, 0, 7);
	assert_int_equal(track_history_add(h, 2, source, successor, rating, &e), 0);

	assert_int_equal(track_history_trace(h, node(4, 0), 0, path, 8), 5);
	assert_node(path[0], 0, 0);
	assert_node(path[1], 1, 1);
	assert_node(path[2], 2, 0);
	assert_node(path[3], 3, 1);
	assert_node(path[4], 4, 0);
	assert_int_equal(track_history_trace(h, node(4, 1), 0, path, 8), 3);
	assert_node(path[0], 0, 1);
	assert_node(path[1], 3, 0);
	/* traced down to layer 1, the path begins in layer 3: the jump skips layers 1 and 2 */
	assert_int_equal(track_history_trace(h, node(4, 1), 1, path, 8), 2);
	assert_node(path[0], 3, 0);
	assert_int_equal(track_history_trace(h, node(4, 0), 2, path, 8), 3);
	assert_node(path[0], 2, 0);
	/* with less room, the last nodes; no nodes below the lowest layer */
	assert_int_equal(track_history_trace(h, node(4, 0), 0, path, 2), 5);
	assert_node(path[0], 3, 1);
	assert_node(path[1], 4, 0);
	assert_int_equal(track_history_trace(h, node(1, 0), 2, path, 8), 0);
	assert_int_equal(track_history_trace(h, node(4, 0), 0, NULL, 0), 5);
	track_history_destroy(h);
}

/* ---- memory of large layers ---- */

/* Layer `layer` has the same number in all its words. */
static void fill_layer(struct track_history *h, uint32_t count)
{
	void *entries;
	struct err e = { 0 };

	assert_int_equal(track_history_reserve(h, count, &entries, &e), 0);
	for (uint32_t i = 0; i < 3 * count; i++)
		((uint32_t *)entries)[i] = h->layers;
}

static void assert_layers(const struct track_history *h)
{
	for (uint32_t l = 1; l <= h->layers; l++)
		for (uint32_t i = 0; i < h->layer[l].count; i++)
			assert_entry(h, node(l, i), l, l, l);
}

/* Layers of 12 bytes to 2.4 MB, which need several blocks of memory. What is prepared may be
 * written, is never given out twice, and belongs to no layer yet. */
static void prepared_memory_is_that_of_later_layers(void **state)
{
	struct track_history *h = make(1, true, 0);
	static const uint32_t count[] = { 1, 50, 2450, 117600, 200000, 200000, 200000, 3000 };
	struct err e = { 0 };
	unsigned char *memory;
	size_t bytes;
	void *entries;

	(void)state;
	for (int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < sizeof(count) / sizeof(*count); i++) {
			fill_layer(h, count[i]);
			memory = track_history_prepare(h, count[i], &bytes);
			assert_true(!memory == !bytes);
			if (memory)
				memset(memory, 255, bytes);
			assert_null(track_history_prepare(h, count[i], &bytes));
		}
		assert_layers(h);
		if (round < 2)
			track_history_cut(h, 5);
	}
	track_history_cut(h, 0);
	memory = track_history_prepare(h, 1 << 20, &bytes);
	assert_non_null(memory);
	assert_true(bytes >= 12u << 20);
	assert_int_equal(track_history_reserve(h, 1 << 20, &entries, &e), 0);
	assert_ptr_equal(entries, memory);
	track_history_destroy(h);
}

static void nothing_is_prepared_above_the_limit(void **state)
{
	struct track_history *h = make(1, true, 10000);
	size_t bytes;

	(void)state;
	assert_null(track_history_prepare(h, 10000, &bytes));
	assert_int_equal(bytes, 0);
	assert_non_null(track_history_prepare(h, 10, &bytes));
	assert_true(bytes >= 10 * sizeof(struct track_wide_entry));
	assert_true(bytes <= h->limit - h->bytes);
	track_history_destroy(h);
}

/* ---- against a plain array ---- */

enum { LAYERS = 150, MOST = 9 };
struct plain {
	struct track_node parent;
	uint32_t successor, rating;
};
struct reference {
	uint32_t layers, count[LAYERS + 1];
	struct plain node[LAYERS + 1][MOST];
};

static uint32_t below(uint64_t *state, uint32_t n)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*state >> 33) % n);
}

static void random_layer(struct track_history *h, struct reference *r, uint64_t *random)
{
	uint32_t layer = ++r->layers, count = 1 + below(random, MOST);
	bool jump = below(random, 3) == 0;
	uint32_t source[MOST], successor[MOST], rating[MOST];
	struct track_node from[MOST];
	struct err e = { 0 };

	r->count[layer] = count;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t l = jump ? below(random, layer) : layer - 1;

		source[i] = below(random, r->count[l]);
		from[i] = node(l, source[i]);
		successor[i] = jump ? 0 : below(random, 65536);
		rating[i] = jump ? r->node[l][source[i]].rating : below(random, UINT32_MAX);
		r->node[layer][i] = (struct plain){ from[i], successor[i], rating[i] };
	}
	assert_int_equal(jump ? track_history_jump(h, count, from, &e) :
				track_history_add(h, count, source, successor, rating, &e),
			 0);
}

static void compare(const struct track_history *h, const struct reference *r)
{
	struct track_node path[LAYERS + 1], *all;
	struct err e = { 0 };

	assert_int_equal(h->layers, r->layers);
	for (uint32_t l = 0; l <= r->layers; l++) {
		assert_int_equal(track_history_count(h, l), r->count[l]);
		assert_int_equal(track_history_nodes(h, l, &all, &e), 0);
		for (uint32_t i = 0; l > 0 && i < r->count[l]; i++) {
			const struct plain *p = &r->node[l][i];
			struct track_node n = node(l, i);
			uint32_t length = track_history_trace(h, n, 0, path, LAYERS + 1);

			assert_entry(h, n, p->parent.slot, p->successor, p->rating);
			assert_node(all[i], l, i);
			while (length-- > 0) {
				assert_node(path[length], n.layer, n.slot);
				if (length > 0)
					n = r->node[n.layer][n.slot].parent;
			}
			assert_int_equal(n.layer, 0);
		}
		free(all);
	}
}

static void random_histories_match_a_plain_array(void **state)
{
	struct reference *r = calloc(1, sizeof(*r));

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		uint64_t random = seed;
		struct track_history *h = make(MOST, seed % 2, 0);

		memset(r, 0, sizeof(*r));
		r->count[0] = MOST;
		while (r->layers < LAYERS) {
			random_layer(h, r, &random);
			if (below(&random, 40) == 0) {
				r->layers = below(&random, r->layers + 1);
				track_history_cut(h, r->layers);
			}
		}
		compare(h, r);
		track_history_destroy(h);
	}
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_have_8_and_12_bytes),
		cmocka_unit_test(narrow_form_holds_65536_slots),
		cmocka_unit_test(wide_form_holds_large_numbers),
		cmocka_unit_test(missing_sources_are_refused),
		cmocka_unit_test(memory_limit_is_kept),
		cmocka_unit_test(prepared_memory_is_that_of_later_layers),
		cmocka_unit_test(nothing_is_prepared_above_the_limit),
		cmocka_unit_test(last_layer_number_is_never_used),
		cmocka_unit_test(reserved_entries_are_read_back),
		cmocka_unit_test(paths_through_jumps_are_traced),
		cmocka_unit_test(random_histories_match_a_plain_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
