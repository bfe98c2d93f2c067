/* PTE: kernel bnb-step of Algorithm 4, a thread an IVM. */
#include "published.cuh"

struct stepping {
	int trigger, most;
};

/* Algorithm 4, lines 7 to 14. */
template <int KIND>
static __device__ __forceinline__ bool explore(const struct ivm_fleet &f,
					       const struct ivm_problem &p, int t,
					       const struct ivm &v, const struct ivm_scratch &s,
					       struct stepping limit, struct ivm_counts *counts)
{
	bool exploring;
	int32_t empty;
	int step = 0, less = 0;

	do {
		int32_t best = KIND == IVM_QUEENS ? 0 : load_relaxed(&f.control->best);

		empty = load_relaxed(&f.control->trigger);
		exploring = ivm_select_known(&v, &less);
		if (exploring) {
			ivm_branch(&v);
			int32_t value = ivm_bound_row(&p, &v, &s, best, counts);

			if (value != IVM_NONE)
				record_leaf(f, t, v, value);
		}
	} while (exploring && empty < limit.trigger && ++step < limit.most);
	return exploring;
}

template <int KIND, bool STAGED>
static __global__ void __launch_bounds__(STAGE_BLOCK)
    bnb_step(struct ivm_fleet f, int32_t best, struct stepping limit)
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
				 explore<KIND>(f, p, t, v, s, limit, &counts);

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

template <int KIND>
static int launch(struct dev_stream *s, const struct ivm_fleet *f, int32_t best,
		  struct stepping limit, bool staged, struct err *e)
{
	unsigned blocks = ((unsigned)f->ivms + (unsigned)STAGE_BLOCK - 1) / (unsigned)STAGE_BLOCK;

	if (staged)
		return LAUNCH(e, (bnb_step<KIND, true>), blocks, STAGE_BLOCK, stage_bytes(*f), s, *f, best,
			      limit);
	return LAUNCH(e, (bnb_step<KIND, false>), blocks, STAGE_BLOCK, 0, s, *f, best, limit);
}

int BACKEND_SYMBOL(ivm_steps)(struct dev_stream *s, const struct ivm_fleet *f, int32_t best,
			      int trigger, int most, bool staged, struct err *e)
{
	struct stepping limit = { trigger, most };

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
static int blocks_at_once(struct dev_stream *s, const struct ivm_fleet *f, int *blocks, struct err *e)
{
	return GPU_OCCUPANCY(e, blocks, (bnb_step<KIND, true>), STAGE_BLOCK, stage_bytes(*f), s);
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
