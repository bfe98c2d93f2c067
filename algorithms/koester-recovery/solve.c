/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* `solve` of pfsp, samegame and synthetic, and `list`. */
#include "algorithms/koester-recovery/solve.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/koester-recovery/case.h"
#include "algorithms/koester-recovery/ladder.h"
#include "algorithms/koester-recovery/problems/verify.h"
#include "algorithms/tree-search/flowshop/fsp_solve.h"
#include "algorithms/koester-recovery/problems/search.h"
#include "algorithms/koester-recovery/states/place.h"
#include "datasets/recognise.h"
#include "datasets/samegame/samegame.h"
#include "harness/base/clock.h"
#include "harness/base/rng.h"

enum { THREADS_MAX = 256 };

struct track_share { /* 0 to 1 */
	double value;
	bool given;
};

/* Options that are not given are 0 or NULL. */
struct track_solve_options {
	struct solve_options common;
	int64_t beam;
	uint64_t memory; /* bytes */
	const char *recovery, *cache;
	int64_t distance, adapt;
	uint64_t budget[TRACK_TIERS]; /* bytes; 0: not given */
	struct track_share fill_rate;
	int64_t look_ahead;
	/* pfsp and samegame */
	int64_t rounds;
	const char *guide, *branching, *format;
	/* synthetic */
	int64_t states, load, state_bytes, iterations;
	struct track_share break_probability;
	const char *schedule;
};

/* ---- values ---- */

static int parse_number(void *value, const char *text, struct err *e)
{
	int64_t n = 0;

	if (flag_parse_int(&n, text, NULL) || n < 1 || n > UINT32_MAX)
		return err_set(e, ERR_USAGE, "'%s' is not a number from 1 to %" PRIu32, text,
			       UINT32_MAX);
	*(int64_t *)value = n;
	return 0;
}

static int parse_share(void *value, const char *text, struct err *e)
{
	struct track_share *share = value;

	if (flag_parse_real(&share->value, text, NULL) || share->value < 0 || share->value > 1)
		return err_set(e, ERR_USAGE, "'%s' is not a number from 0 to 1", text);
	share->given = true;
	return 0;
}

/* ---- options and places ---- */

/* --recovery, --cache, --distance, --adapt and the budgets. */
static int read_archive(const struct track_solve_options *o, struct track_archive_options *a,
			struct err *e)
{
	static const char *const cache[] = { "on", "off", NULL };
	int recovery, off, status;
	bool adaptive, steps, budgets = false;

	status = flag_choose(&recovery, "recovery", o->recovery, track_recovery_words, e);
	if (!status)
		status = flag_choose(&off, "cache", o->cache, cache, e);
	if (status)
		return status;
	adaptive = recovery == TRACK_RECOVERY_ADAPTIVE;
	steps = recovery == TRACK_RECOVERY_CHECKPOINT || adaptive;
	if (o->distance && !steps)
		return err_set(e, ERR_USAGE,
			       "--distance requires --recovery checkpoint or adaptive");
	if (o->adapt && !adaptive)
		return err_set(e, ERR_USAGE, "--adapt requires --recovery adaptive");
	for (int t = 0; t < TRACK_TIERS; t++)
		budgets = budgets || o->budget[t];
	if (budgets && recovery != TRACK_RECOVERY_MULTISTAGE)
		return err_set(e, ERR_USAGE,
			       "--budget-device, -peer, -pinned and -pageable require --recovery "
			       "multistage");
	*a = (struct track_archive_options){
		.recovery = (enum track_recovery)recovery,
		.cache = !off,
		.distance = o->distance ? (uint32_t)o->distance : 8,
		.adapt = o->adapt ? (uint32_t)o->adapt : 2,
	};
	memcpy(a->budget, o->budget, sizeof(a->budget));
	return 0;
}

/* Opens the places of the variant, or only the first. With --recovery peer or --budget-peer, one
 * more device stores states. */
