/* sim: correct kernels pass under every schedule, faulty ones are found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/device.h"
#include "kernels/selftest/selftest.h"

static const struct selftest_kernels *const kernels = &selftest_kernels_sim;

/* Schedules 0 and 1 are order and reverse, the others random seeds. */
enum { SCHEDULES = 54 };

static void choose_schedule(int k)
{
	char seed[16];
	snprintf(seed, sizeof seed, "%d", k);
	setenv("COPRA_SIM_SEED", seed, 1);
	setenv("COPRA_SIM_SCHEDULE", k == 0 ? "order" : k == 1 ? "reverse" : "random", 1);
}

struct fixture {
	struct dev_set set;
	struct dev_stream *s;
	struct err e;
};

#define OK(f, call)                                                                                \
	do {                                                                                       \
		if ((call) != 0)                                                                   \
			fail_msg("%s: %s", #call, (f)->e.text);                                    \
	} while (0)

static void open_devices(struct fixture *f, int count)
{
	*f = (struct fixture){0};
	OK(f, dev_set_open(&f->set, "sim", count, &f->e));
	f->s = dev_default_stream(f->set.dev[0]);
}

/* `count` elements of `size` bytes on a device, from `values`, or zero. */
static void *device_array(struct fixture *f, int device, size_t count, size_t size,
			  const void *values)
{
	void *p;
	struct dev *d = f->set.dev[device];
	OK(f, dev_alloc(d, &p, count * size, &f->e));
	if (values)
		OK(f, dev_copy_to(dev_default_stream(d), p, values, count * size, &f->e));
	else
		OK(f, dev_fill(dev_default_stream(d), p, 0, count * size, &f->e));
	OK(f, dev_sync(d, &f->e));
	return p;
}

static void fetch(struct fixture *f, void *host, const void *device, size_t bytes)
{
	OK(f, dev_copy_from(f->s, host, device, bytes, &f->e));
	OK(f, dev_stream_sync(f->s, &f->e));
}

enum { N = 1000 };

static void fill_numbers(int *x, int n, unsigned seed)
{
	for (int i = 0; i < n; i++)
		x[i] = (int)((unsigned)i * 2654435761u + seed) >> 20;
}

/* ---- what must pass ---- */

static void check_sum(struct fixture *f)
{
	int x[N];
	long long expected = 0;
	unsigned long long got;
	fill_numbers(x, N, 1);
	for (int i = 0; i < N; i++)
		expected += x[i];
	int *dx = device_array(f, 0, N, sizeof *x, x);
	unsigned long long *out = device_array(f, 0, 1, sizeof *out, NULL);
	OK(f, kernels->sum(f->s, dx, out, N, &f->e));
	fetch(f, &got, out, sizeof got);
	assert_int_equal((long long)got, expected);
}

static void check_scan(struct fixture *f)
{
	int x[N], y[N], total = 0;
	fill_numbers(x, N, 2);
	int *dx = device_array(f, 0, N, sizeof *x, x), *dy = device_array(f, 0, N, sizeof *y, NULL);
	unsigned long long *state =
	    device_array(f, 0, N / SELFTEST_BLOCK + 3, sizeof *state, NULL);
	OK(f, kernels->scan(f->s, dx, dy, state, N, &f->e));
	fetch(f, y, dy, sizeof y);
	for (int i = 0; i < N; i++)
		assert_int_equal(y[i], total += x[i]);
}

static void check_spread(struct fixture *f)
{
	enum { STEPS = 6 };
	int x[N], y[N];
	fill_numbers(x, N, 3);
	int *a = device_array(f, 0, N, sizeof *x, x), *b = device_array(f, 0, N, sizeof *x, NULL);
	OK(f, kernels->spread(f->s, a, b, N, STEPS, &f->e));
	fetch(f, y, a, sizeof y);
	for (int i = 0; i < N; i++) {
		int best = x[i];
		for (int j = i - STEPS; j <= i + STEPS; j++)
			if (j >= 0 && j < N && x[j] > best)
				best = x[j];
		assert_int_equal(y[i], best);
	}
}

static void check_warp(struct fixture *f)
{
	int wrong;
	int *out = device_array(f, 0, 1, sizeof *out, NULL);
	OK(f, kernels->warp(f->s, out, 3, &f->e));
	fetch(f, &wrong, out, sizeof wrong);
	assert_int_equal(wrong, 0);
}

static bool reversed(struct fixture *f, enum selftest_fault fault)
{
	enum { SIZE = 4 * SELFTEST_BLOCK, ROUNDS = 3 };
	int x[SIZE], y[SIZE];
	bool right = true;
	fill_numbers(x, SIZE, 4);
	int *dx = device_array(f, 0, SIZE, sizeof *x, x);
	OK(f, kernels->reverse(f->s, dx, SIZE, ROUNDS, fault, &f->e));
	fetch(f, y, dx, sizeof y);
	for (int i = 0; i < SIZE; i++) {
		int block = i / SELFTEST_BLOCK * SELFTEST_BLOCK, t = i % SELFTEST_BLOCK;
		right = right && y[i] == x[block + SELFTEST_BLOCK - 1 - t];
	}
	return right;
}

static void check_stream_copy(struct fixture *f)
{
	int x[N], y[N];
	fill_numbers(x, N, 5);
	int *dx = device_array(f, 0, N, sizeof *x, x), *dy = device_array(f, 0, N, sizeof *y, NULL);
	OK(f, kernels->stream_copy(f->s, dx, dy, N, &f->e));
	fetch(f, y, dy, sizeof y);
	assert_memory_equal(x, y, sizeof x);
}

static void correct_kernels_pass_every_schedule(void **state)
{
	(void)state;
	for (int k = 0; k < SCHEDULES; k++) {
		struct fixture f;
		choose_schedule(k);
		open_devices(&f, 1);
		check_sum(&f);
		check_scan(&f);
		check_spread(&f);
		check_warp(&f);
		check_stream_copy(&f);
		assert_true(reversed(&f, SELFTEST_NO_FAULT));
		assert_true(reversed(&f, SELFTEST_BY_WARPS));
		dev_set_close(&f.set);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(correct_kernels_pass_every_schedule),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
