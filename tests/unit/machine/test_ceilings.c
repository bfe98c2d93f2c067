/* Ceilings: every measuring kernel computes what it says (on the simulator), floors, and the file
 * that keeps them. No value is ever taken from the simulator. */
#include "harness/machine/ceilings.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/machine/ceilings_kernels.h"
#include "harness/machine/ceilings_parts.h"
#include "harness/machine/ceilings_work.h"
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
	const struct ceilings_kernels *kernels;
};

static int open_sim(void **state)
{
	static struct fixture f;

	if (dev_set_open(&f.set, "sim", 1, NULL) != 0)
		return -1;
	f.dev = f.set.dev[0];
	f.kernels = ceilings_kernels_for(f.dev);
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

static void check_rate(struct fixture *f, enum ceilings_rate rate, int steps, int blocks)
{
	size_t threads = (size_t)blocks * CEILINGS_BLOCK;
	uint32_t *device, *words = malloc(threads * sizeof(*words));
	struct err why;

	assert_non_null(words);
	DONE(dev_alloc(f->dev, (void **)&device, threads * sizeof(*words), e));
	DONE(f->kernels->rate[rate](f->stream, device, steps, blocks, e));
	DONE(dev_copy_from(f->stream, words, device, threads * sizeof(*words), e));
	DONE(dev_stream_sync(f->stream, e));
	DONE(ceilings_check_rate(words, rate, steps, threads, e));
	words[threads - 1]++; /* and the check does look */
	assert_int_equal(ceilings_check_rate(words, rate, steps, threads, &why), ERR_FAILED);
	dev_free(f->dev, device);
	free(words);
}

static void test_rate_kernels(void **state)
{
	for (int rate = 0; rate < RATES; rate++) {
		check_rate(*state, (enum ceilings_rate)rate, 4, 1);
		check_rate(*state, (enum ceilings_rate)rate, 16, 3);
	}
}

/* Steps enough for the 16-bit sums to wrap. */
static void test_half_words_wrap_as_modelled(void **state)
{
	check_rate(*state, RATE_ADD_MAX_16, 17000, 1);
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
		if (host[i] != ceilings_pattern(i))
			fail_msg("%zu pieces, %d passes, %d blocks: word %zu", pieces, passes,
				 blocks, i);
	dev_free(f->dev, a);
	dev_free(f->dev, b);
	free(host);
}

static void test_copy_kernel_reaches_every_word(void **state)
{
	static const size_t pieces[] = { 64, 256, 1000, 1024, 4097 };

	for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		check_copy(*state, pieces[i], 1, 1);
		check_copy(*state, pieces[i], 3, 2);
	}
}

static void test_tick_kernel_counts_launches(void **state)
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

static void test_the_simulator_is_never_measured(void **state)
{
	struct fixture *f = *state;
	struct environment env;
	struct ceilings c;
	struct err why;

	env_capture_from(&env, "/nonexistent");
	assert_int_equal(ceilings_measure(&c, &env, &f->set, 1, NULL, &why), ERR_UNSUPPORTED);
	for (enum ceiling id = 0; id < CEILINGS; id++)
		assert_false(ceilings_known(&c, id));
}

/* The measuring itself, on two tiny simulated GPUs: that it checks its answers and reaches every
 * ceiling. The figures mean nothing and go nowhere. */
static void test_measuring_drives_every_kernel(void **state)
{
	struct dev_set two;
	struct ceilings c = { .value = { 0 } };

	(void)state;
	setenv("COPRA_SIM_MEMORY", "8388608", 1);
	setenv("COPRA_SIM_SMS", "1", 1);
	DONE(dev_set_open(&two, "sim:0,1", 2, e));
	unsetenv("COPRA_SIM_MEMORY");
	unsetenv("COPRA_SIM_SMS");
	DONE(ceilings_measure_gpu(&c, &two, NULL, e));
	for (enum ceiling id = CEILING_GPU_COPY; id < CEILINGS; id++)
		assert_true(ceilings_known(&c, id));
	dev_set_close(&two);
}

/* ---- processor ---- */

