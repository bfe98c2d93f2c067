/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* ATSP below lists of nodes (intervals.h): paths, pruned if they cost more than the best known
 * tour.
 *
 * Which children of a node are kept depends only on its last city and its slack, best - cost, and
 * on the cities already visited: sorted by cost, the kept ones are a prefix of the last city's
 * successors. So a search for the slack in a short sorted row gives all of them as a mask, and popc
 * counts them. The same search gives those that also have slack for the cheapest arc from there on;
 * only these are visited. */
#include "kernels/gmys-ivm/intervals.cuh"

namespace
{

struct atsp {
	enum { STEPS = 16 };
	static_assert((int)STEPS < (int)ATSP_IDLE_BITS, "an idle lane has a bit for each step");

	struct rule {
		const uint32_t *table;
		int32_t *best;
		atsp_shape shape;
	};

	static rule rule_of(const ivm_interval_work *w)
	{
		rule r = { w->table, &w->control->best, atsp_shape_of(w->items) };

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

	static __device__ int left(const rule &, const ivm_interval_node &n)
	{
		return __popc(n.a);
	}

	/* A word of the tables. `at`: CUDA: its address in shared memory; sim: bytes from their
	 * start. */
	static __device__ __forceinline__ uint32_t word(const uint32_t *table, uint32_t at)
	{
#if defined(__CUDA_ARCH__)
		uint32_t v;
		(void)table;
		asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(at));
		return v;
#else
		return table[at / 4];
#endif
	}

	/* Skips the next STEP thresholds if the last of them is <= slack. */
	template <int STEP>
	static __device__ __forceinline__ void advance(const uint32_t *table, uint32_t *at,
						       int32_t slack)
	{
#if defined(__CUDA_ARCH__)
		(void)table;
		asm volatile("{ .reg .pred p; .reg .s32 t;\n"
			     "ld.shared.s32 t, [%0 + %2];\n"
			     "setp.le.s32 p, t, %1;\n"
			     "@p add.u32 %0, %0, %3; }"
			     : "+r"(*at)
			     : "r"(slack), "n"(4 * STEP - 4), "n"(4 * STEP));
#else
		if ((int32_t)table[*at / 4 + STEP - 1] <= slack)
			*at += 4 * STEP;
#endif
	}

	/* Where the tables are, as word() takes it. */
	struct places {
		uint32_t cost, threshold;
		uint32_t mask; /* minus twice `threshold`, because a mask has two words per
				  threshold */
	};

	/* x: items whose arc the slack covers. y: those from which it also covers one more arc. */
	static __device__ __forceinline__ uint2 successors(const uint32_t *table, const places &p,
							   uint32_t item, int32_t slack)
	{
		uint32_t at = item * (4 * ATSP_RANKS) + p.threshold;

		advance<32>(table, &at, slack);
		advance<16>(table, &at, slack);
		advance<8>(table, &at, slack);
		advance<4>(table, &at, slack);
		advance<2>(table, &at, slack);
		advance<1>(table, &at, slack);
		at = at * 2 + p.mask;
#if defined(__CUDA_ARCH__)
		uint2 v;
		asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "r"(at));
		return v;
#else
		return make_uint2(table[at / 4], table[at / 4 + 1]);
#endif
	}

	/* The same from the tables in device memory. */
	static __device__ uint2 successors(const rule &r, uint32_t item, int32_t slack)
	{
		const int32_t *threshold = (const int32_t *)r.table + r.shape.threshold;
		uint32_t at = item * ATSP_RANKS;

		while (threshold[at] <= slack)
			at++;
		return ((const uint2 *)(r.table + r.shape.mask))[at];
	}

	/* Children without an affordable arc onwards are counted but not listed. At least two items
	 * are open. */
	static __device__ uint32_t children(const rule &r, const ivm_interval_node &n,
					    ivm_interval_node *out, uint32_t *kept)
	{
		uint2 next = successors(r, n.b, *r.best - (int32_t)n.c);
		uint32_t i = 0;

		*kept = (uint32_t)__popc(next.x & n.a);
		if (!out)
			return (uint32_t)__popc(next.y & n.a);
		for (uint32_t open = next.y & n.a; open; open &= open - 1, i++) {
			uint32_t item = (uint32_t)__ffs((int)open) - 1;
			uint32_t cost = r.table[n.b * ATSP_COLUMNS + item];

			out[i] = { n.a & ~(1u << item), item, n.c + cost, n.d };
		}
		return i;
	}

