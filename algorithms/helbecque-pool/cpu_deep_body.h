/* The kernel of cpu_deep.h with cells of CELL; the including file defines CELL and KERNEL. No value is
 * negative, and none of a job that is left outgrows a cell: cpu_deep.c chooses the cell. Lanes of jobs that are
 * not left hold anything. */
#include <stdalign.h>
#include <string.h>

#include "cpu_deep.h"
#include "cpu_vector.h"

enum {
	LANES_MAX_JOBS = (FLOWSHOP_MAX_JOBS + LANES - 1) / LANES * LANES,
	ROW = LANES_MAX_JOBS + LANES, /* a packed store writes a whole vector */
};

/* ---- tables of the instance ---- */

static size_t padded_jobs(const struct fsp_tables *t)
{
	return (size_t)(t->jobs + LANES - 1) / LANES * LANES;
}

static size_t tables_bytes(const struct fsp_tables *t)
{
	return (size_t)t->machines * padded_jobs(t) * sizeof(CELL);
}

/* time[machine * padded jobs + job] */
static void tables_make(const struct fsp_tables *t, void *block)
{
	CELL *time = block;

	memset(block, 0, tables_bytes(t));
	for (int k = 0; k < t->machines; k++) {
		for (int j = 0; j < t->jobs; j++)
			time[(size_t)k * padded_jobs(t) + (size_t)j] =
				(CELL)t->time[j * t->machines + k];
	}
}

/* ---- a member's working memory ---- */

/* One side's children, packed: those that LB2 has to look at. */
struct side {
	alignas(64) CELL lb[ROW];
	alignas(64) CELL edge[FLOWSHOP_MAX_MACHINES][ROW]; /* front or back with the job added */
};

struct scratch {
	struct vec_packing packing;
	struct side begin, end;
	alignas(64) vec moved[FLOWSHOP_MAX_MACHINES];
	alignas(64) CELL except[3 * LANES]; /* all ones but for the one in the middle */
	uint16_t slot_of[FLOWSHOP_MAX_JOBS]; /* of a job left; beyond all vectors where it has none */
	uint16_t list[FLOWSHOP_MAX_JOBS];   /* jobs left in Johnson's order */
	int pair_order[FLOWSHOP_MAX_MACHINES * (FLOWSHOP_MAX_MACHINES - 1) / 2];
	unsigned hits[FLOWSHOP_MAX_MACHINES * (FLOWSHOP_MAX_MACHINES - 1) / 2];
};

static size_t scratch_bytes(const struct fsp_tables *t)
{
	(void)t;
	return sizeof(struct scratch);
}

static void scratch_make(const struct fsp_tables *t, void *block)
{
	struct scratch *c = block;

	memset(c, 0, sizeof(*c));
	vec_packing_make(&c->packing);
	for (int i = 0; i < 3 * LANES; i++)
		c->except[i] = i == LANES ? 0 : (CELL)-1;
	for (int pair = 0; pair < t->pairs; pair++)
		c->pair_order[pair] = pair;
}

/* ---- LB1 ---- */

/* One bit a lane: the jobs from `first` on that are left. */
static uint32_t jobs_left(const struct deep_node *node, int first)
{
	return (uint32_t)(node->set[first / 64] >> first % 64) &
	       (uint32_t)((UINT64_C(1) << LANES) - 1);
}

/* The jobs of one vector added to an edge (the front, machines in order, or the back, in reverse):
 * moved[k] becomes the edge of each; returns LB1. `near` is the edge as it is for another job, `far` the bound's
 * share of the other side. */
static vec add_jobs(const struct fsp_tables *t, const CELL *time, const struct deep_node *node,
		    bool empty, bool reverse, vec *moved)
{
	const int32_t *near = reverse ? node->back : node->front;
	const int32_t *far = reverse ? node->front : node->back;
	int m = t->machines;
	vec x = { 0 }, lb = { 0 };

	for (int i = 0; i < m; i++) {
		int k = reverse ? m - 1 - i : i;

		if (!empty)
			x = vec_max(x, vec_all((CELL)near[k]));
		lb = vec_max(lb, x + (CELL)(node->rem[k] + far[k]));
		x += vec_load(time + (size_t)k * padded_jobs(t));
		moved[k] = x;
	}
	return lb;
}

/* LB1 of all children on one side; those below stop_at are packed for LB2. Returns how many those are. */
static int bound_side(const struct fsp_tables *t, const CELL *time, struct scratch *c,
		      const struct deep_node *node, bool reverse, bool pack, CELL stop_at, int32_t *lbs,
		      struct side *side)
{
	bool empty = reverse ? node->suffix == 0 : node->prefix == 0;
	int slots = 0, done = 0;

