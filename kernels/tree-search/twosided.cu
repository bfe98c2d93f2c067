/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The search by job set in two-sided branching. */
#include "kernels/tree-search/fsp.h"
#include "kernels/tree-search/sets_bound.cuh"
#include "kernels/tree-search/sets_drive.cuh"
#include "kernels/tree-search/twosided.h"

/* ---- shared memory ---- */

enum {
	TWOSIDED_ENTRIES = SETS_MACHINES * (SETS_MACHINES - 1) / 2, /* pairs of machines */
	TWOSIDED_THREADS = 512,
	TWOSIDED_LANE_NODES = 6, /* maximum number of passes of a round */
	TWOSIDED_ROUND = 32,     /* maximum number of nodes bounded in a round */
	TWOSIDED_ROOM = 11,      /* nodes for which there is room beside the most children */
	TWOSIDED_GATHER = 64,    /* nodes whose survivors are written together */
	TWOSIDED_FOUND = 64,
	/* words between pairs of children, and between nodes; 16-byte reads of eight of them have
	 * no bank conflicts */
	TWOSIDED_PAIR = 236,
	TWOSIDED_SPREAD = 44,
	TWOSIDED_TIMES = 192, /* rem and time of each machine, after the entries of a pair */
};

/* Times of jobs as in rows: sums of those on the machines before each one, and up to each one; [1]:
 * from the last machine on. */
struct twosided_block : sets_stage {
	alignas(16) uint32_t sum[2][TWOSIDED_JOBS * SETS_STRIDE];
	alignas(16) uint32_t before[2][TWOSIDED_JOBS * SETS_STRIDE];
	uint16_t time[TWOSIDED_JOBS * SETS_MACHINES];
};

/* The distribution of a slice over the lanes of a warp. */
struct twosided_lanes {
	int children, pairs; /* children of a node; pairs of them */
	int round;           /* nodes bounded in a round */
	uint32_t inverse;    /* x / pairs = x * inverse >> 16 for small x */
	uint32_t ub, first_ub;
};

/* A warp's memory for expanding. Building bounds uses the same space. */
struct twosided_warp {
	struct twosided_lanes lanes;
	uint32_t part[32 * TWOSIDED_LANE_NODES]; /* part_of(), [node * pairs of children + pair] */
	uint32_t alive[TWOSIDED_GATHER], index[TWOSIDED_GATHER]; /* index: with SETS_SIDE */
	uint32_t number[32], job[32];                            /* of the children */
	uint32_t left_time[SETS_MACHINES];
	uint16_t found[TWOSIDED_FOUND + TWOSIDED_GATHER];
	/* [pair of children * TWOSIDED_PAIR]: Y of all pairs of machines, then rem and time of each
	 * machine; the two children in the halves. Behind the last pair: nodes of this round,
	 * fronts, then backs, each value in both halves; after their bounds, rows of the next
	 * round */
	alignas(16) uint32_t pair[4];
};

/* Words for pairs of children and nodes. */
HD int twosided_words(int jobs)
{
	return (jobs + 1) / 2 * TWOSIDED_PAIR + TWOSIDED_ROOM * TWOSIDED_SPREAD;
}

HD unsigned twosided_warp_bytes(int jobs)
{
	const unsigned expand =
		(unsigned)offsetof(struct twosided_warp, pair) + (unsigned)twosided_words(jobs) * 4;

	return expand > SETS_BUILD_BYTES ? expand : (unsigned)SETS_BUILD_BYTES;
}

/* ---- rows of the bound table ----
 *
 * Built in the two ways of sets_bound.cuh; the result of `pass` for a pair of machines is the entry
 * itself. */

enum {
	TWOSIDED_STORED = 8, /* entries stored together, 16 bytes */
	TWOSIDED_PARTS =
		TWOSIDED_BOUND_WORDS / 8, /* tasks per group of sets: 32 bytes of each row */
	TWOSIDED_FEW_PARTS = (TWOSIDED_ENTRIES + 31) / 32,
};

/* The machines of an entry; u < v. */
static __device__ __forceinline__ void machines_of(int entry, int *u, int *v)
{
	int first = 0;

	*u = 0;
	while (entry >= first + SETS_MACHINES - 1 - *u) {
		first += SETS_MACHINES - 1 - *u;
		++*u;
	}
	*v = *u + 1 + entry - first;
}

