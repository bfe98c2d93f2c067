/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Batched runs (batch.h): random populations, sampling and evaluation, and a run from its first
 * to its last population. */
#include "kernels/gboa/batch.h"

#include "kernels/gboa/fitness.h"
#include "kernels/common/cluster.cuh"
#include "kernels/gboa/batch_learn.cuh"
#include "kernels/gboa/batch_select.cuh"

/* ---- random numbers and digits ---- */

/* spread_sign(x, byte): all 32 bits are the highest bit of byte 0 .. 3 of x. A single instruction
 * in CUDA. */
#if !defined(__CUDACC__)
static __device__ __forceinline__ uint32_t spread_sign(uint32_t x, int byte)
{
	return 0u - (x >> (8 * byte + 7) & 1);
}
#else
static __device__ __forceinline__ uint32_t spread_sign(uint32_t x, int byte)
{
	uint32_t all;
	asm("prmt.b32 %0, %1, 0, %2;" : "=r"(all) : "r"(x), "r"(0x8888 + 0x1111 * byte));
	return all;
}
#endif

/* boa_digits() of one word, generation and q for many variables. Half of the products of Philox's
 * first two rounds do not depend on the variable. The constants are those of harness/base/philox.h.
 */
static const uint32_t DRAW_M0 = 0xD2511F53u, DRAW_M1 = 0xCD9E8D57u, DRAW_W0 = 0x9E3779B9u,
		      DRAW_W1 = 0xBB67AE85u;

struct batch_draw {
	uint32_t k0, k1; /* of the third round */
	uint32_t from_generation, from_word, word, q;

	__device__ batch_draw(uint64_t seed, uint32_t generation, uint32_t w, uint32_t digits)
	    : k0((uint32_t)seed + 2 * DRAW_W0), k1((uint32_t)(seed >> 32) + 2 * DRAW_W1)
	{
		uint64_t b = (uint64_t)DRAW_M1 * generation;
		uint64_t a = (uint64_t)DRAW_M0 * ((uint32_t)(b >> 32) ^ w ^ (uint32_t)seed);

		from_generation = (uint32_t)b ^ (k0 - DRAW_W0);
		from_word = (uint32_t)(a >> 32) ^ (k1 - DRAW_W1);
		word = (uint32_t)a;
		q = ((uint32_t)BOA_SAMPLE + digits) ^ (uint32_t)(seed >> 32);
	}

	__device__ __forceinline__ struct philox4 digits(uint32_t variable) const
	{
		uint64_t first = (uint64_t)DRAW_M0 * variable;
		uint64_t second = (uint64_t)DRAW_M1 * ((uint32_t)(first >> 32) ^ q);
		uint32_t c0 = (uint32_t)(second >> 32) ^ from_generation, c1 = (uint32_t)second;
		uint32_t c2 = from_word ^ (uint32_t)first, c3 = word;

#pragma unroll
		for (uint32_t round = 0; round < 5; round++) {
			uint64_t a = (uint64_t)DRAW_M0 * c0, b = (uint64_t)DRAW_M1 * c2;

			c0 = (uint32_t)(b >> 32) ^ c1 ^ (k0 + round * DRAW_W0);
			c1 = (uint32_t)b;
			c2 = (uint32_t)(a >> 32) ^ c3 ^ (k1 + round * DRAW_W1);
			c3 = (uint32_t)a;
		}
		return philox4{ { c0, c1, c2, c3 } };
	}
};

/* Words [variable][stride] of some individuals, and the position of their planes. */
struct batch_words {
	uint32_t *words;
	unsigned stride, count, plane_at;
};

/* ---- fitness ---- */

/* One number for each of 32 individuals, in bit planes. */
struct batch_number {
	uint32_t bit[BOA_BATCH_TRAP_PLANES];
};

static __device__ __forceinline__ void add_number(batch_number &sum, const batch_number &x)
{
	uint32_t carry = 0;

#pragma unroll
	for (int i = 0; i < BOA_BATCH_TRAP_PLANES; i++) {
		uint32_t s = sum.bit[i], y = x.bit[i];

		sum.bit[i] = s ^ y ^ carry;
		carry = (s & y) | (carry & (s ^ y));
	}
}

