/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/gboa/batch_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/selftest/cluster.h"

enum { BATCH_RUNS_MAX = 128 };

struct batch_runs {
	struct boa_run run[BATCH_RUNS_MAX];
};

static void make_batch_runs(struct batch_runs *r, int count, int32_t n, int32_t population)
{
	size_t words = (size_t)n * (size_t)population / 32;

	memset(r, 0, sizeof(*r));
	for (int i = 0; i < count; i++) {
		r->run[i].bits = malloc((size_t)n);
		r->run[i].words = malloc(words * sizeof(uint32_t));
		r->run[i].fitness = malloc((size_t)population * sizeof(int32_t));
		assert_non_null(r->run[i].bits);
		assert_non_null(r->run[i].words);
		assert_non_null(r->run[i].fitness);
		memset(r->run[i].bits, 2, (size_t)n);
	}
}

static void free_batch_runs(struct batch_runs *r)
{
	for (int i = 0; i < BATCH_RUNS_MAX; i++) {
		free(r->run[i].bits);
		free(r->run[i].words);
		free(r->run[i].fitness);
	}
}

static void load_landscape(struct landscape *l, const char *problem, const char *instance)
{
	struct err e = { 0 };

	if (landscape_load(l, problem, instance, &e))
		fail_msg("%s", e.text);
}

static void check_same_run(const struct boa_run *a, const struct boa_run *b, int32_t n,
			   int32_t population)
{
	assert_int_equal(a->best, b->best);
	assert_int_equal(a->optimum, b->optimum);
	assert_int_equal(a->generations, b->generations);
	assert_int_equal(a->edges, b->edges);
	assert_memory_equal(a->bits, b->bits, (size_t)n);
	assert_memory_equal(a->fitness, b->fitness, (size_t)population * sizeof(int32_t));
	assert_memory_equal(a->words, b->words,
			    (size_t)n * (size_t)population / 32 * sizeof(uint32_t));
}

/* Whether the devices have clusters of this size; 0: of any. */
static bool has_clusters(const struct dev_set *devices, int cluster)
{
	int clusters = 1;
	struct err e = { 0 };
	struct dev *d = devices->dev[0];

	if (cluster > 1 &&
	    selftest_cluster_for(d)->resident(dev_default_stream(d), cluster, 32, &clusters, &e))
		fail_msg("%s", e.text);
	return clusters > 0;
}

void check_batch_shared(const struct dev_set *devices, const char *problem, const char *instance,
			const struct boa_options *o, struct boa_batch_shape shape, int count,
			double host_share)
{
	struct landscape l;
	struct batch_runs serial, batch;
	struct boa_times times;
	struct err e = { 0 };

	load_landscape(&l, problem, instance);
	struct boa_setup s = {
		.landscape = &l, .options = o, .variant = SOLVE_SERIAL, .threads = 1
	};

	make_batch_runs(&serial, count, l.n, o->population);
	make_batch_runs(&batch, count, l.n, o->population);
	if (boa_run(&s, serial.run, count, &times, &e))
		fail_msg("serial: %s", e.text);
	s.variant = SOLVE_TUNED;
	s.engine = BOA_BATCH;
	s.devices = devices;
	s.host_share = host_share;
	s.batch = shape;
	s.threads = 2;
	bool possible = has_clusters(devices, shape.cluster);
	int status = boa_run(&s, batch.run, count, &times, &e);

	if (possible ? status : status != ERR_UNSUPPORTED)
		fail_msg("batch: %s", e.text);
	for (int i = 0; possible && i < count; i++)
		check_same_run(&serial.run[i], &batch.run[i], l.n, o->population);
	free_batch_runs(&serial);
	free_batch_runs(&batch);
	landscape_free(&l);
}

void check_batch(const struct dev_set *devices, const char *problem, const char *instance,
		 const struct boa_options *o, struct boa_batch_shape shape, int count)
{
	check_batch_shared(devices, problem, instance, o, shape, count, 0);
}

void refuse_batch(const struct dev_set *devices, const char *problem, const char *instance,
		  const struct boa_options *o, const char *why)
{
	struct landscape l;
	struct boa_run run = { 0 };
	struct boa_times times = { 0 };
	struct err e = { 0 };

	load_landscape(&l, problem, instance);
	struct boa_setup s = { .landscape = &l,
			       .options = o,
			       .variant = SOLVE_TUNED,
			       .threads = 1,
			       .devices = devices,
			       .engine = BOA_BATCH };

	run.bits = malloc((size_t)l.n);
	assert_non_null(run.bits);
	assert_int_equal(boa_run(&s, &run, 1, &times, &e), ERR_UNSUPPORTED);
	assert_non_null(strstr(e.text, why));
	free(run.bits);
	landscape_free(&l);
}

void stop_batch(const struct dev_set *devices)
{
	static const volatile sig_atomic_t now = 1;
	struct landscape l;
	struct batch_runs r;
	struct boa_options o;
	struct boa_times times = { 0 };
	struct err e = { 0 };

	boa_defaults(&o);
	o.population = 128;
	o.selected = 64;
	o.generations = 1000000;
	load_landscape(&l, "trap5", "10");
	struct boa_setup s = { .landscape = &l,
			       .options = &o,
			       .variant = SOLVE_TUNED,
			       .threads = 1,
			       .devices = devices,
			       .engine = BOA_BATCH,
			       .stop = &now };

	make_batch_runs(&r, 3, l.n, o.population);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(boa_run(&s, r.run, 3, &times, &e), ERR_LIMIT);
		for (int j = 0; j < 3; j++) {
			const struct boa_run *run = &r.run[j];

			if (run->best == INT32_MIN) /* it had not begun */
				assert_int_equal(run->generations, 0);
			else
				assert_int_equal(landscape_evaluate(&l, run->bits), run->best);
			assert_true(run->generations < o.generations);
		}
		s.stop = NULL;
		s.time_limit = 0.2;
	}
	free_batch_runs(&r);
	landscape_free(&l);
}
