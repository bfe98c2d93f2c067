/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The search kernel: plan, expand, arrange, place and build, until nothing is open.
 *
 * A form F of the search has
 *     block                     its block's memory, derived from sets_stage
 *     THREADS, BLOCKS           most threads per block, blocks per multiprocessor
 *     CHUNKS                    least number of chunks per warp, if there are enough nodes
 *     LEAST                     least number of nodes in a chunk, if its set has them
 *     BLOCK_BYTES, warp_bytes   shared memory of a block and of each warp
 *     prepare                   fills the block's tables
 *     expand                    a warp's part of a slice
 *     build_tasks, build        rows of the bound table */
#ifndef COPRA_KERNELS_TREE_SEARCH_SETS_DRIVE_CUH
#define COPRA_KERNELS_TREE_SEARCH_SETS_DRIVE_CUH

#include "kernels/tree-search/sets_common.cuh"

/* ---- phases 2 and 3: a new batch is ordered by set; bounds that it needs are listed ---- */

enum {
	SETS_LOOKED = 8,    /* sets whose children a warp examines together */
	SETS_LANE_SETS = 4, /* sets of a level that a lane examines at once */
	SETS_TOGETHER =
		8 /* adjacent sets that a warp handles together. Its next ones are far away, to
		     spread clusters of sets with nodes, which take longer, over the warps */
};

/* Lists the children of up to SETS_LOOKED sets of `level` whose bounds are missing. Lane j examines
 * job j. */
static __device__ __forceinline__ void list_missing(const struct sets_search &q, int turn,
						    const uint32_t *set, uint32_t sets, int level)
{
	const uint32_t bit = 1u << lane_of();
	uint32_t number[SETS_LOOKED], wanted[SETS_LOOKED], total = 0, base = 0;

#pragma unroll
	for (int i = 0; i < SETS_LOOKED; i++) {
		const uint32_t placed = q.set_of[set[min((uint32_t)i, sets - 1)]];

		wanted[i] = (uint32_t)i < sets && lane_of() < q.jobs && !(placed & bit);
		number[i] = wanted[i] ? number_of(q, placed | bit, level + 1) : 0;
	}
#pragma unroll
	for (int i = 0; i < SETS_LOOKED; i++)
		if (wanted[i])
			wanted[i] = ~(atomicOr(q.built + number[i] / 32, 1u << number[i] % 32) >>
				      number[i] % 32) &
				    1;
#pragma unroll
	for (int i = 0; i < SETS_LOOKED; i++) {
		wanted[i] = __ballot_sync(~0u, wanted[i]);
		total += (uint32_t)__popc(wanted[i]);
	}
	if (!total)
		return;
	if (lane_of() == 0)
		base = atomicAdd(&q.state->counter[turn].missing, total);
	base = __shfl_sync(~0u, base, 0);
#pragma unroll
	for (int i = 0; i < SETS_LOOKED; i++) {
		if (wanted[i] & bit)
			q.missing[base + (uint32_t)__popc(wanted[i] & lanes_below())] = number[i];
		base += (uint32_t)__popc(wanted[i]);
	}
}

/* Gives a set its place in the list and its chunks. */
static __device__ __forceinline__ void place_set(const struct sets_search &q, uint32_t set,
						 uint32_t number, uint32_t nodes, uint32_t list,
						 uint32_t chunk, uint32_t chunk_nodes)
{
	q.cursor[set] = list;
	q.count[set] = 0;
	for (uint32_t i = 0; i < nodes; i += chunk_nodes, chunk++) {
		q.chunk[chunk].number = number;
		q.chunk[chunk].first = list + i;
	}
}

/* The i-th set of the lane, counted from the level's first. */
static __device__ __forceinline__ uint32_t set_of_lane(uint32_t from, int i)
{
	const uint32_t group = (uint32_t)(i * 32 + lane_of()) / SETS_TOGETHER;

	return from + (group * warps_of_grid() + warp_of_grid()) * SETS_TOGETHER +
	       (uint32_t)lane_of() % SETS_TOGETHER;
}

