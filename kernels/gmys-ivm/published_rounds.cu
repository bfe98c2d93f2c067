/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The reductions, the mapping and the stealing of Algorithms 3, 5 and 6 as the paper has them: one
 * thread per IVM, flags in global memory, one launch for each round of victim selection. */
#include "kernels/gmys-ivm/published.cuh"

static const int BLOCK = IVM_REDUCE_BLOCK;
static const size_t ROOM_BYTES = BLOCK / WARP * sizeof(struct ivm_partial);

static __host__ __device__ __forceinline__ int blocks_of(int ivms)
{
	return (ivms + BLOCK - 1) / BLOCK;
}

/* ---- reductions: a partial result for each block, then one block for the partial results ---- */

static __device__ __forceinline__ struct ivm_partial block_reduce(struct ivm_partial mine,
								  struct ivm_partial *room)
{
	int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;

	mine.length = warp_sum(mine.length);
	mine.empty = warp_sum(mine.empty);
	mine.best = warp_min(mine.best);
	if (lane == 0)
		room[warp] = mine;
	__syncthreads();
	if (lane < BLOCK / WARP)
		mine = room[lane];
	else
		mine = { 0, 0, IVM_NONE, 0 };
	mine.length = warp_sum(mine.length);
	mine.empty = warp_sum(mine.empty);
	mine.best = warp_min(mine.best);
	return mine;
}

static __device__ __forceinline__ void merge(struct ivm_partial *sum, const struct ivm_partial &x)
{
	sum->length += x.length;
	sum->empty += x.empty;
	sum->best = min(sum->best, x.best);
}

/* LENGTHS: adds up the lengths of the intervals; else counts the empty IVMs. */
template <bool LENGTHS> static __global__ void __launch_bounds__(BLOCK) reduce(struct ivm_fleet f)
{
	SHARED_MEMORY(struct ivm_partial, room);
	int t = global_thread();
	struct ivm_partial mine = { 0, 0, IVM_NONE, 0 };

	if (t < f.ivms) {
		double length = LENGTHS ? f.length[t] : 0;

		mine.length = length > 0 ? length : 0;
		mine.empty = !LENGTHS && f.state[t] == IVM_EMPTY;
		mine.best = f.leaf_value[t] < IVM_LEAF_NONE ? f.leaf_value[t] : IVM_NONE;
	}
	mine = block_reduce(mine, room);
	if (threadIdx.x == 0)
		f.partial[blockIdx.x] = mine;
}

static __device__ void count_expansion(const struct ivm_fleet &f, int empty)
{
	struct ivm_control *k = f.control;
	int active = f.ivms - empty;

	k->expansions++;
	k->busy += (uint64_t)(k->working / 2 + (active + 1) / 2);
	k->phases += empty && active;
	k->active = k->working = active;
	k->thieves = empty;
}

template <bool LENGTHS>
static __global__ void __launch_bounds__(BLOCK) reduce_partial(struct ivm_fleet f)
{
	SHARED_MEMORY(struct ivm_partial, room);
	struct ivm_partial sum = { 0, 0, IVM_NONE, 0 };

	for (int b = (int)threadIdx.x; b < blocks_of(f.ivms); b += BLOCK)
		merge(&sum, f.partial[b]);
	sum = block_reduce(sum, room);
	if (threadIdx.x)
		return;
	f.control->best = min(f.control->best, sum.best);
	if (LENGTHS)
		f.control->mean = sum.length / f.ivms;
	else
		count_expansion(f, sum.empty);
}

/* ---- buildMapping: a parallel prefix sum of the numbers of children ---- */

static __global__ void __launch_bounds__(BLOCK) scan_blocks(struct ivm_fleet f)
{
	SHARED_MEMORY(int32_t, room);
	int t = global_thread();
	int32_t mine = t < f.ivms ? f.children[t] : 0, total;
	int32_t sum = block_scan<BLOCK>(mine, room, &total);

	if (t < f.ivms)
		f.offset[t] = sum - mine;
	if (threadIdx.x == 0)
		f.partial[blockIdx.x].children = total;
}

/* One block replaces the sums of the blocks by the sums of the blocks before. */
static __global__ void __launch_bounds__(BLOCK) scan_partial(struct ivm_fleet f)
{
	SHARED_MEMORY(int32_t, room);
	int32_t before = 0;

	for (int first = 0; first < blocks_of(f.ivms); first += BLOCK) {
		int b = first + (int)threadIdx.x;
		bool mine = b < blocks_of(f.ivms);
		int32_t children = mine ? f.partial[b].children : 0, total;
		int32_t sum = block_scan<BLOCK>(children, room, &total);

		if (mine)
			f.partial[b].children = before + sum - children;
		before += total;
	}
	if (threadIdx.x == 0)
		f.control->children = before;
}

