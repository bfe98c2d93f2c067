/* The flowshop search by sets in two-sided branching (MaxSum, MinBranch), LB2 by all pairs. Phases,
 * memory and lists are those of sets.h; what differs:
 *
 * A row is front and back of a node, 16 bits a value, machines 0, 1, ... of the front, then
 * machines 19, 18, ... of the back, two a word. Where no job was placed at the front (end) it holds
 * the heads (tails): the first job's own times exceed them, so that it is added like any other.
 *
 * The bound table has for each set V of jobs left, u < v in the order (0,1), (0,2), ... (18,19):
 *     Y_uv(V) = C_uv(V) - rem_u(V),  16 bits;  C as in fsp.h, rem_u: V's time on u
 * With it LB2 of a child, front f, back b, jobs left V, is
 *     max over u of f_u + rem_u + max( b_u, max over v > u of Y_uv + b_v ).
 * The children of one node that take the same job have the same V. Both bounds come from one pass
 * over the pairs: with F_u = f_u + rem_u of the parent's front,
 *     g_v = max( F_v, max over u < v of F_u + Y_uv )        for the child at the end,
 *     h_u = max( b_u, max over v > u of Y_uv + b_v )        for the child at the front,
 * an add-max each a pair, and then 20 steps a side with the job's times. No bound is cut short:
 * MaxSum adds all of them.
 *
 * Expansion: a warp draws the nodes of one set. Two children share a word, a lane has two of the
 * set's children and two nodes; 32 / (pairs of children) nodes are bounded side by side.
 *
 * Limits, for the caller to check: 2 <= jobs <= TWOSIDED_JOBS (the table has 384 bytes a set);
 * machines padded as in sets.h; greatest ub or makespan twice + largest sum of a job <= 32767. */
#ifndef COPRA_KERNELS_TREE_SEARCH_TWOSIDED_H
#define COPRA_KERNELS_TREE_SEARCH_TWOSIDED_H

enum {
	TWOSIDED_JOBS = 24,
	TWOSIDED_ROW_WORDS = 20,
	TWOSIDED_BOUND_WORDS = 96, /* 190 halves and two unused */
};

#endif
