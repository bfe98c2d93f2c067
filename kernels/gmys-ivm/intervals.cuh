/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of both problems as templates; see intervals.h. A problem is a struct P with static
 * functions:
 *
 *   struct rule                               the arguments of a launch, by value
 *   size_t shared_bytes(const rule &)         bytes of its tables, a multiple of 16
 *   void load(const rule &, void *shared)     copies its tables; all threads of a block call it
 *   int left(const rule &, node)              the number of open items
 *   int children(const rule &, node, child[], uint32_t *kept)
 *                                             the children to list, and their number; with
 *                                             child == NULL only counts
 *   struct lane : lane_stack                  the search of one subtree
 *   void lane_open(lane *, rule, shared)      called once
 *   void lane_take(lane *, rule, node, tally *)
 *                                             starts the subtree of a node
 *   uint4 idle_frame(lane *)                  the frame of a lane without work
 *   lane_begin, lane_step, lane_end           called before, during and after STEPS steps */
#ifndef COPRA_KERNELS_GMYS_IVM_INTERVALS_CUH
#define COPRA_KERNELS_GMYS_IVM_INTERVALS_CUH

#include "kernels/common/gpu.cuh"
#include "kernels/common/supply.cuh"
#include "kernels/common/warp.cuh"
#include "kernels/gmys-ivm/intervals.h"

struct interval_tally {
	unsigned long long children, leaves;
};

static __device__ void interval_report(interval_tally mine, ivm_interval_control *all)
{
	unsigned long long children = warp_sum(mine.children), leaves = warp_sum(mine.leaves);

	if (threadIdx.x % 32 == 0 && children)
		atomicAdd(&all->children, children);
	if (threadIdx.x % 32 == 0 && leaves)
		atomicAdd(&all->leaves, leaves);
}

/* The sum of v over the lower lanes; *total over all lanes. */
static __device__ uint32_t warp_sum_before(uint32_t v, uint32_t lane, uint32_t *total)
{
	uint32_t sum = warp_scan(v, lane);

	*total = __shfl_sync(WARP_ALL, sum, 31);
	return sum - v;
}

/* ---- one more row for all nodes of a list ---- */

static __device__ uint32_t nodes_to_expand(const ivm_interval_control *c, int stage,
					   uint32_t target)
{
	for (int i = 0; i < stage; i++)
		if (c->nodes[i] >= target)
			return 0;
	return c->nodes[stage] < target ? c->nodes[stage] : 0;
}

/* Each warp reserves the places of its nodes in the list at once, so children are counted before
 * they are written. A node with few open items is copied unchanged. */
template <class P>
static __global__ void expand(typename P::rule rule, const ivm_interval_node *in,
			      ivm_interval_node *out, uint32_t target, int stage,
			      ivm_interval_control *control)
{
	interval_tally mine = { 0, 0 };
	uint32_t n = nodes_to_expand(control, stage, target), lane = threadIdx.x % 32;

	for (uint32_t base = blockIdx.x * blockDim.x + threadIdx.x - lane; base < n;
	     base += gridDim.x * blockDim.x) {
		ivm_interval_node node = { 0, 0, 0, 0 };
		bool mine_too = base + lane < n, grows = false;
		uint32_t own = mine_too, total, at = 0;

		if (mine_too) {
			node = in[base + lane];
			grows = P::left(rule, node) >= IVM_INTERVAL_LEAST_LEFT;
		}
		if (grows) {
			uint32_t kept;
			own = P::children(rule, node, NULL, &kept);
			mine.children += kept;
		}
		uint32_t before = warp_sum_before(own, lane, &total);
		if (lane == 0)
			at = atomicAdd(&control->nodes[stage + 1], total);
		at = __shfl_sync(UINT32_MAX, at, 0) + before;
		if (grows) {
			uint32_t ignored;
			P::children(rule, node, out + at, &ignored);
		} else if (mine_too) {
			out[at] = node;
		}
	}
	interval_report(mine, control);
}

/* ---- stacks: frames of 16 bytes, interleaved by lane ----
 *
 * A frame is a node with its children that are still to be visited, at least one. The frame at the
 * bottom is the idle frame of the problem. Its first word is 0, which no node has. */