	for (int first = 0; first < t->jobs; first += LANES) {
		uint32_t left = jobs_left(node, first), keep;
		CELL value[LANES];
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

static int list_pair(const struct fsp_tables *t, struct scratch *c, const struct deep_node *node, int pair)
{
	const int32_t *johnson = t->johnson + pair * t->jobs;
	int count = 0;

	for (int i = 0; i < t->jobs; i++) {
		c->list[count] = (uint16_t)johnson[i];
		count += (int)(node->set[johnson[i] / 64] >> johnson[i] % 64 & 1);
	}
	return count;
}

/* Johnson's pass from zero over the jobs left, in each lane without the lane's own: C(U less j) of
 * flowshop_sets.h, for the slots from `first` on. */
static vec pass(const struct fsp_tables *t, const struct scratch *c, int pair, int jobs, int first)
{
	int u = t->pair_u[pair], v = t->pair_v[pair], m = t->machines;
	const int32_t *lag = t->lag + pair * t->jobs;
	vec t0 = { 0 }, t1 = { 0 };

	for (int i = 0; i < jobs; i++) {
		int j = c->list[i], lane = (int)c->slot_of[j] - first;
		const CELL *at = c->except + (lane >= 0 && lane < LANES ? LANES - lane : 2 * LANES);
		vec other = vec_load(at);

		t0 += other & (CELL)t->time[j * m + u];
		t1 = vec_max(t1, (t0 + (CELL)lag[j]) & other) + (other & (CELL)t->time[j * m + v]);
	}
	return t1;
}

/* A pair that raised bounds moves up, so that those which are to be stopped stop soon. */
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

/* Raises the bounds of one vector of slots by one pair; true when all its lanes have reached stop_at. */
static bool raise_bounds(const struct fsp_tables *t, struct scratch *c, const struct deep_node *node, int at,
		  int jobs, int first, int slots, bool end, vec stop_at)
{
	int pair = c->pair_order[at], u = t->pair_u[pair], v = t->pair_v[pair];
	int lanes = slots - first < LANES ? slots - first : LANES;
	uint32_t valid = (uint32_t)((UINT64_C(1) << lanes) - 1);
	vec x = pass(t, c, pair, jobs, first), lb = vec_load(&c->begin.lb[first]);
	uint32_t before = vec_below(lb, stop_at) & valid, after;

	lb = vec_max(lb, x + (CELL)node->back[v] + vec_load(&c->begin.edge[u][first]));
	vec_store(&c->begin.lb[first], lb);
	after = vec_below(lb, stop_at) & valid;
	if (after != before)
		pair_hit(c, at);
	if (!end)
		return !after;
	lb = vec_max(vec_load(&c->end.lb[first]),
		     x + (CELL)node->front[u] + vec_load(&c->end.edge[v][first]));
	vec_store(&c->end.lb[first], lb);
	return false;
}

static void bound_pairs(const struct fsp_tables *t, struct scratch *c, const struct deep_node *node,
			int slots, bool end, CELL stop_at)
{
	int vectors = (slots + LANES - 1) / LANES, open = vectors;
	bool done[LANES_MAX_JOBS / LANES] = { false };

	for (int at = 0; at < t->pairs && open; at++) {
		int jobs = list_pair(t, c, node, c->pair_order[at]);

		for (int w = 0; w < vectors; w++) {
			if (!done[w] && raise_bounds(t, c, node, at, jobs, w * LANES, slots,
						     end, vec_all(stop_at))) {
				done[w] = true;
				open--;
			}
		}
	}
}

/* ---- all children ---- */

static void list_jobs(const struct fsp_tables *t, const struct deep_node *node, struct deep_bounds *b)
{
	b->count = 0;
	for (int word = 0; word < (t->jobs + 63) / 64; word++) {
		for (uint64_t bits = node->set[word]; bits; bits &= bits - 1)
			b->job[b->count++] = (uint16_t)(word * 64 + __builtin_ctzll(bits));
	}
}

/* Slots in the order in which bound_side packed: the jobs whose LB1 is below stop_at. */
static void assign_slots(struct scratch *c, const struct deep_bounds *b, CELL stop_at)
{
	uint16_t slot = 0;

	for (int i = 0; i < b->count; i++)
		c->slot_of[b->job[i]] = (CELL)b->begin[i] < stop_at ? slot++ : UINT16_MAX;
}

static void bound(const struct fsp_tables *t, const void *tables, void *scratch,
		  const struct deep_node *node, enum fsp_bound kind, bool end, int32_t stop_at,
		  struct deep_bounds *b)
{
	struct scratch *c = scratch;
	CELL limit = (uint32_t)stop_at < (CELL)-1 && !end ? (CELL)stop_at : (CELL)-1;
	bool pack = kind == FSP_LB2 && t->pairs > 0;
	int slots;

	list_jobs(t, node, b);
	slots = bound_side(t, tables, c, node, false, pack, limit, b->begin, &c->begin);
	if (end)
		bound_side(t, tables, c, node, true, pack, limit, b->end, &c->end);
	if (!pack || !slots)
		return;
	assign_slots(c, b, limit);
	bound_pairs(t, c, node, slots, end, limit);
	for (int i = 0; i < b->count; i++) {
		int slot = c->slot_of[b->job[i]];

		if (slot == UINT16_MAX)
			continue;
		b->begin[i] = (int32_t)c->begin.lb[slot];
		if (end)
			b->end[i] = (int32_t)c->end.lb[slot];
	}
}

const struct deep_kernel KERNEL = {
	.lanes = LANES,
	.tables_bytes = tables_bytes,
	.tables_make = tables_make,
	.scratch_bytes = scratch_bytes,
	.scratch_make = scratch_make,
	.bound = bound,
};