/* The value of one block of a trap: k if all are ones, else zeros - 1. */
static __device__ __forceinline__ batch_number trap_block(const uint32_t *column, unsigned stride,
							  unsigned k)
{
	batch_number zeros = { { 0 } };
	uint32_t none, borrow;

	for (unsigned i = 0; i < k; i++) {
		uint32_t carry = ~column[i * stride];

#pragma unroll
		for (int j = 0; j < 4; j++) {
			uint32_t x = zeros.bit[j];

			zeros.bit[j] = x ^ carry;
			carry &= x;
		}
	}
	none = ~(zeros.bit[0] | zeros.bit[1] | zeros.bit[2] | zeros.bit[3]);
	borrow = 0xffffffff;
#pragma unroll
	for (int j = 0; j < 4; j++) {
		uint32_t x = zeros.bit[j];

		zeros.bit[j] = (none & (0 - (k >> j & 1))) | (~none & (x ^ borrow));
		borrow &= ~x;
	}
	return zeros;
}

/* A warp evaluates WORDS words, starting with `first`, with 32 / WORDS lanes for each word. Of as
 * many blocks, each lane evaluates one. */
template <unsigned WORDS, bool MANY>
static __device__ void evaluate_traps(const batch_block<MANY> &b, const batch_words &to,
				      unsigned first)
{
	const unsigned k = (unsigned)b.p.fitness.parameter, n = (unsigned)b.p.n;
	const unsigned lanes = 32 / WORDS, mine = first + b.lane / lanes, part = b.lane % lanes;
	const unsigned word = min(mine, to.count - 1);
	batch_number sum = { { 0 } };

	for (unsigned v = part * k; v < n; v += lanes * k)
		add_number(sum, trap_block(to.words + v * to.stride + word, to.stride, k));
#pragma unroll
	for (int step = 1; step < (int)lanes; step *= 2) {
		batch_number other;

#pragma unroll
		for (int i = 0; i < BOA_BATCH_TRAP_PLANES; i++)
			other.bit[i] = __shfl_xor_sync(WARP_ALL, sum.bit[i], step);
		add_number(sum, other);
	}
	if (mine >= to.count)
		return;
#pragma unroll
	for (unsigned i = 0; i < BOA_BATCH_TRAP_PLANES; i++)
		if (i < (unsigned)b.p.planes && i % lanes == part)
			b.planes()[i * (unsigned)b.p.population + to.plane_at + word] = sum.bit[i];
}

/* Not inlined: the code for all kinds of fitness is large. */
static __device__ __noinline__ uint32_t any_fitness(const struct boa_fitness *f,
						    const uint32_t *column, unsigned stride,
						    uint32_t bit)
{
	return (uint32_t)boa_fitness_of(f, column, stride, bit);
}

/* A warp evaluates one word, one individual in each lane; the planes are ballots. */
template <bool MANY>
static __device__ void evaluate_word(const batch_block<MANY> &b, const batch_words &to,
				     unsigned word)
{
	uint32_t value = any_fitness(&b.p.fitness, to.words + word, to.stride, b.lane) -
			 (uint32_t)b.p.fitness.least;
	uint32_t mine = 0;

	for (unsigned i = 0; i < (unsigned)b.p.planes; i++) {
		uint32_t votes = __ballot_sync(WARP_ALL, value >> i & 1);

		mine = b.lane == i ? votes : mine;
	}
	if (b.lane < (unsigned)b.p.planes)
		b.planes()[b.lane * (unsigned)b.p.population + to.plane_at + word] = mine;
}

/* A warp evaluates up to WORDS words, starting with `first`. */
template <unsigned WORDS, bool MANY>
static __device__ void evaluate(const batch_block<MANY> &b, const batch_words &to, unsigned first)
{
	if (b.p.fitness.kind == BOA_TRAP && b.p.planes <= BOA_BATCH_TRAP_PLANES) {
		evaluate_traps<WORDS>(b, to, first);
		return;
	}
	for (unsigned word = first; word < min(first + WORDS, to.count); word++)
		evaluate_word(b, to, word);
}

