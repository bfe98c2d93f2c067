/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Code common to the search kernels: the stack of a warp, signals between warps, moves. All lanes
 * of a warp call these functions together. */
#ifndef COPRA_KERNELS_TREE_SEARCH_DFS_STACK_CUH
#define COPRA_KERNELS_TREE_SEARCH_DFS_STACK_CUH

#include "kernels/common/gpu.cuh"
#include "kernels/common/warp.cuh"

#include "kernels/tree-search/dfs.h"

/* The search kernels, each in its own source: one round, and the number of warps that run at
 * once. */
int BACKEND_SYMBOL(dfs_pair_warps)(struct dev_stream *s, const struct dfs_world *w, int *warps,
				   struct err *e);
int BACKEND_SYMBOL(dfs_pair_round)(struct dev_stream *s, const struct dfs_world *w,
				   const struct dfs_round *r, struct err *e);
int BACKEND_SYMBOL(dfs_wide_warps)(struct dev_stream *s, const struct dfs_world *w, int *warps,
				   struct err *e);
int BACKEND_SYMBOL(dfs_wide_round)(struct dev_stream *s, const struct dfs_world *w,
				   const struct dfs_round *r, struct err *e);
size_t BACKEND_SYMBOL(dfs_wide_scratch)(const struct dfs_world *w);

static const int POLL_EVERY = 16; /* batches between two reads of the mail */
static const int POLL_WARPS = 64; /* one warp of this many reads the mail */

struct warp_stack {
	int warp, lane;
	int rows, entries; /* in use */
	int entry_room;    /* the limit of entries */
	uint32_t *row;     /* of this warp */
	uint64_t *entry;
	uint64_t explored, decomposed, leaves, evaluated; /* of this round, the same in all lanes */
	uint32_t own_decomposed, own_evaluated, own_cut;  /* the same, counted per lane */
};

static __device__ __forceinline__ struct warp_stack stack_open(const dfs_world &w)
{
	warp_stack s;

	s.warp = (int)(blockIdx.x * blockDim.x + threadIdx.x) / 32;
	s.lane = threadIdx.x % 32;
	s.rows = w.row_count[s.warp];
	s.entries = w.entry_count[s.warp];
	s.row = w.rows + (size_t)s.warp * w.row_capacity * w.row_words;
	s.entry_room = w.entry_capacity - w.entry_first[s.warp];
	s.entry = w.entries + (size_t)s.warp * w.entry_capacity + w.entry_first[s.warp];
	s.explored = s.decomposed = s.leaves = s.evaluated = 0;
	s.own_decomposed = s.own_evaluated = s.own_cut = 0;
	return s;
}

static __device__ __forceinline__ void stack_close(const dfs_world &w, const warp_stack &s)
{
	uint64_t decomposed = warp_sum((uint64_t)s.own_decomposed);
	uint64_t evaluated = warp_sum((uint64_t)s.own_evaluated);
	uint64_t cut = warp_sum((uint64_t)s.own_cut);

	if (s.lane == 0) {
		dfs_tally *t = &w.tally[s.warp];

		w.row_count[s.warp] = s.entries ? s.rows : 0;
		st_relaxed_gpu(&w.entry_count[s.warp], s.entries); /* thieves may read it */
		w.entry_first[s.warp] = s.entries ? w.entry_capacity - s.entry_room : 0;
		t->explored += s.explored;
		t->decomposed += s.decomposed + decomposed;
		t->leaves += s.leaves;
		t->evaluated += s.evaluated + evaluated;
		t->cut += cut;
	}
}

/* Counts nodes that a test pruned, in memory: searches without tests need no register for it. */
static __device__ __forceinline__ void count_pruned(const dfs_world &w, const warp_stack &s,
						    int nodes)
{
	if (s.lane == 0 && nodes)
		atomicAdd((unsigned long long *)&w.tally[s.warp].pruned, (unsigned long long)nodes);
}

