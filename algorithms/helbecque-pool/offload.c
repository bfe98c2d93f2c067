/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/helbecque-pool/offload.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/arena.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"

enum {
	FIRST_CUDA = 1 << 17, /* initial capacity of a chunk, in nodes */
	FIRST_SIM = 1 << 10,
	MEMORY_SHARE = 4, /* a chunk uses at most 1/4 of the device's free memory */
};

static bool has_masks(const struct pool_offload *o)
{
	return o->problem->forms & SEARCH_BIT_MASKS;
}

static bool is_pinned(const struct pool_offload *o)
{
	return o->problem->forms & SEARCH_PINNED;
}

static bool is_packed(const struct pool_offload *o)
{
	return o->problem->forms & SEARCH_PACKED;
}

static size_t result_bytes(const struct pool_evaluator *v)
{
	const struct pool_node_format *f = &v->format;

	if (v->forms & SEARCH_BIT_MASKS)
		return (size_t)f->words * sizeof(uint32_t);
	return (size_t)f->n * (v->queens ? sizeof(uint8_t) : sizeof(int32_t));
}

/* ---- buffers ---- */

/* Assigns the device memory of a chunk. With `device` NULL it only computes the bytes. */
static size_t lay_out(const struct pool_offload *o, struct pool_offload_chunk *c, size_t capacity,
		      void *device)
{
	const struct pool_node_format *f = &o->problem->format;
	size_t machines = o->problem->queens ? 0 : (size_t)o->bounds.tables.machines;
	size_t row = capacity * machines * sizeof(int32_t);
	size_t words = capacity * (size_t)f->words * sizeof(uint32_t);
	size_t list = o->step ? capacity * (size_t)f->n * sizeof(uint32_t) : 0;
	struct arena l = { device, 0 };

	c->kernel_chunk = (struct pool_chunk){ .n = f->n,
					       .words = f->words,
					       .ids = f->ids,
					       .id_bytes = f->id_bytes,
					       .bytes = (uint32_t)f->bytes };
	c->bounds = o->bounds;
	c->kernel_chunk.nodes = arena_take(&l, capacity * f->bytes);
	c->kernel_chunk.masks = arena_take(&l, capacity * o->result_bytes);
	if (!is_packed(o))
		return l.used;
	c->bounds.front = arena_take(&l, row);
	c->bounds.rem = arena_take(&l, row);
	c->bounds.left = arena_take(&l, o->step ? words : 0);
	c->bounds.open = arena_take(&l, list);
	c->bounds.opens = arena_take(&l, sizeof(*c->bounds.opens));
	return l.used;
}

static int host_alloc(struct pool_offload *o, void **out, size_t bytes, struct err *e)
{
	if (is_pinned(o))
		return dev_host_alloc(o->dev, out, bytes, e);
	*out = malloc(bytes);
	return *out ? 0 : err_set(e, ERR_MEMORY, "no memory for a chunk of %zu bytes", bytes);
}

static void host_free(struct pool_offload *o, void *p)
{
	if (is_pinned(o))
		dev_host_free(o->dev, p);
	else
		free(p);
}

static void release(struct pool_offload *o, struct pool_offload_chunk *c)
{
	dev_free(o->dev, c->device);
	host_free(o, c->nodes);
	host_free(o, c->results);
	c->device = c->nodes = NULL;
	c->results = NULL;
	c->capacity = 0;
}

static int allocate(struct pool_offload *o, struct pool_offload_chunk *c, size_t capacity,
		    struct err *e)
{
	const struct pool_node_format *f = &o->problem->format;
	void *device = NULL, *nodes = NULL, *results = NULL;

	release(o, c);
	int status = dev_alloc(o->dev, &device, lay_out(o, c, capacity, NULL), e);

	c->device = device;
	if (!status)
		status = host_alloc(o, &nodes, capacity * f->bytes, e);
	c->nodes = nodes;
	if (!status)
		status = host_alloc(o, &results, capacity * o->result_bytes, e);
	c->results = results;
	if (status)
		return status;
	c->capacity = capacity;
	lay_out(o, c, capacity, device);
	return 0;
}

