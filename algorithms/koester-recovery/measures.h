/* Metrics of a run, for benchmark rows and for `solve`, and the lower bound on its time. */
#ifndef COPRA_KOESTER_RECOVERY_MEASURES_H
#define COPRA_KOESTER_RECOVERY_MEASURES_H

#include "harness/machine/peaks.h"
#include "harness/bench/bench.h"
#include "algorithms/koester-recovery/states/place.h"
#include "algorithms/koester-recovery/tracking/track.h"

enum { TRACK_MEASURED = 24 };

/* The figures of the tracker: states made, assigned, replayed and loaded, and bytes by tier.
 * Returns their number. */
int track_measures(const struct track_figures *f, struct measure out[TRACK_MEASURED]);
void track_counters(struct bench_case *c, const struct track_figures *f);

/* The part of the bytes read and written that must go through memory: data that a cache of `cache`
 * bytes holds before need not be read, and data that it holds afterwards need not be written. */
double track_through_memory(double bytes, double cache);

/* Lower bound in seconds, by the measured peak rates, on the time of `products` fp32 multiply-adds
 * and of `bytes` read and written, on one device or on the cores of the host (NULL). */
double track_floor_seconds(const struct peaks *c, struct dev *device, bool one_core,
			   double products, double bytes, enum peak *limit);
/* Reports it for a row, with work divided among the places. */
void track_floor(struct bench_case *c, enum solve_variant v, const struct track_places *p,
		 double products, double bytes);

#endif
