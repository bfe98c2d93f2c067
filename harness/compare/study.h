/* How often the gate is right: many comparisons of a build with one that does 5 % more work, and of
 * a build with itself. On simulated noise (noise.h), or on this machine with a real program. */
#ifndef COPRA_COMPARE_STUDY_H
#define COPRA_COMPARE_STUDY_H

#include "harness/compare/noise.h"
#include "harness/compare/settings.h"

struct study_row {
	const char *what; /* the kind of noise, or the program */
	double slowdown;  /* 1.05; 1: the same build */
	bool hopeless;    /* too noisy by intention: AMBIGUOUS is the right answer */
	int trials;
	int verdicts[GATE_VERDICTS], unclean; /* unclean: AMBIGUOUS for the control's sake */
	double blocks;                        /* in all trials */
};

/* So many comparisons on one kind of noise. */
int study_simulate(struct study_row *row, enum noise_kind kind, double slowdown, int trials,
		   int most_blocks, uint64_t seed, struct err *e);
/* Does it keep what is promised? A slower build is told in 95 of 100 trials, and the same build
 * raises an alarm (SLOWER or FASTER) in at most 2; hopeless noise hides no slowdown behind a SAME
 * more than twice. */
bool study_holds(const struct study_row *row);

/* The sub-command: prints the table and, with --out, writes it as JSON. ERR_FAILED when a row does
 * not hold. */
int study_run(struct settings *s, const struct environment *env, const volatile sig_atomic_t *stop,
	      struct err *e);

#endif
