/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Maximum satisfiability. A hard clause has weight 1 + the sum of the soft ones, so no set of soft
 * clauses can outweigh it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/base/rng.h"
#include "datasets/landscape/landscape_clauses.h"
#include "datasets/landscape/landscape_exact.h"
#include "datasets/landscape/landscape_make.h"
#include "harness/base/text_reader.h"

enum { RANDOM_MAX = 10000000 };

struct source {
	struct landscape_source base;
	struct clauses clauses;
};

static void release(void *source)
{
	clauses_free(&((struct source *)source)->clauses);
}

static int32_t weight_of(const struct landscape *l, int32_t clause)
{
	const struct source *s = l->source;
	int32_t weight = s->clauses.weight[clause];

	return weight == CLAUSE_HARD ? l->hard_weight : weight;
}

static bool satisfied(const struct clauses *c, int32_t clause, const uint8_t *bits)
{
	for (int32_t i = c->start[clause]; i < c->start[clause + 1]; i++) {
		int32_t literal = c->literal[i];

		if (literal > 0 ? bits[literal - 1] : !bits[-literal - 1])
			return true;
	}
	return false;
}

static int64_t evaluate(const struct landscape *l, const uint8_t *bits)
{
	const struct source *s = l->source;
	int64_t sum = 0;

	for (int32_t i = 0; i < s->clauses.count; i++)
		if (satisfied(&s->clauses, i, bits))
			sum += weight_of(l, i);
	return sum;
}

static int32_t solved_terms(const struct landscape *l, const uint8_t *bits)
{
	const struct source *s = l->source;
	int32_t solved = 0;

	for (int32_t i = 0; i < s->clauses.count; i++)
		solved += satisfied(&s->clauses, i, bits);
	return solved;
}

static void count_clauses(const struct landscape *l, const uint8_t *bits,
			  struct landscape_clauses *count)
{
	const struct clauses *c = &((const struct source *)l->source)->clauses;

	for (int32_t i = 0; i < c->count; i++) {
		bool holds = satisfied(c, i, bits);

		if (c->weight[i] == CLAUSE_HARD)
			count->hard_violated += !holds;
		else
			*(holds ? &count->soft_satisfied : &count->soft_violated) += c->weight[i];
	}
}

static const struct landscape_oracle oracle = { evaluate, solved_terms, release, count_clauses };

/* Sets the weight of the hard clauses and the bounds. */
static int weigh(struct landscape *l, struct err *e)
{
	const struct clauses *c = &((const struct source *)l->source)->clauses;
	int64_t soft = 0, hard = 0;
	int status;

	for (int32_t i = 0; i < c->count; i++) {
		soft += c->weight[i]; /* hard: 0 */
		hard += c->weight[i] == CLAUSE_HARD;
	}
	/* at most 2^28 clauses, each below 2^31: no overflow of 64 bits */
	status = landscape_set_bounds(l, 0, soft, e);
	if (status || !hard)
		return status;
	status = landscape_set_bounds(l, 0, soft + hard * (soft + 1), e);
	l->hard = (int32_t)hard;
	if (!status)
		l->hard_weight = (int32_t)(soft + 1);
	return status;
}

static int fill(struct landscape *l, struct err *e)
{
	const struct source *s = l->source;
	const struct clauses *c = &s->clauses;
	int64_t at = (int64_t)c->count + 1;
	int status = landscape_new_data(l, at + c->count + c->literals, e);

	for (int32_t t = 0; t < c->count && !status; t++) {
		l->data[t] = (int32_t)at;
		l->data[at++] = weight_of(l, t);
		for (int32_t i = c->start[t]; i < c->start[t + 1]; i++) {
			int32_t literal = c->literal[i];

			l->data[at++] = 2 * (abs(literal) - 1) + (literal < 0);
		}
	}
	if (!status)
		l->data[c->count] = (int32_t)at;
	return status;
}

/* Draws three different variables, each negated or not. With `planted`, repeats until that
 * assignment satisfies the clause. */
