/* Cases that several experiments share: set-up, run and check. */
#include "algorithms/koester-recovery/case.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/koester-recovery/measures.h"
#include "algorithms/koester-recovery/problems/verify.h"
#include "harness/base/clock.h"
#include "harness/base/hash.h"
#include "harness/base/host.h"

enum track_engine track_case_engine(const struct bench_case *c)
{
	enum solve_variant v = bench_variant(c);

	return v == SOLVE_SERIAL || v == SOLVE_PUBLISHED ? TRACK_PUBLISHED : TRACK_TUNED;
}

enum track_recovery track_case_recovery(const struct bench_case *c)
{
	int rule = TRACK_RECOVERY_REPLAY;

	flag_choose(&rule, "recovery", bench_text(c, "recovery"), track_recovery_words, NULL);
	return (enum track_recovery)rule;
}

/* Checks the free memory of every device, or of the host. */
static int check_memory(struct bench_case *c, double bytes, struct err *e)
{
	int gpus = (int)bench_int(c, "gpus");
	struct dev_info info;

	for (int i = 0; i < gpus; i++) {
		int status = dev_get_info(bench_devices(c)->dev[i], &info, e);

		if (status)
			return status;
		if (bytes / gpus > (double)info.memory_free)
			return bench_skip(c,
					  (struct skip){ SKIP_NEEDS_MEMORY, bytes / gpus,
							 (double)info.memory_free },
					  e, "needs %.1f GiB on each of %d devices, %.1f are free",
					  bytes / gpus / (1 << 30), gpus,
					  (double)info.memory_free / (1 << 30));
	}
	double free_bytes = (double)host_memory_available();
	if (gpus == 0 && bytes > free_bytes)
		return bench_skip(c, (struct skip){ SKIP_NEEDS_MEMORY, bytes, free_bytes }, e,
				  "needs %.1f GiB, %.1f are free", bytes / (1 << 30),
				  free_bytes / (1 << 30));
	return 0;
}

int track_case_check_machine(struct bench_case *c, double work, double bytes, bool peer,
			     struct err *e)
{
	const double most_work = 2e8, most_bytes = 64 << 20;
	int64_t gpus = bench_int(c, "gpus");
	int status = bench_need_machine(c, gpus + (peer && gpus > 0),
					work > most_work || bytes > most_bytes, e);

	return status ? status : check_memory(c, bytes, e);
}

int track_case_places(const struct bench_case *c, bool peer, uint64_t limit, struct track_places *p,
		      struct err *e)
{
	int threads = bench_variant(c) == SOLVE_SERIAL ? 1 : bench_threads(c);

	return track_places_open(p, bench_devices(c), (int)bench_int(c, "gpus"), peer, threads,
				 limit, e);
}

double track_case_seconds(const struct bench_case *c, double work, double bytes)
{
	static const double rates[][2] = {
		/* multiply-adds/s and bytes/s of one core or GPU */
		[SOLVE_SERIAL] = { 1e9, 2e9 },
		[SOLVE_CPU] = { 1e10, 2e9 },
		[SOLVE_PUBLISHED] = { 5e11, 1e12 },
		[SOLVE_TUNED] = { 5e12, 1e12 },
	};
	enum solve_variant v = bench_variant(c);
	double many = v == SOLVE_SERIAL ? 1 :
		      v == SOLVE_CPU    ? bench_threads(c) :
					  (double)bench_int(c, "gpus");

	return 0.05 + (work / rates[v][0] + bytes / rates[v][1]) / many;
}

/* ==== iterations of the synthetic model ==== */

enum { BEAM_MOST = 1024, SAMPLES = 4 /* states checked in each layer */ };

struct track_model_case {
	struct track_places places;
	struct track_synthetic_run run;
	uint32_t iterations; /* of one timed run */
};

static bool schedule_is(const struct bench_case *c, const char *name)
{
	return strcmp(bench_text(c, "schedule"), name) == 0;
}

