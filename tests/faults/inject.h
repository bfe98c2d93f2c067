/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Fault injection: makes the Nth allocation, thread creation or device call of our own code fail.
 * Programs that use this are linked with --wrap=malloc and so on (see the Makefile); calls from
 * within other libraries do not count.
 *
 * It also counts the blocks that our code allocated and has not freed, and copies between host and
 * device whose host memory was freed while they were in flight. */
#ifndef COPRA_TESTS_FAULTS_INJECT_H
#define COPRA_TESTS_FAULTS_INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fault_kind { FAULT_MEMORY, FAULT_THREAD, FAULT_DEVICE, FAULT_KINDS };

struct fault_plan {
	enum fault_kind kind;
	int64_t at;    /* which of them fails, from 1; 0: none */
	bool for_good; /* all later ones fail too */
};

void inject_begin(const struct fault_plan *plan);

/* Calls of this kind since inject_begin(). */
int64_t inject_calls(enum fault_kind kind);

/* Blocks that are allocated and not freed. */
int64_t inject_blocks(void);

/* The number of copies whose host memory was freed too early; file and line of the first one. */
int64_t inject_torn_copies(char *place, size_t size);

#endif
