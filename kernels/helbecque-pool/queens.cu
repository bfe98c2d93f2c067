/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of queens.h. In the search each lane has one node and makes one placement per step,
 * without divergence. */
#include "kernels/common/gpu.cuh"
#include "kernels/common/instructions.cuh"
#include "kernels/common/supply.cuh"
#include "kernels/common/warp.cuh"
#include "kernels/helbecque-pool/queens.h"

enum { BLOCK = POOL_QUEENS_BLOCK, STEPS = 24 };
static_assert((int)STEPS < (int)POOL_QUEENS_MAX, "an idle lane has a bit for each step");
static constexpr uint32_t OPEN_BITS = (1u << POOL_QUEENS_SPAN_SHIFT) - 1;

/* A list that outgrew its room has gaps. None of its nodes is visited, and the whole part is
 * repeated. */
static __device__ uint32_t complete(uint32_t count, uint32_t room)
{
	return count <= room ? count : 0;
}

/* ---- one row at a time for all nodes of a list ---- */

/* Counts the living children of a node, and writes them to `out` unless that is NULL. */
static __device__ uint32_t children(const pool_queens_node &node, int queens, pool_queens_node *out,
				    pool_queens_counts *counts)
{
	const uint32_t weight = pool_queens_weight(node.rule);
	uint32_t alive = 0;

	for (uint32_t open = pool_queens_open(&node); open; open &= open - 1) {
		pool_queens_child c = pool_queens_place(&node, open & (0 - open), queens);
		counts->halves += (unsigned long long)c.halves << weight;
		counts->solutions += (unsigned long long)c.solution << weight;
		if (c.alive && out)
			out[alive] = c.node;
		alive += c.alive;
	}
	return alive;
}

static __device__ void report_counts(pool_queens_counts mine, pool_queens_counts *all)
{
	unsigned long long halves = warp_sum(mine.halves), solutions = warp_sum(mine.solutions);

	if (threadIdx.x % 32 == 0 && halves)
		atomicAdd(&all->halves, halves);
	if (threadIdx.x % 32 == 0 && solutions)
		atomicAdd(&all->solutions, solutions);
}

/* Each warp reserves the places of its nodes in the list at once, so children are counted before
 * they are written. */
static __global__ void expand(const pool_queens_node *in, const uint32_t *in_count,
			      pool_queens_node *out, uint32_t *out_count, uint32_t room, int queens,
			      pool_queens_counts *counts)
{
	pool_queens_counts mine = { 0, 0 }, ignored = { 0, 0 };
	uint32_t n = complete(*in_count, room), lane = threadIdx.x % 32;

	for (uint32_t base = (blockIdx.x * blockDim.x + threadIdx.x) - lane; base < n;
	     base += gridDim.x * blockDim.x) {
		pool_queens_node node = { UINT32_MAX, 0, 0, 0, 0, 0, 0 };
		if (base + lane < n)
			node = in[base + lane];
		uint32_t own = children(node, queens, NULL, &mine), before = warp_scan(own, lane);
		uint32_t at = 0;
		if (lane == 31)
			at = atomicAdd(out_count, before);
		at = __shfl_sync(UINT32_MAX, at, 31) + before - own;
		if (at + own <= room)
			children(node, queens, out + at, &ignored);
	}
	report_counts(mine, counts);
}

static int launch_expand(struct dev_stream *s, const struct pool_queens_search *q,
			 struct pool_queens_list out, int blocks, struct err *e)
{
	return LAUNCH(e, expand, blocks, BLOCK, 0, s, q->node, q->count, out.node, out.count,
		      out.room, q->queens, q->counts);
}

/* ---- depth first, two rows at a time ----
 *
 * A lane has a node of even depth (queens.h) and one queen of its next row, `a`. `second` holds the
 * columns of the row after it that are still to be tried with `a`; `first` holds the columns of the
 * next row that are still to be tried as `a`. A step places both queens and looks at the resulting
 * node: it goes there, to the next pair, or back to where pairs were left.
 *
 * Masks move up by one bit with every two rows: column c is bit c + k, k pairs of rows below the
 * lane's first node. So `down` stays in place, and the others are multiplied. This uses the pipe of
 * the multiplier and relieves the pipe for logic and shifts, which is the bottleneck. Bits below k
 * count as taken. */
