/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* An explorer on the host: one IVM with its memory, counts and best leaf. It is used by one thread
 * at a time. */
#ifndef COPRA_GMYS_IVM_EXPLORERS_EXPLORER_H
#define COPRA_GMYS_IVM_EXPLORERS_EXPLORER_H

#include "algorithms/gmys-ivm/ivm_problem.h"
#include "algorithms/tree-search/balance.h"

/* Scratch of the fast LB2 (explorer.c). */
struct ivm_pair_bound {
	int32_t *own[2];  /* [machines][n]: front times of the children placed in front, back times
			     of those placed at the back, by cell */
	int32_t *without; /* [n], by cell: max S_i of the current pair without the child's job */
	int32_t *greatest, *value; /* [n], along Johnson's order: greatest S before; S */
	int32_t *job, *cell;       /* [n]: job at a place of the order; cell of a job */
};

struct ivm_explorer {
	struct ivm_problem problem;
	struct ivm v;
	struct ivm_scratch scratch;
	struct ivm_counts counts; /* of the nodes it decomposed, see ivm_explorer_take */
	int32_t best;             /* least leaf known: set by the caller, or its own */
	bool exploring;           /* false: EMPTY */
	bool found;               /* `order` is its own and has the value `found_value` */
	int32_t found_value;
	uint16_t *order;        /* [n] items */
	struct balance lengths; /* of previous intervals, and of the parts of this one given away */
	uint64_t begin;         /* residue of the first number of the current interval */
	struct ivm_pair_bound pairs; /* LB2 */
	void *memory;
};

/* Opens an EMPTY explorer with best = IVM_NONE. The tables of the problem are shared, not copied.
 * ERR_MEMORY. */
int ivm_explorer_open(struct ivm_explorer *x, const struct ivm_problem *p, struct err *e);
void ivm_explorer_close(struct ivm_explorer *x);

/* Starts EXPLORING first .. last, by the initialisation of Gmys et al. 2016 (ivm_bound.h). */
void ivm_explorer_start(struct ivm_explorer *x, const uint16_t *first, const uint16_t *last);
/* Bounds the current row: ivm_bound_row, with the fast LB2 where it applies. */
int32_t ivm_explorer_bound(struct ivm_explorer *x, int32_t best, struct ivm_counts *counts);
/* Decomposes one more node (the body of Algorithm 2). x->exploring is false if there was none. A
 * leaf below x->best becomes x->best. */
void ivm_explorer_step(struct ivm_explorer *x);

/* The open part of the interval, with which the explorer continues. Returns false if nothing is
 * left. *again (see ivm_interval): nodes in its counts that the next owner of this interval counts
 * again. The root of N-Queens is not among them. */
bool ivm_explorer_interval(struct ivm_explorer *x, uint16_t *first, uint16_t *last,
			   uint64_t *again);
/* Gives the whole open interval away. The explorer is EMPTY, and nodes that will be counted again
 * are subtracted from its counts. Returns false if nothing was left. */
bool ivm_explorer_take(struct ivm_explorer *x, uint16_t *first, uint16_t *last);
/* Gives away the right part of the interval, split exactly by number (ivm_factoradic_split), for a
 * thief that makes and bounds its rows itself. The explorer keeps kept / parts. Returns false if
 * there is nothing to share. */
bool ivm_explorer_split(struct ivm_explorer *x, int kept, int parts, uint16_t *first,
			uint16_t *last);
/* The lengths of all intervals so far, modulo IVM_FACTORADIC_MODULUS: received by start and share;
 * popped, the explored part; given by take, split and share; left. */
struct balance ivm_explorer_balance(const struct ivm_explorer *x);
/* Gives the right part to an EMPTY explorer without initialisation (ivm_share). */
bool ivm_explorer_share(struct ivm_explorer *victim, struct ivm_explorer *thief, int kept,
			int parts);

#endif