/* The setting for the axes. A layer keeps a sixteenth of the states, at most 1,024. By schedule:
 *   printed  as the paper's times imply; P has no effect
 *   literal  Algorithm 2; every state waits after a step with probability P
 *   fitted   Algorithm 2 with the one probability, 9 %, that gives the breaks of the printed times
 *   each     every state is assigned as soon as it waits, with probability P */
static struct track_synthetic_setup track_model_case_default(const struct bench_case *c)
{
	struct track_synthetic_setup s = track_synthetic_setup_default();

	s.states = (uint32_t)bench_int(c, "states");
	s.beam = s.states < 16 * BEAM_MOST ? (s.states + 15) / 16 : BEAM_MOST;
	s.model.load = (uint32_t)bench_int(c, "load");
	s.model.break_probability =
		schedule_is(c, "fitted") ? 0.09 : (double)bench_int(c, "P") / 100;
	s.fill_rate = (double)bench_int(c, "F") / 100;
	s.schedule = schedule_is(c, "printed") ? TRACK_SYNTHETIC_PRINTED :
		     schedule_is(c, "each")    ? TRACK_SYNTHETIC_EACH :
						 TRACK_SYNTHETIC_TOGETHER;
	s.engine = track_case_engine(c);
	s.stop = bench_stop(c);
	return s;
}

/* Mean number of assignments of a state in an evaluation. */
static double assignments_of(const struct track_synthetic_setup *s)
{
	bool certain;

	switch (s->schedule) {
	case TRACK_SYNTHETIC_PRINTED:
		return __builtin_popcount(track_synthetic_breaks(s) |
					  UINT32_C(1) << (s->look_ahead - 1));
	case TRACK_SYNTHETIC_EACH:
		return 1 + s->model.break_probability * s->look_ahead;
	default:
		return 1 + track_synthetic_many_breaks(s, 0, &certain);
	}
}

/* Multiply-adds of one iteration. */
static double track_model_case_work(const struct bench_case *c,
				    const struct track_synthetic_setup *s)
{
	double product = (double)s->model.rows * s->model.columns * s->model.columns;
	double evaluated = s->look_ahead + s->model.load * assignments_of(s);

	(void)c;
	return product * (s->states * evaluated + s->beam * (1.0 + s->model.load));
}

double track_model_case_estimate(const struct bench_case *c)
{
	struct track_synthetic_setup s = track_model_case_default(c);

	return track_case_seconds(c, track_model_case_work(c, &s),
				  2.0 * s.states * s.model.state_bytes);
}

/* Leaves out cases that add nothing or take minutes on cores. serial runs only the printed
 * schedule, with one P, as all variants do in a quick run, where P has no effect. The fitted
 * probability does not depend on P. States that advance independently have no fill rate. */
bool track_model_case_exists(const struct bench_case *c)
{
	static const double most[][BENCH_SCALES] = {
		/* multiply-adds */
		[SOLVE_SERIAL] = { 1e9, 3e9, 2e10 },
		[SOLVE_CPU] = { 1e9, 1e11, 1e12 },
		[SOLVE_PUBLISHED] = { 1e9, 1e12, 3e12 },
		[SOLVE_TUNED] = { 1e9, 1e12, 3e12 },
	};
	enum solve_variant v = bench_variant(c);
	struct track_synthetic_setup s = track_model_case_default(c);

	if (!bench_gpus_fit(c) || track_model_case_work(c, &s) > most[v][bench_scale(c)])
		return false;
	if (schedule_is(c, "each") && bench_int(c, "F") > 0)
		return false;
	if (bench_int(c, "P") == 30 &&
	    (v == SOLVE_SERIAL || schedule_is(c, "fitted") ||
	     (schedule_is(c, "printed") && bench_scale(c) == BENCH_QUICK)))
		return false;
	return v != SOLVE_SERIAL || schedule_is(c, "printed");
}

int track_model_case_setup(struct bench_case *c, struct err *e)
{
	return track_model_case_setup_several(c, 1, e);
}

