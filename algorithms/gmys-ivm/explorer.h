/* An explorer on the host: one IVM with its memory, counts and best leaf. One thread at a time uses
 * it. */
#ifndef COPRA_GMYS_IVM_EXPLORER_H
#define COPRA_GMYS_IVM_EXPLORER_H

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
	struct ivm_counts counts; /* of the nodes that it decomposed, see ivm_explorer_take */
	int32_t best;             /* least leaf known: what the caller told, or its own */
	bool exploring;           /* false: EMPTY */
	bool found;               /* `order` is its own and has the value `found_value` */
	int32_t found_value;
	uint16_t *order;             /* [n] items */
	struct balance lengths;      /* of the intervals before this one, and what of this one was
					given away */
	uint64_t begin;              /* residue of the first number of the interval at hand */
	struct ivm_pair_bound pairs; /* LB2 */
	void *memory;
};

/* EMPTY, best IVM_NONE. The problem's tables are shared, not copied. ERR_MEMORY. */
int ivm_explorer_open(struct ivm_explorer *x, const struct ivm_problem *p, struct err *e);
void ivm_explorer_close(struct ivm_explorer *x);

/* EXPLORING first .. last, by the initialisation of [10]. */
void ivm_explorer_start(struct ivm_explorer *x, const uint16_t *first, const uint16_t *last);
/* Bounds the row at hand (ivm_bound_row), the fast way where there is one. */
int32_t ivm_explorer_bound(struct ivm_explorer *x, int32_t best, struct ivm_counts *counts);
/* A node more (the body of Algorithm 2); x->exploring is false where there was none. A leaf below
 * x->best becomes it. */
void ivm_explorer_step(struct ivm_explorer *x);

/* What is left; the explorer goes on with it. false: nothing. *again, see ivm_interval: nodes that
 * x has counted and that who starts with the interval counts again (of N-Queens without the root).
 */
bool ivm_explorer_interval(struct ivm_explorer *x, uint16_t *first, uint16_t *last,
			   uint64_t *again);
/* All of it is given away: the explorer is EMPTY, nodes that will be counted again are off its
 * counts. false: there was nothing. */
bool ivm_explorer_take(struct ivm_explorer *x, uint16_t *first, uint16_t *last);
/* The right part by number, exact (factoradic_split), the explorer keeps kept / parts; for a thief
 * that starts anew. false: nothing to share. */
bool ivm_explorer_split(struct ivm_explorer *x, int kept, int parts, uint16_t *first,
			uint16_t *last);
/* The lengths of all intervals so far, modulo FACTORADIC_MODULUS: received by start and share;
 * popped: what the explorer has gone through; given by take, split and share; left. */
struct balance ivm_explorer_balance(const struct ivm_explorer *x);
/* The right part without initialisation (ivm_share), for an EMPTY explorer. */
bool ivm_explorer_share(struct ivm_explorer *victim, struct ivm_explorer *thief, int kept,
			int parts);

#endif
