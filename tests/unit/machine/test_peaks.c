/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Peak rates: the results of every measuring kernel (on the simulator), lower bounds on time, and
 * the file of the rates. Rates are never measured on the simulator. */
#include "harness/machine/peaks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/machine/peaks_measure.h"
#include "harness/base/outfile.h"
#include "tests/unit/base/temporary_folder.h"

#define DONE(call)                                                                                 \
	do {                                                                                       \
		struct err e_ = { 0 };                                                             \
		struct err *e = &e_;                                                               \
		if ((call) != 0)                                                                   \
			fail_msg("%s", e_.text);                                                   \
	} while (0)

/* ---- kernels on the simulator ---- */

struct fixture {
	struct dev_set set;
	struct dev *dev;
	struct dev_stream *stream;
	const struct probe_kernels *kernels;
};

static int open_sim(void **state)
{
	static struct fixture f;

	if (dev_set_open(&f.set, "sim", 1, NULL) != 0)
		return -1;
	f.dev = f.set.dev[0];
	f.kernels = probe_kernels_for(f.dev);
	if (!f.kernels || dev_stream_create(f.dev, &f.stream, NULL) != 0)
		return -1;
	*state = &f;
	return 0;
}

static int close_sim(void **state)
{
	struct fixture *f = *state;

	dev_stream_destroy(f->stream);
	dev_set_close(&f->set);
	return 0;
}

static void check_rate(struct fixture *f, enum probe_rate rate, int steps, int blocks)
{
	size_t threads = (size_t)blocks * PROBE_BLOCK;
	uint32_t *device, *words = malloc(threads * sizeof(*words));
	struct err why;

	assert_non_null(words);
	DONE(dev_alloc(f->dev, (void **)&device, threads * sizeof(*words), e));
	DONE(f->kernels->rate[rate](f->stream, device, steps, blocks, e));
	DONE(dev_copy_from(f->stream, words, device, threads * sizeof(*words), e));
	DONE(dev_stream_sync(f->stream, e));
	DONE(probe_check(words, rate, steps, threads, e));
	words[threads - 1]++; /* the check detects a wrong word */
	assert_int_equal(probe_check(words, rate, steps, threads, &why), ERR_FAILED);
	dev_free(f->dev, device);
	free(words);
}

static void rate_kernels_leave_what_the_host_computes(void **state)
{
	for (int rate = 0; rate < PROBE_RATES; rate++) {
		check_rate(*state, (enum probe_rate)rate, 4, 1);
		check_rate(*state, (enum probe_rate)rate, 16, 3);
	}
}

/* Enough steps for the 16-bit sums to wrap. */
static void sums_of_16_bits_wrap_as_on_the_host(void **state)
{
	check_rate(*state, PROBE_ADD_MAX_16, 17000, 1);
}

static void check_copy(struct fixture *f, size_t pieces, int passes, int blocks)
{
	size_t words = 4 * pieces;
	uint32_t *a, *b, *host = malloc(words * sizeof(*host));

	assert_non_null(host);
	DONE(dev_alloc(f->dev, (void **)&a, 4 * words, e));
	DONE(dev_alloc(f->dev, (void **)&b, 4 * words, e));
	DONE(f->kernels->fill(f->stream, a, words, blocks, e));
	DONE(dev_fill(f->stream, b, 0xff, 4 * words, e));
	DONE(f->kernels->copy(f->stream, a, b, pieces, passes, blocks, e));
	DONE(dev_copy_from(f->stream, host, b, 4 * words, e));
	DONE(dev_stream_sync(f->stream, e));
	for (size_t i = 0; i < words; i++)
		if (host[i] != probe_pattern(i))
			fail_msg("%zu pieces, %d passes, %d blocks: word %zu", pieces, passes,
				 blocks, i);
	dev_free(f->dev, a);
	dev_free(f->dev, b);
	free(host);
}

