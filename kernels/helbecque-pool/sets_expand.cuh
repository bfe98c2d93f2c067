/* Phase 1: children of a slice. */
#ifndef COPRA_KERNELS_HELBECQUE_SETS_EXPAND_CUH
#define COPRA_KERNELS_HELBECQUE_SETS_EXPAND_CUH

#include "kernels/helbecque-pool/sets_common.cuh"

/* A chunk as drawn; no nodes: none is left. */
struct sets_draw {
	uint32_t number, list, nodes;
};

/* What a warp knows of the chunk it expands, and its store of rows to write to. */
struct sets_task {
	uint32_t first0;         /* front on machine 0, in both halves */
	uint32_t child_first;    /* first number of the children's level */
	int children, pairs;
	uint32_t bias;           /* 0x8000 - ub in both halves */
	uint32_t row, row_left;  /* reserved */
	uint32_t rows_seen;      /* taken by all warps, when this one last took some */
};

/* LB2 of two children of a node, from the constants in shared memory: for machine k, the child's start is
 * s_k = max(s_{k-1}, f_k - sum of times before k), its bound max over k of s_k + (sum of times to k + E_k). */
template <int K>
static __device__ __forceinline__ void bound_pair(const uint4 *constant, const uint32_t (&f)[K][SETS_MACHINES],
						  uint32_t (&bound)[K])
{
	uint32_t start[K];

#pragma unroll
	for (int n = 0; n < K; n++) {
		start[n] = f[n][0];
		bound[n] = 0;
	}
#pragma unroll
	for (int i = 0; i < SETS_WORDS; i++) {
		uint4 c = constant[i];

#pragma unroll
		for (int n = 0; n < K; n++) {
			if (i > 0)
				start[n] = __viaddmax_s16x2(f[n][2 * i], c.x, start[n]);
			bound[n] = __viaddmax_s16x2(start[n], c.y, bound[n]);
			start[n] = __viaddmax_s16x2(f[n][2 * i + 1], c.z, start[n]);
			bound[n] = __viaddmax_s16x2(start[n], c.w, bound[n]);
		}
	}
}

/* The children of the set `number`: their jobs and numbers, and the constants of their bounds. */
template <bool WIDE>
static __device__ __forceinline__ void prepare(const struct sets_search &q, const sets_block *block,
					       sets_warp<WIDE> *w, uint32_t number, int level,
					       struct sets_task *t)
{
	const int lane = lane_of();
	const uint32_t placed = q.set_of[number], all = (1u << q.jobs) - 1, left = all & ~placed;
	uint32_t time0 = 0;

	__syncwarp();
	if (lane < q.jobs) {
		uint32_t bit = 1u << lane;

		if (left & bit) {
			int at = __popc(left & (bit - 1));

			w->job[at] = (uint32_t)lane;
			w->number[at] = number_of(q, placed | bit, level + 1);
		} else {
			time0 = block->time[lane * SETS_WORDS] & 0xffff;
		}
	}
	t->first0 = both(__reduce_add_sync(~0u, time0));
	t->children = q.jobs - level;
	t->pairs = (t->children + 1) / 2;
	t->child_first = q.level_first[level + 1];
	__syncwarp();
	for (int i = lane; i < t->pairs * SETS_WORDS; i += 32) {
		int pair = i / SETS_WORDS, k = i % SETS_WORDS, a = 2 * pair;
		int b = a + 1 < t->children ? a + 1 : a;
		int ta = (int)w->job[a] * SETS_WORDS + k, tb = (int)w->job[b] * SETS_WORDS + k;
		uint32_t ea = q.bound[(size_t)w->number[a] * SETS_WORDS + k] + block->sum[ta];
		uint32_t eb = q.bound[(size_t)w->number[b] * SETS_WORDS + k] + block->sum[tb];
		uint32_t ma = block->minus[ta], mb = block->minus[tb];

		if (a + 1 == t->children) /* no such child: never below the incumbent */
			eb = 0x80008000u - t->bias;
		w->constant[i] = make_uint4(halves_low(ma, mb), halves_low(ea, eb),
					    halves_high(ma, mb), halves_high(ea, eb));
	}
	__syncwarp();
}

