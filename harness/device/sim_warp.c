/* Warp operations: the last lane to come computes every lane's result. */
#include <string.h>

#include "harness/device/sim_engine.h"

static const char *const names[SIM_WARP_KINDS] = {
	[SIM_SYNCWARP] = "__syncwarp",
	[SIM_SHUFFLE] = "__shfl_sync",
	[SIM_BALLOT] = "__ballot_sync",
	[SIM_MATCH_ANY] = "__match_any_sync",
	[SIM_MATCH_ALL] = "__match_all_sync",
	[SIM_REDUCE_ADD] = "__reduce_add_sync",
	[SIM_REDUCE_MIN] = "__reduce_min_sync",
	[SIM_REDUCE_MAX] = "__reduce_max_sync",
	[SIM_REDUCE_MIN_S] = "__reduce_min_sync",
	[SIM_REDUCE_MAX_S] = "__reduce_max_sync",
	[SIM_REDUCE_AND] = "__reduce_and_sync",
	[SIM_REDUCE_OR] = "__reduce_or_sync",
	[SIM_REDUCE_XOR] = "__reduce_xor_sync",
};

const char *sim_warp_name(const struct sim_thread *t)
{
	static const char *const votes[] = { "__ballot_sync", "__any_sync", "__all_sync" };
	return t->kind == SIM_BALLOT ? votes[t->param] : names[t->kind];
}

#define FOR_LANES(i, lanes)                                                                        \
	for (uint32_t rest_ = (lanes); rest_ && (i = __builtin_ctz(rest_), 1); rest_ &= rest_ - 1)

static uint64_t reduce(enum sim_warp_kind kind, uint32_t a, uint32_t b)
{
	switch (kind) {
	case SIM_REDUCE_ADD:
		return (uint32_t)(a + b);
	case SIM_REDUCE_MIN:
		return a < b ? a : b;
	case SIM_REDUCE_MAX:
		return a > b ? a : b;
	case SIM_REDUCE_MIN_S:
		return (int32_t)a < (int32_t)b ? a : b;
	case SIM_REDUCE_MAX_S:
		return (int32_t)a > (int32_t)b ? a : b;
	case SIM_REDUCE_AND:
		return a & b;
	case SIM_REDUCE_OR:
		return a | b;
	default:
		return a ^ b;
	}
}

/* What a lane shuffles from one that does not take part. */
static const uint64_t shuffle_poison = UINT64_C(0xBADBADBADBADBADB);

static void shuffle(struct sim_thread *warp, uint32_t lanes)
{
	int i;
	FOR_LANES(i, lanes)
	{
		uint32_t from = warp[i].param;
		warp[i].result = from >= SIM_WARP  ? warp[i].value :
				 lanes >> from & 1 ? warp[from].value :
						     shuffle_poison;
	}
}

static uint32_t equal_lanes(const struct sim_thread *warp, uint32_t lanes, uint64_t value)
{
	int i;
	uint32_t r = 0;
	FOR_LANES(i, lanes)
	if (warp[i].value == value)
		r |= 1u << i;
	return r;
}

static void match(struct sim_thread *warp, uint32_t lanes, bool all)
{
	int i;
	FOR_LANES(i, lanes)
	{
		uint32_t same = equal_lanes(warp, lanes, warp[i].value);
		warp[i].result = all && same != lanes ? 0 : same;
	}
}

/* Operations with one result for all lanes. */
static void combine(struct sim_thread *warp, uint32_t lanes, enum sim_warp_kind kind)
{
	int i, first = __builtin_ctz(lanes);
	uint64_t r = warp[first].value;
	if (kind == SIM_BALLOT)
		r = equal_lanes(warp, lanes, 1);
	else
		FOR_LANES(i, lanes & (lanes - 1))
	r = reduce(kind, (uint32_t)r, (uint32_t)warp[i].value);
	FOR_LANES(i, lanes)
	warp[i].result = r;
}

static void compute(struct sim_thread *warp, uint32_t lanes, enum sim_warp_kind kind)
{
	if (kind == SIM_SHUFFLE)
		shuffle(warp, lanes);
	else if (kind == SIM_MATCH_ANY || kind == SIM_MATCH_ALL)
		match(warp, lanes, kind == SIM_MATCH_ALL);
	else if (kind != SIM_SYNCWARP)
		combine(warp, lanes, kind);
}

static bool same_operation(const struct sim_thread *a, const struct sim_thread *b)
{
	return a->mask == b->mask && a->kind == b->kind &&
	       (a->kind == SIM_SHUFFLE || a->param == b->param);
}

/* Completes the operation that `t` waits in, if all its lanes are there. A lane in another
 * operation may still come, unless that operation waits for `t`. */
static void try_complete(struct sim_thread *t, struct sim_thread *caller)
{
	struct sim_block *b = t->block;
	unsigned w = t->index / SIM_WARP;
	struct sim_thread *warp = &b->thread[w * SIM_WARP];
	uint32_t lanes = t->mask & ~b->warp_gone[w];
	int i;
	if ((b->warp_waiting[w] & lanes) != lanes)
		return;
	FOR_LANES(i, lanes)
	if (!same_operation(&warp[i], t)) {
		if (!(warp[i].mask >> t->view.lane & 1))
			return;
		sim_fail(caller,
			 "wrong mask: lane %u is in %s(0x%08x), lane %d in %s(0x%08x) at "
			 "%s:%d",
			 t->view.lane, sim_warp_name(t), t->mask, i, sim_warp_name(&warp[i]),
			 warp[i].mask, warp[i].at.file, warp[i].at.line);
	}
	compute(warp, lanes, t->kind);
	b->warp_waiting[w] &= ~lanes;
	unsigned count = b->threads - w * SIM_WARP;
	bool reverse = b->worker->schedule == SIM_REVERSE;
	for (unsigned k = 0; k < SIM_WARP; k++) {
		unsigned lane = reverse ? SIM_WARP - 1 - k : k;
		if (lane < count && (lanes >> lane & 1))
			sim_make_ready(&warp[lane]);
	}
}

uint64_t sim_warp(enum sim_warp_kind kind, uint32_t mask, uint64_t value, uint32_t param,
		  struct sim_place at)
{
	struct sim_thread *t = sim_current();
	struct sim_block *b = t->block;
	t->at = at;
	t->kind = kind;
	t->mask = mask;
	t->value = value;
	t->param = param;
	sim_progress(b->worker);
	if (!(mask >> t->view.lane & 1))
		sim_fail(t, "wrong mask: %s(0x%08x) called by lane %u, which is not in it",
			 sim_warp_name(t), mask, t->view.lane);
	b->warp_waiting[t->index / SIM_WARP] |= 1u << t->view.lane;
	t->state = SIM_IN_WARP;
	try_complete(t, t);
	sim_leave_cpu(t);
	return t->result;
}

/* A lane that leaves is waited for no longer. */
void sim_warp_lane_left(struct sim_thread *t)
{
	struct sim_block *b = t->block;
	unsigned w = t->index / SIM_WARP;
	int i;
	b->warp_gone[w] |= 1u << t->view.lane;
	FOR_LANES(i, b->warp_waiting[w])
	if (b->warp_waiting[w] >> i & 1)
		try_complete(&b->thread[w * SIM_WARP + (unsigned)i], t);
}
