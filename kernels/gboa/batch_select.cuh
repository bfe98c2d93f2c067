/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Batched runs (batch.h): the layout of a block's shared memory, a thread's view of it, and step
 * 2, selection. */
#ifndef COPRA_KERNELS_GBOA_BATCH_SELECT_CUH
#define COPRA_KERNELS_GBOA_BATCH_SELECT_CUH

#include "kernels/gboa/arithmetic.h"
#include "kernels/common/cluster.cuh"
#include "kernels/common/warp.cuh"
#include "kernels/gboa/batch.h"

/* ---- the block ---- */

/* Words of `control`. */
enum {
	CONTROL_RUN,
	CONTROL_TOP_AT,
	CONTROL_HALT,
	CONTROL_MIXED,
	CONTROL_EDGES,
	CONTROL_NEED,
	CONTROL_BEST
};

/* A slot is a variable that the block learns: its best gain with the variable that gives it (2
 * words), cells of up to 8 configurations of its parents, its score, the number of parents, and the
 * parents. A cell is packed: individuals in the low 16 bits, those with a one in the high 16. */
enum {
	SLOT_BEST = 2,
	SLOT_CELLS = 8,
	SLOT_PARENTS = BOA_BATCH_PARENTS_MAX,
	SLOT_WORDS = SLOT_BEST + SLOT_CELLS + 2 + SLOT_PARENTS
};

/* Masks that compress a word of the population to its selected individuals: the selected, and the
 * bits that move by 1, 2, 4, 8, 16 places (Hacker's Delight, 7-4). While the masks are computed,
 * MASK_BEFORE holds the number of selected individuals before the word. */
enum { MASK_CHOSEN, MASK_MOVES, MASK_BEFORE = 7, MASK_WORDS };

/* The record of the variable of a rank, for sampling. Words 0 to 3: bit a of byte d of word q is
 * digit 4 q + d of the threshold of configuration a (boa_digits); for BOA_ONE, of BOA_ONE - 1. Word
 * 4: the variable, the number of parents in bits 16 and 17, RECORD_CERTAIN if every threshold is 0
 * or BOA_ONE, and bit 24 + a if configuration a always gives a one. Words 5 to 7: the positions of
 * the parents among the words being sampled. */
enum { RECORD_INFO = 4, RECORD_PARENTS = 5, RECORD_WORDS = 8, RECORD_CERTAIN = 1 << 18 };

