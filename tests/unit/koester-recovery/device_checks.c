/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/koester-recovery/device_checks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/koester-recovery/states/domain.h"
#include "harness/base/team.h"

extern const struct track_ops tracked_ops_host; /* tracked_runs.c */

struct track_place check_place(struct dev *d)
{
	struct track_place p;

	OK(track_place_open(&p, d, NULL, 0, &e));
	return p;
}

void *check_alloc(size_t bytes)
{
	void *p = aligned_alloc(256, (bytes + 256) / 256 * 256);

	assert_non_null(p);
	return p;
}

void *check_put(struct track_place *p, const void *from, size_t bytes)
{
	void *there;

	if (!from)
		return NULL;
	OK(track_alloc(p, &there, bytes, &e));
	OK(track_to(p, there, from, bytes, &e));
	OK(track_sync(p, &e));
	return there;
}

void check_take(struct track_place *p, void *there, void *to, size_t bytes)
{
	if (to)
		OK(track_from(p, to, there, bytes, &e));
	OK(track_sync(p, &e));
	track_free(p, there, bytes);
}

static void random_bytes(struct rng *r, void *to, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		((unsigned char *)to)[i] = (unsigned char)rng_next(r);
}

/* Draws `count` different numbers below `of`, in random order. */
static void random_slots(struct rng *r, uint32_t *slot, uint32_t count, uint32_t of)
{
	uint32_t *all = check_alloc(of * sizeof(*all));

	for (uint32_t i = 0; i < of; i++)
		all[i] = i;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t k = i + (uint32_t)rng_below(r, of - i), swap = all[k];

		all[k] = all[i];
		slot[i] = all[i] = swap;
	}
	free(all);
}

uint32_t check_random(struct rng *r, uint32_t least, uint32_t most)
{
	return (uint32_t)rng_between(r, least, most);
}

/* ---- gather ---- */

/* The sources are buffers on `places` places, each with its own slots, or in pinned host memory. */
struct gather_trial {
	struct track_layout layout;
	uint32_t count, repeat, to_slots, from_slots;
	int sources, places;
	bool listed_from, listed_to, pinned;
};

static void *gather_source(struct track_place *at, const struct gather_trial *t, const void *bytes,
			   size_t size)
{
	void *pinned;

	if (!t->pinned)
		return check_put(at, bytes, size);
	OK(dev_host_alloc(at->device, &pinned, size, &e));
	memcpy(pinned, bytes, size);
	return pinned;
}

