/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/gboa/hboa_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct hboa_problem hboa_problem(const char *problem, const char *instance, int32_t population)
{
	struct hboa_problem p;
	struct err e = { 0 };

	if (landscape_load(&p.landscape, problem, instance, &e))
		fail_msg("%s", e.text);
	boa_defaults(&p.options);
	p.options.model = BOA_TREES;
	p.options.population = population;
	p.options.selected = population / 2;
	p.options.stop_at_optimum = true;
	return p;
}

void hboa_outcome_free(struct hboa_outcome *o)
{
	for (int r = 0; r < o->count; r++) {
		free(o->run[r].bits);
		free(o->run[r].words);
		free(o->run[r].fitness);
	}
}

struct boa_setup hboa_setup(const struct hboa_problem *p, enum solve_variant variant, int threads,
			    const struct dev_set *devices)
{
	return (struct boa_setup){ .landscape = &p->landscape,
				   .options = &p->options,
				   .variant = variant,
				   .threads = threads,
				   .devices = devices };
}

void hboa_go(struct hboa_outcome *o, const struct boa_setup *s, int count)
{
	size_t n = (size_t)s->landscape->n;

	*o = (struct hboa_outcome){ .count = count };
	for (int r = 0; r < count; r++) {
		o->run[r].bits = malloc(n);
		o->run[r].words = malloc(n * boa_words(s->options->population) * sizeof(uint32_t));
		o->run[r].fitness = malloc((size_t)s->options->population * sizeof(int32_t));
	}
	o->status = boa_run(s, o->run, count, &o->times, &o->error);
}

void hboa_check(const struct hboa_problem *p, const struct hboa_outcome *o)
{
	int32_t n = p->landscape.n, population = p->options.population;
	uint8_t *bits = malloc((size_t)n);

	for (int r = 0; r < o->count; r++) {
		const struct boa_run *run = &o->run[r];
		struct boa_data d = { n, population, boa_words(population), run->words };

		if (run->best == INT32_MIN) { /* a limit was reached before it began */
			assert_int_equal(run->generations, 0);
			continue;
		}
		assert_int_equal(landscape_evaluate(&p->landscape, run->bits), run->best);
		assert_int_equal(run->optimum,
				 p->landscape.optimum_known && run->best == p->landscape.optimum);
		for (int32_t i = 0; i < population; i++) {
			for (int32_t v = 0; v < n; v++)
				bits[v] = (uint8_t)boa_bit(&d, v, i);
			assert_int_equal(landscape_evaluate(&p->landscape, bits), run->fitness[i]);
			assert_true(run->fitness[i] <= run->best);
		}
	}
	free(bits);
}

void hboa_expect_same(const struct hboa_problem *p, const struct hboa_outcome *a,
		      const struct hboa_outcome *b)
{
	size_t words = (size_t)p->landscape.n * boa_words(p->options.population);

	assert_int_equal(a->count, b->count);
	for (int r = 0; r < a->count; r++) {
		const struct boa_run *x = &a->run[r], *y = &b->run[r];

		assert_int_equal(x->generations, y->generations);
		assert_int_equal(x->edges, y->edges);
		assert_int_equal(x->best, y->best);
		assert_int_equal(x->optimum, y->optimum);
		assert_memory_equal(x->bits, y->bits, (size_t)p->landscape.n);
		assert_memory_equal(x->fitness, y->fitness,
				    (size_t)p->options.population * sizeof(int32_t));
		assert_memory_equal(x->words, y->words, words * sizeof(uint32_t));
	}
}
