/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A device explorer: T IVMs in the memory of one device, Algorithm 3 of Gmys et al. 2017. One host
 * thread uses it at a time. */
#ifndef COPRA_GMYS_IVM_EXPLORERS_IVM_DEVICE_H
#define COPRA_GMYS_IVM_EXPLORERS_IVM_DEVICE_H

#include "algorithms/gmys-ivm/ivm_problem.h"
#include "algorithms/gmys-ivm/ivm_search.h"
#include "algorithms/tree-search/balance.h"

struct ivm_device;

/* The state after a call of ivm_device_next. */
struct ivm_device_status {
	int64_t best;             /* least leaf known to this device */
	bool improved;            /* since the previous call */
	int active, empty;        /* IVMs, after stealing inside; active = 0: intervals-empty */
	struct ivm_counts counts; /* since ivm_device_open */
};

/* Allocates the IVMs: as many as the request asks for, or the paper's T, halved until they fit.
 * ERR_MEMORY if not even one warp of IVMs fits. */
int ivm_device_open(struct ivm_device **d, struct dev *dev, const struct ivm_problem *p,
		    const struct ivm_request *r, struct err *e);
void ivm_device_close(struct ivm_device *d);
/* T, the number of IVMs. */
int ivm_device_ivms(const struct ivm_device *d);

/* Lines 4 and 5 of Algorithm 3: expansions (one step each, or steps until the trigger), each
 * followed by stealing inside the device. `best` is the best value that any worker knows. */
int ivm_device_next(struct ivm_device *d, int64_t best, struct ivm_device_status *s, struct err *e);

/* Gives `count` intervals ([count][2][n] digits) to empty IVMs, from IVM 0 on, by the
 * initialisation of Gmys et al. 2016 (ivm_bound.h). ERR_USAGE if there are fewer empty IVMs. */
int ivm_device_put(struct ivm_device *d, const uint16_t *intervals, int count, struct err *e);
/* Takes the whole interval of IVM `index` (a D2H steal), which becomes empty. *got is false if it
 * was empty. *again: nodes in the device's counts, which stay, that the taker counts again
 * (ivm_again_counted). */
int ivm_device_take(struct ivm_device *d, int index, uint16_t *interval, int *again, bool *got,
		    struct err *e);
/* Takes up to `count` (>= 1) intervals into [count][2][n] digits. It chooses the longest of those
 * not above the mean length when stealing inside last began, so that the device hardly misses them.
 * *again as in ivm_device_take, summed. Call it after ivm_device_next. */
int ivm_device_take_some(struct ivm_device *d, int count, uint16_t *intervals, int *got,
			 uint64_t *again, struct err *e);
/* The number of IVMs that are empty now. */
int ivm_device_room(struct ivm_device *d, int *empty, struct err *e);
/* A D2D steal: IVM i of the thief takes the right half of IVM i of the victim. Called by the
 * victim's thread while the thief's thread waits. */
int ivm_device_share(struct ivm_device *victim, struct ivm_device *thief, int *moved,
		     struct err *e);
/* Copies all open intervals, malloc'ed [*count][2][n], in the order of the IVMs. The device keeps
 * them. *again: nodes in the device's counts that the next owners of these intervals count again.
 */
int ivm_device_intervals(struct ivm_device *d, uint16_t **intervals, uint64_t *count,
			 uint64_t *again, struct err *e);
/* Adds the lengths of intervals, modulo IVM_FACTORADIC_MODULUS, to *b: received by put and share;
 * popped, what the IVMs have explored; given by take, take_some and share. After
 * ivm_device_intervals the sums include the explored and the open part of the current intervals.
 * Otherwise they are balanced only when all IVMs are empty. They are those of the last
 * ivm_device_next or ivm_device_intervals. */
void ivm_device_balance(const struct ivm_device *d, struct balance *b);
/* The order ([n] items) and value of the best leaf that this device found; *found is false if it
 * found none. */
int ivm_device_best(struct ivm_device *d, uint16_t *order, int64_t *value, bool *found,
		    struct err *e);
/* Sets mode, trigger and IVMs of the outcome as used. Adds the seconds by phase, the steals, and
 * the busy share, which the caller divides by the number of devices. */
void ivm_device_report(const struct ivm_device *d, struct ivm_outcome *o);

#endif