static void copy_kernel_reaches_every_word(void **state)
{
	static const size_t pieces[] = { 64, 256, 1000, 1024, 4097 };

	for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		check_copy(*state, pieces[i], 1, 1);
		check_copy(*state, pieces[i], 3, 2);
	}
}

static void tick_kernel_counts_launches(void **state)
{
	struct fixture *f = *state;
	uint32_t *counter, count = 0;

	DONE(dev_alloc(f->dev, (void **)&counter, sizeof(*counter), e));
	DONE(dev_fill(f->stream, counter, 0, sizeof(*counter), e));
	for (int i = 0; i < 10; i++)
		DONE(f->kernels->tick(f->stream, counter, e));
	DONE(dev_copy_from(f->stream, &count, counter, sizeof(count), e));
	DONE(dev_stream_sync(f->stream, e));
	assert_int_equal(count, 10);
	dev_free(f->dev, counter);
}

static void the_simulator_is_never_measured(void **state)
{
	struct fixture *f = *state;
	struct environment env;
	struct peaks c;
	struct err why;

	env_capture_from(&env, "/nonexistent");
	assert_int_equal(peaks_measure(&c, &env, &f->set, 1, NULL, &why), ERR_UNSUPPORTED);
	for (enum peak id = 0; id < PEAKS; id++)
		assert_false(peaks_known(&c, id));
}

/* Measures two tiny simulated GPUs, to test that results are checked and that every rate is
 * measured. The figures are meaningless and are discarded. */
static void measuring_a_gpu_gives_every_rate(void **state)
{
	struct dev_set two;
	struct peaks c = { .value = { 0 } };

	(void)state;
	setenv("COPRA_SIM_MEMORY", "8388608", 1);
	setenv("COPRA_SIM_SMS", "1", 1);
	DONE(dev_set_open(&two, "sim:0,1", 2, e));
	unsetenv("COPRA_SIM_MEMORY");
	unsetenv("COPRA_SIM_SMS");
	DONE(peaks_measure_gpu(&c, &two, NULL, e));
	for (enum peak id = PEAK_GPU_COPY; id < PEAKS; id++)
		assert_true(peaks_known(&c, id));
	dev_set_close(&two);
}

/* ---- processor ---- */

static void wrong_results_of_processor_work_are_found(void **state)
{
	static const struct peaks_sizes sizes = { 64 << 10, 8 << 10, 16 << 10 };

	(void)state;
	for (int kind = 0; kind < WORKS; kind++) {
		const struct peaks_work *work = &peaks_works[kind];
		struct peaks_state s = { .bytes = work->bytes(&sizes) };
		struct err why;

		s.a = aligned_alloc(64, 2 * s.bytes);
		assert_non_null(s.a);
		s.b = s.a + s.bytes / sizeof(*s.a);
		peaks_work_prepare(&s);
		work->run(&s, 50);
		DONE(work->check(&s, 50, e));
		assert_true(work->amount(s.bytes) > 0);
		s.words[0]++; /* a wrong result of every kind of work is detected */
		s.result++;
		s.b[s.bytes / sizeof(*s.b) - 1]++;
		assert_int_equal(work->check(&s, 50, &why), ERR_FAILED);
		free(s.a);
	}
}

static void measuring_a_processor_gives_its_rates(void **state)
{
	struct environment env;
	struct peaks c;
	struct err why;

	(void)state;
	env_capture_from(&env, "/nonexistent");
	env.memory_available = 16 << 20; /* small arrays, however large the machine */
	if (peaks_measure(&c, &env, NULL, 2, NULL, &why) != 0)
		fail_msg("%s", why.text);
	for (enum peak id = PEAK_CPU_COPY_1; id <= PEAK_CPU_FMA; id++)
		assert_true(peaks_known(&c, id));
	assert_false(peaks_known(&c, PEAK_GPU_COPY));
	assert_true(c.value[PEAK_CPU_L1_COPY_1] > c.value[PEAK_CPU_COPY_1] / 10);
}

