/* One device's share of an N-Queens search: takes parts of the roots until none is left. */
#ifndef COPRA_HELBECQUE_POOL_QUEENS_DEVICE_H
#define COPRA_HELBECQUE_POOL_QUEENS_DEVICE_H

#include "algorithms/tree-search/balance.h"
#include "algorithms/tree-search/device_threads.h"
#include "algorithms/helbecque-pool/queens_roots.h"

struct queens_device {
	struct device_thread share;
	/* in */
	struct queens_dealer *dealer;
	const struct search_request *request;
	/* out */
	uint64_t halves, solutions;
	uint64_t parts;           /* launched */
	struct balance balance;   /* of roots, and of nodes that had to be split on the host */
	uint64_t listed, fetched; /* nodes of the lists searched, and those that lanes took */
};

/* For device_threads_run; `device` is a struct queens_device. */
int queens_device_run(void *device);

#endif
