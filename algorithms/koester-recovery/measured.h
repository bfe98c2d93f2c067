/* What a run tells beside its time, in a row and in a solve alike. */
#ifndef COPRA_TRACK_MEASURED_H
#define COPRA_TRACK_MEASURED_H

#include "../../harness/measure.h"
#include "track.h"

enum { TRACK_MEASURED = 24 };

/* The tracker's figures: what was made, assigned, replayed and loaded, and the bytes held, by tier.
 * Returns how many there are. */
int track_measures(const struct track_figures *f, struct measure out[TRACK_MEASURED]);
void track_counters(struct bench_case *c, const struct track_figures *f);

/* Floors by the measured ceilings of the machine: `products` fp32 multiply-adds spread over the
 * processors of the variant, and `bytes` read and written in their memory. */
void track_floor(struct bench_case *c, enum solve_variant v, int gpus, double products,
		 double bytes);

#endif
