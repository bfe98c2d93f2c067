/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Runs of the large engine on simulated devices equal serial runs bit by bit, for different numbers
 * of devices, parents and panels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/gboa/boa_replay.h"
#include "tests/unit/base/sanitized.h"
#include "tests/unit/device/simulated_devices.h"

/* Includes the source in order to test the division of the rows. */
#define boa_large_create create_here
#define boa_large_destroy destroy_here
#define boa_large_seconds seconds_here
#include "algorithms/gboa/boa/large_device.c"
#undef boa_large_create
#undef boa_large_destroy
#undef boa_large_seconds

/* Fails unless `devices` devices make the same runs, as `s` asks, as the serial variant. */
static void compare_setup(struct boa_setup s, int count, int devices, const char *schedule,
			  int seed)
{
	struct dev_set set;

	s.variant = SOLVE_SERIAL;
	s.threads = 1;
	struct kept_runs serial = keep_good_runs(&s, count);

	open_devices(&set, devices, schedule, seed);
	s.variant = SOLVE_TUNED;
	s.engine = BOA_LARGE;
	s.devices = &set;
	struct kept_runs large = keep_good_runs(&s, count);

	assert_same_runs(&serial, &large, s.landscape->n);
	free_runs(&serial);
	free_runs(&large);
	dev_set_close(&set);
}

static void compare(const struct landscape *l, const struct boa_options *o, int count, int devices,
		    const char *schedule, int seed)
{
	compare_setup((struct boa_setup){ .landscape = l, .options = o }, count, devices, schedule,
		      seed);
}

/* Skips a test under TSan, where a large run takes minutes. The host threads do the same in all
 * tests. */
static void not_under_tsan(void)
{
	if (UNDER_TSAN)
		skip();
}

/* ---- */

static void one_device_matches_serial(void **state)
{
	not_under_tsan();
	struct landscape l = replay_landscape("trap5", "150");
	struct boa_options o = replay_options(512, 256, 3, 2);

	(void)state;
	compare(&l, &o, 1, 1, "random", 1);
	landscape_free(&l);
}

static void two_devices_match_serial(void **state)
{
	struct landscape l = replay_landscape("onemax", "130");
	struct boa_options o = replay_options(192, 64, 2, 1);

	(void)state;
	compare(&l, &o, 1, 2, "random", 2);
	landscape_free(&l);
}

/* Three tile rows on four devices: one device has no row. */
static void four_devices_match_serial(void **state)
{
	not_under_tsan();
	struct landscape l = replay_landscape("onemax", "300");
	struct boa_options o = replay_options(320, 128, 3, 1);

	(void)state;
	compare(&l, &o, 1, 4, "random", 4);
	landscape_free(&l);
}

static void every_number_of_parents_matches_serial(void **state)
{
	not_under_tsan();
	struct landscape l = replay_landscape("trap4", "20");

	(void)state;
	for (int k = 0; k <= BOA_PARENTS_MAX; k++) {
		struct boa_options o = replay_options(640, 320, k, 1);

		o.smoothing = k & 1 ? BOA_SMOOTH_LAPLACE : BOA_SMOOTH_NONE;
		compare(&l, &o, 1, 1 + k % 2, "random", k);
	}
	landscape_free(&l);
}

/* Cases: all replaced; all selected; few selected; one variable. */
static void replacements_and_sizes_match_serial(void **state)
{
	not_under_tsan();
	struct landscape l = replay_landscape("trap5", "30"),
			 single = replay_landscape("onemax", "1");
	struct boa_options all = replay_options(256, 128, 3, 4),
			   whole = replay_options(128, 128, 2, 2);
	struct boa_options few = replay_options(1024, 32, 3, 3),
			   many = replay_options(1024, 992, 3, 3);

	(void)state;
	all.replacement = whole.replacement = BOA_REPLACE_ALL;
	compare(&l, &all, 2, 2, "random", 3);
	compare(&l, &whole, 1, 1, "random", 4);
	compare(&l, &few, 1, 3, "random", 5);
	compare(&l, &many, 1, 3, "reverse", 6);
	compare(&single, &few, 1, 2, "random", 7);
	landscape_free(&l);
	landscape_free(&single);
}

/* The runs of a call end at different generations. */
static void stopping_rules_end_runs(void **state)
{
	not_under_tsan();
	struct landscape l = replay_landscape("trap3", "12");
	struct boa_options o = replay_options(192, 96, 2, 60);

	(void)state;
	o.stop_converged = true;
	compare(&l, &o, 3, 2, "random", 8);
	o.stop_at_optimum = true;
	compare(&l, &o, 3, 1, "random", 9);
	landscape_free(&l);
}

static void other_problems_match_serial(void **state)
{
	not_under_tsan();
	static const char *const problems[][2] = { { "nk", "20:3:1" },
						   { "ising", "5" },
						   { "htrap", "27" },
						   { "maxsat", "random:30:90:1" } };

	(void)state;
	for (size_t i = 0; i < sizeof(problems) / sizeof(*problems); i++) {
		struct landscape l = replay_landscape(problems[i][0], problems[i][1]);
		struct boa_options o = replay_options(256, 128, 2, 2);

		compare(&l, &o, 1, 2, "random", 10 + (int)i);
		landscape_free(&l);
	}
}

