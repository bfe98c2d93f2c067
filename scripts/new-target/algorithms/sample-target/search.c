/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/sample-target/search.h"

#include <string.h>

#include "harness/base/clock.h"

_Static_assert((int)SAMPLE_TARGET_MAX == (int)SAMPLE_TARGET_NUMBERS, "instances fit the kernels");

bool sample_target_take(struct sample_target_work *w, uint64_t size, uint64_t *from, uint64_t *to)
{
	bool stopped = (w->stop && *w->stop) || (w->deadline > 0 && clock_wall() >= w->deadline);

	if (w->next == w->end || stopped)
		return false;
	*from = w->next;
	*to = w->end - w->next < size ? w->end : w->next + size;
	w->next = *to;
	return true;
}

static int run(const struct sample_target_request *r, struct sample_target_work *w, uint64_t *best,
	       struct err *e)
{
	switch (r->variant) {
	case SOLVE_SERIAL:
		return sample_target_on_cores(w, 1, best, e);
	case SOLVE_CPU:
		return sample_target_on_cores(w, r->threads, best, e);
	case SOLVE_PUBLISHED: /* one assignment per thread */
		return sample_target_on_devices(w, r->devices, r->gpus, 1, best, e);
	default: /* a thread updates the sum from one assignment to the next */
		return sample_target_on_devices(w, r->devices, r->gpus, 256, best, e);
	}
}

int sample_target_search(const struct sample_target_request *r, struct sample_target_answer *a,
			 struct err *e)
{
	const struct sample_target_instance *s = r->instance;
	struct sample_target_work w = { .stop = r->stop };
	double start = clock_wall();
	uint64_t best;
	int status;

	w.numbers.n = s->n;
	memcpy(w.numbers.number, s->number, sizeof(s->number));
	w.end = sample_target_assignments(&w.numbers);
	w.deadline = r->time_limit > 0 ? start + r->time_limit : 0;
	best = sample_target_least(&w.numbers, 0, 1); /* a valid answer even if stopped at once */
	status = run(r, &w, &best, e);
	if (status)
		return status;
	a->difference = (int64_t)(best >> SAMPLE_TARGET_BITS);
	for (int i = 0; i < s->n; i++)
		a->heap[i] = i < SAMPLE_TARGET_BITS ? best >> i & 1 : 0;
	a->tried = (double)w.next;
	a->complete = w.next == w.end;
	a->seconds = clock_wall() - start;
	return a->complete ? 0 : err_set(e, ERR_LIMIT, "stopped before all assignments were tried");
}