int track_model_case_setup_several(struct bench_case *c, uint32_t iterations, struct err *e)
{
	struct track_synthetic_setup s = track_model_case_default(c);
	double bytes = 3.0 * s.states * s.model.state_bytes;
	struct track_model_case *m;
	int status = track_case_check_machine(c, track_model_case_work(c, &s), bytes, false, e);

	if (status)
		return status;
	m = bench_new_data(c, sizeof(*m), e);
	if (!m)
		return ERR_MEMORY;
	m->iterations = iterations;
	status = track_case_places(c, false, 0, &m->places, e);
	if (!status)
		status = track_synthetic_run_open(&m->run, &s, &m->places, e);
	if (status)
		track_model_case_teardown(c);
	return status;
}

void track_model_case_teardown(struct bench_case *c)
{
	struct track_model_case *m = bench_data(c);

	track_synthetic_run_close(&m->run);
	track_places_close(&m->places);
	free(m);
	bench_set_data(c, NULL);
}

/* Multiply-adds between two states of the figures. */
static double work_between(const struct track_synthetic_run *r, const struct track_figures *before,
			   const struct track_figures *after)
{
	double executions = (double)(after->executions - before->executions);
	double assignments = (double)(after->assignments - before->assignments);

	return (double)track_synthetic_products(r->domain) *
	       (executions + assignments * r->setup.model.load);
}

int track_model_case_run(struct bench_case *c, struct err *e)
{
	struct track_model_case *m = bench_data(c);
	struct track_figures before, after;
	double began, work;
	int status;

	track_figures(m->run.tracker, &before);
	began = clock_wall();
	status = track_synthetic_run_iterate(&m->run, m->iterations, e);
	bench_set_seconds(c, clock_wall() - began);
	if (status)
		return status;
	track_figures(m->run.tracker, &after);
	work = work_between(&m->run, &before, &after);
	bench_work(c, work, "multiply_adds");
	bench_counter(c, "breaks", (double)after.breaks, BENCH_COUNT);
	bench_counter(c, "assigned", (double)(after.assignments - before.assignments), BENCH_COUNT);
	bench_counter(c, "memory_peak", (double)track_places_peak(&m->places), BENCH_COUNT);
	bench_counter(c, "history_bytes", (double)after.history_bytes, BENCH_COUNT);
	track_floor(c, bench_variant(c), &m->places, work, 0);
	bench_label(c, "%u steps, breaks %u", m->run.setup.look_ahead, (unsigned)after.breaks);
	return 0;
}

/* Hash of the last layer of the history: sources, successors and ratings. */
static void report_hash(struct bench_case *c, const struct track_synthetic_run *r)
{
	const struct track_history *h = track_history(r->tracker);
	struct track_node n = { track_layer(r->tracker), 0 };
	uint32_t source, successor, rating;
	uint64_t hash = hash_u64(HASH_INIT, n.layer);

	for (; n.slot < track_history_count(h, n.layer); n.slot++) {
		track_history_get(h, n, &source, &successor, &rating);
		hash = hash_u64(hash_u64(hash, (uint64_t)source << 32 | successor), rating);
	}
	bench_output_hash(c, hash);
}

int track_model_case_check(struct bench_case *c, struct err *e)
{
	struct track_model_case *m = bench_data(c);
	int status = track_synthetic_verify_counts(&m->run, e);

	report_hash(c, &m->run);
	return status ? status : track_synthetic_verify(&m->run, SAMPLES, e);
}

/* ==== recovery of old states of the synthetic model ==== */

struct recovery {
	struct track_recovery_case what;
	struct track_synthetic_setup setup;
	struct track_places places;
	struct track_synthetic_run run;
	struct track_node *targets;     /* [states] */
	unsigned char *recorded, *seen; /* [layers][SAMPLES] states; [SAMPLES] */
	uint64_t free_before, free_after, history_bytes;
};

/* ---- sizes ---- */

static double layer_bytes(const struct track_recovery_case *p)
{
	return (double)p->states * p->state_bytes;
}

