/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The wide kernel: one warp per node, any size; LB1, or LB2 by all pairs of machines.
 *
 * Row: mask words; front, back, rem (one word per machine each); moves.
 *
 * First a lane is a child and computes its LB1, front and back. Then, for LB2, a lane is a pair of
 * machines; 32 pairs are handled at a time. LB2 needs C_uv (fsp.h) of the node's set less one job,
 * for each of its jobs. With
 *     x_k = sum_{i<=k} p_iu + lag_k + sum_{i>=k} p_iv,   k over the set in Johnson's order,
 * removing the job at position r leaves
 *     C = max( max_{k<r} x_k - p_rv, max_{k>r} x_k - p_ru ),
 * so one pass forwards and one backwards give C for all children (wide_siblings). C is kept in the
 * warp's scratch and serves both sides. Forward branching computes LB2 only for children that LB1
 * and earlier pairs have not pruned; if few are left, for each separately (wide_alone). The sums of
 * MaxSum and MinBranch need all bounds exactly.
 *
 * T: the type of scratch and tables; int16_t if all values are below 2^15, as in the pair kernel.
 *
 * The scratch of a warp (wide_bytes) is in shared memory; if a node outgrows that of a block (400
 * jobs on 60 machines), in device memory. */
#include "kernels/tree-search/dfs_stack.cuh"

static const int FEW = 4; /* with this many children or fewer, each is bounded separately */

/* A step of a pair's Johnson order. */
template <class T> struct johnson_step {
	T job, first, lag, second;
};

template <class T> struct wide_node {
	uint32_t *left; /* mask */
	int32_t *front, *back, *rem;
	int32_t *front_bound, *back_bound; /* of the children, by position in the list */
	int16_t *list, *place; /* unscheduled jobs; a job's position in the list, -1: not in it */
	T *child_front, *child_back; /* [position], `pitch` apart */
	T *value;                    /* C by [position][lane] */
	int count, pitch;
	uint64_t entry;
};

template <class T> static size_t wide_bytes(const struct dfs_world *w)
{
	size_t n = (size_t)w->jobs, m = (size_t)w->machines, even = n + (n & 1);
	size_t words = (size_t)w->mask_words + 3 * m + 2 * n + even;
	size_t children = 2 * (m | 1) + (w->pairs ? 32 : 0);

	return (words * 4 + n * children * sizeof(T) + 15) / 16 * 16;
}

template <class T>
static __device__ __forceinline__ wide_node<T> wide_open(const dfs_world &w, int32_t *scratch)
{
	wide_node<T> x;
	int n = w.jobs, m = w.machines;

	x.pitch = m | 1;
	x.left = (uint32_t *)scratch;
	x.front = scratch + w.mask_words;
	x.back = x.front + m;
	x.rem = x.back + m;
	x.front_bound = x.rem + m;
	x.back_bound = x.front_bound + n;
	x.list = (int16_t *)(x.back_bound + n);
	x.place = x.list + n + (n & 1);
	x.child_front = (T *)(x.place + n + (n & 1));
	x.child_back = x.child_front + n * x.pitch;
	x.value = x.child_back + n * x.pitch;
	x.count = 0;
	x.entry = 0;
	return x;
}

/* Makes the node of an entry. */
template <class T>
static __device__ void wide_make(const dfs_world &w, const warp_stack &s, wide_node<T> &x)
{
	const uint32_t *row = s.row + (size_t)entry_row(x.entry) * w.row_words;
	int job = entry_job(x.entry), m = w.machines;

	__syncwarp();
	for (int i = s.lane; i < w.mask_words + 3 * m; i += 32)
		x.left[i] = row[i];
	__syncwarp();
	if (job != DFS_NO_JOB) {
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
		bool mine = word >> s.lane & 1;
		int place = x.count + __popc(word & ((1u << s.lane) - 1));
		int job_here = i * 32 + s.lane;

		if (mine)
			x.list[place] = (int16_t)job_here;
		if (job_here < w.jobs)
			x.place[job_here] = (int16_t)(mine ? place : -1);
		x.count += __popc(word);
	}
	__syncwarp();
}

