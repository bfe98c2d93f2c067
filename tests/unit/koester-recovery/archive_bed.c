/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/koester-recovery/archive_bed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

uint64_t bed_random_state = 1;

uint32_t bed_random(uint32_t n)
{
	bed_random_state = bed_random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((bed_random_state >> 33) % n);
}

/* ---- a place with a buffer, and an archive that is offered layers of known bytes ---- */

unsigned char bed_byte(uint32_t layer, uint32_t slot, uint32_t b)
{
	uint32_t x = (layer * 131071 + slot) * 8191 + b;

	x ^= x >> 15;
	x *= 0x2C1B3C6Du;
	return (unsigned char)(x >> 24);
}

size_t bed_offset(const struct bed *b, uint32_t slots, uint32_t slot, uint32_t byte)
{
	uint32_t unit = b->layout.unit_bytes;

	return ((size_t)(byte / unit) * slots + slot) * unit + byte % unit;
}

void bed_open(struct bed *b, struct dev *d, struct dev *peer, struct track_layout layout)
{
	struct err e = { 0 };

	memset(b, 0, sizeof(*b));
	b->layout = layout;
	assert_int_equal(team_create(&b->pool, 2, &e), 0);
	assert_int_equal(track_place_open(&b->place, d, b->pool, 0, &e), 0);
	assert_int_equal(track_place_open(&b->peer, peer, b->pool, 0, &e), 0);
	b->buffer_bytes = track_state_bytes(layout) * BED_SLOTS;
	b->host = malloc(b->buffer_bytes);
	assert_int_equal(track_alloc(&b->place, &b->buffer, b->buffer_bytes, &e), 0);
}

void bed_close(struct bed *b)
{
	track_archive_destroy(b->archive);
	track_free(&b->place, b->buffer, b->buffer_bytes);
	assert_int_equal(b->place.used, 0);
	assert_int_equal(b->peer.used, 0);
	track_place_close(&b->place);
	track_place_close(&b->peer);
	team_destroy(b->pool);
	free(b->host);
}

void bed_make(struct bed *b, struct track_archive_options o)
{
	struct err e = { 0 };

	track_archive_destroy(b->archive);
	b->o = o;
	if (track_archive_create(&b->archive, &o, &b->place, b->layout, &e))
		fail_msg("%s", e.text);
}

static size_t layer_bytes(const struct bed *b, uint32_t layer)
{
	return track_state_bytes(b->layout) * b->count[layer];
}

/* Checks that current and peak bytes are within the budgets, and that the figures count all kept
 * layers. */
static void check_budgets(const struct bed *b)
{
	struct track_archive_figures f;
	uint32_t all = 0, kept = 0;
	uint64_t bytes = 0;

	track_archive_figures(b->archive, &f);
	for (int t = 0; t < TRACK_TIERS; t++) {
		if (b->o.budget[t])
			assert_true(f.peak[t] <= b->o.budget[t]);
		assert_true(f.bytes[t] <= f.peak[t]);
		all += f.layers[t];
		bytes += f.bytes[t];
	}
	for (uint32_t l = 0; l <= BED_LAYERS; l++) {
		if (!track_archive_has(b->archive, l))
			continue;
		assert_true(bytes >= layer_bytes(b, l));
		bytes -= layer_bytes(b, l);
		kept++;
	}
	assert_int_equal(kept, all);
}

int bed_offer(struct bed *b, uint32_t layer, uint32_t count, struct err *e)
{
	uint32_t bytes = (uint32_t)track_state_bytes(b->layout);
	int status;

	memset(b->host, 0xEE, b->buffer_bytes);
	for (uint32_t s = 0; s < count; s++)
		for (uint32_t i = 0; i < bytes; i++)
			b->host[bed_offset(b, BED_SLOTS, s, i)] = bed_byte(layer, s, i);
	b->count[layer] = count;
	assert_int_equal(track_to(&b->place, b->buffer, b->host, b->buffer_bytes, e), 0);
	status = track_archive_offer(b->archive, layer, b->buffer, BED_SLOTS, count, e);
	/* the states are overwritten immediately afterwards */
	assert_int_equal(track_archive_settle(b->archive, e), 0);
	assert_int_equal(track_fill(&b->place, b->buffer, 0x11, b->buffer_bytes, e), 0);
	assert_int_equal(track_sync(&b->place, e), 0);
	check_budgets(b);
	return status;
}

