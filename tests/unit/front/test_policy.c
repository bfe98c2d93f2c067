/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The rules of `copra solve`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "front/policy.h"
#include "front/programs.h"

static struct policy_flags flags_of(char *const *words)
{
	struct policy_flags f = { 0, words };

	while (words[f.count])
		f.count++;
	return f;
}
#define NO_FLAGS ((struct policy_flags){ 0, NULL })
#define FLAGS(...) flags_of((char *[]){ __VA_ARGS__, NULL })

static void values_of_flags_are_found(void **state)
{
	struct policy_flags f = FLAGS("--bound=lb1", "--time-limit", "5", "--value-only", "--seed",
				      "1", "--seed=2", "--json");

	(void)state;
	assert_true(policy_given(&f, "bound") && policy_given(&f, "value-only"));
	assert_true(policy_given(&f, "json") && !policy_given(&f, "boun"));
	assert_false(policy_given(&f, "time"));
	assert_string_equal(policy_value(&f, "bound"), "lb1");
	assert_string_equal(policy_value(&f, "time-limit"), "5");
	assert_string_equal(policy_value(&f, "seed"), "2");
	assert_null(policy_value(&f, "json"));
	assert_null(policy_value(&f, "device"));
}

static const struct policy_rule *choose(enum instance_problem problem, const char *word,
					int64_t size, int64_t second, int gpus,
					struct policy_flags user)
{
	struct instance x = { .problem = problem, .size = size, .second = second };

	snprintf(x.word, sizeof(x.word), "%s", word);
	return policy_choose(&x, &user, gpus, NULL);
}

static void flowshops_are_searched_by_their_size(void **state)
{
	const struct policy_rule *r;

	(void)state;
	r = choose(INSTANCE_FLOWSHOP, "flowshop", 26, 20, 0, NO_FLAGS);
	assert_string_equal(r->flags, "--bound lb2 --branching maxsum");
	assert_null(r->beam);
	for (int gpus = 0; gpus < 3; gpus++) {
		r = choose(INSTANCE_FLOWSHOP, "flowshop", 40, 20, gpus, NO_FLAGS);
		assert_null(r->beam);
		assert_non_null(strstr(r->flags, "--bound lb1-pairs --branching minbranch --imp"));
		r = choose(INSTANCE_FLOWSHOP, "flowshop", 27, 20, gpus, FLAGS("--resume=f"));
		assert_string_equal(r->flags, "--bound lb1-pairs --branching minbranch");
		r = choose(INSTANCE_FLOWSHOP, "flowshop", 41, 20, gpus, NO_FLAGS);
		assert_string_equal(r->target, "gmys-ivm");
		assert_non_null(strstr(r->flags, "--bound lb1 --branching minbranch"));
		assert_non_null(r->beam);
		assert_true(!strstr(r->beam, "cpu") == (gpus > 0));
		assert_non_null(strstr(r->flags, "--improve auto"));
	}
	r = choose(INSTANCE_FLOWSHOP, "flowshop", 100, 15, 1, NO_FLAGS);
	assert_null(r->beam);
	for (int gpus = 0; gpus < 2; gpus++) /* no width for any size may be missing */
		for (int jobs = 41; jobs <= 800; jobs++)
			assert_non_null(
				choose(INSTANCE_FLOWSHOP, "flowshop", jobs, 20, gpus, NO_FLAGS)
					->beam);
}

static void a_start_of_the_user_replaces_the_beam(void **state)
{
	(void)state;
	assert_null(choose(INSTANCE_FLOWSHOP, "flowshop", 50, 20, 1, FLAGS("--ub", "3700"))->beam);
	assert_null(strstr(
		choose(INSTANCE_FLOWSHOP, "flowshop", 50, 20, 1, FLAGS("--ub", "3700"))->flags,
		"--improve"));
	assert_null(choose(INSTANCE_FLOWSHOP, "flowshop", 50, 20, 0, FLAGS("--start=neh"))->beam);
	assert_null(choose(INSTANCE_FLOWSHOP, "flowshop", 50, 20, 0, FLAGS("--resume=f"))->beam);
	assert_null(
		choose(INSTANCE_FLOWSHOP, "flowshop", 50, 20, 0, FLAGS("--start-command=x"))->beam);
	assert_non_null(choose(INSTANCE_FLOWSHOP, "flowshop", 50, 20, 0, FLAGS("--seed=3"))->beam);
}