static void gather_check(struct track_place *place, const struct gather_trial *t, struct rng *r)
{
	size_t state = track_state_bytes(t->layout), from_bytes = t->from_slots * state,
	       to_bytes = t->to_slots * state;
	struct track_gather g = { .layout = t->layout,
				  .to_slots = t->to_slots,
				  .count = t->count,
				  .sources = t->sources,
				  .from_repeat = t->repeat };
	unsigned char *from[TRACK_SOURCES], *want = check_alloc(to_bytes),
					    *got = check_alloc(to_bytes);
	uint32_t *from_slot = check_alloc(t->count * sizeof(uint32_t)),
		 *to_slot = check_alloc(t->count * sizeof(uint32_t));
	uint32_t sources = (uint32_t)t->sources;

	random_bytes(r, want, to_bytes);
	g.to = check_put(place, want, to_bytes);
	random_slots(r, to_slot, t->count, t->to_slots);
	for (uint32_t i = 0; i < t->count; i++)
		from_slot[i] = check_random(r, 0, sources * t->from_slots - 1);
	for (int k = 0; k < t->sources; k++) {
		from[k] = check_alloc(from_bytes);
		random_bytes(r, from[k], from_bytes);
		g.from[k] = gather_source(&place[t->pinned ? 0 : k % t->places], t, from[k],
					  from_bytes);
		g.from_slots[k] = t->from_slots;
		g.first[k] = (uint32_t)k * t->from_slots;
	}
	g.from_slot =
		t->listed_from ? check_put(place, from_slot, t->count * sizeof(uint32_t)) : NULL;
	g.to_slot = t->listed_to ? check_put(place, to_slot, t->count * sizeof(uint32_t)) : NULL;
	for (uint32_t i = 0; i < t->count; i++) {
		uint32_t of = t->repeat > 1 ? i / t->repeat : i;
		uint32_t slot = t->listed_from ? from_slot[of] : of;
		uint32_t to = t->listed_to ? to_slot[i] : i;

		for (uint32_t u = 0; u < t->layout.units; u++)
			memcpy(want + ((size_t)u * t->to_slots + to) * t->layout.unit_bytes,
			       from[slot / t->from_slots] +
				       ((size_t)u * t->from_slots + slot % t->from_slots) *
					       t->layout.unit_bytes,
			       t->layout.unit_bytes);
	}
	OK(place->common->gather(place, &g, &e));
	check_take(place, g.to, got, to_bytes);
	assert_memory_equal(got, want, to_bytes);
	check_take(place, (void *)(uintptr_t)g.from_slot, NULL, t->count * sizeof(uint32_t));
	check_take(place, (void *)(uintptr_t)g.to_slot, NULL, t->count * sizeof(uint32_t));
	for (int k = 0; k < t->sources; k++) {
		void *there = (void *)(uintptr_t)g.from[k];

		if (t->pinned)
			dev_host_free(place->device, there);
		else
			check_take(&place[k % t->places], there, NULL, from_bytes);
		free(from[k]);
	}
	free(want);
	free(got);
	free(from_slot);
	free(to_slot);
}

void check_gathers(struct track_place *place, int places, int trials, uint32_t most_slots,
		   struct rng *r)
{
	static const struct track_layout layouts[] = {
		{ 1, 1 },    { 3, 1 },     { 20, 1 },   { 5, 2 },    { 9, 2 },   { 1, 4 },
		{ 7, 4 },    { 8, 4 },     { 33, 4 },   { 100, 4 },  { 3, 8 },   { 11, 8 },
		{ 2, 12 },   { 9, 12 },    { 1, 16 },   { 12, 16 },  { 4, 48 },  { 10, 80 },
		{ 1, 256 },  { 1, 512 },   { 2, 768 },  { 1, 1000 }, { 3, 514 }, { 1, 4096 },
		{ 1, 6016 }, { 1, 12345 }, { 2, 5000 },
	};
	int count = (int)(sizeof(layouts) / sizeof(*layouts));

	for (int k = 0; k < trials; k++) {
		struct gather_trial t = { .layout = layouts[k % count],
					  .listed_from = k / 2 % 4,
					  .listed_to = k / 3 % 3,
					  .pinned = k % 11 == 10 };

		t.to_slots = check_random(r, 1, most_slots);
		t.count = k % 9 ? check_random(r, 1, t.to_slots) : t.to_slots;
		t.repeat = k % 5 == 3 ? check_random(r, 2, 7) : (uint32_t)(k % 2);
		t.sources = t.listed_from ? 1 + k % 7 % 5 : 1;
		t.from_slots = t.listed_from ? check_random(r, 1, most_slots) :
					       (k % 9 ? t.count + check_random(r, 0, 3) : t.count);
		t.places = places;
		gather_check(place, &t, r);
	}
}

/* ---- scan ---- */

void check_scan(struct track_place *p, uint32_t count, uint32_t most, struct rng *r)
{
	const struct track_common *c = p->common;
	size_t bytes = count * sizeof(uint32_t), scratch_bytes = c->scan_scratch(p, count);
	uint32_t *number = check_alloc(bytes), *first = check_alloc(bytes);
	uint64_t sum = 0, total;
	void *scratch, *to;

	for (uint32_t i = 0; i < count; i++)
		number[i] = check_random(r, 0, most);
	void *from = check_put(p, number, bytes), *sum_there = check_put(p, &sum, sizeof(sum));

	to = check_put(p, number, bytes);
	OK(track_alloc(p, &scratch, scratch_bytes, &e));
	OK(c->scan(p, from, to, sum_there, count, scratch, &e));
	check_take(p, to, first, bytes);
	check_take(p, sum_there, &total, sizeof(total));
	check_take(p, from, NULL, bytes);
	check_take(p, scratch, NULL, scratch_bytes);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(first[i], (uint32_t)sum);
		sum += number[i];
	}
	assert_int_equal(total, sum);
	free(number);
	free(first);
}