struct lane {
	uint32_t taken, up, down, up2, down2;
	uint32_t first, a, second;
	uint32_t span;  /* rows from the next one to the one after it */
	uint32_t scale; /* 4 << span */
	int top;        /* of its stack: the next free frame */
	/* The rule, as it applies to the children of a parent whose span is `span`: adding `low`
	 * frees the middle columns and fills the lowest bit; `forced` are the columns of which one
	 * must be taken. */
	uint32_t release_span, low, forced_span, forced;
	uint32_t weight; /* log2 */
};

static __device__ __forceinline__ uint32_t any_of(uint32_t x, uint32_t y, uint32_t z)
{
#if defined(__CUDA_ARCH__)
	uint32_t r;
	asm("lop3.b32 %0, %1, %2, %3, 0xfe;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
	return r;
#else
	return x | y | z;
#endif
}

/* If p, *to = from * by + add, in the multiplier. */
static __device__ __forceinline__ void mad_if(bool p, uint32_t *to, uint32_t from, uint32_t by,
					      uint32_t add)
{
#if defined(__CUDA_ARCH__)
	asm("{ .reg .pred p; setp.ne.u32 p, %4, 0;\n@p mad.lo.u32 %0, %1, %2, %3; }"
	    : "+r"(*to)
	    : "r"(from), "r"(by), "r"(add), "r"((uint32_t)p));
#else
	*to = p ? from * by + add : *to;
#endif
}

/* Frames are interleaved by lane: half h of frame f of thread t at [(f * 2 + h) * BLOCK + t]. */
static __device__ __forceinline__ void push_if(bool p, lane *l, uint4 *stack, uint32_t one)
{
#if defined(__CUDA_ARCH__)
	asm volatile("{ .reg .pred p; setp.ne.u32 p, %9, 0;\n"
		     "@p st.shared.v4.u32 [%0], {%1, %2, %3, %4};\n"
		     "@p st.shared.v4.u32 [%0 + %10], {%5, %6, %7, %8};\n"
		     "@p mad.lo.u32 %0, %11, %12, %0; }"
		     : "+r"(l->top)
		     : "r"(l->taken), "r"(l->up), "r"(l->down), "r"(l->up2), "r"(l->down2),
		       "r"(l->second), "r"(l->a), "r"(l->span), "r"((uint32_t)p), "n"(16 * BLOCK),
		       "n"(32 * BLOCK), "r"(one)
		     : "memory");
#else
	(void)one;
	if (!p)
		return;
	uint4 *f = stack + l->top;

	f[0] = make_uint4(l->taken, l->up, l->down, l->up2);
	f[BLOCK] = make_uint4(l->down2, l->second, l->a, l->span);
	l->top += 2 * BLOCK;
#endif
}

static __device__ __forceinline__ void pop_if(bool p, lane *l, const uint4 *stack, uint32_t one)
{
#if defined(__CUDA_ARCH__)
	asm volatile("{ .reg .pred p; setp.ne.u32 p, %9, 0;\n"
		     "@p mad.lo.u32 %0, %11, %12, %0;\n"
		     "@p ld.shared.v4.u32 {%1, %2, %3, %4}, [%0];\n"
		     "@p ld.shared.v4.u32 {%5, %6, %7, %8}, [%0 + %10]; }"
		     : "+r"(l->top), "+r"(l->taken), "+r"(l->up), "+r"(l->down), "+r"(l->up2),
		       "+r"(l->down2), "+r"(l->second), "+r"(l->a), "+r"(l->span)
		     : "r"((uint32_t)p), "n"(16 * BLOCK), "n"(-32 * BLOCK), "r"(one)
		     : "memory");
#else
	(void)one;
	if (!p)
		return;
	l->top -= 2 * BLOCK;
	const uint4 *f = stack + l->top;
	uint4 x = f[0], y = f[BLOCK];

	l->taken = x.x;
	l->up = x.y;
	l->down = x.z;
	l->up2 = x.w;
	l->down2 = y.x;
	l->second = y.y;
	l->a = y.z;
	l->span = y.w;
#endif
}

struct tally {
	uint32_t pairs, halves, solutions;
};

/* What a search counts and checks: every placement, or solutions only, with or without forced
 * columns (N even or odd). */
enum search_kind { PLACEMENTS, SOLUTIONS, SOLUTIONS_FORCED };

template <search_kind KIND>
static __device__ __forceinline__ void step(lane *l, uint4 *stack, uint32_t one, tally *t)
{
	uint32_t rest = l->second & (l->second * one - 1), b = l->second - rest;
	uint32_t low = KIND != PLACEMENTS && l->span == l->release_span ? l->low : 1;
	uint32_t taken = any_of(l->taken, l->a, b) * 2 + low;
	uint32_t up = l->up * 4 + (b * l->scale + l->a * 4), down = l->down + l->a + (b >> l->span);
	uint32_t up2 = l->up2 * 4 + (b * 4 + l->a * l->scale),
		 down2 = l->down2 + b + (l->a >> l->span);
	uint32_t first = none_of(taken, up, down), second = none_of(taken, up2, down2);
	bool pair = l->second != 0;
	bool alive = pair & (first != 0) & (second != 0);
	if (KIND == SOLUTIONS_FORCED)
		alive &= (l->span != l->forced_span) | ((taken & l->forced) != 0);
	bool left = (rest | l->first) != 0;

	if (KIND == PLACEMENTS) {
		mad_if(pair, &t->halves, POOL_QUEENS_POPC(first), one, t->halves);
		mad_if(pair, &t->halves, POOL_QUEENS_POPC(second), one, t->halves);
		mad_if(pair, &t->pairs, one, one, t->pairs);
	}
	t->solutions += taken == UINT32_MAX;
	l->second = rest;
	push_if(alive & left, l, stack, one);
	bool back = !(alive | left), next = alive | ((rest == 0) & left);
	mad_if(alive, &l->taken, taken, one, 0);
	mad_if(alive, &l->up, up, one, 0);
	mad_if(alive, &l->down, down, one, 0);
	mad_if(alive, &l->up2, up2, one, 0);
	mad_if(alive, &l->down2, down2, one, 0);
	mad_if(alive, &l->first, first, one, 0);
	mad_if(alive, &l->span, one, 2, l->span);
	mad_if(alive, &l->scale, l->scale, 4, 0);
	pop_if(back, l, stack, one);
	if (back) {
		l->first = none_of(l->taken, l->up, l->down) & (0 - 2 * l->a);
		l->scale = 4u << l->span;
	}
	uint32_t others = l->first & (l->first * one - 1), a = l->first - others;
	mad_if(next, &l->a, a, one, 0);
	mad_if(next, &l->first, others, one, 0);
	uint32_t open = none_of(l->taken, l->up2, l->down2) &
			none_of(l->a, l->a << l->span, l->a >> l->span);
	l->second = next ? open : l->second;
}

static __device__ __forceinline__ void lane_load_rule(lane *l, uint32_t rule, int queens)
{
	const uint32_t depth = l->span - 1, middle = pool_queens_middle(rule, queens);
	const uint32_t release = pool_queens_release(rule), forced = pool_queens_forced(rule);

	l->release_span = l->forced_span = UINT32_MAX;
	if (release > depth) {
		l->release_span = release - 1;
		l->low = 1 - (middle << (release - depth) / 2);
	}
	if (forced > depth) {
		l->forced_span = forced - 1;
		l->forced = middle << (forced - depth) / 2;
	}
	l->weight = pool_queens_weight(rule);
}

static __device__ __forceinline__ void lane_load(lane *l, const pool_queens_node &n, int queens)
{
	l->taken = n.taken;
	l->up = n.up;
	l->down = n.down;
	l->up2 = n.up2;
	l->down2 = n.down2;
	l->first = n.open & OPEN_BITS;
	l->span = n.open >> POOL_QUEENS_SPAN_SHIFT;
	l->scale = 4u << l->span;
	l->a = l->second = 0;
	lane_load_rule(l, n.rule, queens);
}

/* Makes a lane idle: no column is taken, and `first` has enough bits for all steps until the lane
 * is checked. Each step goes to the next bit and finds no second column. */
static __device__ __forceinline__ void lane_rest(lane *l)
{
	pool_queens_node idle = { 0, 0, 0, UINT32_MAX, 0, OPEN_BITS - 1, 0 };

	lane_load(l, idle, 2);
	l->a = 1;
}

/* Idle lanes of the warp take the next nodes; without REFILL all lanes at once. Returns false when
 * none is left and all lanes are idle. */
template <bool REFILL>
static __device__ bool refill(lane *l, int bottom, const pool_queens_node *node, uint32_t count,
			      int queens, supply *s, uint32_t *ticket)
{
	bool idle = l->taken == 0;
	unsigned want = __ballot_sync(UINT32_MAX, idle);

	if (!want)
		return true;
	if (!REFILL && want != UINT32_MAX) {
		if (idle)
			lane_rest(l);
		return true;
	}
	uint32_t mine = supply_take(s, want, count, ticket);
	bool found = idle && mine < count;
	if (idle)
		lane_rest(l);
	if (found) {
		lane_load(l, node[mine], queens);
		l->top = bottom;
	}
	return __any_sync(UINT32_MAX, found || !idle);
}

template <search_kind KIND, bool REFILL>
static __global__ void __launch_bounds__(BLOCK)
	search(const pool_queens_node *node, const uint32_t *node_count, uint32_t room,
	       uint32_t *ticket, uint32_t one, int queens, pool_queens_counts *counts)
{
	SHARED_MEMORY(uint4, frames);
	uint4 *stack = frames + threadIdx.x;
	pool_queens_counts mine = { 0, 0 };
	uint32_t count = complete(*node_count, room);
	supply s = { 0, 0, false };
	lane l;

	lane_rest(&l);
#if defined(__CUDA_ARCH__)
	int bottom = (int)__cvta_generic_to_shared(stack);
#else
	int bottom = 0;
#endif
	l.top = bottom;
	push_if(true, &l, stack, one);
	const int above = l.top; /* the idle frame */
	while (refill<REFILL>(&l, above, node, count, queens, &s, ticket)) {
		tally t = { 0, 0, 0 };

#pragma unroll
		for (int i = 0; i < STEPS; i++)
			step<KIND>(&l, stack, one, &t);
		mine.halves += (unsigned long long)(t.halves + 2 * t.pairs) << l.weight;
		mine.solutions += (unsigned long long)t.solutions << l.weight;
	}
	report_counts(mine, counts);
}

/* One frame for each pair of rows except the last, and the idle frame. */
static size_t stack_bytes(int rows)
{
	return (size_t)(rows / 2) * 2 * BLOCK * sizeof(uint4);
}

typedef decltype(&search<PLACEMENTS, true>) search_kernel;

static search_kernel kernel_for(const struct pool_queens_search *q)
{
	static const search_kernel kernel[][2] = {
		{ search<PLACEMENTS, true>, search<PLACEMENTS, false> },
		{ search<SOLUTIONS, true>, search<SOLUTIONS, false> },
		{ search<SOLUTIONS_FORCED, true>, search<SOLUTIONS_FORCED, false> },
	};
	const search_kind solutions = q->queens % 2 ? SOLUTIONS : SOLUTIONS_FORCED;

	return kernel[q->solutions_only ? solutions : PLACEMENTS][q->no_refill];
}

static int launch_search(struct dev_stream *s, const struct pool_queens_search *q, uint32_t room,
			 int blocks, struct err *e)
{
	const search_kernel kernel = kernel_for(q);

	return LAUNCH(e, kernel, blocks, BLOCK, stack_bytes(q->queens - q->depth), s, q->node,
		      q->count, room, q->ticket, 1, q->queens, q->counts);
}

static int count_blocks(struct dev_stream *s, int rows, bool solutions_only, int *blocks,
			struct err *e)
{
	const auto kernel =
		solutions_only ? search<SOLUTIONS_FORCED, true> : search<PLACEMENTS, true>;
	struct dev_info info;
	int status = dev_get_info(dev_stream_device(s), &info, e);

	if (!status)
		status = GPU_OCCUPANCY(e, blocks, kernel, BLOCK, stack_bytes(rows), s);
	*blocks *= info.sm_count;
	return status;
}

extern "C" const struct pool_queens_kernels
	BACKEND_SYMBOL(pool_queens_kernels) = { launch_expand, launch_search, count_blocks };
