/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Learning in a large run (large.h). */
#include "kernels/gboa/large.h"

#include "kernels/common/mma_b1.cuh"
#include "kernels/common/warp.cuh"

enum { BLOCK = 256 };

/* ---- counts ---- */

/* Products of rows of bits with rows of bits: the number of ones that two rows share.
 *
 * A block of four warps computes a tile of 128 x 128 counts, a quarter by each warp. Both sides are
 * staged in shared memory in chunks of 1024 bits, with three chunks in flight, or one where shared
 * memory is small; tensor cores multiply (mma_b1.cuh), or population counts. A chunk of a side is
 * kept as two planes of 512 bits. Consecutive rows of 64 bytes are read without bank conflicts. The
 * second plane is shifted by 64 bytes, so that writing both halves of a row is free of conflicts as
 * well. */

enum {
	COUNT_BLOCK = 128,
	COUNT_STAGES = 3,
	COUNT_HALF = BOA_LARGE_CHUNK / 2, /* words of a row of a plane */
	COUNT_PLANE = BOA_LARGE_TILE * COUNT_HALF + 16,
	COUNT_SIDE = 2 * COUNT_PLANE, /* words of a side of a chunk */
	COUNT_DOWN = 4,               /* tiles of 16 rows that a warp computes */
	COUNT_ACROSS = 8,             /* tiles of 8 columns that a warp computes */
	COUNT_STAGE_BYTES = 2 * COUNT_SIDE * (int)sizeof(uint32_t)
};
static_assert(COUNT_STAGES * COUNT_STAGE_BYTES == BOA_LARGE_COUNT_BYTES, "the host knows it");

struct count_sums {
	int32_t at[COUNT_DOWN][COUNT_ACROSS][4];
};

struct count_tile {
	int32_t row, column;
};

/* Tile number i of the lower triangle. */
static __device__ __forceinline__ count_tile count_tile_of(int64_t i)
{
	int32_t row = (int32_t)((sqrt(8.0 * (double)i + 1) - 1) / 2);
	count_tile t;

	row += boa_large_tiles(row + 1) <= i;
	row -= boa_large_tiles(row) > i;
	t.row = row;
	t.column = (int32_t)(i - boa_large_tiles(row));
	return t;
}

/* Tile number i of a layout; if there is none, the row is -1. */
static __device__ __forceinline__ count_tile count_tile_in(const boa_large_layout *l, int32_t i)
{
	int32_t low = 0, high = l->rows;
	count_tile t = { -1, 0 };

	if (i >= l->first[high])
		return t;
	while (high - low > 1) {
		int32_t middle = (low + high) / 2;

		if (l->first[middle] <= i)
			low = middle;
		else
			high = middle;
	}
	t.row = low;
	t.column = i - l->first[low];
	return t;
}

/* Starts to copy one chunk of 128 rows. */
static __device__ __forceinline__ void count_fetch(uint32_t *to, const uint32_t *rows,
						   size_t stride)
{
#pragma unroll
	for (int j = 0; j < BOA_LARGE_TILE * BOA_LARGE_CHUNK / 4 / COUNT_BLOCK; j++) {
		uint32_t piece = threadIdx.x + (uint32_t)j * COUNT_BLOCK, row = piece / 8;

		copy_async_16(to + piece / 4 % 2 * COUNT_PLANE + row * COUNT_HALF + piece % 4 * 4,
			      rows + row * stride + piece % 8 * 4);
	}
}

template <bool TENSOR>
static __device__ __forceinline__ void count_multiply(int32_t sum[4], const uint32_t a[4],
						      const uint32_t b[2])
{
	if (TENSOR)
		mma_and_popc(sum, a, b);
	else
		shuffle_and_popc(sum, a, b);
}

