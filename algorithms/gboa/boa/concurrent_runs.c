#include "algorithms/gboa/boa/concurrent_runs.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "harness/base/clock.h"

struct group {
	struct boa_group_setup view;
	void *own;
	struct boa_times times;
	int status;
	struct err error;
};

struct runs {
	const struct boa_group_type *type;
	const struct boa_setup *setup;
	struct boa_run *runs;
	struct group *group;
	int groups;
	pthread_mutex_t watch_lock;
	struct boa_limit limit;
	atomic_bool ended; /* a run has reached a limit or failed */
};

static int open_group(struct runs *c, struct group *g, int threads, struct err *e)
{
	int status;

	g->view = (struct boa_group_setup){ .setup = c->setup, .watch_lock = &c->watch_lock };
	status = team_create(&g->view.team, threads, e);
	return status ? status : c->type->open(&g->view, &g->own, e);
}

static void close_groups(struct runs *c)
{
	for (int i = 0; i < c->groups; i++) {
		c->type->close(c->group[i].own);
		team_destroy(c->group[i].view.team);
	}
	pthread_mutex_destroy(&c->watch_lock);
	free(c->group);
}

static int open_groups(struct runs *c, int count, struct err *e)
{
	int threads = c->setup->variant == SOLVE_SERIAL ? 1 : c->setup->threads, status = 0;

	c->groups = count < threads ? count : threads;
	c->group = calloc((size_t)c->groups, sizeof(*c->group));
	pthread_mutex_init(&c->watch_lock, NULL);
	if (!c->group) {
		c->groups = 0;
		status = err_set(e, ERR_MEMORY, "no memory for %d concurrent runs", count);
	}
	for (int i = 0; !status && i < c->groups; i++)
		status = open_group(c, &c->group[i],
				    threads / c->groups + (i < threads % c->groups), e);
	return status;
}

static void do_runs(void *context, uint64_t from, uint64_t to, int thread)
{
	struct runs *c = context;
	struct group *g = &c->group[thread];

	for (uint64_t r = from; r < to; r++) {
		struct err e = { 0 };

		if (atomic_load(&c->ended)) {
			boa_not_begun(c->setup->landscape, &c->runs[r]);
			continue;
		}
		int status = c->type->run(g->own, &c->limit, &c->runs[r], (int)r, &g->times, &e);

		if (status && !g->status) {
			g->status = status;
			g->error = e;
		}
		if (status)
			atomic_store(&c->ended, true);
	}
}

static int result(const struct runs *c, struct err *e)
{
	int status = 0;

	for (int i = 0; i < c->groups; i++)
		status = err_merge(status, c->group[i].status, &c->group[i].error, e);
	return status;
}

int boa_concurrent_runs(const struct boa_group_type *type, const struct boa_setup *s,
			struct boa_run *runs, int count, struct boa_times *times, struct err *e)
{
	double begin = clock_wall();
	struct runs c = { .type = type, .setup = s, .runs = runs };
	struct team *outer = NULL;
	int status = open_groups(&c, count, e);

	if (!status)
		status = team_create(&outer, c.groups, e);
	times->set_up = clock_wall() - begin;
	if (!status) {
		begin = clock_wall();
		c.limit = boa_limit_from(s, begin);
		team_for(outer, (uint64_t)count, 1, do_runs, &c);
		times->total = clock_wall() - begin;
		for (int i = 0; i < c.groups; i++)
			boa_times_add(times, &c.group[i].times);
		status = result(&c, e);
	}
	team_destroy(outer);
	close_groups(&c);
	return status;
}