static __device__ __forceinline__ int entry_row(uint64_t e)
{
	return (int)((uint32_t)e >> DFS_ROW_SHIFT);
}
static __device__ __forceinline__ int entry_job(uint64_t e)
{
	return (int)e & DFS_NO_JOB;
}
static __device__ __forceinline__ int entry_side(uint64_t e)
{
	return (int)(e >> DFS_JOB_BITS) & 1;
}
static __device__ __forceinline__ uint64_t make_entry(int row, int side, int job, int bound)
{
	return (uint64_t)(uint32_t)bound << 32 | (uint32_t)row << DFS_ROW_SHIFT |
	       (uint32_t)side << DFS_JOB_BITS | (uint32_t)job;
}

/* Frees the rows above that of the top entry. */
static __device__ __forceinline__ void stack_trim(warp_stack &s)
{
	s.rows = entry_row(s.entry[s.entries - 1]) + 1;
}

/* The number of entries that may be popped, at most `most`, if each pushes one row and `jobs`
 * entries. */
static __device__ __forceinline__ int stack_width(const dfs_world &w, const warp_stack &s, int most)
{
	int rows = w.row_capacity - w.row_reserve - s.rows;
	int entries = s.entry_room - w.entry_reserve - s.entries;
	int width = s.entries < most ? s.entries : most;

	if (width <= rows && width * w.jobs <= entries)
		return width;
	width = width < rows ? width : rows;
	width = width < entries / w.jobs ? width : entries / w.jobs;
	return width > 1 ? width : 1;
}

/* ---- signals ---- */

static __device__ __forceinline__ void read_mail(const dfs_world &w, int lane)
{
	if (lane < w.devices && lane != w.self) {
		int32_t best = ld_acquire_sys(&w.mail[lane].best);

		if (best < ld_relaxed_gpu(&w.control->best))
			atomicMin(&w.control->best, best);
	} else if (lane == w.self && ld_acquire_sys(&w.mail[lane].halt)) {
		atomicOr(&w.control->idle, DFS_HALT);
	}
}

/* Values that other warps may change. Only those of lane 0 are valid. */
struct signals {
	int best, idle, ask;
};

static __device__ __forceinline__ signals load_signals(const dfs_world &w, const warp_stack &s)
{
	signals seen = { 0, 0, 0 };

	if (s.lane == 0) {
		seen.best = ld_relaxed_gpu(&w.control->best);
		seen.idle = ld_relaxed_gpu(&w.control->idle);
		seen.ask = ld_relaxed_gpu(&w.ask[s.warp]);
	}
	return seen;
}

/* Returns false when the round ends for this warp. `idle`: as last read. The first warp that has
 * used up its batches ends the round for all; otherwise faster warps would wait for slower ones. */
static __device__ __forceinline__ bool round_continues(const dfs_world &w, const dfs_round &r,
						       const warp_stack &s, int batch, int idle)
{
	if (s.warp % POLL_WARPS == 0 && batch % POLL_EVERY == POLL_EVERY - 1)
		read_mail(w, s.lane);
	if (batch == r.most_batches && s.lane == 0)
		atomicOr(&w.control->idle, DFS_HALT | DFS_SPENT);
	return batch < r.least_batches || (batch < r.most_batches && idle < DFS_HALT);
}

/* ---- sharing within a round ----
 *
 * A warp without work (the thief) looks at the numbers of entries of 32 random warps and chooses
 * the one with most (the victim). It writes its own number into ask[victim] and waits for
 * answer[thief]. The victim looks at its ask[] once per batch. It copies its oldest entries and
 * their rows to the stack of the thief, which is empty, and answers with their number, or it
 * refuses. It always answers: a warp that becomes idle or leaves the round first closes its ask[]
 * and refuses a thief that it finds there. So a thief waits for a running warp only, and a stack is
 * changed only by its owner, or by the victim that its owner waits for.
 *
 * control->idle counts the warps without work. A victim subtracts its thief before it answers.
 *
 * Two warps may share a program counter. So a thief does not wait in a loop of its own, but in
 * steps, which are iterations of the loop that searches. They converge in each. */