/* TWOSIDED_STORED entries of the lane's four sets, from `entry` on. */
static __device__ __forceinline__ void
build_stored(const struct sets_search &q, sets_members *space, const uint32_t *number, int entry)
{
	uint32_t value[4][TWOSIDED_STORED / 2];
	int u, v;

	machines_of(entry, &u, &v);
#pragma unroll
	for (int i = 0; i < TWOSIDED_STORED; i++) {
		const bool there = entry + i < TWOSIDED_ENTRIES;
		const uint2 step = there ? fetch_step(q, u, v) : make_uint2(0, 0);

		__syncwarp();
		space->step[i % 2][lane_of()] =
			make_uint4(step.x & 0xffff, step.x >> 16, step.y, 0);
		__syncwarp();
		const uint2 y = pass(space->member + lane_of(), space->step[i % 2], q.jobs);

#pragma unroll
		for (int k = 0; k < 4; k++) {
			const uint32_t half = (k < 2 ? y.x : y.y) >> (k % 2 * 16) & 0xffff;

			value[k][i / 2] = i % 2 ? value[k][i / 2] | half << 16 : half;
		}
		if (++v == SETS_MACHINES)
			v = ++u + 1;
	}
#pragma unroll
	for (int k = 0; k < 4; k++)
		*reinterpret_cast<uint4 *>(q.bound + (size_t)number[k] * TWOSIDED_BOUND_WORDS +
					   entry / 2) =
			make_uint4(value[k][0], value[k][1], value[k][2], value[k][3]);
}

static __device__ __forceinline__ void
build_many_pairs(const struct sets_search &q, sets_members *space, uint32_t missing, uint32_t task)
{
	const int part = (int)(task % TWOSIDED_PARTS);
	uint32_t number[4];

	fill_members(q, space, missing, task / TWOSIDED_PARTS, number);
#pragma unroll 1
	for (int i = 0; i < 2; i++)
		build_stored(q, space, number, (2 * part + i) * TWOSIDED_STORED);
	__syncwarp();
}

/* Builds SETS_FEW_TOGETHER sets; a lane has an entry. */
static __device__ __forceinline__ void build_few_pairs(const struct sets_search &q,
						       uint32_t missing, uint32_t task)
{
	const int entry = (int)(task % TWOSIDED_FEW_PARTS) * 32 + lane_of();
	const uint32_t all = (1u << q.jobs) - 1;
	uint16_t *bound = reinterpret_cast<uint16_t *>(q.bound) + entry;
	uint32_t number[SETS_FEW_TOGETHER], left[SETS_FEW_TOGETHER], y[SETS_FEW_WORDS];
	int u, v;

	machines_of(min(entry, TWOSIDED_ENTRIES - 1), &u, &v);
#pragma unroll
	for (int i = 0; i < SETS_FEW_TOGETHER; i++) {
		number[i] = q.missing[min(
			task / TWOSIDED_FEW_PARTS * SETS_FEW_TOGETHER + (uint32_t)i, missing - 1)];
		left[i] = all & ~q.set_of[number[i]];
	}
	pass_few(q, u, v, left, y);
	if (entry >= TWOSIDED_ENTRIES)
		return;
#pragma unroll
	for (int i = 0; i < SETS_FEW_TOGETHER; i++)
		bound[(size_t)number[i] * (2 * TWOSIDED_BOUND_WORDS)] =
			(uint16_t)(y[i / 2] >> (i % 2 * 16));
}

static __device__ __forceinline__ uint32_t tasks_of_pairs(uint32_t missing)
{
	if (few_missing(missing))
		return (missing + SETS_FEW_TOGETHER - 1) / SETS_FEW_TOGETHER * TWOSIDED_FEW_PARTS;
	return (missing + SETS_BUILT_TOGETHER - 1) / SETS_BUILT_TOGETHER * TWOSIDED_PARTS;
}

static __device__ __forceinline__ void build_pairs(const struct sets_search &q, sets_members *space,
						   uint32_t missing, uint32_t task)
{
	if (few_missing(missing))
		build_few_pairs(q, missing, task);
	else
		build_many_pairs(q, space, missing, task);
}

/* ---- bounds of two children of a node at once, on both sides (twosided.h) ---- */

