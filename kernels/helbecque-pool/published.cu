/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Bulk bounding of nodes; see published.h. */
#include "kernels/common/warp.cuh"

#include "kernels/tree-search/queens.h"
#include "kernels/helbecque-pool/published.h"

static const int BLOCK = 128, WARP = 32, WARPS = BLOCK / WARP;
/* Blocks that share the list of open children: enough to fill any GPU, few enough that a short list
 * costs little. */
static const int PAIR_BLOCKS = 2112;

struct record {
	const unsigned char *at, *ids;
	__device__ int depth() const
	{
		return *(const uint16_t *)at;
	}
	template <typename Id> __device__ int id(int i) const
	{
		return (int)((const Id *)ids)[i];
	}
};

static __device__ struct record record_at(const struct pool_chunk &c, uint32_t node)
{
	const unsigned char *at = c.nodes + (size_t)node * c.bytes;

	return { at, at + c.ids };
}

/* ---- the paper's kernels: one thread per child, independent of all others ---- */

static unsigned child_blocks(const struct pool_chunk *c)
{
	return (unsigned)(((uint64_t)c->count * (unsigned)c->n + BLOCK - 1) / BLOCK);
}

static __global__ void label_children(struct pool_chunk c)
{
	uint32_t k = blockIdx.x * BLOCK + threadIdx.x, node = k / (uint32_t)c.n;
	int i = (int)(k % (uint32_t)c.n);

	if (node >= c.count)
		return;
	struct record r = record_at(c, node);
	int depth = r.depth();
	c.labels[k] = i >= depth && queens_safe(r.ids, depth, r.id<uint8_t>(i));
}

static int queens_labels(struct dev_stream *s, const struct pool_chunk *c, struct err *e)
{
	return LAUNCH(e, label_children, child_blocks(c), BLOCK, 0, s, *c);
}

/* The child that appends entry i: its front, the sums (if `rem`) and the set of its unscheduled
 * jobs. */
template <typename Id>
static __device__ void replay_child(const struct pool_chunk &c, const struct fsp_tables &t,
				    struct record r, int i, int32_t *front, int32_t *rem,
				    uint8_t *left)
{
	int depth = r.depth(), m = t.machines;

	for (int k = 0; k < m; k++)
		front[k] = 0;
	for (int j = 0; j < c.n; j++)
		left[j] = 1;
	for (int p = 0; p <= depth; p++) {
		int job = r.id<Id>(p < depth ? p : i);

		fsp_append(t.time + (size_t)job * m, front, front, m);
		left[job] = 0;
	}
	if (!rem)
		return;
	for (int k = 0; k < m; k++)
		rem[k] = 0;
	for (int j = 0; j < c.n; j++)
		for (int k = 0; left[j] && k < m; k++)
			rem[k] += t.time[(size_t)j * m + k];
}

/* LB2 from rows of steps; the set as bits. */
template <int JOBS>
static __device__ int32_t pairs_by_steps(const struct pool_bounds &b, const int32_t *front,
					 const uint8_t *left)
{
	const struct fsp_tables &t = b.tables;
	uint32_t set[(JOBS + 31) / 32] = {};
	int32_t lb = 0;

	for (int j = 0; j < t.jobs; j++)
		set[j >> 5] |= (uint32_t)left[j] << (j & 31);
	for (int pair = 0; pair < t.pairs && lb < b.ub; pair++) {
		const struct fsp_step *row = b.step + (size_t)pair * t.jobs;
		int u = t.pair_u[pair], v = t.pair_v[pair];
		int32_t t0 = front[u], t1 = front[v];

		if (JOBS <= 32)
			fsp_steps_run_32(row, t.jobs, set[0], &t0, &t1);
		else
			fsp_steps_run(row, t.jobs, set, 1, &t0, &t1);
		lb = max(lb, max(t0 + t.tail[u], t1 + t.tail[v]));
	}
	return lb;
}

/* JOBS, MACHINES: the largest instance, as small arrays stay in the L1 cache. Ids of 32 bits: the
 * paper's kernel, which writes bounds. Others: bits of c.masks, which is clear. */
