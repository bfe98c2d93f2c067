/* Sampling, evaluation and the best individual: see large.h. */
#include "kernels/gboa/large.h"

#include "algorithms/gboa/random.h"
#include "kernels/common/gpu.cuh"

enum { BLOCK = 256, LEVELS_BLOCK = 1024, LEVELS_WARPS = LEVELS_BLOCK / 32 };

static unsigned blocks_of(int64_t items, int64_t each)
{
	return (unsigned)((items + each - 1) / each);
}

/* ---- levels ---- */

/* Exclusive sums of at[0 .. count - 1] in place. One block; room: LEVELS_WARPS words. */
static __device__ __forceinline__ void scan_in_place(int32_t *at, int32_t count, int32_t *room)
{
	int32_t before = 0, lane = (int32_t)threadIdx.x % 32, warp = (int32_t)threadIdx.x / 32;

	for (int32_t tile = 0; tile < count; tile += LEVELS_BLOCK) {
		int32_t i = tile + (int32_t)threadIdx.x, own = i < count ? at[i] : 0, sum = own;

		for (int d = 1; d < 32; d *= 2) {
			int32_t other = __shfl_up_sync(~0u, sum, d);

			sum += lane >= d ? other : 0;
		}
		if (lane == 31)
			room[warp] = sum;
		__syncthreads();
		sum += before - own;
		for (int32_t w = 0; w < LEVELS_WARPS; w++) {
			sum += w < warp ? room[w] : 0;
			before += room[w];
		}
		if (i < count)
			at[i] = sum;
		__syncthreads();
	}
}

static __device__ __forceinline__ int32_t greatest_level(const volatile uint16_t *level, int32_t n,
							 int32_t *room)
{
	int32_t greatest = 0;

	for (int32_t r = (int32_t)threadIdx.x; r < n; r += LEVELS_BLOCK)
		greatest = max(greatest, (int32_t)level[r]);
	greatest = __reduce_max_sync(~0u, greatest);
	if (threadIdx.x % 32 == 0)
		room[threadIdx.x / 32] = greatest;
	__syncthreads();
	for (int32_t w = 0; w < LEVELS_WARPS; w++)
		greatest = max(greatest, room[w]);
	__syncthreads();
	return greatest;
}

/* One block. The level of a rank is the length of the longest way to it from a rank without parents.
 * Levels grow until a whole round changes none; a round may see some of its own changes, which
 * only makes it end sooner. Absent parents are written as the rank itself. */
static __global__ void find_levels(const __grid_constant__ large_levels l, int32_t n, int32_t k,
				   const int32_t *rank, const uint32_t *records)
{
	SHARED_MEMORY(int32_t, room);
	volatile uint16_t *level = (volatile uint16_t *)(room + LEVELS_WARPS);
	size_t width = (size_t)large_record_words(k);
	bool changed = true;

	for (int32_t r = (int32_t)threadIdx.x; r < n; r += LEVELS_BLOCK) {
		const uint32_t *record = records + (size_t)r * width;

		for (int32_t i = 0; i < k; i++)
			l.scratch[(size_t)r * k + i] =
			    (uint16_t)(i < (int32_t)record[0] ? rank[record[1 + i]] : r);
		level[r] = 0;
		l.end[r] = 0;
	}
	__syncthreads();
	while (changed) {
		bool mine = false;

		for (int32_t r = (int32_t)threadIdx.x; r < n; r += LEVELS_BLOCK) {
			const uint16_t *parents = l.scratch + (size_t)r * k;
			int32_t now = 0;

			for (int32_t i = 0; i < k; i++)
				if (parents[i] != r)
					now = max(now, level[parents[i]] + 1);
			if (now != level[r]) {
				level[r] = (uint16_t)now;
				mine = true;
			}
		}
		changed = __syncthreads_or(mine);
	}
	int32_t deepest = greatest_level(level, n, room);

	for (int32_t r = (int32_t)threadIdx.x; r < n; r += LEVELS_BLOCK)
		atomicAdd(&l.end[level[r]], 1);
	__syncthreads();
	scan_in_place(l.end, deepest + 1, room);
	for (int32_t r = (int32_t)threadIdx.x; r < n; r += LEVELS_BLOCK)
		l.sequence[atomicAdd(&l.end[level[r]], 1)] = r;
	if (threadIdx.x == 0)
		*l.level_count = deepest + 1;
}