/* With memory for the products of one tile row, and of two, the parents are the same. */
static void panels_of_little_memory_give_the_same_run(void **state)
{
	not_under_tsan();
	struct landscape l = replay_landscape("onemax", "300");
	struct boa_options o = replay_options(128, 64, 3, 1);
	struct boa_setup s = {
		.landscape = &l, .options = &o, .variant = SOLVE_SERIAL, .threads = 1
	};
	struct kept_runs serial = keep_good_runs(&s, 1), large = keep_good_runs(&s, 1);
	const size_t bytes[] = { 1 << 20, 1400 << 10 };
	struct dev_set set;
	struct err e = { 0 };

	(void)state;
	open_devices(&set, 1, "random", 11);
	s.variant = SOLVE_TUNED;
	s.engine = BOA_LARGE;
	s.devices = &set;
	for (int i = 0; i < 2; i++) {
		memset(large.run[0].words, 0, large.words * sizeof(uint32_t));
		s.panel_bytes = bytes[i];
		if (boa_run(&s, large.run, 1, &large.times, &e))
			fail_msg("%s", e.text);
		assert_same_runs(&serial, &large, l.n);
	}
	s.panel_bytes = 1000;
	assert_int_equal(boa_run(&s, large.run, 1, &large.times, &e), ERR_MEMORY);
	assert_non_null(strstr(e.text, "300 variables, 64 selected"));
	free_runs(&serial);
	free_runs(&large);
	dev_set_close(&set);
	landscape_free(&l);
}

static void limits_leave_consistent_runs(void **state)
{
	struct landscape l = replay_landscape("trap5", "20");
	struct boa_options o = replay_options(128, 64, 3, 5), none = replay_options(128, 64, 3, 0);
	volatile sig_atomic_t stop = 1;
	struct dev_set set;
	struct boa_setup s = { .landscape = &l,
			       .options = &o,
			       .variant = SOLVE_TUNED,
			       .engine = BOA_LARGE,
			       .stop = &stop,
			       .devices = &set };

	(void)state;
	open_devices(&set, 2, "random", 12);
	struct kept_runs two = keep_runs(&s, 2), stopped = keep_runs(&s, 1);

	assert_int_equal(two.status, ERR_LIMIT);
	assert_int_equal(two.run[1].best, INT32_MIN); /* it had not begun */
	free_runs(&two);
	assert_int_equal(stopped.status, ERR_LIMIT);
	s = (struct boa_setup){
		.landscape = &l, .options = &none, .variant = SOLVE_SERIAL, .threads = 1
	};
	struct kept_runs first = keep_good_runs(&s, 1);

	assert_same_runs(&stopped, &first, l.n);
	free_runs(&stopped);
	free_runs(&first);
	dev_set_close(&set);
	landscape_free(&l);
}

/* With counts of individuals divided among blocks, and without peer access, runs are the same. */
static void other_divisions_of_the_work_match_serial(void **state)
{
	not_under_tsan();
	struct landscape l = replay_landscape("trap5", "150");
	struct boa_options o = replay_options(4096, 2528, 3, 1);
	struct boa_setup s = { .landscape = &l, .options = &o, .count_shares = 3 };

	(void)state;
	compare_setup(s, 1, 2, "random", 14);
	s.count_shares = 1;
	s.gather_all = true;
	compare_setup(s, 1, 2, "random", 15);
	landscape_free(&l);
}

/* Three chunks of selected individuals, counted one after another. */
static void little_shared_memory_gives_the_same_run(void **state)
{
	not_under_tsan();
	struct landscape l = replay_landscape("trap5", "30");
	struct boa_options o = replay_options(4096, 2528, 3, 1);

	(void)state;
	compare(&l, &o, 1, 1, "random", 8);
	shared_memory_begin("64K");
	compare(&l, &o, 1, 1, "random", 9);
	shared_memory_end();
	landscape_free(&l);
}

static void too_little_memory_is_reported(void **state)
{
	struct landscape l = replay_landscape("onemax", "4000");
	struct boa_options o = replay_options(1 << 16, 1 << 15, 3, 1);
	struct dev_set set;
	struct boa_setup s = { .landscape = &l,
			       .options = &o,
			       .variant = SOLVE_TUNED,
			       .engine = BOA_LARGE,
			       .devices = &set };
	uint8_t *bits = calloc(4000, 1);
	struct boa_run run = { .bits = bits };
	struct boa_times times;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(setenv("COPRA_SIM_MEMORY", "16M", 1), 0);
	open_devices(&set, 1, "random", 13);
	assert_int_equal(boa_run(&s, &run, 1, &times, &e), ERR_MEMORY);
	dev_set_close(&set);
	assert_int_equal(unsetenv("COPRA_SIM_MEMORY"), 0);
	free(bits);
	landscape_free(&l);
}