template <bool MANY>
static __device__ void evaluate_all(const batch_block<MANY> &b, const batch_words &to)
{
	if (MANY && to.count <= b.warps) {
		if (b.warp < to.count)
			evaluate<1>(b, to, b.warp);
		return;
	}
	for (unsigned first = 8 * b.warp; first < to.count; first += 8 * b.warps)
		evaluate<8>(b, to, first);
}

/* Sends the planes of the words that this block has evaluated to the other blocks of the cluster: a
 * warp to one block at a time. */
template <bool MANY>
static __device__ void share_planes(const batch_block<MANY> &b, const batch_words &to)
{
	const unsigned all = (unsigned)b.p.planes * to.count;

	for (unsigned j = 1 + b.warp; j < b.blocks; j += b.warps)
		for (unsigned item = b.lane; item < all; item += 32) {
			uint32_t *word = b.planes() + item / to.count * (unsigned)b.p.population +
					 to.plane_at + item % to.count;

			*b.at(word, (b.rank + j) & (b.blocks - 1)) = *word;
		}
}

/* ---- the first population ---- */

template <bool MANY> static __device__ void first_words(const batch_block<MANY> &b)
{
	const unsigned words = (unsigned)b.p.population, fours = (words + 3) / 4;
	const unsigned kept = (unsigned)b.p.kept;

	for (unsigned i = b.thread; i < (unsigned)b.p.n * fours; i += b.threads) {
		unsigned v = i / fours, first = i % fours * 4;
		struct philox4 r = philox_7(v, first / 4, 0, BOA_INITIAL, b.seed);

#pragma unroll
		for (unsigned j = 0; j < 4; j++) {
			unsigned w = first + j;

			if (w < kept)
				b.selected()[v * (unsigned)b.p.selected_stride + w] = r.word[j];
			else if (w < words && b.owns(v))
				b.own_row(v)[w - kept] = r.word[j];
		}
	}
}

/* Each block of a cluster evaluates a share of the words. It draws the random bits of that share a
 * second time, into the slice. */
template <bool MANY> static __device__ void evaluate_first_share(const batch_block<MANY> &b)
{
	unsigned words = (unsigned)b.p.population, share = (words + b.blocks - 1) / b.blocks;
	unsigned last = min(words, (b.rank + 1) * share), stride = (unsigned)b.p.slice_stride;

	for (unsigned first = b.rank * share; first < last; first += (unsigned)b.p.slice) {
		unsigned count = min((unsigned)b.p.slice, last - first);

		for (unsigned i = b.thread; i < (unsigned)b.p.n * count; i += b.threads)
			b.slice()[i / count * stride + i % count] =
				boa_initial_word(b.seed, i / count, first + i % count);
		__syncthreads();
		batch_words here = { b.slice(), stride, count, first };

		evaluate_all(b, here);
		__syncthreads();
		share_planes(b, here);
	}
}

template <bool MANY> static __device__ void first_population(const batch_block<MANY> &b)
{
	const unsigned kept = (unsigned)b.p.kept;
	const batch_words parts[2] = { { b.selected(), (unsigned)b.p.selected_stride, kept, 0 },
				       { b.offspring(), (unsigned)b.p.offspring_stride,
					 (unsigned)b.p.population - kept, kept } };

	first_words(b);
	__syncthreads();
	if constexpr (MANY) {
		evaluate_first_share(b);
	} else {
#pragma unroll 1
		for (int i = 0; i < 2; i++)
			evaluate_all(b, i ? parts[1] : parts[0]);
	}
}

/* ---- offspring ---- */

/* All ones if bit a of byte `byte` of x is set, else 0. */
static __device__ __forceinline__ uint32_t all_or_none(uint32_t x, int a, int byte)
{
	return spread_sign(x << (7 - a), byte);
}

/* Selects one of the 2^C values in byte `byte` of x by the words of C parents. */
template <int C>
static __device__ __forceinline__ uint32_t choose_value(uint32_t x, int byte,
							const uint32_t (&parent)[3])
{
	uint32_t value[1 << C];

#pragma unroll
	for (int a = 0; a < 1 << C; a++)
		value[a] = all_or_none(x, a, byte);
#pragma unroll
	for (int i = 0; i < C; i++)
#pragma unroll
		for (int a = 0; a < 1 << (C - 1 - i); a++)
			value[a] = (value[2 * a] & ~parent[i]) | (value[2 * a + 1] & parent[i]);
	return value[0];
}

