/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* `copra solve FILE|NAME [flags]`: recognises the instance, chooses how to solve it, says so in one
 * line on stderr, and runs the target in place of this process. Signals, exit code, summary and
 * --json are therefore the target's.
 *
 * Where a rule has a beam search, the target runs it for its first schedule (--start-command), for
 * at most BEAM_SECONDS or a quarter of --time-limit. */
#ifndef COPRA_FRONT_SOLVE_H
#define COPRA_FRONT_SOLVE_H

enum { BEAM_SECONDS = 10 };

/* argv[0] is the first argument after "solve". Returns the exit code, if no target was run. */
int front_solve(int argc, char **argv);

void front_solve_help(void);

#endif
