/* What the main thread does while the workers search. */
#include <time.h>

#include "harness/base/clock.h"
#include "algorithms/gmys-ivm/team.h"

enum { WATCH_MS = 2 };
#define WATCH_WRITE_SHARE                                                                          \
	20 /* a checkpoint that took s seconds is followed by 20 s without one                     \
	    */

struct watch {
	struct team *team;
	const struct checkpoint_plan *plan; /* NULL: nothing is written */
	double next;                        /* checkpoint; clock_wall */
	bool cutting;
};

static double period(const struct checkpoint_plan *p)
{
	return p->period > 0 ? p->period : CHECKPOINT_PERIOD;
}

/* A complete cut; false: not yet, or there is none any more. */
static bool gather(struct team *t, struct deposit *sum)
{
	bool whole;

	pthread_mutex_lock(&t->gathering);
	whole = !team_over(t) && cut_complete(t) && cut_gather(t, sum, NULL) == 0;
	pthread_mutex_unlock(&t->gathering);
	return whole;
}

/* The workers go on while a file is written. A file that cannot be written now may be the next
 * time: a long search does not end for it. */
static void checkpoints(struct watch *w)
{
	double now = clock_wall(), took;
	struct deposit sum;
	int status;

	if (!w->cutting && now >= w->next) {
		w->cutting = cut_start(w->team, NULL) == 0;
		w->next = now + period(w->plan);
	}
	if (!w->cutting || !gather(w->team, &sum))
		return;
	w->cutting = false;
	now = clock_wall();
	status = team_write(w->team, &sum, &w->team->unbalanced_error);
	took = clock_wall() - now;
	if (w->next < now + WATCH_WRITE_SHARE * took)
		w->next = now + WATCH_WRITE_SHARE * took;
	if (status == ERR_FAILED) { /* a part of the tree was lost */
		w->team->unbalanced = status;
		team_stop(w->team);
	}
}

static void wait_some_time(struct team *t)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += WATCH_MS * 1000000L;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_cond_timedwait(&t->changed, &t->lock, &until);
}

static const struct checkpoint_plan *plan_of(const struct team *t)
{
	const struct checkpoint_plan *p = t->request->common.checkpoint;

	return p && p->write ? p : NULL;
}

void team_watch(struct team *t)
{
	struct watch w = { .team = t, .plan = plan_of(t) };

	w.next = w.plan ? clock_wall() + period(w.plan) : 0;
	pthread_mutex_lock(&t->lock);
	while (t->running > 0) {
		wait_some_time(t);
		pthread_mutex_unlock(&t->lock);
		if (!team_over(t) && interrupt_due(&t->interrupt))
			team_stop(t);
		if (w.plan && !team_over(t))
			checkpoints(&w);
		pthread_mutex_lock(&t->lock);
	}
	pthread_mutex_unlock(&t->lock);
}

int team_checkpoint(struct team *t, struct err *e)
{
	struct deposit sum;
	int status;

	if (!plan_of(t))
		return 0;
	status = cut_start(t, e);
	if (status)
		return status;
	cut_complete(t);
	status = cut_gather(t, &sum, e);
	return status ? status : team_write(t, &sum, e);
}
