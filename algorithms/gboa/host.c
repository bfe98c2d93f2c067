/* Runs on the host: serial, one after the other and step by step; cpu, as many at the same time as
 * there are threads, and the threads left over within a run. */
#include <stdatomic.h>
#include <stdlib.h>

#include "../../harness/clock.h"
#include "../../harness/workers.h"
#include "host_run.h"
#include "learn.h"

/* Some threads that do one run at a time. */
struct group {
	struct boa_host host;
	struct boa_learner *learner;
	struct workers *workers;
	int status;
	struct err error;
};

struct crowd {
	const struct boa_setup *setup;
	struct boa_run *runs;
	struct group *group;
	int groups;
	pthread_mutex_t watching;
	double deadline;
	atomic_bool limit;
};

static int learn(void *context, const struct boa_data *d, struct boa_network *b,
		 struct boa_times *t, struct err *e)
{
	struct group *g = context;
	double begin = clock_wall();
	int status = boa_learn(g->learner, d, b, e);

	t->learn += clock_wall() - begin;
	return status;
}

static int open_group(struct crowd *c, struct group *g, int threads, struct err *e)
{
	const struct boa_setup *s = c->setup;
	bool plain = s->variant == SOLVE_SERIAL;
	int status = workers_create(&g->workers, threads, e);

	g->host = (struct boa_host){ .setup = s, .plain = plain, .workers = g->workers,
				     .learn = learn, .context = g, .watching = &c->watching };
	if (!status)
		status = boa_host_create(&g->host, e);
	if (!status)
		status = boa_learner_create(&g->learner, s->landscape->n, s->options->selected,
					    s->options, plain, g->workers, e);
	return status;
}

static void close_groups(struct crowd *c)
{
	for (int i = 0; i < c->groups; i++) {
		boa_learner_destroy(c->group[i].learner);
		boa_host_destroy(&c->group[i].host);
		workers_destroy(c->group[i].workers);
	}
	pthread_mutex_destroy(&c->watching);
	free(c->group);
}

static int open_groups(struct crowd *c, int count, struct err *e)
{
	int threads = c->setup->variant == SOLVE_SERIAL ? 1 : c->setup->threads, status = 0;

	c->groups = count < threads ? count : threads;
	c->group = calloc((size_t)c->groups, sizeof(*c->group));
	pthread_mutex_init(&c->watching, NULL);
	if (!c->group) {
		c->groups = 0;
		status = err_set(e, ERR_MEMORY, "no memory for %d runs at the same time", count);
	}
	for (int i = 0; !status && i < c->groups; i++)
		status = open_group(c, &c->group[i],
				    threads / c->groups + (i < threads % c->groups), e);
	return status;
}

static void do_runs(void *context, uint64_t from, uint64_t to, int thread)
{
	struct crowd *c = context;
	struct group *g = &c->group[thread];

	for (uint64_t r = from; r < to; r++) {
		struct err e = { 0 };

		if (atomic_load(&c->limit)) {
			boa_host_skip(&g->host, &c->runs[r]);
			continue;
		}
		int status = boa_host_run(&g->host, &c->runs[r], (int)r, &e);

		if (status && !g->status) {
			g->status = status;
			g->error = e;
		}
		if (status)
			atomic_store(&c->limit, true);
	}
}

static void add_times(struct boa_times *sum, const struct boa_times *t)
{
	sum->select += t->select;
	sum->learn += t->learn;
	sum->sample += t->sample;
	sum->evaluate += t->evaluate;
}

/* What went wrong counts more than a limit. */
static int result(const struct crowd *c, struct err *e)
{
	const struct group *worst = NULL;

	for (int i = 0; i < c->groups; i++)
		if (c->group[i].status &&
		    (!worst || (worst->status == ERR_LIMIT && c->group[i].status != ERR_LIMIT)))
			worst = &c->group[i];
	return worst ? err_set(e, worst->status, "%s", worst->error.text) : 0;
}

int boa_host_runs(const struct boa_setup *s, struct boa_run *runs, int count,
		  struct boa_times *times, struct err *e)
{
	double begin = clock_wall();
	struct crowd c = { .setup = s, .runs = runs };
	struct workers *outer = NULL;

	if (s->options->model == BOA_SEARCHED && s->variant != SOLVE_SERIAL)
		return err_set(e, ERR_UNSUPPORTED,
			       "sBOA is sequential: it runs as --variant serial alone");
	int status = open_groups(&c, count, e);

	if (!status)
		status = workers_create(&outer, c.groups, e);
	times->set_up = clock_wall() - begin;
	if (!status) {
		begin = clock_wall();
		c.deadline = s->time_limit > 0 ? begin + s->time_limit : 0;
		for (int i = 0; i < c.groups; i++)
			c.group[i].host.deadline = c.deadline;
		workers_run(outer, (uint64_t)count, 1, do_runs, &c);
		times->total = clock_wall() - begin;
		for (int i = 0; i < c.groups; i++)
			add_times(times, &c.group[i].host.times);
		status = result(&c, e);
	}
	workers_destroy(outer);
	close_groups(&c);
	return status;
}
