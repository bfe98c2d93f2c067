/* The evidence that an evaluation leaves. All calls do nothing where the trace is NULL. */
#ifndef COPRA_REPORT_PREDICATE_TRACE_H
#define COPRA_REPORT_PREDICATE_TRACE_H

#include "harness/report/predicate_world.h"

struct pred_unit statistic_unit(const struct pred_node *n, const char *counter);
void trace_statistic(struct pred_trace *t, const struct pred_node *n, const char *pattern,
		     const char *counter, const struct world_result *result);
void trace_missing(struct pred_trace *t, const char *pattern, const char *counter);
/* With the values of the variables in scope, by slot. */
void trace_comparison(struct pred_trace *t, const struct pred *p, const struct pred_value *slot,
		      const struct pred_node *n, const struct pred_value *left,
		      const struct pred_value *right, bool truth);

#endif
