/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gboa/hboa/tournaments.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/gboa/boa/vectors.h"

/* ---- rows ---- */

int hboa_rows_create(struct hboa_rows *r, int32_t n, int32_t count, struct err *e)
{
	size_t stride = ((size_t)n + 63) / 64;

	*r = (struct hboa_rows){ n, count, stride,
				 calloc(stride * (size_t)count, sizeof(uint64_t)) };
	if (!r->words)
		return err_set(e, ERR_MEMORY, "no memory for %d individuals of %d variables", count,
			       n);
	return 0;
}

void hboa_rows_destroy(struct hboa_rows *r)
{
	free(r->words);
	*r = (struct hboa_rows){ 0 };
}

/* Swaps bit j of word i with bit i of word j (Warren, "Hacker's Delight", 7-3, with the bits
 * numbered from the lowest). */
static void transpose(uint32_t square[32])
{
	uint32_t mask = 0x0000ffff;

	for (int half = 16; half; half >>= 1, mask ^= mask << half)
		for (int i = 0; i < 32; i = ((i | half) + 1) & ~half) {
			uint32_t swap = (square[i] >> half ^ square[i | half]) & mask;

			square[i] ^= swap << half;
			square[i | half] ^= swap;
		}
}

struct turning {
	const struct hboa_rows *rows;
	uint64_t *to;
	uint32_t *words;
	const uint32_t *from;
	const int32_t *slots;
	size_t stride;
};

static int32_t squares_height(int32_t n, int32_t v)
{
	return n - v < 32 ? n - v : 32;
}

static void from_words(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct turning *t = context;
	const struct hboa_rows *r = t->rows;

	(void)thread;
	for (uint64_t w = from; w < to; w++)
		for (int32_t v = 0; v < r->n; v += 32) {
			uint32_t square[32] = { 0 };

			for (int32_t i = 0; i < squares_height(r->n, v); i++)
				square[i] = t->from[(size_t)(v + i) * t->stride + w];
			transpose(square);
			for (size_t i = 0; i < 32; i++) {
				uint64_t *row = t->to + (32 * w + i) * r->stride + v / 64;

				*row = v % 64 ? *row | (uint64_t)square[i] << 32 : square[i];
			}
		}
}

void hboa_rows_from(struct hboa_rows *r, const uint32_t *words, size_t stride, struct team *w)
{
	struct turning t = { .rows = r, .to = r->words, .from = words, .stride = stride };

	team_for(w, (uint64_t)r->count / 32, 1, from_words, &t);
}

static void to_words(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct turning *t = context;
	const struct hboa_rows *r = t->rows;

	(void)thread;
	for (uint64_t w = from; w < to; w++)
		for (int32_t v = 0; v < r->n; v += 32) {
			uint32_t square[32];

			for (size_t i = 0; i < 32; i++) {
				size_t slot = t->slots ? (size_t)t->slots[32 * w + i] : 32 * w + i;

				square[i] =
					(uint32_t)(r->words[slot * r->stride + (size_t)v / 64] >>
						   v % 64);
			}
			transpose(square);
			for (int32_t i = 0; i < squares_height(r->n, v); i++)
				t->words[(size_t)(v + i) * t->stride + w] = square[i];
		}
}

void hboa_rows_to(const struct hboa_rows *r, const int32_t *slots, int32_t count, uint32_t *words,
		  size_t stride, struct team *w)
{
	struct turning t = { .rows = r, .slots = slots, .words = words, .stride = stride };

	team_for(w, (uint64_t)count / 32, 1, to_words, &t);
}

/* ---- tournament selection ---- */

struct selection {
	const struct boa_options *options;
	uint64_t seed;
	uint32_t generation;
	const int32_t *fitness;
	int32_t *slots;
};

