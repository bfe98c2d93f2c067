/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/koester-recovery/synthetic_form.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct err form_error;

enum { RUN_SEED = 77 };

static const char *const form_names[TRACK_SYNTHETIC_FORMS] = { "tuned",   "elements",  "sums",
							       "vectors", "registers", "rows" };

void *form_alloc(size_t bytes)
{
	void *memory = malloc(bytes ? bytes : 1);

	assert_non_null(memory);
	return memory;
}

void form_open(struct form *f, const struct track_synthetic_options *o, struct dev *device,
	       uint32_t count)
{
	struct matrix_states sizes = { .rows = o->rows,
				       .columns = o->columns,
				       .load = o->load,
				       .state_bytes = o->state_bytes,
				       .break_probability = o->break_probability,
				       .seed = o->seed };

	memset(f, 0, sizeof(*f));
	f->options = *o;
	must(matrix_states_create(&f->oracle, &sizes, &form_error));
	must(track_synthetic_create(&f->domain, o, &form_error));
	must(team_create(&f->pool, 2, &form_error));
	must(track_place_open(&f->place, device, f->pool, 0, &form_error));
	memcpy(f->parameters, f->domain->parameters, f->domain->parameter_bytes);
	must(f->domain->enter(f->domain, &f->place, f->parameters, &f->held, &form_error));
	f->ops = !device                            ? f->domain->host :
		 dev_backend_of(device) == DEV_CUDA ? f->domain->cuda :
						      f->domain->sim;
	f->slots = 2 * count;
	f->buffer_bytes = (size_t)f->slots * o->state_bytes;
	must(track_alloc(&f->place, &f->buffer, f->buffer_bytes, &form_error));
}

void form_close(struct form *f)
{
	track_free(&f->place, f->buffer, f->buffer_bytes);
	f->domain->leave(f->domain, &f->place, f->held);
	track_place_close(&f->place);
	team_destroy(f->pool);
	track_synthetic_destroy(f->domain);
	matrix_states_free(&f->oracle);
}

/* Copies words to new memory of the place; `release` frees it. */
static uint32_t *there(struct form *f, const uint32_t *words, size_t count)
{
	void *memory;

	must(track_alloc(&f->place, &memory, count * 4, &form_error));
	must(track_to(&f->place, memory, words, count * 4, &form_error));
	must(track_sync(&f->place, &form_error));
	return memory;
}

static void release(struct form *f, uint32_t *memory, size_t count)
{
	track_free(&f->place, memory, count * 4);
}

static uint32_t slot_of(const struct form *f, uint32_t i)
{
	return (i * 2 + 1) % f->slots;
}

/* Converts between consecutive states and the layout of the place. */
static void arrange(const struct form *f, unsigned char *states, uint32_t count,
		    unsigned char *buffer, bool to_buffer)
{
	struct track_layout l = f->domain->layout;

	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t u = 0; u < l.units; u++) {
			unsigned char *one = states + ((size_t)i * l.units + u) * l.unit_bytes;
			unsigned char *two =
				buffer + ((size_t)u * f->slots + slot_of(f, i)) * l.unit_bytes;

			memcpy(to_buffer ? two : one, to_buffer ? one : two, l.unit_bytes);
		}
	}
}

static void write_states(struct form *f, unsigned char *states, uint32_t count)
{
	unsigned char *buffer = form_alloc(f->buffer_bytes);

	memset(buffer, 0xa5, f->buffer_bytes);
	arrange(f, states, count, buffer, true);
	must(track_to(&f->place, f->buffer, buffer, f->buffer_bytes, &form_error));
	must(track_sync(&f->place, &form_error));
	free(buffer);
}

static unsigned char *read_states(struct form *f, uint32_t count)
{
	unsigned char *buffer = form_alloc(f->buffer_bytes);
	unsigned char *states = form_alloc((size_t)count * f->options.state_bytes);

	must(track_from(&f->place, buffer, f->buffer, f->buffer_bytes, &form_error));
	must(track_sync(&f->place, &form_error));
	arrange(f, states, count, buffer, false);
	free(buffer);
	return states;
}

static unsigned char *inputs_of(const struct form *f, uint32_t count)
{
	unsigned char *states = form_alloc((size_t)count * f->options.state_bytes);

	for (uint32_t i = 0; i < count; i++)
		matrix_states_input(&f->oracle, i, states + (size_t)i * f->options.state_bytes);
	return states;
}

