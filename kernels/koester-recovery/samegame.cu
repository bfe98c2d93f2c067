/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of SameGame: one thread per state. Boards are processed in shared memory. Column c of all
 * threads is contiguous, so that threads at different columns have no bank conflicts. */
#include "kernels/koester-recovery/samegame.h"
#include "kernels/koester-recovery/domain.cuh"

TRACK_DOMAIN_TYPE(track_samegame_rules)
typedef track_kernels<track_samegame_rules_domain> plain;

static const int BLOCK = 128;
/* Rollouts end at different times. A thread with several rollouts starts its next one immediately,
 * so that its warp is only idle at the end. More blocks than the largest device can hold would only
 * wait. */
static const unsigned MOST_BLOCKS = 2048;

/* Counts the groups of each state (number), or lists them (first, successor). */
static __global__ void samegame_groups(const __grid_constant__ track_samegame_rules d,
				       const __grid_constant__ track_batch b, uint32_t *number,
				       const uint32_t *first, uint32_t *successor)
{
	SHARED_MEMORY(unsigned char, shared);
	uint32_t i = track_thread(), groups = 0;

	if (i >= b.count)
		return;
	track_state s = track_private_copy(track_batch_state(b, i), b.layout, shared);
	track_samegame_head head = *track_samegame_head_of(s);

	if (head.column != TRACK_SAMEGAME_OVER)
		groups = track_samegame_list(track_samegame_board_of(&d, s), head.width,
					     first ? successor + first[i] : nullptr, UINT32_MAX,
					     nullptr);
	if (number)
		number[i] = groups;
}

/* A child's state before its first step. */
static __device__ __forceinline__ track_state begin_child(const track_batch &b,
							  const track_children &c,
							  const uint32_t *successor, uint32_t child,
							  unsigned char *shared, track_step *at)
{
	uint32_t parent = track_parent_of(c.first, b.count, child);

	at->seed = b.seed;
	at->iteration = b.iteration;
	at->source = c.first_source + parent;
	at->successor = successor ? successor[child] : child - c.first[parent];
	at->step = 0;
	at->phase = TRACK_ASSIGN;
	return track_private_copy(track_batch_state(b, parent), b.layout, shared);
}

/* Each round of the loop plays one move of the thread's current game. */
static __global__ void __launch_bounds__(BLOCK)
	track_samegame_rollouts(const __grid_constant__ track_samegame_rules d,
				const __grid_constant__ track_batch b,
				const __grid_constant__ track_children c, const uint32_t *successor,
				uint32_t steps, bool assign_first, uint32_t *rating)
{
	SHARED_MEMORY(unsigned char, shared);
	uint32_t child = track_thread(), threads = gridDim.x * blockDim.x;
	bool begin = true;
	track_state s;
	track_step at;

	while (child < c.total) {
		if (begin)
			s = begin_child(b, c, successor, child, shared, &at);
		if (!begin || assign_first)
			track_samegame_rules_assign(&d, s, &at);
		track_samegame_rules_execute(&d, s, &at);
		at.step++;
		begin = at.step == steps ||
			track_samegame_head_of(s)->column == TRACK_SAMEGAME_OVER;
		if (begin) {
			rating[child] = track_samegame_rules_rate(&d, s);
			if (child + threads < child)
				return;
			child += threads;
		}
	}
}

static size_t shared_bytes(const struct track_batch *b)
{
	return BLOCK * track_state_bytes(b->layout);
}

static int expand(struct track_place *p, const void *d, const struct track_batch *b,
		  uint32_t *number, struct err *e)
{
	if (!b->count)
		return 0;
	return LAUNCH(e, samegame_groups, track_blocks(b->count, BLOCK), BLOCK, shared_bytes(b),
		      p->stream, plain::of(d), *b, number, nullptr, nullptr);
}

static int successors(struct track_place *p, const void *d, const struct track_batch *b,
		      const struct track_children *c, uint32_t *successor, struct err *e)
{
	int status = track_check_children(c, e);

	if (status || !c->total)
		return status;
	return LAUNCH(e, samegame_groups, track_blocks(b->count, BLOCK), BLOCK, shared_bytes(b),
		      p->stream, plain::of(d), *b, nullptr, c->first, successor);
}

static int rate_children(struct track_place *p, const void *d, const struct track_batch *b,
			 const struct track_children *c, const uint32_t *successor, uint32_t steps,
			 uint32_t flags, uint32_t breaks, uint32_t *rating, struct err *e)
{
	int status = track_check_children(c, e);

	if (status || !c->total)
		return status;
	if (flags & TRACK_ASSIGN_FIXED || !steps)
		return plain::rate_children(p, d, b, c, successor, steps, flags, breaks, rating, e);
	return LAUNCH(e, track_samegame_rollouts, min(track_blocks(c->total, BLOCK), MOST_BLOCKS),
		      BLOCK, shared_bytes(b), p->stream, plain::of(d), *b, *c, successor, steps,
		      (flags & TRACK_ASSIGN_FIRST) != 0, rating);
}

extern "C" const struct track_ops BACKEND_SYMBOL(track_samegame_rules_ops) DEV_TABLE = {
	plain::execute, plain::assign, plain::rate,   expand,  successors,
	plain::advance, plain::replay, rate_children, nullptr, nullptr
};
