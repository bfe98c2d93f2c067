/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/koester-recovery/ops.h"

#include "kernels/common/choose.cuh"
#include "kernels/koester-recovery/domain.cuh"

static const uint32_t BLOCK = 256;

static_assert(CHOOSE_NEVER == TRACK_DROPPED, "dropped children are never selected");

/* ---- gather ---- */

/* Copies states between buffers at full bandwidth. The units of a state are strided; the words of a
 * unit are consecutive. A word is the largest type that all addresses and sizes are aligned to.
 * Small units: consecutive threads copy consecutive words of consecutive states, four rows (or four
 * states) at once, so that enough loads are in flight. Large units: a warp copies pieces of 4 words
 * per lane. */
enum {
	GATHER_BLOCK = 256,
	GATHER_TOGETHER = 4,     /* words in flight per thread */
	GATHER_LARGE = 512,      /* units of at least this size in bytes are large */
	GATHER_THREADS = 1 << 19 /* enough to occupy any device */
};

struct gather_job {
	const unsigned char *from[TRACK_SOURCES];
	size_t from_stride[TRACK_SOURCES]; /* bytes from unit to unit */
	uint32_t first[TRACK_SOURCES];
	int sources;
	unsigned char *to;
	size_t to_stride;
	size_t slot_bytes; /* from slot to slot */
	size_t unit_bytes; /* bytes copied of each unit */
	const uint32_t *from_slot, *to_slot;
	uint32_t repeat, count, units;
	uint32_t words; /* of a unit */
};

struct gather_way {
	const unsigned char *from;
	unsigned char *to;
	size_t from_stride;
};

/* Source and destination of the i-th copy, at unit 0. */
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

/* Small units: a thread copies one word of four units; blockIdx.y counts groups of `group` units.
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

/* Few small units: a thread copies a word of four states; blockIdx.y is the unit. */
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

/* Large units: a warp copies a piece of one; blockIdx.y counts units. */
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
	if (in_order) { /* each unit of all states is a contiguous range */
		j.unit_bytes *= j.count;
		j.count = 1;
		if (j.unit_bytes == j.to_stride && j.unit_bytes == j.from_stride[0]) {
			j.unit_bytes *= j.units;
			j.units = 1;
		}
	}
	return j;
}

