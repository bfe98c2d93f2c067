/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/gboa/boa_replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The expected run. */
struct replay {
	const struct landscape *landscape;
	const struct boa_options *options;
	uint64_t seed;
	int generations;
	uint32_t *words, *next; /* populations, rows of population / 32 words */
	int32_t *fitness, *next_fitness, *positions;
	int32_t best;
	uint8_t *best_bits;
	int64_t edges;
};

struct landscape replay_landscape(const char *problem, const char *instance)
{
	struct landscape l;
	struct err e = { 0 };

	if (landscape_load(&l, problem, instance, &e))
		fail_msg("%s", e.text);
	return l;
}

struct boa_options replay_options(int32_t population, int32_t selected, int32_t k,
				  int32_t generations)
{
	struct boa_options o;

	boa_defaults(&o);
	o.population = population;
	o.selected = selected;
	o.max_parents = k;
	o.generations = generations;
	return o;
}

struct kept_runs keep_runs(const struct boa_setup *s, int count)
{
	int32_t n = s->landscape->n, population = s->options->population;
	struct kept_runs k = { .count = count,
			       .population = population,
			       .words = (size_t)n * (size_t)population / 32 };

	k.run = calloc((size_t)count, sizeof(*k.run));
	for (int r = 0; r < count; r++) {
		k.run[r].bits = calloc((size_t)n, 1);
		k.run[r].words = calloc(k.words, sizeof(uint32_t));
		k.run[r].fitness = calloc((size_t)population, sizeof(int32_t));
	}
	k.status = boa_run(s, k.run, count, &k.times, &k.error);
	return k;
}

struct kept_runs keep_good_runs(const struct boa_setup *s, int count)
{
	struct kept_runs k = keep_runs(s, count);

	if (k.status)
		fail_msg("%s", k.error.text);
	assert_true(k.times.total > 0);
	return k;
}

void free_runs(struct kept_runs *k)
{
	for (int r = 0; r < k->count; r++) {
		free(k->run[r].bits);
		free(k->run[r].words);
		free(k->run[r].fitness);
	}
	free(k->run);
}

void assert_same_runs(const struct kept_runs *a, const struct kept_runs *b, int32_t n)
{
	assert_int_equal(a->count, b->count);
	for (int r = 0; r < a->count; r++) {
		const struct boa_run *x = &a->run[r], *y = &b->run[r];

		assert_int_equal(x->generations, y->generations);
		assert_int_equal(x->edges, y->edges);
		assert_int_equal(x->best, y->best);
		assert_int_equal(x->optimum, y->optimum);
		assert_memory_equal(x->bits, y->bits, (size_t)n);
		assert_memory_equal(x->words, y->words, a->words * sizeof(uint32_t));
		assert_memory_equal(x->fitness, y->fitness,
				    (size_t)a->population * sizeof(int32_t));
	}
}

static size_t replay_row(const struct replay *p)
{
	return (size_t)p->options->population / 32;
}

/* Evaluates individuals first .. first + count - 1 and keeps the first of the best. */
static void replay_evaluate(struct replay *p, const uint32_t *words, int32_t *fitness,
			    int32_t first, int32_t count)
{
	int32_t n = p->landscape->n;
	uint8_t *bits = malloc((size_t)n);

	for (int32_t i = first; i < first + count; i++) {
		for (int32_t v = 0; v < n; v++)
			bits[v] = (uint8_t)naive_bit(words, replay_row(p), v, i);
		fitness[i] = (int32_t)landscape_evaluate(p->landscape, bits);
		if (fitness[i] > p->best) {
			p->best = fitness[i];
			memcpy(p->best_bits, bits, (size_t)n);
		}
	}
	free(bits);
}

static void replay_put(struct replay *p, uint32_t *words, int32_t v, int32_t i, int bit)
{
	uint32_t *word = &words[(size_t)v * replay_row(p) + (size_t)i / 32];

	*word = (*word & ~(1u << i % 32)) | (uint32_t)bit << i % 32;
}

static struct replay replay_begin(const struct boa_setup *s, uint64_t seed)
{
	size_t n = (size_t)s->landscape->n, population = (size_t)s->options->population;
	struct replay p = {
		.landscape = s->landscape, .options = s->options, .seed = seed, .best = INT32_MIN
	};

	p.words = calloc(n * population / 32, sizeof(uint32_t));
	p.next = calloc(n * population / 32, sizeof(uint32_t));
	p.fitness = calloc(population, sizeof(int32_t));
	p.next_fitness = calloc(population, sizeof(int32_t));
	p.positions = calloc(population, sizeof(int32_t));
	p.best_bits = calloc(n, 1);
	for (int32_t v = 0; v < (int32_t)n; v++)
		for (int32_t i = 0; i < (int32_t)population; i++)
			replay_put(&p, p.words, v, i, naive_initial_bit(seed, v, i));
	replay_evaluate(&p, p.words, p.fitness, 0, (int32_t)population);
	return p;
}