/* ---- select ---- */

static int by_rating(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Selects by sorting. Returns how many are kept. */
static uint32_t plain_select(const uint32_t *rating, uint32_t count, uint32_t keep, uint32_t *index)
{
	uint64_t *all = check_alloc(count * sizeof(*all));
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++)
		all[i] = (uint64_t)rating[i] << 32 | i;
	qsort(all, count, sizeof(*all), by_rating);
	while (kept < keep && kept < count && all[kept] >> 32 != TRACK_DROPPED) {
		index[kept] = (uint32_t)all[kept];
		kept++;
	}
	qsort(index, kept, sizeof(*index), by_number);
	free(all);
	return kept;
}

void check_select(struct track_place *p, const uint32_t *rating, uint32_t count, uint32_t keep)
{
	const struct track_common *c = p->common;
	size_t bytes = keep * sizeof(uint32_t), scratch_bytes = c->select_scratch(p, count);
	uint32_t *want = check_alloc(bytes), *got = check_alloc(bytes), kept;
	uint32_t wanted = plain_select(rating, count, keep, want);
	void *from = check_put(p, rating, count * sizeof(*rating)), *index, *there, *scratch;

	OK(track_alloc(p, &index, bytes, &e));
	OK(track_alloc(p, &there, sizeof(kept), &e));
	OK(track_alloc(p, &scratch, scratch_bytes, &e));
	OK(c->select(p, from, count, keep, index, there, scratch, &e));
	check_take(p, index, got, bytes);
	check_take(p, there, &kept, sizeof(kept));
	check_take(p, scratch, NULL, scratch_bytes);
	check_take(p, from, NULL, count * sizeof(*rating));
	assert_int_equal(kept, wanted);
	assert_memory_equal(got, want, kept * sizeof(*got));
	free(want);
	free(got);
}

void check_ratings(struct rng *r, uint32_t *rating, uint32_t count, int kind)
{
	uint32_t base = (uint32_t)rng_next(r);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t v = (uint32_t)rng_next(r);

		switch (kind % 8) {
		case 1:
			v = 3000 + v % 3;
			break;
		case 2:
			v = base;
			break;
		case 3:
			v = (base & ~1023u) + v % 700;
			break;
		case 4:
			v = v >> 21 << 21;
			break;
		case 5:
			v = v % 10 ? TRACK_DROPPED : v;
			break;
		case 6:
			v = i;
			break;
		case 7:
			v = v % 2 ? TRACK_DROPPED : TRACK_DROPPED - 1;
			break;
		}
		rating[i] = v;
	}
}

void check_selects(struct track_place *p, int trials, uint32_t most, struct rng *r)
{
	uint32_t *rating = check_alloc(most * sizeof(*rating));

	for (int k = 0; k < trials; k++) {
		uint32_t count = check_random(r, 0, k % 3 ? most : 40);

		check_ratings(r, rating, count, k);
		check_select(p, rating, count, check_random(r, 0, k % 4 ? count : count + 10));
	}
	free(rating);
}

/* ---- children ---- */

void check_children(struct track_place *p, uint32_t parents, uint32_t first_source, bool listed,
		    struct rng *r)
{
	uint32_t *number = check_alloc(parents * sizeof(*number)),
		 *first = check_alloc(parents * sizeof(*first)), total = 0;
	uint32_t each = first_source % 2 ? 4 : 0; /* all parents have as many */

