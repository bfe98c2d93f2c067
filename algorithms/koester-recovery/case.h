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

#endif
