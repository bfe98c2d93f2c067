/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* What a search tells other threads: counts, incumbents, the node limit, events. */
#include "harness/base/watch.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "harness/base/clock.h"

static struct watch *watch_of(uint64_t limit)
{
	struct watch *w;

	assert_int_equal(watch_create(&w, limit, NULL), 0);
	return w;
}

static void no_watch_is_allowed(void **state)
{
	(void)state;
	watch_count(NULL, 0, 5);
	watch_incumbent(NULL, 5);
	watch_bound(NULL, 5);
	watch_share(NULL, 0.5);
	watch_devices(NULL, 1, 2);
	watch_device_ended(NULL);
	watch_checkpoint(NULL, "file");
	assert_false(watch_limit_reached(NULL));
	assert_int_equal(watch_stride(NULL, 7), 7);
	watch_destroy(NULL);
}

static void a_view_sums_the_workers_and_leaves_out_what_is_not_known(void **state)
{
	struct watch *w = watch_of(0);
	struct watch_view v;

	(void)state;
	watch_view(w, &v);
	assert_true(v.nodes == 0 && !v.has_best && !v.has_bound && v.share < 0 && !v.devices);
	watch_count(w, 0, 100);
	watch_count(w, 255, 20);
	watch_count(w, WATCH_HOST, 3);
	watch_count(w, 0, 90);
	watch_bound(w, -4);
	watch_share(w, 1.5);
	watch_devices(w, 3, 4);
	watch_device_ended(w);
	watch_view(w, &v);
	assert_int_equal(v.nodes, 113);
	assert_true(v.has_bound && v.bound == -4);
	assert_true(fabs(v.share - 1) < 1e-12);
	assert_true(v.busy == 2 && v.devices == 4);
	assert_false(watch_limit_reached(w));
	watch_destroy(w);
}

static void shares_add_up_and_never_decrease(void **state)
{
	struct watch *w = watch_of(0);
	struct watch_view v;

	(void)state;
	watch_share(w, 0.25);
	watch_part(w, 0, 0.125);
	watch_part(w, 7, 0.5);
	watch_share(w, 0.1);
	watch_view(w, &v);
	assert_true(fabs(v.share - 0.875) < 1e-12);
	watch_destroy(w);
	w = watch_of(0);
	watch_estimates(w, 2, 100);
	watch_count(w, 0, 20);
	watch_left(w, 0, 80);
	watch_view(w, &v);
	assert_true(v.share < 0); /* worker 1 has not told */
	watch_left(w, 1, 0);
	watch_view(w, &v);
	assert_true(fabs(v.share - 0.6) < 1e-12);
	watch_left_moved(w, 0, 1, 0.75);
	watch_view(w, &v);
	assert_true(fabs(v.share - 0.6) < 1e-12);
	watch_left(w, 0, 1000); /* a larger estimate */
	watch_view(w, &v);
	assert_true(fabs(v.share - 0.6) < 1e-12);
	watch_destroy(w);
}

static void only_better_incumbents_are_kept(void **state)
{
	static const int64_t offered[] = { 10, 12, 10, 9, 11, 3 };
	struct watch_event event[8];
	bool closed;

	(void)state;
	for (int maximise = 0; maximise < 2; maximise++) {
		struct watch *w = watch_of(0);
		struct watch_view v;
		int count;

		w->maximise = maximise;
		for (size_t i = 0; i < sizeof(offered) / sizeof(*offered); i++)
			watch_incumbent(w, offered[i]);
		watch_view(w, &v);
		assert_int_equal(v.best, maximise ? 12 : 3);
		count = watch_wait(w, clock_wall(), event, 8, &closed);
		assert_int_equal(count, maximise ? 2 : 3);
		for (int i = 1; i < count; i++) {
			assert_true(maximise ? event[i].value > event[i - 1].value :
					       event[i].value < event[i - 1].value);
			assert_true(event[i].at >= event[i - 1].at);
		}
		assert_true(event[count - 1].at == v.best_at);
		watch_destroy(w);
	}
}