	for (uint32_t i = 0; i < parents; i++) {
		first[i] = total;
		number[i] = each ? each : check_random(r, 0, 1) * check_random(r, 0, 5);
		total += number[i];
	}
	if (total == 0)
		total = number[parents - 1] = 3;
	uint32_t count = check_random(r, 1, total + 1), kept = check_random(r, 0, 2 * count),
		 *child = check_alloc(count * sizeof(*child));
	uint32_t *of = check_alloc((2 * total + 1) * sizeof(*of)),
		 *out = check_alloc(3 * count * sizeof(*out));
	size_t list = count * sizeof(uint32_t);

	random_slots(r, child, count, total + 1);
	random_bytes(r, of, (2 * total + 1) * sizeof(*of));
	void *number_there = check_put(p, number, parents * sizeof(*number)),
	     *first_there = check_put(p, first, parents * sizeof(*first));
	void *child_there = check_put(p, child, list),
	     *kept_there = check_put(p, &kept, sizeof(kept));
	void *out_there = check_put(p, out, 3 * list);
	uint32_t *of_there = check_put(p, of, (2 * total + 1) * sizeof(*of)), *o = out_there;
	struct track_children c = { first_there, number_there, total, first_source, each };
	struct track_selected before = { 1, of_there, of_there + 1, of_there + 2 };

	OK(p->common->children(p, &c, parents, listed ? of_there : NULL, of_there + total, &before,
			       child_there, kept < count ? kept_there : NULL, count, o, o + count,
			       o + 2 * count, &e));
	check_take(p, out_there, out, 3 * list);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t parent = 0, which = i < kept ? child[i] : 0, n = which - before.count;

		if (which < before.count) {
			for (uint32_t k = 0; k < 3; k++)
				assert_int_equal(out[k * count + i], of[k]);
			continue;
		}
		while (n >= first[parent] + number[parent])
			parent++;
		assert_int_equal(out[i], first_source + parent);
		assert_int_equal(out[count + i], listed ? of[n] : n - first[parent]);
		assert_int_equal(out[2 * count + i], of[total + n]);
	}
	check_take(p, number_there, NULL, parents * sizeof(*number));
	check_take(p, first_there, NULL, parents * sizeof(*first));
	check_take(p, child_there, NULL, list);
	check_take(p, kept_there, NULL, sizeof(kept));
	check_take(p, of_there, NULL, (2 * total + 1) * sizeof(*of));
	free(number);
	free(first);
	free(child);
	free(of);
	free(out);
}

/* ---- a domain ---- */

/* The same batch on two places. */
struct walk {
	struct track_place *place;
	const struct track_ops *ops;
	struct tracked d;
	struct track_batch b;
	struct track_children c;
	struct track_path path;
	uint32_t *out; /* numbers, ratings or successors */
	size_t state_bytes, bit_bytes, list_bytes, path_bytes, out_bytes;
};

/* The data that both batches are made from. */
struct walk_data {
	struct tracked d;
	uint32_t slots, count, parents, rounds;
	uint32_t *slot, *source, *successor, *waiting, *number, *first, *iteration, *path_source,
		*path_successor, *child_successor;
	unsigned char *states;
	bool listed;
};

static uint32_t *random_list(struct rng *r, uint32_t count, uint32_t below)
{
	uint32_t *list = check_alloc(count * sizeof(*list));

	for (uint32_t i = 0; i < count; i++)
		list[i] = check_random(r, 0, below - 1);
	return list;
}

static struct walk_data walk_data_make(struct rng *r, uint32_t most_slots)
{
	struct walk_data w = { .slots = check_random(r, 1, most_slots),
			       .rounds = check_random(r, 1, 9) };
	uint32_t unit = check_random(r, 1, 4), total = 0;

