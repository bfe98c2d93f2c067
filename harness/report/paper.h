/* One paper: its claims and tables, evaluated over the results of each machine. */
#ifndef COPRA_REPORT_PAPER_H
#define COPRA_REPORT_PAPER_H

#include "harness/report/claims.h"
#include "harness/report/table/tables.h"

/* The results of one machine, and the claims and tables evaluated over them. */
struct paper_machine {
	const struct result_set *set;
	struct judgement *judgement; /* one per claim */
	struct grid *grid;           /* one per table */
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
	struct paper_machine *machine; /* local machines first, then recorded ones */
};

/* Loads <papers>/<target>/ and evaluates it over the result sets of that target. The results must
 * outlive the paper. ERR_INPUT names the file and line of an error. */
int paper_load(struct paper *p, const char *papers, const char *target, const struct results *r,
	       struct err *e);
void paper_free(struct paper *p);

/* True if some machine measured at least one cell of the table. */
bool paper_measured(const struct paper *p, size_t table);

/* ---- verdicts ---- */

/* The number of claims with this verdict on the machine. */
size_t paper_verdicts_on(const struct paper *p, const struct paper_machine *m, enum verdict v);
/* The best machine: the one that decided the most claims. NULL if there is no machine. */
const struct paper_machine *paper_best_machine(const struct paper *p);
/* The verdict of a claim on the best machine. If that is NOT TESTED, the verdict of the first
 * machine that has another one. */
enum verdict paper_verdict(const struct paper *p, size_t claim);

/* ---- which rows the claims read ---- */

/* Sets read[i] for each benchmark i of the set that the claim's evaluation read. */
void paper_mark_rows(const struct judgement *j, const struct result_set *set, bool *read);

/* The claims that read a benchmark, and the counters that they read. */
struct row_use {
	struct text claims;   /* ids, separated by ' ' */
	struct text counters; /* names, separated by ' '; the time has no name */
};
/* Allocates one row_use per benchmark of the machine's set; release them with
 * paper_row_uses_free. */
int paper_row_uses(const struct paper *p, const struct paper_machine *m, struct row_use **out,
		   struct err *e);
void paper_row_uses_free(struct row_use *uses, size_t count);

#endif
