/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The pair kernel: LB1 of both sides at once, in the 16-bit halves of one word.
 *
 * The low half goes through the machines 0, 1, ..., M-1, the high half from the last to the first.
 * So appending a job to the prefix (low) and putting it before the suffix (high) are one chain of
 * add-max instructions over k:
 *     FB[k] = (front[k], back[M-1-k])      P[j][k] = (p_j of k, p_j of M-1-k)
 *     RB[k] = (rem[k] + back[k], rem[M-1-k] + front[M-1-k])
 *     start = max(start + P[k-1], FB[k]);  bound = max(bound, start + RB[k])
 * rem is that of the parent: start + rem + back, with the job still in rem, is the child's bound.
 * Padding machines have times of zero, which changes no bound.
 *
 * Row: mask words; FB; M/2 words (rem[k], rem[M-1-k]) for k < M/2; moves.
 *
 * All values are below 2^15, as checked by the caller (dfs_device.c, fits_16_bits). */
#include "kernels/tree-search/dfs_stack.cuh"

/* Size in words of the table of times in shared memory. The jobs are padded to whole words of a
 * set, and one row of zero times follows. */
static __host__ __device__ inline int pair_times(int jobs, int machines)
{
	return ((jobs + 31) / 32 * 32 + 1) * machines;
}

/* The word of shared memory where the steps of machine pairs begin. */
static __host__ __device__ inline int pair_steps_at(int jobs, int machines)
{
	return (pair_times(jobs, machines) + 3) / 4 * 4;
}

/* Returns x and keeps the compiler from recomputing it at every use. */
static __device__ __forceinline__ uint32_t keep(uint32_t x)
{
#if defined(__CUDACC__)
	asm("" : "+r"(x));
#endif
	return x;
}

static __device__ __forceinline__ uint32_t swap_halves(uint32_t x)
{
	return __byte_perm(x, 0, 0x1032);
}

/* In these two functions everything except the comparison uses the multiplier, because the unit of
 * maxima and comparisons is the bottleneck. */

/* sum + low half - high half of x if `set` has `bit`, else sum. `one`: 1, as a value that the
 * compiler cannot know. */
static __device__ __forceinline__ int add_difference(uint32_t x, uint32_t set, uint32_t bit,
						     int sum, uint32_t one)
{
#if !defined(__CUDACC__)
	return set & bit ? sum + ((int)(x & 0xffff) - (int)(x >> 16)) * (int)one : sum;
#else
	int difference = __dp2a_lo((int)x, 0x0000ff01, 0);

	asm("{\n\t.reg .pred p;\n\t.reg .b32 t;\n\t"
	    "and.b32 t, %2, %3;\n\tsetp.ne.b32 p, t, 0;\n\t"
	    "@p mad.lo.s32 %0, %1, %4, %0;\n\t}"
	    : "+r"(sum)
	    : "r"(difference), "r"(set), "r"(bit), "r"(one));
	return sum;
#endif
}

/* Adds `bit`, which the set does not have, if a < b. */
static __device__ __forceinline__ uint32_t add_if_less(int a, int b, uint32_t set, uint32_t bit,
						       uint32_t one)
{
#if !defined(__CUDACC__)
	return a < b ? set + bit * one : set;
#else
	asm("{\n\t.reg .pred p;\n\tsetp.lt.s32 p, %1, %2;\n\t"
	    "@p mad.lo.u32 %0, %3, %4, %0;\n\t}"
	    : "+r"(set)
	    : "r"(a), "r"(b), "r"(bit), "r"(one));
	return set;
#endif
}

template <int M, int W> struct pair_node {
	uint32_t left[W];
	uint32_t fb[M], rb[M];
	uint32_t front_lives[W], back_lives[W]; /* bit j: that child's bound is below best */
	int fewer;      /* front children >= first_ub minus back children >= first_ub */
	int difference; /* sum of front bounds minus sum of back bounds */
	uint64_t entry;
};

/* Both bounds of the children that the job with times `p` makes of Q nodes. The chains of the nodes
 * are independent, which hides their latency. The maximum takes two machines at once, and its sums
 * use the multiplier (`one`), because the unit of maxima is the bottleneck. Machine 0 gives the
 * same value for all jobs. */
