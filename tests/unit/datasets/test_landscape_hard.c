/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Hard clauses: small random instances compared with all assignments, proofs that hard clauses
 * contradict each other, and undecided cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "datasets/landscape/landscape.h"
#include "datasets/landscape/landscape_clauses.h"
#include "harness/base/rng.h"
#include "tests/unit/base/temporary_folder.h"

enum { VARIABLES = 7, CLAUSES = 24, LITERALS = 4, INSTANCES = 120 };
enum mix { MIXED, ALL_HARD, NO_HARD, MIXES };

struct plain_clause {
	int weight; /* 0: hard */
	int size, literal[LITERALS];
};

struct plain {
	int n, count, soft;
	struct plain_clause clause[CLAUSES];
};

struct verdict {
	int hard, hard_violated;
	int64_t soft_satisfied, soft_violated;
};

/* Some clauses are empty and some contain a variable twice. The last variable occurs. */
static void draw(struct plain *p, struct rng *r, enum mix mix)
{
	*p = (struct plain){ .n = (int)rng_between(r, 1, VARIABLES),
			     .count = (int)rng_between(r, 1, CLAUSES) };
	for (int t = 0; t < p->count; t++) {
		struct plain_clause *c = &p->clause[t];
		bool hard = mix == ALL_HARD || (mix == MIXED && rng_below(r, 2));

		c->weight = hard ? 0 : (int)rng_between(r, 1, 30);
		c->size = (int)rng_between(r, rng_below(r, 40) ? 1 : 0, LITERALS);
		for (int i = 0; i < c->size; i++)
			c->literal[i] = (int)rng_between(r, 1, p->n) * (rng_below(r, 2) ? 1 : -1);
		p->soft += c->weight;
	}
	p->clause[0].size = p->clause[0].size ? p->clause[0].size : 1;
	p->clause[0].literal[0] = p->n;
}

static struct verdict judge(const struct plain *p, unsigned assignment)
{
	struct verdict v = { 0, 0, 0, 0 };

	for (int t = 0; t < p->count; t++) {
		const struct plain_clause *c = &p->clause[t];
		bool holds = false;

		for (int i = 0; i < c->size; i++)
			holds |=
				(assignment >> (abs(c->literal[i]) - 1) & 1) == (c->literal[i] > 0);
		v.hard += c->weight == 0;
		v.hard_violated += c->weight == 0 && !holds;
		*(holds ? &v.soft_satisfied : &v.soft_violated) += c->weight;
	}
	return v;
}

/* In the format of 2022, or with a top weight; some hard weights are above the top. */
static void write_file(const struct plain *p, const char *path, bool with_top)
{
	FILE *out = fopen(path, "w");
	int top = p->soft + 1;

	assert_non_null(out);
	if (with_top)
		fprintf(out, "p wcnf %d %d %d\n", p->n, p->count, top);
	for (int t = 0; t < p->count; t++) {
		const struct plain_clause *c = &p->clause[t];

		if (c->weight == 0 && !with_top)
			fputs("h", out);
		else
			fprintf(out, "%d", c->weight ? c->weight : top + t % 2);
		for (int i = 0; i < c->size; i++)
			fprintf(out, " %d", c->literal[i]);
		fputs(" 0\n", out);
	}
	assert_int_equal(fclose(out), 0);
}

static struct landscape loaded(const char *instance)
{
	struct landscape l;
	struct err e = { 0 };

	if (landscape_load(&l, "maxsat", instance, &e))
		fail_msg("%s", e.text);
	return l;
}

/* Checks all assignments: the oracle's value of each, and the optimum or that there is none. */
static void check_against_all(const struct plain *p, const struct landscape *l)
{
	int64_t best = -1;
	int fewest = CLAUSES + 1;

	assert_int_equal(l->n, p->n);
	for (unsigned s = 0; s < 1U << p->n; s++) {
		struct verdict v = judge(p, s);
		struct landscape_clauses c;
		uint8_t bits[VARIABLES];

		for (int i = 0; i < p->n; i++)
			bits[i] = s >> i & 1;
		assert_int_equal(l->hard, v.hard);
		assert_true(landscape_count_clauses(l, bits, &c));
		assert_int_equal(c.hard_violated, v.hard_violated);
		assert_int_equal(c.soft_satisfied, v.soft_satisfied);
		assert_int_equal(c.soft_violated, v.soft_violated);
		assert_int_equal(landscape_feasible(l, bits), v.hard_violated == 0);
		fewest = v.hard_violated < fewest ? v.hard_violated : fewest;
		if (v.hard_violated)
			continue;
		assert_int_equal(landscape_objective(l, landscape_evaluate(l, bits)),
				 v.soft_satisfied);
		best = v.soft_satisfied > best ? v.soft_satisfied : best;
	}
	assert_int_equal(l->infeasible, fewest > 0);
	assert_int_equal(l->infeasible_twice, fewest > 0);
	assert_int_equal(l->hard_violated, fewest);
	assert_int_equal(l->optimum_known, fewest == 0);
	if (l->optimum_known)
		assert_int_equal(landscape_objective(l, l->optimum), best);
}