template <bool MANY> struct batch_block {
	const boa_batch_plan &p;
	const boa_batch_memory &m;
	uint32_t *shared;
	uint64_t seed;
	unsigned thread, threads, lane, warp, warps;
	unsigned rank, blocks, blocks_log; /* in the cluster of 2^blocks_log blocks */

	__device__ batch_block(const boa_batch_plan &plan, const boa_batch_memory &memory,
			       uint32_t *s)
	    : p(plan), m(memory), shared(s), seed(0), thread(threadIdx.x), threads(blockDim.x),
	      lane(threadIdx.x % 32), warp(threadIdx.x / 32), warps(blockDim.x / 32),
	      rank(MANY ? cluster_rank() : 0), blocks(MANY ? (unsigned)plan.cluster : 1),
	      blocks_log(MANY ? (unsigned)plan.cluster_log : 0)
	{
	}

	/* [variable][selected_stride]; words beyond the selected are 0 */
	__device__ uint32_t *selected() const
	{
		return shared;
	}
	/* [own row][offspring_stride]; words of the individuals that do not stay in the
	 * population */
	__device__ uint32_t *offspring() const
	{
		return shared + p.at_offspring;
	}
	/* [variable][slice_stride], and coins [configuration][item]; only in clusters */
	__device__ uint32_t *slice() const
	{
		return shared + p.at_slice;
	}
	__device__ uint32_t *coins() const
	{
		return shared + p.at_coins;
	}
	__device__ uint32_t *planes() const
	{
		return shared + p.at_planes;
	}
	__device__ uint32_t *table() const
	{
		return shared + p.at_table;
	}
	__device__ uint16_t *order() const
	{
		return (uint16_t *)(shared + p.at_order);
	}
	__device__ uint32_t *control() const
	{
		return shared + p.at_control;
	}

	/* Sums during selection: one for each plane, 0 before; then one for each part of the
	 * population. */
	__device__ uint32_t *sums() const
	{
		return control() + BOA_BATCH_CONTROL;
	}
	__device__ uint32_t *keys() const
	{
		return shared + p.at_keys;
	}

	/* During selection: masks of each word. During learning: the slots. */
	__device__ uint32_t *masks() const
	{
		return shared + p.at_slots;
	}
	__device__ unsigned long long *best() const
	{
		return (unsigned long long *)(shared + p.at_slots);
	}
	__device__ uint32_t *cells() const
	{
		return shared + p.at_slots + SLOT_BEST * p.slots;
	}
	__device__ uint32_t *score() const
	{
		return cells() + SLOT_CELLS * p.slots;
	}
	__device__ uint32_t *parent_count() const
	{
		return score() + p.slots;
	}
	__device__ uint32_t *parents() const
	{
		return parent_count() + p.slots;
	}

	/* During selection: three words for each word of the population. above: individuals above
	 * the threshold (later the position of the selected individuals of the word, with their
	 * number in the high 16 bits). equal: individuals at the threshold. top: the best
	 * individuals (later the word with which each gathered word begins). During sampling: the
	 * records. */
	__device__ uint32_t *above() const
	{
		return shared + p.at_records;
	}
	__device__ uint32_t *equal() const
	{
		return above() + p.population;
	}
	__device__ uint32_t *top() const
	{
		return equal() + p.population;
	}
	__device__ uint32_t *spans() const
	{
		return equal();
	}
	__device__ uint32_t *begins() const
	{
		return top();
	}
	__device__ uint32_t *records() const
	{
		return shared + p.at_records;
	}

	/* The same position in this block or in another block of the cluster. */
	template <class T> __device__ T *at(T *mine, unsigned block) const
	{
		if constexpr (MANY)
			return cluster_shared(mine, block);
		else
			return mine;
	}
	/* Synchronises all threads of the run. */
	__device__ void sync_run() const
	{
		if constexpr (MANY)
			cluster_sync();
		else
			__syncthreads();
	}

	__device__ unsigned own_rows() const
	{
		return ((unsigned)p.n + blocks - 1 - rank) >> blocks_log;
	}
	__device__ bool owns(unsigned variable) const
	{
		return owner(variable) == rank;
	}
	__device__ unsigned owner(unsigned variable) const
	{
		return variable & (blocks - 1);
	}
	__device__ uint32_t *own_row(unsigned variable) const
	{
		return offspring() + (variable >> blocks_log) * (unsigned)p.offspring_stride;
	}

	__device__ unsigned own_groups() const
	{
		return (unsigned)p.slots / BOA_BATCH_GROUP;
	}
	/* The rank of a slot; n or more if the slot is empty. Later ranks have more candidates. For
	 * an equal load, ranks are dealt to the blocks in turn, with every other turn reversed. */
	__device__ unsigned rank_of(unsigned slot) const
	{
		return MANY ? slot * blocks + (slot & 1 ? blocks - 1 - rank : rank) : slot;
	}
	/* An upper bound of the ranks in a group. */
	__device__ unsigned last_rank(unsigned group) const
	{
		return (group + 1) * BOA_BATCH_GROUP * blocks - 1;
	}
	/* Stride of the words that are sampled. */
	__device__ unsigned sampled_stride() const
	{
		return (unsigned)(MANY ? p.slice_stride : p.offspring_stride);
	}

	__device__ uint32_t ln_factorial(uint32_t count) const
	{
		return MANY ? table()[(count << p.copies_log) +
				      (lane & ((1u << p.copies_log) - 1))] :
			      table()[count];
	}
};

/* ---- the order of the variables ---- */

/* The last threads draw, because the first ones have more work before. A last quadruple is filled
 * up by the largest keys. */
template <bool MANY>
static __device__ void draw_keys(const batch_block<MANY> &b, uint32_t generation)
{
	const unsigned n = (unsigned)b.p.n;

	for (unsigned v = b.threads - 1 - b.thread; v < (n + 3) / 4 * 4; v += b.threads)
		b.keys()[v] = v < n ? boa_order_key(b.seed, generation, v) : 0xffffffff;
}