template <int M, int W, int Q>
static __device__ __forceinline__ void pair_bounds(const pair_node<M, W> *x, const uint32_t *p,
						   uint32_t one, uint32_t *bound)
{
	uint32_t start[Q], first[Q] = {};

#pragma unroll
	for (int q = 0; q < Q; q++) {
		start[q] = x[q].fb[0];
		bound[q] = x[q].fb[0] + x[q].rb[0];
	}
#pragma unroll
	for (int k = 1; k < M; k++) {
#pragma unroll
		for (int q = 0; q < Q; q++) {
			start[q] = __viaddmax_s16x2(start[q], p[k - 1], x[q].fb[k]);
			if (k == M - 1) {
				bound[q] = __viaddmax_s16x2(start[q], x[q].rb[k], bound[q]);
				continue;
			}
			uint32_t sum = start[q] * one + x[q].rb[k];

			if (k % 2)
				first[q] = sum;
			else
				bound[q] = __vimax3_s16x2(first[q], sum, bound[q]);
		}
	}
}

/* A row without its moves in registers, moved 16 bytes at a time. */
template <int M, int W> struct pair_row {
	enum { VECTORS = (W + M + M / 2 + 3) / 4 };
	uint32_t word[4 * VECTORS];
};

template <int M, int W>
static __device__ __forceinline__ void pair_read(pair_row<M, W> &r, const uint32_t *from)
{
#pragma unroll
	for (int i = 0; i < r.VECTORS; i++) {
		uint4 v = ((const uint4 *)from)[i];

		r.word[4 * i] = v.x;
		r.word[4 * i + 1] = v.y;
		r.word[4 * i + 2] = v.z;
		r.word[4 * i + 3] = v.w;
	}
}

/* Makes the node of an entry from its row and its job's times in shared memory. */
template <int M, int W>
static __device__ __forceinline__ void pair_make(pair_node<M, W> &x, pair_row<M, W> &r,
						 const uint32_t *times, int jobs)
{
	int job = entry_job(x.entry), side = entry_side(x.entry);
	bool none = job == DFS_NO_JOB;
	const uint32_t *p = times + (none ? jobs : job) * M;
	unsigned pick = none ? 0x3210 : side ? 0x7610 : 0x3254; /* of (fb, start) */
	uint32_t start = 0;

#pragma unroll
	for (int i = 0; i < W; i++)
		x.left[i] = r.word[i] & ~(!none && job / 32 == i ? 1u << job % 32 : 0u);
#pragma unroll
	for (int k = 0; k < M; k++) {
		start = __vmaxs2(start, r.word[W + k]) + p[k];
		x.fb[k] = __byte_perm(r.word[W + k], start, pick);
		if (k < M / 2)
			r.word[W + M + k] -= p[k];
	}
#pragma unroll
	for (int k = 0; k < M; k++)
		x.rb[k] = keep(
			(k < M / 2 ? r.word[W + M + k] : swap_halves(r.word[W + M + M - 1 - k])) +
			swap_halves(x.fb[M - 1 - k]));
}

template <int M, int W>
static __device__ __forceinline__ void pair_write(const pair_node<M, W> &x, uint32_t *row)
{
	pair_row<M, W> r;

#pragma unroll
	for (int i = W + M + M / 2; i < 4 * r.VECTORS; i++)
		r.word[i] = 0;
#pragma unroll
	for (int i = 0; i < W; i++)
		r.word[i] = x.left[i];
#pragma unroll
	for (int k = 0; k < M; k++)
		r.word[W + k] = x.fb[k];
#pragma unroll
	for (int k = 0; k < M / 2; k++)
		r.word[W + M + k] = x.rb[k] - swap_halves(x.fb[M - 1 - k]);
#pragma unroll
	for (int i = 0; i < r.VECTORS; i++)
		((uint4 *)row)[i] = make_uint4(r.word[4 * i], r.word[4 * i + 1], r.word[4 * i + 2],
					       r.word[4 * i + 3]);
}