static void same_states(const struct form *f, const unsigned char *want, const unsigned char *got,
			uint32_t count, const char *what)
{
	size_t m = f->options.state_bytes;

	for (uint32_t i = 0; i < count; i++) {
		for (size_t at = 0; at < m; at += 4) {
			if (memcmp(want + i * m + at, got + i * m + at, 4))
				fail_msg("%s: %u x %u, %s, unit %u: state %u differs at byte %zu",
					 what, f->options.rows, f->options.columns,
					 form_names[f->options.form], f->domain->layout.unit_bytes,
					 i, at);
		}
	}
}

/* The step that makes state i of a layer in these tests. */
static struct matrix_round round_of(uint32_t iteration, uint32_t i)
{
	struct matrix_round r = { iteration, i * 7 % 5 + iteration, i % 3 + 10 * iteration };

	return r;
}

struct words {
	uint32_t *slot, *source, *successor;
	uint32_t *host_source, *host_successor;
	uint32_t count, rounds;
};

/* Slots of the states, and sources and successors of `rounds` rounds. With `gaps`, every fifth pair
 * of state and round has no step, except in round 0. */
static void words_make(struct words *w, struct form *f, uint32_t count, uint32_t rounds, bool gaps)
{
	uint32_t *slot = form_alloc(count * 4);

	w->count = count;
	w->rounds = rounds;
	w->host_source = form_alloc((size_t)count * rounds * 4);
	w->host_successor = form_alloc((size_t)count * rounds * 4);
	for (uint32_t i = 0; i < count; i++)
		slot[i] = slot_of(f, i);
	for (uint32_t r = 0; r < rounds; r++) {
		for (uint32_t i = 0; i < count; i++) {
			struct matrix_round one = round_of(r + 1, i);

			w->host_source[r * count + i] = one.source;
			w->host_successor[r * count + i] =
				gaps && r && (r + i) % 5 == 0 ? TRACK_NO_STEP : one.successor;
		}
	}
	w->slot = there(f, slot, count);
	w->source = there(f, w->host_source, (size_t)count * rounds);
	w->successor = there(f, w->host_successor, (size_t)count * rounds);
	free(slot);
}

static void words_free(struct words *w, struct form *f)
{
	release(f, w->slot, w->count);
	release(f, w->source, (size_t)w->count * w->rounds);
	release(f, w->successor, (size_t)w->count * w->rounds);
	free(w->host_source);
	free(w->host_successor);
}

static struct track_batch batch_of(const struct form *f, const struct words *w)
{
	struct track_batch b = { 0 };

	b.layout = f->domain->layout;
	b.states = f->buffer;
	b.slots = f->slots;
	b.count = w->count;
	b.slot = w->slot;
	b.source = w->source;
	b.successor = w->successor;
	b.seed = RUN_SEED;
	b.iteration = 1;
	return b;
}

static struct matrix_schedule schedule_of(uint32_t steps, uint32_t flags, uint32_t breaks)
{
	struct matrix_schedule s = { .seed = RUN_SEED,
				     .steps = steps,
				     .first = flags & TRACK_ASSIGN_FIRST,
				     .last = flags & TRACK_ASSIGN_LAST,
				     .fixed = flags & TRACK_ASSIGN_FIXED,
				     .breaks = breaks };

	return s;
}

void form_advance(struct form *f, uint32_t count, uint32_t steps, uint32_t flags)
{
	struct matrix_schedule s = schedule_of(steps, flags, 0);
	unsigned char *want = inputs_of(f, count), *got;
	struct track_batch b;
	struct words w;

	words_make(&w, f, count, 1, false);
	write_states(f, want, count);
	b = batch_of(f, &w);
	must(f->ops->advance(&f->place, f->parameters, &b, steps, flags, &form_error));
	got = read_states(f, count);
	for (uint32_t i = 0; i < count; i++) {
		struct matrix_round r = round_of(1, i);

		matrix_follow(&f->oracle, &s, &r, 1, want + (size_t)i * f->options.state_bytes,
			      NULL);
	}
	same_states(f, want, got, count, "advance");
	words_free(&w, f);
	free(want);
	free(got);
}

/* Moves the states of the buffer to new memory, fills the buffer with other bytes, and prepares a
 * gather of the states in another order; `states` gets this order, too. */
static struct track_gather move_away(struct form *f, unsigned char *states, uint32_t count,
				     const struct words *w)
{
	size_t m = f->options.state_bytes;
	unsigned char *buffer = form_alloc(f->buffer_bytes), *old = form_alloc(count * m);
	uint32_t *slot = form_alloc(count * 4);
	struct track_gather g = { .layout = f->domain->layout,
				  .to = f->buffer,
				  .to_slots = f->slots,
				  .count = count,
				  .to_slot = w->slot,
				  .from_slots = { f->slots },
				  .sources = 1 };

	must(track_from(&f->place, buffer, f->buffer, f->buffer_bytes, &form_error));
	must(track_sync(&f->place, &form_error));
	g.from[0] = there(f, (uint32_t *)buffer, f->buffer_bytes / 4);
	must(track_fill(&f->place, f->buffer, 0x5a, f->buffer_bytes, &form_error));
	memcpy(old, states, count * m);
	for (uint32_t i = 0; i < count; i++) {
		slot[i] = slot_of(f, i * 7 % count);
		memcpy(states + i * m, old + i * 7 % count * m, m);
	}
	g.from_slot = there(f, slot, count);
	free(slot);
	free(old);
	free(buffer);
	return g;
}