int pool_offload_reserve(struct pool_offload *o, struct pool_offload_chunk *c, size_t count,
			 struct err *e)
{
	size_t capacity = c->capacity;

	if (count > o->most)
		count = o->most;
	if (count <= capacity)
		return 0;
	while (capacity < count)
		capacity *= 2;
	return allocate(o, c, capacity < o->most ? capacity : o->most, e);
}

/* ---- opening ---- */

static int copy_block(struct pool_offload *o, void **to, const void *from, size_t bytes,
		      struct err *e)
{
	int status = dev_alloc(o->dev, to, bytes, e);

	return status ? status : dev_copy_to(dev_default_stream(o->dev), *to, from, bytes, e);
}

static int open_tables(struct pool_offload *o, struct err *e)
{
	const struct pool_bounder *b = &o->problem->bounder;
	size_t bytes;
	const void *block = fsp_tables_block(&b->tables, &bytes);
	int status = copy_block(o, &o->tables, block, bytes, e);

	if (!status && b->step && o->problem->forms & (SEARCH_STEPS | SEARCH_PACKED))
		status = copy_block(o, &o->step, b->step, b->step_bytes, e);
	if (status)
		return status;
	o->bounds.lb2 = b->step;
	o->bounds.lb1 = !b->step || !b->pairs_only;
	o->bounds.tables = fsp_tables_moved(&b->tables, o->tables);
	o->bounds.step = o->step;
	o->bounds.packed = is_packed(o);
	return dev_stream_sync(dev_default_stream(o->dev), e);
}

static int open_counter(struct pool_offload *o, struct err *e)
{
	struct dev_stream *s = dev_default_stream(o->dev);
	int status = dev_alloc(o->dev, (void **)&o->operations, sizeof(*o->operations), e);

	if (!status)
		status = dev_fill(s, o->operations, 0, sizeof(*o->operations), e);
	return status ? status : dev_stream_sync(s, e);
}

/* The limits by device memory and by 32-bit indices of (node, child). */
static int limit(struct pool_offload *o, size_t want, struct err *e)
{
	struct pool_offload_chunk million;
	struct dev_info info;
	int status = dev_get_info(o->dev, &info, e);

	if (status)
		return status;
	size_t share = info.memory_free / MEMORY_SHARE;
	size_t node = lay_out(o, &million, 1 << 20, NULL) >> 20;
	size_t fit = share / (node + 1), index = UINT32_MAX / (size_t)o->problem->format.n;

	o->most = want < fit ? want : fit;
	o->most = o->most < index ? o->most : index;
	if (o->most)
		return 0;
	return err_set(e, ERR_MEMORY, "%s has no memory for a chunk of nodes", info.name);
}

int pool_offload_open(struct pool_offload *o, struct dev *d, const struct pool_evaluator *problem,
		      size_t want, struct err *e)
{
	size_t first = dev_backend_is_gpu(dev_backend_of(d)) ? FIRST_CUDA : FIRST_SIM;

	memset(o, 0, sizeof(*o));
	o->dev = d;
	o->problem = problem;
	o->result_bytes = result_bytes(problem);
	o->operations = NULL;
	o->chunks = problem->forms & SEARCH_TWO_CHUNKS ? POOL_OFFLOAD_CHUNKS : 1;
	o->masks = malloc(POOL_OFFLOAD_BRANCH * (size_t)problem->format.words * sizeof(*o->masks));
	if (!o->masks)
		return err_set(e, ERR_MEMORY, "no memory for the masks of a chunk");
	int status = problem->queens ? 0 : open_tables(o, e);

	if (!status && problem->count_operations)
		status = open_counter(o, e);
	if (!status)
		status = limit(o, want, e);
	for (int i = 0; i < o->chunks && !status; i++) {
		status = dev_stream_create(d, &o->chunk[i].stream, e);
		if (!status)
			status = allocate(o, &o->chunk[i], first < o->most ? first : o->most, e);
	}
	return status;
}

