/* Learning: see large.h. */
#include "kernels/gboa/large.h"

#include "algorithms/gboa/network.h"
#include "kernels/common/gpu.cuh"
#include "kernels/gboa/large_count.cuh"
#include "kernels/gboa/large_gain.cuh"

enum { BLOCK = 256 };

static int count(struct dev_stream *s, const struct large_count *c, struct err *e)
{
	int64_t tiles = large_tiles(c->last_tile) - large_tiles(c->first_tile);

	if (tiles == 0 || c->products == 0)
		return 0;
	return LAUNCH(e, count_tiles, dim3((unsigned)tiles, (unsigned)c->products), COUNT_BLOCK,
		      COUNT_SHARED, s, *c);
}

/* ---- gains ---- */

template <int T> static int launch_gain(struct dev_stream *s, const large_rows &q, struct err *e)
{
	return LAUNCH(e, best_parents<T>, q.last - q.first, GAIN_BLOCK,
		      GAIN_WARPS * sizeof(uint64_t) + sizeof(gain_family<T>), s, q);
}

static int gain(struct dev_stream *s, const struct large_rows *r, int parents, struct err *e)
{
	static int (*const launch[])(struct dev_stream *, const large_rows &, struct err *) = {
	    launch_gain<0>, launch_gain<1>, launch_gain<2>,
	    launch_gain<3>, launch_gain<4>, launch_gain<5>};

	return r->first == r->last ? 0 : launch[parents](s, *r, e);
}

/* ---- left sides and totals ---- */

/* What row r has to say of one word: the parents it had before the newest are p[0 .. T - 2], `rest` a
 * set of them. */
template <int T>
static __device__ __forceinline__ void all_of(const uint32_t *const (&p)[T], size_t w,
					      uint32_t (&in)[1 << (T - 1)])
{
	in[0] = p[T - 1][w];
#pragma unroll
	for (int i = 0; i < T - 1; i++) {
		uint32_t word = p[i][w];

#pragma unroll
		for (int rest = 0; rest < 1 << i; rest++)
			in[rest | 1 << i] = in[rest] & word;
	}
}

/* A block a row, that has T parents, T >= 1. */
template <int T>
static __global__ void prepare_rows(const __grid_constant__ large_rows q, bool products)
{
	enum { SETS = 1 << (T - 1) };
	SHARED_MEMORY(uint32_t, sums);
	int32_t r = q.first + (int32_t)blockIdx.x;

	if (q.parent_count[r] != T)
		return;
	if (threadIdx.x < 2 * SETS)
		sums[threadIdx.x] = 0;
	__syncthreads();
	const uint32_t *x = q.x + (size_t)r * q.stride, *p[T];
	uint32_t *y = q.y + (size_t)(r - q.first) * q.stride;
	uint32_t count[2 * SETS] = {};

#pragma unroll
	for (int i = 0; i < T; i++)
		p[i] = q.x + (size_t)q.parents[(size_t)r * q.k + i] * q.stride;
	for (size_t w = threadIdx.x; w < (size_t)q.selected / 32; w += BLOCK) {
		uint32_t in[SETS], own = x[w];

		all_of<T>(p, w, in);
#pragma unroll
		for (int rest = 0; rest < SETS; rest++) {
			count[rest * 2] += (uint32_t)__popc(in[rest]);
			count[rest * 2 + 1] += (uint32_t)__popc(in[rest] & own);
			if (products && rest)
				y[(size_t)(rest * 2 - 1) * q.y_step + w] = in[rest];
			if (products)
				y[(size_t)(rest * 2) * q.y_step + w] = in[rest] & own;
		}
	}
#pragma unroll
	for (int i = 0; i < 2 * SETS; i++) {
		uint32_t sum = __reduce_add_sync(~0u, count[i]);

		if (threadIdx.x % 32 == 0)
			atomicAdd(&sums[i], sum);
	}
	__syncthreads();
	if (threadIdx.x < 2 * SETS)
		q.totals[((size_t)r << (q.k + 1)) + 2 * SETS + threadIdx.x] = sums[threadIdx.x];
}

template <int T>
static int launch_prepare(struct dev_stream *s, const large_rows &q, bool products, struct err *e)
{
	return LAUNCH(e, prepare_rows<T>, q.last - q.first, BLOCK, sizeof(uint32_t) << T, s, q,
		      products);
}

static int prepare(struct dev_stream *s, const struct large_rows *r, int parents, bool products,
		   struct err *e)
{
	static int (*const launch[])(struct dev_stream *, const large_rows &, bool, struct err *) = {
	    launch_prepare<1>, launch_prepare<2>, launch_prepare<3>,
	    launch_prepare<4>, launch_prepare<5>, launch_prepare<6>};

	return r->first == r->last ? 0 : launch[parents - 1](s, *r, products, e);
}

/* ---- records ---- */

/* Individuals with ones in all of S, with a one in x or not. */
static __device__ __forceinline__ uint32_t total_of(const large_rows &q, int32_t r, int set, int with)
{
	if (set)
		return q.totals[((size_t)r << (q.k + 1)) + (size_t)(set * 2 + with)];
	return with ? pair_of(q, r, r) : (uint32_t)q.selected;
}

/* Individuals whose parents have exactly the values of `a`. */
static __device__ uint32_t exactly(const large_rows &q, int32_t r, int parents, int a, int with)
{
	uint32_t sum = 0;

	for (int set = a; set < 1 << parents; set = (set + 1) | a) {
		uint32_t more = total_of(q, r, set, with);

		sum += __popc(set ^ a) & 1 ? 0u - more : more;
	}
	return sum;
}

/* A thread a row and configuration. */
static __global__ void fill_records(const __grid_constant__ large_rows q)
{
	int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
	int32_t r = q.first + (int32_t)(i >> q.k), a = (int32_t)(i & ((1 << q.k) - 1));

	if (r >= q.last)
		return;
	int32_t parents = q.parent_count[r];
	uint32_t *record = q.records + (size_t)r * (size_t)large_record_words(q.k);
	uint32_t threshold = 0;

	if (a < 1 << parents)
		threshold = boa_threshold(exactly(q, r, parents, a, 1), exactly(q, r, parents, a, 0),
					  (enum boa_smoothing)q.smoothing);
	record[1 + q.k + a] = large_spread(threshold);
	if (a < q.k)
		record[1 + a] = a < parents ? (uint32_t)q.order[q.parents[(size_t)r * q.k + a]] : 0;
	if (a == 0) {
		record[0] = (uint32_t)parents;
		atomicAdd((unsigned long long *)&q.status->edges, (unsigned long long)parents);
	}
}

static int records(struct dev_stream *s, const struct large_rows *r, struct err *e)
{
	int64_t threads = (int64_t)(r->last - r->first) << r->k;

	if (threads == 0)
		return 0;
	return LAUNCH(e, fill_records, (unsigned)((threads + BLOCK - 1) / BLOCK), BLOCK, 0, s, *r);
}

extern "C" const struct large_learn_kernels BACKEND_SYMBOL(large_learn_kernels) = {count, gain,
										   prepare, records};
