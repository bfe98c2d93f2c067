/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* gBOA on simulated devices: the kernel finds the same parents as a naive learner, and whole runs
 * equal those of the host, for all forms of counting and different sizes of a block, of shared
 * memory and of the host's share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "algorithms/gboa/boa/network.h"
#include "kernels/gboa/published.h"
#include "tests/unit/gboa/boa_replay.h"
#include "tests/unit/device/simulated_devices.h"

static struct err error;
#define OK(call)                                                                                   \
	do {                                                                                       \
		if (call)                                                                          \
			fail_msg("%s", error.text);                                                \
	} while (0)

/* ---- the kernel alone ---- */

/* Device copies of the data that the kernel reads and writes. */
struct bd_test {
	struct dev *dev;
	struct dev_stream *stream;
	struct boa_bd bd;
	void *memory[8];
};

static void *put(struct bd_test *b, int slot, const void *from, size_t bytes)
{
	OK(dev_alloc(b->dev, &b->memory[slot], bytes, &error));
	if (from)
		OK(dev_copy_to(b->stream, b->memory[slot], from, bytes, &error));
	return b->memory[slot];
}

static void set_bench(struct bd_test *b, const struct sample *s, const int32_t *rank, int32_t k,
		      const struct boa_k2_table *t)
{
	size_t n = (size_t)s->n, count = (size_t)s->count;
	size_t words = (count + 31) / 32;
	uint8_t *columns = malloc(n * count);
	uint32_t *rows = calloc(n * words, sizeof(*rows));

	for (int i = 0; i < s->count; i++)
		for (int v = 0; v < s->n; v++) {
			uint32_t bit = *sample_at(s, i, v);

			columns[(size_t)v * count + (size_t)i] = (uint8_t)bit;
			rows[(size_t)v * words + (size_t)i / 32] |= bit << (i % 32);
		}
	b->bd = (struct boa_bd){ .n = s->n, .count = s->count, .k = k, .ranks = s->n };
	b->bd.population = put(b, 0, columns, n * count);
	b->bd.rank = put(b, 1, rank, n * sizeof(int32_t));
	b->bd.ln_factorial = put(b, 2, t->at, (count + 2) * sizeof(uint32_t));
	b->bd.parent_count = put(b, 3, NULL, n * sizeof(int32_t));
	b->bd.parents = put(b, 4, NULL, n * (size_t)k * sizeof(int32_t));
	b->bd.words = put(b, 5, rows, n * words * sizeof(*rows));
	b->bd.ticks = put(b, 7, NULL, BOA_BD_STEPS * sizeof(*b->bd.ticks));
	OK(dev_fill(b->stream, b->bd.ticks, 0, BOA_BD_STEPS * sizeof(*b->bd.ticks), &error));
	b->bd.together = s->n;
	b->bd.structures = put(b, 6, NULL, n * boa_bd_structures(&b->bd));
	OK(dev_stream_sync(b->stream, &error));
	free(columns);
	free(rows);
}

static void run_bench(struct bd_test *b, int threads, struct boa_network *net)
{
	OK(boa_published_kernels_for(b->dev)->bd(b->stream, &b->bd, threads, &error));
	OK(dev_copy_from(b->stream, net->parent_count, b->bd.parent_count,
			 (size_t)net->n * sizeof(int32_t), &error));
	OK(dev_copy_from(b->stream, net->parents, b->bd.parents,
			 (size_t)net->n * (size_t)net->k * sizeof(int32_t), &error));
	OK(dev_stream_sync(b->stream, &error));
}