static __device__ __forceinline__ uint32_t word_of(const uint4 &v, int i)
{
	return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}

/* The position of the entry of machines u, u + 1. */
static __device__ __forceinline__ constexpr int first_entry(int u)
{
	return (SETS_MACHINES - 1) * u - u * (u - 1) / 2;
}

/* Everything is unrolled: two loops over parts of the pairs have half as much code but take 11 %
 * longer.
 *
 * `pair`: of the two children. `node`: its spread row. begin, end: LB2 of both children in the
 * halves, placed at the front and at the end. */
static __device__ __forceinline__ void bound_both(const uint32_t *pair, const uint32_t *node,
						  uint32_t *begin, uint32_t *end)
{
	const uint4 *entries = reinterpret_cast<const uint4 *>(pair);
	uint32_t back[SETS_MACHINES], g[SETS_MACHINES], front = 0, late = 0;
	uint4 entry = make_uint4(0, 0, 0, 0), times = entry, f = entry;

	words_load<SETS_MACHINES>(node + SETS_MACHINES, back);
	*begin = *end = 0;
#pragma unroll
	for (int u = 0; u < SETS_MACHINES; u++) {
		if (u % 2 == 0)
			times = entries[TWOSIDED_TIMES / 4 + u / 2];
		if (u % 4 == 0)
			f = reinterpret_cast<const uint4 *>(node)[u / 4];
		const uint32_t rem = word_of(times, u % 2 * 2),
			       time = word_of(times, u % 2 * 2 + 1);
		const uint32_t at = word_of(f, u % 4), start = at + rem;
		uint32_t h = back[u];

		late = (u ? __vimax3_s16x2(late, g[u], start) : start) + time;
		*end = __viaddmax_s16x2(late, back[u], *end);
		front = __vmaxs2(front, at) + time;
#pragma unroll
		for (int v = u + 1; v < SETS_MACHINES; v++) {
			const int e = first_entry(u) + v - u - 1;

			if (e % 4 == 0)
				entry = entries[e / 4];
			const uint32_t y = word_of(entry, e % 4);

			g[v] = u ? __viaddmax_s16x2(start, y, g[v]) : start + y;
			h = __viaddmax_s16x2(y, back[v], h);
		}
		*begin = __viaddmax_s16x2(front + rem, h, *begin);
	}
}

/* ---- phase 1: children of a slice ---- */

/* The round's nodes. */
static __device__ __forceinline__ uint32_t *nodes_of(twosided_warp *w,
						     const struct twosided_lanes &l)
{
	return w->pair + l.pairs * TWOSIDED_PAIR;
}

/* A round has at most LANE_NODES passes, fewer if there is not enough room for their nodes. */
template <int LANE_NODES>
static __device__ __forceinline__ struct twosided_lanes lanes_for(const struct sets_search &q,
								  int children, int64_t ub)
{
	struct twosided_lanes l;

	l.children = children;
	l.pairs = (children + 1) / 2;
	const int room = min((twosided_words(q.jobs) - l.pairs * TWOSIDED_PAIR) / TWOSIDED_SPREAD,
			     (int)TWOSIDED_ROUND);
	const int passes = ((room / 2 + 1) * l.pairs - 1) / 16;
	const int couples = 16 * min(max(passes, 1), LANE_NODES) / l.pairs;

	l.round = LANE_NODES == SETS_ALONE ? 1 : min(2 * couples, room);
	l.inverse = 0x10000u / (uint32_t)l.pairs + 1;
	l.ub = (uint32_t)ub;
	l.first_ub = q.first_ub;
	return l;
}

/* ---- per set ---- */

/* Lists the children's jobs and numbers, and the time of all unscheduled jobs on each machine. */
static __device__ __forceinline__ void list_children(const struct sets_search &q,
						     const twosided_block *block, twosided_warp *w,
						     uint32_t placed, int level)
{
	const int lane = lane_of();
	const uint32_t bit = 1u << lane;

	if (lane < q.jobs && !(placed & bit)) {
		const int at = lane - __popc(placed & (bit - 1));

		w->job[at] = (uint32_t)lane;
		w->number[at] = number_of(q, placed | bit, level + 1);
	}
	if (lane < SETS_MACHINES) {
		uint32_t sum = 0;

		for (int j = 0; j < q.jobs; j++)
			sum += placed >> j & 1 ? 0u : block->time[j * SETS_MACHINES + lane];
		w->left_time[lane] = sum;
	}
}