static void events_come_in_order_and_the_oldest_are_lost(void **state)
{
	enum { MORE = 10 };
	struct watch *w = watch_of(0);
	struct watch_event event[WATCH_EVENTS + MORE];
	bool closed;

	(void)state;
	for (int i = 0; i < WATCH_EVENTS + MORE; i++)
		watch_incumbent(w, -i);
	assert_int_equal(watch_wait(w, 0, event, 4, &closed), 4);
	for (int i = 0; i < 4; i++)
		assert_int_equal(event[i].value, -MORE - i);
	watch_checkpoint(w, "state");
	watch_close(w);
	assert_int_equal(watch_wait(w, 0, event, WATCH_EVENTS, &closed), WATCH_EVENTS - 3);
	assert_int_equal(event[WATCH_EVENTS - 4].kind, WATCH_CHECKPOINT);
	assert_string_equal(event[WATCH_EVENTS - 4].file, "state");
	assert_true(closed);
	watch_destroy(w);
}

static void waiting_ends_at_its_time(void **state)
{
	struct watch *w = watch_of(0);
	struct watch_event event;
	double begin = clock_wall();
	bool closed;

	(void)state;
	assert_int_equal(watch_wait(w, begin + 0.05, &event, 1, &closed), 0);
	assert_true(clock_wall() >= begin + 0.05);
	assert_false(closed);
	watch_destroy(w);
}

static void one_worker_stops_at_the_limit(void **state)
{
	static const uint64_t limits[] = { 1, 2, 100, 4095, 4097, 100000, 10000000 };

	(void)state;
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		struct watch *w = watch_of(limits[i]);
		uint64_t nodes = 0;

		while (!watch_limit_reached(w)) {
			int stride = watch_stride(w, 1000);

			assert_true(stride >= 1 && stride <= 1000);
			nodes += (uint64_t)stride;
			watch_count(w, 0, nodes);
		}
		assert_true(nodes >= limits[i] && nodes <= limits[i] + limits[i] / 4096);
		watch_destroy(w);
	}
}

enum { THREADS = 4, LIMIT = 200000 };

struct worker {
	struct watch *watch;
	int number;
	uint64_t nodes;
	pthread_t thread;
};

static void *count_nodes(void *of)
{
	struct worker *x = of;

	while (!watch_limit_reached(x->watch)) {
		watch_count(x->watch, x->number, ++x->nodes);
		if (x->nodes % 1000 == 0)
			watch_incumbent(x->watch, -(int64_t)x->nodes);
	}
	return NULL;
}

static void threads_stop_near_the_limit_while_another_reads(void **state)
{
	struct watch *w = watch_of(LIMIT);
	struct worker x[THREADS];
	struct watch_event event[16];
	struct watch_view v = { .nodes = 0 };
	int64_t best = 1;
	uint64_t sum = 0;
	bool closed;

	(void)state;
	for (int i = 0; i < THREADS; i++) {
		x[i] = (struct worker){ .watch = w, .number = i };
		assert_int_equal(pthread_create(&x[i].thread, NULL, count_nodes, &x[i]), 0);
	}
	while (!watch_limit_reached(w)) {
		int count = watch_wait(w, clock_wall() + 0.001, event, 16, &closed);

		watch_view(w, &v);
		for (int j = 0; j < count; j++) {
			assert_true(event[j].value < best);
			best = event[j].value;
		}
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(x[i].thread, NULL);
		sum += x[i].nodes;
	}
	watch_view(w, &v);
	assert_int_equal(v.nodes, sum);
	assert_true(sum >= LIMIT && sum <= LIMIT + 2 * THREADS * (LIMIT / 4096 + 1));
	watch_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_watch_is_allowed),
		cmocka_unit_test(a_view_sums_the_workers_and_leaves_out_what_is_not_known),
		cmocka_unit_test(shares_add_up_and_never_decrease),
		cmocka_unit_test(only_better_incumbents_are_kept),
		cmocka_unit_test(events_come_in_order_and_the_oldest_are_lost),
		cmocka_unit_test(waiting_ends_at_its_time),
		cmocka_unit_test(one_worker_stops_at_the_limit),
		cmocka_unit_test(threads_stop_near_the_limit_while_another_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
