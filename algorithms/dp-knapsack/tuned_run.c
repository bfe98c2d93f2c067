/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/dp-knapsack/tuned.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"

/* ---- memory ---- */

static void release(struct dp_tuned_devices *t, struct dp_tuned_block *b)
{
	for (int d = 0; d < t->count; d++) {
		t->bytes -= b->at[d] ? b->bytes : 0;
		dev_free(t->dev[d], b->at[d]);
	}
	*b = (struct dp_tuned_block){ .bytes = 0 };
}

/* Makes a block hold at least `bytes` on each of the first `devices` devices. If it has to grow,
 * its contents are lost. */
static int reserve(struct dp_tuned_devices *t, struct dp_tuned_block *b, int devices, int64_t bytes,
		   struct err *e)
{
	int status = 0;

	if (bytes <= b->bytes)
		return 0;
	release(t, b);
	b->bytes = bytes;
	for (int d = 0; !status && d < devices; d++) {
		status = dev_alloc(t->dev[d], &b->at[d], (size_t)bytes, e);
		t->bytes += status ? 0 : bytes;
	}
	t->peak = t->bytes > t->peak ? t->bytes : t->peak;
	if (status)
		release(t, b);
	return status;
}

/* ---- the team ---- */

static int open_member(struct dp_tuned_devices *t, int d, struct err *e)
{
	int status = dev_stream_create(t->dev[d], &t->stream[d], e);

	if (!status)
		status = dev_event_create(t->dev[d], &t->start[d], e);
	if (!status)
		status = dev_event_create(t->dev[d], &t->stop[d], e);
	for (int h = 0; !status && h < t->count; h++) {
		if (h != d)
			status = dev_enable_peer(t->dev[d], t->dev[h], e);
	}
	return status;
}

int dp_tuned_open(struct dp_tuned_devices *t, const struct dp_request *r, bool first, double begin,
		  struct err *e)
{
	int count = first ? 1 : r->gpus ? r->gpus : r->devices->count;
	int status = 0;

	*t = (struct dp_tuned_devices){ .request = r };
	if (count < 1 || count > r->devices->count)
		return err_set(e, ERR_USAGE, "%d devices requested, but %d are open", count,
			       r->devices->count);
	if (count > DP_TUNED_GPUS) {
		if (r->gpus)
			return err_set(e, ERR_USAGE, "the tuned solver uses at most %d devices",
				       DP_TUNED_GPUS);
		count = DP_TUNED_GPUS;
	}
	t->count = count;
	t->deadline = r->time_limit > 0 ? begin + r->time_limit : 0;
	for (int d = 0; d < count; d++)
		t->dev[d] = r->devices->dev[d];
	t->kernels = dp_tuned_kernels_for(t->dev[0]);
	for (int d = 0; !status && d < count; d++)
		status = open_member(t, d, e);
	if (status)
		dp_tuned_close(t);
	return status;
}

void dp_tuned_close(struct dp_tuned_devices *t)
{
	for (int d = 0; d < t->count; d++) {
		if (t->start[d])
			dev_event_destroy(t->start[d]);
		if (t->stop[d])
			dev_event_destroy(t->stop[d]);
		if (t->stream[d])
			dev_stream_destroy(t->stream[d]);
	}
	release(t, &t->cells);
	release(t, &t->tables);
	release(t, &t->trace);
	t->count = 0;
}

/* ---- the tables of a run ---- */

static int64_t round_up(int64_t bytes)
{
	return (bytes + 255) / 256 * 256;
}

/* Copies `bytes` to *at and advances *at. The source must stay until the next sync. */
static int put(struct dp_tuned_devices *t, int d, char **at, const void *source, int64_t bytes,
	       struct err *e)
{
	int status = bytes ? dev_copy_to(t->stream[d], *at, source, (size_t)bytes, e) : 0;

	*at += round_up(bytes);
	return status;
}

/* The bytes of the parts of a device's tables, in their order. */
struct parts {
	int64_t rows, gains, shifts, counters;
};

enum { TICKET_ROOM = 64 };