struct lane_stack {
	uint4 f; /* the current node */
	int top, low,
		bottom; /* the next free frame; the first frame that was not given away; the first
			   frame. CUDA: addresses in shared memory; sim: indices in `stack` */
	uint4 *stack;
	uint32_t number; /* number in the list of the node whose subtree this is */
};

enum {
#if defined(__CUDA_ARCH__)
	FRAME = 16 * IVM_INTERVAL_BLOCK
#else
	FRAME = IVM_INTERVAL_BLOCK
#endif
};

static __device__ __forceinline__ bool lane_idle(const lane_stack *l)
{
	return l->f.x == 0;
}

#if defined(__CUDA_ARCH__)
/* In bytes of shared memory. */
static __device__ __forceinline__ int frame_address(uint4 *frame)
{
	return (int)__cvta_generic_to_shared(frame);
}
#endif

/* Pushes or pops, not both. `one` is 1, hidden from the compiler so that it multiplies
 * (intervals_queens.cu). */
static __device__ __forceinline__ void push_or_pop(bool push, bool pop, lane_stack *l, int one)
{
#if defined(__CUDA_ARCH__)
	asm volatile("{ .reg .pred push, pop;\n"
		     "setp.ne.u32 push, %5, 0;\n"
		     "setp.ne.u32 pop, %6, 0;\n"
		     "@push st.shared.v4.u32 [%0], {%1, %2, %3, %4};\n"
		     "@pop ld.shared.v4.u32 {%1, %2, %3, %4}, [%0 + %9];\n"
		     "@push mad.lo.s32 %0, %7, %8, %0;\n"
		     "@pop mad.lo.s32 %0, %7, %9, %0; }"
		     : "+r"(l->top), "+r"(l->f.x), "+r"(l->f.y), "+r"(l->f.z), "+r"(l->f.w)
		     : "r"((uint32_t)push), "r"((uint32_t)pop), "r"(one), "n"((int)FRAME),
		       "n"(-(int)FRAME)
		     : "memory");
#else
	(void)one;
	if (push) {
		l->stack[l->top] = l->f;
		l->top += FRAME;
	} else if (pop) {
		l->top -= FRAME;
		l->f = l->stack[l->top];
	}
#endif
}

/* The frame at `at` of another lane, `from` lanes away. */
static __device__ __forceinline__ uint4 *frame_at(const lane_stack *l, int at, int from)
{
#if defined(__CUDA_ARCH__)
	(void)l, (void)from;
	return (uint4 *)__cvta_shared_to_generic((size_t)at);
#else
	return l->stack + at + from;
#endif
}

static __device__ void lane_stack_open(lane_stack *l, uint4 *stack, uint4 idle)
{
	l->stack = stack;
	l->top = 0;
#if defined(__CUDA_ARCH__)
	l->top = frame_address(stack);
#endif
	l->f = idle;
	push_or_pop(true, false, l, 1);
	l->bottom = l->low = l->top;
	l->number = 0;
}

/* ---- depth first ---- */

/* The position of the set bit of `mask` that has `rank` set bits below it. */
static __device__ int bit_of_rank(unsigned mask, int rank)
{
	int at = 0;

	for (int step = 16; step; step /= 2)
		if (__popc(mask & ((1u << (at + step)) - 1)) <= rank)
			at += step;
	return at;
}

/* When the list is exhausted, idle lanes get the lowest frames, the largest subtrees, of other
 * lanes in their warp. A lane that gave a frame away finds an idle frame in its place. */
static __device__ void share(lane_stack *l, uint4 idle)
{
	int me = (int)threadIdx.x % 32;
	bool takes = lane_idle(l), gives = !takes && l->low != l->top;
	unsigned takers = __ballot_sync(UINT32_MAX, takes),
		 givers = __ballot_sync(UINT32_MAX, gives);
	int pairs = min(__popc(takers), __popc(givers));
	int rank = __popc((takes ? takers : givers) & ((1u << me) - 1));

	if (!pairs)
		return;
	int giver = rank < pairs ? bit_of_rank(givers, rank) : me;
	int at = __shfl_sync(UINT32_MAX, l->low, giver);
	uint32_t number = __shfl_sync(UINT32_MAX, l->number, giver);
	if (takes && rank < pairs) {
		l->f = *frame_at(l, at, giver - me);
		l->top = l->low = l->bottom;
		l->number = number;
	}
	__syncwarp();
	if (gives && rank < pairs) {
		*frame_at(l, l->low, 0) = idle;
		l->low += FRAME;
	}
	__syncwarp();
}

