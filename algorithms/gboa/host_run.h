/* One run by the host's steps (steps.h). How the network is learned is the caller's: by the host
 * (host.c) or by a kernel (published.c). */
#ifndef COPRA_GBOA_HOST_RUN_H
#define COPRA_GBOA_HOST_RUN_H

#include <pthread.h>

#include "algorithms/gboa/boa.h"
#include "algorithms/gboa/data.h"
#include "algorithms/gboa/limit.h"
#include "algorithms/gboa/network.h"
#include "algorithms/gboa/steps.h"

struct boa_host {
	const struct boa_setup *setup;
	bool plain;           /* steps: see steps.h */
	struct team *workers; /* of the steps that are not plain; may be NULL */
	/* Parents and thresholds of `b` from the selected; BOA_PERMUTED: its ranks are set. Adds
	 * the seconds it took to where they belong. */
	int (*learn)(void *context, const struct boa_data *d, struct boa_network *b,
		     struct boa_times *t, struct err *e);
	void *context;
	struct boa_limit limit;
	pthread_mutex_t *watching; /* held while the setup's watch() is called; NULL: no other runs
				      are made meanwhile */

	struct boa_times *times; /* seconds of the steps are added here */
	/* Two populations; the next is made in the other. `selected` is NULL where they stay in the
	 * population and so are gathered into the next. Rows are apart by `stride` words, and the
	 * offspring of each begin with a cache line, so that threads do not write to the same. */
	uint32_t *memory[2], *words[2], *selected;
	size_t stride;
	int32_t *fitness[2], *positions;
	struct boa_network network;
};

/* Memory for runs of the setup, whose fields above are set. What is all zeros may be destroyed. */
int boa_host_create(struct boa_host *h, struct err *e);
void boa_host_destroy(struct boa_host *h);

/* Run number `number` of the call. ERR_LIMIT as boa_run says. */
int boa_host_run(struct boa_host *h, struct boa_run *run, int number, struct err *e);

#endif