static double work_of(int32_t first, int32_t last, int32_t rows, int k, size_t chunks)
{
	double sum = 0;

	for (int32_t t = first; t < last; t++)
		sum += row_work(t, rows, k, chunks);
	return sum;
}

/* Shares cover all rows, are in order, and differ from equal shares of the work by at most one
 * row. */
static void shares_are_complete_and_nearly_equal(void **state)
{
	(void)state;
	for (int32_t rows = 1; rows <= 100; rows++)
		for (int devices = 1; devices <= 8; devices++) {
			int32_t first[9];
			int k = rows % (BOA_PARENTS_MAX + 1);
			size_t chunks = (size_t)rows * 7 % 400 + 1;
			double all = work_of(0, rows, rows, k, chunks);
			double last = row_work(rows - 1, rows, k, chunks);

			share_rows(rows, k, chunks, devices, first);
			assert_int_equal(first[0], 0);
			assert_int_equal(first[devices], rows);
			for (int d = 0; d < devices; d++) {
				double work = work_of(first[d], first[d + 1], rows, k, chunks);

				assert_true(first[d + 1] >= first[d]);
				assert_true(work <= all / devices + last * 1.001);
			}
		}
}

/* The devices of four that `count` runs take by default. */
static int paying(const char *instance, enum boa_model model, int engine, int32_t population,
		  int32_t generations, bool stop, int count)
{
	struct landscape l = replay_landscape("trap5", instance);
	struct boa_options o;
	struct dev_set set;
	struct boa_setup s = { .landscape = &l, .options = &o, .engine = engine, .devices = &set };
	int devices;

	boa_defaults(&o);
	o.model = model;
	o.population = population;
	o.generations = generations;
	o.stop_converged = stop;
	open_devices(&set, 4, "random", 1);
	devices = boa_paying_devices(&s, count);
	dev_set_close(&set);
	landscape_free(&l);
	return devices;
}

/* Small runs use one device, large ones all; more variables or runs never take fewer. */
static void more_devices_pay_for_long_runs(void **state)
{
	int before = 1;

	(void)state;
	assert_int_equal(paying("1000", BOA_PERMUTED, BOA_AUTO, 800000, 1000, true, 1), 1);
	assert_int_equal(paying("5000", BOA_PERMUTED, BOA_AUTO, 200000, 1000, true, 1), 4);
	assert_int_equal(paying("5000", BOA_PERMUTED, BOA_LARGE, 200000, 1, false, 1), 1);
	assert_int_equal(paying("5000", BOA_PERMUTED, BOA_LARGE, 200000, 1, false, 1000), 4);
	/* a device alone has less to do than several have to exchange */
	assert_int_equal(paying("100", BOA_PERMUTED, BOA_LARGE, 4800, 1000000, false, 1000), 1);
	for (int n = 50; n < 65536; n += n / 25 * 5) {
		char instance[16];
		int devices;

		snprintf(instance, sizeof(instance), "%d", n);
		devices = paying(instance, BOA_PERMUTED, BOA_LARGE, 65536, 200, false, 1);
		assert_in_range(devices, before, 4);
		before = devices;
	}
	assert_int_equal(before, 4);
	/* the engine grid has at most 4,096 variables, fewer in little shared memory */
	shared_memory_begin("227K");
	assert_int_equal(paying("4095", BOA_PERMUTED, BOA_AUTO, 512, 1, false, 3), 3);
	shared_memory_end();
	shared_memory_begin("64K");
	assert_int_equal(paying("4095", BOA_PERMUTED, BOA_AUTO, 512, 1, false, 3), 1);
	shared_memory_end();
	assert_int_equal(paying("4100", BOA_PERMUTED, BOA_AUTO, 512, 1, false, 3), 1);
	/* other engines and decision graphs: a device for a run */
	assert_int_equal(paying("50", BOA_PERMUTED, BOA_AUTO, 4800, 200, true, 1), 1);
	assert_int_equal(paying("50", BOA_PERMUTED, BOA_BATCH, 4800, 200, true, 3), 3);
	assert_int_equal(paying("5000", BOA_TREES, BOA_AUTO, 200000, 1000, true, 9), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_device_matches_serial),
		cmocka_unit_test(two_devices_match_serial),
		cmocka_unit_test(four_devices_match_serial),
		cmocka_unit_test(every_number_of_parents_matches_serial),
		cmocka_unit_test(replacements_and_sizes_match_serial),
		cmocka_unit_test(stopping_rules_end_runs),
		cmocka_unit_test(other_problems_match_serial),
		cmocka_unit_test(panels_of_little_memory_give_the_same_run),
		cmocka_unit_test(limits_leave_consistent_runs),
		cmocka_unit_test(other_divisions_of_the_work_match_serial),
		cmocka_unit_test(little_shared_memory_gives_the_same_run),
		cmocka_unit_test(too_little_memory_is_reported),
		cmocka_unit_test(shares_are_complete_and_nearly_equal),
		cmocka_unit_test(more_devices_pay_for_long_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
