/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The request to stop: SIGINT, SIGTERM, SIGHUP and the end of a time limit set a flag that long
 * work polls. */
#ifndef COPRA_BASE_STOP_H
#define COPRA_BASE_STOP_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

#include "harness/base/error.h"

/* Installs the handlers and returns the flag. The first signal sets it; a signal more than a second
 * later ends the process as if there were no handler. (One request often arrives several times at
 * once: from the terminal, from make, from the parent process.) SIGHUP stays ignored if it already
 * was, as under nohup. Signals that were held are taken now. */
int stop_install(const volatile sig_atomic_t **flag, struct err *e);

/* Holds SIGINT, SIGTERM and SIGHUP back until stop_install(), also that of a program which replaces
 * this process: a signal that arrives in between neither ends it nor is lost. */
void stop_hold(void);

/* Starts a thread as pthread_create() does, with all signals masked: they interrupt other threads.
 * Returns whether it was started. */
bool stop_masked_thread(pthread_t *thread, void *(*work)(void *), void *context);

/* Sets the flag of stop_install() after `seconds`, unless a signal sets it earlier. Code that polls
 * the flag thus obeys the time limit as well. */
int stop_after(double seconds, struct err *e);

/* The reason: SIGALRM for the time limit, otherwise the signal number; 0 if the flag is not set. */
int stop_reason(void);
/* "SIGTERM"; static text. */
const char *stop_signal_name(int number);

#endif
