/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The journal of measured cases: rows are appended as they are measured, so that an interrupted run
 * continues where it stopped. The file is JSON lines: one line per row, then one line with the
 * number of rows of the complete case (0 if the case failed and its rows do not count). */
#ifndef COPRA_BENCH_BENCH_JOURNAL_H
#define COPRA_BENCH_BENCH_JOURNAL_H

#include "harness/bench/plan.h"

struct journal;

/* A hash of everything that must be equal for a measurement to count as the same one: the build (a
 * clean revision with its compilers and flags, otherwise the bytes of this executable), the
 * machine, and `parameters` (scale, devices, threads, times, repetitions). */
int bench_identity(char identity[20], const char *machine, const char *parameters, struct err *e);

/* Gives the cases the rows that the journal has under this identity. Complete cases become done;
 * the others continue from their rows. Damaged lines and lines of other identities are ignored. If
 * there are no others, *foreign is their number, else 0. */
int bench_journal_load(struct journal *j, const char *identity, struct bench_plan *p, int *foreign,
		       struct err *e);
/* Appends the rows of a case that the journal does not have yet and, if the case has ended, how it
 * ended. */
int bench_journal_store(struct journal *j, const char *identity, struct bench_case *c,
			struct err *e);

#endif