/* Computes, for 4 digits, the individuals whose number is below the threshold and those whose
 * digits equal it. */
template <int C>
static __device__ __forceinline__ void compare(const struct philox4 &u, uint32_t digits,
					       const uint32_t (&parent)[3], uint32_t &below,
					       uint32_t &same)
{
	below = 0;
	same = 0xffffffff;
#pragma unroll
	for (int d = 3; d >= 0; d--) {
		uint32_t t = choose_value<C>(digits, d, parent);

		below = (~u.word[d] & t) | (~(u.word[d] ^ t) & below);
		same &= ~(u.word[d] ^ t);
	}
}

/* The same for a number of parents known at run time. */
static __device__ __forceinline__ void compare_any(unsigned parents, const struct philox4 &u,
						   uint32_t digits, const uint32_t (&parent)[3],
						   uint32_t &below, uint32_t &same)
{
	switch (parents) {
	case 0:
		return compare<0>(u, digits, parent, below, same);
	case 1:
		return compare<1>(u, digits, parent, below, same);
	case 2:
		return compare<2>(u, digits, parent, below, same);
	default:
		return compare<3>(u, digits, parent, below, same);
	}
}

/* The individuals whose configuration always gives a one. For configuration a, that is bit a of
 * byte 3. */
static __device__ __forceinline__ uint32_t choose_any(unsigned parents, uint32_t info,
						      const uint32_t (&parent)[3])
{
	switch (parents) {
	case 0:
		return choose_value<0>(info, 3, parent);
	case 1:
		return choose_value<1>(info, 3, parent);
	case 2:
		return choose_value<2>(info, 3, parent);
	default:
		return choose_value<3>(info, 3, parent);
	}
}

/* A warp samples 8 words, starting with `first`, with 4 lanes for each word; each lane compares 4
 * of the 16 digits. Word 0 of `to` is offspring word `base`. */
template <bool MANY>
static __device__ void sample_8(const batch_block<MANY> &b, const batch_words &to, unsigned first,
				unsigned base, uint32_t generation)
{
	unsigned word = min(first + b.lane / 4, to.count - 1), q = b.lane % 4;
	bool mine = q == 0 && first + b.lane / 4 < to.count;
	const uint32_t *record = b.records();
	const batch_draw draw(b.seed, generation, base + word, q);
	struct philox4 next = draw.digits(record[RECORD_INFO] & 0xffff);

	for (int rank = 0; rank < b.p.n; rank++, record += RECORD_WORDS) {
		const uint4 info = *(const uint4 *)(record + RECORD_INFO);
		const unsigned variable = info.x & 0xffff, parents = info.x >> 16 & 3;
		const struct philox4 u = next;
		uint32_t parent[3], below, same;

		if (rank + 1 < b.p.n && !(record[RECORD_WORDS + RECORD_INFO] & RECORD_CERTAIN))
			next = draw.digits(record[RECORD_WORDS + RECORD_INFO] & 0xffff);
		parent[0] = parents > 0 ? to.words[info.y + word] : 0;
		parent[1] = parents > 1 ? to.words[info.z + word] : 0;
		parent[2] = parents > 2 ? to.words[info.w + word] : 0;
		if (info.x & RECORD_CERTAIN) {
			below = info.x >> 24 ? choose_any(parents, info.x, parent) : 0;
		} else {
			compare_any(parents, u, record[q], parent, below, same);
			below |= same & __shfl_down_sync(WARP_ALL, below, 1);
			same &= __shfl_down_sync(WARP_ALL, same, 1);
			below |= same & __shfl_down_sync(WARP_ALL, below, 2);
			if (info.x >> 24) {
				/* all 16 digits are equal (rare): a one only if the configuration
				 * always gives one */
				same &= __shfl_down_sync(WARP_ALL, same, 2);
				if (__any_sync(WARP_ALL, q == 0 && same))
					below |= same & choose_any(parents, info.x, parent);
			}
		}
		if (mine)
			to.words[variable * to.stride + word] = below;
		__syncwarp();
	}
}

