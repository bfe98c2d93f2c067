/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The kernel of dfs_cpu.h with cells of VEC_CELL. The including file defines VEC_CELL and KERNEL.
 * Values are non-negative. Those of unscheduled jobs fit a cell, because dfs_cpu.c chooses the cell
 * accordingly. The lanes of other jobs are undefined. */
#include <stdalign.h>
#include <string.h>

#include "algorithms/tree-search/depth-first/dfs_cpu.h"
#include "algorithms/tree-search/simd_pack.h"
#include "algorithms/tree-search/flowshop/fsp_johnson.h"

enum {
	LANES_MAX_JOBS = (FLOWSHOP_MAX_JOBS + VEC_LANES - 1) / VEC_LANES * VEC_LANES,
	ROW = LANES_MAX_JOBS + VEC_LANES, /* a packed store writes a whole vector */
};

/* ---- tables of the instance ---- */

static size_t padded_jobs(const struct fsp_tables *t)
{
	return (size_t)(t->jobs + VEC_LANES - 1) / VEC_LANES * VEC_LANES;
}

struct tables {
	VEC_CELL *time;    /* [machine * padded jobs + job] */
	struct step *step; /* of fsp_johnson.h */
};

static size_t time_bytes(const struct fsp_tables *t)
{
	return (size_t)t->machines * padded_jobs(t) * sizeof(VEC_CELL);
}

static size_t tables_bytes(const struct fsp_tables *t)
{
	return time_bytes(t) + (size_t)t->pairs * (size_t)t->jobs * sizeof(struct step);
}

static struct tables tables_of(const struct fsp_tables *t, const void *block)
{
	char *begin = (char *)(uintptr_t)block;

	return (struct tables){ (VEC_CELL *)begin, (struct step *)(begin + time_bytes(t)) };
}

static void tables_make(const struct fsp_tables *t, void *block)
{
	struct tables k = tables_of(t, block);

	memset(k.time, 0, time_bytes(t));
	for (int m = 0; m < t->machines; m++) {
		for (int j = 0; j < t->jobs; j++)
			k.time[(size_t)m * padded_jobs(t) + (size_t)j] =
				(VEC_CELL)t->time[j * t->machines + m];
	}
	steps_make(t, k.step);
}

/* ---- a member's working memory ---- */

/* The packed children of one side for which LB2 is computed. */
struct side {
	alignas(64) VEC_CELL lb[ROW];
	alignas(64)
		VEC_CELL edge[FLOWSHOP_MAX_MACHINES][ROW]; /* front or back with the job added */
};

struct scratch {
	struct vec_packing packing;
	struct side begin, end;
	alignas(64) vec moved[FLOWSHOP_MAX_MACHINES];
	alignas(64) VEC_CELL except[3 * VEC_LANES]; /* all ones except in the middle */
	uint16_t slot_of[FLOWSHOP_MAX_JOBS];        /* of an unscheduled job; UINT16_MAX: none */
	int pair_order[FLOWSHOP_MAX_MACHINES * (FLOWSHOP_MAX_MACHINES - 1) / 2];
	unsigned hits[FLOWSHOP_MAX_MACHINES * (FLOWSHOP_MAX_MACHINES - 1) / 2];
	/* of fsp_johnson.h: the set of each slot's child; [jobs], followed by [machines * jobs] */
	alignas(64) vec present[];
};

static size_t scratch_bytes(const struct fsp_tables *t)
{
	return sizeof(struct scratch) + (size_t)t->jobs * (size_t)(t->machines + 1) * sizeof(vec);
}

static void scratch_make(const struct fsp_tables *t, void *block)
{
	struct scratch *c = block;

	memset(c, 0, sizeof(*c));
	vec_packing_make(&c->packing);
	for (int i = 0; i < 3 * VEC_LANES; i++)
		c->except[i] = i == VEC_LANES ? 0 : (VEC_CELL)-1;
	for (int pair = 0; pair < t->pairs; pair++)
		c->pair_order[pair] = pair;
}

/* ---- LB1 ---- */

