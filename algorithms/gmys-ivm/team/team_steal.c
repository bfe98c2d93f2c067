/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Moves work between workers: the bag of intervals without an owner, requests between workers, and
 * the four kinds of steals (section 3.5). */
#include "algorithms/gmys-ivm/team/team_state.h"

#include <sched.h>
#include <string.h>
#include "algorithms/gmys-ivm/team/team.h"
#include "harness/base/clock.h"

#define STEAL_PAUSE 20e-6 /* seconds; used after all other workers have rejected a request */
#define HOST_PAUSE 200e-6 /* seconds between two checks of an idle host (farmer protocol) */

/* ---- the bag ---- */

void ivm_bag_open(struct ivm_bag *b, int n)
{
	memset(b, 0, sizeof(*b));
	pthread_mutex_init(&b->lock, NULL);
	ivm_interval_list_open(&b->list, n);
	ivm_interval_list_open(&b->deposit, n);
}

void ivm_bag_close(struct ivm_bag *b)
{
	pthread_mutex_destroy(&b->lock);
	ivm_interval_list_close(&b->list);
	ivm_interval_list_close(&b->deposit);
}

/* Unlocks the bag. */
static void leave(struct ivm_bag *b)
{
	atomic_store(&b->count, b->list.count);
	pthread_mutex_unlock(&b->lock);
}

/* Locks the bag for a busy worker, after the worker has made its deposit for the bag's epoch. */
static int enter(struct ivm_worker *x)
{
	struct ivm_bag *b = &x->team->bag;
	int status = 0;

	pthread_mutex_lock(&b->lock);
	while (!status && x->epoch < b->epoch) {
		pthread_mutex_unlock(&b->lock);
		status = ivm_cut_deposit(x);
		pthread_mutex_lock(&b->lock);
	}
	if (status)
		pthread_mutex_unlock(&b->lock);
	return status;
}

/* Moves up to `most` intervals to x->received. The caller holds the lock of the bag. */
static int take(struct ivm_worker *x, int most, int *taken)
{
	struct ivm_bag *b = &x->team->bag;

	x->received.count = 0;
	*taken = (int)ivm_interval_list_move(&x->received, &b->list, (uint64_t)most);
	if (*taken == 0 && most > 0 && b->list.count > 0)
		return err_set(&x->error, ERR_MEMORY, "no memory for %d intervals", most);
	return 0;
}

/* An idle worker takes up to `most` intervals to start with. If *got, it is busy now. */
static int bag_feed(struct ivm_worker *x, int most, bool *got)
{
	struct ivm_bag *b = &x->team->bag;
	int taken = 0, status;

	*got = false;
	if (most < 1 || atomic_load(&b->count) == 0)
		return 0;
	pthread_mutex_lock(&b->lock);
	status = take(x, most, &taken);
	*got = taken > 0;
	if (*got) {
		ivm_worker_left_unknown(x);
		pthread_mutex_lock(&x->lock);
		if (x->epoch < b->epoch)
			ivm_cut_deposit_empty(x, b->epoch);
		atomic_store(&x->open, true);
		pthread_mutex_unlock(&x->lock);
		ivm_team_less_work(x->team, taken - 1);
	}
	leave(b);
	return status;
}

int ivm_bag_top_up(struct ivm_worker *x, int most)
{
	struct ivm_bag *b = &x->team->bag;
	int taken = 0, status;

	if (most < 1 || atomic_load(&b->count) == 0)
		return 0;
	status = enter(x);
	if (status)
		return status;
	status = take(x, most, &taken);
	if (taken)
		x->show_next = 0;
	ivm_team_less_work(x->team, taken);
	leave(b);
	return status;
}

/* Counts the intervals added since the bag had `before`, and unlocks it. */
static void put_end(struct ivm_worker *x, uint64_t before)
{
	struct ivm_bag *b = &x->team->bag;

	atomic_fetch_add(&x->team->work, (int)(b->list.count - before));
	leave(b);
}

int ivm_bag_return(struct ivm_worker *x)
{
	struct ivm_bag *b = &x->team->bag;
	int status = enter(x);
	uint64_t before;

	if (status)
		return status;
	before = b->list.count;
	status = ivm_host_worker_give_all(x, &b->list);
	x->tried[IVM_H2D]++;
	x->done[IVM_H2D] += b->list.count - before;
	put_end(x, before);
	return status;
}

