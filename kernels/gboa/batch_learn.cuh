/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Learning in a batched run (batch.h): greedy by the K2 metric, parents from lower ranks. */
#ifndef COPRA_KERNELS_GBOA_BATCH_LEARN_CUH
#define COPRA_KERNELS_GBOA_BATCH_LEARN_CUH

#include "kernels/common/mma_b1.cuh"
#include "kernels/gboa/batch_select.cuh"

/* ln N_a0! + ln N_a1! - ln (N_a + 1)! of a cell. */
template <bool MANY>
static __device__ __forceinline__ uint32_t cell_score(const batch_block<MANY> &b, uint32_t cell)
{
	uint32_t ones = cell >> 16, all = cell & 0xffff;

	return b.ln_factorial(ones) + b.ln_factorial(all - ones) - b.ln_factorial(all + 1);
}

/* Initialises the slots with variables without parents. A slot without a variable gets a number of
 * parents above the maximum; its other fields are not read. */
template <bool MANY> static __device__ void count_singles(const batch_block<MANY> &b)
{
	for (unsigned slot = b.warp; slot < (unsigned)b.p.slots; slot += b.warps) {
		unsigned rank = b.rank_of(slot);
		bool there = rank < (unsigned)b.p.n;
		uint32_t ones = 0;

		if (there) {
			const uint32_t *row =
				b.selected() + b.order()[rank] * (unsigned)b.p.selected_stride;

			for (unsigned w = b.lane; w < (unsigned)b.p.selected; w += 32)
				ones += (uint32_t)__popc(row[w]);
		}
		ones = __reduce_add_sync(WARP_ALL, ones);
		uint32_t cell = (uint32_t)b.p.individuals | ones << 16;

		if (b.lane == 0) {
			b.best()[slot] = 0;
			b.cells()[SLOT_CELLS * slot] = cell;
			b.score()[slot] = there ? cell_score(b, cell) : 0;
			b.parent_count()[slot] = there ? 0 : BOA_BATCH_PARENTS_MAX + 1;
		}
	}
}

static __device__ __forceinline__ uint4 both(uint4 x, uint4 y)
{
	return make_uint4(x.x & y.x, x.y & y.y, x.z & y.z, x.w & y.w);
}

/* Rows 0 to 7 and rows 8 to 15 of a product's left side, and the right side; see mma_b1.cuh. */
static __device__ __forceinline__ void add_products(int32_t (&sum)[4], uint4 upper, uint4 lower,
						    uint4 right)
{
	const uint32_t left[2][4] = { { upper.x, lower.x, upper.y, lower.y },
				      { upper.z, lower.z, upper.w, lower.w } };
	const uint32_t sides[2][2] = { { right.x, right.y }, { right.z, right.w } };

	mma_and_popc(sum, left[0], sides[0]);
	mma_and_popc(sum, left[1], sides[1]);
}

/* Computes the cells with candidate = 1 of 8 variables and 8 candidates, for all 2^R configurations
 * of the R parents that the variables have. A lane provides variable lane / 4, its parents, and
 * candidate lane / 4. It receives the cells of variable lane / 4 with candidates 2 (lane % 4) and
 * the next. */
template <int R>
static __device__ __forceinline__ void
count_cells(const uint32_t *selected, unsigned stride, int steps, unsigned lane, unsigned variable,
	    const unsigned (&parent)[2], unsigned candidate, uint32_t (&cell)[2][1 << R])
{
	const unsigned at = lane % 4 * 4;
	const uint4 *x = (const uint4 *)(selected + variable * stride + at);
	const uint4 *a = (const uint4 *)(selected + parent[0] * stride + at);
	const uint4 *c = (const uint4 *)(selected + parent[1] * stride + at);
	const uint4 *y = (const uint4 *)(selected + candidate * stride + at);
	const uint32_t all = 0xffffffff;
	int32_t sum[1 << R][4] = {};

#pragma unroll 1
	for (int s = 0; s < steps; s++) {
		uint4 vx = x[4 * s], vy = y[4 * s];

		add_products(sum[0], make_uint4(all, all, all, all), vx, vy);
		if constexpr (R > 0) {
			uint4 va = a[4 * s];

			add_products(sum[1], va, both(va, vx), vy);
			if constexpr (R > 1) {
				uint4 vc = c[4 * s], vac = both(va, vc);

				add_products(sum[2], vc, both(vc, vx), vy);
				add_products(sum[3], vac, both(vac, vx), vy);
			}
		}
	}
	/* from "these parents are 1" to "exactly these parents are 1" */
#pragma unroll
	for (int h = 0; h < 2; h++) {
#pragma unroll
		for (int i = 0; i < 1 << R; i++)
			cell[h][i] = (uint32_t)sum[i][h] | (uint32_t)sum[i][2 + h] << 16;
#pragma unroll
		for (int bit = 1; bit < 1 << R; bit *= 2)
#pragma unroll
			for (int i = 0; i < 1 << R; i++)
				if (!(i & bit))
					cell[h][i] -= cell[h][i | bit];
	}
}