static bool keeps_all_there(const struct track_recovery_case *p)
{
	return p->archive.recovery == TRACK_RECOVERY_GPU;
}

/* Bytes on the device: three buffers, and the kept layers. */
static double bytes_there(const struct track_recovery_case *p)
{
	return layer_bytes(p) *
	       (2 + p->archive.cache + (keeps_all_there(p) ? TRACK_CASE_LAYERS : 0));
}

static double bytes_of_host(const struct track_recovery_case *p)
{
	bool host = p->archive.recovery == TRACK_RECOVERY_PINNED ||
		    p->archive.recovery == TRACK_RECOVERY_HOST ||
		    p->archive.recovery == TRACK_RECOVERY_MULTISTAGE;

	return host ? TRACK_CASE_LAYERS * layer_bytes(p) : 0;
}

/* Bytes read and written in the memory of the place. A recovery writes each state, and reads it if
 * all are stored there. How many a replay reads depends on how many have the same ancestor; it may
 * be one. */
static double least_bytes(const struct recovery *x)
{
	enum track_recovery r = x->what.archive.recovery;
	bool host = !x->places.place[0].device;
	bool stored = r == TRACK_RECOVERY_GPU ||
		      (host && (r == TRACK_RECOVERY_PINNED || r == TRACK_RECOVERY_HOST));

	return (stored ? 2 : 1) * layer_bytes(&x->what);
}

/* Multiply-adds of all iterations and the recovery. */
static double work_of(const struct track_recovery_case *p)
{
	const double steps = 9, assignments = 2, recovered = 15;

	return 4096.0 * p->states *
	       (TRACK_CASE_LAYERS * (steps + assignments * p->load) + recovered * (1 + p->load));
}

double track_recovery_case_estimate(const struct bench_case *c, const struct track_recovery_case *p)
{
	return track_case_seconds(c, work_of(p), 6.0 * TRACK_CASE_LAYERS * layer_bytes(p)) +
	       bytes_of_host(p) / 3e9;
}

/* ---- set-up ---- */

static bool have_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a > 1;
}

/* Targets: all states of a layer. Scattered: slots by a stride that is coprime to their number. */
static void name_targets(struct recovery *x, uint32_t layer)
{
	uint64_t count = x->what.states, step = x->what.scattered ? count / 2 + 1 : 1;

	while (step > 1 && have_divisor(count, step))
		step++;
	for (uint64_t i = 0; i < count; i++) {
		x->targets[i].layer = layer;
		x->targets[i].slot = (uint32_t)(i * step % count);
	}
}

/* The targets that are checked. */
static uint32_t sample_of(uint32_t i, uint32_t count)
{
	return (uint32_t)((uint64_t)i * (count - 1) / (SAMPLES - 1));
}

static unsigned char *recorded_of(const struct recovery *x, uint32_t layer)
{
	return x->recorded + (size_t)layer * SAMPLES * x->what.state_bytes;
}

/* Records samples of the current layer. */
static int record(struct recovery *x, struct err *e)
{
	uint32_t layer = track_layer(x->run.tracker);
	int status = 0;

	name_targets(x, layer);
	for (uint32_t i = 0; !status && i < SAMPLES; i++)
		status = track_read(x->run.tracker, x->targets[sample_of(i, x->what.states)].slot,
				    1, recorded_of(x, layer) + (size_t)i * x->what.state_bytes, e);
	return status;
}

/* Makes all layers and records samples of each except the input. */
static int search(struct recovery *x, struct err *e)
{
	int status = 0;

	for (int i = 0; !status && i < TRACK_CASE_LAYERS; i++) {
		status = track_synthetic_run_iterate(&x->run, 1, e);
		if (!status)
			status = record(x, e);
	}
	return status;
}

static int recover_layer(struct recovery *x, uint32_t layer, double *seconds, struct err *e)
{
	double began;
	int status;

	name_targets(x, layer);
	began = clock_wall();
	status = track_recover_there(x->run.tracker, x->targets, x->what.states, e);
	if (!status)
		status = track_wait(x->run.tracker, e);
	*seconds += clock_wall() - began;
	return status;
}

