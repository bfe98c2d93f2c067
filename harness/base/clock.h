/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Clocks, in seconds as double (a resolution below a microsecond for 200 years). */
#ifndef COPRA_BASE_CLOCK_H
#define COPRA_BASE_CLOCK_H

#include <pthread.h>

double clock_wall(void);          /* monotonic, from an arbitrary origin */
double clock_process_cpu(void);   /* user + system time of all threads of this process */
double clock_thread_cpu(void);    /* user + system time of this thread */
void clock_sleep(double seconds); /* sleeps at least that long, even if signals arrive */

/* A condition for waits with a time limit that do not depend on the time of day, which can be set
 * meanwhile. clock_cond_wait() returns after a signal, after `seconds`, or earlier. */
void clock_cond_init(pthread_cond_t *changed);
void clock_cond_wait(pthread_cond_t *changed, pthread_mutex_t *lock, double seconds);

#endif