static int open_places(const struct track_solve_options *o, enum track_recovery recovery,
		       uint64_t limit, bool first, struct track_places *p, struct err *e)
{
	const struct solve_options *c = &o->common;
	int given = c->devices.count, threads = c->variant == SOLVE_SERIAL ? 1 : (int)c->threads;
	bool peer = given > 0 && (recovery == TRACK_RECOVERY_PEER || o->budget[TRACK_TIER_PEER]);
	int gpus = c->gpus > 0 ? (int)c->gpus : given - (peer && given > 1);

	gpus = first && gpus > 1 ? 1 : gpus;
	if (c->as_pays) /* only the first has started */
		(void)dev_set_start(&c->devices, gpus + peer);
	return track_places_open(p, &c->devices, gpus, peer, threads, limit, e);
}

static void report_figures(const struct track_figures *f, struct solve_result *r)
{
	struct measure all[TRACK_MEASURED];
	int count = track_measures(f, all);

	solve_measures(r, all, count);
}

/* ==== beam searches: flowshop and SameGame ==== */

static enum track_engine engine_of(enum solve_variant v)
{
	return v == SOLVE_SERIAL || v == SOLVE_PUBLISHED ? TRACK_PUBLISHED : TRACK_TUNED;
}

static int make_request(const struct track_solve_options *o, bool first,
			struct track_places *places, struct track_request *q, struct err *e)
{
	const struct solve_options *c = &o->common;
	int status;

	if (o->rounds > UINT32_MAX)
		return err_set(e, ERR_USAGE, "--rounds: at most %" PRIu32, UINT32_MAX);
	*q = (struct track_request){
		.engine = engine_of(c->variant),
		.serial = c->variant == SOLVE_SERIAL,
		.beam = (uint32_t)o->beam,
		.memory = o->memory,
		.fill_rate = o->fill_rate.given ? o->fill_rate.value : 0.6,
		.look_ahead = (uint32_t)o->look_ahead,
		.rounds = (uint32_t)o->rounds,
		.seed = c->seed,
		.stop = c->stop,
		.watch = c->watch,
	};
	status = read_archive(o, &q->archive, e);
	if (!status)
		status = open_places(o, q->archive.recovery, o->memory, first, places, e);
	if (status)
		return status;
	q->time_limit = solve_time_left(c); /* the start of devices took some of it */
	q->places = places->at;
	q->place_count = places->count;
	q->archive.peer = places->peer;
	return 0;
}

/* Moves the solution to the result. */
static void present(struct track_outcome *out, struct solve_result *r)
{
	r->status = out->stopped ? SOLVE_LIMIT : SOLVE_FEASIBLE;
	r->has_objective = out->found;
	r->objective = out->objective;
	r->solution = out->solution;
	r->solution_length = out->length;
	out->solution = NULL;
	r->seconds_total += out->seconds_total;
	r->seconds_search = out->seconds_search;
	solve_node_figure(r, "children", (double)out->figures.children);
	solve_extra_figure(r, "beam", out->beam);
	solve_extra_figure(r, "layers", out->layers);
	solve_extra_figure(r, "recovered", (double)out->recovered);
	solve_extra_figure(r, "memory_peak", (double)out->memory_peak);
	report_figures(&out->figures, r);
	snprintf(r->note, sizeof(r->note), "%" PRIu32 " layers of at most %" PRIu32 " states",
		 out->layers, out->beam);
}

/* Verifies the solution, also after a stop. ERR_LIMIT if the search stopped without a solution. */
static int finish(int status,
		  int (*verify)(const void *instance, const struct track_outcome *o, struct err *e),
		  const void *instance, struct track_outcome *out, struct solve_result *r,
		  struct err *e)
{
	int wrong;

	if (status && status != ERR_LIMIT)
		return status;
	if (status == ERR_LIMIT && !out->found)
		return err_set(e, ERR_LIMIT, "stopped before anything was found");
	wrong = verify(instance, out, e);
	r->verified = !wrong;
	if (wrong)
		return wrong;
	out->stopped = out->stopped || status == ERR_LIMIT;
	present(out, r);
	return status;
}

static int verify_pfsp(const void *instance, const struct track_outcome *o, struct err *e)
{
	return track_verify_pfsp(instance, o, e);
}