void pool_offload_close(struct pool_offload *o)
{
	for (int i = 0; i < o->chunks; i++) {
		struct pool_offload_chunk *c = &o->chunk[i];

		if (!c->stream)
			continue;
		(void)dev_stream_sync(c->stream, NULL);
		release(o, c);
		dev_stream_destroy(c->stream);
	}
	dev_free(o->dev, o->tables);
	dev_free(o->dev, o->step);
	dev_free(o->dev, o->operations);
	free(o->masks);
}

int pool_offload_operations(struct pool_offload *o, double *operations, struct err *e)
{
	unsigned long long sum = 0;
	struct dev_stream *s = dev_default_stream(o->dev);
	int status = 0;

	if (o->operations)
		status = dev_drain(s, dev_copy_from(s, &sum, o->operations, sizeof(sum), e), e);
	*operations = (double)sum;
	return status;
}

size_t pool_offload_bytes(const struct pool_offload *o)
{
	const struct pool_node_format *f = &o->problem->format;
	size_t handed = 2 * (size_t)o->bounds.tables.machines * sizeof(int32_t) +
			(size_t)f->words * sizeof(uint32_t);

	return f->bytes + o->result_bytes + (is_packed(o) ? 2 * handed : 0);
}

/* ---- a chunk ---- */

static int bound(const struct pool_offload *o, const struct pool_offload_chunk *c, struct err *e)
{
	const struct pool_published_kernels *k = pool_published_kernels_for(o->dev);

	if (o->problem->queens)
		return (has_masks(o) ? k->queens_masks : k->queens_labels)(c->stream,
									   &c->kernel_chunk, e);
	int status = (has_masks(o) ? k->flowshop_masks : k->flowshop_bounds)(
		c->stream, &c->kernel_chunk, &c->bounds, e);

	if (!status && o->operations)
		status = k->flowshop_operations(c->stream, &c->kernel_chunk, &c->bounds,
						o->operations, e);
	return status;
}

int pool_offload_start(struct pool_offload *o, struct pool_offload_chunk *c, size_t count,
		       int32_t ub, struct err *e)
{
	const struct pool_node_format *f = &o->problem->format;

	c->count = count;
	c->kernel_chunk.count = (uint32_t)count;
	c->bounds.ub = ub;
	c->bounds.stop_at = ub < INT32_MAX ? ub + 1 : ub;
	int status = dev_copy_to(c->stream, c->device, c->nodes, count * f->bytes, e);

	if (!status)
		status = bound(o, c, e);
	if (status)
		return status;
	return dev_copy_from(c->stream, c->results, c->kernel_chunk.masks, count * o->result_bytes,
			     e);
}

int pool_offload_wait(struct pool_offload_chunk *c, struct err *e)
{
	return dev_stream_sync(c->stream, e);
}

/* A word of the mask of one node: its children `from` .. `to` - 1, at most 32. */
static uint32_t survivors(const struct pool_offload *o, const void *results, size_t node, int from,
			  int to, int32_t best)
{
	const uint8_t *label = (const uint8_t *)results + node * (size_t)o->problem->format.n;
	const int32_t *bound = (const int32_t *)results + node * (size_t)o->problem->format.n;
	uint32_t word = 0;

	if (o->problem->queens)
		for (int i = from; i < to; i++)
			word |= (uint32_t)label[i] << (i - from);
	else
		for (int i = from; i < to; i++)
			word |= (uint32_t)(bound[i] < best) << (i - from);
	return word;
}

uint32_t *pool_offload_masks(struct pool_offload *o, struct pool_offload_chunk *c, size_t first,
			     size_t count, int32_t best)
{
	const struct pool_node_format *f = &o->problem->format;
	uint32_t *mask = o->masks;

	if (has_masks(o))
		return (uint32_t *)c->results + first * (size_t)f->words;
	for (size_t k = first; k < first + count; k++)
		for (int i = 0; i < f->n; i += 32)
			*mask++ =
				survivors(o, c->results, k, i, i + 32 < f->n ? i + 32 : f->n, best);
	return o->masks;
}
