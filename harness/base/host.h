/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The host: its memory, caches and folders, and the standard streams of this process. */
#ifndef COPRA_BASE_HOST_H
#define COPRA_BASE_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/base/error.h"

/* Bytes that can be used without swapping, as of at most 10 ms ago. Any thread may call it. */
int64_t host_memory_available(void);

/* Bytes of resident memory of this process at its peak: since host_memory_restart() returned true,
 * or else since the process began. 0 if the system does not say. */
uint64_t host_memory_peak(void);
/* Starts a new peak. False if the system does not allow it (before Linux 4.0; /proc read-only). */
bool host_memory_restart(void);

/* ERR_MEMORY, naming both figures, if `bytes` exceeds what is available. (A double, because it may
 * not fit in 64 bits.) Linux grants more memory than it has and kills processes later. */
int host_memory_check(double bytes, const char *what, struct err *e);

/* Bytes of the data cache of that level (1 to 3) of one core; `otherwise` if the system does not
 * report it. */
int64_t host_cache_bytes(int level, int64_t otherwise);

/* Call this first in main(). In a process started with a closed stream (`>&-`), the next file that
 * is opened gets descriptor 1, and what is printed would end up in a results file. Each closed
 * stream is opened such that using it fails, as it would have: a result that nobody can read is
 * still an error. */
void host_streams_guard(void);

/* The rank of this process in the environment of mpirun or srun; 0 without them. */
int host_rank(void);
/* How many processes mpirun or srun has started, by the environment; 0 without them. */
int host_ranks(void);

/* A filter for scandir that leaves out ".", ".." and hidden files. */
struct dirent;
int host_visible(const struct dirent *entry);

#endif
