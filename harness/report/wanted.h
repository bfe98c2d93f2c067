/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The rows that claims, tables and figures of a paper read, most valuable first: what a machine is
 * to measure. */
#ifndef COPRA_REPORT_WANTED_H
#define COPRA_REPORT_WANTED_H

#include <stdio.h>

#include "harness/report/paper.h"

enum wanted_rank {
	WANTED_TIMES = 1, /* decides a measured claim on times */
	WANTED_COUNTS,    /* decides a measured claim on counts */
	WANTED_OURS,      /* decides a claim of ours */
	WANTED_TABLES,    /* is in a table or figure */
	WANTED_OTHERS,    /* is read if one of the above is missing, or on a larger machine */
};

/* Reads the names of benchmarks from `in`, one per line, supposes that all are measured, and writes
 * a line "RANK REPETITIONS NAME" for each that would be read, in the order in which to measure
 * them: by rank, then the claims with the fewest rows first. Repetitions 0 are the experiment's
 * own. Where runs of seeds count together (claims.h), the first five seeds are wanted, with one run
 * each if there are five; tables and figures want the same seeds. Other seeds are of the last rank.
 * So are rows of more GPUs than the machine has, which records why they are not measured. A claim
 * that needs more than the machine has (has[CLAIM_NEEDS]) wants nothing; a line "# claim ID needs
 * ..." names it. */
int wanted_write(const struct paper *p, const long *has, FILE *in, FILE *out, struct err *e);

#endif
