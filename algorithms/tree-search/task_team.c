/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/task_team.h"

#include <stdlib.h>

#include "harness/base/clock.h"
#include "algorithms/tree-search/balance.h"
#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/task_saver.h"

static uint64_t packed(uint64_t from, uint64_t end)
{
	return end << 32 | from;
}

static uint64_t range_from(uint64_t range)
{
	return range & UINT32_MAX;
}

static uint64_t range_end(uint64_t range)
{
	return range >> 32;
}

static uint64_t range_left(uint64_t range)
{
	return range_end(range) - range_from(range);
}

int task_team_create(struct task_team *t, const struct search_request *r, struct err *e)
{
	int threads = r->threads > 0 ? r->threads : 1;

	*t = (struct task_team){ .request = r, .interrupt = interrupt_from(r) };
	t->members = t->threads = threads < SEARCH_WORKERS_MAX ? threads : SEARCH_WORKERS_MAX;
	atomic_init(&t->stopped, false);
	atomic_init(&t->pausing, false);
	pthread_mutex_init(&t->pause_lock, NULL);
	pthread_cond_init(&t->pause_changed, NULL);
	t->member = aligned_alloc(64, (size_t)t->threads * sizeof(*t->member));
	if (!t->member)
		return err_set(e, ERR_MEMORY, "no memory for %d threads", t->threads);
	for (int i = 0; i < t->threads; i++) {
		t->member[i] = (struct task_member){ .team = t,
						     .id = i,
						     .rng = rng_seeded(r->seed + (uint64_t)i) };
		atomic_init(&t->member[i].range, 0);
		atomic_init(&t->member[i].tasks_given, 0);
	}
	return 0;
}

void task_team_destroy(struct task_team *t)
{
	free(t->member);
	t->member = NULL;
	pthread_cond_destroy(&t->pause_changed);
	pthread_mutex_destroy(&t->pause_lock);
}

static void member_work(void *member)
{
	struct task_member *m = member;
	struct task_team *t = m->team;

	t->work(m);
	pthread_mutex_lock(&t->pause_lock);
	t->working--;
	pthread_cond_broadcast(&t->pause_changed);
	pthread_mutex_unlock(&t->pause_lock);
}

static void granted(void *team, int number)
{
	struct task_team *t = team;

	team_barrier_init(&t->barrier, number);
	pthread_mutex_lock(&t->pause_lock);
	t->threads = t->working = number;
	t->begun_work = true;
	pthread_cond_broadcast(&t->pause_changed);
	pthread_mutex_unlock(&t->pause_lock);
}

void task_team_run(struct task_team *t, void (*work)(struct task_member *m), void *context)
{
	t->work = work;
	t->work_context = context;
	pthread_mutex_lock(&t->pause_lock);
	t->begun_work = false;
	pthread_mutex_unlock(&t->pause_lock);
	team_run(member_work, t->member, sizeof(*t->member), t->threads, granted, t);
}

void task_team_divide(struct task_team *t, uint64_t count)
{
	uint64_t from = 0;

	t->task_count = count;
	atomic_store(&t->begun, 0);
	for (int i = 0; i < t->threads; i++) {
		uint64_t end = count * (uint64_t)(i + 1) / (uint64_t)t->threads;
		struct task_member *m = &t->member[i];

		m->tasks_left += range_left(atomic_load(&m->range));
		m->tasks_dealt += end - from;
		atomic_store(&m->range, packed(from, end));
		from = end;
	}
}

/* Moves the back half of the victim's range to the thief; if only one task is left, that task. */
static bool steal_from(struct task_member *thief, struct task_member *victim)
{
	uint64_t range = atomic_load(&victim->range), left, middle;

	do {
		left = range_end(range) - range_from(range);
		if (range_end(range) <= range_from(range))
			return false;
		middle = range_from(range) + left / 2;
	} while (!atomic_compare_exchange_weak(&victim->range, &range,
					       packed(range_from(range), middle)));
	atomic_store(&thief->range, packed(middle, range_end(range)));
	thief->steals_done++;
	thief->tasks_stolen += left - left / 2;
	atomic_fetch_add_explicit(&victim->tasks_given, left - left / 2, memory_order_relaxed);
	return true;
}

static bool steal(struct task_member *m)
{
	struct task_team *t = m->team;
	int first;

	if (t->request->no_stealing || t->threads == 1)
		return false;
	m->steals_tried++;
	first = (int)rng_below(&m->rng, (uint64_t)t->threads);
	for (int i = 0; i < t->threads; i++) {
		struct task_member *victim = &t->member[(first + i) % t->threads];

		if (victim != m && steal_from(m, victim))
			return true;
	}
	return false;
}

static void show_share(struct task_team *t, uint64_t count)
{
	uint64_t begun;

	if (!t->request->watch || !(t->share_to > t->share_from))
		return;
	begun = atomic_fetch_add_explicit(&t->begun, count, memory_order_relaxed);
	watch_share(t->request->watch, t->share_from + (t->share_to - t->share_from) *
							       (double)begun /
							       (double)t->task_count);
}

