/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Whole runs of hierarchical BOA on the host: serial and cpu agree, problems are solved, and runs
 * stop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/gboa/hboa_runs.h"

static void go(struct hboa_outcome *o, const struct hboa_problem *p, enum solve_variant variant,
	       int threads, int count)
{
	struct boa_setup s = hboa_setup(p, variant, threads, NULL);

	hboa_go(o, &s, count);
	if (o->status)
		fail_msg("%s", o->error.text);
}

static void check_all_ways(const struct hboa_problem *p)
{
	static const int threads[] = { 1, 2, 5 };
	struct hboa_outcome serial, cpu;

	go(&serial, p, SOLVE_SERIAL, 1, 3);
	hboa_check(p, &serial);
	for (int i = 0; i < 3; i++) {
		go(&cpu, p, SOLVE_CPU, threads[i], 3);
		hboa_expect_same(p, &serial, &cpu);
		hboa_outcome_free(&cpu);
	}
	hboa_outcome_free(&serial);
}

static void serial_and_cpu_give_the_same_run(void **state)
{
	struct hboa_problem p = hboa_problem("trap5", "30", 320);

	(void)state;
	p.options.generations = 9;
	p.options.merges = true;
	check_all_ways(&p);
	p.options.merges = false;
	p.options.replacement = BOA_REPLACE_ALL;
	p.options.selected = p.options.population;
	p.options.smoothing = BOA_SMOOTH_LAPLACE;
	p.options.tournament = 5;
	p.options.window = 77;
	p.options.seed = (uint64_t)1 << 40;
	check_all_ways(&p);
	landscape_free(&p.landscape);
	p = hboa_problem("overlap3", "71", 192);
	p.options.generations = 6;
	check_all_ways(&p);
	landscape_free(&p.landscape);
}

/* Number of runs with seeds 1, 2, ... that find the optimum. */
static int solved(const char *problem, const char *instance, int32_t population, int runs)
{
	struct hboa_problem p = hboa_problem(problem, instance, population);
	struct hboa_outcome o;
	int optima = 0;

	go(&o, &p, SOLVE_CPU, 2, runs);
	for (int r = 0; r < runs; r++)
		optima += o.run[r].optimum;
	hboa_check(&p, &o);
	hboa_outcome_free(&o);
	landscape_free(&p.landscape);
	return optima;
}

static void traps_are_solved(void **state)
{
	(void)state;
	assert_in_range(solved("trap5", "30", 1280, 4), 4, 4);
	assert_in_range(solved("overlap3", "41", 1280, 3), 2, 3);
}

static void hierarchical_traps_are_solved(void **state)
{
	(void)state;
	assert_in_range(solved("htrap", "27", 1024, 4), 4, 4);
	assert_in_range(solved("htrap", "81", 1600, 1), 1, 1);
}

struct seen {
	int calls, wrong;
	const struct hboa_problem *p;
};

static void look(void *context, const struct boa_generation *g)
{
	struct seen *s = context;
	const struct boa_options *o = &s->p->options;
	uint8_t bits[64];

	for (int32_t v = 0; v < s->p->landscape.n; v++)
		bits[v] = (uint8_t)boa_bit(g->offspring, v, 7);
	s->wrong += landscape_evaluate(&s->p->landscape, bits) != g->fitness[7];
	s->wrong += g->offspring->count != boa_offspring(o);
	s->wrong += g->selected->count != o->selected || g->network || g->generation != s->calls;
	s->calls++;
}

static void generations_can_be_watched(void **state)
{
	struct hboa_problem p = hboa_problem("trap5", "20", 128);
	struct seen seen = { 0, 0, &p };
	struct boa_setup s = hboa_setup(&p, SOLVE_CPU, 2, NULL);
	struct hboa_outcome o;

	(void)state;
	p.options.generations = 5;
	p.options.stop_at_optimum = false;
	s.watch = look;
	s.watch_context = &seen;
	hboa_go(&o, &s, 1);
	assert_int_equal(o.status, 0);
	assert_int_equal(o.run[0].generations, 5);
	assert_int_equal(seen.calls, 5);
	assert_int_equal(seen.wrong, 0);
	hboa_outcome_free(&o);
	landscape_free(&p.landscape);
}

static void stopping_rules_end_runs(void **state)
{
	struct hboa_problem p = hboa_problem("onemax", "8", 64);
	volatile sig_atomic_t stop = 1;
	struct boa_setup s = hboa_setup(&p, SOLVE_CPU, 1, NULL);
	struct hboa_outcome o;

	(void)state;
	p.options.stop_at_optimum = false;
	p.options.stop_converged = true;
	go(&o, &p, SOLVE_CPU, 1, 1);
	assert_in_range(o.run[0].generations, 1, 199);
	assert_int_equal(o.run[0].best, 8);
	hboa_outcome_free(&o);

	s.stop = &stop;
	hboa_go(&o, &s, 3);
	assert_int_equal(o.status, ERR_LIMIT);
	hboa_check(&p, &o);
	for (int r = 0; r < 3; r++)
		assert_int_equal(o.run[r].generations, 0);
	hboa_outcome_free(&o);

	s.stop = NULL;
	s.time_limit = 1e-9;
	hboa_go(&o, &s, 1);
	assert_int_equal(o.status, ERR_LIMIT);
	hboa_outcome_free(&o);
	landscape_free(&p.landscape);
}

static void invalid_setups_are_refused(void **state)
{
	struct hboa_problem p = hboa_problem("onemax", "8", 64);
	struct boa_setup s = hboa_setup(&p, SOLVE_PUBLISHED, 1, NULL);
	struct hboa_outcome o;

	(void)state;
	hboa_go(&o, &s, 1);
	assert_int_equal(o.status, ERR_UNSUPPORTED);
	hboa_outcome_free(&o);
	s.variant = SOLVE_SERIAL;
	p.options.tournament = 0;
	hboa_go(&o, &s, 1);
	assert_int_equal(o.status, ERR_USAGE);
	hboa_outcome_free(&o);
	p.options.tournament = 2;
	p.options.window = 65;
	hboa_go(&o, &s, 1);
	assert_int_equal(o.status, ERR_USAGE);
	hboa_outcome_free(&o);
	landscape_free(&p.landscape);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(serial_and_cpu_give_the_same_run),
		cmocka_unit_test(traps_are_solved),
		cmocka_unit_test(hierarchical_traps_are_solved),
		cmocka_unit_test(generations_can_be_watched),
		cmocka_unit_test(stopping_rules_end_runs),
		cmocka_unit_test(invalid_setups_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
