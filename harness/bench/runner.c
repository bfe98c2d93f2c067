/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/bench/runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/build.h"
#include "harness/base/clock.h"
#include "harness/base/host.h"
#include "harness/base/progress.h"
#include "harness/base/rng.h"
#include "harness/base/stats.h"
#include "harness/bench/ranks.h"
#include "harness/machine/environment.h"
#include "harness/machine/perf.h"

/* ---- one repetition ---- */

static const int64_t most_iterations = 1000000000;

struct batch {
	int64_t iterations;
	double wall, cpu, manual; /* seconds of all iterations */
	struct energy_reading energy;
	double perf[PERF_EVENTS]; /* of setting->perf; negative: not counted */
};

/* The time that counts: the benchmark's own if it reports one, else wall time. */
static double batch_seconds(const struct bench_case *c, const struct batch *b)
{
	return c->manual ? b->manual : b->wall;
}

static int stopped(const struct bench_case *c, struct err *e)
{
	if (c->setting->stop && *c->setting->stop)
		return err_set(e, ERR_LIMIT, "interrupted");
	return 0;
}

/* Calls run() once and checks that it used bench.h correctly. */
static int iterate(struct bench_case *c, double *manual, struct err *e)
{
	int status;

	c->manual_seconds = -1;
	status = bench_on_ranks(c, BENCH_RUN, e);
	if (status)
		return status;
	if (c->misuse.code) {
		*e = c->misuse;
		return e->code;
	}
	if (c->manual && c->manual_seconds < 0)
		return err_set(e, ERR_FAILED, "run() did not call bench_set_seconds()");
	*manual += c->manual ? c->manual_seconds : 0;
	return 0;
}

/* The answer of the benchmark's uses_device(); false without that callback. */
static bool runs_kernels(const struct bench_case *c)
{
	return c->bench->uses_device && c->bench->uses_device(c);
}

static struct energy_meter *meter_of(const struct bench_case *c)
{
	return runs_kernels(c) ? c->setting->device_meter : c->setting->host_meter;
}

static void begin_counting(struct perf_meter **m, const struct bench_case *c, struct batch *b)
{
	*m = NULL;
	for (int i = 0; i < PERF_EVENTS; i++)
		b->perf[i] = -1;
	if (c->setting->perf.count)
		(void)perf_begin(m, &c->setting->perf, NULL, NULL); /* a row without is valid */
}

static int run_batch(struct bench_case *c, int64_t iterations, struct batch *b, struct err *e)
{
	struct energy_meter *meter = meter_of(c);
	struct perf_meter *perf;
	double wall, cpu;
	int status = 0;

	*b = (struct batch){ .iterations = iterations };
	bench_counters_restart(&c->counters);
	if (meter)
		energy_begin(meter, c->gpus > 0 ? c->gpus : ENERGY_ALL);
	begin_counting(&perf, c, b);
	cpu = clock_process_cpu();
	wall = clock_wall();
	for (int64_t i = 0; i < iterations && status == 0; i++) {
		status = iterate(c, &b->manual, e);
		if (status == 0)
			status = stopped(c, e);
	}
	b->wall = clock_wall() - wall;
	b->cpu = clock_process_cpu() - cpu;
	if (perf)
		perf_end(perf, b->perf);
	if (meter)
		energy_end(meter, &b->energy);
	return status;
}

static int warm_up(struct bench_case *c, double seconds, struct err *e)
{
	double start = clock_wall(), ignored = 0;
	int status = 0;

	while (status == 0 && clock_wall() - start < seconds) {
		status = iterate(c, &ignored, e);
		if (status == 0)
			status = stopped(c, e);
	}
	return status;
}

/* The time that a benchmark reports may be a small part of its wall time. Its iterations then end
 * when their wall time is this many times the minimum time. */
static const double wall_most = 2;