static void test_processor_work_is_checked(void **state)
{
	static const struct work_sizes sizes = { 64 << 10, 8 << 10, 16 << 10 };

	(void)state;
	for (int kind = 0; kind < WORKS; kind++) {
		const struct work *work = &ceilings_works[kind];
		struct work_state s = { .bytes = work->bytes(&sizes) };
		struct err why;

		s.a = aligned_alloc(64, 2 * s.bytes);
		assert_non_null(s.a);
		s.b = s.a + s.bytes / sizeof(*s.a);
		work_prepare(&s);
		work->run(&s, 50);
		DONE(work->check(&s, 50, e));
		assert_true(work->amount(s.bytes) > 0);
		s.words[0]++; /* a wrong answer of any kind is noticed */
		s.result++;
		s.b[s.bytes / sizeof(*s.b) - 1]++;
		assert_int_equal(work->check(&s, 50, &why), ERR_FAILED);
		free(s.a);
	}
}

static void test_measuring_a_processor(void **state)
{
	struct environment env;
	struct ceilings c;
	struct err why;

	(void)state;
	env_capture_from(&env, "/nonexistent");
	env.memory_available = 16 << 20; /* small arrays, however large the machine */
	if (ceilings_measure(&c, &env, NULL, 2, NULL, &why) != 0)
		fail_msg("%s", why.text);
	for (enum ceiling id = CEILING_CPU_COPY_1; id <= CEILING_CPU_FMA; id++)
		assert_true(ceilings_known(&c, id));
	assert_false(ceilings_known(&c, CEILING_GPU_COPY));
	assert_true(c.value[CEILING_CPU_L1_COPY_1] > c.value[CEILING_CPU_COPY_1] / 10);
}

/* ---- floors ---- */

static void test_floor_names_the_limit(void **state)
{
	struct ceilings c = { .value = { [CEILING_GPU_COPY] = 4e12,
					 [CEILING_GPU_ADD_MAX] = 16e12,
					 [CEILING_GPU_LAUNCH] = 3e-6 } };
	const struct ceilings_demand demand[] = { { CEILING_GPU_COPY, 8e12 },
						  { CEILING_GPU_ADD_MAX, 16e12 },
						  { CEILING_GPU_LAUNCH, 1e6 },
						  { CEILING_GPU_FMA, 1e30 } };
	enum ceiling limit;

	(void)state;
	assert_true(ceilings_floor(&c, demand, 2, &limit) == 2.0);
	assert_int_equal(limit, CEILING_GPU_COPY);
	assert_true(fabs(ceilings_floor(&c, demand, 4, &limit) - 3.0) < 1e-12);
	assert_int_equal(limit, CEILING_GPU_LAUNCH); /* a latency counts times its number */
	assert_string_equal(ceilings_name(limit), "gpu_launch");
	assert_true(ceilings_floor(&c, demand + 3, 1, &limit) == 0); /* not known: no bound */
	assert_int_equal(limit, CEILINGS);
	assert_true(ceilings_floor(NULL, demand, 4, NULL) == 0);
}

static void test_values_for_people(void **state)
{
	char text[32];

	(void)state;
	ceilings_format(CEILING_GPU_COPY, 3.97e12, text, sizeof(text));
	assert_string_equal(text, "3.97 TB/s");
	ceilings_format(CEILING_GPU_SHARED_READ, 33.1e12, text, sizeof(text));
	assert_string_equal(text, "33.1 TB/s");
	ceilings_format(CEILING_PEER, 395e9, text, sizeof(text));
	assert_string_equal(text, "395 GB/s");
	ceilings_format(CEILING_GPU_LAUNCH, 2.8e-6, text, sizeof(text));
	assert_string_equal(text, "2.80 us");
}

/* ---- the file ---- */

