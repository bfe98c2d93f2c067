/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/common/warp.cuh"

#include "kernels/gboa/arithmetic.h"
#include "kernels/gboa/published.h"

/* A block's data structures. */
struct bd_shared {
	struct boa_bd_block *block;
	int32_t *local_gain, *local_at, *gain;
	uint32_t *tally;
	uint16_t *list;
};

template <int FORM>
static __device__ struct bd_shared carve(unsigned char *shared, const struct boa_bd &b,
					 size_t structures)
{
	struct bd_shared s;

	s.block = (struct boa_bd_block *)shared;
	s.local_gain = (int32_t *)(s.block + 1);
	s.local_at = s.local_gain + blockDim.x;
	s.gain = FORM == BOA_BD_GLOBAL ? (int32_t *)(b.structures + blockIdx.x * structures) :
					 s.local_at + blockDim.x;
	s.tally = (uint32_t *)(s.gain + b.together);
	s.list = (uint16_t *)(s.tally + ((size_t)b.together << (b.k + 1)));
	return s;
}

/* Charges the time since the last call to a step. Call it after a barrier. */
static __device__ void lap(const struct bd_shared &s, enum boa_bd_step step)
{
	if (threadIdx.x != 0)
		return;
	unsigned long long now = (unsigned long long)clock64();

	s.block->ticks[step] += now - s.block->last;
	s.block->last = now;
}

/* Step 2: lists the variables of lower rank. */
static __device__ void find_candidates(const struct boa_bd &b, const struct bd_shared &s)
{
	int32_t rank = b.rank[blockIdx.x];

	if (threadIdx.x == 0)
		s.block->length = 0;
	__syncthreads();
	for (int32_t j = threadIdx.x; j < b.n; j += blockDim.x)
		if (b.rank[j] < rank)
			s.list[atomicAdd(&s.block->length, 1)] = (uint16_t)j;
	__syncthreads();
	lap(s, BOA_BD_FIND);
}

/* The configuration of an individual without the candidate: bit 1 is the block's variable, the
 * higher bits are its parents. */
static __device__ uint32_t known_bits(const struct boa_bd &b, const struct bd_shared &s,
				      int32_t parents, int32_t m)
{
	const uint8_t *individual = b.population + m;
	uint32_t known = (uint32_t)individual[(size_t)blockIdx.x * b.count] << 1;

	for (int32_t r = 0; r < parents; r++) {
		size_t parent = (size_t)s.block->parent[r];

		known |= (uint32_t)individual[parent * b.count] << (r + 2);
	}
	return known;
}

/* Counts one candidate after the other. A thread counts every blockDim-th individual, so that a
 * warp reads consecutive bytes. */
static __device__ void count_literally(const struct boa_bd &b, const struct bd_shared &s,
				       int32_t parents, int32_t from, int32_t to)
{
	for (int32_t c = from; c < to; c++) {
		const uint8_t *candidate = b.population + (size_t)s.list[c] * b.count;
		uint32_t *tally = s.tally + ((size_t)(c - from) << (parents + 2));

		for (int32_t m = threadIdx.x; m < b.count; m += blockDim.x)
			atomicAdd(&tally[known_bits(b, s, parents, m) + candidate[m]], 1u);
	}
}

/* Counts all candidates of an individual, then those of the next. */
static __device__ void count_in_groups(const struct boa_bd &b, const struct bd_shared &s,
				       int32_t parents, int32_t from, int32_t to)
{
	for (int32_t m = threadIdx.x; m < b.count; m += blockDim.x) {
		const uint8_t *individual = b.population + m;
		uint32_t known = known_bits(b, s, parents, m);

		for (int32_t c = from; c < to; c++)
			atomicAdd(&s.tally[((uint32_t)(c - from) << (parents + 2)) + known +
					   individual[(size_t)s.list[c] * b.count]],
				  1u);
	}
}

