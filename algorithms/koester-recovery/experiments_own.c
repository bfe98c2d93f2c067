/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Our own experiments: beam search on the flowshop and on SameGame, with replay or stored layers,
 * for given beams or given memory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/samegame/samegame.h"
#include "harness/base/hash.h"
#include "algorithms/tree-search/labels.h"
#include "algorithms/koester-recovery/case.h"
#include "algorithms/koester-recovery/problems/verify.h"

struct problem {
	struct track_places places;
	struct flowshop flowshop;
	struct samegame board;
	struct track_request request;
	struct track_outcome outcome;
	bool is_board;
};

static uint64_t memory_of(const struct bench_case *c)
{
	return (uint64_t)bench_int(c, "mib") << 20;
}

/* If the memory determines the beam, rows compare the ways of recovery. On cores, `host` is left
 * out: it does the same as `gpu`. */
static bool by_memory_exists(const struct bench_case *c)
{
	enum solve_variant v = bench_variant(c);
	int64_t mib = bench_int(c, "mib");

	if (v == SOLVE_SERIAL || bench_int(c, "gpus") > 1)
		return false;
	if (v == SOLVE_CPU && track_case_recovery(c) == TRACK_RECOVERY_HOST)
		return false;
	return mib > 0 && mib <= (v == SOLVE_TUNED ? 4096 : 256);
}

/* If the beam is given, rows compare the variants with the paper's way of recovery. Several GPUs
 * run only the second-widest beam. */
static bool by_beam_exists(const struct bench_case *c)
{
	static const int64_t widest[] = { 1024, 16384, 16384, INT64_MAX };
	int64_t beam = bench_int(c, "beam"), gpus = bench_int(c, "gpus");

	if (bench_int(c, "mib") > 0 || track_case_recovery(c) != TRACK_RECOVERY_REPLAY)
		return false;
	return beam <= widest[bench_variant(c)] &&
	       (gpus <= 1 || (bench_variant(c) == SOLVE_TUNED && beam == 65536));
}

static bool problem_exists(const struct bench_case *c)
{
	if (!bench_gpus_fit(c))
		return false;
	return bench_int(c, "beam") == 0 ? by_memory_exists(c) : by_beam_exists(c);
}

/* Forward branching is only for comparison, so it runs only with given beams. */
static bool pfsp_exists(const struct bench_case *c)
{
	bool forward = strcmp(bench_text(c, "branching"), "forward") == 0;

	return problem_exists(c) &&
	       (!forward || (bench_int(c, "beam") > 0 && bench_int(c, "beam") <= 16384));
}

static int prepare(struct problem *x, struct bench_case *c, struct err *e)
{
	int status = track_case_places(c, false, memory_of(c), &x->places, e);

	if (status)
		return status;
	x->request = (struct track_request){
		.engine = track_case_engine(c),
		.serial = bench_variant(c) == SOLVE_SERIAL,
		.places = x->places.at,
		.place_count = x->places.count,
		.beam = (uint32_t)bench_int(c, "beam"),
		.memory = memory_of(c),
		.archive = { .recovery = track_case_recovery(c),
			     .cache = true,
			     .distance = 8,
			     .adapt = 2 },
		.fill_rate = 0.6,
		.rounds = (uint32_t)bench_int(c, "rounds"),
		.seed = 1,
		.time_limit = bench_scale(c) == BENCH_PAPER ? 120 : 20,
		.stop = bench_setting(c)->stop,
	};
	return 0;
}

static void problem_teardown(struct bench_case *c)
{
	struct problem *x = bench_data(c);

	free(x->outcome.solution);
	track_places_close(&x->places);
	flowshop_free(&x->flowshop);
	free(x);
}

static int problem_setup(struct bench_case *c, bool board, struct err *e)
{
	const double most_simulated = 300;
	double beam = (double)bench_int(c, "beam");
	char name[64];
	struct problem *x;
	int status = track_case_check_machine(c, beam > most_simulated ? 1e12 : 0,
					      (double)memory_of(c), false, e);

	if (status)
		return status;
	x = bench_new_data(c, sizeof(*x), e);
	if (!x)
		return ERR_MEMORY;
	x->is_board = board;
	snprintf(name, sizeof(name), "random:%s", bench_text(c, "instance"));
	status = board ? samegame_load(&x->board, name, e) :
			 label_flowshop(&x->flowshop, bench_text(c, "instance"), e);
	if (!status)
		status = prepare(x, c, e);
	if (status)
		problem_teardown(c);
	return status;
}

