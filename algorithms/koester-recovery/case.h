/* Cases that several experiments of koester-recovery share. Axes that every benchmark has: variant,
 * gpus.
 *
 * serial and published run the engine as the paper describes it, on one core and on devices; cpu
 * and tuned run our version, on all cores and on devices. Times are wall times of the measured
 * calls, including the wait for devices. */
#ifndef COPRA_KOESTER_RECOVERY_CASE_H
#define COPRA_KOESTER_RECOVERY_CASE_H

#include "algorithms/koester-recovery/states/place.h"
#include "algorithms/koester-recovery/problems/synthetic.h"
#include "algorithms/koester-recovery/tracking/track.h"
#include "harness/bench/bench.h"

enum track_engine track_case_engine(const struct bench_case *c);
/* By the value of the axis "recovery". */
enum track_recovery track_case_recovery(const struct bench_case *c);

/* Skips a case (ERR_UNSUPPORTED) if devices are missing, if there are only simulated devices and a
 * case of `work` multiply-adds and `bytes` is too large for them, or if `bytes` do not fit in
 * memory. */
int track_case_check_machine(struct bench_case *c, double work, double bytes, bool peer,
			     struct err *e);
int track_case_places(const struct bench_case *c, bool peer, uint64_t limit, struct track_places *p,
		      struct err *e);

/* Predicted seconds for `work` multiply-adds and `bytes` copied. */
double track_case_seconds(const struct bench_case *c, double work, double bytes);

/* Minimum seconds of a smoke and a quick row; many rows take milliseconds. */
#define TRACK_MIN_TIME .min_time = { 0.05, 0.1, 0 }

/* One iteration of the synthetic model: Tables I and II, and the fill rate. Axes: schedule, load,
 * states, P, F. */

bool track_model_case_exists(const struct bench_case *c);
double track_model_case_estimate(const struct bench_case *c);

int track_model_case_setup(struct bench_case *c, struct err *e);
/* The same for runs of several iterations. */
int track_model_case_setup_several(struct bench_case *c, uint32_t iterations, struct err *e);
int track_model_case_run(struct bench_case *c, struct err *e);
int track_model_case_check(struct bench_case *c, struct err *e);
void track_model_case_teardown(struct bench_case *c);

#define TRACK_MODEL_CASE                                                                           \
	.manual_time = true, .unit = "ms", TRACK_MIN_TIME, .exists = track_model_case_exists,      \
	.setup = track_model_case_setup, .run = track_model_case_run,                              \
	.check = track_model_case_check, .teardown = track_model_case_teardown,                    \
	.uses_device = bench_uses_device, .estimate = track_model_case_estimate

/* Recovery of old states of the synthetic model: Tables III and IV, and the ways of recovery. There
 * is one input; every layer keeps all S states, as in section V (S_back = S_max). */

enum { TRACK_CASE_LAYERS = 16 }; /* the paper's "solver iteration 16" */

struct track_recovery_case {
	uint32_t states, state_bytes, load;
	struct track_archive_options archive;
	uint32_t from_layer, to_layer; /* a run recovers all states of each of these layers;
					  its time is the mean per layer */
	bool scattered;                /* in scattered order, else slot by slot */
	bool whole;                    /* a run is a whole search and one recovery, and reports
					  the memory that it takes */
};

double track_recovery_case_estimate(const struct bench_case *c,
				    const struct track_recovery_case *p);

int track_recovery_case_setup(struct bench_case *c, const struct track_recovery_case *p,
			      struct err *e);
int track_recovery_case_run(struct bench_case *c, struct err *e);
int track_recovery_case_check(struct bench_case *c, struct err *e);
void track_recovery_case_teardown(struct bench_case *c);

#define TRACK_RECOVERY_CASE                                                                        \
	.manual_time = true, .unit = "ms", TRACK_MIN_TIME, .run = track_recovery_case_run,         \
	.check = track_recovery_case_check, .teardown = track_recovery_case_teardown,              \
	.uses_device = bench_uses_device

#endif
