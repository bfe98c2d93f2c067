/* Work stealing (section 3.1.2) and the wait for the end (3.1.3). A thief tries the threads of its
 * own locale in random order, then the other locales in random order, the threads of each in random
 * order. It takes half of the pool of the first victim that holds 2m nodes or more, from the
 * front. */
#include <sched.h>

#include "algorithms/helbecque-pool/published_run.h"
#include "algorithms/helbecque-pool/victims.h"

static bool steal_from(struct published_worker *w, int victim)
{
	size_t taken = node_pool_steal(&w->pool, &w->run->worker[victim].pool, 2 * w->m);

	w->steals_tried++;
	w->steals_done += taken > 0;
	w->nodes_stolen += taken;
	return taken > 0;
}

static bool steal_in(struct published_worker *w, int locale)
{
	int order[SEARCH_WORKERS_MAX], per = w->run->termination.per_locale;
	int thief = w->id - locale * per; /* out of range in another's locale */
	int n = victims_permute(&w->rng, thief, per, order);

	for (int i = 0; i < n; i++) {
		if (steal_from(w, locale * per + order[i]))
			return true;
	}
	return false;
}

static bool steal(struct published_worker *w)
{
	const struct termination *t = &w->run->termination;
	int order[SEARCH_WORKERS_MAX], own = w->id / t->per_locale, n;

	if (steal_in(w, own))
		return true;
	n = victims_permute(&w->rng, own, t->locales, order);
	for (int i = 0; i < n; i++) {
		if (steal_in(w, order[i]))
			return true;
	}
	return false;
}

static bool somebody_is_rich(struct published_worker *w)
{
	for (int i = 0; i < w->run->workers; i++) {
		if (i != w->id && node_pool_size(&w->run->worker[i].pool) >= 2 * w->m)
			return true;
	}
	return false;
}

bool published_acquire(struct published_worker *w, int *status)
{
	struct termination *t = &w->run->termination;

	if (w->run->request->no_stealing)
		return false;
	while (!steal(w)) {
		termination_idle(t, w->id);
		while (!somebody_is_rich(w)) {
			*status = published_check(w->run, &w->error);
			if (*status || termination_reached(t, w->id))
				return false;
			sched_yield();
		}
		termination_wake(t, w->id);
	}
	return true;
}
