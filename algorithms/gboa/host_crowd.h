/* Many runs on the host's threads: as many at the same time as there are threads, and the threads
 * left over within a run. A group is some threads that do one run at a time. */
#ifndef COPRA_GBOA_HOST_CROWD_H
#define COPRA_GBOA_HOST_CROWD_H

#include <pthread.h>

#include "harness/base/team.h"
#include "algorithms/gboa/boa.h"
#include "algorithms/gboa/limit.h"

struct boa_group_view {
	const struct boa_setup *setup;
	struct team *workers;      /* the group's */
	pthread_mutex_t *watching; /* held while the setup's watch() is called */
};

/* What a group is. `close` takes what `open` left, and NULL. */
struct boa_group_kind {
	int (*open)(const struct boa_group_view *v, void **group, struct err *e);
	/* Run number `number`; ERR_LIMIT as boa_run says. Adds the seconds of the steps to *t. */
	int (*run)(void *group, const struct boa_limit *limit, struct boa_run *run, int number,
		   struct boa_times *t, struct err *e);
	void (*close)(void *group);
};

int boa_crowd_runs(const struct boa_group_kind *kind, const struct boa_setup *s,
		   struct boa_run *runs, int count, struct boa_times *times, struct err *e);

#endif