static void the_kernel_finds_the_parents_of_the_definition(void **state)
{
	static const int threads[] = { 32, 48, 100, 480 };
	static struct naive_network naive;

	(void)state;
	for (int round = 0; round < 12; round++) {
		int n = 2 + round, k = 1 + round % 4, count = 24 + 17 * (round % 3);
		struct sample s = sample_mixed(n, count, (uint64_t)round);
		struct boa_network net = network_of(n, k);
		struct bd_test b = { 0 };
		struct boa_k2_table t;
		struct dev_set set;

		OK(boa_k2_table_create(&t, count, &error));
		OK(boa_permutation((uint64_t)round, 0, n, net.rank, &error));
		naive_permuted(&s, net.rank, k, &naive);
		open_devices(&set, 1, round % 3 ? "random" : "reverse", round);
		b.dev = set.dev[0];
		OK(dev_stream_create(b.dev, &b.stream, &error));
		set_bench(&b, &s, net.rank, k, &t);
		for (int form = BOA_BD_LITERAL; form <= BOA_BD_WORDS; form++) {
			bool all = form == BOA_BD_LITERAL || form == BOA_BD_GLOBAL;

			b.bd.form = (enum boa_bd_form)form;
			for (int together = n; together > 0;
			     together = all ? 0 : together * 2 / 5) {
				b.bd.together = together;
				run_bench(&b, threads[(round + together) % 4], &net);
				check_parents(&net, &naive);
			}
		}
		for (int i = 0; i < 8; i++)
			dev_free(b.dev, b.memory[i]);
		dev_stream_destroy(b.stream);
		dev_set_close(&set);
		boa_k2_table_destroy(&t);
		boa_network_destroy(&net);
		sample_destroy(&s);
	}
}

/* ---- runs ---- */

static void every_step_follows_its_definition(void **state)
{
	struct landscape l = replay_landscape("trap3", "9");

	(void)state;
	for (int way = 0; way < 8; way++) {
		struct boa_options o = replay_options(128, way & 1 ? 32 : 64, 1 + way % 4, 2);
		struct dev_set set;
		struct boa_setup s = { .landscape = &l,
				       .options = &o,
				       .variant = SOLVE_PUBLISHED,
				       .threads = 2,
				       .devices = &set,
				       .block_threads = way & 1 ? 0 : 64,
				       .host_share = way & 2 ? 0.25 : 0,
				       .form = { .groups = way & 1, .words = way & 4 } };

		o.seed = (uint64_t)way;
		o.replacement = way & 1 ? BOA_REPLACE_ALL : BOA_REPLACE_WORST;
		o.smoothing = way & 2 ? BOA_SMOOTH_LAPLACE : BOA_SMOOTH_NONE;
		open_devices(&set, 1, "random", way);
		run_by_definition(s);
		dev_set_close(&set);
	}
	landscape_free(&l);
}

