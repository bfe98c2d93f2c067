/* The synthetic model: iterations, then a recovery of states from all layers, all checked. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/rng.h"
#include "datasets/recognise.h"
#include "algorithms/koester-recovery/solve_options.h"
#include "algorithms/koester-recovery/verify.h"

enum { SAMPLES = 8, RECOVERED = 16, STATES = 16384, ITERATIONS = 16 };
/* An assignment cannot be stopped: it takes some 0.1 s at most. */
enum { LOAD_MAX = 1000000, WORK_MAX = 1 << 27 };

/* --instance ROWSxCOLUMNS */
static int parse_matrix(const char *text, uint32_t *rows, uint32_t *columns, struct err *e)
{
	unsigned r, c;
	int end = 0;

	if (strpbrk(text, "+- ") || sscanf(text, "%4ux%4u%n", &r, &c, &end) != 2 || text[end] ||
	    r < 1 || c < 1)
		return err_set(e, ERR_USAGE, "--instance: '%s' is no matrix; as 16x16", text);
	*rows = r;
	*columns = c;
	return 0;
}

static int make_setup(const struct track_solve_options *o, struct synthetic_setup *s, struct err *e)
{
	static const char *const schedules[] = { "printed", "together", "each", NULL };
	enum solve_variant v = o->common.variant;
	int64_t load_most;
	int schedule, status;

	*s = synthetic_setup_default();
	status = flag_choose(&schedule, "schedule", o->schedule, schedules, e);
	if (!status) {
		status = parse_matrix(o->common.instance, &s->model.rows, &s->model.columns, e);
		if (status)
			recognise_hint(o->common.target, o->common.instance, 0, e);
	}
	if (!status)
		status = track_solve_archive(o, &s->archive, e);
	if (status)
		return status;
	s->schedule = (enum synthetic_schedule)schedule;
	load_most = WORK_MAX / ((int64_t)s->model.rows * s->model.columns * s->model.columns);
	load_most = load_most < 1 ? 1 : load_most > LOAD_MAX ? LOAD_MAX : load_most;
	if (o->load > load_most)
		return err_set(e, ERR_USAGE,
			       "--load: at most %" PRId64 " products of such matrices", load_most);
	s->model.load = o->load ? (uint32_t)o->load : s->model.load;
	s->model.state_bytes = o->state_bytes ?
				       (uint32_t)o->state_bytes :
				       s->model.rows * s->model.columns * (uint32_t)sizeof(float);
	if (o->break_probability.given)
		s->model.break_probability = o->break_probability.value;
	s->model.seed = s->seed = o->common.seed;
	s->states = o->states ? (uint32_t)o->states : STATES;
	s->beam = o->beam ? (uint32_t)o->beam : (s->states - 1) / 16 + 1;
	if (s->beam > s->states)
		return err_set(e, ERR_USAGE, "--beam %" PRIu32 " is above --states %" PRIu32,
			       s->beam, s->states);
	if (o->fill_rate.given)
		s->fill_rate = o->fill_rate.value;
	if (o->look_ahead > 32)
		return err_set(e, ERR_USAGE, "--look-ahead: at most 32 steps");
	s->look_ahead = o->look_ahead ? (uint32_t)o->look_ahead : s->look_ahead;
	s->engine = v == SOLVE_SERIAL || v == SOLVE_PUBLISHED ? TRACK_PUBLISHED : TRACK_TUNED;
	s->stop = o->common.stop;
	return 0;
}

/* Until all iterations are made, or the time is over. */
static int iterate(const struct track_solve_options *o, struct synthetic_run *run, bool *stopped,
		   struct err *e)
{
	uint32_t iterations = o->iterations ? (uint32_t)o->iterations : ITERATIONS;
	int status = 0;

	for (uint32_t i = 0; !status && i < iterations && !*stopped; i++) {
		status = synthetic_run_iterate(run, 1, e);
		*stopped = status == ERR_LIMIT || *o->common.stop;
		status = status == ERR_LIMIT ? 0 : status;
	}
	return status;
}