/* LB1 of the children, with their fronts and backs. */
template <class T>
static __device__ void wide_lb1(const dfs_world &w, const warp_stack &s, wide_node<T> &x, bool ends)
{
	int m = w.machines;

	for (int i = s.lane; i < x.count; i += 32) {
		const int32_t *p = w.time + x.list[i];
		T *front = x.child_front + i * x.pitch, *back = x.child_back + i * x.pitch;
		int t = 0, bound = 0;

		for (int k = 0; k < m; k++) {
			t = max(t, x.front[k]);
			bound = max(bound, t + x.rem[k] + x.back[k]);
			t += __ldg(p + k * w.jobs);
			front[k] = (T)t;
		}
		x.front_bound[i] = bound;
		t = bound = 0;
		for (int k = m - 1; ends && k >= 0; k--) {
			t = max(t, x.back[k]);
			bound = max(bound, t + x.rem[k] + x.front[k]);
			t += __ldg(p + k * w.jobs);
			back[k] = (T)t;
		}
		x.back_bound[i] = bound;
	}
	__syncwarp();
}

template <class T>
static __device__ __forceinline__ johnson_step<T> load_step(const dfs_world &w, int position,
							    int pair);
template <>
__device__ __forceinline__ johnson_step<int16_t> load_step<int16_t>(const dfs_world &w,
								    int position, int pair)
{
	uint2 both = __ldg((const uint2 *)w.johnson + position * w.pairs + pair);
	johnson_step<int16_t> j = { (int16_t)both.x, (int16_t)(both.x >> 16), (int16_t)both.y,
				    (int16_t)(both.y >> 16) };
	return j;
}
template <>
__device__ __forceinline__ johnson_step<int32_t> load_step<int32_t>(const dfs_world &w,
								    int position, int pair)
{
	int4 all = __ldg((const int4 *)w.johnson + position * w.pairs + pair);
	johnson_step<int32_t> j = { all.x, all.y, all.z, all.w };
	return j;
}

/* C for all children and this lane's pair, to x.value. */
template <class T>
static __device__ void wide_siblings(const dfs_world &w, const warp_stack &s, wide_node<T> &x,
				     int pair, int v)
{
	const int none = -16000; /* below all values, which are positive */
	int first = 0, second = x.rem[v], most = none;
	T *value = x.value + s.lane;

	for (int i = 0; i < w.jobs; i++) {
		johnson_step<T> j = load_step<T>(w, i, pair);
		int place = x.place[j.job];

		if (place >= 0) {
			first += j.first;
			value[place * 32] = (T)(most - j.second);
			most = max(most, first + j.lag + second);
			second -= j.second;
		}
	}
	most = none;
	for (int i = w.jobs - 1; i >= 0; i--) {
		johnson_step<T> j = load_step<T>(w, i, pair);
		int place = x.place[j.job];

		if (place >= 0) {
			second += j.second;
			value[place * 32] = (T)max((int)value[place * 32], most - j.first);
			most = max(most, first + j.lag + second);
			first -= j.first;
		}
	}
}

/* C for the child without the job at `out`. */
template <class T>
static __device__ int wide_alone(const dfs_world &w, const wide_node<T> &x, int pair, int out)
{
	int t0 = 0, t1 = 0;

	for (int i = 0; i < w.jobs; i++) {
		johnson_step<T> j = load_step<T>(w, i, pair);
		int place = x.place[j.job];

		if (place >= 0 && place != out) {
			t0 += j.first;
			t1 = max(t0 + j.lag, t1) + j.second;
		}
	}
	return t1;
}

