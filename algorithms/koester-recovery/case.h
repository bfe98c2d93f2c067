/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* What the experiments of koester-recovery share. Every benchmark has the axes variant and
 * gpus. Times are wall times of the measured calls, including the wait for devices.
 *
 *   serial, published   the engine as the paper describes it, on one core and on devices
 *   cpu, tuned          our version, on all cores and on devices */
#ifndef COPRA_KOESTER_RECOVERY_CASE_H
#define COPRA_KOESTER_RECOVERY_CASE_H

#include "algorithms/koester-recovery/states/place.h"
#include "algorithms/koester-recovery/tracking/track.h"
#include "harness/bench/bench.h"
#include "harness/machine/peaks.h"

/* TRACK_PUBLISHED for serial and published, else TRACK_TUNED. */
enum track_engine track_case_engine(const struct bench_case *c);
/* The value of the axis "recovery". */
enum track_recovery track_case_recovery(const struct bench_case *c);

/* Returns ERR_UNSUPPORTED (the case is skipped) if devices are missing, if `bytes` do not fit in
 * memory, or if devices are simulated and `work` multiply-adds or `bytes` are too many for them.
 * With `peer`, one more device is needed. */
int track_case_check_machine(struct bench_case *c, double work, double bytes, bool peer,
			     struct err *e);
/* Opens the places of the case: see track_places_open. */
int track_case_places(const struct bench_case *c, bool peer, uint64_t limit, struct track_places *p,
		      struct err *e);

/* Estimated seconds of a run with `work` multiply-adds and `bytes` copied, for the plan. */
double track_case_seconds(const struct bench_case *c, double work, double bytes);

/* Minimum seconds of a smoke and a quick row; many rows take milliseconds. */
#define TRACK_MIN_TIME .min_time = { 0.05, 0.1, 0 }

/* ---- metrics, for rows and for `solve`, and demands ---- */

enum { TRACK_MEASURED = 24 };

/* Lists the tracker's figures: states made, assigned, replayed and loaded, bytes by tier, and
 * times. Returns the number of entries written. */
int track_measures(const struct track_figures *f, struct measure out[TRACK_MEASURED]);

enum { TRACK_DEMANDS = 3 };

/* The demands of `products` fp32 multiply-adds and of `bytes` read and written, on one device or on
 * the cores of the host (NULL): the multiply-adds, the bytes through the second-level cache, and
 * those that no cache can hold, which go through memory. */
void track_demands(struct dev *device, bool one_core, double products, double bytes,
		   struct peak_demand demand[TRACK_DEMANDS]);
/* Reports the demands of a row, with the work divided evenly among the places. */
void track_report_demands(struct bench_case *c, enum solve_variant v, const struct track_places *p,
			  double products, double bytes);

#endif
