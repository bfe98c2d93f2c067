/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Runs on the host's threads.
 *
 * Concurrent runs: the threads are divided into groups, at most one for each run. A group is a team
 * of threads that makes one run at a time. BOA and hierarchical BOA each have a type of group.
 *
 * Sequential runs: one run at a time. The caller learns the networks. */
#ifndef COPRA_GBOA_BOA_HOST_H
#define COPRA_GBOA_BOA_HOST_H

#include <pthread.h>

#include "algorithms/gboa/boa/network.h"
#include "harness/base/team.h"

struct boa_group_setup {
	const struct boa_setup *setup;
	struct team *team;           /* of the group */
	pthread_mutex_t *watch_lock; /* to be held while the setup's watch() is called */
};

/* The operations of a group. `close` accepts a group that `open` could not finish, and NULL. */
struct boa_group_type {
	int (*open)(const struct boa_group_setup *v, void **group, struct err *e);
	/* Makes run number `number` and adds the seconds of its steps to *t. ERR_LIMIT as in
	 * boa_runs_function. */
	int (*run)(void *group, const struct boa_limit *limit, struct boa_run *run, int number,
		   struct boa_times *t, struct err *e);
	void (*close)(void *group);
};

/* Makes all runs of a call by groups of this type; see boa_runs_function. */
int boa_concurrent_runs(const struct boa_group_type *type, const struct boa_setup *s,
			struct boa_run *runs, int count, struct boa_times *times, struct err *e);

/* Learns parents and thresholds of `b` from the selected; for BOA_PERMUTED the ranks are set. Adds
 * the seconds it took to *t. */
typedef int boa_learn_step(void *context, const struct boa_data *d, struct boa_network *b,
			   struct boa_times *t, struct err *e);

/* Makes the runs of a call one after another, for `published`: by the plain steps (steps.h), or
 * with the form `cores` in words by `team`. Adds the time to allocate memory to times->set_up.
 * Errors as in boa_runs_function. */
int boa_sequential_runs(const struct boa_setup *s, struct team *team, boa_learn_step *learn,
			void *context, struct boa_run *runs, int count, struct boa_times *times,
			struct err *e);

#endif
