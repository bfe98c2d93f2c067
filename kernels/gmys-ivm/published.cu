/* PTE+PEB: the kernels of one step but the bounds, and putting intervals. */
#include "kernels/gmys-ivm/published.cuh"

static const int BLOCK = 64; /* T IVMs are few threads for a GPU: small blocks spread them */

/* Unpacks the node of the row to be bounded. */
static __device__ void open_row(const struct ivm_fleet &f, int t, const struct ivm &v,
				const struct ivm_scratch &s)
{
	uint32_t left = 0;

	ivm_node_decode(&f.problem, &v, &s);
	f.children[t] = f.n - *v.level;
	if (!f.step)
		return;
	for (int j = 0; j < f.n; j++)
		left |= (uint32_t)s.left[j] << j;
	f.left[t] = left;
}

/* select-and-branch, a thread an IVM (Algorithm 4), and the node unpacked for the bounds. */
template <bool STAGED>
static __global__ void __launch_bounds__(STAGE_BLOCK)
	select_and_branch(struct ivm_fleet f, int32_t best)
{
	SHARED_MEMORY(uint32_t, area);
	int t = global_thread();

	if (t == 0) {
		f.control->children = 0;
		atomicMin(&f.control->best, best);
	}
	if (STAGED)
		stage_in(f, area);
	if (t < f.ivms) {
		struct ivm v = STAGED ? staged_ivm(f, area) : ivm_of(f, t);
		struct ivm_scratch s = STAGED ? staged_scratch(f, area) : scratch_of(f, t);

		f.children[t] = 0;
		if (f.state[t] == IVM_EXPLORING) {
			if (ivm_select_and_branch(&v))
				open_row(f, t, v, s);
			else
				f.state[t] = IVM_EMPTY;
		}
	}
	if (STAGED) {
		stage_out(f, area);
		stage_out_scratch(f, area);
	}
}

/* buildMapping: the children of all IVMs side by side, by a prefix sum within each warp and an
 * atomic a warp; the order of the warps does not matter. */
static __global__ void build_mapping(struct ivm_fleet f)
{
	int t = global_thread(), lane = threadIdx.x % WARP;
	int mine = t < f.ivms ? f.children[t] : 0, sum = mine, first = 0;

	for (unsigned d = 1; d < WARP; d *= 2) {
		int before = __shfl_up_sync(ALL_LANES, sum, d);

		sum += lane >= (int)d ? before : 0;
	}
	if (lane == WARP - 1)
		first = atomicAdd(&f.control->children, sum);
	first = __shfl_sync(ALL_LANES, first, WARP - 1) + sum - mine;
	for (int c = 0; c < mine; c++)
		f.entry[first + c] = (uint32_t)t * (uint32_t)f.n + (uint32_t)c;
}

static __global__ void prune(struct ivm_fleet f)
{
	int t = global_thread();
	struct ivm_counts counts = { 0, 0, 0 };

	if (t < f.ivms && f.children[t]) {
		struct ivm v = ivm_of(f, t);
		struct ivm_scratch s = scratch_of(f, t);
		int32_t value = ivm_side_and_prune(&f.problem, &v, &s,
						   load_relaxed(&f.control->best), &counts);

		if (value != IVM_NONE)
			record_leaf(f, t, v, value);
	}
	add_counts(f, counts);
}

/* ---- putting intervals: ivm_descend, a row of all of them at a time, so that the bounds of a row
 * are computed in parallel ---- */

static __global__ void start(struct ivm_fleet f, const uint16_t *intervals, const int32_t *target,
			     int count)
{
	int i = global_thread(), n = f.n;

	if (i == 0)
		f.control->children = 0;
	if (i >= count)
		return;
	int t = target[i];
	struct ivm v = ivm_of(f, t);
	length_end(f, t, v);
	f.begin[t] = factoradic_residue(intervals + (size_t)(2 * i) * (size_t)n, n);
	for (int d = 0; d < n; d++) {
		v.position[d] = 0;
		v.end[d] = intervals[(size_t)(2 * i + 1) * (size_t)n + (size_t)d];
		v.matrix[d] = (int16_t)d;
	}
	*v.level = 0;
	f.state[t] = IVM_EXPLORING;
	f.victim[t] = i;
	atomicAdd(&f.control->working, 1);
	open_row(f, t, v, scratch_of(f, t));
}