/* Gives the warp's sets their places, from set `from` of the level on. `found` gets the numbers of
 * the sets that have nodes. Returns their number. */
static __device__ __forceinline__ uint32_t arrange_some(const struct sets_search &q,
							const struct sets_plan &plan,
							uint32_t first, uint32_t from, uint32_t end,
							uint32_t chunk_base, uint32_t *found)
{
	uint32_t nodes[SETS_LANE_SETS], total = 0;
	unsigned long long mine = 0, upto, base = 0;

#pragma unroll
	for (int i = 0; i < SETS_LANE_SETS; i++) {
		const uint32_t set = set_of_lane(from, i);

		nodes[i] = set < end ? q.count[set] : 0;
	}
#pragma unroll
	for (int i = 0; i < SETS_LANE_SETS; i++) {
		const uint32_t votes = __ballot_sync(~0u, nodes[i] != 0);

		if (nodes[i])
			found[total + __popc(votes & lanes_below())] = first + set_of_lane(from, i);
		total += (uint32_t)__popc(votes);
		mine += (unsigned long long)((nodes[i] + plan.chunk_nodes - 1) / plan.chunk_nodes)
				<< 32 |
			nodes[i];
	}
	if (!total)
		return 0;
	upto = warp_scan(mine, (unsigned)lane_of());
	if (lane_of() == 31)
		base = atomicAdd(&q.state->counter[plan.turn].lists, upto);
	base = __shfl_sync(~0u, base, 31) + upto - mine;
#pragma unroll
	for (int i = 0; i < SETS_LANE_SETS; i++) {
		const uint32_t set = set_of_lane(from, i);

		if (!nodes[i])
			continue;
		place_set(q, set, first + set, nodes[i], plan.row + (uint32_t)base,
			  chunk_base + (uint32_t)(base >> 32), plan.chunk_nodes);
		base += (unsigned long long)((nodes[i] + plan.chunk_nodes - 1) / plan.chunk_nodes)
				<< 32 |
			nodes[i];
	}
	return total;
}

/* Gives the sets of `level` their places in the list and their chunks, and zeroes their counts.
 * Lists missing bounds of their children. `found`: the warp's, 32 * SETS_LANE_SETS words. */
static __device__ __forceinline__ void arrange_sets(const struct sets_search &q,
						    const struct sets_plan &plan, int level,
						    uint32_t chunk_base, uint32_t *found)
{
	const uint32_t first = q.level_first[level], sets = q.level_first[level + 1] - first;
	const uint32_t stride = 32 * SETS_LANE_SETS * warps_of_grid();

	for (uint32_t from = 0; from < sets; from += stride) {
		const uint32_t total = arrange_some(q, plan, first, from, sets, chunk_base, found);

		__syncwarp();
		if (level + 1 < q.jobs)
			for (uint32_t i = 0; i < total; i += SETS_LOOKED)
				list_missing(q, plan.turn, found + i,
					     min(total - i, (uint32_t)SETS_LOOKED), level);
		__syncwarp();
	}
}

enum {
	SETS_PLACED = 8,         /* times 32 rows: placed at once by a warp */
	SETS_PLACED_TASK = 1024, /* rows per task */
};

/* Enters SETS_PLACED * 32 of the rows row .. row + rows - 1 into the list, from the `at`-th on.
 * Adjacent rows of one set advance its cursor once. */
