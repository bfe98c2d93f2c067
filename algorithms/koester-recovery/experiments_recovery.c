/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The paper's experiments that recover old states: Tables III and IV, states that no GPU could
 * store, and every way of recovery. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/koester-recovery/case.h"
#include "algorithms/koester-recovery/ladder.h"
#include "algorithms/koester-recovery/problems/verify.h"
#include "harness/base/clock.h"
#include "harness/base/hash.h"
#include "harness/base/host.h"

/* ==== the measured case: recovery of old states of the synthetic model ==== */

/* There is one input; every layer keeps all S states, as in section V (S_back = S_max). */

enum {
	LAYERS = 16,  /* the paper's "solver iteration 16" */
	SAMPLES = 4,  /* states checked in each layer */
	HASHED = 512, /* recovered states in the hash of a rung */
};

struct recovery_case {
	uint32_t states, state_bytes, load;
	struct track_archive_options archive;
	uint32_t from_layer, to_layer; /* a run recovers all states of each of these layers;
					  its time is the mean per layer */
	bool scattered;                /* recover the states in scattered order, not slot by slot */
	bool whole;    /* a run is a whole search and one recovery, and reports its memory */
	bool one_call; /* lines 5 to 20 of Algorithm 1: see recover_in_one_call */
	const struct solve_rung *rung; /* of the ladder; NULL: the variant as it is */
};

struct recovery {
	struct recovery_case what;
	struct track_synthetic_setup setup;
	struct track_places places;
	struct track_synthetic_run run;
	struct track_node *targets;     /* [states] */
	unsigned char *recorded, *seen; /* [layers][SAMPLES] states; [SAMPLES] */
	uint64_t free_before, free_after, history_bytes;
	struct matrix_counts made; /* one_call: by the last run */
	double line19_seconds;
};

/* ---- sizes ---- */

static double layer_bytes(const struct recovery_case *p)
{
	return (double)p->states * p->state_bytes;
}

static bool keeps_all_there(const struct recovery_case *p)
{
	return p->archive.recovery == TRACK_RECOVERY_GPU;
}

/* Bytes on the device: two buffers, the cache (the third buffer of one_call) and the kept
 * layers. */
static double bytes_there(const struct recovery_case *p)
{
	return layer_bytes(p) *
	       (2 + p->archive.cache + p->one_call + (keeps_all_there(p) ? LAYERS : 0));
}

static double bytes_of_host(const struct recovery_case *p)
{
	bool host = p->archive.recovery == TRACK_RECOVERY_PINNED ||
		    p->archive.recovery == TRACK_RECOVERY_HOST ||
		    p->archive.recovery == TRACK_RECOVERY_MULTISTAGE;

	return host ? LAYERS * layer_bytes(p) : 0;
}

/* The fewest bytes that a recovery reads and writes in the memory of the place. It writes every
 * state. It also reads every state if all layers are stored there. A replay may read a single
 * state, if that is the ancestor of all others, so its reads are not counted. Lines 5 and 19 of
 * Algorithm 1 read and write every state. */
static double least_bytes(const struct recovery *x)
{
	enum track_recovery r = x->what.archive.recovery;
	bool host = !x->places.place[0].device;
	bool stored = r == TRACK_RECOVERY_GPU ||
		      (host && (r == TRACK_RECOVERY_PINNED || r == TRACK_RECOVERY_HOST));

	return (x->what.one_call ? 2 + 1 + 2 : stored ? 2 : 1) * layer_bytes(&x->what);
}

/* Multiply-adds that a recovery must make: those of the last run in one call, those of all paths
 * on the ladder, where a path is replayed by itself. Elsewhere paths may be shared: none. */
static double products_of(const struct recovery *x)
{
	const struct recovery_case *p = &x->what;

	if (p->one_call)
		return 4096.0 *
		       ((double)x->made.executions + (double)x->made.assignments * p->load);
	return p->rung ? 4096.0 * p->states * p->to_layer * (1 + p->load) : 0;
}