template <typename Id, int JOBS, int MACHINES>
static __global__ void bound_children(struct pool_chunk c, struct pool_bounds b)
{
	uint32_t k = blockIdx.x * BLOCK + threadIdx.x, node = k / (uint32_t)c.n;
	int i = (int)(k % (uint32_t)c.n);
	int32_t front[MACHINES], rem[MACHINES], lb = 0;
	const struct fsp_tables &t = b.tables;
	uint8_t left[JOBS];

	if (node >= c.count)
		return;
	struct record r = record_at(c, node);
	const bool literal = sizeof(Id) == 4;
	if (i < r.depth()) {
		if (literal)
			c.bounds[k] = INT32_MAX;
		return;
	}
	replay_child<Id>(c, t, r, i, front, b.lb1 ? rem : NULL, left);
	if (b.lb1)
		lb = fsp_lb1(front, rem, t.tail, t.machines);
	if (!literal && b.step && lb < b.ub)
		lb = max(lb, pairs_by_steps<JOBS>(b, front, left));
	else if (b.lb2 && lb < b.ub)
		lb = max(lb, fsp_lb2(&t, front, rem, t.tail, left, b.stop_at));
	if (literal)
		c.bounds[k] = lb;
	else if (lb < b.ub)
		atomicOr(&c.masks[node * (uint32_t)c.words + (i >> 5)], 1u << (i & 31));
}

template <typename Id>
static int launch_children(struct dev_stream *s, const struct pool_chunk *c,
			   const struct pool_bounds *b, struct err *e)
{
	if (c->n <= 20 && b->tables.machines <= 20)
		return LAUNCH(e, (bound_children<Id, 20, 20>), child_blocks(c), BLOCK, 0, s, *c,
			      *b);
	return LAUNCH(e, (bound_children<Id, FSP_MAX_JOBS, FSP_MAX_MACHINES>), child_blocks(c),
		      BLOCK, 0, s, *c, *b);
}

static int flowshop_bounds(struct dev_stream *s, const struct pool_chunk *c,
			   const struct pool_bounds *b, struct err *e)
{
	return launch_children<int32_t>(s, c, b, e);
}

/* ---- bit masks: N-Queens ---- */

/* One warp per parent, one lane per child. Lanes without a child are idle. */
static __global__ void queens_children(struct pool_chunk c)
{
	uint32_t node = blockIdx.x * WARPS + threadIdx.x / WARP;
	int i = threadIdx.x % WARP;

	if (node >= c.count)
		return;
	struct record r = record_at(c, node);
	int depth = r.depth();
	bool safe = i >= depth && i < c.n && queens_safe(r.ids, depth, r.id<uint8_t>(i));
	uint32_t mask = __ballot_sync(WARP_ALL, safe);

	if (i == 0)
		c.masks[node] = mask;
}

static int queens_masks(struct dev_stream *s, const struct pool_chunk *c, struct err *e)
{
	return LAUNCH(e, queens_children, (c->count + WARPS - 1) / WARPS, BLOCK, 0, s, *c);
}

/* ---- bit masks: flowshop, packed ---- */

/* One thread per parent: the completion times of its prefix (zeros for the root: a first job starts
 * at 0), the sums and the set of its unscheduled jobs. */
template <typename Id>
static __global__ void replay_prefix(struct pool_chunk c, struct pool_bounds b)
{
	uint32_t node = blockIdx.x * BLOCK + threadIdx.x;
	int m = b.tables.machines;
	int32_t front[FSP_MAX_MACHINES], rem[FSP_MAX_MACHINES];

	if (node >= c.count)
		return;
	struct record r = record_at(c, node);
	int depth = r.depth();
	for (int k = 0; k < m; k++) {
		front[k] = 0;
		rem[k] = b.tables.total[k];
	}
	for (int i = 0; i < depth; i++) {
		const int32_t *p = b.tables.time + (size_t)r.id<Id>(i) * m;
		fsp_append(p, front, front, m);
		for (int k = 0; k < m; k++)
			rem[k] -= p[k];
	}
	for (int k = 0; k < m; k++) {
		b.front[(size_t)node * m + k] = front[k];
		b.rem[(size_t)node * m + k] = rem[k];
	}
	if (!b.step)
		return;
	uint32_t *left = b.left + (size_t)node * c.words;
	for (int w = 0; w < c.words; w++)
		left[w] = 0;
	for (int i = depth; i < c.n; i++) {
		int job = r.id<Id>(i);
		left[job >> 5] |= 1u << (job & 31);
	}
}

/* LB1: one warp per parent and 32 of its children, one lane per child. */
template <typename Id>
static __global__ void bound_one_machine(struct pool_chunk c, struct pool_bounds b)
{
	size_t warp = (size_t)blockIdx.x * WARPS + threadIdx.x / WARP;
	uint32_t node = (uint32_t)(warp / c.words), word = (uint32_t)(warp % c.words);
	int lane = threadIdx.x % WARP, i = (int)word * 32 + lane, m = b.tables.machines;

	if (node >= c.count)
		return;
	struct record r = record_at(c, node);
	bool survives = i >= r.depth() && i < c.n;
	if (survives)
		survives = fsp_append_lb1(b.tables.time + (size_t)r.id<Id>(i) * m,
					  b.front + (size_t)node * m, b.rem + (size_t)node * m,
					  b.tables.tail, m) < b.ub;
	uint32_t mask = __ballot_sync(WARP_ALL, survives), first = 0;
	if (lane == 0) {
		c.masks[warp] = b.step ? 0 : mask;
		if (b.step && mask)
			first = atomicAdd(b.opens, (uint32_t)__popc(mask));
	}
	if (!b.step)
		return;
	first = __shfl_sync(WARP_ALL, first, 0);
	if (survives)
		b.open[first + __popc(mask & ((1u << lane) - 1))] =
			node * (uint32_t)c.n + (uint32_t)i;
}