/* Interleaves two words of entries of both children to four words with the children in the
 * halves. */
static __device__ __forceinline__ uint4 interleave(uint32_t a0, uint32_t b0, uint32_t a1,
						   uint32_t b1)
{
	return make_uint4(__byte_perm(a0, b0, 0x5410), __byte_perm(a0, b0, 0x7632),
			  __byte_perm(a1, b1, 0x5410), __byte_perm(a1, b1, 0x7632));
}

enum { TWOSIDED_FETCHED = 4, TWOSIDED_QUADS = TWOSIDED_BOUND_WORDS / 4 };

/* Fetches rows of the bound table, pair by pair. If the number of children is odd, the last one is
 * paired with itself. */
static __device__ __forceinline__ void fetch_pairs(const struct sets_search &q, twosided_warp *w,
						   int pairs, int children)
{
	const uint4 *bound = reinterpret_cast<const uint4 *>(q.bound);

	for (int from = 0; from < pairs * TWOSIDED_QUADS; from += 32 * TWOSIDED_FETCHED) {
		uint4 a[TWOSIDED_FETCHED], b[TWOSIDED_FETCHED];

#pragma unroll
		for (int i = 0; i < TWOSIDED_FETCHED; i++) {
			const int at = min(from + 32 * i + lane_of(), pairs * TWOSIDED_QUADS - 1);
			const int c = at / TWOSIDED_QUADS * 2;

			a[i] = bound[(size_t)w->number[c] * TWOSIDED_QUADS + at % TWOSIDED_QUADS];
			b[i] = bound[(size_t)w->number[min(c + 1, children - 1)] * TWOSIDED_QUADS +
				     at % TWOSIDED_QUADS];
		}
#pragma unroll
		for (int i = 0; i < TWOSIDED_FETCHED; i++) {
			const int at = from + 32 * i + lane_of();
			uint4 *to = reinterpret_cast<uint4 *>(w->pair +
							      at / TWOSIDED_QUADS * TWOSIDED_PAIR +
							      at % TWOSIDED_QUADS * 8);

			if (at >= pairs * TWOSIDED_QUADS)
				break;
			to[0] = interleave(a[i].x, b[i].x, a[i].y, b[i].y);
			to[1] = interleave(a[i].z, b[i].z, a[i].w, b[i].w);
		}
	}
}

/* Writes rem and time of each machine, after the entries of each pair of children. */
static __device__ __forceinline__ void write_times(const twosided_block *block, twosided_warp *w,
						   int pairs, int children)
{
	for (int at = lane_of(); at < pairs * SETS_MACHINES; at += 32) {
		const int c = at / SETS_MACHINES * 2, k = at % SETS_MACHINES;
		const uint32_t first = block->time[w->job[c] * SETS_MACHINES + k];
		const uint32_t second =
			block->time[w->job[min(c + 1, children - 1)] * SETS_MACHINES + k];
		const uint32_t time = first | second << 16;

		*reinterpret_cast<uint2 *>(w->pair + c / 2 * TWOSIDED_PAIR + TWOSIDED_TIMES +
					   2 * k) = make_uint2(both(w->left_time[k]) - time, time);
	}
}

static __device__ __forceinline__ void prepare_set(const struct sets_search &q,
						   const twosided_block *block, twosided_warp *w,
						   uint32_t number, int level,
						   const struct twosided_lanes &l)
{
	__syncwarp();
	list_children(q, block, w, q.set_of[number], level);
	__syncwarp();
	fetch_pairs(q, w, l.pairs, l.children);
	write_times(block, w, l.pairs, l.children);
	__syncwarp();
}

/* ---- per round of nodes ---- */

/* Lane i fetches the row of the round's i-th node. */
static __device__ __forceinline__ void fetch_nodes(const struct sets_search &q, uint32_t *rows,
						   uint32_t index, uint32_t nodes)
{
	if ((uint32_t)lane_of() < nodes) {
#pragma unroll
		for (int i = 0; i < TWOSIDED_ROW_WORDS; i += 4)
			copy_async_16(rows + lane_of() * TWOSIDED_SPREAD + i,
				      q.row + (size_t)index * TWOSIDED_ROW_WORDS + i);
	}
	copy_async_commit();
}

