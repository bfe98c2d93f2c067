/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Helpers shared by the tests of the device layer. Include after cmocka.h. */
#ifndef COPRA_TESTS_UNIT_DEVICE_TEST_DEVICE_H
#define COPRA_TESTS_UNIT_DEVICE_TEST_DEVICE_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/device/device.h"
#include "kernels/common/primitives.h"
#include "kernels/selftest/selftest.h"

struct fixture {
	struct dev_set set;
	struct dev_stream *s; /* default stream of the first device */
	struct err e;
};

#define OK(f, call)                                                                                \
	do {                                                                                       \
		if ((call) != 0)                                                                   \
			fail_msg("%s: %s", #call, (f)->e.text);                                    \
	} while (0)

/* Asserts that the call failed with this code and that the message contains this text. */
#define FAILS(f, call, code_, says)                                                                \
	do {                                                                                       \
		(f)->e.text[0] = 0;                                                                \
		assert_int_equal((call), code_);                                                   \
		if (!strstr((f)->e.text, says))                                                    \
			fail_msg("expected '%s' in '%s'", says, (f)->e.text);                      \
	} while (0)

static inline void open_devices(struct fixture *f, const char *text, int count)
{
	*f = (struct fixture){ 0 };
	OK(f, dev_set_open(&f->set, text, count, &f->e));
	f->s = dev_default_stream(f->set.dev[0]);
}

/* Allocates `bytes` on a device and copies `values` to it, or sets it to zero. */
static inline void *device_array(struct fixture *f, int device, size_t bytes, const void *values)
{
	void *p;
	struct dev *d = f->set.dev[device];
	struct dev_stream *s = dev_default_stream(d);
	OK(f, dev_alloc(d, &p, bytes, &f->e));
	if (values)
		OK(f, dev_copy_to(s, p, values, bytes, &f->e));
	else
		OK(f, dev_fill(s, p, 0, bytes, &f->e));
	OK(f, dev_stream_sync(s, &f->e));
	return p;
}

static inline void fetch(struct fixture *f, void *host, const void *device, size_t bytes)
{
	OK(f, dev_copy_from(f->s, host, device, bytes, &f->e));
	OK(f, dev_stream_sync(f->s, &f->e));
}

static inline void fill_numbers(int *x, int n, unsigned seed)
{
	for (int i = 0; i < n; i++)
		x[i] = (int)(((unsigned)i * 2654435761u + seed) >> 20) - 2048;
}

/* Runs `body` in a child process; returns whether a signal or a sanitizer ended it. */
static inline int dies(void (*body)(void))
{
	int status;
	fflush(NULL);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		signal(SIGSEGV, SIG_DFL); /* otherwise cmocka would continue with the next test */
		signal(SIGABRT, SIG_DFL);
		if (!freopen("/dev/null", "w", stderr))
			_exit(0);
		body();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) || WEXITSTATUS(status) != 0;
}

/* ---- correct kernels against simple host code; they leak nothing ---- */

enum { N = 1000 };

static inline void check_axpy(struct fixture *f, const struct selftest_kernels *k, int device)
{
	int x[N], y[N], got[N];
	struct dev *d = f->set.dev[device];
	fill_numbers(x, N, 6);
	fill_numbers(y, N, 7);
	int *dx = device_array(f, device, sizeof(x), x),
	    *dy = device_array(f, device, sizeof(y), y);
	OK(f, k->axpy(dev_default_stream(d), 3, dx, dy, N, &f->e));
	OK(f, dev_copy_from(dev_default_stream(d), got, dy, sizeof(got), &f->e));
	OK(f, dev_sync(d, &f->e));
	for (int i = 0; i < N; i++)
		assert_int_equal(got[i], y[i] + 3 * x[i]);
	dev_free(d, dx);
	dev_free(d, dy);
}

static inline void check_sum(struct fixture *f, const struct selftest_kernels *k)
{
	int x[N];
	long long expected = 0;
	unsigned long long got;
	fill_numbers(x, N, 1);
	for (int i = 0; i < N; i++)
		expected += x[i];
	int *dx = device_array(f, 0, sizeof(x), x);
	unsigned long long *out = device_array(f, 0, sizeof(*out), NULL);
	OK(f, k->sum(f->s, dx, out, N, &f->e));
	fetch(f, &got, out, sizeof(got));
	assert_int_equal((long long)got, expected);
	dev_free(f->set.dev[0], dx);
	dev_free(f->set.dev[0], out);
}

