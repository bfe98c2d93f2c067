/* Order, set-up, repetitions, and what becomes of a case that fails. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/bench_run.h"
#include "harness/base/clock.h"
#include "harness/base/progress.h"
#include "harness/base/rng.h"

int64_t bench_repetitions(const struct bench_runner *r, const struct bench_case *c)
{
	int own = c->bench->repetitions[c->setting->scale];

	if (r->timing.dry_run)
		return 1;
	if (r->repetitions > 0)
		return r->repetitions;
	return own > 0 ? own : 1;
}

static void tear_down(struct bench_case *c)
{
	if (c->ready && c->bench->teardown)
		c->bench->teardown(c);
	c->ready = false;
	c->data = NULL;
}

/* No row of a case that went wrong stays. */
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
		 problem->text[0] ? problem->text : "failed without a reason");
}

static int set_up(struct bench_case *c, struct err *e)
{
	int status;

	if (c->ready)
		return 0;
	c->counters.count = 0;
	c->label[0] = c->work_unit[0] = c->floor_limit[0] = '\0';
	c->work = c->floor_seconds = 0;
	c->gpus = 0;
	c->skip = (struct skip){ .reason = SKIP_UNSUPPORTED };
	status = c->bench->setup ? c->bench->setup(c, e) : 0;
	c->ready = status == 0;
	return status;
}

/* The runner's, with the benchmark's own least time where the command line gave none. */
static struct bench_timing timing_of(const struct bench_runner *r, const struct bench_case *c)
{
	struct bench_timing t = r->timing;
	double own = c->bench->min_time[c->setting->scale];

	if (t.min_time.is_default && own > 0)
		t.min_time.seconds = own;
	return t;
}

/* A simulated device shows that the answer is right; its time means nothing. */
static void simulate(struct bench_case *c)
{
	struct err e = { 0 };
	int status = c->bench->run(c, &e);

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

static bool has_enough(const struct bench_runner *r, const struct bench_case *c)
{
	struct bench_stop_rule rule = { .repetitions = bench_repetitions(r, c),
					.precision = r->timing.dry_run ? 0 : r->precision,
					.budget = r->budget };

	return c->row_count > 0 && bench_stop_reached(&rule, c->rows, c->row_count);
}

static bool time_for(const struct bench_runner *r, const struct bench_case *c)
{
	double one;

	if (r->deadline <= 0)
		return true;
	one = bench_predict(r, c) / (double)bench_repetitions(r, c);
	return clock_wall() + fmax(one, 0) < r->deadline;
}

/* One repetition. Returns an error only for what ends the run; the case's own go to the case. */
static int step(struct bench_runner *r, struct bench_case *c, struct err *e)
{
	struct bench_timing timing = timing_of(r, c);
	struct err problem = { 0 };
	struct bench_row row;
	int status;

	if (has_enough(r, c)) { /* an earlier run was killed between the last row and the end */
		complete(c);
		return 0;
	}
	if (r->starting)
		r->starting(r->ctx, c);
	status = set_up(c, &problem);
	if (status == 0 && bench_case_uses_device(c) && c->setting->devices.backend == DEV_SIM) {
		simulate(c);
		return 0;
	}
	if (status == 0)
		status = bench_repeat(c, &timing, &row, &problem);
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
	if (has_enough(r, c))
		complete(c);
	else if (r->measured)
		status = r->measured(r->ctx, c, e);
	return status;
}

static int finish(struct bench_runner *r, struct bench_case *c, struct err *e)
{
	return r->finished ? r->finished(r->ctx, c, e) : 0;
}

static int pending(const struct bench_plan *p)
{
	int count = 0;

	for (int i = 0; i < p->count; i++)
		count += p->cases[i].outcome == BENCH_PENDING;
	return count;
}

static int out_of_time(const struct bench_plan *p, struct err *e)
{
	return err_set(e, ERR_LIMIT, "out of time: %d of %d cases are left", pending(p), p->count);
}

static int run_in_order(struct bench_runner *r, struct err *e)
{
	int status = 0;

	for (int i = 0; i < r->plan->count && status == 0; i++) {
		struct bench_case *c = &r->plan->cases[i];

		while (c->outcome == BENCH_PENDING && status == 0 && time_for(r, c))
			status = step(r, c, e);
		tear_down(c);
		if (status == 0 && c->outcome != BENCH_PENDING)
			status = finish(r, c, e);
	}
	return status == 0 && pending(r->plan) ? out_of_time(r->plan, e) : status;
}

static void shuffle(int *order, int count, struct rng *rng)
{
	for (int i = count - 1; i > 0; i--) {
		int j = (int)rng_below(rng, (uint64_t)i + 1), swapped = order[i];

		order[i] = order[j];
		order[j] = swapped;
	}
}

/* A round is one repetition of every case that is not finished, in a new random order; each gets
 * exactly the repetitions that it would get alone. A case is set up for each repetition, since all
 * of them at once may not fit in memory. */
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
	return status == 0 && begun == 0 ? out_of_time(r->plan, e) : status;
}

static int run_interleaved(struct bench_runner *r, struct err *e)
{
	struct rng rng = rng_seeded(r->seed);
	int *order = malloc(((size_t)r->plan->count + 1) * sizeof(*order)), status = 0;

	if (!order)
		return err_set(e, ERR_MEMORY, "no memory for the order of the cases");
	for (int i = 0; i < r->plan->count && status == 0; i++)
		if (r->plan->cases[i].outcome != BENCH_PENDING)
			status = finish(r, &r->plan->cases[i], e);
	while (status == 0) {
		int count = 0;

		for (int i = 0; i < r->plan->count; i++)
			if (r->plan->cases[i].outcome == BENCH_PENDING)
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

/* What it would take without the rows that it has. */
static double still_to_take(const struct bench_runner *r, const struct bench_case *c)
{
	double all = (double)bench_repetitions(r, c);

	return has_enough(r, c) ? 0 : bench_predict(r, c) * fmax(0, 1 - c->row_count / all);
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

/* It will be skipped for that, whatever it would take. */
static bool lacks_devices(const struct bench_case *c)
{
	const struct bench_parameter *gpus = bench_parameter(c, "gpus", BENCH_INT);
	int64_t needs = gpus && gpus->number > 1 ? gpus->number : 1;

	return bench_case_uses_device(c) && c->setting->devices.count < needs;
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
	if (t->dry_run || (bench_case_uses_device(c) && c->setting->devices.backend == DEV_SIM))
		return one;
	if (t->min_time.is_iterations) {
		first = next = one * (double)t->min_time.iterations;
	} else {
		/* short ones are run 1.4 times the least time, after trials that add up to less */
		next = one >= t->min_time.seconds ? one : fmax(one, 1.4 * t->min_time.seconds);
		first = one >= t->min_time.seconds ? one : 1.3 * next;
	}
	return t->min_warmup_time + first + (repetitions - 1) * next;
}
