/* PTE: kernel bnb-step of Algorithm 4, a thread an IVM. */
#include "published.cuh"

static const int BLOCK = 32; /* so that T IVMs spread evenly over the multiprocessors */

/* Where an IVM and its scratch lie while the kernel runs: in shared memory, an odd number of words
 * from the next thread's, which keeps lanes at the same place off each other's banks. */
static __host__ __device__ __forceinline__ size_t staged_words(const struct ivm_fleet &f)
{
	return ((f.bytes + f.scratch_bytes) / 4) | 1;
}

/* A warp moves its IVMs in (out) together. */
static __device__ void stage(const struct ivm_fleet &f, uint32_t *area, bool in)
{
	int first = (int)(blockIdx.x * blockDim.x), lane = (int)threadIdx.x;
	int words = (int)(f.bytes / 4);

	__syncwarp();
	for (int i = 0; i < BLOCK && first + i < f.ivms; i++) {
		uint32_t *far = (uint32_t *)(f.memory + (size_t)(first + i) * f.bytes);
		uint32_t *near = area + (size_t)i * staged_words(f);

		for (int w = lane; w < words; w += BLOCK) {
			if (in)
				near[w] = far[w];
			else
				far[w] = near[w];
		}
	}
	__syncwarp();
}

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
	int step = 0;

	do {
		int32_t best = KIND == IVM_QUEENS ? 0 : load_relaxed(&f.control->best);

		empty = load_relaxed(&f.control->trigger);
		exploring = ivm_select_and_branch(&v);
		if (exploring) {
			int32_t value = ivm_bound_row(&p, &v, &s, best, counts);

			if (value != IVM_NONE)
				record_leaf(f, t, v, value);
		}
	} while (exploring && empty < limit.trigger && ++step < limit.most);
	return exploring;
}

template <int KIND, bool STAGED>
static __global__ void __launch_bounds__(BLOCK)
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
		stage(f, area, true);
	if (t < f.ivms) {
		uint32_t *near = area + (size_t)threadIdx.x * staged_words(f);
		struct ivm v = STAGED ? ivm_at(f.n, near) : ivm_of(f, t);
		struct ivm_scratch s =
		    STAGED ? ivm_scratch_at(&p, near + f.bytes / 4) : scratch_of(f, t);
		bool exploring = f.state[t] == IVM_EXPLORING &&
				 explore<KIND>(f, p, t, v, s, limit, &counts);

		if (!exploring) {
			f.state[t] = IVM_EMPTY;
			atomicAdd(&f.control->trigger, 1);
		}
	}
	if (STAGED)
		stage(f, area, false);
	add_counts(f, counts);
}

/* ---- launches ---- */

static size_t shared_bytes(const struct ivm_fleet *f)
{
	return staged_words(*f) * sizeof(uint32_t) * (size_t)BLOCK;
}

template <int KIND>
static int launch(struct dev_stream *s, const struct ivm_fleet *f, int32_t best,
		  struct stepping limit, bool staged, struct err *e)
{
	unsigned blocks = ((unsigned)f->ivms + (unsigned)BLOCK - 1) / (unsigned)BLOCK;

	if (staged)
		return LAUNCH(e, (bnb_step<KIND, true>), blocks, BLOCK, shared_bytes(f), s, *f, best,
			      limit);
	return LAUNCH(e, (bnb_step<KIND, false>), blocks, BLOCK, 0, s, *f, best, limit);
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
	return GPU_OCCUPANCY(e, blocks, (bnb_step<KIND, true>), BLOCK, shared_bytes(f), s);
}

int BACKEND_SYMBOL(ivm_staged)(struct dev_stream *s, const struct ivm_fleet *f, int sm_count,
			       size_t shared_per_block, bool *staged, struct err *e)
{
	int blocks = 0, status;

	*staged = false;
	if (shared_bytes(f) > shared_per_block)
		return 0;
	if (f->problem.kind == IVM_QUEENS)
		status = blocks_at_once<IVM_QUEENS>(s, f, &blocks, e);
	else if (f->problem.kind == IVM_ATSP)
		status = blocks_at_once<IVM_ATSP>(s, f, &blocks, e);
	else
		status = blocks_at_once<IVM_FLOWSHOP>(s, f, &blocks, e);
	*staged = (int64_t)blocks * BLOCK * sm_count >= f->ivms;
	return status;
}
