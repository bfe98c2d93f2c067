/* Phases 2 and 3: a new batch is put in order by set. */
#ifndef COPRA_KERNELS_HELBECQUE_SETS_ORDER_CUH
#define COPRA_KERNELS_HELBECQUE_SETS_ORDER_CUH

#include "kernels/helbecque-pool/sets_common.cuh"

/* Places of the sets of `level` in the list, and their chunks. */
static __device__ __forceinline__ void arrange_sets(const struct sets_search &q,
						    const struct sets_plan &plan, int level,
						    uint32_t chunk_base)
{
	const uint32_t first = q.level_first[level], sets = q.level_first[level + 1] - first;
	const int lane = lane_of();

	for (uint32_t at = warp_of_grid() * 32; at < sets; at += warps_of_grid() * 32) {
		uint32_t set = at + (uint32_t)lane;
		uint32_t nodes = set < sets ? q.count[set] : 0;

		if (!__any_sync(~0u, nodes != 0))
			continue;
		unsigned long long mine =
		    (unsigned long long)((nodes + plan.chunk_nodes - 1) / plan.chunk_nodes) << 32 | nodes;
		unsigned long long upto = mine, base = 0;

		for (int d = 1; d < 32; d *= 2) {
			unsigned long long other = __shfl_up_sync(~0u, upto, (unsigned)d);

			upto += lane >= d ? other : 0;
		}
		if (lane == 31)
			base = atomicAdd(&q.state->counter[plan.turn].lists, upto);
		base = __shfl_sync(~0u, base, 31) + upto - mine;
		if (!nodes)
			continue;
		uint32_t chunk = chunk_base + (uint32_t)(base >> 32), list = plan.row + (uint32_t)base;

		q.cursor[set] = list;
		for (uint32_t i = 0; i < nodes; i += plan.chunk_nodes, chunk++) {
			q.chunk[chunk].number = first + set;
			q.chunk[chunk].first = list + i;
		}
	}
}

/* Lists the sets of `level` that are children of the batch's and have no bounds yet. */
static __device__ __forceinline__ void list_missing(const struct sets_search &q, int turn, int level)
{
	const uint32_t first = q.level_first[level], sets = q.level_first[level + 1] - first;
	const int lane = lane_of();

	for (uint32_t at = warp_of_grid() * 32; at < sets; at += warps_of_grid() * 32) {
		uint32_t number = first + at + (uint32_t)lane;
		bool wanted = false;

		if (at + (uint32_t)lane < sets && !q.built[number]) {
			uint32_t set = q.set_of[number];

			for (uint32_t rest = set; rest && !wanted; rest &= rest - 1) {
				uint32_t without = set & ~(rest & (0u - rest));

				wanted = q.count[number_of(q, without, level - 1) -
						 q.level_first[level - 1]] != 0;
			}
		}
		uint32_t votes = __ballot_sync(~0u, wanted), base = 0;

		if (!votes)
			continue;
		if (lane == 0)
			base = atomicAdd(&q.state->counter[turn].missing, (unsigned)__popc(votes));
		base = __shfl_sync(~0u, base, 0);
		if (wanted) {
			q.built[number] = 1;
			q.missing[base + (uint32_t)__popc(votes & lanes_below())] = number;
		}
	}
}

/* Rows `row` .. `row + rows - 1` enter the list; neighbours of one set take one step of its cursor. */
static __device__ __forceinline__ void place_rows(const struct sets_search &q, int level, uint32_t row,
						  uint32_t rows)
{
	const uint32_t first = q.level_first[level];
	const int lane = lane_of();

	for (uint32_t at = warp_of_grid() * 32; at < rows; at += warps_of_grid() * 32) {
		uint32_t i = at + (uint32_t)lane;
		uint32_t key = i < rows ? q.key[row + i] : SETS_NONE;
		uint32_t before = __shfl_up_sync(~0u, key, 1);
		uint32_t heads = __ballot_sync(~0u, lane == 0 || key != before);
		int head = 31 - __clz((int)(heads & (lanes_below() << 1 | 1)));
		uint32_t later = heads & ~(lanes_below() << 1 | 1);
		int end = later ? __ffs((int)later) - 1 : 32;
		uint32_t place = 0;

		if (head == lane && key != SETS_NONE)
			place = atomicAdd(q.cursor + (key - first), (uint32_t)(end - lane));
		place = __shfl_sync(~0u, place, head);
		if (key != SETS_NONE)
			q.list[place + (uint32_t)(lane - head)] = row + i;
	}
}

static __device__ __forceinline__ void clear_counts(const struct sets_search &q, int level)
{
	const uint32_t sets = q.level_first[level + 1] - q.level_first[level];

	for (uint32_t i = (uint32_t)(blockIdx.x * blockDim.x + threadIdx.x); i < sets;
	     i += (uint32_t)(gridDim.x * blockDim.x))
		q.count[i] = 0;
}

#endif
