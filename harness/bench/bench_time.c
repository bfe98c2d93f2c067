/* One repetition: how many iterations, what they took, and whether the answer is right. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/bench/bench_run.h"
#include "harness/base/clock.h"

static const int64_t most_iterations = 1000000000;

struct batch {
	int64_t iterations;
	double wall, cpu, manual; /* seconds of all iterations */
	struct energy_reading energy;
};

/* The time that counts: the benchmark's own where it takes it itself, else wall time. */
static double batch_seconds(const struct bench_case *c, const struct batch *b)
{
	return c->manual ? b->manual : b->wall;
}

bool bench_case_uses_device(const struct bench_case *c)
{
	return c->bench->uses_device && c->bench->uses_device(c);
}

static int stopped(const struct bench_case *c, struct err *e)
{
	if (c->setting->stop && *c->setting->stop)
		return err_set(e, ERR_LIMIT, "interrupted");
	return 0;
}

/* One call of run() with the checks of the interface around it. */
static int iterate(struct bench_case *c, double *manual, struct err *e)
{
	int status;

	c->manual_seconds = -1;
	status = c->bench->run(c, e);
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

static struct energy_meter *meter_of(const struct bench_case *c)
{
	return bench_case_uses_device(c) ? c->setting->device_meter : c->setting->host_meter;
}

static int run_batch(struct bench_case *c, int64_t iterations, struct batch *b, struct err *e)
{
	struct energy_meter *meter = meter_of(c);
	double wall, cpu;
	int status = 0;

	*b = (struct batch){ .iterations = iterations };
	bench_counters_restart(&c->counters);
	if (meter)
		energy_begin(meter, c->gpus > 0 ? c->gpus : ENERGY_ALL);
	cpu = clock_process_cpu();
	wall = clock_wall();
	for (int64_t i = 0; i < iterations && status == 0; i++) {
		status = iterate(c, &b->manual, e);
		if (status == 0)
			status = stopped(c, e);
	}
	b->wall = clock_wall() - wall;
	b->cpu = clock_process_cpu() - cpu;
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

/* A benchmark's own time may be a small part of what an iteration costs; its iterations then end at
 * this many times the least time by the wall clock. */
static const double wall_most = 2;

/* Long enough: the time asked for has been measured, or that much wall time has passed. */
static bool is_significant(const struct bench_case *c, const struct batch *b, double min_time)
{
	return b->iterations >= most_iterations || batch_seconds(c, b) >= min_time ||
	       b->wall >= wall_most * min_time;
}

/* Aims 40 % beyond the time asked for; at most tenfold steps while the measured time is still too
 * short (under a tenth of it) to extrapolate from. Google Benchmark's rule. */
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

void bench_row_energy(struct bench_row *row, const struct energy_reading *r, bool device)
{
	double n = (double)row->iterations;

	if (device && r->gpu_known)
		bench_counters_set(&row->counters, "joules", r->gpu_joules / n, 0, NULL);
	if (r->cpu_known)
		bench_counters_set(&row->counters, device ? "cpu_joules" : "joules",
				   r->cpu_joules / n, 0, NULL);
	if (device && r->clock_known) {
		bench_counters_set(&row->counters, "sm_clock_mhz", r->sm_clock_mhz, 0, NULL);
		bench_counters_set(&row->counters, "sm_clock_low", energy_clock_low(r), 0, NULL);
		bench_counters_set(&row->counters, "throttle_reasons", (double)r->throttle, 0,
				   NULL);
	}
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
	if (status == 0 && c->floor_seconds > 0) {
		status =
			bench_counters_set(&row->counters, "floor_seconds", c->floor_seconds, 0, e);
		if (status == 0)
			status = bench_counters_set(&row->counters, "floor_ratio",
						    row->real_seconds / c->floor_seconds, 0, e);
	}
	return status;
}

/* Cut where it does not fit. */
static void append_label(struct bench_row *row, const char *prefix, const char *text)
{
	size_t used = strlen(row->label), left = sizeof(row->label) - used;

	if (*text &&
	    snprintf(row->label + used, left, "%s%s%s", used ? "; " : "", prefix, text) < 0)
		row->label[used] = '\0';
}

static void make_label(const struct bench_case *c, struct bench_row *row, const struct batch *b)
{
	char throttle[96];

	append_label(row, "", c->label);
	if (c->work > 0)
		append_label(row, "work: ", c->work_unit);
	append_label(row, "floor: ", c->floor_limit);
	if (bench_case_uses_device(c) && b->energy.clock_known && b->energy.throttle) {
		energy_throttle_text(b->energy.throttle, throttle, sizeof(throttle));
		append_label(row, "throttled: ", throttle);
	}
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
	/* a zero would be taken for an error by readers of the file */
	if (seconds <= 0)
		return err_set(e, ERR_FAILED, "no time was measured (0 s)");
	bench_row_energy(row, &b->energy, bench_case_uses_device(c));
	status = add_work(c, row, e);
	if (status == 0)
		status = bench_counters_finish(&row->counters, seconds, b->iterations, e);
	make_label(c, row, b);
	return status;
}

int bench_repeat(struct bench_case *c, const struct bench_timing *t, struct bench_row *row,
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
