/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* N-Queens below lists of nodes (intervals.h). A step places one queen. Every placement is visited
 * once, so counting placements is counting steps. */
#include "kernels/common/instructions.cuh"
#include "kernels/gmys-ivm/intervals.cuh"

namespace
{

struct queens {
	enum { STEPS = 24, IDLE_BITS = 30 };

	/* Factors hidden from the compiler: moves and additions in the multiplier relieve the pipe
	 * for logic and shifts, which is the bottleneck. */
	struct rule {
		uint32_t one, two, minus;
		int items;
	};

	static rule rule_of(const ivm_interval_work *w)
	{
		rule r = { 1, 2, UINT32_MAX, w->items };

		return r;
	}

	static size_t shared_bytes(const rule &)
	{
		return 0;
	}

	static __device__ void load(const rule &, uint4 *)
	{
	}

	static __device__ int left(const rule &, const ivm_interval_node &n)
	{
		return __popc(~n.a);
	}

	/* Children that leave no free column in the next row are counted but not kept. */
	static __device__ uint32_t children(const rule &, const ivm_interval_node &n,
					    ivm_interval_node *out, uint32_t *kept)
	{
		uint32_t alive = 0, open = ~(n.a | n.b | n.c);

		*kept = (uint32_t)__popc(open);
		for (; open; open &= open - 1) {
			uint32_t bit = open & (0 - open);
			ivm_interval_node c = { n.a | bit, (n.b | bit) << 1, (n.c | bit) >> 1, 0 };
			bool lives = (c.a | c.b | c.c) != UINT32_MAX;

			if (lives && out)
				out[alive] = c;
			alive += lives;
		}
		return alive;
	}

	/* x: columns taken, y, z: diagonals, w: columns still to be tried. Idle: no column is
	 * taken, w has enough bits for all steps until the lane is checked, and no queen leaves a
	 * column open. */
	struct lane : lane_stack {
		uint32_t solutions;
	};

	static __device__ __forceinline__ uint4 idle_frame(const lane *)
	{
		return make_uint4(0, 1u << IDLE_BITS, UINT32_MAX, (1u << IDLE_BITS) - 1);
	}

	static __device__ void lane_open(lane *l, const rule &, uint4 *shared)
	{
		lane_stack_open(l, shared + threadIdx.x, idle_frame(l));
	}

	static __device__ __forceinline__ void
	lane_take(lane *l, const rule &, const ivm_interval_node &n, interval_tally *)
	{
		uint32_t open = ~(n.a | n.b | n.c);

		if (open)
			l->f = make_uint4(n.a, n.b, n.c, open);
	}

	static __device__ __forceinline__ void lane_begin(lane *l)
	{
		l->solutions = 0;
	}

	static __device__ __forceinline__ void lane_end(const lane *l, interval_tally *t)
	{
		t->children += STEPS;
		if (lane_idle(l))
			t->children -= (uint32_t)(IDLE_BITS - __popc(l->f.w));
		t->leaves += l->solutions;
	}

	/* Moves from a queen on `bit` to its child if that has an open column; otherwise to the
	 * next open column of the node; otherwise back to the last node that has one. */
	static __device__ __forceinline__ void lane_step(lane *l, const rule &r,
							 ivm_interval_control *)
	{
		uint32_t bit = l->f.w & (l->f.w * r.minus), rest = bit * r.minus + l->f.w;
		uint32_t taken = bit * r.one + l->f.x;
		uint32_t up = l->f.y * r.two + bit * r.two;
		uint32_t down = (bit | l->f.z) >>
				1; /* not by a sum, because idle lanes have all bits set */
		uint32_t open = none_of(taken, up, down);
		bool alive = open != 0, left = rest != 0;

		add_if(taken == UINT32_MAX, &l->solutions, r.one);
		l->f.w = rest;
		push_or_pop(alive & left, !(alive | left), l, (int)r.one);
		l->f.x = alive ? taken : l->f.x;
		l->f.y = alive ? up : l->f.y;
		l->f.z = alive ? down : l->f.z;
		move_if(alive, &l->f.w, open, r.one);
	}

	static __device__ __forceinline__ void add_if(bool p, uint32_t *to, uint32_t one)
	{
#if defined(__CUDA_ARCH__)
		asm("{ .reg .pred p; setp.ne.u32 p, %2, 0;\n@p mad.lo.u32 %0, %1, %1, %0; }"
		    : "+r"(*to)
		    : "r"(one), "r"((uint32_t)p));
#else
		*to += p ? one : 0;
#endif
	}

	static __device__ __forceinline__ void move_if(bool p, uint32_t *to, uint32_t from,
						       uint32_t one)
	{
#if defined(__CUDA_ARCH__)
		asm("{ .reg .pred p; setp.ne.u32 p, %3, 0;\n@p mad.lo.u32 %0, %1, %2, 0; }"
		    : "+r"(*to)
		    : "r"(from), "r"(one), "r"((uint32_t)p));
#else
		*to = p ? from * one : *to;
#endif
	}
};

} /* namespace */

extern "C" const struct ivm_interval_kernels BACKEND_SYMBOL(ivm_queens_kernels) = {
	launch_expand<queens>, launch_search<queens>, count_blocks<queens>
};