/* Those of 32 individuals whose variable (bit 0 of `known`) and parents are as in `known`. */
static __device__ uint32_t individuals_of(const struct boa_bd &b, const struct bd_shared &s,
					  int32_t parents, uint32_t known, int32_t word)
{
	int32_t words = (b.count + 31) / 32, left = b.count - 32 * word;
	uint32_t x = b.words[(size_t)blockIdx.x * words + word];
	uint32_t set = (known & 1 ? x : ~x) & (left < 32 ? (1u << left) - 1 : ~0u);

	for (int32_t r = 0; r < parents; r++) {
		uint32_t p = b.words[(size_t)s.block->parent[r] * words + word];

		set &= known >> (r + 1) & 1 ? p : ~p;
	}
	return set;
}

/* Counts a candidate by a warp; its lanes read consecutive words. */
static __device__ void count_words(const struct boa_bd &b, const struct bd_shared &s,
				   int32_t parents, int32_t from, int32_t to)
{
	int32_t words = (b.count + 31) / 32, warps = (int32_t)blockDim.x / 32;
	int32_t warp = (int32_t)threadIdx.x / 32, lane = (int32_t)threadIdx.x % 32;

	for (int32_t c = from + warp; warp < warps && c < to; c += warps) {
		const uint32_t *candidate = b.words + (size_t)s.list[c] * words;
		uint32_t *tally = s.tally + ((size_t)(c - from) << (parents + 2));

		for (uint32_t known = 0; known < 2u << parents; known++) {
			uint32_t all = 0, ones = 0;

			for (int32_t w = lane; w < words; w += 32) {
				uint32_t set = individuals_of(b, s, parents, known, w);

				all += (uint32_t)__popc(set);
				ones += (uint32_t)__popc(set & candidate[w]);
			}
			all = __reduce_add_sync(WARP_ALL, all);
			ones = __reduce_add_sync(WARP_ALL, ones);
			if (lane == 0) {
				tally[2 * known] = all - ones;
				tally[2 * known + 1] = ones;
			}
		}
	}
}

/* Step 3: counts the individuals of each configuration, for candidates `from` to `to` - 1 of the
 * list. Bit 0 of a configuration is the candidate. */
template <int FORM>
static __device__ void count_configurations(const struct boa_bd &b, const struct bd_shared &s,
					    int32_t parents, int32_t from, int32_t to)
{
	__syncthreads(); /* the gains have been computed from the old counts */
	lap(s, BOA_BD_GAIN);
	if (FORM != BOA_BD_WORDS) {
		for (int32_t x = threadIdx.x; x < (to - from) << (parents + 2); x += blockDim.x)
			s.tally[x] = 0;
		__syncthreads();
	}
	if (FORM == BOA_BD_WORDS)
		count_words(b, s, parents, from, to);
	else if (FORM == BOA_BD_GROUPS)
		count_in_groups(b, s, parents, from, to);
	else
		count_literally(b, s, parents, from, to);
	__syncthreads();
	lap(s, BOA_BD_COUNT);
}

/* Step 4: computes the gain of each candidate. */
static __device__ void compute_gains(const struct boa_bd &b, const struct bd_shared &s,
				     int32_t parents, int32_t from, int32_t to)
{
	for (int32_t c = threadIdx.x; c < to - from; c += blockDim.x) {
		const uint32_t *tally = s.tally + ((size_t)c << (parents + 2));
		uint32_t gain = 0;

		for (int32_t a = 0; a < 1 << parents; a++, tally += 4)
			gain += boa_k2_cell(b.ln_factorial, tally[0], tally[2]) +
				boa_k2_cell(b.ln_factorial, tally[1], tally[3]) -
				boa_k2_cell(b.ln_factorial, tally[0] + tally[1],
					    tally[2] + tally[3]);
		s.gain[c] = (int32_t)gain;
	}
}

/* Ties go to the lowest variable, because the list is unordered. */
static __device__ bool better(const struct bd_shared &s, int32_t gain, int32_t at, int32_t than,
			      int32_t than_at)
{
	return gain > than || (gain == than && gain > 0 && s.list[at] < s.list[than_at]);
}