	w.d = (struct tracked){ .unit_words = unit,
				.wait = check_random(r, 0, 16),
				.children = 5,
				.ratings = check_random(r, 1, 99),
				.dropped = check_random(r, 0, 5),
				.last_step = check_random(r, 0, 1) * UINT32_MAX / 2 };
	w.d.words = check_random(r, (3 + unit) / unit, TRACKED_MOST_WORDS / unit) * unit;
	w.count = check_random(r, 1, w.slots);
	w.listed = check_random(r, 0, 1);
	w.slot = check_alloc(w.count * sizeof(*w.slot));
	random_slots(r, w.slot, w.count, w.slots);
	w.source = random_list(r, w.count, UINT32_MAX);
	w.successor = random_list(r, w.count, 70000);
	w.waiting = random_list(r, (w.count + 31) / 32, UINT32_MAX);
	w.number = random_list(r, w.count, 5);
	w.number[w.count - 1]++;
	w.first = check_alloc(w.count * sizeof(*w.first));
	for (uint32_t i = 0; i < w.count; i++) {
		w.first[i] = total;
		total += w.number[i];
	}
	w.child_successor = random_list(r, total, 70000);
	w.iteration = random_list(r, w.rounds, 1000);
	w.path_source = random_list(r, w.rounds * w.count, 70000);
	w.path_successor = random_list(r, w.rounds * w.count, 70000);
	for (uint32_t i = 0; i < w.rounds * w.count; i++)
		if (check_random(r, 0, 3) == 0)
			w.path_successor[i] = TRACK_NO_STEP;
	w.states = check_alloc((size_t)w.slots * w.d.words * 4);
	random_bytes(r, w.states, (size_t)w.slots * w.d.words * 4);
	return w;
}

static void walk_data_free(struct walk_data *w)
{
	void *all[] = { w->slot,        w->source,         w->successor,       w->waiting,
			w->number,      w->first,          w->child_successor, w->iteration,
			w->path_source, w->path_successor, w->states };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		free(all[i]);
}

static struct walk walk_enter(const struct walk_data *w, struct track_place *p,
			      const struct track_ops *ops)
{
	size_t list = w->count * sizeof(uint32_t), bits = (w->count + 31) / 32 * 4;
	uint32_t total = w->first[w->count - 1] + w->number[w->count - 1], zero = 0;
	struct walk x = { .place = p,
			  .ops = ops,
			  .d = w->d,
			  .list_bytes = list,
			  .bit_bytes = bits,
			  .state_bytes = (size_t)w->slots * w->d.words * 4,
			  .path_bytes = list * w->rounds,
			  .out_bytes = (total > w->count ? total : w->count) * sizeof(uint32_t) };

	x.b = (struct track_batch){ .layout = { w->d.words / w->d.unit_words, w->d.unit_words * 4 },
				    .states = check_put(p, w->states, x.state_bytes),
				    .slots = w->slots,
				    .count = w->count,
				    .slot = w->listed ? check_put(p, w->slot, list) : NULL,
				    .source = check_put(p, w->source, list),
				    .successor = check_put(p, w->successor, list),
				    .waiting = check_put(p, w->waiting, bits),
				    .waiting_count = check_put(p, &zero, 4),
				    .seed = 77,
				    .iteration = 5,
				    .step = 3 };
	x.c = (struct track_children){ check_put(p, w->first, list), check_put(p, w->number, list),
				       total, 9, 0 };
	x.path =
		(struct track_path){ w->rounds, w->count, check_put(p, w->iteration, 4 * w->rounds),
				     check_put(p, w->path_source, x.path_bytes),
				     check_put(p, w->path_successor, x.path_bytes) };
	OK(track_alloc(p, (void **)&x.out, x.out_bytes, &e));
	OK(track_fill(p, x.out, 0, x.out_bytes, &e));
	return x;
}

static void walk_leave(struct walk *x)
{
	struct {
		const void *memory;
		size_t bytes;
	} all[] = { { x->b.states, x->state_bytes },
		    { x->b.slot, x->list_bytes },
		    { x->b.source, x->list_bytes },
		    { x->b.successor, x->list_bytes },
		    { x->b.waiting, x->bit_bytes },
		    { x->b.waiting_count, 4 },
		    { x->c.first, x->list_bytes },
		    { x->c.number, x->list_bytes },
		    { x->path.iteration, 4 * x->path.rounds },
		    { x->path.source, x->path_bytes },
		    { x->path.successor, x->path_bytes },
		    { x->out, x->out_bytes } };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		check_take(x->place, (void *)(uintptr_t)all[i].memory, NULL, all[i].bytes);
}