/* Sets order()[rank] for all variables, by the threads of the block from number `from` on. Four
 * lanes count the keys below the key of one variable, four keys at a time. */
template <bool MANY> static __device__ void sort_keys(const batch_block<MANY> &b, unsigned from)
{
	const uint4 *quads = (const uint4 *)b.keys();
	const unsigned n = (unsigned)b.p.n, count = (n + 3) / 4;

	for (unsigned first = 0; first < 4 * n; first += b.threads - from) {
		unsigned v = (first + b.thread - from) / 4;
		uint32_t key = v < n ? b.keys()[v] : 0, rank = 0;

#pragma unroll 4
		for (unsigned i = b.lane % 4; i < count; i += 4) {
			const uint4 k = quads[i];

			rank += k.x < key || (k.x == key && 4 * i < v);
			rank += k.y < key || (k.y == key && 4 * i + 1 < v);
			rank += k.z < key || (k.z == key && 4 * i + 2 < v);
			rank += k.w < key || (k.w == key && 4 * i + 3 < v);
		}
		rank += __shfl_xor_sync(WARP_ALL, rank, 1);
		rank += __shfl_xor_sync(WARP_ALL, rank, 2);
		if (v < n && b.lane % 4 == 0)
			b.order()[rank] = (uint16_t)v;
	}
}

/* ---- selection ---- */

/* The words of the population that a thread has during selection: first, first + step, ... */
template <int WORDS> struct batch_split {
	unsigned first, step;
	uint32_t above[WORDS], equal[WORDS], top[WORDS];
	uint32_t need, best;
};

template <int WORDS, bool MANY>
static __device__ __forceinline__ void begin_split(const batch_block<MANY> &b,
						   batch_split<WORDS> &s, unsigned first)
{
	const unsigned words = (unsigned)b.p.population;

	s.need = (uint32_t)b.p.individuals;
	s.best = 0;
#pragma unroll
	for (unsigned i = 0; i < WORDS; i++) {
		unsigned w = s.first + i * s.step;

		s.above[i] = 0;
		s.equal[i] = w < words ? 0xffffffff : 0;
		s.top[i] = w < words && w >= first ? 0xffffffff : 0;
	}
}

/* Counts the individuals of a warp that have a one in a plane, of those that have been at the
 * threshold. Adds BOA_BATCH_TOP if a best one has. */
template <int WORDS>
static __device__ __forceinline__ uint32_t count_plane(const batch_split<WORDS> &s,
						       const uint32_t (&x)[WORDS])
{
	uint32_t ones = 0, tops = 0;

#pragma unroll
	for (unsigned i = 0; i < WORDS; i++) {
		ones += (uint32_t)__popc(s.equal[i] & x[i]);
		tops |= s.top[i] & x[i];
	}
	return __reduce_add_sync(WARP_ALL, ones) +
	       (__any_sync(WARP_ALL, tops != 0) ? BOA_BATCH_TOP : 0);
}

/* Takes account of a plane, by the sum of count_plane of all warps that take part. */
template <int WORDS>
static __device__ __forceinline__ void split_plane(batch_split<WORDS> &s,
						   const uint32_t (&x)[WORDS], uint32_t ones)
{
	bool has_top = ones >= BOA_BATCH_TOP, take = ones % BOA_BATCH_TOP >= s.need;

#pragma unroll
	for (unsigned i = 0; i < WORDS; i++) {
		s.above[i] |= take ? 0 : s.equal[i] & x[i];
		s.equal[i] &= take ? x[i] : ~x[i];
		s.top[i] &= has_top ? x[i] : 0xffffffff;
	}
	s.need -= take ? 0 : ones % BOA_BATCH_TOP;
	s.best = 2 * s.best + has_top;
}

template <int WORDS, bool MANY>
static __device__ __forceinline__ void end_split(const batch_block<MANY> &b,
						 const batch_split<WORDS> &s)
{
#pragma unroll
	for (unsigned i = 0; i < WORDS; i++) {
		unsigned w = s.first + i * s.step;

		if (w < (unsigned)b.p.population) {
			b.above()[w] = s.above[i];
			b.equal()[w] = s.equal[i];
			b.top()[w] = s.top[i];
		}
	}
}