template <int M, int W>
static __device__ __forceinline__ int pair_own_bound(const pair_node<M, W> &x)
{
	uint32_t bound = 0;

#pragma unroll
	for (int k = 0; k < M; k++)
		bound = __viaddmax_s16x2(x.fb[k], x.rb[k], bound);
	return (int)(bound & 0xffff) > (int)(bound >> 16) ? (int)(bound & 0xffff) :
							    (int)(bound >> 16);
}

/* ---- tests with machine pairs: both nodes of a lane in the halves of a word ---- */

/* The jobs of a pair in Johnson's order, one step each, in shared memory:
 *     x  how to find the job in the sets: bits 0..15 the bytes that have its bit, 16..20 the place
 *        of the bit in its byte, 31 the word
 *     y, z, w  p_u; lag + 2^15; p_v */
static __device__ __forceinline__ uint4 pair_step(const fsp_step &s)
{
	uint32_t job = (uint32_t)s.job, byte = job % 32 / 8;

	return make_uint4(byte | (4 + byte) << 8 | job % 8 << 16 | job / 32 << 31,
			  (uint32_t)s.u_time, (uint32_t)s.lag + 0x8000, (uint32_t)s.v_time);
}

/* Copies the steps of all pairs in use, for all warps of the block. */
static __device__ __forceinline__ void pair_load_steps(const dfs_world &w, const dfs_round &r,
						       uint4 *step)
{
	for (int i = threadIdx.x; i < r.tests * w.jobs; i += DFS_BLOCK)
		step[i] = pair_step(w.test_step[i]);
}

/* Returns x and keeps the compiler from computing what needs it before this call. */
static __device__ __forceinline__ uint32_t now(uint32_t x)
{
#if defined(__CUDACC__)
	asm volatile("" : "+r"(x));
#endif
	return x;
}

struct pair_edge {
	uint32_t front, back;
};

/* The front and back of all nodes on a machine from FROM to END - 1. A search by branches, because
 * registers have no index. */
template <int FROM, int END, int M, int W, int Q>
static __device__ __forceinline__ pair_edge pair_edge_of(const pair_node<M, W> *x, int machine,
							 uint32_t low, uint32_t high)
{
	if constexpr (END - FROM == 1) {
		return { __byte_perm(x[0].fb[FROM], x[Q - 1].fb[FROM], low),
			 __byte_perm(x[0].fb[M - 1 - FROM], x[Q - 1].fb[M - 1 - FROM], high) };
	} else {
		const int middle = (FROM + END) / 2;

		return machine < middle ?
			       pair_edge_of<FROM, middle, M, W, Q>(x, machine, low, high) :
			       pair_edge_of<middle, END, M, W, Q>(x, machine, low, high);
	}
}

/* __byte_perm() with a selector whose four digits are below 8 and whose high half is not used. The
 * compiler would mask the digits first. */
static __device__ __forceinline__ uint32_t pick_bytes(uint32_t x, uint32_t y, uint32_t selector)
{
#if defined(__CUDACC__)
	uint32_t picked;

	asm("prmt.b32 %0, %1, %2, %3;" : "=r"(picked) : "r"(x), "r"(y), "r"(selector));
	return picked;
#else
	return __byte_perm(x, y, selector);
#endif
}

/* 1 in the half of each node that has the job of the step, else 0. */
template <int M, int W, int Q>
static __device__ __forceinline__ uint32_t pair_has(const pair_node<M, W> *x, uint32_t job)
{
	int word = W == 1 || (int)job >= 0 ? 0 : W - 1;
	uint32_t low = word ? x[0].left[W - 1] : x[0].left[0];
	uint32_t high = Q == 1 ? 0 : word ? x[Q - 1].left[W - 1] : x[Q - 1].left[0];

	return __funnelshift_r(pick_bytes(low, high, job), 0, job >> 16) & 0x00010001;
}

/* The bound of a pair for all nodes (fsp_lb2_pair). The times of jobs that a node does not have are
 * multiplied by 0. t0 is kept less 2^15, the lag of step.z more, so that the sum of such a job is
 * below t1. */
