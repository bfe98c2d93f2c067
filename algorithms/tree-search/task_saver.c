/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/task_saver.h"

#include <math.h>

#include "algorithms/tree-search/checkpoint.h"
#include "harness/base/clock.h"

/* The largest share of the time that pauses may take. */
static const double MOST_PAUSED = 0.01;

struct saver {
	struct task_team *team;
	void *search;
	int (*state)(void *search, struct checkpoint *c, struct err *e);
	double next; /* time of the next checkpoint; clock_wall */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool ends;  /* protected by the lock */
	int status; /* of the thread */
	struct err error;
};

static void write_one(struct saver *s)
{
	const struct search_request *r = s->team->request;
	struct checkpoint c = { .count = 0 };
	double begin = clock_wall(), paused;
	struct err e = { 0 };
	int status;

	if (!task_team_hold(s->team))
		return;
	status = s->state(s->search, &c, &e);
	task_team_release(s->team);
	paused = clock_wall() - begin;
	status = status ? checkpoint_missed(r, status, &e) : checkpoint_store(&c, r, &e);
	checkpoint_free(&c);
	if (status) {
		s->status = err_set(&s->error, status, "%s", e.text);
		atomic_store(&s->team->stopped, true);
	}
	s->next = clock_wall() + fmax(checkpoint_period(r->checkpoint), paused / MOST_PAUSED);
}

/* Waits until the next checkpoint is due. Returns false if the search has ended. */
static bool wait_for_next(struct saver *s)
{
	double left;
	bool goes_on;

	pthread_mutex_lock(&s->lock);
	while (!s->ends && (left = s->next - clock_wall()) > 0)
		clock_cond_wait(&s->changed, &s->lock, fmin(left, 3600));
	goes_on = !s->ends;
	pthread_mutex_unlock(&s->lock);
	return goes_on;
}

static void *save(void *argument)
{
	struct saver *s = argument;

	while (wait_for_next(s))
		write_one(s);
	return NULL;
}

static void end(struct saver *s)
{
	pthread_mutex_lock(&s->lock);
	s->ends = true;
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
}

int task_saver_run(struct task_team *t, void (*work)(struct task_member *m), void *search,
		   int (*state)(void *search, struct checkpoint *c, struct err *e), struct err *e)
{
	const struct checkpoint_plan *plan = t->request->checkpoint;
	struct saver s = { .team = t, .search = search, .state = state };
	int status = 0;

	if (!plan || !plan->write) {
		task_team_run(t, work, search);
		return 0;
	}
	s.next = clock_wall() + checkpoint_period(plan);
	t->begun_work = false;
	pthread_mutex_init(&s.lock, NULL);
	clock_cond_init(&s.changed);
	if (pthread_create(&s.thread, NULL, save, &s)) {
		status = err_set(e, ERR_FAILED, "cannot start a thread for checkpoints");
	} else {
		task_team_run(t, work, search);
		end(&s);
		if (s.status)
			status = err_set(e, s.status, "%s", s.error.text);
	}
	pthread_cond_destroy(&s.changed);
	pthread_mutex_destroy(&s.lock);
	return status;
}
