/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Whole runs on the host: each step follows its definition, serial and cpu agree for any number of
 * threads, stopping rules work, and traps are solved as often as expected. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/gboa/boa_replay.h"

static void defaults_are_those_of_the_paper(void **state)
{
	struct boa_options o;

	(void)state;
	boa_defaults(&o);
	assert_int_equal(o.population, 4800);
	assert_int_equal(o.selected, 2400);
	assert_int_equal(o.max_parents, 3);
	assert_int_equal(o.generations, 200);
	assert_int_equal(boa_check_options(&o, 60, NULL), 0);
}

static void invalid_options_are_refused(void **state)
{
	static const struct {
		int32_t population, selected, k, generations, n;
		enum boa_replacement replacement;
		int status;
	} c[] = {
		{ 64, 32, 3, 1, 5, BOA_REPLACE_WORST, 0 },
		{ 64, 64, 3, 1, 5, BOA_REPLACE_ALL, 0 },
		{ 64, 64, 3, 1, 5, BOA_REPLACE_WORST, ERR_USAGE },
		{ 96, 32, 3, 1, 5, BOA_REPLACE_WORST, ERR_USAGE },
		{ 0, 32, 3, 1, 5, BOA_REPLACE_WORST, ERR_USAGE },
		{ BOA_POPULATION_MAX + 64, 32, 3, 1, 5, BOA_REPLACE_WORST, ERR_USAGE },
		{ 128, 33, 3, 1, 5, BOA_REPLACE_WORST, ERR_USAGE },
		{ 128, 0, 3, 1, 5, BOA_REPLACE_WORST, ERR_USAGE },
		{ 128, 64, 7, 1, 5, BOA_REPLACE_WORST, ERR_USAGE },
		{ 128, 64, -1, 1, 5, BOA_REPLACE_WORST, ERR_USAGE },
		{ 128, 64, 3, -1, 5, BOA_REPLACE_WORST, ERR_USAGE },
		{ 128, 64, 3, 1, 0, BOA_REPLACE_WORST, ERR_USAGE },
		{ 128, 64, 3, 1, BOA_VARIABLES_MAX + 1, BOA_REPLACE_WORST, ERR_USAGE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct boa_options o =
			replay_options(c[i].population, c[i].selected, c[i].k, c[i].generations);
		struct err e = { 0 };

		o.replacement = c[i].replacement;
		assert_int_equal(boa_check_options(&o, c[i].n, &e), c[i].status);
		assert_int_equal(e.text[0] != 0, c[i].status != 0);
	}
}

static void every_step_follows_its_definition(void **state)
{
	struct landscape l = replay_landscape("trap3", "12");

	(void)state;
	for (int way = 0; way < 32; way++) {
		struct boa_options o =
			replay_options(way & 1 ? 192 : 128, way & 2 ? 32 : 96, way % 5, 4);
		struct boa_setup s = { .landscape = &l,
				       .options = &o,
				       .variant = way & 4 ? SOLVE_SERIAL : SOLVE_CPU,
				       .threads = 1 + way % 3 };

		o.seed = 1000 + (uint64_t)way * 0x100000001;
		o.replacement = way & 8 ? BOA_REPLACE_ALL : BOA_REPLACE_WORST;
		o.smoothing = way & 16 ? BOA_SMOOTH_LAPLACE : BOA_SMOOTH_NONE;
		o.stop_converged = true;
		run_by_definition(s);
	}
	landscape_free(&l);
}

static void sboa_follows_its_definition(void **state)
{
	struct landscape l = replay_landscape("trap4", "8");

	(void)state;
	for (int way = 0; way < 4; way++) {
		struct boa_options o = replay_options(128, 64, 1 + way, 3);
		struct boa_setup s = {
			.landscape = &l, .options = &o, .variant = SOLVE_SERIAL, .threads = 1
		};
		struct boa_run none;
		struct boa_times t;

		o.model = BOA_SEARCHED;
		o.replacement = way & 1 ? BOA_REPLACE_ALL : BOA_REPLACE_WORST;
		run_by_definition(s);
		s.variant = SOLVE_CPU;
		assert_int_equal(boa_run(&s, &none, 1, &t, NULL), ERR_USAGE);
	}
	landscape_free(&l);
}

/* Run r of a call equals a single run with the seed of run r. */
static void cpu_matches_serial_for_any_threads(void **state)
{
	static const int counts[] = { 1, 2, 5, 9 }, threads[] = { 1, 2, 3, 7 };
	struct landscape l = replay_landscape("trap5", "35");
	struct boa_options o = replay_options(320, 160, 3, 5);
	struct boa_setup s = {
		.landscape = &l, .options = &o, .variant = SOLVE_SERIAL, .threads = 1
	};
	struct kept_runs serial = keep_good_runs(&s, 9);

	(void)state;
	s.variant = SOLVE_CPU;
	for (size_t c = 0; c < 4; c++) {
		struct kept_runs first = serial;

		first.count = counts[c];
		for (size_t t = 0; t < 4; t++) {
			s.threads = threads[t];
			struct kept_runs cpu = keep_good_runs(&s, counts[c]);

			assert_same_runs(&first, &cpu, l.n);
			free_runs(&cpu);
		}
	}
	o.seed += 4;
	struct kept_runs alone = keep_good_runs(&s, 1), fifth = serial;

	fifth.run = &serial.run[4];
	fifth.count = 1;
	assert_same_runs(&alone, &fifth, l.n);
	free_runs(&alone);
	free_runs(&serial);
	landscape_free(&l);
}

/* A larger population, with rows that end inside a vector. */
static void cpu_matches_serial_for_larger_sizes(void **state)
{
	static const struct {
		const char *n;
		int32_t population, selected, k, generations;
	} c[] = { { "60", 2624, 1312, 3, 4 }, { "200", 64, 32, 6, 6 }, { "5", 9600, 4800, 4, 4 } };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct landscape l = replay_landscape("trap5", c[i].n);
		struct boa_options o =
			replay_options(c[i].population, c[i].selected, c[i].k, c[i].generations);
		struct boa_setup s = { .landscape = &l, .options = &o, .threads = 3 };

		s.variant = SOLVE_SERIAL;
		struct kept_runs serial = keep_good_runs(&s, 1);

		s.variant = SOLVE_CPU;
		struct kept_runs cpu = keep_good_runs(&s, 1);

		assert_same_runs(&serial, &cpu, l.n);
		free_runs(&serial);
		free_runs(&cpu);
		landscape_free(&l);
	}
}