static __device__ void finish_row(const struct ivm_fleet &f, int t, const uint16_t *first,
				  struct ivm_counts *counts)
{
	struct ivm v = ivm_of(f, t);
	struct ivm_scratch s = scratch_of(f, t);
	struct ivm_counts uncounted = { 0, 0, 0 };
	int level = *v.level, deepest = -1;
	int32_t value;

	for (int i = 0; i < f.n; i++)
		deepest = first[i] ? i : deepest;
	value = ivm_side_and_prune(&f.problem, &v, &s, load_relaxed(&f.control->best),
				   deepest < 0 ? counts : &uncounted);
	if (value != IVM_NONE)
		record_leaf(f, t, v, value);
	v.position[level] = first[level];
	f.children[t] = 0;
	if (level < deepest && v.matrix[level * f.n + first[level]] >= 0) {
		ivm_branch(&v);
		open_row(f, t, v, s);
	}
}

static __global__ void start_row(struct ivm_fleet f, const uint16_t *intervals)
{
	int t = global_thread();
	struct ivm_counts counts = { 0, 0, 0 };

	if (t == 0)
		f.control->children = 0;
	if (t < f.ivms && f.children[t])
		finish_row(f, t, intervals + (size_t)2 * (size_t)f.victim[t] * (size_t)f.n,
			   &counts);
	add_counts(f, counts);
}

/* ---- launches ---- */

static unsigned blocks_for(int threads)
{
	return ((unsigned)threads + (unsigned)BLOCK - 1) / (unsigned)BLOCK;
}

static int launch_select(struct dev_stream *s, const struct ivm_fleet *f, int32_t best, bool staged,
			 struct err *e)
{
	unsigned blocks = ((unsigned)f->ivms + (unsigned)STAGE_BLOCK - 1) / (unsigned)STAGE_BLOCK;

	if (staged)
		return LAUNCH(e, select_and_branch<true>, blocks, STAGE_BLOCK, stage_bytes(*f), s,
			      *f, best);
	return LAUNCH(e, select_and_branch<false>, blocks, STAGE_BLOCK, 0, s, *f, best);
}

static int launch_map(struct dev_stream *s, const struct ivm_fleet *f, struct err *e)
{
	return LAUNCH(e, build_mapping, blocks_for(f->ivms), BLOCK, 0, s, *f);
}

static int launch_prune(struct dev_stream *s, const struct ivm_fleet *f, struct err *e)
{
	return LAUNCH(e, prune, blocks_for(f->ivms), BLOCK, 0, s, *f);
}

static int launch_start(struct dev_stream *s, const struct ivm_fleet *f, const uint16_t *intervals,
			const int32_t *target, int count, struct err *e)
{
	int status = dev_fill(s, f->children, 0, (size_t)f->ivms * sizeof(*f->children), e);

	if (status)
		return status;
	return LAUNCH(e, start, blocks_for(count), BLOCK, 0, s, *f, intervals, target, count);
}

static int launch_start_row(struct dev_stream *s, const struct ivm_fleet *f,
			    const uint16_t *intervals, struct err *e)
{
	return LAUNCH(e, start_row, blocks_for(f->ivms), BLOCK, 0, s, *f, intervals);
}

extern "C" const struct ivm_published_kernels BACKEND_SYMBOL(ivm_published_kernels) = {
	launch_select,
	launch_map,
	BACKEND_SYMBOL(ivm_bound),
	launch_prune,
	BACKEND_SYMBOL(ivm_steps),
	BACKEND_SYMBOL(ivm_lengths),
	BACKEND_SYMBOL(ivm_victims),
	BACKEND_SYMBOL(ivm_steal),
	launch_start,
	launch_start_row,
	BACKEND_SYMBOL(ivm_split),
	BACKEND_SYMBOL(ivm_accept),
	BACKEND_SYMBOL(ivm_bound_blocks),
	BACKEND_SYMBOL(ivm_staged),
};
