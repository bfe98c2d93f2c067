/* The order of launches, and when there have been enough of them.
 *
 * A block has two launches of each arm in mirrored order (old again new, new again old: the ABBA of
 * a comparison with a control), which cancels a steady drift; which arm takes which place is drawn
 * by lot for each block. After `least` blocks a benchmark is left alone as soon as its answer is
 * settled; `most` ends the session. The stopping looks at the width of the interval, not at the
 * difference. */
#ifndef COPRA_COMPARE_SESSION_H
#define COPRA_COMPARE_SESSION_H

#include <signal.h>
#include <stdint.h>

#include "harness/compare/verdict.h"

struct gate_bench {
	char *name;
	struct gate_samples samples;
	struct gate_judgement now; /* tests so far */
	bool settled;              /* needs no further launch */
};

struct gate_session {
	struct gate_bench *bench;
	size_t count;
	enum gate_control control; /* GATE_NEW_AGAIN: the old arm is not launched */
	struct gate_rule rule;
	int least, most; /* blocks; 1 <= least <= most */
	uint64_t seed;
	const volatile sig_atomic_t *stop; /* NULL: none */
	/* One launch: the seconds of every benchmark that is not settled, NaN where it has none. */
	int (*sample)(void *ctx, const struct gate_session *s, enum gate_arm arm, int block,
		      double *seconds, struct err *e);
	/* After each block, may be NULL. */
	void (*told)(void *ctx, const struct gate_session *s, int block);
	void *ctx;
	/* What was done: blocks that are complete. */
	int blocks;
};

/* ERR_LIMIT when stopped: the samples so far stay, of whole blocks and of the one that was cut. */
int gate_session_run(struct gate_session *s, struct err *e);
/* Tests of all benchmarks from what there is, also after a stop. */
int gate_session_test(struct gate_session *s, struct err *e);

#endif
