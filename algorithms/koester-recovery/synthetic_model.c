#include "algorithms/koester-recovery/synthetic_model.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/rng.h"
#include "algorithms/koester-recovery/synthetic.h"

#define FITTED_PROBABILITY 0.09
#define ROUNDING 1e-12
enum { PAPER_STEPS = 8 };

double synthetic_any_waits_printed(double p, uint64_t states)
{
	return 1.0 - pow(p, (double)states);
}

/* By logarithms: p may be far below the distance of doubles from 1. */
double synthetic_any_waits(double p, uint64_t states)
{
	return states ? -expm1((double)states * log1p(-p)) : 0.0;
}

const char *synthetic_reading_name(enum synthetic_reading r)
{
	static const char *const names[SYNTHETIC_READINGS] = { "each-step", "each-look-ahead",
							       "of-all-states", "fitted" };

	return names[r];
}

double synthetic_waiting_probability(enum synthetic_reading r, double p, uint64_t states)
{
	switch (r) {
	case SYNTHETIC_EACH_STEP:
		return p;
	case SYNTHETIC_EACH_LOOK:
		return p / PAPER_STEPS;
	case SYNTHETIC_OF_GROUP:
		return states ? -expm1(log1p(-p) / (double)states) : 0.0;
	default:
		return FITTED_PROBABILITY;
	}
}

uint32_t synthetic_expected_breaks(double q, double fill_rate, uint32_t steps)
{
	uint32_t breaks = 0;
	double running = 1.0;

	for (uint32_t s = 0; s < steps; s++) {
		running *= 1.0 - q;
		if (1.0 - running > fill_rate + ROUNDING) {
			breaks |= 1u << s;
			running = 1.0;
		}
	}
	return steps ? breaks | 1u << (steps - 1) : 0;
}

uint32_t synthetic_printed_breaks(int fill_percent)
{
	return synthetic_expected_breaks(FITTED_PROBABILITY, fill_percent / 100.0, PAPER_STEPS);
}

/* Assignments of one run; `waits` has room for all states. */
static uint32_t simulate(bool *waits, uint64_t below, double fill_rate, uint32_t steps,
			 uint32_t states, struct rng *random)
{
	uint32_t waiting = 0, breaks = 0;

	memset(waits, 0, states * sizeof(*waits));
	for (uint32_t s = 0; s < steps; s++) {
		for (uint32_t i = 0; i < states; i++) {
			if (!waits[i] && rng_next(random) >> 32 < below) {
				waits[i] = true;
				waiting++;
			}
		}
		if (s + 1 == steps || (double)waiting / states > fill_rate) {
			memset(waits, 0, states * sizeof(*waits));
			waiting = 0;
			breaks++;
		}
	}
	return breaks;
}

int synthetic_simulated_breaks(double *mean, double q, double fill_rate, uint32_t steps,
			       uint32_t states, uint32_t runs, uint64_t seed, struct err *e)
{
	bool *waits = malloc(states ? states * sizeof(*waits) : 1);
	struct rng random = rng_seeded(seed);
	uint64_t sum = 0;

	if (!waits)
		return err_set(e, ERR_MEMORY, "no memory to simulate %u states", states);
	for (uint32_t i = 0; i < runs; i++)
		sum += simulate(waits, (uint64_t)(q * 4294967296.0), fill_rate, steps, states,
				&random);
	free(waits);
	*mean = runs ? (double)sum / runs : 0.0;
	return 0;
}