int ivm_bag_donate(struct ivm_worker *x, int most, int *given)
{
	struct ivm_bag *b = &x->team->bag;
	int status = enter(x);
	uint64_t before;

	*given = 0;
	if (status)
		return status;
	before = b->list.count;
	status = ivm_device_worker_give_some(x, most, &b->list);
	x->tried[IVM_D2H] += (uint64_t)most;
	*given = (int)(b->list.count - before);
	x->done[IVM_D2H] += (uint64_t)*given;
	put_end(x, before);
	return status;
}

void ivm_team_recall(struct ivm_team *t)
{
	if (!atomic_exchange(&t->recall, true))
		ivm_team_call(t);
}

/* ---- the victim ---- */

static enum ivm_steal kind_of(const struct ivm_worker *victim, const struct ivm_worker *thief)
{
	if (victim->device)
		return thief->device ? IVM_D2D : IVM_D2H;
	return thief->device ? IVM_H2D : IVM_H2H;
}

/* Moves work to the thief. The caller holds the thief's lock. */
static int steal(struct ivm_worker *victim, struct ivm_worker *thief, bool *got)
{
	int parts = victim->team->request->steal_parts, moved = 0, status;

	thief->received.count = 0;
	switch (kind_of(victim, thief)) {
	case IVM_D2D:
		status = victim->team->setup->ops->share(victim->own, thief->own, &moved,
							 &victim->error);
		*got = moved > 0;
		return status;
	case IVM_H2D:
		parts = parts > 1 ? parts : 2;
		break;
	default:
		parts = 2;
	}
	return ivm_worker_kind(victim)->give(victim, parts, &thief->received, got);
}

static void reply(struct ivm_worker *thief, bool got, uint64_t epoch)
{
	if (got) {
		ivm_worker_left_unknown(thief);
		if (thief->epoch < epoch)
			ivm_cut_deposit_empty(thief, epoch);
		atomic_fetch_add(&thief->team->work, 1);
		atomic_store(&thief->open, true);
	}
	thief->answer = got ? IVM_ANSWER_WORK : IVM_ANSWER_NOTHING;
	pthread_cond_signal(&thief->changed);
}

/* Answers one thief, with a rejection if not `willing`. The thief waits, so its epoch changes only
 * under its lock. */
static int answer(struct ivm_worker *x, struct ivm_worker *thief, bool willing)
{
	bool got = false;
	int status = 0;

	pthread_mutex_lock(&thief->lock);
	while (willing && !status && x->epoch < thief->epoch) {
		pthread_mutex_unlock(&thief->lock);
		status = ivm_cut_deposit(x);
		pthread_mutex_lock(&thief->lock);
	}
	if (willing && !status)
		status = steal(x, thief, &got);
	reply(thief, got && !status, x->epoch);
	pthread_mutex_unlock(&thief->lock);
	return status;
}

static struct ivm_worker *next_thief(struct ivm_worker *x)
{
	struct ivm_worker *thief = NULL;

	pthread_mutex_lock(&x->lock);
	if (x->queued) {
		thief = &x->team->worker[x->queue[x->first]];
		x->first = (x->first + 1) % SEARCH_WORKERS_MAX;
		x->queued--;
	}
	pthread_mutex_unlock(&x->lock);
	return thief;
}

/* Answers the requests that are pending now. Thieves that ask again at once are answered at the
 * next call, because many futile requests would otherwise keep a victim from its work. */
static int answer_all(struct ivm_worker *x, bool willing)
{
	struct ivm_worker *thief;
	int status = 0, waiting;

	pthread_mutex_lock(&x->lock);
	waiting = x->queued;
	pthread_mutex_unlock(&x->lock);
	for (; waiting > 0 && (thief = next_thief(x)); waiting--) {
		int failed = answer(x, thief, willing && !status);

		status = status ? status : failed;
	}
	return status;
}

int ivm_team_answer(struct ivm_worker *x)
{
	return answer_all(x, true);
}

void ivm_team_close(struct ivm_worker *x)
{
	pthread_mutex_lock(&x->lock);
	atomic_store(&x->open, false);
	pthread_mutex_unlock(&x->lock);
	answer_all(x, false);
}

