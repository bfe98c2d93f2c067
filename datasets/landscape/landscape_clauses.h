/* Weighted clauses, and the reader of DIMACS files. */
#ifndef COPRA_DATASETS_LANDSCAPE_LANDSCAPE_CLAUSES_H
#define COPRA_DATASETS_LANDSCAPE_LANDSCAPE_CLAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"

enum { CLAUSE_HARD = 0 }; /* instead of a weight */

struct clauses {
	int32_t n;        /* variables */
	int32_t count;    /* clauses */
	int32_t literals; /* of all clauses */
	int32_t *weight;  /* >= 1, or CLAUSE_HARD */
	int32_t *start;   /* count + 1 places in `literal` */
	int32_t *literal; /* v + 1, or -(v + 1) where variable v is negated */
	size_t clause_room, literal_room;
};

void clauses_free(struct clauses *c);

/* Number of a literal, 0 .. 2 n - 1: positive literals have even numbers, each followed by its
 * negation. */
static inline int32_t clauses_column(int32_t literal)
{
	return literal > 0 ? 2 * (literal - 1) : 2 * (-literal - 1) + 1;
}

/* Puts a literal into the clause that is being made; clauses_end ends it. ERR_INPUT where there are
 * too many for 32 bits; ERR_MEMORY. */
int clauses_literal(struct clauses *c, int32_t literal, struct err *e);
int clauses_end(struct clauses *c, int32_t weight, struct err *e);

/* Reads a file in one of three formats, told apart by its `p` line or its having none:
 *   p cnf VARIABLES CLAUSES           clauses "3 -7 0", on any lines; a line "%" ends the file
 *   p wcnf VARIABLES CLAUSES [TOP]    a weight before each clause; TOP and above: hard
 *   (none)                            the MaxSAT Evaluations' since 2022: a weight, or `h` for a
 *                                     hard clause, before each clause
 * Lines that begin with `c` are comments. ERR_INPUT names file and line; c is empty then. */
int clauses_read(struct clauses *c, const char *path, struct err *e);

/* What clauses_refute found. */
enum clauses_verdict {
	CLAUSES_UNDECIDED,   /* the search was cut off */
	CLAUSES_SATISFIABLE, /* the hard clauses together */
	CLAUSES_REFUTED,     /* no assignment satisfies them all */
};

/* Decides whether an assignment satisfies all hard clauses, by unit propagation and backtracking of
 * bounded length (Davis, Logemann, Loveland 1962). ERR_MEMORY. */
int clauses_refute(const struct clauses *c, enum clauses_verdict *verdict, struct err *e);

/* Looks for an assignment that satisfies every clause by a random walk of bounded length, always
 * the same (Selman, Kautz, Cohen, "Noise strategies for improving local search", AAAI 1994).
 * *found: there is one; else nothing is known. ERR_MEMORY. */
int clauses_walk(const struct clauses *c, bool *found, struct err *e);

#endif