/* Offers full layers, which must all be accepted. */
static void offer_layers(struct bed *b, uint32_t first, uint32_t last)
{
	struct err e = { 0 };

	for (uint32_t l = first; l <= last; l++)
		assert_int_equal(bed_offer(b, l, BED_SLOTS, &e), 0);
}

/* Makes a new archive and offers one input and full layers. */
static void begin(struct bed *b, struct track_archive_options o, uint32_t last)
{
	struct err e = { 0 };

	bed_make(b, o);
	assert_int_equal(bed_offer(b, 0, 1, &e), 0);
	offer_layers(b, 1, last);
}

void bed_offer_all(struct bed *b, uint32_t first, uint32_t end)
{
	for (uint32_t l = first; l <= end; l++) {
		struct err e = { 0 };

		if (bed_offer(b, l,
			      l == 0        ? 3 :
			      bed_random(3) ? BED_SLOTS :
					      1 + bed_random(BED_SLOTS),
			      &e))
			fail_msg("%s", e.text);
	}
}

/* Loads `count` states of a layer, consecutive ones (run) or random ones, and compares the whole
 * buffer. */
static void check_load(struct bed *b, uint32_t layer, uint32_t count, bool run)
{
	uint32_t slot[BED_SLOTS], to_slot[BED_SLOTS], to_first, from_first;
	uint32_t bytes = (uint32_t)track_state_bytes(b->layout);
	unsigned char *want = malloc(b->buffer_bytes);
	struct err e = { 0 };

	memset(want, 0x77, b->buffer_bytes);
	from_first = run ? bed_random(b->count[layer] - count + 1) : 0;
	to_first = bed_random(BED_SLOTS - count + 1);
	for (uint32_t i = 0; i < BED_SLOTS; i++)
		to_slot[i] = i;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t k = i + bed_random(BED_SLOTS - i), t = to_slot[i];

		to_slot[i] = to_slot[k];
		to_slot[k] = t;
	}
	for (uint32_t i = 0; i < count; i++) {
		slot[i] = run ? from_first + i : bed_random(b->count[layer]);
		if (run)
			to_slot[i] = to_first + i;
		for (uint32_t k = 0; k < bytes; k++)
			want[bed_offset(b, BED_SLOTS, to_slot[i], k)] = bed_byte(layer, slot[i], k);
	}
	assert_int_equal(track_fill(&b->place, b->buffer, 0x77, b->buffer_bytes, &e), 0);
	if (track_archive_load(b->archive, layer, slot, count, b->buffer, BED_SLOTS, to_slot, &e))
		fail_msg("%s", e.text);
	memset(slot, 0xFF, sizeof(slot)); /* the caller may reuse the array */
	memset(to_slot, 0xFF, sizeof(to_slot));
	assert_int_equal(track_from(&b->place, b->host, b->buffer, b->buffer_bytes, &e), 0);
	assert_int_equal(track_sync(&b->place, &e), 0);
	assert_memory_equal(b->host, want, b->buffer_bytes);
	free(want);
}

static void check_loads(struct bed *b, uint32_t layers)
{
	for (uint32_t l = 0; l <= layers; l++) {
		if (!track_archive_has(b->archive, l))
			continue;
		check_load(b, l, b->count[l], true);
		check_load(b, l, 1 + bed_random(b->count[l]), true);
		check_load(b, l, 1 + bed_random(BED_SLOTS), false);
	}
}

static uint32_t layers_in(const struct bed *b, enum track_tier t)
{
	struct track_archive_figures f;

	track_archive_figures(b->archive, &f);
	return f.layers[t];
}

struct track_archive_options bed_options(enum track_recovery r)
{
	return (struct track_archive_options){ .recovery = r, .distance = 4, .adapt = 2 };
}

/* ---- rules of one tier ---- */