/* ---- ends ---- */

static void stopping_rules_end_runs(void **state)
{
	struct landscape l = replay_landscape("trap5", "20");
	struct boa_options o = replay_options(640, 320, 3, 60);
	struct boa_setup s = { .landscape = &l, .options = &o, .variant = SOLVE_CPU, .threads = 1 };
	struct kept_runs whole = keep_good_runs(&s, 3);

	(void)state;
	o.stop_converged = true;
	struct kept_runs converged = keep_good_runs(&s, 3);

	o.stop_converged = false;
	o.stop_at_optimum = true;
	struct kept_runs optimum = keep_good_runs(&s, 3);

	o.generations = 0;
	struct kept_runs none = keep_good_runs(&s, 3);

	for (int r = 0; r < 3; r++) {
		assert_int_equal(whole.run[r].generations, 60);
		assert_in_range(converged.run[r].generations, 3, 59);
		assert_int_equal(whole.run[r].best, converged.run[r].best);
		assert_int_equal(whole.run[r].optimum, whole.run[r].best == 20);
		assert_int_equal(optimum.run[r].optimum, whole.run[r].optimum);
		if (optimum.run[r].optimum)
			assert_true(optimum.run[r].generations < converged.run[r].generations);
		assert_int_equal(none.run[r].generations, 0);
		assert_int_equal(none.run[r].edges, 0);
		assert_int_equal(none.run[r].best, landscape_evaluate(&l, none.run[r].bits));
	}
	free_runs(&whole);
	free_runs(&converged);
	free_runs(&optimum);
	free_runs(&none);
	landscape_free(&l);
}

/* Sets the stop flag after a number of generations. */
struct stopper {
	volatile sig_atomic_t stop;
	int after;
};

static void count_down(void *context, const struct boa_generation *g)
{
	struct stopper *p = context;

	(void)g;
	if (--p->after == 0)
		p->stop = 1;
}

/* Fails unless the results of each run are consistent, whatever ended the call. */
static void check_partial(const struct kept_runs *k, const struct landscape *l)
{
	assert_int_equal(k->status, ERR_LIMIT);
	assert_true(k->error.text[0] != 0);
	for (int r = 0; r < k->count; r++) {
		const struct boa_run *run = &k->run[r];

		if (run->best == INT32_MIN) /* it had not begun */
			assert_true(run->generations == 0 && run->edges == 0 && !run->optimum);
		else
			assert_int_equal(run->best, landscape_evaluate(l, run->bits));
	}
}

static void limits_leave_consistent_runs(void **state)
{
	struct landscape l = replay_landscape("trap5", "20");
	struct boa_options o = replay_options(128, 64, 2, 50);
	struct stopper stopper = { 0, 70 };
	struct boa_setup s = { .landscape = &l,
			       .options = &o,
			       .threads = 1,
			       .stop = &stopper.stop,
			       .watch = count_down,
			       .watch_context = &stopper };

	(void)state;
	for (int variant = SOLVE_SERIAL; variant <= SOLVE_CPU; variant++) {
		s.variant = (enum solve_variant)variant;
		stopper = (struct stopper){ 0, 70 };
		struct kept_runs k = keep_runs(&s, 4);

		check_partial(&k, &l);
		assert_int_equal(k.run[0].generations, 50);
		assert_int_equal(k.run[1].generations, 20);
		assert_int_equal(k.run[2].best, INT32_MIN);
		assert_int_equal(k.run[3].best, INT32_MIN);
		free_runs(&k);
	}
	o.generations = 1000000;
	s.watch = NULL;
	s.stop = NULL;
	s.time_limit = 0.02;
	for (s.threads = 1; s.threads <= 3; s.threads += 2) {
		struct kept_runs k = keep_runs(&s, 8);

		check_partial(&k, &l);
		assert_true(k.times.total >= 0.02);
		free_runs(&k);
	}
	landscape_free(&l);
}

