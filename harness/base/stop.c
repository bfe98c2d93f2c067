/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/base/stop.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

/* Global, because a signal handler can access nothing else. The flag is the number of the first
 * signal. */
static volatile sig_atomic_t stop_requested;
static struct timespec first_request;

static double seconds_since(const struct timespec *then)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

static void on_signal(int number)
{
	int saved = errno;

	if (!stop_requested) {
		clock_gettime(CLOCK_MONOTONIC, &first_request);
		stop_requested = number;
	} else if (seconds_since(&first_request) > 1) {
		signal(number, SIG_DFL);
		raise(number); /* delivered when the handler returns */
	}
	errno = saved;
}

static void stop_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

void stop_hold(void)
{
	sigset_t held;

	stop_signals(&held);
	pthread_sigmask(SIG_BLOCK, &held, NULL);
}

int stop_install(const volatile sig_atomic_t **flag, struct err *e)
{
	struct sigaction action = { .sa_handler = on_signal }, hangup;
	sigset_t held;

	/* one handler at a time: they share the time of the first request */
	stop_signals(&action.sa_mask);
	sigaddset(&action.sa_mask, SIGALRM);
	if (sigaction(SIGHUP, NULL, &hangup) || sigaction(SIGINT, &action, NULL) ||
	    sigaction(SIGTERM, &action, NULL) ||
	    (hangup.sa_handler != SIG_IGN && sigaction(SIGHUP, &action, NULL)))
		return err_set(e, ERR_FAILED, "cannot handle signals: %s", strerror(errno));
	stop_signals(&held);
	pthread_sigmask(SIG_UNBLOCK, &held, NULL);
	*flag = &stop_requested;
	return 0;
}

bool stop_masked_thread(pthread_t *thread, void *(*work)(void *), void *context)
{
	sigset_t all, before;
	bool started;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	started = pthread_create(thread, NULL, work, context) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

static void on_time(int number)
{
	if (!stop_requested) {
		clock_gettime(CLOCK_MONOTONIC, &first_request);
		stop_requested = number;
	}
}

int stop_after(double seconds, struct err *e)
{
	const double longest = 1e9; /* 30 years; avoids overflow */
	struct sigaction action = { .sa_handler = on_time, .sa_flags = SA_RESTART };
	struct itimerval timer = { .it_value = { .tv_usec = 1 } };

	seconds = fmin(seconds, longest);
	if (seconds > 1e-6) {
		timer.it_value.tv_sec = (time_t)seconds;
		timer.it_value.tv_usec = (suseconds_t)(1e6 * (seconds - floor(seconds)));
	}
	/* the handlers share the time of the first request */
	stop_signals(&action.sa_mask);
	if (sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &timer, NULL))
		return err_set(e, ERR_FAILED, "cannot set the time limit: %s", strerror(errno));
	return 0;
}

int stop_reason(void)
{
	return stop_requested;
}

const char *stop_signal_name(int number)
{
	switch (number) {
	case SIGINT:
		return "SIGINT";
	case SIGTERM:
		return "SIGTERM";
	case SIGHUP:
		return "SIGHUP";
	default:
		return "a signal";
	}
}
