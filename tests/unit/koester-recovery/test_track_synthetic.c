/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Compares every operation of the synthetic model with the oracle of
 * datasets/matrix/matrix_states.h, bit for bit: on the host and on simulated devices, plain and
 * tuned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/koester-recovery/problems/synthetic.h"
#include "harness/base/rng.h"
#include "kernels/koester-recovery/synthetic.h"
#include "tests/unit/base/sanitized.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/koester-recovery/synthetic_form.h"

/* Covers all numbers of columns that have kernels and one that has none; rows that fill the threads
 * of a state, that do not, and that need several turns; with and without context; all kinds of
 * units. */
static const struct track_synthetic_options shapes[] = {
	{ .rows = 16, .columns = 16, .state_bytes = 1024 },
	{ .rows = 16, .columns = 16, .state_bytes = 2048, .unit_bytes = 64 },
	{ .rows = 16, .columns = 16, .state_bytes = 1024 + 48, .unit_bytes = 4 },
	{ .rows = 5, .columns = 8, .state_bytes = 160 + 160, .unit_bytes = 16 },
	{ .rows = 9, .columns = 12, .state_bytes = 432 + 16 },
	{ .rows = 3, .columns = 24, .state_bytes = 288 },
	{ .rows = 130, .columns = 32, .state_bytes = 16640 + 32 },
	{ .rows = 1, .columns = 16, .state_bytes = 64 },
	{ .rows = 4, .columns = 5, .state_bytes = 80 + 64 },
};

enum { STATES = 37, STATES_OF_MANY_ROWS = SANITIZED ? 5 : STATES };

/* The one shape with many rows would take most of the time. */
static uint32_t states_of(const struct track_synthetic_options *o)
{
	return o->rows > 100 ? STATES_OF_MANY_ROWS : STATES;
}

static void in_all_forms(void (*check)(struct form *f))
{
	struct dev_set set;

	open_devices(&set, 1, "random", 3);
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i += UNDER_TSAN ? 3 : 1) {
		for (int k = 0; k < 2 * TRACK_SYNTHETIC_FORMS; k++) {
			struct track_synthetic_options o = shapes[i];
			struct form f;

			o.load = 3;
			o.break_probability = 0.3;
			o.seed = 11 + i;
			o.form = (enum track_synthetic_form)(k / 2);
			form_open(&f, &o, k & 1 ? set.dev[0] : NULL, states_of(&o));
			check(&f);
			form_close(&f);
		}
	}
	dev_set_close(&set);
}

static void check_advance(struct form *f)
{
	static const uint32_t steps[] = { 1, 5, 35 };

	for (uint32_t flags = 0; flags < 4; flags++)
		form_advance(f, states_of(&f->options), steps[(flags + f->options.rows) % 3],
			     flags);
}

static void check_replay(struct form *f)
{
	form_replay(f, states_of(&f->options), 15, TRACK_ASSIGN_LAST, false);
	form_replay(f, states_of(&f->options), 4, 0, false);
	if (f->ops->replay_from)
		form_replay(f, states_of(&f->options), 3, TRACK_ASSIGN_LAST, true);
}

static void check_rate_children(struct form *f)
{
	if (!f->ops->rate_children)
		return;
	form_rate_children(f, states_of(&f->options), 8, TRACK_ASSIGN_FIXED | TRACK_ASSIGN_LAST,
			   0x88);
	/* bits beyond the steps are ignored */
	form_rate_children(f, states_of(&f->options), 5, TRACK_ASSIGN_FIXED | TRACK_ASSIGN_FIRST,
			   0xe2);
	form_rate_children(f, states_of(&f->options), 3, 0, 0);
}

static void check_together(struct form *f)
{
	form_together(f, states_of(&f->options), 8, 0.0, true);
	form_together(f, states_of(&f->options), 8, 0.6, false);
	form_together(f, states_of(&f->options), 3, 1.0, false);
}

static void advance_matches_the_oracle(void **state)
{
	(void)state;
	in_all_forms(check_advance);
}

static void replay_matches_the_oracle(void **state)
{
	(void)state;
	in_all_forms(check_replay);
}

static void rated_children_match_the_oracle(void **state)
{
	(void)state;
	in_all_forms(check_rate_children);
}

static void algorithm_2_matches_the_oracle(void **state)
{
	(void)state;
	in_all_forms(check_together);
}

static uint32_t some(struct rng *r, uint64_t below)
{
	return (uint32_t)rng_below(r, below);
}

/* One simulated device with one multiprocessor, in random order from `seed`. */
static void open_one_multiprocessor(struct dev_set *set, int seed)
{
	assert_int_equal(setenv("COPRA_SIM_SMS", "1", 1), 0);
	open_devices(set, 1, "random", seed);
}