/* The child of a thread of bound_pairs, in columns of shared memory: consecutive machines or words
 * are BLOCK entries apart, so that the lanes of a warp have no bank conflicts. */
struct child {
	int32_t *front;
	uint32_t *left, mask; /* mask: the set, if it fits into 32 bits */
};

template <typename Id>
static __device__ void make_child(const struct pool_chunk &c, const struct pool_bounds &b,
				  uint32_t entry, struct child *x)
{
	uint32_t node = entry / (uint32_t)c.n;
	int i = (int)(entry % (uint32_t)c.n), m = b.tables.machines;
	int job = record_at(c, node).id<Id>(i);
	const int32_t *p = b.tables.time + (size_t)job * m, *front = b.front + (size_t)node * m;
	const uint32_t *left = b.left + (size_t)node * c.words;
	int32_t t = 0;

	for (int k = 0; k < m; k++) {
		t = max(t, front[k]) + p[k];
		x->front[k * BLOCK] = t;
	}
	x->mask = left[0] & ~(1u << (job & 31));
	for (int w = 0; c.words > 1 && w < c.words; w++)
		x->left[w * BLOCK] = left[w] & ~(w == job >> 5 ? 1u << (job & 31) : 0u);
}

template <bool ONE_WORD>
static __device__ bool pairs_survive(const struct pool_bounds &b, const struct child &x)
{
	const struct fsp_tables &t = b.tables;

	for (int pair = 0; pair < t.pairs; pair++) {
		const struct fsp_step *row = b.step + (size_t)pair * t.jobs;
		int u = t.pair_u[pair], v = t.pair_v[pair];
		int32_t t0 = x.front[u * BLOCK], t1 = x.front[v * BLOCK];

		if (ONE_WORD)
			fsp_steps_run_32(row, t.jobs, x.mask, &t0, &t1);
		else
			fsp_steps_run(row, t.jobs, x.left, BLOCK, &t0, &t1);
		if (max(t0 + t.tail[u], t1 + t.tail[v]) >= b.ub)
			return false;
	}
	return true;
}

/* One thread per child that survived LB1. */
template <typename Id, bool ONE_WORD>
static __global__ void bound_pairs(struct pool_chunk c, struct pool_bounds b)
{
	SHARED_MEMORY(int32_t, columns);
	struct child x;
	uint32_t opens = *b.opens;

	x.front = columns + threadIdx.x;
	x.left = (uint32_t *)columns + b.tables.machines * BLOCK + threadIdx.x;
	for (uint32_t k = blockIdx.x * BLOCK + threadIdx.x; k < opens; k += gridDim.x * BLOCK) {
		uint32_t entry = b.open[k], i = entry % (uint32_t)c.n;

		make_child<Id>(c, b, entry, &x);
		if (pairs_survive<ONE_WORD>(b, x))
			atomicOr(&c.masks[entry / (uint32_t)c.n * (uint32_t)c.words + (i >> 5)],
				 1u << (i & 31));
	}
}

static unsigned pair_blocks(const struct pool_chunk *c)
{
	uint64_t most = ((uint64_t)c->count * (unsigned)c->n + BLOCK - 1) / BLOCK;

	return (unsigned)(most < PAIR_BLOCKS ? most : PAIR_BLOCKS);
}

template <typename Id>
static int bound_packed(struct dev_stream *s, const struct pool_chunk *c,
			const struct pool_bounds *b, struct err *e)
{
	uint64_t warps = (uint64_t)c->count * (unsigned)c->words;
	size_t column = BLOCK * sizeof(int32_t);
	unsigned blocks = pair_blocks(c);
	int status =
		LAUNCH(e, replay_prefix<Id>, (c->count + BLOCK - 1) / BLOCK, BLOCK, 0, s, *c, *b);

	if (!status && b->step)
		status = dev_fill(s, b->opens, 0, sizeof(*b->opens), e);
	if (!status)
		status = LAUNCH(e, bound_one_machine<Id>, (unsigned)((warps + WARPS - 1) / WARPS),
				BLOCK, 0, s, *c, *b);
	if (status || !b->step)
		return status;
	if (c->words == 1)
		return LAUNCH(e, (bound_pairs<Id, true>), blocks, BLOCK,
			      column * (size_t)b->tables.machines, s, *c, *b);
	return LAUNCH(e, (bound_pairs<Id, false>), blocks, BLOCK,
		      column * (size_t)(b->tables.machines + c->words), s, *c, *b);
}