/* Raises the bounds of the children that are below `stop` to LB2 by 32 pairs from `first` on. */
template <class T>
static __device__ void wide_pairs(const dfs_world &w, const warp_stack &s, wide_node<T> &x,
				  int first, bool ends, int stop, bool all)
{
	int pair = first + s.lane < w.pairs ? first + s.lane : w.pairs - 1;
	int uv = __ldg(w.pair_uv + pair), u = uv & 0xffff, v = uv >> 16;
	int front = x.front[u], back = x.back[v];

	if (all)
		wide_siblings<T>(w, s, x, pair, v);
	for (int i = 0; i < x.count; i++) {
		if (x.front_bound[i] >= stop)
			continue;
		int value = all ? x.value[i * 32 + s.lane] : wide_alone<T>(w, x, pair, i);
		int by_front = x.child_front[i * x.pitch + u] + value + back;
		int by_back = ends ? x.child_back[i * x.pitch + v] + value + front : 0;

		by_front = max(x.front_bound[i], __reduce_max_sync(WARP_ALL, by_front));
		if (ends)
			by_back = max(x.back_bound[i], __reduce_max_sync(WARP_ALL, by_back));
		__syncwarp();
		if (s.lane == 0) {
			x.front_bound[i] = by_front;
			if (ends)
				x.back_bound[i] = by_back;
		}
	}
	__syncwarp();
}

/* Whether a machine pair of the round bounds the node by at least `best`: a lane for each pair. */
template <class T>
static __device__ bool wide_test(const dfs_world &w, const dfs_round &r, const warp_stack &s,
				 const wide_node<T> &x, int best)
{
	bool reached = false;

	if (s.lane < r.tests) {
		int u = (int)(r.test_u >> 8 * s.lane & 0xff);
		int v = (int)(r.test_v >> 8 * s.lane & 0xff);
		int32_t t0 = x.front[u], t1 = x.front[v];

		fsp_steps_run(w.test_step + s.lane * w.jobs, w.jobs, x.left, 1, &t0, &t1);
		reached = t0 + x.back[u] >= best || t1 + x.back[v] >= best;
	}
	return __any_sync(WARP_ALL, reached);
}

/* The number of children that have not been pruned. */
template <class T>
static __device__ int wide_alive(const warp_stack &s, const wide_node<T> &x, int stop)
{
	int alive = 0;

	for (int base = 0; base < x.count; base += 32) {
		int i = base + s.lane;

		alive += __popc(__ballot_sync(WARP_ALL, i < x.count && x.front_bound[i] < stop));
	}
	return alive;
}

template <class T>
static __device__ void wide_bound(const dfs_world &w, const dfs_round &r, const warp_stack &s,
				  wide_node<T> &x, int best)
{
	bool ends = r.rule != FSP_FORWARD;
	int stop = ends ? INT32_MAX : best, alive;

	wide_lb1<T>(w, s, x, ends);
	for (int pair = 0; x.count > 1 && pair < w.pairs; pair += 32) {
		alive = wide_alive<T>(s, x, stop);
		if (!alive)
			break;
		wide_pairs<T>(w, s, x, pair, ends, stop, alive > FEW);
	}
}

template <class T>
static __device__ int wide_side(const dfs_round &r, const warp_stack &s, const wide_node<T> &x)
{
	int fewer = 0, all_fewer;
	int64_t difference = 0;

	if (r.rule == FSP_FORWARD)
		return 0;
	for (int i = s.lane; i < x.count; i += 32) {
		fewer += (x.front_bound[i] >= r.first_ub) - (x.back_bound[i] >= r.first_ub);
		difference += (int64_t)x.front_bound[i] - x.back_bound[i];
	}
	difference = warp_sum(difference);
	all_fewer = __reduce_add_sync(WARP_ALL, fewer);
	if (r.rule == FSP_MINBRANCH && all_fewer)
		return all_fewer < 0;
	return r.rule == FSP_MINBRANCH ? difference < 0 : difference <= 0;
}

/* Writes the moves of the node, whose own is the last one: the others are those of its entry's row,
 * which stays below the new one. */
