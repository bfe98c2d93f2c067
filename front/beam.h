/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The beam search before a tree search: runs koester-recovery and keeps its answer. */
#ifndef COPRA_FRONT_BEAM_H
#define COPRA_FRONT_BEAM_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/base/error.h"

struct beam {
	int answer; /* descriptor of a file in memory with the object of --json; -1: none */
	int report; /* the same for what it wrote to stderr; -1: none */
	int exit_code;
	int signal;        /* that arrived while it ran; 0: none */
	bool has_schedule; /* the answer has a solution */
	int64_t makespan;
	double seconds;
};

/* Runs the program with --json - and waits for it. argv ends with NULL. SIGINT, SIGTERM and SIGHUP
 * are passed on to it. The answer can be read by other programs as beam_path(). ERR_FAILED if the
 * program cannot be run or was killed. Call beam_close() in any case. */
int beam_run(struct beam *b, char *const argv[], struct err *e);
void beam_close(struct beam *b);

/* The path of the answer, for a program that replaces this process. */
enum { BEAM_PATH = 40 };
void beam_path(const struct beam *b, char path[BEAM_PATH]);

/* Prints to stderr what the beam search printed. */
void beam_print_report(const struct beam *b);

/* Leaves a signal that arrived during the beam search to the program that replaces this process:
 * blocked and pending. The program takes it in stop_install(), and so presents the schedule of the
 * beam search, with all that it writes, as its own partial result. */
void beam_leave_signal(const struct beam *b);

#endif