static void replay_end(struct replay *p)
{
	free(p->words);
	free(p->next);
	free(p->fitness);
	free(p->next_fitness);
	free(p->positions);
	free(p->best_bits);
}

static struct sample replay_selected(struct replay *p)
{
	const struct boa_options *o = p->options;
	struct sample s = sample_of_zeros(p->landscape->n, o->selected);

	naive_select(p->fitness, o->population, o->selected, p->positions);
	for (int32_t i = 0; i < o->selected; i++)
		for (int32_t v = 0; v < s.n; v++)
			*sample_at(&s, i, v) =
				(uint8_t)naive_bit(p->words, replay_row(p), v, p->positions[i]);
	sample_pack(&s, 0);
	return s;
}

/* Learns the network of the selected individuals again. Thresholds are checked, not recomputed. */
static void replay_network(struct replay *p, const struct sample *s, const struct boa_network *b)
{
	int32_t *rank = malloc((size_t)s->n * sizeof(*rank));
	static struct naive_network naive;

	if (p->options->model == BOA_PERMUTED) {
		naive_ranks(p->seed, p->generations, s->n, rank);
		assert_memory_equal(b->rank, rank, (size_t)s->n * sizeof(*rank));
		naive_permuted(s, rank, b->k, &naive);
	} else {
		naive_searched(s, b->k, &naive);
	}
	check_order(b);
	check_parents(b, &naive);
	check_thresholds(s, b, p->options->smoothing);
	for (int32_t v = 0; v < s->n; v++)
		p->edges += b->parent_count[v];
	free(rank);
}

static void replay_sample(struct replay *p, const struct boa_network *b, int32_t first)
{
	for (int32_t r = 0; r < b->n; r++) {
		int32_t v = 0;

		while (b->rank[v] != r)
			v++;
		for (int32_t i = 0; i < boa_offspring(p->options); i++) {
			uint32_t a = naive_configuration(b, p->next, replay_row(p), v, first + i);
			uint32_t u = naive_number(p->seed, p->generations, v, i);

			replay_put(p, p->next, v, first + i,
				   u < b->thresholds[(v << b->k) + (int32_t)a]);
		}
	}
}

/* The callback watch() of the setup; its context is the replay. */
static void replay_generation(void *context, const struct boa_generation *g)
{
	struct replay *p = context;
	const struct boa_options *o = p->options;
	int32_t first = o->replacement == BOA_REPLACE_ALL ? 0 : o->selected;
	struct sample s = replay_selected(p);

	assert_int_equal(g->generation, p->generations);
	for (int32_t v = 0; v < s.n; v++)
		assert_memory_equal(g->selected->words + (size_t)v * g->selected->stride,
				    s.data.words + (size_t)v * s.data.stride, (size_t)s.count / 8);
	replay_network(p, &s, g->network);
	for (int32_t i = 0; i < first; i++) {
		p->next_fitness[i] = p->fitness[p->positions[i]];
		for (int32_t v = 0; v < s.n; v++)
			replay_put(p, p->next, v, i, *sample_at(&s, i, v));
	}
	replay_sample(p, g->network, first);
	replay_evaluate(p, p->next, p->next_fitness, first, boa_offspring(o));
	assert_int_equal(g->offspring->count, boa_offspring(o));
	for (int32_t v = 0; v < s.n; v++)
		assert_memory_equal(g->offspring->words + (size_t)v * g->offspring->stride,
				    p->next + (size_t)v * replay_row(p) + first / 32,
				    (size_t)boa_offspring(o) / 8);
	assert_memory_equal(g->fitness, p->next_fitness + first,
			    (size_t)boa_offspring(o) * sizeof(int32_t));
	assert_int_equal(g->best, p->best);
	uint32_t *words = p->words;
	int32_t *fitness = p->fitness;

	p->words = p->next;
	p->next = words;
	p->fitness = p->next_fitness;
	p->next_fitness = fitness;
	p->generations++;
	sample_destroy(&s);
}

void run_by_definition(struct boa_setup s)
{
	struct replay p = replay_begin(&s, s.options->seed);

	s.watch = replay_generation;
	s.watch_context = &p;
	struct kept_runs k = keep_good_runs(&s, 1);
	const struct boa_run *run = k.run;

	assert_int_equal(run->generations, p.generations);
	assert_int_equal(run->edges, p.edges);
	assert_int_equal(run->best, p.best);
	assert_int_equal(run->optimum,
			 s.landscape->optimum_known && p.best == s.landscape->optimum);
	assert_memory_equal(run->bits, p.best_bits, (size_t)s.landscape->n);
	assert_memory_equal(run->words, p.words, k.words * sizeof(uint32_t));
	assert_memory_equal(run->fitness, p.fitness, (size_t)k.population * sizeof(int32_t));
	free_runs(&k);
	replay_end(&p);
}