static void what_cannot_be_solved_has_a_reason(void **state)
{
	const struct policy_rule *r;

	(void)state;
	r = choose(INSTANCE_NQUEENS, "nqueens", 27, 0, 4, NO_FLAGS);
	assert_null(r->target);
	assert_non_null(strstr(r->reason, "at most 26 queens"));
	r = choose(INSTANCE_ATSP, "atsp", 60, 0, 1, NO_FLAGS);
	assert_null(r->target);
	assert_non_null(strstr(r->reason, "--time-limit"));
	r = choose(INSTANCE_ATSP, "atsp", 60, 0, 1, FLAGS("--time-limit=5"));
	assert_string_equal(r->target, "gmys-ivm");
}

static void landscapes_get_the_model_that_solves_them(void **state)
{
	static const struct {
		const char *word, *model;
	} kinds[] = { { "trap5", "pboa" },    { "onemax", "pboa" }, { "ising", "pboa" },
		      { "overlap5", "hboa" }, { "htrap", "hboa" },  { "htrap2", "hboa" },
		      { "nk", "hboa" } };

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		for (int64_t size = 0; size <= 1000; size += 100)
			assert_non_null(strstr(
				choose(INSTANCE_LANDSCAPE, kinds[i].word, size, 0, 0, NO_FLAGS)
					->flags,
				kinds[i].model));
}

static void queens_named_by_variant_are_counted_with_nodes(void **state)
{
	(void)state;
	assert_string_equal(choose(INSTANCE_NQUEENS, "nqueens", 12, 0, 0, NO_FLAGS)->flags,
			    "--solutions-only");
	assert_string_equal(
		choose(INSTANCE_NQUEENS, "nqueens", 12, 0, 0, FLAGS("--rung=refill"))->flags, "");
	assert_int_equal(choose(INSTANCE_NQUEENS, "nqueens", 16, 0, 4, NO_FLAGS)->gpus, 0);
	assert_int_equal(choose(INSTANCE_NQUEENS, "nqueens", 17, 0, 4, NO_FLAGS)->gpus, 0);
}

static void target_restricts_the_rules(void **state)
{
	struct instance x = { .problem = INSTANCE_FLOWSHOP, .size = 20, .second = 5 };
	struct policy_flags none = { 0 };

	(void)state;
	assert_non_null(policy_choose(&x, &none, 0, "gmys-ivm"));
	assert_null(policy_choose(&x, &none, 0, "helbecque-pool"));
}

static void every_instance_has_a_rule_and_every_rule_a_reason(void **state)
{
	struct policy_flags none = { 0 };
	int count;
	const struct policy_rule *rules = policy_rules(&count);

	(void)state;
	for (int p = 0; p < INSTANCE_PROBLEMS; p++)
		for (int64_t size = 0; size < INT64_MAX / 4; size = 2 * size + 1)
			for (int gpus = 0; gpus < 2; gpus++) {
				struct instance x = { .problem = (enum instance_problem)p,
						      .size = size,
						      .second = size };

				assert_non_null(policy_choose(&x, &none, gpus, NULL));
			}
	for (int i = 0; i < count; i++) {
		assert_true(rules[i].reason && rules[i].reason[0]);
		assert_null(strchr(rules[i].reason, '\n'));
		if (rules[i].target) {
			assert_true(programs_is_target(rules[i].target));
			assert_non_null(rules[i].flags);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_of_flags_are_found),
		cmocka_unit_test(flowshops_are_searched_by_their_size),
		cmocka_unit_test(a_start_of_the_user_replaces_the_beam),
		cmocka_unit_test(what_cannot_be_solved_has_a_reason),
		cmocka_unit_test(landscapes_get_the_model_that_solves_them),
		cmocka_unit_test(queens_named_by_variant_are_counted_with_nodes),
		cmocka_unit_test(target_restricts_the_rules),
		cmocka_unit_test(every_instance_has_a_rule_and_every_rule_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
