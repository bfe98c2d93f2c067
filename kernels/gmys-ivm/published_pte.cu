/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Mode PTE: the kernel bnb-step of Algorithm 4, one thread per IVM. */
#include "kernels/gmys-ivm/published.cuh"

/* ---- N-Queens and ATSP, SEARCH_ONE_PASS ----
 *
 * For each row of the path, the data of its node that the children need is kept. So a row is
 * constructed, bounded and pruned in one pass, by the rules of ivm_bound.h. */

/* N-Queens: diagonals under attack, up and down; ATSP: cost of the path, last city. */
struct node {
	int32_t a, b;
};

template <int KIND>
static __device__ __forceinline__ struct node node_below(const struct ivm_problem &p, struct node x,
							 int item)
{
	if (KIND == IVM_QUEENS) {
		struct queens_masks q = { 0, (uint32_t)x.a, (uint32_t)x.b };

		q = queens_put(q, 1u << item);
		return { (int32_t)q.up, (int32_t)q.down };
	}
	return { x.a + p.cost[x.b * p.cities + item + 1], item + 1 };
}

static __device__ __forceinline__ struct node node_at(const struct ivm_scratch &s, int row)
{
	return { s.bound[2 * row], s.bound[2 * row + 1] };
}

static __device__ __forceinline__ void node_keep(const struct ivm_scratch &s, int row,
						 struct node x)
{
	s.bound[2 * row] = x.a;
	s.bound[2 * row + 1] = x.b;
}

/* Descends from the selected cell to the row of its node. The nodes of rows 0 .. *known are kept.
 */
template <int KIND>
static __device__ __forceinline__ struct node
open_node(const struct ivm_problem &p, const struct ivm &v, const struct ivm_scratch &s, int *known)
{
	int level = *v.level;
	struct node x;

	*known = min(*known, level);
	x = node_at(s, *known);
	while (*known <= level) {
		x = node_below<KIND>(p, x, ivm_decision(&v, *known));
		node_keep(s, ++*known, x);
	}
	return x;
}

/* ivm_branch and ivm_bound_row in one pass. */
template <int KIND>
static __device__ __forceinline__ int32_t make_row(const struct ivm_problem &p, const struct ivm &v,
						   struct node x, int32_t best,
						   struct ivm_counts *counts)
{
	int n = v.n, level = *v.level, at = v.position[level], cells = n - level;
	const int16_t *row = v.matrix + level * n;
	int16_t *next = v.matrix + (level + 1) * n;
	int32_t bound = 0;
	bool kept = false;

	for (int i = 0, to = 0; i < cells; i++) {
		if (i == at)
			continue;
		int item = ivm_item(row[i]);

		bound = KIND == IVM_QUEENS ?
				(int32_t)((uint32_t)(x.a | x.b) >> item & 1) :
				atsp_child(p.cost, p.cities, x.a, x.b, item + 1, cells - 1);
		kept = !ivm_pruned(&p, bound, best);
		next[to++] = (int16_t)(kept ? item : ~item);
	}
	v.position[level + 1] = 0;
	v.side[level + 1] = 0;
	*v.level = level + 1;
	counts->decomposed++;
	return cells == 2 && kept ? ivm_leaf(&p, &v, bound, best, counts) : IVM_NONE;
}

/* ---- bnb-step ---- */

/* Decomposes one more node. */
template <int KIND, bool ONE_PASS>
static __device__ __forceinline__ int32_t decompose(const struct ivm_problem &p,
						    const struct ivm &v,
						    const struct ivm_scratch &s, int32_t best,
						    int *known, struct ivm_counts *counts)
{
	if (ONE_PASS && KIND != IVM_FLOWSHOP)
		return make_row<KIND>(p, v, open_node<KIND>(p, v, s, known), best, counts);
	ivm_branch(&v);
	return ivm_bound_row(&p, &v, &s, best, counts);
}

/* Algorithm 4, lines 7 to 14. The trigger is read before the step, so that the step hides the time
 * of the read. */
template <int KIND, bool ONE_PASS>
static __device__ __forceinline__ bool
explore(const struct ivm_fleet &f, const struct ivm_problem &p, int t, const struct ivm &v,
	const struct ivm_scratch &s, struct ivm_stepping limit, struct ivm_counts *counts)
{
	bool exploring;
	int32_t empty;
	int step = 0, less = 0, known = 0;

	if (ONE_PASS)
		node_keep(s, 0, { 0, 0 });
	do {
		int32_t best = KIND == IVM_QUEENS ? 0 : ld_relaxed_gpu(&f.control->best);

		empty = ld_relaxed_gpu(&f.control->trigger);
		exploring = ONE_PASS ? ivm_select_known(&v, &less) : ivm_select(&v);
		if (exploring) {
			int32_t value = decompose<KIND, ONE_PASS>(p, v, s, best, &known, counts);

			if (value != IVM_NONE)
				record_leaf(f, t, v, value);
		}
	} while (exploring && empty < limit.trigger && ++step < limit.most);
	return exploring;
}