void form_replay(struct form *f, uint32_t count, uint32_t rounds, uint32_t flags, bool from)
{
	struct matrix_schedule s = schedule_of(1, flags, 0);
	struct track_gather g;
	unsigned char *want = inputs_of(f, count), *got;
	uint32_t *iteration = form_alloc(rounds * 4);
	struct track_path path = { .rounds = rounds, .count = count };
	struct track_batch b;
	struct words w;

	words_make(&w, f, count, rounds, true);
	write_states(f, want, count);
	b = batch_of(f, &w);
	for (uint32_t r = 0; r < rounds; r++)
		iteration[r] = r + 1;
	path.source = w.source;
	path.successor = w.successor;
	path.iteration = there(f, iteration, rounds);
	if (from) {
		g = move_away(f, want, count, &w);
		must(f->ops->replay_from(&f->place, f->parameters, &g, &b, &path, 1, flags,
					 &form_error));
	} else {
		must(f->ops->replay(&f->place, f->parameters, &b, &path, 1, flags, &form_error));
	}
	got = read_states(f, count);
	for (uint32_t k = 0; k < rounds * count; k++) {
		struct matrix_round r = round_of(k / count + 1, k % count);

		if (w.host_successor[k] != TRACK_NO_STEP)
			matrix_follow(&f->oracle, &s, &r, 1,
				      want + (size_t)(k % count) * f->options.state_bytes, NULL);
	}
	same_states(f, want, got, count, from ? "replay of other states" : "replay");
	if (from) {
		release(f, (uint32_t *)(uintptr_t)g.from[0], f->buffer_bytes / 4);
		release(f, (uint32_t *)(uintptr_t)g.from_slot, count);
	}
	release(f, (uint32_t *)path.iteration, rounds);
	words_free(&w, f);
	free(iteration);
	free(want);
	free(got);
}

void form_rate_children(struct form *f, uint32_t count, uint32_t steps, uint32_t flags,
			uint32_t breaks)
{
	struct matrix_schedule s = schedule_of(steps, flags, breaks);
	unsigned char *parents = inputs_of(f, count), *got;
	uint32_t *first = form_alloc(count * 4), *number = form_alloc(count * 4), total = 0,
		 *rating;
	struct track_children c = { .first_source = 5 };
	size_t m = f->options.state_bytes;
	unsigned char *child = form_alloc(m);
	struct track_batch b;
	struct words w;

	words_make(&w, f, count, 1, false);
	write_states(f, parents, count);
	b = batch_of(f, &w);
	for (uint32_t i = 0; i < count; i++) {
		first[i] = total;
		number[i] = i % 4;
		total += i % 4;
	}
	c.first = there(f, first, count);
	c.number = there(f, number, count);
	c.total = total;
	rating = form_alloc(total * 4);
	memset(rating, 0, total * 4);
	uint32_t *rating_there = there(f, rating, total);
	must(f->ops->rate_children(&f->place, f->parameters, &b, &c, NULL, steps, flags, breaks,
				   rating_there, &form_error));
	must(track_from(&f->place, rating, rating_there, total * 4, &form_error));
	got = read_states(f, count);
	same_states(f, parents, got, count, "parents of rated children");
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t k = 0; k < number[i]; k++) {
			struct matrix_round r = { 1, 5 + i, k };

			memcpy(child, parents + i * m, m);
			matrix_follow(&f->oracle, &s, &r, 1, child, NULL);
			assert_int_equal(rating[first[i] + k], matrix_rating(&f->oracle, child));
		}
	}
	release(f, rating_there, total);
	release(f, (uint32_t *)c.first, count);
	release(f, (uint32_t *)c.number, count);
	words_free(&w, f);
	free(rating);
	free(child);
	free(first);
	free(number);
	free(parents);
	free(got);
}