template <bool MANY>
static __device__ void sample_words(const batch_block<MANY> &b, const batch_words &to,
				    unsigned base, uint32_t generation)
{
	for (unsigned first = 8 * b.warp; first < to.count; first += 8 * b.warps) {
		sample_8(b, to, first, base, generation);
		if (!MANY)
			evaluate<8>(b, to, first);
	}
}

/* ---- few words: one thread for each item ---- */

/* If a block of a cluster has few words, each thread makes items. An item is one word of one
 * variable. */

/* Computes the item for each configuration of the parents of its variable, before the values of the
 * parents are known. */
template <bool MANY>
static __device__ void toss_coins(const batch_block<MANY> &b, const uint32_t *record, unsigned item,
				  unsigned items, unsigned word, uint32_t generation)
{
	const uint32_t info = record[RECORD_INFO];
	const int configurations = 1 << (info >> 16 & 3);
	struct philox4 u[4];

	if (info & RECORD_CERTAIN) {
		for (int a = 0; a < configurations; a++)
			b.coins()[(unsigned)a * items + item] = spread_sign(info << (7 - a), 3);
		return;
	}
#pragma unroll
	for (uint32_t q = 0; q < 4; q++)
		u[q] = boa_digits(b.seed, generation, info & 0xffff, word, q);
	for (int a = 0; a < configurations; a++) {
		uint32_t below = 0;

#pragma unroll
		for (int q = 3; q >= 0; q--) {
			uint32_t digits = record[q] << (7 - a);

#pragma unroll
			for (int d = 3; d >= 0; d--) {
				uint32_t t = spread_sign(digits, d);

				below = (~u[q].word[d] & t) | (~(u[q].word[d] ^ t) & below);
			}
		}
		b.coins()[(unsigned)a * items + item] = below | spread_sign(info << (7 - a), 3);
	}
}

/* Selects the item (coin) of the configuration that the parents have at present. */
template <bool MANY>
static __device__ uint32_t pick_coin(const batch_block<MANY> &b, const uint32_t *record,
				     const batch_words &to, unsigned item, unsigned items,
				     unsigned word)
{
	const unsigned parents = record[RECORD_INFO] >> 16 & 3;
	uint32_t value[1 << BOA_BATCH_PARENTS_MAX];

#pragma unroll
	for (unsigned a = 0; a < 1u << BOA_BATCH_PARENTS_MAX; a++)
		value[a] = a < 1u << parents ? b.coins()[a * items + item] : 0;
#pragma unroll
	for (unsigned i = 0; i < BOA_BATCH_PARENTS_MAX; i++) {
		uint32_t x = i < parents ? to.words[record[RECORD_PARENTS + i] + word] : 0;

#pragma unroll
		for (unsigned a = 0; a < 1u << (BOA_BATCH_PARENTS_MAX - 1 - i); a++)
			value[a] = (value[2 * a] & ~x) | (value[2 * a + 1] & x);
	}
	return value[0];
}

/* Resolves items in the order of ranks, one for each thread at a time, beginning with those of
 * parents that are all 0. Parents are earlier items, so this repeats until no item changes: at most
 * as many times as the length of the longest path. Reads and writes alternate. */
template <bool MANY>
static __device__ void resolve(const batch_block<MANY> &b, const batch_words &to, unsigned items)
{
	for (unsigned first = 0; first < items; first += b.threads) {
		unsigned item = first + b.thread, word = item % to.count;
		const uint32_t *record = b.records() + item / to.count * RECORD_WORDS;
		bool there = item < items, changed, any;
		uint32_t *mine = to.words;

		if (there) {
			mine += (record[RECORD_INFO] & 0xffff) * to.stride + word;
			*mine = b.coins()[item];
		}
		do {
			__syncthreads();
			uint32_t value = there ? pick_coin(b, record, to, item, items, word) : 0;

			changed = there && value != *mine;
			any = __syncthreads_or(changed) != 0;
			if (changed)
				*mine = value;
		} while (any);
	}
}

template <bool MANY>
static __device__ void sample_items(const batch_block<MANY> &b, const batch_words &to,
				    unsigned base, uint32_t generation)
{
	const unsigned items = (unsigned)b.p.n * to.count;

	for (unsigned item = b.thread; item < items; item += b.threads)
		toss_coins(b, b.records() + item / to.count * RECORD_WORDS, item, items,
			   base + item % to.count, generation);
	__syncthreads();
	resolve(b, to, items);
}

