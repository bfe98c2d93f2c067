/* All devices of the search by sets: a host thread drives each; one that has nothing left waits
 * until another gives it half of its open nodes, at the end of a launch. */
#include <stdio.h>

#include "harness/base/team.h"
#include "algorithms/tree-search/by-set/sets_search.h"

struct worker {
	struct sets_team *team;
	int self;
};

static void fail(struct sets_team *t, int status, const struct err *e)
{
	if (!t->status) {
		t->status = status;
		t->error = *e;
	}
	t->end = true;
	pthread_cond_broadcast(&t->change);
}

/* With the lock held: feeds one device that waits; its thread sleeps, so both are ours. */
static void feed(struct sets_team *t, int self)
{
	struct err e = { 0 };
	uint32_t nodes = 0;
	int to = 0, rc;

	while (!t->is_waiting[to])
		to++;
	t->steals_tried++;
	rc = sets_device_give(&t->device[self], &t->device[to], &nodes, &e);
	if (rc) {
		fail(t, rc, &e);
	} else if (nodes) {
		t->steals_done++;
		t->nodes_stolen += nodes;
		t->is_waiting[to] = false;
		t->waiting--;
		pthread_cond_broadcast(&t->change);
	}
}

/* With the lock held: has this device work now? */
static bool wait_for_nodes(struct sets_team *t, int self)
{
	if (!sets_device_idle(&t->device[self]))
		return !t->end;
	t->is_waiting[self] = true;
	if (++t->waiting == t->count || t->request->no_stealing) {
		t->end = t->end || t->waiting == t->count;
		pthread_cond_broadcast(&t->change);
	}
	while (t->is_waiting[self] && !t->end)
		pthread_cond_wait(&t->change, &t->lock);
	return !t->end;
}

static void work(void *of)
{
	struct worker *w = of;
	struct sets_team *t = w->team;
	struct sets_device *d = &t->device[w->self];
	struct err e = { 0 };
	int rc;

	pthread_mutex_lock(&t->lock);
	while (wait_for_nodes(t, w->self)) {
		int64_t ub = t->request->private_incumbent ? d->state->control.ub : t->ub;

		pthread_mutex_unlock(&t->lock);
		rc = sets_device_run(d, ub, &e);
		pthread_mutex_lock(&t->lock);
		if (rc) {
			fail(t, rc, &e);
			break;
		}
		t->ub = d->state->control.ub < t->ub ? d->state->control.ub : t->ub;
		if (!sets_device_idle(d) && interrupt_due(&t->interrupt)) {
			t->end = t->limit = true;
			pthread_cond_broadcast(&t->change);
		} else if (!sets_device_idle(d) && t->waiting && !t->request->no_stealing) {
			feed(t, w->self);
		}
	}
	pthread_mutex_unlock(&t->lock);
}

int sets_team_run(struct sets_team *t, struct err *e)
{
	struct worker w[DEV_MAX];
	int status;

	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->change, NULL);
	for (int i = 0; i < t->count; i++)
		w[i] = (struct worker){ .team = t, .self = i };
	status = team_run_all(work, w, sizeof(*w), t->count, e);
	pthread_cond_destroy(&t->change);
	pthread_mutex_destroy(&t->lock);
	if (status)
		return status;
	if (t->status && e)
		*e = t->error;
	if (t->status)
		return t->status;
	return t->limit ? interrupt_status(&t->interrupt, e) : 0;
}
