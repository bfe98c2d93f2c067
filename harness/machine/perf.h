/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Hardware counters of the processor (Linux perf_event_open): cycles, instructions, cache misses.
 * They count the user code of all threads of this process that exist at the beginning of a region
 * and of those that they create in it, on all cores.
 *
 * The setting perf_event_paranoid of Linux decides who may count, and most virtual machines and
 * containers have no counters. perf_probe() says what is missing; the program goes on without. */
#ifndef COPRA_MACHINE_PERF_H
#define COPRA_MACHINE_PERF_H

#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"

enum { PERF_EVENTS = 16 };

/* Events by their number in the table of perf.c. */
struct perf_choice {
	int count;
	int event[PERF_EVENTS];
};

/* Parses names separated by commas into a struct perf_choice. ERR_USAGE for a name that does not
 * exist, with all names, or that occurs twice. */
int perf_parse(void *choice, const char *text, struct err *e);
/* The name of the i-th event chosen; of its counter in a row, "perf_llc_misses". Static text. */
const char *perf_name(const struct perf_choice *c, int i);
const char *perf_counter(const struct perf_choice *c, int i);

/* Opens a counter, as the system call does: a file descriptor from which {count, ns enabled, ns
 * running} can be read as 64-bit integers, or -1 with errno. */
typedef int perf_opener(uint32_t type, uint64_t config, int thread);

/* Removes the events that cannot be counted here. If there are any, writes one line about them to
 * `why`, else "". `opener`: NULL for the system's. */
void perf_probe(struct perf_choice *c, perf_opener *opener, char *why, size_t size);

struct perf_meter;
/* Begins a region. ERR_UNSUPPORTED, ERR_MEMORY. */
int perf_begin(struct perf_meter **out, const struct perf_choice *c, perf_opener *opener,
	       struct err *e);
/* Ends it and frees m. counts[i]: of the i-th event, scaled to the whole region if the processor
 * had to share its counters among events; negative if it was not counted. */
void perf_end(struct perf_meter *m, double counts[PERF_EVENTS]);

#endif
