/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Selects the benchmarks to compare: for each target, those that results/papers/<target>/gate.txt
 * names. The file has one extended regular expression per line, '#' begins a comment. Without that
 * file all benchmarks of the target are compared. */
#ifndef COPRA_COMPARE_FAMILY_H
#define COPRA_COMPARE_FAMILY_H

#include <stddef.h>

#include "harness/compare/launch.h"

struct family {
	char *target;
	char *filter; /* NULL: all benchmarks */
};

/* Finds the targets in the folder `papers` that have a program in `bin`. `wanted` restricts them to
 * a list (separated by spaces or commas) unless it is NULL or empty; a target of the list that is
 * missing is ERR_USAGE. A `filter` replaces the gate.txt files. */
int family_find(struct family **out, size_t *count, const char *papers, const char *bin,
		const char *wanted, const char *filter, struct err *e);
/* Drops the targets without a matching benchmark at these parameters: a filter may name benchmarks
 * of one target only, and a family may have no benchmark at smoke scale. ERR_USAGE if none
 * remains. */
int family_match(struct family *all, size_t *remaining, const char *bin,
		 const struct launch_parameters *p, const volatile sig_atomic_t *stop,
		 struct err *e);
void family_free(struct family *f, size_t count);

#endif