/* ---- lower bounds ---- */

static void lower_bound_names_the_rate_that_limits(void **state)
{
	struct peaks c = { .value = { [PEAK_GPU_COPY] = 4e12,
				      [PEAK_GPU_ADD_MAX] = 16e12,
				      [PEAK_GPU_LAUNCH] = 3e-6 } };
	const struct peak_demand demand[] = { { PEAK_GPU_COPY, 8e12 },
					      { PEAK_GPU_ADD_MAX, 16e12 },
					      { PEAK_GPU_LAUNCH, 1e6 },
					      { PEAK_GPU_FMA, 1e30 } };
	enum peak limit;

	(void)state;
	assert_true(peaks_lower_bound(&c, demand, 2, &limit) == 2.0);
	assert_int_equal(limit, PEAK_GPU_COPY);
	assert_true(fabs(peaks_lower_bound(&c, demand, 4, &limit) - 3.0) < 1e-12);
	/* a latency is multiplied by the number of occurrences */
	assert_int_equal(limit, PEAK_GPU_LAUNCH);
	assert_string_equal(peaks_name(limit), "gpu_launch");
	assert_true(peaks_lower_bound(&c, demand + 3, 1, &limit) == 0); /* not known: no bound */
	assert_int_equal(limit, PEAKS);
	assert_true(peaks_lower_bound(NULL, demand, 4, NULL) == 0);
}

static void values_are_printed_with_three_digits(void **state)
{
	char text[32];

	(void)state;
	peaks_format(PEAK_GPU_COPY, 3.97e12, text, sizeof(text));
	assert_string_equal(text, "3.97 TB/s");
	peaks_format(PEAK_GPU_SHARED_READ, 33.1e12, text, sizeof(text));
	assert_string_equal(text, "33.1 TB/s");
	peaks_format(PEAK_PEER, 395e9, text, sizeof(text));
	assert_string_equal(text, "395 GB/s");
	peaks_format(PEAK_GPU_LAUNCH, 2.8e-6, text, sizeof(text));
	assert_string_equal(text, "2.80 us");
}

/* ---- the file ---- */