/* One bit per lane: the unscheduled jobs from `first` on. */
static uint32_t jobs_left(const struct dfs_cpu_node *node, int first)
{
	return (uint32_t)(node->set[first / 64] >> first % 64) &
	       (uint32_t)((UINT64_C(1) << VEC_LANES) - 1);
}

/* Adds the jobs of one vector to an edge (the front, or the back with the machines in reverse).
 * moved[k] becomes the new edges; returns LB1. `near` is the edge before, `far` the other side's
 * share of the bound. */
static vec add_jobs(const struct fsp_tables *t, const VEC_CELL *time,
		    const struct dfs_cpu_node *node, bool empty, bool reverse, vec *moved)
{
	const int32_t *near = reverse ? node->back : node->front;
	const int32_t *far = reverse ? node->front : node->back;
	int m = t->machines;
	vec x = { 0 }, lb = { 0 };

	for (int i = 0; i < m; i++) {
		int k = reverse ? m - 1 - i : i;

		if (!empty)
			x = vec_max(x, vec_all((VEC_CELL)near[k]));
		lb = vec_max(lb, x + (VEC_CELL)(node->rem[k] + far[k]));
		x += vec_load(time + (size_t)k * padded_jobs(t));
		moved[k] = x;
	}
	return lb;
}

/* Computes LB1 of all children on one side and packs those below stop_at for LB2. Returns their
 * number. */
static int bound_side(const struct fsp_tables *t, const VEC_CELL *time, struct scratch *c,
		      const struct dfs_cpu_node *node, bool reverse, bool pack, VEC_CELL stop_at,
		      int32_t *lbs, struct side *side)
{
	bool empty = reverse ? node->suffix == 0 : node->prefix == 0;
	int slots = 0, done = 0;

	for (int first = 0; first < t->jobs; first += VEC_LANES) {
		uint32_t left = jobs_left(node, first), keep;
		VEC_CELL value[VEC_LANES];
		vec lb;

		if (!left)
			continue;
		lb = add_jobs(t, time + first, node, empty, reverse, c->moved);
		vec_store(value, lb);
		for (uint32_t bits = left; bits; bits &= bits - 1)
			lbs[done++] = (int32_t)value[__builtin_ctz(bits)];
		keep = left & vec_below(lb, vec_all(stop_at));
		if (!pack || !keep)
			continue;
		vec_pack(&side->lb[slots], lb, keep, &c->packing);
		for (int k = 0; k < t->machines; k++)
			vec_pack(&side->edge[k][slots], c->moved[k], keep, &c->packing);
		slots += __builtin_popcount(keep);
	}
	return slots;
}

/* ---- LB2 ---- */

/* Sets up the slots from `first` on: the set of each lane is the unscheduled jobs without its own
 * job. */
static void mark_jobs(const struct fsp_tables *t, struct scratch *c,
		      const struct dfs_cpu_node *node, int first)
{
	vec *time = c->present + t->jobs;

	for (int j = 0; j < t->jobs; j++) {
		int lane = (int)c->slot_of[j] - first;
		const VEC_CELL *at = c->except + (lane >= 0 && lane < VEC_LANES ? VEC_LANES - lane :
										  2 * VEC_LANES);
		bool left = node->set[j / 64] >> j % 64 & 1;

		c->present[j] = left ? vec_load(at) : (vec){ 0 };
		set_job(t, j, c->present[j], time);
	}
}

/* Moves a pair that raised bounds forward, so that children that will be pruned are pruned
 * early. */
static void pair_hit(struct scratch *c, int at)
{
	int pair = c->pair_order[at], before;

	c->hits[pair]++;
	if (at == 0)
		return;
	before = c->pair_order[at - 1];
	if (c->hits[pair] > c->hits[before]) {
		c->pair_order[at - 1] = pair;
		c->pair_order[at] = before;
	}
}

/* Raises the bounds of the slots from `first` on by one pair. Returns false when all have reached
 * stop_at. */
