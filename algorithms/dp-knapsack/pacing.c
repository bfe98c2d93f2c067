/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/dp-knapsack/pacing.h"

#include <string.h>

#include "harness/base/clock.h"
#include "harness/device/device.h"

static const int64_t CELLS_BETWEEN_MARKS = (int64_t)1 << 31;

int dp_pace_open(struct dp_pace *p, struct dev_stream *s, struct err *e)
{
	memset(p, 0, sizeof(*p));
	p->stream = s;
	for (int i = 0; i < 2; i++) {
		int status = dev_event_create(dev_stream_device(s), &p->mark[i], e);
		if (status)
			return status;
	}
	return 0;
}

void dp_pace_close(struct dp_pace *p)
{
	for (int i = 0; i < 2; i++)
		if (p->mark[i])
			dev_event_destroy(p->mark[i]);
	memset(p, 0, sizeof(*p));
}

int dp_pace_queued(struct dp_pace *p, int64_t cells, struct err *e)
{
	p->cells += cells;
	if (p->cells < CELLS_BETWEEN_MARKS)
		return 0;
	p->cells = 0;
	struct dev_event *now = p->mark[p->marks % 2], *before = p->mark[(p->marks + 1) % 2];
	int status = 0;
	/* wait for the mark before this one; the work queued since then keeps the GPU busy */
	if (p->marks > 0)
		status = dev_event_sync(before, e);
	if (!status)
		status = dev_event_record(now, p->stream, e);
	p->marks++;
	return status;
}

int dp_pace_check(const struct dp_request *r, double deadline, int64_t done, int64_t total,
		  struct err *e)
{
	if (r->stop && *r->stop)
		return err_set(e, ERR_LIMIT, "interrupted after %lld of %lld items",
			       (long long)done, (long long)total);
	if (deadline > 0 && clock_wall() > deadline)
		return err_set(e, ERR_LIMIT, "time limit after %lld of %lld items", (long long)done,
			       (long long)total);
	return 0;
}
