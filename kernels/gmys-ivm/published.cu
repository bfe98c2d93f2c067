/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Mode PTE+PEB: the kernels of one step, and the kernels that put intervals. */
#include "kernels/gmys-ivm/published.cuh"

static const int BLOCK =
	64; /* T IVMs are few threads for a GPU; small blocks distribute them over it */

/* Unpacks the node of the row to be bounded. */
static __device__ void open_row(const struct ivm_fleet &f, int t, const struct ivm &v,
				const struct ivm_scratch &s)
{
	uint32_t left = 0;

	ivm_node_decode(&f.problem, &v, &s);
	f.children[t] = f.n - *v.level;
	if (!f.step)
		return;
	for (int j = 0; j < f.n; j++)
		left |= (uint32_t)s.left[j] << j;
	f.left[t] = left;
}

/* select-and-branch, one thread per IVM (Algorithm 4). Also unpacks the node for the bounds. */
template <bool STAGED>
static __global__ void __launch_bounds__(STAGE_BLOCK)
	select_and_branch(struct ivm_fleet f, int32_t best)
{
	SHARED_MEMORY(uint32_t, area);
	int t = global_thread();

	if (t == 0) {
		f.control->children = 0;
		atomicMin(&f.control->best, best);
	}
	if (STAGED)
		stage_in(f, area);
	if (t < f.ivms) {
		struct ivm v = STAGED ? staged_ivm(f, area) : ivm_of(f, t);
		struct ivm_scratch s = STAGED ? staged_scratch(f, area) : scratch_of(f, t);

		f.children[t] = 0;
		if (f.state[t] == IVM_EXPLORING) {
			if (ivm_select_and_branch(&v))
				open_row(f, t, v, s);
			else
				f.state[t] = IVM_EMPTY;
		}
	}
	if (STAGED) {
		stage_out(f, area);
		stage_out_scratch(f, area);
	}
}

/* buildMapping: a compact list of the children of all IVMs, by a prefix sum in each warp and one
 * atomic per warp. The order of the warps does not matter. */
static __global__ void build_mapping(struct ivm_fleet f)
{
	int t = global_thread(), lane = threadIdx.x % WARP;
	int mine = t < f.ivms ? f.children[t] : 0, first = 0;
	int sum = warp_scan(mine, (unsigned)lane);

	if (lane == WARP - 1)
		first = atomicAdd(&f.control->children, sum);
	first = __shfl_sync(WARP_ALL, first, WARP - 1) + sum - mine;
	for (int c = 0; c < mine; c++)
		f.entry[first + c] = (uint32_t)t * (uint32_t)f.n + (uint32_t)c;
}

static __global__ void prune(struct ivm_fleet f)
{
	int t = global_thread();
	struct ivm_counts counts = { 0, 0, 0 };

	if (t < f.ivms && f.children[t]) {
		struct ivm v = ivm_of(f, t);
		struct ivm_scratch s = scratch_of(f, t);
		int32_t value = ivm_side_and_prune(&f.problem, &v, &s,
						   ld_relaxed_gpu(&f.control->best), &counts);

		if (value != IVM_NONE)
			record_leaf(f, t, v, value);
	}
	add_counts(f, counts);
}

/* ---- putting intervals ----
 *
 * ivm_descend is done for one row of all IVMs at a time, so that the bounds of a row are computed
 * in parallel. */

static __global__ void start(struct ivm_fleet f, const uint16_t *intervals, const int32_t *target,
			     int count)
{
	int i = global_thread(), n = f.n;

	if (i == 0)
		f.control->children = 0;
	if (i >= count)
		return;
	int t = target[i];
	struct ivm v = ivm_of(f, t);
	length_end(f, t, v);
	f.begin[t] = ivm_factoradic_residue(intervals + (size_t)(2 * i) * (size_t)n, n);
	for (int d = 0; d < n; d++) {
		v.position[d] = 0;
		v.end[d] = intervals[(size_t)(2 * i + 1) * (size_t)n + (size_t)d];
		v.matrix[d] = (int16_t)d;
	}
	*v.level = 0;
	f.state[t] = IVM_EXPLORING;
	f.victim[t] = i;
	atomicAdd(&f.control->working, 1);
	open_row(f, t, v, scratch_of(f, t));
}

static __device__ void finish_row(const struct ivm_fleet &f, int t, const uint16_t *first,
				  struct ivm_counts *counts)
{
	struct ivm v = ivm_of(f, t);
	struct ivm_scratch s = scratch_of(f, t);
	struct ivm_counts uncounted = { 0, 0, 0 };
	int level = *v.level, deepest = -1;
	int32_t value;