/* Multiply-adds of all iterations and the recovery. */
static double work_of(const struct recovery_case *p)
{
	const double steps = 9, assignments = 2, recovered = 15;
	double assigned = p->one_call ? 3 : recovered;

	return 4096.0 * p->states *
	       (LAYERS * (steps + assignments * p->load) + recovered + assigned * p->load);
}

static double recovery_estimate(const struct bench_case *c, const struct recovery_case *p)
{
	/* in one call, a core computes every state again */
	double checked =
		p->one_call ? 4096.0 * p->states * (15 + 2 * p->load) / 2e9 + layer_bytes(p) / 6e8 :
			      0;

	return track_case_seconds(c, work_of(p), 6.0 * LAYERS * layer_bytes(p)) +
	       bytes_of_host(p) / 3e9 + checked;
}

/* The sum of the free bytes of all devices, or those of the host. */
static int free_bytes(const struct track_places *p, uint64_t *bytes, struct err *e)
{
	struct dev_info info;
	int status = 0;

	*bytes = p->place[0].device ? 0 : (uint64_t)host_memory_available();
	for (int i = 0; !status && p->place[0].device && i < p->opened; i++) {
		status = dev_get_info(p->place[i].device, &info, e);
		*bytes += status ? 0 : info.memory_free;
	}
	return status;
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

/* Sets the targets: all states of a layer. Scattered slots have a stride that is coprime to their
 * number. */
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

/* Index of the i-th of the SAMPLES targets that are checked. */
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

	for (int i = 0; !status && i < LAYERS; i++) {
		status = track_synthetic_run_iterate(&x->run, 1, e);
		if (!status)
			status = record(x, e);
	}
	return status;
}

/* The recovery of Algorithm 1 as it is written, of all states of the layer:
 *
 *    5: recover <= Copy(stream, current)
 *   11: recoveryIndices <= ResolveRecovery(history)
 *   13: Copy(stream, input, index, current)             for each index that is not in `recover`
 *   16: Recover(stream, current, #recover steps (i - 1))
 *   19: Copy(stream, recover, index, current)           for each index that is in `recover`
 *
 * Line 16 is one call of Algorithm 2 with 15 steps. Taken literally, lines 13 and 19 copy each
 * state once between them. The printed times grow with the size of a state by three copies of all
 * states, so line 19 copies all states here too; its time is also reported by itself. */
static int recover_in_one_call(struct recovery *x, double *seconds, struct err *e)
{
	struct tracker *t = x->run.tracker;
	struct track_figures before, after;
	double began = clock_wall(), replayed;
	uint64_t breaks = 0;
	int status;

	track_figures(t, &before);
	status = track_cache_current(t, e);
	if (!status)
		status = track_recover_in_one_call(t, x->targets, x->what.states, &breaks, e);
	replayed = clock_wall();
	if (!status)
		status = track_restore_cached(t, e);
	if (!status)
		status = track_wait(t, e);
	x->line19_seconds = clock_wall() - replayed;
	*seconds += clock_wall() - began;
	track_figures(t, &after);
	x->made = (struct matrix_counts){ .executions = after.executions - before.executions,
					  .assignments = after.assignments - before.assignments,
					  .breaks = (uint32_t)breaks };
	return status;
}

static int recover_layer(struct recovery *x, uint32_t layer, double *seconds, struct err *e)
{
	double began;
	int status;

	name_targets(x, layer);
	if (x->what.one_call)
		return recover_in_one_call(x, seconds, e);
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
	x->recorded = malloc((LAYERS + 1) * samples);
	x->seen = malloc(samples);
	if (!x->targets || !x->recorded || !x->seen)
		return err_set(e, ERR_MEMORY, "no memory for the case");
	return 0;
}

