/* The pieces of a device explorer: ivm_device.c runs it, ivm_device_memory.c lays it out,
 * ivm_device_move.c moves intervals in and out. */
#ifndef COPRA_GMYS_IVM_IVM_DEVICE_PARTS_H
#define COPRA_GMYS_IVM_IVM_DEVICE_PARTS_H

#include "kernels/gmys-ivm/published.h"
#include "algorithms/gmys-ivm/ivm_device.h"
#include "algorithms/gmys-ivm/ivm_tuner.h"

/* Places in the stream between which time is taken. */
enum ivm_mark { MARK_BEGIN, MARK_BOUND, MARK_BOUNDED, MARK_EXPANDED, MARK_END, MARKS };

/* How much a call does, found for each mode. */
struct ivm_pace {
	int batch; /* expansions a call */
	int steps; /* most of one expansion (PTE) */
};

/* A sum of the control block, which may wrap around, modulo FACTORADIC_MODULUS. */
struct ivm_tally {
	struct ivm_length seen;
	uint64_t sum;
};

struct ivm_device {
	struct dev *dev;
	struct dev_stream *stream;
	struct dev_event *mark[MARKS];
	const struct ivm_published_kernels *kernels;
	const struct ivm_problem *problem;
	struct ivm_fleet fleet;
	struct victims victims;
	struct ivm_parcel parcel; /* on the device, to move IVMs and intervals */
	int parcels;              /* that it holds */
	void *block;              /* device memory: all of the above */
	struct ivm_control *seen; /* pinned: the control after the last call */

	struct ivm_tuner tuner;
	struct ivm_pace pace[2]; /* of PTE+PEB, PTE */
	int bound_blocks;
	bool table, staged, all_staged; /* see the table of kernels */

	/* lengths, modulo FACTORADIC_MODULUS, of what the host saw of the intervals */
	struct balance lengths;
	struct ivm_tally covered, parted, accepted; /* those of the control block */
	struct balance at_hand; /* of the intervals as ivm_device_intervals found them */

	int32_t best; /* as of the last call */
	double seconds, seconds_expand, seconds_bound, seconds_inside;
};

/* Chooses T, allocates and copies the tables; `ivms`, `memory` as in the request. */
int ivm_device_allocate(struct ivm_device *d, const struct ivm_request *r, struct err *e);
/* What is left of the IVM in host memory at `v`; false: nothing. *again: see ivm_device_take. The
 * lengths of what was passed over (popped) and is left are set. */
bool ivm_device_rest(const struct ivm_device *d, const struct ivm *v, uint16_t *interval,
		     uint64_t *again, struct balance *lengths);
/* The same for an IVM that is empty on the device from now on: counts what is left as given. */
bool ivm_device_take_rest(struct ivm_device *d, const struct ivm *v, uint16_t *interval,
			  uint64_t *again);
/* Waits for the device and reads its control block into `seen`. */
int ivm_device_read(struct ivm_device *d, struct err *e);

#endif