/* Checks that two places hold the same bytes. */
static void walk_compare(const struct walk *x, const void *a, const struct walk *y, const void *b,
			 size_t bytes)
{
	unsigned char *at_x = check_alloc(bytes), *at_y = check_alloc(bytes);

	OK(track_from(x->place, at_x, a, bytes, &e));
	OK(track_from(y->place, at_y, b, bytes, &e));
	OK(track_sync(x->place, &e));
	OK(track_sync(y->place, &e));
	assert_memory_equal(at_x, at_y, bytes);
	free(at_x);
	free(at_y);
}

enum walk_op {
	WALK_EXECUTE,
	WALK_ASSIGN,
	WALK_RATE,
	WALK_EXPAND,
	WALK_SUCCESSORS,
	WALK_ADVANCE,
	WALK_REPLAY,
	WALK_CHILDREN,
	WALK_OPS
};

static int walk_call(struct walk *x, enum walk_op op, uint32_t flags, bool all,
		     const uint32_t *child_successor, struct err *e)
{
	struct track_batch b = x->b;

	if (all)
		b.waiting = b.waiting_count = NULL;
	switch (op) {
	case WALK_EXECUTE:
		return x->ops->execute(x->place, &x->d, &b, e);
	case WALK_ASSIGN:
		return x->ops->assign(x->place, &x->d, &b, e);
	case WALK_RATE:
		return x->ops->rate(x->place, &x->d, &b, x->out, e);
	case WALK_EXPAND:
		return x->ops->expand(x->place, &x->d, &b, x->out, e);
	case WALK_SUCCESSORS:
		return x->ops->successors(x->place, &x->d, &b, &x->c, x->out, e);
	case WALK_ADVANCE:
		return x->ops->advance(x->place, &x->d, &b, 4, flags, e);
	case WALK_REPLAY:
		return x->ops->replay(x->place, &x->d, &b, &x->path, 2, flags, e);
	default:
		return x->ops->rate_children(x->place, &x->d, &b, &x->c, child_successor, 5,
					     flags | (all ? TRACK_ASSIGN_FIXED : 0), 0x15, x->out,
					     e);
	}
}

void check_walk(struct track_place *device, const struct track_ops *ops, struct track_place *host,
		uint32_t most_slots, struct rng *r)
{
	struct walk_data w = walk_data_make(r, most_slots);
	struct walk x = walk_enter(&w, device, ops), y = walk_enter(&w, host, &tracked_ops_host);
	size_t list = x.c.total * sizeof(uint32_t);
	uint32_t *x_list = check_put(device, w.child_successor, list),
		 *y_list = check_put(host, w.child_successor, list);

	for (int k = 0; k < 2 * WALK_OPS; k++) {
		enum walk_op op = (enum walk_op)((k * 3 + 1) % WALK_OPS);
		uint32_t flags = check_random(r, 0, 3);
		bool all = check_random(r, 0, 1), listed = check_random(r, 0, 1);

		OK(walk_call(&x, op, flags, all, listed ? x_list : NULL, &e));
		OK(walk_call(&y, op, flags, all, listed ? y_list : NULL, &e));
		walk_compare(&x, x.b.states, &y, y.b.states, x.state_bytes);
		walk_compare(&x, x.b.waiting_count, &y, y.b.waiting_count, 4);
		walk_compare(&x, x.b.waiting, &y, y.b.waiting, x.bit_bytes);
		walk_compare(&x, x.out, &y, y.out, x.out_bytes);
	}
	check_take(device, x_list, NULL, list);
	check_take(host, y_list, NULL, list);
	walk_leave(&x);
	walk_leave(&y);
	walk_data_free(&w);
}