static inline void check_scan(struct fixture *f, const struct selftest_kernels *k)
{
	int x[N], y[N], total = 0;
	fill_numbers(x, N, 2);
	int *dx = device_array(f, 0, sizeof(x), x), *dy = device_array(f, 0, sizeof(y), NULL);
	unsigned long long *state =
		device_array(f, 0, (N / SELFTEST_BLOCK + 3) * sizeof(*state), NULL);
	OK(f, k->scan(f->s, dx, dy, state, N, &f->e));
	fetch(f, y, dy, sizeof(y));
	for (int i = 0; i < N; i++)
		assert_int_equal(y[i], total += x[i]);
	dev_free(f->set.dev[0], dx);
	dev_free(f->set.dev[0], dy);
	dev_free(f->set.dev[0], state);
}

static inline void check_spread(struct fixture *f, const struct selftest_kernels *k)
{
	enum { STEPS = 6 };
	int x[N], y[N];
	fill_numbers(x, N, 3);
	int *a = device_array(f, 0, sizeof(x), x), *b = device_array(f, 0, sizeof(x), NULL);
	OK(f, k->spread(f->s, a, b, N, STEPS, &f->e));
	fetch(f, y, a, sizeof(y));
	for (int i = 0; i < N; i++) {
		int best = x[i];
		for (int j = i - STEPS; j <= i + STEPS; j++)
			if (j >= 0 && j < N && x[j] > best)
				best = x[j];
		assert_int_equal(y[i], best);
	}
	dev_free(f->set.dev[0], a);
	dev_free(f->set.dev[0], b);
}

static inline void check_warp(struct fixture *f, const struct selftest_kernels *k)
{
	int wrong;
	int *out = device_array(f, 0, sizeof(*out), NULL);
	OK(f, k->warp(f->s, out, 3, &f->e));
	fetch(f, &wrong, out, sizeof(wrong));
	assert_int_equal(wrong, 0);
	dev_free(f->set.dev[0], out);
}

static inline void check_stream_copy(struct fixture *f, const struct selftest_kernels *k)
{
	int x[N], y[N];
	fill_numbers(x, N, 5);
	int *dx = device_array(f, 0, sizeof(x), x), *dy = device_array(f, 0, sizeof(y), NULL);
	OK(f, k->stream_copy(f->s, dx, dy, N, &f->e));
	fetch(f, y, dy, sizeof(y));
	assert_memory_equal(x, y, sizeof(x));
	dev_free(f->set.dev[0], dx);
	dev_free(f->set.dev[0], dy);
}

enum { REVERSED = 4 * SELFTEST_BLOCK };

/* Runs the reversal into y; returns whether the result is correct. */
static inline int reverses(struct fixture *f, const struct selftest_kernels *k,
			   enum selftest_fault fault, int *y)
{
	enum { ROUNDS = 3 };
	int x[REVERSED], right = 1;
	fill_numbers(x, REVERSED, 4);
	int *dx = device_array(f, 0, sizeof(x), x);
	OK(f, k->reverse(f->s, dx, REVERSED, ROUNDS, fault, &f->e));
	fetch(f, y, dx, sizeof(x));
	for (int i = 0; i < REVERSED; i++) {
		int block = i / SELFTEST_BLOCK * SELFTEST_BLOCK, t = i % SELFTEST_BLOCK;
		right = right && y[i] == x[block + SELFTEST_BLOCK - 1 - t];
	}
	dev_free(f->set.dev[0], dx);
	return right;
}

static inline void check_all(struct fixture *f, const struct selftest_kernels *k)
{
	int y[REVERSED];
	check_axpy(f, k, 0);
	check_sum(f, k);
	check_scan(f, k);
	check_spread(f, k);
	check_warp(f, k);
	check_stream_copy(f, k);
	assert_true(reverses(f, k, SELFTEST_NO_FAULT, y));
	assert_true(reverses(f, k, SELFTEST_BY_WARPS, y));
}

/* ---- primitives ---- */

