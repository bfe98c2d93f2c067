/* ATSP below lists of nodes (intervals.h): paths, pruned where they cost more than the best tour known.
 *
 * Which children of a node are kept depends on its last city and on its slack, best - cost, alone, up
 * to the cities that are visited already: sorted by cost they are a prefix of the last city's
 * successors. So a search for the slack in a short sorted row gives all of them as a mask, and popc
 * counts them. The same search tells which of them have slack for the cheapest arc on from there: only
 * these are visited. */
#include "kernels/gmys-ivm/intervals.cuh"

namespace {

struct atsp {
	enum { STEPS = 16 };
	static_assert((int)STEPS < (int)ATSP_IDLE_BITS, "an idle lane has a bit for each step");

	struct rule {
		const uint32_t *table;
		int32_t *best;
		atsp_shape shape;
	};

	static rule rule_of(const interval_work *w)
	{
		rule r = {w->table, w->best, atsp_shape_of(w->items)};

		return r;
	}

	static size_t shared_bytes(const rule &r)
	{
		return (size_t)r.shape.words * sizeof(uint32_t);
	}

	static __device__ void load(const rule &r, uint4 *shared)
	{
		for (int i = (int)threadIdx.x; i < r.shape.words / 4; i += (int)blockDim.x)
			shared[i] = ((const uint4 *)r.table)[i];
		__syncthreads();
	}

	static __device__ int left(const rule &, const interval_node &n)
	{
		return __popc(n.a);
	}

	/* Number of thresholds <= slack in the row of `item`. */
	static __device__ __forceinline__ int rank_of(const int32_t *threshold, int ranks, int32_t slack)
	{
		int rank = 0;

		if (ranks > 31 && threshold[31] <= slack)
			rank = 32;
#pragma unroll
		for (int step = 16; step; step /= 2)
			if (threshold[rank + step - 1] <= slack)
				rank += step;
		return rank;
	}

	/* x: items that the slack pays the arc to; y: those that can be left again. */
	static __device__ __forceinline__ uint2 successors(const rule &r, const uint32_t *table, int item,
							   int32_t slack)
	{
		int row = item * (r.shape.ranks + 2);
		int rank = rank_of((const int32_t *)table + r.shape.threshold + row, r.shape.ranks,
				   slack);

		return ((const uint2 *)(table + r.shape.mask))[row + rank];
	}

	/* Those that cannot be left again are counted, not kept. At least two items are open. */
	static __device__ uint32_t children(const rule &r, const interval_node &n, interval_node *out,
					    uint32_t *kept)
	{
		uint2 next = successors(r, r.table, (int)n.b, __ldcg(r.best) - (int32_t)n.c);
		uint32_t i = 0;

		*kept = (uint32_t)__popc(next.x & n.a);
		if (!out)
			return (uint32_t)__popc(next.y & n.a);
		for (uint32_t open = next.y & n.a; open; open &= open - 1, i++) {
			uint32_t item = (uint32_t)__ffs((int)open) - 1;
			uint32_t cost = r.table[n.b * ATSP_COLUMNS + item];

			out[i] = {n.a & ~(1u << item), item, n.c + cost, n.d};
		}
		return i;
	}

	/* x: items open, y: those still to be visited, z: cost, w: the last item. Idle: none is open, y has
	 * bits enough for all steps until the lane is looked at. */
	struct lane {
		uint4 f;
		int top, bottom;
		uint4 *stack;
		const uint32_t *table;
		int32_t best;
		uint32_t node; /* its number */
		uint32_t children, leaves;
	};

	static __device__ __forceinline__ void lane_rest(lane *l)
	{
		l->f = make_uint4(0, (1u << ATSP_IDLE_BITS) - 1, 0, 0);
	}

	static __device__ void lane_open(lane *l, const rule &r, uint4 *shared)
	{
		l->table = (const uint32_t *)shared;
		l->stack = shared + r.shape.words / 4 + threadIdx.x;
#if defined(__CUDA_ARCH__)
		l->top = frame_address(l->stack);
#else
		l->top = 0;
#endif
		lane_rest(l);
		push_if(true, l->f, &l->top, l->stack);
		l->bottom = l->top;
		l->best = __ldcg(r.best);
		l->node = 0;
	}

	static __device__ __forceinline__ bool lane_idle(const lane *l)
	{
		return l->f.x == 0;
	}

	static __device__ __forceinline__ void lane_take(lane *l, const rule &r, const interval_node &n,
							 uint32_t number, interval_tally *t)
	{
		uint2 next = successors(r, l->table, (int)n.b, l->best - (int32_t)n.c);

		l->top = l->bottom;
		l->node = number;
		t->children += (uint32_t)__popc(next.x & n.a);
		if (next.y & n.a)
			l->f = make_uint4(n.a, next.y & n.a, n.c, n.b);
	}

	static __device__ __forceinline__ void lane_begin(lane *l, const rule &r)
	{
		l->children = l->leaves = 0;
		l->best = __ldcg(r.best);
	}

	static __device__ __forceinline__ void lane_end(const lane *l, interval_tally *t)
	{
		t->children += l->children;
		t->leaves += l->leaves;
	}

	/* The tour that ends with `item`, whose path costs `cost` before it. */
	static __device__ void close_tour(lane *l, const rule &r, interval_control *control, int last,
					  uint32_t open, int32_t cost)
	{
		int item = __ffs((int)open) - 1;

		l->children--; /* no city is left behind it */
		cost += (int32_t)l->table[last * ATSP_COLUMNS + item];
		cost += (int32_t)l->table[item * ATSP_COLUMNS + INTERVAL_ITEMS];
		if (cost > l->best)
			return;
		l->leaves++;
		if (cost == l->best)
			return;
		l->best = cost;
		atomicMin(r.best, cost);
		atomicMin(&control->better, (unsigned long long)cost << 32 | l->node);
	}

	static __device__ __forceinline__ void lane_step(lane *l, const rule &r, interval_control *control)
	{
		int item = 31 - __clz((int)l->f.y);
		uint32_t bit = 1u << item, rest = l->f.y ^ bit, open = l->f.x & ~bit;
		int32_t cost = (int32_t)(l->f.z + l->table[l->f.w * ATSP_COLUMNS + (uint32_t)item]);
		uint2 next = successors(r, l->table, item, l->best - cost);
		uint32_t kept = next.x & open, enter = next.y & open;

		l->children += (uint32_t)__popc(kept);
		if (kept && !(open & (open - 1))) {
			close_tour(l, r, control, item, kept, cost);
			enter = 0;
		}
		bool alive = enter != 0, back = (enter | rest) == 0;

		l->f.y = rest;
		push_if(alive & (rest != 0), l->f, &l->top, l->stack);
		pop_if(back, &l->f, &l->top, l->stack);
		if (alive)
			l->f = make_uint4(open, enter, (uint32_t)cost, (uint32_t)item);
	}
};

} /* namespace */

extern "C" const struct interval_kernels BACKEND_SYMBOL(atsp_interval_kernels) = {
	launch_expand<atsp>, launch_search<atsp>, count_blocks<atsp>};
