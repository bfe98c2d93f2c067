/* What a run tells beside its time, in a row and in a solve alike. */
#ifndef COPRA_KOESTER_RECOVERY_MEASURES_H
#define COPRA_KOESTER_RECOVERY_MEASURES_H

#include "harness/machine/peaks.h"
#include "harness/bench/bench.h"
#include "algorithms/koester-recovery/states/place.h"
#include "algorithms/koester-recovery/tracking/track.h"

enum { TRACK_MEASURED = 24 };

/* The tracker's figures: what was made, assigned, replayed and loaded, and the bytes held, by tier.
 * Returns how many there are. */
int track_measures(const struct track_figures *f, struct measure out[TRACK_MEASURED]);
void track_counters(struct bench_case *c, const struct track_figures *f);

/* Of bytes read and written, those that must go through memory: what a cache held before need not
 * be read, what it holds afterwards need not have been written. */
double track_through_memory(double bytes, double cache);

/* Least seconds by the measured ceilings of `products` fp32 multiply-adds and of `bytes` read and
 * written, on one device, or on the cores of the host (NULL). */
double track_floor_seconds(const struct peaks *c, struct dev *device, bool one_core,
			   double products, double bytes, enum peak *limit);
/* The same for a row, spread over its places. */
void track_floor(struct bench_case *c, enum solve_variant v, const struct track_places *p,
		 double products, double bytes);

#endif