static inline void check_reductions(struct fixture *f, int n, void *scratch, size_t bytes)
{
	const struct gpu_primitives *p = gpu_primitives_for(f->set.dev[0]);
	int64_t x[N + 1], total = 0, best = INT64_MIN, got[2];
	for (int i = 0; i < n; i++) {
		x[i] = (int64_t)i * (i % 2 ? 123456789012 : -98765432109) % 1000003 - 500;
		total += x[i];
		best = x[i] > best ? x[i] : best;
	}
	int64_t *dx = device_array(f, 0, sizeof(x), x),
		*out = device_array(f, 0, sizeof(got), NULL);
	OK(f, p->sum(f->s, dx, out, n, scratch, bytes, &f->e));
	OK(f, p->max(f->s, dx, out + 1, n, scratch, bytes, &f->e));
	fetch(f, got, out, sizeof(got));
	assert_true(got[0] == total && got[1] == best);
	dev_free(f->set.dev[0], dx);
	dev_free(f->set.dev[0], out);
}

static inline void check_scan_primitive(struct fixture *f, int n, void *scratch, size_t bytes)
{
	const struct gpu_primitives *p = gpu_primitives_for(f->set.dev[0]);
	uint32_t x[N + 1], y[N + 1], total = 0;
	for (int i = 0; i <= n; i++)
		x[i] = (uint32_t)i * 2654435761u;
	uint32_t *dx = device_array(f, 0, sizeof(x), x);
	OK(f, p->scan(f->s, dx, dx, n, scratch, bytes, &f->e));
	fetch(f, y, dx, sizeof(y));
	for (int i = 0; i < n; total += x[i++])
		assert_int_equal(y[i], total);
	assert_int_equal(y[n], x[n]); /* nothing beyond the end was written */
	dev_free(f->set.dev[0], dx);
}

/* Keys with many ties in the low bits: the sort is stable and keeps each value with its key. */
static inline void check_sort(struct fixture *f, int n, int bits, void *scratch, size_t bytes)
{
	const struct gpu_primitives *p = gpu_primitives_for(f->set.dev[0]);
	uint64_t k[N + 1], got_k[N + 1], mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
	uint32_t v[N + 1], got_v[N + 1];
	for (int i = 0; i < n; i++) {
		v[i] = (uint32_t)i;
		k[i] = (uint64_t)(i * 7919 % 97) * UINT64_C(0x9E3779B97F4A7C15);
	}
	uint64_t *dk = device_array(f, 0, sizeof(k), k), *sk = device_array(f, 0, sizeof(k), NULL);
	uint32_t *dv = device_array(f, 0, sizeof(v), v), *sv = device_array(f, 0, sizeof(v), NULL);
	OK(f, p->sort(f->s, dk, sk, dv, sv, n, bits, scratch, bytes, &f->e));
	fetch(f, got_k, sk, sizeof(k));
	fetch(f, got_v, sv, sizeof(v));
	for (int i = 0; i < n; i++) {
		assert_true(got_v[i] < (uint32_t)n && got_k[i] == k[got_v[i]]);
		if (i > 0)
			assert_true((got_k[i - 1] & mask) < (got_k[i] & mask) ||
				    ((got_k[i - 1] & mask) == (got_k[i] & mask) &&
				     got_v[i - 1] < got_v[i]));
	}
	dev_free(f->set.dev[0], dk);
	dev_free(f->set.dev[0], sk);
	dev_free(f->set.dev[0], dv);
	dev_free(f->set.dev[0], sv);
}

static inline void check_primitives(struct fixture *f)
{
	static const int sizes[] = { 0, 1, 31, 256, N };
	const struct gpu_primitives *p = gpu_primitives_for(f->set.dev[0]);
	struct dev *d = f->set.dev[0];
	size_t bytes;
	void *scratch;
	OK(f, p->scratch(f->s, N, &bytes, &f->e));
	OK(f, dev_alloc(d, &scratch, bytes, &f->e));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		check_reductions(f, sizes[i], scratch, bytes);
		check_scan_primitive(f, sizes[i], scratch, bytes);
		check_sort(f, sizes[i], 64, scratch, bytes);
		check_sort(f, sizes[i], 5, scratch, bytes);
		check_sort(f, sizes[i], 13, scratch, bytes);
	}
	FAILS(f, p->sum(f->s, NULL, NULL, N, scratch, 0, &f->e), ERR_USAGE, "scratch");
	dev_free(d, scratch);
}

