/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The operations that the bounds of the tree searches execute, and the bytes that they move at
 * least, for the roofline of a row (bench_demands). Both follow from counts that a search has
 * anyway. The operations are counted from the code of each engine, so that searches of the same
 * tree can be compared by their work.
 *
 * Bytes on devices are those of data that one kernel, or one step of it, stores in device memory
 * for another one, each written once and read once. The L2 cache may hold some of them. Registers,
 * shared memory and the tables of an instance are left out. Bytes on cores are those that any
 * search must move: open nodes fit in the caches, so the instance is read once and the answer is
 * written once.
 *
 * Flowshop. An operation is an add-max, max(a + b, c), or a part of one: an addition or a maximum
 * alone takes a GPU as long. With m machines and P = m (m - 1) / 2 pairs of them:
 *   a job appended to a front           m            max(t, front) + time
 *   a job taken off the sums rem        m
 *   LB1 from front, rem and back        2 m          a sum, and a maximum with the sum of two
 *   LB1 of a child from its parent      3 m          one sum more: rem without the job
 *   a step of Johnson's pass            3            t0 + p_u; max(t0 + lag, t1); + p_v
 *   the end of a pass                   2            max of t0 + back_u, t1 + back_v and the bound
 * So LB2 of a node with r unscheduled jobs takes 3 r + 2 for each pair that is tried. Steps over
 * jobs that are scheduled are not counted, whether the code branches around them or not.
 *
 * N-Queens. An operation is an addition, shift or logical function of up to three values, of 32
 * bits, or a comparison of columns. All of these take a GPU as long as an add-max. Cores take two
 * instructions for an add-max, so half of it.
 *
 * Not counted: choosing and copying nodes, indices, loops, and building tables. */
#ifndef COPRA_TREE_SEARCH_SEARCH_WORK_H
#define COPRA_TREE_SEARCH_SEARCH_WORK_H

#include "algorithms/tree-search/search.h"
#include "harness/base/team.h"

/* ---- flowshop ---- */

/* The published search of gmys-ivm in mode PTE+PEB, LB2, both sides: Algorithm 4 replays the path
 * of each decomposed node, then bounds each of its k children at both ends by LB1 and by all pairs;
 * no pass ends early, because the sums of the bounds decide the side. With `packed`, LB1 is left
 * out. by_children as in struct search_outcome. */
double search_work_ivm(const struct flowshop *f, const uint64_t *by_children, bool packed);

/* The least bytes of mode PTE+PEB, two-sided: 28 for each child. 4 for its cell of the row that
 * select-and-branch makes, 8 for its entry of the mapping, 16 for its bounds at both ends. Copies
 * of IVMs to shared memory only add to this. */
double search_work_ivm_bytes(const struct flowshop *f, const uint64_t *by_children);

/* The depth-first search on devices, LB2, both sides (kernels/tree-search/dfs_wide.cu): LB1, then
 * Johnson's pass of each pair for all children at once, in both directions, if there are more than
 * four; else one after the other. */
double search_work_deep(const struct flowshop *f, const uint64_t *by_children);

/* The searches by job set on devices, LB2 from tables, on 16-bit lanes. Instances are padded to 20
 * machines. A child takes M operations in forward branching, because its constants serve all nodes
 * of a set, and P + 2 M for each end otherwise (sets.h, twosided.h); a row is made of each child
 * that survives. */
double search_work_sets(enum fsp_branching branching, const struct search_outcome *o);
/* The least bytes of their rows: each is written once and read once. */
double search_work_sets_bytes(enum fsp_branching branching, const struct search_outcome *o);

/* ---- N-Queens ---- */

/* Counts the placements of d queens in the first d rows, none of which attack each other, for d = 0
 * .. n: placements[d]. half_board as in struct search_request. n <= 32; about 1e8 placements/s on a
 * core. The team may be NULL. */
void search_work_placements(int n, bool half_board, struct team *team, uint64_t *placements);

/* The published search of gmys-ivm, mode PTE (ivm_bound.h): for each decomposed node of depth d, 5
 * for each of its queens, whose diagonals are computed again, and 3 for each of n - d columns: a
 * shift, a mask and a comparison. With `one_pass` the diagonals of the parent are kept: 5 for the
 * last queen. The serial searches do the same: that of gmys-ivm without, that of helbecque-pool
 * with the diagonals of the parent. */
double search_work_ivm_queens(int n, const uint64_t *placements, bool one_pass);

/* The least bytes of mode PTE: 4 for each cell of a row. The row of a decomposed node with n - d
 * open columns is written once, and made from one of n - d + 1 cells that is read. */
double search_work_ivm_queens_bytes(int n, const uint64_t *placements);

/* The search on cores (queens_cpu_lanes.h), in add-maxes on 32-bit lanes, for `nodes` placements
 * that it makes by adding a queen: 11 instructions at least, 2 for the column, 2 to remove it, 5
 * for the masks and 2 for the free columns of the next row. Up to 16 queens it has 16-bit lanes,
 * half as long. */
double search_work_cores_queens(int n, double nodes);

/* The tuned search of gmys-ivm: 9 for each placement (intervals_queens.cu, lane_step): 3 take the
 * next column, 5 update the masks, 1 finds the free columns. */
double search_work_lanes(const struct search_outcome *o);

/* The tuned search of helbecque-pool without its last forms (kernels/helbecque-pool/queens.h,
 * queens.cu). By lists: 19 for each placement of 7 .. n - 1 queens, made once to count it and once
 * to write it. Depth first, two rows at a time: 32 for each placement of n, n - 2, ... queens; with
 * symmetry, one of at most four is made. */
double search_work_pairs(int n, const uint64_t *placements, unsigned forms);

/* The bytes of the two tuned searches are in their outcomes: the nodes of their lists, each written
 * once, by the host or by the kernel that expands a list, and read once, by the next kernel.
 * Depth-first stacks stay in shared memory and registers. */

/* ---- on cores ---- */

/* The bytes that any search must move: the processing times or costs, the queens' number of
 * solutions, and the best order. */
double search_work_cores_bytes(const struct search_request *r);

#endif