static void hold_tournaments(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct selection *s = context;
	uint32_t population = (uint32_t)s->options->population;

	(void)thread;
	for (uint32_t j = (uint32_t)from; j < to; j++) {
		struct philox4 draws = { { 0 } };
		int32_t winner = -1;

		for (uint32_t d = 0; d < (uint32_t)s->options->tournament; d++) {
			if (d % 4 == 0)
				draws = hboa_contestants(s->seed, s->generation, j, d / 4);
			int32_t slot = (int32_t)hboa_below(draws.word[d % 4], population);

			if (winner < 0 || s->fitness[slot] > s->fitness[winner])
				winner = slot;
		}
		s->slots[j] = winner;
	}
}

void hboa_select(const struct boa_options *o, uint64_t seed, uint32_t generation,
		 const int32_t *fitness, int32_t *slots, struct team *w)
{
	struct selection s = { o, seed, generation, fitness, slots };

	team_for(w, (uint64_t)o->selected, 64, hold_tournaments, &s);
}

/* ---- restricted tournaments ---- */

int32_t hboa_window(const struct boa_options *o, int32_t n)
{
	int32_t twentieth = o->population / 20;

	return o->window ? o->window : n < twentieth ? n : twentieth;
}

/* By definition, restricted tournaments are held one offspring at a time, since each sees the
 * replacements of earlier offspring. Threads therefore search for the nearest individuals of a
 * block of offspring in parallel, as if no slot changed. One thread then processes the
 * block in order and corrects for the slots taken in between. */

/* Offspring of a block for each thread: small, so that few slots change within a block. */
enum { AT_ONCE = 16, AT_ONCE_MAX = 1024 };
/* Rows of at most FEW_WORDS 64-bit words are compared with one slot in each lane. */
enum { FEW_WORDS = 2 };

struct nearest {
	int32_t distance, draw; /* ties: the lower draw */
};

struct hboa_tournaments {
	int32_t window, population, offspring;
	bool plain;
	int32_t at_once, threads;
	struct team *team;
	size_t drawn;            /* entries of a window, rounded up to whole vectors */
	uint32_t *slot;          /* at_once x drawn */
	struct nearest *nearest; /* at_once */
	int32_t *distance;       /* threads x drawn */
	uint32_t *taken;         /* a bit for each slot: taken since the threads searched */
	/* arguments of the present call */
	uint64_t seed;
	uint32_t generation;
	const struct hboa_rows *rows, *from;
	int32_t first;
};

static bool prepare(struct hboa_tournaments *t)
{
	size_t at_once = (size_t)t->at_once;

	t->drawn = ((size_t)t->window + 4 * VEC_LANES - 1) / (4 * VEC_LANES) * (4 * VEC_LANES);
	t->slot = malloc(at_once * t->drawn * sizeof(uint32_t));
	t->nearest = malloc(at_once * sizeof(struct nearest));
	t->distance = malloc((size_t)t->threads * t->drawn * sizeof(int32_t));
	t->taken = calloc(boa_words(t->population), sizeof(uint32_t));
	return t->slot && t->nearest && t->distance && t->taken;
}

int hboa_tournaments_create(struct hboa_tournaments **out, int32_t n, const struct boa_options *o,
			    bool plain, struct team *w, struct err *e)
{
	struct hboa_tournaments *t = calloc(1, sizeof(*t));
	int threads = w ? team_threads(w) : 1;

	*out = t;
	if (t) {
		*t = (struct hboa_tournaments){
			.window = hboa_window(o, n),
			.population = o->population,
			.offspring = boa_offspring(o),
			.plain = plain,
			.team = w,
			.threads = threads,
			.at_once =
				threads < AT_ONCE_MAX / AT_ONCE ? AT_ONCE * threads : AT_ONCE_MAX,
		};
		/* one offspring at a time, so no slot changes in between */
		if (plain)
			t->at_once = 1;
		if (prepare(t))
			return 0;
	}
	hboa_tournaments_destroy(t);
	*out = NULL;
	return err_set(e, ERR_MEMORY, "no memory for the tournaments of %d individuals",
		       o->population);
}

