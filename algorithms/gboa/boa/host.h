/* A run by the host's steps (steps.h), for serial and cpu. `published` uses struct boa_host as
 * well, but learns the network in a kernel. */
#ifndef COPRA_GBOA_BOA_HOST_H
#define COPRA_GBOA_BOA_HOST_H

#include <pthread.h>

#include "algorithms/gboa/boa/network.h"
#include "harness/base/team.h"

/* Memory for runs that follow one another. */
struct boa_host {
	/* Set by the caller: */
	const struct boa_setup *setup;
	bool plain;        /* as in steps.h */
	struct team *team; /* used unless `plain`; may be NULL */
	/* Learns parents and thresholds of `b` from the selected; for BOA_PERMUTED the ranks are
	 * set. Adds the seconds it took to *t. */
	int (*learn)(void *context, const struct boa_data *d, struct boa_network *b,
		     struct boa_times *t, struct err *e);
	void *context;
	struct boa_limit limit;
	pthread_mutex_t *watch_lock; /* held while the setup's watch() is called; NULL if there are
					no concurrent runs */
	struct boa_times *times;     /* seconds of the steps are added here */

	/* Two populations: those of a generation and of the next one, in alternation. `selected` is
	 * NULL if the selected individuals stay in the population; they are then gathered into the
	 * next population. Rows are `stride` words apart, and the offspring part of each row begins
	 * on a cache line, so that threads do not write to the same line. */
	uint32_t *memory[2], *words[2], *selected;
	size_t stride;
	int32_t *fitness[2], *positions;
	struct boa_network network;
};

/* Allocates the memory. The fields of the caller must be set, the others zero. ERR_MEMORY. */
int boa_host_create(struct boa_host *h, struct err *e);
/* Also accepts a struct of zeros. */
void boa_host_destroy(struct boa_host *h);

/* Makes run number `number` of the call. ERR_LIMIT as in boa_runs_function. */
int boa_host_run(struct boa_host *h, struct boa_run *run, int number, struct err *e);

#endif