/* Of which share a child is; the same on all devices. */
static __device__ __forceinline__ bool dealt_here(const struct sets_search &q, uint64_t seed, uint32_t job)
{
	uint64_t x = (seed ^ (job + 1)) * 0x9e3779b97f4a7c15u;

	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9u;
	return (int)((x >> 33) % (uint32_t)q.shares) == q.share;
}

template <int WORDS> static __device__ __forceinline__ uint64_t hash_of_row(const uint32_t *words, uint32_t number)
{
	uint64_t h = number * 0xd6e8feb86659fd93u + 1;

#pragma unroll
	for (int i = 0; i < WORDS; i++) {
		h = (h ^ words[i]) * 0x9e3779b97f4a7c15u;
		h ^= h >> 32;
	}
	return h;
}

/* Marks reserved rows that stay empty. */
static __device__ __forceinline__ void leave_gap(const struct sets_search &q, struct sets_task *t)
{
	for (uint32_t i = (uint32_t)lane_of(); i < t->row_left; i += 32)
		q.key[t->row + i] = SETS_NONE;
	t->row_left = 0;
}

/* Where `rows` rows go: the first `split` from `first` on, the others from `second` on. */
struct sets_room {
	uint32_t first, second, split;
};

static __device__ __forceinline__ struct sets_room reserve_rows(const struct sets_search &q,
								const struct sets_plan &plan,
								struct sets_task *t, uint32_t rows)
{
	struct sets_room room = {t->row, 0, min(rows, t->row_left)};

	t->row += room.split;
	t->row_left -= room.split;
	if (room.split < rows) {
		uint32_t rest = rows - room.split, take = max(rest, plan.reserve), got = 0;

		if (lane_of() == 0)
			got = atomicAdd(&q.state->counter[plan.turn].rows, take);
		got = __shfl_sync(~0u, got, 0);
		t->rows_seen = got + take;
		room.second = plan.row + got;
		t->row = room.second + rest;
		t->row_left = take - rest;
	}
	return room;
}

/* Lists the survivors in found[], ordered by child; counts them by set. alive[n] has a bit for each child of the
 * lane's n-th node: pair `pairs - 1 - b` at bits b and 16 + b. */
template <int K, bool WIDE>
static __device__ __forceinline__ uint32_t collect(const struct sets_search &q, sets_warp<WIDE> *w,
						   const struct sets_task &t, const uint32_t (&alive)[K])
{
	const int lane = lane_of();
	uint32_t any = 0, total = 0, run_count = 0;
	int runs = 0, run_child = 0;

#pragma unroll
	for (int n = 0; n < K; n++)
		any |= alive[n];
	any = __reduce_or_sync(~0u, any);
	while (any) {
		const int bit = __ffs((int)any) - 1;
		const int child = 2 * (t.pairs - 1 - (bit & 15)) + (bit >> 4);
		const uint32_t before = total;

		any &= any - 1;
#pragma unroll
		for (int n = 0; n < K; n++) {
			bool here = alive[n] >> bit & 1;
			uint32_t votes = __ballot_sync(~0u, here);

			if (here)
				w->found[total + __popc(votes & lanes_below())] =
				    (uint16_t)((lane + 32 * n) | child << 6);
			total += (uint32_t)__popc(votes);
		}
		if (lane == runs) {
			run_count = total - before;
			run_child = child;
		}
		runs++;
	}
	if (lane < runs)
		atomicAdd(q.count + (w->number[run_child] - t.child_first), run_count);
	__syncwarp();
	return total;
}

template <bool WIDE>
static __device__ __forceinline__ void write_row(const struct sets_search &q, const sets_warp<WIDE> *w,
						 const struct sets_room &room, int half, uint32_t at,
						 const uint32_t *words)
{
	enum { WORDS = row_form<WIDE>::WORDS };
	const uint32_t found = w->found[at];
	const uint32_t row = at < room.split ? room.first + at : room.second + (at - room.split);

	words_store<WORDS>(q.row + (size_t)row * WORDS, words);
	q.key[row] = w->number[found >> 6];
	q.parent[row] = w->row_index[half][found & 63];
}