/* Idle lanes of the warp take the next nodes. Returns false when none is left and all lanes are
 * idle. */
template <class P, int TEAM>
static __device__ bool refill(typename P::lane *l, const typename P::rule &rule,
			      const ivm_interval_node *node, uint32_t count, supply *s,
			      uint32_t *ticket, interval_tally *t)
{
	bool idle = lane_idle(l);
	unsigned want = __ballot_sync(UINT32_MAX, idle);

	if (!want)
		return true;
	if (TEAM == IVM_TEAM_NONE && want != UINT32_MAX) {
		if (idle)
			l->f = P::idle_frame(l);
		return true;
	}
	uint32_t mine = supply_take(s, want, count, ticket);
	bool found = idle && mine < count;
	if (idle)
		l->f = P::idle_frame(l);
	if (found) {
		l->top = l->low = l->bottom;
		l->number = mine;
		P::lane_take(l, rule, node[mine], t);
	}
	if (TEAM == IVM_TEAM_SHARING && s->dry)
		share(l, P::idle_frame(l));
	return __any_sync(UINT32_MAX, found || !lane_idle(l));
}

template <class P, int TEAM>
static __global__ void __launch_bounds__(IVM_INTERVAL_BLOCK)
	search(typename P::rule rule, const ivm_interval_node *node, int stage,
	       ivm_interval_control *control)
{
	SHARED_MEMORY(uint4, memory);
	interval_tally mine = { 0, 0 };
	supply s = { 0, 0, false };
	uint32_t count = control->nodes[stage];
	typename P::lane l;

	P::load(rule, memory);
	P::lane_open(&l, rule, memory);
	while (refill<P, TEAM>(&l, rule, node, count, &s, &control->ticket, &mine)) {
		P::lane_begin(&l);
#pragma unroll
		for (int i = 0; i < P::STEPS; i++)
			P::lane_step(&l, rule, control);
		P::lane_end(&l, &mine);
	}
	interval_report(mine, control);
}

/* One frame for each row except the last, and the idle frame. */
static inline size_t frame_bytes(int rows)
{
	return (size_t)(rows + 1) * IVM_INTERVAL_BLOCK * sizeof(uint4);
}

template <class P>
static int launch_expand(struct dev_stream *s, const struct ivm_interval_work *w, int stage,
			 int blocks, struct err *e)
{
	return LAUNCH(e, expand<P>, blocks, IVM_INTERVAL_BLOCK, 0, s, P::rule_of(w),
		      w->list[stage % 2], w->list[(stage + 1) % 2], w->target, stage, w->control);
}

template <class P>
static int launch_search(struct dev_stream *s, const struct ivm_interval_work *w, int stage,
			 int rows, int blocks, struct err *e)
{
	typename P::rule rule = P::rule_of(w);
	const auto kernel = w->team == IVM_TEAM_NONE   ? search<P, IVM_TEAM_NONE> :
			    w->team == IVM_TEAM_REFILL ? search<P, IVM_TEAM_REFILL> :
							 search<P, IVM_TEAM_SHARING>;

	return LAUNCH(e, kernel, blocks, IVM_INTERVAL_BLOCK,
		      P::shared_bytes(rule) + frame_bytes(rows), s, rule, w->list[stage % 2], stage,
		      w->control);
}

template <class P>
static int count_blocks(struct dev_stream *s, const struct ivm_interval_work *w, int rows,
			int *blocks, struct err *e)
{
	const auto kernel = search<P, IVM_TEAM_SHARING>;
	struct dev_info info;
	int status = dev_get_info(dev_stream_device(s), &info, e);

	if (!status)
		status = GPU_OCCUPANCY(e, blocks, kernel, IVM_INTERVAL_BLOCK,
				       P::shared_bytes(P::rule_of(w)) + frame_bytes(rows), s);
	*blocks *= info.sm_count;
	return status;
}

#endif
