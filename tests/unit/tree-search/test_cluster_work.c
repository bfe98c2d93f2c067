/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Open work that moves between ranks: after any splits, merges and messages, every permutation of
 * the jobs is in exactly one unit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/tree-search/cluster/cluster_work.h"
#include "harness/base/rng.h"
#include "kernels/gmys-ivm/factoradic.h"

enum { ITEMS = 6, ALL = 720, ROUNDS = 300, PARTS = 12 };
static int items = ITEMS;
static const struct cluster_work_ops *const ops = &cluster_work_ops;

/* ---- the permutations of a unit, counted by their numbers ---- */

static int number_of(const uint16_t *digits)
{
	int number = 0;

	for (int i = 0; i < ITEMS; i++)
		number = number * (ITEMS - i) + digits[i];
	return number;
}

static int factorial(int n)
{
	return n < 2 ? 1 : n * factorial(n - 1);
}

/* Marks what a unit holds: an interval its numbers, a node the first jobs of its open children. */
static void mark_interval(const uint16_t *unit, int *seen)
{
	for (int i = number_of(unit); i <= number_of(unit + ITEMS); i++)
		seen[i]++;
}

static void mark_node(const uint16_t *unit, int *seen)
{
	const uint16_t *job = unit + 4;
	uint64_t in = 0;

	assert_int_equal(unit[0], 1); /* the prefix of these tests: one job */
	for (int i = 0; i < ITEMS; i++)
		in |= UINT64_C(1) << job[i];
	assert_int_equal(in, (1 << ITEMS) - 1);
	for (int i = 0; i < unit[2]; i++)
		seen[job[0] * ITEMS + job[1 + i]]++;
}

static void mark(const struct cluster_open *w, int *seen)
{
	size_t stride = checkpoint_stride(w->c.form, ITEMS);

	for (uint64_t i = 0; i < w->c.count; i++)
		(w->c.form == CHECKPOINT_NODES ? mark_node : mark_interval)(w->c.work + i * stride,
									    seen);
}

/* ---- work to begin with ---- */

static struct cluster_open *made(enum checkpoint_form form, uint64_t count, uint16_t *work)
{
	struct checkpoint c = { .key = { .items = ITEMS, .first_ub = 77 },
				.form = form,
				.count = count,
				.work = work };
	struct cluster_open *w;

	assert_int_equal(cluster_open_take(&w, &c, NULL), 0);
	assert_int_equal(c.count, 0);
	assert_int_equal(w->c.key.first_ub, 77);
	return w;
}

static struct cluster_open *all_numbers(void)
{
	uint16_t *work = calloc(2 * ITEMS, sizeof(*work));

	ivm_factoradic_last(work + ITEMS, ITEMS);
	return made(CHECKPOINT_INTERVALS, 1, work);
}

/* A node for each first job, with all others as open children. */
static struct cluster_open *all_pairs(void)
{
	uint16_t *work = calloc(ITEMS * (ITEMS + 4), sizeof(*work));

	for (uint16_t first = 0; first < ITEMS; first++) {
		uint16_t *node = work + first * (ITEMS + 4);
		int at = 4;

		node[0] = 1;
		node[2] = ITEMS - 1;
		node[at++] = first;
		for (uint16_t job = 0; job < ITEMS; job++)
			if (job != first)
				node[at++] = job;
	}
	return made(CHECKPOINT_NODES, ITEMS, work);
}

/* ---- moves ---- */

static struct cluster_open *through_a_message(struct cluster_open *w)
{
	unsigned char *bytes;
	size_t size;
	void *copy;

	assert_int_equal(ops->pack(&items, w, &bytes, &size, NULL), 0);
	assert_int_equal(ops->unpack(&items, bytes, size, &copy, NULL), 0);
	assert_int_equal(ops->amount(&items, copy), ops->amount(&items, w));
	free(bytes);
	ops->free(&items, w);
	return copy;
}

/* Splits part `from` into the free place `to`, or merges the two. */
static void move(struct cluster_open **part, int from, int to, struct rng *r)
{
	void *given = NULL;

	if (from == to || !part[from])
		return;
	if (part[to]) {
		assert_int_equal(ops->merge(&items, part[from], part[to], NULL), 0);
		part[to] = NULL;
		return;
	}
	assert_int_equal(ops->split(&items, part[from], 0.05 + 0.9 * rng_unit(r), &given, NULL), 0);
	assert_true(ops->amount(&items, part[from]) > 0);
	if (given)
		part[to] = through_a_message(given);
}

static void check_all(struct cluster_open *const *part, int numbers, bool nodes)
{
	int seen[ALL] = { 0 };

	for (int i = 0; i < PARTS; i++)
		if (part[i])
			mark(part[i], seen);
	for (int i = 0; i < numbers; i++)
		assert_int_equal(seen[i], nodes && i / ITEMS == i % ITEMS ? 0 : 1);
}