/* Whether the minimum time was measured, or too much wall time has passed. */
static bool is_significant(const struct bench_case *c, const struct batch *b, double min_time)
{
	return b->iterations >= most_iterations || batch_seconds(c, b) >= min_time ||
	       b->wall >= wall_most * min_time;
}

/* Google Benchmark's rule: aim at 1.4 times the minimum time, but grow at most tenfold while the
 * measured time is below a tenth of it, which is too short to extrapolate from. */
static int64_t next_iterations(const struct bench_case *c, const struct batch *b, double min_time)
{
	double seconds = fmax(batch_seconds(c, b), 1e-9);
	double factor = 1.4 * min_time / seconds, next;

	if (seconds <= 0.1 * min_time)
		factor = fmin(factor, 10);
	if (factor <= 1)
		factor = 2;
	factor = fmin(factor, 1.4 * wall_most * min_time / fmax(b->wall, 1e-9));
	next = fmax(factor * (double)b->iterations, (double)b->iterations + 1);
	return next >= (double)most_iterations ? most_iterations : (int64_t)(next + 0.5);
}

static int first_batch(struct bench_case *c, const struct bench_timing *t, struct batch *b,
		       struct err *e)
{
	int64_t iterations = t->min_time.is_iterations ? t->min_time.iterations : 1;
	int status = 0;

	if (t->dry_run)
		return run_batch(c, 1, b, e);
	if (t->min_warmup_time > 0)
		status = warm_up(c, t->min_warmup_time, e);
	for (; status == 0; iterations = next_iterations(c, b, t->min_time.seconds)) {
		status = run_batch(c, iterations, b, e);
		if (t->min_time.is_iterations || is_significant(c, b, t->min_time.seconds))
			break;
	}
	return status;
}

static int add_work(const struct bench_case *c, struct bench_row *row, struct err *e)
{
	char rate[48];
	int status = 0;

	if (c->work > 0) {
		snprintf(rate, sizeof(rate), "%s_per_second", c->work_unit);
		status = bench_counters_set(&row->counters, "work", c->work, 0, e);
		if (status == 0)
			status = bench_counters_set(&row->counters, rate, c->work, BENCH_TOTAL_RATE,
						    e);
	}
	return status;
}

static int add_demands(const struct bench_case *c, struct bench_row *row, struct err *e)
{
	const struct {
		const char *name;
		double value; /* 0: not known */
	} all[] = {
		{ "operations", c->operations },
		{ "bytes", c->bytes },
		{ "floor_seconds", c->bound_seconds },
		{ "floor_ratio", c->bound_seconds > 0 ? row->real_seconds / c->bound_seconds : 0 },
	};
	int status = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all) && !status; i++)
		if (all[i].value > 0)
			status =
				bench_counters_set(&row->counters, all[i].name, all[i].value, 0, e);
	return status;
}

/* Truncates what does not fit. */
static void append_label(struct bench_row *row, const char *prefix, const char *text)
{
	size_t used = strlen(row->label), left = sizeof(row->label) - used;

	if (*text &&
	    snprintf(row->label + used, left, "%s%s%s", used ? "; " : "", prefix, text) < 0)
		row->label[used] = '\0';
}

static void append_rate(struct bench_row *row, const char *prefix, enum peak rate)
{
	if (rate != PEAKS)
		append_label(row, prefix, peaks_name(rate));
}

static void make_label(const struct bench_case *c, struct bench_row *row, const struct batch *b)
{
	char throttle[96];

	append_label(row, "", c->label);
	if (c->work > 0)
		append_label(row, "work: ", c->work_unit);
	append_rate(row, "floor: ", c->bound_limit);
	append_rate(row, "operations: ", c->operations_rate);
	append_rate(row, "bytes: ", c->bytes_rate);
	if (runs_kernels(c) && b->energy.clock_known && b->energy.throttle) {
		energy_throttle_text(b->energy.throttle, throttle, sizeof(throttle));
		append_label(row, "throttled: ", throttle);
	}
	if (runs_kernels(c) && c->setting->devices.backend == DEV_HIP)
		append_label(row, "", "no clocks and energy: not on HIP");
}

