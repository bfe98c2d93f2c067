/* The devices of a deep search: a thread each, and the taking of nodes from one another.
 *
 * A device without nodes is hungry; it asks the one that has most and waits for the answer. Who is
 * asked ends his round (the mail's halt flag), gives or refuses, and goes on. When all are hungry
 * there is no open node left. A stop is heeded only by devices that wait for no answer, so that no
 * node is on its way when the open nodes are surveyed. */
#include <stdlib.h>

#include "deep_parts.h"

struct worker {
	struct deep_team *team;
	int self;
	pthread_t thread;
};

static void set_halt(struct deep_team *t, int device, int32_t value)
{
	__atomic_store_n(&t->mail[device].halt, value, __ATOMIC_RELEASE);
}

/* ---- with the lock held ---- */

static void fail(struct deep_team *t, int status, const struct err *e)
{
	if (!t->status) {
		t->status = status;
		t->error = *e;
	}
	t->done = true;
	pthread_cond_broadcast(&t->changed);
}

/* Fewer nodes than this are not worth a copy. */
static int64_t least_share(const struct deep_team *t, int device)
{
	return t->device[device].world.warps;
}

static int choose_victim(const struct deep_team *t, int self)
{
	int victim = -1;
	int64_t most = 0;

	if (t->request->no_stealing && t->state[self].feeds)
		return -1;
	for (int d = 0; d < t->count; d++) {
		if (d == self || t->state[d].hungry || t->state[d].asked_by >= 0)
			continue;
		if (t->state[d].entries >= least_share(t, d) && t->state[d].entries > most) {
			most = t->state[d].entries;
			victim = d;
		}
	}
	return victim;
}

static void wait_some_time(struct deep_team *t)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 200000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_cond_timedwait(&t->changed, &t->lock, &until);
}

/* Waits for the victim's answer; nodes received. */
static int64_t ask(struct deep_team *t, int self, int victim)
{
	t->state[self].received = -1;
	t->state[victim].asked_by = self;
	t->steals_tried++;
	set_halt(t, victim, 1);
	while (t->state[self].received < 0 && !t->status)
		pthread_cond_wait(&t->changed, &t->lock);
	if (t->state[self].received <= 0)
		return 0;
	t->steals_done++;
	t->nodes_stolen += (uint64_t)t->state[self].received;
	t->state[self].feeds++;
	return t->state[self].received;
}

/* Until there is work again: true; or the search is over: false. */
static bool feed(struct deep_team *t, int self)
{
	bool fed = false;

	t->state[self].hungry = true;
	t->hungry_count++;
	while (!t->done && !t->stopped && !fed) {
		int victim = choose_victim(t, self);

		if (t->hungry_count == t->count) {
			t->done = true;
			pthread_cond_broadcast(&t->changed);
		} else if (victim >= 0) {
			fed = ask(t, self, victim) > 0;
		} else {
			t->stopped = t->stopped || interrupt_due(&t->interrupt);
			wait_some_time(t);
		}
	}
	if (fed) {
		t->state[self].hungry = false;
		t->hungry_count--;
	}
	return fed;
}

/* Answers who asked us, if anybody did. The lock is released while nodes are copied. */
static void answer(struct deep_team *t, int self)
{
	int asker = t->state[self].asked_by;
	int64_t entries = t->state[self].entries, moved = 0;
	struct err e = { 0 };
	int status = 0;

	if (asker < 0)
		return;
	set_halt(t, self, 0);
	if (entries >= least_share(t, self) && !t->status) {
		int64_t amount = entries / (t->hungry_count + 1);

		pthread_mutex_unlock(&t->lock);
		status = deep_device_give(&t->device[self], &t->device[asker], amount, &moved, &e);
		pthread_mutex_lock(&t->lock);
		if (status)
			fail(t, status, &e);
		t->state[self].entries -= moved;
		t->state[asker].entries = moved;
	}
	t->state[self].asked_by = -1;
	t->state[asker].received = moved;
	pthread_cond_broadcast(&t->changed);
}

static void learn(struct deep_team *t, int self)
{
	const struct deep_control *seen = t->device[self].seen;

	t->state[self].entries = (int64_t)seen->entries;
	t->rounds++;
	if (seen->best < t->best && !t->request->private_incumbent)
		t->best = seen->best;
	t->stopped = t->stopped || interrupt_due(&t->interrupt);
}

static void *work(void *argument)
{
	struct worker *w = argument;
	struct deep_team *t = w->team;
	int self = w->self;

	pthread_mutex_lock(&t->lock);
	while (!t->status) {
		struct err e = { 0 };
		int32_t best = t->best;
		int status;

		if (!t->state[self].entries) {
			answer(t, self);
			if (!feed(t, self))
				break;
		}
		if (t->stopped)
			break;
		pthread_mutex_unlock(&t->lock);
		status = deep_device_round(&t->device[self], best, &e);
		pthread_mutex_lock(&t->lock);
		if (status)
			fail(t, status, &e);
		else
			learn(t, self);
		answer(t, self);
	}
	t->state[self].hungry = true; /* nobody asks who left */
	answer(t, self);
	pthread_cond_broadcast(&t->changed);
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

static int start_threads(struct deep_team *t, struct worker *w, int *started, struct err *e)
{
	for (*started = 0; *started < t->count; ++*started) {
		w[*started] = (struct worker){ .team = t, .self = *started };
		if (pthread_create(&w[*started].thread, NULL, work, &w[*started]))
			return err_set(e, ERR_FAILED, "cannot start a thread for device %d",
				       *started);
	}
	return 0;
}

int deep_team_run(struct deep_team *t, struct err *e)
{
	struct worker workers[DEV_MAX];
	int started = 0, status;

	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->changed, NULL);
	for (int d = 0; d < t->count; d++) {
		t->state[d].asked_by = -1;
		t->state[d].entries = t->state[d].feeds = d == 0; /* the root */
	}
	status = start_threads(t, workers, &started, e);
	if (status) {
		pthread_mutex_lock(&t->lock);
		fail(t, status, e);
		pthread_mutex_unlock(&t->lock);
	}
	for (int i = 0; i < started; i++)
		pthread_join(workers[i].thread, NULL);
	pthread_cond_destroy(&t->changed);
	pthread_mutex_destroy(&t->lock);
	if (t->status && !status && e)
		*e = t->error;
	return t->status;
}