static void one_tier(struct bed *b, enum track_recovery r, enum track_tier t)
{
	struct track_archive_options o = bed_options(r);

	o.peer = t == TRACK_TIER_PEER ? &b->peer : NULL;
	bed_make(b, o);
	bed_offer_all(b, 0, 8);
	for (uint32_t l = 0; l <= 8; l++)
		assert_true(track_archive_has(b->archive, l));
	assert_false(track_archive_has(b->archive, 9));
	assert_int_equal(layers_in(b, t), 9);
	check_loads(b, 8);
	track_archive_clear(b->archive);
	assert_int_equal(layers_in(b, t), 0);
	bed_offer_all(b, 0, 9);
	check_loads(b, 9);
}

/* The budget has room for the inputs and four full layers. */
static void one_tier_budget(struct bed *b, enum track_recovery r, enum track_tier t)
{
	size_t full = track_state_bytes(b->layout) * BED_SLOTS;
	struct track_archive_options o = bed_options(r);
	struct err e = { 0 };

	o.peer = t == TRACK_TIER_PEER ? &b->peer : NULL;
	o.budget[t] = 4 * full + track_state_bytes(b->layout) * 3;
	bed_make(b, o);
	assert_int_equal(bed_offer(b, 0, 3, &e), 0);
	offer_layers(b, 1, 4);
	assert_int_equal(bed_offer(b, 5, 1, &e), ERR_MEMORY);
	assert_non_null(strstr(e.text, "budget"));
	assert_non_null(strstr(e.text, track_tier_name(t)));
	assert_false(track_archive_has(b->archive, 5));
	check_loads(b, 4);
	track_archive_clear(b->archive);
	assert_int_equal(bed_offer(b, 0, 3, &e), 0);
	offer_layers(b, 1, 4);
	check_loads(b, 4);
	o.budget[t] = 1;
	bed_make(b, o);
	assert_int_equal(bed_offer(b, 0, 3, &e), ERR_MEMORY);
}

void bed_check_one_tier(struct dev *d, struct dev *peer, struct track_layout layout)
{
	static const struct {
		enum track_recovery r;
		enum track_tier t;
	} all[] = { { TRACK_RECOVERY_GPU, TRACK_TIER_DEVICE },
		    { TRACK_RECOVERY_PEER, TRACK_TIER_PEER },
		    { TRACK_RECOVERY_PINNED, TRACK_TIER_PINNED },
		    { TRACK_RECOVERY_HOST, TRACK_TIER_PAGEABLE } };
	struct bed b;

	bed_open(&b, d, peer, layout);
	for (size_t i = 0; i < 4; i++) {
		one_tier(&b, all[i].r, all[i].t);
		one_tier_budget(&b, all[i].r, all[i].t);
	}
	bed_close(&b);
}

void bed_check_pieces(struct dev *d, struct dev *peer)
{
	static const size_t most[] = { 3000, 50 };
	struct bed b;

	bed_open(&b, d, peer, (struct track_layout){ 100, 4 });
	for (int i = 0; i < 6; i++) {
		struct track_archive_options o = bed_options(i % 3 == 0 ? TRACK_RECOVERY_HOST :
							     i % 3 == 1 ? TRACK_RECOVERY_PINNED :
									  TRACK_RECOVERY_PEER);

		o.peer = &b.peer;
		o.staging = most[i / 3];
		bed_make(&b, o);
		bed_offer_all(&b, 0, 4);
		check_loads(&b, 4);
		/* the place holds the buffer, two staging buffers and slot numbers */
		assert_true(b.place.used <= b.buffer_bytes + 2 * 3000 + 4 * 4096);
	}
	bed_close(&b);
}

/* ---- replay, checkpoints, adaptive ---- */

void bed_check_kept(const struct bed *b, const char *kept)
{
	for (uint32_t l = 0; kept[l]; l++)
		if (track_archive_has(b->archive, l) != (kept[l] == 'k'))
			fail_msg("layer %u: kept %d, expected %s", l,
				 track_archive_has(b->archive, l), kept);
}

