/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/base/clock.h"

#include <errno.h>
#include <time.h>

static double now(clockid_t id)
{
	struct timespec t;

	if (clock_gettime(id, &t) != 0)
		return 0;
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double clock_wall(void)
{
	return now(CLOCK_MONOTONIC);
}

double clock_process_cpu(void)
{
	return now(CLOCK_PROCESS_CPUTIME_ID);
}

double clock_thread_cpu(void)
{
	return now(CLOCK_THREAD_CPUTIME_ID);
}

void clock_sleep(double seconds)
{
	struct timespec left;

	if (!(seconds > 0))
		return;
	left.tv_sec = (time_t)seconds;
	left.tv_nsec = (long)(1e9 * (seconds - (double)left.tv_sec));
	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
		;
}

void clock_cond_init(pthread_cond_t *changed)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(changed, &attributes);
	pthread_condattr_destroy(&attributes);
}

void clock_cond_wait(pthread_cond_t *changed, pthread_mutex_t *lock, double seconds)
{
	struct timespec until;

	if (clock_gettime(CLOCK_MONOTONIC, &until) != 0)
		return;
	until.tv_sec += (time_t)seconds;
	until.tv_nsec += (long)(1e9 * (seconds - (double)(time_t)seconds));
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_cond_timedwait(changed, lock, &until);
}