template <typename Id>
static int bound(struct dev_stream *s, const struct pool_chunk *c, const struct pool_bounds *b,
		 struct err *e)
{
	if (b->packed)
		return bound_packed<Id>(s, c, b, e);
	int status = dev_fill(s, c->masks, 0, (size_t)c->count * c->words * sizeof(*c->masks), e);

	return status ? status : launch_children<Id>(s, c, b, e);
}

static int flowshop_masks(struct dev_stream *s, const struct pool_chunk *c,
			  const struct pool_bounds *b, struct err *e)
{
	return c->id_bytes == 2 ? bound<uint16_t>(s, c, b, e) : bound<uint8_t>(s, c, b, e);
}

/* ---- counting the operations ---- */

static __device__ int pairs_tried(const struct fsp_tables &t, const int32_t *front,
				  const uint8_t *left, int32_t stop_at)
{
	int32_t lb = 0;
	int pair = 0;

	for (; pair < t.pairs && lb < stop_at; pair++)
		lb = max(lb, fsp_lb2_pair(&t, pair, front, t.tail, left));
	return pair;
}

/* The operations for child i of a node: replaying the prefix, sums, LB1, and LB2 by the pairs until
 * one prunes. */
template <typename Id, int JOBS, int MACHINES>
static __device__ uint32_t operations_of(const struct pool_chunk &c, const struct pool_bounds &b,
					 struct record r, int i)
{
	const struct fsp_tables &t = b.tables;
	int32_t front[MACHINES], rem[MACHINES];
	uint8_t left[JOBS];
	int depth = r.depth(), m = t.machines, unscheduled = c.n - depth - 1;
	bool first = b.lb1 || b.packed;

	replay_child<Id>(c, t, r, i, front, rem, left);
	bool pruned = first && fsp_lb1(front, rem, t.tail, m) >= b.ub;
	int n = (depth + 1) * m;
	if (b.packed) /* the first child stands for the prefix, which is replayed once */
		n = (i == depth ? 2 * depth * m : 0) + 4 * m + (b.step && !pruned ? m : 0);
	else if (first)
		n += unscheduled * m + 2 * m;
	if (b.lb2 && !pruned)
		n += pairs_tried(t, front, left, b.step ? b.ub : b.stop_at) * (3 * unscheduled + 2);
	return (uint32_t)n;
}

template <typename Id, int JOBS, int MACHINES>
static __global__ void count_operations(struct pool_chunk c, struct pool_bounds b,
					unsigned long long *sum)
{
	uint32_t k = blockIdx.x * BLOCK + threadIdx.x, node = k / (uint32_t)c.n;
	int i = (int)(k % (uint32_t)c.n);
	unsigned long long mine = 0;

	if (node < c.count && i >= record_at(c, node).depth())
		mine = operations_of<Id, JOBS, MACHINES>(c, b, record_at(c, node), i);
	mine = warp_sum(mine);
	if (threadIdx.x % WARP == 0)
		atomicAdd(sum, mine);
}

template <typename Id>
static int launch_operations(struct dev_stream *s, const struct pool_chunk *c,
			     const struct pool_bounds *b, unsigned long long *sum, struct err *e)
{
	if (c->n <= 20 && b->tables.machines <= 20)
		return LAUNCH(e, (count_operations<Id, 20, 20>), child_blocks(c), BLOCK, 0, s, *c,
			      *b, sum);
	return LAUNCH(e, (count_operations<Id, FSP_MAX_JOBS, FSP_MAX_MACHINES>), child_blocks(c),
		      BLOCK, 0, s, *c, *b, sum);
}

static int flowshop_operations(struct dev_stream *s, const struct pool_chunk *c,
			       const struct pool_bounds *b, unsigned long long *sum, struct err *e)
{
	return c->id_bytes == 4 ? launch_operations<int32_t>(s, c, b, sum, e) :
	       c->id_bytes == 2 ? launch_operations<uint16_t>(s, c, b, sum, e) :
				  launch_operations<uint8_t>(s, c, b, sum, e);
}

extern "C" const struct pool_published_kernels BACKEND_SYMBOL(pool_published_kernels) = {
	queens_labels, queens_masks, flowshop_bounds, flowshop_masks, flowshop_operations
};
