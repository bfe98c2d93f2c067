/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The choice of mode and trigger, on synthetic machines with known rates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdlib.h>

#include <cmocka.h>

#include "algorithms/gmys-ivm/explorers/ivm_tuner.h"
#include "tests/unit/tree-search/noisy_rates.h"

enum { IVMS = 16384 };
static const double CALL = 2e-3;

/* Rates in nodes/s: `peb` for PTE+PEB; `pte` for PTE with the best trigger, and 10 % less for each
 * factor of 2 between the trigger and the best one. */
struct machine {
	double peb, pte;
	int trigger;
};

static double rate_of(const struct machine *m, struct ivm_choice c)
{
	double rate = m->pte;

	if (c.mode == IVM_PTE_PEB)
		return m->peb;
	if (c.trigger < 1)
		return rate / 10;
	for (int t = c.trigger; t > 1.5 * m->trigger; t /= 2)
		rate *= 0.9;
	for (int t = c.trigger; t < m->trigger / 1.5; t *= 2)
		rate *= 0.9;
	return rate;
}

static double run(const struct machine *m, struct ivm_tuner *t, double seconds)
{
	double nodes = 0;

	for (double at = 0; at < seconds; at += CALL) {
		double n = rate_of(m, t->choice) * CALL;

		nodes += n;
		ivm_tuner_saw(t, n, CALL, true);
	}
	return nodes;
}

