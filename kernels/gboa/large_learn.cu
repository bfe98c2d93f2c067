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
	static int (*const launch[])(struct dev_stream *, const large_rows &,
				     struct err *) = { launch_gain<0>, launch_gain<1>,
						       launch_gain<2>, launch_gain<3>,
						       launch_gain<4>, launch_gain<5> };

	return r->first == r->last ? 0 : launch[parents](s, *r, e);
}

/* ---- layouts ---- */

enum { PLACE_BLOCK = 1024 };

struct place_shared {
	int32_t sum[PLACE_BLOCK / 32];
	int32_t first[LARGE_TILE_ROWS + 1];
};

/* How many threads before this one have it set; *all: in the block. */
static __device__ __forceinline__ int32_t place_before(bool set, int32_t *sum, int32_t *all)
{
	uint32_t lane = threadIdx.x % 32, mask = __ballot_sync(~0u, set);
	int32_t before = __popc(mask & ((1u << lane) - 1));

	if (lane == 0)
		sum[threadIdx.x / 32] = __popc(mask);
	__syncthreads();
	*all = 0;
	for (uint32_t w = 0; w < PLACE_BLOCK / 32; w++) {
		before += w < threadIdx.x / 32 ? sum[w] : 0;
		*all += sum[w];
	}
	__syncthreads();
	return before;
}

/* One block. Numbers the rows that have `parents` so that the last is the last of a tile row, and
 * notes how wide each tile row is behind its place in first. Returns how many tile rows there are.
 */
static __device__ __forceinline__ int32_t place_rows(place_shared *s, const large_rows &q,
						     int parents)
{
	int32_t rows = 0, here;

	for (int32_t r = q.first + (int32_t)threadIdx.x; r < q.last; r += PLACE_BLOCK)
		rows += q.parent_count[r] == parents;
	rows = __reduce_add_sync(~0u, rows);
	if (threadIdx.x % 32 == 0)
		s->sum[threadIdx.x / 32] = rows;
	__syncthreads();
	rows = 0;
	for (int w = 0; w < PLACE_BLOCK / 32; w++)
		rows += s->sum[w];
	__syncthreads();
	int32_t next = (LARGE_TILE - rows % LARGE_TILE) % LARGE_TILE;

	for (int32_t start = q.first; start < q.last; start += PLACE_BLOCK, next += here) {
		int32_t r = start + (int32_t)threadIdx.x;
		bool is = r < q.last && q.parent_count[r] == parents;
		int32_t place = next + place_before(is, s->sum, &here);

		if (is)
			q.place[r] = place;
		if (is && place % LARGE_TILE == LARGE_TILE - 1)
			s->first[place / LARGE_TILE + 1] = r / LARGE_TILE + 1;
	}
	return (rows + LARGE_TILE - 1) / LARGE_TILE;
}

static __global__ void lay_out(const __grid_constant__ large_rows q, int parents)
{
	SHARED_MEMORY(place_shared, s);
	int32_t rows = place_rows(s, q, parents);
	int64_t *where = q.where + (size_t)(parents - 1) * (size_t)q.n;

	__syncthreads();
	if (threadIdx.x == 0) {
		s->first[0] = 0;
		for (int32_t t = 0; t < rows; t++)
			s->first[t + 1] += s->first[t];
		q.layout->rows = rows;
	}
	__syncthreads();
	for (int32_t t = (int32_t)threadIdx.x; t <= rows; t += PLACE_BLOCK)
		q.layout->first[t] = s->first[t];
	for (int32_t r = q.first + (int32_t)threadIdx.x; r < q.last; r += PLACE_BLOCK)
		if (q.parent_count[r] == parents)
			where[r] = (int64_t)s->first[q.place[r] / LARGE_TILE] * LARGE_CELLS +
				   q.place[r] % LARGE_TILE * LARGE_TILE;
}

/* ---- left sides and totals ---- */

/* What row r has to say of one word: the parents it had before the newest are p[0 .. T - 2], `rest`
 * a set of them. */
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
	uint32_t *y = products ? q.y + (size_t)q.place[r] * q.stride : NULL;
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
	static int (*const launch[])(struct dev_stream *, const large_rows &, bool,
				     struct err *) = { launch_prepare<1>, launch_prepare<2>,
						       launch_prepare<3>, launch_prepare<4>,
						       launch_prepare<5>, launch_prepare<6> };

	int rc = 0;

	if (r->first == r->last)
		return 0;
	if (products)
		rc = LAUNCH(e, lay_out, 1, PLACE_BLOCK, sizeof(place_shared), s, *r, parents);
	return rc ? rc : launch[parents - 1](s, *r, products, e);
}

/* ---- records ---- */

/* Individuals with ones in all of S, with a one in x or not. */
static __device__ __forceinline__ uint32_t total_of(const large_rows &q, int32_t r, int set,
						    int with)
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
		threshold =
			boa_threshold(exactly(q, r, parents, a, 1), exactly(q, r, parents, a, 0),
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

extern "C" const struct large_learn_kernels
	BACKEND_SYMBOL(large_learn_kernels) = { count, gain, prepare, records };
