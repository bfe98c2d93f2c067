/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/proof/proof_device.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "algorithms/tree-search/depth-first/dfs_checkpoint.h"
#include "algorithms/tree-search/depth-first/dfs_device.h"
#include "harness/base/clock.h"

struct unit {
	struct dfs_device device;
	struct dfs_mail *mail; /* pinned */
	struct dfs_tally before;
	uint32_t *packets; /* [most] */
	int32_t most;
	bool busy;
};

struct proof_devices {
	const struct proof *p;
	const struct dev_set *set;
	struct search_request request;
	struct dfs_job job;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int count;
	struct unit unit[DEV_MAX];
};

static int open_unit(struct proof_devices *d, struct unit *u, struct dev *dev, struct err *e)
{
	int status = dev_host_alloc(dev, (void **)&u->mail, sizeof(*u->mail), e);

	if (status)
		return status;
	*u->mail = (struct dfs_mail){ .best = INT32_MAX };
	status = dfs_device_open(&u->device, dev, &d->job, u->mail, 1, 0, e);
	if (status)
		return status;
	u->most = u->device.world.packet_capacity / 2 > 1 ? u->device.world.packet_capacity / 2 : 1;
	u->most = u->device.room < u->most ? (int32_t)u->device.room : u->most;
	u->packets = malloc((size_t)u->most * ((size_t)u->device.world.row_words + 4) *
			    sizeof(*u->packets));
	return u->packets ? 0 : err_set(e, ERR_MEMORY, "no memory for %d nodes", u->most);
}

int proof_devices_open(struct proof_devices **out, const struct proof *p, const struct dev_set *set,
		       struct err *e)
{
	struct proof_devices *d = calloc(1, sizeof(*d));
	int status;

	*out = NULL;
	if (!d)
		return err_set(e, ERR_MEMORY, "no memory for the devices of a proof");
	d->p = p;
	d->set = set;
	d->request = (struct search_request){ .flowshop = p->flowshop,
					      .bound = FSP_LB1,
					      .branching = FSP_MINBRANCH,
					      .ub = p->bound,
					      .devices = set };
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->changed, NULL);
	status = dfs_job_make(&d->job, &d->request, 0, true, e);
	while (!status && d->count < set->count) {
		status = open_unit(d, &d->unit[d->count], set->dev[d->count], e);
		d->count++;
	}
	if (status)
		proof_devices_close(d);
	else
		*out = d;
	return status;
}

void proof_devices_close(struct proof_devices *d)
{
	if (!d)
		return;
	for (int i = 0; i < d->count; i++) {
		dfs_device_close(&d->unit[i].device);
		dev_host_free(d->set->dev[i], d->unit[i].mail);
		free(d->unit[i].packets);
	}
	dfs_job_free(&d->job);
	pthread_cond_destroy(&d->changed);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

/* ---- which device is free ---- */

static struct unit *free_unit(struct proof_devices *d)
{
	for (int i = 0; i < d->count; i++)
		if (!d->unit[i].busy)
			return &d->unit[i];
	return NULL;
}

static struct unit *acquire(struct proof_devices *d)
{
	struct unit *u;

	pthread_mutex_lock(&d->lock);
	while (!(u = free_unit(d)))
		pthread_cond_wait(&d->changed, &d->lock);
	u->busy = true;
	pthread_mutex_unlock(&d->lock);
	return u;
}

static void release(struct proof_devices *d, struct unit *u)
{
	pthread_mutex_lock(&d->lock);
	u->busy = false;
	pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
}

void proof_devices_hold(struct proof_devices *d)
{
	for (int i = 0; i < d->count; i++)
		acquire(d);
}

void proof_devices_release(struct proof_devices *d)
{
	for (int i = 0; i < d->count; i++)
		release(d, &d->unit[i]);
}

/* ---- counting ---- */

/* Every node that was put on the stacks or pushed there was searched or pruned. */
static int check_balance(const struct dfs_tally *now, const struct dfs_tally *before, uint64_t put,
			 struct err *e)
{
	uint64_t in = put + now->explored - before->explored;
	uint64_t out = now->decomposed - before->decomposed + now->cut - before->cut;

	if (in == out)
		return 0;
	return err_set(e, ERR_FAILED,
		       "a device of a proof received %" PRIu64 " nodes, but searched %" PRIu64, in,
		       out);
}

static int collect(struct proof_devices *d, struct unit *u, uint64_t put,
		   struct proof_device_count *c, struct err *e)
{
	struct dfs_findings f;
	int status = dfs_device_findings(&u->device, &f, e);

	if (!status && f.best < d->p->bound && f.order) {
		c->shorter = f.best;
		for (int i = 0; i < d->p->tables.jobs; i++)
			c->order[i] = f.order[i];
	} else if (!status && c->complete) {
		status = check_balance(&f.tally, &u->before, put, e);
		c->nodes = f.tally.decomposed - u->before.decomposed;
	}
	u->before = f.tally;
	free(f.order);
	return status;
}

static int count_on(struct proof_devices *d, struct unit *u, const struct checkpoint *from,
		    double until, bool (*stops)(void *context), void *context,
		    struct proof_device_count *c, struct err *e)
{
	struct dfs_reserve reserve = { .work = from->work, .count = from->count };
	int32_t bound = (int32_t)d->p->bound, ignored;
	bool better = false, ended = false;
	uint64_t put = 0;
	int status = 0;

	while (!status && !better && !ended) {
		int32_t got = dfs_reserve_take(&reserve, &d->job, u->packets, u->most);

		if (!got)
			break;
		put += (uint64_t)got;
		status = dfs_device_put(&u->device, u->packets, got, e);
		do {
			if (!status)
				status = dfs_device_round(&u->device, bound, e);
			better = u->device.seen->best < bound;
			ended = stops(context) || clock_wall() >= until;
		} while (!status && u->device.seen->entries && !better && !ended);
		ended = ended && (u->device.seen->entries || dfs_reserve_left(&reserve, &d->job));
	}
	if (status == ERR_LIMIT) /* cancelled by a stop */
		return 0;
	c->complete = !status && !better && !ended;
	if (!status && ended) /* empties the stacks */
		status = dfs_device_survey(&u->device, &ignored, e);
	return status ? status : collect(d, u, put, c, e);
}

int proof_devices_count(struct proof_devices *d, const struct checkpoint *from, double seconds,
			bool (*stops)(void *context), void *context, struct proof_device_count *c,
			struct err *e)
{
	struct unit *u = acquire(d);
	int status = 0;

	c->complete = false;
	c->nodes = 0;
	c->shorter = 0;
	if (!stops(context))
		status = count_on(d, u, from, clock_wall() + seconds, stops, context, c, e);
	release(d, u);
	return status;
}
