/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A device explorer made of explorers on the host, for tests of the team without kernels: FAKE_IVMS
 * IVMs that make some random steps in each turn and share with their neighbours. It defines struct
 * ivm_device itself, so it cannot be used together with the real one. Include it after <cmocka.h>.
 */
#ifndef COPRA_TESTS_UNIT_GMYS_IVM_FAKE_IVM_DEVICE_H
#define COPRA_TESTS_UNIT_GMYS_IVM_FAKE_IVM_DEVICE_H

#include <stdlib.h>
#include <string.h>

#include "algorithms/gmys-ivm/explorers/explorer.h"
#include "algorithms/gmys-ivm/team/team.h"
#include "harness/base/rng.h"

enum { FAKE_IVMS = 16, FAKE_STEPS = 6 };

struct ivm_device {
	struct ivm_explorer ivm[FAKE_IVMS];
	int n;
	struct rng rng;
	uint16_t *order;
	int32_t value;
	bool found;
	uint64_t turns;
};

static int fake_open(struct ivm_device **d, struct dev *dev, const struct ivm_problem *p,
		     const struct ivm_request *r, struct err *e)
{
	int status = 0;

	(void)dev;
	*d = calloc(1, sizeof(**d));
	(*d)->n = p->n;
	(*d)->order = calloc((size_t)p->n, sizeof(*(*d)->order));
	(*d)->rng = rng_seeded(r->common.seed + 99);
	for (int i = 0; i < FAKE_IVMS && !status; i++) {
		status = ivm_explorer_open(&(*d)->ivm[i], p, e);
		(*d)->ivm[i].best = (int32_t)r->common.ub; /* of the intervals put before a turn */
	}
	return status;
}

static void fake_close(struct ivm_device *d)
{
	for (int i = 0; i < FAKE_IVMS; i++)
		ivm_explorer_close(&d->ivm[i]);
	free(d->order);
	free(d);
}

static int fake_ivms(const struct ivm_device *d)
{
	(void)d;
	return FAKE_IVMS;
}

static void fake_note(struct ivm_device *d, struct ivm_explorer *x, struct ivm_device_status *s)
{
	if (x->found && (!d->found || x->found_value < d->value)) {
		d->value = x->found_value;
		d->found = s->improved = true;
		memcpy(d->order, x->order, (size_t)d->n * sizeof(*d->order));
	}
	x->found = false;
}

static int fake_next(struct ivm_device *d, int64_t best, struct ivm_device_status *s, struct err *e)
{
	int steps = 1 + (int)rng_below(&d->rng, FAKE_STEPS);

	(void)e;
	memset(s, 0, sizeof(*s));
	d->turns++;
	for (int i = 0; i < FAKE_IVMS; i++) {
		struct ivm_explorer *x = &d->ivm[i];

		x->best = (int32_t)best < x->best ? (int32_t)best : x->best;
		for (int k = 0; k < steps && x->exploring; k++)
			ivm_explorer_step(x);
		fake_note(d, x, s);
	}
	for (int i = 0; i < FAKE_IVMS; i++) {
		struct ivm_explorer *x = &d->ivm[i];

		if (!x->exploring)
			ivm_explorer_share(&d->ivm[(i + 1) % FAKE_IVMS], x, 1, 2);
		s->active += x->exploring;
		s->counts.decomposed += x->counts.decomposed;
		s->counts.leaves += x->counts.leaves;
		s->counts.solutions += x->counts.solutions;
	}
	s->empty = FAKE_IVMS - s->active;
	s->best = d->found && d->value < best ? d->value : best;
	return 0;
}

static int fake_put(struct ivm_device *d, const uint16_t *intervals, int count, struct err *e)
{
	for (int i = 0; i < FAKE_IVMS && count > 0; i++) {
		if (d->ivm[i].exploring)
			continue;
		ivm_explorer_start(&d->ivm[i], intervals, intervals + d->n);
		intervals += 2 * d->n;
		count--;
	}
	return count ? err_set(e, ERR_FAILED, "%d intervals too many", count) : 0;
}

static int fake_take(struct ivm_device *d, int index, uint16_t *interval, int *again, bool *got,
		     struct err *e)
{
	struct ivm_explorer *x = &d->ivm[index];
	uint64_t nodes = 0;

	(void)e;
	*got = ivm_explorer_interval(x, interval, interval + d->n, &nodes);
	*again = (int)nodes;
	if (*got)
		ivm_explorer_take(x, interval, interval + d->n);
	x->counts.decomposed += nodes; /* which stay */
	return 0;
}

static int fake_take_some(struct ivm_device *d, int count, uint16_t *intervals, int *got,
			  uint64_t *again, struct err *e)
{
	*got = 0;
	*again = 0;
	for (int i = 0; i < FAKE_IVMS && *got < count; i++) {
		int nodes = 0;
		bool one = false;

		fake_take(d, i, intervals + *got * 2 * d->n, &nodes, &one, e);
		*got += one;
		*again += one ? (uint64_t)nodes : 0;
	}
	return 0;
}

static int fake_room(struct ivm_device *d, int *empty, struct err *e)
{
	(void)e;
	*empty = 0;
	for (int i = 0; i < FAKE_IVMS; i++)
		*empty += !d->ivm[i].exploring;
	return 0;
}

static int fake_share(struct ivm_device *victim, struct ivm_device *thief, int *moved,
		      struct err *e)
{
	(void)e;
	*moved = 0;
	for (int i = 0; i < FAKE_IVMS; i++)
		*moved += ivm_explorer_share(&victim->ivm[i], &thief->ivm[i], 1, 2);
	return 0;
}

static int fake_intervals(struct ivm_device *d, uint16_t **intervals, uint64_t *count,
			  uint64_t *again, struct err *e)
{
	uint64_t nodes;

	(void)e;
	*intervals = calloc(FAKE_IVMS, 2 * (size_t)d->n * sizeof(**intervals));
	*count = *again = 0;
	for (int i = 0; i < FAKE_IVMS; i++) {
		uint16_t *at = *intervals + *count * 2 * (size_t)d->n;

		if (!ivm_explorer_interval(&d->ivm[i], at, at + d->n, &nodes))
			continue;
		++*count;
		*again += nodes;
	}
	return 0;
}

static void fake_balance(const struct ivm_device *d, struct balance *b)
{
	for (int i = 0; i < FAKE_IVMS; i++) {
		struct balance one = ivm_explorer_balance(&d->ivm[i]);

		balance_add(b, &one);
	}
}

static int fake_best(struct ivm_device *d, uint16_t *order, int64_t *value, bool *found,
		     struct err *e)
{
	(void)e;
	*found = d->found;
	*value = d->value;
	memcpy(order, d->order, (size_t)d->n * sizeof(*order));
	return 0;
}

static void fake_report(const struct ivm_device *d, struct ivm_outcome *o)
{
	o->inside_phases += d->turns;
}

static const struct ivm_device_ops fake_ops = {
	.open = fake_open,
	.close = fake_close,
	.ivms = fake_ivms,
	.next = fake_next,
	.put = fake_put,
	.take = fake_take,
	.take_some = fake_take_some,
	.room = fake_room,
	.share = fake_share,
	.intervals = fake_intervals,
	.balance = fake_balance,
	.best = fake_best,
	.report = fake_report,
};

#endif