static struct parts parts_of(const struct dp_tuned_devices *t, const struct dp_schedule *s, int d)
{
	return (struct parts){
		.rows = (s->pass_count + 1) * t->count * (int64_t)sizeof(*s->pass),
		.gains = s->op_count * (s->shape.cells_64 ? 8 : 4),
		.shifts = s->op_count * (int64_t)sizeof(*s->shift),
		.counters = (TICKET_ROOM + s->zones[d]) * (int64_t)sizeof(unsigned),
	};
}

static int tables_reserve(struct dp_tuned_devices *t, const struct dp_schedule *s, struct err *e)
{
	int64_t most = 0;

	for (int d = 0; d < t->count; d++) {
		struct parts p = parts_of(t, s, d);
		int64_t bytes =
			round_up(p.rows) + round_up(p.gains) + round_up(p.shifts) + p.counters;

		most = bytes > most ? bytes : most;
	}
	return reserve(t, &t->tables, t->count, most, e);
}

static int tables_fill(struct dp_tuned_devices *t, int d, const struct dp_schedule *s,
		       const void *gains, struct dp_tuned_run *run, struct err *e)
{
	struct parts p = parts_of(t, s, d);
	char *at = t->tables.at[d];
	int status;

	*run = (struct dp_tuned_run){ .devices = t->count,
				      .self = d,
				      .lag = dp_tuned_arrays(t->count) - 1,
				      .cells_64 = s->shape.cells_64 };
	run->pass = (const struct dp_tuned_pass *)at;
	status = put(t, d, &at, s->pass, p.rows, e);
	run->gain = at;
	if (!status)
		status = put(t, d, &at, gains, p.gains, e);
	run->shift = (const int32_t *)at;
	if (!status)
		status = put(t, d, &at, s->shift, p.shifts, e);
	run->ticket = (unsigned *)at;
	run->zone[d] = run->ticket + TICKET_ROOM;
	return status ? status : dev_fill(t->stream[d], at, 0, (size_t)p.counters, e);
}

/* The gains of the operations in the type of the cells; s->gain itself if that is int64_t. */
static const void *narrow_gains(const struct dp_schedule *s, void **owned)
{
	int32_t *gain;

	*owned = NULL;
	if (s->shape.cells_64)
		return s->gain;
	gain = malloc((size_t)(s->op_count + 1) * sizeof(*gain));
	for (int64_t i = 0; gain && i < s->op_count; i++)
		gain[i] = (int32_t)s->gain[i];
	*owned = gain;
	return gain;
}

static int sync_all(struct dp_tuned_devices *t, struct err *e)
{
	int status = 0;

	for (int d = 0; d < t->count; d++) {
		int synced = dev_stream_sync(t->stream[d], status ? NULL : e);

		status = status ? status : synced;
	}
	return status;
}

static int tables_create(struct dp_tuned_devices *t, const struct dp_schedule *s,
			 struct dp_tuned_run *run, struct err *e)
{
	void *owned;
	const void *gains = narrow_gains(s, &owned);
	int status = gains ? 0 : err_set(e, ERR_MEMORY, "no memory for the profits");
	int synced;

	if (!status)
		status = tables_reserve(t, s, e);
	for (int d = 0; !status && d < t->count; d++)
		status = tables_fill(t, d, s, gains, &run[d], e);
	synced = sync_all(t, status ? NULL : e);
	status = status ? status : synced;
	for (int d = 0; !status && d < t->count; d++) {
		for (int h = 0; h < t->count; h++) {
			run[d].zone[h] = (unsigned *)run[h].ticket + TICKET_ROOM;
			run[d].cell[h] = t->cells.at[h];
		}
	}
	free(owned);
	return status;
}

/* ---- running ---- */

static int launch(struct dp_tuned_devices *t, int d, const struct dp_schedule *s,
		  const struct dp_tuned_run *run, struct err *e)
{
	int (*pass)(struct dev_stream *, const struct dp_tuned_run *, int, int, struct err *) =
		s->form == DP_FUSED ? t->kernels->fused_pass :
		s->form == DP_CLASS ? t->kernels->class_pass :
				      t->kernels->merged_pass;

	return pass(t->stream[d], run, s->shape.blocks, s->shape.threads, e);
}

static int stopped(const struct dp_tuned_devices *t, struct err *e)
{
	if (t->request->stop && *t->request->stop)
		return err_set(e, ERR_LIMIT, "stopped");
	if (t->deadline > 0 && clock_wall() >= t->deadline)
		return err_set(e, ERR_LIMIT, "stopped at the time limit of %g s",
			       t->request->time_limit);
	return 0;
}

