/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The search by job set in forward branching, with rows of 12 and of 16 bits. */
#include "kernels/tree-search/sets_bound.cuh"
#include "kernels/tree-search/sets_drive.cuh"

/* ---- phase 1: children of a slice ---- */

/* The constants of a child. Its front on machine k is the maximum over i <= k of f_i + times on
 * i..k, and its LB2 the maximum over k of that front + E_k. So LB2 is the maximum over i of f_i +
 * D_i, with D_i = max over k >= i of (sum of times on 0..k + E_k) - sum of times on 0..i-1. */
static __device__ __forceinline__ void constants_of(const uint32_t *bound, const uint32_t *sum_of,
						    const uint32_t *before_of, uint32_t bias,
						    uint32_t *constant)
{
	uint32_t top = 0, upto = 0, sum[SETS_STRIDE], before[SETS_STRIDE], to[SETS_STRIDE];

	words_load<SETS_STRIDE>(sum_of, sum);
	words_load<SETS_STRIDE>(before_of, before);

	/* from the last machine on: the maximum of all later values */
#pragma unroll
	for (int i = SETS_WORDS - 1; i >= 0; i--) {
		const uint32_t value = bound[i] + sum[i];

		if (i == SETS_WORDS - 1) { /* machine 19, and 0, which comes last */
			top = low_twice(value);
			upto = value;
			continue;
		}
		const uint32_t behind = __vmaxu2(value, top);
		const uint32_t up = __vmaxu2(behind, high_twice(behind));

		to[i] = up - before[i] + bias;
		top = low_twice(up);
	}
	const uint32_t zero = __vmaxu2(top, upto); /* high half: machine 0 */

	to[SETS_WORDS - 1] = __byte_perm(upto, zero, 0x7610) - before[SETS_WORDS - 1] + bias;
	for (int i = SETS_WORDS; i < SETS_STRIDE; i++)
		to[i] = 0;
	words_store<SETS_STRIDE>(constant, to);
}

/* Prepares the children of the set `number`, one per lane: their jobs, numbers and constants. */
template <bool WIDE>
static __device__ __forceinline__ void prepare(const struct sets_search &q, const sets_block *block,
					       sets_warp<WIDE> *w, uint32_t number, int level,
					       struct sets_task *t)
{
	const uint32_t placed = q.set_of[number], bit = 1u << lane_of();

	t->children = q.jobs - level;
	t->child_first = q.level_first[level + 1];
	__syncwarp();
	if (lane_of() < q.jobs && !(placed & bit)) {
		const int at = lane_of() - __popc(placed & (bit - 1));
		const uint32_t child = number_of(q, placed | bit, level + 1);
		const uint2 *from =
			reinterpret_cast<const uint2 *>(q.bound) + (size_t)child * (SETS_WORDS / 2);
		uint32_t bound[SETS_WORDS];

#pragma unroll
		for (int i = 0; i < SETS_WORDS / 2; i++) {
			bound[2 * i] = from[i].x;
			bound[2 * i + 1] = from[i].y;
		}
		w->job[at] = (uint32_t)lane_of();
		w->number[at] = child;
		constants_of(bound, block->sum + lane_of() * SETS_STRIDE,
			     block->before + lane_of() * SETS_STRIDE, t->bias,
			     w->constant + at * SETS_STRIDE);
	}
	__syncwarp();
}

/* Child fronts: s_k = max over i <= k of (f_i - times on 0..i-1), the front is s_k + times on 0..k.
 */
static __device__ __forceinline__ void fronts_of_child(uint32_t *f, const uint32_t *sum_of,
						       const uint32_t *before_of)
{
	const uint32_t first = high_twice(f[SETS_WORDS - 1]);
	uint32_t start = first, sum[SETS_STRIDE], before[SETS_STRIDE];

	words_load<SETS_STRIDE>(sum_of, sum);
	words_load<SETS_STRIDE>(before_of, before);

#pragma unroll
	for (int i = 0; i < SETS_WORDS; i++) {
		const uint32_t minus = 0x80008000u - before[i]; /* plus 0x8000, by halves */
		const uint32_t s = __viaddmax_u16x2(f[i], minus, start + 0x80008000u) - 0x80008000u;

		if (i == SETS_WORDS - 1) {
			f[i] = __byte_perm(s, first, 0x7610) + sum[i];
			break;
		}
		const uint32_t up = __vmaxu2(s, low_twice(s));

		f[i] = up + sum[i];
		start = high_twice(up);
	}
}

