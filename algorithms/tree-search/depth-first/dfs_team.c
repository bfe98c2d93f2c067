/* The devices of a deep search: a thread each, and the taking of nodes from one another.
 *
 * A device without nodes is hungry; it asks the one that has most and waits for the answer. Who is
 * asked ends his round (the mail's halt flag), gives or refuses, and goes on. When all are hungry
 * there is no open node left. A stop is heeded only by devices that wait for no answer, so that no
 * node is on its way when the open nodes are surveyed. */
#include <stdlib.h>

#include "harness/base/team.h"
#include "algorithms/tree-search/depth-first/dfs_device.h"

struct worker {
	struct dfs_team *team;
	int self;
};

static void set_halt(struct dfs_team *t, int device, int32_t value)
{
	__atomic_store_n(&t->mail[device].halt, value, __ATOMIC_RELEASE);
}

/* ---- with the lock held ---- */

static void fail(struct dfs_team *t, int status, const struct err *e)
{
	if (!t->status) {
		t->status = status;
		t->error = *e;
	}
	t->done = true;
	pthread_cond_broadcast(&t->changed);
}

/* Fewer nodes than this are not worth a copy. */
static int64_t least_share(const struct dfs_team *t, int device)
{
	return t->device[device].world.warps;
}

static int choose_victim(const struct dfs_team *t, int self)
{
	int victim = -1;
	int64_t most = 0;

	if (t->saving || (t->request->no_stealing && t->state[self].feeds))
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

static void wait_some_time(struct dfs_team *t)
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
static int64_t ask(struct dfs_team *t, int self, int victim)
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

/* ---- checkpoints ---- */

/* All have copied their stacks, or need not: the writing begins. */
static void end_saving(struct dfs_team *t)
{
	struct err e = { 0 };
	int status = dfs_saver_start(&t->saver, &e);

	t->saving = false;
	if (status)
		fail(t, status, &e);
	pthread_cond_broadcast(&t->changed);
}

/* The last checkpoint's writing is done; what became of it is heeded now. */
static void begin_saving(struct dfs_team *t)
{
	struct err e = { 0 };
	int status = dfs_saver_finish(&t->saver, &e);

	if (status) {
		fail(t, status, &e);
		return;
	}
	t->saving = true;
	t->saved_count = 0;
	t->saver.parts = t->count;
	t->saver.reserve = t->reserve;
	for (int d = 0; d < t->count; d++) {
		t->state[d].saved = false;
		t->saver.part[d] = (struct dfs_part){ .warps = 0 };
		set_halt(t, d, 1);
	}
	pthread_cond_broadcast(&t->changed);
}

/* Our part, if it is wanted and not yet there. No node is on its way from or to us; the lock is
 * released while the stacks are copied. */
static void save_part(struct dfs_team *t, int self)
{
	struct err e = { 0 };
	int status;

	if (!t->saving && !t->status && dfs_saver_due(&t->saver))
		begin_saving(t);
	if (!t->saving || t->state[self].saved)
		return;
	set_halt(t, self, 0);
	t->state[self].saved = true;
	pthread_mutex_unlock(&t->lock);
	status = dfs_device_copy(&t->device[self], &t->saver.part[self], &e);
	pthread_mutex_lock(&t->lock);
	if (status)
		fail(t, status, &e);
	if (++t->saved_count == t->count)
		end_saving(t);
}

/* ---- the reserve ---- */

static int put_packets(struct dfs_team *t, int self, uint32_t *packets, int32_t amount,
		       struct err *e)
{
	int status;

	pthread_mutex_unlock(&t->lock);
	status = dfs_device_put(&t->device[self], packets, amount, e);
	pthread_mutex_lock(&t->lock);
	return status;
}

/* A share of the reserve for this device, whose stacks are empty: what it would have if all were
 * dealt evenly, half of that where the device was fed before. */
static int take_reserve(struct dfs_team *t, int self, struct err *e)
{
	struct dfs_device *d = &t->device[self];
	int64_t share = (int64_t)(dfs_reserve_left(&t->reserve, d->job) /
				  (uint64_t)(t->count * (t->state[self].feeds ? 2 : 1))) +
			1;
	int32_t most = d->world.packet_capacity / 2 > 1 ? d->world.packet_capacity / 2 : 1;
	uint32_t *packets = malloc((size_t)most * ((size_t)d->world.row_words + 4) * 4);
	int status = packets ? 0 : err_set(e, ERR_MEMORY, "no memory for %d nodes", most);

	share = share < d->room ? share : d->room;
	/* a checkpoint that has begun in between counts the rest as not taken */
	while (!status && t->state[self].entries < share && (!t->saving || t->state[self].saved)) {
		int64_t rest = share - t->state[self].entries;
		int32_t got = dfs_reserve_take(&t->reserve, d->job, packets,
					       (int32_t)(rest < most ? rest : most));

		if (!got)
			break;
		t->state[self].entries += got;
		t->host.given += (uint64_t)got;
		status = put_packets(t, self, packets, got, e);
	}
	t->state[self].feeds++;
	free(packets);
	return status;
}

static bool reserve_is_empty(const struct dfs_team *t)
{
	return t->reserve.at == t->reserve.count;
}

/* The lock is released in between: nobody asks us, who are hungry still, and nobody thinks that the
 * search is over, since we are not counted. */
static bool feed_from_reserve(struct dfs_team *t, int self)
{
	struct err e = { 0 };
	int status;

	t->hungry_count--;
	status = take_reserve(t, self, &e);
	t->hungry_count++;
	if (status)
		fail(t, status, &e);
	return !status;
}

/* Until there is work again: true; or the search is over: false. */
static bool feed(struct dfs_team *t, int self)
{
	bool fed = false;

	t->state[self].hungry = true;
	t->hungry_count++;
	while (!t->done && !t->stopped && !fed) {
		int victim;

		save_part(t, self);
		victim = choose_victim(t, self);
		if (t->done || t->stopped)
			break;
		if (!reserve_is_empty(t)) {
			fed = feed_from_reserve(t, self);
		} else if (t->hungry_count == t->count) {
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
static void answer(struct dfs_team *t, int self)
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
		status = dfs_device_give(&t->device[self], &t->device[asker], amount, &moved, &e);
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

static void learn(struct dfs_team *t, int self)
{
	const struct dfs_control *seen = t->device[self].seen;

	t->state[self].entries = (int64_t)seen->entries;
	t->rounds++;
	if (seen->best < t->best && !t->request->private_incumbent)
		t->best = seen->best;
	t->stopped = t->stopped || interrupt_due(&t->interrupt);
}

static void work(void *argument)
{
	struct worker *w = argument;
	struct dfs_team *t = w->team;
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
		status = dfs_device_round(&t->device[self], best, &e);
		pthread_mutex_lock(&t->lock);
		if (status)
			fail(t, status, &e);
		else
			learn(t, self);
		answer(t, self);
		save_part(t, self);
	}
	t->state[self].hungry = true; /* nobody asks who left */
	answer(t, self);
	pthread_cond_broadcast(&t->changed);
	pthread_mutex_unlock(&t->lock);
}

int dfs_team_run(struct dfs_team *t, struct err *e)
{
	struct worker workers[DEV_MAX];
	int status, saved;

	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->changed, NULL);
	for (int d = 0; d < t->count; d++) {
		t->state[d].asked_by = -1;
		workers[d] = (struct worker){ .team = t, .self = d };
	}
	status = team_run_all(work, workers, sizeof(*workers), t->count, e);
	pthread_cond_destroy(&t->changed);
	pthread_mutex_destroy(&t->lock);
	if (!status && t->status) {
		status = t->status;
		if (e)
			*e = t->error;
	}
	saved = dfs_saver_finish(&t->saver, status ? NULL : e);
	return status ? status : saved;
}