/* ---- paths ---- */

/* A history of steps and jumps. */
static struct track_history *random_history(uint32_t layers, uint32_t most, bool wide, bool jumps,
					    struct rng *r)
{
	uint32_t *source = check_alloc(most * sizeof(*source)), *rating = random_list(r, most, 99),
		 *successor = random_list(r, most, wide ? UINT32_MAX : 65536);
	struct track_node *from = check_alloc(most * sizeof(*from));
	struct track_history *h;

	OK(track_history_create(&h, check_random(r, 1, most), wide, 0, &e));
	while (h->layers < layers) {
		uint32_t count = check_random(r, 1, most);

		for (uint32_t i = 0; i < count; i++) {
			uint32_t layer = check_random(r, h->layers / 2, h->layers);

			source[i] = check_random(r, 0, track_history_count(h, h->layers) - 1);
			from[i] = (struct track_node){
				layer, check_random(r, 0, track_history_count(h, layer) - 1)
			};
		}
		if (jumps && check_random(r, 0, 3) == 0)
			OK(track_history_jump(h, count, from, &e));
		else
			OK(track_history_add(h, count, source, successor, rating, &e));
	}
	free(source);
	free(rating);
	free(successor);
	free(from);
	return h;
}

/* The path of one target, by following parents. Returns its number of steps. */
static uint32_t plain_path(const struct track_history *h, struct track_node n, uint32_t down_to,
			   uint32_t rounds, uint32_t *source, uint32_t *successor, uint32_t *start)
{
	uint32_t steps = 0, rating;

	for (uint32_t r = 0; r < rounds; r++)
		successor[r] = TRACK_NO_STEP;
	while (n.layer > down_to) {
		uint32_t r = n.layer - down_to - 1;

		if (!h->layer[n.layer].jump) {
			track_history_get(h, n, &source[r], &successor[r], &rating);
			steps++;
		}
		n = track_history_parent(h, n);
	}
	assert_int_equal(n.layer, down_to);
	*start = n.slot;
	return steps;
}

struct check_mirror check_mirror_make(struct track_place *p, const struct track_history *h)
{
	size_t each = h->wide ? sizeof(struct track_wide_entry) : sizeof(struct track_entry);
	struct check_mirror m = { .table_bytes = (h->layers + 1) * sizeof(uint64_t) };
	uint64_t *entry_at = check_alloc(m.table_bytes), *from_at = check_alloc(m.table_bytes),
		 entries = 0;
	unsigned char *all;
	uint32_t *froms;

	for (uint32_t l = 1; l <= h->layers; l++)
		entries += h->layer[l].count;
	all = check_alloc(entries * each);
	froms = check_alloc(entries * sizeof(*froms));
	entries = 0;
	entry_at[0] = 0;
	from_at[0] = TRACK_TRACE_STEP;
	for (uint32_t l = 1; l <= h->layers; l++) {
		uint32_t count = h->layer[l].count;

		entry_at[l] = entries;
		memcpy(all + entries * each, h->layer[l].entries, count * each);
		entries += count;
		from_at[l] = TRACK_TRACE_STEP;
		if (!h->layer[l].jump)
			continue;
		from_at[l] = m.from_bytes / sizeof(*froms);
		memcpy(froms + from_at[l], h->layer[l].from, count * sizeof(*froms));
		m.from_bytes += count * sizeof(*froms);
	}
	m.bytes = entries * each;
	m.entries = check_put(p, all, m.bytes);
	m.entry_at = check_put(p, entry_at, m.table_bytes);
	m.from = check_put(p, froms, m.from_bytes);
	m.from_at = check_put(p, from_at, m.table_bytes);
	free(entry_at);
	free(from_at);
	free(all);
	free(froms);
	return m;
}