static void set_provenance(struct bench_provenance *p, const struct bench_case *c)
{
	const struct build_info *b = build_info();

	snprintf(p->revision, sizeof(p->revision), "%s%s", b->revision, b->dirty ? "+" : "");
	snprintf(p->host, sizeof(p->host), "%s", c->setting->host ? c->setting->host : "");
	env_date(p->date);
}

/* The peaks since the case was set up; of the device that held most. */
static int add_memory(const struct bench_case *c, struct bench_row *row, struct err *e)
{
	const struct dev_set *devices = &c->setting->devices;
	uint64_t most = 0, host = host_memory_peak();
	int status = 0;

	for (int i = 0; i < devices->count; i++) {
		uint64_t peak = dev_memory_peak(devices->dev[i]);

		most = peak > most ? peak : most;
	}
	if (host)
		status = bench_counters_set(&row->counters, "host_memory_peak", (double)host, 0, e);
	if (status == 0)
		status = bench_counters_set(&row->counters, "device_memory_peak", (double)most, 0,
					    e);
	return status;
}

/* Hardware counters per iteration, as far as they are known. */
static int add_counts(const struct bench_case *c, const struct batch *b, struct bench_row *row,
		      struct err *e)
{
	const struct perf_choice *perf = &c->setting->perf;
	int status = 0;

	for (int i = 0; i < perf->count && status == 0; i++)
		if (b->perf[i] >= 0)
			status = bench_counters_set(&row->counters, perf_counter(perf, i),
						    b->perf[i] / (double)b->iterations, 0, e);
	return status;
}

static int add_ranks(const struct bench_case *c, struct bench_row *row, struct err *e)
{
	const struct bench_ranks *r = c->setting->ranks;
	int status;

	if (!r)
		return 0;
	status = bench_counters_set(&row->counters, "nodes", r->nodes, 0, e);
	return status ? status : bench_counters_set(&row->counters, "ranks", r->ranks, 0, e);
}

static int make_row(struct bench_case *c, const struct batch *b, struct bench_row *row,
		    struct err *e)
{
	double seconds = batch_seconds(c, b), n = (double)b->iterations;
	int status;

	*row = (struct bench_row){
		.run_name = c->name,
		.family_index = c->family_index,
		.instance_index = c->instance_index,
		.threads = 1,
		.iterations = b->iterations,
		.real_seconds = seconds / n,
		.cpu_seconds = b->cpu / n,
		.unit = c->unit,
		.counters = c->counters,
	};
	/* programs that read the file treat a zero as an error */
	if (seconds <= 0)
		return err_set(e, ERR_FAILED, "the measured time is 0 s");
	bench_row_energy(row, &b->energy, runs_kernels(c));
	status = add_ranks(c, row, e);
	if (status == 0)
		status = add_work(c, row, e);
	if (status == 0)
		status = add_memory(c, row, e);
	if (status == 0)
		status = add_demands(c, row, e);
	if (status == 0)
		status = add_counts(c, b, row, e);
	if (status == 0)
		status = bench_counters_finish(&row->counters, seconds, b->iterations, e);
	make_label(c, row, b);
	set_provenance(&row->from, c);
	return status;
}

/* One repetition of a case that is set up: the first one includes warm-up and the choice of the
 * number of iterations. Then the oracle checks the last answer. Fills the row. */
static int repeat(struct bench_case *c, const struct bench_timing *t, struct bench_row *row,
		  struct err *e)
{
	struct batch b;
	int status =
		c->iterations == 0 ? first_batch(c, t, &b, e) : run_batch(c, c->iterations, &b, e);

