/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Hardware counters: names, missing ones, sums over threads, scaling. */
#include "harness/machine/perf.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/base/sanitized.h"

static void names_are_parsed(void **state)
{
	struct perf_choice c;

	(void)state;
	assert_int_equal(perf_parse(&c, "cycles,llc-misses,instructions", NULL), 0);
	assert_int_equal(c.count, 3);
	assert_string_equal(perf_name(&c, 1), "llc-misses");
	assert_string_equal(perf_counter(&c, 1), "perf_llc_misses");
	assert_string_equal(perf_counter(&c, 2), "perf_instructions");
}

static void bad_names_are_refused(void **state)
{
	static const char *const bad[] = { "",        "cycle",
					   "cycles,", "cycles,,branches",
					   "Cycles",  "cycles,instructions,cycles",
					   " cycles" };
	struct perf_choice c;
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(perf_parse(&c, bad[i], &e), ERR_USAGE);
	assert_int_equal(perf_parse(&c, "llc", &e), ERR_USAGE);
	assert_non_null(strstr(e.text, "'llc' is not one of cycles, instructions, "));
	assert_int_equal(perf_parse(&c, "cycles,cycles", &e), ERR_USAGE);
	assert_string_equal(e.text, "'cycles' is given twice");
}

/* ---- counters that a test controls ---- */

/* What a counter shows at the beginning and at the end of a region. */
static struct {
	uint64_t begin[3], end[3];
} shown;
static int refused_config, error; /* the hardware event that cannot be opened */

static int fake_opener(uint32_t type, uint64_t config, int thread)
{
	int ends[2];

	(void)type;
	(void)thread;
	if ((int)config == refused_config) {
		errno = error;
		return -1;
	}
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], &shown, sizeof(shown)), sizeof(shown));
	close(ends[1]);
	return ends[0];
}

static void missing_events_are_left_out_and_named(void **state)
{
	struct perf_choice c;
	char why[256];

	(void)state;
	refused_config = 0; /* cycles */
	error = EACCES;
	assert_int_equal(perf_parse(&c, "cycles,instructions", NULL), 0);
	perf_probe(&c, fake_opener, why, sizeof(why));
	assert_string_equal(why, "cycles: not permitted (see "
				 "/proc/sys/kernel/perf_event_paranoid); the run goes on without");
	assert_int_equal(c.count, 1);
	assert_string_equal(perf_name(&c, 0), "instructions");
	refused_config = -1;
	perf_probe(&c, fake_opener, why, sizeof(why));
	assert_string_equal(why, "");
	assert_int_equal(c.count, 1);
}

static void every_reason_is_one_line(void **state)
{
	static const int errors[] = { EPERM, ENOENT, EOPNOTSUPP, ENODEV, ENOSYS, EMFILE };
	struct perf_choice c;
	char why[256];

	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		refused_config = 0;
		error = errors[i];
		assert_int_equal(perf_parse(&c, "cycles", NULL), 0);
		perf_probe(&c, fake_opener, why, sizeof(why));
		assert_int_equal(c.count, 0);
		assert_true(strncmp(why, "cycles: ", 8) == 0 && !strchr(why, '\n'));
	}
}

static void counts_are_differences_scaled_by_the_time_that_they_ran(void **state)
{
	struct perf_choice c;
	struct perf_meter *m;
	double counts[PERF_EVENTS];

	(void)state;
	refused_config = -1;
	memcpy(&shown, (uint64_t[]){ 100, 1000, 1000, 400, 3000, 2000 }, sizeof(shown));
	assert_int_equal(perf_parse(&c, "cycles,branches", NULL), 0);
	assert_int_equal(perf_begin(&m, &c, fake_opener, NULL), 0);
	perf_end(m, counts);
	/* one thread: 300 counted in half of the time */
	assert_true(counts[0] == 600 && counts[1] == 600);
	assert_true(counts[2] < 0);
}

static void a_counter_that_never_ran_is_unknown(void **state)
{
	struct perf_choice c;
	struct perf_meter *m;
	double counts[PERF_EVENTS];

	(void)state;
	refused_config = -1;
	memcpy(&shown, (uint64_t[]){ 100, 1000, 1000, 100, 3000, 1000 }, sizeof(shown));
	assert_int_equal(perf_parse(&c, "cycles", NULL), 0);
	assert_int_equal(perf_begin(&m, &c, fake_opener, NULL), 0);
	perf_end(m, counts);
	assert_true(counts[0] < 0);
}

/* ---- real counters ---- */

enum { PAGES = 500 };
static pthread_barrier_t barrier;

static void *touch_pages(void *unused)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p;

	(void)unused;
	p = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	madvise(p, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		p[i * page] = 1;
	munmap(p, PAGES * page);
	return NULL;
}

static void *wait_and_touch(void *unused)
{
	pthread_barrier_wait(&barrier); /* the thread exists */
	pthread_barrier_wait(&barrier); /* the region has begun */
	return touch_pages(unused);
}

static void threads_are_counted_whether_older_or_younger_than_the_region(void **state)
{
	struct perf_choice c;
	struct perf_meter *m;
	double counts[PERF_EVENTS];
	pthread_t older, younger;
	char why[256];

	(void)state;
	assert_int_equal(perf_parse(&c, "page-faults", NULL), 0);
	perf_probe(&c, NULL, why, sizeof(why));
	if (!c.count) {
		print_message("%s\n", why);
		skip();
	}
	pthread_barrier_init(&barrier, NULL, 2);
	assert_int_equal(pthread_create(&older, NULL, wait_and_touch, NULL), 0);
	pthread_barrier_wait(&barrier);
	assert_int_equal(perf_begin(&m, &c, NULL, NULL), 0);
	pthread_barrier_wait(&barrier);
	assert_int_equal(pthread_create(&younger, NULL, touch_pages, NULL), 0);
	touch_pages(NULL);
	pthread_join(older, NULL);
	pthread_join(younger, NULL);
	perf_end(m, counts);
	pthread_barrier_destroy(&barrier);
	assert_true(counts[0] >= 3 * PAGES);
	assert_true(SANITIZED || counts[0] < 4 * PAGES); /* shadow memory has pages, too */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_parsed),
		cmocka_unit_test(bad_names_are_refused),
		cmocka_unit_test(missing_events_are_left_out_and_named),
		cmocka_unit_test(every_reason_is_one_line),
		cmocka_unit_test(counts_are_differences_scaled_by_the_time_that_they_ran),
		cmocka_unit_test(a_counter_that_never_ran_is_unknown),
		cmocka_unit_test(threads_are_counted_whether_older_or_younger_than_the_region),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