/* Samples and evaluates a block's share of the offspring and sends the rows to the blocks that own
 * them. */
template <bool MANY>
static __device__ void sample_share(const batch_block<MANY> &b, uint32_t generation)
{
	unsigned all = (unsigned)b.p.offspring, base = b.rank * (unsigned)b.p.slice;
	unsigned count = base < all ? min((unsigned)b.p.slice, all - base) : 0;
	batch_words to = { b.slice(), (unsigned)b.p.slice_stride, count,
			   (unsigned)b.p.kept + base };

	if (count == 0)
		return;
	if (b.p.by_items)
		sample_items(b, to, base, generation);
	else
		sample_words(b, to, base, generation);
	__syncthreads();
	evaluate_all(b, to);
	for (unsigned i = b.thread; i < (unsigned)b.p.n * count; i += b.threads) {
		unsigned v = i / count, w = i % count;

		b.at(b.own_row(v), b.owner(v))[base + w] = to.words[v * to.stride + w];
	}
	__syncthreads();
	share_planes(b, to);
}

template <bool MANY> static __device__ void sample(const batch_block<MANY> &b, uint32_t generation)
{
	if constexpr (MANY)
		sample_share(b, generation);
	else
		sample_words(b,
			     batch_words{ b.offspring(), (unsigned)b.p.offspring_stride,
					  (unsigned)b.p.offspring, (unsigned)b.p.kept },
			     0, generation);
}

/* ---- runs ---- */

/* Measures where a block's time goes, on request. */
struct batch_clock {
	unsigned long long *sums;
	long long last;

	__device__ explicit batch_clock(unsigned long long *s)
	    : sums(threadIdx.x ? NULL : s), last(0)
	{
		last = sums ? clock64() : 0;
	}
	__device__ void mark(boa_batch_phase phase)
	{
		if (sums) {
			long long now = clock64();

			atomicAdd(sums + phase, (unsigned long long)(now - last));
			last = now;
		}
	}
};

/* Reads the limit of the host, in one thread. Each read crosses the bus, which serves about a
 * million reads/s for all blocks together, so it is read once in a period. */
struct batch_limit {
	const unsigned *limit; /* NULL: none */
	long long last, period;
	unsigned runs;

	__device__ explicit batch_limit(const unsigned *l, int32_t clocks)
	    : limit(l), last(0), period(clocks), runs(~0u)
	{
		last = clock64() - period; /* the first read is immediate */
	}
	/* Whether this run may begin. */
	__device__ bool allows(unsigned run)
	{
		if (limit && runs && clock64() - last >= period) {
			last = clock64();
			runs = ld_acquire_sys(limit);
		}
		return run < runs;
	}
	/* Whether all runs shall end. */
	__device__ bool ends()
	{
		return !allows(0);
	}
};

/* The state of a run; the same in all threads. */
struct batch_state {
	unsigned run;
	int32_t best, generations;
	bool halted;
};

template <bool MANY> static __device__ void load_table(const batch_block<MANY> &b)
{
	unsigned values = (unsigned)b.p.individuals + 2, log = (unsigned)b.p.copies_log;

	for (unsigned i = b.thread; i < values << log; i += b.threads)
		b.table()[i] = b.m.ln_factorial[i >> log];
}

/* Clears the padding words, which are counted but hold no individual. */
template <bool MANY> static __device__ void clear_padding(const batch_block<MANY> &b)
{
	unsigned stride = (unsigned)b.p.selected_stride, used = (unsigned)b.p.selected;

	for (unsigned v = b.warp; v < (unsigned)b.p.n; v += b.warps)
		for (unsigned w = used + b.lane; w < stride; w += 32)
			b.selected()[v * stride + w] = 0;
}

/* Obtains the number of the next run for all threads of the block or cluster; p.runs or more if no
 * run is left. */
