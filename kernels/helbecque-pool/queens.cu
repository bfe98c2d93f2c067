/* See queens.h. The search: one node a lane, one placement a lane and step, no divergence. */
#include "kernels/common/gpu.cuh"
#include "kernels/helbecque-pool/queens.h"

enum { BLOCK = QUEENS_BLOCK, STEPS = 32, PIECES = 3 };
static constexpr uint32_t OPEN_BITS = (1u << QUEENS_SPAN_SHIFT) - 1;

/* ---- one row at a time for all nodes of a list ---- */

static __global__ void expand(const queens_node *in, const uint32_t *in_count, queens_node *out,
			      uint32_t *out_count, uint32_t room, int queens, bool solutions_only,
			      unsigned long long weight, queens_counts *counts)
{
	unsigned long long halves = 0, solutions = 0;
	uint32_t n = min(*in_count, room);

	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		queens_node node = in[i];
		uint32_t span = node.open >> QUEENS_SPAN_SHIFT, open = node.open & OPEN_BITS;
		uint32_t later = ~(node.taken | node.up2 | node.down2);

		for (; open; open &= open - 1) {
			queens_child c = queens_place(&node, later, span, open & (0 - open), queens,
						      solutions_only);
			halves += c.halves;
			solutions += c.solution;
			if (!c.alive)
				continue;
			uint32_t at = atomicAdd(out_count, 1u);
			if (at < room)
				out[at] = c.node;
		}
	}
	if (halves)
		atomicAdd(&counts->halves, halves * weight);
	if (solutions)
		atomicAdd(&counts->solutions, solutions * weight);
}

static int launch_expand(struct dev_stream *s, const struct queens_search *q, struct queens_list out,
			 struct err *e)
{
	return LAUNCH(e, expand, 1024, 256, 0, s, q->node, q->count, out.node, out.count, out.room,
		      q->queens, q->solutions_only, q->weight, q->counts);
}

/* ---- depth first ---- */

/* A lane's place. Idle: taken is all ones, open is 0, so that a step changes nothing. */
struct lane {
	queens_node n;
	uint32_t later, span;
	int top; /* of its stack: the next free frame, in uint2 */
};

static __device__ __forceinline__ void lane_load(lane *l, const queens_node &n)
{
	l->n = n;
	l->span = n.open >> QUEENS_SPAN_SHIFT;
	l->n.open = n.open & OPEN_BITS;
	l->later = ~(n.taken | n.up2 | n.down2);
}

/* Frames are interleaved by lane: piece p of frame f of thread t at [(f * PIECES + p) * BLOCK + t]. */
static __device__ __forceinline__ void push(lane *l, uint2 *stack, uint32_t rest)
{
	uint2 *f = stack + l->top;

	f[0] = make_uint2(l->n.taken, rest | l->span << QUEENS_SPAN_SHIFT);
	f[BLOCK] = make_uint2(l->n.up, l->n.down);
	f[2 * BLOCK] = make_uint2(l->n.up2, l->n.down2);
	l->top += PIECES * BLOCK;
}

static __device__ __forceinline__ void pop(lane *l, const uint2 *stack)
{
	l->top = __viaddmax_s32(l->top, -PIECES * BLOCK, 0);
	const uint2 *f = stack + l->top;
	uint2 a = f[0], b = f[BLOCK], c = f[2 * BLOCK];
	queens_node n = {a.x, b.x, b.y, c.x, c.y, a.y};

	lane_load(l, n);
}

template <bool SOLUTIONS>
static __device__ __forceinline__ void step(lane *l, uint2 *stack, int queens, uint32_t *halves,
					    uint32_t *solutions)
{
	uint32_t rest = l->n.open & (l->n.open - 1);
	queens_child c = queens_place(&l->n, l->later, l->span, l->n.open - rest, queens, SOLUTIONS);

	*halves += c.halves;
	*solutions += c.solution;
	if (c.alive && rest)
		push(l, stack, rest);
	bool leave = !c.alive && !rest;
	l->n.open = rest;
	if (c.alive) {
		l->n = c.node;
		l->n.open &= OPEN_BITS;
		l->later = c.later;
		l->span++;
	}
	if (leave)
		pop(l, stack);
}

/* Idle lanes of the warp take the next nodes; false when none is left and all are idle. */
static __device__ bool refill(lane *l, const queens_node *node, uint32_t count, uint32_t *ticket)
{
	bool idle = l->n.taken == UINT32_MAX;
	unsigned want = __ballot_sync(UINT32_MAX, idle);
	uint32_t first = 0;

	if (!want)
		return true;
	unsigned me = threadIdx.x % 32, leader = (unsigned)__ffs((int)want) - 1;
	if (me == leader)
		first = ld_acquire_gpu(ticket) < count ? atomicAdd(ticket, (uint32_t)__popc(want)) : count;
	first = __shfl_sync(UINT32_MAX, first, (int)leader);
	uint32_t mine = first + (uint32_t)__popc(want & ((1u << me) - 1));
	bool found = idle && first < count && mine < count;
	if (found) {
		lane_load(l, node[mine]);
		l->top = PIECES * BLOCK;
	}
	return __any_sync(UINT32_MAX, found || !idle);
}

template <bool SOLUTIONS>
static __global__ void __launch_bounds__(BLOCK)
    search(const queens_node *node, const uint32_t *node_count, uint32_t room, uint32_t *ticket,
	   int queens, unsigned long long weight, queens_counts *counts)
{
	SHARED_MEMORY(uint2, frames);
	uint2 *stack = frames + threadIdx.x;
	unsigned long long halves = 0, solutions = 0;
	uint32_t count = min(*node_count, room);
	lane l;

	queens_node idle = {UINT32_MAX, 0, 0, 0, 0, 0};
	lane_load(&l, idle);
	l.top = 0;
	push(&l, stack, 0);
	while (refill(&l, node, count, ticket)) {
		uint32_t some_halves = 0, some_solutions = 0;

#pragma unroll
		for (int i = 0; i < STEPS; i++)
			step<SOLUTIONS>(&l, stack, queens, &some_halves, &some_solutions);
		halves += some_halves;
		solutions += some_solutions;
	}
	for (int d = 16; d; d /= 2) {
		halves += __shfl_xor_sync(UINT32_MAX, halves, d);
		solutions += __shfl_xor_sync(UINT32_MAX, solutions, d);
	}
	if (threadIdx.x % 32 == 0) {
		atomicAdd(&counts->halves, halves * weight);
		atomicAdd(&counts->solutions, solutions * weight);
	}
}

static size_t stack_bytes(const struct queens_search *q)
{
	return (size_t)q->rows * PIECES * BLOCK * sizeof(uint2);
}

static int launch_search(struct dev_stream *s, const struct queens_search *q, uint32_t room, int blocks,
			 struct err *e)
{
	return LAUNCH(e, q->solutions_only ? search<true> : search<false>, blocks, BLOCK,
		      stack_bytes(q), s, q->node, q->count, room, q->ticket, q->queens, q->weight,
		      q->counts);
}

static int count_blocks(struct dev_stream *s, const struct queens_search *q, int *blocks, struct err *e)
{
	struct dev_info info;
	int status = dev_get_info(dev_stream_device(s), &info, e);

	if (!status)
		status = GPU_OCCUPANCY(e, blocks, q->solutions_only ? search<true> : search<false>,
				       BLOCK, stack_bytes(q), s);
	*blocks *= info.sm_count;
	return status;
}

extern "C" const struct queens_kernels BACKEND_SYMBOL(queens_kernels) = {launch_expand, launch_search,
									 count_blocks};