static int move_around(struct cluster_open *whole, int numbers, uint64_t seed)
{
	struct cluster_open *part[PARTS] = { whole };
	bool nodes = whole->c.form == CHECKPOINT_NODES;
	struct rng r = rng_seeded(seed);
	int most = 0;

	for (int i = 0; i < ROUNDS; i++) {
		int held = 0;

		move(part, (int)rng_below(&r, PARTS), (int)rng_below(&r, PARTS), &r);
		check_all(part, numbers, nodes);
		for (int p = 0; p < PARTS; p++)
			held += part[p] != NULL;
		most = held > most ? held : most;
	}
	for (int p = 0; p < PARTS; p++)
		if (part[p])
			ops->free(&items, part[p]);
	return most;
}

static void nothing_is_lost_or_doubled(void **state)
{
	(void)state;
	assert_int_equal(factorial(ITEMS), ALL);
	for (uint64_t seed = 1; seed <= 30; seed++) {
		assert_true(move_around(all_numbers(), ALL, seed) > 3);
		assert_true(move_around(all_pairs(), ITEMS * ITEMS, seed) > 3);
	}
}

static void fractions_are_met(void **state)
{
	(void)state;
	for (int k = 2; k <= 5; k++) {
		struct cluster_open *w = all_pairs();
		void *part;

		assert_int_equal(ops->split(&items, w, 1.0 / k, &part, NULL), 0);
		assert_int_equal(((struct cluster_open *)part)->c.count, ITEMS / k);
		/* every k-th node, from the k-th on */
		assert_int_equal(((struct cluster_open *)part)->c.work[4], k - 1);
		ops->free(&items, part);
		ops->free(&items, w);
	}
}

static void what_is_indivisible_stays(void **state)
{
	struct cluster_open *whole = cluster_open_whole(
				    &(struct checkpoint_key){ .items = ITEMS, .first_ub = 5 }),
			    *w = all_numbers();
	void *part = w;

	(void)state;
	assert_int_equal(ops->amount(&items, whole), 1);
	assert_int_equal(ops->split(&items, whole, 0.5, &part, NULL), 0);
	assert_null(part);
	memcpy(w->c.work, w->c.work + ITEMS, ITEMS * sizeof(uint16_t));
	assert_int_equal(ops->split(&items, w, 0.5, &part, NULL), 0);
	assert_null(part);
	whole = through_a_message(whole);
	assert_true(whole->whole);
	assert_int_equal(ops->merge(&items, w, whole, NULL), ERR_FAILED);
	ops->free(&items, whole);
	ops->free(&items, w);
}

/* Flips bytes of a message: what is accepted is well-formed. */
static void malformed_work_is_refused(void **state)
{
	struct cluster_open *w[] = { all_numbers(), all_pairs() };
	struct rng r = rng_seeded(3);
	int refused = 0;

	(void)state;
	for (int i = 0; i < 4000; i++) {
		unsigned char *bytes;
		size_t size, cut;
		void *copy;

		assert_int_equal(ops->pack(&items, w[i % 2], &bytes, &size, NULL), 0);
		for (int flips = 0; flips < 1 + i % 3; flips++)
			bytes[rng_below(&r, size)] ^= (unsigned char)(1 + rng_below(&r, 255));
		cut = i % 5 ? size : rng_below(&r, size + 1);
		if (ops->unpack(&items, bytes, cut, &copy, NULL) == 0) {
			int seen[ALL] = { 0 };

			if (((struct cluster_open *)copy)->c.form == CHECKPOINT_INTERVALS)
				mark(copy, seen);
			ops->free(&items, copy);
		} else {
			assert_null(copy);
			refused++;
		}
		free(bytes);
	}
	assert_true(refused > 2000);
	for (int i = 0; i < 2; i++)
		ops->free(&items, w[i]);
}

/* The rules of a file hold for messages, too: here those of the board. */
static void queens_that_attack_are_refused(void **state)
{
	(void)state;
	for (int gap = 1; gap <= 2; gap++) {
		uint16_t *work = calloc(ITEMS + 4, sizeof(*work));
		struct cluster_open *w = made(CHECKPOINT_NODES, 1, work);
		unsigned char *bytes;
		size_t size;
		void *copy;

		strcpy(w->c.key.problem, "nqueens");
		strcpy(w->c.key.rule, "board");
		for (uint16_t i = 0; i < ITEMS; i++)
			work[4 + i] = i;
		work[0] = 2; /* queens in columns 0 and `gap` of the first two rows */
		work[4 + gap] = 1;
		work[5] = (uint16_t)gap;
		assert_int_equal(ops->pack(&items, w, &bytes, &size, NULL), 0);
		assert_int_equal(ops->unpack(&items, bytes, size, &copy, NULL),
				 gap == 1 ? ERR_INPUT : 0);
		if (copy)
			ops->free(&items, copy);
		free(bytes);
		ops->free(&items, w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queens_that_attack_are_refused),
		cmocka_unit_test(nothing_is_lost_or_doubled),
		cmocka_unit_test(fractions_are_met),
		cmocka_unit_test(what_is_indivisible_stays),
		cmocka_unit_test(malformed_work_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