/* ---- the thief ---- */

static bool push_request(struct ivm_worker *victim, struct ivm_worker *thief)
{
	bool open;

	if (!atomic_load(&victim->open))
		return false;
	thief->answer = IVM_ANSWER_NONE; /* private until the request is in the queue */
	pthread_mutex_lock(&victim->lock);
	open = atomic_load(&victim->open);
	if (open) {
		victim->queue[(victim->first + victim->queued) % SEARCH_WORKERS_MAX] = thief->id;
		victim->queued++;
	}
	pthread_mutex_unlock(&victim->lock);
	if (open)
		atomic_store(&victim->attention, true);
	return open;
}

static bool wait_receive(struct ivm_worker *x)
{
	bool got;

	pthread_mutex_lock(&x->lock);
	while (x->answer == IVM_ANSWER_NONE)
		pthread_cond_wait(&x->changed, &x->lock);
	got = x->answer == IVM_ANSWER_WORK;
	pthread_mutex_unlock(&x->lock);
	return got;
}

static bool ask(struct ivm_worker *x, struct ivm_worker *victim)
{
	enum ivm_steal kind = kind_of(victim, x);
	bool got;

	x->tried[kind]++;
	got = push_request(victim, x) && wait_receive(x);
	x->done[kind] += got;
	return got;
}

/* A random other worker (farmer: a random other device). NULL if there is none. */
static struct ivm_worker *select_victim(struct ivm_worker *x)
{
	struct ivm_team *t = x->team;
	int among = t->farmer ? t->setup->devices : t->workers, at;

	if (among < 2)
		return NULL;
	at = (int)rng_below(&x->rng, (uint64_t)among - 1);
	return &t->worker[at + (at >= x->id)];
}

/* ---- work for an idle worker ---- */

static bool any_device_open(struct ivm_team *t)
{
	for (int i = 0; i < t->setup->devices; i++) {
		if (atomic_load(&t->worker[i].open))
			return true;
	}
	return false;
}

/* The number of intervals that an idle worker takes from the bag. A host takes one, but none while
 * a recall is in force. A device takes its share; with the farmer protocol it takes all, except
 * that it leaves those meant for hosts while it can steal. */
static int bag_part(struct ivm_worker *x)
{
	struct ivm_team *t = x->team;
	uint64_t devices = (uint64_t)t->setup->devices, count = atomic_load(&t->bag.count), ivms;

	if (!x->device)
		return t->farmer && atomic_load(&t->recall) ? 0 : 1;
	ivms = (uint64_t)t->setup->ops->ivms(x->own);
	if (!t->farmer)
		count = (count + devices - 1) / devices;
	else if (count <= (uint64_t)t->setup->hosts && any_device_open(t))
		count = 0;
	return (int)(count < ivms ? count : ivms);
}

/* Tries once to get work: from the bag, otherwise from a random victim. */
static int try_to_get_work(struct ivm_worker *x, bool *got)
{
	struct ivm_team *t = x->team;
	struct ivm_worker *victim = NULL;
	int status = bag_feed(x, bag_part(x), got);

	if (status || *got)
		return status;
	if (t->farmer && x->device && !any_device_open(t))
		ivm_team_recall(t);
	if (!t->request->common.no_stealing && (!t->farmer || x->device))
		victim = select_victim(x);
	*got = victim && ask(x, victim);
	return 0;
}

/* Leaves the core to other threads between two attempts. */
static void pause_between(const struct ivm_worker *x, int tries)
{
	if (x->team->farmer && !x->device)
		clock_sleep(HOST_PAUSE);
	else if (tries % x->team->workers)
		sched_yield();
	else
		clock_sleep(STEAL_PAUSE);
}

bool ivm_team_acquire(struct ivm_worker *x)
{
	struct ivm_team *t = x->team;
	double begin = clock_wall();
	bool got = false;

	for (int tries = 1; !ivm_team_over(t) && !x->status; tries++) {
		x->status = try_to_get_work(x, &got);
		if (got || (t->request->common.no_stealing && !t->farmer))
			break;
		pause_between(x, tries);
	}
	x->seconds_wait += clock_wall() - begin;
	return got;
}