uint64_t task_team_take(struct task_member *m, uint64_t most, uint64_t *from)
{
	while (!atomic_load_explicit(&m->team->stopped, memory_order_relaxed)) {
		uint64_t range = atomic_load(&m->range), count;

		count = range_end(range) - range_from(range);
		if (!count) {
			if (!steal(m))
				return 0;
			continue;
		}
		count = count < most ? count : most;
		*from = range_from(range);
		if (atomic_compare_exchange_strong(&m->range, &range,
						   packed(*from + count, range_end(range)))) {
			m->tasks_taken += count;
			show_share(m->team, count);
			return count;
		}
	}
	return 0;
}

bool task_team_stops(struct task_team *t)
{
	if (atomic_load_explicit(&t->stopped, memory_order_relaxed))
		return true;
	if (!interrupt_due(&t->interrupt))
		return false;
	atomic_store(&t->stopped, true);
	return true;
}

void task_team_wait(struct task_team *t)
{
	pthread_mutex_lock(&t->pause_lock);
	t->paused++;
	pthread_cond_broadcast(&t->pause_changed);
	while (atomic_load(&t->pausing))
		pthread_cond_wait(&t->pause_changed, &t->pause_lock);
	t->paused--;
	pthread_mutex_unlock(&t->pause_lock);
}

bool task_team_hold(struct task_team *t)
{
	bool held;

	pthread_mutex_lock(&t->pause_lock);
	atomic_store(&t->pausing, true);
	while (!t->begun_work || t->paused < t->working)
		pthread_cond_wait(&t->pause_changed, &t->pause_lock);
	held = t->working > 0;
	pthread_mutex_unlock(&t->pause_lock);
	if (!held)
		task_team_release(t);
	return held;
}

void task_team_release(struct task_team *t)
{
	pthread_mutex_lock(&t->pause_lock);
	atomic_store(&t->pausing, false);
	pthread_cond_broadcast(&t->pause_changed);
	pthread_mutex_unlock(&t->pause_lock);
}

void task_team_untaken(const struct task_team *t, int member, uint64_t *from, uint64_t *end)
{
	uint64_t range = atomic_load(&t->member[member].range);

	*from = range_from(range);
	*end = range_end(range);
}

void task_team_report(const struct task_team *t, struct search_outcome *o)
{
	o->workers = t->threads;
	for (int i = 0; i < t->threads; i++) {
		o->steals_tried += t->member[i].steals_tried;
		o->steals_done += t->member[i].steals_done;
		o->nodes_stolen += t->member[i].tasks_stolen;
	}
}

int task_team_check(const struct task_team *t, const char *engine, bool complete, struct err *e)
{
	const struct balance_name name = { engine, "thread", 0, "tasks" };
	struct balance b[SEARCH_WORKERS_MAX];

	for (int i = 0; i < t->threads; i++) {
		const struct task_member *m = &t->member[i];

		b[i] = (struct balance){ .initial = m->tasks_dealt,
					 .received = m->tasks_stolen,
					 .popped = m->tasks_taken,
					 .given = atomic_load(&m->tasks_given),
					 .left = m->tasks_left +
						 range_left(atomic_load(&m->range)) };
	}
	return balance_check_all(b, t->threads, NULL, &name, complete, e);
}

/* Reports the outcome. Then the last state is written and kept. */
static int report(const struct task_team_search *k, struct task_team *t, struct search_outcome *o,
		  struct err *e)
{
	struct checkpoint c = { .count = 0 };
	bool kept = checkpoint_is_kept(t->request->checkpoint);
	int status = kept ? k->state(t, &c, e) : 0, ended;

	if (status)
		return status;
	status = k->report(t, o, e);
	if (kept && (!status || status == ERR_LIMIT)) {
		ended = checkpoint_end(&c, t->request, e);
		status = ended ? ended : status;
	}
	checkpoint_free(&c);
	return status;
}

/* Runs a search that has been allocated, with its team, and reports its outcome. */
static int search_made(const struct task_team_search *k, struct task_team *t, double begin,
		       struct search_outcome *o, struct err *e)
{
	int status;

	o->seconds_setup = clock_wall() - begin;
	status = task_saver_run(t, k->work, t, k->state, e);
	o->seconds_search = clock_wall() - begin - o->seconds_setup;
	return status ? status : report(k, t, o, e);
}

int task_team_search(const struct task_team_search *k, const struct search_request *r,
		     struct search_outcome *o, struct err *e)
{
	double begin = clock_wall();
	struct task_team *t;
	int status;

	*o = (struct search_outcome){ .best = r->ub };
	if (r->checkpoint && !k->state)
		return err_set(e, ERR_UNSUPPORTED, "this search does not support checkpoints");
	t = calloc(1, k->size);
	if (!t)
		return err_set(e, ERR_MEMORY, "no memory for the search");
	status = task_team_create(t, r, e);
	if (!status) {
		status = k->make(t, r, e);
		if (!status)
			status = search_made(k, t, begin, o, e);
		k->release(t);
	}
	task_team_destroy(t);
	free(t);
	o->seconds_total = clock_wall() - begin;
	return status;
}