/* Learning a network of many variables takes minutes, so each learner checks the limit and
 * stops. */
static void limits_are_checked_while_learning(void **state)
{
	enum { N = 8, M = 64 };
	static uint32_t words[N * M / 32];
	const struct boa_data d = { N, M, M / 32, words };
	struct boa_options o = replay_options(128, M, 2, 1);
	struct err e = { 0 };

	(void)state;
	for (int v = 0; v < N; v++)
		words[2 * v] = words[2 * v + 1] = 0x5a5a0f0fu << v;
	for (int way = 0; way < 3; way++) { /* serial, sBOA, in words */
		volatile sig_atomic_t stop = 1;
		const struct boa_limit limit = { &stop, 0 };
		struct boa_network b;
		struct boa_learner *l;

		o.model = way == 1 ? BOA_SEARCHED : BOA_PERMUTED;
		assert_int_equal(boa_learner_create(&l, N, M, &o, way < 2, NULL, &e), 0);
		assert_int_equal(boa_network_create(&b, N, o.max_parents, &e), 0);
		for (int v = 0; v < N; v++)
			b.rank[v] = v;
		assert_int_equal(boa_learn(l, &d, &b, 0, N, &limit, &e), ERR_LIMIT);
		stop = 0;
		assert_int_equal(boa_learn(l, &d, &b, 0, N, &limit, &e), 0);
		boa_network_destroy(&b);
		boa_learner_destroy(l);
	}
}

/* ---- success ---- */

/* True if two success counts may have the same rate: their 99 % intervals (Wilson) overlap. */
static bool rates_agree(int successes, int runs, int reference, int reference_runs)
{
	double low[2], high[2], z = 2.576;
	int s[2] = { successes, reference }, n[2] = { runs, reference_runs };

	for (int i = 0; i < 2; i++) {
		double p = (double)s[i] / n[i], d = 1 + z * z / n[i], c = p + z * z / (2 * n[i]);
		double w = z * sqrt(p * (1 - p) / n[i] + z * z / (4.0 * n[i] * n[i]));

		low[i] = (c - w) / d;
		high[i] = (c + w) / d;
	}
	return low[0] <= high[1] && low[1] <= high[0];
}

/* Another implementation solves the same problem in 10 of 10 runs, after about 9.7 generations. */
static void traps_are_solved_as_often_as_expected(void **state)
{
	enum { RUNS = 20 };
	struct landscape l = replay_landscape("trap5", "30");
	struct boa_options o = replay_options(1600, 800, 3, 200);
	struct boa_setup s = { .landscape = &l, .options = &o, .variant = SOLVE_CPU, .threads = 2 };
	int successes = 0;
	double generations = 0;

	(void)state;
	o.stop_at_optimum = true;
	o.stop_converged = true;
	struct kept_runs k = keep_good_runs(&s, RUNS);

	for (int r = 0; r < RUNS; r++) {
		successes += k.run[r].optimum;
		generations += k.run[r].generations / (double)RUNS;
		assert_int_equal(k.run[r].optimum, landscape_solved_terms(&l, k.run[r].bits) == 6);
	}
	assert_true(rates_agree(successes, RUNS, 10, 10));
	assert_true(generations > 8 && generations < 11.5);
	free_runs(&k);
	/* a population that is too small does not succeed */
	o.population = 128;
	o.selected = 64;
	k = keep_good_runs(&s, RUNS);
	successes = 0;
	for (int r = 0; r < RUNS; r++)
		successes += k.run[r].optimum;
	assert_in_range(successes, 0, 3);
	free_runs(&k);
	landscape_free(&l);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_those_of_the_paper),
		cmocka_unit_test(invalid_options_are_refused),
		cmocka_unit_test(every_step_follows_its_definition),
		cmocka_unit_test(sboa_follows_its_definition),
		cmocka_unit_test(cpu_matches_serial_for_any_threads),
		cmocka_unit_test(cpu_matches_serial_for_larger_sizes),
		cmocka_unit_test(stopping_rules_end_runs),
		cmocka_unit_test(limits_leave_consistent_runs),
		cmocka_unit_test(limits_are_checked_while_learning),
		cmocka_unit_test(traps_are_solved_as_often_as_expected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
