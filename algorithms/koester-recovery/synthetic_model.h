/* When states wait together: the fill-rate model of the paper (section III-D, Equation 1) and what
 * its break probability P can mean for the runs of Tables I and II.
 *
 * Equation (1) prints P = 1 - p^|S| for the probability that at least one of |S| states needs an
 * assignment, if one state does with probability p. As printed that holds for p as the probability
 * not to need one; for p as the text says it, it is 1 - (1 - p)^|S|. */
#ifndef COPRA_KOESTER_RECOVERY_SYNTHETIC_MODEL_H
#define COPRA_KOESTER_RECOVERY_SYNTHETIC_MODEL_H

#include <stdint.h>

#include "harness/base/error.h"

double synthetic_any_waits_printed(double p, uint64_t states);
double synthetic_any_waits(double p, uint64_t states);

/* The per-state, per-step probability q, from the table's P as a share of 1. */
enum synthetic_reading {
	SYNTHETIC_EACH_STEP, /* q = P: literally */
	SYNTHETIC_EACH_LOOK, /* q = P / 8: P is for the 8 steps of an evaluation */
	SYNTHETIC_OF_GROUP,  /* Equation (1), sign right: P is that of any state to wait */
	SYNTHETIC_FITTED,    /* q = 0.09, whatever P: yields the printed times, as does all from
				0.0498 to 0.1121 */
	SYNTHETIC_READINGS
};
const char *synthetic_reading_name(enum synthetic_reading r);
double synthetic_waiting_probability(enum synthetic_reading r, double p, uint64_t states);

/* Algorithm 2 for very many states: they are assigned after the steps whose bits are set (bit s:
 * after the (s + 1)-th) and after the last. steps <= 32. A share that comes to F exactly is not
 * more than F (with finitely many states chance decides then, as for q = F = 0.3). */
uint32_t synthetic_expected_breaks(double q, double fill_rate, uint32_t steps);

/* The same simulated: each of `states` states draws in every step that it takes; the mean number of
 * assignments over `runs` runs, the last one of each counted. ERR_MEMORY. */
int synthetic_simulated_breaks(double *mean, double q, double fill_rate, uint32_t steps,
			       uint32_t states, uint32_t runs, uint64_t seed, struct err *e);

#endif
