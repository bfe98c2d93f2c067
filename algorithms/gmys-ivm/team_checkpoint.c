/* A search's intervals from the root or a file, and to a file. */
#include <stdlib.h>
#include <string.h>

#include "../../harness/clock.h"
#include "../problems/checkpoint_key.h"
#include "ivm_cover.h"
#include "team.h"

static void key_of(const struct team *t, struct checkpoint_key *key)
{
	const struct search_request *r = &t->request->common;
	int64_t first_ub = t->problem.kind == IVM_FLOWSHOP ? t->problem.first_ub :
			   t->problem.kind == IVM_ATSP	   ? r->ub :
							     0;

	checkpoint_key_of(r, first_ub, key);
}

/* ---- the beginning ---- */

static int put(struct team *t, const uint16_t *interval, struct err *e)
{
	if (interval_list_add(&t->bag.list, interval, 1))
		return 0;
	return err_set(e, ERR_MEMORY, "no memory for an interval");
}

/* The whole tree; without stealing in equal parts, one a worker. */
static int begin_at_root(struct team *t, struct err *e)
{
	uint16_t interval[2 * CHECKPOINT_MAX_ITEMS], middle[CHECKPOINT_MAX_ITEMS];
	uint16_t rest[CHECKPOINT_MAX_ITEMS];
	int n = t->problem.n, parts = t->request->common.no_stealing ? t->workers : 1;
	size_t bytes = (size_t)n * sizeof(*rest);
	int status = 0;

	ivm_problem_interval(&t->problem, interval, interval + n);
	for (; parts > 1 && !status; parts--) {
		memcpy(rest, interval + n, bytes);
		if (!factoradic_split(interval, rest, n, 1, parts, interval + n, middle))
			break;
		status = put(t, interval, e);
		memcpy(interval, middle, bytes);
		memcpy(interval + n, rest, bytes);
	}
	return status ? status : put(t, interval, e);
}

static int take_over(struct team *t, const struct checkpoint *c, const char *path, struct err *e)
{
	if (!interval_list_add(&t->bag.list, c->work, c->count))
		return err_set(e, ERR_MEMORY, "%s: no memory for %llu intervals", path,
			       (unsigned long long)c->count);
	if (c->order && t->problem.kind != IVM_QUEENS) {
		uint16_t order[CHECKPOINT_MAX_ITEMS];

		for (int i = 0; i < t->problem.n; i++)
			order[i] = (uint16_t)c->order[i];
		best_offer(&t->best, (int32_t)c->best, order, t->problem.n);
	} else if (t->problem.kind != IVM_QUEENS && c->best < best_value(&t->best)) {
		/* what was cut off then is not open: to search from more would prove too much */
		t->best.known = false;
		atomic_store(&t->best.value, (int32_t)c->best);
	}
	t->bag.deposit.counts = (struct ivm_counts){ c->decomposed, c->leaves, c->solutions };
	t->seconds_before = c->seconds;
	return 0;
}

int team_begin(struct team *t, struct err *e)
{
	const struct checkpoint_plan *plan = t->request->common.checkpoint;
	struct checkpoint c;
	int status;

	if (plan && plan->resume) {
		struct checkpoint_key key;

		key_of(t, &key);
		status = ivm_cover_read(&c, plan->resume, &key, &t->problem, CHECKPOINT_INTERVALS,
					e);
		if (status)
			return status;
		status = take_over(t, &c, plan->resume, e);
		checkpoint_free(&c);
	} else {
		status = begin_at_root(t, e);
	}
	t->bag.count = t->bag.list.count;
	t->work = (int)t->bag.list.count;
	return status;
}

static uint64_t part_of(const struct team *t, int worker)
{
	const struct team_setup *s = t->setup;
	uint64_t there = t->bag.list.count, hosts = t->farmer ? 0 : (uint64_t)s->hosts, ivms;

	if (worker >= s->devices)
		return hosts && there > 0;
	if (there <= (uint64_t)s->devices - (uint64_t)worker + hosts)
		return there > 0;
	ivms = (uint64_t)s->ops->ivms(t->worker[worker].own);
	there = (there - hosts) / (uint64_t)(s->devices - worker);
	return there < ivms ? there : ivms;
}

int team_deal(struct team *t, struct err *e)
{
	for (int i = 0; i < t->workers; i++) {
		struct worker *x = &t->worker[i];
		uint64_t part = part_of(t, i);

		if (interval_list_move(&x->received, &t->bag.list, part) < part)
			return err_set(e, ERR_MEMORY, "no memory for intervals");
		if (part) {
			atomic_store(&x->open, true);
			team_less_work(t, (int)part - 1);
		}
	}
	atomic_store(&t->bag.count, t->bag.list.count);
	return 0;
}

/* ---- the file ---- */

static int64_t *order_of(struct team *t)
{
	int64_t *order = malloc((size_t)t->problem.n * sizeof(*order));

	for (int i = 0; order && i < t->problem.n; i++)
		order[i] = t->best.order[i];
	return order;
}

static int write_sum(struct team *t, const struct deposit *sum, struct err *e)
{
	const char *path = t->request->common.checkpoint->write;
	struct checkpoint c = { .form = CHECKPOINT_INTERVALS,
				.solutions = sum->counts.solutions,
				.decomposed = sum->counts.decomposed,
				.leaves = sum->counts.leaves,
				.seconds = t->seconds_before + clock_wall() - t->begin,
				.count = sum->list.count,
				.work = sum->list.digits };
	bool known;

	key_of(t, &c.key);
	pthread_mutex_lock(&t->best.lock);
	c.best = t->problem.kind == IVM_QUEENS ? 0 : best_value(&t->best);
	known = t->best.known && t->problem.kind != IVM_QUEENS;
	if (known)
		c.order = order_of(t);
	pthread_mutex_unlock(&t->best.lock);
	int status = known && !c.order ? err_set(e, ERR_MEMORY, "no memory for a checkpoint") :
					 checkpoint_write(&c, path, e);

	free(c.order);
	return status;
}

int team_write(struct team *t, struct deposit *sum, struct err *e)
{
	int status = write_sum(t, sum, e);

	interval_list_close(&sum->list);
	return status;
}