/* Algorithm 2 by execute and assign. Returns how often its inner loop was left. */
static uint32_t by_lines(struct form *f, struct track_batch b, uint32_t steps, double fill_rate,
			 bool first)
{
	uint32_t bit_words = (b.count + 31) / 32, *zeros = calloc(bit_words + 1, 4), breaks = 0;
	uint32_t waiting;

	if (first)
		must(f->ops->assign(&f->place, f->parameters, &b, &form_error));
	b.waiting = there(f, zeros, bit_words);
	b.waiting_count = there(f, zeros, 1);
	while (b.step < steps) {
		must(track_fill(&f->place, b.waiting, 0, bit_words * 4, &form_error));
		must(track_fill(&f->place, b.waiting_count, 0, 4, &form_error));
		do {
			must(f->ops->execute(&f->place, f->parameters, &b, &form_error));
			must(track_from(&f->place, &waiting, b.waiting_count, 4, &form_error));
			must(track_sync(&f->place, &form_error));
			b.step++;
		} while (b.step < steps && !((double)waiting / b.count > fill_rate));
		must(f->ops->assign(&f->place, f->parameters, &b, &form_error));
		breaks++;
	}
	release(f, b.waiting, bit_words);
	release(f, b.waiting_count, 1);
	free(zeros);
	return breaks;
}

/* Algorithm 2 in one call. The words that it uses contain anything before. */
static struct track_together at_once(struct form *f, const struct track_gather *from,
				     struct track_batch b, uint32_t steps, double fill_rate,
				     bool first, uint32_t *rating)
{
	uint32_t bit_words = b.count / 32 + 1, *any = form_alloc((bit_words + steps) * 4);
	struct track_together *done, result;

	memset(any, 0x5a, (bit_words + steps) * 4);
	must(dev_host_alloc(f->place.device, (void **)&done, sizeof(*done), &form_error));
	b.waiting = there(f, any, bit_words);
	b.waiting_count = there(f, any, steps);
	must(f->ops->together(&f->place, f->parameters, from, &b, steps,
			      first ? TRACK_ASSIGN_FIRST : 0, fill_rate, rating, done,
			      &form_error));
	must(track_sync(&f->place, &form_error));
	result = *done;
	release(f, b.waiting, bit_words);
	release(f, b.waiting_count, steps);
	dev_host_free(f->place.device, done);
	free(any);
	return result;
}

void form_together(struct form *f, uint32_t count, uint32_t steps, double fill_rate, bool first)
{
	struct matrix_schedule s = schedule_of(steps, first ? TRACK_ASSIGN_FIRST : 0, 0);
	struct matrix_round *rounds = form_alloc(count * sizeof(*rounds));
	size_t bytes = (size_t)count * f->options.state_bytes;
	unsigned char *inputs = inputs_of(f, count), *want = form_alloc(bytes), *got;
	struct matrix_counts counts = { 0 };
	uint32_t *rating = form_alloc(count * 4), *rating_there;
	struct track_gather moved;
	struct track_batch b;
	struct words w;

	for (uint32_t i = 0; i < count; i++)
		rounds[i] = round_of(1, i);
	words_make(&w, f, count, 1, false);
	b = batch_of(f, &w);
	write_states(f, inputs, count);
	moved = move_away(f, inputs, count, &w);
	memcpy(want, inputs, bytes);
	must(matrix_together(&f->oracle, &s, fill_rate, rounds, count, want, &counts, &form_error));
	rating_there = there(f, w.host_source, count);
	for (int call = 0; call < (f->ops->together ? 3 : 1); call++) {
		static const char *const name[] = { "together", "together in one call",
						    "together, of other states" };

		must(track_fill(&f->place, rating_there, 0x5a, count * 4, &form_error));
		if (call == 2)
			must(track_fill(&f->place, f->buffer, 0x5a, f->buffer_bytes, &form_error));
		else
			write_states(f, inputs, count);
		if (call) {
			struct track_together done = at_once(f, call == 2 ? &moved : NULL, b, steps,
							     fill_rate, first, rating_there);

			assert_int_equal(done.breaks, counts.breaks);
			assert_int_equal(done.executions, counts.executions);
			assert_int_equal(done.assignments, counts.assignments);
		} else {
			assert_int_equal(by_lines(f, b, steps, fill_rate, first), counts.breaks);
			must(f->ops->rate(&f->place, f->parameters, &b, rating_there, &form_error));
		}
		must(track_from(&f->place, rating, rating_there, count * 4, &form_error));
		got = read_states(f, count);
		same_states(f, want, got, count, name[call]);
		for (uint32_t i = 0; i < count; i++)
			assert_int_equal(rating[i],
					 matrix_rating(&f->oracle,
						       want + (size_t)i * f->options.state_bytes));
		free(got);
	}
	release(f, (uint32_t *)(uintptr_t)moved.from[0], f->buffer_bytes / 4);
	release(f, (uint32_t *)(uintptr_t)moved.from_slot, count);
	release(f, rating_there, count);
	words_free(&w, f);
	free(rating);
	free(rounds);
	free(inputs);
	free(want);
}