template <class T>
static __device__ void wide_moves(const dfs_world &w, const warp_stack &s, const wide_node<T> &x,
				  uint32_t *to)
{
	const uint32_t *from = row_moves(w, s, entry_row(x.entry));
	int placed = w.jobs - x.count;

	for (int i = s.lane; i * 4 < placed * w.move_bytes; i += 32)
		to[i] = from[i];
	__syncwarp();
	if (s.lane == 0 && entry_job(x.entry) != DFS_NO_JOB)
		put_move(w, to, placed - 1, x.entry);
}

template <class T>
static __device__ void wide_push(const dfs_world &w, warp_stack &s, const wide_node<T> &x, int side,
				 int best)
{
	const int32_t *bound = side ? x.back_bound : x.front_bound;
	uint32_t *row = s.row + (size_t)s.rows * w.row_words;
	int before = s.entries;

	for (int base = 0; base < x.count; base += 32) {
		int i = base + s.lane;
		bool lives = i < x.count && bound[i] < best;
		unsigned lanes = __ballot_sync(WARP_ALL, lives);

		if (lives)
			s.entry[s.entries + __popc(lanes & ((1u << s.lane) - 1))] =
				make_entry(s.rows, side, x.list[i], bound[i]);
		s.entries += __popc(lanes);
	}
	if (s.entries == before)
		return;
	for (int i = s.lane; i < w.mask_words + 3 * w.machines; i += 32)
		row[i] = x.left[i];
	if (w.moves_at)
		wide_moves<T>(w, s, x, row + w.moves_at);
	s.explored += (unsigned)(s.entries - before);
	s.rows++;
}

/* TESTED: r.tests may be more than 0. */
template <class T, bool TESTED>
static __device__ void wide_batch(const dfs_world &w, const dfs_round &r, warp_stack &s,
				  wide_node<T> &x, int best)
{
	int bound, side;

	stack_trim(s);
	x.entry = s.entry[--s.entries];
	bound = (int)(x.entry >> 32);
	if (bound >= best && entry_job(x.entry) != DFS_NO_JOB) {
		s.own_cut += s.lane == 0;
		return;
	}
	wide_make<T>(w, s, x);
	if (TESTED && wide_test<T>(w, r, s, x, best)) {
		count_pruned(w, s, 1);
		return;
	}
	wide_bound<T>(w, r, s, x, best);
	side = wide_side<T>(r, s, x);
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
		wide_push<T>(w, s, x, side, best);
	}
	__syncwarp();
}

/* Empties the stack and records the least bound that was on it. */
static __device__ void wide_survey(const dfs_world &w, warp_stack &s)
{
	int bound = INT32_MAX;

	for (int i = s.lane; i < s.entries; i += 32)
		bound = min(bound, (int)(s.entry[i] >> 32));
	bound = __reduce_min_sync(WARP_ALL, bound);
	if (s.lane == 0)
		atomicMin(&w.control->open_bound, bound);
	s.entries = 0;
}

template <class T, bool TESTED>
static __device__ __forceinline__ void wide_round(const dfs_world &w, const dfs_round &r,
						  warp_stack &s, wide_node<T> &x)
{
	if (r.survey) {
		wide_survey(w, s);
		stack_close(w, s);
		return;
	}
	share_open(w, s);
	thief t = {};
	for (int batch = 0;;) {
		WAVE_SYNC();
		if (!s.entries) {
			if (!wait_for_work(w, r, s, t, batch))
				break;
			continue;
		}
		signals seen = load_signals(w, s);
		int best = __shfl_sync(WARP_ALL, seen.best, 0);

		if (!round_continues(w, r, s, batch, __shfl_sync(WARP_ALL, seen.idle, 0)))
			break;
		share(w, r, s, seen);
		wide_batch<T, TESTED>(w, r, s, x, best);
		batch++;
		t = {};
	}
	share_close(w, s);
	stack_close(w, s);
}

/* ---- nodes that outgrow shared memory ---- */

