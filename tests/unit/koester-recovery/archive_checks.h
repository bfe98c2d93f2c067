/* Checks of the archive on any place: a bed offers it layers of known bytes and compares what comes
 * back. Include after <cmocka.h>. */
#ifndef COPRA_TESTS_UNIT_KOESTER_RECOVERY_ARCHIVE_CHECKS_H
#define COPRA_TESTS_UNIT_KOESTER_RECOVERY_ARCHIVE_CHECKS_H

#include <stdlib.h>
#include <string.h>

#include "algorithms/koester-recovery/archive/archive.h"
#include "harness/base/team.h"

enum { SLOTS = 48, LAYERS = 40 };

static uint64_t random_state = 1;

static uint32_t below(uint32_t n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((random_state >> 33) % n);
}

/* ---- a place with a buffer, and an archive that is offered layers of known bytes ---- */

struct bed {
	struct team *pool;
	struct track_place place, peer;
	struct track_layout layout;
	struct track_archive *archive;
	void *buffer; /* SLOTS states */
	size_t buffer_bytes;
	unsigned char *host; /* the same on the host */
	struct track_archive_options o;
	uint32_t count[LAYERS + 1]; /* states of the layers, as far as offered */
};

/* Byte b of the state in slot s of a layer, counted unit by unit. */
static unsigned char byte_of(uint32_t layer, uint32_t slot, uint32_t b)
{
	uint32_t x = (layer * 131071 + slot) * 8191 + b;

	x ^= x >> 15;
	x *= 0x2C1B3C6Du;
	return (unsigned char)(x >> 24);
}

static size_t offset(const struct bed *b, uint32_t slots, uint32_t slot, uint32_t byte)
{
	uint32_t unit = b->layout.unit_bytes;

	return ((size_t)(byte / unit) * slots + slot) * unit + byte % unit;
}

/* d, peer: NULL for the host; may be the same. */
static void open_bed(struct bed *b, struct dev *d, struct dev *peer, struct track_layout layout)
{
	struct err e = { 0 };

	memset(b, 0, sizeof(*b));
	b->layout = layout;
	assert_int_equal(team_create(&b->pool, 2, &e), 0);
	assert_int_equal(track_place_open(&b->place, d, b->pool, 0, &e), 0);
	assert_int_equal(track_place_open(&b->peer, peer, b->pool, 0, &e), 0);
	b->buffer_bytes = track_state_bytes(layout) * SLOTS;
	b->host = malloc(b->buffer_bytes);
	assert_int_equal(track_alloc(&b->place, &b->buffer, b->buffer_bytes, &e), 0);
}

static void close_bed(struct bed *b)
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

static void make(struct bed *b, struct track_archive_options o)
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

/* What is held now and was at most is within the budgets, and what is kept is counted. */
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
	for (uint32_t l = 0; l <= LAYERS; l++) {
		if (!track_archive_has(b->archive, l))
			continue;
		assert_true(bytes >= layer_bytes(b, l));
		bytes -= layer_bytes(b, l);
		kept++;
	}
	assert_int_equal(kept, all);
}

static int offer(struct bed *b, uint32_t layer, uint32_t count, struct err *e)
{
	uint32_t bytes = (uint32_t)track_state_bytes(b->layout);
	int status;

	memset(b->host, 0xEE, b->buffer_bytes);
	for (uint32_t s = 0; s < count; s++)
		for (uint32_t i = 0; i < bytes; i++)
			b->host[offset(b, SLOTS, s, i)] = byte_of(layer, s, i);
	b->count[layer] = count;
	assert_int_equal(track_to(&b->place, b->buffer, b->host, b->buffer_bytes, e), 0);
	status = track_archive_offer(b->archive, layer, b->buffer, SLOTS, count, e);
	/* the next thing that happens to the states: they are overwritten */
	assert_int_equal(track_archive_settle(b->archive, e), 0);
	assert_int_equal(track_fill(&b->place, b->buffer, 0x11, b->buffer_bytes, e), 0);
	assert_int_equal(track_sync(&b->place, e), 0);
	check_budgets(b);
	return status;
}

/* Whole layers, none of which may be refused. */
static void offer_layers(struct bed *b, uint32_t first, uint32_t last)
{
	struct err e = { 0 };

	for (uint32_t l = first; l <= last; l++)
		assert_int_equal(offer(b, l, SLOTS, &e), 0);
}

/* A new archive with one input and whole layers behind it. */
static void begin(struct bed *b, struct track_archive_options o, uint32_t last)
{
	struct err e = { 0 };

	make(b, o);
	assert_int_equal(offer(b, 0, 1, &e), 0);
	offer_layers(b, 1, last);
}