/* A lane's part of a group: variable lane / 4, if it may get parent number R. */
template <int R> struct batch_member {
	unsigned slot, rank, variable, parent[2];
	bool open;
};

template <int R, bool MANY>
static __device__ __forceinline__ batch_member<R> member_of(const batch_block<MANY> &b,
							    unsigned own)
{
	batch_member<R> m;

	m.slot = own * BOA_BATCH_GROUP + b.lane / 4;
	m.rank = b.rank_of(m.slot);
	m.open = b.parent_count()[m.slot] == R;
	m.variable = m.open ? b.order()[m.rank] : 0;
	m.parent[0] = m.open && R > 0 ? b.parents()[SLOT_PARENTS * m.slot] : 0;
	m.parent[1] = m.open && R > 1 ? b.parents()[SLOT_PARENTS * m.slot + 1] : 0;
	return m;
}

/* A variable's gain with a candidate in the high half, the inverted candidate below; 0 if it does
 * not gain. The greatest key is the greatest gain; ties: the lowest candidate. */
template <int R, bool MANY>
static __device__ __forceinline__ unsigned long long
gain_key(const batch_block<MANY> &b, const batch_member<R> &m, const uint32_t (&cell)[1 << R],
	 unsigned candidate)
{
	const uint32_t *cells = b.cells() + SLOT_CELLS * m.slot;
	uint32_t gain = 0 - b.score()[m.slot];

#pragma unroll
	for (int i = 0; i < 1 << R; i++)
		gain += cell_score(b, cell[i]) + cell_score(b, cells[i] - cell[i]);
	return (int32_t)gain > 0 ? (unsigned long long)gain << 32 | (0xffffffff - candidate) : 0;
}

/* Tries 8 variables of a group with the 8 candidates of ranks 8 tile .. 8 tile + 7. */
template <int R, bool MANY>
static __device__ void try_tile(const batch_block<MANY> &b, const batch_member<R> &m, unsigned tile)
{
	const unsigned first = tile * BOA_BATCH_GROUP, last = (unsigned)b.p.n - 1;
	unsigned long long key = 0;
	uint32_t cell[2][1 << R];

	count_cells<R>(b.selected(), (unsigned)b.p.selected_stride, b.p.steps, b.lane, m.variable,
		       m.parent, b.order()[min(first + b.lane / 4, last)], cell);
#pragma unroll
	for (int h = 0; h < 2; h++) {
		unsigned rank = first + b.lane % 4 * 2 + (unsigned)h;

		if (m.open && rank < m.rank)
			key = max(key, gain_key<R>(b, m, cell[h], b.order()[rank]));
	}
	key = max(key, __shfl_xor_sync(WARP_ALL, key, 1));
	key = max(key, __shfl_xor_sync(WARP_ALL, key, 2));
	if (b.lane % 4 == 0 && key)
		atomicMax(b.best() + m.slot, key);
}

/* Tries all candidates. The tiles of all open groups are dealt to the warps in turn. */
template <int R, bool MANY> static __device__ void try_candidates(const batch_block<MANY> &b)
{
	unsigned first = 0, next = b.warp;

	for (unsigned own = 0; own < b.own_groups(); own++) {
		batch_member<R> m = member_of<R>(b, own);
		unsigned tiles = min((unsigned)b.p.n - 1, b.last_rank(own)) / BOA_BATCH_GROUP + 1;

		if (!__any_sync(WARP_ALL, m.open))
			continue;
		for (; next < first + tiles; next += b.warps)
			try_tile<R>(b, m, next - first);
		first += tiles;
	}
}

/* Makes the best candidates parents. Returns true in all threads of the block if any variable got
 * one. */