/* ---- streams, events and peers ---- */

/* A kernel that waits for the host blocks the first stream. The second stream continues until it
 * must wait for an event of the first. */
static inline void check_streams(struct fixture *f, const struct selftest_kernels *k)
{
	struct dev *d = f->set.dev[0];
	struct dev_stream *first, *second;
	struct dev_event *begun, *done, *last;
	unsigned *host, *seen; /* pinned: a copy to pageable memory may block the host */
	double seconds = -1;
	void *pinned;
	unsigned *flag = device_array(f, 0, sizeof(*flag), NULL);
	OK(f, dev_host_alloc(d, &pinned, 3 * sizeof(*host), &f->e));
	host = pinned;
	seen = host + 1;
	seen[0] = seen[1] = 7;
	__atomic_store_n(host, 0, __ATOMIC_RELEASE);
	OK(f, dev_stream_create(d, &first, &f->e));
	OK(f, dev_stream_create(d, &second, &f->e));
	OK(f, dev_event_create(d, &begun, &f->e));
	OK(f, dev_event_create(d, &done, &f->e));
	OK(f, dev_event_create(d, &last, &f->e));
	OK(f, dev_event_record(begun, first, &f->e));
	OK(f, k->pingpong(first, host, flag, 0, 1, &f->e));
	OK(f, dev_event_record(done, first, &f->e));
	OK(f, dev_copy_from(second, &seen[0], flag, sizeof(*flag), &f->e));
	OK(f, dev_stream_sync(second, &f->e));
	assert_int_equal(seen[0], 0);
	OK(f, dev_event_sync(begun, &f->e)); /* not for work queued after it */
	OK(f, dev_stream_wait(second, done, &f->e));
	OK(f, dev_copy_from(second, &seen[1], flag, sizeof(*flag), &f->e));
	OK(f, dev_event_record(last, second, &f->e));
	__atomic_store_n(host, 1, __ATOMIC_RELEASE);
	OK(f, dev_event_elapsed(done, last, &seconds, &f->e));
	assert_true(seconds >= 0);
	OK(f, dev_event_sync(last, &f->e));
	assert_int_equal(seen[1], 1);
	OK(f, dev_sync(d, &f->e));
	dev_event_destroy(begun);
	dev_event_destroy(done);
	dev_event_destroy(last);
	dev_stream_destroy(first);
	dev_stream_destroy(second);
	dev_host_free(d, host);
	dev_free(d, flag);
}

static inline void check_peer_copy(struct fixture *f)
{
	int x[N], y[N];
	fill_numbers(x, N, 8);
	int *a = device_array(f, 1, sizeof(x), x), *b = device_array(f, 0, sizeof(x), NULL);
	OK(f, dev_copy_peer(f->s, f->set.dev[0], b, f->set.dev[1], a, sizeof(x), &f->e));
	fetch(f, y, b, sizeof(y));
	assert_memory_equal(x, y, sizeof(x));
	dev_free(f->set.dev[1], a);
	dev_free(f->set.dev[0], b);
}

/* Kernels of two devices, running at the same time, write each other's memory. */
static inline void check_peers(struct fixture *f, const struct selftest_kernels *k)
{
	enum { ROUNDS = 50 };
	unsigned seen;
	unsigned *a = device_array(f, 0, sizeof(*a), NULL),
		 *b = device_array(f, 1, sizeof(*b), NULL);
	OK(f, dev_enable_peer(f->set.dev[0], f->set.dev[1], &f->e));
	OK(f, dev_enable_peer(f->set.dev[1], f->set.dev[0], &f->e));
	OK(f, k->pingpong(dev_default_stream(f->set.dev[0]), a, b, 1, ROUNDS, &f->e));
	OK(f, k->pingpong(dev_default_stream(f->set.dev[1]), b, a, 0, ROUNDS, &f->e));
	OK(f, dev_sync(f->set.dev[0], &f->e));
	OK(f, dev_sync(f->set.dev[1], &f->e));
	fetch(f, &seen, a, sizeof(seen));
	assert_int_equal(seen, ROUNDS);
	dev_free(f->set.dev[0], a);
	dev_free(f->set.dev[1], b);
}

#endif