/* Finds the individuals above and at the threshold of selection, in above() and equal(), and the
 * best individuals of the words from `first`, in top(). Sets need to the number at the threshold
 * that are selected. Returns the best fitness minus `least`. */
template <bool MANY>
static __device__ uint32_t split(const batch_block<MANY> &b, unsigned first, uint32_t &need)
{
	const unsigned words = (unsigned)b.p.population;
	batch_split<BOA_BATCH_WORDS> s;

	s.first = b.thread;
	s.step = b.threads;
	begin_split(b, s, first);
#pragma unroll 1
	for (int plane = b.p.planes; plane-- > 0;) {
		const uint32_t *row = b.planes() + plane * b.p.population;
		uint32_t x[BOA_BATCH_WORDS], ones;

#pragma unroll
		for (unsigned i = 0; i < BOA_BATCH_WORDS; i++) {
			unsigned w = i * b.threads + b.thread;

			x[i] = i * b.threads < words && w < words ? row[w] : 0;
		}
		ones = count_plane(s, x);
		if (b.lane == 0 && ones)
			atomicAdd(b.sums() + plane, ones);
		__syncthreads();
		split_plane(s, x, b.sums()[plane]);
	}
	end_split(b, s);
	need = s.need;
	return s.best;
}

/* The lowest `count` set bits. */
static __device__ uint32_t lowest_bits(uint32_t bits, uint32_t count)
{
	unsigned length = 0;

	if (count >= (uint32_t)__popc(bits))
		return bits;
#pragma unroll
	for (unsigned step = 16; step > 0; step /= 2)
		if ((uint32_t)__popc(bits & ((1u << (length + step)) - 1)) <= count)
			length += step;
	return bits & ((1u << length) - 1);
}

/* The individuals above the threshold and, in the high 16 bits, those at the threshold. */
static __device__ __forceinline__ uint32_t count_both(uint32_t above, uint32_t equal)
{
	return (uint32_t)__popc(above) | (uint32_t)__popc(equal) << 16;
}

/* Counts the individuals above the threshold and, in the high 16 bits, those at the threshold: in
 * the words before w of its part of 32 words, and in the whole part. Neither count reaches 2^16. */
template <bool MANY> static __device__ void count_word(const batch_block<MANY> &b, unsigned w)
{
	bool there = w < (unsigned)b.p.population;
	uint32_t here = there ? count_both(b.above()[w], b.equal()[w]) : 0;
	uint32_t before = warp_scan(here, b.lane) - here;

	if (b.lane == 31)
		b.sums()[BOA_BATCH_SUMS + w / 32] = before + here;
	if (!there)
		return;
	b.masks()[w * MASK_WORDS + MASK_BEFORE] = before;
	if (b.top()[w])
		atomicMin(b.control() + CONTROL_TOP_AT,
			  32 * w + (unsigned)__ffs((int)b.top()[w]) - 1);
}

/* The bits of a word that move by 1, 2, 4, 8 and 16 places when the bits of `mask` are
 * compressed. */
static __device__ void compression(uint32_t mask, uint32_t *to)
{
	uint32_t zeros = ~mask << 1, m = mask;

	to[MASK_CHOSEN] = mask;
#pragma unroll
	for (int i = 0; i < 5; i++) {
		uint32_t parity = zeros ^ zeros << 1, move;

		parity ^= parity << 2;
		parity ^= parity << 4;
		parity ^= parity << 8;
		parity ^= parity << 16;
		move = parity & m;
		m = (m ^ move) | move >> (1 << i);
		zeros &= ~parity;
		to[MASK_MOVES + i] = move;
	}
}

/* Computes the masks of word w, for gathering. `before` counts the individuals above and at the
 * threshold in all words before w, packed as by count_both. */
template <bool MANY>
static __device__ void make_masks(const batch_block<MANY> &b, unsigned w, uint32_t before,
				  uint32_t need)
{
	uint32_t *masks = b.masks() + w * MASK_WORDS;
	uint32_t equals = min(need, before >> 16), place = (before & 0xffff) + equals;
	uint32_t mask = b.above()[w] | lowest_bits(b.equal()[w], need - equals);
	uint32_t count = (uint32_t)__popc(mask), begun = (place + 31) / 32;

	compression(mask, masks);
	b.spans()[w] = place | count << 16;
	if (32 * begun < place + count)
		b.begins()[begun] = w;
}

