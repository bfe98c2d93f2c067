/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Simulates a system that grants fewer threads than requested, by replacing pthread_create. Include
 * it once, in the test's source. */
#ifndef COPRA_TESTS_UNIT_BASE_DENIED_THREADS_H
#define COPRA_TESTS_UNIT_BASE_DENIED_THREADS_H

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int threads_granted; /* number of threads still granted */

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *),
		   void *argument)
{
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

	*(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
	if (atomic_fetch_sub(&threads_granted, 1) <= 0)
		return EAGAIN;
	return create(thread, attributes, work, argument);
}

#endif