template <bool MANY>
static __device__ unsigned draw_run(const batch_block<MANY> &b, batch_limit &limit)
{
	if (b.rank == 0 && b.thread == 0) {
		unsigned run = atomicAdd(b.m.ticket, 1);

		if (!limit.allows(run))
			run = (unsigned)b.p.runs;
		for (unsigned i = 0; i < b.blocks; i++) {
			b.at(b.control(), i)[CONTROL_RUN] = run;
			b.at(b.control(), i)[CONTROL_HALT] = 0;
		}
	}
	if (b.thread == 0)
		b.control()[CONTROL_EDGES] = 0;
	clear_sums(b);
	b.sync_run();
	return b.control()[CONTROL_RUN];
}

/* One thread of a run reads the limit; all blocks see the result after sampling. */
template <bool MANY>
static __device__ void poll_limit(const batch_block<MANY> &b, batch_limit &limit)
{
	if (b.rank == 0 && b.thread == b.threads - 1 && limit.ends())
		for (unsigned i = 0; i < b.blocks; i++)
			b.at(b.control(), i)[CONTROL_HALT] = 1;
}

/* Selects, and keeps the best individual. False if the run ends here. */
template <bool MANY>
static __device__ bool select(const batch_block<MANY> &b, batch_state &s, uint32_t &stamp)
{
	unsigned first_new = s.generations ? (unsigned)b.p.kept : 0, top_at;
	int32_t top = (int32_t)((uint32_t)b.p.fitness.least + select_and_top(b, first_new, top_at));

	if (s.generations == 0 || top > s.best) {
		s.best = top;
		keep_bits(b, s.run, top_at);
		__syncthreads(); /* gathering overwrites the words just read */
	}
	if (s.generations >= b.p.generations || (b.p.stop_at_optimum && s.best == b.p.optimum))
		return false;
	s.halted = b.control()[CONTROL_HALT] != 0;
	return !s.halted && !(b.p.stop_converged && all_alike(b, ++stamp));
}

/* Learns a network from the selected and makes its records. */
template <bool MANY>
static __device__ void learn(const batch_block<MANY> &b, batch_limit &limit, batch_clock &clock)
{
	count_singles(b);
	__syncthreads();
	clock.mark(BOA_BATCH_SINGLES);
	poll_limit(b, limit);
	learn_parents(b);
	clock.mark(BOA_BATCH_LEARN);
	make_records(b);
	clock.mark(BOA_BATCH_TABLES);
	b.sync_run();
	clock.mark(BOA_BATCH_LEARNED);
}

/* Writes the last population and its fitness. */
template <bool MANY>
static __device__ void write_population(const batch_block<MANY> &b, unsigned run)
{
	unsigned words = (unsigned)b.p.population, n = (unsigned)b.p.n, kept = (unsigned)b.p.kept;

	if (b.m.words)
		for (unsigned v = b.warp; v < n; v += b.warps)
			for (unsigned w = b.lane; b.owns(v) && w < words; w += 32)
				b.m.words[((size_t)run * n + v) * words + w] =
					w < kept ? b.selected()[v * (unsigned)b.p.selected_stride +
								w] :
						   b.own_row(v)[w - kept];
	if (!b.m.fitness || b.rank != 0)
		return;
	for (unsigned i = b.thread; i < 32 * words; i += b.threads) {
		uint32_t value = 0;

		for (int plane = 0; plane < b.p.planes; plane++)
			value |= (b.planes()[(unsigned)plane * words + i / 32] >> i % 32 & 1)
				 << plane;
		b.m.fitness[(size_t)run * 32 * words + i] =
			(int32_t)((uint32_t)b.p.fitness.least + value);
	}
}

template <bool MANY>
static __device__ void end_run(const batch_block<MANY> &b, const batch_state &s)
{
	boa_batch_result *r = b.m.results + s.run;

	write_population(b, s.run);
	if (b.thread == 0)
		atomicAdd((unsigned long long *)&r->edges,
			  (unsigned long long)b.control()[CONTROL_EDGES]);
	if (b.thread == 0 && b.rank == 0) {
		r->best = s.best;
		r->generations = s.generations;
		r->halted = s.halted;
		r->begun = 1;
	}
	b.sync_run();
}