enum {
	TWOSIDED_ROW_PARTS = TWOSIDED_ROW_WORDS / 4,
	TWOSIDED_SIDE = 32 / TWOSIDED_ROW_PARTS, /* nodes spread side by side */
	TWOSIDED_TURNS = 2,
};

/* Spreads two words of a row. `half`: their position in the row. Backs are reversed. */
static __device__ __forceinline__ void spread_words(uint32_t *spread, uint32_t half, uint32_t a,
						    uint32_t b)
{
	const bool turned = half >= TWOSIDED_ROW_PARTS;
	const uint4 here = make_uint4(low_twice(a), high_twice(a), low_twice(b), high_twice(b));

	*reinterpret_cast<uint4 *>(spread + (turned ? 56 - 4 * half : 4 * half)) =
		turned ? make_uint4(here.w, here.z, here.y, here.x) : here;
}

/* Spreads each value of the rows to both halves of a word, in place. */
static __device__ __forceinline__ void spread_nodes(uint32_t *rows, uint32_t nodes)
{
	const uint32_t mine = (uint32_t)lane_of() / TWOSIDED_ROW_PARTS;
	const uint32_t at = (uint32_t)lane_of() % TWOSIDED_ROW_PARTS;

#pragma unroll 1
	for (uint32_t from = 0; from < nodes; from += TWOSIDED_TURNS * TWOSIDED_SIDE) {
		uint4 part[TWOSIDED_TURNS];

#pragma unroll
		for (uint32_t i = 0; i < TWOSIDED_TURNS; i++) {
			const uint32_t node = min(from + i * TWOSIDED_SIDE + mine, nodes - 1);

			part[i] =
				reinterpret_cast<const uint4 *>(rows + node * TWOSIDED_SPREAD)[at];
		}
		__syncwarp();
#pragma unroll
		for (uint32_t i = 0; i < TWOSIDED_TURNS; i++) {
			const uint32_t node = from + i * TWOSIDED_SIDE + mine;
			uint32_t *spread = rows + node * TWOSIDED_SPREAD;

			if (mine >= TWOSIDED_SIDE || node >= nodes)
				continue;
			spread_words(spread, 2 * at, part[i].x, part[i].y);
			spread_words(spread, 2 * at + 1, part[i].z, part[i].w);
		}
	}
}

/* A lane's result for its node, whose words are added over the pairs of children. Low 22 bits: the
 * difference of the sums of bounds, front minus end. Next 6 bits: the difference of the numbers of
 * children below first_ub, end minus front. Next 4 bits, of this word alone: which of the two
 * children are below ub at the front (the lower two) and at the end. */
static __device__ __forceinline__ uint32_t part_of(const struct twosided_lanes &l, uint32_t begin,
						   uint32_t end, bool second)
{
	const uint32_t b0 = begin & 0xffff, b1 = begin >> 16, e0 = end & 0xffff, e1 = end >> 16;
	int difference = (int)b0 - (int)e0, fewer = (e0 < l.first_ub) - (b0 < l.first_ub);
	uint32_t alive = (uint32_t)(b0 < l.ub) | (uint32_t)(e0 < l.ub) << 2;

	if (second) {
		difference += (int)b1 - (int)e1;
		fewer += (e1 < l.first_ub) - (b1 < l.first_ub);
		alive |= (uint32_t)(b1 < l.ub) << 1 | (uint32_t)(e1 < l.ub) << 3;
	}
	return ((uint32_t)(difference + fewer * (1 << 22)) & 0x0fffffffu) | alive << 28;
}

/* Counts a complete schedule and keeps the best one. */
static __device__ __forceinline__ void take_leaf(const struct sets_search &q, uint32_t value,
						 uint32_t ub, uint32_t row)
{
	if (value >= ub)
		return;
	atomicMin(&q.state->best, (unsigned long long)value << 32 | row);
	atomicAdd(&q.state->leaves, 1ull);
}

/* Bounds of all children of the round's nodes, for one node and two children per lane and pass.
 *
 * Lanes 2 i and 2 i + 1 have the same children of two nodes, because shared memory then serves the
 * entries, which are read 16 bytes per lane, in half the time. */