static __device__ __forceinline__ void place_rows(const struct sets_search &q, int level,
						  uint32_t row, uint32_t rows, uint32_t at)
{
	const uint32_t first = q.level_first[level], upto = lanes_below() << 1 | 1;
	const int lane = lane_of();
	uint32_t key[SETS_PLACED], heads[SETS_PLACED], place[SETS_PLACED];

#pragma unroll
	for (int n = 0; n < SETS_PLACED; n++) {
		uint32_t i = at + (uint32_t)(lane + 32 * n);

		key[n] = i < rows ? q.key[row + i] : SETS_NONE;
		place[n] = 0;
	}
#pragma unroll
	for (int n = 0; n < SETS_PLACED; n++) {
		uint32_t before = __shfl_up_sync(~0u, key[n], 1);
		bool head = lane == 0 || key[n] != before;

		heads[n] = __ballot_sync(~0u, head);
		if (head && key[n] != SETS_NONE) {
			uint32_t later = heads[n] & ~upto;
			int end = later ? __ffs((int)later) - 1 : 32;

			place[n] = atomicAdd(q.cursor + (key[n] - first), (uint32_t)(end - lane));
		}
	}
#pragma unroll
	for (int n = 0; n < SETS_PLACED; n++) {
		int head = 31 - __clz((int)(heads[n] & upto));

		place[n] = __shfl_sync(~0u, place[n], head);
		if (key[n] != SETS_NONE)
			q.list[place[n] + (uint32_t)(lane - head)] =
				row + at + (uint32_t)(lane + 32 * n);
	}
}

/* ---- the iterations ---- */

static __device__ __forceinline__ bool batch_open(const struct sets_level &l)
{
	return l.chunk_next < l.chunk_end;
}

