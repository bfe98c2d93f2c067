/* Which rows the claims read: from a claim to its rows, and from a row to its claims. */
#ifndef COPRA_REPORT_READS_H
#define COPRA_REPORT_READS_H

#include "harness/report/study.h"

/* Sets read[i] for each benchmark of the set that the judgement's evaluation read. */
void reads_mark(const struct judgement *j, const struct result_set *set, bool *read);

/* Who reads a benchmark, and what of it. */
struct row_use {
	struct text claims;   /* ids, separated by ' ' */
	struct text counters; /* names, separated by ' '; the time has none */
};
/* One a benchmark of the machine's set; row_uses_free releases them. */
int row_uses_find(const struct study *s, const struct study_machine *m, struct row_use **out,
		  struct err *e);
void row_uses_free(struct row_use *uses, size_t count);

#endif