/* Writes the rows of found[0 .. total - 1], two a lane. */
template <bool WIDE>
static __device__ __forceinline__ void write_rows(const struct sets_search &q, const sets_block *block,
						  const sets_warp<WIDE> *w, const struct sets_task &t,
						  const struct sets_room &room, int half, uint32_t total)
{
	enum { WORDS = row_form<WIDE>::WORDS };

	for (uint32_t at = (uint32_t)lane_of(); at < total; at += 64) {
		uint32_t bt = at + 32 < total ? at + 32 : at;
		uint32_t node_a = w->found[at] & 63u, child_a = w->found[at] >> 6;
		uint32_t node_b = w->found[bt] & 63u, child_b = w->found[bt] >> 6;
		const uint32_t *time_a = block->time + w->job[child_a] * SETS_WORDS;
		const uint32_t *time_b = block->time + w->job[child_b] * SETS_WORDS;
		uint32_t a[WORDS], b[WORDS], f[SETS_MACHINES];

		words_load<WORDS>(w->row[half] + node_a * WORDS, a);
		words_load<WORDS>(w->row[half] + node_b * WORDS, b);
		row_form<WIDE>::unpack(a, b, f);
		uint32_t end = t.first0 + halves_low(time_a[0], time_b[0]);
#pragma unroll
		for (int k = 1; k < SETS_MACHINES; k++) {
			uint32_t p = k % 2 ? halves_high(time_a[k / 2], time_b[k / 2])
					   : halves_low(time_a[k / 2], time_b[k / 2]);

			end = __vmaxs2(end, f[k]) + p;
			f[k] = end;
		}
		row_form<WIDE>::pack(f, a, b);
		write_row<WIDE>(q, w, room, half, at, a);
		if (bt != at)
			write_row<WIDE>(q, w, room, half, bt, b);
	}
}

/* Complete schedules: counted, the best one kept. */
static __device__ __forceinline__ void take_leaf(const struct sets_search &q, bool here, uint32_t bound,
						 uint32_t row)
{
	uint32_t votes = __ballot_sync(~0u, here);

	if (here)
		atomicMin(&q.state->best, (unsigned long long)(bound & 0xffff) << 32 | row);
	if (votes && lane_of() == 0)
		atomicAdd(&q.state->leaves, (unsigned long long)__popc(votes));
}

/* The next chunk, while there are any and the new batch may grow. */
static __device__ __forceinline__ struct sets_draw draw_chunk(const struct sets_search &q,
							      const struct sets_plan &plan,
							      const struct sets_task &t)
{
	struct sets_draw draw = {0, 0, 0};
	uint32_t drawn = 0;

	if (t.rows_seen >= plan.row_stop)
		return draw;
	if (lane_of() == 0)
		drawn = atomicAdd(&q.state->counter[plan.turn].drawn, 1u);
	drawn = __shfl_sync(~0u, drawn, 0);
	if (drawn < plan.chunks) {
		const struct sets_chunk *chunk = q.chunk + plan.chunk + drawn;

		draw.number = chunk[0].number;
		draw.list = chunk[0].first;
		draw.nodes = chunk[1].first - chunk[0].first;
	}
	return draw;
}

/* Rows of up to 64 nodes of the list on their way to shared memory. */
struct sets_fetch {
	uint32_t index[2];
};

static __device__ __forceinline__ void fetch_list(const struct sets_search &q, uint32_t list, uint32_t nodes,
						  struct sets_fetch *next)
{
#pragma unroll
	for (int n = 0; n < 2; n++) {
		uint32_t node = (uint32_t)(lane_of() + 32 * n);

		next->index[n] = nodes ? q.list[list + min(node, nodes - 1)] : 0;
	}
}

template <bool WIDE>
static __device__ __forceinline__ void fetch_rows(const struct sets_search &q, sets_warp<WIDE> *w,
						  const struct sets_fetch &next, int half, uint32_t nodes)
{
	enum { WORDS = row_form<WIDE>::WORDS };

#pragma unroll
	for (int n = 0; n < 2; n++) {
		int at = lane_of() + 32 * n;

		if (32 * (uint32_t)n < nodes) {
			w->row_index[half][at] = next.index[n];
#pragma unroll
			for (int i = 0; i < WORDS; i += 4)
				copy_async_16(w->row[half] + at * WORDS + i,
					      q.row + (size_t)next.index[n] * WORDS + i);
		}
	}
	copy_async_commit();
}