static int verify_samegame(const void *instance, const struct track_outcome *o, struct err *e)
{
	return track_verify_samegame(instance, o, e);
}

/* ---- flowshop ---- */

static int pfsp_flags(const struct track_solve_options *o, struct track_pfsp_options *p,
		      struct err *e)
{
	static const char *const guides[] = { "bound", "idle", "bound-idle", "gap", NULL };
	static const char *const branchings[] = { "forward", "both-ends", NULL };
	int guide, branching, status;

	status = flag_choose(&guide, "guide", o->guide ? o->guide : "bound-idle", guides, e);
	if (!status)
		status = flag_choose(&branching, "branching",
				     o->branching ? o->branching : "both-ends", branchings, e);
	if (status)
		return status;
	p->guide = (enum track_pfsp_guide)guide;
	p->branching = (enum track_pfsp_branching)branching;
	return 0;
}

/* Adds a note if the makespan is below the best known value. */
static void compare_with_list(const struct flowshop *f, struct solve_result *r)
{
	const struct flowshop_known *known = flowshop_known_of(f);
	char why[256];

	if (known && r->has_objective &&
	    flowshop_compare(known, r->objective, 0, why, sizeof(why)) ==
		    FLOWSHOP_DIFFERS_FROM_LIST)
		solve_note_line(r, "%s", why);
}

/* Whether every device can read the memory of the others, which a beam on several needs. */
static bool share_memory(const struct track_places *p)
{
	for (int a = 0; a < p->count; a++)
		for (int b = 0; b < p->count; b++)
			if (p->at[a]->device != p->at[b]->device &&
			    dev_enable_peer(p->at[a]->device, p->at[b]->device, NULL))
				return false;
	return true;
}

/* With as_pays, the first place decides whether the others pay. Where they cannot be opened, or
 * cannot share their memory, the beam runs on the first. */
static int places_that_pay(const struct track_solve_options *o, const struct flowshop *f,
			   struct track_places *places, struct track_request *q, struct err *e)
{
	bool first = o->common.as_pays, pays = false;
	int status = make_request(o, first, places, q, e);

	if (!status && first)
		status = track_pfsp_pays(f, q, &pays, e);
	if (status || !pays)
		return status;
	track_places_close(places);
	if (!make_request(o, false, places, q, NULL) && share_memory(places))
		return 0;
	track_places_close(places);
	return make_request(o, true, places, q, e);
}

static int solve_pfsp(const struct track_solve_options *o, struct solve_result *r, struct err *e)
{
	struct track_pfsp_options p;
	struct flowshop f;
	struct track_places places = { 0 };
	struct track_request q;
	struct track_outcome out = { 0 };
	double begin;
	int format, status = pfsp_flags(o, &p, e);

	if (!status)
		status = flag_choose(&format, "format", o->format, flowshop_format_words, e);
	if (!status)
		status = fsp_load(&f, &o->common, (enum flowshop_format)format, e);
	if (status)
		return status;
	snprintf(r->instance, sizeof(r->instance), "%s", f.name);
	status = fsp_plot_check(&o->common, e);
	begin = clock_wall();
	if (!status)
		status = places_that_pay(o, &f, &places, &q, e);
	r->seconds_total = clock_wall() - begin;
	if (!status) {
		r->devices_used = o->common.as_pays ? (1u << places.opened) - 1 : 0;
		r->solution_unit = "jobs";
		status = track_pfsp_search(&f, &p, &q, &out, e);
		status = finish(status, verify_pfsp, &f, &out, r, e);
		compare_with_list(&f, r);
		if (status == 0 || status == ERR_LIMIT)
			fsp_plot(&o->common, &f, r);
	}
	free(out.solution);
	track_places_close(&places);
	flowshop_free(&f);
	return status;
}

/* ---- SameGame ---- */

static int solve_samegame(const struct track_solve_options *o, struct solve_result *r,
			  struct err *e)
{
	struct samegame g;
	struct track_places places = { 0 };
	struct track_request q;
	struct track_outcome out = { 0 };
	double begin;
	int status = samegame_load(&g, o->common.instance, e);

