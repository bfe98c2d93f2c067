/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The settings of copra-compare: its command line, completed from the baseline. */
#ifndef COPRA_COMPARE_SETTINGS_H
#define COPRA_COMPARE_SETTINGS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/machine/environment.h"
#include "harness/base/flags.h"
#include "harness/compare/launch.h"
#include "harness/compare/gate.h"

struct settings {
	const char *bin; /* the new build's programs */
	const char *old; /* the old build's programs, or a result file; NULL: use the baseline */
	const char *new_file;                         /* `files`: the new result file */
	const char *name;                             /* of the baseline */
	char own_bin[PATH_MAX], own_papers[PATH_MAX]; /* their defaults */
	const char *papers; /* results/papers: a folder per target, with its family of benchmarks */
	const char *targets; /* separated by spaces or commas; NULL or "": all */
	const char *filter;  /* replaces the families */
	const char *junit;   /* file for JUnit XML; NULL: none */
	const char *out;     /* folder for the result files; NULL: beside the baselines */
	struct launch_parameters launch;
	int64_t launches; /* per build, at most */
	double floor_percent, detect_percent;
	int64_t threads, repetitions;
	uint64_t seed;
	bool rows; /* compare with the baseline's rows instead of its programs */
	bool quiet;
	/* study */
	int64_t trials;
	const char *program; /* a program that COPRA_DEMO_EXTRA makes slower; NULL: simulate */
};

extern const struct flag settings_common[], settings_compare[], settings_baseline[],
	settings_files[], settings_study[];

/* Parses the flags in `own` and, for baseline and compare, the common ones. Strings that were not
 * given are NULL and counts are 0. */
int settings_parse(struct settings *s, const struct flag *own, int argc, char **argv, bool *help,
		   struct err *e);
/* Sets the defaults of all settings that neither the command line nor a baseline has set. */
void settings_complete(struct settings *s);
/* Sets the rule of the gate. ERR_USAGE for an invalid --name, rule or number. */
int settings_check(const struct settings *s, struct gate_rule *rule, struct err *e);

/* <results>/<machine>/gate */
int settings_folder(char *path, const struct environment *env, struct err *e);
/* Locks the machine's gate folder: two comparisons at once would disturb each other's times and
 * replace each other's programs. ERR_USAGE if another process has the lock. */
int settings_lock(const struct environment *env, struct err *e);

#endif