static __global__ void __launch_bounds__(BLOCK) write_mapping(struct ivm_fleet f)
{
	int t = global_thread();

	if (t >= f.ivms)
		return;
	uint32_t *to = f.entry + f.partial[blockIdx.x].children + f.offset[t];
	for (int c = 0; c < f.children[t]; c++)
		to[c] = (uint32_t)t * (uint32_t)f.n + (uint32_t)c;
}

/* ---- Algorithms 5 and 6 ---- */

/* An IVM takes a victim. The pseudo code lets an IVM that has a victim take another one in a later
 * round; the text demands a one-to-one mapping, so it does not. No other IVM tries this victim in
 * this round. */
static __device__ __forceinline__ void try_victim(const struct ivm_fleet &f, int t, int from,
						  bool by_length)
{
	if (f.state[from] == IVM_EXPLORING && f.flag[from] == 0 &&
	    (!by_length || f.length[from] > f.control->mean)) {
		f.victim[t] = from;
		f.flag[from] = 1;
	}
}

static __device__ __forceinline__ bool is_thief(const struct ivm_fleet &f, int t)
{
	if (t == 0)
		f.control->rounds++;
	return t < f.ivms && f.state[t] == IVM_EMPTY && f.victim[t] < 0;
}

static __global__ void select_hyper(struct ivm_fleet f, int weight, int length, int j,
				    bool by_length)
{
	int t = global_thread();

	if (is_thief(f, t))
		try_victim(f, t, ivm_victims_hyper(weight, length, j, t), by_length);
}

static __global__ void try_select(struct ivm_fleet f, int back, bool by_length)
{
	int t = global_thread();

	if (is_thief(f, t))
		try_victim(f, t, ivm_victims_ring(f.ivms, back, t), by_length);
}

static __global__ void steal_each(struct ivm_fleet f, int parts)
{
	int t = global_thread();

	if (t >= f.ivms || f.victim[t] < 0)
		return;
	struct ivm victim = ivm_of(f, f.victim[t]), thief = ivm_of(f, t);
	if (ivm_share(&victim, &thief, 1, parts))
		count_steal(f, t);
}

/* ---- launches ---- */

template <bool LENGTHS>
static int launch_reduce(struct dev_stream *s, const struct ivm_fleet *f, struct err *e)
{
	int status = LAUNCH(e, reduce<LENGTHS>, blocks_of(f->ivms), BLOCK, ROOM_BYTES, s, *f);

	return status ? status : LAUNCH(e, reduce_partial<LENGTHS>, 1, BLOCK, ROOM_BYTES, s, *f);
}

int BACKEND_SYMBOL(ivm_reduce_states)(struct dev_stream *s, const struct ivm_fleet *f,
				      struct err *e)
{
	return launch_reduce<false>(s, f, e);
}

int BACKEND_SYMBOL(ivm_reduce_lengths)(struct dev_stream *s, const struct ivm_fleet *f,
				       struct err *e)
{
	return launch_reduce<true>(s, f, e);
}

int BACKEND_SYMBOL(ivm_map_scan)(struct dev_stream *s, const struct ivm_fleet *f, struct err *e)
{
	int blocks = blocks_of(f->ivms);
	int status = LAUNCH(e, scan_blocks, blocks, BLOCK, ROOM_BYTES, s, *f);

	if (!status)
		status = LAUNCH(e, scan_partial, 1, BLOCK, ROOM_BYTES, s, *f);
	return status ? status : LAUNCH(e, write_mapping, blocks, BLOCK, 0, s, *f);
}

int BACKEND_SYMBOL(ivm_select_hyper)(struct dev_stream *s, const struct ivm_fleet *f,
				     const struct ivm_victim_rule *v, int i, int j, struct err *e)
{
	return LAUNCH(e, select_hyper, blocks_of(f->ivms), BLOCK, 0, s, *f, v->weight[i],
		      v->length[i], j, ivm_victims_by_length(v));
}

int BACKEND_SYMBOL(ivm_try_select)(struct dev_stream *s, const struct ivm_fleet *f,
				   const struct ivm_victim_rule *v, int back, struct err *e)
{
	return LAUNCH(e, try_select, blocks_of(f->ivms), BLOCK, 0, s, *f, back,
		      ivm_victims_by_length(v));
}

int BACKEND_SYMBOL(ivm_steal_each)(struct dev_stream *s, const struct ivm_fleet *f, int parts,
				   struct err *e)
{
	return LAUNCH(e, steal_each, blocks_of(f->ivms), BLOCK, 0, s, *f, parts);
}
