/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Tickets, waiting for other tiles, and reading cells: shared by the passes of tuned.h. */
#ifndef COPRA_KERNELS_DP_KNAPSACK_TUNED_TILE_CUH
#define COPRA_KERNELS_DP_KNAPSACK_TUNED_TILE_CUH

#include "kernels/common/gpu.cuh"
#include "kernels/dp-knapsack/tuned.h"

/* The value of negative capacities: below every value, and no sum of profits raises it above zero.
 */
template <class V> struct dp_none;
template <> struct dp_none<int32_t> {
	static constexpr int32_t value = -(1 << 30);
};
template <> struct dp_none<int64_t> {
	static constexpr int64_t value = -(1LL << 62);
};

static __device__ __forceinline__ int32_t add_max(int32_t a, int32_t gain, int32_t b)
{
	return __viaddmax_s32(a, gain, b);
}
static __device__ __forceinline__ int64_t add_max(int64_t a, int64_t gain, int64_t b)
{
	a += gain;
	return a > b ? a : b;
}

/* Placed at the start of a block's shared memory. */
struct tile_head {
	int32_t pass, tile;
	struct dp_tuned_pass here;
};
enum { TILE_HEAD_BYTES = 256 };
static_assert(sizeof(struct tile_head) <= TILE_HEAD_BYTES, "room for the head");

static __device__ __forceinline__ const struct dp_tuned_pass *
pass_row(const struct dp_tuned_run &run, int pass, int device)
{
	return run.pass + (ptrdiff_t)pass * run.devices + device;
}

/* Finds the tile of a ticket that thread 0 drew; false if none is left. On entry head->pass holds
 * the previous tile's pass, and no thread reads the head any more. */
static __device__ __forceinline__ bool tile_find(const struct dp_tuned_run &run,
						 struct tile_head *head, int32_t ticket)
{
	if (threadIdx.x == 0) {
		int32_t pass = head->pass;

		while (pass < run.pass_count &&
		       ticket >= pass_row(run, pass + 1, run.self)->tile_first)
			pass++;
		if (pass < run.pass_count) {
			head->here = *pass_row(run, pass, run.self);
			head->tile = ticket - head->here.tile_first;
		}
		head->pass = pass;
	}
	__syncthreads();
	return head->pass < run.pass_count;
}

static __device__ __forceinline__ int32_t ticket_draw(const struct dp_tuned_run &run)
{
	return threadIdx.x == 0 ? (int32_t)atomicAdd(run.ticket, 1u) : 0;
}

/* Draws the block's next tile. */
static __device__ __forceinline__ bool tile_next(const struct dp_tuned_run &run,
						 struct tile_head *head)
{
	return tile_find(run, head, ticket_draw(run));
}

/* Waits until all tiles of zone z of a pass are written on one device. */
static __device__ __forceinline__ void zone_wait(const struct dp_tuned_run &run,
						 const struct dp_tuned_pass &p, int device, int z)
{
	int after = (z + 1) * p.zone_bands < p.bands ? (z + 1) * p.zone_bands : p.bands;
	unsigned target = (unsigned)((after - z * p.zone_bands) * p.groups);
	const unsigned *counter = run.zone[device] + p.zone_first + z;

	if (run.devices > 1)
		SPIN_UNTIL(ld_acquire_sys(counter) >= target);
	else
		SPIN_UNTIL(ld_acquire_gpu(counter) >= target);
}

/* Waits until the cells low .. high are written by a pass on all devices; with `reach`, also those
 * above that are computed from these. Called by the first warp. */