static struct track_synthetic_setup setup_of(const struct bench_case *c,
					     const struct recovery_case *p)
{
	struct track_synthetic_setup s = track_synthetic_setup_default();

	s.states = s.beam = p->states;
	s.inputs = 1;
	s.model.state_bytes = p->state_bytes;
	s.model.load = p->load;
	s.fill_rate = 2 / 3.0;
	s.engine = track_case_engine(c);
	if (p->rung)
		track_rung_apply(p->rung, &s);
	s.archive = p->archive;
	s.stop = bench_setting(c)->stop;
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
	status = free_bytes(&x->places, &x->free_before, e);
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

static void recovery_teardown(struct bench_case *c)
{
	struct recovery *x = bench_data(c);

	track_synthetic_run_close(&x->run);
	track_places_close(&x->places);
	free(x->targets);
	free(x->recorded);
	free(x->seen);
	free(x);
}

static int recovery_setup(struct bench_case *c, const struct recovery_case *p, struct err *e)
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
		recovery_teardown(c);
	/* a case that does not fit is skipped, not failed */
	return status == ERR_MEMORY ? e->code = ERR_UNSUPPORTED : status;
}

/* ---- the measurement ---- */

/* Compares samples of the recovered states with the recorded ones. */
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
		if (!status && !x->what.one_call) /* that need not give the recorded states */
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
		status = free_bytes(&x->places, &x->free_after, e);
	return status ? status : check_layer(x, x->what.to_layer, e);
}

/* Reports the memory that the places allocated, the loss of free memory on the devices, the bytes
 * of the history (in host memory), and the paper's Equations (2) and (3) for the same layers. */
static void report_memory(struct bench_case *c, const struct recovery *x)
{
	const struct recovery_case *p = &x->what;
	double states = layer_bytes(p), buffers = 2 + p->archive.cache;
	double history = 8.0 * p->states * LAYERS;
	bool all = p->archive.recovery != TRACK_RECOVERY_REPLAY;
	double held = (double)track_places_peak(&x->places);
	double gone = (double)x->free_before - (double)x->free_after;

	bench_counter(c, "memory_peak", held, BENCH_COUNT);
	bench_counter(c, "history_bytes_search", (double)x->history_bytes, BENCH_COUNT);
	bench_counter(c, "measured_bytes", held + (double)x->history_bytes, BENCH_COUNT);
	bench_counter(c, "equation_bytes",
		      all ? states * (2 + LAYERS - 1) : states * buffers + history, BENCH_COUNT);
	if (x->places.place[0].device)
		bench_counter(c, "device_memory_gone", gone, BENCH_COUNT);
}

static void report(struct bench_case *c, const struct recovery *x)
{
	struct measure all[TRACK_MEASURED];
	struct track_figures f;

	track_figures(x->run.tracker, &f);
	bench_measures(c, all, track_measures(&f, all));
	bench_work(c, x->what.states, "states");
	if (x->what.whole) {
		report_memory(c, x);
		return;
	}
	bench_counter(c, "memory_peak", (double)track_places_peak(&x->places), BENCH_COUNT);
	if (x->what.one_call) {
		bench_counter(c, "recovery_executions", (double)x->made.executions, BENCH_COUNT);
		bench_counter(c, "recovery_assignments", (double)x->made.assignments, BENCH_COUNT);
		bench_counter(c, "recovery_breaks", x->made.breaks, BENCH_COUNT);
		bench_counter(c, "line19_seconds", x->line19_seconds, BENCH_MEAN);
	}
	track_report_demands(c, bench_variant(c), &x->places, products_of(x), least_bytes(x));
}

static int recovery_run(struct bench_case *c, struct err *e)
{
	struct recovery *x = bench_data(c);
	int status = x->what.whole ? run_whole(c, x, e) : run_recoveries(c, x, e);

	if (!status)
		report(c, x);
	return status;
}

/* Hashes recovered states at equal distances. */
static int hash_recovered(struct recovery *x, uint64_t *hash, struct err *e)
{
	uint32_t count = x->what.states, n = count < HASHED ? count : HASHED;
	int status = 0;

	*hash = HASH_INIT;
	for (uint32_t i = 0; !status && i < n; i++) {
		status = track_read_recovered(x->run.tracker, (uint32_t)((uint64_t)count * i / n),
					      1, x->seen, e);
		*hash = hash_bytes(*hash, x->seen, x->what.state_bytes);
	}
	return status;
}

