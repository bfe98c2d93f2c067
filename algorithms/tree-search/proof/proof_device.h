/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Devices of the depth-first search (dfs_device.h) that stay open and count one subtree after the
 * other, each by itself. Opening the search for each subtree would take 10 to 60 ms on a simulated
 * device. */
#ifndef COPRA_TREE_SEARCH_PROOF_PROOF_DEVICE_H
#define COPRA_TREE_SEARCH_PROOF_PROOF_DEVICE_H

#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/proof/proof.h"

struct proof_devices;

/* Opens the devices for the tree of a proof, which must stay. After an error *out is NULL. */
int proof_devices_open(struct proof_devices **out, const struct proof *p, const struct dev_set *set,
		       struct err *e);
void proof_devices_close(struct proof_devices *d); /* NULL is allowed */

struct proof_device_count {
	bool complete;   /* else nothing is known: it was stopped, or took too long */
	uint64_t nodes;  /* that were counted */
	int64_t shorter; /* a schedule of this makespan was found, in `order`; 0: none */
	int64_t *order;  /* [jobs], of the caller */
};
/* Counts the open nodes of `from`, and what is below them, on a device that is free; waits for one.
 * Stops early after `seconds`, or when stops(context), which is asked between the rounds of the
 * search. ERR_FAILED if nodes are lost; errors of the device. */
int proof_devices_count(struct proof_devices *d, const struct checkpoint *from, double seconds,
			bool (*stops)(void *context), void *context, struct proof_device_count *c,
			struct err *e);

/* Waits until all devices are free, and keeps them from counting until they are released. */
void proof_devices_hold(struct proof_devices *d);
void proof_devices_release(struct proof_devices *d);

#endif