/* Writes the rows of found[0 .. total - 1]. */
template <bool WIDE>
static __device__ __forceinline__ void
write_rows(const struct sets_search &q, const sets_block *block, const sets_warp<WIDE> *w,
	   const struct sets_room &room, int half, uint32_t total)
{
	enum { WORDS = row_form<WIDE>::WORDS };

	for (uint32_t at = (uint32_t)lane_of(); at < total; at += 32) {
		const uint32_t node = w->found[at] % SETS_ROUND, child = w->found[at] / SETS_ROUND;
		const uint32_t job = w->job[child];
		const uint32_t row =
			at < room.split ? room.first + at : room.second + (at - room.split);
		uint32_t words[WORDS], f[SETS_WORDS];

		words_load<WORDS>(w->row[half] + node * WORDS, words);
		row_form<WIDE>::unpack(words, f);
		fronts_of_child(f, block->sum + job * SETS_STRIDE,
				block->before + job * SETS_STRIDE);
		row_form<WIDE>::pack(f, words);
		words_store<WORDS>(q.row + (size_t)row * WORDS, words);
		q.key[row] = w->number[child];
		q.parent[row] = w->row_index[half][node];
	}
}

template <bool WIDE>
static __device__ __forceinline__ void
take_survivors(const struct sets_search &q, const sets_block *block, sets_warp<WIDE> *w,
	       struct sets_task *t, int half, const uint32_t (&alive)[SETS_LANE_NODES])
{
	uint32_t any = 0;

#pragma unroll
	for (int n = 0; n < SETS_LANE_NODES; n++)
		any |= alive[n];
	list_survivors<SETS_ROUND, SETS_FOUND>(q, block->plan, w, t, alive, any,
					       [&](const struct sets_room &room, uint32_t total) {
						       write_rows<WIDE>(q, block, w, room, half,
									total);
					       });
}

/* LB2 of a node's first child, without pruning. */
template <bool WIDE>
static __device__ __noinline__ uint32_t bound_of_first(const sets_warp<WIDE> *w, int half,
						       uint32_t node, uint32_t bias)
{
	enum { WORDS = row_form<WIDE>::WORDS };
	uint32_t words[WORDS], f[SETS_WORDS], bound = 0;

	words_load<WORDS>(w->row[half] + node * WORDS, words);
	row_form<WIDE>::unpack(words, f);
	for (int i = 0; i < SETS_WORDS; i++)
		bound = __viaddmax_u16x2(f[i], w->constant[i], bound);
	return (max(bound & 0xffff, bound >> 16) - bias) & 0x7fff;
}

/* Counts complete schedules and keeps the best one. */
template <bool WIDE>
static __device__ __forceinline__ void
take_leaves(const struct sets_search &q, const sets_warp<WIDE> *w, const struct sets_task &t,
	    int half, const uint32_t (&alive)[SETS_LANE_NODES])
{
	uint32_t leaves = 0;

#pragma unroll
	for (int n = 0; n < SETS_LANE_NODES; n++) {
		const uint32_t node = (uint32_t)(lane_of() + 32 * n);

		if (!alive[n])
			continue;
		const uint32_t value = bound_of_first<WIDE>(w, half, node, t.bias);

		atomicMin(&q.state->best,
			  (unsigned long long)value << 32 | w->row_index[half][node]);
		leaves++;
	}
	if (leaves)
		atomicAdd(&q.state->leaves, (unsigned long long)leaves);
}

/* Rows of a round's nodes that are being copied to shared memory. */
struct sets_fetch {
	uint32_t index[SETS_LANE_NODES];
};