static __device__ __forceinline__ void zones_wait(const struct dp_tuned_run &run, int pass,
						  int64_t low, int64_t high, bool reach)
{
	for (int d = 0; d < run.devices; d++) {
		const struct dp_tuned_pass p = *pass_row(run, pass, d);
		int64_t from = low - p.low;
		int64_t to = high - p.low + (reach ? (int64_t)p.halo * p.weight : 0);

		from = from > 0 ? from : 0;
		to = to < p.cells ? to : p.cells - 1;
		if (from > to)
			continue;
		int last = (int)to / p.band_cells / p.zone_bands;
		for (int z = (int)from / p.band_cells / p.zone_bands + (int)threadIdx.x; z <= last;
		     z += warpSize)
			zone_wait(run, p, d, z);
	}
}

/* Waits until the previous pass has written the cells low .. high that a tile reads, and until no
 * tile still reads what this one overwrites. */
static __device__ __forceinline__ void tile_wait(const struct dp_tuned_run &run, int pass,
						 int64_t low, int64_t high)
{
	if (threadIdx.x < warpSize) {
		if (pass >= 1)
			zones_wait(run, pass - 1, low, high, run.lag == 1);
		if (run.lag > 1 && pass >= run.lag)
			zones_wait(run, pass - run.lag, low, high, true);
	}
	__syncthreads();
}

/* Publishes the tile that all threads have written. The last warp waits for the fence while the
 * first one finds the next tile. */
static __device__ __forceinline__ void tile_done(const struct dp_tuned_run &run,
						 const struct dp_tuned_pass &p, int band)
{
	unsigned *counter = run.zone[run.self] + p.zone_first + band / p.zone_bands;

	__syncthreads();
	if (threadIdx.x == blockDim.x - 1) {
		if (run.devices > 1) {
			__threadfence_system();
			atomicAdd_system(counter, 1u);
		} else {
			__threadfence();
			atomicAdd(counter, 1u);
		}
	}
}

/* The source of a tile's cells before the pass. */
template <class V> struct tile_source {
	const struct dp_tuned_run *run;
	const V *below, *beyond; /* memory of the cells below `cut` and of those from `cut` on,
				    indexed by cell */
	V above;                 /* value of the cells above `saturated` */
	int32_t saturated, cut;
	int pass, owners; /* number of devices that hold them; if more than two, each cell's is
			     looked up */

	__device__ __forceinline__ tile_source(const struct dp_tuned_run &r,
					       const struct tile_head *head, int64_t low,
					       int64_t high)
	    : run(&r), below(NULL), beyond(NULL), above((V)head->here.saturated_value),
	      saturated(head->here.saturated), cut(INT32_MAX), pass(head->pass), owners(0)
	{
		low = low > 0 ? low : 0;
		high = high < saturated ? high : saturated;
		if (r.devices == 1 && low <= high) {
			owners = 1;
			below = static_cast<const V *>(r.cell[0]) + pass_row(r, pass - 1, 0)->store;
			return;
		}
		for (int d = 0; low <= high && d < r.devices; d++) {
			const struct dp_tuned_pass *p = pass_row(r, pass - 1, d);
			const V *cells = static_cast<const V *>(r.cell[d]) + p->store;

			if (p->cells == 0 || high < p->low || low - p->low >= p->cells)
				continue;
			if (owners++ == 0) {
				below = cells;
			} else if (owners == 2) {
				cut = p->low;
				beyond = cells;
			}
		}
	}
	__device__ __forceinline__ const V *at(int32_t c) const
	{
		if (owners > 2)
			return elsewhere(c);
		return (c < cut ? below : beyond) + c;
	}
	/* cells below 0 hold no value */
	__device__ __forceinline__ V read(int32_t c) const
	{
		if (c >= 0 && c <= saturated)
			return __ldcg(at(c));
		return c < 0 ? dp_none<V>::value : above;
	}
	__device__ __noinline__ const V *elsewhere(int32_t c) const
	{
		int d = 0;

		while (d + 1 < run->devices && c >= pass_row(*run, pass - 1, d + 1)->low)
			d++;
		return static_cast<const V *>(run->cell[d]) + pass_row(*run, pass - 1, d)->store +
		       c;
	}
};

#endif
