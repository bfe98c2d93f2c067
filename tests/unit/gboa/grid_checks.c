/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/gboa/grid_checks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct grid_result {
	struct boa_run run;
	size_t words;
};

static void grid_result_make(struct grid_result *r, int32_t n, int32_t population)
{
	r->words = (size_t)n * boa_words(population);
	r->run = (struct boa_run){
		.bits = malloc((size_t)n),
		.words = malloc(r->words * sizeof(uint32_t)),
		.fitness = malloc((size_t)population * sizeof(int32_t)),
	};
	assert_non_null(r->run.bits);
	assert_non_null(r->run.words);
	assert_non_null(r->run.fitness);
}

static void grid_result_free(struct grid_result *r)
{
	free(r->run.bits);
	free(r->run.words);
	free(r->run.fitness);
}

static void grid_same(const struct grid_result *x, const struct grid_result *y, int32_t n,
		      int32_t population)
{
	assert_int_equal(x->run.generations, y->run.generations);
	assert_int_equal(x->run.edges, y->run.edges);
	assert_int_equal(x->run.best, y->run.best);
	assert_int_equal(x->run.optimum, y->run.optimum);
	assert_memory_equal(x->run.fitness, y->run.fitness, (size_t)population * sizeof(int32_t));
	assert_memory_equal(x->run.words, y->run.words, x->words * sizeof(uint32_t));
	assert_memory_equal(x->run.bits, y->run.bits, (size_t)n);
}

/* Whether a population may exceed the shared memory of a small device. */
static bool is_too_large(const struct grid_case *t, const struct dev_set *devices)
{
	struct dev_info info;
	struct err e = { 0 };

	if (dev_get_info(devices->dev[0], &info, &e))
		fail_msg("%s", e.text);
	return info.shared_per_block < 100 * 1024 && t->population > 8192;
}

void grid_check(const struct grid_case *t, const struct dev_set *devices, int runs,
		enum solve_variant host)
{
	struct landscape l;
	struct err e = { 0 };
	struct boa_options o;
	struct boa_times times;
	struct grid_result expected[4], found[4];
	struct boa_run on_host[4], on_device[4];

	if (landscape_load(&l, t->problem, t->instance, &e))
		fail_msg("%s", e.text);
	boa_defaults(&o);
	o.population = t->population;
	o.selected = t->selected;
	o.max_parents = t->parents;
	o.generations = t->generations;
	o.replacement = t->replacement;
	o.smoothing = t->smoothing;
	o.stop_at_optimum = t->stop_at_optimum;
	o.stop_converged = t->stop_converged;
	o.seed = 12345;
	struct boa_setup s = { .landscape = &l,
			       .options = &o,
			       .variant = host,
			       .threads = 1,
			       .devices = devices,
			       .engine = BOA_GRID };

	for (int i = 0; i < runs; i++) {
		grid_result_make(&expected[i], l.n, o.population);
		grid_result_make(&found[i], l.n, o.population);
		on_host[i] = expected[i].run;
		on_device[i] = found[i].run;
	}
	if (boa_run(&s, on_host, runs, &times, &e))
		fail_msg("host: %s", e.text);
	s.variant = SOLVE_TUNED;
	int status = boa_run(&s, on_device, runs, &times, &e);

	if (status && !(status == ERR_UNSUPPORTED && is_too_large(t, devices)))
		fail_msg("grid: %s", e.text);
	for (int i = 0; i < runs; i++) {
		expected[i].run = on_host[i];
		found[i].run = on_device[i];
		if (!status)
			grid_same(&found[i], &expected[i], l.n, o.population);
		grid_result_free(&expected[i]);
		grid_result_free(&found[i]);
	}
	landscape_free(&l);
}