	if (status)
		return status;
	c->iterations = b.iterations;
	status = c->bench->check(c, e);
	if (status)
		return status;
	if (c->misuse.code) {
		*e = c->misuse;
		return e->code;
	}
	return make_row(c, &b, row, e);
}

/* ---- when a case has enough repetitions ---- */

enum { STOP_MOST = 10000 };

/* See struct bench_runner. */
struct stop_rule {
	int64_t repetitions;
	double precision, budget;
};

/* Whether the coefficients of variation after each of the last BENCH_STOP_WINDOW samples lie within
 * 5 % of their mean. More samples would then reduce the error only with the square root of their
 * number. */
static bool noise_is_stable(const double *x, int n)
{
	double cv[BENCH_STOP_WINDOW], mean;

	if (n < BENCH_STOP_WINDOW + BENCH_STOP_LEAST)
		return false;
	for (int i = 0; i < BENCH_STOP_WINDOW; i++)
		cv[i] = stat_cv(x, (size_t)(n - i));
	mean = stat_mean(cv, BENCH_STOP_WINDOW);
	return isfinite(mean) &&
	       stat_max(cv, BENCH_STOP_WINDOW) - stat_min(cv, BENCH_STOP_WINDOW) <= 0.05 * mean;
}

static bool stop_reached(const struct stop_rule *r, const struct bench_row *rows, int count)
{
	double *x, used = 0, error;
	bool stop;

	if (count < r->repetitions)
		return false;
	if (r->precision <= 0 || count >= STOP_MOST)
		return true;
	x = malloc((size_t)count * sizeof(*x));
	if (!x)
		return true;
	for (int i = 0; i < count; i++) {
		x[i] = rows[i].real_seconds;
		used += rows[i].real_seconds * (double)rows[i].iterations;
	}
	error = count >= BENCH_STOP_LEAST ? stat_relative_error(x, (size_t)count) : INFINITY;
	stop = used >= r->budget || error <= r->precision || noise_is_stable(x, count);
	free(x);
	return stop;
}

/* ---- order and outcome ---- */

int64_t bench_repetitions(const struct bench_runner *r, const struct bench_case *c)
{
	int own = c->bench->repetitions[c->setting->scale];

	if (r->timing.dry_run)
		return 1;
	if (c->repetitions > 0)
		return c->repetitions;
	if (r->repetitions > 0)
		return r->repetitions;
	return own > 0 ? own : 1;
}

static void tear_down(struct bench_case *c)
{
	if (c->ready) /* ranks that were lost show in the next order */
		(void)bench_on_ranks(c, BENCH_TEAR_DOWN, NULL);
}

/* A case that was skipped or failed keeps no rows. */
static void end_case(struct bench_case *c, enum bench_outcome outcome, const char *message)
{
	c->outcome = outcome;
	snprintf(c->message, sizeof(c->message), "%s", message);
	if (outcome != BENCH_DONE)
		c->row_count = 0;
}

static void end_with_error(struct bench_case *c, int status, const struct err *problem)
{
	bool skip = status == ERR_UNSUPPORTED || status == ERR_DEVICE;

	if (status == ERR_DEVICE)
		c->skip = (struct skip){ .reason = SKIP_DEVICE };
	end_case(c, skip ? BENCH_SKIPPED : BENCH_FAILED,
		 problem->text[0] ? problem->text : "failed without a message");
}

static void restart_memory(const struct bench_case *c)
{
	const struct dev_set *devices = &c->setting->devices;

	host_memory_restart();
	for (int i = 0; i < devices->count; i++)
		dev_memory_restart(devices->dev[i]);
}

static int set_up(struct bench_case *c, struct err *e)
{
	if (c->ready)
		return 0;
	c->counters.count = 0;
	c->label[0] = c->work_unit[0] = '\0';
	c->work = 0;
	bench_demands_clear(c);
	c->gpus = 0;
	c->skip = (struct skip){ .reason = SKIP_UNSUPPORTED };
	restart_memory(c);
	return bench_on_ranks(c, BENCH_SET_UP, e);
}