/* The largest end of a slice that begins at chunk_next and has at most `nodes` nodes. */
static __device__ __forceinline__ uint32_t slice_end(const struct sets_search &q,
						     const struct sets_level &l, uint32_t nodes)
{
	uint32_t limit = q.chunk[l.chunk_next].first + nodes, low = l.chunk_next + 1,
		 high = l.chunk_end;

	while (low < high) {
		uint32_t middle = low + (high - low + 1) / 2;

		if (q.chunk[middle].first <= limit)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* Offers all open chunks. They are drawn until the new batch has its share of the free memory (each
 * level below gets an equal share). Rows that warps reserve before they notice this must fit too;
 * if they might not, offers only as many chunks as are certain to fit. */
static __device__ void choose_extent(const struct sets_search &q, const struct sets_level &l,
				     int level, struct sets_plan *p)
{
	const uint32_t left = (uint32_t)(q.jobs - level), warps = warps_of_grid();
	const uint32_t open = q.chunk[l.chunk_end].first - q.chunk[l.chunk_next].first;
	const uint32_t room = q.capacity - l.row_end - rows_kept(q.jobs, level);
	const uint32_t reserve =
		min(max(64u, min(open / warps / 4, (uint32_t)SETS_RESERVE)), room / 16 / warps);
	const uint64_t late = (uint64_t)warps * (2 * l.chunk_nodes * left + reserve);

	p->chunks = l.chunk_end - l.chunk_next;
	p->row_stop = UINT32_MAX;
	p->reserve = reserve;
	if (left == 1)
		return;
	if (late <= room / 4) {
		p->row_stop = room / max(2u, left > SETS_DEEP ? left - SETS_DEEP : 0u);
		return;
	}
	const uint32_t fit = nodes_that_fit(q, level, l.row_end);

	p->reserve = 0;
	if (fit < open)
		p->chunks = slice_end(q, l, fit) - l.chunk_next;
}

/* Chooses the next slice, or the received batch. All blocks compute the same choice. */
static __device__ void choose_slice(const struct sets_search &q, sets_stage *b, uint64_t begun)
{
	struct sets_control &c = b->control;
	struct sets_plan &p = b->plan;

	p.ub = c.ub;
	p.entering = 0;
	p.level = -1;
	if (c.enter >= 0) {
		p.level = c.enter;
		p.entering = c.entering;
		p.row = 0;
		c.enter = -1;
		return;
	}
	while (c.depth >= 0 && !batch_open(c.level[c.depth]))
		c.depth--;
	if (c.depth < 0 || c.evaluated - begun >= q.quota)
		return;
	p.level = c.depth;
	p.chunk = c.level[c.depth].chunk_next;
	p.row = c.level[c.depth].row_end;
	choose_extent(q, c.level[c.depth], c.depth, &p);
}

/* After the expansion: marks the drawn part of the slice as done. Called by thread 0 of each
 * block. */
static __device__ void close_slice(const struct sets_search &q, sets_stage *b)
{
	struct sets_control &c = b->control;
	const struct sets_plan &p = b->plan;
	const uint32_t end = p.chunk + min(p.chunks, q.state->counter[p.turn].drawn);
	const uint32_t nodes = q.chunk[end].first - q.chunk[p.chunk].first;

	c.level[p.level].chunk_next = end;
	c.popped += nodes;
	if (!(q.share > 0 && p.level < q.deal_level)) { /* otherwise counted by share 0 */
		c.decomposed += nodes;
		c.evaluated += (uint64_t)nodes * (uint32_t)(q.jobs - p.level);
	}
	c.iterations++;
	if (blockIdx.x == 0) { /* all blocks have finished the previous iteration: its counters are
				  reused in the next but one */
		struct sets_counter &used = q.state->counter[(p.turn + 2) % 3];

		used.lists = 0;
		used.rows = used.drawn = used.missing = used.task = 0;
	}
}

/* The jobs of a row of `level` in the order in which they were placed, with SETS_AT_END for those
 * at the end. Follows the parents to the root or to a received row, whose order is given. */
static __device__ void history_of(const struct sets_search &q, uint32_t row, int level,
				  uint8_t *order)
{
	uint32_t set = q.set_of[q.key[row]];
	int at = level - 1;

	while (q.parent[row] != SETS_NONE) {
		const uint32_t parent = q.parent[row], side = parent & SETS_SIDE ? SETS_AT_END : 0;

		row = parent & ~SETS_SIDE;
		uint32_t before = q.set_of[q.key[row]];

		order[at--] = (uint8_t)((uint32_t)(__ffs((int)(set & ~before)) - 1) | side);
		set = before;
	}
	for (; at >= 0; at--)
		order[at] = q.order[(size_t)row * q.jobs + at];
}

/* Writes a complete schedule, from the row of all but its last job. */
static __device__ void write_order(const struct sets_search &q, uint32_t row)
{
	const uint32_t left = ((1u << q.jobs) - 1) & ~q.set_of[q.key[row]];
	uint8_t placed[SETS_JOBS];
	int first = 0, last = q.jobs - 1;

	history_of(q, row, q.jobs - 1, placed);
	for (int i = 0; i < q.jobs - 1; i++)
		if (placed[i] & SETS_AT_END)
			q.state->order[last--] = (uint8_t)(placed[i] - SETS_AT_END);
		else
			q.state->order[first++] = placed[i];
	q.state->order[first] = (uint8_t)(__ffs((int)left) - 1);
}

/* After an expansion into complete schedules: adopts the best one if it is better. All threads of
 * the grid call it. */
static __device__ void note_best(const struct sets_search &q, sets_stage *b)
{
	unsigned long long best = q.state->best;
	bool better = (int64_t)(best >> 32) < b->control.ub;

	__syncthreads();
	if (!better)
		return;
	if (threadIdx.x == 0) {
		b->control.ub = (int64_t)(best >> 32);
		b->control.improved++;
		if (blockIdx.x == 0)
			write_order(q, (uint32_t)best);
	}
	grid_sync(); /* rows may be overwritten from here on */
}

/* Chooses the chunks of the new batch: small enough to keep all warps busy, and to fit when they
 * are expanded (an eighth of the free memory holds what all warps make of two chunks). */
template <class F>
static __device__ void choose_chunks(const struct sets_search &q, sets_stage *b, int level,
				     uint32_t rows)
{
	const uint32_t warps = warps_of_grid(), row_end = b->plan.row + rows;
	uint32_t nodes =
		min(q.chunk_nodes, max(rows / (warps * F::CHUNKS) / F::LEAST, 1u) * F::LEAST);

	if (level < q.jobs - 1) {
		const uint32_t scarce =
			(q.capacity - row_end) / 16 / warps / (uint32_t)(q.jobs - level);

		if (scarce >= SETS_LEAST_CHUNK)
			nodes = min(nodes, scarce);
		nodes = min(nodes, nodes_that_fit(q, level, row_end));
	}
	b->plan.chunk_nodes = nodes;
}

/* Phase 3. Tasks are drawn, long ones first. */
template <class F>
static __device__ void place_and_build(const struct sets_search &q, const typename F::block *b,
				       unsigned char *space, int level, uint32_t rows)
{
	struct sets_counter &counter = q.state->counter[b->plan.turn];
	const uint32_t missing = counter.missing, builds = F::build_tasks(missing);
	const uint32_t tasks = builds + (rows + SETS_PLACED_TASK - 1) / SETS_PLACED_TASK;
	long long clocks = 0;

	for (;;) {
		uint32_t task = 0;

		if (lane_of() == 0)
			task = atomicAdd(&counter.task, 1u);
		task = __shfl_sync(~0u, task, 0);
		if (task >= tasks)
			break;
		if (task >= builds) {
#pragma unroll 1
			for (uint32_t i = 0; i < SETS_PLACED_TASK; i += 32 * SETS_PLACED)
				place_rows(q, level, b->plan.row, rows,
					   (task - builds) * SETS_PLACED_TASK + i);
			continue;
		}
		clocks -= clock64();
		F::build(q, b, space, missing, task);
		clocks += clock64();
	}
	if (clocks && lane_of() == 0)
		atomicAdd(&q.state->build_clocks, (unsigned long long)clocks);
	if (missing && blockIdx.x == 0 && threadIdx.x == 0)
		q.state->built += missing;
}

/* Makes the rows from plan.row on the batch of `level`. */
template <class F>
static __device__ void order_batch(const struct sets_search &q, typename F::block *b,
				   unsigned char *space, int level, uint32_t rows)
{
	struct sets_control &c = b->control;
	const struct sets_counter &counter = q.state->counter[b->plan.turn];
	const uint32_t chunk = c.depth >= 0 ? c.level[c.depth].chunk_end + 1 : 0;

	if (threadIdx.x == 0)
		choose_chunks<F>(q, b, level, rows);
	__syncthreads();
	arrange_sets(q, b->plan, level, chunk, reinterpret_cast<uint32_t *>(space));
	grid_sync();

	const uint32_t nodes = (uint32_t)counter.lists, chunks = (uint32_t)(counter.lists >> 32);

	place_and_build<F>(q, b, space, level, rows);
	if (blockIdx.x == 0 && threadIdx.x == 0)
		q.chunk[chunk + chunks].first = b->plan.row + nodes;
	if (threadIdx.x == 0) {
		struct sets_level &l = c.level[level];

		c.depth = level;
		l.row = b->plan.row;
		l.row_end = b->plan.row + rows;
		l.chunk = l.chunk_next = chunk;
		l.chunk_end = chunk + chunks;
		l.chunk_nodes = b->plan.chunk_nodes;
		c.row_peak = max(c.row_peak, l.row_end);
		c.pushed += nodes;
		c.pushed -= b->plan.entering; /* received rows are not counted as pushed */
		if (!b->plan.entering && !(q.share > 0 && level < q.deal_level))
			c.explored += nodes;
	}
	grid_sync();
}

template <class F>
static __global__ void __launch_bounds__(F::THREADS, F::BLOCKS)
	search_kernel(const __grid_constant__ struct sets_search q)
{
	SHARED_MEMORY(unsigned char, shared);
	typename F::block *b = reinterpret_cast<typename F::block *>(shared);
	unsigned char *space =
		shared + (unsigned)F::BLOCK_BYTES + threadIdx.x / 32 * F::warp_bytes(q);

	F::prepare(q, b);
	if (threadIdx.x == 0) {
		b->control = q.state->control;
		b->plan.turn = 0;
	}
	__syncthreads();
	const uint64_t begun = b->control.evaluated;

	for (;;) {
		if (threadIdx.x == 0)
			choose_slice(q, b, begun);
		__syncthreads();
		int level = b->plan.level;
		uint32_t rows = b->plan.entering;

		if (level < 0)
			break;
		if (!rows) {
			F::expand(q, b, space);
			grid_sync();
			if (threadIdx.x == 0)
				close_slice(q, b);
			rows = q.state->counter[b->plan.turn].rows;
			level++;
		}
		if (level < q.jobs)
			order_batch<F>(q, b, space, level, rows);
		else
			note_best(q, b);
		__syncthreads();
		if (threadIdx.x == 0)
			b->plan.turn = (b->plan.turn + 1) % 3;
	}
	if (blockIdx.x == 0 && threadIdx.x == 0)
		q.state->control = b->control;
}

static __global__ void number_kernel(const __grid_constant__ struct sets_search q)
{
	for (uint32_t set = (uint32_t)(blockIdx.x * blockDim.x + threadIdx.x); set < 1u << q.jobs;
	     set += (uint32_t)(gridDim.x * blockDim.x))
		q.set_of[number_of(q, set, __popc(set))] = set;
}

static __global__ void count_kernel(const __grid_constant__ struct sets_search q, int level,
				    uint32_t rows)
{
	uint32_t i = (uint32_t)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < rows)
		atomicAdd(q.count + (q.key[i] - q.level_first[level]), 1u);
}

/* Collects rows list[first ..] of `level` with their orders. */
static __global__ void pack_kernel(const __grid_constant__ struct sets_search q,
				   const __grid_constant__ struct sets_search parcel, int level,
				   uint32_t first, uint32_t rows)
{
	const uint32_t i = (uint32_t)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i >= rows)
		return;
	const uint32_t row = q.list[first + i];

	for (int k = 0; k < q.row_words; k++)
		parcel.row[(size_t)i * q.row_words + k] = q.row[(size_t)row * q.row_words + k];
	parcel.key[i] = q.key[row];
	history_of(q, row, level, const_cast<uint8_t *>(parcel.order) + (size_t)i * q.jobs);
}