static int levels(struct dev_stream *s, const struct large_levels *l, int32_t n, int32_t k,
		  const int32_t *rank, const uint32_t *records, struct err *e)
{
	size_t shared = LEVELS_WARPS * sizeof(int32_t) + (size_t)n * sizeof(uint16_t);

	return LAUNCH(e, find_levels, 1, LEVELS_BLOCK, shared, s, *l, n, k, rank, records);
}

/* ---- sampling ---- */

/* A thread makes a word, 32 individuals, of a variable. u < t is found from the last digit to the
 * first for all configurations at once: below[a] is right for the individuals whose parents have the
 * values of a, and those are put together at the end. Absent parents are 0 everywhere. */
template <int K>
static __device__ __forceinline__ uint32_t sample_word(const uint32_t *thresholds,
						       const uint32_t (&parent)[K > 0 ? K : 1],
						       uint64_t seed, uint32_t generation,
						       uint32_t variable, uint32_t word)
{
	uint32_t t[1 << K], below[1 << K];

#pragma unroll
	for (int a = 0; a < 1 << K; a++) {
		t[a] = thresholds[a];
		below[a] = 0;
	}
#pragma unroll
	for (int q = BOA_DIGITS / 4 - 1; q >= 0; q--) {
		struct philox4 digits = boa_digits(seed, generation, variable, word, (uint32_t)q);

#pragma unroll
		for (int d = 3; d >= 0; d--) {
			uint32_t u = digits.word[d];

#pragma unroll
			for (int a = 0; a < 1 << K; a++) {
				uint32_t one = 0u - (t[a] >> (BOA_DIGITS - 1 - (q * 4 + d)) & 1);

				below[a] = (~u & (one | below[a])) | (one & below[a]);
			}
		}
	}
#pragma unroll
	for (int a = 0; a < 1 << K; a++)
		below[a] |= 0u - (t[a] >> BOA_DIGITS);
#pragma unroll
	for (int i = K - 1; i >= 0; i--)
#pragma unroll
		for (int a = 0; a < 1 << i; a++)
			below[a] = (parent[i] & below[a | 1 << i]) | (~parent[i] & below[a]);
	return below[0];
}

/* A block has `columns` words of the offspring, a power of two, and makes all variables of these,
 * level after level. */
template <int K>
static __global__ void sample_columns(const __grid_constant__ large_sample p, int32_t columns)
{
	int32_t column = (int32_t)blockIdx.x * columns + (int32_t)threadIdx.x % columns;
	int32_t first = (int32_t)threadIdx.x / columns, step = BLOCK / columns, from = 0;
	int32_t levels = *p.levels.level_count;

	for (int32_t l = 0; l < levels; l++) {
		int32_t to = p.levels.end[l];

		for (int32_t i = from + first; i < to && column < p.to.count; i += step) {
			int32_t r = p.levels.sequence[i], v = p.order[r];
			const uint32_t *record = p.records + (size_t)r * large_record_words(K);
			uint32_t parent[K > 0 ? K : 1] = {};

#pragma unroll
			for (int j = 0; j < K; j++)
				if (j < (int)record[0])
					parent[j] = p.to.words[(size_t)record[1 + j] *
								   (size_t)p.to.count +
							       (size_t)column];
			p.to.words[(size_t)v * (size_t)p.to.count + (size_t)column] =
			    sample_word<K>(record + 1 + K, parent, p.seed, p.generation,
					   (uint32_t)v, (uint32_t)(p.to.first + column));
		}
		from = to;
		__syncthreads();
	}
}

/* Enough blocks to fill the device, of columns as wide as that leaves them. */
static int sample_width(struct dev_stream *s, int32_t count, int32_t *columns, struct err *e)
{
	struct dev_info info;
	int rc = dev_get_info(dev_stream_device(s), &info, e);

	*columns = 32;
	while (!rc && *columns > 1 && count / *columns < 4 * info.sm_count)
		*columns /= 2;
	return rc;
}