/* row, column: the first row and column of the tile that this lane contributes to. */
template <bool TENSOR>
static __device__ __forceinline__ void count_plane(count_sums *sums, const uint32_t *left,
						   const uint32_t *right, uint32_t row,
						   uint32_t column)
{
	uint32_t quad = threadIdx.x % 4 * 4;
	uint32_t b[COUNT_ACROSS][4];

#pragma unroll
	for (int j = 0; j < COUNT_ACROSS; j++)
		*(uint4 *)b[j] = *(const uint4 *)(right + (column + j * 8) * COUNT_HALF + quad);
#pragma unroll
	for (int i = 0; i < COUNT_DOWN; i++) {
		uint4 low = *(const uint4 *)(left + (row + i * 16) * COUNT_HALF + quad);
		uint4 high = *(const uint4 *)(left + (row + i * 16 + 8) * COUNT_HALF + quad);
		const uint32_t first[4] = { low.x, high.x, low.y, high.y };
		const uint32_t second[4] = { low.z, high.z, low.w, high.w };

#pragma unroll
		for (int j = 0; j < COUNT_ACROSS; j++)
			count_multiply<TENSOR>(sums->at[i][j], first, b[j]);
#pragma unroll
		for (int j = 0; j < COUNT_ACROSS; j++)
			count_multiply<TENSOR>(sums->at[i][j], second, b[j] + 2);
	}
}

/* Stores a pair of counts, or adds it to those of the other shares. */
template <bool SHARED>
static __device__ __forceinline__ void count_put(int32_t *at, int32_t first, int32_t second)
{
	if constexpr (SHARED) {
		atomicAdd(at, first);
		atomicAdd(at + 1, second);
	} else {
		*(int2 *)at = make_int2(first, second);
	}
}

template <bool SHARED>
static __device__ __forceinline__ void count_store(int32_t *out, const count_sums &sums,
						   uint32_t row, uint32_t column)
{
	uint32_t pair = column / 8 * 8 + threadIdx.x % 4 * 2;

#pragma unroll
	for (int i = 0; i < COUNT_DOWN; i++)
#pragma unroll
		for (int j = 0; j < COUNT_ACROSS; j++) {
			int32_t *at = out + (row + i * 16) * BOA_LARGE_TILE + pair + j * 8;

			count_put<SHARED>(at, sums.at[i][j][0], sums.at[i][j][1]);
			count_put<SHARED>(at + 8 * BOA_LARGE_TILE, sums.at[i][j][2],
					  sums.at[i][j][3]);
		}
}

/* SHARED: blocks with different blockIdx.z count different individuals, and add their counts. */
template <bool TENSOR, int STAGES, bool SHARED>
static __global__ void __launch_bounds__(COUNT_BLOCK, 2)
	count_tiles(const __grid_constant__ boa_large_count c)
{
	SHARED_MEMORY(uint32_t, shared);
	count_tile tile = c.layout ? count_tile_in(c.layout, (int32_t)blockIdx.x) :
				     count_tile_of(boa_large_tiles(c.first_tile) + blockIdx.x);

	if (tile.row < 0)
		return;
	int32_t below = c.layout ? tile.row : tile.row - c.first_tile;
	uint32_t warp = threadIdx.x / 32, group = threadIdx.x % 32 / 4;
	uint32_t row = warp / 2 * 64 + group, column = warp % 2 * 64 + group;
	int32_t chunks = (int32_t)(c.stride / BOA_LARGE_CHUNK), from = 0;
	count_sums sums = {};

	if constexpr (SHARED) {
		from = (int32_t)((int64_t)chunks * blockIdx.z / gridDim.z);
		chunks = (int32_t)((int64_t)chunks * (blockIdx.z + 1) / gridDim.z) - from;
	}
	const uint32_t *left = c.left + blockIdx.y * c.left_step +
			       (size_t)below * BOA_LARGE_TILE * c.stride +
			       (size_t)from * BOA_LARGE_CHUNK;
	const uint32_t *right = c.right + (size_t)tile.column * BOA_LARGE_TILE * c.stride +
				(size_t)from * BOA_LARGE_CHUNK;

	for (int32_t i = 0; i < STAGES - 1; i++) {
		if (i < chunks) {
			count_fetch(shared + i * 2 * COUNT_SIDE, left + i * BOA_LARGE_CHUNK,
				    c.stride);
			count_fetch(shared + (i * 2 + 1) * COUNT_SIDE, right + i * BOA_LARGE_CHUNK,
				    c.stride);
		}
		copy_async_commit();
	}
	for (int32_t i = 0; i < chunks; i++) {
		if constexpr (STAGES > 1)
			copy_async_wait<STAGES - 2>();
		__syncthreads();
		int32_t next = i + STAGES - 1;

		if (next < chunks) {
			uint32_t *to = shared + next % STAGES * 2 * COUNT_SIDE;

			count_fetch(to, left + (size_t)next * BOA_LARGE_CHUNK, c.stride);
			count_fetch(to + COUNT_SIDE, right + (size_t)next * BOA_LARGE_CHUNK,
				    c.stride);
		}
		copy_async_commit();
		if constexpr (STAGES == 1) {
			copy_async_wait<0>();
			__syncthreads();
		}
		const uint32_t *stage = shared + i % STAGES * 2 * COUNT_SIDE;

#pragma unroll
		for (int plane = 0; plane < 2; plane++)
			count_plane<TENSOR>(&sums, stage + plane * COUNT_PLANE,
					    stage + COUNT_SIDE + plane * COUNT_PLANE, row, column);
	}
	count_store<SHARED>(c.out + blockIdx.y * c.out_step + (size_t)blockIdx.x * BOA_LARGE_CELLS,
			    sums, row, column);
}