/* The largest word size that divides all addresses and lengths. */
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
		return err_set(e, ERR_UNSUPPORTED, "a range of %zu bytes is too long to copy",
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
		       "copying %u states of %zu bytes needs more blocks than a grid can have",
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

static int gather(struct track_place *p, const struct track_gather *g, struct err *e)
{
	return gather_states_of(p->stream, g, e);
}

static size_t scan_scratch(struct track_place *, uint32_t)
{
	return CHOOSE_BLOCKS * sizeof(uint64_t);
}

static int scan(struct track_place *p, const uint32_t *number, uint32_t *first, uint64_t *total,
		uint32_t count, void *scratch, struct err *e)
{
	if (!count)
		return dev_fill(p->stream, total, 0, sizeof(*total), e);
	return scan_launch(p->stream, number, first, total, count, (uint64_t *)scratch, e);
}

static size_t select_bytes(struct track_place *, uint32_t)
{
	return sizeof(select_scratch);
}

static int select(struct track_place *p, const uint32_t *rating, uint32_t count, uint32_t keep,
		  uint32_t *index, uint32_t *kept, void *scratch, struct err *e)
{
	if (keep > count)
		keep = count;
	if (!keep)
		return dev_fill(p->stream, kept, 0, sizeof(*kept), e);
	if (count > 1u << 31)
		return err_set(e, ERR_UNSUPPORTED, "%u ratings: at most 2^31 can be selected from",
			       count);
	return select_launch(p->stream, rating, count, keep, index, kept, (select_scratch *)scratch,
			     e);
}

static __global__ void children_of(const __grid_constant__ track_children c, uint32_t parents,
				   const uint32_t *child_successor, const uint32_t *child_rating,
				   const __grid_constant__ track_selected before,
				   const uint32_t *child, const uint32_t *kept, uint32_t count,
				   uint32_t *source, uint32_t *successor, uint32_t *rating)
{
	uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

	if (i >= count)
		return;
	uint32_t which = kept && i >= *kept ? 0 : child[i];

	if (which < before.count) {
		source[i] = before.source[which];
		successor[i] = before.successor[which];
		rating[i] = before.rating[which];
		return;
	}
	which -= before.count;
	uint32_t parent = track_parent_of(c.first, c.each, parents, which);

	source[i] = c.first_source + parent;
	successor[i] = child_successor ? child_successor[which] : which - c.first[parent];
	if (child_rating)
		rating[i] = child_rating[which];
}

static int children(struct track_place *p, const struct track_children *c, uint32_t parents,
		    const uint32_t *child_successor, const uint32_t *child_rating,
		    const struct track_selected *before, const uint32_t *child,
		    const uint32_t *kept, uint32_t count, uint32_t *source, uint32_t *successor,
		    uint32_t *rating, struct err *e)
{
	if (!count)
		return 0;
	return LAUNCH(e, children_of, (count + (uint64_t)BLOCK - 1) / BLOCK, BLOCK, 0, p->stream,
		      *c, parents, child_successor, child_rating,
		      before ? *before : track_selected{}, child, kept, count, source, successor,
		      rating);
}

extern "C" const struct track_common BACKEND_SYMBOL(track_common) = { gather, scan_scratch,
								      scan,   select_bytes,
								      select, children };

/* ---- paths through the history ---- */

/* small, because threads mostly wait for memory: more multiprocessors are used */
static const uint32_t TRACE_BLOCK = 64;

template <class E> static __global__ void trace_paths(const __grid_constant__ track_trace t)
{
	uint32_t i = blockIdx.x * TRACE_BLOCK + threadIdx.x, steps = 0;

	if (blockIdx.x == 0)
		for (uint32_t r = threadIdx.x; r < t.top - t.down_to; r += TRACE_BLOCK)
			t.iteration[r] = t.down_to + 1 + r;
	if (i < t.count) {
		uint32_t layer = t.target[i].layer, slot = t.target[i].slot, above = t.top + 1;

		for (;;) {
			/* layers that the path does not touch: above the target, or skipped by a
			 * jump */
			for (uint32_t l = above - 1; l > layer && l > t.down_to; l--)
				t.successor[(size_t)(l - t.down_to - 1) * t.count + i] =
					TRACK_NO_STEP;
			if (layer <= t.down_to)
				break;
			E entry = ((const E *)t.entries)[t.entry_at[layer] + slot];
			uint64_t from = t.from_at[layer];
			size_t here = (size_t)(layer - t.down_to - 1) * t.count + i;

			above = layer;
			if (from == TRACK_TRACE_STEP) {
				t.source[here] = entry.source;
				t.successor[here] = entry.successor;
				layer--;
				steps++;
			} else {
				t.successor[here] = TRACK_NO_STEP;
				layer = t.from[from + slot];
			}
			slot = entry.source;
		}
		t.start_slot[i] = layer == t.down_to ? slot : UINT32_MAX;
	}
	steps = __reduce_add_sync(~0u, steps);
	if (threadIdx.x % 32 == 0 && steps)
		atomicAdd((unsigned long long *)t.steps, (unsigned long long)steps);
}

static int trace(struct dev_stream *s, const struct track_trace *t, struct err *e)
{
	unsigned blocks = (unsigned)((t->count + (uint64_t)TRACE_BLOCK - 1) / TRACE_BLOCK);

	if (!t->count)
		return 0;
	return t->wide ? LAUNCH(e, trace_paths<track_wide_entry>, blocks, TRACE_BLOCK, 0, s, *t) :
			 LAUNCH(e, trace_paths<track_entry>, blocks, TRACE_BLOCK, 0, s, *t);
}

extern "C" const struct track_trace_kernels BACKEND_SYMBOL(track_trace_kernels) = { trace };
