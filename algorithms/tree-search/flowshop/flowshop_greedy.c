/* Iterated greedy: Ruiz, Stuetzle, "A simple and effective iterated greedy algorithm for the
 * permutation flowshop scheduling problem", EJOR 177 (2007); IG_RS with local search, d = 4, T =
 * 0.4. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/rng.h"
#include "algorithms/tree-search/flowshop/flowshop_insertion.h"

enum { REMOVED = 4 };

struct greedy {
	struct insertion places;
	struct rng rng;
	double temperature, deadline;
	int64_t target;
	const volatile sig_atomic_t *stop;
	int now[FLOWSHOP_MAX_JOBS], next[FLOWSHOP_MAX_JOBS], best[FLOWSHOP_MAX_JOBS];
	int32_t now_makespan, best_makespan;
};

static bool ended(const struct greedy *g)
{
	return g->best_makespan <= g->target || (g->stop && *g->stop) ||
	       clock_wall() >= g->deadline;
}

/* 0.4 times a tenth of the mean time. */
static double temperature_of(const struct insertion *s)
{
	int count = s->jobs * s->machines;
	double sum = 0;

	for (int i = 0; i < count; i++)
		sum += s->time[i];
	return 0.4 * sum / count / 10;
}

/* Takes REMOVED random jobs out of g->next and puts each back at its best place. */
static int32_t destroy_and_rebuild(struct greedy *g)
{
	int n = g->places.jobs, count = n, removed[REMOVED], place;
	int32_t makespan = g->now_makespan;

	for (int i = 0; i < REMOVED && count > 1; i++, count--)
		removed[i] =
			insertion_take(g->next, count, (int)rng_below(&g->rng, (uint64_t)count));
	for (int i = 0; count < n; i++, count++) {
		makespan = insertion_best(&g->places, g->next, count, removed[i], &place);
		insertion_put(g->next, count, place, removed[i]);
	}
	return makespan;
}

static void shuffle(struct rng *rng, int *jobs, int n)
{
	for (int i = n - 1; i > 0; i--) {
		int j = (int)rng_below(rng, (uint64_t)i + 1), t = jobs[i];

		jobs[i] = jobs[j];
		jobs[j] = t;
	}
}

static int place_of(const int *order, int job)
{
	int i = 0;

	while (order[i] != job)
		i++;
	return i;
}

/* Moves single jobs of g->next, in random order, as long as a whole round finds a better place. */
static int32_t improve(struct greedy *g, int32_t makespan)
{
	int n = g->places.jobs, jobs[FLOWSHOP_MAX_JOBS];
	bool better = true;

	memcpy(jobs, g->next, (size_t)n * sizeof(*jobs));
	while (better) {
		better = false;
		shuffle(&g->rng, jobs, n);
		for (int i = 0; i < n && !ended(g); i++) {
			int from = place_of(g->next, jobs[i]), to;
			int32_t x;

			insertion_take(g->next, n, from);
			x = insertion_best(&g->places, g->next, n - 1, jobs[i], &to);
			insertion_put(g->next, n - 1, x < makespan ? to : from, jobs[i]);
			better |= x < makespan;
			makespan = x < makespan ? x : makespan;
		}
	}
	return makespan;
}

/* g->next becomes g->now where it is as good, or by chance; the best is kept. */
static void accept(struct greedy *g, int32_t makespan)
{
	size_t bytes = (size_t)g->places.jobs * sizeof(*g->now);
	double worse = (double)makespan - g->now_makespan;

	if (worse > 0 && rng_unit(&g->rng) > exp(-worse / g->temperature))
		return;
	memcpy(g->now, g->next, bytes);
	g->now_makespan = makespan;
	if (makespan < g->best_makespan) {
		memcpy(g->best, g->next, bytes);
		g->best_makespan = makespan;
	}
}

static void search(struct greedy *g)
{
	size_t bytes = (size_t)g->places.jobs * sizeof(*g->now);

	memcpy(g->next, g->now, bytes);
	if (!ended(g))
		accept(g, improve(g, g->now_makespan));
	while (!ended(g)) {
		memcpy(g->next, g->now, bytes);
		accept(g, improve(g, destroy_and_rebuild(g)));
	}
}

int64_t fsp_iterated_greedy(const struct flowshop *f, int64_t *order, double seconds,
			    int64_t target, uint64_t seed, const volatile sig_atomic_t *stop,
			    struct err *e)
{
	struct greedy g = { .rng = rng_seeded(seed),
			    .target = target,
			    .stop = stop,
			    .deadline = clock_wall() + seconds };
	int status;

	if (flowshop_makespan(f, order) < 0)
		return err_set(e, ERR_USAGE, "%s: the order to improve is no permutation", f->name);
	if ((status = insertion_make(&g.places, f, e)))
		return status;
	for (int i = 0; i < f->jobs; i++)
		g.now[i] = g.best[i] = (int)order[i];
	g.temperature = temperature_of(&g.places);
	g.now_makespan = g.best_makespan = insertion_makespan(&g.places, g.now, f->jobs);
	search(&g);
	for (int i = 0; i < f->jobs; i++)
		order[i] = g.best[i];
	insertion_free(&g.places);
	return g.best_makespan;
}