static int setup_flowshop(struct bench_case *c, struct err *e)
{
	return problem_setup(c, false, e);
}

static int setup_board(struct bench_case *c, struct err *e)
{
	return problem_setup(c, true, e);
}

static int search(struct problem *x, const struct bench_case *c, struct err *e)
{
	struct track_pfsp_options p = { .guide = TRACK_PFSP_BOUND_AND_IDLE };

	if (x->is_board)
		return track_samegame_search(&x->board, &x->request, &x->outcome, e);
	if (strcmp(bench_text(c, "branching"), "both-ends") == 0)
		p.branching = TRACK_PFSP_BOTH_ENDS;
	return track_pfsp_search(&x->flowshop, &p, &x->request, &x->outcome, e);
}

static void report(struct bench_case *c, const struct problem *x)
{
	const struct track_outcome *o = &x->outcome;
	const struct flowshop_known *k = x->is_board ? NULL : flowshop_known_of(&x->flowshop);
	uint64_t hash = hash_u64(HASH_INIT, (uint64_t)o->objective);
	struct measure all[TRACK_MEASURED];

	bench_set_seconds(c, o->seconds_search);
	bench_work(c, (double)o->figures.children, "children");
	bench_output_hash(c, hash_bytes(hash, o->solution, o->length * sizeof(*o->solution)));
	bench_counter(c, "objective", (double)o->objective, BENCH_COUNT);
	bench_counter(c, "beam_used", o->beam, BENCH_COUNT);
	bench_counter(c, "layers", o->layers, BENCH_COUNT);
	bench_counter(c, "stopped", o->stopped, BENCH_COUNT);
	bench_counter(c, "recovered", (double)o->recovered, BENCH_COUNT);
	bench_counter(c, "memory_peak", (double)o->memory_peak, BENCH_COUNT);
	bench_counter(c, "total_seconds", o->seconds_total, BENCH_MEAN);
	if (k)
		bench_counter(c, "above_best", (double)o->objective / k->upper - 1, BENCH_COUNT);
	bench_measures(c, all, track_measures(&o->figures, all));
	bench_label(c, "%s %lld, beam %u", x->is_board ? "score" : "makespan",
		    (long long)o->objective, o->beam);
}

static int problem_run(struct bench_case *c, struct err *e)
{
	struct problem *x = bench_data(c);
	int status;

	free(x->outcome.solution);
	x->outcome = (struct track_outcome){ 0 };
	status = search(x, c, e);
	if (status == ERR_MEMORY)
		return e->code = ERR_UNSUPPORTED; /* not even a narrow beam fits */
	if (status == ERR_LIMIT && !*bench_setting(c)->stop && x->outcome.found)
		status = 0;
	if (!status)
		report(c, x);
	return status;
}

/* Checks the answer and that the search stayed within the memory limit. */
static int problem_check(struct bench_case *c, struct err *e)
{
	const struct problem *x = bench_data(c);
	uint64_t limit = memory_of(c);

	if (limit && x->outcome.memory_peak > limit)
		return err_set(e, ERR_FAILED, "%llu bytes were allocated, but the limit is %llu",
			       (unsigned long long)x->outcome.memory_peak,
			       (unsigned long long)limit);
	return x->is_board ? track_verify_samegame(&x->board, &x->outcome, e) :
			     track_verify_pfsp(&x->flowshop, &x->outcome, e);
}

static double problem_estimate(const struct bench_case *c)
{
	double beam = (double)bench_int(c, "beam"), mib = (double)bench_int(c, "mib");
	double children = (beam > 0 ? beam : mib * 4096) * 5000;

	return track_case_seconds(c, 100 * children, 0);
}

#define PROBLEM_CASE                                                                               \
	.manual_time = true, .unit = "ms", TRACK_MIN_TIME, .run = problem_run,                     \
	.check = problem_check, .teardown = problem_teardown, .uses_device = bench_uses_device,    \
	.estimate = problem_estimate