	if (status) {
		recognise_hint(o->common.target, o->common.instance, FORMS_SAMEGAME, e);
		return status;
	}
	snprintf(r->instance, sizeof(r->instance), "%s", g.name);
	begin = clock_wall();
	status = make_request(o, false, &places, &q, e);
	r->seconds_total = clock_wall() - begin;
	if (!status) {
		r->solution_unit = "cells";
		status = track_samegame_search(&g, &q, &out, e);
		status = finish(status, verify_samegame, &g, &out, r, e);
	}
	free(out.solution);
	track_places_close(&places);
	return status;
}

/* ==== the synthetic model ==== */

enum { SAMPLES = 8, RECOVERED = 16, STATES = 16384, ITERATIONS = 16 };
/* An assignment cannot be interrupted. These limits keep its time below about 0.1 s. */
enum { LOAD_MAX = 1000000, WORK_MAX = 1 << 27 };

/* --instance ROWSxCOLUMNS */
static int parse_matrix(const char *text, uint32_t *rows, uint32_t *columns, struct err *e)
{
	unsigned r, c;
	int end = 0;

	if (strpbrk(text, "+- ") || sscanf(text, "%4ux%4u%n", &r, &c, &end) != 2 || text[end] ||
	    r < 1 || c < 1)
		return err_set(e, ERR_USAGE,
			       "--instance: '%s' is not a matrix size (example: 16x16)", text);
	*rows = r;
	*columns = c;
	return 0;
}

static int make_setup(const struct track_solve_options *o, struct track_synthetic_setup *s,
		      struct err *e)
{
	static const char *const schedules[] = { "printed", "together", "each", NULL };
	enum solve_variant v = o->common.variant;
	int64_t load_most;
	int schedule, status;

	*s = track_synthetic_setup_default();
	status = flag_choose(&schedule, "schedule", o->schedule, schedules, e);
	if (!status) {
		status = parse_matrix(o->common.instance, &s->model.rows, &s->model.columns, e);
		if (status)
			recognise_hint(o->common.target, o->common.instance, 0, e);
	}
	if (!status)
		status = read_archive(o, &s->archive, e);
	if (status)
		return status;
	s->schedule = (enum track_synthetic_schedule)schedule;
	load_most = WORK_MAX / ((int64_t)s->model.rows * s->model.columns * s->model.columns);
	load_most = load_most < 1 ? 1 : load_most > LOAD_MAX ? LOAD_MAX : load_most;
	if (o->load > load_most)
		return err_set(e, ERR_USAGE,
			       "--load: at most %" PRId64 " products for this matrix size",
			       load_most);
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
		return err_set(e, ERR_USAGE, "--beam %" PRIu32 " exceeds --states %" PRIu32,
			       s->beam, s->states);
	if (o->fill_rate.given)
		s->fill_rate = o->fill_rate.value;
	if (o->look_ahead > 32)
		return err_set(e, ERR_USAGE, "--look-ahead: at most 32 steps");
	s->look_ahead = o->look_ahead ? (uint32_t)o->look_ahead : s->look_ahead;
	s->engine = v == SOLVE_SERIAL || v == SOLVE_PUBLISHED ? TRACK_PUBLISHED : TRACK_TUNED;
	if (o->common.rung)
		track_rung_apply(o->common.rung, s);
	s->stop = o->common.stop;
	return 0;
}

/* Runs all iterations, or as many as the time limit allows. */
static int iterate(const struct track_solve_options *o, struct track_synthetic_run *run,
		   bool *stopped, struct err *e)
{
	uint32_t iterations = o->iterations ? (uint32_t)o->iterations : ITERATIONS;
	int status = 0;

	for (uint32_t i = 0; !status && i < iterations && !*stopped; i++) {
		status = track_synthetic_run_iterate(run, 1, e);
		*stopped = status == ERR_LIMIT || *o->common.stop;
		status = status == ERR_LIMIT ? 0 : status;
	}
	return status;
}

