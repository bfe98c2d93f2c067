/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The programs of copra: where they are, and how one is run in place of this process. */
#ifndef COPRA_FRONT_PROGRAMS_H
#define COPRA_FRONT_PROGRAMS_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "harness/base/error.h"

/* The names of the targets, in alphabetical order, ended by NULL. */
const char *const *programs_targets(void);
bool programs_is_target(const char *name);
/* ERR_USAGE "unknown target 'NAME'", with the nearest names. */
int programs_unknown_target(const char *name, struct err *e);

/* Sets `path` to the program of that name in the folder of this executable (symbolic links to it
 * are followed). ERR_UNSUPPORTED if there is no such program. */
int programs_path(char path[PATH_MAX], const char *name, struct err *e);

/* Starts the program with `arguments` (words for a shell) and sets *help to what it prints; the
 * caller closes that with pclose(). Errors: those of programs_path(), and ERR_FAILED. */
int programs_open(FILE **help, const char *name, const char *arguments, struct err *e);

/* Replaces this process by the program. argv[0] is its name; argv ends with NULL. Returns only if
 * it fails. */
int programs_run(char *const argv[], struct err *e);

#endif