template <int M, int W, int Q>
static __device__ __forceinline__ uint32_t pair_bound_of(const pair_node<M, W> *x,
							 const uint4 *step, int jobs, int u, int v)
{
	uint32_t low = now(0x5410), high = now(0x7632); /* halves of (node, next node) */
	pair_edge at_u = pair_edge_of<0, M, M, W, Q>(x, u, low, high);
	pair_edge at_v = pair_edge_of<0, M, M, W, Q>(x, v, low, high);
	uint32_t t0 = at_u.front ^ 0x80008000, t1 = at_v.front;

#pragma unroll 4
	for (int i = 0; i < jobs; i++) {
		uint4 job = step[i];
		uint32_t has = pair_has<M, W, Q>(x, job.x);

		t0 += has * job.y;
		t1 = __viaddmax_s16x2(t0, has * job.z, t1) + has * job.w;
	}
	return __vmaxs2((t0 ^ 0x80008000) + at_u.back, t1 + at_v.back);
}

/* Tests popped nodes: those that reach `best` lose their jobs. */
template <int M, int W, int Q>
static __device__ __forceinline__ void pair_test(const dfs_world &w, const dfs_round &r,
						 warp_stack &s, pair_node<M, W> *x, int best,
						 const uint4 *step)
{
	for (int k = 0; k < r.tests; k++) {
		int u = (int)(r.test_u >> 8 * k & 0xff), v = (int)(r.test_v >> 8 * k & 0xff);
		uint32_t bounds = pair_bound_of<M, W, Q>(x, step + k * w.jobs, w.jobs, u, v);
		int pruned = 0;

#pragma unroll
		for (int q = 0; q < Q; q++) {
			bool reached = (int)(bounds >> 16 * q & 0xffff) >= best, open = false;

#pragma unroll
			for (int i = 0; i < W; i++) {
				open = open || x[q].left[i];
				x[q].left[i] = reached ? 0 : x[q].left[i];
			}
			s.own_decomposed -= reached && open;
			pruned += __popc(__ballot_sync(WARP_ALL, reached && open));
		}
		count_pruned(w, s, pruned);
	}
}

/* ---- bounds of the children ---- */

template <int W> static __device__ __forceinline__ int count_bits(const uint32_t *words)
{
	int count = 0;

#pragma unroll
	for (int i = 0; i < W; i++)
		count += __popc(words[i]);
	return count;
}

/* Bounds one job of word `i` of the sets, with times `p`. IMPROVED: see pair_bound_all. */
template <int M, int W, int Q, bool IMPROVED>
static __device__ __forceinline__ void pair_bound_job(pair_node<M, W> *x, const uint32_t *p, int i,
						      uint32_t bit, int best, const dfs_round &r)
{
	/* to be compared with a high half, when the low one is 0 */
	const int limit = best << 16, first = r.first_ub << 16;
	uint32_t bounds[Q];

	pair_bounds<M, W, Q>(x, p, r.one, bounds);
#pragma unroll
	for (int q = 0; q < Q; q++) {
		int back = (int)bounds[q], front = (int)(bounds[q] << 16);

		/* bits of jobs that a node does not have are removed at the end */
		x[q].front_lives[i] = add_if_less(front, limit, x[q].front_lives[i], bit, r.one);
		x[q].back_lives[i] = add_if_less(back, limit, x[q].back_lives[i], bit, r.one);
		x[q].difference =
			add_difference(bounds[q], x[q].left[i], bit, x[q].difference, r.one);
		if (IMPROVED && x[q].left[i] & bit)
			x[q].fewer += (front >= first) - (back >= first);
	}
}

/* Bounds the children of all nodes of the warp, one job after the other. The first times of the
 * next job are prefetched. IMPROVED: best is below first_ub, so that the survivors do not show how
 * many bounds reach first_ub. */
