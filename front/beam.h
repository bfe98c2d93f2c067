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

/* Prints the answer of the beam search as the answer of this process. Its JSON object goes to
 * `json`: a file, "-" for stdout, or NULL for nowhere. The summary goes to stdout, or to stderr if
 * the object goes to stdout. Messages go to stderr. Returns the exit code of the beam search, or 1
 * if something cannot be written. */
int beam_present(const struct beam *b, const char *json);

#endif