static bool raise_bounds(const struct fsp_tables *t, const struct step *steps, struct scratch *c,
			 const struct dfs_cpu_node *node, int at, int first, uint32_t valid,
			 bool end, vec stop_at)
{
	int pair = c->pair_order[at], u = t->pair_u[pair], v = t->pair_v[pair];
	vec x = johnson_pass(t, steps, pair, c->present, c->present + t->jobs);
	vec lb = vec_load(&c->begin.lb[first]);
	uint32_t before = vec_below(lb, stop_at) & valid, after;

	lb = vec_max(lb, x + (VEC_CELL)node->back[v] + vec_load(&c->begin.edge[u][first]));
	vec_store(&c->begin.lb[first], lb);
	if (end) {
		lb = vec_max(vec_load(&c->end.lb[first]),
			     x + (VEC_CELL)node->front[u] + vec_load(&c->end.edge[v][first]));
		vec_store(&c->end.lb[first], lb);
		return true;
	}
	after = vec_below(lb, stop_at) & valid;
	if (after != before)
		pair_hit(c, at);
	return after != 0;
}

static void bound_pairs(const struct fsp_tables *t, const struct step *steps, struct scratch *c,
			const struct dfs_cpu_node *node, int slots, bool end, VEC_CELL stop_at)
{
	for (int first = 0; first < slots; first += VEC_LANES) {
		int lanes = slots - first < VEC_LANES ? slots - first : VEC_LANES;
		uint32_t valid = (uint32_t)((UINT64_C(1) << lanes) - 1);
		bool goes_on = true;

		mark_jobs(t, c, node, first);
		for (int at = 0; at < t->pairs && goes_on; at++)
			goes_on = raise_bounds(t, steps, c, node, at, first, valid, end,
					       vec_all(stop_at));
	}
}

/* ---- all children ---- */

static void list_jobs(const struct fsp_tables *t, const struct dfs_cpu_node *node,
		      struct dfs_cpu_bounds *b)
{
	b->count = 0;
	for (int word = 0; word < (t->jobs + 63) / 64; word++) {
		for (uint64_t bits = node->set[word]; bits; bits &= bits - 1)
			b->job[b->count++] = (uint16_t)(word * 64 + __builtin_ctzll(bits));
	}
}

/* Slots follow the order in which bound_side packed: the jobs whose LB1 is below stop_at. */
static void assign_slots(struct scratch *c, const struct dfs_cpu_bounds *b, VEC_CELL stop_at)
{
	uint16_t slot = 0;

	for (int i = 0; i < b->count; i++)
		c->slot_of[b->job[i]] = (VEC_CELL)b->begin[i] < stop_at ? slot++ : UINT16_MAX;
}

static void bound(const struct fsp_tables *t, void *tables, void *scratch,
		  const struct dfs_cpu_node *node, enum fsp_bound kind, bool end, int32_t stop_at,
		  struct dfs_cpu_bounds *b)
{
	struct scratch *c = scratch;
	VEC_CELL limit =
		(uint32_t)stop_at < (VEC_CELL)-1 && !end ? (VEC_CELL)stop_at : (VEC_CELL)-1;
	bool pack = kind == FSP_LB2 && t->pairs > 0;
	struct tables k = tables_of(t, tables);
	int slots;

	list_jobs(t, node, b);
	slots = bound_side(t, k.time, c, node, false, pack, limit, b->begin, &c->begin);
	if (end)
		bound_side(t, k.time, c, node, true, pack, limit, b->end, &c->end);
	if (!pack || !slots)
		return;
	assign_slots(c, b, limit);
	bound_pairs(t, k.step, c, node, slots, end, limit);
	for (int i = 0; i < b->count; i++) {
		int slot = c->slot_of[b->job[i]];

		if (slot == UINT16_MAX)
			continue;
		b->begin[i] = (int32_t)c->begin.lb[slot];
		if (end)
			b->end[i] = (int32_t)c->end.lb[slot];
	}
}

const struct dfs_cpu_kernel KERNEL = {
	.tables_bytes = tables_bytes,
	.tables_make = tables_make,
	.scratch_bytes = scratch_bytes,
	.scratch_make = scratch_make,
	.bound = bound,
};