/* Which children of K times 32 nodes in shared memory survive. */
template <int K, bool WIDE>
static __device__ __forceinline__ void bound_nodes(const struct sets_search &q, const struct sets_plan &plan,
						   const sets_warp<WIDE> *w, const struct sets_task &t, int half,
						   uint32_t nodes, uint32_t (&alive)[K])
{
	enum { WORDS = row_form<WIDE>::WORDS };
	const int lane = lane_of();
	uint32_t f[K][SETS_MACHINES], bound[K];
	uint64_t hash[K];

#pragma unroll
	for (int n = 0; n < K; n++) {
		uint32_t words[WORDS];

		words_load<WORDS>(w->row[half] + (lane + 32 * n) * WORDS, words);
		row_form<WIDE>::unpack(words, words, f[n]);
		f[n][0] = t.first0;
		alive[n] = bound[n] = 0;
		hash[n] = plan.level + 1 == q.deal_level ? hash_of_row<WORDS>(words, t.first0) : 0;
	}
#pragma unroll 1
	for (int pair = 0; pair < t.pairs; pair++) {
		bound_pair<K>(w->constant + pair * SETS_WORDS, f, bound);
#pragma unroll
		for (int n = 0; n < K; n++)
			alive[n] = alive[n] << 1 | (~(bound[n] + t.bias) >> 15 & 0x10001u);
	}
#pragma unroll
	for (int n = 0; n < K; n++) {
		if ((uint32_t)(lane + 32 * n) >= nodes)
			alive[n] = 0;
		if (t.children == 1)
			take_leaf(q, alive[n] & 1, bound[n], w->row_index[half][lane + 32 * n]);
	}
	if (plan.level + 1 == q.deal_level)
		for (int n = 0; n < K; n++)
			for (int child = 0; child < t.children; child++)
				if (!dealt_here(q, hash[n], w->job[child]))
					alive[n] &= ~(1u << (t.pairs - 1 - child / 2 + 16 * (child % 2)));
}

/* A warp's part of a slice. While nodes are bounded, the list's next entries come; while survivors are written,
 * the next rows. */
template <bool WIDE>
static __device__ __forceinline__ void expand(const struct sets_search &q, const sets_block *block,
					      sets_warp<WIDE> *w)
{
	const struct sets_plan &plan = block->plan;
	struct sets_task t;
	struct sets_fetch fetch;
	int half = 0;

	t.row = t.row_left = t.rows_seen = 0;
	t.bias = both(0x8000u - (uint32_t)plan.ub);
	struct sets_draw here = draw_chunk(q, plan, t);

	if (here.nodes) {
		fetch_list(q, here.list, here.nodes, &fetch);
		fetch_rows<WIDE>(q, w, fetch, half, here.nodes);
	}
	while (here.nodes) {
		struct sets_draw next = draw_chunk(q, plan, t);

		prepare<WIDE>(q, block, w, here.number, plan.level, &t);
		for (uint32_t from = 0; from < here.nodes; from += SETS_ROUND, half ^= 1) {
			const uint32_t nodes = here.nodes - from;
			const bool last = nodes <= SETS_ROUND;
			const uint32_t next_nodes = last ? next.nodes : nodes - SETS_ROUND;
			uint32_t alive[2], total;

			copy_async_wait<0>();
			__syncwarp();
			fetch_list(q, last ? next.list : here.list + from + SETS_ROUND, next_nodes, &fetch);
			if (nodes > 32) {
				bound_nodes<2, WIDE>(q, plan, w, t, half, nodes, alive);
			} else {
				uint32_t one[1];

				bound_nodes<1, WIDE>(q, plan, w, t, half, nodes, one);
				alive[0] = one[0];
				alive[1] = 0;
			}
			fetch_rows<WIDE>(q, w, fetch, half ^ 1, next_nodes);
			if (t.children == 1)
				continue;
			total = collect<2>(q, w, t, alive);
			if (total)
				write_rows<WIDE>(q, block, w, t, reserve_rows(q, plan, &t, total), half,
						 total);
		}
		here = next;
	}
	leave_gap(q, &t);
}

#endif