static void best_choice_is_found_within_five_percent(void **state)
{
	static const struct machine machines[] = {
		{ 1e7, 1e5, 1000 }, { 1e5, 1e9, 100 },  { 7e8, 1e9, 12000 },
		{ 1e9, 9e8, 3000 }, { 1e6, 3e6, 3276 }, { 1e9, 1e8, 50 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		struct flowshop f;
		const struct machine *m = &machines[i];
		double best = m->pte > m->peb ? m->pte : m->peb;

		for (int flowshop = 0; flowshop < 2; flowshop++) {
			struct ivm_request r = { .mode = IVM_AUTO };
			struct ivm_tuner t;

			r.common.flowshop = flowshop ? &f : NULL;
			ivm_tuner_begin(&t, &r, IVMS);
			run(m, &t, 20);
			assert_true(rate_of(m, t.kept) >= 0.95 * best);
			assert_true(run(m, &t, 20) >= 0.95 * best * 20);
		}
	}
}

/* What a search of `seconds` loses to one with the best settings: PTE, the trigger `best`. */
static double noisy_loss(double best, double slope, double seconds, uint64_t seed)
{
	struct ivm_request r = { .mode = IVM_AUTO };
	struct noisy_rates n = noisy_rates(seed);
	struct ivm_tuner t;
	double got = 0, could = 0;

	ivm_tuner_begin(&t, &r, IVMS);
	for (double at = 0; at < seconds; at += CALL) {
		double all = 1e9 * CALL * noisy_drift(&n, at), nodes = all * noisy_factor(&n);

		if (t.choice.mode == IVM_PTE_PEB)
			nodes *= 0.6;
		else
			nodes *= pow(slope, fabs(log2(t.choice.trigger / best)));
		got += nodes;
		could += all;
		ivm_tuner_saw(&t, nodes, CALL, true);
	}
	return 1 - got / could;
}

static void noisy_searches_lose_five_percent_at_most(void **state)
{
	static const double best[] = { 1600, 3277, 6554, 8000 }, seconds[] = { 0.5, 2 };

	(void)state;
	for (int i = 0; i < 4 * 2 * 2; i++) {
		int within = 0;

		for (uint64_t seed = 1; seed <= NOISY_SEEDS; seed++)
			within += noisy_loss(best[i / 4], i & 1 ? 0.75 : 0.9, seconds[i / 2 % 2],
					     seed) < 0.05;
		assert_true(within >= 0.95 * NOISY_SEEDS);
	}
}

/* Measuring a slow neighbour costs little time. */
static void probing_loses_less_than_its_limit(void **state)
{
	const struct machine m = { 1e7, 1e3, 1000 };
	struct flowshop f;
	struct ivm_request r = { .mode = IVM_AUTO, .common.flowshop = &f };
	struct ivm_tuner t;

	(void)state;
	ivm_tuner_begin(&t, &r, IVMS);
	assert_true(run(&m, &t, 0.1) >= 0.97 * 1e7 * 0.1);
	ivm_tuner_begin(&t, &r, IVMS);
	assert_true(run(&m, &t, 10) >= 0.97 * 1e7 * 10);
}

/* Flowshop with LB2: a call of PTE+PEB is one step of 1 ms; one of PTE is six steps of 10 ms,
 * unless it is to be short. */
static void slow_mode_is_tried_for_one_step(void **state)
{
	struct flowshop f;
	struct ivm_request r = { .mode = IVM_AUTO, .common.flowshop = &f };
	struct ivm_tuner t;
	double lost = 0;
	int tried = 0;

	(void)state;
	ivm_tuner_begin(&t, &r, IVMS);
	for (double at = 0, seconds; at < 0.9; at += seconds) {
		bool pte = t.choice.mode == IVM_PTE;
		int steps = pte && !t.one_step ? 6 : 1;

		assert_true(pte || !t.one_step);
		seconds = steps * (pte ? 10e-3 : 1e-3);
		tried += pte;
		lost += seconds - steps * 1e-3;
		ivm_tuner_saw(&t, (double)steps * IVMS, seconds, true);
	}
	assert_in_range(tried, 1, 2);
	assert_true(lost < 0.025 * 0.9);
}

static void requested_settings_stay_fixed(void **state)
{
	const struct machine m = { 1e3, 1e7, 1000 };
	struct ivm_request r = { .mode = IVM_PTE_PEB };
	struct ivm_tuner t;

	(void)state;
	ivm_tuner_begin(&t, &r, IVMS);
	run(&m, &t, 5);
	assert_int_equal(t.choice.mode, IVM_PTE_PEB);
	r = (struct ivm_request){ .mode = IVM_PTE, .trigger = 77 };
	ivm_tuner_begin(&t, &r, IVMS);
	run(&m, &t, 5);
	assert_int_equal(t.choice.mode, IVM_PTE);
	assert_int_equal(t.choice.trigger, 77);
	r.trigger = -1;
	ivm_tuner_begin(&t, &r, IVMS);
	run(&m, &t, 5);
	assert_int_equal(t.choice.trigger, -1);
	r.trigger = IVM_TRIGGER_AUTO;
	ivm_tuner_begin(&t, &r, IVMS);
	assert_int_equal(t.choice.trigger, IVMS / 5);
	run(&m, &t, 5);
	assert_int_equal(t.kept.mode, IVM_PTE);
	assert_in_range(t.kept.trigger, 500, 2000);
}

/* What a request does not name is the paper's: PTE+PEB for flowshop, PTE otherwise, T / 5. */
static void paper_settings_stay_fixed(void **state)
{
	const struct machine m = { 1e3, 1e7, 1000 }, slow = { 1e7, 1e3, 1000 };
	struct flowshop f;
	struct ivm_request r = { .mode = IVM_PAPER_MODE };
	struct ivm_tuner t;

	(void)state;
	ivm_tuner_begin(&t, &r, IVMS);
	run(&slow, &t, 5);
	assert_int_equal(t.choice.mode, IVM_PTE);
	assert_int_equal(t.choice.trigger, IVMS / 5);
	r.common.flowshop = &f;
	ivm_tuner_begin(&t, &r, IVMS);
	run(&m, &t, 5);
	assert_int_equal(t.choice.mode, IVM_PTE_PEB);
}

/* Windows in which few IVMs explore are ignored. */
static void nothing_is_measured_without_work(void **state)
{
	struct ivm_request r = { .mode = IVM_AUTO };
	struct ivm_tuner t;

	(void)state;
	ivm_tuner_begin(&t, &r, IVMS);
	for (int i = 0; i < 10000; i++) {
		ivm_tuner_saw(&t, 1, CALL, false);
		assert_int_equal(t.choice.mode, IVM_PTE);
		assert_int_equal(t.choice.trigger, IVMS / 5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(best_choice_is_found_within_five_percent),
		cmocka_unit_test(noisy_searches_lose_five_percent_at_most),
		cmocka_unit_test(probing_loses_less_than_its_limit),
		cmocka_unit_test(slow_mode_is_tried_for_one_step),
		cmocka_unit_test(requested_settings_stay_fixed),
		cmocka_unit_test(paper_settings_stay_fixed),
		cmocka_unit_test(nothing_is_measured_without_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
