/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Functions of bit strings to be maximised: test problems of estimation of distribution algorithms.
 * Values are 32-bit integers; sums are checked for overflow when an instance is made.
 *
 * --problem       --instance                  f
 * trap2 .. trap8  60 (variables)              sum over blocks of k successive bits with u ones: k
 *                                             if u = k, else k - 1 - u (Deb, Goldberg 1993); the
 *                                             number of variables is a multiple of k
 * onemax          N                           number of ones
 * overlap2 .. 8   61                          a chain of traps; each block shares its last bit with
 *                                             the next: (k - 1) blocks + 1 variables
 * htrap           27, 81, 243, ... 59049      hierarchical trap of order 3 (Pelikan, Goldberg
 *                                             2001), low = high below the top; times 20
 * htrap2          the same                    low = 1 + 0.1 / levels below the top; times 20 levels
 * nk              N:K[:SEED]                  NK landscape, K random neighbours of each variable;
 *                                             tables of integers 0 .. 999,999 (Kauffman 1989),
 *                                             summed, not averaged
 *                 ring:N:K[:SEED]             the neighbours are the next K variables
 * ising           SIDE[:SEED]                 2-D torus spin glass, couplings +-1: f is
 *                                             the number of satisfied couplings; the energy is
 *                                             2 SIDE^2 - 2 f
 * maxsat          FILE (DIMACS cnf, wcnf)     weight of satisfied clauses; a hard clause weighs 1
 *                                             + the sum of the soft weights
 *                 random:VARIABLES:CLAUSES[:SEED]   uniform random 3-clauses
 *                 planted:VARIABLES:CLAUSES[:SEED]  those that a hidden assignment satisfies
 * knapsack        see knapsack.h              profit if the items fit, else capacity - weight,
 *                                             which is negative; sums up to 2^31 - 1
 *
 * SEED defaults to 1. The instance that a name stands for never changes.
 *
 * The optimum is known by definition (traps), planted, or computed when the instance is loaded if
 * that takes at most a second or two: tori up to side 12, any function of 20 variables and sparse
 * functions of more (landscape_exact.h), clauses that a quick search satisfies completely, and
 * knapsacks of up to 20,000 items. Each of these certifies that no string is better, by
 * construction or by an exact method that ran on this instance. Values from lists of best known
 * results are never used.
 *
 * If loading proves that no string satisfies all hard clauses, the landscape is `infeasible` and
 * has no optimum.
 *
 * The data for fast evaluation are flat 32-bit arrays that can be copied to a device
 * (see "flat data" below). landscape_evaluate is the oracle: it evaluates from the definition and
 * shares no code with fast evaluation. */
#ifndef COPRA_DATASETS_LANDSCAPE_LANDSCAPE_H
#define COPRA_DATASETS_LANDSCAPE_LANDSCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"

enum landscape_kind {
	LANDSCAPE_TRAP,     /* parameter = k, 1 .. 8 (1: onemax); no data */
	LANDSCAPE_ADDITIVE, /* overlap, nk, ising: terms with tables */
	LANDSCAPE_HTRAP,
	LANDSCAPE_MAXSAT,
	LANDSCAPE_KNAPSACK,
};

struct landscape {
	char name[128]; /* "trap5:60", "maxsat:uf20-01.cnf" */
	enum landscape_kind kind;
	int32_t n;               /* variables, 1 .. 65536 */
	int32_t parameter;       /* of the kind, for example k of a trap */
	int32_t terms;           /* blocks, tables, clauses, items */
	int32_t least, greatest; /* bounds of f; not always attained */
	bool optimum_known;      /* it is certified, see above */
	int32_t optimum;         /* the greatest value of f, if it is known */
	const char *optimum_by;  /* "definition", "transfer matrix", ...; static text */
	/* maxsat */
	int32_t hard;              /* hard clauses */
	int32_t hard_weight;       /* weight of each in f; 0 if there are none */
	bool infeasible;           /* it is proved that every string violates a hard clause */
	bool infeasible_twice;     /* proved by two methods that share no code */
	int32_t hard_violated;     /* if infeasible: every string violates at least this many */
	const char *infeasible_by; /* static text */
	int32_t *data;             /* flat data of the kind, or NULL; for the layout see below */
	size_t data_count;
	void *source; /* the definition that the oracle evaluates; private to the kind */
};

/* Whether it is a problem that landscape_load accepts, such as "trap5" or "nk". */
bool landscape_is_problem(const char *name);
/* Loads or generates an instance. Errors: ERR_USAGE, ERR_INPUT (with file and line), ERR_MEMORY.
 * After an error l is empty. */
int landscape_load(struct landscape *l, const char *problem, const char *instance, struct err *e);
void landscape_free(struct landscape *l);

/* The oracle: the value f of n bits, from the definition. */
int64_t landscape_evaluate(const struct landscape *l, const uint8_t *bits);
/* The clauses of a maxsat instance that n bits satisfy and violate. */
struct landscape_clauses {
	int32_t hard_violated;
	int64_t soft_satisfied, soft_violated; /* sums of weights */
};
/* Counts them from the definition. Returns false, with *c all 0, if l is not a maxsat instance. */
bool landscape_count_clauses(const struct landscape *l, const uint8_t *bits,
			     struct landscape_clauses *c);
/* Whether all hard clauses are satisfied (maxsat) or the items fit (knapsack). True for all other
 * kinds. */
bool landscape_feasible(const struct landscape *l, const uint8_t *bits);
/* The objective of feasible bits with value f: f without the weights of the hard clauses. */
static inline int64_t landscape_objective(const struct landscape *l, int64_t f)
{
	return f - (int64_t)l->hard * l->hard_weight;
}

/* The number of terms of f that have their own greatest value: blocks of ones of a trap (htrap: on
 * all levels), satisfied couplings and clauses, tables at their maximum. Knapsack: items taken. */
int32_t landscape_solved_terms(const struct landscape *l, const uint8_t *bits);

/* Prints the problems, for the sub-command `list`. */
void landscape_print_problems(void);

/* ---- flat data ----
 *
 * The layout of l->data. Positions are indices in that array.
 *
 * LANDSCAPE_TRAP      none. Block b has the variables k b .. k b + k - 1, k = parameter.
 * LANDSCAPE_ADDITIVE  parameter = k, the number of variables per term. Term t has k + 1 values from
 *                     t (k + 1) on: the position of its table, then its variables. A table has 2^k
 *                     values; bit i of the index is the term's variable i. Terms may share a
 *                     table.
 * LANDSCAPE_HTRAP     parameter = levels. 4 values of a block below the top with 0, 1, 2, 3 ones,
 *                     then 4 values of the top block. The weight of a block on level 1, 2, ... is
 *                     3, 9, ...
 * LANDSCAPE_MAXSAT    terms + 1 positions: where each clause begins, and where the last one ends.
 *                     Then the clauses: a weight, then literals, 2 v + 1 if variable v is negated,
 *                     else 2 v.
 * LANDSCAPE_KNAPSACK  the capacity, then profit and weight of each item. */
enum { LANDSCAPE_HTRAP_VALUES = 4 };

static inline size_t landscape_additive_term(int32_t k, int32_t term)
{
	return (size_t)term * (size_t)(k + 1);
}

static inline size_t landscape_knapsack_item(int32_t item)
{
	return 1 + 2 * (size_t)item;
}

#endif
