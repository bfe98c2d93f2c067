/* Functions of bit strings to be maximised, as the study of estimation of distribution algorithms
 * uses them. Values are 32-bit integers; sums are checked when an instance is made.
 *
 * --problem       --instance                  f
 * trap2 .. trap8  60 (variables)              sum over blocks of k successive bits, u of them 1: k
 *                                             if u = k, else k - 1 - u (Deb, Goldberg 1993); a
 *                                             multiple of k variables
 * onemax          N                           number of ones
 * overlap2 .. 8   61                          as traps, but each block shares its last bit with the
 *                                             next: (k - 1) blocks + 1 variables, a chain
 * htrap           27, 81, 243, ... 59049      hierarchical trap of order 3 (Pelikan, Goldberg
 *                                             2001), low = high below the top; times 20
 * htrap2          the same                    low = 1 + 0.1 / levels there; times 20 levels
 * nk              N:K[:SEED]                  NK landscape, K random neighbours of each variable;
 *                                             tables of integers 0 .. 999,999 (Kauffman 1989),
 *                                             summed, not averaged
 *                 ring:N:K[:SEED]             its neighbours are the K next variables
 * ising           SIDE[:SEED]                 2-D torus spin glass, couplings +-1: number of
 *                                             couplings satisfied, f; the energy is 2 SIDE^2 - 2 f
 * maxsat          FILE (DIMACS cnf, wcnf)     weight of satisfied clauses; a hard clause weighs 1
 *                                             + the sum of the soft weights
 *                 random:VARIABLES:CLAUSES[:SEED]   uniform random 3-clauses
 *                 planted:VARIABLES:CLAUSES[:SEED]  those that a hidden assignment satisfies
 * knapsack        as datasets/knapsack/knapsack.h      profit if the items fit, else capacity -
 * weight, which is negative; sums up to 2^31 - 1
 *
 * SEED is 1 where it is left out. What a name stands for never changes. The optimum is known by
 * definition (traps), planted, or found when the instance is loaded where that takes a second or
 * two: tori up to side 12, any function of 20 variables and sparse ones of more
 * (landscape_exact.h), clauses that a quick search satisfies all, knapsacks of up to 20,000 items.
 * Each of these is a certificate: no string can be better, by the construction or by an exact
 * method that ran on this instance. A value from a list of best known ones is none, and is never
 * taken.
 *
 * If loading proves that no string satisfies all hard clauses, the landscape is `infeasible` and
 * has no optimum.
 *
 * Data for evaluation are flat 32-bit arrays that can be copied to a device (landscape_data.h);
 * kernels/gboa/fitness.h evaluates packed columns from them. landscape_evaluate is the oracle:
 * it evaluates from the definition and shares no code with that. */
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
	int32_t parameter;       /* of the kind: k of a trap */
	int32_t terms;           /* blocks, tables, clauses, items */
	int32_t least, greatest; /* bounds of f, not always reached */
	bool optimum_known;      /* certified, see above */
	int32_t optimum;         /* the greatest value of f, where it is known */
	const char *optimum_by;  /* "definition", "transfer matrix", ...; static text */
	/* maxsat */
	int32_t hard;              /* hard clauses */
	int32_t hard_weight;       /* what each adds to f; 0 where there are none */
	bool infeasible;           /* proved: every string violates a hard clause */
	bool infeasible_twice;     /* proved by two methods that share no code */
	int32_t hard_violated;     /* infeasible: every string violates at least so many */
	const char *infeasible_by; /* static text */
	int32_t *data; /* flat data of the kind, or NULL; the layout: landscape_data.h */
	size_t data_count;
	void *source; /* what the oracle evaluates from; the loader's own */
};

/* Is it what landscape_load takes for a problem: "trap5", "nk"? */
bool landscape_is_problem(const char *name);
/* ERR_USAGE, ERR_INPUT (file and line), ERR_MEMORY; after an error l is empty. */
int landscape_load(struct landscape *l, const char *problem, const char *instance, struct err *e);
void landscape_free(struct landscape *l);

/* The oracle: f of n bits, from the definition. */
int64_t landscape_evaluate(const struct landscape *l, const uint8_t *bits);
/* How n bits stand with the clauses of a maxsat instance. */
struct landscape_clauses {
	int32_t hard_violated;
	int64_t soft_satisfied, soft_violated; /* sums of weights */
};
/* From the definition too. False, and *c zero, where l is not a maxsat instance. */
bool landscape_count_clauses(const struct landscape *l, const uint8_t *bits,
			     struct landscape_clauses *c);
/* maxsat: all hard clauses are satisfied; knapsack: the items fit. Always true of other kinds. */
bool landscape_feasible(const struct landscape *l, const uint8_t *bits);
/* The objective of feasible bits whose value is f: f without the weights of the hard clauses. */
int64_t landscape_objective(const struct landscape *l, int64_t f);
/* Terms of f that are at their own greatest value: blocks of ones of a trap (htrap: of all levels),
 * couplings and clauses satisfied, tables at their maximum; items taken. */
int32_t landscape_solved_terms(const struct landscape *l, const uint8_t *bits);
/* Best of all 2^n strings by the oracle, n <= 24. `bits`, or NULL: the first of the best. */
int64_t landscape_exhaustive(const struct landscape *l, uint8_t *bits);

/* Lines for `list`. */
void landscape_print_problems(void);

#endif
