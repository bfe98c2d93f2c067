/* A search's intervals from its origin to the workers, and to a file. */
#include <string.h>

#include "algorithms/gmys-ivm/team.h"

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

	memcpy(interval, t->origin.interval, 2 * bytes);
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

static int begin_with(struct team *t, struct err *e)
{
	const struct ivm_origin *o = &t->origin;

	if (interval_list_add(&t->bag.list, o->interval, o->count))
		return 0;
	return err_set(e, ERR_MEMORY, "no memory for %llu intervals", (unsigned long long)o->count);
}

int team_begin(struct team *t, struct err *e)
{
	const struct checkpoint_plan *plan = t->request->common.checkpoint;
	const struct interval_list all = { .n = t->problem.n,
					   .count = t->origin.count,
					   .digits = t->origin.interval };
	uint64_t length = interval_list_length(&all);
	int status = plan && plan->resume ? begin_with(t, e) : begin_at_root(t, e);

	ivm_origin_taken(&t->origin);
	t->bag.count = t->bag.list.count;
	t->bag.initial = length;
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

int team_write(struct team *t, struct deposit *sum, struct err *e)
{
	int status = team_check_cut(t, sum, e);

	best_tell(&t->best, &t->origin);
	if (!status)
		status = ivm_origin_write(&t->origin, &t->request->common, sum->counts,
					  sum->list.digits, sum->list.count, e);
	interval_list_close(&sum->list);
	return status;
}
