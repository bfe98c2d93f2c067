/* Populations and their fitness of batch.h. */
#ifndef COPRA_KERNELS_GBOA_BATCH_SAMPLE_CUH
#define COPRA_KERNELS_GBOA_BATCH_SAMPLE_CUH

#include "algorithms/gboa/fitness.h"
#include "kernels/gboa/batch_block.cuh"
#include "kernels/gboa/batch_draw.cuh"
#include "kernels/gboa/spread.cuh"

/* Words [variable][stride] of some individuals, and where their planes go. */
struct batch_words {
	uint32_t *words;
	unsigned stride, count, plane_at;
};

/* ---- fitness ---- */

/* A number of 32 individuals in planes, bit p of each in a word. */
struct batch_number {
	uint32_t bit[BATCH_TRAP_PLANES];
};

static __device__ __forceinline__ void add_number(batch_number &sum, const batch_number &x)
{
	uint32_t carry = 0;

#pragma unroll
	for (int i = 0; i < BATCH_TRAP_PLANES; i++) {
		uint32_t s = sum.bit[i], y = x.bit[i];

		sum.bit[i] = s ^ y ^ carry;
		carry = (s & y) | (carry & (s ^ y));
	}
}

/* One block of a trap: k if all are ones, else zeros - 1. */
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

/* A warp, 8 words from `first` on, 4 lanes a word: each takes every fourth block. */
template <bool MANY>
static __device__ void evaluate_traps(const batch_block<MANY> &b, const batch_words &to,
				      unsigned first)
{
	const unsigned k = (unsigned)b.p.fitness.parameter, n = (unsigned)b.p.n;
	unsigned word = min(first + b.lane / 4, to.count - 1), part = b.lane % 4;
	batch_number sum = { { 0 } };

	for (unsigned v = part * k; v < n; v += 4 * k)
		add_number(sum, trap_block(to.words + v * to.stride + word, to.stride, k));
#pragma unroll
	for (int step = 1; step < 4; step *= 2) {
		batch_number other;

#pragma unroll
		for (int i = 0; i < BATCH_TRAP_PLANES; i++)
			other.bit[i] = __shfl_xor_sync(BATCH_ALL_LANES, sum.bit[i], step);
		add_number(sum, other);
	}
	if (first + b.lane / 4 >= to.count)
		return;
#pragma unroll
	for (unsigned i = 0; i < BATCH_TRAP_PLANES; i++)
		if (i < (unsigned)b.p.planes && i % 4 == part)
			b.planes()[i * (unsigned)b.p.population + to.plane_at + word] = sum.bit[i];
}

/* Once in the program: all landscapes together are much code. */
static __device__ __noinline__ uint32_t any_fitness(const struct fitness_view *f,
						    const uint32_t *column, unsigned stride,
						    uint32_t bit)
{
	return (uint32_t)fitness_of(f, column, stride, bit);
}

/* A warp, one word: an individual a lane, the planes are votes. */
template <bool MANY>
static __device__ void evaluate_word(const batch_block<MANY> &b, const batch_words &to,
				     unsigned word)
{
	uint32_t value = any_fitness(&b.p.fitness, to.words + word, to.stride, b.lane) -
			 (uint32_t)b.p.fitness.least;
	uint32_t mine = 0;

	for (unsigned i = 0; i < (unsigned)b.p.planes; i++) {
		uint32_t votes = __ballot_sync(BATCH_ALL_LANES, value >> i & 1);

		mine = b.lane == i ? votes : mine;
	}
	if (b.lane < (unsigned)b.p.planes)
		b.planes()[b.lane * (unsigned)b.p.population + to.plane_at + word] = mine;
}

/* A warp: up to 8 words from `first` on. */
template <bool MANY>
static __device__ void evaluate_8(const batch_block<MANY> &b, const batch_words &to, unsigned first)
{
	if (b.p.fitness.kind == LANDSCAPE_TRAP && b.p.planes <= BATCH_TRAP_PLANES) {
		evaluate_traps(b, to, first);
		return;
	}
	for (unsigned word = first; word < min(first + 8, to.count); word++)
		evaluate_word(b, to, word);
}

template <bool MANY>
static __device__ void evaluate_all(const batch_block<MANY> &b, const batch_words &to)
{
	for (unsigned first = 8 * b.warp; first < to.count; first += 8 * b.warps)
		evaluate_8(b, to, first);
}

/* Planes of words that this block has evaluated go to the others of the cluster. */
template <bool MANY>
static __device__ void share_planes(const batch_block<MANY> &b, const batch_words &to)
{
	const unsigned planes = (unsigned)b.p.planes, all = planes * to.count;

	for (unsigned i = b.thread; i < all << b.blocks_log; i += b.threads) {
		unsigned block = i & (b.blocks - 1), item = i >> b.blocks_log;
		uint32_t *word = b.planes() + item / to.count * (unsigned)b.p.population +
				 to.plane_at + item % to.count;

		if (block != b.rank)
			*b.at(word, block) = *word;
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

/* Blocks of a cluster evaluate a share each, which they draw anew into the slice. */
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

/* Ones where bit a of byte `byte` of x is set: all 32 individuals, or none. */
static __device__ __forceinline__ uint32_t all_or_none(uint32_t x, int a, int byte)
{
	return spread_sign(x << (7 - a), byte);
}

/* The 2^C configurations of a function's values in byte `byte` of x, chosen by the words of C
 * parents. */
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

/* Of 4 digits: where the number is below the threshold, and where it is the same. */
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

/* The same for a number of parents known when it runs. */
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

/* Where a configuration that always has a one is there: its bit in byte 3. */
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

/* A warp samples 8 words from `first` on, 4 lanes a word, each 4 of the 16 digits. Word 0 of `to`
 * is offspring word `base`. */
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
			below |= same & __shfl_down_sync(BATCH_ALL_LANES, below, 1);
			same &= __shfl_down_sync(BATCH_ALL_LANES, same, 1);
			below |= same & __shfl_down_sync(BATCH_ALL_LANES, below, 2);
			if (info.x >> 24) {
				/* all 16 digits the same: rare, and a one only where it always is
				 */
				same &= __shfl_down_sync(BATCH_ALL_LANES, same, 2);
				if (__any_sync(BATCH_ALL_LANES, q == 0 && same))
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
			evaluate_8(b, to, first);
	}
}

#endif