static void small_instances_match_all_assignments(void **state)
{
	struct rng r = rng_seeded(7);
	int infeasible = 0;
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/small.wcnf", folder);
	for (int i = 0; i < INSTANCES; i++) {
		struct plain p;

		draw(&p, &r, (enum mix)(i % MIXES));
		for (int with_top = 0; with_top < 2; with_top++) {
			struct landscape l;

			write_file(&p, path, with_top);
			l = loaded(path);
			check_against_all(&p, &l);
			infeasible += l.infeasible;
			landscape_free(&l);
		}
	}
	assert_in_range(infeasible, INSTANCES / 5, INSTANCES);
}

static void add(struct clauses *c, const int32_t *literal, int size, int32_t weight)
{
	assert_int_equal(clauses_add(c, literal, size, weight, NULL), 0);
}

static enum clauses_verdict verdict_of(const struct clauses *c)
{
	enum clauses_verdict verdict;

	assert_int_equal(clauses_refute(c, &verdict, NULL), 0);
	return verdict;
}

/* Each pigeon has a hole; no two pigeons of the first `excluded` share one. */
static enum clauses_verdict pigeons(int pigeon_count, int holes, int excluded)
{
	struct clauses c = { .n = pigeon_count * holes };
	enum clauses_verdict verdict;

	for (int p = 0; p < pigeon_count; p++) {
		int32_t literal[16];

		for (int h = 0; h < holes; h++)
			literal[h] = p * holes + h + 1;
		add(&c, literal, holes, CLAUSE_HARD);
	}
	for (int h = 0; h < holes; h++)
		for (int p = 0; p < excluded; p++)
			for (int q = 0; q < p; q++)
				add(&c, (int32_t[]){ -(p * holes + h + 1), -(q * holes + h + 1) },
				    2, CLAUSE_HARD);
	add(&c, NULL, 0, 5); /* an empty soft clause is not a contradiction */
	verdict = verdict_of(&c);
	clauses_free(&c);
	return verdict;
}

static void backtracking_refutes_the_pigeonhole_principle(void **state)
{
	(void)state;
	for (int holes = 1; holes <= 6; holes++) {
		assert_int_equal(pigeons(holes + 1, holes, holes + 1), CLAUSES_REFUTED);
		assert_int_equal(pigeons(holes + 1, holes, holes), CLAUSES_SATISFIABLE);
		assert_int_equal(pigeons(holes, holes, holes), CLAUSES_SATISFIABLE);
	}
	assert_int_equal(pigeons(12, 11, 12), CLAUSES_UNDECIDED);
}

/* Variable 1 is true, each implies the next, and the last is false: more variables than can be
 * eliminated. */
static void long_chains_of_implications_are_refuted(void **state)
{
	enum { LENGTH = 5000 };
	char path[128];
	FILE *out;
	struct landscape l;

	(void)state;
	snprintf(path, sizeof(path), "%s/chain.wcnf", folder);
	out = fopen(path, "w");
	assert_non_null(out);
	fprintf(out, "2 3 0\nh -%d 0\nh 1 0\n", LENGTH);
	for (int v = 1; v < LENGTH; v++)
		fprintf(out, "h -%d %d 0\n", v, v + 1);
	assert_int_equal(fclose(out), 0);
	l = loaded(path);
	assert_true(l.infeasible);
	assert_false(l.infeasible_twice);
	assert_false(l.optimum_known);
	assert_int_equal(l.hard_violated, 1);
	assert_string_equal(l.infeasible_by, "backtracking");
	landscape_free(&l);
}

/* Weights at the limit of 32 bits: hard ones weigh 1 + the sum of the soft weights. */
static void the_largest_weights_are_exact(void **state)
{
	char path[128];
	const uint8_t one[2] = { 1, 0 }, two[2] = { 0, 1 };
	struct landscape l;
	FILE *out;

	(void)state;
	snprintf(path, sizeof(path), "%s/large.wcnf", folder);
	out = fopen(path, "w");
	assert_non_null(out);
	fputs("1073741823 1 0\nh 2 0\n", out); /* 2^30 - 1, and a hard one of 2^30 */
	assert_int_equal(fclose(out), 0);
	l = loaded(path);
	assert_int_equal(l.greatest, INT32_MAX);
	assert_int_equal(landscape_evaluate(&l, one), 1073741823);
	assert_int_equal(landscape_evaluate(&l, two), 1073741824);
	assert_int_equal(landscape_objective(&l, l.optimum), 1073741823);
	landscape_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_instances_match_all_assignments),
		cmocka_unit_test(backtracking_refutes_the_pigeonhole_principle),
		cmocka_unit_test(long_chains_of_implications_are_refuted),
		cmocka_unit_test(the_largest_weights_are_exact),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