template <int M, int W, int Q, bool IMPROVED>
static __device__ __forceinline__ void pair_bound_all(pair_node<M, W> *x, const uint32_t *times,
						      int best, const dfs_round &r)
{
#pragma unroll
	for (int q = 0; q < Q; q++)
		x[q].fewer = x[q].difference = 0;
#pragma unroll
	for (int i = 0; i < W; i++) {
		uint32_t any = 0;

#pragma unroll
		for (int q = 0; q < Q; q++) {
			any |= x[q].left[i];
			x[q].front_lives[i] = x[q].back_lives[i] = 0;
		}
		any = __reduce_or_sync(WARP_ALL, any);
		if (!any)
			continue; /* the word may be beyond the times */
		/* after the last job, `job` is 31: the times of that row are loaded but not used */
		int job = __ffs((int)(any | 1u << 31)) - 1;
		uint2 head = *(const uint2 *)(times + (i * 32 + job) * M);
		while (any) {
			const uint32_t *row = times + (i * 32 + job) * M;
			uint32_t rest = any & (any - 1), bit = any ^ rest;
			uint32_t p[M] = { head.x, head.y };

#pragma unroll
			for (int k = 2; k < M; k++)
				p[k] = row[k];
			job = __ffs((int)(rest | 1u << 31)) - 1;
			head = *(const uint2 *)(times + (i * 32 + job) * M);
			any = rest;
			pair_bound_job<M, W, Q, IMPROVED>(x, p, i, bit, best, r);
		}
#pragma unroll
		for (int q = 0; q < Q; q++) {
			x[q].front_lives[i] &= x[q].left[i];
			x[q].back_lives[i] &= x[q].left[i];
		}
	}
#pragma unroll
	for (int q = 0; !IMPROVED && q < Q; q++)
		x[q].fewer = count_bits<W>(x[q].back_lives) - count_bits<W>(x[q].front_lives);
}

/* Returns 1 if the children are placed at the end. Equal sums: MaxSum takes the end, MinBranch the
 * front. */
static __device__ __forceinline__ int choose_side(int rule, int fewer, int difference)
{
	if (rule == FSP_FORWARD)
		return 0;
	if (rule == FSP_MINBRANCH && fewer)
		return fewer < 0;
	return rule == FSP_MINBRANCH ? difference < 0 : difference <= 0;
}

/* One job is left: its bound is a makespan. `leaf`: lanes whose makespan is below best. */
template <int M, int W>
static __device__ __forceinline__ void pair_leaves(const dfs_world &w, warp_stack &s,
						   const pair_node<M, W> &x, bool leaf,
						   const uint32_t *times)
{
	unsigned lanes = __ballot_sync(WARP_ALL, leaf);
	int last = 0, value = 0;

	if (!lanes)
		return;
	if (leaf) {
		uint32_t p[M], bound;

#pragma unroll
		for (int i = 0; i < W; i++) {
			if (x.left[i])
				last = i * 32 + __ffs((int)x.left[i]) - 1;
		}
#pragma unroll
		for (int k = 0; k < M; k++)
			p[k] = times[last * M + k];
		pair_bounds<M, W, 1>(&x, p, 1, &bound);
		value = (int)(bound & 0xffff);
	}
	s.leaves += (unsigned)__popc(lanes);
	for (; lanes; lanes &= lanes - 1) {
		int from = __ffs((int)lanes) - 1;

		keep_leaf(w, s, __shfl_sync(WARP_ALL, (unsigned long long)x.entry, from),
			  __shfl_sync(WARP_ALL, last, from), __shfl_sync(WARP_ALL, value, from));
	}
	send_best(w, s);
}

/* Writes the moves of the nodes that have survivors (`count`) to their new rows: those of the
 * entry's row and the entry's own. New rows may overwrite the rows that are read: all lanes read a
 * unit of 16 bytes before one writes it. */