static int allocate(struct recovery *x, struct err *e)
{
	size_t samples = (size_t)SAMPLES * x->what.state_bytes;

	x->targets = malloc((size_t)x->what.states * sizeof(*x->targets));
	x->recorded = malloc((TRACK_CASE_LAYERS + 1) * samples);
	x->seen = malloc(samples);
	if (!x->targets || !x->recorded || !x->seen)
		return err_set(e, ERR_MEMORY, "no memory for the case");
	return 0;
}

static struct track_synthetic_setup setup_of(const struct bench_case *c,
					     const struct track_recovery_case *p)
{
	struct track_synthetic_setup s = track_synthetic_setup_default();

	s.states = s.beam = p->states;
	s.inputs = 1;
	s.model.state_bytes = p->state_bytes;
	s.model.load = p->load;
	s.fill_rate = 2 / 3.0;
	s.engine = track_case_engine(c);
	s.archive = p->archive;
	s.stop = bench_stop(c);
	return s;
}

static int open_case(struct recovery *x, const struct bench_case *c, struct err *e)
{
	bool peer = x->what.archive.recovery == TRACK_RECOVERY_PEER;
	double unused = 0;
	int status = track_case_places(c, peer, 0, &x->places, e);

	if (status)
		return status;
	x->setup = setup_of(c, &x->what);
	x->setup.archive.peer = x->places.peer;
	status = track_places_free(&x->places, &x->free_before, e);
	if (!status)
		status = allocate(x, e);
	if (!status && !x->what.whole)
		status = track_synthetic_run_open(&x->run, &x->setup, &x->places, e);
	if (!status && !x->what.whole)
		status = search(x, e);
	if (!status && !x->what.whole) /* allocations on first use are not timed */
		status = recover_layer(x, x->what.to_layer, &unused, e);
	return status;
}

int track_recovery_case_setup(struct bench_case *c, const struct track_recovery_case *p,
			      struct err *e)
{
	bool peer = p->archive.recovery == TRACK_RECOVERY_PEER;
	struct recovery *x;
	int status = track_case_check_machine(c, work_of(p), bytes_there(p), peer, e);

	if (status)
		return status;
	x = bench_new_data(c, sizeof(*x), e);
	if (!x)
		return ERR_MEMORY;
	x->what = *p;
	status = open_case(x, c, e);
	if (status)
		track_recovery_case_teardown(c);
	/* a case that does not fit is skipped, not failed */
	return status == ERR_MEMORY ? e->code = ERR_UNSUPPORTED : status;
}

void track_recovery_case_teardown(struct bench_case *c)
{
	struct recovery *x = bench_data(c);

	track_synthetic_run_close(&x->run);
	track_places_close(&x->places);
	free(x->targets);
	free(x->recorded);
	free(x->seen);
	free(x);
	bench_set_data(c, NULL);
}

/* ---- the measurement ---- */

/* Compares samples of what was just recovered with the recorded ones. */
static int check_layer(struct recovery *x, uint32_t layer, struct err *e)
{
	size_t bytes = x->what.state_bytes;
	struct track_node samples[SAMPLES];
	int status = 0;

	for (uint32_t i = 0; !status && i < SAMPLES; i++) {
		uint32_t at = sample_of(i, x->what.states);

		samples[i] = x->targets[at];
		status = track_read_recovered(x->run.tracker, at, 1, x->seen + i * bytes, e);
	}
	if (!status)
		status = track_verify_states(x->seen, recorded_of(x, layer), SAMPLES, bytes,
					     samples, e);
	return status;
}