/* select_and_top with all threads. */
template <bool MANY>
static __device__ uint32_t select_by_block(const batch_block<MANY> &b, unsigned first,
					   unsigned &top_at)
{
	const unsigned words = (unsigned)b.p.population;
	uint32_t need, best = split(b, first, need);

	for (unsigned w = b.thread; w < (words + 31) / 32 * 32; w += b.threads)
		count_word(b, w);
	__syncthreads();
	top_at = b.control()[CONTROL_TOP_AT];
	for (unsigned w = b.thread; w < words; w += b.threads) {
		uint32_t before = b.masks()[w * MASK_WORDS + MASK_BEFORE];

		for (unsigned i = 0; i < w / 32; i++)
			before += b.sums()[BOA_BATCH_SUMS + i];
		make_masks(b, w, before, need);
	}
	return best;
}

/* If a population is small, one warp finds the selected sooner than all with their barriers. */
template <bool MANY> static __device__ bool has_selecting_warp(const batch_block<MANY> &b)
{
	return MANY && b.warps > 1 && b.p.population <= 32 * BOA_BATCH_WARP_WORDS;
}

/* Does the same as split and count_word in one warp, with WORDS words in each lane. MASK_BEFORE
 * counts all words before. WORDS is odd, so that lanes read from different banks. */
template <int WORDS, bool MANY>
static __device__ __forceinline__ void split_by_warp(const batch_block<MANY> &b, unsigned first)
{
	const unsigned words = (unsigned)b.p.population;
	batch_split<WORDS> s;
	uint32_t x[WORDS], here = 0, before, top_at = 0xffffffff;
	const uint32_t *at[WORDS];

	s.first = b.lane * WORDS;
	s.step = 1;
	begin_split(b, s, first);
#pragma unroll
	for (unsigned i = 0; i < WORDS; i++) {
		at[i] = b.planes() + (b.p.planes - 1) * b.p.population +
			min(s.first + i, words - 1);
		x[i] = *at[i];
	}
#pragma unroll 1
	for (int plane = b.p.planes; plane-- > 0;) {
		uint32_t next[WORDS];

#pragma unroll
		for (unsigned i = 0; i < WORDS; i++) {
			at[i] -= plane ? b.p.population : 0;
			next[i] = *at[i];
		}
		split_plane(s, x, count_plane(s, x));
#pragma unroll
		for (unsigned i = 0; i < WORDS; i++)
			x[i] = next[i];
	}
	end_split(b, s);
#pragma unroll
	for (unsigned i = 0; i < WORDS; i++)
		here += count_both(s.above[i], s.equal[i]);
	before = warp_scan(here, b.lane) - here;
#pragma unroll
	for (unsigned i = 0; i < WORDS; i++) {
		unsigned w = s.first + i;

		if (w < words)
			b.masks()[w * MASK_WORDS + MASK_BEFORE] = before;
		before += count_both(s.above[i], s.equal[i]);
		if (s.top[i])
			top_at = min(top_at, 32 * w + (unsigned)__ffs((int)s.top[i]) - 1);
	}
	top_at = __reduce_min_sync(WARP_ALL, top_at);
	if (b.lane == 0) {
		b.control()[CONTROL_TOP_AT] = top_at;
		b.control()[CONTROL_NEED] = s.need;
		b.control()[CONTROL_BEST] = s.best;
	}
}

/* select_and_top with one warp, while the others sort the variables. */
template <bool MANY>
static __device__ uint32_t select_by_warp(const batch_block<MANY> &b, unsigned first,
					  unsigned &top_at)
{
	if (b.warp > 0)
		sort_keys(b, 32);
	else if (b.p.population <= 32 * 5)
		split_by_warp<5>(b, first);
	else
		split_by_warp<BOA_BATCH_WARP_WORDS>(b, first);
	__syncthreads();
	top_at = b.control()[CONTROL_TOP_AT];
	for (unsigned w = b.thread; w < (unsigned)b.p.population; w += b.threads)
		make_masks(b, w, b.masks()[w * MASK_WORDS + MASK_BEFORE],
			   b.control()[CONTROL_NEED]);
	return b.control()[CONTROL_BEST];
}