template <int M, int W, int Q>
static __device__ __forceinline__ void pair_moves(const dfs_world &w, const warp_stack &s,
						  const pair_node<M, W> *x, const uint32_t *count,
						  const int *row)
{
	int placed[Q], units[Q], most = 0;
	uint4 unit[Q];

#pragma unroll
	for (int q = 0; q < Q; q++) {
		bool none = entry_job(x[q].entry) == DFS_NO_JOB;

		placed[q] = w.jobs - count_bits<W>(x[q].left) - (none ? 0 : 1);
		units[q] = count[q] ? (placed[q] * w.move_bytes + 15) / 16 : 0;
		most = max(most, units[q]);
	}
	most = __reduce_max_sync(WARP_ALL, most);
	for (int i = 0; i < most; i++) {
#pragma unroll
		for (int q = 0; q < Q; q++) {
			int from = entry_row(x[q].entry);

			if (i < units[q])
				unit[q] = ((const uint4 *)row_moves(w, s, from))[i];
		}
		__syncwarp();
#pragma unroll
		for (int q = 0; q < Q; q++) {
			if (i < units[q])
				((uint4 *)row_moves(w, s, row[q]))[i] = unit[q];
		}
	}
#pragma unroll
	for (int q = 0; q < Q; q++) {
		if (count[q] && entry_job(x[q].entry) != DFS_NO_JOB)
			put_move(w, row_moves(w, s, row[q]), placed[q], x[q].entry);
	}
}

/* Pushes each lane's surviving children (`lives`), one row for all children of a node. */
template <int M, int W, int Q>
static __device__ __forceinline__ void pair_push(const dfs_world &w, warp_stack &s,
						 const pair_node<M, W> *x,
						 const uint32_t (*lives)[W], const int *side)
{
	uint32_t count[Q], before = 0;
	unsigned below = (1u << s.lane) - 1;

	static_assert(Q <= 2, "counts of two nodes share a word");
#pragma unroll
	for (int q = 0; q < Q; q++) {
		count[q] = (uint32_t)count_bits<W>(lives[q]);
		before |= count[q] << 16 * q;
	}
	before = warp_scan(before, (unsigned)s.lane);
	uint32_t all = __shfl_sync(WARP_ALL, before, 31);
	int row[Q], rows = s.rows;

#pragma unroll
	for (int q = 0; q < Q; q++) {
		unsigned parents = __ballot_sync(WARP_ALL, count[q] > 0);

		row[q] = rows + __popc(parents & below);
		rows += __popc(parents);
	}
	if (w.moves_at)
		pair_moves<M, W, Q>(w, s, x, count, row);
#pragma unroll
	for (int q = 0; q < Q; q++) {
		int from = (int)(before >> 16 * q & 0xffff) - (int)count[q];
		uint64_t *to = s.entry + s.entries + from;

		if (count[q]) {
			pair_write<M, W>(x[q], s.row + (size_t)row[q] * w.row_words);
#pragma unroll
			for (int i = 0; i < W; i++) {
				for (uint32_t rest = lives[q][i]; rest; rest &= rest - 1)
					*to++ = make_entry(row[q], side[q],
							   i * 32 + __ffs((int)rest) - 1, 0);
			}
		}
		s.entries += (int)(all >> 16 * q & 0xffff);
		s.explored += all >> 16 * q & 0xffff;
	}
	s.rows = rows;
	__syncwarp();
}

/* Pops up to 32 Q entries and makes their nodes. Lanes without an entry, or whose entry has been
 * cut off by a better schedule, get a node without jobs. Independent reads are issued together to
 * overlap their latencies. */
template <int M, int W, int Q>
static __device__ __forceinline__ void pair_pop(const dfs_world &w, const dfs_round &r,
						warp_stack &s, pair_node<M, W> *x, int best,
						const uint32_t *times)
{
	int width = stack_width(w, s, 32 * Q);
	pair_row<M, W> row[Q];

	s.entries -= width;
	uint64_t under = s.entry[s.entries ? s.entries - 1 : 0];
	/* a lane without an entry makes the node of the first one and drops it */
#pragma unroll
	for (int q = 0; q < Q; q++)
		x[q].entry = s.entry[s.entries + (q * 32 + s.lane < width ? q * 32 + s.lane : 0)];
#pragma unroll
	for (int q = 0; q < Q; q++)
		pair_read<M, W>(row[q], s.row + (size_t)entry_row(x[q].entry) * w.row_words);
#pragma unroll
	for (int q = 0; q < Q; q++) {
		bool mine = q * 32 + s.lane < width;

		pair_make<M, W>(x[q], row[q], times, w.jobs);
		if (best < r.first_ub && entry_job(x[q].entry) != DFS_NO_JOB &&
		    pair_own_bound<M, W>(x[q]) >= best) {
			s.own_cut += mine;
			mine = false;
		}
#pragma unroll
		for (int i = 0; i < W; i++)
			x[q].left[i] = mine ? x[q].left[i] : 0;
		s.own_decomposed += mine;
	}
	/* new rows may overwrite these, of which everything except the moves has been read */
	s.rows = s.entries ? entry_row(under) + 1 : 0;
}

