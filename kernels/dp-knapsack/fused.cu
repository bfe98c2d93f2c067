/* Fused pass: a group of items of any weights, through shared memory.
 *
 * A block holds a window of f in shared memory and each thread its own neighbouring cells in registers
 * too: an item costs a cell one shared load (f at c - w), one add-max and one shared store; two items
 * whose weights are nearly equal, as neighbours in ascending order mostly are, together two loads,
 * three add-max and one store. An odd number of cells a thread keeps a warp's accesses in different
 * banks. The window's first cells, as many as the weights so far add up to, are dead: nothing before
 * them was read. Warps whose cells are all dead skip the item; live cells read live cells only. */
#include "kernels/dp-knapsack/tuned_tile.cuh"

/* cells a thread */
template <class V> struct fused_cells {
	static constexpr int count = sizeof(V) == 4 ? KP_TUNED_FUSED_CELLS : KP_TUNED_FUSED_CELLS_64;
};

/* Starts the window's copy to shared memory; complete after fused_arrive. */
template <class V>
static __device__ __forceinline__ void fused_load(const tile_source<V> &source, int32_t start,
						  int32_t last, V *window)
{
	const int size = (int)blockDim.x * fused_cells<V>::count;

	for (int x = (int)threadIdx.x; x < size; x += (int)blockDim.x) {
		int32_t c = start + x;
		bool plain = c >= 0 && c <= last && c <= source.saturated;

		if (plain && sizeof(V) == 4)
			copy_async_4(window + x, source.at(c));
		else
			window[x] = c <= last ? source.read(c) : kp_none<V>::value;
	}
	copy_async_commit();
	copy_async_wait<0>();
	__syncthreads();
}

/* What a thread of a dead warp, or a dead one of a live warp, may read instead of cells before the
 * window: the guard. */
static __device__ __forceinline__ int fused_from(int first, int weight, int guard)
{
	return first - weight > -guard ? first - weight : -guard;
}

template <int R, class V>
static __device__ __forceinline__ void fused_one(V (&v)[R], const V *window, int first, int w, V gain)
{
	const V *from = window + fused_from(first, w, R);

#pragma unroll
	for (int i = 0; i < R; i++)
		v[i] = add_max(from[i], gain, v[i]);
}

/* Two items of weights w and w + D at once. What the heavier one reads for a cell the lighter one reads
 * for the cell D above: one load serves both; one more is for taking both. */
template <int D, int R, class V>
static __device__ __forceinline__ void fused_two(V (&v)[R], const V *window, int first, int w,
						 V light, V heavy)
{
	const V *from = window + fused_from(first, w + D, R);
	const V *both = window + fused_from(first, 2 * w + D, R);
	V near[R + D];

#pragma unroll
	for (int i = 0; i < D; i++)
		near[i] = from[i];
#pragma unroll
	for (int i = 0; i < R; i++) {
		near[i + D] = from[i + D];
		v[i] = add_max(near[i], heavy, v[i]);
		v[i] = add_max(near[i + D], light, v[i]);
		v[i] = add_max(both[i], (V)(light + heavy), v[i]);
	}
}

/* One item, or two whose weights are `apart`, from the window into v. */
template <int R, class V>
static __device__ __forceinline__ void fused_apply(V (&v)[R], const V *window, int first,
						   const int32_t *weight, const V *gain, int apart)
{
	const int w = __ldg(weight);
	const V g = __ldg(gain);

	switch (apart) {
	case 0: fused_two<0>(v, window, first, w, g, __ldg(gain + 1)); break;
	case 1: fused_two<1>(v, window, first, w, g, __ldg(gain + 1)); break;
	case 2: fused_two<2>(v, window, first, w, g, __ldg(gain + 1)); break;
	default: fused_one(v, window, first, w, g); break;
	}
}

template <class V>
static __device__ __forceinline__ void fused_items(const struct kp_run &run, const struct kp_pass &p,
						   V *window)
{
	constexpr int R = fused_cells<V>::count;
	const V *gain = static_cast<const V *>(run.gain) + p.op_first;
	const int32_t *weight = run.shift + p.op_first;
	const int first = (int)threadIdx.x * R;
	const int warp_end = ((int)threadIdx.x | (warpSize - 1)) * R + R;
	V *mine = window + first;
	V v[R];
	int dead = 0, taken;

#pragma unroll
	for (int i = 0; i < R; i++)
		v[i] = mine[i];
	for (int j = 0; j < p.op_count; j += taken) {
		int apart = j + 1 < p.op_count ? __ldg(weight + j + 1) - __ldg(weight + j) : -1;

		taken = apart >= 0 && apart <= 2 ? 2 : 1;
		dead += __ldg(weight + j) + (taken == 2 ? __ldg(weight + j + 1) : 0);
		if (dead < warp_end)
			fused_apply(v, window, first, weight + j, gain + j, taken == 2 ? apart : -1);
		__syncthreads();
		if (dead < warp_end) {
#pragma unroll
			for (int i = 0; i < R; i++)
				mine[i] = v[i];
		}
		__syncthreads();
	}
}

template <class V>
static __device__ __noinline__ void fused_tile(const struct kp_run &run, struct tile_head *head,
					       V *window)
{
	const struct kp_pass &p = head->here;
	const int band = p.bands - 1 - head->tile;
	const int32_t first = p.low + band * p.band_cells;
	const int32_t last = p.low + p.cells - 1 - first < p.band_cells ? p.low + p.cells - 1
									: first + p.band_cells - 1;

	tile_wait(run, head->pass, first - p.halo, last);
	fused_load(tile_source<V>(run, head, first - p.halo, last), first - p.halo, last, window);
	fused_items(run, p, window);
	V *to = static_cast<V *>(run.cell[run.self]) + p.store;
	for (int32_t c = first + (int)threadIdx.x; c <= last; c += (int)blockDim.x)
		__stcg(to + c, window[c - first + p.halo]);
	tile_done(run, p, band);
}

template <class V>
static __global__ void __launch_bounds__(KP_TUNED_THREADS, 1)
fused_kernel(const __grid_constant__ struct kp_run run)
{
	SHARED_MEMORY(unsigned char, shared);
	struct tile_head *head = reinterpret_cast<struct tile_head *>(shared);
	V *guard = reinterpret_cast<V *>(shared + TILE_HEAD_BYTES);

	for (int x = (int)threadIdx.x; x < fused_cells<V>::count; x += (int)blockDim.x)
		guard[x] = kp_none<V>::value;
	if (threadIdx.x == 0)
		head->pass = 0;
	while (tile_next(run, head))
		fused_tile(run, head, guard + fused_cells<V>::count);
}

template <class V>
static int fused_launch(struct dev_stream *s, const struct kp_run *r, int blocks, int threads,
			struct err *e)
{
	size_t cells = (size_t)(threads + 1) * fused_cells<V>::count;

	return LAUNCH(e, fused_kernel<V>, blocks, threads, TILE_HEAD_BYTES + cells * sizeof(V), s, *r);
}

extern "C" int BACKEND_SYMBOL(kp_fused_pass)(struct dev_stream *s, const struct kp_run *r, int blocks,
					     int threads, struct err *e)
{
	return r->cells_64 ? fused_launch<int64_t>(s, r, blocks, threads, e)
			   : fused_launch<int32_t>(s, r, blocks, threads, e);
}
