/* Sampling of batch.h where a block of a cluster has few words: an item is a word of a variable,
 * and a thread an item. */
#ifndef COPRA_KERNELS_GBOA_BATCH_ITEMS_CUH
#define COPRA_KERNELS_GBOA_BATCH_ITEMS_CUH

#include "kernels/gboa/batch_sample.cuh"

/* What the item will be under each configuration of its variable's parents, before they are known.
 */
template <bool MANY>
static __device__ void toss_coins(const batch_block<MANY> &b, const uint32_t *record, unsigned item,
				  unsigned items, unsigned word, uint32_t generation)
{
	const uint32_t info = record[RECORD_INFO];
	const int configurations = 1 << (info >> 16 & 3);
	struct philox4 u[4];

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

/* Which coin counts, by the parents as they are now. */
template <bool MANY>
static __device__ uint32_t pick_coin(const batch_block<MANY> &b, const uint32_t *record,
				     const batch_words &to, unsigned item, unsigned items,
				     unsigned word)
{
	const unsigned parents = record[RECORD_INFO] >> 16 & 3;
	uint32_t value[1 << BATCH_PARENTS_MAX];

#pragma unroll
	for (unsigned a = 0; a < 1u << BATCH_PARENTS_MAX; a++)
		value[a] = a < 1u << parents ? b.coins()[a * items + item] : 0;
#pragma unroll
	for (unsigned i = 0; i < BATCH_PARENTS_MAX; i++) {
		uint32_t x = i < parents ? to.words[record[RECORD_PARENTS + i] + word] : 0;

#pragma unroll
		for (unsigned a = 0; a < 1u << (BATCH_PARENTS_MAX - 1 - i); a++)
			value[a] = (value[2 * a] & ~x) | (value[2 * a + 1] & x);
	}
	return value[0];
}

/* Items in the order of ranks, so many at a time as there are threads. Parents are of earlier
 * items: repeated until none changes, as often as the longest path among them asks. Reading and
 * writing alternate. */
template <bool MANY>
static __device__ void resolve(const batch_block<MANY> &b, const batch_words &to, unsigned items)
{
	for (unsigned first = 0; first < items; first += b.threads) {
		unsigned item = first + b.thread, word = item % to.count;
		const uint32_t *record = b.records() + item / to.count * RECORD_WORDS;
		bool there = item < items, changed;
		uint32_t *mine = to.words;

		if (there) {
			mine += (record[RECORD_INFO] & 0xffff) * to.stride + word;
			*mine = 0;
		}
		do {
			__syncthreads();
			uint32_t value = there ? pick_coin(b, record, to, item, items, word) : 0;

			changed = there && value != *mine;
			__syncthreads();
			if (changed)
				*mine = value;
		} while (__syncthreads_or(changed));
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

/* A block's share of the offspring, evaluated, and its rows to the blocks that own them. */
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

#endif