/* Empties the stack and records the least bound that was on it. */
template <int M, int W>
static __device__ __forceinline__ void pair_survey(const dfs_world &w, warp_stack &s,
						   const uint32_t *times)
{
	int bound = INT32_MAX;

	for (int i = s.lane; i < s.entries; i += 32) {
		pair_node<M, W> x;
		pair_row<M, W> row;

		x.entry = s.entry[i];
		pair_read<M, W>(row, s.row + (size_t)entry_row(x.entry) * w.row_words);
		pair_make<M, W>(x, row, times, w.jobs);
		bound = min(bound, pair_own_bound<M, W>(x));
	}
	bound = __reduce_min_sync(WARP_ALL, bound);
	if (s.lane == 0)
		atomicMin(&w.control->open_bound, bound);
	s.entries = 0;
}

/* Pushes the surviving children of bounded nodes on the side that the rule chooses. */
template <int M, int W, int Q>
static __device__ __forceinline__ void pair_branch(const dfs_world &w, const dfs_round &r,
						   warp_stack &s, const pair_node<M, W> *x,
						   const uint32_t *times)
{
	uint32_t lives[Q][W];
	int side[Q];
	bool leaf[Q], any = false;

#pragma unroll
	for (int q = 0; q < Q; q++) {
		int left = count_bits<W>(x[q].left);

		side[q] = choose_side(r.rule, x[q].fewer, x[q].difference);
		leaf[q] = false;
#pragma unroll
		for (int i = 0; i < W; i++) {
			uint32_t set = side[q] ? x[q].back_lives[i] : x[q].front_lives[i];

			leaf[q] = leaf[q] || (left == 1 && set);
			lives[q][i] = left == 1 ? 0 : set;
		}
		any = any || leaf[q];
		s.own_evaluated += (unsigned)(r.rule == FSP_FORWARD ? left : 2 * left);
	}
	if (__any_sync(WARP_ALL, any)) {
#pragma unroll
		for (int q = 0; q < Q; q++)
			pair_leaves<M, W>(w, s, x[q], leaf[q], times);
	}
	pair_push<M, W, Q>(w, s, x, lives, side);
}

/* Blocks on a multiprocessor: they bound the registers. */
template <int M, int Q> struct pair_blocks {
	enum { COUNT = M == 60 ? 2 : M == 40 || (M > 10 && Q == 2) ? 3 : 4 };
};

/* TESTED: r.tests may be more than 0. */
template <int M, int W, int Q, bool TESTED>
static __global__ void __launch_bounds__(DFS_BLOCK, (pair_blocks<M, Q>::COUNT))
	pair_search(dfs_world w, dfs_round r)
{
	SHARED_MEMORY(uint32_t, times);
	uint4 *step = (uint4 *)(times + pair_steps_at(w.jobs, M));
	for (int i = threadIdx.x; i < pair_times(w.jobs, M); i += DFS_BLOCK)
		times[i] = i < (w.jobs + 1) * M ? w.pair_time[i] : 0;
	if (TESTED)
		pair_load_steps(w, r, step);
	__syncthreads();

	warp_stack s = stack_open(w);
	if (r.survey) {
		pair_survey<M, W>(w, s, times);
		stack_close(w, s);
		return;
	}
	share_open(w, s);
	signals seen = load_signals(w, s);
	thief t = {};
	for (int batch = 0;;) {
		WAVE_SYNC();
		if (!s.entries) {
			if (!wait_for_work(w, r, s, t, batch))
				break;
			seen = load_signals(w, s);
			continue;
		}
		pair_node<M, W> x[Q];
		int best = __shfl_sync(WARP_ALL, seen.best, 0);

		if (!round_continues(w, r, s, batch, __shfl_sync(WARP_ALL, seen.idle, 0)))
			break;
		share(w, r, s, seen);
		pair_pop<M, W, Q>(w, r, s, x, best, times);
		if (TESTED)
			pair_test<M, W, Q>(w, r, s, x, best, step);
		if (best < r.first_ub)
			pair_bound_all<M, W, Q, true>(x, times, best, r);
		else
			pair_bound_all<M, W, Q, false>(x, times, best, r);
		seen = load_signals(w, s); /* for the next batch: no warp waits for it */
		pair_branch<M, W, Q>(w, r, s, x, times);
		batch++;
		t = {};
	}
	share_close(w, s);
	stack_close(w, s);
}

