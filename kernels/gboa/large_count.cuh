/* Products of rows of bits with rows of bits: counts of the ones that two rows share.
 *
 * A block of four warps makes a tile of 128 x 128 counts, a warp a quarter of it. Both sides go
 * through shared memory in chunks of 1024 bits, three of them under way; tensor cores multiply
 * (mma_b1.cuh). A chunk of a side is kept as two planes of 512 bits: rows of 64 bytes one behind
 * the other are read without conflicts. The second plane is shifted by 64 bytes so that writing
 * both halves of a row has none either. */
#ifndef COPRA_KERNELS_GBOA_LARGE_COUNT_CUH
#define COPRA_KERNELS_GBOA_LARGE_COUNT_CUH

#include "kernels/common/gpu.cuh"
#include "kernels/common/mma_b1.cuh"
#include "kernels/gboa/large.h"

enum {
	COUNT_BLOCK = 128,
	COUNT_STAGES = 3,
	COUNT_HALF = LARGE_CHUNK / 2, /* words of a row of a plane */
	COUNT_PLANE = LARGE_TILE * COUNT_HALF + 16,
	COUNT_SIDE = 2 * COUNT_PLANE, /* words of a side of a chunk */
	COUNT_DOWN = 4,               /* of 16 rows, a warp's */
	COUNT_ACROSS = 8,             /* of 8 columns */
	COUNT_SHARED = COUNT_STAGES * 2 * COUNT_SIDE * (int)sizeof(uint32_t)
};

struct count_sums {
	int32_t at[COUNT_DOWN][COUNT_ACROSS][4];
};

struct count_tile {
	int32_t row, column;
};

/* Number i of the lower triangle's tiles. */
static __device__ __forceinline__ count_tile count_tile_of(int64_t i)
{
	int32_t row = (int32_t)((sqrt(8.0 * (double)i + 1) - 1) / 2);
	count_tile t;

	row += large_tiles(row + 1) <= i;
	row -= large_tiles(row) > i;
	t.row = row;
	t.column = (int32_t)(i - large_tiles(row));
	return t;
}

/* Number i of a layout's tiles; none: the row is -1. */
static __device__ __forceinline__ count_tile count_tile_in(const large_layout *l, int32_t i)
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

/* Starts the copies of one chunk of 128 rows. */
static __device__ __forceinline__ void count_fetch(uint32_t *to, const uint32_t *rows,
						   size_t stride)
{
#pragma unroll
	for (int j = 0; j < LARGE_TILE * LARGE_CHUNK / 4 / COUNT_BLOCK; j++) {
		uint32_t piece = threadIdx.x + (uint32_t)j * COUNT_BLOCK, row = piece / 8;

		copy_async_16(to + piece / 4 % 2 * COUNT_PLANE + row * COUNT_HALF + piece % 4 * 4,
			      rows + row * stride + piece % 8 * 4);
	}
}

/* row, column: of the tile, the first that this lane has part in. */
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
			mma_and_popc(sums->at[i][j], first, b[j]);
#pragma unroll
		for (int j = 0; j < COUNT_ACROSS; j++)
			mma_and_popc(sums->at[i][j], second, b[j] + 2);
	}
}

static __device__ __forceinline__ void count_store(int32_t *out, const count_sums &sums,
						   uint32_t row, uint32_t column)
{
	uint32_t pair = column / 8 * 8 + threadIdx.x % 4 * 2;

#pragma unroll
	for (int i = 0; i < COUNT_DOWN; i++)
#pragma unroll
		for (int j = 0; j < COUNT_ACROSS; j++) {
			int32_t *at = out + (row + i * 16) * LARGE_TILE + pair + j * 8;

			*(int2 *)at = make_int2(sums.at[i][j][0], sums.at[i][j][1]);
			*(int2 *)(at + 8 * LARGE_TILE) =
				make_int2(sums.at[i][j][2], sums.at[i][j][3]);
		}
}

static __global__ void __launch_bounds__(COUNT_BLOCK, 2)
	count_tiles(const __grid_constant__ large_count c)
{
	SHARED_MEMORY(uint32_t, shared);
	count_tile tile = c.layout ? count_tile_in(c.layout, (int32_t)blockIdx.x) :
				     count_tile_of(large_tiles(c.first_tile) + blockIdx.x);

	if (tile.row < 0)
		return;
	int32_t below = c.layout ? tile.row : tile.row - c.first_tile;
	const uint32_t *left =
		c.left + blockIdx.y * c.left_step + (size_t)below * LARGE_TILE * c.stride;
	const uint32_t *right = c.right + (size_t)tile.column * LARGE_TILE * c.stride;
	uint32_t warp = threadIdx.x / 32, group = threadIdx.x % 32 / 4;
	uint32_t row = warp / 2 * 64 + group, column = warp % 2 * 64 + group;
	int32_t chunks = (int32_t)(c.stride / LARGE_CHUNK);
	count_sums sums = {};

	for (int32_t i = 0; i < COUNT_STAGES - 1; i++) {
		if (i < chunks) {
			count_fetch(shared + i * 2 * COUNT_SIDE, left + i * LARGE_CHUNK, c.stride);
			count_fetch(shared + (i * 2 + 1) * COUNT_SIDE, right + i * LARGE_CHUNK,
				    c.stride);
		}
		copy_async_commit();
	}
	for (int32_t i = 0; i < chunks; i++) {
		copy_async_wait<COUNT_STAGES - 2>();
		__syncthreads();
		int32_t next = i + COUNT_STAGES - 1;

		if (next < chunks) {
			uint32_t *to = shared + next % COUNT_STAGES * 2 * COUNT_SIDE;

			count_fetch(to, left + (size_t)next * LARGE_CHUNK, c.stride);
			count_fetch(to + COUNT_SIDE, right + (size_t)next * LARGE_CHUNK, c.stride);
		}
		copy_async_commit();
		const uint32_t *stage = shared + i % COUNT_STAGES * 2 * COUNT_SIDE;

#pragma unroll
		for (int plane = 0; plane < 2; plane++)
			count_plane(&sums, stage + plane * COUNT_PLANE,
				    stage + COUNT_SIDE + plane * COUNT_PLANE, row, column);
	}
	count_store(c.out + blockIdx.y * c.out_step + (size_t)blockIdx.x * LARGE_CELLS, sums, row,
		    column);
}

#endif