static const char *in_folder(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void a_machine(struct environment *env, struct peaks *c)
{
	memset(c, 0, sizeof(*c));
	env_capture_from(env, "/nonexistent");
	snprintf(env->machine, sizeof(env->machine), "test-2c");
	snprintf(c->machine, sizeof(c->machine), "%s", env->machine);
	snprintf(c->date, sizeof(c->date), "2026-01-31T12:00:00Z");
	peaks_key(env, c->key, sizeof(c->key));
	c->value[PEAK_CPU_COPY] = 27.25e9;
	c->value[PEAK_GPU_LAUNCH] = 2.8e-6;
}

static void saved_rates_are_read_back(void **state)
{
	struct environment env;
	struct peaks c, back;
	char path[256];

	(void)state;
	a_machine(&env, &c);
	snprintf(path, sizeof(path), "%s", in_folder("kept/ceilings.json"));
	setenv("COPRA_CEILINGS", path, 1);
	DONE(peaks_save(&c, path, e));
	DONE(peaks_load(&back, &env, e));
	unsetenv("COPRA_CEILINGS");
	assert_memory_equal(c.value, back.value, sizeof(c.value));
	assert_string_equal(c.date, back.date);
}

static void rates_of_another_machine_or_driver_are_refused(void **state)
{
	struct environment env;
	struct peaks c, back;
	struct err why;

	(void)state;
	a_machine(&env, &c);
	DONE(peaks_save(&c, in_folder("mine.json"), e));
	snprintf(env.gpu_driver, sizeof(env.gpu_driver), "999.1");
	assert_int_equal(peaks_load_file(&back, in_folder("mine.json"), &env, &why),
			 ERR_UNSUPPORTED);
	assert_non_null(strstr(why.text, "driver"));
	snprintf(env.machine, sizeof(env.machine), "other-4c");
	assert_int_equal(peaks_load_file(&back, in_folder("mine.json"), &env, &why),
			 ERR_UNSUPPORTED);
	assert_non_null(strstr(why.text, "other-4c"));
	setenv("COPRA_CEILINGS", in_folder("none.json"), 1);
	assert_int_equal(peaks_load(&back, &env, &why), ERR_UNSUPPORTED);
	unsetenv("COPRA_CEILINGS");
	assert_non_null(strstr(why.text, "not measured"));
}

static void damaged_files_are_refused(void **state)
{
	static const struct {
		const char *text, *reason;
	} bad[] = {
		{ "", ":1:0: '[' or '{' expected" },
		{ "[]", "not an object" },
		{ "{", "expected near end of file" },
		{ "{\"machine\": \"a\"", "'}' expected" },
		{ "{\"machine\": \"a\",}", "string or '}' expected" },
		{ "{\"machine\": \"a\"} {}", "end of file expected" },
		{ "{\"machine\": 3}", "'machine' is not a string" },
		{ "{\"machine\": \"a", "premature end of input" },
		{ "{\"machine\": \"a\\u0000\"}", "NUL" },
		{ "{\n\"cpu_copy\": NaN}", ":2:" },
		{ "{\"cpu_copy\": inf}", "invalid token" },
		{ "{\"cpu_copy\": -1}", "positive number" },
		{ "{\"cpu_copy\": 0}", "positive number" },
		{ "{\"cpu_copy\": 1e999}", "overflow" },
		{ "{\"cpu_copy\": 0x10}", "'}' expected" },
		{ "{\"cpu_copy\": 1e9 2}", "'}' expected" },
		{ "{\"cpu_copy\": \"1\"}", "positive number" },
		{ "{\"cpu_copy\": 1, \"cpu_copy\": 2}", "duplicate" },
		{ "{\"cpu_kopy\": 1}", "not the name of a peak rate" },
		{ "{\"cpu_copy\" 1}", "':' expected" },
	};
	struct environment env;
	struct peaks c;
	struct err why;

	(void)state;
	env_capture_from(&env, "/nonexistent");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		DONE(outfile_write(in_folder("bad.json"), bad[i].text, strlen(bad[i].text), e));
		assert_int_equal(peaks_load_file(&c, in_folder("bad.json"), &env, &why), ERR_INPUT);
		if (!strstr(why.text, "bad.json") || !strstr(why.text, bad[i].reason))
			fail_msg("%s: \"%s\"", bad[i].text, why.text);
	}
}

int main(void)
{
	const struct CMUnitTest kernels[] = {
		cmocka_unit_test(rate_kernels_leave_what_the_host_computes),
		cmocka_unit_test(sums_of_16_bits_wrap_as_on_the_host),
		cmocka_unit_test(copy_kernel_reaches_every_word),
		cmocka_unit_test(tick_kernel_counts_launches),
		cmocka_unit_test(the_simulator_is_never_measured),
		cmocka_unit_test(measuring_a_gpu_gives_every_rate),
	};
	const struct CMUnitTest others[] = {
		cmocka_unit_test(wrong_results_of_processor_work_are_found),
		cmocka_unit_test(measuring_a_processor_gives_its_rates),
		cmocka_unit_test(lower_bound_names_the_rate_that_limits),
		cmocka_unit_test(values_are_printed_with_three_digits),
		cmocka_unit_test(saved_rates_are_read_back),
		cmocka_unit_test(rates_of_another_machine_or_driver_are_refused),
		cmocka_unit_test(damaged_files_are_refused),
	};
	int failed = cmocka_run_group_tests_name("peak rates on sim", kernels, open_sim, close_sim);

	return failed +
	       cmocka_run_group_tests_name("peak rates", others, make_folder, remove_folder);
}