/* Recovers states of random layers and slots, and checks them. */
static int recover(struct track_synthetic_run *run, uint32_t most, struct err *e)
{
	struct track_node targets[RECOVERED];
	uint32_t layers = track_layer(run->tracker) + 1, slots = run->setup.beam;
	struct rng random = rng_seeded(run->setup.seed);
	unsigned char *states = malloc((size_t)most * run->setup.model.state_bytes);
	uint32_t count = run->setup.states < most ? run->setup.states : most;
	int status;

	if (!states)
		return err_set(e, ERR_MEMORY, "no memory for the recovered states");
	for (uint32_t i = 0; i < count; i++) {
		targets[i].layer = (uint32_t)rng_below(&random, layers);
		targets[i].slot = (uint32_t)rng_below(&random, slots);
	}
	status = track_recover(run->tracker, targets, count, states, e);
	if (!status)
		status = track_synthetic_verify_states(run, targets, count, states, e);
	free(states);
	return status;
}

/* The number of states that can be checked within about 0.3 s. 0 if a single check may take
 * longer. */
static uint32_t quick_checks(const struct track_synthetic_run *run)
{
	const struct track_synthetic_setup *s = &run->setup;
	const double work = 1 << 28, share = 2;
	double product = (double)s->model.rows * s->model.columns * s->model.columns;
	double step = product * (1 + (double)s->model.load);
	double sample = step * ((double)run->iterations + s->look_ahead);
	double together =
		s->schedule == TRACK_SYNTHETIC_TOGETHER ? step * s->states * s->look_ahead : 0;

	return together > work || sample * share > work ?
		       0 :
		       (uint32_t)fmin(work / share / sample, RECOVERED);
}

/* Checks samples of the last layer, and states recovered from all layers. After a stop, checks only
 * as many as take about 0.3 s. *checked is false if none could be checked, for example because a
 * cancelled device lost the states. */
static int check_states(struct track_synthetic_run *run, bool stopped, bool *checked, struct err *e)
{
	uint32_t most = stopped ? quick_checks(run) : RECOVERED;
	int status = 0;

	*checked = most > 0;
	if (!most)
		return 0;
	status = track_synthetic_verify(run, most < SAMPLES ? most : SAMPLES, e);
	if (!status)
		status = recover(run, most, e);
	*checked = !status;
	return stopped && status == ERR_LIMIT ? 0 : status;
}

static void present_model(struct track_synthetic_run *run, const struct track_places *places,
			  bool stopped, bool checked, struct solve_result *r)
{
	struct track_figures f;

	track_figures(run->tracker, &f);
	r->status = stopped ? SOLVE_LIMIT : SOLVE_FEASIBLE;
	solve_node_figure(r, "children", (double)f.children);
	solve_extra_figure(r, "iterations", (double)run->iterations);
	solve_extra_figure(r, "memory_peak", (double)track_places_peak(places));
	report_figures(&f, r);
	snprintf(r->instance, sizeof(r->instance), "%" PRIu32 "x%" PRIu32, run->setup.model.rows,
		 run->setup.model.columns);
	snprintf(r->note, sizeof(r->note), "%" PRIu64 " iterations of %" PRIu32 " states; %s",
		 run->iterations, run->setup.states,
		 checked ? "states of all layers recovered and checked" :
			   "stopped: the states were not checked");
}

static int solve_synthetic(const struct track_solve_options *o, struct solve_result *r,
			   struct err *e)
{
	double began = clock_wall();
	struct track_synthetic_setup s;
	struct track_places places = { 0 };
	struct track_synthetic_run run = { 0 };
	bool stopped = false, checked = false;
	int status = make_setup(o, &s, e);

	if (!status)
		status = open_places(o, s.archive.recovery, o->memory, false, &places, e);
	s.archive.peer = places.peer;
	if (!status)
		status = track_synthetic_run_open(&run, &s, &places, e);
	if (!status)
		status = iterate(o, &run, &stopped, e);
	r->seconds_search = clock_wall() - began;
	if (!status)
		status = check_states(&run, stopped, &checked, e);
	if (!status) {
		r->verified = checked;
		present_model(&run, &places, stopped, checked, r);
		if (stopped)
			status = err_set(e, ERR_LIMIT, "stopped in iteration %" PRIu64,
					 run.iterations + 1);
	}
	r->seconds_total = clock_wall() - began;
	track_synthetic_run_close(&run);
	track_places_close(&places);
	return status;
}