/* Compares the counts of the last run with those of the oracle. */
static int check_made(const struct recovery *x, const struct matrix_counts *expected, struct err *e)
{
	const struct matrix_counts *made = &x->made;

	if (made->executions != expected->executions ||
	    made->assignments != expected->assignments || made->breaks != expected->breaks)
		return err_set(e, ERR_FAILED,
			       "%" PRIu64 " executions, %" PRIu64 " assignments and %" PRIu32
			       " breaks; expected: %" PRIu64 ", %" PRIu64 ", %" PRIu32,
			       made->executions, made->assignments, made->breaks,
			       expected->executions, expected->assignments, expected->breaks);
	return 0;
}

/* Lines 5 and 19 together leave the current states as they were. */
static int check_current(struct recovery *x, struct err *e)
{
	uint32_t layer = track_layer(x->run.tracker);
	size_t bytes = x->what.state_bytes;
	struct track_node samples[SAMPLES];
	int status = 0;

	for (uint32_t i = 0; !status && i < SAMPLES; i++) {
		samples[i] = (struct track_node){ layer, sample_of(i, x->what.states) };
		status = track_read(x->run.tracker, samples[i].slot, 1, x->seen + i * bytes, e);
	}
	return status ? status :
			track_verify_states(x->seen, recorded_of(x, layer), SAMPLES, bytes, samples,
					    e);
}

/* Compares all states of the last run with the oracle. */
static int check_one_call(struct bench_case *c, struct recovery *x, struct err *e)
{
	struct matrix_counts expected;
	uint64_t hash;
	int status = hash_recovered(x, &hash, e);

	if (status)
		return status;
	bench_output_hash(c, hash);
	status = track_synthetic_verify_one_call(&x->run, x->targets, x->what.states, &expected, e);
	if (!status)
		status = check_made(x, &expected, e);
	return status ? status : check_current(x, e);
}

/* The run compared every recovery with the recorded samples. This compares the samples with the
 * oracle. */
static int recovery_check(struct bench_case *c, struct err *e)
{
	struct recovery *x = bench_data(c);
	uint32_t layer = x->what.to_layer;
	struct track_node samples[SAMPLES];
	uint64_t hash;
	int status;

	name_targets(x, layer);
	if (x->what.one_call)
		return check_one_call(c, x, e);
	for (uint32_t i = 0; i < SAMPLES; i++)
		samples[i] = x->targets[sample_of(i, x->what.states)];
	hash = hash_bytes(HASH_INIT, recorded_of(x, layer), (size_t)SAMPLES * x->what.state_bytes);
	if (x->what.rung && (status = hash_recovered(x, &hash, e)))
		return status;
	bench_output_hash(c, hash);
	return track_synthetic_verify_states(&x->run, samples, SAMPLES, recorded_of(x, layer), e);
}

#define RECOVERY_CASE                                                                              \
	.manual_time = true, .unit = "ms", TRACK_MIN_TIME, .run = recovery_run,                    \
	.check = recovery_check, .teardown = recovery_teardown, .uses_device = bench_uses_device

/* ==== the experiments ==== */

#define KIB BENCH_AXIS_INT("kib", BENCH_INTS(2), BENCH_INTS(32, 64, 128), BENCH_SAME)

/* Limits the bytes of a layer on cores, where up to 17 layers are stored. */
static bool fits_scale(const struct bench_case *c)
{
	double bytes = (double)bench_int(c, "states") * (double)bench_int(c, "kib") * 1024;
	double most = bench_scale(c) == BENCH_PAPER ? 1e9 : 1e8;

	return bench_gpus_fit(c) && (bench_uses_device(c) || bytes <= most);
}