/* The runner's timing, with the benchmark's own minimum time unless the command line gave one. */
static struct bench_timing timing_of(const struct bench_runner *r, const struct bench_case *c)
{
	struct bench_timing t = r->timing;
	double own = c->bench->min_time[c->setting->scale];

	if (t.min_time.is_default && own > 0)
		t.min_time.seconds = own;
	return t;
}

/* Runs the case once on a simulated device, which shows only whether the answer is correct. */
static void simulate(struct bench_case *c)
{
	struct err e = { 0 };
	int status = bench_on_ranks(c, BENCH_RUN, &e);

	if (status == 0)
		status = c->bench->check(c, &e);
	if (status == 0 && c->misuse.code) {
		e = c->misuse;
		status = e.code;
	}
	if (status) {
		end_with_error(c, status, &e);
		return;
	}
	c->skip = (struct skip){ .reason = SKIP_SIMULATED };
	end_case(c, BENCH_SKIPPED, "simulated: answer correct, no time taken");
}

static void complete(struct bench_case *c)
{
	for (int i = 0; i < c->row_count; i++)
		c->rows[i].repetitions = c->row_count;
	end_case(c, BENCH_DONE, "");
}

bool bench_has_enough(const struct bench_runner *r, const struct bench_case *c)
{
	struct stop_rule rule = { .repetitions = bench_repetitions(r, c),
				  .precision = r->timing.dry_run ? 0 : r->precision,
				  .budget = r->budget };

	return c->row_count > 0 && stop_reached(&rule, c->rows, c->row_count);
}

static bool time_for(const struct bench_runner *r, const struct bench_case *c)
{
	double one;

	if (r->deadline <= 0)
		return true;
	one = bench_predict(r, c) / (double)bench_repetitions(r, c);
	return clock_wall() + fmax(one, 0) < r->deadline;
}

/* One repetition. Returns an error only if it ends the run; an error of the case ends the case. */
static int step(struct bench_runner *r, struct bench_case *c, struct err *e)
{
	struct bench_timing timing = timing_of(r, c);
	struct err problem = { 0 };
	struct bench_row row;
	int status;

	if (bench_has_enough(r, c)) { /* an earlier run was killed after the last row */
		complete(c);
		return 0;
	}
	if (r->starting)
		r->starting(r->ctx, c);
	status = set_up(c, &problem);
	if (status == 0 && runs_kernels(c) && c->setting->devices.backend == DEV_SIM) {
		simulate(c);
		return 0;
	}
	if (status == 0)
		status = repeat(c, &timing, &row, &problem);
	if (r->stop && *r->stop)
		return err_set(e, ERR_LIMIT, "interrupted");
	if (status) {
		end_with_error(c, status, &problem);
		return 0;
	}
	row.repetition_index = c->row_count;
	status = bench_case_add_row(c, &row, e);
	if (status)
		return status;
	if (bench_has_enough(r, c))
		complete(c);
	else if (r->measured)
		status = r->measured(r->ctx, c, e);
	return status;
}

static int finish(struct bench_runner *r, struct bench_case *c, struct err *e)
{
	return r->finished ? r->finished(r->ctx, c, e) : 0;
}

bool bench_to_run(const struct bench_runner *r, const struct bench_case *c)
{
	return c->outcome == BENCH_PENDING && (r->rank == 0 || c->rank <= r->rank);
}

static int pending(const struct bench_runner *r)
{
	int count = 0;

	for (int i = 0; i < r->plan->count; i++)
		count += bench_to_run(r, &r->plan->cases[i]);
	return count;
}

static int out_of_time(const struct bench_runner *r, struct err *e)
{
	return err_set(e, ERR_LIMIT, "out of time: %d of %d cases are left", pending(r),
		       r->plan->count);
}

