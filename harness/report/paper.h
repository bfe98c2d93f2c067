/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* One paper: its claims and tables, evaluated over the results of each machine. */
#ifndef COPRA_REPORT_PAPER_H
#define COPRA_REPORT_PAPER_H

#include "harness/report/claims.h"
#include "harness/report/table/tables.h"

/* The results of one machine, and the claims and tables evaluated over them. */
struct paper_machine {
	const struct result_set *set;
	struct judgement *judgement; /* one per claim; arithmetic is not judged by machines */
	size_t verdicts[CLAIM_KINDS][VERDICTS]; /* the number of claims with each verdict */
	size_t decided;                         /* claims with another verdict than NOT TESTED */
	struct grid *grid;                      /* one per table */
	bool *read;     /* claims x benchmarks: whether the claim's evaluation read the benchmark */
	size_t *needed; /* one per benchmark: the runs that claims need of it, its part if its seeds
			   count together; 0 if none reads it */
	struct text *counters; /* one per benchmark: the counters that claims read, separated by
				  ' '; the time has no name */
};

struct paper {
	char *target;
	struct expr_terms *terms; /* allocated, because expressions point to them */
	struct expr_printed printed;
	struct claims claims;
	struct tables tables;
	struct text findings;      /* findings.md, "" if there is none */
	struct grid *printed_grid; /* one per table: only the numbers that the paper prints, and
				      simulated ones */
	size_t machines;
	struct paper_machine *machine;    /* local machines first, then recorded ones */
	const struct paper_machine *best; /* the machine that decided the most claims; NULL if there
					     is no machine */
	struct judgement *arithmetic;     /* one per claim: of arithmetic */
	/* One per claim: the machine whose verdict counts, a local one if it decided the claim,
	 * otherwise the recorded one that decided the most claims among those that decided this
	 * one. A machine with a verdict comes before one where the claim is INCONCLUSIVE. NULL if
	 * none decided it, and for arithmetic. */
	const struct paper_machine **judge;
	bool *measured; /* one per table: some machine measured at least one of its cells */
};

/* Loads <papers>/<target>/ and, if there are any, the simulated tables of
 * <papers>/../simulated/<target>/, and evaluates them over the result sets of that target. The
 * results must outlive the paper. ERR_INPUT names the file and line of an error. */
int paper_load(struct paper *p, const char *papers, const char *target, const struct results *r,
	       struct err *e);
void paper_free(struct paper *p);

/* The judgement of a claim that counts: of arithmetic, of the machine that judged it, or, if none
 * did, of the machine that lacks least. NULL if there is no machine. */
const struct judgement *paper_judgement(const struct paper *p, size_t claim);
/* Its verdict. */
enum verdict paper_verdict(const struct paper *p, size_t claim);
/* Appends why a verdict is as it is, in one line: what is missing, or the measured reason. Nothing
 * for the others. */
void paper_reason(const struct paper *p, size_t claim, struct text *out);

/* Appends where the simulated tables come from, by their columns revision, machine and date:
 * "revision R, on M, D", separated by "; " if they come from several. Nothing if there are none. */
void paper_simulated_origin(const struct paper *p, struct text *out);

#endif