/* The devices from `first` on did not start, and those before could wait for them forever. Sets
 * their counters as if all their passes were done. What the others then compute is discarded. */
static void release_waiting(struct dp_tuned_devices *t, const struct dp_schedule *s,
			    const struct dp_tuned_run *run, int first)
{
	enum { MANY = 0x7f }; /* the value of every byte of a counter */

	for (int d = first; first > 0 && d < t->count; d++)
		(void)dev_fill(t->stream[d], run[d].zone[d], MANY,
			       (size_t)s->zones[d] * sizeof(unsigned), NULL);
}

/* Runs passes begin .. end - 1 on all devices at once. No device may start before all tickets are
 * set. */
static int run_part(struct dp_tuned_devices *t, const struct dp_schedule *s,
		    const struct dp_tuned_run *whole, int64_t begin, int64_t end, double *seconds,
		    struct err *e)
{
	double longest = 0, one;
	int status = 0, synced;

	for (int d = 0; !status && d < t->count; d++)
		status = dev_copy_to(t->stream[d], whole[d].ticket,
				     &s->pass[begin * t->count + d].tile_first, sizeof(int32_t), e);
	status = status ? status : sync_all(t, e);
	for (int d = 0; !status && d < t->count; d++) {
		struct dp_tuned_run run = whole[d];

		run.pass += begin * t->count;
		run.pass_count = (int32_t)(end - begin);
		status = dev_event_record(t->start[d], t->stream[d], e);
		if (!status)
			status = launch(t, d, s, &run, e);
		if (!status)
			status = dev_event_record(t->stop[d], t->stream[d], e);
		if (status)
			release_waiting(t, s, whole, d);
	}
	synced = sync_all(t, status ? NULL : e);
	status = status ? status : synced;
	for (int d = 0; !status && d < t->count; d++) {
		status = dev_event_elapsed(t->start[d], t->stop[d], &one, e);
		longest = !status && one > longest ? one : longest;
	}
	*seconds += longest;
	return status;
}

/* Launches the kernel without passes. The cost of a first launch must not be timed, and must not
 * delay one device while the others wait for it. */
static int warm_up(struct dp_tuned_devices *t, const struct dp_schedule *s,
		   const struct dp_tuned_run *run, struct err *e)
{
	int status = 0;

	for (int d = 0; !status && d < t->count; d++)
		status = launch(t, d, s, &run[d], e);
	if (!status)
		status = sync_all(t, e);
	t->warm[s->form] = !status;
	return status;
}

/* The end of a part: large enough to hide the cost of launches, small enough to react to a stop
 * soon. */
static int64_t part_end(const struct dp_schedule *s, int64_t begin)
{
	const double most = 4e12;
	double share = s->cells_done / (double)s->pass_count;
	double passes = share > 0 ? most / share + 1 : 1;

	return passes < (double)(s->pass_count - begin) ? begin + (int64_t)passes : s->pass_count;
}

/* The value of the plan's capacity after the last pass. */
static int read_value(struct dp_tuned_devices *t, const struct dp_schedule *s, int64_t *value,
		      struct err *e)
{
	const struct dp_tuned_pass *row = s->pass + (s->pass_count - 1) * t->count;
	int64_t c = s->plan->capacity;
	size_t size = s->shape.cells_64 ? 8 : 4;
	int32_t narrow = 0;
	int d = 0, status;

	while (d + 1 < t->count && c >= row[d + 1].low)
		d++;
	status = dev_copy_from(t->stream[d], s->shape.cells_64 ? (void *)value : &narrow,
			       (const char *)t->cells.at[d] + (size_t)(row[d].store + c) * size,
			       size, e);
	status = status ? status : dev_stream_sync(t->stream[d], e);
	if (!status && !s->shape.cells_64)
		*value = narrow;
	return status;
}