/* ---- launches ---- */

template <int M, int W, int Q, bool TESTED>
static int launch_one(struct dev_stream *s, const struct dfs_world *w, const struct dfs_round *r,
		      int *warps, struct err *e)
{
	size_t steps = TESTED ? (size_t)w->most_tests * (size_t)w->jobs * sizeof(uint4) : 0;
	size_t shared = (size_t)pair_steps_at(w->jobs, M) * sizeof(uint32_t) + steps;

	if (warps) {
		int status = GPU_OCCUPANCY(e, warps, (pair_search<M, W, Q, TESTED>), DFS_BLOCK,
					   shared, s);

		*warps *= DFS_BLOCK_WARPS;
		return status;
	}
	return LAUNCH_COOPERATIVE(e, (pair_search<M, W, Q, TESTED>), w->warps / DFS_BLOCK_WARPS,
				  DFS_BLOCK, shared, s, *w, *r);
}

/* Rounds without tests run a kernel of their own. The occupancy is that of both. */
template <int M, int W, int Q>
static int launch(struct dev_stream *s, const struct dfs_world *w, const struct dfs_round *r,
		  int *warps, struct err *e)
{
	const bool can_test = W * 32 <= DFS_TESTS_MAX_JOBS;
	int tested = 0, status;

	if (!warps)
		return can_test && r->tests ? launch_one<M, W, Q, can_test>(s, w, r, NULL, e) :
					      launch_one<M, W, Q, false>(s, w, r, NULL, e);
	status = launch_one<M, W, Q, false>(s, w, r, warps, e);
	if (status || !w->most_tests)
		return status;
	status = launch_one<M, W, Q, can_test>(s, w, r, &tested, e);
	*warps = tested < *warps ? tested : *warps;
	return status;
}

/* Chooses by the number of jobs. Q: nodes per lane, if their registers suffice. */
template <int M, int Q>
static int size(struct dev_stream *s, const struct dfs_world *w, const struct dfs_round *r,
		int *warps, struct err *e)
{
	switch (w->mask_words) {
	case 1:
		return launch<M, 1, Q>(s, w, r, warps, e);
	case 2:
		return launch<M, 2, Q>(s, w, r, warps, e);
	default:
		return launch<M, 8, 1>(s, w, r, warps, e);
	}
}

/* Chooses the kernel for the size: launches it or, with `warps`, returns its occupancy. */
static int dispatch(struct dev_stream *s, const struct dfs_world *w, const struct dfs_round *r,
		    int *warps, struct err *e)
{
	switch (dfs_pair_machines(w->machines)) {
	case 10:
		return size<10, 2>(s, w, r, warps, e);
	case 16:
		return size<16, 2>(s, w, r, warps, e);
	case 20:
		return size<20, 2>(s, w, r, warps, e);
	case 40:
		return size<40, 1>(s, w, r, warps, e);
	default:
		return size<60, 1>(s, w, r, warps, e);
	}
}

int BACKEND_SYMBOL(dfs_pair_warps)(struct dev_stream *s, const struct dfs_world *w, int *warps,
				   struct err *e)
{
	return dispatch(s, w, NULL, warps, e);
}

int BACKEND_SYMBOL(dfs_pair_round)(struct dev_stream *s, const struct dfs_world *w,
				   const struct dfs_round *r, struct err *e)
{
	return dispatch(s, w, r, NULL, e);
}
