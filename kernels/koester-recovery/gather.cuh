/* Copies of states between buffers at full bandwidth: for common.cu.
 *
 * Units lie apart by strides; the words of one unit, the largest that everything is aligned to, lie
 * together. Small units: thread after thread takes word after word of state after state, and four
 * rows (or four states) at once, so that enough loads are under way. Large units: a warp copies
 * pieces of 4 words a lane. */
#ifndef COPRA_KERNELS_KOESTER_RECOVERY_GATHER_CUH
#define COPRA_KERNELS_KOESTER_RECOVERY_GATHER_CUH

#include "algorithms/koester-recovery/track_ops.h"
#include "kernels/common/gpu.cuh"

enum {
	GATHER_BLOCK = 256,
	GATHER_TOGETHER = 4,     /* words of a thread under way */
	GATHER_LARGE = 512,      /* bytes from which a unit is large */
	GATHER_THREADS = 1 << 19 /* as many as fill any device */
};

struct gather_job {
	const unsigned char *from[TRACK_SOURCES];
	size_t from_stride[TRACK_SOURCES]; /* bytes from unit to unit */
	uint32_t first[TRACK_SOURCES];
	int sources;
	unsigned char *to;
	size_t to_stride;
	size_t slot_bytes; /* from slot to slot */
	size_t unit_bytes; /* to be copied of each unit */
	const uint32_t *from_slot, *to_slot;
	uint32_t repeat, count, units;
	uint32_t words; /* of a unit */
};

struct gather_way {
	const unsigned char *from;
	unsigned char *to;
	size_t from_stride;
};

/* Between which slots the i-th copy goes, at unit 0. */
static __device__ __forceinline__ gather_way gather_find(const gather_job &j, uint32_t i)
{
	uint32_t of = j.repeat > 1 ? i / j.repeat : i;
	uint32_t slot = j.from_slot ? j.from_slot[of] : of;
	int k = j.sources - 1;
	gather_way w;

	while (k > 0 && slot < j.first[k])
		k--;
	w.from = j.from[k] + (size_t)(slot - j.first[k]) * j.slot_bytes;
	w.from_stride = j.from_stride[k];
	w.to = j.to + (size_t)(j.to_slot ? j.to_slot[i] : i) * j.slot_bytes;
	return w;
}

/* Small units: a thread takes one word of four units; blockIdx.y counts groups of `group` units.
 */
template <class W>
static __global__ void gather_rows(const __grid_constant__ gather_job j, uint32_t group)
{
	uint64_t item = (uint64_t)blockIdx.x * GATHER_BLOCK + threadIdx.x;
	uint32_t i = (uint32_t)(j.words == 1 ? item : item / j.words);

	if (i >= j.count)
		return;
	gather_way w = gather_find(j, i);
	size_t offset = (item - (uint64_t)i * j.words) * sizeof(W);
	uint32_t u = blockIdx.y * group, end = min(j.units, u + group);

	w.from += offset + u * w.from_stride;
	w.to += offset + u * j.to_stride;
	for (; u < end; u += GATHER_TOGETHER) {
		W held[GATHER_TOGETHER] = {};

#pragma unroll
		for (int k = 0; k < GATHER_TOGETHER; k++)
			if (u + k < end)
				held[k] = *(const W *)(w.from + k * w.from_stride);
#pragma unroll
		for (int k = 0; k < GATHER_TOGETHER; k++)
			if (u + k < end)
				*(W *)(w.to + k * j.to_stride) = held[k];
		w.from += GATHER_TOGETHER * w.from_stride;
		w.to += GATHER_TOGETHER * j.to_stride;
	}
}

/* Small units, few in a state: a thread takes a word of four states; blockIdx.y is the unit. */
template <class W> static __global__ void gather_states(const __grid_constant__ gather_job j)
{
	uint64_t start = (uint64_t)blockIdx.x * (GATHER_BLOCK * GATHER_TOGETHER) + threadIdx.x;
	unsigned char *to[GATHER_TOGETHER];
	W held[GATHER_TOGETHER] = {};

#pragma unroll
	for (int k = 0; k < GATHER_TOGETHER; k++) {
		uint64_t item = start + (uint64_t)k * GATHER_BLOCK;
		uint32_t i = (uint32_t)(item / j.words);

		to[k] = nullptr;
		if (i >= j.count)
			continue;
		gather_way w = gather_find(j, i);
		size_t offset = (item - (uint64_t)i * j.words) * sizeof(W);

		to[k] = w.to + offset + blockIdx.y * j.to_stride;
		held[k] = *(const W *)(w.from + offset + blockIdx.y * w.from_stride);
	}
#pragma unroll
	for (int k = 0; k < GATHER_TOGETHER; k++)
		if (to[k])
			*(W *)to[k] = held[k];
}

