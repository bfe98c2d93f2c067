/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Clocks, in seconds as double (a resolution below a microsecond for 200 years). */
#ifndef COPRA_BASE_CLOCK_H
#define COPRA_BASE_CLOCK_H

double clock_wall(void);          /* monotonic, from an arbitrary origin */
double clock_process_cpu(void);   /* user + system time of all threads of this process */
double clock_thread_cpu(void);    /* user + system time of this thread */
void clock_sleep(double seconds); /* sleeps at least that long, even if signals arrive */

#endif