static __device__ __forceinline__ void fetch_list(const struct sets_search &q, uint32_t list,
						  uint32_t nodes, struct sets_fetch *next)
{
#pragma unroll
	for (int n = 0; n < SETS_LANE_NODES; n++) {
		uint32_t node = (uint32_t)(lane_of() + 32 * n);

		next->index[n] = node < nodes ? q.list[list + node] : 0;
	}
}

template <bool WIDE>
static __device__ __forceinline__ void fetch_rows(const struct sets_search &q, sets_warp<WIDE> *w,
						  const struct sets_fetch &next, int half,
						  uint32_t nodes)
{
	enum { WORDS = row_form<WIDE>::WORDS };

#pragma unroll
	for (int n = 0; n < SETS_LANE_NODES; n++) {
		int at = lane_of() + 32 * n;

		if ((uint32_t)at < nodes) {
			w->row_index[half][at] = next.index[n];
#pragma unroll
			for (int i = 0; i < WORDS; i += 4)
				copy_async_16(w->row[half] + at * WORDS + i,
					      q.row + (size_t)next.index[n] * WORDS + i);
		}
	}
	copy_async_commit();
}

/* Finds which children of K times 32 nodes in shared memory survive, from the lane's node `first`
 * on. */
template <int K, bool WIDE>
static __device__ __forceinline__ void bound_nodes(const sets_warp<WIDE> *w,
						   const struct sets_task &t, int half, int first,
						   uint32_t (&alive)[SETS_LANE_NODES])
{
	enum { WORDS = row_form<WIDE>::WORDS };
	const int lane = lane_of();
	uint32_t f[K][SETS_WORDS], bound[K];

#pragma unroll
	for (int n = 0; n < K; n++) {
		uint32_t words[WORDS];

		words_load<WORDS>(w->row[half] + (lane + 32 * (first + n)) * WORDS, words);
		row_form<WIDE>::unpack(words, f[n]);
		bound[n] = 0;
	}
#pragma unroll 1
	for (int child = 0; child < t.children; child++) {
		uint32_t c[SETS_STRIDE];

		words_load<SETS_STRIDE>(w->constant + child * SETS_STRIDE, c);
#pragma unroll
		for (int n = 0; n < K; n++) {
			bound[n] = f[n][0] + c[0];
#pragma unroll
			for (int i = 1; i < SETS_WORDS; i++)
				bound[n] = __viaddmax_u16x2(f[n][i], c[i], bound[n]);
			if (!(bound[n] & 0x80008000u))
				alive[first + n] |= 1u << child;
		}
	}
}

/* The same for one node of the round; lane i has the i-th child. Returns their bits. */
template <bool WIDE>
static __device__ __forceinline__ uint32_t bound_alone(const sets_warp<WIDE> *w,
						       const struct sets_task &t, int half,
						       uint32_t node)
{
	enum { WORDS = row_form<WIDE>::WORDS };
	uint32_t words[WORDS], f[SETS_WORDS], c[SETS_STRIDE], bound = 0;

	words_load<WORDS>(w->row[half] + node * WORDS, words);
	row_form<WIDE>::unpack(words, f);
	words_load<SETS_STRIDE>(w->constant + min(lane_of(), t.children - 1) * SETS_STRIDE, c);
#pragma unroll
	for (int i = 0; i < SETS_WORDS; i++)
		bound = __viaddmax_u16x2(f[i], c[i], bound);
	return __ballot_sync(~0u, lane_of() < t.children && !(bound & 0x80008000u));
}

/* The round of nodes of the set `number`, one at a time. The children are prepared for each. */
template <bool WIDE>
static __device__ __forceinline__ void
bound_singly(const struct sets_search &q, const sets_block *block, sets_warp<WIDE> *w,
	     struct sets_task *t, uint32_t number, int half, uint32_t nodes,
	     uint32_t (&alive)[SETS_LANE_NODES])
{
#pragma unroll 1
	for (uint32_t node = 0; node < min(nodes, (uint32_t)SETS_ROUND); node++) {
		prepare<WIDE>(q, block, w, number, block->plan.level, t);
		const uint32_t children = bound_alone<WIDE>(w, *t, half, node);

#pragma unroll
		for (int n = 0; n < SETS_LANE_NODES; n++)
			if (node == (uint32_t)(lane_of() + 32 * n))
				alive[n] = children;
	}
}

