/* Requests between workers, see team.h, and the four kinds of steal (section 3.5). */
#include <sched.h>
#include <string.h>

#include "harness/base/clock.h"
#include "algorithms/gmys-ivm/team.h"

#define STEAL_PAUSE 20e-6 /* seconds, after all others have been asked in vain */
#define HOST_PAUSE 200e-6 /* seconds that a farmer's hungry host looks away */

static enum ivm_steal kind_of(const struct worker *victim, const struct worker *thief)
{
	if (victim->device)
		return thief->device ? IVM_D2D : IVM_D2H;
	return thief->device ? IVM_H2D : IVM_H2H;
}

/* ---- the victim ---- */

/* The work itself; the thief's lock is held. */
static int steal(struct worker *victim, struct worker *thief, bool *got)
{
	int parts = victim->team->request->steal_parts, moved = 0, status;

	thief->received.count = 0;
	switch (kind_of(victim, thief)) {
	case IVM_D2D:
		status = victim->team->setup->ops->share(victim->own, thief->own, &moved,
							 &victim->error);
		*got = moved > 0;
		return status;
	case IVM_D2H:
		return device_give(victim, &thief->received, got);
	case IVM_H2D:
		return host_give(victim, parts > 1 ? parts : 2, &thief->received, got);
	default:
		return host_give(victim, 2, &thief->received, got);
	}
}

static void reply(struct worker *thief, bool got, uint64_t epoch)
{
	if (got) {
		if (thief->epoch < epoch)
			cut_deposit_empty(thief, epoch);
		atomic_fetch_add(&thief->team->work, 1);
		atomic_store(&thief->open, true);
	}
	thief->answer = got ? ANSWER_WORK : ANSWER_NOTHING;
	pthread_cond_signal(&thief->changed);
}

/* The thief waits, so that its epoch changes under its lock only. */
static int answer(struct worker *x, struct worker *thief, bool willing)
{
	bool got = false;
	int status = 0;

	pthread_mutex_lock(&thief->lock);
	while (willing && !status && x->epoch < thief->epoch) {
		pthread_mutex_unlock(&thief->lock);
		status = cut_deposit(x);
		pthread_mutex_lock(&thief->lock);
	}
	if (willing && !status)
		status = steal(x, thief, &got);
	reply(thief, got && !status, x->epoch);
	pthread_mutex_unlock(&thief->lock);
	return status;
}

static struct worker *next_thief(struct worker *x)
{
	struct worker *thief = NULL;

	pthread_mutex_lock(&x->lock);
	if (x->queued) {
		thief = &x->team->worker[x->queue[x->first]];
		x->first = (x->first + 1) % SEARCH_WORKERS_MAX;
		x->queued--;
	}
	pthread_mutex_unlock(&x->lock);
	return thief;
}

int team_answer(struct worker *x, bool willing)
{
	struct worker *thief;
	int status = 0, waiting;

	/* not those who ask again at once: many in vain would keep a victim from its work */
	pthread_mutex_lock(&x->lock);
	waiting = x->queued;
	pthread_mutex_unlock(&x->lock);
	for (; waiting > 0 && (thief = next_thief(x)); waiting--) {
		int failed = answer(x, thief, willing && !status);

		status = status ? status : failed;
	}
	return status;
}

void team_close(struct worker *x)
{
	pthread_mutex_lock(&x->lock);
	atomic_store(&x->open, false);
	pthread_mutex_unlock(&x->lock);
	team_answer(x, false);
}

void team_rest(struct worker *x)
{
	team_close(x);
	team_less_work(x->team, 1);
}

/* ---- the thief ---- */

static bool push_request(struct worker *victim, struct worker *thief)
{
	bool open;

	if (!atomic_load(&victim->open))
		return false;
	thief->answer = ANSWER_NONE; /* nobody else looks at it before it is in the queue */
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

static bool wait_receive(struct worker *x)
{
	bool got;

	pthread_mutex_lock(&x->lock);
	while (x->answer == ANSWER_NONE)
		pthread_cond_wait(&x->changed, &x->lock);
	got = x->answer == ANSWER_WORK;
	pthread_mutex_unlock(&x->lock);
	return got;
}

static bool ask(struct worker *x, struct worker *victim)
{
	enum ivm_steal kind = kind_of(victim, x);
	bool got;

	x->tried[kind]++;
	got = push_request(victim, x) && wait_receive(x);
	x->done[kind] += got;
	return got;
}

/* Random, any of the others; farmer: of the devices. NULL: there is none. */
static struct worker *select_victim(struct worker *x)
{
	struct team *t = x->team;
	int among = t->farmer ? t->setup->devices : t->workers, at;

	if (among < 2)
		return NULL;
	at = (int)rng_below(&x->rng, (uint64_t)among - 1);
	return &t->worker[at + (at >= x->id)];
}

/* ---- work for an empty worker ---- */

static bool any_device_open(struct team *t)
{
	for (int i = 0; i < t->setup->devices; i++) {
		if (atomic_load(&t->worker[i].open))
			return true;
	}
	return false;
}

void team_recall(struct team *t)
{
	if (!atomic_exchange(&t->recall, true))
		team_call(t);
}

/* What of the bag an empty worker takes: a host one interval, none while a recall stands; a device
 * its part of them, with farmer all, but nothing that lies there for hosts while it can steal. */
static int bag_part(struct worker *x)
{
	struct team *t = x->team;
	uint64_t devices = (uint64_t)t->setup->devices, there = atomic_load(&t->bag.count), ivms;

	if (!x->device)
		return t->farmer && atomic_load(&t->recall) ? 0 : 1;
	ivms = (uint64_t)t->setup->ops->ivms(x->own);
	if (!t->farmer)
		there = (there + devices - 1) / devices;
	else if (there <= (uint64_t)t->setup->hosts && any_device_open(t))
		there = 0;
	return (int)(there < ivms ? there : ivms);
}

static int look_around(struct worker *x, bool *got)
{
	struct team *t = x->team;
	struct worker *victim = NULL;
	int status = bag_feed(x, bag_part(x), got);

	if (status || *got)
		return status;
	if (t->farmer && x->device && !any_device_open(t))
		team_recall(t);
	if (!t->request->common.no_stealing && (!t->farmer || x->device))
		victim = select_victim(x);
	*got = victim && ask(x, victim);
	return 0;
}

/* Others need the cores meanwhile. */
static void pause_between(const struct worker *x, int tries)
{
	if (x->team->farmer && !x->device)
		clock_sleep(HOST_PAUSE);
	else if (tries % x->team->workers)
		sched_yield();
	else
		clock_sleep(STEAL_PAUSE);
}

bool team_acquire(struct worker *x)
{
	struct team *t = x->team;
	double begin = clock_wall();
	bool got = false;

	for (int tries = 1; !team_over(t) && !x->status; tries++) {
		x->status = look_around(x, &got);
		if (got || (t->request->common.no_stealing && !t->farmer))
			break;
		pause_between(x, tries);
	}
	x->seconds_wait += clock_wall() - begin;
	return got;
}