/* ==== flags ==== */

/* ---- flags that a problem does not use ---- */

enum { PFSP = 1, SAMEGAME = 2, SYNTHETIC = 4 };

static int refuse_flags(const struct track_solve_options *o, int problem, struct err *e)
{
	const struct {
		bool given;
		const char *flag;
		int problems; /* that take it */
	} flags[] = {
		{ o->memory > 0, "memory", PFSP | SAMEGAME | SYNTHETIC },
		{ o->rounds > 0, "rounds", PFSP | SAMEGAME },
		{ o->guide != NULL, "guide", PFSP },
		{ o->branching != NULL, "branching", PFSP },
		{ o->format != NULL, "format", PFSP },
		{ o->common.plot != NULL, "plot", PFSP },
		{ o->fill_rate.given, "fill-rate", SYNTHETIC },
		{ o->states > 0, "states", SYNTHETIC },
		{ o->load > 0, "load", SYNTHETIC },
		{ o->state_bytes > 0, "state-bytes", SYNTHETIC },
		{ o->iterations > 0, "iterations", SYNTHETIC },
		{ o->break_probability.given, "break-probability", SYNTHETIC },
		{ o->schedule != NULL, "schedule", SYNTHETIC },
		{ o->common.rung != NULL, "rung", SYNTHETIC },
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (flags[i].given && !(flags[i].problems & problem))
			return err_set(e, ERR_USAGE, "--%s is not used by --problem %s",
				       flags[i].flag, o->common.problem);
	}
	return 0;
}

static int run(const struct solve_options *common, struct solve_result *r, struct err *e)
{
	const struct track_solve_options *o = (const struct track_solve_options *)common;
	static const char *const problems[] = { "pfsp", "samegame", "synthetic", NULL };
	int problem, status;

	status = flag_choose(&problem, "problem", common->problem, problems, e);
	if (!status)
		status = refuse_flags(o, 1 << problem, e);
	if (!status)
		status = solve_await_devices(&common->devices, r, e);
	if (status)
		return status;
	return problem == 0 ? solve_pfsp(o, r, e) :
	       problem == 1 ? solve_samegame(o, r, e) :
			      solve_synthetic(o, r, e);
}

#define NUMBER(name_, member, argument_, help_)                                                    \
	{                                                                                          \
		.name = name_, .type = FLAG_PARSED, .argument = argument_, .help = help_,          \
		.offset = offsetof(struct track_solve_options, member), .parse = parse_number      \
	}
#define SHARE(name_, member, argument_, help_)                                                     \
	{                                                                                          \
		.name = name_, .type = FLAG_PARSED, .argument = argument_, .help = help_,          \
		.offset = offsetof(struct track_solve_options, member), .parse = parse_share       \
	}
#define BUDGET(name_, tier, help_)                                                                 \
	FLAG("budget-" name_, FLAG_BYTES, struct track_solve_options, budget[tier], "BYTES", help_)
#define TEXT(name_, member, argument_, help_)                                                      \
	FLAG(name_, FLAG_TEXT, struct track_solve_options, member, argument_, help_)