/* LANE_NODES: see struct sets_search. */
template <bool WIDE, int LANE_NODES>
static __device__ __forceinline__ void
bound_round(const struct sets_search &q, const sets_block *block, sets_warp<WIDE> *w,
	    struct sets_task *t, uint32_t number, int half, uint32_t nodes,
	    uint32_t (&alive)[SETS_LANE_NODES])
{
	enum { WORDS = row_form<WIDE>::WORDS };

#pragma unroll
	for (int n = 0; n < SETS_LANE_NODES; n++)
		alive[n] = 0;
	if (LANE_NODES == SETS_ALONE) {
		bound_singly<WIDE>(q, block, w, t, number, half, nodes, alive);
	} else if (LANE_NODES == 1) {
#pragma unroll
		for (int n = 0; n < SETS_LANE_NODES; n++)
			if (nodes > 32u * (uint32_t)n)
				bound_nodes<1, WIDE>(w, *t, half, n, alive);
	} else if (nodes > 64) {
		bound_nodes<SETS_LANE_NODES, WIDE>(w, *t, half, 0, alive);
	} else if (nodes > 32) {
		bound_nodes<2, WIDE>(w, *t, half, 0, alive);
	} else {
		bound_nodes<1, WIDE>(w, *t, half, 0, alive);
	}
#pragma unroll
	for (int n = 0; n < SETS_LANE_NODES; n++) {
		const uint32_t at = (uint32_t)(lane_of() + 32 * n);

		if (at >= nodes)
			alive[n] = 0;
		if (block->plan.level + 1 == q.deal_level && alive[n])
			alive[n] &= dealt_here<WORDS>(q, w->row[half] + at * WORDS, w->job,
						      t->children);
	}
}

/* A warp's part of a slice. While nodes are bounded, the next entries of the list are fetched;
 * while survivors are written, the next rows. */
template <bool WIDE, int LANE_NODES>
static __device__ __forceinline__ void expand_forward(const struct sets_search &q,
						      const sets_block *block, sets_warp<WIDE> *w)
{
	const struct sets_plan &plan = block->plan;
	struct sets_task t;
	struct sets_fetch fetch;
	int half = 0;

	t.row = t.row_left = t.rows_seen = 0;
	t.bias = both(0x8000u - (uint32_t)plan.ub);
	struct sets_draw here = draw_chunk(q, plan, t);

	if (here.nodes) {
		fetch_list(q, here.list, here.nodes, &fetch);
		fetch_rows<WIDE>(q, w, fetch, half, here.nodes);
	}
	while (here.nodes) {
		struct sets_draw next = draw_chunk(q, plan, t);

		if (LANE_NODES != SETS_ALONE)
			prepare<WIDE>(q, block, w, here.number, plan.level, &t);
		for (uint32_t from = 0; from < here.nodes; from += SETS_ROUND, half ^= 1) {
			const uint32_t nodes = here.nodes - from;
			const bool last = nodes <= SETS_ROUND;
			const uint32_t next_nodes = last ? next.nodes : nodes - SETS_ROUND;
			uint32_t alive[SETS_LANE_NODES];

			copy_async_wait<0>();
			__syncwarp();
			fetch_list(q, last ? next.list : here.list + from + SETS_ROUND, next_nodes,
				   &fetch);
			bound_round<WIDE, LANE_NODES>(q, block, w, &t, here.number, half, nodes,
						      alive);
			fetch_rows<WIDE>(q, w, fetch, half ^ 1, next_nodes);
			if (t.children == 1)
				take_leaves<WIDE>(q, w, t, half, alive);
			else
				take_survivors<WIDE>(q, block, w, &t, half, alive);
		}
		here = next;
	}
	leave_gap(q, &t);
}