	for (int i = 0; i < f.n; i++)
		deepest = first[i] ? i : deepest;
	value = ivm_side_and_prune(&f.problem, &v, &s, ld_relaxed_gpu(&f.control->best),
				   deepest < 0 ? counts : &uncounted);
	if (value != IVM_NONE)
		record_leaf(f, t, v, value);
	v.position[level] = first[level];
	f.children[t] = 0;
	if (level < deepest && v.matrix[level * f.n + first[level]] >= 0) {
		ivm_branch(&v);
		open_row(f, t, v, s);
	}
}

static __global__ void start_row(struct ivm_fleet f, const uint16_t *intervals)
{
	int t = global_thread();
	struct ivm_counts counts = { 0, 0, 0 };

	if (t == 0)
		f.control->children = 0;
	if (t < f.ivms && f.children[t])
		finish_row(f, t, intervals + (size_t)2 * (size_t)f.victim[t] * (size_t)f.n,
			   &counts);
	add_counts(f, counts);
}

/* ---- launches ---- */

static unsigned blocks_for(int threads)
{
	return ((unsigned)threads + (unsigned)BLOCK - 1) / (unsigned)BLOCK;
}

static int launch_select(struct dev_stream *s, const struct ivm_fleet *f, int32_t best, bool staged,
			 struct err *e)
{
	unsigned blocks = ((unsigned)f->ivms + (unsigned)STAGE_BLOCK - 1) / (unsigned)STAGE_BLOCK;

	if (staged)
		return LAUNCH(e, select_and_branch<true>, blocks, STAGE_BLOCK, stage_bytes(*f), s,
			      *f, best);
	return LAUNCH(e, select_and_branch<false>, blocks, STAGE_BLOCK, 0, s, *f, best);
}

static int launch_map(struct dev_stream *s, const struct ivm_fleet *f, struct err *e)
{
	return LAUNCH(e, build_mapping, blocks_for(f->ivms), BLOCK, 0, s, *f);
}

static int launch_prune(struct dev_stream *s, const struct ivm_fleet *f, struct err *e)
{
	return LAUNCH(e, prune, blocks_for(f->ivms), BLOCK, 0, s, *f);
}

static int launch_start(struct dev_stream *s, const struct ivm_fleet *f, const uint16_t *intervals,
			const int32_t *target, int count, struct err *e)
{
	int status = dev_fill(s, f->children, 0, (size_t)f->ivms * sizeof(*f->children), e);

	if (status)
		return status;
	return LAUNCH(e, start, blocks_for(count), BLOCK, 0, s, *f, intervals, target, count);
}

static int launch_start_row(struct dev_stream *s, const struct ivm_fleet *f,
			    const uint16_t *intervals, struct err *e)
{
	return LAUNCH(e, start_row, blocks_for(f->ivms), BLOCK, 0, s, *f, intervals);
}

/* ---- the bounds of all children: one thread per (child, side) of the mapping ---- */

static const int ANY_BLOCK = 128;
/* Block sizes of bound_pairs with its table in shared memory, which one block fills, and without.
 */
static const int TABLE_BLOCK = 512, FAR_BLOCK = 128, UNITS = 4;

/* One child on one side of the schedule. */
struct unit {
	int t, cell;
	bool back;
};

/* Units are numbered by side: first all children in front, then all at the back. A warp takes 32
 * consecutive units. Neighbouring warps are in different blocks, so that even few units reach all
 * multiprocessors. */
static __device__ __forceinline__ int warp_number(void)
{
	return (int)(threadIdx.x / WARP * gridDim.x + blockIdx.x);
}

static __device__ __forceinline__ int warp_count(void)
{
	return (int)(gridDim.x * (blockDim.x / WARP));
}

static __device__ __forceinline__ struct unit unit_at(const struct ivm_fleet &f, int children,
						      int u)
{
	bool back = u >= children;
	uint32_t entry = f.entry[back ? u - children : u], n = (uint32_t)f.n;
	struct unit x = { (int)(entry / n), (int)(entry % n), back };

	return x;
}

static __device__ __forceinline__ void store_bound(const struct ivm_fleet &f, const struct unit &x,
						   int32_t bound)
{
	scratch_of(f, x.t).bound[x.back * f.n + x.cell] = bound;
}