static int draw_clause(struct clauses *c, struct rng *r, const uint8_t *planted, struct err *e)
{
	int32_t v[3], literal[3];
	bool good = !planted;

	do {
		for (int i = 0; i < 3; i++) {
			v[i] = (int32_t)rng_below(r, (uint64_t)c->n);
			if ((i > 0 && v[i] == v[0]) || (i > 1 && v[i] == v[1]))
				i--; /* again */
		}
		for (int i = 0; i < 3; i++) {
			bool negated = rng_below(r, 2);

			literal[i] = negated ? -(v[i] + 1) : v[i] + 1;
			good |= planted && planted[v[i]] != negated;
		}
	} while (!good);
	return clauses_add(c, literal, 3, 1, e);
}

/* "V:C[:SEED]" */
static int draw_clauses(struct clauses *c, const char *parameters, bool planted, struct err *e)
{
	int64_t given[3] = { 0, 0, 1 };
	struct rng r;
	uint8_t *assignment;
	int status = 0;

	if (landscape_numbers(parameters, given, 3) < 2 || given[0] < 3 || given[1] < 1 ||
	    given[1] > RANDOM_MAX)
		return err_set(e, ERR_INPUT,
			       "expected VARIABLES:CLAUSES[:SEED] with at least 3 variables and "
			       "1 to %d clauses",
			       RANDOM_MAX);
	if ((status = landscape_check_variables(given[0], e)))
		return status;
	c->n = (int32_t)given[0];
	r = rng_seeded((uint64_t)given[2]);
	assignment = malloc((size_t)c->n);
	if (!assignment)
		return err_set(e, ERR_MEMORY, "no memory for %d variables", c->n);
	for (int32_t i = 0; i < c->n; i++)
		assignment[i] = (uint8_t)rng_below(&r, 2);
	for (int64_t i = 0; i < given[1] && !status; i++)
		status = draw_clause(c, &r, planted ? assignment : NULL, e);
	free(assignment);
	return status;
}

static void set_infeasible(struct landscape *l, int32_t violated, const char *by)
{
	l->infeasible_twice = l->infeasible;
	l->infeasible = true;
	l->hard_violated = violated;
	l->infeasible_by = l->infeasible_twice ? "variable elimination and backtracking" : by;
	l->optimum_known = false;
}

/* Finds the optimum, or that there is none because the hard clauses contradict each other. A hard
 * clause outweighs all soft ones, so the best string violates as few hard clauses as possible. */
static int decide(struct landscape *l, struct err *e)
{
	const struct source *s = l->source;
	enum clauses_verdict verdict = CLAUSES_UNDECIDED;
	bool possible;
	int status = landscape_try_elimination(l, e);

	if (!status && l->hard)
		status = clauses_refute(&s->clauses, &verdict, e);
	if (status || !l->hard)
		return status;
	possible = l->optimum_known && landscape_objective(l, l->optimum) >= 0;
	if (l->optimum_known && verdict == (possible ? CLAUSES_REFUTED : CLAUSES_SATISFIABLE))
		return err_set(e, ERR_FAILED,
			       "variable elimination and backtracking disagree on "
			       "whether the hard clauses can be satisfied");
	if (l->optimum_known && !possible)
		set_infeasible(l, (l->greatest - l->optimum) / l->hard_weight,
			       "variable elimination");
	if (verdict == CLAUSES_REFUTED)
		set_infeasible(l, l->infeasible ? l->hard_violated : 1, "backtracking");
	return 0;
}

int landscape_maxsat(struct landscape *l, int32_t order, const char *instance, struct err *e)
{
	const char *random = landscape_after(instance, "random:");
	const char *planted = landscape_after(instance, "planted:");
	struct source *s;
	bool found;
	int status;

	(void)order;
	l->kind = LANDSCAPE_MAXSAT;
	if ((status = landscape_new_source(l, sizeof(*s), &oracle, e)))
		return status;
	s = l->source;
	if (random || planted) {
		status = draw_clauses(&s->clauses, random ? random : planted, planted != NULL, e);
	} else {
		status = clauses_read(&s->clauses, instance, e);
		snprintf(l->name, sizeof(l->name), "maxsat:%s", text_base_name(instance));
	}
	if (status)
		return status;
	l->n = s->clauses.n;
	l->terms = s->clauses.count;
	if ((status = weigh(l, e)) || (status = fill(l, e)))
		return status;
	if (planted) {
		landscape_set_optimum(l, l->greatest, "planted solution");
		return 0;
	}
	if ((status = clauses_walk(&s->clauses, &found, e)))
		return status;
	if (!found)
		return decide(l, e);
	landscape_set_optimum(l, l->greatest, "satisfying assignment");
	return 0;
}