static void close_one_multiprocessor(struct dev_set *set)
{
	dev_set_close(set);
	assert_int_equal(unsetenv("COPRA_SIM_SMS"), 0);
}

/* Few blocks, which have ranges of several words of bits and need several lists; random numbers of
 * states and steps, fill rates and probabilities. */
static void algorithm_2_matches_the_oracle_at_random(void **state)
{
	static const double fill_rates[] = { 0, 0.25, 0.5, 0.75, 1 };
	enum { MOST = 700, RUNS = UNDER_TSAN ? 20 : 80 };
	struct rng random = rng_seeded(21);
	struct dev_set set;

	(void)state;
	assert_int_equal(setenv("COPRA_SIM_SM_BLOCKS", "3", 1), 0);
	open_one_multiprocessor(&set, 8);
	for (int k = 0; k < RUNS; k++) {
		struct track_synthetic_options o = { .rows = 1 + some(&random, 9),
						     .columns = 8,
						     .load = 1 + some(&random, 3),
						     .state_bytes = 288 + 32,
						     .seed = (uint64_t)k };
		/* of few states, the number that decides is often met exactly */
		uint32_t most = k % 4 < 2 ? 24 : MOST;
		uint32_t count = 1 + some(&random, most), steps = 1 + some(&random, 12);
		/* shares that equal F exactly, and any */
		double f = k & 1 ? fill_rates[k / 2 % 5] : rng_unit(&random);
		struct form form;

		if (k & 1)
			count += -count % 4;
		o.break_probability = k % 3 ? rng_unit(&random) / 3 : rng_unit(&random);
		form_open(&form, &o, set.dev[0], count);
		form_together(&form, count, steps, f, k / 2 & 1);
		form_close(&form);
	}
	close_one_multiprocessor(&set);
	assert_int_equal(unsetenv("COPRA_SIM_SM_BLOCKS"), 0);
}

/* On one multiprocessor, launches have several rounds of blocks, a last one with one row per
 * thread, and more or fewer blocks at a time. */
static void launches_of_many_rounds_match_the_oracle(void **state)
{
	static const uint32_t columns[] = { 16, 12, 8 };
	enum { MOST = 600, RUNS = UNDER_TSAN ? 6 : 48 };
	struct rng random = rng_seeded(22);
	struct dev_set set;

	(void)state;
	open_one_multiprocessor(&set, 9);
	for (int k = 0; k < RUNS; k++) {
		struct track_synthetic_options o = { .rows = 1 + some(&random, 16),
						     .columns = columns[k % 3],
						     .load = 1 + some(&random, 2),
						     .state_bytes = 1024 + 32,
						     .break_probability = 0.3,
						     .seed = (uint64_t)k };
		uint32_t count = 1 + some(&random, MOST);
		struct form form;

		form_open(&form, &o, set.dev[0], count);
		form_advance(&form, count, 1, TRACK_ASSIGN_LAST);
		form_replay(&form, count, 1, TRACK_ASSIGN_FIRST, false);
		form_rate_children(&form, count, 3, TRACK_ASSIGN_FIXED | TRACK_ASSIGN_LAST, 2);
		form_close(&form);
	}
	close_one_multiprocessor(&set);
}

/* Contexts of whole pieces are copied beside the products, others before them. */
static void replay_of_copies_matches_the_oracle(void **state)
{
	enum { MOST = 300, RUNS = UNDER_TSAN ? 4 : 24 };
	struct rng random = rng_seeded(23);
	struct dev_set set;

	(void)state;
	open_one_multiprocessor(&set, 10);
	for (int k = 0; k < RUNS; k++) {
		struct track_synthetic_options o = { .rows = 16,
						     .columns = 16,
						     .load = 1 + some(&random, 3),
						     .state_bytes = 1024 + 512 * some(&random, 5),
						     .break_probability = 0.3,
						     .seed = (uint64_t)k };
		uint32_t count = 60 + some(&random, MOST);
		struct form form;

		o.state_bytes += k % 8 ? 0 : 48;
		form_open(&form, &o, set.dev[0], count);
		form_replay(&form, count, 1 + some(&random, 3), (uint32_t)k % 4, true);
		form_close(&form);
	}
	close_one_multiprocessor(&set);
}

