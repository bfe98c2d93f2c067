/* Functions of bit strings to be maximised, as the study of estimation of distribution algorithms
 * uses them. Values are 32-bit integers; sums are checked when an instance is made.
 *
 * --problem        --instance                     f
 * trap5, trap3...  60 (variables)                 sum over blocks of k successive bits, u of them 1: k
 *                                                 if u = k, else k - 1 - u (Deb, Goldberg 1993);
 *                                                 k 2 .. 8, a multiple of k variables
 * overlap3...      61                             the same, each block shares its last bit with the
 *                                                 next (k - 1) blocks + 1 variables, a chain
 * htrap            27, 81, 243, ...               hierarchical trap of order 3 (Pelikan, Goldberg 2001)
 * nk               N:K:SEED                       NK landscape, random neighbours; table values are
 *                                                 integers 0 .. 999,999 (Kauffman 1989)
 * ising            SIDE[:SEED]                    2-D torus spin glass, couplings +-1: number of
 *                                                 satisfied couplings
 * maxsat           FILE (DIMACS cnf or wcnf), or random:VARIABLES:CLAUSES:SEED
 *                                                 (weight of) satisfied clauses
 * knapsack         what datasets/knapsack.h loads profit, or 0 - excess weight, scaled, above capacity
 * onemax           N                              number of ones
 *
 * Data for evaluation are flat 32-bit arrays that can be copied to a device; algorithms/gboa/fitness.h
 * evaluates packed columns from them. landscape_evaluate is the oracle: it evaluates from the
 * definition and shares no code with that. */
#ifndef COPRA_DATASETS_LANDSCAPE_H
#define COPRA_DATASETS_LANDSCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../harness/error.h"

enum landscape_kind {
	LANDSCAPE_TRAP,     /* parameter = k, 1 .. 8 (1: onemax); no data */
	LANDSCAPE_ADDITIVE, /* overlap, nk, ising: terms with tables */
	LANDSCAPE_HTRAP,
	LANDSCAPE_MAXSAT,
	LANDSCAPE_KNAPSACK,
};

struct landscape {
	char name[128];          /* "trap5:60", "maxsat:uf20-01.cnf" */
	enum landscape_kind kind;
	int32_t n;               /* variables, 1 .. 65536 */
	int32_t parameter;       /* of the kind: k of a trap */
	int32_t terms;           /* blocks, tables, clauses, items */
	int32_t least, greatest; /* bounds of f, not always reached */
	bool optimum_known;
	int32_t optimum;         /* the greatest value of f, where it is known */
	const char *optimum_by;  /* "definition", "exhaustive", "transfer matrix", ...; static text */
	int32_t *data;           /* flat data of the kind, or NULL; the layout: landscape_data.h */
	size_t data_count;
	void *source;            /* what the oracle evaluates from; the loader's own */
};

/* Is it what landscape_load takes for a problem: "trap5", "nk"? */
bool landscape_is_problem(const char *name);
/* ERR_USAGE, ERR_INPUT (file and line), ERR_MEMORY; after an error l is empty. */
int landscape_load(struct landscape *l, const char *problem, const char *instance, struct err *e);
void landscape_free(struct landscape *l);

/* The oracle: f of n bits, from the definition. */
int64_t landscape_evaluate(const struct landscape *l, const uint8_t *bits);
/* Terms of f that are at their own greatest value: the blocks solved of a trap. */
int32_t landscape_solved_terms(const struct landscape *l, const uint8_t *bits);
/* Best of all 2^n strings by the oracle, n <= 24; bits may be NULL. */
int64_t landscape_exhaustive(const struct landscape *l, uint8_t *bits);

/* Lines for `list`. */
void landscape_print_problems(void);

#endif
