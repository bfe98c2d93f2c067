/* Metrics of a run, for benchmark rows and for `solve`, and the lower bound on its time. */
#ifndef COPRA_KOESTER_RECOVERY_MEASURES_H
#define COPRA_KOESTER_RECOVERY_MEASURES_H

#include "harness/machine/peaks.h"
#include "harness/bench/bench.h"
#include "algorithms/koester-recovery/states/place.h"
#include "algorithms/koester-recovery/tracking/track.h"

enum { TRACK_MEASURED = 24 };

/* Lists the tracker's figures: states made, assigned, replayed and loaded, bytes by tier, and
 * times. Returns the number of entries written. */
int track_measures(const struct track_figures *f, struct measure out[TRACK_MEASURED]);
void track_counters(struct bench_case *c, const struct track_figures *f);

/* The number of bytes that must go through memory when a run reads and writes `bytes` in total,
 * with a cache of `cache` bytes. Data that the cache holds before the run need not be read from
 * memory, and data that it holds afterwards need not be written to memory. */
double track_through_memory(double bytes, double cache);

/* Lower bound in seconds, by the measured peak rates, on the time of `products` fp32 multiply-adds
 * and of `bytes` read and written, on one device or on the cores of the host (NULL). */
double track_lower_bound(const struct peaks *c, struct dev *device, bool one_core, double products,
			 double bytes, enum peak *limit);
/* Reports the lower bound of a row, with the work divided evenly among the places. */
void track_report_lower_bound(struct bench_case *c, enum solve_variant v,
			      const struct track_places *p, double products, double bytes);

#endif