static void offer_all(struct bed *b, uint32_t first, uint32_t end)
{
	for (uint32_t l = first; l <= end; l++) {
		struct err e = { 0 };

		if (offer(b, l, l == 0 ? 3 : below(3) ? SLOTS : 1 + below(SLOTS), &e))
			fail_msg("%s", e.text);
	}
}

/* Loads `count` states of a layer, in order (a run) or at random; compares all of the buffer. */
static void check_load(struct bed *b, uint32_t layer, uint32_t count, bool run)
{
	uint32_t slot[SLOTS], to_slot[SLOTS], to_first, from_first;
	uint32_t bytes = (uint32_t)track_state_bytes(b->layout);
	unsigned char *want = malloc(b->buffer_bytes);
	struct err e = { 0 };

	memset(want, 0x77, b->buffer_bytes);
	from_first = run ? below(b->count[layer] - count + 1) : 0;
	to_first = below(SLOTS - count + 1);
	for (uint32_t i = 0; i < SLOTS; i++)
		to_slot[i] = i;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t k = i + below(SLOTS - i), t = to_slot[i];

		to_slot[i] = to_slot[k];
		to_slot[k] = t;
	}
	for (uint32_t i = 0; i < count; i++) {
		slot[i] = run ? from_first + i : below(b->count[layer]);
		if (run)
			to_slot[i] = to_first + i;
		for (uint32_t k = 0; k < bytes; k++)
			want[offset(b, SLOTS, to_slot[i], k)] = byte_of(layer, slot[i], k);
	}
	assert_int_equal(track_fill(&b->place, b->buffer, 0x77, b->buffer_bytes, &e), 0);
	if (track_archive_load(b->archive, layer, slot, count, b->buffer, SLOTS, to_slot, &e))
		fail_msg("%s", e.text);
	memset(slot, 0xFF, sizeof(slot)); /* the arrays are the caller's again */
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
		check_load(b, l, 1 + below(b->count[l]), true);
		check_load(b, l, 1 + below(SLOTS), false);
	}
}

static uint32_t layers_in(const struct bed *b, enum track_tier t)
{
	struct track_archive_figures f;

	track_archive_figures(b->archive, &f);
	return f.layers[t];
}

static struct track_archive_options options(enum track_recovery r)
{
	return (struct track_archive_options){ .recovery = r, .distance = 4, .adapt = 2 };
}

/* ---- rules of one tier ---- */

static void one_tier(struct bed *b, enum track_recovery r, enum track_tier t)
{
	struct track_archive_options o = options(r);

	o.peer = t == TRACK_TIER_PEER ? &b->peer : NULL;
	make(b, o);
	offer_all(b, 0, 8);
	for (uint32_t l = 0; l <= 8; l++)
		assert_true(track_archive_has(b->archive, l));
	assert_false(track_archive_has(b->archive, 9));
	assert_int_equal(layers_in(b, t), 9);
	check_loads(b, 8);
	track_archive_clear(b->archive);
	assert_int_equal(layers_in(b, t), 0);
	offer_all(b, 0, 9);
	check_loads(b, 9);
}

/* Memory for the inputs and four full layers. */
static void one_tier_budget(struct bed *b, enum track_recovery r, enum track_tier t)
{
	size_t full = track_state_bytes(b->layout) * SLOTS;
	struct track_archive_options o = options(r);
	struct err e = { 0 };

	o.peer = t == TRACK_TIER_PEER ? &b->peer : NULL;
	o.budget[t] = 4 * full + track_state_bytes(b->layout) * 3;
	make(b, o);
	assert_int_equal(offer(b, 0, 3, &e), 0);
	offer_layers(b, 1, 4);
	assert_int_equal(offer(b, 5, 1, &e), ERR_MEMORY);
	assert_non_null(strstr(e.text, "budget"));
	assert_non_null(strstr(e.text, track_tier_name(t)));
	assert_false(track_archive_has(b->archive, 5));
	check_loads(b, 4);
	track_archive_clear(b->archive);
	assert_int_equal(offer(b, 0, 3, &e), 0);
	offer_layers(b, 1, 4);
	check_loads(b, 4);
	o.budget[t] = 1;
	make(b, o);
	assert_int_equal(offer(b, 0, 3, &e), ERR_MEMORY);
}