/* Each thread finds the best among the candidates whose gains it has computed. */
static __device__ void local_maxima(const struct bd_shared &s, int32_t from, int32_t to)
{
	int32_t best = s.local_gain[threadIdx.x], best_at = s.local_at[threadIdx.x];

	for (int32_t c = from + threadIdx.x; c < to; c += blockDim.x) {
		if (better(s, s.gain[c - from], c, best, best_at)) {
			best = s.gain[c - from];
			best_at = c;
		}
	}
	s.local_gain[threadIdx.x] = best;
	s.local_at[threadIdx.x] = best_at;
}

/* Step 5, in one thread: moves the best candidate from the list to the parents. */
static __device__ void add_best(const struct boa_bd &b, const struct bd_shared &s, int32_t parents)
{
	int32_t best = 0, at = -1;

	for (int32_t t = 0; t < (int32_t)blockDim.x; t++) {
		if (better(s, s.local_gain[t], s.local_at[t], best, at)) {
			best = s.local_gain[t];
			at = s.local_at[t];
		}
	}
	s.block->added = at;
	if (at < 0)
		return;
	s.block->parent[parents] = s.list[at];
	b.parents[(size_t)blockIdx.x * b.k + parents] = s.list[at];
	s.list[at] = s.list[--s.block->length];
}

/* Adds the best parent. Returns false if no candidate gains. */
template <int FORM>
static __device__ bool add_parent(const struct boa_bd &b, const struct bd_shared &s,
				  int32_t parents)
{
	int32_t length = s.block->length;

	s.local_gain[threadIdx.x] = 0;
	for (int32_t from = 0; from < length; from += b.together) {
		int32_t to = min(from + b.together, length);

		count_configurations<FORM>(b, s, parents, from, to);
		compute_gains(b, s, parents, from, to);
		local_maxima(s, from, to);
	}
	__syncthreads();
	lap(s, BOA_BD_GAIN);
	if (threadIdx.x == 0)
		add_best(b, s, parents);
	__syncthreads();
	lap(s, BOA_BD_MAX);
	return s.block->added >= 0;
}

template <int FORM> static __global__ void bd_kernel(struct boa_bd b, size_t structures)
{
	SHARED_MEMORY(unsigned char, shared);
	struct bd_shared s = carve<FORM>(shared, b, structures);
	int32_t parents = 0, rank = b.rank[blockIdx.x];

	if (rank >= b.ranks)
		return;
	if (threadIdx.x == 0) {
		for (int i = 0; i < BOA_BD_STEPS; i++)
			s.block->ticks[i] = 0;
		s.block->last = (unsigned long long)clock64();
	}
	if (rank > 0) {
		find_candidates(b, s);
		while (parents < b.k && add_parent<FORM>(b, s, parents))
			parents++;
	}
	if (threadIdx.x != 0)
		return;
	b.parent_count[blockIdx.x] = parents;
	for (int i = 0; i < BOA_BD_STEPS; i++)
		atomicAdd(&b.ticks[i], s.block->ticks[i]);
}

template <int FORM>
static int launch(struct dev_stream *s, const struct boa_bd *b, int threads, struct err *e)
{
	return LAUNCH(e, bd_kernel<FORM>, b->n, threads, boa_bd_shared(b, threads), s, *b,
		      boa_bd_structures(b));
}

static int bd(struct dev_stream *s, const struct boa_bd *b, int threads, struct err *e)
{
	switch (b->form) {
	case BOA_BD_GLOBAL:
		return launch<BOA_BD_GLOBAL>(s, b, threads, e);
	case BOA_BD_GROUPS:
		return launch<BOA_BD_GROUPS>(s, b, threads, e);
	case BOA_BD_WORDS:
		return launch<BOA_BD_WORDS>(s, b, threads, e);
	default:
		return launch<BOA_BD_LITERAL>(s, b, threads, e);
	}
}

extern "C" const struct boa_published_kernels BACKEND_SYMBOL(boa_published_kernels) = { bd };