/* A quick run has a single number of states: the larger one on devices, the smaller on cores. */
static bool tables_exist(const struct bench_case *c)
{
	bool few = bench_int(c, "states") < 16384;

	return fits_scale(c) && (bench_scale(c) != BENCH_QUICK || few != bench_uses_device(c));
}

static struct recovery_case default_case(const struct bench_case *c, enum track_recovery way)
{
	bool smoke = bench_scale(c) == BENCH_SMOKE;

	return (struct recovery_case){
		.states = (uint32_t)bench_int(c, "states"),
		.state_bytes = (uint32_t)bench_int(c, "kib") << 10,
		.load = smoke ? 2 : 10,
		.archive = { .recovery = way, .distance = 1, .adapt = 2 },
		.from_layer = LAYERS - 1,
		.to_layer = LAYERS - 1,
	};
}

/* ---- Table III ---- */

static struct recovery_case table3_case(const struct bench_case *c)
{
	struct recovery_case p = default_case(c, track_case_recovery(c));

	p.archive.cache = strcmp(bench_text(c, "cache"), "on") == 0;
	p.whole = true;
	return p;
}

/* A cache adds nothing if all layers are stored. Both engines need the same memory, so a quick run
 * leaves one out. */
static bool table3_exists(const struct bench_case *c)
{
	if (bench_scale(c) == BENCH_QUICK && bench_variant(c) == SOLVE_PUBLISHED)
		return false;
	return tables_exist(c) && (track_case_recovery(c) == TRACK_RECOVERY_REPLAY ||
				   strcmp(bench_text(c, "cache"), "off") == 0);
}

static int setup_table3(struct bench_case *c, struct err *e)
{
	struct recovery_case p = table3_case(c);

	return recovery_setup(c, &p, e);
}

static double estimate_table3(const struct bench_case *c)
{
	struct recovery_case p = table3_case(c);

	return recovery_estimate(c, &p);
}

static const struct bench_axis table3_axes[] = {
	BENCH_VARIANTS("cpu", "published", "tuned"),
	BENCH_FIXED_NAMED("recovery", "replay", "gpu"),
	BENCH_AXIS_NAMED("cache", BENCH_TEXTS("off"), BENCH_TEXTS("on", "off"), BENCH_SAME),
	BENCH_AXIS_INT("states", BENCH_INTS(64), BENCH_INTS(512, 16384),
		       BENCH_INTS(512, 16384, 65536)),
	KIB,
	BENCH_GPUS(0, 1),
	BENCH_AXIS_END
};
BENCHMARK(table3) = {
	.name = "koester-recovery/table3",
	.summary = "Table III: memory of 16 iterations and a recovery, compared with the equations",
	.axes = table3_axes,
	.exists = table3_exists,
	.setup = setup_table3,
	RECOVERY_CASE,
	.estimate = estimate_table3,
};

/* ---- Table IV ---- */

static bool is_one_call(const struct bench_case *c)
{
	return strcmp(bench_text(c, "recovery"), "one-call") == 0;
}

static struct recovery_case table4_case(const struct bench_case *c)
{
	struct recovery_case p = default_case(c, TRACK_RECOVERY_REPLAY);

	p.one_call = is_one_call(c);
	if (!p.one_call)
		p.archive.recovery = track_case_recovery(c);
	return p;
}

/* Only paper scale uses tens of GiB of host memory. A quick run stores few states there, and none
 * if it runs on cores, where all memory is host memory. The recovery as the paper writes it is for
 * `published` only. */
static bool table4_exists(const struct bench_case *c)
{
	enum track_recovery r = table4_case(c).archive.recovery;
	bool on_host = r == TRACK_RECOVERY_PINNED || r == TRACK_RECOVERY_HOST;
	bool few = bench_int(c, "states") < 16384;

	if (is_one_call(c) && bench_variant(c) != SOLVE_PUBLISHED)
		return false;
	if (!fits_scale(c) || bench_scale(c) != BENCH_QUICK)
		return fits_scale(c);
	return bench_uses_device(c) ? few || !on_host : few && !on_host;
}