enum { ASK_OPEN = 0, ASK_CLOSED = -1 }; /* else the thief, plus 1 */
enum { NO_ANSWER = 0, REFUSED = -1 };   /* else the number of entries */

/* A warp without work. */
enum { THIEF_NEW, THIEF_ASKS, THIEF_WAITS };
struct thief {
	int phase, steps;
	int least; /* in lane 0: the least number of idle warps seen, */
	int tries; /* and steps since */
};

/* At the beginning of a round. */
static __device__ __forceinline__ void share_open(const dfs_world &w, const warp_stack &s)
{
	if (s.lane == 0 && s.entries)
		st_release_gpu(&w.ask[s.warp], ASK_OPEN);
}

/* Refuses a thief that has asked, and lets no other ask. */
static __device__ __forceinline__ void share_close(const dfs_world &w, const warp_stack &s)
{
	int thief = s.lane == 0 ? atomicExch(&w.ask[s.warp], ASK_CLOSED) : ASK_CLOSED;

	if (thief > 0)
		st_release_gpu(&w.answer[thief - 1], REFUSED);
}

/* The number of entries to give: none if too much of the stack is a gap (drop_given closes it). */
static __device__ __forceinline__ int share_size(const dfs_world &w, const dfs_round &r,
						 const warp_stack &s, int gone)
{
	int rows = w.row_capacity - w.row_reserve, entries = w.entry_capacity - w.entry_reserve;

	if (s.entries < r.least_shared || gone > rows / 2 ||
	    w.entry_capacity - s.entry_room > entries / 2)
		return 0;
	return min(min(s.entries / 2, r.most_shared), min(rows, entries));
}

/* Copies rows. Several reads are issued together to overlap their latencies. */
static __device__ __forceinline__ void share_rows(uint4 *to, const uint4 *from, int vectors,
						  int lane)
{
	const int EACH = 2;

	for (int i = lane; i < vectors; i += 32 * EACH) {
		uint4 v[EACH];

#pragma unroll
		for (int k = 0; k < EACH; k++) {
			if (i + k * 32 < vectors)
				v[k] = from[i + k * 32];
		}
#pragma unroll
		for (int k = 0; k < EACH; k++) {
			if (i + k * 32 < vectors)
				to[i + k * 32] = v[k];
		}
	}
}

/* Answers the thief: gives it the oldest entries, or none. They need at most one row each, and in
 * the wide kernel one more for each level whose last entry was popped; row_reserve has room for
 * these. */
static __device__ __forceinline__ void share_answer(const dfs_world &w, const dfs_round &r,
						    warp_stack &s, int thief)
{
	int gone = entry_row(s.entry[0]), give = share_size(w, r, s, gone);

	if (give) {
		int rows = entry_row(s.entry[give - 1]) + 1 - gone;
		uint32_t *row = w.rows + (size_t)thief * w.row_capacity * w.row_words;
		uint64_t *entry = w.entries + (size_t)thief * w.entry_capacity;

		if (s.lane == 0)
			__threadfence(); /* the thief's last accesses come before these */
		__syncwarp();
		share_rows((uint4 *)row, (const uint4 *)(s.row + (size_t)gone * w.row_words),
			   rows * (w.row_words / 4), s.lane);
		for (int i = s.lane; i < give; i += 32)
			entry[i] = s.entry[i] - ((uint64_t)gone << DFS_ROW_SHIFT);
		s.entry += give;
		s.entries -= give;
		s.entry_room -= give;
	}
	__syncwarp();
	if (s.lane == 0) {
		if (give)
			atomicSub(&w.control->idle, 1);
		st_release_gpu(&w.ask[s.warp], ASK_OPEN);
		st_release_gpu(&w.answer[thief], give ? give : REFUSED);
	}
}

