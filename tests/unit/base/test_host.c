/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The available memory of the host, and requests for more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/base/clock.h"
#include "harness/base/host.h"
#include "harness/base/team.h"

static void what_is_available_is_granted(void **state)
{
	const double available = (double)host_memory_available();
	struct err e = { 0 };

	(void)state;
	assert_true(available > 0);
	assert_int_equal(host_memory_check(0, "nothing", &e), 0);
	assert_int_equal(host_memory_check(1, "a byte", &e), 0);
	assert_int_equal(host_memory_check(available / 8, "an eighth", &e), 0);
	/* requests are not added up */
	for (int i = 0; i < 1000; i++)
		assert_int_equal(host_memory_check(available / 100, "a hundredth", &e), 0);
}

/* What /proc/meminfo has now. */
static int64_t available_now(void)
{
	char line[128];
	long long kilobytes = -1;
	FILE *f = fopen("/proc/meminfo", "r");

	assert_non_null(f);
	while (kilobytes < 0 && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %lld", &kilobytes) != 1)
			kilobytes = -1;
	fclose(f);
	return 1024 * (int64_t)kilobytes;
}

/* Accesses memory until the system counts it: the kernel may take it from a list of free pages that
 * it does not count as available. */
static void what_was_seen_is_soon_forgotten(void **state)
{
	enum { PARTS = 32, PART = 32 << 20, PAGE = 4096 };
	int64_t seen = host_memory_available(), before, after, bytes;
	volatile char *part[PARTS];
	int parts = 0;

	(void)state;
	while (parts < PARTS && available_now() == seen) {
		part[parts] = malloc(PART);
		assert_non_null(part[parts]);
		for (size_t i = 0; i < PART; i += PAGE)
			part[parts][i] = 1;
		parts++;
	}
	do { /* other processes may change it meanwhile */
		clock_sleep(0.02);
		before = available_now();
		bytes = host_memory_available();
		after = available_now();
	} while (before != after);
	assert_int_equal(bytes, after);
	while (parts)
		free((void *)part[--parts]);
}

static const double too_much = 1e15;

static void more_is_refused_with_both_figures(void **state)
{
	static const char begin[] = "the table needs 1e+15 bytes, ";
	struct err e = { 0 };

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(host_memory_check(too_much, "the table", &e), ERR_MEMORY);
		assert_memory_equal(e.text, begin, sizeof(begin) - 1);
		assert_non_null(strstr(e.text, " are available"));
		assert_int_equal(host_memory_check(1000, "a buffer", &e), 0);
	}
	assert_int_equal(host_memory_check(1e300, "the table", &e), ERR_MEMORY);
}

struct requests {
	double small;
	_Atomic int wrong;
};

static void ask(void *context, uint64_t from, uint64_t to, int thread)
{
	struct requests *r = context;
	struct err e;

	(void)thread;
	for (uint64_t i = from; i < to; i++)
		if (host_memory_check(i % 100 ? r->small : too_much, "a buffer", &e) !=
		    (i % 100 ? 0 : ERR_MEMORY))
			r->wrong++;
}

static void threads_are_answered_alike(void **state)
{
	struct requests r = { .small = (double)host_memory_available() / 1000 };
	struct team *t;
	struct err e;

	(void)state;
	assert_int_equal(team_create(&t, 4, &e), 0);
	team_for(t, 20000, 1, ask, &r);
	team_destroy(t);
	assert_int_equal(r.wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_available_is_granted),
		cmocka_unit_test(what_was_seen_is_soon_forgotten),
		cmocka_unit_test(more_is_refused_with_both_figures),
		cmocka_unit_test(threads_are_answered_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
