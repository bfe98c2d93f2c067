/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The flowshop search by job set in two-sided branching (MaxSum, MinBranch), LB2 by all pairs.
 * Phases, memory and lists are those of sets.h. The differences:
 *
 * A row holds front and back of a node, 16 bits per value: machines 0, 1, ... of the front, then
 * machines 19, 18, ... of the back, two per word. If no job has been placed at the front (end) it
 * holds the heads (tails). The first job's own times exceed them, so it is added like any other.
 *
 * For each set V of unscheduled jobs, the bound table has, for u < v in the order (0,1), (0,2), ...
 * (18,19):
 *     Y_uv(V) = C_uv(V) - rem_u(V),  16 bits;  C as in fsp.h, rem_u: V's time on u
 * With front f, back b and unscheduled jobs V, LB2 of a child is
 *     max over u of f_u + rem_u + max( b_u, max over v > u of Y_uv + b_v ).
 * The two children of a node that place the same job have the same V. Both bounds come from one
 * pass over the pairs. With F_u = f_u + rem_u of the parent's front,
 *     g_v = max( F_v, max over u < v of F_u + Y_uv )        for the child at the end,
 *     h_u = max( b_u, max over v > u of Y_uv + b_v )        for the child at the front.
 * Each takes one add-max per pair, followed by 20 steps per side with the job's times. Every bound
 * is computed completely, because MaxSum adds all of them.
 *
 * Expansion: a warp draws the nodes of one set. Two children share a word, and a pass bounds two
 * children of one node in each lane, 16 pairs of children of two nodes at once.
 *
 * Limits, to be checked by the caller: 2 <= jobs <= TWOSIDED_JOBS (the table has 384 bytes per
 * set); machines padded as in sets.h; twice the largest ub or makespan + largest total time of a
 * job <= 32767. */
#ifndef COPRA_KERNELS_TREE_SEARCH_TWOSIDED_H
#define COPRA_KERNELS_TREE_SEARCH_TWOSIDED_H

enum {
	TWOSIDED_JOBS = 24,
	TWOSIDED_ROW_WORDS = 20,
	TWOSIDED_BOUND_WORDS = 96, /* 190 halves and two unused ones */
};

#endif