#define RULES                                                                                      \
	BENCH_AXIS_NAMED("recovery", BENCH_TEXTS("replay", "gpu", "host"), BENCH_SAME,             \
			 BENCH_TEXTS("replay", "gpu", "host", "multistage"))
#define BRANCHINGS                                                                                 \
	BENCH_AXIS_NAMED("branching", BENCH_TEXTS("both-ends"),                                    \
			 BENCH_TEXTS("forward", "both-ends"), BENCH_SAME)

static const struct bench_axis pfsp_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("r9x5"), BENCH_TEXTS("ta051"),
			BENCH_TEXTS("ta021", "ta051", "ta056", "ta081", "ta091", "ta101", "ta111")),
	BENCH_ALL_VARIANTS,
	BRANCHINGS,
	RULES,
	BENCH_AXIS_INT("beam", BENCH_INTS(0, 64), BENCH_INTS(0, 1024),
		       BENCH_INTS(0, 1024, 16384, 65536, 262144)),
	BENCH_AXIS_INT("mib", BENCH_INTS(0, 1), BENCH_INTS(0, 16), BENCH_INTS(0, 16, 256, 4096)),
	BENCH_AXIS_INT("rounds", BENCH_INTS(1), BENCH_INTS(2), BENCH_SAME),
	BENCH_AXIS_INT("gpus", BENCH_INTS(0, 1), BENCH_SAME, BENCH_INTS(0, 1, 2, 4)),
	BENCH_AXIS_END
};
BENCHMARK(pfsp) = {
	.name = "koester-recovery/pfsp",
	.summary = "Beam search for the makespan, by beam or memory; beam:0 is the widest that "
		   "fits in memory",
	.axes = pfsp_axes,
	.exists = pfsp_exists,
	.setup = setup_flowshop,
	PROBLEM_CASE,
};

static const struct bench_axis two_gpus_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("r9x5"), BENCH_TEXTS("ta051"), BENCH_SAME),
	BENCH_VARIANTS("tuned"),
	BENCH_FIXED_NAMED("branching", "both-ends"),
	BENCH_FIXED_NAMED("recovery", "replay"),
	BENCH_AXIS_INT("beam", BENCH_INTS(64), BENCH_INTS(1024, 16384),
		       BENCH_INTS(16384, 65536, 262144, 1048576, 4194304, 8388608, 16777216)),
	BENCH_FIXED_INT("mib", 0),
	BENCH_FIXED_INT("rounds", 0),
	BENCH_GPUS(1, 2),
	BENCH_AXIS_END
};
BENCHMARK(two_gpus) = {
	.name = "koester-recovery/two-gpus",
	.summary = "The same beam on one GPU and on two: from which size the second pays",
	.axes = two_gpus_axes,
	.exists = bench_gpus_fit,
	.setup = setup_flowshop,
	PROBLEM_CASE,
};

static const struct bench_axis samegame_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("6x6:3:1"), BENCH_TEXTS("15x15:5:1"),
			BENCH_TEXTS("15x15:5:1", "15x15:5:2", "15x15:5:3", "15x15:5:4")),
	BENCH_ALL_VARIANTS,
	RULES,
	BENCH_AXIS_INT("beam", BENCH_INTS(64), BENCH_INTS(0, 64),
		       BENCH_INTS(0, 64, 1024, 16384, 65536)),
	BENCH_AXIS_INT("mib", BENCH_INTS(0), BENCH_INTS(0, 1), BENCH_INTS(0, 1, 16)),
	BENCH_AXIS_INT("rounds", BENCH_INTS(1), BENCH_INTS(1), BENCH_SAME),
	BENCH_AXIS_INT("gpus", BENCH_INTS(0, 1), BENCH_SAME, BENCH_INTS(0, 1, 2, 4)),
	BENCH_AXIS_END
};
BENCHMARK(samegame) = {
	.name = "koester-recovery/samegame",
	.summary =
		"SameGame, where steps are expensive: replay or stored states, by beam or memory",
	.axes = samegame_axes,
	.exists = problem_exists,
	.setup = setup_board,
	PROBLEM_CASE,
};