/* The time of `blocks` blocks, in times of a full wave: two blocks on each processor. A block alone
 * on a processor takes about 0.65 of the time of two. */
static double count_waves(int64_t blocks, int64_t processors)
{
	int64_t rest = blocks % (2 * processors);

	return (double)(blocks / (2 * processors)) + (rest == 0          ? 0 :
						      rest <= processors ? 0.65 :
									   1);
}

/* Few tiles do not fill a device, so the individuals are divided as well. The division with the
 * least predicted time: its sums cost a block about as much as COUNT_SUMS chunks. */
static unsigned count_shares(const boa_large_count *c, int64_t blocks)
{
	enum { COUNT_SUMS = 12, COUNT_SHARES_MAX = 64 };
	int chunks = (int)(c->stride / BOA_LARGE_CHUNK);
	unsigned best = 1;
	double least = count_waves(blocks, c->processors) * chunks;

	if (c->shares)
		return (unsigned)min(c->shares, chunks);
	for (int shares = 2; shares <= min(chunks, (int)COUNT_SHARES_MAX); shares++) {
		double each = (double)((chunks + shares - 1) / shares + COUNT_SUMS);
		double cost = count_waves(blocks * shares, c->processors) * each;

		if (cost < least) {
			least = cost;
			best = (unsigned)shares;
		}
	}
	return best;
}

template <int STAGES, bool SHARED>
static int count_launch(struct dev_stream *s, const struct boa_large_count *c, dim3 grid,
			struct err *e)
{
	const size_t shared = STAGES * COUNT_STAGE_BYTES;

	return c->popcounts ? LAUNCH(e, (count_tiles<false, STAGES, SHARED>), grid, COUNT_BLOCK,
				     shared, s, *c) :
			      LAUNCH(e, (count_tiles<true, STAGES, SHARED>), grid, COUNT_BLOCK,
				     shared, s, *c);
}

static int count_clear(struct dev_stream *s, const struct boa_large_count *c, int64_t tiles,
		       struct err *e)
{
	int status = 0;

	for (int32_t p = 0; !status && p < c->products; p++)
		status = dev_fill(s, c->out + (size_t)p * c->out_step, 0,
				  (size_t)tiles * BOA_LARGE_CELLS * sizeof(int32_t), e);
	return status;
}

static int count(struct dev_stream *s, const struct boa_large_count *c, struct err *e)
{
	int64_t tiles = boa_large_tiles(c->last_tile) - boa_large_tiles(c->first_tile);

	if (tiles == 0 || c->products == 0)
		return 0;
	dim3 grid((unsigned)tiles, (unsigned)c->products, count_shares(c, tiles * c->products));

	if (grid.z == 1)
		return c->narrow ? count_launch<1, false>(s, c, grid, e) :
				   count_launch<COUNT_STAGES, false>(s, c, grid, e);
	int status = count_clear(s, c, tiles, e);

	if (status)
		return status;
	return c->narrow ? count_launch<1, true>(s, c, grid, e) :
			   count_launch<COUNT_STAGES, true>(s, c, grid, e);
}

/* ---- gains ---- */

/* Finds the best parent of each row from counts: a block for each row, threads over the candidates.
 * The row already has `parents` = T parents: 2^T configurations, two counts for each. */

enum { GAIN_BLOCK = 256, GAIN_WARPS = GAIN_BLOCK / 32 };

/* Offset from the first count of a row of tiles to that of a column. */
static __device__ __forceinline__ size_t across(int32_t column)
{
	return (size_t)(column / BOA_LARGE_TILE) * BOA_LARGE_CELLS +
	       (size_t)(column % BOA_LARGE_TILE);
}

