/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The first schedule of a search, from another program. */
#ifndef COPRA_TREE_SEARCH_FLOWSHOP_FSP_START_COMMAND_H
#define COPRA_TREE_SEARCH_FLOWSHOP_FSP_START_COMMAND_H

#include <signal.h>

#include "datasets/flowshop/flowshop.h"

/* Runs a command of /bin/sh, which writes an answer to the instance to its standard output, as
 * `solve --json -` does, and reads the schedule. order gets `jobs` entries, *makespan its value.
 * When *stop (may be NULL) is set, the command gets SIGTERM, and its partial answer is taken.
 *
 * ERR_FAILED if the command cannot be run, was killed, or ends with another exit code than 0 and 3
 * (stopped at a limit); what it wrote to standard error is then printed. ERR_LIMIT if it was
 * stopped before it had a schedule. Errors of fsp_start_read(). */
int fsp_start_command(const char *command, const struct flowshop *f,
		      const volatile sig_atomic_t *stop, int64_t *order, int64_t *makespan,
		      struct err *e);

#endif