template <int K>
static int launch_sample(struct dev_stream *s, const large_sample &p, struct err *e)
{
	int32_t columns;
	int rc = sample_width(s, p.to.count, &columns, e);

	return rc ? rc
		  : LAUNCH(e, sample_columns<K>, blocks_of(p.to.count, columns), BLOCK, 0, s, p,
			   columns);
}

static int sample(struct dev_stream *s, const struct large_sample *p, struct err *e)
{
	static int (*const launch[])(struct dev_stream *, const large_sample &, struct err *) = {
	    launch_sample<0>, launch_sample<1>, launch_sample<2>, launch_sample<3>,
	    launch_sample<4>, launch_sample<5>, launch_sample<6>};

	return p->to.count == 0 ? 0 : launch[p->k](s, *p, e);
}

/* ---- evaluation ---- */

static __global__ void rate(const __grid_constant__ fitness_view f, const uint32_t *words,
			    size_t stride, int32_t individuals, uint32_t *rating)
{
	int32_t i = (int32_t)(blockIdx.x * BLOCK + threadIdx.x);

	if (i < individuals)
		rating[i] = (uint32_t)f.greatest -
			    (uint32_t)fitness_of(&f, words + i / 32, stride, (uint32_t)i % 32);
}

static int evaluate(struct dev_stream *s, const struct fitness_view *f, const uint32_t *words,
		    size_t stride, int32_t count, uint32_t *rating, struct err *e)
{
	if (count == 0)
		return 0;
	return LAUNCH(e, rate, blocks_of(count * 32, BLOCK), BLOCK, 0, s, *f, words, stride,
		      count * 32, rating);
}

/* ---- the best ---- */

enum { JUDGE_BLOCK = 1024, JUDGE_SHARE = 8 * JUDGE_BLOCK };

static __device__ __forceinline__ uint8_t bit_of(const large_population &p, int32_t position,
						 int32_t variable)
{
	uint32_t word;

	if (position < p.kept) {
		word = p.selected[(size_t)p.rank[variable] * p.stride + position / 32];
	} else {
		int32_t column = (position - p.kept) / 32, part = 0;

		while (part + 1 < p.parts && column >= p.part[part + 1].first)
			part++;
		word = p.part[part].words[(size_t)variable * p.part[part].count +
					  (column - p.part[part].first)];
	}
	return (uint8_t)(word >> position % 32 & 1);
}

/* The block that is through last has all minima before it. */
static __global__ void judge_all(const __grid_constant__ large_population p, int32_t count,
				 const uint32_t *rating, struct large_status *status, uint8_t *bits)
{
	int32_t first = (int32_t)blockIdx.x * JUDGE_SHARE, last = min(first + JUDGE_SHARE, count);
	uint64_t least = UINT64_MAX;
	bool through = false;

	for (int32_t i = first + (int32_t)threadIdx.x; i < last; i += JUDGE_BLOCK)
		least = min(least, (uint64_t)rating[i] << 32 | (uint32_t)i);
	for (int d = 16; d; d /= 2)
		least = min(least, __shfl_xor_sync(~0u, least, d));
	if (threadIdx.x % 32 == 0)
		atomicMin((unsigned long long *)&status->top, (unsigned long long)least);
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0)
		through = atomicAdd(&status->tickets, 1u) == gridDim.x - 1;
	if (!__syncthreads_or(through))
		return;
	__threadfence();
	uint64_t top = __ldcg((const unsigned long long *)&status->top);
	bool better = (uint32_t)(top >> 32) < status->best_rating;

	__syncthreads();
	for (int32_t v = (int32_t)threadIdx.x; better && v < p.n; v += JUDGE_BLOCK)
		bits[v] = bit_of(p, (int32_t)(uint32_t)top, v);
	if (threadIdx.x == 0) {
		if (better)
			status->best_rating = (uint32_t)(top >> 32);
		status->top = UINT64_MAX;
		status->tickets = 0;
	}
}

static int judge(struct dev_stream *s, const struct large_population *p, int32_t count,
		 const uint32_t *rating, struct large_status *status, uint8_t *bits, struct err *e)
{
	return LAUNCH(e, judge_all, blocks_of(count, JUDGE_SHARE), JUDGE_BLOCK, 0, s, *p, count,
		      rating, status, bits);
}

extern "C" const struct large_sample_kernels BACKEND_SYMBOL(large_sample_kernels) = {
    levels, sample, evaluate, judge};