/* Number of individuals with ones in both rows. */
static __device__ __forceinline__ uint32_t pair_of(const boa_large_rows &q, int32_t a, int32_t b)
{
	int32_t row = max(a, b);
	size_t tiles = (size_t)boa_large_tiles(row / BOA_LARGE_TILE) * BOA_LARGE_CELLS;

	return (uint32_t)q
		.pairs[tiles + (size_t)(row % BOA_LARGE_TILE) * BOA_LARGE_TILE + across(min(a, b))];
}

/* Converts the number of individuals with ones in at least S into the number with ones in exactly
 * S. */
template <int T> static __device__ __forceinline__ void to_exact(uint32_t (&count)[1 << T])
{
#pragma unroll
	for (int bit = 1; bit < 1 << T; bit *= 2)
#pragma unroll
		for (int set = 0; set < 1 << T; set++)
			if (!(set & bit))
				count[set] -= count[set | bit];
}

template <int T> struct gain_family {
	int32_t parent[T > 0 ? T : 1];
	const int32_t
		*counts[T > 0 ? T : 1]; /* of the row, in the first product that a parent added */
	uint32_t all[1 << T], ones[1 << T]; /* number of individuals of each configuration, and of
					       those with a one in x */
	uint32_t base;                      /* the present score */
};

template <int T>
static __device__ __forceinline__ void gain_family_of(gain_family<T> *f, const boa_large_rows &q,
						      int32_t r)
{
	const uint32_t *totals = q.totals + ((size_t)r << (q.k + 1));

	for (int i = 0; i < T; i++) {
		f->parent[i] = q.parents[(size_t)r * q.k + i];
		f->counts[i] = q.counts + (size_t)boa_large_products_before(i + 1) * q.counts_step +
			       q.where[(size_t)i * q.n + r];
	}
	f->all[0] = (uint32_t)q.selected;
	f->ones[0] = pair_of(q, r, r);
	for (int set = 1; set < 1 << T; set++) {
		f->all[set] = totals[set * 2];
		f->ones[set] = totals[set * 2 + 1];
	}
	to_exact<T>(f->all);
	to_exact<T>(f->ones);
	f->base = 0;
	for (int a = 0; a < 1 << T; a++)
		f->base += boa_k2_cell(q.ln_factorial, f->all[a] - f->ones[a], f->ones[a]);
}

/* [0]: the number of individuals with ones in u and in all of a set S of parents; [1]: of those
 * with a one in x as well. The product was added by the newest parent of S; `rest` are the
 * others. */
template <int T>
static __device__ __forceinline__ void counts_of(const boa_large_rows &q, const gain_family<T> &f,
						 int32_t u, int set, uint32_t (&count)[2])
{
	int newest = set >> 5 ? 5 : set >> 4 ? 4 : set >> 3 ? 3 : set >> 2 ? 2 : set >> 1;
	int rest = set ^ 1 << newest;
	const int32_t *with = f.counts[newest] + (size_t)(2 * rest) * q.counts_step + across(u);

	count[0] = rest ? (uint32_t) * (with - q.counts_step) : pair_of(q, f.parent[newest], u);
	count[1] = (uint32_t)*with;
}

template <int T>
static __device__ __forceinline__ int32_t gain_of(const boa_large_rows &q, const gain_family<T> &f,
						  int32_t r, int32_t u)
{
	uint32_t there[1 << T], both[1 << T], score = 0u - f.base;

	there[0] = pair_of(q, u, u);
	both[0] = pair_of(q, r, u);
#pragma unroll
	for (int set = 1; set < 1 << T; set++) {
		uint32_t count[2];

		counts_of<T>(q, f, u, set, count);
		there[set] = count[0];
		both[set] = count[1];
	}
	to_exact<T>(there);
	to_exact<T>(both);
#pragma unroll
	for (int a = 0; a < 1 << T; a++) {
		uint32_t without = f.ones[a] - both[a];

		score += boa_k2_cell(q.ln_factorial, there[a] - both[a], both[a]);
		score += boa_k2_cell(q.ln_factorial, f.all[a] - there[a] - without, without);
	}
	return (int32_t)score;
}

template <int T>
static __device__ __forceinline__ bool is_parent(const gain_family<T> &f, int32_t u)
{
	bool is = false;

#pragma unroll
	for (int i = 0; i < T; i++)
		is |= f.parent[i] == u;
	return is;
}

