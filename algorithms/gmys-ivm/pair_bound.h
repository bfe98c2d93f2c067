/* LB2 of all children of a node at once, on the host: the values of ivm_child, in |U| steps a pair
 * of machines where one child after the other takes |U| steps each.
 *
 * With the open jobs of a pair in Johnson's order, a and b their times on its machines, the pass
 * from (front_u, front_v) ends at max(front_v + sum b, front_u + max_i S_i), S_i = a_1 + .. + a_i +
 * lag_i + b_i + .. + b_n. A child's set lacks one job q: S_i loses b_q where i stands before q, a_q
 * where behind it. So greatest S before and behind each job tell all children, of both sides. The
 * other terms of the bound are LB1. */
#ifndef COPRA_GMYS_IVM_PAIR_BOUND_H
#define COPRA_GMYS_IVM_PAIR_BOUND_H

#include "algorithms/gmys-ivm/ivm_bound.h"

struct pair_bound {
	int32_t *own[2];  /* [machines][n]: front of the children in front, back of those at the
			     back,  by cell */
	int32_t *without; /* [n], by cell: max S_i of the pair at hand without its job */
	int32_t *greatest, *value; /* [n], along Johnson's order: greatest S before; S */
	int32_t *job, *cell;       /* [n]: job at a place of the order; cell of a job */
};

/* ERR_MEMORY. `p` is a flowshop with pairs. */
int pair_bound_open(struct pair_bound *b, const struct ivm_problem *p, struct err *e);
void pair_bound_close(struct pair_bound *b);

/* Does what ivm_bound_row does. */
int32_t pair_bound_row(struct pair_bound *b, const struct ivm_problem *p, const struct ivm *v,
		       const struct ivm_scratch *s, int32_t best, struct ivm_counts *counts);

#endif
