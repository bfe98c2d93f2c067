/* Rows of the two-sided bound table, in the two ways of sets_bound.cuh: what `pass` gives for a
 * pair of machines is the entry itself. */
#ifndef COPRA_KERNELS_TREE_SEARCH_TWOSIDED_BOUND_CUH
#define COPRA_KERNELS_TREE_SEARCH_TWOSIDED_BOUND_CUH

#include "kernels/tree-search/twosided_common.cuh"

enum {
	TWOSIDED_STORED = 8,                       /* entries stored together, 16 bytes */
	TWOSIDED_PARTS = TWOSIDED_BOUND_WORDS / 8, /* tasks a group of sets: 32 bytes of each row */
	TWOSIDED_FEW_PARTS = (TWOSIDED_ENTRIES + 31) / 32,
};

/* The machines of an entry; u < v. */
static __device__ __forceinline__ void machines_of(int entry, int *u, int *v)
{
	int first = 0;

	*u = 0;
	while (entry >= first + SETS_MACHINES - 1 - *u) {
		first += SETS_MACHINES - 1 - *u;
		++*u;
	}
	*v = *u + 1 + entry - first;
}

/* TWOSIDED_STORED entries of the lane's four sets, from `entry` on. */
static __device__ __forceinline__ void
build_stored(const struct sets_search &q, sets_members *space, const uint32_t *number, int entry)
{
	uint32_t value[4][TWOSIDED_STORED / 2];
	int u, v;

	machines_of(entry, &u, &v);
#pragma unroll
	for (int i = 0; i < TWOSIDED_STORED; i++) {
		const bool there = entry + i < TWOSIDED_ENTRIES;
		const uint2 step = there ? fetch_step(q, u, v) : make_uint2(0, 0);

		__syncwarp();
		space->step[i % 2][lane_of()] =
			make_uint4(step.x & 0xffff, step.x >> 16, step.y, 0);
		__syncwarp();
		const uint2 y = pass(space->member + lane_of(), space->step[i % 2], q.jobs);

#pragma unroll
		for (int k = 0; k < 4; k++) {
			const uint32_t half = (k < 2 ? y.x : y.y) >> (k % 2 * 16) & 0xffff;

			value[k][i / 2] = i % 2 ? value[k][i / 2] | half << 16 : half;
		}
		if (++v == SETS_MACHINES)
			v = ++u + 1;
	}
#pragma unroll
	for (int k = 0; k < 4; k++)
		*reinterpret_cast<uint4 *>(q.bound + (size_t)number[k] * TWOSIDED_BOUND_WORDS +
					   entry / 2) =
			make_uint4(value[k][0], value[k][1], value[k][2], value[k][3]);
}

static __device__ __forceinline__ void
build_many_pairs(const struct sets_search &q, sets_members *space, uint32_t missing, uint32_t task)
{
	const int part = (int)(task % TWOSIDED_PARTS);
	uint32_t number[4];

	fill_members(q, space, missing, task / TWOSIDED_PARTS, number);
#pragma unroll 1
	for (int i = 0; i < 2; i++)
		build_stored(q, space, number, (2 * part + i) * TWOSIDED_STORED);
	__syncwarp();
}

/* SETS_FEW_TOGETHER sets; a lane has an entry. */
static __device__ __forceinline__ void build_few_pairs(const struct sets_search &q,
						       uint32_t missing, uint32_t task)
{
	const int entry = (int)(task % TWOSIDED_FEW_PARTS) * 32 + lane_of();
	const uint32_t all = (1u << q.jobs) - 1;
	uint16_t *bound = reinterpret_cast<uint16_t *>(q.bound) + entry;
	uint32_t number[SETS_FEW_TOGETHER], left[SETS_FEW_TOGETHER], y[SETS_FEW_WORDS];
	int u, v;

	machines_of(min(entry, TWOSIDED_ENTRIES - 1), &u, &v);
#pragma unroll
	for (int i = 0; i < SETS_FEW_TOGETHER; i++) {
		number[i] = q.missing[min(
			task / TWOSIDED_FEW_PARTS * SETS_FEW_TOGETHER + (uint32_t)i, missing - 1)];
		left[i] = all & ~q.set_of[number[i]];
	}
	pass_few(q, u, v, left, y);
	if (entry >= TWOSIDED_ENTRIES)
		return;
#pragma unroll
	for (int i = 0; i < SETS_FEW_TOGETHER; i++)
		bound[(size_t)number[i] * (2 * TWOSIDED_BOUND_WORDS)] =
			(uint16_t)(y[i / 2] >> (i % 2 * 16));
}

static __device__ __forceinline__ uint32_t tasks_of_pairs(uint32_t missing)
{
	if (few_missing(missing))
		return (missing + SETS_FEW_TOGETHER - 1) / SETS_FEW_TOGETHER * TWOSIDED_FEW_PARTS;
	return (missing + SETS_BUILT_TOGETHER - 1) / SETS_BUILT_TOGETHER * TWOSIDED_PARTS;
}

static __device__ __forceinline__ void build_pairs(const struct sets_search &q, sets_members *space,
						   uint32_t missing, uint32_t task)
{
	if (few_missing(missing))
		build_few_pairs(q, missing, task);
	else
		build_many_pairs(q, space, missing, task);
}

#endif