static __device__ __forceinline__ uint64_t greatest_of_block(uint64_t key, uint64_t *room)
{
	key = warp_max(key);
	if (threadIdx.x % 32 == 0)
		room[threadIdx.x / 32] = key;
	__syncthreads();
	for (int w = 0; w < GAIN_WARPS; w++)
		key = max(key, room[w]);
	return key;
}

/* Ties: the lowest variable. */
template <int T> static __global__ void best_parents(const __grid_constant__ boa_large_rows q)
{
	SHARED_MEMORY(uint64_t, room);
	gain_family<T> *f = (gain_family<T> *)(room + GAIN_WARPS);
	int32_t r = q.last - 1 - (int32_t)blockIdx.x; /* the longest rows first */

	if (q.parent_count[r] != T)
		return;
	if (threadIdx.x == 0)
		gain_family_of<T>(f, q, r);
	__syncthreads();
	gain_family<T> mine = *f;
	uint64_t best = 0;

	for (int32_t u = (int32_t)threadIdx.x; u < r; u += GAIN_BLOCK) {
		int32_t gain = gain_of<T>(q, mine, r, u);
		uint64_t key = (uint64_t)(uint32_t)gain << 32 | (uint32_t)~q.order[u];

		if (gain > 0 && !is_parent<T>(mine, u))
			best = max(best, key);
	}
	best = greatest_of_block(best, room);
	if (threadIdx.x || !best)
		return;
	q.parents[(size_t)r * q.k + T] = q.rank[~(uint32_t)best];
	q.parent_count[r] = T + 1;
}

template <int T>
static int launch_gain(struct dev_stream *s, const boa_large_rows &q, struct err *e)
{
	return LAUNCH(e, best_parents<T>, q.last - q.first, GAIN_BLOCK,
		      GAIN_WARPS * sizeof(uint64_t) + sizeof(gain_family<T>), s, q);
}

static int gain(struct dev_stream *s, const struct boa_large_rows *r, int parents, struct err *e)
{
	static int (*const launch[])(struct dev_stream *, const boa_large_rows &,
				     struct err *) = { launch_gain<0>, launch_gain<1>,
						       launch_gain<2>, launch_gain<3>,
						       launch_gain<4>, launch_gain<5> };

	return r->first == r->last ? 0 : launch[parents](s, *r, e);
}

/* ---- layouts ---- */

enum { PLACE_BLOCK = 1024 };

struct place_shared {
	int32_t sum[PLACE_BLOCK / 32];
	int32_t first[BOA_LARGE_TILE_ROWS + 1];
};

/* Returns the number of earlier threads with `set`; *all becomes the number in the block. */
static __device__ __forceinline__ int32_t place_before(bool set, int32_t *sum, int32_t *all)
{
	uint32_t lane = threadIdx.x % 32, mask = __ballot_sync(WARP_ALL, set);
	int32_t before = (int32_t)warp_rank(mask, lane);

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

/* Runs in one block. Numbers the rows that have `parents` so that the last row ends a tile row, and
 * stores the width of tile row t in first[t + 1]. Returns the number of tile rows. */
static __device__ __forceinline__ int32_t place_rows(place_shared *s, const boa_large_rows &q,
						     int parents)
{
	int32_t rows = 0, here;

	for (int32_t r = q.first + (int32_t)threadIdx.x; r < q.last; r += PLACE_BLOCK)
		rows += q.parent_count[r] == parents;
	rows = __reduce_add_sync(WARP_ALL, rows);
	if (threadIdx.x % 32 == 0)
		s->sum[threadIdx.x / 32] = rows;
	__syncthreads();
	rows = 0;
	for (int w = 0; w < PLACE_BLOCK / 32; w++)
		rows += s->sum[w];
	__syncthreads();
	int32_t next = (BOA_LARGE_TILE - rows % BOA_LARGE_TILE) % BOA_LARGE_TILE;

	for (int32_t start = q.first; start < q.last; start += PLACE_BLOCK, next += here) {
		int32_t r = start + (int32_t)threadIdx.x;
		bool is = r < q.last && q.parent_count[r] == parents;
		int32_t place = next + place_before(is, s->sum, &here);

		if (is)
			q.place[r] = place;
		if (is && place % BOA_LARGE_TILE == BOA_LARGE_TILE - 1)
			s->first[place / BOA_LARGE_TILE + 1] = r / BOA_LARGE_TILE + 1;
	}
	return (rows + BOA_LARGE_TILE - 1) / BOA_LARGE_TILE;
}

static __global__ void lay_out(const __grid_constant__ boa_large_rows q, int parents)
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
			where[r] =
				(int64_t)s->first[q.place[r] / BOA_LARGE_TILE] * BOA_LARGE_CELLS +
				q.place[r] % BOA_LARGE_TILE * BOA_LARGE_TILE;
}