/* Bounds of any problem. For LB2 the completion times of a thread's child are in shared memory. */
static __global__ void bound_any(struct ivm_fleet f)
{
	SHARED_MEMORY(int32_t, columns);
	int children = f.control->children, units = children * ivm_sides(&f.problem);
	int32_t best = ld_relaxed_gpu(&f.control->best);
	int32_t *child = columns + (size_t)threadIdx.x * (size_t)(f.problem.tables.machines | 1);

	for (int u = warp_number() * WARP + (int)threadIdx.x % WARP; u < units;
	     u += warp_count() * WARP) {
		struct unit x = unit_at(f, children, u);
		struct ivm v = ivm_of(f, x.t);
		struct ivm_scratch s = scratch_of(f, x.t);

		store_bound(f, x, ivm_child(&f.problem, &v, &s, x.cell, x.back, best, child));
	}
}

/* ---- LB2 for at most 32 jobs and sums below 2^15 ----
 *
 * A thread handles UNITS units together, so that one load of a step of Johnson's order serves all
 * of them. */

/* Makes a child: its set of open jobs, and its times from both ends in a column of shared memory,
 * front in the low half of a word and back in the high half. */
template <int PAIR_BLOCK>
static __device__ uint32_t make_child(const struct ivm_fleet &f, const struct unit &x,
				      uint32_t *column)
{
	const struct fsp_tables &tables = f.problem.tables;
	struct ivm v = ivm_of(f, x.t);
	struct ivm_scratch s = scratch_of(f, x.t);
	int m = tables.machines, job = ivm_item(v.matrix[*v.level * f.n + x.cell]);
	const int32_t *times = tables.time + (size_t)job * (size_t)m;
	const int32_t *own = x.back ? s.back : s.front, *other = x.back ? s.front : s.back;
	bool alone = s.state[x.back] == 0;
	int32_t at = 0;

	for (int i = 0; i < m; i++) {
		int k = x.back ? m - 1 - i : i;

		at = max(at, alone ? 0 : own[k]) + times[k];
		column[k * PAIR_BLOCK] = x.back ? (uint32_t)other[k] | (uint32_t)at << 16 :
						  (uint32_t)at | (uint32_t)other[k] << 16;
	}
	return f.left[x.t] & ~(1u << job);
}

/* `table`: f.step or a copy of it. */
template <int PAIR_BLOCK>
static __device__ __forceinline__ void run_pairs(const struct ivm_fleet &f, const int4 *table,
						 const uint32_t *left, const uint32_t *columns,
						 int32_t *bound)
{
	const struct fsp_tables &tables = f.problem.tables;
	int m = tables.machines, n = f.n;

	for (int pair = 0; pair < tables.pairs; pair++) {
		const int4 *row = table + (size_t)pair * (size_t)n;
		int u = __ldg(&tables.pair_u[pair]), v = __ldg(&tables.pair_v[pair]);
		int32_t t0[UNITS], t1[UNITS];

#pragma unroll
		for (int r = 0; r < UNITS; r++) {
			t0[r] = (int32_t)(columns[(r * m + u) * PAIR_BLOCK] & 0xffff);
			t1[r] = (int32_t)(columns[(r * m + v) * PAIR_BLOCK] & 0xffff);
		}
#pragma unroll 4
		for (int i = 0; i < n; i++) {
			int4 step = row[i]; /* job's bit, times on u and v, lag */

#pragma unroll
			for (int r = 0; r < UNITS; r++) {
				if (left[r] & (uint32_t)step.x) {
					t0[r] += step.y;
					t1[r] = __viaddmax_s32(t0[r], step.w, t1[r]) + step.z;
				}
			}
		}
#pragma unroll
		for (int r = 0; r < UNITS; r++) {
			t0[r] += (int32_t)(columns[(r * m + u) * PAIR_BLOCK] >> 16);
			t1[r] += (int32_t)(columns[(r * m + v) * PAIR_BLOCK] >> 16);
			bound[r] = max(bound[r], max(t0[r], t1[r]));
		}
	}
}

