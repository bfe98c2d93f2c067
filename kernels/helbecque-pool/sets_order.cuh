/* Phases 2 and 3: a new batch is put in order by set; bounds that it will need are listed. */
#ifndef COPRA_KERNELS_HELBECQUE_SETS_ORDER_CUH
#define COPRA_KERNELS_HELBECQUE_SETS_ORDER_CUH

#include "kernels/helbecque-pool/sets_common.cuh"

enum { SETS_LOOKED = 4 }; /* sets whose children a warp looks at together */

/* Lists the children of up to SETS_LOOKED sets of `level` whose bounds are not there yet; lane j looks at job j. The
 * sets are those of the lanes in `votes`, which loses them. */
static __device__ __forceinline__ void list_missing(const struct sets_search &q, int turn, uint32_t set,
						    int level, uint32_t *votes)
{
	const uint32_t bit = 1u << lane_of();
	uint32_t number[SETS_LOOKED], wanted[SETS_LOOKED], total = 0, base = 0;

#pragma unroll
	for (int i = 0; i < SETS_LOOKED; i++) {
		uint32_t placed = __shfl_sync(~0u, set, *votes ? __ffs((int)*votes) - 1 : 0);
		bool child = *votes && lane_of() < q.jobs && !(placed & bit);

		*votes &= *votes - 1;
		wanted[i] = child;
		number[i] = child ? number_of(q, placed | bit, level + 1) : 0;
	}
#pragma unroll
	for (int i = 0; i < SETS_LOOKED; i++)
		wanted[i] = wanted[i] && !(__ldcg(q.built + number[i] / 32) >> number[i] % 32 & 1);
#pragma unroll
	for (int i = 0; i < SETS_LOOKED; i++)
		if (wanted[i])
			wanted[i] = ~(atomicOr(q.built + number[i] / 32, 1u << number[i] % 32) >>
				      number[i] % 32) & 1;
#pragma unroll
	for (int i = 0; i < SETS_LOOKED; i++) {
		wanted[i] = __ballot_sync(~0u, wanted[i]);
		total += (uint32_t)__popc(wanted[i]);
	}
	if (!total)
		return;
	if (lane_of() == 0)
		base = atomicAdd(&q.state->counter[turn].missing, total);
	base = __shfl_sync(~0u, base, 0);
#pragma unroll
	for (int i = 0; i < SETS_LOOKED; i++) {
		if (wanted[i] & bit)
			q.missing[base + (uint32_t)__popc(wanted[i] & lanes_below())] = number[i];
		base += (uint32_t)__popc(wanted[i]);
	}
}

/* Places of the sets of `level` in the list, and their chunks; their counts are zero afterwards. What bounds their
 * children miss is listed. */
static __device__ __forceinline__ void arrange_sets(const struct sets_search &q,
						    const struct sets_plan &plan, int level,
						    uint32_t chunk_base)
{
	const uint32_t first = q.level_first[level], sets = q.level_first[level + 1] - first;
	const int lane = lane_of();
	/* a narrow level is spread over all warps: each set costs some time */
	const uint32_t width = max((uint32_t)SETS_LOOKED, min(32u, sets / warps_of_grid() + 1));

	for (uint32_t at = warp_of_grid() * width; at < sets; at += warps_of_grid() * width) {
		uint32_t set = at + (uint32_t)lane;
		uint32_t nodes = set < sets && (uint32_t)lane < width ? q.count[set] : 0;
		uint32_t votes = __ballot_sync(~0u, nodes != 0);

		if (!votes)
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
		uint32_t placed = nodes ? q.set_of[first + set] : 0;
		if (level + 1 < q.jobs)
			while (votes)
				list_missing(q, plan.turn, placed, level, &votes);
		base = __shfl_sync(~0u, base, 31) + upto - mine;
		if (!nodes)
			continue;
		uint32_t chunk = chunk_base + (uint32_t)(base >> 32), list = plan.row + (uint32_t)base;

		q.cursor[set] = list;
		q.count[set] = 0;
		for (uint32_t i = 0; i < nodes; i += plan.chunk_nodes, chunk++) {
			q.chunk[chunk].number = first + set;
			q.chunk[chunk].first = list + i;
		}
	}
}

enum {
	SETS_PLACED = 8,         /* times 32 rows, placed at once by a warp */
	SETS_PLACED_TASK = 1024, /* rows of a task */
};

/* SETS_PLACED * 32 of the rows row .. row + rows - 1 enter the list, from the `at`-th on; neighbours of one set take
 * one step of its cursor. */
static __device__ __forceinline__ void place_rows(const struct sets_search &q, int level, uint32_t row,
						  uint32_t rows, uint32_t at)
{
	const uint32_t first = q.level_first[level], upto = lanes_below() << 1 | 1;
	const int lane = lane_of();
	uint32_t key[SETS_PLACED], heads[SETS_PLACED], place[SETS_PLACED];

#pragma unroll
	for (int n = 0; n < SETS_PLACED; n++) {
		uint32_t i = at + (uint32_t)(lane + 32 * n);

		key[n] = i < rows ? q.key[row + i] : SETS_NONE;
		place[n] = 0;
	}
#pragma unroll
	for (int n = 0; n < SETS_PLACED; n++) {
		uint32_t before = __shfl_up_sync(~0u, key[n], 1);
		bool head = lane == 0 || key[n] != before;

		heads[n] = __ballot_sync(~0u, head);
		if (head && key[n] != SETS_NONE) {
			uint32_t later = heads[n] & ~upto;
			int end = later ? __ffs((int)later) - 1 : 32;

			place[n] = atomicAdd(q.cursor + (key[n] - first), (uint32_t)(end - lane));
		}
	}
#pragma unroll
	for (int n = 0; n < SETS_PLACED; n++) {
		int head = 31 - __clz((int)(heads[n] & upto));

		place[n] = __shfl_sync(~0u, place[n], head);
		if (key[n] != SETS_NONE)
			q.list[place[n] + (uint32_t)(lane - head)] =
			    row + at + (uint32_t)(lane + 32 * n);
	}
}

#endif