static void some_layers(struct bed *b)
{
	struct track_archive_options o = bed_options(TRACK_RECOVERY_REPLAY);
	uint32_t slots;

	bed_make(b, o);
	bed_offer_all(b, 0, 6);
	bed_check_kept(b, "k------");
	check_loads(b, 6);
	o.cache = true;
	bed_make(b, o);
	bed_offer_all(b, 0, 6);
	bed_check_kept(b, "k-----k");
	check_loads(b, 6);
	assert_non_null(track_archive_states(b->archive, 6, &slots));
	assert_int_equal(slots, b->count[6]);
	assert_null(track_archive_states(b->archive, 5, &slots));
	track_archive_clear(b->archive);
	bed_check_kept(b, "-------");
	bed_offer_all(b, 0, 5);
	bed_check_kept(b, "k----k-");

	o = bed_options(TRACK_RECOVERY_CHECKPOINT);
	bed_make(b, o);
	bed_offer_all(b, 0, 14);
	bed_check_kept(b, "k---k---k---k--");
	o.cache = true;
	bed_make(b, o);
	bed_offer_all(b, 0, 14);
	bed_check_kept(b, "k---k---k---k-k");
	bed_offer_all(b, 15, 16);
	bed_check_kept(b, "k---k---k---k---k");
	bed_offer_all(b, 17, 17);
	bed_check_kept(b, "k---k---k---k---kk");
	check_loads(b, 17);
}

static void checkpoint_budget(struct bed *b)
{
	size_t full = track_state_bytes(b->layout) * BED_SLOTS;
	struct track_archive_options o = bed_options(TRACK_RECOVERY_CHECKPOINT);

	/* room for the inputs and three layers: the distance doubles at 16 and 32 */
	o.budget[TRACK_TIER_DEVICE] = 3 * full + track_state_bytes(b->layout);
	begin(b, o, 15);
	bed_check_kept(b, "k---k---k---k---");
	offer_layers(b, 16, 16);
	bed_check_kept(b, "k-------k-------k");
	offer_layers(b, 17, 40);
	bed_check_kept(b, "k---------------k---------------k--------");
	check_loads(b, 40);
	/* only the inputs fit: everything is replayed */
	o.budget[TRACK_TIER_DEVICE] = track_state_bytes(b->layout);
	begin(b, o, 9);
	bed_check_kept(b, "k---------");
}

/* Checkpoints are dropped to make room for the last layer. If it still does not fit, it is not
 * kept. */
static void cache_budget(struct bed *b, enum track_recovery rule)
{
	size_t full = track_state_bytes(b->layout) * BED_SLOTS;
	struct track_archive_options o = bed_options(rule);

	o.cache = true;
	/* the inputs and three layers */
	o.budget[TRACK_TIER_DEVICE] = 3 * full + track_state_bytes(b->layout);
	begin(b, o, 12);
	bed_check_kept(b, "k---k---k---k");
	offer_layers(b, 13, 13);
	bed_check_kept(b, "k-------k----k");
	offer_layers(b, 14, 25);
	bed_check_kept(b, "k---------------k--------k");
	check_loads(b, 25);
	/* only the inputs fit */
	o.budget[TRACK_TIER_DEVICE] = track_state_bytes(b->layout);
	begin(b, o, 9);
	bed_check_kept(b, "k---------");
	check_loads(b, 9);
}

static void adaptive(struct bed *b)
{
	size_t full = track_state_bytes(b->layout) * BED_SLOTS;
	struct track_archive_options o = bed_options(TRACK_RECOVERY_ADAPTIVE);
	uint32_t half;
	struct err e = { 0 };

	o.distance = 8;
	o.budget[TRACK_TIER_DEVICE] = 4 * full + track_state_bytes(b->layout);
	begin(b, o, 12);
	assert_false(track_archive_wants(b->archive, 8, 10, &half));
	assert_true(track_archive_wants(b->archive, 0, 7, &half));
	assert_int_equal(half, 3);
	assert_int_equal(bed_offer(b, 3, BED_SLOTS, &e), 0);
	assert_false(track_archive_wants(b->archive, 0, 7, &half));
	assert_true(track_archive_wants(b->archive, 3, 7, &half));
	assert_int_equal(half, 5);
	assert_int_equal(bed_offer(b, 5, BED_SLOTS, &e), 0);
	bed_check_kept(b, "k--k-k--k----");
	check_loads(b, 12);
	check_load(b, 3, 1, true);
	/* full: the most recently loaded copy stays */
	assert_int_equal(bed_offer(b, 10, BED_SLOTS, &e), 0);
	bed_check_kept(b, "k--k-k--k-k--");
	check_load(b, 3, 1, true);
	assert_int_equal(bed_offer(b, 11, BED_SLOTS, &e), 0);
	bed_check_kept(b, "k--k----k-kk-");
	check_load(b, 3, 1, true);
	check_load(b, 10, 1, true);
	offer_layers(b, 13, 16);
	bed_check_kept(b, "k--k----k-k-----k");
	check_loads(b, 16);
}

