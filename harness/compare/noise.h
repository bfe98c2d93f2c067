/* Launches of a program that does not exist, on machines with every kind of noise: for the study of
 * how often the gate is right. Times are multiples of one; the draws follow from the seed. */
#ifndef COPRA_COMPARE_NOISE_H
#define COPRA_COMPARE_NOISE_H

#include <stdint.h>

#include "harness/base/rng.h"

enum noise_kind {
	NOISE_NORMAL,     /* 2 % */
	NOISE_LOGNORMAL,  /* a fixed floor, and delays with a long tail above it */
	NOISE_DRIFT,      /* 10 % warmer, and slower, over a session; 1 % of noise */
	NOISE_CORRELATED, /* 3 %, each launch like the one before it (AR(1), 0.9) */
	NOISE_BIMODAL,    /* a clock with two states 8 % apart, kept for ten launches or so */
	NOISE_SPIKES,     /* every tenth launch is disturbed and takes up to three times as long */
	NOISE_HEAVY,      /* 12 %: too much for any verdict */
	NOISE_KINDS
};
extern const char *const noise_names[NOISE_KINDS];
extern const char *const noise_texts[NOISE_KINDS];

struct noise {
	enum noise_kind kind;
	struct rng rng;
	double state;
	int launches;
};
void noise_start(struct noise *n, enum noise_kind kind, uint64_t seed);
/* Seconds of the next launch of a program that takes `seconds` where nothing disturbs it. */
double noise_launch(struct noise *n, double seconds);

#endif
