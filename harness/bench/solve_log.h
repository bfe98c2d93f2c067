/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The progress of a solve: on a terminal one line on stderr that is redrawn, with --progress in a
 * pipe a line from time to time, with --log JSON lines in a file. The format of the lines is
 * described in docs/SOLVE.md.
 *
 * A thread reads the watch of the search (harness/base/watch.h), so the search does not wait for
 * terminals or disks. */
#ifndef COPRA_BENCH_SOLVE_LOG_H
#define COPRA_BENCH_SOLVE_LOG_H

#include <stdbool.h>

#include "harness/bench/solve.h"

struct solve_log;

/* The parse function of --progress[=S], whose value is a struct solve_progress. */
int solve_progress_parse(void *value, const char *text, struct err *e);

/* Whether the options need a watch: progress is shown or written, or there is a node limit. */
bool solve_log_wanted(const struct solve_options *o);

/* Opens the log and starts the thread, and writes the event `start`. *out is NULL if nothing is to
 * be shown or written. ERR_IO if the file of --log cannot be opened.
 *
 * A line that cannot be written later (a full disk) is reported once on stderr. The log then ends;
 * the solve goes on, and its exit code does not change. */
int solve_log_open(struct solve_log **out, const struct solve_options *o, struct err *e);

/* Ends the thread, removes the line from the terminal, writes the event `end`, and frees `l` (NULL
 * is allowed). `status`: the return code of the run. If it is not 0, ERR_LIMIT included, `e` holds
 * its text. */
void solve_log_close(struct solve_log *l, const struct solve_result *r, int status,
		     const struct err *e);

#endif