static __device__ __forceinline__ void bound_round(const struct sets_search &q, twosided_warp *w,
						   const struct twosided_lanes &l, uint32_t nodes,
						   const uint32_t *index)
{
	const uint32_t pairs = (uint32_t)l.pairs, lane = (uint32_t)lane_of();
	const uint32_t tasks = (nodes + 1) / 2 * pairs;

#pragma unroll 1
	for (uint32_t first = 0; first < tasks; first += 16) {
		const uint32_t task = min(first + lane / 2, tasks - 1);
		const uint32_t couple = task * l.inverse >> 16, pair = task - couple * pairs;
		const uint32_t node = 2 * couple + lane % 2;
		uint32_t begin, end;

		bound_both(w->pair + pair * TWOSIDED_PAIR,
			   nodes_of(w, l) + min(node, nodes - 1) * TWOSIDED_SPREAD, &begin, &end);
		if (first + lane / 2 >= tasks || node >= nodes)
			continue;
		if (l.children == 1)
			take_leaf(q, begin & 0xffff, l.ub, index[node]);
		else
			w->part[node * pairs + pair] =
				part_of(l, begin, end, 2 * (int)pair + 1 < l.children);
	}
}

/* Returns 1 if the children are placed at the end. Equal sums: MaxSum takes the end, MinBranch the
 * front. */
static __device__ __forceinline__ int side_of(int rule, uint32_t sum)
{
	const int difference = (int)(sum << 10) >> 10;
	const int fewer = (int)((sum - (uint32_t)difference) << 4) >> 26;

	if (rule == FSP_MINBRANCH && fewer)
		return fewer < 0;
	return rule == FSP_MINBRANCH ? difference < 0 : difference <= 0;
}

/* One lane per node: chooses its side and adds its surviving children to the gathered ones from
 * `at` on. */
static __device__ __forceinline__ void decide(const struct sets_search &q,
					      const struct sets_plan &plan, twosided_warp *w,
					      const struct twosided_lanes &l, uint32_t at,
					      uint32_t nodes)
{
	const uint32_t lane = (uint32_t)lane_of();
	uint32_t front = 0, end = 0, sum = 0, alive;

	if (lane >= nodes)
		return;
	for (int c = 0; c < l.pairs; c++) {
		const uint32_t part = w->part[lane * (uint32_t)l.pairs + (uint32_t)c];

		sum += part;
		front |= (part >> 28 & 3) << 2 * c;
		end |= part >> 30 << 2 * c;
	}
	const int side = side_of(q.rule, sum);

	alive = side ? end : front;
	if (plan.level + 1 == q.deal_level && alive)
		alive &= dealt_here<TWOSIDED_ROW_WORDS>(
			q, q.row + (size_t)w->index[at + lane] * TWOSIDED_ROW_WORDS, w->job,
			l.children);
	w->alive[at + lane] = alive;
	w->index[at + lane] |= side ? SETS_SIDE : 0;
}

/* ---- survivors ---- */

/* Adds a job to a half of a row: s_k = max over i <= k of (old_i - times before i), the new value
 * is s_k + times up to k. */
static __device__ __forceinline__ void add_job(uint32_t *half, const uint32_t *sum_of,
					       const uint32_t *before_of)
{
	uint32_t start = 0, sum[SETS_STRIDE], before[SETS_STRIDE];

	words_load<SETS_STRIDE>(sum_of, sum);
	words_load<SETS_STRIDE>(before_of, before);
#pragma unroll
	for (int i = 0; i < SETS_WORDS; i++) {
		const uint32_t at = __vmaxu2(half[i] + (0x80008000u - before[i]), start);
		const uint32_t upto = __vmaxu2(at, at << 16);

		half[i] = upto - 0x80008000u + sum[i];
		start = high_twice(upto);
	}
}

