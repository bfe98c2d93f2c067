/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The regression gate: chooses the order in which builds are launched, decides when to stop, and
 * judges the samples.
 *
 * Builds. Three builds are sampled: the old one, the same old one again (the A/A control: a
 * difference between these two is not caused by the program), and the new one. If the old build's
 * programs are gone, its recorded rows are used instead, and the new build serves as its own
 * control.
 *
 * Blocks. A block has two launches of each build in mirrored order (old again new, new again old:
 * ABBA with a control), which cancels a steady drift. The order within a block is randomised. After
 * `least` blocks, a benchmark is no longer launched once its result is settled; `most` blocks end
 * the session. The stopping rule looks at the width of the confidence interval, not at the
 * difference.
 *
 * Verdicts.
 *   SLOWER, FASTER  The estimated ratio new / old is at least 1 + floor, or at most
 *                   1 / (1 + floor), and the hypothesis that both builds are equally fast is
 *                   rejected: q, the p-value of the rank test adjusted for the family, is at most
 *                   `rate`. The floor applies to the estimate; the interval may reach below it.
 *   SAME            The estimated ratio is within the floor, and the interval lies between
 *                   1 / (1 + detect) and 1 + detect.
 *   AMBIGUOUS       Neither; or the A/A control failed: its estimate is beyond the floor and its
 *                   own p-value is at most 1 - level; or there are too few samples for the rank
 *                   test to reach `rate`. The reason says which. */
#ifndef COPRA_COMPARE_GATE_H
#define COPRA_COMPARE_GATE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "harness/compare/rank.h"

struct gate_rule {
	double floor;  /* 0.03: smaller changes are not reported */
	double detect; /* 0.05: a change this large is reported or ruled out, else AMBIGUOUS */
	double level;  /* 0.99: confidence level of the intervals */
	double rate;   /* 0.002: false-discovery rate */
};
#define GATE_RULE                                                                                  \
	{                                                                                          \
		.floor = 0.03, .detect = 0.05, .level = 0.99, .rate = 0.002                        \
	}
/* ERR_USAGE unless floor is in 0.001..1, detect above it and at most 10, level in (0.5, 1) and rate
 * in (0, 0.5). */
int gate_rule_check(const struct gate_rule *r, struct err *e);

enum gate_build { GATE_OLD, GATE_AGAIN, GATE_NEW, GATE_BUILDS };
/* Which build is sampled twice. GATE_NEW_AGAIN: the old build is not launched. */
enum gate_control { GATE_OLD_AGAIN, GATE_NEW_AGAIN };

struct gate_value {
	double seconds;
	int block;
	enum gate_build build;
};

/* The samples of one benchmark so far. */
struct gate_samples {
	struct gate_value *value;
	size_t count;
};
/* Appends a sample. ERR_MEMORY. */
int gate_samples_add(struct gate_samples *s, struct gate_value v, struct err *e);
void gate_samples_free(struct gate_samples *s);

enum gate_verdict { GATE_SAME, GATE_FASTER, GATE_SLOWER, GATE_AMBIGUOUS, GATE_VERDICTS };
extern const char *const gate_verdict_names[GATE_VERDICTS];

struct gate_judgement {
	struct rank_result test;    /* old against new */
	struct rank_result control; /* a build against itself */
	double q;                   /* test.p, adjusted for the family */
	enum gate_verdict verdict;
	bool control_failed; /* the A/A control differs: no verdict */
	char reason[160];    /* of AMBIGUOUS, else empty */
};
/* The result without samples. It counts neither as a discovery nor as a failed control. */
#define GATE_UNTESTED                                                                              \
	{                                                                                          \
		.test = RANK_UNKNOWN, .control = RANK_UNKNOWN, .q = 1, .verdict = GATE_AMBIGUOUS   \
	}

/* The smallest number of samples per build with which a difference can be SLOWER or FASTER: the
 * p-value of n samples against n is at least stat_least_p(n, n). 7 at the default rate. */
size_t gate_samples_needed(const struct gate_rule *r);
/* Whether a test has enough samples for that. The builds may have different numbers of them. */
bool gate_enough_samples(const struct rank_result *t, const struct gate_rule *r);
/* Sets the verdicts of the whole family, after all benchmarks have been tested. */
int gate_judge(struct gate_judgement *family, size_t count, const struct gate_rule *r,
	       struct err *e);

struct gate_bench {
	char *name;
	struct gate_samples samples;
	struct gate_judgement now; /* both tests of the samples so far; no verdict yet */
	bool settled;              /* needs no further launch */
};

struct gate_session {
	struct gate_bench *bench;
	size_t count;
	enum gate_control control;
	struct gate_rule rule;
	int least, most; /* blocks; 1 <= least <= most */
	uint64_t seed;
	const volatile sig_atomic_t *stop; /* NULL: none */
	/* Launches a build once. Sets the seconds of every benchmark that is not settled; NaN if it
	 * has none. */
	int (*sample)(void *ctx, const struct gate_session *s, enum gate_build build, int block,
		      double *seconds, struct err *e);
	/* Called after each block; may be NULL. */
	void (*after_block)(void *ctx, const struct gate_session *s, int block);
	void *ctx;
	int blocks; /* out: complete blocks */
};

/* Launches the builds until all benchmarks are settled. ERR_LIMIT when stopped; the samples
 * collected so far are kept, including those of the interrupted block. */
int gate_session_run(struct gate_session *s, struct err *e);
/* Tests all benchmarks that are not settled with the samples they have. A benchmark that lacks
 * samples of a build is not tested. */
int gate_session_test(struct gate_session *s, struct err *e);

#endif
