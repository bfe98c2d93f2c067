/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A small target for the tests of the harness: correct, wrong, skipped, slow, dying and device
 * cases, and a solver. docs/examples/ has smaller examples to start from. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/bench.h"
#include "harness/base/clock.h"
#include "harness/base/hash.h"
#include "harness/bench/solve.h"
#include "harness/machine/peaks.h"

/* ---- sum: 0 + 1 + ... + n-1, by a loop and by the formula ---- */

struct sum {
	int64_t n;
	uint64_t answer;
};

static int sum_setup(struct bench_case *c, struct err *e)
{
	struct sum *s = bench_new_data(c, sizeof(*s), e);

	if (!s)
		return e->code;
	s->n = bench_int(c, "n");
	bench_work(c, (double)s->n, "terms");
	bench_demands(c, &(struct peak_demand){ PEAK_CPU_ADD_MAX_1, (double)s->n }, 1);
	return 0;
}

static int sum_run(struct bench_case *c, struct err *e)
{
	struct sum *s = bench_data(c);
	volatile uint64_t sum = 0;

	(void)e;
	if (strcmp(bench_text(c, "variant"), "formula") == 0)
		sum = (uint64_t)s->n * (uint64_t)(s->n - 1) / 2;
	else
		for (int64_t i = 0; i < s->n; i++)
			sum += (uint64_t)i;
	s->answer = sum;
	bench_output_hash(c, hash_u64(HASH_INIT, s->answer));
	return 0;
}

static int sum_check(struct bench_case *c, struct err *e)
{
	const struct sum *s = bench_data(c);
	uint64_t right = 0;

	for (int64_t i = s->n - 1; i > 0; i--)
		right += (uint64_t)i;
	if (s->answer != right)
		return err_set(e, ERR_FAILED, "sum %llu, should be %llu",
			       (unsigned long long)s->answer, (unsigned long long)right);
	return 0;
}

static void sum_teardown(struct bench_case *c)
{
	free(bench_data(c));
}

static const struct bench_axis sum_axes[] = {
	BENCH_AXIS_TEXT("variant", BENCH_TEXTS("loop", "formula"), BENCH_SAME, BENCH_SAME),
	BENCH_AXIS_INT("n", BENCH_INTS(100), BENCH_INTS(1000, 4000), BENCH_INTS(100000)),
	BENCH_AXIS_END,
};
BENCHMARK(sum) = {
	.name = "demo/sum",
	.axes = sum_axes,
	.setup = sum_setup,
	.run = sum_run,
	.check = sum_check,
	.teardown = sum_teardown,
	.summary = "sum of the integers from 0 to n - 1",
};

/* ---- nap: sleeps, for tests of interruptions; reports its own time ---- */

/* For tests that must not depend on the speed of the machine. With COPRA_DEMO_LONG=3, naps from the
 * third case on are predicted to take an hour and last until they are stopped. With
 * COPRA_DEMO_KILL=3, the third nap kills the process. */
static bool nap_is_long(const struct bench_case *c)
{
	const char *first = getenv("COPRA_DEMO_LONG");

	return first && bench_int(c, "case") >= atoi(first);
}

static int nap_run(struct bench_case *c, struct err *e)
{
	const char *last = getenv("COPRA_DEMO_KILL");
	double start = clock_wall();
	static int naps;

	if (last && ++naps == atoi(last))
		raise(SIGKILL);
	if (nap_is_long(c)) {
		/* ends by itself if the test that should stop it has died */
		while (!*bench_setting(c)->stop && clock_wall() - start < 600)
			clock_sleep(0.01);
		return err_set(e, ERR_LIMIT, "interrupted");
	}
	clock_sleep(1e-3 * (double)bench_int(c, "ms"));
	bench_set_seconds(c, clock_wall() - start);
	bench_counter(c, "total_seconds", clock_wall() - start, BENCH_COUNT);
	return 0;
}

static int accept(struct bench_case *c, struct err *e)
{
	(void)c;
	(void)e;
	return 0;
}

static double nap_estimate(const struct bench_case *c)
{
	return nap_is_long(c) ? 3600 : 1e-3 * (double)bench_int(c, "ms");
}

static const struct bench_axis nap_axes[] = {
	BENCH_AXIS_INT("ms", BENCH_INTS(1), BENCH_SAME, BENCH_SAME),
	BENCH_AXIS_INT("case", BENCH_INTS(1, 2, 3, 4, 5), BENCH_SAME, BENCH_SAME),
	BENCH_AXIS_END,
};
BENCHMARK(nap) = {
	.name = "demo/nap",
	.axes = nap_axes,
	.run = nap_run,
	.check = accept,
	.manual_time = true,
	.estimate = nap_estimate,
	.unit = "ms",
	.summary = "sleeping",
};

/* ---- steps: a chain of multiplications, whose time is very stable ---- */

static const uint64_t step_factor = UINT64_C(6364136223846793005), step_add = 1442695040888963407;

static uint64_t take_steps(uint64_t x, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		x = x * step_factor + step_add;
	return x;
}

/* n steps at once, by repeated doubling: x -> f x + a applied twice is x -> f^2 x + (f + 1) a. */
static uint64_t jump(uint64_t x, int64_t n)
{
	uint64_t factor = step_factor, add = step_add;

	for (; n; n /= 2) {
		if (n % 2)
			x = x * factor + add;
		add *= factor + 1;
		factor *= factor;
	}
	return x;
}

struct steps {
	int64_t n, extra;
	uint64_t answer, of_extra;
};

