/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* What rows were measured with: how many rows of a table come from each revision of copra, host and
 * date. A row (a benchmark) whose runs come from several sources counts once for each of them. */
#ifndef COPRA_REPORT_DATA_SOURCES_H
#define COPRA_REPORT_DATA_SOURCES_H

#include "harness/report/data/results.h"

struct source_rows {
	struct result_source from;
	size_t rows;
};

/* Begin with { 0 }; release with sources_free. */
struct sources {
	size_t count;
	struct source_rows *at; /* most rows first, then the latest date first */
};

/* Adds the benchmarks of the set for which `read` is true, or all if it is NULL. `read` has one
 * element per benchmark. Fails only if memory runs out. */
int sources_add(struct sources *s, const struct result_set *set, const bool *read, struct err *e);
/* Adds one benchmark. */
int sources_add_bench(struct sources *s, const struct result_bench *b, struct err *e);
void sources_free(struct sources *s);

/* Appends "revision 96d8b5a, 2026-11-23, host 08cf370", or, if there are several sources, "12 rows:
 * revision 96d8b5a, 2026-11-23, host 08cf370; 3 rows: revision 7555ad7 + changes, ...". Nothing if
 * there are no rows. */
void sources_text(const struct sources *s, struct text *out);
/* Appends the distinct revisions, "96d8b5a, 7555ad7 + changes". */
void sources_revisions(const struct sources *s, struct text *out);

/* Appends the machine, and the sources of the rows: "RECORDED on h200-x1 · revision ...". */
int sources_origin(const struct result_set *set, const bool *read, struct text *out, struct err *e);

#endif