/* ---- left sides and totals ---- */

/* One word of the products of row r: in[rest] is the newest parent AND the parents of `rest`, a set
 * of the earlier parents p[0 .. T - 2]. */
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

/* A block for each row that has T >= 1 parents. */
template <int T>
static __global__ void prepare_rows(const __grid_constant__ boa_large_rows q, bool products)
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
		uint32_t sum = __reduce_add_sync(WARP_ALL, count[i]);

		if (threadIdx.x % 32 == 0)
			atomicAdd(&sums[i], sum);
	}
	__syncthreads();
	if (threadIdx.x < 2 * SETS)
		q.totals[((size_t)r << (q.k + 1)) + 2 * SETS + threadIdx.x] = sums[threadIdx.x];
}

template <int T>
static int launch_prepare(struct dev_stream *s, const boa_large_rows &q, bool products,
			  struct err *e)
{
	return LAUNCH(e, prepare_rows<T>, q.last - q.first, BLOCK, sizeof(uint32_t) << T, s, q,
		      products);
}

static int prepare(struct dev_stream *s, const struct boa_large_rows *r, int parents, bool products,
		   struct err *e)
{
	static int (*const launch[])(struct dev_stream *, const boa_large_rows &, bool,
				     struct err *) = { launch_prepare<1>, launch_prepare<2>,
						       launch_prepare<3>, launch_prepare<4>,
						       launch_prepare<5>, launch_prepare<6> };

	int status = 0;

	if (r->first == r->last)
		return 0;
	if (products)
		status = LAUNCH(e, lay_out, 1, PLACE_BLOCK, sizeof(place_shared), s, *r, parents);
	return status ? status : launch[parents - 1](s, *r, products, e);
}

/* ---- records ---- */

/* Number of individuals with ones in all of S and, if `with`, a one in x. */
static __device__ __forceinline__ uint32_t total_of(const boa_large_rows &q, int32_t r, int set,
						    int with)
{
	if (set)
		return q.totals[((size_t)r << (q.k + 1)) + (size_t)(set * 2 + with)];
	return with ? pair_of(q, r, r) : (uint32_t)q.selected;
}

/* Number of individuals whose parents have exactly the values of `a`. */
static __device__ uint32_t exactly(const boa_large_rows &q, int32_t r, int parents, int a, int with)
{
	uint32_t sum = 0;

	for (int set = a; set < 1 << parents; set = (set + 1) | a) {
		uint32_t more = total_of(q, r, set, with);

		sum += __popc(set ^ a) & 1 ? 0u - more : more;
	}
	return sum;
}

/* A thread for each row and configuration. */
static __global__ void fill_records(const __grid_constant__ boa_large_rows q)
{
	int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
	int32_t r = q.first + (int32_t)(i >> q.k), a = (int32_t)(i & ((1 << q.k) - 1));

	if (r >= q.last)
		return;
	int32_t parents = q.parent_count[r];
	uint32_t *record = q.records + (size_t)r * (size_t)boa_large_record_words(q.k);
	uint32_t threshold = 0;

	if (a < 1 << parents)
		threshold =
			boa_threshold(exactly(q, r, parents, a, 1), exactly(q, r, parents, a, 0),
				      (enum boa_smoothing)q.smoothing);
	record[1 + q.k + a] = boa_large_spread(threshold);
	if (a < q.k)
		record[1 + a] = a < parents ? (uint32_t)q.order[q.parents[(size_t)r * q.k + a]] : 0;
	if (a == 0) {
		record[0] = (uint32_t)parents;
		atomicAdd((unsigned long long *)&q.status->edges, (unsigned long long)parents);
	}
}

static int records(struct dev_stream *s, const struct boa_large_rows *r, struct err *e)
{
	int64_t threads = (int64_t)(r->last - r->first) << r->k;

	if (threads == 0)
		return 0;
	return LAUNCH(e, fill_records, (unsigned)((threads + BLOCK - 1) / BLOCK), BLOCK, 0, s, *r);
}

extern "C" const struct boa_large_learn_kernels
	BACKEND_SYMBOL(boa_large_learn_kernels) = { count, gain, prepare, records };