/* Writes the rows of found[0 .. total - 1]. */
static __device__ __forceinline__ void write_children(const struct sets_search &q,
						      const twosided_block *block,
						      const twosided_warp *w,
						      const struct sets_room &room, uint32_t total)
{
	for (uint32_t at = (uint32_t)lane_of(); at < total; at += 32) {
		const uint32_t node = w->found[at] % TWOSIDED_GATHER;
		const uint32_t child = w->found[at] / TWOSIDED_GATHER;
		const uint32_t parent = w->index[node], job = w->job[child];
		const int side = parent & SETS_SIDE ? 1 : 0;
		const uint32_t row =
			at < room.split ? room.first + at : room.second + (at - room.split);
		uint32_t words[TWOSIDED_ROW_WORDS], half[SETS_WORDS];

		words_load<TWOSIDED_ROW_WORDS>(
			q.row + (size_t)(parent & ~SETS_SIDE) * TWOSIDED_ROW_WORDS, words);
#pragma unroll
		for (int i = 0; i < SETS_WORDS; i++)
			half[i] = side ? words[SETS_WORDS + i] : words[i];
		add_job(half, block->sum[side] + job * SETS_STRIDE,
			block->before[side] + job * SETS_STRIDE);
#pragma unroll
		for (int i = 0; i < SETS_WORDS; i++) {
			words[i] = side ? words[i] : half[i];
			words[SETS_WORDS + i] = side ? half[i] : words[SETS_WORDS + i];
		}
		words_store<TWOSIDED_ROW_WORDS>(q.row + (size_t)row * TWOSIDED_ROW_WORDS, words);
		q.key[row] = w->number[child];
		q.parent[row] = parent;
	}
}

static __device__ __forceinline__ void take_gathered(const struct sets_search &q,
						     const twosided_block *block, twosided_warp *w,
						     struct sets_task *t, uint32_t gathered)
{
	uint32_t alive[TWOSIDED_GATHER / 32], any = 0;

#pragma unroll
	for (int n = 0; n < TWOSIDED_GATHER / 32; n++) {
		const uint32_t node = (uint32_t)(lane_of() + 32 * n);

		alive[n] = node < gathered ? w->alive[node] : 0;
		any |= alive[n];
	}
	list_survivors<TWOSIDED_GATHER, TWOSIDED_FOUND>(
		q, block->plan, w, t, alive, any,
		[&](const struct sets_room &room, uint32_t total) {
			write_children(q, block, w, room, total);
		});
}

/* ---- the slice ---- */

static __device__ __forceinline__ uint32_t fetch_index(const struct sets_search &q, uint32_t list,
						       uint32_t nodes)
{
	return (uint32_t)lane_of() < nodes ? q.list[list + (uint32_t)lane_of()] : 0;
}

/* Expands the nodes of a chunk. While they are bounded, the next ones are fetched, from this chunk
 * or the next. */
template <int LANE_NODES>
static __device__ __forceinline__ void
expand_chunk(const struct sets_search &q, const twosided_block *block, twosided_warp *w,
	     const struct twosided_lanes &l, struct sets_task *t, const struct sets_draw &here,
	     const struct sets_draw &next, uint32_t *index)
{
	const uint32_t round = (uint32_t)l.round;
	uint32_t gathered = 0;

	for (uint32_t from = 0; from < here.nodes; from += round) {
		const uint32_t left = here.nodes - from, nodes = min(left, round);
		const bool last = left <= round;
		const uint32_t coming = min(last ? next.nodes : left - round, round);

		copy_async_wait<0>();
		__syncwarp();
		if (LANE_NODES == SETS_ALONE)
			prepare_set(q, block, w, here.number, block->plan.level, l);
		spread_nodes(nodes_of(w, l), nodes);
		if ((uint32_t)lane_of() < nodes)
			w->index[gathered + (uint32_t)lane_of()] = *index;
		*index = fetch_index(q, last ? next.list : here.list + from + round, coming);
		__syncwarp();
		bound_round(q, w, l, nodes, w->index + gathered);
		__syncwarp();
		fetch_nodes(q, nodes_of(w, l), *index, coming);
		if (l.children == 1)
			continue;
		decide(q, block->plan, w, l, gathered, nodes);
		gathered += nodes;
		__syncwarp();
		if (!last && gathered + round <= TWOSIDED_GATHER)
			continue;
		take_gathered(q, block, w, t, gathered);
		gathered = 0;
		__syncwarp();
	}
}