/* States of random layers and slots come back as they were. */
static int recover(struct synthetic_run *run, uint32_t most, struct err *e)
{
	struct history_node targets[RECOVERED];
	uint32_t layers = track_layer(run->tracker) + 1, slots = run->setup.beam;
	struct rng random = rng_seeded(run->setup.seed);
	unsigned char *states = malloc((size_t)most * run->setup.model.state_bytes);
	uint32_t count = run->setup.states < most ? run->setup.states : most;
	int status;

	if (!states)
		return err_set(e, ERR_MEMORY, "no memory for the states recovered");
	for (uint32_t i = 0; i < count; i++) {
		targets[i].layer = (uint32_t)rng_below(&random, layers);
		targets[i].slot = (uint32_t)rng_below(&random, slots);
	}
	status = track_recover(run->tracker, targets, count, states, e);
	if (!status)
		status = synthetic_verify_states(run, targets, count, states, e);
	free(states);
	return status;
}

/* How many states can be checked at once with some 0.3 s of work; 0: the checks take longer. */
static uint32_t quick_checks(const struct synthetic_run *run)
{
	const struct synthetic_setup *s = &run->setup;
	const double work = 1 << 28, share = 2;
	double product = (double)s->model.rows * s->model.columns * s->model.columns;
	double step = product * (1 + (double)s->model.load);
	double sample = step * ((double)run->iterations + s->look_ahead);
	double together = s->schedule == SYNTHETIC_TOGETHER ? step * s->states * s->look_ahead : 0;

	return together > work || sample * share > work ?
		       0 :
		       (uint32_t)fmin(work / share / sample, RECOVERED);
}

/* A sample of the last layer, and states that come back. After a stop there is little time: as many
 * as that allows, and none where a cancelled device has lost them. */
static int check_states(struct synthetic_run *run, bool stopped, bool *checked, struct err *e)
{
	uint32_t most = stopped ? quick_checks(run) : RECOVERED;
	int status = 0;

	*checked = most > 0;
	if (!most)
		return 0;
	status = synthetic_verify(run, most < SAMPLES ? most : SAMPLES, e);
	if (!status)
		status = recover(run, most, e);
	*checked = !status;
	return stopped && status == ERR_LIMIT ? 0 : status;
}

static void present(struct synthetic_run *run, const struct track_places *places, bool stopped,
		    bool checked, struct solve_result *r)
{
	struct track_figures f;

	track_figures(run->tracker, &f);
	r->status = stopped ? SOLVE_LIMIT : SOLVE_FEASIBLE;
	solve_node_figure(r, "children", (double)f.children);
	solve_extra_figure(r, "iterations", (double)run->iterations);
	solve_extra_figure(r, "memory_peak", (double)track_places_peak(places));
	track_solve_figures(&f, r);
	snprintf(r->instance, sizeof(r->instance), "%" PRIu32 "x%" PRIu32, run->setup.model.rows,
		 run->setup.model.columns);
	snprintf(r->note, sizeof(r->note), "%" PRIu64 " iterations of %" PRIu32 " states; %s",
		 run->iterations, run->setup.states,
		 checked ? "states of all layers recovered and checked" :
			   "stopped: the states were not checked");
}

int track_solve_synthetic(const struct track_solve_options *o, struct solve_result *r,
			  struct err *e)
{
	double began = clock_wall();
	struct synthetic_setup s;
	struct track_places places = { 0 };
	struct synthetic_run run = { 0 };
	bool stopped = false, checked = false;
	int status = make_setup(o, &s, e);

	if (!status)
		status = track_solve_places(o, s.archive.recovery, o->memory, &places, e);
	s.archive.peer = places.peer;
	if (!status)
		status = synthetic_run_open(&run, &s, &places, e);
	if (!status)
		status = iterate(o, &run, &stopped, e);
	r->seconds_search = clock_wall() - began;
	if (!status)
		status = check_states(&run, stopped, &checked, e);
	if (!status) {
		r->verified = checked;
		present(&run, &places, stopped, checked, r);
		if (stopped)
			status = err_set(e, ERR_LIMIT, "stopped in iteration %" PRIu64,
					 run.iterations + 1);
	}
	r->seconds_total = clock_wall() - began;
	synthetic_run_close(&run);
	track_places_close(&places);
	return status;
}