/* Makes the masks of the selected. Returns the best fitness minus `least` among the words from
 * `first`; top_at is the first individual that has it. */
template <bool MANY>
static __device__ uint32_t select_and_top(const batch_block<MANY> &b, unsigned first,
					  unsigned &top_at)
{
	uint32_t best = has_selecting_warp(b) ? select_by_warp(b, first, top_at) :
						select_by_block(b, first, top_at);

	__syncthreads();
	return best;
}

template <bool MANY> static __device__ void clear_sums(const batch_block<MANY> &b)
{
	if (b.thread < BOA_BATCH_SUMS)
		b.sums()[b.thread] = 0;
	if (b.thread == 0)
		b.control()[CONTROL_TOP_AT] = 0xffffffff;
}

/* Copies the bits of the best individual to the result, for the variables of this block. */
template <bool MANY>
static __device__ void keep_bits(const batch_block<MANY> &b, unsigned run, unsigned individual)
{
	unsigned w = individual / 32, kept = (unsigned)b.p.kept;

	for (unsigned v = b.thread; v < (unsigned)b.p.n; v += b.threads)
		if (b.owns(v)) {
			uint32_t word =
				w < kept ? b.selected()[v * (unsigned)b.p.selected_stride + w] :
					   b.own_row(v)[w - kept];

			b.m.bits[(size_t)run * (unsigned)b.p.n + v] =
				(uint8_t)(word >> individual % 32 & 1);
		}
}

/* True if the selected individuals differ in any variable of this block. */
template <bool MANY> static __device__ bool any_mixed(const batch_block<MANY> &b)
{
	unsigned words = (unsigned)b.p.population, kept = (unsigned)b.p.kept;
	int mixed = 0;

	for (unsigned v = b.warp; v < (unsigned)b.p.n; v += b.warps) {
		bool zeros = true, ones = true;

		if (!b.owns(v))
			continue;
		for (unsigned w = b.lane; w < words; w += 32) {
			uint32_t mask = b.masks()[w * MASK_WORDS + MASK_CHOSEN];
			uint32_t x =
				mask &
				(w < kept ? b.selected()[v * (unsigned)b.p.selected_stride + w] :
					    b.own_row(v)[w - kept]);

			zeros &= x == 0;
			ones &= x == mask;
		}
		mixed |= !__all_sync(WARP_ALL, zeros) && !__all_sync(WARP_ALL, ones);
	}
	return __syncthreads_or(mixed) != 0;
}

/* The same result in all blocks of the cluster. `stamp` must differ from call to call. */
template <bool MANY> static __device__ bool all_alike(const batch_block<MANY> &b, uint32_t stamp)
{
	bool mixed = any_mixed(b);

	if constexpr (MANY) {
		if (mixed && b.thread < b.blocks)
			(void)atomicExch(b.at(b.control() + CONTROL_MIXED, b.thread), stamp);
		cluster_sync();
		mixed = b.control()[CONTROL_MIXED] == stamp;
	}
	return !mixed;
}

/* Rows to gather in shared memory. Word w of row r is at low + r * low_step + w if w < kept, else
 * at high + r * high_step + w. Word w of the gathered row is at low + r * low_step + w. */
struct batch_rows {
	unsigned low, high, low_step, high_step, kept, count;
	bool for_all; /* gathered into all blocks of the cluster */
};

static __device__ __forceinline__ uint32_t compress(uint32_t x, uint4 m, uint4 n)
{
	uint32_t t;

	x &= m.x;
	t = x & m.y, x = (x ^ t) | t >> 1;
	t = x & m.z, x = (x ^ t) | t >> 2;
	t = x & m.w, x = (x ^ t) | t >> 4;
	t = x & n.x, x = (x ^ t) | t >> 8;
	t = x & n.y, x = (x ^ t) | t >> 16;
	return x;
}

