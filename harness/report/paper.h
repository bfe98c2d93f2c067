/* One paper: its claims and tables, evaluated over the results of each machine. */
#ifndef COPRA_REPORT_PAPER_H
#define COPRA_REPORT_PAPER_H

#include "harness/report/claims.h"
#include "harness/report/table/tables.h"

/* The results of one machine, and the claims and tables evaluated over them. */
struct paper_machine {
	const struct result_set *set;
	struct judgement *judgement; /* one per claim */
	size_t verdicts[VERDICTS];   /* the number of claims with each verdict */
	struct grid *grid;           /* one per table */
	bool *read; /* claims x benchmarks: whether the claim's evaluation read the benchmark */
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
	struct grid *printed_grid; /* one per table: only the numbers that the paper prints */
	size_t machines;
	struct paper_machine *machine;    /* local machines first, then recorded ones */
	const struct paper_machine *best; /* the machine that decided the most claims; NULL if there
					     is no machine */
	enum verdict *verdict; /* one per claim: on the best machine; if that is NOT TESTED, the
				  verdict of the first machine that has another one */
	bool *measured;        /* one per table: some machine measured at least one of its cells */
};

/* Loads <papers>/<target>/ and evaluates it over the result sets of that target. The results must
 * outlive the paper. ERR_INPUT names the file and line of an error. */
int paper_load(struct paper *p, const char *papers, const char *target, const struct results *r,
	       struct err *e);
void paper_free(struct paper *p);

#endif