/* Before a batch: answers a thief, and tells others how many entries there are. */
static __device__ __forceinline__ void share(const dfs_world &w, const dfs_round &r, warp_stack &s,
					     const signals &seen)
{
	int ask = __shfl_sync(WARP_ALL, seen.ask, 0);

	if (ask > 0)
		share_answer(w, r, s, ask - 1);
	if (s.lane == 0)
		st_relaxed_gpu(&w.entry_count[s.warp], s.entries);
}

/* The warp with most entries among 32 random ones, or -1 if it has too few. */
static __device__ __forceinline__ int choose_victim(const dfs_world &w, const dfs_round &r,
						    const warp_stack &s, int batch, int step)
{
	const int most = 1 << 25;
	uint32_t h = (uint32_t)(s.warp * 32 + s.lane) * 0x9e3779b1u ^
		     (uint32_t)batch * 0x85ebca6bu ^ (uint32_t)step * 0xc2b2ae35u;

	h = (h ^ h >> 15) * 0x2c1b3c6du;
	h = (h ^ h >> 12) * 0x297a2d39u;
	int victim = (int)__umulhi(h ^ h >> 15, (uint32_t)w.warps);
	int key = min(ld_relaxed_gpu(&w.entry_count[victim]), most) * 32 + s.lane;

	key = __reduce_max_sync(WARP_ALL, key);
	victim = __shfl_sync(WARP_ALL, victim, key % 32);
	return key / 32 < r.least_shared ? -1 : victim;
}

/* Whether the round is over, in lane 0 of a thief that asks. */
static __device__ __forceinline__ bool share_ends(const dfs_world &w, const dfs_round &r, thief &t)
{
	int idle = ld_relaxed_gpu(&w.control->idle);

	t.tries = idle < t.least ? 0 : t.tries + 1;
	t.least = min(t.least, idle);
	if (idle >= DFS_HALT)
		return true;
	if (idle < w.warps && (idle < r.idle_limit || t.tries < r.patience))
		return false;
	atomicOr(&w.control->idle, DFS_HALT);
	return true;
}

/* In lane 0: asks the victim, if any. Returns -1 if the round is over, else 0. */
static __device__ __forceinline__ int share_ask(const dfs_world &w, const dfs_round &r,
						const warp_stack &s, thief &t, int victim)
{
	if (share_ends(w, r, t))
		return -1;
	if (victim < 0 || ld_relaxed_gpu(&w.ask[victim]) != ASK_OPEN)
		return 0;
	__threadfence(); /* the victim's accesses to this stack come after this warp's */
	if (atomicCAS(&w.ask[victim], ASK_OPEN, s.warp + 1) == ASK_OPEN)
		t.phase = THIEF_WAITS;
	return 0;
}

/* In lane 0: looks for the answer. Returns the number of entries received, or 0 for none yet. */
static __device__ __forceinline__ int share_receive(const dfs_world &w, const warp_stack &s,
						    thief &t)
{
	if (ld_relaxed_gpu(&w.answer[s.warp]) == NO_ANSWER)
		return 0;
	int got = ld_acquire_gpu(&w.answer[s.warp]);

	w.answer[s.warp] = NO_ANSWER;
	t.phase = THIEF_ASKS;
	if (got > 0)
		st_release_gpu(&w.ask[s.warp], ASK_OPEN);
	return max(got, 0);
}

/* Makes a warp without entries a thief. */
static __device__ __forceinline__ void share_begin(const dfs_world &w, const warp_stack &s,
						   thief &t)
{
	__syncwarp();
	share_close(w, s);
	if (s.lane == 0) {
		st_relaxed_gpu(&w.entry_count[s.warp], 0);
		atomicAdd(&w.control->idle, 1);
	}
	t.least = INT32_MAX;
	t.phase = THIEF_ASKS;
}

/* A step of a warp without work, which may have received some afterwards. Returns false if the
 * round is over. */