/* A warp compresses the words of rows first .. first + rows - 1, one word in each lane. */
template <int ROWS, bool MANY>
static __device__ __forceinline__ void
compress_rows(const batch_block<MANY> &b, const batch_rows &r, unsigned first, unsigned rows)
{
#pragma unroll 1
	for (unsigned w = b.lane; w < (unsigned)b.p.population; w += 32) {
		const uint4 *masks = (const uint4 *)(b.masks() + w * MASK_WORDS);
		const uint4 m = masks[0], n = masks[1];
		const bool is_low = w < r.kept;
		const unsigned step = is_low ? r.low_step : r.high_step;
		uint32_t *word = b.shared + (is_low ? r.low : r.high) + first * step + w;

#pragma unroll
		for (unsigned i = 0; i < ROWS; i++)
			if (i < rows)
				word[i * step] = compress(word[i * step], m, n);
	}
	__syncwarp();
}

/* Joins word `at` of the gathered rows from the compressed words. */
template <int ROWS, bool MANY>
static __device__ __forceinline__ void join_words(const batch_block<MANY> &b, const batch_rows &r,
						  unsigned first, unsigned rows, unsigned at,
						  uint32_t (&word)[ROWS])
{
	unsigned w = b.begins()[at], span = b.spans()[w], shift = 32 * at - (span & 0xffff);
	unsigned filled = 0;

#pragma unroll
	for (int i = 0; i < ROWS; i++)
		word[i] = 0;
	for (;;) {
		const bool is_low = w < r.kept;
		const unsigned step = is_low ? r.low_step : r.high_step;
		const uint32_t *from = b.shared + (is_low ? r.low : r.high) + first * step + w;

#pragma unroll
		for (unsigned i = 0; i < ROWS; i++)
			if (i < rows)
				word[i] |= from[i * step] >> shift << filled;
		filled += (span >> 16) - shift;
		if (filled >= 32)
			return;
		shift = 0;
		span = b.spans()[++w];
	}
}

/* A warp gathers up to ROWS rows in place: no word is written before the words it overwrites have
 * been read. */
template <int ROWS, bool MANY>
static __device__ __forceinline__ void gather_rows(const batch_block<MANY> &b, const batch_rows &r,
						   unsigned first)
{
	const unsigned rows = min((unsigned)ROWS, r.count - first), words = (unsigned)b.p.selected;

	compress_rows<ROWS>(b, r, first, rows);
#pragma unroll 1
	for (unsigned begin = 0; begin < words; begin += 32) {
		const unsigned at = begin + b.lane;
		uint32_t word[ROWS], *to = b.shared + r.low + first * r.low_step + at;

		if (at < words)
			join_words<ROWS>(b, r, first, rows, at, word);
		__syncwarp();
#pragma unroll
		for (unsigned i = 0; i < ROWS; i++)
			if (at < words && i < rows)
				for (unsigned j = 0; j < (r.for_all ? b.blocks : 1); j++)
					b.at(to + i * r.low_step,
					     (b.rank + j) & (b.blocks - 1))[0] = word[i];
		__syncwarp();
	}
}

/* Gathers rows of variables into the whole cluster; each block gathers the planes for itself. Warps
 * take rows in turn. */
template <bool MANY> static __device__ void gather(const batch_block<MANY> &b)
{
	const boa_batch_plan &p = b.p;
	const int rows = MANY ? 1 : 8;
	const unsigned words = (unsigned)p.population, stride = (unsigned)p.selected_stride,
		       kept = (unsigned)p.kept;
	const batch_rows variables = { b.rank * stride,
				       (unsigned)p.at_offspring - kept,
				       b.blocks * stride,
				       (unsigned)p.offspring_stride,
				       kept,
				       b.own_rows(),
				       MANY };
	const batch_rows planes = { (unsigned)p.at_planes,
				    (unsigned)p.at_planes,
				    words,
				    words,
				    words,
				    kept ? (unsigned)p.planes : 0,
				    false };
	const unsigned first_planes = (variables.count + rows - 1) / rows,
		       tasks = first_planes + (planes.count + rows - 1) / rows;

	for (unsigned task = b.warp; task < tasks; task += b.warps) {
		const bool is_plane = task >= first_planes;
		const batch_rows r = { is_plane ? planes.low : variables.low,
				       is_plane ? planes.high : variables.high,
				       is_plane ? planes.low_step : variables.low_step,
				       is_plane ? planes.high_step : variables.high_step,
				       is_plane ? planes.kept : variables.kept,
				       is_plane ? planes.count : variables.count,
				       MANY && !is_plane };

		gather_rows<rows>(b, r, (is_plane ? task - first_planes : task) * rows);
	}
}

#endif
