/* Benchmark names, <target>/<experiment>/<instance>/<variant>/<parameter>:<value>..., and patterns
 * that select them.
 *
 * In a pattern
 *   *     matches any text, including slashes and the empty text
 *   (*)   matches and captures one or more characters except '/'; at most once per pattern
 * Every other character matches itself. "dp-knapsack/table1/boyer/serial/form:item/n:(*)" captures
 * each measured value of n. */
#ifndef COPRA_REPORT_DATA_NAMES_H
#define COPRA_REPORT_DATA_NAMES_H

#include <stdbool.h>
#include <stddef.h>

enum variant {
	VARIANT_SERIAL,
	VARIANT_CPU,
	VARIANT_PUBLISHED,
	VARIANT_TUNED,
	VARIANT_OTHER,
	VARIANTS
};
extern const char *const variant_names[VARIANTS];

/* The variant named by the first part of the name that is a variant's name, or VARIANT_OTHER. Sets
 * *at, unless it is NULL, to the offset of that part. */
enum variant name_variant(const char *name, size_t *at);
/* Copies the experiment, the second part of the name, truncated to `size` - 1 characters. */
void name_experiment(const char *name, char *out, size_t size);
/* The name without its target. */
const char *name_short(const char *name);

struct name_capture {
	const char *at; /* points into the name; NULL if the pattern has no (*) */
	size_t length;
};
/* True if the pattern matches the whole name. `capture` may be NULL. */
bool name_match(const char *pattern, const char *name, struct name_capture *capture);
/* The number of "(*)" in the pattern. */
int name_captures(const char *pattern);

#endif