static const char *in_folder(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void a_machine(struct environment *env, struct ceilings *c)
{
	memset(c, 0, sizeof(*c));
	env_capture_from(env, "/nonexistent");
	snprintf(env->machine, sizeof(env->machine), "test-2c");
	snprintf(c->machine, sizeof(c->machine), "%s", env->machine);
	snprintf(c->date, sizeof(c->date), "2026-01-31T12:00:00Z");
	ceilings_key(env, c->key, sizeof(c->key));
	c->value[CEILING_CPU_COPY] = 27.25e9;
	c->value[CEILING_GPU_LAUNCH] = 2.8e-6;
}

static void test_what_is_kept_comes_back(void **state)
{
	struct environment env;
	struct ceilings c, back;
	char path[256];

	(void)state;
	a_machine(&env, &c);
	snprintf(path, sizeof(path), "%s", in_folder("kept/ceilings.json"));
	setenv("COPRA_CEILINGS", path, 1);
	DONE(ceilings_save(&c, path, e));
	DONE(ceilings_load(&back, &env, e));
	unsetenv("COPRA_CEILINGS");
	assert_memory_equal(c.value, back.value, sizeof(c.value));
	assert_string_equal(c.date, back.date);
}

static void test_another_machine_driver_or_nothing(void **state)
{
	struct environment env;
	struct ceilings c, back;
	struct err why;

	(void)state;
	a_machine(&env, &c);
	DONE(ceilings_save(&c, in_folder("mine.json"), e));
	snprintf(env.gpu_driver, sizeof(env.gpu_driver), "999.1");
	assert_int_equal(ceilings_load_file(&back, in_folder("mine.json"), &env, &why),
			 ERR_UNSUPPORTED);
	assert_non_null(strstr(why.text, "driver"));
	snprintf(env.machine, sizeof(env.machine), "other-4c");
	assert_int_equal(ceilings_load_file(&back, in_folder("mine.json"), &env, &why),
			 ERR_UNSUPPORTED);
	assert_non_null(strstr(why.text, "other-4c"));
	setenv("COPRA_CEILINGS", in_folder("none.json"), 1);
	assert_int_equal(ceilings_load(&back, &env, &why), ERR_UNSUPPORTED);
	unsetenv("COPRA_CEILINGS");
	assert_non_null(strstr(why.text, "not measured"));
}

static void test_damaged_files_are_refused(void **state)
{
	static const struct {
		const char *text, *reason;
	} bad[] = {
		{ "", ":1: expected '{'" },
		{ "{", ":1: expected '\"'" },
		{ "{\"machine\": \"a\"", "expected '}'" },
		{ "{\"machine\": \"a\",}", "expected '\"'" },
		{ "{\"machine\": \"a\"} {}", "more text" },
		{ "{\"machine\": 3}", "expected '\"'" },
		{ "{\"machine\": \"a", "not closed" },
		{ "{\"machine\": \"a\\u0041\"}", "plain text" },
		{ "{\n\"cpu_copy\": NaN}", ":2: expected a positive number" },
		{ "{\"cpu_copy\": inf}", "positive number" },
		{ "{\"cpu_copy\": -1}", "positive number" },
		{ "{\"cpu_copy\": 0}", "positive number" },
		{ "{\"cpu_copy\": 1e999}", "positive number" },
		{ "{\"cpu_copy\": 0x10}", "decimal" },
		{ "{\"cpu_copy\": 1e9 2}", "expected '}'" },
		{ "{\"cpu_copy\": \"1\"}", "positive number" },
		{ "{\"cpu_copy\": 1, \"cpu_copy\": 2}", "twice" },
		{ "{\"cpu_kopy\": 1}", "no ceiling" },
		{ "{\"cpu_copy\" 1}", "expected ':'" },
	};
	struct environment env;
	struct ceilings c;
	struct err why;

	(void)state;
	env_capture_from(&env, "/nonexistent");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		DONE(outfile_write(in_folder("bad.json"), bad[i].text, strlen(bad[i].text), e));
		assert_int_equal(ceilings_load_file(&c, in_folder("bad.json"), &env, &why),
				 ERR_INPUT);
		if (!strstr(why.text, "bad.json") || !strstr(why.text, bad[i].reason))
			fail_msg("%s: \"%s\"", bad[i].text, why.text);
	}
}

int main(void)
{
	const struct CMUnitTest kernels[] = {
		cmocka_unit_test(test_rate_kernels),
		cmocka_unit_test(test_half_words_wrap_as_modelled),
		cmocka_unit_test(test_copy_kernel_reaches_every_word),
		cmocka_unit_test(test_tick_kernel_counts_launches),
		cmocka_unit_test(test_the_simulator_is_never_measured),
		cmocka_unit_test(test_measuring_drives_every_kernel),
	};
	const struct CMUnitTest others[] = {
		cmocka_unit_test(test_processor_work_is_checked),
		cmocka_unit_test(test_measuring_a_processor),
		cmocka_unit_test(test_floor_names_the_limit),
		cmocka_unit_test(test_values_for_people),
		cmocka_unit_test(test_what_is_kept_comes_back),
		cmocka_unit_test(test_another_machine_driver_or_nothing),
		cmocka_unit_test(test_damaged_files_are_refused),
	};
	int failed = cmocka_run_group_tests_name("ceilings on sim", kernels, open_sim, close_sim);

	return failed + cmocka_run_group_tests_name("ceilings", others, make_folder, remove_folder);
}