/* Rows keep their Euclidean length over thousands of products. */
static void matrices_are_orthogonal(void **state)
{
	for (uint32_t columns = 1; columns <= 64; columns += 9) {
		struct matrix_states sizes = { .rows = 1,
					       .columns = columns,
					       .load = 4000,
					       .state_bytes = 4 * columns,
					       .seed = columns },
				     m;
		struct matrix_schedule s = { .steps = 0, .first = true };
		struct matrix_round r = { 1, 0, 0 };
		float row[64];
		double before = 0, after = 0;

		must(matrix_states_create(&m, &sizes, &form_error));
		matrix_states_input(&m, 3, row);
		for (uint32_t i = 0; i < columns; i++)
			before += (double)row[i] * (double)row[i];
		matrix_follow(&m, &s, &r, 1, row, NULL);
		for (uint32_t i = 0; i < columns; i++)
			after += (double)row[i] * (double)row[i];
		assert_true(after > 0.99 * before && after < 1.01 * before);
		for (uint32_t i = 0; i < columns; i++) {
			for (uint32_t j = 0; j < columns; j++) {
				double dot = i == j ? -1 : 0;

				for (uint32_t k = 0; k < columns; k++)
					dot += (double)m.assign[i * columns + k] *
					       (double)m.assign[j * columns + k];
				assert_true(dot < 1e-6 && dot > -1e-6);
			}
		}
		if (columns > 1)
			assert_memory_not_equal(m.assign, m.execute, columns * columns * 4);
		matrix_states_free(&m);
	}
	(void)state;
}

/* Recorded results depend on the generator, so it must not change unnoticed. */
static void generator_is_unchanged(void **state)
{
	struct matrix_states sizes = { .rows = 2,
				       .columns = 2,
				       .load = 1,
				       .state_bytes = 32,
				       .seed = 1 },
			     m;
	uint32_t words[8];

	(void)state;
	must(matrix_states_create(&m, &sizes, &form_error));
	matrix_states_input(&m, 0, words);
	assert_int_equal(words[0], 0xbdea4710);
	assert_int_equal(words[3], 0x3f2bea0c);
	assert_int_equal(words[7], 0x3d00e39f);
	assert_true(m.execute[0] == 0x1.bd75d8p-1f);
	assert_true(m.execute[1] == -0x1.f8d03p-2f);
	assert_true(m.assign[0] == 0x1.fb8cbcp-1f);
	matrix_states_free(&m);
}

static void refuses(const struct track_synthetic_options *o, const char *text)
{
	struct track_domain *d;
	struct err e = { 0 };

	assert_int_equal(track_synthetic_create(&d, o, &e), ERR_USAGE);
	assert_null(d);
	if (!strstr(e.text, text))
		fail_msg("\"%s\" lacks \"%s\"", e.text, text);
}

static void impossible_sizes_are_refused(void **state)
{
	struct track_synthetic_options good = { .rows = 16,
						.columns = 16,
						.load = 10,
						.state_bytes = 1024 + 32,
						.break_probability = 0.1 };
	struct track_synthetic_options o;

	(void)state;
	o = good, o.rows = 0, refuses(&o, "at least 1 row");
	o = good, o.columns = 65, refuses(&o, "16 x 65");
	o = good, o.rows = o.columns = UINT32_MAX, refuses(&o, "columns");
	o = good, o.rows = 1u << 28, refuses(&o, "has 17179869184 bytes");
	o = good, o.state_bytes = 1020, refuses(&o, "1020");
	o = good, o.state_bytes = 1032, refuses(&o, "16 bytes for variables");
	o = good, o.load = 0, refuses(&o, "at least one product");
	o = good, o.break_probability = 1.5, refuses(&o, "1.5");
	o = good, o.break_probability = 0.0 / 0.0, refuses(&o, "nan");
	o = good, o.unit_bytes = 12, refuses(&o, "units of 12");
	o = good, o.unit_bytes = 2, refuses(&o, "units of 2");
	o = good, o.unit_bytes = 64, refuses(&o, "units of 64");
}

static void too_little_memory_is_an_error(void **state)
{
	struct track_synthetic_options o = {
		.rows = 16, .columns = 16, .load = 10, .state_bytes = 1024
	};
	struct track_domain *d;
	struct track_place place;
	struct track_synthetic parameters;
	struct err e = { 0 };
	void *held;

	(void)state;
	must(track_synthetic_create(&d, &o, &form_error));
	must(track_place_open(&place, NULL, NULL, 2047, &form_error));
	parameters = *(const struct track_synthetic *)d->parameters;
	assert_int_equal(d->enter(d, &place, &parameters, &held, &e), ERR_MEMORY);
	assert_non_null(strstr(e.text, "matrices of the synthetic model"));
	assert_int_equal(place.used, 0);
	track_place_close(&place);
	track_synthetic_destroy(d);
}