template <bool TABLE, int PAIR_BLOCK>
static __global__ void __launch_bounds__(PAIR_BLOCK) bound_pairs(struct ivm_fleet f)
{
	SHARED_MEMORY(int4, shared);
	const int4 *table = (const int4 *)f.step;
	int steps = TABLE ? f.problem.tables.pairs * f.n : 0;
	uint32_t *columns = (uint32_t *)(shared + steps) + threadIdx.x;
	int children = f.control->children, units = children * ivm_sides(&f.problem);
	int m = f.problem.tables.machines;

	for (int i = (int)threadIdx.x; i < steps; i += PAIR_BLOCK)
		shared[i] = __ldg(&table[i]);
	if (TABLE) {
		table = shared;
		__syncthreads();
	}
	for (int first = warp_number() * WARP * UNITS; first < units;
	     first += warp_count() * WARP * UNITS) {
		int u = first + (int)threadIdx.x % WARP;
		uint32_t left[UNITS];
		int32_t bound[UNITS];

#pragma unroll
		for (int r = 0; r < UNITS; r++) {
			left[r] = 0;
			bound[r] = 0;
			if (u + r * WARP < units)
				left[r] = make_child<PAIR_BLOCK>(f,
								 unit_at(f, children, u + r * WARP),
								 columns + r * m * PAIR_BLOCK);
		}
		run_pairs<PAIR_BLOCK>(f, table, left, columns, bound);
#pragma unroll
		for (int r = 0; r < UNITS; r++) {
			if (u + r * WARP < units)
				store_bound(f, unit_at(f, children, u + r * WARP), bound[r]);
		}
	}
}

/* ---- launches ---- */

static size_t column_bytes(const struct ivm_fleet *f, int block)
{
	return (size_t)block * UNITS * (size_t)f->problem.tables.machines * sizeof(uint32_t);
}

static size_t any_bytes(const struct ivm_fleet *f)
{
	return (size_t)ANY_BLOCK * (size_t)(f->problem.tables.machines | 1) * sizeof(int32_t);
}

static size_t table_bytes(const struct ivm_fleet *f)
{
	return column_bytes(f, TABLE_BLOCK) +
	       (size_t)f->problem.tables.pairs * (size_t)f->n * sizeof(int4);
}

static int units_blocks(const struct ivm_fleet *f, int children)
{
	int block = f->step ? FAR_BLOCK * UNITS : ANY_BLOCK;
	int units = children * ivm_sides(&f->problem);

	return units > 0 ? (units + block - 1) / block : 1;
}

static int launch_bound_blocks(struct dev_stream *s, const struct ivm_fleet *f,
			       size_t shared_per_block, bool *table, int *blocks, struct err *e)
{
	*table = f->step && table_bytes(f) <= shared_per_block;
	if (*table)
		return GPU_OCCUPANCY(e, blocks, (bound_pairs<true, TABLE_BLOCK>), TABLE_BLOCK,
				     table_bytes(f), s);
	if (f->step)
		return GPU_OCCUPANCY(e, blocks, (bound_pairs<false, FAR_BLOCK>), FAR_BLOCK,
				     column_bytes(f, FAR_BLOCK), s);
	return GPU_OCCUPANCY(e, blocks, bound_any, ANY_BLOCK, any_bytes(f), s);
}

static int launch_bound(struct dev_stream *s, const struct ivm_fleet *f, bool table, int blocks,
			struct err *e)
{
	if (table)
		return LAUNCH(e, (bound_pairs<true, TABLE_BLOCK>), blocks, TABLE_BLOCK,
			      table_bytes(f), s, *f);
	if (f->step)
		return LAUNCH(e, (bound_pairs<false, FAR_BLOCK>), blocks, FAR_BLOCK,
			      column_bytes(f, FAR_BLOCK), s, *f);
	return LAUNCH(e, bound_any, blocks, ANY_BLOCK, any_bytes(f), s, *f);
}

extern "C" const struct ivm_published_kernels BACKEND_SYMBOL(ivm_published_kernels) = {
	launch_select,
	launch_map,
	BACKEND_SYMBOL(ivm_map_scan),
	launch_bound,
	launch_prune,
	BACKEND_SYMBOL(ivm_steps),
	BACKEND_SYMBOL(ivm_reduce_states),
	BACKEND_SYMBOL(ivm_lengths),
	BACKEND_SYMBOL(ivm_reduce_lengths),
	BACKEND_SYMBOL(ivm_select_hyper),
	BACKEND_SYMBOL(ivm_try_select),
	BACKEND_SYMBOL(ivm_steal_each),
	BACKEND_SYMBOL(ivm_victims),
	BACKEND_SYMBOL(ivm_steal),
	launch_start,
	launch_start_row,
	BACKEND_SYMBOL(ivm_split),
	BACKEND_SYMBOL(ivm_accept),
	units_blocks,
	launch_bound_blocks,
	BACKEND_SYMBOL(ivm_staged),
};
