/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The variants published and tuned: the devices search parts of the assignments in turn, and each
 * keeps its best key in its memory. */
#include "kernels/sample-target/least.h"
#include "algorithms/sample-target/search.h"

struct device {
	struct dev_stream *stream;
	const struct sample_target_kernels *kernels;
	uint64_t *best; /* device memory */
};

static int prepare(struct device *d, struct dev *device, const uint64_t *best, struct err *e)
{
	void *memory;
	int status = dev_alloc(device, &memory, sizeof(*best), e);

	if (status)
		return status;
	d->stream = dev_default_stream(device);
	d->kernels = sample_target_kernels_for(device);
	d->best = memory;
	return dev_copy_to(d->stream, d->best, best, sizeof(*best), e);
}

/* Gives one part to each device and waits for all of them. */
static int round_of_parts(struct device *d, int count, struct sample_target_work *w,
			  uint64_t per_thread, struct err *e)
{
	enum { PART = 1 << 26 };
	uint64_t from, to;
	int status = 0;

	for (int i = 0; !status && i < count && sample_target_take(w, PART, &from, &to); i++)
		status = d[i].kernels->least(d[i].stream, &w->numbers, from, to, per_thread,
					     d[i].best, e);
	for (int i = 0; !status && i < count; i++)
		status = dev_stream_sync(d[i].stream, e);
	return status;
}

static int collect(struct device *d, uint64_t *best, struct err *e)
{
	uint64_t own;
	int status = dev_copy_from(d->stream, &own, d->best, sizeof(own), e);

	if (!status)
		status = dev_stream_sync(d->stream, e);
	if (!status && own < *best)
		*best = own;
	return status;
}

int sample_target_on_devices(struct sample_target_work *w, const struct dev_set *set, int gpus,
			     uint64_t per_thread, uint64_t *best, struct err *e)
{
	struct device d[DEV_MAX] = { { 0 } };
	int count = gpus ? gpus : set->count, status = 0;
	uint64_t before = w->end + 1;

	for (int i = 0; !status && i < count; i++)
		status = prepare(&d[i], set->dev[i], best, e);
	while (!status && w->next != before) {
		before = w->next;
		status = round_of_parts(d, count, w, per_thread, e);
	}
	for (int i = 0; !status && i < count; i++)
		status = collect(&d[i], best, e);
	for (int i = 0; i < count; i++)
		if (d[i].best)
			dev_free(set->dev[i], d[i].best);
	return status;
}