void hboa_tournaments_destroy(struct hboa_tournaments *t)
{
	if (!t)
		return;
	free(t->slot);
	free(t->nearest);
	free(t->distance);
	free(t->taken);
	free(t);
}

static const uint64_t *row_of(const struct hboa_rows *r, int64_t i)
{
	return r->words + (size_t)i * r->stride;
}

static int32_t distance_of(const uint64_t *a, const uint64_t *b, size_t words)
{
	int64_t differ = 0;

	for (size_t w = 0; w < words; w++)
		differ += __builtin_popcountll(a[w] ^ b[w]);
	return (int32_t)differ;
}

/* ---- one at a time ---- */

static struct nearest find_plainly(const struct hboa_tournaments *t, int32_t offspring,
				   uint32_t *slot)
{
	struct nearest best = { INT32_MAX, 0 };

	for (int32_t d = 0; d < t->window; d++) {
		slot[d] = hboa_window_slot(t->seed, t->generation, (uint32_t)offspring, (uint32_t)d,
					   (uint32_t)t->population);
		int32_t distance = distance_of(row_of(t->from, offspring), row_of(t->rows, slot[d]),
					       t->rows->stride);

		if (distance < best.distance)
			best = (struct nearest){ distance, d };
	}
	return best;
}

/* ---- many at a time ---- */

static void draw_slots(const struct hboa_tournaments *t, int32_t offspring, uint32_t *slot)
{
	vec quarter, random[4], high[4], low;

	for (uint32_t k = 0; k < VEC_LANES; k++)
		quarter[k] = k;
	for (size_t d = 0; d < t->drawn; d += 4 * VEC_LANES, quarter += VEC_LANES) {
		vec_philox(vec_all((uint32_t)offspring), quarter, vec_all(t->generation),
			   vec_all((uint32_t)BOA_OTHER + 1), t->seed, random);
		for (uint32_t i = 0; i < 4; i++)
			vec_mul(random[i], (uint32_t)t->population, &high[i], &low);
		/* put the four draws of a call next to each other */
		for (uint32_t half = 0; half < 2; half++) {
			vec even = vec_zip(high[0], high[2], half);
			vec odd = vec_zip(high[1], high[3], half);

			for (uint32_t i = 0; i < 2; i++)
				vec_store_some(slot + d + (2 * half + i) * VEC_LANES,
					       vec_zip(even, odd, i), VEC_LANES);
		}
	}
}

/* For rows of few words, with one slot in each lane. Distances beyond the window are not used. */
static void find_near_distances(const struct hboa_tournaments *t, const uint64_t *offspring,
				const uint32_t *slot, int32_t *distance)
{
	/* 32-bit words, the low one first */
	const uint32_t *rows = (const uint32_t *)(const void *)t->rows->words;
	uint32_t row = 2 * (uint32_t)t->rows->stride, words = (uint32_t)boa_words(t->rows->n);

	for (size_t d = 0; d < t->drawn; d += VEC_LANES) {
		vec at = vec_load_some(slot + d, VEC_LANES) * row, differ = { 0 };

		for (uint32_t w = 0; w < words; w++)
			differ += vec_count(vec_look_up(rows, at + w) ^
					    (uint32_t)(offspring[w / 2] >> 32 * (w % 2)));
		vec_store_some((uint32_t *)distance + d, differ, VEC_LANES);
	}
}

static void find_distances(const struct hboa_tournaments *t, const uint64_t *offspring,
			   const uint32_t *slot, int32_t *distance)
{
	for (int32_t d = 0; d < t->window; d++)
		distance[d] = distance_of(offspring, row_of(t->rows, slot[d]), t->rows->stride);
}

static struct nearest find_nearest(const struct hboa_tournaments *t, const uint64_t *offspring,
				   const uint32_t *slot, int32_t *distance)
{
	struct nearest best = { INT32_MAX, 0 };

	if (t->rows->stride <= FEW_WORDS)
		find_near_distances(t, offspring, slot, distance);
	else
		find_distances(t, offspring, slot, distance);
	for (int32_t d = 0; d < t->window; d++)
		best.distance = distance[d] < best.distance ? distance[d] : best.distance;
	while (distance[best.draw] != best.distance)
		best.draw++;
	return best;
}

