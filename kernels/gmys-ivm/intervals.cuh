/* What the kernels of both problems share; see intervals.h. A problem is a struct P of static
 * functions:
 *
 *   struct rule                                  of the launch, by value
 *   size_t shared_bytes(const rule &)            of its tables, a multiple of 16
 *   void load(const rule &, void *shared)        tables into shared memory, all threads of a block
 *   int left(const rule &, node)                 open items
 *   children(const rule &, node, child[])        kept ones, and how many; count only where NULL
 *   struct lane, and lane_rest, lane_take, lane_idle, lane_begin, lane_step, lane_end: below */
#ifndef COPRA_INTERVALS_CUH
#define COPRA_INTERVALS_CUH

#include "kernels/common/gpu.cuh"
#include "kernels/gmys-ivm/intervals.h"

enum { SUPPLY = 64 };

struct interval_tally {
	unsigned long long children, leaves;
};

static __device__ unsigned long long warp_sum(unsigned long long v)
{
	for (int d = 16; d; d /= 2)
		v += __shfl_xor_sync(UINT32_MAX, v, d);
	return v;
}

static __device__ void warp_report(interval_tally mine, interval_control *all)
{
	unsigned long long children = warp_sum(mine.children), leaves = warp_sum(mine.leaves);

	if (threadIdx.x % 32 == 0 && children)
		atomicAdd(&all->children, children);
	if (threadIdx.x % 32 == 0 && leaves)
		atomicAdd(&all->leaves, leaves);
}

static __device__ uint32_t warp_sum_before(uint32_t v, uint32_t lane, uint32_t *total)
{
	uint32_t sum = v;

	for (uint32_t d = 1; d < 32; d *= 2) {
		uint32_t other = __shfl_up_sync(UINT32_MAX, sum, d);
		sum += lane >= d ? other : 0;
	}
	*total = __shfl_sync(UINT32_MAX, sum, 31);
	return sum - v;
}

/* ---- one row more for all nodes of a list ---- */

static __device__ uint32_t nodes_to_expand(const interval_control *c, int stage, uint32_t target)
{
	for (int i = 0; i < stage; i++)
		if (c->nodes[i] >= target)
			return 0;
	return c->nodes[stage] < target ? c->nodes[stage] : 0;
}

/* A warp asks for its nodes' place in the list at once, so children are counted before they are
 * written. A node of few open items moves on as it is. */