static void other_numbers_of_columns_are_unsupported(void **state)
{
	struct track_synthetic parameters = { .rows = 1, .columns = 5, .load = 1 };
	struct track_batch b = { .count = 1 };
	struct track_place place;
	struct dev_set set;
	struct err e = { 0 };
	uint32_t rating;

	(void)state;
	open_devices(&set, 1, "order", 1);
	must(track_place_open(&place, set.dev[0], NULL, 0, &form_error));
	assert_int_equal(track_synthetic_rows_ops_sim.rate(&place, &parameters, &b, &rating, &e),
			 ERR_UNSUPPORTED);
	assert_non_null(strstr(e.text, "5 columns"));
	assert_int_equal(track_synthetic_rows_ops_sim.assign(&place, &parameters, &b, &e),
			 ERR_UNSUPPORTED);
	track_place_close(&place);
	dev_set_close(&set);
}

/* Returns the number of assignments in one run of Algorithm 2 with many states. */
static int simulated_breaks(double q, double fill_rate, uint32_t steps)
{
	enum { MANY = 4096 };
	static bool waits[MANY];
	static uint64_t seed;
	struct rng random = rng_seeded(++seed);
	uint32_t waiting = 0;
	int breaks = 0;

	memset(waits, 0, sizeof(waits));
	for (uint32_t s = 0; s < steps; s++) {
		for (uint32_t i = 0; i < MANY; i++) {
			if (!waits[i] && rng_next(&random) >> 32 < (uint64_t)(q * 4294967296.0)) {
				waits[i] = true;
				waiting++;
			}
		}
		if (s + 1 == steps || (double)waiting / MANY > fill_rate) {
			memset(waits, 0, sizeof(waits));
			waiting = 0;
			breaks++;
		}
	}
	return breaks;
}

static uint32_t printed_breaks(int fill_percent)
{
	struct track_synthetic_setup s = track_synthetic_setup_default();

	s.fill_rate = fill_percent / 100.0;
	return track_synthetic_breaks(&s);
}

static int bits(uint32_t word)
{
	return __builtin_popcount(word);
}

/* 8, 2, 1 and 1 assignments in 8 steps; the literal reading has 8, 8, 8, 1 (P = 70 %) and
 * 8, 4, 3, 1 (P = 30 %). */
static void schedules_have_the_printed_breaks(void **state)
{
	static const int fill[] = { 0, 30, 60, 100 };
	static const int printed[] = { 8, 2, 1, 1 }, at_30[] = { 8, 4, 3, 1 },
			 at_70[] = { 8, 8, 8, 1 }, eighth_30[] = { 8, 1, 1, 1 },
			 eighth_70[] = { 8, 2, 1, 1 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		double f = fill[i] / 100.0;

		assert_int_equal(bits(printed_breaks(fill[i])), printed[i]);
		assert_int_equal(bits(track_synthetic_expected_breaks(0.3, f, 8)), at_30[i]);
		assert_int_equal(bits(track_synthetic_expected_breaks(0.7, f, 8)), at_70[i]);
		assert_int_equal(bits(track_synthetic_expected_breaks(0.3 / 8, f, 8)),
				 eighth_30[i]);
		assert_int_equal(bits(track_synthetic_expected_breaks(0.7 / 8, f, 8)),
				 eighth_70[i]);
		for (int run = 0; run < 4; run++)
			assert_int_equal(simulated_breaks(0.09, f, 8), printed[i]);
	}
	assert_int_equal(printed_breaks(30), 0x88);
	assert_int_equal(track_synthetic_expected_breaks(0.0, 0.0, 8), 0x80);
	assert_int_equal(track_synthetic_expected_breaks(0.5, 0.0, 0), 0);
	/* limits of the probabilities that give the printed schedule */
	assert_int_equal(bits(track_synthetic_expected_breaks(0.0498, 0.3, 8)), 2);
	assert_int_equal(bits(track_synthetic_expected_breaks(0.0496, 0.3, 8)), 1);
	assert_int_equal(bits(track_synthetic_expected_breaks(0.1120, 0.3, 8)), 2);
	assert_int_equal(bits(track_synthetic_expected_breaks(0.1122, 0.3, 8)), 3);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(matrices_are_orthogonal),
		cmocka_unit_test(generator_is_unchanged),
		cmocka_unit_test(impossible_sizes_are_refused),
		cmocka_unit_test(too_little_memory_is_an_error),
		cmocka_unit_test(other_numbers_of_columns_are_unsupported),
		cmocka_unit_test(schedules_have_the_printed_breaks),
		cmocka_unit_test(advance_matches_the_oracle),
		cmocka_unit_test(replay_matches_the_oracle),
		cmocka_unit_test(rated_children_match_the_oracle),
		cmocka_unit_test(algorithm_2_matches_the_oracle),
		cmocka_unit_test(algorithm_2_matches_the_oracle_at_random),
		cmocka_unit_test(launches_of_many_rounds_match_the_oracle),
		cmocka_unit_test(replay_of_copies_matches_the_oracle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