static int run_in_order(struct bench_runner *r, struct err *e)
{
	int status = 0;

	for (int i = 0; i < r->plan->count && status == 0; i++) {
		struct bench_case *c = &r->plan->cases[i];

		while (bench_to_run(r, c) && status == 0 && time_for(r, c))
			status = step(r, c, e);
		tear_down(c);
		if (status == 0 && c->outcome != BENCH_PENDING)
			status = finish(r, c, e);
	}
	return status == 0 && pending(r) ? out_of_time(r, e) : status;
}

static void shuffle(int *order, int count, struct rng *rng)
{
	for (int i = count - 1; i > 0; i--) {
		int j = (int)rng_below(rng, (uint64_t)i + 1), swapped = order[i];

		order[i] = order[j];
		order[j] = swapped;
	}
}

/* A round is one repetition of every pending case, in a new random order. Each case gets exactly
 * the repetitions that it would get without interleaving. It is set up for each repetition, because
 * all cases at once may not fit in memory. */
static int run_round(struct bench_runner *r, const int *order, int count, struct err *e)
{
	int status = 0, begun = 0;

	for (int i = 0; i < count && status == 0; i++) {
		struct bench_case *c = &r->plan->cases[order[i]];

		if (!time_for(r, c))
			continue;
		begun++;
		status = step(r, c, e);
		tear_down(c);
		if (status == 0 && c->outcome != BENCH_PENDING)
			status = finish(r, c, e);
	}
	return status == 0 && begun == 0 ? out_of_time(r, e) : status;
}

static int run_interleaved(struct bench_runner *r, struct err *e)
{
	struct rng rng = rng_seeded(r->seed);
	int *order = malloc(((size_t)r->plan->count + 1) * sizeof(*order)), status = 0;

	if (!order)
		return err_set(e, ERR_MEMORY, "out of memory");
	for (int i = 0; i < r->plan->count && status == 0; i++)
		if (r->plan->cases[i].outcome != BENCH_PENDING)
			status = finish(r, &r->plan->cases[i], e);
	while (status == 0) {
		int count = 0;

		for (int i = 0; i < r->plan->count; i++)
			if (bench_to_run(r, &r->plan->cases[i]))
				order[count++] = i;
		if (count == 0)
			break;
		shuffle(order, count, &rng);
		status = run_round(r, order, count, e);
	}
	free(order);
	return status;
}

int bench_run_plan(struct bench_runner *r, struct err *e)
{
	struct err ignored;

	e = e ? e : &ignored;
	return r->interleave ? run_interleaved(r, e) : run_in_order(r, e);
}

/* The predicted seconds of the repetitions that the case does not have yet. */
static double still_to_take(const struct bench_runner *r, const struct bench_case *c)
{
	double all = (double)bench_repetitions(r, c);

	return bench_has_enough(r, c) ? 0 : bench_predict(r, c) * fmax(0, 1 - c->row_count / all);
}

void bench_leave_out(const struct bench_runner *r)
{
	char message[160], takes[32];

	for (int i = 0; r->longest > 0 && i < r->plan->count; i++) {
		struct bench_case *c = &r->plan->cases[i];
		double seconds = c->outcome == BENCH_PENDING ? still_to_take(r, c) : 0;

		if (seconds <= r->longest)
			continue;
		progress_duration(seconds, takes, sizeof(takes));
		snprintf(message, sizeof(message),
			 "would take about %s, longer than the %g s of --copra_longest", takes,
			 r->longest);
		c->skip = (struct skip){ SKIP_TOO_LONG, seconds, r->longest };
		end_case(c, BENCH_SKIPPED, message);
		c->left_out = true;
	}
}

struct shard_case {
	double seconds;
	int index; /* in the plan */
};

static int longest_first(const void *a, const void *b)
{
	const struct shard_case *x = a, *y = b;

	if (x->seconds != y->seconds)
		return x->seconds > y->seconds ? -1 : 1;
	return x->index - y->index;
}

