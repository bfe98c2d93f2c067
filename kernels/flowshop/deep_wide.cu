/* The wide kernel: a warp a node, 32-bit values, any size; LB1, or LB2 by all pairs of machines.
 *
 * Row: mask words; front, back, rem (machines each); order.
 * Lanes are machines, then children (their LB1 and their fronts and backs, 32 at a time), then pairs of
 * machines (LB2 of one child after the other: the Johnson pass over the child's set, which gives
 * C_uv and with it the child's bound on both sides). Forward branching bounds by LB2 only children that
 * LB1 leaves, and stops at the first pair that cuts; the sums of MaxSum and MinBranch need all. */
#include "deep_parts.h"
#include "deep_stack.cuh"

struct wide_node {
	uint32_t *left;           /* mask */
	int32_t *front, *back, *rem;
	int32_t *list;            /* jobs left */
	int32_t *front_bound, *back_bound; /* of the children, by place in the list */
	int32_t *child_front, *child_back; /* of 32 children, `pitch` apart */
	int count, pitch;
	uint64_t entry;
};

static int wide_words(const struct deep_world *w)
{
	return w->mask_words + 3 * w->machines + 3 * w->jobs + 64 * (w->machines | 1);
}

static __device__ __forceinline__ wide_node wide_open(const deep_world &w, int32_t *shared)
{
	wide_node x;

	x.pitch = w.machines | 1;
	x.left = (uint32_t *)shared;
	x.front = shared + w.mask_words;
	x.back = x.front + w.machines;
	x.rem = x.back + w.machines;
	x.list = x.rem + w.machines;
	x.front_bound = x.list + w.jobs;
	x.back_bound = x.front_bound + w.jobs;
	x.child_front = x.back_bound + w.jobs;
	x.child_back = x.child_front + 32 * x.pitch;
	x.count = 0;
	x.entry = 0;
	return x;
}

static __device__ __forceinline__ bool has_bit(const uint32_t *mask, int job)
{
	return mask[job / 32] >> job % 32 & 1;
}

/* The node of an entry. */
static __device__ void wide_make(const deep_world &w, const warp_stack &s, wide_node &x)
{
	const uint32_t *row = s.row + (size_t)entry_row(x.entry) * w.row_words;
	int job = entry_job(x.entry), m = w.machines;

	__syncwarp();
	for (int i = s.lane; i < w.mask_words + 3 * m; i += 32)
		x.left[i] = row[i];
	__syncwarp();
	if (job != DEEP_NO_JOB) {
		for (int k = s.lane; k < m; k += 32)
			x.rem[k] -= w.time[k * w.jobs + job];
		if (s.lane == 0) {
			x.left[job / 32] &= ~(1u << job % 32);
			int t = 0;
			if (entry_side(x.entry)) {
				for (int k = m - 1; k >= 0; k--) {
					t = max(t, x.back[k]) + w.time[k * w.jobs + job];
					x.back[k] = t;
				}
			} else {
				for (int k = 0; k < m; k++) {
					t = max(t, x.front[k]) + w.time[k * w.jobs + job];
					x.front[k] = t;
				}
			}
		}
	}
	__syncwarp();
	x.count = 0;
	for (int i = 0; i < w.mask_words; i++) {
		uint32_t word = x.left[i];

		if (word >> s.lane & 1)
			x.list[x.count + __popc(word & ((1u << s.lane) - 1))] = i * 32 + s.lane;
		x.count += __popc(word);
	}
	__syncwarp();
}

/* LB1 of 32 children from place `base` on, and their fronts and backs. */
static __device__ void wide_lb1(const deep_world &w, const warp_stack &s, wide_node &x, int base, bool ends)
{
	int place = base + s.lane, m = w.machines;

	if (place < x.count) {
		const int32_t *p = w.time + x.list[place];
		int32_t *front = x.child_front + s.lane * x.pitch;
		int32_t *back = x.child_back + s.lane * x.pitch;
		int t = 0, bound = 0;

		for (int k = 0; k < m; k++) {
			t = max(t, x.front[k]);
			bound = max(bound, t + x.rem[k] + x.back[k]);
			t += p[k * w.jobs];
			front[k] = t;
		}
		x.front_bound[place] = bound;
		t = bound = 0;
		for (int k = m - 1; ends && k >= 0; k--) {
			t = max(t, x.back[k]);
			bound = max(bound, t + x.rem[k] + x.front[k]);
			t += p[k * w.jobs];
			back[k] = t;
		}
		x.back_bound[place] = bound;
	}
	__syncwarp();
}

/* C_uv of the node's set less `out`, for this lane's pair. */
static __device__ __forceinline__ int wide_set_value(const deep_world &w, const wide_node &x, int pair, int out)
{
	const int4 *step = (const int4 *)w.johnson + pair;
	int t0 = 0, t1 = 0;

	for (int i = 0; i < w.jobs; i++, step += w.pairs) {
		int4 job = __ldg(step);

		if (job.x != out && has_bit(x.left, job.x)) {
			t0 += job.y;
			t1 = max(t0 + job.z, t1) + job.w;
		}
	}
	return t1;
}