static int number_sets(struct dev_stream *s, const struct sets_search *q, struct err *e)
{
	uint32_t sets = 1u << q->jobs;

	return LAUNCH(e, number_kernel, sets / 128 < 1024 ? sets / 128 + 1 : 1024, 128, 0, s, *q);
}

static int count_rows(struct dev_stream *s, const struct sets_search *q, int level, uint32_t rows,
		      struct err *e)
{
	return LAUNCH(e, count_kernel, (rows + 127) / 128, 128, 0, s, *q, level, rows);
}

static int pack(struct dev_stream *s, const struct sets_search *q, const struct sets_search *parcel,
		int level, uint32_t first, uint32_t rows, struct err *e)
{
	return LAUNCH(e, pack_kernel, (rows + 127) / 128, 128, 0, s, *q, *parcel, level, first,
		      rows);
}

template <class F> static size_t shared_bytes(const struct sets_search &q, int threads)
{
	return F::BLOCK_BYTES + (size_t)(threads / 32) * F::warp_bytes(q);
}

template <class F>
static int launch_search(struct dev_stream *s, const struct sets_search *q, int blocks, int threads,
			 struct err *e)
{
	return LAUNCH_COOPERATIVE(e, search_kernel<F>, blocks, threads,
				  shared_bytes<F>(*q, threads), s, *q);
}

template <class F>
static int count_blocks(struct dev_stream *s, const struct sets_search *q, int threads,
			int *blocks_per_sm, struct err *e)
{
	return GPU_OCCUPANCY(e, blocks_per_sm, search_kernel<F>, threads,
			     shared_bytes<F>(*q, threads), s);
}

#endif