/* Seconds that the case will take; 0 if it cannot run or is too long to be run; -1 if not known. */
static double share_of_time(const struct bench_runner *r, const struct bench_case *c)
{
	double seconds = bench_predict(r, c);

	return seconds < 0 ? -1 : r->longest > 0 && seconds > r->longest ? 0 : seconds;
}

struct shard_load {
	double seconds;
	int cases;    /* all */
	int alike[2]; /* those of no time, and those of unknown time */
};

/* The shard that gets the case: that with the least time or, if the time is 0 or unknown, with the
 * fewest such cases. */
static int shard_for(const struct shard_load *loads, int count, double seconds)
{
	int least = 0;

	for (int j = 1; j < count; j++) {
		const struct shard_load *a = &loads[j], *b = &loads[least];
		int fewer = seconds > 0 ? 0 : a->alike[seconds < 0] - b->alike[seconds < 0];

		if (fewer < 0 ||
		    (fewer == 0 && (a->seconds < b->seconds ||
				    (a->seconds == b->seconds && a->cases < b->cases))))
			least = j;
	}
	return least;
}

int bench_keep_shard(const struct bench_runner *r, struct bench_plan *p, struct bench_shard shard,
		     struct err *e)
{
	struct shard_load *loads = calloc((size_t)shard.count, sizeof(*loads));
	struct shard_case *order = malloc(((size_t)p->count + 1) * sizeof(*order));
	bool *kept = calloc((size_t)p->count + 1, sizeof(*kept));
	int status = loads && order && kept ? 0 : err_set(e, ERR_MEMORY, "out of memory");
	int count = 0;

	for (int i = 0; i < p->count && status == 0; i++)
		order[i] = (struct shard_case){ share_of_time(r, &p->cases[i]), i };
	if (status == 0)
		qsort(order, (size_t)p->count, sizeof(*order), longest_first);
	for (int i = 0; i < p->count && status == 0; i++) {
		double seconds = order[i].seconds;
		int to = shard_for(loads, shard.count, seconds);

		loads[to].seconds += fmax(0, seconds);
		loads[to].cases++;
		if (seconds <= 0)
			loads[to].alike[seconds < 0]++;
		kept[order[i].index] = to == shard.number - 1;
	}
	if (status == 0) { /* no case has rows yet */
		for (int i = 0; i < p->count; i++)
			if (kept[i])
				p->cases[count++] = p->cases[i];
		p->count = count;
	}
	free(loads);
	free(order);
	free(kept);
	return status;
}

/* Whether the case will be skipped because it needs more devices. */
static bool lacks_devices(const struct bench_case *c)
{
	const struct bench_parameter *gpus = bench_parameter(c, "gpus", BENCH_INT);
	int64_t needs = gpus && gpus->number > 1 ? gpus->number : 1;

	return runs_kernels(c) && c->setting->devices.count < needs;
}

double bench_predict(const struct bench_runner *r, const struct bench_case *c)
{
	const struct bench_timing timing = timing_of(r, c), *t = &timing;
	double one, repetitions = (double)bench_repetitions(r, c), first, next;

	if (lacks_devices(c))
		return 0;
	if (!c->bench->estimate)
		return -1;
	one = c->bench->estimate(c);
	if (!(one >= 0))
		return -1;
	if (t->dry_run || (runs_kernels(c) && c->setting->devices.backend == DEV_SIM))
		return one;
	if (t->min_time.is_iterations) {
		first = next = one * (double)t->min_time.iterations;
	} else {
		/* short cases run for 1.4 times the minimum time, after shorter trials */
		next = one >= t->min_time.seconds ? one : fmax(one, 1.4 * t->min_time.seconds);
		first = one >= t->min_time.seconds ? one : 1.3 * next;
	}
	return t->min_warmup_time + first + (repetitions - 1) * next;
}