template <class P>
static __global__ void expand(typename P::rule rule, const interval_node *in, interval_node *out,
			      uint32_t target, int stage, interval_control *control)
{
	interval_tally mine = {0, 0};
	uint32_t n = nodes_to_expand(control, stage, target), lane = threadIdx.x % 32;

	for (uint32_t base = blockIdx.x * blockDim.x + threadIdx.x - lane; base < n;
	     base += gridDim.x * blockDim.x) {
		interval_node node = {0, 0, 0, 0};
		bool mine_too = base + lane < n, grows = false;
		uint32_t own = mine_too, total, at = 0;

		if (mine_too) {
			node = in[base + lane];
			grows = P::left(rule, node) >= INTERVAL_LEAST_LEFT;
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
	warp_report(mine, control);
}

/* ---- depth first ---- */

/* Nodes that the warp has reserved: the ticket is asked for SUPPLY at a time. The same in all
 * lanes. */
struct supply {
	uint32_t next, end;
	bool dry; /* the ticket is past the last node */
};

/* Number of the node that this lane gets, or any number from `count` on. */
static __device__ uint32_t take_number(supply *s, unsigned want, uint32_t count, uint32_t *ticket)
{
	unsigned me = threadIdx.x % 32, n = (unsigned)__popc(want);
	uint32_t rank = (uint32_t)__popc(want & ((1u << me) - 1)), have = s->end - s->next;
	uint32_t old = s->next, fresh = UINT32_MAX - SUPPLY;

	if (n <= have) {
		s->next += n;
		return old + rank;
	}
	if (!s->dry) {
		if (me == 0)
			fresh = atomicAdd(ticket, (uint32_t)SUPPLY);
		fresh = __shfl_sync(UINT32_MAX, fresh, 0);
		s->dry = fresh >= count;
	}
	s->next = s->dry ? 0 : fresh + n - have;
	s->end = s->dry ? 0 : fresh + SUPPLY;
	return rank < have ? old + rank : fresh + (rank - have);
}

/* Idle lanes of the warp take the next nodes; false when none is left and all are idle. */
template <class P>
static __device__ bool refill(typename P::lane *l, const typename P::rule &rule,
			      const interval_node *node, uint32_t count, supply *s, uint32_t *ticket,
			      interval_tally *t)
{
	bool idle = P::lane_idle(l);
	unsigned want = __ballot_sync(UINT32_MAX, idle);

	if (!want)
		return true;
	uint32_t mine = take_number(s, want, count, ticket);
	bool found = idle && mine < count;
	if (idle)
		P::lane_rest(l);
	if (found)
		P::lane_take(l, rule, node[mine], mine, t);
	return __any_sync(UINT32_MAX, found || !idle);
}

template <class P>
static __global__ void __launch_bounds__(INTERVAL_BLOCK)
    search(typename P::rule rule, const interval_node *node, int stage, interval_control *control)
{
	SHARED_MEMORY(uint4, memory);
	interval_tally mine = {0, 0};
	supply s = {0, 0, false};
	uint32_t count = control->nodes[stage];
	typename P::lane l;

	P::load(rule, memory);
	P::lane_open(&l, rule, memory);
	while (refill<P>(&l, rule, node, count, &s, &control->ticket, &mine)) {
		P::lane_begin(&l, rule);
#pragma unroll
		for (int i = 0; i < P::STEPS; i++)
			P::lane_step(&l, rule, control);
		P::lane_end(&l, &mine);
	}
	warp_report(mine, control);
}

/* A frame for each row but the last, and one to rest at. */
static inline size_t frame_bytes(int rows)
{
	return (size_t)(rows + 1) * INTERVAL_BLOCK * sizeof(uint4);
}

template <class P>
static int launch_expand(struct dev_stream *s, const struct interval_work *w, int stage, int blocks,
			 struct err *e)
{
	return LAUNCH(e, expand<P>, blocks, INTERVAL_BLOCK, 0, s, P::rule_of(w), w->list[stage % 2],
		      w->list[(stage + 1) % 2], w->target, stage, w->control);
}

template <class P>
static int launch_search(struct dev_stream *s, const struct interval_work *w, int stage, int rows,
			 int blocks, struct err *e)
{
	typename P::rule rule = P::rule_of(w);

	return LAUNCH(e, search<P>, blocks, INTERVAL_BLOCK,
		      P::shared_bytes(rule) + frame_bytes(rows), s, rule, w->list[stage % 2], stage,
		      w->control);
}

template <class P>
static int count_blocks(struct dev_stream *s, const struct interval_work *w, int rows, int *blocks,
			struct err *e)
{
	struct dev_info info;
	int status = dev_get_info(dev_stream_device(s), &info, e);

	if (!status)
		status = GPU_OCCUPANCY(e, blocks, search<P>, INTERVAL_BLOCK,
				       P::shared_bytes(P::rule_of(w)) + frame_bytes(rows), s);
	*blocks *= info.sm_count;
	return status;
}

/* ---- stacks: frames of 16 bytes, interleaved by lane ---- */

#if defined(__CUDA_ARCH__)
/* In bytes of shared memory. */
static __device__ __forceinline__ int frame_address(uint4 *frame)
{
	return (int)__cvta_generic_to_shared(frame);
}
#endif

static __device__ __forceinline__ void push_if(bool p, uint4 v, int *top, uint4 *stack)
{
#if defined(__CUDA_ARCH__)
	(void)stack;
	asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0;\n"
		     "@p st.shared.v4.u32 [%0], {%1, %2, %3, %4};\n"
		     "@p add.s32 %0, %0, %6; }"
		     : "+r"(*top)
		     : "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w), "r"((uint32_t)p),
		       "n"(16 * INTERVAL_BLOCK)
		     : "memory");
#else
	if (p) {
		stack[*top] = v;
		*top += INTERVAL_BLOCK;
	}
#endif
}

static __device__ __forceinline__ void pop_if(bool p, uint4 *v, int *top, const uint4 *stack)
{
#if defined(__CUDA_ARCH__)
	(void)stack;
	asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0;\n"
		     "@p ld.shared.v4.u32 {%1, %2, %3, %4}, [%0 + %6];\n"
		     "@p add.s32 %0, %0, %6; }"
		     : "+r"(*top), "+r"(v->x), "+r"(v->y), "+r"(v->z), "+r"(v->w)
		     : "r"((uint32_t)p), "n"(-16 * INTERVAL_BLOCK)
		     : "memory");
#else
	if (p) {
		*top -= INTERVAL_BLOCK;
		*v = stack[*top];
	}
#endif
}

#endif