/* ---- the form ---- */

/* Sums of a job's times, ordered as in rows. */
static __device__ void add_times(const struct sets_search &q, sets_block *b, int job)
{
	uint16_t *sum = reinterpret_cast<uint16_t *>(b->sum + job * SETS_STRIDE);
	uint16_t *before = reinterpret_cast<uint16_t *>(b->before + job * SETS_STRIDE);
	uint32_t upto = 0;

	for (int k = 0; k < SETS_MACHINES; k++) {
		before[place_of_machine(k)] = (uint16_t)upto;
		upto += q.time[job * SETS_MACHINES + k];
		sum[place_of_machine(k)] = (uint16_t)upto;
	}
}

template <bool WIDE, int LANE_NODES> struct forward_form {
	typedef sets_block block;
	enum : unsigned {
		THREADS = SETS_THREADS,
		BLOCKS = 2,
		CHUNKS = 4,
		LEAST = 64,
		BLOCK_BYTES = (sizeof(sets_block) + 127) / 128 * 128,
		EXPAND_BYTES = sizeof(sets_warp<WIDE>),
		WARP_BYTES =
			EXPAND_BYTES > SETS_BUILD_BYTES ? EXPAND_BYTES : (unsigned)SETS_BUILD_BYTES,
	};

	HD unsigned warp_bytes(const struct sets_search &)
	{
		return WARP_BYTES;
	}
	static __device__ __forceinline__ void prepare(const struct sets_search &q, sets_block *b)
	{
		for (int j = (int)threadIdx.x; j < q.jobs; j += (int)blockDim.x)
			add_times(q, b, j);
	}
	static __device__ __forceinline__ void expand(const struct sets_search &q, sets_block *b,
						      unsigned char *space)
	{
		expand_forward<WIDE, LANE_NODES>(q, b, reinterpret_cast<sets_warp<WIDE> *>(space));
	}
	static __device__ __forceinline__ uint32_t build_tasks(uint32_t missing)
	{
		return bound_tasks(missing);
	}
	static __device__ __forceinline__ void build(const struct sets_search &q,
						     const sets_block *b, unsigned char *space,
						     uint32_t missing, uint32_t task)
	{
		build_bounds(q, b, reinterpret_cast<sets_members *>(space), missing, task);
	}
};

template <bool WIDE>
static int search_rows(struct dev_stream *s, const struct sets_search *q, int blocks, int threads,
		       struct err *e)
{
	if (q->lane_nodes == SETS_ALONE)
		return launch_search<forward_form<WIDE, SETS_ALONE>>(s, q, blocks, threads, e);
	if (q->lane_nodes == 1)
		return launch_search<forward_form<WIDE, 1>>(s, q, blocks, threads, e);
	return launch_search<forward_form<WIDE, SETS_LANE_NODES>>(s, q, blocks, threads, e);
}

template <bool WIDE>
static int blocks_for_rows(struct dev_stream *s, const struct sets_search *q, int threads,
			   int *count, struct err *e)
{
	if (q->lane_nodes == SETS_ALONE)
		return count_blocks<forward_form<WIDE, SETS_ALONE>>(s, q, threads, count, e);
	if (q->lane_nodes == 1)
		return count_blocks<forward_form<WIDE, 1>>(s, q, threads, count, e);
	return count_blocks<forward_form<WIDE, SETS_LANE_NODES>>(s, q, threads, count, e);
}

static int search(struct dev_stream *s, const struct sets_search *q, int blocks, int threads,
		  struct err *e)
{
	return (q->wide ? search_rows<true> : search_rows<false>)(s, q, blocks, threads, e);
}

static int blocks(struct dev_stream *s, const struct sets_search *q, int threads, int *count,
		  struct err *e)
{
	return (q->wide ? blocks_for_rows<true> : blocks_for_rows<false>)(s, q, threads, count, e);
}

extern "C" const struct sets_kernels BACKEND_SYMBOL(sets_kernels) = { SETS_THREADS, number_sets,
								      count_rows,   pack,
								      search,       blocks };