static void check_one_tier(struct dev *d, struct dev *peer, struct track_layout layout)
{
	static const struct {
		enum track_recovery r;
		enum track_tier t;
	} all[] = { { TRACK_RECOVERY_GPU, TRACK_TIER_DEVICE },
		    { TRACK_RECOVERY_PEER, TRACK_TIER_PEER },
		    { TRACK_RECOVERY_PINNED, TRACK_TIER_PINNED },
		    { TRACK_RECOVERY_HOST, TRACK_TIER_PAGEABLE } };
	struct bed b;

	open_bed(&b, d, peer, layout);
	for (size_t i = 0; i < 4; i++) {
		one_tier(&b, all[i].r, all[i].t);
		one_tier_budget(&b, all[i].r, all[i].t);
	}
	close_bed(&b);
}

/* Staging halves smaller than a layer: many pieces, then pieces larger than a half. */
static void check_pieces(struct dev *d, struct dev *peer)
{
	static const size_t most[] = { 3000, 50 };
	struct bed b;

	open_bed(&b, d, peer, (struct track_layout){ 100, 4 });
	for (int i = 0; i < 6; i++) {
		struct track_archive_options o = options(i % 3 == 0 ? TRACK_RECOVERY_HOST :
							 i % 3 == 1 ? TRACK_RECOVERY_PINNED :
								      TRACK_RECOVERY_PEER);

		o.peer = &b.peer;
		o.staging = most[i / 3];
		make(&b, o);
		offer_all(&b, 0, 4);
		check_loads(&b, 4);
		/* the place holds the buffer, two staging buffers, and slots on their way */
		assert_true(b.place.used <= b.buffer_bytes + 2 * 3000 + 4 * 4096);
	}
	close_bed(&b);
}

/* ---- replay, checkpoints, adaptive ---- */

static void check_kept(const struct bed *b, const char *kept)
{
	for (uint32_t l = 0; kept[l]; l++)
		if (track_archive_has(b->archive, l) != (kept[l] == 'k'))
			fail_msg("layer %u: kept %d, expected %s", l,
				 track_archive_has(b->archive, l), kept);
}

static void some_layers(struct bed *b)
{
	struct track_archive_options o = options(TRACK_RECOVERY_REPLAY);
	uint32_t slots;

	make(b, o);
	offer_all(b, 0, 6);
	check_kept(b, "k------");
	check_loads(b, 6);
	o.cache = true;
	make(b, o);
	offer_all(b, 0, 6);
	check_kept(b, "k-----k");
	check_loads(b, 6);
	assert_non_null(track_archive_states(b->archive, 6, &slots));
	assert_int_equal(slots, b->count[6]);
	assert_null(track_archive_states(b->archive, 5, &slots));
	track_archive_clear(b->archive);
	check_kept(b, "-------");
	offer_all(b, 0, 5);
	check_kept(b, "k----k-");

	o = options(TRACK_RECOVERY_CHECKPOINT);
	make(b, o);
	offer_all(b, 0, 14);
	check_kept(b, "k---k---k---k--");
	o.cache = true;
	make(b, o);
	offer_all(b, 0, 14);
	check_kept(b, "k---k---k---k-k");
	offer_all(b, 15, 16);
	check_kept(b, "k---k---k---k---k");
	offer_all(b, 17, 17);
	check_kept(b, "k---k---k---k---kk");
	check_loads(b, 17);
}

static void checkpoint_budget(struct bed *b)
{
	size_t full = track_state_bytes(b->layout) * SLOTS;
	struct track_archive_options o = options(TRACK_RECOVERY_CHECKPOINT);

	/* the inputs and three layers: the distance doubles at 16 and 32 */
	o.budget[TRACK_TIER_DEVICE] = 3 * full + track_state_bytes(b->layout);
	begin(b, o, 15);
	check_kept(b, "k---k---k---k---");
	offer_layers(b, 16, 16);
	check_kept(b, "k-------k-------k");
	offer_layers(b, 17, 40);
	check_kept(b, "k---------------k---------------k--------");
	check_loads(b, 40);
	/* room for the inputs alone: everything is replayed */
	o.budget[TRACK_TIER_DEVICE] = track_state_bytes(b->layout);
	begin(b, o, 9);
	check_kept(b, "k---------");
}

/* Checkpoints make room for the last layer, which is not kept where that is not enough. */
static void cache_budget(struct bed *b, enum track_recovery rule)
{
	size_t full = track_state_bytes(b->layout) * SLOTS;
	struct track_archive_options o = options(rule);

	o.cache = true;
	/* the inputs and three layers */
	o.budget[TRACK_TIER_DEVICE] = 3 * full + track_state_bytes(b->layout);
	begin(b, o, 12);
	check_kept(b, "k---k---k---k");
	offer_layers(b, 13, 13);
	check_kept(b, "k-------k----k");
	offer_layers(b, 14, 25);
	check_kept(b, "k---------------k--------k");
	check_loads(b, 25);
	/* room for the inputs alone */
	o.budget[TRACK_TIER_DEVICE] = track_state_bytes(b->layout);
	begin(b, o, 9);
	check_kept(b, "k---------");
	check_loads(b, 9);
}