/* LB2 of the child at `place`, at `slot` of its 32. Stops at `stop` (forward only). */
static __device__ void wide_lb2(const deep_world &w, const warp_stack &s, wide_node &x, int place, int slot,
				bool ends, int stop)
{
	const int32_t *front = x.child_front + slot * x.pitch;
	const int32_t *back = x.child_back + slot * x.pitch;
	int front_bound = x.front_bound[place], back_bound = x.back_bound[place];
	int job = x.list[place];

	for (int first = 0; first < w.pairs && front_bound < stop; first += 32) {
		int pair = first + s.lane, by_front = 0, by_back = 0;

		if (pair < w.pairs) {
			int uv = w.pair_uv[pair], u = uv & 0xffff, v = uv >> 16;
			int value = wide_set_value(w, x, pair, job);

			by_front = front[u] + value + x.back[v];
			by_back = ends ? x.front[u] + value + back[v] : 0;
		}
		front_bound = max(front_bound, __reduce_max_sync(ALL_LANES, by_front));
		if (ends)
			back_bound = max(back_bound, __reduce_max_sync(ALL_LANES, by_back));
	}
	__syncwarp();
	if (s.lane == 0) {
		x.front_bound[place] = front_bound;
		x.back_bound[place] = back_bound;
	}
}

static __device__ void wide_bound(const deep_world &w, const deep_round &r, const warp_stack &s, wide_node &x,
				  int best)
{
	bool ends = r.rule != FSP_FORWARD;
	int stop = ends ? INT32_MAX : best;

	for (int base = 0; base < x.count; base += 32) {
		wide_lb1(w, s, x, base, ends);
		for (int i = base; r.lb2 && x.count > 1 && i < x.count && i < base + 32; i++) {
			if (x.front_bound[i] < stop)
				wide_lb2(w, s, x, i, i - base, ends, stop);
		}
		__syncwarp();
	}
}

static __device__ int wide_side(const deep_round &r, const warp_stack &s, const wide_node &x)
{
	int fewer = 0, all_fewer;
	int64_t difference = 0;

	if (r.rule == FSP_FORWARD)
		return 0;
	for (int i = s.lane; i < x.count; i += 32) {
		fewer += (x.front_bound[i] >= r.first_ub) - (x.back_bound[i] >= r.first_ub);
		difference += (int64_t)x.front_bound[i] - x.back_bound[i];
	}
	for (int step = 16; step; step /= 2)
		difference += __shfl_xor_sync(ALL_LANES, (long long)difference, step);
	all_fewer = __reduce_add_sync(ALL_LANES, fewer);
	if (r.rule == FSP_MINBRANCH && all_fewer)
		return all_fewer < 0;
	return difference <= 0;
}

static __device__ void wide_push(const deep_world &w, warp_stack &s, const wide_node &x, int side, int best)
{
	const int32_t *bound = side ? x.back_bound : x.front_bound;
	uint32_t *row = s.row + (size_t)s.rows * w.row_words;
	int before = s.entries;

	for (int base = 0; base < x.count; base += 32) {
		int i = base + s.lane;
		bool lives = i < x.count && bound[i] < best;
		unsigned lanes = __ballot_sync(ALL_LANES, lives);

		if (lives)
			s.entry[s.entries + __popc(lanes & ((1u << s.lane) - 1))] =
			    make_entry(s.rows, side, x.list[i], bound[i]);
		s.entries += __popc(lanes);
	}
	if (s.entries == before)
		return;
	for (int i = s.lane; i < w.mask_words + 3 * w.machines; i += 32)
		row[i] = x.left[i];
	if (w.order_at)
		write_order(w, s.row + (size_t)entry_row(x.entry) * w.row_words + w.order_at,
			    row + w.order_at, entry_job(x.entry), entry_side(x.entry), x.count,
			    s.lane);
	s.explored += (unsigned)(s.entries - before);
	s.rows++;
}

static __device__ void wide_batch(const deep_world &w, const deep_round &r, warp_stack &s, wide_node &x)
{
	int best = read_best(w, s), bound, side;

	stack_trim(s);
	x.entry = s.entry[--s.entries];
	bound = (int)(x.entry >> 32);
	if (r.survey && s.lane == 0)
		atomicMin(&w.control->open_bound, bound);
	if (r.survey || (bound >= best && entry_job(x.entry) != DEEP_NO_JOB))
		return;
	wide_make(w, s, x);
	wide_bound(w, r, s, x, best);
	side = wide_side(r, s, x);
	s.decomposed++;
	s.evaluated += (unsigned)(r.rule == FSP_FORWARD ? x.count : 2 * x.count);
	if (x.count == 1) {
		bound = side ? x.back_bound[0] : x.front_bound[0];
		if (bound < best) {
			s.leaves++;
			keep_leaf(w, s, x.entry, x.list[0], bound);
			send_best(w, s);
		}
	} else {
		wide_push(w, s, x, side, best);
	}
	__syncwarp();
}

static __global__ void __launch_bounds__(DEEP_BLOCK)
wide_search(deep_world w, deep_round r, int words)
{
	SHARED_MEMORY(int32_t, shared);
	warp_stack s = stack_open(w);
	wide_node x = wide_open(w, shared + threadIdx.x / 32 * words);

	for (int batch = 0; s.entries && round_goes_on(w, r, s, batch); batch++)
		wide_batch(w, r, s, x);
	stack_close(w, s);
}

int BACKEND_SYMBOL(deep_wide_blocks)(struct dev_stream *s, const struct deep_world *w, int *blocks,
				     struct err *e)
{
	size_t shared = (size_t)wide_words(w) * DEEP_BLOCK_WARPS * sizeof(int32_t);

	return GPU_OCCUPANCY(e, blocks, wide_search, DEEP_BLOCK, shared, s);
}

int BACKEND_SYMBOL(deep_wide_round)(struct dev_stream *s, const struct deep_world *w,
				    const struct deep_round *r, struct err *e)
{
	size_t shared = (size_t)wide_words(w) * DEEP_BLOCK_WARPS * sizeof(int32_t);

	return LAUNCH(e, wide_search, w->warps / DEEP_BLOCK_WARPS, DEEP_BLOCK, shared, s, *w, *r,
		      wide_words(w));
}
