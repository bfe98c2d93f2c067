/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The claims of a paper, and their verdicts on a machine.
 *
 * claims.txt has a block for each claim (data/blocks.h):
 *
 *     claim      G7b
 *     where      4.5, Table 4
 *     says       "the multi-core version is approximately 18 to 20 times faster than serial code"
 *     kind       measured
 *     decided    times
 *     needs      cores 16
 *     tolerance  0.1: "approximately"
 *     test       all(i in {"ta021", "ta022"},
 *                    many(i) >= 18 * (1 - tolerance) * serial(i))
 *     note       On all cores, as in the paper.
 *
 *   claim      the name, which is unique in the paper
 *   where      the section, table or figure of the paper
 *   says       one sentence of the paper, with its hedges, in double quotes; without quotes: in our
 *              words
 *   kind       measured    a sentence of the paper, judged by rows
 *              arithmetic  judged by the numbers that the paper prints: the test reads no rows
 *              ours        our own claim, judged by rows
 *   decided    what decides it, unless it is arithmetic
 *              counts      what is the same in every run; one run is enough, and the test reads no
 *                          times
 *              times       what varies from run to run: five runs of every row whose time it
 *                          reads, or a number of seconds, joules or something per second; if it
 *                          reads none of these, of every row that it reads. Runs of seeds count
 *                          together (below)
 *   needs      what a machine must have to judge it: gpus, cores or nodes, each with a number.
 *              Missing: nothing
 *   tolerance  a number >= 0, which the expressions know as `tolerance`, and after a colon the
 *              reason for it
 *   test       an expression that is true if the sentence holds (expression/expression.h)
 *   reliable   an expression that is true if what is measured can judge the sentence: the machine
 *              was steady, or an open detail is chosen as the printed numbers have it. If it is
 *              false, the verdict is INCONCLUSIVE
 *   hardware   an expression that is true if what is measured explains why the sentence does not
 *              hold on this hardware. The verdict is then DOES NOT CARRY OVER
 *   reason     a text shown with this verdict. An expression in braces stands for its value:
 *              "The kernel became {50.1 / kernel(1)} times faster, the exchange 6 times."
 *   note       a remark
 *
 * Needed are claim, where, says, kind and test.
 *
 * WHICH ROWS DECIDE
 *   A machine below the needs of a claim does not judge it. Rows of the scale smoke and simulated
 *   rows decide nothing. A verdict holds in at least 95 % of 1000 bootstrap samples of the runs.
 *
 * SEEDS
 *   Rows that differ only in the parameter seed are random instances of one class. Where one
 *   statistic of a claim, such as mean(".../seed:*"), reads several of them, their runs count
 *   together: five seeds with one run each are enough for the rule of five. A claim that reads each
 *   seed by itself needs five runs of each. In a claim decided by times, the bootstrap samples
 *   draw the seeds with replacement, and then the runs of each drawn seed (expression.h), because a
 *   row with a single run has no spread of its own. */
#ifndef COPRA_REPORT_CLAIMS_H
#define COPRA_REPORT_CLAIMS_H

#include "harness/report/expression/expression.h"

enum verdict {
	VERDICT_REPRODUCED,
	VERDICT_NOT_REPRODUCED,
	VERDICT_NOT_CARRIED_OVER,
	VERDICT_CONSISTENT,   /* of arithmetic only */
	VERDICT_INCONSISTENT, /* of arithmetic only */
	VERDICT_INCONCLUSIVE,
	VERDICT_NOT_TESTED,
	VERDICTS
};
extern const char *const verdict_names[VERDICTS];
extern const char *const verdict_meanings[VERDICTS]; /* one sentence each */
extern const char *const verdict_marks[VERDICTS];    /* CSS classes: good, bad, ... */

enum claim_kind { CLAIM_MEASURED, CLAIM_ARITHMETIC, CLAIM_OURS, CLAIM_KINDS };
enum claim_decided { DECIDED_COUNTS, DECIDED_TIMES, DECIDED_NOTHING /* arithmetic */ };
enum { CLAIM_RUNS = 5 }; /* the runs that a row, or its seeds together, needs whose time decides */
extern const char *const claim_kind_names[CLAIM_KINDS];
extern const char *const claim_decided_names[]; /* counts, times */

enum claim_need { NEED_GPUS, NEED_CORES, NEED_NODES, CLAIM_NEEDS };

/* A text, followed by the value of an expression unless that is NULL. */
struct claim_part {
	char *text;
	struct expr *value;
};

struct claim {
	char *id, *where, *says, *note;
	enum claim_kind kind;
	enum claim_decided decided;
	long needs[CLAIM_NEEDS]; /* 0: nothing */
	double tolerance;        /* NaN if there is none */
	char *tolerance_reason;  /* "" if there is none */
	/* the expressions; only the test is always there, the others may be "" and NULL */
	char *source, *reliable_source, *hardware_source;
	struct expr *test, *reliable, *hardware;
	size_t parts; /* of the reason */
	struct claim_part *part;
};

struct claims {
	size_t count;
	struct claim *claim;
};

/* Why a claim was not tested on a machine, beginning with what is easiest to supply. */
enum claim_gap {
	GAP_NONE,
	GAP_RUNS,  /* rows, or the seeds of a row together, have fewer than CLAIM_RUNS runs */
	GAP_ROWS,  /* rows are missing, or decide nothing */
	GAP_NEEDS, /* the machine is below the needs */
};

struct judgement {
	enum verdict verdict;
	double agreement; /* share of bootstrap samples, 0 to 1, with the same verdict */
	bool unreliable;  /* INCONCLUSIVE because `reliable` does not hold; no samples are drawn */
	enum claim_gap gap;
	struct expr_trace trace; /* the evidence */
	struct text needs; /* for NOT TESTED: what is missing, one item per line, the most important
			      first */
	struct text reason; /* for DOES NOT CARRY OVER */
};

/* Reads and checks claims.txt. A missing file is an empty one. ERR_INPUT names file, line and
 * column of the first error; on an error *c is empty. The terms must outlive the claims. */
int claims_read(struct claims *c, const char *path, const struct expr_terms *terms, struct err *e);
void claims_free(struct claims *c);

/* Appends the needs, "16 cores, 2 nodes"; nothing if there are none. */
void claim_needs_text(const struct claim *c, struct text *out);

/* Judges a claim by the world, which holds the results of `set`. Fails only if memory runs out or a
 * text is too long. */
int claim_judge(const struct claim *c, struct expr_world *w, const struct result_set *set,
		struct judgement *j, struct err *e);
void judgement_free(struct judgement *j);

/* The runs that the claim needs of the rows that its evaluation read: CLAIM_RUNS or 1. Rows whose
 * runs count together need them together. */
size_t claim_runs(const struct claim *c, const struct expr_trace *t, const struct expr_read *read);

/* The rows with a value that a read selects and that differ from one of them, `bench`, only in the
 * seed, itself included. */
struct claim_pool {
	size_t seeds, runs; /* the rows, and their runs together */
	size_t before;      /* those with a smaller seed */
};
struct claim_pool claim_pool(const struct result_set *set, const struct expr_read *read,
			     size_t bench);
/* The runs that each of the seeds needs so that they have `runs` together. */
size_t claim_runs_each(size_t runs, size_t seeds);

#endif