/* Alternates between low and high layers. Checks are not timed. */
static int run_recoveries(struct bench_case *c, struct recovery *x, struct err *e)
{
	uint32_t layers = x->what.to_layer - x->what.from_layer + 1;
	double seconds = 0;
	int status = 0;

	for (uint32_t i = 0; !status && i < layers; i++) {
		uint32_t layer = x->what.from_layer + (i % 2 ? layers - 1 - i / 2 : i / 2);

		status = recover_layer(x, layer, &seconds, e);
		if (!status)
			status = check_layer(x, layer, e);
	}
	bench_set_seconds(c, seconds / layers);
	return status;
}

/* A whole search and one recovery. */
static int run_whole(struct bench_case *c, struct recovery *x, struct err *e)
{
	double began = clock_wall(), recovered = 0;
	struct track_figures f;
	int status;

	track_synthetic_run_close(&x->run);
	status = track_synthetic_run_open(&x->run, &x->setup, &x->places, e);
	if (!status)
		status = search(x, e);
	if (status)
		return status == ERR_MEMORY ? e->code = ERR_UNSUPPORTED : status;
	track_figures(x->run.tracker, &f);
	x->history_bytes = f.history_bytes;
	status = recover_layer(x, x->what.to_layer, &recovered, e);
	bench_set_seconds(c, clock_wall() - began);
	bench_counter(c, "recover_all_seconds", recovered, BENCH_MEAN);
	if (!status)
		status = track_places_free(&x->places, &x->free_after, e);
	return status ? status : check_layer(x, x->what.to_layer, e);
}

/* Memory by the allocations of the places and by the free memory of the devices; of the history,
 * which is in host memory, the allocated bytes. Equations (2) and (3) for the same layers. */
static void report_memory(struct bench_case *c, const struct recovery *x)
{
	const struct track_recovery_case *p = &x->what;
	double states = layer_bytes(p), buffers = 2 + p->archive.cache;
	double history = 8.0 * p->states * TRACK_CASE_LAYERS;
	bool all = p->archive.recovery != TRACK_RECOVERY_REPLAY;
	double held = (double)track_places_peak(&x->places);
	double gone = (double)x->free_before - (double)x->free_after;

	bench_counter(c, "memory_peak", held, BENCH_COUNT);
	bench_counter(c, "history_bytes_search", (double)x->history_bytes, BENCH_COUNT);
	bench_counter(c, "measured_bytes", held + (double)x->history_bytes, BENCH_COUNT);
	bench_counter(c, "equation_bytes",
		      all ? states * (2 + TRACK_CASE_LAYERS - 1) : states * buffers + history,
		      BENCH_COUNT);
	if (x->places.place[0].device)
		bench_counter(c, "device_memory_gone", gone, BENCH_COUNT);
}

static void report(struct bench_case *c, const struct recovery *x)
{
	struct track_figures f;

	track_figures(x->run.tracker, &f);
	track_counters(c, &f);
	bench_work(c, x->what.states, "states");
	if (x->what.whole) {
		report_memory(c, x);
		return;
	}
	bench_counter(c, "memory_peak", (double)track_places_peak(&x->places), BENCH_COUNT);
	track_floor(c, bench_variant(c), &x->places, 0, least_bytes(x));
}

int track_recovery_case_run(struct bench_case *c, struct err *e)
{
	struct recovery *x = bench_data(c);
	int status = x->what.whole ? run_whole(c, x, e) : run_recoveries(c, x, e);

	if (!status)
		report(c, x);
	return status;
}

/* Every recovery was compared with the recorded samples; these are compared with the oracle here.
 */
int track_recovery_case_check(struct bench_case *c, struct err *e)
{
	struct recovery *x = bench_data(c);
	uint32_t layer = x->what.to_layer;
	struct track_node samples[SAMPLES];

	name_targets(x, layer);
	for (uint32_t i = 0; i < SAMPLES; i++)
		samples[i] = x->targets[sample_of(i, x->what.states)];
	bench_output_hash(c, hash_bytes(HASH_INIT, recorded_of(x, layer),
					(size_t)SAMPLES * x->what.state_bytes));
	return track_synthetic_verify_states(&x->run, samples, SAMPLES, recorded_of(x, layer), e);
}
