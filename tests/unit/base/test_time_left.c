/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The estimate of the time left, on synthetic histories. */
#include "harness/base/time_left.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/rng.h"

static void steady_progress_gives_the_exact_time(void **state)
{
	struct time_left h = { .count = 0 };
	struct time_left_range r;

	(void)state;
	for (double t = 5; t <= 25.001; t += 0.05)
		time_left_note(&h, t, 0.2 + (t - 5) / 100);
	assert_true(time_left_estimate(&h, &r));
	assert_true(fabs(r.seconds - 60) < 0.5);
	assert_true(r.low < r.seconds && r.seconds < r.high);
}

static void little_evidence_gives_no_estimate(void **state)
{
	struct time_left h = { .count = 0 };
	struct time_left_range r;

	(void)state;
	assert_false(time_left_estimate(&h, &r));
	for (double t = 0; t < 0.4; t += 0.05)
		time_left_note(&h, t, t);
	assert_false(time_left_estimate(&h, &r)); /* too short */
	h = (struct time_left){ .count = 0 };
	for (double t = 0; t < 100; t += 0.05)
		time_left_note(&h, t, 0.9 + t / 20000);
	assert_false(time_left_estimate(&h, &r)); /* half a hundredth was observed */
	h = (struct time_left){ .count = 0 };
	for (double t = 0; t < 100; t += 0.05)
		time_left_note(&h, t, fmin(t / 100, 0.3));
	assert_false(time_left_estimate(&h, &r)); /* it stands still */
	time_left_note(&h, 101, -1);
	assert_true(h.share_now > 0.29); /* unknown shares are ignored */
}

static void uneven_progress_gives_a_wide_range(void **state)
{
	struct time_left even = { .count = 0 }, uneven = { .count = 0 };
	struct time_left_range a, b;

	(void)state;
	for (int i = 0; i <= 400; i++) {
		time_left_note(&even, 0.05 * i, 0.001 * i);
		time_left_note(&uneven, 0.05 * i, 0.1 * (i / 100));
	}
	assert_true(time_left_estimate(&even, &a) && time_left_estimate(&uneven, &b));
	assert_true(b.high / b.low > 2 * a.high / a.low);
}

/* Subtrees whose sizes differ by three orders of magnitude, each of the same share. */
static void most_ranges_hold_the_true_time(void **state)
{
	enum { RUNS = 100, SUBTREES = 60 };
	struct rng rng = rng_seeded(3);
	int told = 0, held = 0;

	(void)state;
	for (int run = 0; run < RUNS; run++) {
		double size[SUBTREES], end = 0, t = 0;
		struct time_left h = { .count = 0 };

		for (int i = 0; i < SUBTREES; i++)
			end += size[i] = pow(1000, rng_unit(&rng)) / 100;
		for (int i = 0; i < SUBTREES; t += size[i++]) {
			struct time_left_range r;

			for (int k = 0; k < 10; k++)
				time_left_note(&h, t + size[i] * k / 10, (double)i / SUBTREES);
			if (i % 4 || !time_left_estimate(&h, &r))
				continue;
			told++;
			held += r.low <= end - h.now && end - h.now <= r.high;
		}
	}
	assert_true(told > RUNS * SUBTREES / 8);
	assert_true(held >= 0.8 * told);
}

static void long_histories_keep_their_first_point(void **state)
{
	struct time_left h = { .count = 0 };

	(void)state;
	for (int i = 0; i < 100000; i++)
		time_left_note(&h, i, i / 2e5);
	assert_true(h.at[0] == 0 && h.count <= TIME_LEFT_POINTS && h.count > TIME_LEFT_POINTS / 4);
	for (int i = 1; i < h.count; i++)
		assert_true(h.at[i] > h.at[i - 1] && h.share[i] == h.at[i] / 2e5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steady_progress_gives_the_exact_time),
		cmocka_unit_test(little_evidence_gives_no_estimate),
		cmocka_unit_test(uneven_progress_gives_a_wide_range),
		cmocka_unit_test(most_ranges_hold_the_true_time),
		cmocka_unit_test(long_histories_keep_their_first_point),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
