/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* `copra solve FILE|NAME [flags]`: recognises the instance, chooses how to solve it, says so in one
 * line on stderr, and runs the target in place of this process. Signals, exit code, summary and
 * --json are therefore the target's.
 *
 * Where a rule has a beam search, that runs first, as a child, for at most BEAM_SECONDS or a
 * quarter of --time-limit. Its schedule becomes the start of the tree search (--start). A signal
 * during the beam search ends it and is left to the tree search, which presents the schedule. If it
 * fails, for example for lack of memory, the tree search starts without it. */
#ifndef COPRA_FRONT_SOLVE_H
#define COPRA_FRONT_SOLVE_H

enum { BEAM_SECONDS = 10 };

/* argv[0] is the first argument after "solve". Returns the exit code, if no target was run. */
int front_solve(int argc, char **argv);

void front_solve_help(void);

#endif
