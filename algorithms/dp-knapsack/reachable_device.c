/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/dp-knapsack/reachable_device.h"

#include <stdlib.h>
#include <string.h>

/* Segments on their way to the device. */
struct staging {
	struct dp_segment *host, *device;
	int64_t room;
	struct dev_event *used; /* the kernel that reads them has run */
	bool pending;
};

struct dp_reach_device {
	struct dev *device;
	struct dev_stream *stream;
	const struct dp_cells *cells;
	void *array[2];
	void *bits;
	struct staging staging[2];
	uint32_t *word; /* in pinned host memory */
	int64_t items;  /* queued */
	int64_t memory;
};

static int64_t bytes_of(const struct dp_reach_device *x, int64_t cells)
{
	return cells * (int64_t)x->cells->bytes;
}

static int alloc(struct dp_reach_device *x, void **out, int64_t bytes, struct err *e)
{
	int status = dev_alloc(x->device, out, (size_t)bytes, e);

	if (!status)
		x->memory += bytes;
	return status;
}

/* Room for `count` segments and half as many more. */
static int64_t staging_room(int64_t count)
{
	return count + count / 2;
}

int dp_reach_device_room(const struct dp_reach_device *x, int64_t segments, int64_t *bytes,
			 struct err *e)
{
	int64_t staging = 2 * staging_room(segments) * (int64_t)sizeof(struct dp_segment);
	struct dev_info info;
	int status = dev_get_info(x->device, &info, e);

	/* memory is given in pages */
	*bytes = status ? 0 : (int64_t)(info.memory_free / 64 * 63) - staging;
	return status;
}

static int check_memory(const struct dp_reach_device *x, int64_t bytes, struct err *e)
{
	struct dev_info info;
	int status = dev_get_info(x->device, &info, e);

	if (!status && bytes > (int64_t)info.memory_free)
		status = err_set(e, ERR_MEMORY,
				 "the reachable capacities need %lld bytes on the GPU, but %s has "
				 "%zu free",
				 (long long)bytes, info.name, info.memory_free);
	return status;
}

static int allocate(struct dp_reach_device *x, int64_t largest, struct err *e)
{
	int64_t array = bytes_of(x, largest);
	int status = check_memory(x, 2 * array, e);

	if (!status)
		status = dev_stream_create(x->device, &x->stream, e);
	if (!status)
		status = dev_host_alloc(x->device, (void **)&x->word, sizeof(*x->word), e);
	for (int i = 0; !status && i < 2; i++) {
		status = alloc(x, &x->array[i], array, e);
		if (!status)
			status = dev_event_create(x->device, &x->staging[i].used, e);
	}
	return status ? status : dev_fill(x->stream, x->array[0], 0, x->cells->bytes, e);
}

int dp_reach_device_open(struct dp_reach_device **out, struct dev *d, const struct dp_cells *cells,
			 int64_t largest, struct err *e)
{
	struct dp_reach_device *x = calloc(1, sizeof(*x));
	int status;

	*out = x;
	if (!x)
		return err_set(e, ERR_MEMORY, "no memory for a round");
	x->device = d;
	x->cells = cells;
	status = allocate(x, largest, e);
	if (status) {
		dp_reach_device_close(x);
		*out = NULL;
	}
	return status;
}

int dp_reach_device_keep(struct dp_reach_device *x, int64_t bytes, struct err *e)
{
	return alloc(x, &x->bits, bytes, e);
}

void dp_reach_device_close(struct dp_reach_device *x)
{
	if (!x)
		return;
	if (x->stream)
		(void)dev_stream_sync(x->stream, NULL);
	for (int i = 0; i < 2; i++) {
		dev_free(x->device, x->array[i]);
		dev_free(x->device, x->staging[i].device);
		dev_host_free(x->device, x->staging[i].host);
		if (x->staging[i].used)
			dev_event_destroy(x->staging[i].used);
	}
	dev_free(x->device, x->bits);
	dev_host_free(x->device, x->word);
	if (x->stream)
		dev_stream_destroy(x->stream);
	free(x);
}

/* Makes room for the segments. The kernel that read the old ones has run. */
static int make_room(struct dp_reach_device *x, struct staging *s, int64_t count, struct err *e)
{
	int64_t room = staging_room(count);
	size_t bytes = (size_t)room * sizeof(*s->host);
	int status;

	if (count <= s->room)
		return 0;
	dev_free(x->device, s->device);
	dev_host_free(x->device, s->host);
	x->memory -= s->room * (int64_t)sizeof(*s->host);
	*s = (struct staging){ .used = s->used };
	status = dev_host_alloc(x->device, (void **)&s->host, bytes, e);
	if (!status)
		status = alloc(x, (void **)&s->device, (int64_t)bytes, e);
	if (!status)
		s->room = room;
	return status;
}

static int launch(struct dp_reach_device *x, const struct staging *s, int64_t count, int64_t cells,
		  int64_t gain, int64_t bits_at, struct err *e)
{
	struct dp_reach_launch l = { .cells_64 = x->cells->bytes == sizeof(int64_t),
				     .from = x->array[x->items % 2],
				     .to = x->array[(x->items + 1) % 2],
				     .segment = s->device,
				     .count = count,
				     .cells = cells,
				     .profit = gain,
				     .lowest = x->cells->lowest };

	if (bits_at >= 0)
		l.bits = (uint32_t *)((char *)x->bits + bits_at);
	return dp_reach_kernels_for(x->device)->merge(x->stream, &l, e);
}

int dp_reach_device_item(struct dp_reach_device *x, const struct dp_segment *segment, int64_t count,
			 int64_t cells, int64_t gain, int64_t bits_at, struct err *e)
{
	struct staging *s = &x->staging[x->items % 2];
	size_t bytes = (size_t)count * sizeof(*segment);
	int status = s->pending ? dev_event_sync(s->used, e) : 0;

	s->pending = false;
	if (!status)
		status = make_room(x, s, count, e);
	if (status)
		return status;
	memcpy(s->host, segment, bytes);
	status = dev_copy_to(x->stream, s->device, s->host, bytes, e);
	if (!status)
		status = launch(x, s, count, cells, gain, bits_at, e);
	if (!status)
		status = dev_event_record(s->used, x->stream, e);
	s->pending = !status;
	x->items++;
	return status;
}

int dp_reach_device_read(struct dp_reach_device *x, void *last, int64_t cells, struct err *e)
{
	int status = dev_copy_from(x->stream, last, x->array[x->items % 2],
				   (size_t)bytes_of(x, cells), e);

	return dev_drain(x->stream, status, e);
}

int dp_reach_device_decision(struct dp_reach_device *x, int64_t bits_at, int64_t cell, bool *taken,
			     struct err *e)
{
	const uint32_t *bits = (const uint32_t *)((const char *)x->bits + bits_at);
	int status = dev_drain(
		x->stream, dev_copy_from(x->stream, x->word, bits + cell / 32, sizeof(*x->word), e),
		e);

	*taken = !status && (*x->word >> cell % 32 & 1);
	return status;
}

int64_t dp_reach_device_memory(const struct dp_reach_device *x)
{
	return x->memory;
}