void bed_check_some_layers(struct dev *d)
{
	struct bed b;

	bed_open(&b, d, d, (struct track_layout){ 3, 4 });
	some_layers(&b);
	checkpoint_budget(&b);
	cache_budget(&b, TRACK_RECOVERY_CHECKPOINT);
	cache_budget(&b, TRACK_RECOVERY_ADAPTIVE);
	adaptive(&b);
	bed_close(&b);
}

/* ---- multistage ---- */

static void multistage(struct bed *b, bool peer)
{
	size_t full = track_state_bytes(b->layout) * BED_SLOTS;
	struct track_archive_options o = bed_options(TRACK_RECOVERY_MULTISTAGE);
	struct err e = { 0 };

	o.cache = true;
	o.peer = peer ? &b->peer : NULL;
	o.budget[TRACK_TIER_DEVICE] = 3 * full;
	o.budget[TRACK_TIER_PEER] = full;
	o.budget[TRACK_TIER_PINNED] = 4 * full;
	o.budget[TRACK_TIER_PAGEABLE] = 2 * full;
	bed_make(b, o);
	/* steps are expensive, so all tiers are filled */
	track_archive_learn_step(b->archive, 1, 1);
	for (uint32_t l = 0; l <= BED_LAYERS; l++) {
		assert_int_equal(bed_offer(b, l, l ? BED_SLOTS : 1, &e), 0);
		assert_true(track_archive_has(b->archive, 0));
		assert_true(track_archive_has(b->archive, l));
		if (l % 7 == 6)
			check_loads(b, l);
		track_archive_learn_demand(b->archive, l / 2);
	}
	assert_true(layers_in(b, TRACK_TIER_DEVICE) >= 3);
	assert_int_equal(layers_in(b, TRACK_TIER_PEER), peer ? 1 : 0);
	assert_true(layers_in(b, TRACK_TIER_PINNED) >= 4);
	assert_true(layers_in(b, TRACK_TIER_PAGEABLE) >= 1);
	check_loads(b, BED_LAYERS);
	track_archive_clear(b->archive);
	offer_layers(b, 0, BED_LAYERS);
	check_loads(b, BED_LAYERS);
}

/* If the place has less memory than the budget, fewer layers are kept, and nothing fails. */
static void multistage_memory(struct bed *b)
{
	size_t full = track_state_bytes(b->layout) * BED_SLOTS;
	struct track_archive_options o = bed_options(TRACK_RECOVERY_MULTISTAGE);
	struct err e = { 0 };

	o.budget[TRACK_TIER_PINNED] = o.budget[TRACK_TIER_PAGEABLE] = 1;
	bed_make(b, o);
	b->place.limit = b->place.used + 4 * full;
	offer_layers(b, 0, 20);
	b->place.limit = 0;
	assert_true(layers_in(b, TRACK_TIER_DEVICE) >= 3);
	assert_int_equal(layers_in(b, TRACK_TIER_PINNED) + layers_in(b, TRACK_TIER_PAGEABLE), 0);
	check_loads(b, 20);
	bed_make(b, o);
	b->place.limit = b->place.used + full - 1;
	assert_int_equal(bed_offer(b, 0, BED_SLOTS, &e), ERR_MEMORY);
	b->place.limit = 0;
}

void bed_check_multistage(struct dev *d, struct dev *peer)
{
	struct bed b;

	bed_open(&b, d, peer, (struct track_layout){ 2, 8 });
	multistage(&b, false);
	multistage(&b, true);
	multistage_memory(&b);
	bed_close(&b);
}