template <int R, bool MANY> static __device__ bool add_parents(const batch_block<MANY> &b)
{
	bool any = false;

	for (unsigned own = b.warp; own < b.own_groups(); own += b.warps) {
		batch_member<R> m = member_of<R>(b, own);
		unsigned long long key = m.open ? b.best()[m.slot] : 0;
		unsigned parent = key ? 0xffffffff - (uint32_t)key : 0;
		uint32_t cell[2][1 << R];

		if (!__any_sync(WARP_ALL, key != 0))
			continue;
		any = true;
		count_cells<R>(b.selected(), (unsigned)b.p.selected_stride, b.p.steps, b.lane,
			       m.variable, m.parent, parent, cell);
		__syncwarp();
		/* only the lanes that hold the pair of a variable and its new parent */
		if (!key || b.lane % 4 != b.lane / 4 / 2)
			continue;
		uint32_t *cells = b.cells() + SLOT_CELLS * m.slot;

#pragma unroll
		for (int i = 0; i < 1 << R; i++) {
			uint32_t x = b.lane / 4 % 2 ? cell[1][i] : cell[0][i];

			cells[i] -= x;
			cells[i + (1 << R)] = x;
		}
		b.score()[m.slot] += (uint32_t)(key >> 32);
		b.parents()[SLOT_PARENTS * m.slot + R] = parent;
		b.parent_count()[m.slot] = R + 1;
		b.best()[m.slot] = 0;
	}
	return __syncthreads_or(any) != 0;
}

template <int R, bool MANY> static __device__ bool learn_round(const batch_block<MANY> &b)
{
	if (R >= b.p.k)
		return false;
	try_candidates<R>(b);
	__syncthreads();
	return add_parents<R>(b);
}

template <bool MANY> static __device__ void learn_parents(const batch_block<MANY> &b)
{
	if (learn_round<0>(b) && learn_round<1>(b))
		(void)learn_round<2>(b);
}

/* boa_threshold() in 32 bits: counts are at most BOA_BATCH_SELECTED_MAX. */
static __device__ __forceinline__ uint32_t threshold_of(uint32_t cell, bool laplace)
{
	uint32_t ones = cell >> 16, all = cell & 0xffff;

	ones += laplace ? 1 : 0;
	all += laplace ? 2 : 0;
	return all == 0 ? BOA_ONE / 2 : (ones * BOA_ONE + all / 2) / all;
}

/* A warp makes the records of 4 slots, one configuration in each lane. The digits of all
 * configurations are ballots. */
template <bool MANY>
static __device__ void make_records_of_4(const batch_block<MANY> &b, unsigned first)
{
	const unsigned slot = first + b.lane / 8, a = b.lane % 8, shift = b.lane & 24;
	unsigned count = b.parent_count()[slot], rank = b.rank_of(slot);
	bool there = count <= BOA_BATCH_PARENTS_MAX;
	uint32_t t = there && a < 1u << count ?
			     threshold_of(b.cells()[SLOT_CELLS * slot + a], b.p.laplace) :
			     0;
	uint32_t ones = __ballot_sync(WARP_ALL, t >> BOA_DIGITS) >> shift & 255, word = 0;
	uint32_t digits = min(t, (uint32_t)BOA_ONE - 1);
	bool chance = __ballot_sync(WARP_ALL, t % BOA_ONE != 0) >> shift & 255;

#pragma unroll
	for (unsigned d = 0; d < BOA_DIGITS; d++) {
		uint32_t votes = __ballot_sync(WARP_ALL, digits >> (BOA_DIGITS - 1 - d) & 1);

		word |= a == d / 4 ? (votes >> shift & 255) << 8 * (d % 4) : 0;
	}
	uint32_t parents = __reduce_add_sync(WARP_ALL, there && a == 0 ? count : 0);

	if (b.lane == 0)
		atomicAdd(b.control() + CONTROL_EDGES, parents);
	if (!there)
		return;
	if (a == RECORD_INFO)
		word = b.order()[rank] | count << 16 | (chance ? 0 : RECORD_CERTAIN) | ones << 24;
	else if (a >= RECORD_PARENTS)
		word = a - RECORD_PARENTS < count ?
			       b.parents()[SLOT_PARENTS * slot + a - RECORD_PARENTS] *
				       b.sampled_stride() :
			       0;
	for (unsigned i = 0; i < b.blocks; i++)
		b.at(b.records(), i)[RECORD_WORDS * rank + a] = word;
}

template <bool MANY> static __device__ void make_records(const batch_block<MANY> &b)
{
	for (unsigned slot = 4 * b.warp; slot < (unsigned)b.p.slots; slot += 4 * b.warps)
		make_records_of_4(b, slot);
}

#endif