void check_mirror_free(struct track_place *p, struct check_mirror *m)
{
	check_take(p, m->entries, NULL, m->bytes);
	check_take(p, m->entry_at, NULL, m->table_bytes);
	check_take(p, m->from, NULL, m->from_bytes);
	check_take(p, m->from_at, NULL, m->table_bytes);
}

static void check_paths(struct track_place *p, const struct check_mirror *m,
			const struct track_history *h, uint32_t top, uint32_t down_to,
			uint32_t count, struct rng *r)
{
	uint32_t rounds = top - down_to, start;
	size_t list = count * sizeof(uint32_t), all = rounds * list;
	size_t few = rounds * sizeof(uint32_t);
	struct track_node *target = check_alloc(count * sizeof(*target));
	uint32_t *source = check_alloc(all), *successor = check_alloc(all),
		 *starts = check_alloc(list), *iteration = check_alloc(few),
		 *want_source = check_alloc(few), *want = check_alloc(few);
	uint64_t steps = 0, want_steps = 0;

	for (uint32_t i = 0; i < count; i++) {
		target[i].layer = check_random(r, down_to, top);
		target[i].slot = check_random(r, 0, track_history_count(h, target[i].layer) - 1);
	}
	void *target_there = check_put(p, target, count * sizeof(*target));
	struct track_trace t = { .wide = h->wide,
				 .entries = m->entries,
				 .entry_at = m->entry_at,
				 .from = m->from,
				 .from_at = m->from_at,
				 .target = target_there,
				 .count = count,
				 .down_to = down_to,
				 .top = top,
				 .iteration = check_put(p, iteration, few),
				 .source = check_put(p, source, all),
				 .successor = check_put(p, successor, all),
				 .start_slot = check_put(p, starts, list),
				 .steps = check_put(p, &steps, sizeof(steps)) };

	OK(track_trace_kernels_for(p->device)->trace(p->stream, &t, &e));
	check_take(p, t.source, source, all);
	check_take(p, t.successor, successor, all);
	check_take(p, t.start_slot, starts, list);
	check_take(p, t.iteration, iteration, few);
	check_take(p, t.steps, &steps, sizeof(steps));
	check_take(p, target_there, NULL, count * sizeof(*target));
	for (uint32_t i = 0; i < count; i++) {
		want_steps += plain_path(h, target[i], down_to, rounds, want_source, want, &start);
		assert_int_equal(starts[i], start);
		for (uint32_t k = 0; k < rounds; k++) {
			assert_int_equal(successor[k * count + i], want[k]);
			if (want[k] != TRACK_NO_STEP)
				assert_int_equal(source[k * count + i], want_source[k]);
			assert_int_equal(iteration[k], down_to + 1 + k);
		}
	}
	assert_int_equal(steps, want_steps);
	void *memory[] = { source, successor, starts, iteration, want_source, want, target };

	for (size_t i = 0; i < sizeof(memory) / sizeof(*memory); i++)
		free(memory[i]);
}

/* Returns the highest layer, at most `most`, that no path from `top` skips. */
static uint32_t passed_by_all(const struct track_history *h, uint32_t top, uint32_t most)
{
	uint32_t down_to = most;

	for (uint32_t l = top; l > down_to; l--)
		for (uint32_t i = 0; h->layer[l].jump && i < h->layer[l].count; i++)
			if (h->layer[l].from[i] < down_to) {
				down_to = h->layer[l].from[i];
				l = top + 1;
				break;
			}
	return down_to;
}

void check_traces(struct track_place *p, uint32_t layers, uint32_t most, bool wide, bool jumps,
		  struct rng *r)
{
	struct track_history *h = random_history(layers, most, wide, jumps, r);
	struct check_mirror m = check_mirror_make(p, h);

	for (int k = 0; k < 4; k++) {
		uint32_t top = check_random(r, 0, layers), down_to = check_random(r, 0, top);

		check_paths(p, &m, h, top, passed_by_all(h, top, down_to), check_random(r, 1, most),
			    r);
	}
	check_mirror_free(p, &m);
	track_history_destroy(h);
}