template <class T, bool TESTED>
static __global__ void __launch_bounds__(DFS_BLOCK) wide_search_far(dfs_world w, dfs_round r)
{
	warp_stack s = stack_open(w);
	unsigned char *scratch = w.scratch + (size_t)s.warp * w.scratch_bytes;
	wide_node<T> x = wide_open<T>(w, (int32_t *)scratch);

	wide_round<T, TESTED>(w, r, s, x);
}

template <class T, bool TESTED>
static int launch_far(struct dev_stream *s, const struct dfs_world *w, const struct dfs_round *r,
		      int *warps, struct err *e)
{
	int status;

	if (!warps)
		return LAUNCH_COOPERATIVE(e, (wide_search_far<T, TESTED>),
					  w->warps / DFS_BLOCK_WARPS, DFS_BLOCK, 0, s, *w, *r);
	status = GPU_OCCUPANCY(e, warps, (wide_search_far<T, TESTED>), DFS_BLOCK, 0, s);
	*warps *= DFS_BLOCK_WARPS;
	return status;
}

/* ---- scratch in shared memory ---- */

/* The blocks bound the registers to 56 or 64. */
template <class T, bool TESTED>
static __global__ void __launch_bounds__(DFS_BLOCK, sizeof(T) == 2 ? 9 : 8)
	wide_search(dfs_world w, dfs_round r, int bytes)
{
	SHARED_MEMORY(unsigned char, shared);
	warp_stack s = stack_open(w);
	wide_node<T> x = wide_open<T>(w, (int32_t *)(shared + threadIdx.x / 32 * bytes));

	wide_round<T, TESTED>(w, r, s, x);
}

/* Warps per block: fewer if a node needs much shared memory. */
template <class T, bool TESTED>
static int launch_one(struct dev_stream *s, const struct dfs_world *w, const struct dfs_round *r,
		      int *warps, struct err *e)
{
	size_t bytes = wide_bytes<T>(w);
	int block = bytes > 48 * 1024 ? 1 : DFS_BLOCK_WARPS, status;

	if (w->scratch_bytes)
		return launch_far<T, TESTED>(s, w, r, warps, e);
	if (!warps)
		return LAUNCH_COOPERATIVE(e, (wide_search<T, TESTED>), w->warps / block, 32 * block,
					  bytes * block, s, *w, *r, (int)bytes);
	status = GPU_OCCUPANCY(e, warps, (wide_search<T, TESTED>), 32 * block, bytes * block, s);
	*warps *= block;
	return status;
}

/* As in the pair kernel. */
template <class T>
static int launch(struct dev_stream *s, const struct dfs_world *w, const struct dfs_round *r,
		  int *warps, struct err *e)
{
	int tested = 0, status;

	if (!warps)
		return r->tests ? launch_one<T, true>(s, w, r, NULL, e) :
				  launch_one<T, false>(s, w, r, NULL, e);
	status = launch_one<T, false>(s, w, r, warps, e);
	if (status || !w->most_tests)
		return status;
	status = launch_one<T, true>(s, w, r, &tested, e);
	*warps = tested < *warps ? tested : *warps;
	return status;
}

int BACKEND_SYMBOL(dfs_wide_warps)(struct dev_stream *s, const struct dfs_world *w, int *warps,
				   struct err *e)
{
	return w->narrow ? launch<int16_t>(s, w, NULL, warps, e) :
			   launch<int32_t>(s, w, NULL, warps, e);
}

int BACKEND_SYMBOL(dfs_wide_round)(struct dev_stream *s, const struct dfs_world *w,
				   const struct dfs_round *r, struct err *e)
{
	return w->narrow ? launch<int16_t>(s, w, r, NULL, e) : launch<int32_t>(s, w, r, NULL, e);
}

size_t BACKEND_SYMBOL(dfs_wide_scratch)(const struct dfs_world *w)
{
	return w->narrow ? wide_bytes<int16_t>(w) : wide_bytes<int32_t>(w);
}