	/* x: items open, y: those still to be visited, z: cost, w: row of the last item in the
	 * table of costs, as word() takes it. Idle: none is open, y has enough bits for all steps
	 * until the lane is checked. */
	struct lane : lane_stack {
		const uint32_t *table;
		places at;
		int32_t best;
		uint32_t children, leaves;
	};

	static __device__ __forceinline__ uint4 idle_frame(const lane *l)
	{
		return make_uint4(0, (1u << ATSP_IDLE_BITS) - 1, 0, l->at.cost);
	}

	static __device__ void lane_open(lane *l, const rule &r, uint4 *shared)
	{
		uint32_t base = 0;

#if defined(__CUDA_ARCH__)
		base = (uint32_t)frame_address(shared);
#endif
		l->table = (const uint32_t *)shared;
		l->at.cost = base;
		l->at.threshold = base + 4 * (uint32_t)r.shape.threshold;
		l->at.mask = base + 4 * (uint32_t)r.shape.mask - 2 * l->at.threshold;
		l->best = ld_acquire_gpu(r.best);
		lane_stack_open(l, shared + r.shape.words / 4 + threadIdx.x, idle_frame(l));
	}

	static __device__ __forceinline__ uint32_t row_of(const lane *l, uint32_t item)
	{
		return item * (4 * ATSP_COLUMNS) + l->at.cost;
	}

	/* Reads the best cost found by others from time to time. */
	static __device__ __forceinline__ void
	lane_take(lane *l, const rule &r, const ivm_interval_node &n, interval_tally *t)
	{
		l->best = ld_acquire_gpu(r.best);
		uint2 next = successors(l->table, l->at, n.b, l->best - (int32_t)n.c);

		t->children += (uint32_t)__popc(next.x & n.a);
		if (next.y & n.a)
			l->f = make_uint4(n.a, next.y & n.a, n.c, row_of(l, n.b));
	}

	static __device__ __forceinline__ void lane_begin(lane *l)
	{
		l->children = l->leaves = 0;
	}

	static __device__ __forceinline__ void lane_end(const lane *l, interval_tally *t)
	{
		t->children += l->children;
		t->leaves += l->leaves;
	}

	/* The tour that ends with the only item open, whose path costs `cost` before it. */
	static __device__ void close_tour(lane *l, const rule &r, ivm_interval_control *control,
					  uint32_t row, uint32_t open, int32_t cost)
	{
		uint32_t item = (uint32_t)__ffs((int)open) - 1;

		l->children--; /* no open city remains after it */
		cost += (int32_t)word(l->table, row + 4 * item);
		cost += (int32_t)word(l->table, row_of(l, item) + 4 * IVM_INTERVAL_ITEMS);
		if (cost > l->best)
			return;
		l->leaves++;
		if (cost == l->best)
			return;
		l->best = cost;
		atomicMin(r.best, cost);
		atomicMin(&control->better, (unsigned long long)cost << 32 | l->number);
	}

	static __device__ __forceinline__ void lane_step(lane *l, const rule &r,
							 ivm_interval_control *control)
	{
		uint32_t item = 31 - (uint32_t)__clz((int)l->f.y), bit = 1u << item;
		uint32_t rest = l->f.y ^ bit, open = l->f.x & ~bit, row = row_of(l, item);
		int32_t cost = (int32_t)(l->f.z + word(l->table, l->f.w + 4 * item));
		uint2 next = successors(l->table, l->at, item, l->best - cost);
		uint32_t kept = next.x & open, enter = next.y & open;

		l->children += (uint32_t)__popc(kept);
		if (kept && !(open & (open - 1))) {
			close_tour(l, r, control, row, kept, cost);
			enter = 0;
		}
		bool alive = enter != 0, left = rest != 0;

		l->f.y = rest;
		push_or_pop(alive & left, !(alive | left), l, 1);
		if (alive)
			l->f = make_uint4(open, enter, (uint32_t)cost, row);
	}
};

} /* namespace */

extern "C" const struct ivm_interval_kernels BACKEND_SYMBOL(ivm_atsp_kernels) = {
	launch_expand<atsp>, launch_search<atsp>, count_blocks<atsp>
};