/* Large units: a warp takes a piece of one; blockIdx.y counts units. */
template <class W>
static __global__ void gather_units(const __grid_constant__ gather_job j, uint32_t pieces)
{
	uint64_t item = ((uint64_t)blockIdx.x * GATHER_BLOCK + threadIdx.x) / 32;
	uint32_t i = (uint32_t)(pieces == 1 ? item : item / pieces);

	if (i >= j.count)
		return;
	gather_way w = gather_find(j, i);
	uint32_t v =
		(uint32_t)(item - (uint64_t)i * pieces) * (32 * GATHER_TOGETHER) + threadIdx.x % 32;

	for (uint32_t u = blockIdx.y; u < j.units; u += gridDim.y) {
		const W *from = (const W *)(w.from + u * w.from_stride) + v;
		W *to = (W *)(w.to + u * j.to_stride) + v;
		W held[GATHER_TOGETHER] = {};

#pragma unroll
		for (int k = 0; k < GATHER_TOGETHER; k++)
			if (v + 32 * k < j.words)
				held[k] = from[32 * k];
#pragma unroll
		for (int k = 0; k < GATHER_TOGETHER; k++)
			if (v + 32 * k < j.words)
				to[32 * k] = held[k];
	}
}

/* ---- launches ---- */

static inline gather_job gather_plan(const struct track_gather *g)
{
	gather_job j = {};
	bool in_order = !g->from_slot && !g->to_slot && g->from_repeat <= 1 && g->sources == 1;

	for (int k = 0; k < g->sources; k++) {
		j.from[k] = (const unsigned char *)g->from[k];
		j.from_stride[k] = (size_t)g->from_slots[k] * g->layout.unit_bytes;
		j.first[k] = g->first[k];
	}
	j.sources = g->sources;
	j.to = (unsigned char *)g->to;
	j.to_stride = (size_t)g->to_slots * g->layout.unit_bytes;
	j.slot_bytes = j.unit_bytes = g->layout.unit_bytes;
	j.from_slot = g->from_slot;
	j.to_slot = g->to_slot;
	j.repeat = g->from_repeat;
	j.count = g->count;
	j.units = g->layout.units;
	if (in_order) { /* each unit of all the states is one run of bytes */
		j.unit_bytes *= j.count;
		j.count = 1;
		if (j.unit_bytes == j.to_stride && j.unit_bytes == j.from_stride[0]) {
			j.unit_bytes *= j.units;
			j.units = 1;
		}
	}
	return j;
}

/* The largest word that all addresses and lengths are multiples of. */
static inline size_t gather_word(const gather_job &j)
{
	size_t all = 16 | (size_t)j.to | j.unit_bytes;

	if (j.count > 1 || j.from_slot || j.to_slot)
		all |= j.slot_bytes;
	if (j.units > 1)
		all |= j.to_stride;
	for (int k = 0; k < j.sources; k++)
		all |= (size_t)j.from[k] | (j.units > 1 ? j.from_stride[k] : 0);
	return all & (~all + 1);
}

template <class W>
static inline int gather_launch(struct dev_stream *s, gather_job &j, struct err *e)
{
	const uint64_t blocks_at_most = INT32_MAX;
	uint64_t words = j.unit_bytes / sizeof(W), items = j.count * words, blocks;
	uint32_t pieces = (uint32_t)((words + 32 * GATHER_TOGETHER - 1) / (32 * GATHER_TOGETHER));

	if (words > UINT32_MAX)
		return err_set(e, ERR_UNSUPPORTED, "%zu bytes in one run are too many to be copied",
			       j.unit_bytes);
	j.words = (uint32_t)words;
	if (j.unit_bytes >= GATHER_LARGE) {
		blocks = ((uint64_t)j.count * pieces + GATHER_BLOCK / 32 - 1) / (GATHER_BLOCK / 32);
		if (blocks <= blocks_at_most)
			return LAUNCH(e, gather_units<W>,
				      dim3((unsigned)blocks, min(j.units, 65535u)), GATHER_BLOCK, 0,
				      s, j, pieces);
	} else if (j.units < GATHER_TOGETHER) {
		blocks = items / (GATHER_BLOCK * GATHER_TOGETHER) + 1;
		if (blocks <= blocks_at_most)
			return LAUNCH(e, gather_states<W>, dim3((unsigned)blocks, j.units),
				      GATHER_BLOCK, 0, s, j);
	} else {
		uint32_t group = 8 * GATHER_TOGETHER;

		while (group > GATHER_TOGETHER && items * (j.units / group) < GATHER_THREADS)
			group /= 2;
		while ((j.units + group - 1) / group > 65535)
			group *= 2;
		blocks = (items + GATHER_BLOCK - 1) / GATHER_BLOCK;
		if (blocks <= blocks_at_most)
			return LAUNCH(e, gather_rows<W>,
				      dim3((unsigned)blocks, (j.units + group - 1) / group),
				      GATHER_BLOCK, 0, s, j, group);
	}
	return err_set(e, ERR_UNSUPPORTED,
		       "copies of %u states of %zu bytes need more blocks than a "
		       "grid holds",
		       j.count, j.units * j.unit_bytes);
}

static inline int gather_states_of(struct dev_stream *s, const struct track_gather *g,
				   struct err *e)
{
	gather_job j = gather_plan(g);

	if (!g->count || !g->layout.units || !g->layout.unit_bytes)
		return 0;
	switch (gather_word(j)) {
	case 1:
		return gather_launch<uint8_t>(s, j, e);
	case 2:
		return gather_launch<uint16_t>(s, j, e);
	case 4:
		return gather_launch<uint32_t>(s, j, e);
	case 8:
		return gather_launch<uint2>(s, j, e);
	}
	return gather_launch<uint4>(s, j, e);
}

#endif
