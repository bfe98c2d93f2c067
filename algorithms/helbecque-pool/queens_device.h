/* One device's share of an N-Queens search: takes parts of the roots until none is left. */
#ifndef COPRA_QUEENS_DEVICE_H
#define COPRA_QUEENS_DEVICE_H

#include <stdatomic.h>

#include "../problems/interrupt.h"
#include "queens_roots.h"

struct queens_device {
	/* in */
	struct dev *device;
	struct queens_dealer *dealer;
	const struct search_request *request;
	const struct interrupt *interrupt;
	atomic_bool *failed; /* of all devices: set by one, the others stop */
	/* out */
	int status;      /* ERR_LIMIT: stopped with roots left */
	struct err error;
	uint64_t halves, solutions;
	double ready;         /* clock_wall() when memory and streams were there */
	uint64_t parts;       /* launched */
	uint64_t memory_peak; /* bytes of nodes */
};

/* The body of a host thread; `device` is a struct queens_device. */
void *queens_device_run(void *device);

#endif