static const struct flag flags[] = {
	NUMBER("beam", beam, "N", "states per layer (default: as many as fit; synthetic: S/16)"),
	FLAG("memory", FLAG_BYTES, struct track_solve_options, memory, "BYTES",
	     "memory for states on each device or the host (default: half of what is free)"),
	TEXT("recovery", recovery, "WAY",
	     "replay (default), gpu, pinned, host, peer, checkpoint, adaptive, multistage"),
	NUMBER("distance", distance, "D", "checkpoint, adaptive: keep every D-th layer (8)"),
	NUMBER("adapt", adapt, "A",
	       "adaptive: keep a copy halfway when more than A layers are replayed (2)"),
	TEXT("cache", cache, "on|off", "keep the states of the last layer (default on)"),
	BUDGET("device", TRACK_TIER_DEVICE,
	       "multistage: bytes for layers on each device (default: all that is free)"),
	BUDGET("peer", TRACK_TIER_PEER,
	       "multistage: bytes on the last device given (default: none)"),
	BUDGET("pinned", TRACK_TIER_PINNED,
	       "multistage: bytes in pinned host memory (default: all that is free)"),
	BUDGET("pageable", TRACK_TIER_PAGEABLE,
	       "multistage: bytes in pageable host memory (default: all that is free)"),
	SHARE("fill-rate", fill_rate, "F",
	      "synthetic: share of states that must wait before they are assigned (0.6)"),
	NUMBER("look-ahead", look_ahead, "N", "steps of an evaluation (synthetic: 8)"),
	FLAG("rounds", FLAG_COUNT, struct track_solve_options, rounds, "N",
	     "pfsp, samegame: further rounds, started from recovered layers (0)"),
	TEXT("guide", guide, "bound|idle|bound-idle|gap", "pfsp: rating of children (bound-idle)"),
	TEXT("branching", branching, "forward|both-ends", "pfsp: where jobs are added (both-ends)"),
	SOLVE_FLAG_PLOT(struct track_solve_options, FSP_PLOT_HELP),
	TEXT("format", format, FSP_FORMAT_ARGUMENT, "pfsp: " FSP_FORMAT_HELP),
	NUMBER("states", states, "S", "synthetic: states evaluated at once (16384)"),
	NUMBER("load", load, "L", "synthetic: matrix products per assignment (10)"),
	NUMBER("state-bytes", state_bytes, "M",
	       "synthetic: bytes per state (default: those of its matrix)"),
	SHARE("break-probability", break_probability, "Q",
	      "synthetic: probability that a state waits after a step (0.09)"),
	TEXT("schedule", schedule, "printed|together|each",
	     "synthetic: implied by the paper's times (printed), Algorithm 2, or each state alone"),
	NUMBER("iterations", iterations, "N", "synthetic: number of iterations (16)"),
	FLAG_END,
};

const struct solve_spec track_solve_spec = {
	.problem = "pfsp",
	.instances = "pfsp: " FSP_INSTANCES "; "
		     "samegame: random:ROWSxCOLUMNS:COLOURS[:SEED] or a file; synthetic: 16x16",
	.flags = flags,
	.options_size = sizeof(struct track_solve_options),
	.rungs = track_rungs,
	.begins_on_one = true,
	.threads_max = THREADS_MAX,
	.run = run,
};

/* ==== list ==== */

static int list(struct err *e)
{
	(void)e;
	puts("problems and instances:\n"
	     "  --problem pfsp (the default)         beam search for the makespan");
	fsp_list_instances("");
	puts("  --problem samegame                   beam search for the score\n"
	     "    random:ROWSxCOLUMNS:COLOURS[:SEED] boards; 15x15:5 is the usual size\n"
	     "    FILE                               one line per row, colours 0 (empty), 1, 2 "
	     "...\n"
	     "  --problem synthetic                  the paper's model: products of matrices\n"
	     "    ROWSxCOLUMNS                       size of a state's matrix; 16x16 fits the "
	     "paper\n"
	     "variants:\n"
	     "  serial     one core, Algorithms 1 and 2 line by line\n"
	     "  cpu        all cores, vectorised, shared paths\n"
	     "  published  as in the paper: one launch per line, pruning on the host, one thread "
	     "per state\n"
	     "  tuned      our version: fused kernels, pruning on the device, shared paths\n"
	     "ways of recovery (--recovery):\n"
	     "  replay     replay from the inputs, or from the last layer with --cache on: the "
	     "paper's\n"
	     "  gpu, pinned, host, peer   keep all layers there\n"
	     "  checkpoint, adaptive      keep every D-th layer; adaptive adds copies halfway\n"
	     "  multistage                keep layers where they reduce measured times most");
	return 0;
}

const struct target track_target = {
	.name = "koester-recovery",
	.summary = "states tracked and rebuilt from a compact history (Koester et al. 2019)",
	.solve = &track_solve_spec,
	.list = list,
};
