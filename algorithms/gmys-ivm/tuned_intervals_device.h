/* One device's share of a search by intervals: takes pieces from the farm until none is left. */
#ifndef COPRA_GMYS_IVM_TUNED_INTERVALS_DEVICE_H
#define COPRA_GMYS_IVM_TUNED_INTERVALS_DEVICE_H

#include "algorithms/tree-search/device_threads.h"
#include "algorithms/gmys-ivm/tuned_intervals_farm.h"

enum { INTERVAL_SLOTS = 2 }; /* pieces under way on a device */

struct interval_device {
	struct device_thread share;
	/* in */
	struct interval_farm *farm;
	const uint32_t *table; /* ATSP */
	/* out */
	uint64_t nodes; /* seen below roots */
	uint64_t pieces;
	struct balance balance;   /* of the lengths of pieces, modulo FACTORADIC_MODULUS */
	uint64_t listed, fetched; /* nodes of the lists searched, and those that lanes took */
	double done;              /* clock_wall(): memory and streams were not needed any more */
};

/* Nodes that a piece should have on one of so many devices of this kind: some 50 ms of work at
 * most, and at least what is worth a launch. */
void interval_piece_sizes(enum dev_backend backend, bool atsp, int devices, double *most,
			  double *least);

/* For device_threads_run; `device` is a struct interval_device. */
int interval_device_run(void *device);

#endif
