/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gboa/boa/host.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/gboa/boa/engines.h"
#include "algorithms/gboa/boa/learn.h"
#include "algorithms/gboa/boa/steps.h"
#include "harness/base/clock.h"
#include "harness/base/host.h"

/* ==== concurrent runs ==== */

struct slot {
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
	struct slot *group;
	int groups;
	pthread_mutex_t watch_lock;
	struct boa_limit limit;
	atomic_bool ended; /* a run has reached a limit or failed */
};

static int open_slot(struct runs *c, struct slot *g, int threads, struct err *e)
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
		status = open_slot(c, &c->group[i], threads / c->groups + (i < threads % c->groups),
				   e);
	return status;
}

static void do_runs(void *context, uint64_t from, uint64_t to, int thread)
{
	struct runs *c = context;
	struct slot *g = &c->group[thread];

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

/* ==== a run by the steps of BOA ==== */

/* Memory for runs that follow one another. */
struct host {
	/* Set by the caller: */
	const struct boa_setup *setup;
	bool plain;        /* as in steps.h */
	struct team *team; /* used unless `plain`; may be NULL */
	boa_learn_step *learn;
	void *context; /* of learn */
	struct boa_limit limit;
	pthread_mutex_t *watch_lock; /* held while the setup's watch() is called; NULL if there are
					no concurrent runs */
	struct boa_times *times;     /* seconds of the steps are added here */

	/* Two populations: those of a generation and of the next one, in alternation. `selected` is
	 * NULL if the selected individuals stay in the population; they are then gathered into the
	 * next population. Rows are `stride` words apart, and the offspring part of each row begins
	 * on a cache line, so that threads do not write to the same line. */
	uint32_t *memory[2], *words[2], *selected;
	size_t stride;
	int32_t *fitness[2], *positions;
	struct boa_network network;
};

/* The state of a run. */
struct state {
	struct host *h;
	struct boa_run *run;
	int number;
	uint64_t seed;
	int now;    /* which of the two populations is the present one */
	bool ended; /* the selected are all alike */
};

enum { LINE_WORDS = 16 };

/* The number of words to leave free before a row, so that word `first` of the row begins a cache
 * line. */
static size_t lead_of(size_t first)
{
	return (LINE_WORDS - first % LINE_WORDS) % LINE_WORDS;
}

/* The stride of rows in words: an odd number of cache lines, so that columns spread over all sets
 * of the caches. */
static size_t stride_of(size_t words)
{
	return ((words + LINE_WORDS - 1) / LINE_WORDS | 1) * LINE_WORDS;
}

static bool make_population(struct host *h, int which, size_t lead)
{
	size_t n = (size_t)h->setup->landscape->n, bytes = n * h->stride * sizeof(uint32_t);
	size_t individuals = (size_t)h->setup->options->population;

	h->memory[which] = aligned_alloc(LINE_WORDS * sizeof(uint32_t), bytes);
	h->fitness[which] = malloc(individuals * sizeof(int32_t));
	if (!h->memory[which] || !h->fitness[which])
		return false;
	memset(h->memory[which], 0, bytes);
	h->words[which] = h->memory[which] + lead;
	return true;
}

static void host_destroy(struct host *h)
{
	for (int i = 0; i < 2; i++) {
		free(h->memory[i]);
		free(h->fitness[i]);
		h->memory[i] = NULL;
		h->fitness[i] = NULL;
	}
	free(h->selected);
	free(h->positions);
	h->selected = NULL;
	h->positions = NULL;
	boa_network_destroy(&h->network);
}

static int host_create(struct host *h, struct err *e)
{
	const struct boa_options *o = h->setup->options;
	size_t n = (size_t)h->setup->landscape->n;
	bool apart = o->replacement == BOA_REPLACE_ALL;
	size_t lead = apart ? 0 : lead_of(boa_words(o->selected));
	size_t selected = n * boa_words(o->selected) * sizeof(uint32_t);
	bool made = true;

	h->stride = stride_of(lead + boa_words(o->population));
	int status = host_memory_check(2.0 * (double)n * (double)h->stride * sizeof(uint32_t),
				       "a pair of populations", e);

	if (status)
		return status;
	for (int i = 0; i < 2; i++)
		made &= make_population(h, i, lead);
	made &= (h->positions = malloc((size_t)o->selected * sizeof(int32_t))) != NULL;
	if (apart)
		made &= (h->selected = malloc(selected)) != NULL;
	if (!made) {
		host_destroy(h);
		return err_set(e, ERR_MEMORY,
			       "no memory for populations of %d individuals of %zu bits",
			       o->population, n);
	}
	status = boa_network_create(&h->network, (int32_t)n, o->max_parents, e);

	if (status)
		host_destroy(h);
	return status;
}

/* Seconds since the last call. */
static double lap(double *from)
{
	double now = clock_wall(), passed = now - *from;

	*from = now;
	return passed;
}

/* Updates the best of the run; ties: the first individual. */
static void keep_best(struct state *s, const uint32_t *words, const int32_t *fitness, int32_t count)
{
	const struct landscape *l = s->h->setup->landscape;
	struct boa_run *run = s->run;
	int32_t best = 0;

	for (int32_t i = 1; i < count; i++)
		best = fitness[i] > fitness[best] ? i : best;
	if (fitness[best] <= run->best)
		return;
	struct boa_data d = { l->n, count, s->h->stride, words };

	run->best = fitness[best];
	run->optimum = l->optimum_known && run->best == l->optimum;
	for (int32_t v = 0; v < l->n; v++)
		run->bits[v] = (uint8_t)boa_bit(&d, v, best);
}

static void evaluate(struct state *s, const uint32_t *words, int32_t count, int32_t *fitness)
{
	struct host *h = s->h;
	double begin = clock_wall();

	boa_evaluate(h->setup->landscape, words, h->stride, count, fitness, h->plain, h->team);
	keep_best(s, words, fitness, count);
	h->times->evaluate += lap(&begin);
}

static void begin_run(struct state *s)
{
	const struct boa_options *o = s->h->setup->options;
	int32_t n = s->h->setup->landscape->n;
	double begin = clock_wall();

	boa_first_population(s->seed, n, o->population, s->h->stride, s->h->words[0]);
	s->h->times->sample += lap(&begin);
	evaluate(s, s->h->words[0], o->population, s->h->fitness[0]);
}

/* Gathers the selected individuals, either as the first individuals of the next population or into
 * separate memory. */
static struct boa_data select_best(struct state *s)
{
	struct host *h = s->h;
	const struct boa_options *o = h->setup->options;
	int32_t n = h->setup->landscape->n;
	struct boa_data from = { n, o->population, h->stride, h->words[s->now] };
	uint32_t *to = h->selected ? h->selected : h->words[!s->now];
	size_t stride = h->selected ? boa_words(o->selected) : h->stride;

	boa_select(h->fitness[s->now], o->population, o->selected, h->positions);
	boa_gather(&from, h->positions, o->selected, to, stride, h->plain, h->team);
	if (!h->selected)
		for (int32_t i = 0; i < o->selected; i++)
			h->fitness[!s->now][i] = h->fitness[s->now][h->positions[i]];
	return (struct boa_data){ n, o->selected, stride, to };
}

static int learn(struct state *s, const struct boa_data *selected, struct err *e)
{
	struct host *h = s->h;
	int status = 0;

	if (h->setup->options->model == BOA_PERMUTED)
		status = boa_permutation(s->seed, (uint32_t)s->run->generations, selected->n,
					 h->network.rank, e);
	if (!status)
		status = h->learn(h->context, selected, &h->network, h->times, e);
	for (int32_t v = 0; !status && v < selected->n; v++)
		s->run->edges += h->network.parent_count[v];
	return status;
}

static void watch(struct state *s, const struct boa_data *selected, const uint32_t *words,
		  const int32_t *fitness)
{
	const struct boa_setup *setup = s->h->setup;
	int32_t count = boa_offspring(setup->options);
	struct boa_data offspring = { selected->n, count, s->h->stride, words };
	struct boa_generation g = { s->number,      s->run->generations, selected,
				    &s->h->network, &offspring,          fitness,
				    s->run->best };

	if (!setup->watch)
		return;
	if (s->h->watch_lock)
		pthread_mutex_lock(s->h->watch_lock);
	setup->watch(setup->watch_context, &g);
	if (s->h->watch_lock)
		pthread_mutex_unlock(s->h->watch_lock);
}

/* Steps 2 to 7 of boa.h. */
static int generation(struct state *s, struct err *e)
{
	struct host *h = s->h;
	const struct boa_options *o = h->setup->options;
	int32_t first = h->selected ? 0 : o->selected, count = boa_offspring(o);
	uint32_t *offspring = h->words[!s->now] + first / 32;
	int32_t *fitness = h->fitness[!s->now] + first;
	double begin = clock_wall();
	struct boa_data selected = select_best(s);

	s->ended = o->stop_converged && boa_all_alike(&selected);
	h->times->select += lap(&begin);
	if (s->ended)
		return 0;
	int status = learn(s, &selected, e);

	begin = clock_wall();
	if (!status)
		status = boa_sample(&h->network, s->seed, (uint32_t)s->run->generations, count,
				    offspring, h->stride, h->plain, h->team, e);
	h->times->sample += lap(&begin);
	if (status)
		return status;
	evaluate(s, offspring, count, fitness);
	watch(s, &selected, offspring, fitness);
	s->run->generations++;
	s->now = !s->now;
	return 0;
}

static void copy_results(const struct state *s)
{
	const struct boa_options *o = s->h->setup->options;
	size_t row = boa_words(o->population);

	for (int32_t v = 0; s->run->words && v < s->h->setup->landscape->n; v++)
		memcpy(s->run->words + (size_t)v * row,
		       s->h->words[s->now] + (size_t)v * s->h->stride, row * sizeof(uint32_t));
	if (s->run->fitness)
		memcpy(s->run->fitness, s->h->fitness[s->now],
		       (size_t)o->population * sizeof(int32_t));
}

static int host_run(struct host *h, struct boa_run *run, int number, struct err *e)
{
	const struct boa_options *o = h->setup->options;
	struct state s = {
		.h = h, .run = run, .number = number, .seed = o->seed + (uint64_t)number
	};
	int status = 0;

	run->best = INT32_MIN;
	run->optimum = false;
	run->generations = 0;
	run->edges = 0;
	begin_run(&s);
	while (!status && !s.ended && run->generations < o->generations &&
	       !(o->stop_at_optimum && run->optimum)) {
		if (boa_limit_reached(&h->limit))
			status = err_set(e, ERR_LIMIT, "stopped after %d generations of run %d",
					 run->generations, number + 1);
		else
			status = generation(&s, e);
	}
	copy_results(&s);
	return status;
}

/* ---- published: runs in sequence ---- */

int boa_sequential_runs(const struct boa_setup *s, struct team *team, boa_learn_step *learn_network,
			void *context, struct boa_run *runs, int count, struct boa_times *times,
			struct err *e)
{
	double begin = clock_wall(), started;
	struct host h = { .setup = s,
			  .plain = !s->form.host_words,
			  .team = team,
			  .learn = learn_network,
			  .context = context,
			  .times = times };
	int status = host_create(&h, e);

	started = clock_wall();
	h.limit = boa_limit_from(s, started);
	for (int r = 0; !status && r < count; r++) {
		status = host_run(&h, &runs[r], r, e);
		for (int i = r + 1; status && i < count; i++)
			boa_not_begun(s->landscape, &runs[i]);
	}
	times->set_up += started - begin;
	times->total = clock_wall() - started;
	host_destroy(&h);
	return status;
}

/* ---- serial and cpu ---- */

struct group {
	struct host host;
	struct boa_learner *learner;
};

static int learn_here(void *context, const struct boa_data *d, struct boa_network *b,
		      struct boa_times *t, struct err *e)
{
	struct group *p = context;
	double begin = clock_wall();
	int status = boa_learn(p->learner, d, b, 0, d->n, &p->host.limit, e);

	t->learn += clock_wall() - begin;
	return status;
}

static int open_group(const struct boa_group_setup *v, void **group, struct err *e)
{
	const struct boa_setup *s = v->setup;
	bool plain = s->variant == SOLVE_SERIAL;
	struct group *p = *group = calloc(1, sizeof(*p));

	if (!p)
		return err_set(e, ERR_MEMORY, "no memory for a run");
	p->host = (struct host){ .setup = s,
				 .plain = plain,
				 .team = v->team,
				 .learn = learn_here,
				 .context = p,
				 .watch_lock = v->watch_lock };
	int status = host_create(&p->host, e);

	if (!status)
		status = boa_learner_create(&p->learner, s->landscape->n, s->options->selected,
					    s->options, plain, v->team, e);
	return status;
}

static void close_group(void *group)
{
	struct group *p = group;

	if (!p)
		return;
	boa_learner_destroy(p->learner);
	host_destroy(&p->host);
	free(p);
}

/* Makes the next run of the queue. Stopping it is no error: a device makes it. */
static int run_of_queue(struct host *h, const struct boa_host_queue *q, struct boa_run *runs,
			struct err *e)
{
	struct err own = { 0 };
	int number = q->take(q->context);
	int status = number < 0 ? ERR_LIMIT : host_run(h, &runs[number], number, &own);

	if (!status)
		q->finished(q->context, number);
	return !status || status == ERR_LIMIT ? 0 : err_set(e, status, "%s", own.text);
}

static int run_in_group(void *group, const struct boa_limit *limit, struct boa_run *run, int number,
			struct boa_times *times, struct err *e)
{
	struct group *p = group;
	const struct boa_host_queue *q = p->host.setup->queue;

	p->host.limit = *limit;
	p->host.times = times;
	return q ? run_of_queue(&p->host, q, run - number, e) : host_run(&p->host, run, number, e);
}

int boa_host_runs(const struct boa_setup *s, struct boa_run *runs, int count,
		  struct boa_times *times, struct err *e)
{
	static const struct boa_group_type type = { open_group, run_in_group, close_group };

	return boa_concurrent_runs(&type, s, runs, count, times, e);
}
