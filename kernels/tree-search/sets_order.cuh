/* Phases 2 and 3: a new batch is put in order by set; bounds that it will need are listed. */
#ifndef COPRA_KERNELS_TREE_SEARCH_SETS_ORDER_CUH
#define COPRA_KERNELS_TREE_SEARCH_SETS_ORDER_CUH

#include "kernels/tree-search/sets_common.cuh"

enum {
	SETS_LOOKED = 8,    /* sets whose children a warp looks at together */
	SETS_LANE_SETS = 4, /* of a level, looked at by a lane at once */
	SETS_TOGETHER = 8   /* neighbours that a warp takes; its next ones are far away: sets with
			       nodes come in   clusters, and each costs some time */
};

/* Lists the children of up to SETS_LOOKED sets of `level` whose bounds are not there yet; lane j
 * looks at job j. */
static __device__ __forceinline__ void list_missing(const struct sets_search &q, int turn,
						    const uint32_t *set, uint32_t sets, int level)
{
	const uint32_t bit = 1u << lane_of();
	uint32_t number[SETS_LOOKED], wanted[SETS_LOOKED], total = 0, base = 0;

#pragma unroll
	for (int i = 0; i < SETS_LOOKED; i++) {
		const uint32_t placed = q.set_of[set[min((uint32_t)i, sets - 1)]];

		wanted[i] = (uint32_t)i < sets && lane_of() < q.jobs && !(placed & bit);
		number[i] = wanted[i] ? number_of(q, placed | bit, level + 1) : 0;
	}
#pragma unroll
	for (int i = 0; i < SETS_LOOKED; i++)
		if (wanted[i])
			wanted[i] = ~(atomicOr(q.built + number[i] / 32, 1u << number[i] % 32) >>
				      number[i] % 32) &
				    1;
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

/* A set's place in the list and its chunks. */
static __device__ __forceinline__ void place_set(const struct sets_search &q, uint32_t set,
						 uint32_t number, uint32_t nodes, uint32_t list,
						 uint32_t chunk, uint32_t chunk_nodes)
{
	q.cursor[set] = list;
	q.count[set] = 0;
	for (uint32_t i = 0; i < nodes; i += chunk_nodes, chunk++) {
		q.chunk[chunk].number = number;
		q.chunk[chunk].first = list + i;
	}
}

/* The warp's sets of a level: the i-th of the lane, counted from the level's first. */
static __device__ __forceinline__ uint32_t set_of_lane(uint32_t from, int i)
{
	const uint32_t group = (uint32_t)(i * 32 + lane_of()) / SETS_TOGETHER;

	return from + (group * warps_of_grid() + warp_of_grid()) * SETS_TOGETHER +
	       (uint32_t)lane_of() % SETS_TOGETHER;
}

/* Places of the warp's sets, from the `from`-th of the level on; `found` gets the numbers of those
 * that have nodes. Returns how many they are. */
static __device__ __forceinline__ uint32_t arrange_some(const struct sets_search &q,
							const struct sets_plan &plan,
							uint32_t first, uint32_t from, uint32_t end,
							uint32_t chunk_base, uint32_t *found)
{
	uint32_t nodes[SETS_LANE_SETS], total = 0;
	unsigned long long mine = 0, upto, base = 0;

#pragma unroll
	for (int i = 0; i < SETS_LANE_SETS; i++) {
		const uint32_t set = set_of_lane(from, i);

		nodes[i] = set < end ? q.count[set] : 0;
	}
#pragma unroll
	for (int i = 0; i < SETS_LANE_SETS; i++) {
		const uint32_t votes = __ballot_sync(~0u, nodes[i] != 0);

		if (nodes[i])
			found[total + __popc(votes & lanes_below())] = first + set_of_lane(from, i);
		total += (uint32_t)__popc(votes);
		mine += (unsigned long long)((nodes[i] + plan.chunk_nodes - 1) / plan.chunk_nodes)
				<< 32 |
			nodes[i];
	}
	if (!total)
		return 0;
	upto = mine;
	for (int d = 1; d < 32; d *= 2) {
		const unsigned long long other = __shfl_up_sync(~0u, upto, (unsigned)d);

		upto += lane_of() >= d ? other : 0;
	}
	if (lane_of() == 31)
		base = atomicAdd(&q.state->counter[plan.turn].lists, upto);
	base = __shfl_sync(~0u, base, 31) + upto - mine;
#pragma unroll
	for (int i = 0; i < SETS_LANE_SETS; i++) {
		const uint32_t set = set_of_lane(from, i);

		if (!nodes[i])
			continue;
		place_set(q, set, first + set, nodes[i], plan.row + (uint32_t)base,
			  chunk_base + (uint32_t)(base >> 32), plan.chunk_nodes);
		base += (unsigned long long)((nodes[i] + plan.chunk_nodes - 1) / plan.chunk_nodes)
				<< 32 |
			nodes[i];
	}
	return total;
}

/* Places of the sets of `level` in the list, and their chunks; their counts are zero afterwards.
 * What bounds their children miss is listed. `found`: the warp's, 32 * SETS_LANE_SETS words. */
static __device__ __forceinline__ void arrange_sets(const struct sets_search &q,
						    const struct sets_plan &plan, int level,
						    uint32_t chunk_base, uint32_t *found)
{
	const uint32_t first = q.level_first[level], sets = q.level_first[level + 1] - first;
	const uint32_t stride = 32 * SETS_LANE_SETS * warps_of_grid();

	for (uint32_t from = 0; from < sets; from += stride) {
		const uint32_t total = arrange_some(q, plan, first, from, sets, chunk_base, found);

		__syncwarp();
		if (level + 1 < q.jobs)
			for (uint32_t i = 0; i < total; i += SETS_LOOKED)
				list_missing(q, plan.turn, found + i,
					     min(total - i, (uint32_t)SETS_LOOKED), level);
		__syncwarp();
	}
}

enum {
	SETS_PLACED = 8,         /* times 32 rows, placed at once by a warp */
	SETS_PLACED_TASK = 1024, /* rows of a task */
};

/* SETS_PLACED * 32 of the rows row .. row + rows - 1 enter the list, from the `at`-th on;
 * neighbours of one set take one step of its cursor. */
static __device__ __forceinline__ void place_rows(const struct sets_search &q, int level,
						  uint32_t row, uint32_t rows, uint32_t at)
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