/* COPRA_DEMO_EXTRA=5 adds 5 % of work, which makes a slower build for tests of make compare. */
static int steps_setup(struct bench_case *c, struct err *e)
{
	const char *percent = getenv("COPRA_DEMO_EXTRA");
	struct steps *s = bench_new_data(c, sizeof(*s), e);

	if (!s)
		return ERR_MEMORY;
	s->n = bench_int(c, "n");
	s->extra = percent ? s->n * atoi(percent) / 100 : 0;
	return 0;
}

static int steps_run(struct bench_case *c, struct err *e)
{
	struct steps *s = bench_data(c);

	(void)e;
	s->answer = take_steps(1, s->n);
	s->of_extra = take_steps(s->answer, s->extra);
	return 0;
}

static int steps_check(struct bench_case *c, struct err *e)
{
	const struct steps *s = bench_data(c);

	if (s->answer != jump(1, s->n) || s->of_extra != jump(s->answer, s->extra))
		return err_set(e, ERR_FAILED, "wrong after %lld steps", (long long)s->n);
	return 0;
}

static const struct bench_axis steps_axes[] = {
	BENCH_AXIS_INT("n", BENCH_INTS(10000), BENCH_SAME, BENCH_SAME),
	BENCH_AXIS_END,
};
BENCHMARK(steps) = {
	.name = "demo/steps",
	.axes = steps_axes,
	.setup = steps_setup,
	.run = steps_run,
	.check = steps_check,
	.teardown = sum_teardown,
	.summary = "a chain of multiplications",
};

/* ---- cases that must not get a row ---- */

static int nothing(struct bench_case *c, struct err *e)
{
	(void)c;
	(void)e;
	return 0;
}

static int refuse(struct bench_case *c, struct err *e)
{
	(void)c;
	return err_set(e, ERR_FAILED, "the answer is 41, should be 42");
}
BENCHMARK(wrong) = { .name = "demo/wrong", .run = nothing, .check = refuse };

static int need_many(struct bench_case *c, struct err *e)
{
	return bench_need_machine(c, bench_int(c, "gpus"), false, e);
}

static bool yes(const struct bench_case *c)
{
	(void)c;
	return true;
}
static const struct bench_axis device_axes[] = {
	BENCH_AXIS_INT("gpus", BENCH_INTS(1, 16), BENCH_SAME, BENCH_SAME),
	BENCH_AXIS_END,
};
BENCHMARK(device) = {
	.name = "demo/device",
	.axes = device_axes,
	.setup = need_many,
	.run = nothing,
	.check = accept,
	.uses_device = yes,
};

/* ---- end: kills the process with the signal of this number; 0: returns normally ---- */

static int end_run(struct bench_case *c, struct err *e)
{
	(void)e;
	if (bench_int(c, "signal"))
		raise((int)bench_int(c, "signal"));
	return 0;
}

static const struct bench_axis end_axes[] = {
	BENCH_AXIS_INT("signal", BENCH_INTS(0), BENCH_SAME, BENCH_SAME),
	BENCH_AXIS_END,
};
BENCHMARK(end) = { .name = "demo/end", .axes = end_axes, .run = end_run, .check = accept };

/* ---- solve: factors a number ---- */

struct demo_options {
	struct solve_options common;
	int64_t largest; /* --largest: the largest divisor to try */
};

static void demo_defaults(void *options)
{
	((struct demo_options *)options)->largest = INT64_MAX;
}

static int demo_solve(const struct solve_options *o, struct solve_result *r, struct err *e)
{
	const struct demo_options *own = (const struct demo_options *)o;
	int64_t n, divisor = 2;
	double start = clock_wall();

	if (flag_parse_int(&n, o->instance, e) || n < 2)
		return err_set(e, ERR_INPUT, "instance '%s' is not an integer of at least 2",
			       o->instance);
	while (divisor <= n / divisor && n % divisor && divisor < own->largest && !*o->stop)
		divisor++;
	if (divisor > n / divisor)
		divisor = n;
	r->has_objective = true;
	r->objective = divisor;
	r->status = n % divisor ? SOLVE_LIMIT : SOLVE_OPTIMAL;
	r->solution = malloc(2 * sizeof(*r->solution));
	if (!r->solution)
		return err_set(e, ERR_MEMORY, "out of memory");
	r->solution[0] = divisor;
	r->solution[1] = n / divisor;
	r->solution_length = 2;
	solve_node_figure(r, "explored", (double)divisor);
	r->seconds_total = r->seconds_search = clock_wall() - start;
	r->verified = r->status == SOLVE_LIMIT || divisor * (n / divisor) == n;
	return 0;
}

static const struct flag demo_flags[] = {
	FLAG("largest", FLAG_COUNT, struct demo_options, largest, "N", "largest divisor to try"),
	FLAG_END,
};
static const struct solve_rung demo_rungs[] = {
	{ "literal", NULL, SOLVE_PUBLISHED, "the algorithm of the paper" },
	{ "packed", NULL, SOLVE_TUNED, "numbers packed into words" },
	{ NULL, NULL, SOLVE_SERIAL, NULL },
};
static const struct solve_spec demo_solver = {
	.problem = "factor",
	.instances = "an integer of at least 2",
	.flags = demo_flags,
	.options_size = sizeof(struct demo_options),
	.defaults = demo_defaults,
	.rungs = demo_rungs,
	.run = demo_solve,
};

static int demo_list(struct err *e)
{
	(void)e;
	puts("any integer of at least 2");
	return 0;
}

int main(int argc, char **argv)
{
	static const struct target demo = {
		.name = "demo",
		.summary = "tests of the harness",
		.solve = &demo_solver,
		.list = demo_list,
	};

	return copra_main(argc, argv, &demo);
}