int dp_tuned_run_passes(struct dp_tuned_devices *t, const struct dp_schedule *s, int64_t first,
			double *seconds, int64_t *value, struct err *e)
{
	struct dp_tuned_run run[DP_TUNED_GPUS];
	int status = reserve(t, &t->cells, t->count, s->cells * (s->shape.cells_64 ? 8 : 4), e);

	if (!status)
		status = tables_create(t, s, run, e);
	if (!status && !t->warm[s->form])
		status = warm_up(t, s, run, e);
	if (!t->first_pass)
		t->first_pass = clock_wall();
	for (int64_t begin = first, end; !status && begin < s->pass_count; begin = end) {
		end = part_end(s, begin);
		status = stopped(t, e);
		if (!status)
			status = run_part(t, s, run, begin, end, seconds, e);
	}
	return status || !value ? status : read_value(t, s, value, e);
}

/* ---- the traceback ---- */

/* The profits of the best 0, 1, ... units of each pass. */
static int trace_profits(const struct dp_schedule *s, int64_t first,
			 const struct dp_tuned_step *steps, int64_t **profit, int64_t *start,
			 struct err *e)
{
	const int64_t *sum = s->plan->sum_profit;
	int64_t passes = s->pass_count - first, total = 0;

	for (int64_t k = 0; k < passes; k++) {
		start[k] = total;
		total += steps[k].count + 1;
	}
	start[passes] = total;
	*profit = malloc((size_t)(total + 1) * sizeof(**profit));
	if (!*profit)
		return err_set(e, ERR_MEMORY, "no memory for the traceback");
	for (int64_t k = 0; k < passes; k++) {
		const struct dp_tuned_step *step = &steps[k];

		for (int64_t j = 0; j <= step->count; j++)
			(*profit)[start[k] + j] =
				sum[step->first + j * step->unit] - sum[step->first];
	}
	return 0;
}

static int trace_on(struct dp_tuned_devices *t, const struct dp_schedule *s, int64_t first,
		    const int64_t *profit, const int64_t *start, int64_t position[2],
		    int32_t *taken, struct err *e)
{
	int64_t passes = s->pass_count - first;
	int64_t rows = (s->pass_count + 1) * t->count * (int64_t)sizeof(*s->pass);
	struct dp_tuned_trace trace = { .pass_count = (int32_t)passes,
					.devices = t->count,
					.cells_64 = s->shape.cells_64 };
	char *at = t->trace.at[0];
	int status;

	trace.pass = (const struct dp_tuned_pass *)at + first * t->count;
	status = put(t, 0, &at, s->pass, rows, e);
	trace.profit = (const int64_t *)at;
	if (!status)
		status = put(t, 0, &at, profit, start[passes] * 8, e);
	trace.first = (const int64_t *)at;
	if (!status)
		status = put(t, 0, &at, start, (passes + 1) * 8, e);
	trace.position = (int64_t *)at;
	if (!status)
		status = put(t, 0, &at, position, 16, e);
	trace.taken = (int32_t *)at;
	for (int d = 0; d < t->count; d++)
		trace.cell[d] = t->cells.at[d];
	if (!status)
		status = dev_fill(t->stream[0], trace.taken, 0xff, (size_t)passes * 4, e);
	if (!status)
		status = t->kernels->trace(t->stream[0], &trace, e);
	if (!status)
		status = dev_copy_from(t->stream[0], taken, trace.taken, (size_t)passes * 4, e);
	if (!status)
		status = dev_copy_from(t->stream[0], position, trace.position, 16, e);
	return status;
}

int dp_tuned_trace_back(struct dp_tuned_devices *t, const struct dp_schedule *s, int64_t first,
			const struct dp_tuned_step *steps, int64_t position[2], int32_t *taken,
			struct err *e)
{
	int64_t passes = s->pass_count - first, *profit = NULL, bytes;
	int64_t *start = malloc((size_t)(passes + 1) * sizeof(*start));
	int status, synced;

	status = start ? trace_profits(s, first, steps, &profit, start, e) :
			 err_set(e, ERR_MEMORY, "no memory for the traceback");
	if (!status) {
		bytes = round_up((s->pass_count + 1) * t->count * (int64_t)sizeof(*s->pass)) +
			round_up(start[passes] * 8) + round_up((passes + 1) * 8) + 256 +
			round_up(passes * 4);
		status = reserve(t, &t->trace, 1, bytes, e);
		if (!status) {
			status = trace_on(t, s, first, profit, start, position, taken, e);
			synced = dev_stream_sync(t->stream[0], status ? NULL : e);
			status = status ? status : synced;
		}
	}
	free(profit);
	free(start);
	return status;
}
