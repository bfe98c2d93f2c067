/* One paper: what it says, what was measured of it and on which machines, and what follows. */
#ifndef COPRA_REPORT_STUDY_H
#define COPRA_REPORT_STUDY_H

#include "harness/report/claims.h"
#include "harness/report/tables.h"

/* One machine's results with everything evaluated over them. */
struct study_machine {
	const struct result_set *set;
	struct judgement *judgement; /* one a claim */
	struct grid *grid;           /* one a table */
};

struct study {
	char *target;
	struct pred_terms *terms; /* at a fixed address: expressions point to them */
	struct pred_papers papers;
	struct claims claims;
	struct tables tables;
	struct text findings; /* findings.md, "" where there is none */
	struct grid *paper;   /* one a table: the paper's own figures alone, of no machine */
	size_t machines;
	struct study_machine *machine; /* measured here first, then recorded */
};

/* Loads <results>/papers/<target>/ and evaluates it over the sets of that target. */
int study_load(struct study *s, const char *papers, const char *target, const struct results *r,
	       struct err *e);
void study_free(struct study *s);

/* Was anything of the table measured on some machine? */
bool study_measured(const struct study *s, size_t table);

/* "4 × NVIDIA H200", "1 of 2 × NVIDIA H200" where only one was opened, "" where the machine has no
 * GPU. */
void machine_gpus(const struct result_set *set, struct text *out);
/* "measured here, 2026-11-20" or "RECORDED on h200-4, 2026-11-20": what a table stands under. */
void machine_origin(const struct result_set *set, struct text *out);
/* "local-<machine>" or "recorded-<machine>", for file names and anchors: letters, digits, '.', '-'.
 */
void machine_slug(const struct result_set *set, struct text *out);

#endif