template <bool MANY>
static __device__ void do_run(const batch_block<MANY> &b, unsigned run, uint32_t &stamp,
			      batch_limit &limit, batch_clock &clock)
{
	batch_state s = { run, INT32_MIN, 0, false };

	first_population(b);
	draw_keys(b, 0);
	b.sync_run();
	clock.mark(BOA_BATCH_FIRST);
	while (select(b, s, stamp)) {
		clock.mark(BOA_BATCH_SELECT);
		clear_sums(b);
		if (!has_selecting_warp(b))
			sort_keys(b, 0);
		clock.mark(BOA_BATCH_SORT);
		gather(b);
		clock.mark(BOA_BATCH_GATHER);
		b.sync_run();
		clock.mark(BOA_BATCH_GATHERED);
		learn(b, limit, clock);
		sample(b, (uint32_t)s.generations++);
		draw_keys(b, (uint32_t)s.generations);
		clock.mark(BOA_BATCH_SAMPLE);
		b.sync_run();
		clock.mark(BOA_BATCH_SAMPLED);
	}
	end_run(b, s);
	clock.mark(BOA_BATCH_END);
}

template <bool MANY>
static __device__ void do_runs(const boa_batch_plan &p, const boa_batch_memory &m, uint32_t *shared)
{
	batch_block<MANY> b(p, m, shared);
	batch_clock clock(m.clocks);
	batch_limit limit(m.limit, p.limit_period);
	uint32_t stamp = 0;

	load_table(b);
	clear_padding(b);
	if (b.thread == 0)
		b.control()[CONTROL_MIXED] = 0;
	b.sync_run();
	for (;;) {
		unsigned run = draw_run(b, limit);

		if (run >= (unsigned)p.runs)
			break;
		/* `run` is the same in all lanes; the reduction tells the compiler so */
		b.seed = p.seed + __reduce_max_sync(WARP_ALL, run);
		do_run(b, run, stamp, limit, clock);
	}
	b.sync_run(); /* no block may exit while others access its shared memory */
}

__global__ static void __launch_bounds__(1024)
	run_in_blocks(const __grid_constant__ boa_batch_plan p,
		      const __grid_constant__ boa_batch_memory m)
{
	SHARED_MEMORY(uint32_t, shared);
	do_runs<false>(p, m, shared);
}

/* With fewer threads each has more registers. */
template <int THREADS>
__global__ static void __launch_bounds__(THREADS, 1)
	run_in_clusters(const __grid_constant__ boa_batch_plan p,
			const __grid_constant__ boa_batch_memory m)
{
	SHARED_MEMORY(uint32_t, shared);
	do_runs<true>(p, m, shared);
}

template <int THREADS>
static int resident_clusters(struct dev_stream *s, const struct boa_batch_plan *p, int threads,
			     int *clusters, struct err *e)
{
	return GPU_CLUSTERS(e, clusters, run_in_clusters<THREADS>, p->cluster, threads,
			    p->shared_bytes, s);
}

static int resident(struct dev_stream *s, const struct boa_batch_plan *p, int threads,
		    int *clusters, struct err *e)
{
	if (p->cluster == 1)
		return GPU_RESIDENT(e, clusters, run_in_blocks, threads, p->shared_bytes, s);
	return threads <= 512 ? resident_clusters<512>(s, p, threads, clusters, e) :
				resident_clusters<1024>(s, p, threads, clusters, e);
}

template <int THREADS>
static int start_clusters(struct dev_stream *s, const struct boa_batch_plan *p,
			  const struct boa_batch_memory *m, int threads, int clusters,
			  struct err *e)
{
	return LAUNCH_CLUSTERS(e, run_in_clusters<THREADS>, p->cluster, clusters, threads,
			       p->shared_bytes, s, *p, *m);
}

static int run(struct dev_stream *s, const struct boa_batch_plan *p,
	       const struct boa_batch_memory *m, int threads, int clusters, struct err *e)
{
	if (p->cluster == 1)
		return LAUNCH(e, run_in_blocks, clusters, threads, p->shared_bytes, s, *p, *m);
	return threads <= 512 ? start_clusters<512>(s, p, m, threads, clusters, e) :
				start_clusters<1024>(s, p, m, threads, clusters, e);
}

extern "C" const struct boa_batch_kernels BACKEND_SYMBOL(boa_batch_kernels) = { resident, run };