template <int KIND, bool STAGED, bool ONE_PASS>
static __global__ void __launch_bounds__(STAGE_BLOCK)
	bnb_step(struct ivm_fleet f, int32_t best, struct ivm_stepping limit)
{
	SHARED_MEMORY(uint32_t, area);
	int t = global_thread();
	struct ivm_problem p = f.problem;
	struct ivm_counts counts = { 0, 0, 0 };

	p.kind = (enum ivm_kind)KIND; /* known to the compiler */
	if (t == 0)
		atomicMin(&f.control->best, best);
	if (STAGED)
		stage_in(f, area);
	if (t < f.ivms) {
		struct ivm v = STAGED ? staged_ivm(f, area) : ivm_of(f, t);
		struct ivm_scratch s = STAGED ? staged_scratch(f, area) : scratch_of(f, t);
		bool exploring = f.state[t] == IVM_EXPLORING &&
				 explore<KIND, ONE_PASS>(f, p, t, v, s, limit, &counts);

		if (!exploring) {
			f.state[t] = IVM_EMPTY;
			atomicAdd(&f.control->trigger, 1);
		}
	}
	if (STAGED)
		stage_out(f, area);
	add_counts(f, counts);
}

/* ---- launches ---- */

template <int KIND, bool ONE_PASS>
static int launch_steps(struct dev_stream *s, const struct ivm_fleet *f, int32_t best,
			struct ivm_stepping limit, bool staged, struct err *e)
{
	unsigned blocks = ((unsigned)f->ivms + (unsigned)STAGE_BLOCK - 1) / (unsigned)STAGE_BLOCK;

	if (staged)
		return LAUNCH(e, (bnb_step<KIND, true, ONE_PASS>), blocks, STAGE_BLOCK,
			      stage_bytes(*f), s, *f, best, limit);
	return LAUNCH(e, (bnb_step<KIND, false, ONE_PASS>), blocks, STAGE_BLOCK, 0, s, *f, best,
		      limit);
}

template <int KIND>
static int launch(struct dev_stream *s, const struct ivm_fleet *f, int32_t best,
		  struct ivm_stepping limit, bool staged, struct err *e)
{
	return limit.one_pass ? launch_steps<KIND, true>(s, f, best, limit, staged, e) :
				launch_steps<KIND, false>(s, f, best, limit, staged, e);
}

int BACKEND_SYMBOL(ivm_steps)(struct dev_stream *s, const struct ivm_fleet *f, int32_t best,
			      struct ivm_stepping limit, bool staged, struct err *e)
{
	switch (f->problem.kind) {
	case IVM_QUEENS:
		return launch<IVM_QUEENS>(s, f, best, limit, staged, e);
	case IVM_ATSP:
		return launch<IVM_ATSP>(s, f, best, limit, staged, e);
	default:
		return launch<IVM_FLOWSHOP>(s, f, best, limit, staged, e);
	}
}

template <int KIND>
static int blocks_at_once(struct dev_stream *s, const struct ivm_fleet *f, int *blocks,
			  struct err *e)
{
	return GPU_OCCUPANCY(e, blocks, (bnb_step<KIND, true, true>), STAGE_BLOCK, stage_bytes(*f),
			     s);
}

int BACKEND_SYMBOL(ivm_staged)(struct dev_stream *s, const struct ivm_fleet *f, int sm_count,
			       size_t shared_per_block, bool *staged, bool *all_staged,
			       struct err *e)
{
	int blocks = 0, status;

	*all_staged = false;
	*staged = stage_bytes(*f) <= shared_per_block;
	if (!*staged)
		return 0;
	if (f->problem.kind == IVM_QUEENS)
		status = blocks_at_once<IVM_QUEENS>(s, f, &blocks, e);
	else if (f->problem.kind == IVM_ATSP)
		status = blocks_at_once<IVM_ATSP>(s, f, &blocks, e);
	else
		status = blocks_at_once<IVM_FLOWSHOP>(s, f, &blocks, e);
	*all_staged = (int64_t)blocks * STAGE_BLOCK * sm_count >= f->ivms;
	return status;
}
