/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* N-Queens: both forms of a node against each other and against known counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/tree-search/queens.h"
#include "algorithms/tree-search/nqueens/queens_verify.h"

struct counts {
	uint64_t explored, solutions;
};

static void by_masks(struct queens_masks q, int left, uint32_t full, struct counts *c)
{
	for (uint32_t set = queens_open_columns(q, full); set; set &= set - 1) {
		c->explored++;
		if (left == 1)
			c->solutions++;
		else
			by_masks(queens_put(q, set & (0 - set)), left - 1, full, c);
	}
}

static void swap(uint8_t *a, uint8_t *b)
{
	uint8_t t = *a;

	*a = *b;
	*b = t;
}

static struct queens_masks masks_of(const uint8_t *board, int depth)
{
	struct queens_masks q = { 0, 0, 0 };

	for (int i = 0; i < depth; i++)
		q = queens_put(q, UINT32_C(1) << board[i]);
	return q;
}

static void by_boards(uint8_t *board, int n, int depth, struct counts *c)
{
	uint32_t children = queens_open_columns(masks_of(board, depth), queens_full(n)), seen = 0;

	for (int j = depth; j < n; j++) {
		if (!queens_safe(board, depth, board[j]))
			continue;
		seen |= UINT32_C(1) << board[j];
		c->explored++;
		c->solutions += depth == n - 1;
		swap(&board[depth], &board[j]);
		by_boards(board, n, depth + 1, c);
		swap(&board[depth], &board[j]);
	}
	assert_int_equal(seen, children);
}

static void both_forms_give_known_counts(void **state)
{
	(void)state;
	for (int n = 1; n <= 10; n++) {
		const struct queens_known *known = queens_known(n);
		struct counts masks = { 0, 0 }, boards = { 0, 0 };
		uint8_t board[QUEENS_MAX];

		for (int i = 0; i < n; i++)
			board[i] = (uint8_t)i;
		by_masks((struct queens_masks){ 0, 0, 0 }, n, queens_full(n), &masks);
		by_boards(board, n, 0, &boards);
		assert_non_null(known);
		assert_int_equal(known->n, n);
		assert_int_equal(masks.solutions, known->solutions);
		assert_int_equal(masks.explored, known->explored);
		assert_int_equal(boards.solutions, known->solutions);
		assert_int_equal(boards.explored, known->explored);
	}
}

/* 13 rows are enough to detect a forgotten diagonal; more take long with sanitizers. */
static void masks_give_known_counts_on_larger_boards(void **state)
{
	(void)state;
	for (int n = 11; n <= 13; n++) {
		struct counts c = { 0, 0 };

		by_masks((struct queens_masks){ 0, 0, 0 }, n, queens_full(n), &c);
		assert_int_equal(c.solutions, queens_known(n)->solutions);
		assert_int_equal(c.explored, queens_known(n)->explored);
	}
}

/* Bit 31: a queen in the last of 32 columns. */
static void boards_of_32_columns_use_all_columns(void **state)
{
	struct queens_masks q = queens_put((struct queens_masks){ 0, 0, 0 }, UINT32_C(1) << 31);
	uint8_t board[QUEENS_MAX];

	(void)state;
	for (int i = 0; i < QUEENS_MAX; i++)
		board[i] = (uint8_t)(QUEENS_MAX - 1 - i);
	assert_int_equal(queens_full(32), UINT32_MAX);
	assert_int_equal(queens_full(1), 1);
	assert_int_equal(queens_open_columns(q, queens_full(32)), UINT32_MAX >> 2);
	assert_false(queens_safe(board, 1, 30));
	assert_true(queens_safe(board, 1, 29));
}

static void known_counts_cover_1_to_27_queens(void **state)
{
	(void)state;
	assert_null(queens_known(0));
	assert_null(queens_known(28));
	assert_null(queens_known(-1));
	assert_int_equal(queens_known(27)->n, 27);
	assert_int_equal(queens_known(21)->explored, 0);
	assert_int_equal(queens_known(20)->explored, 3769977745908);
}

/* The counts of 21 to 25 queens are only in a list, which may be wrong. */
static void wrong_counts_are_errors_unless_the_known_one_is_only_listed(void **state)
{
	(void)state;
	for (int n = 1; n <= 27; n++) {
		const struct search_request q = { .queens = n, .solutions_only = true };
		struct search_outcome o = { .complete = true,
					    .solutions = queens_known(n)->solutions };
		struct err e = { 0 };
		bool verified = false;

		assert_int_equal(queens_verify(&q, &o, &verified, &e), 0);
		assert_true(verified);
		o.solutions++;
		assert_int_equal(queens_verify(&q, &o, &verified, &e),
				 n >= 21 && n <= 25 ? 0 : ERR_FAILED);
		assert_false(verified);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_forms_give_known_counts),
		cmocka_unit_test(masks_give_known_counts_on_larger_boards),
		cmocka_unit_test(boards_of_32_columns_use_all_columns),
		cmocka_unit_test(known_counts_cover_1_to_27_queens),
		cmocka_unit_test(wrong_counts_are_errors_unless_the_known_one_is_only_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
