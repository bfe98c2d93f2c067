/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Weighted clauses: construction, DIMACS files, and two searches for a satisfying assignment. */
#ifndef COPRA_DATASETS_LANDSCAPE_LANDSCAPE_CLAUSES_H
#define COPRA_DATASETS_LANDSCAPE_LANDSCAPE_CLAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"

enum { CLAUSE_HARD = 0 }; /* stored in place of a weight */

struct clauses {
	int32_t n;        /* variables */
	int32_t count;    /* clauses */
	int32_t literals; /* in all clauses */
	int32_t *weight;  /* >= 1, or CLAUSE_HARD */
	int32_t *start;   /* count + 1 indices into `literal` */
	int32_t *literal; /* v + 1, or -(v + 1) if variable v is negated */
	size_t clause_room, literal_room;
};

void clauses_free(struct clauses *c);

/* The number of a literal, 0 .. 2 n - 1. Positive literals have even numbers; each is followed by
 * its negation. */
static inline int32_t clauses_column(int32_t literal)
{
	return literal > 0 ? 2 * (literal - 1) : 2 * (-literal - 1) + 1;
}

/* Adds a clause of `count` literals, with a weight >= 1 or CLAUSE_HARD. ERR_INPUT if there are too
 * many clauses or literals for 32-bit positions; ERR_MEMORY. */
int clauses_add(struct clauses *c, const int32_t *literal, int32_t count, int32_t weight,
		struct err *e);

/* Reads a file in one of three formats, distinguished by the `p` line:
 *   p cnf VARIABLES CLAUSES           clauses "3 -7 0", on any lines; a line "%" ends the file
 *   p wcnf VARIABLES CLAUSES [TOP]    a weight before each clause; TOP and above: hard
 *   (none)                            the format of the MaxSAT Evaluations since 2022: a weight, or
 *                                     `h` for a hard clause, before each clause
 * Lines that begin with `c` are comments. ERR_INPUT names file and line. After an error c is empty.
 */
int clauses_read(struct clauses *c, const char *path, struct err *e);

/* The result of clauses_refute. */
enum clauses_verdict {
	CLAUSES_UNDECIDED,   /* the search reached its limit */
	CLAUSES_SATISFIABLE, /* an assignment satisfies all hard clauses */
	CLAUSES_REFUTED,     /* no assignment does */
};

/* Decides whether an assignment satisfies all hard clauses, by unit propagation and backtracking
 * with a bounded number of steps (Davis, Logemann, Loveland 1962). It shares no code with variable
 * elimination (landscape_exact.h), so each checks the other. ERR_MEMORY. */
int clauses_refute(const struct clauses *c, enum clauses_verdict *verdict, struct err *e);

/* Searches for an assignment that satisfies every clause by WalkSAT, a random walk of bounded
 * length with a fixed seed (Selman, Kautz, Cohen, "Noise strategies for improving local search",
 * AAAI 1994). If *found is false, nothing is known. ERR_MEMORY. */
int clauses_walk(const struct clauses *c, bool *found, struct err *e);

#endif
