/* Which benchmarks are compared: of each target those that results/papers/<target>/gate.txt names,
 * one extended regular expression a line ('#' begins a comment); all, where there is no such file.
 */
#ifndef COPRA_COMPARE_FAMILY_H
#define COPRA_COMPARE_FAMILY_H

#include <stddef.h>

#include "harness/compare/launch.h"

struct family {
	char *target;
	char *filter; /* NULL: all */
};

/* The targets in `papers` that `bin` has a program of; only those in `wanted` (parted by blanks or
 * commas) unless it is NULL or empty. A target that is wanted and not there is ERR_USAGE. `filter`
 * replaces the files. */
int families_find(struct family **out, size_t *count, const char *papers, const char *bin,
		  const char *wanted, const char *filter, struct err *e);
/* Leaves out the targets that have no benchmark of their family with these parameters: a filter may
 * name one target's only, a family smoke's only. `remaining` is 1 or more, or it is ERR_USAGE. */
int families_match(struct family *all, size_t *remaining, const char *bin,
		   const struct launch_parameters *p, const volatile sig_atomic_t *stop,
		   struct err *e);
void families_free(struct family *f, size_t count);

/* Is the word one of the list? An empty or no list has all. */
int family_wanted(const char *list, const char *word);

#endif
