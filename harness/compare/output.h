/* The result of a comparison: for people, for reports, for programs. */
#ifndef COPRA_COMPARE_OUTPUT_H
#define COPRA_COMPARE_OUTPUT_H

#include "harness/compare/run.h"

/* The table on stdout; errors of writing are seen by the caller at the end. */
void output_print(const struct gate_result *r);
/* <folder>/compare.json and compare.md. */
int output_save(const struct gate_result *r, const char *folder, struct err *e);

#endif
