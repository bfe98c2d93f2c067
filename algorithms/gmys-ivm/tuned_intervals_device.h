/* One device's share of a search by intervals: takes pieces from the farm until none is left. */
#ifndef COPRA_TUNED_INTERVALS_DEVICE_H
#define COPRA_TUNED_INTERVALS_DEVICE_H

#include <stdatomic.h>

#include "../problems/interrupt.h"
#include "tuned_intervals_farm.h"

enum { INTERVAL_SLOTS = 2 }; /* pieces under way on a device */

struct interval_device {
	/* in */
	struct dev *device;
	struct interval_farm *farm;
	const struct interrupt *interrupt;
	const uint32_t *table; /* ATSP */
	atomic_bool *failed;   /* of all devices: set by one, the others stop */
	/* out */
	int status; /* ERR_LIMIT: stopped with work left */
	struct err error;
	uint64_t nodes;     /* seen below roots */
	double ready, done; /* clock_wall(): memory and streams were there; were not needed more */
	uint64_t pieces;
	uint64_t memory_peak; /* bytes of nodes */
};

/* Nodes that a piece should have on one of so many devices of this kind: some 50 ms of work at
 * most, and at least what is worth a launch. */
void interval_piece_sizes(enum dev_backend backend, bool atsp, int devices, double *most,
			  double *least);

/* The body of a host thread; `device` is a struct interval_device. */
void *interval_device_run(void *device);

#endif