static void published_runs_match_the_host(void **state)
{
	static const struct {
		const char *n, *shared;
		int32_t population, selected, k, generations;
		int threads;
		double share;
		struct boa_form form;
	} c[] = {
		{ "20", "227K", 128, 64, 3, 2, 0, 0, { 0 } },
		{ "20", "4800", 64, 32, 3, 2, 0, 0.1, { 0 } },
		{ "20", "4800", 64, 32, 3, 2, 0, 0.1, { .groups = true } },
		{ "20", "4800", 64, 32, 3, 2, 0, 0.1, { .groups = true, .words = true } },
		{ "15", "4K", 64, 32, 6, 2, 33, 0, { 0 } },
		{ "15", "4K", 64, 32, 6, 2, 33, 0, { .groups = true } },
		{ "20", "227K", 128, 32, 2, 1, 1024, 0.5, { .host_words = true } },
		{ "20", "227K", 128, 64, 3, 2, 0, 0, { .host_words = true, .cores = true } },
		{ "30", "227K", 128, 64, 0, 2, 32, 0, { 0 } },
		{ "30", "227K", 128, 64, 3, 2, 32, 1, { .words = true } },
		{ "5", "227K", 64, 32, 1, 4, 96, 0.19, { 0 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct landscape l = replay_landscape("trap5", c[i].n);
		struct boa_options o =
			replay_options(c[i].population, c[i].selected, c[i].k, c[i].generations);
		struct dev_set set;
		struct boa_setup s = { .landscape = &l,
				       .options = &o,
				       .threads = 2,
				       .devices = &set,
				       .block_threads = c[i].threads,
				       .host_share = c[i].share,
				       .form = c[i].form };

		shared_memory_begin(c[i].shared);
		open_devices(&set, 1, "random", (int)i);
		shared_memory_end();
		s.variant = SOLVE_SERIAL;
		struct kept_runs serial = keep_good_runs(&s, 2);

		s.variant = SOLVE_PUBLISHED;
		struct kept_runs published = keep_good_runs(&s, 2);

		assert_same_runs(&serial, &published, l.n);
		assert_true(published.times.learn > 0 && published.times.transfer > 0);
		assert_true(c[i].share == 1 || c[i].k == 0 || published.times.count > 0);
		assert_true(published.times.count + published.times.gain + published.times.max <=
			    published.times.learn);
		free_runs(&serial);
		free_runs(&published);
		dev_set_close(&set);
		landscape_free(&l);
	}
}

static void unsupported_setups_are_refused(void **state)
{
	struct landscape l = replay_landscape("trap5", "100");
	struct boa_options o = replay_options(64, 32, 6, 1);
	struct dev_set set;
	struct boa_setup s = { .landscape = &l,
			       .options = &o,
			       .variant = SOLVE_PUBLISHED,
			       .threads = 1,
			       .devices = &set };

	(void)state;
	shared_memory_begin("2K");
	open_devices(&set, 1, "random", 1);
	shared_memory_end();
	for (int way = 0; way < 7; way++) {
		static const struct dev_set none;
		struct kept_runs k;

		s.block_threads = way == 0 ? 31 : way == 1 ? 1025 : 0;
		s.host_share = way == 2 ? -0.1 : way == 3 ? 1.5 : 0;
		o.model = way == 4 ? BOA_SEARCHED : BOA_PERMUTED;
		s.devices = way == 6 ? &none : &set;
		k = keep_runs(&s, 1);
		assert_int_equal(k.status, way < 5  ? ERR_USAGE :
					   way == 6 ? ERR_DEVICE :
						      ERR_UNSUPPORTED);
		assert_true(k.error.text[0] != 0);
		free_runs(&k);
	}
	dev_set_close(&set);
	landscape_free(&l);
}

static void stop_after_five(void *context, const struct boa_generation *g)
{
	volatile sig_atomic_t *stop = context;

	*stop = g->run == 1 && g->generation == 4;
}

static void a_stop_flag_ends_runs(void **state)
{
	volatile sig_atomic_t stop = 0;
	struct landscape l = replay_landscape("trap5", "10");
	struct boa_options o = replay_options(64, 32, 1, 8);
	struct dev_set set;
	struct boa_setup s = { .landscape = &l,
			       .options = &o,
			       .variant = SOLVE_PUBLISHED,
			       .threads = 1,
			       .devices = &set,
			       .block_threads = 32,
			       .stop = &stop,
			       .watch = stop_after_five,
			       .watch_context = (void *)(uintptr_t)&stop };

	(void)state;
	open_devices(&set, 1, "random", 1);
	struct kept_runs k = keep_runs(&s, 4);

	assert_int_equal(k.status, ERR_LIMIT);
	assert_int_equal(k.run[0].generations, 8);
	assert_int_equal(k.run[1].generations, 5);
	assert_int_equal(k.run[3].generations, 0);
	for (int r = 0; r < 4; r++)
		assert_int_equal(k.run[r].best,
				 r < 2 ? landscape_evaluate(&l, k.run[r].bits) : INT32_MIN);
	free_runs(&k);
	dev_set_close(&set);
	landscape_free(&l);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernel_finds_the_parents_of_the_definition),
		cmocka_unit_test(every_step_follows_its_definition),
		cmocka_unit_test(published_runs_match_the_host),
		cmocka_unit_test(unsupported_setups_are_refused),
		cmocka_unit_test(a_stop_flag_ends_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
