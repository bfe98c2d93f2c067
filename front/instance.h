/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* What `copra solve` was given: a known name or a file, its problem and its size. */
#ifndef COPRA_FRONT_INSTANCE_H
#define COPRA_FRONT_INSTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/base/error.h"

enum instance_problem {
	INSTANCE_FLOWSHOP,
	INSTANCE_KNAPSACK,
	INSTANCE_ATSP,
	INSTANCE_MAXSAT,
	INSTANCE_SAMEGAME,
	INSTANCE_NQUEENS,
	INSTANCE_LANDSCAPE, /* every other function of bit strings, such as trap5 */
	INSTANCE_PROBLEMS
};

struct instance {
	enum instance_problem problem;
	char word[32];     /* for --problem: "flowshop", "trap5" */
	const char *given; /* as the user wrote it; borrowed */
	char name[512];    /* for --instance: as given, but "20" for 20Q and "60" for trap5:60 */
	int64_t size;      /* jobs, items, cities, variables, cells, queens; 0: not known */
	int64_t second;    /* machines of a flowshop, capacity of a knapsack; otherwise 0 */
	char what[128];    /* "flowshop of 50 jobs on 20 machines" */
};

/* Recognises the problem of a known name or, by its content, of a file, and reads its size.
 * `problem` (or NULL) is the value of --problem, `format` (or NULL) that of --format, which is for
 * a plain matrix of flowshop times. A known name takes precedence over a file of that name, as in
 * the targets.
 *
 * Errors are one line:
 * ERR_USAGE  a name that two problems have, or a file that fits the formats of two problems: names
 *            both and their --problem; an unknown --problem;
 * ERR_INPUT  there is no such name and no such file: the nearest ones are offered; a file of no
 *            known format; a file that the reader of its format refuses, with its line;
 * ERR_MEMORY. */
int instance_identify(struct instance *x, const char *given, const char *problem,
		      const char *format, struct err *e);

/* The values of --problem that are not landscapes, for texts: "flowshop, knapsack, ...". */
const char *instance_problem_words(void);

#endif
