/* Patterns over benchmark names.
 *
 *   *     any text, slashes included, also none
 *   (*)   the captured part: one or more characters without a slash; at most once in a pattern
 *
 * Everything else stands for itself. "dp-knapsack/table1/boyer/serial/form:item/n:(*)" captures the
 * n of every size measured. */
#ifndef COPRA_REPORT_PATTERN_H
#define COPRA_REPORT_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

struct pattern_capture {
	const char *at; /* into the name; NULL when the pattern captures nothing */
	size_t length;
};

bool pattern_match(const char *pattern, const char *name, struct pattern_capture *capture);
/* Number of "(*)" in the pattern. */
int pattern_captures(const char *pattern);

#endif