static void search_block(void *context, uint64_t from, uint64_t to, int thread)
{
	struct hboa_tournaments *t = context;
	int32_t *distance = t->distance + (size_t)thread * t->drawn;

	for (uint64_t i = from; i < to; i++) {
		uint32_t *slot = t->slot + i * t->drawn;
		int32_t offspring = t->first + (int32_t)i;

		draw_slots(t, offspring, slot);
		t->nearest[i] = find_nearest(t, row_of(t->from, offspring), slot, distance);
	}
}

/* True if the slot was taken after the threads searched. */
static bool is_taken(const struct hboa_tournaments *t, uint32_t slot)
{
	return t->taken[slot / 32] >> slot % 32 & 1;
}

/* A slot that was taken may hold a nearer individual now. */
static struct nearest correct_for_taken(const struct hboa_tournaments *t, const uint64_t *offspring,
					const uint32_t *slot, struct nearest best)
{
	for (int32_t from = 0; from < t->window; from += VEC_LANES) {
		vec at = vec_load_some(slot + from, VEC_LANES);
		uint32_t taken = vec_low_bits(vec_look_up(t->taken, at >> 5) >> (at & 31));

		for (; taken; taken &= taken - 1) {
			int32_t d = from + __builtin_ctz(taken);
			int32_t distance =
				distance_of(offspring, row_of(t->rows, slot[d]), t->rows->stride);

			if (d < t->window && (distance < best.distance ||
					      (distance == best.distance && d < best.draw)))
				best = (struct nearest){ distance, d };
		}
	}
	return best;
}

/* The slot of the nearest individual for offspring i of the block, given the slots as they are now.
 */
static uint32_t nearest_now(const struct hboa_tournaments *t, int32_t i)
{
	const uint32_t *slot = t->slot + (size_t)i * t->drawn;
	const uint64_t *offspring = row_of(t->from, t->first + i);
	struct nearest seen = t->nearest[i];

	if (is_taken(t, slot[seen.draw])) /* the nearest individual has been replaced */
		seen = find_nearest(t, offspring, slot, t->distance);
	else
		seen = correct_for_taken(t, offspring, slot, seen);
	return slot[seen.draw];
}

static void compete(struct hboa_tournaments *t, int32_t offspring, uint32_t slot,
		    struct hboa_rows *rows, int32_t *fitness, const int32_t *offspring_fitness)
{
	if (offspring_fitness[offspring] <= fitness[slot])
		return;
	fitness[slot] = offspring_fitness[offspring];
	memcpy(rows->words + (size_t)slot * rows->stride, row_of(t->from, offspring),
	       rows->stride * sizeof(uint64_t));
	t->taken[slot / 32] |= 1u << slot % 32;
}

void hboa_replace(struct hboa_tournaments *t, uint64_t seed, uint32_t generation,
		  struct hboa_rows *population, int32_t *fitness, const struct hboa_rows *offspring,
		  const int32_t *offspring_fitness)
{
	t->seed = seed;
	t->generation = generation;
	t->rows = population;
	t->from = offspring;
	for (t->first = 0; t->first < t->offspring; t->first += t->at_once) {
		int32_t left = t->offspring - t->first;
		int32_t count = left < t->at_once ? left : t->at_once;

		if (t->plain) {
			uint32_t slot = t->slot[find_plainly(t, t->first, t->slot).draw];

			compete(t, t->first, slot, population, fitness, offspring_fitness);
			continue;
		}
		memset(t->taken, 0, boa_words(t->population) * sizeof(uint32_t));
		team_for(t->team, (uint64_t)count, 4, search_block, t);
		for (int32_t i = 0; i < count; i++)
			compete(t, t->first + i, nearest_now(t, i), population, fitness,
				offspring_fitness);
	}
}
