/* What all experiments of koester-recovery share: variants, places, sizes. Axes that every bench
 * has: variant, gpus.
 *
 * serial and published run the engine as the paper describes it, on one core and on devices; cpu
 * and tuned run ours, on all cores and on devices. The time is wall time of the calls measured,
 * devices waited for. */
#ifndef COPRA_KOESTER_RECOVERY_EXPERIMENT_H
#define COPRA_KOESTER_RECOVERY_EXPERIMENT_H

#include "harness/bench/bench.h"
#include "algorithms/koester-recovery/solve_places.h"
#include "algorithms/koester-recovery/track.h"

enum track_engine track_case_engine(const struct bench_case *c);
/* By its word on the axis "recovery". */
enum track_recovery track_case_recovery(const struct bench_case *c);

/* ERR_UNSUPPORTED where the devices are not there, or only simulated ones and the case of `work`
 * multiply-adds (or as much) and `bytes` is too large for them, or memory does not hold `bytes`. */
int track_case_check_machine(struct bench_case *c, double work, double bytes, bool peer,
			     struct err *e);
int track_case_places(const struct bench_case *c, bool peer, uint64_t limit, struct track_places *p,
		      struct err *e);

/* Predicted seconds of so many multiply-adds and bytes copied. */
double track_case_seconds(const struct bench_case *c, double work, double bytes);

/* Many rows take milliseconds: least seconds of a smoke and a quick row. */
#define TRACK_MIN_TIME .min_time = { 0.05, 0.1, 0 }

#endif
