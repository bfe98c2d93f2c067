/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* How often the gate is right: many comparisons of a build with one that does 5 % more work, and of
 * a build with itself. The times come from simulated noise, or from a real program on this machine.
 */
#ifndef COPRA_COMPARE_GATE_STUDY_H
#define COPRA_COMPARE_GATE_STUDY_H

#include <stdint.h>

#include "harness/base/rng.h"
#include "harness/compare/settings.h"

/* Launch times of an imaginary program on machines with different kinds of noise. */
enum study_noise_kind {
	STUDY_NORMAL,     /* normal, 2 % */
	STUDY_LOGNORMAL,  /* a fixed time plus a log-normal delay with a median of 4 % */
	STUDY_DRIFT,      /* 10 % slower over 120 launches; 1 % normal noise */
	STUDY_CORRELATED, /* AR(1) with coefficient 0.9; 3 % in total */
	STUDY_BIMODAL, /* two clock states 8 % apart, left with probability 0.1 per launch; 1 % */
	STUDY_SPIKES,  /* one launch in ten takes 1 to 3 times as long; 1 % normal noise */
	STUDY_HEAVY,   /* normal, 12 %: too noisy for any verdict */
	STUDY_NOISE_KINDS
};

struct study_noise {
	enum study_noise_kind kind;
	struct rng rng;
	double state;
	int launches;
};
/* Starts a sequence of launches, which the seed determines. */
void study_noise_start(struct study_noise *n, enum study_noise_kind kind, uint64_t seed);
/* Seconds of the next launch of a program that takes `seconds` without noise. */
double study_noise_launch(struct study_noise *n, double seconds);

struct study_row {
	const char *what; /* the kind of noise, or the program */
	double slowdown;  /* 1.05; 1: the same build */
	bool hopeless;    /* too noisy by design: AMBIGUOUS is the right answer */
	int trials;
	int verdicts[GATE_VERDICTS];
	int control_failures; /* AMBIGUOUS because the A/A control failed */
	double blocks;        /* in all trials */
};

/* Runs `trials` comparisons on one kind of noise. */
int study_simulate(struct study_row *row, enum study_noise_kind kind, double slowdown, int trials,
		   int most_blocks, uint64_t seed, struct err *e);
/* Whether the gate keeps its promises. A slower build is detected in at least 95 % of the trials.
 * The same build raises an alarm (SLOWER or FASTER) in at most 2 %. With hopeless noise, a slowdown
 * is called SAME or FASTER in at most 2 %. */
bool study_holds(const struct study_row *row);

/* The sub-command `study`: prints the table and, with --out, writes it as JSON. ERR_FAILED if
 * study_holds is false for a row. */
int study_run(struct settings *s, const struct environment *env, const volatile sig_atomic_t *stop,
	      struct err *e);

#endif