static int setup_table4(struct bench_case *c, struct err *e)
{
	struct recovery_case p = table4_case(c);

	return recovery_setup(c, &p, e);
}

static double estimate_table4(const struct bench_case *c)
{
	struct recovery_case p = table4_case(c);

	return recovery_estimate(c, &p);
}

static const struct bench_axis table4_axes[] = {
	BENCH_VARIANTS("cpu", "published", "tuned"),
	BENCH_AXIS_NAMED("recovery", BENCH_TEXTS("replay", "one-call", "gpu"),
			 BENCH_TEXTS("replay", "one-call", "gpu", "pinned", "host"), BENCH_SAME),
	BENCH_AXIS_INT("states", BENCH_INTS(64), BENCH_INTS(512, 16384), BENCH_SAME),
	KIB,
	BENCH_GPUS(0, 1),
	BENCH_AXIS_END
};
BENCHMARK(table4) = {
	.name = "koester-recovery/table4",
	.summary = "Table IV: recovery of all states by replay of 15 iterations, or from storage",
	.axes = table4_axes,
	.exists = table4_exists,
	.setup = setup_table4,
	RECOVERY_CASE,
	.estimate = estimate_table4,
};

/* ---- the ladder ---- */

static struct recovery_case ladder_case(const struct bench_case *c)
{
	struct recovery_case p = default_case(c, TRACK_RECOVERY_REPLAY);

	p.rung = solve_rung_find(track_rungs, NULL, bench_text(c, "rung"));
	return p;
}

/* Every rung has one variant. */
static bool ladder_exists(const struct bench_case *c)
{
	const struct solve_rung *r = solve_rung_find(track_rungs, NULL, bench_text(c, "rung"));

	return bench_variant(c) == r->variant;
}

static int setup_ladder(struct bench_case *c, struct err *e)
{
	struct recovery_case p = ladder_case(c);

	return recovery_setup(c, &p, e);
}

static double estimate_ladder(const struct bench_case *c)
{
	struct recovery_case p = ladder_case(c);

	return recovery_estimate(c, &p);
}

static const struct bench_axis ladder_axes[] = {
	BENCH_VARIANTS("published", "tuned"),
	BENCH_FIXED_NAMED("rung", "literal", "independent-sums", "vectors", "whole-steps",
			  "device-paths", "registers", "thread-per-row", "four-rows"),
	BENCH_AXIS_INT("states", BENCH_INTS(64), BENCH_INTS(16384), BENCH_SAME),
	BENCH_AXIS_INT("kib", BENCH_INTS(2), BENCH_INTS(32), BENCH_INTS(32, 64, 128)),
	BENCH_AXIS_INT("gpus", BENCH_INTS(1), BENCH_INTS(1, 2), BENCH_SAME),
	BENCH_AXIS_END
};
BENCHMARK(ladder) = {
	.name = "koester-recovery/ladder",
	.summary =
		"From the paper's recovery to the tuned one, an idea at a time: Table IV's replay",
	.axes = ladder_axes,
	.exists = ladder_exists,
	.setup = setup_ladder,
	RECOVERY_CASE,
	.estimate = estimate_ladder,
	.repetitions = { 1, 3, 5 },
};

static const struct bench_axis big_axes[] = {
	BENCH_VARIANTS("published", "tuned"),
	BENCH_FIXED_NAMED("recovery", "replay", "gpu"),
	BENCH_AXIS_INT("states", BENCH_INTS(128), BENCH_INTS(65536), BENCH_SAME),
	BENCH_AXIS_INT("kib", BENCH_INTS(2), BENCH_INTS(128), BENCH_SAME),
	BENCH_GPUS(1),
	BENCH_AXIS_END
};
BENCHMARK(big) = {
	.name = "koester-recovery/big",
	.summary = "65,536 states of 128 KiB on one GPU: 24 GiB, 136 GiB if all were stored",
	.axes = big_axes,
	.exists = fits_scale,
	.setup = setup_table4,
	RECOVERY_CASE,
	.estimate = estimate_table4,
};

