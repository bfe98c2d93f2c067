/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Balances of searches: a balanced one passes, every single difference is found, and the message
 * names the part and the counts. */
#include "algorithms/tree-search/balance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct balance_name device = { "engine", "device", 1, NULL };
static const struct balance_name all = { "engine", NULL, -1, NULL };

static struct balance even(void)
{
	return (struct balance){ .initial = 1,
				 .pushed = 1200,
				 .received = 2,
				 .popped = 1000,
				 .dropped = 196,
				 .given = 3,
				 .left = 4 };
}

static void balanced_counts_pass_and_every_difference_is_found(void **state)
{
	struct balance b = even();
	uint64_t *field[] = { &b.initial, &b.pushed, &b.received, &b.popped,
			      &b.dropped, &b.given,  &b.left };
	struct err e;

	(void)state;
	assert_int_equal(balance_check(&b, &device, false, &e), 0);
	for (size_t i = 0; i < sizeof(field) / sizeof(*field); i++) {
		++*field[i];
		assert_int_equal(balance_check(&b, &device, false, &e), ERR_FAILED);
		*field[i] -= 2;
		assert_int_equal(balance_check(&b, &device, false, &e), ERR_FAILED);
		++*field[i];
	}
	assert_int_equal(balance_check(&b, &device, false, NULL), 0);
}

static void errors_name_the_part_and_its_counts(void **state)
{
	struct balance b = even();
	struct err e;

	(void)state;
	b.popped--;
	assert_int_equal(balance_check(&b, &device, false, &e), ERR_FAILED);
	assert_string_equal(e.text, "engine: device 1 took in 1203 nodes and accounts for 1202 "
				    "(initial 1, pushed 1200, received 2; popped 999, dropped 196, "
				    "given 3, left 4): nodes were lost; please report this");
	b.popped += 2;
	assert_int_equal(balance_check(&b, &device, false, &e), ERR_FAILED);
	assert_non_null(strstr(e.text, ": nodes were searched twice; please report this"));
}

static void complete_searches_have_no_open_nodes(void **state)
{
	struct balance b = even();
	struct err e;

	(void)state;
	assert_int_equal(balance_check(&b, &device, true, &e), ERR_FAILED);
	assert_string_equal(e.text, "engine: device 1: 4 nodes left, 0 expected in a complete "
				    "search: nodes were lost; please report this");
}

static void all_parts_together_receive_what_they_give(void **state)
{
	struct balance b[2] = { even(), even() }, host = { .initial = 1, .pushed = 4, .popped = 5 };
	struct err e;

	(void)state;
	assert_int_equal(balance_check(&b[0], &all, false, &e), ERR_FAILED);
	assert_string_equal(e.text, "engine: all parts together: 3 nodes given, 2 received: nodes "
				    "were lost; please report this");
	b[1].received += 2;
	b[1].popped += 2;
	assert_int_equal(balance_check_all(b, 2, &host, &device, false, &e), 0);
	host.given = host.initial = 2;
	assert_int_equal(balance_check_all(b, 2, &host, &device, false, &e), ERR_FAILED);
	assert_non_null(strstr(e.text, "engine: host took in"));
}

/* Both sides of the equation wrap around equally. */
static void sums_beyond_64_bits_stay_balanced(void **state)
{
	struct balance sum = { .pushed = UINT64_MAX, .popped = UINT64_MAX };
	const struct balance more = { .pushed = 10, .popped = 9, .left = 1 };
	struct err e;

	(void)state;
	balance_add(&sum, &more);
	assert_int_equal(balance_check(&sum, &all, false, &e), 0);
	sum.left--;
	assert_int_equal(balance_check(&sum, &all, false, &e), ERR_FAILED);
}

static void amounts_modulo_a_number_are_compared(void **state)
{
	const uint64_t m = (UINT64_C(1) << 61) - 1;
	struct balance b = { .modulus = m, .initial = 5, .popped = m - 1, .left = 6 };
	struct balance sum = { .modulus = m };
	struct err e;

	(void)state;
	assert_int_equal(balance_check(&b, &device, false, &e), 0);
	for (int i = 0; i < 100; i++)
		balance_add(&sum, &b);
	assert_int_equal(balance_check(&sum, &all, false, &e), 0);
	sum.left++;
	assert_int_equal(balance_check(&sum, &all, false, &e), ERR_FAILED);
	assert_non_null(strstr(e.text, "lost or searched twice"));
}

static void counts_that_differ_are_refused(void **state)
{
	const struct balance_name threads = { "engine", "threads", -1, "tasks" };
	struct err e;

	(void)state;
	assert_int_equal(balance_equal(&threads, "made", 7, "searched", 7, &e), 0);
	assert_int_equal(balance_equal(&threads, "made", 7, "searched", 6, &e), ERR_FAILED);
	assert_string_equal(e.text, "engine: threads: 7 tasks made, 6 searched: tasks were lost; "
				    "please report this");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(balanced_counts_pass_and_every_difference_is_found),
		cmocka_unit_test(errors_name_the_part_and_its_counts),
		cmocka_unit_test(complete_searches_have_no_open_nodes),
		cmocka_unit_test(all_parts_together_receive_what_they_give),
		cmocka_unit_test(sums_beyond_64_bits_stay_balanced),
		cmocka_unit_test(amounts_modulo_a_number_are_compared),
		cmocka_unit_test(counts_that_differ_are_refused),
	};

	return cmocka_run_group_tests_name("balance", tests, NULL, NULL);
}