/* A warp's part of a slice. LANE_NODES: see struct sets_search. */
template <int LANE_NODES>
static __device__ __forceinline__ void expand_both(const struct sets_search &q,
						   const twosided_block *block, twosided_warp *w)
{
	const struct sets_plan &plan = block->plan;
	const struct twosided_lanes &l = w->lanes;
	struct sets_task t;
	uint32_t index = 0;

	if (lane_of() == 0)
		w->lanes = lanes_for<LANE_NODES>(q, q.jobs - plan.level, plan.ub);
	__syncwarp();
	t.row = t.row_left = t.rows_seen = 0;
	t.child_first = q.level_first[plan.level + 1];
	struct sets_draw here = draw_chunk(q, plan, t);

	if (here.nodes) {
		const uint32_t nodes = min(here.nodes, (uint32_t)l.round);

		index = fetch_index(q, here.list, nodes);
		fetch_nodes(q, nodes_of(w, l), index, nodes);
	}
	while (here.nodes) {
		const struct sets_draw next = draw_chunk(q, plan, t);

		if (LANE_NODES != SETS_ALONE)
			prepare_set(q, block, w, here.number, plan.level, l);
		expand_chunk<LANE_NODES>(q, block, w, l, &t, here, next, &index);
		here = next;
	}
	leave_gap(q, &t);
}

/* ---- the form ---- */

/* Sums of a job's times from the first machine on, and from the last. */
static __device__ void add_times(const struct sets_search &q, twosided_block *b, int job, int side)
{
	uint16_t *sum = reinterpret_cast<uint16_t *>(b->sum[side] + job * SETS_STRIDE);
	uint16_t *before = reinterpret_cast<uint16_t *>(b->before[side] + job * SETS_STRIDE);
	uint32_t upto = 0;

	for (int i = 0; i < SETS_MACHINES; i++) {
		before[i] = (uint16_t)upto;
		upto += q.time[job * SETS_MACHINES + (side ? SETS_MACHINES - 1 - i : i)];
		sum[i] = (uint16_t)upto;
	}
}

template <int LANE_NODES> struct twosided_form {
	typedef twosided_block block;
	enum : unsigned {
		THREADS = TWOSIDED_THREADS,
		BLOCKS = 1,
		CHUNKS = 16,
		LEAST = 32,
		BLOCK_BYTES = (sizeof(twosided_block) + 127) / 128 * 128,
	};

	HD unsigned warp_bytes(const struct sets_search &q)
	{
		return twosided_warp_bytes(q.jobs);
	}
	static __device__ __forceinline__ void prepare(const struct sets_search &q, block *b)
	{
		for (int i = (int)threadIdx.x; i < 2 * q.jobs; i += (int)blockDim.x)
			add_times(q, b, i / 2, i % 2);
		for (int i = (int)threadIdx.x; i < SETS_MACHINES * q.jobs; i += (int)blockDim.x)
			b->time[i] = (uint16_t)q.time[i];
	}
	static __device__ __forceinline__ void expand(const struct sets_search &q, block *b,
						      unsigned char *space)
	{
		expand_both<LANE_NODES>(q, b, reinterpret_cast<twosided_warp *>(space));
	}
	static __device__ __forceinline__ uint32_t build_tasks(uint32_t missing)
	{
		return tasks_of_pairs(missing);
	}
	static __device__ __forceinline__ void build(const struct sets_search &q, const block *,
						     unsigned char *space, uint32_t missing,
						     uint32_t task)
	{
		build_pairs(q, reinterpret_cast<sets_members *>(space), missing, task);
	}
};

static int search(struct dev_stream *s, const struct sets_search *q, int blocks, int threads,
		  struct err *e)
{
	if (q->lane_nodes == SETS_ALONE)
		return launch_search<twosided_form<SETS_ALONE>>(s, q, blocks, threads, e);
	if (q->lane_nodes == 1)
		return launch_search<twosided_form<1>>(s, q, blocks, threads, e);
	return launch_search<twosided_form<TWOSIDED_LANE_NODES>>(s, q, blocks, threads, e);
}

static int blocks(struct dev_stream *s, const struct sets_search *q, int threads, int *count,
		  struct err *e)
{
	if (q->lane_nodes == SETS_ALONE)
		return count_blocks<twosided_form<SETS_ALONE>>(s, q, threads, count, e);
	if (q->lane_nodes == 1)
		return count_blocks<twosided_form<1>>(s, q, threads, count, e);
	return count_blocks<twosided_form<TWOSIDED_LANE_NODES>>(s, q, threads, count, e);
}

extern "C" const struct sets_kernels BACKEND_SYMBOL(twosided_kernels) = {
	TWOSIDED_THREADS, number_sets, count_rows, pack, search, blocks
};