/* ---- every way of recovery ---- */

/* Axis `budget`, for multistage: the budget on the device and that in pinned memory, each in
 * percent of the bytes of all layers. Axis `distance`: for checkpoint and adaptive. */
static struct recovery_case recoveries_case(const struct bench_case *c)
{
	struct recovery_case p = default_case(c, track_case_recovery(c));
	double all = (double)p.states * p.state_bytes * LAYERS;
	uint64_t budget = (uint64_t)(all * (double)bench_int(c, "budget") / 100);

	p.from_layer = 1;
	p.to_layer = LAYERS;
	p.scattered = true;
	p.archive.cache = strcmp(bench_text(c, "cache"), "on") == 0;
	if (bench_int(c, "distance") > 0)
		p.archive.distance = (uint32_t)bench_int(c, "distance");
	if (p.archive.recovery == TRACK_RECOVERY_MULTISTAGE) {
		p.archive.budget[TRACK_TIER_DEVICE] = p.archive.budget[TRACK_TIER_PINNED] = budget;
		p.archive.budget[TRACK_TIER_PEER] = p.archive.budget[TRACK_TIER_PAGEABLE] =
			1; /* none */
	}
	return p;
}

static bool recoveries_exist(const struct bench_case *c)
{
	enum track_recovery r = track_case_recovery(c);
	bool steps = r == TRACK_RECOVERY_CHECKPOINT || r == TRACK_RECOVERY_ADAPTIVE;
	bool cached = strcmp(bench_text(c, "cache"), "on") == 0;

	if (steps != (bench_int(c, "distance") > 0) ||
	    (r == TRACK_RECOVERY_MULTISTAGE) != (bench_int(c, "budget") > 0) ||
	    (cached && r != TRACK_RECOVERY_REPLAY) ||
	    (r == TRACK_RECOVERY_PEER && !bench_uses_device(c)))
		return false;
	if (bench_scale(c) == BENCH_SMOKE && !bench_uses_device(c) &&
	    r != TRACK_RECOVERY_MULTISTAGE)
		return false; /* all rules run the same code on cores; simulated devices run each of
				 them */
	return fits_scale(c);
}

static int setup_recoveries(struct bench_case *c, struct err *e)
{
	struct recovery_case p = recoveries_case(c);

	return recovery_setup(c, &p, e);
}

static double estimate_recoveries(const struct bench_case *c)
{
	struct recovery_case p = recoveries_case(c);

	return recovery_estimate(c, &p);
}

static const struct bench_axis recoveries_axes[] = {
	BENCH_VARIANTS("cpu", "tuned"),
	BENCH_FIXED_NAMED("recovery", "replay", "gpu", "pinned", "host", "peer", "checkpoint",
			  "adaptive", "multistage"),
	BENCH_FIXED_NAMED("cache", "off", "on"),
	BENCH_AXIS_INT("distance", BENCH_INTS(0, 4), BENCH_INTS(0, 4, 8, 16),
		       BENCH_INTS(0, 1, 2, 4, 8, 16)),
	BENCH_AXIS_INT("budget", BENCH_INTS(0, 25), BENCH_SAME, BENCH_INTS(0, 10, 25, 50)),
	BENCH_AXIS_INT("states", BENCH_INTS(64), BENCH_INTS(512), BENCH_INTS(16384)),
	BENCH_AXIS_INT("kib", BENCH_INTS(2), BENCH_INTS(32), BENCH_SAME),
	BENCH_GPUS(0, 1),
	BENCH_AXIS_END
};
BENCHMARK(recoveries) = {
	.name = "koester-recovery/recoveries",
	.summary = "Every way of recovery: mean time for all states of a layer, and the bytes kept",
	.axes = recoveries_axes,
	.exists = recoveries_exist,
	.setup = setup_recoveries,
	RECOVERY_CASE,
	.estimate = estimate_recoveries,
};
