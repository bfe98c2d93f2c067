/* Runs on the host: serial step by step, cpu in words. */
#include <stdlib.h>

#include "harness/base/clock.h"
#include "algorithms/gboa/host_crowd.h"
#include "algorithms/gboa/host_run.h"
#include "algorithms/gboa/learn.h"

struct place {
	struct boa_host host;
	struct boa_learner *learner;
};

static int learn(void *context, const struct boa_data *d, struct boa_network *b,
		 struct boa_times *t, struct err *e)
{
	struct place *p = context;
	double begin = clock_wall();
	int status = boa_learn(p->learner, d, b, e);

	t->learn += clock_wall() - begin;
	return status;
}

static int open_place(const struct boa_group_view *v, void **group, struct err *e)
{
	const struct boa_setup *s = v->setup;
	bool plain = s->variant == SOLVE_SERIAL;
	struct place *p = *group = calloc(1, sizeof(*p));

	if (!p)
		return err_set(e, ERR_MEMORY, "no memory for a run");
	p->host = (struct boa_host){ .setup = s,
				     .plain = plain,
				     .workers = v->workers,
				     .learn = learn,
				     .context = p,
				     .watching = v->watching };
	int status = boa_host_create(&p->host, e);

	if (!status)
		status = boa_learner_create(&p->learner, s->landscape->n, s->options->selected,
					    s->options, plain, v->workers, e);
	if (!status)
		boa_learner_limit(p->learner, &p->host.limit);
	return status;
}

static void close_place(void *group)
{
	struct place *p = group;

	if (!p)
		return;
	boa_learner_destroy(p->learner);
	boa_host_destroy(&p->host);
	free(p);
}

static int run_here(void *group, const struct boa_limit *limit, struct boa_run *run, int number,
		    struct boa_times *times, struct err *e)
{
	struct place *p = group;

	p->host.limit = *limit;
	p->host.times = times;
	return boa_host_run(&p->host, run, number, e);
}

int boa_host_runs(const struct boa_setup *s, struct boa_run *runs, int count,
		  struct boa_times *times, struct err *e)
{
	static const struct boa_group_kind kind = { open_place, run_here, close_place };

	if (s->options->model == BOA_SEARCHED && s->variant != SOLVE_SERIAL)
		return err_set(e, ERR_USAGE,
			       "sBOA is sequential: it runs as --variant serial alone");
	return boa_crowd_runs(&kind, s, runs, count, times, e);
}