static __device__ __forceinline__ bool wait_for_work(const dfs_world &w, const dfs_round &r,
						     warp_stack &s, thief &t, int batch)
{
	int got = 0, victim = -1;

	if (t.phase == THIEF_NEW)
		share_begin(w, s, t);
	if (s.warp % POLL_WARPS == 0 && t.steps % POLL_EVERY == POLL_EVERY - 1)
		read_mail(w, s.lane);
	if (t.phase == THIEF_ASKS)
		victim = choose_victim(w, r, s, batch, t.steps);
	t.steps++;
	if (s.lane == 0) {
		got = t.phase == THIEF_ASKS ? share_ask(w, r, s, t, victim) :
					      share_receive(w, s, t);
		if (!got)
			__nanosleep(50);
	}
	got = __shfl_sync(WARP_ALL, got, 0);
	t.phase = __shfl_sync(WARP_ALL, t.phase, 0);
	if (got > 0) {
		__syncwarp(); /* lane 0 has acquired what the others read now */
		s.entries = got;
		s.entry = w.entries + (size_t)s.warp * w.entry_capacity;
		s.entry_room = w.entry_capacity;
		s.rows = entry_row(s.entry[got - 1]) + 1;
	}
	return got >= 0;
}

/* ---- moves ---- */

static __device__ __forceinline__ uint32_t *row_moves(const dfs_world &w, const warp_stack &s,
						      int row)
{
	return s.row + (size_t)row * w.row_words + w.moves_at;
}

/* Writes the move of an entry as the i-th one. */
static __device__ __forceinline__ void put_move(const dfs_world &w, uint32_t *moves, int i,
						uint64_t e)
{
	if (w.move_bytes == 1)
		((uint8_t *)moves)[i] =
			(uint8_t)(entry_job(e) | (entry_side(e) ? DFS_BYTE_SIDE : 0));
	else
		((uint16_t *)moves)[i] = (uint16_t)((uint32_t)e & ((1u << DFS_ROW_SHIFT) - 1));
}

/* The i-th move, as the low bits of an entry. */
static __device__ __forceinline__ uint64_t get_move(const dfs_world &w, const uint32_t *moves,
						    int i)
{
	if (w.move_bytes == 2)
		return ((const uint16_t *)moves)[i];
	uint32_t move = ((const uint8_t *)moves)[i];

	return make_entry(0, move / DFS_BYTE_SIDE, move % DFS_BYTE_SIDE, 0);
}

/* Keeps a complete schedule: the node of `row` and `entry` with its last job. All lanes pass the
 * same arguments. */
static __device__ __forceinline__ void keep_leaf(const dfs_world &w, const warp_stack &s,
						 uint64_t entry, int last, int value)
{
	if (s.lane == 0)
		atomicMin(&w.control->best, value);
	int kept = s.lane == 0 ? w.leaf_value[s.warp] : 0;
	if (value >= __shfl_sync(WARP_ALL, kept, 0))
		return;
	if (s.lane == 0)
		w.leaf_value[s.warp] = value;
	if (!w.moves_at || s.lane != 0)
		return;
	const uint32_t *moves = row_moves(w, s, entry_row(entry));
	uint16_t *to = w.leaf_order + (size_t)s.warp * w.jobs;
	bool none = entry_job(entry) == DFS_NO_JOB;
	int front = 0, end = w.jobs, placed = w.jobs - (none ? 1 : 2);

	for (int i = 0; i < w.jobs - 1; i++) {
		uint64_t move = i < placed ? get_move(w, moves, i) : entry;

		to[entry_side(move) ? --end : front++] = (uint16_t)entry_job(move);
	}
	to[front] = (uint16_t)last;
}

/* After the leaves of a batch: sends the best value to the other devices. */
static __device__ __forceinline__ void send_best(const dfs_world &w, const warp_stack &s)
{
	if (s.lane == 0)
		st_release_sys(&w.mail[w.self].best, ld_relaxed_gpu(&w.control->best));
}

#endif