static void adaptive(struct bed *b)
{
	size_t full = track_state_bytes(b->layout) * SLOTS;
	struct track_archive_options o = options(TRACK_RECOVERY_ADAPTIVE);
	uint32_t half;
	struct err e = { 0 };

	o.distance = 8;
	o.budget[TRACK_TIER_DEVICE] = 4 * full + track_state_bytes(b->layout);
	begin(b, o, 12);
	assert_false(track_archive_wants(b->archive, 8, 10, &half));
	assert_true(track_archive_wants(b->archive, 0, 7, &half));
	assert_int_equal(half, 3);
	assert_int_equal(offer(b, 3, SLOTS, &e), 0);
	assert_false(track_archive_wants(b->archive, 0, 7, &half));
	assert_true(track_archive_wants(b->archive, 3, 7, &half));
	assert_int_equal(half, 5);
	assert_int_equal(offer(b, 5, SLOTS, &e), 0);
	check_kept(b, "k--k-k--k----");
	check_loads(b, 12);
	check_load(b, 3, 1, true);
	/* full: the copy that was loaded last stays */
	assert_int_equal(offer(b, 10, SLOTS, &e), 0);
	check_kept(b, "k--k-k--k-k--");
	check_load(b, 3, 1, true);
	assert_int_equal(offer(b, 11, SLOTS, &e), 0);
	check_kept(b, "k--k----k-kk-");
	check_load(b, 3, 1, true);
	check_load(b, 10, 1, true);
	offer_layers(b, 13, 16);
	check_kept(b, "k--k----k-k-----k");
	check_loads(b, 16);
}

static void check_some_layers(struct dev *d)
{
	struct bed b;

	open_bed(&b, d, d, (struct track_layout){ 3, 4 });
	some_layers(&b);
	checkpoint_budget(&b);
	cache_budget(&b, TRACK_RECOVERY_CHECKPOINT);
	cache_budget(&b, TRACK_RECOVERY_ADAPTIVE);
	adaptive(&b);
	close_bed(&b);
}

/* ---- multistage ---- */

static void multistage(struct bed *b, bool peer)
{
	size_t full = track_state_bytes(b->layout) * SLOTS;
	struct track_archive_options o = options(TRACK_RECOVERY_MULTISTAGE);
	struct err e = { 0 };

	o.cache = true;
	o.peer = peer ? &b->peer : NULL;
	o.budget[TRACK_TIER_DEVICE] = 3 * full;
	o.budget[TRACK_TIER_PEER] = full;
	o.budget[TRACK_TIER_PINNED] = 4 * full;
	o.budget[TRACK_TIER_PAGEABLE] = 2 * full;
	make(b, o);
	/* a step is dear: all tiers are used to the full */
	track_archive_learn_step(b->archive, 1, 1);
	for (uint32_t l = 0; l <= LAYERS; l++) {
		assert_int_equal(offer(b, l, l ? SLOTS : 1, &e), 0);
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
	check_loads(b, LAYERS);
	track_archive_clear(b->archive);
	offer_layers(b, 0, LAYERS);
	check_loads(b, LAYERS);
}

/* The budget is the place's memory: nothing fails for want of it. */
static void multistage_memory(struct bed *b)
{
	size_t full = track_state_bytes(b->layout) * SLOTS;
	struct track_archive_options o = options(TRACK_RECOVERY_MULTISTAGE);
	struct err e = { 0 };

	o.budget[TRACK_TIER_PINNED] = o.budget[TRACK_TIER_PAGEABLE] = 1;
	make(b, o);
	b->place.limit = b->place.used + 4 * full;
	offer_layers(b, 0, 20);
	b->place.limit = 0;
	assert_true(layers_in(b, TRACK_TIER_DEVICE) >= 3);
	assert_int_equal(layers_in(b, TRACK_TIER_PINNED) + layers_in(b, TRACK_TIER_PAGEABLE), 0);
	check_loads(b, 20);
	make(b, o);
	b->place.limit = b->place.used + full - 1;
	assert_int_equal(offer(b, 0, SLOTS, &e), ERR_MEMORY);
	b->place.limit = 0;
}

static void check_multistage(struct dev *d, struct dev *peer)
{
	struct bed b;

	open_bed(&b, d, peer, (struct track_layout){ 2, 8 });
	multistage(&b, false);
	multistage(&b, true);
	multistage_memory(&b);
	close_bed(&b);
}

#endif
